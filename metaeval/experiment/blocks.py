"""Work in blocks, by one thread or several, with the same results."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from metaeval.io.dataset import Track
from metaeval.scoring.plan import Plan

Block = TypeVar("Block")
Scored = TypeVar("Scored")
Result = TypeVar("Result")


def in_blocks(
    plan: Plan[Block, Scored], analyse: Callable[[Scored], Result], *, workers: int, track: Track, doing: str
) -> list[Result]:
    """Score every block of a plan and analyse it; results in the order of the blocks, whoever worked on which.

    numpy lets go of the interpreter in its inner loops, so that threads do share the work.
    """

    def work(block: Block) -> Result:
        return analyse(plan.score(block))

    if workers == 1:
        return [work(block) for block in track(plan.blocks, doing)]
    with ThreadPoolExecutor(workers) as pool:
        results = pool.map(work, plan.blocks)
        return [result for _, result in zip(track(plan.blocks, doing), results, strict=True)]
