"""What executes blocks of work: this thread, several threads, worker processes, or a cluster."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Protocol, TypeVar

from metaeval.io.dataset import Track

Block = TypeVar("Block")
Result = TypeVar("Result")

_AHEAD = 2
"""Blocks per process that are on their way or done, so that no process waits and no more of the data is copied."""


class Executor(Protocol):
    """A backend that executes blocks of work."""

    def map(self, function: Callable[[Block], Result], blocks: Iterable[Block]) -> Generator[Result, None, None]:
        """The result of every block, in the order of the blocks; closing the generator ends the work."""


class ClusterExecutor(Executor, Protocol):
    """A backend on other machines, where results are merged before they come here."""

    def map_reduce(
        self,
        function: Callable[[Block], Result],
        blocks: Sequence[Block],
        *,
        reduce: Callable[[Sequence[Result]], Result],
        track: Track,
        doing: str,
    ) -> Result:
        """The results of all blocks reduced to one, a few at a time."""


_CURRENT: ContextVar[ClusterExecutor | None] = ContextVar("executor", default=None)


@contextmanager
def use_executor(executor: ClusterExecutor) -> Iterator[None]:
    """Execute all blocks with this executor, within the context."""
    before = _CURRENT.set(executor)
    try:
        yield
    finally:
        _CURRENT.reset(before)


def current_executor() -> ClusterExecutor | None:
    """The executor of the context; None where this machine executes the blocks itself."""
    return _CURRENT.get()


class SerialExecutor:
    """Executes one block after another in this thread."""

    def map(self, function: Callable[[Block], Result], blocks: Iterable[Block]) -> Generator[Result, None, None]:
        """See `Executor.map`."""
        yield from map(function, blocks)


@dataclass(frozen=True)
class ThreadExecutor:
    """Executes blocks in threads: numpy releases the interpreter in its inner loops, so that they run in parallel."""

    workers: int

    def map(self, function: Callable[[Block], Result], blocks: Iterable[Block]) -> Generator[Result, None, None]:
        """See `Executor.map`."""
        with ThreadPoolExecutor(self.workers) as pool:
            try:
                yield from pool.map(function, blocks)
            except BaseException:
                # An interrupt does not wait for blocks that have not begun.
                pool.shutdown(wait=False, cancel_futures=True)
                raise


@dataclass(frozen=True)
class ProcessExecutor:
    """Executes blocks in worker processes; function and blocks are pickled, only a few of the blocks at a time."""

    workers: int

    def map(self, function: Callable[[Block], Result], blocks: Iterable[Block]) -> Generator[Result, None, None]:
        """See `Executor.map`."""
        # Imported when used: most commands begin no processes.
        from metaeval.work.processes import WorkerProcesses

        with WorkerProcesses(self.workers) as processes:
            pending: deque[Future[Result]] = deque()
            for block in blocks:
                pending.append(processes.submit(function, block))
                if len(pending) == _AHEAD * self.workers:
                    yield pending.popleft().result()
            while pending:
                yield pending.popleft().result()
