"""Work in blocks on a Dask cluster, on this machine or on many; extra `distributed`.

The function is sent to every worker once, then one task after another to the workers that are free. A block has a seed
of its own, so that results do not depend on which worker computes it, or how often it is tried.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, TypeVar

from metaeval.config import LOCAL_SCHEDULER, ExperimentConfig
from metaeval.errors import InputError, MetaevalError, pluralize, setting, settings_spelling, spell_settings
from metaeval.io.dataset import Progress
from metaeval.work.connection import connected, lost, wait_for_worker
from metaeval.work.executor import use_executor
from metaeval.work.pickling import Parcel, unpacked
from metaeval.work.versions import Versions, check_versions, check_workers, deciding_packages, versions_here

if TYPE_CHECKING:
    from distributed import Client, Future

Block = TypeVar("Block")
Result = TypeVar("Result")

_RETRIES = 2
"""How often a task that failed on a worker is tried again."""

_TASKS_PER_WORKER = 32
"""Tasks per worker, where there are enough blocks: few enough to schedule, enough to balance the load."""

_REDUCED_AT_ONCE = 8
"""Results that are reduced together: few enough for the memory of one worker."""

_ROUNDS = 3
"""How often work is sent without any result, where the workers that had it are lost."""


class _WorkersLost(Exception):
    """Workers were lost while work was sent or fetched; the scheduler still answers."""


@contextmanager
def at_work(config: ExperimentConfig) -> Iterator[None]:
    """Execute blocks on the cluster that a configuration names, within the context; without one nothing changes.

    A cluster that cannot be reached, has no worker or has other versions of relevant packages is an `InputError`.
    """
    if config.scheduler is None:
        yield
        return
    if find_spec("distributed") is None:
        raise InputError.at(
            found=f"{setting('scheduler', config.scheduler)} without the packages dask and distributed",
            expected="both packages",
            hint="pip install 'metaeval[distributed]'",
        )
    versions = versions_here(deciding_packages(config))
    local = config.scheduler == LOCAL_SCHEDULER
    name = f"the processes of {setting('scheduler', LOCAL_SCHEDULER)}" if local else config.scheduler
    with (
        connected(config.scheduler, processes=config.workers, versions=versions) as client,
        use_executor(DaskExecutor(client, name, versions)),
    ):
        yield


@dataclass(frozen=True)
class DaskExecutor:
    """A Dask cluster as a `ClusterExecutor`. name: of the cluster in messages. versions: those of its workers."""

    client: Client
    name: str
    versions: Versions

    def map(self, function: Callable[[Block], Result], blocks: Iterable[Block]) -> Generator[Result, None, None]:
        """See `ClusterExecutor.map`; from the first result that was lost with all workers, work is sent again."""
        left = list(blocks)
        rounds = 0
        while left:
            done = 0
            with closing(self._map_once(function, left)) as results, suppress(_WorkersLost):
                for result in results:
                    done += 1
                    yield result
            left = left[done:]
            rounds = 0 if done else rounds + 1
            if left:
                self._wait_for_workers(rounds)

    def _map_once(self, function: Callable[[Block], Result], blocks: list[Block]) -> Generator[Result, None, None]:
        """The results of the blocks in order, up to the first that was lost."""
        futures: list[Future] = []
        try:
            with self._checked():
                order = self._send(partial(_map, function))
                size = -(-len(blocks) // (_TASKS_PER_WORKER * max(1, len(self.client.nthreads()))))
                for begin in range(0, len(blocks), size):
                    futures.append(self._submit(order, blocks[begin : begin + size]))
            while futures:
                outcome = self._outcome(futures[0])
                if outcome is None:
                    return
                del futures[0]
                yield from outcome
        finally:
            # After an interrupt or an error, the cluster forgets the rest of the work.
            if futures and self.client.status == "running":
                with suppress(Exception):
                    self.client.cancel(futures, force=True)

    def map_reduce(
        self,
        function: Callable[[Block], Result],
        blocks: Sequence[Block],
        *,
        reduce: Callable[[Sequence[Result]], Result],
        progress: Progress,
        description: str,
    ) -> Result:
        """See `ClusterExecutor.map_reduce`: workers reduce a few results at a time, and one is sent back.

        Where reducing does not depend on the grouping, as for sums of counts, the number of workers does not matter.
        """
        from distributed import as_completed

        rounds = 0
        while True:
            with suppress(_WorkersLost):
                with self._checked():
                    order, order_to_reduce = self._send(function), self._send(reduce)
                    done = [self._submit(order, block) for block in blocks]
                    layer = done
                    while len(layer) > 1:
                        groups = [
                            layer[begin : begin + _REDUCED_AT_ONCE] for begin in range(0, len(layer), _REDUCED_AT_ONCE)
                        ]
                        layer = [self.client.submit(_reduce, order_to_reduce, group, pure=False) for group in groups]
                    finished = as_completed(list(done), loop=self.client.loop)
                    for _, _ in zip(progress(blocks, description), finished, strict=True):
                        pass
                outcome: Result | None = self._outcome(layer[0])
                if outcome is not None:
                    return outcome
            rounds += 1
            self._wait_for_workers(rounds)

    def _wait_for_workers(self, rounds: int) -> None:
        """Wait for a worker before work is sent again; after too many rounds without any result, an `InputError`."""
        if rounds >= _ROUNDS:
            raise lost(self.name)
        with self._checked():
            wait_for_worker(self.client, self.name)

    def _send(self, function: Callable[[Any], Any]) -> Future:
        """Send a function and what is needed for it to every worker.

        It arrives as an object of the standard library: workers with other packages have to read it to refuse it.
        """
        work = Parcel((settings_spelling(), function))
        order = SimpleNamespace(work=work, cluster=self.name, versions=dict(self.versions), checked_by="")
        return self.client.scatter(order, broadcast=True, hash=False)

    def _submit(self, order: Future, block: object) -> Future:
        return self.client.submit(_execute, order, block, pure=False, retries=_RETRIES)

    def _outcome(self, future: Future) -> Any:
        """The result of a task, None where it was lost; an error that the task returned is raised."""
        with self._checked():
            try:
                outcome = None if future.cancelled() else unpacked(future.result())
            except Exception:
                # Before it arrived, the workers that had it died, or the scheduler started again.
                if not future.cancelled():
                    raise
                outcome = None
        if isinstance(outcome, MetaevalError):
            raise outcome
        return outcome

    @contextmanager
    def _checked(self) -> Iterator[None]:
        """Turn errors of the cluster into an `InputError`; errors of the work stay as they are.

        When a scheduler ends, Dask may raise almost anything, so that the state of the cluster decides, not the error.
        """
        from distributed.comm import CommClosedError

        try:
            yield
        except MetaevalError:
            raise
        except Exception as error:
            try:
                if self.client.status != "running":
                    raise lost(self.name)
                # Workers that joined later may be too different to execute a task, or to refuse it.
                check_workers(self.client, self.name, self.versions)
            except MetaevalError:
                raise
            except Exception:
                raise lost(self.name) from None
            # A worker that is gone is an `OSError` without a number, as no file's is, which only its text tells.
            gone = isinstance(error, OSError) and error.errno is None and "trying to connect" in str(error)
            if gone or isinstance(error, (TimeoutError, CommClosedError, CancelledError)):
                raise _WorkersLost from error
            problem = _problem(error, self.name)
            if problem is None:
                raise
            raise problem from None


def _problem(error: Exception, cluster: str) -> InputError | None:
    """The error for the user, where an error is about the workers."""
    from distributed import KilledWorker

    if isinstance(error, KilledWorker):
        return InputError.at(
            found=f"a block of work on {cluster} that killed {pluralize(error.allowed_failures + 1, 'worker')}",
            expected="workers with enough memory for a block",
            hint=f"give the workers more memory, or reduce {setting('memory')}",
        )
    if isinstance(error, FileNotFoundError):
        return InputError.at(
            error.filename,
            found="a file that a worker cannot find",
            expected="a folder that all machines of the cluster share",
            hint=f"put the data and the temporary folder (TMPDIR) there, or leave out {setting('scheduler')}",
        )
    return None


def _map(function: Callable[[Block], Result], blocks: Sequence[Block]) -> list[Result]:
    """On a worker: the results of some blocks."""
    return [function(block) for block in blocks]


def _reduce(order: SimpleNamespace, results: Sequence[Parcel[Any] | partial[Any]]) -> Parcel[Any]:
    """On a worker: reduce results to one, or pass on an error among them."""
    contents = [unpacked(result) for result in results]
    errors = [content for content in contents if isinstance(content, MetaevalError)]
    return Parcel(errors[0]) if errors else _execute(order, contents)


def _execute(order: SimpleNamespace, block: Any) -> Parcel[Any]:
    """On a worker: the result of a block. A `MetaevalError` is returned: raised, the task would be tried again.

    order: see `DaskExecutor._send`; all tasks of a worker share it.
    """
    from distributed import get_worker

    try:
        here = get_worker().address
        if order.checked_by != here:
            # Workers that joined later were not checked; and this one may have sent the order on to another.
            packages = [name for name in order.versions if name != "python"]
            check_versions(order.cluster, order.versions, {here: versions_here(packages)})
            order.checked_by = here
        # Unpickled once; the pickle is not kept.
        order.work = Parcel(unpacked(order.work))
        spelling, function = order.work.content
        spell_settings(spelling)
        return Parcel(function(block))
    except MetaevalError as error:
        return Parcel(error)
