"""Work in blocks on a Dask cluster, on this machine or on many; extra `distributed`.

The function is sent to a worker once, which passes it on to the others. A block has a seed of its own, so that results
do not depend on which worker computes it, or how often it is tried.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.util import find_spec
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, TypeVar

from metaeval.config import LOCAL_SCHEDULER, ExperimentConfig
from metaeval.errors import InputError, MetaevalError, pluralize, setting, settings_spelling, spell_settings
from metaeval.work import connection
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
        connection.connected(config.scheduler, processes=config.workers, versions=versions) as client,
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
        """See `ClusterExecutor.map`; Dask repeats what is lost with a worker."""
        blocks = list(blocks)
        futures: list[Future] = []
        try:
            with self._checked():
                # A task like the others, because Dask repeats tasks, but not what is scattered.
                order = self.client.submit(_order, self._sent(function), pure=False, retries=_RETRIES)
                # Tasks that are submitted before it has arrived would begin in any order.
                self._outcome(self._submit(order, []))
                tasks = _TASKS_PER_WORKER * max(1, len(self.client.nthreads()))
                size = max(1, -(-len(blocks) // tasks))
                for begin in range(0, len(blocks), size):
                    futures.append(self._submit(order, blocks[begin : begin + size]))
            while futures:
                with self._checked():
                    outcome = self._outcome(futures[0])
                del futures[0]
                yield from outcome
        finally:
            # After an interrupt or an error, the cluster forgets the rest of the work.
            if futures and self.client.status == "running":
                with suppress(Exception):
                    self.client.cancel(futures, force=True)

    def _sent(self, function: Callable[[Any], Any]) -> SimpleNamespace:
        """A function and what is needed for it, as an object of the standard library, which any worker can read."""
        work = Parcel((settings_spelling(), function))
        return SimpleNamespace(work=work, cluster=self.name, versions=dict(self.versions), checked_by="")

    def _submit(self, order: Future, blocks: Sequence[object]) -> Future:
        return self.client.submit(_execute, order, blocks, pure=False, retries=_RETRIES)

    def _outcome(self, future: Future) -> Any:
        """The results of a task; its error is raised, and an `InputError` where all workers are gone for long."""
        while True:
            try:
                outcome = unpacked(future.result(timeout=connection.WORKER_WITHIN))
            except TimeoutError:
                if future.done():
                    raise
                connection.wait_for_worker(self.client, self.name)
            else:
                if isinstance(outcome, MetaevalError):
                    raise outcome
                return outcome

    @contextmanager
    def _checked(self) -> Iterator[None]:
        """Turn errors of the cluster into an `InputError`; errors of the work stay as they are.

        When a scheduler ends, Dask may raise almost anything, so that the state of the cluster decides, not the error.
        """
        try:
            yield
        except MetaevalError:
            raise
        except Exception as error:
            if self.client.status != "running" or isinstance(error, CancelledError):
                raise connection.lost(self.name) from None
            try:
                # Workers that joined later may be too different to execute a task, or to refuse it.
                check_workers(self.client, self.name, self.versions)
            except OSError:
                raise connection.lost(self.name) from None
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


def _order(sent: SimpleNamespace) -> SimpleNamespace:
    """On a worker: what was sent, for the other tasks."""
    return sent


def _execute(order: SimpleNamespace, blocks: Sequence[Any]) -> Parcel[Any]:
    """On a worker: the results of some blocks. A `MetaevalError` is returned: raised, the task would be tried again.

    order: see `DaskExecutor._sent`; all tasks of a worker share it.
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
        return Parcel([function(block) for block in blocks])
    except MetaevalError as error:
        return Parcel(error)
