"""Executors of blocks of work: threads, worker processes or a cluster."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from contextvars import ContextVar
from queue import SimpleQueue
from threading import Lock, Thread
from typing import Protocol, TypeVar

from metaeval import registry
from metaeval.config import ExperimentConfig

Block = TypeVar("Block")
Result = TypeVar("Result")

_AHEAD = 2
"""Blocks per process that are submitted at a time: no process waits, and few copies of the data exist."""


class ClusterExecutor(Protocol):
    """A backend that executes blocks of work on other machines."""

    def map(self, function: Callable[[Block], Result], blocks: Iterable[Block]) -> Generator[Result, None, None]:
        """The result of every block, in the order of the blocks; closing the generator ends the work."""


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


@contextmanager
def at_work(config: ExperimentConfig) -> Iterator[None]:
    """Execute blocks on the cluster that a configuration names, within the context; without one nothing changes."""
    if config.scheduler is None:
        yield
        return
    with registry.load("metaeval.engines.cluster", "at_work")(config):
        yield


def map_in_threads(
    function: Callable[[Block], Result], blocks: Sequence[Block], *, workers: int
) -> Generator[Result, None, None]:
    """As `ClusterExecutor.map` in threads, or in the current thread where there is one worker.

    numpy releases the interpreter lock in its inner loops, so that threads run in parallel. They are not those of
    `concurrent.futures`, whose locks may stay taken for ever by an interrupt amid `submit`: here only worker threads,
    which no signal interrupts, take a lock.
    """
    if workers == 1:
        yield from map(function, blocks)
        return
    todo, lock = iter(enumerate(blocks)), Lock()
    queue: SimpleQueue[tuple[int, Future[Result]]] = SimpleQueue()
    ended: list[bool] = []

    def work_on() -> None:
        while not ended:
            with lock:
                task = next(todo, None)
            if task is None:
                return
            number, block = task
            queue.put((number, _outcome(function, block)))

    threads = [Thread(target=work_on, daemon=True) for _ in range(workers)]
    outcomes: dict[int, Future[Result]] = {}
    try:
        for thread in threads:
            thread.start()
        for number in range(len(blocks)):
            while number not in outcomes:
                outcomes.update([queue.get()])
            yield outcomes.pop(number).result()
    except BaseException as error:
        ended.append(True)
        # Who interrupts does not wait for the blocks that have begun.
        for thread in () if isinstance(error, KeyboardInterrupt) else threads:
            thread.join()
        raise


def _outcome(function: Callable[[Block], Result], block: Block) -> Future[Result]:
    """The result of a block, or its error."""
    outcome: Future[Result] = Future()
    try:
        outcome.set_result(function(block))
    except BaseException as error:
        outcome.set_exception(error)
    return outcome


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
