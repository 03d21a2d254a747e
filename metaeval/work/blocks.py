"""Work in blocks, by one thread or several, by processes or elsewhere, with the same results."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Protocol, TypeVar

from metaeval.io.dataset import Track
from metaeval.scoring.plan import Pieces, Plan

Block = TypeVar("Block")
Scored = TypeVar("Scored")
Result = TypeVar("Result")

_AHEAD = 2
"""Pieces for each process that are on their way or done, so that nobody waits and no more of the data is copied."""


class Elsewhere(Protocol):
    """Whoever works on blocks outside this process."""

    def results(
        self, work: Callable[[Block], Result], blocks: Sequence[Block], *, track: Track, doing: str
    ) -> list[Result]:
        """The result of every block, in their order."""

    def merged(
        self,
        work: Callable[[Block], Result],
        blocks: Sequence[Block],
        *,
        merge: Callable[[Sequence[Result]], Result],
        track: Track,
        doing: str,
    ) -> Result:
        """The results of all blocks merged into one, some at a time, where they lie."""


_ELSEWHERE: ContextVar[Elsewhere | None] = ContextVar("elsewhere", default=None)


@contextmanager
def spread_over(elsewhere: Elsewhere) -> Iterator[None]:
    """All work in blocks goes there, as long as it lasts."""
    before = _ELSEWHERE.set(elsewhere)
    try:
        yield
    finally:
        _ELSEWHERE.reset(before)


def working_elsewhere() -> Elsewhere | None:
    """Whoever works on blocks; None where this process does it itself."""
    return _ELSEWHERE.get()


def in_blocks(
    plan: Plan[Block, Scored], analyse: Callable[[Scored], Result], *, workers: int, track: Track, doing: str
) -> list[Result]:
    """Score every block of a plan and analyse it; results in the order of the blocks, whoever worked on which.

    Several workers are processes where a plan has so much to do in pieces that it pays to begin them; they score, and
    this process analyses. Else they are threads: numpy lets go of the interpreter in its inner loops, so that they do
    share the work. Inside `spread_over` it is done elsewhere, and workers do not matter.
    """
    return list(one_by_one(plan, analyse, workers=workers, track=track, doing=doing))


def one_by_one(
    plan: Plan[Block, Scored], analyse: Callable[[Scored], Result], *, workers: int, track: Track, doing: str
) -> Generator[Result, None, None]:
    """The results of `in_blocks` one after another: none has to be kept until all are there.

    Whoever may not take all of them closes the generator, which ends the work.
    """

    def work(block: Block) -> Result:
        return analyse(plan.score(block))

    elsewhere = working_elsewhere()
    if elsewhere is not None:
        yield from elsewhere.results(work, plan.blocks, track=track, doing=doing)
    elif workers == 1 or len(plan.blocks) == 1:
        yield from map(work, track(plan.blocks, doing))
    elif plan.pieces is not None and plan.pieces.large:
        yield from _by_processes(plan.blocks, plan.pieces, analyse, workers, track, doing)
    else:
        yield from _by_threads(work, plan.blocks, workers, track, doing)


def _by_threads(
    work: Callable[[Block], Result], blocks: Sequence[Block], workers: int, track: Track, doing: str
) -> Generator[Result, None, None]:
    with ThreadPoolExecutor(workers) as pool:
        results = pool.map(work, blocks)
        try:
            for _, result in zip(track(blocks, doing), results, strict=True):
                yield result
        except BaseException:
            # Whoever interrupts should not wait for the blocks that nobody has begun.
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _by_processes(
    blocks: Sequence[Block],
    pieces: Pieces[Block, Scored],
    analyse: Callable[[Scored], Result],
    workers: int,
    track: Track,
    doing: str,
) -> Generator[Result, None, None]:
    # Imported when used: most commands begin no processes.
    from metaeval.work.processes import WorkerProcesses

    left = iter(blocks)
    with WorkerProcesses(min(workers, len(blocks))) as processes:
        away: deque[Future[Scored]] = deque()
        for _ in track(blocks, doing):
            for block in left:
                away.append(processes.submit(pieces.score, pieces.cut(block)))
                if len(away) == _AHEAD * workers:
                    break
            yield analyse(away.popleft().result())
