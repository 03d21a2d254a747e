"""Work in blocks, with the same results for any executor."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import closing
from typing import TypeVar

from metaeval.io.dataset import Progress
from metaeval.scoring.evaluation import Plan
from metaeval.work.executor import current_executor, map_in_processes, map_in_threads

Block = TypeVar("Block")
Scored = TypeVar("Scored")
Result = TypeVar("Result")


def map_blocks(
    plan: Plan[Block, Scored],
    analyse: Callable[[Scored], Result],
    *,
    workers: int,
    progress: Progress,
    description: str,
) -> list[Result]:
    """Score every block of a plan and analyse it; results in the order of the blocks.

    Within `use_executor` its executor does the work, and `workers` is ignored. Otherwise several workers are threads,
    or processes where the pieces of the plan are large enough to be worth starting them; processes score, and this
    process analyses.
    """
    return list(iter_blocks(plan, analyse, workers=workers, progress=progress, description=description))


def iter_blocks(
    plan: Plan[Block, Scored],
    analyse: Callable[[Scored], Result],
    *,
    workers: int,
    progress: Progress,
    description: str,
) -> Generator[Result, None, None]:
    """The results of `map_blocks` one after another, so that they need not all be in memory.

    A caller that may not need all of them closes the generator, which ends the work.
    """

    def work(block: Block) -> Result:
        return analyse(plan.score(block))

    executor = current_executor()
    workers = min(workers, len(plan.blocks))
    if executor is None and workers > 1 and plan.pieces is not None and plan.pieces.large:
        scores_by_block = map_in_processes(plan.pieces.score, map(plan.pieces.cut, plan.blocks), workers=workers)
        with closing(scores_by_block):
            for _, scores in zip(progress(plan.blocks, description), scores_by_block, strict=True):
                yield analyse(scores)
        return
    threads = max(1, workers)
    results = executor.map(work, plan.blocks) if executor else map_in_threads(work, plan.blocks, workers=threads)
    with closing(results):
        try:
            for _, result in zip(progress(plan.blocks, description), results, strict=True):
                yield result
        except KeyboardInterrupt as interrupt:
            # Unlike an end, an interrupt does not wait for the blocks that have begun.
            results.throw(interrupt)
