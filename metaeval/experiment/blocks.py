"""Work in blocks, by one thread or several, here or elsewhere, with the same results."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Protocol, TypeVar

from metaeval.io.dataset import Track
from metaeval.scoring.plan import Plan

Block = TypeVar("Block")
Scored = TypeVar("Scored")
Result = TypeVar("Result")


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

    numpy lets go of the interpreter in its inner loops, so that threads do share the work. Inside `spread_over` it is
    done elsewhere, and workers do not matter.
    """

    def work(block: Block) -> Result:
        return analyse(plan.score(block))

    elsewhere = working_elsewhere()
    if elsewhere is not None:
        return elsewhere.results(work, plan.blocks, track=track, doing=doing)
    if workers == 1:
        return [work(block) for block in track(plan.blocks, doing)]
    with ThreadPoolExecutor(workers) as pool:
        results = pool.map(work, plan.blocks)
        try:
            return [result for _, result in zip(track(plan.blocks, doing), results, strict=True)]
        except BaseException:
            # Whoever interrupts should not wait for the blocks that nobody has begun.
            pool.shutdown(wait=False, cancel_futures=True)
            raise
