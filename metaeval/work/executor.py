"""Executors of blocks of work: threads, worker processes or a cluster."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Protocol, TypeVar

from metaeval.io.dataset import Progress

Block = TypeVar("Block")
Result = TypeVar("Result")

_AHEAD = 2
"""Blocks per process that are submitted at a time: no process waits, and few copies of the data exist."""


class ClusterExecutor(Protocol):
    """A backend on other machines that executes blocks of work, and can also combine results there."""

    def map(self, function: Callable[[Block], Result], blocks: Iterable[Block]) -> Generator[Result, None, None]:
        """The result of every block, in the order of the blocks; closing the generator ends the work."""

    def map_reduce(
        self,
        function: Callable[[Block], Result],
        blocks: Sequence[Block],
        *,
        reduce: Callable[[Sequence[Result]], Result],
        progress: Progress,
        description: str,
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


def map_in_threads(
    function: Callable[[Block], Result], blocks: Iterable[Block], *, workers: int
) -> Generator[Result, None, None]:
    """As `ClusterExecutor.map` in threads, or in the current thread where there is one worker.

    numpy releases the interpreter lock in its inner loops, so that threads run in parallel.
    """
    if workers == 1:
        yield from map(function, blocks)
        return
    pool = ThreadPoolExecutor(workers)
    try:
        yield from pool.map(function, blocks)
    except KeyboardInterrupt:
        # Its threads are not waited for: an interrupt amid `submit` may leave a lock of the pool taken for ever.
        pool.shutdown(wait=False, cancel_futures=True)
        raise
    except BaseException:
        pool.shutdown(cancel_futures=True)
        raise
    pool.shutdown()


def map_in_processes(
    function: Callable[[Block], Result], blocks: Iterable[Block], *, workers: int
) -> Generator[Result, None, None]:
    """As `ClusterExecutor.map` in worker processes; function and blocks are pickled, only a few blocks at a time."""
    # Imported when used: most commands start no processes.
    from metaeval.work.processes import WorkerProcesses

    with WorkerProcesses(workers) as processes:
        pending: deque[Future[Result]] = deque()
        for block in blocks:
            pending.append(processes.submit(function, block))
            if len(pending) == _AHEAD * workers:
                yield pending.popleft().result()
        while pending:
            yield pending.popleft().result()
