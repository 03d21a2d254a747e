"""Work in blocks on a Dask cluster, on this machine or on many; extra `distributed`.

The function is sent to a worker once, which passes it on to the others. A block has a seed of its own, so that results
do not depend on which worker computes it, or how often it is tried.
"""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import socket
import sys
import warnings
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from multiprocessing import resource_tracker
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, TypeVar

from metaeval.config import LOCAL_SCHEDULER, DataConfig, ExperimentConfig
from metaeval.errors import (
    InputError,
    MetaevalError,
    empty,
    importing,
    invalid,
    pluralize,
    refuse,
    setting,
    settings_spelling,
    spell_settings,
)
from metaeval.io.files.source import TemporaryFolder
from metaeval.io.labels.tasks import TASKS
from metaeval.io.parquet import parquet_bytes
from metaeval.model.runs import DataKind
from metaeval.work.executor import use_executor
from metaeval.work.processes import Parcel, unpacked_parcel

if TYPE_CHECKING:
    from distributed import Client, Future


Versions = Mapping[str, str | None]
"""Versions of Python and of packages; None for a missing package."""

_ALWAYS = ("metaeval", "numpy", "scipy")
_OF_KIND = {DataKind.TEXTS: ("snowballstemmer",), DataKind.DERIVATIONS: ("rapidfuzz",)}
_OF_PARQUET = ("duckdb", "pyarrow")


def deciding_packages(config: ExperimentConfig) -> tuple[str, ...]:
    """The packages that affect the numbers that workers compute for the data of an experiment.

    >>> deciding_packages(ExperimentConfig())
    ('metaeval', 'numpy', 'scipy')
    """
    kind = TASKS[config.data.task].data_kind
    return (*_ALWAYS, *(_OF_PARQUET if _is_parquet(config.data) else _OF_KIND.get(kind, ())))


def _is_parquet(data: DataConfig) -> bool:
    """Whether these are labels in Parquet, which workers may count."""
    if TASKS[data.task].data_kind is not DataKind.LABELS or data.gold is None or data.memory:
        return False
    return parquet_bytes(data.gold, data.runs) is not None


def versions_here(packages: Sequence[str]) -> Versions:
    """The versions in this process."""
    from distributed.versions import get_package_info

    versions = get_package_info(packages)
    python = ".".join(map(str, sys.version_info[:2]))
    return {"python": python, **{name: versions[name] for name in packages}}


def check_workers(client: Client, cluster: str, ours: Versions) -> None:
    """Raise an `InputError` where a worker has other versions than this process, and may compute other numbers.

    cluster: its name in messages. Dask asks the workers, which need not have metaeval to answer.
    """
    packages = [name for name in ours if name != "python"]
    theirs = {}
    for address, worker in client.get_versions(packages=packages)["workers"].items():
        if worker:
            python = ".".join(str(worker["host"]["python"]).split(".")[:2])
            theirs[address] = {"python": python, **{name: worker["packages"].get(name) for name in packages}}
    check_versions(cluster, ours, theirs)


def check_versions(cluster: str, ours: Versions, theirs: Mapping[str, Versions]) -> None:
    """Raise an `InputError` where versions differ; theirs: by address of the worker.

    A package that is missing in this process is not compared.
    """
    local = {name: version for name, version in ours.items() if version is not None}
    wrong = {address: [name for name in local if local[name] != worker[name]] for address, worker in theirs.items()}
    wrong = {address: names for address, names in wrong.items() if names}
    for address, names in wrong.items():
        versions = ", ".join(f"{name} {theirs[address][name] or 'missing'}" for name in names)
        where = f" on {address} ({pluralize(len(wrong), 'worker')} of {cluster} with other versions)"
        expected = ", ".join(f"{name} {local[name]}" for name in names) + ", as here"
        hint = "install the same versions on every machine, for example with one image or environment for all"
        raise refuse(None, invalid("version", versions, expected, where, hint))


CONNECTED_WITHIN = 10.0
"""Seconds in which a scheduler has to answer."""

WORKER_WITHIN = 30.0
"""Seconds in which there has to be a worker."""

_LOOPBACK = "127.0.0.1"


@contextmanager
def connected(scheduler: str, *, processes: int, versions: Versions) -> Iterator[Client]:
    """A client of a cluster, closed at the end; every problem of the cluster is an `InputError`.

    scheduler: an address, or `LOCAL_SCHEDULER` for processes on this machine, which end with the connection. versions:
    those that workers must have.
    """
    with ExitStack() as stack:
        stack.enter_context(_quiet())
        local = scheduler == LOCAL_SCHEDULER
        address = stack.enter_context(_local_cluster(processes)) if local else scheduler
        client = stack.enter_context(_client(address))
        if not local:
            try:
                wait_for_worker(client, scheduler)
                check_workers(client, scheduler, versions)
            except MetaevalError:
                raise
            except Exception:
                # When a scheduler ends, Dask may raise almost anything.
                raise connection_error(scheduler) from None
        yield client


def connection_error(cluster: str) -> InputError:
    """The error of a cluster that ended during the work; cluster: its name in messages."""
    hint = "look at the output of the scheduler and the workers, and start again"
    return refuse(None, f"the connection to {cluster} was lost", "a scheduler that keeps running", hint)


@contextmanager
def _client(address: str) -> Iterator[Client]:
    from distributed import Client

    probe = ThreadPoolExecutor(1)
    try:
        # A `Client` would wait for a silent server for ever. In a thread, because the caller may run an event loop.
        probe.submit(asyncio.run, _connect(address)).result()
        client = Client(address, timeout=CONNECTED_WITHIN, set_as_default=False)
    except (OSError, ValueError, TypeError, ImportError) as error:
        hint = "compare it with what `dask scheduler` prints when it starts"
        expected = "the address of a scheduler that is running and can be reached from here"
        raise refuse(None, empty(f"Dask scheduler at {address} ({_reason(error)})", expected, hint)) from None
    finally:
        probe.shutdown(wait=False)
    try:
        yield client
    finally:
        # The scheduler may have ended.
        with suppress(Exception):
            client.close()


def _reason(error: BaseException | None) -> str:
    """Why a scheduler does not answer: attempts at an address end with a timeout, whatever failed."""
    message = " ".join(str(error).split())
    while error is not None:
        if isinstance(error, socket.gaierror):
            return "the name of the host is not known here"
        if isinstance(error, ConnectionRefusedError):
            return "connection refused"
        error = error.__cause__ or error.__context__
    return message or f"no answer within {CONNECTED_WITHIN:g} seconds"


async def _connect(address: str) -> None:
    from distributed.comm import connect
    from distributed.security import Security

    # Asked first, because Dask repeats an attempt to connect until its time is over, and then says only that.
    host, _, port = address.partition("://")[2].rpartition(":")
    refusal: ConnectionRefusedError | None = None
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=CONNECTED_WITHIN).close()
    except ConnectionRefusedError as error:
        refusal = error
    settings = Security().get_connection_args("client")
    try:
        async with asyncio.timeout(CONNECTED_WITHIN):
            comm = await connect(address, timeout=CONNECTED_WITHIN, **settings)
    except OSError as error:
        raise (refusal or error) from None
    comm.abort()


@contextmanager
def _local_cluster(processes: int) -> Iterator[str]:
    """The address of a cluster of processes on this machine, one thread each; nothing of it is left at the end."""
    import dask
    from distributed import LocalCluster

    with ExitStack() as stack:
        temporary = TemporaryFolder()
        stack.callback(temporary.remove)
        folder = str(temporary.create())
        # The scheduler writes files, too, and has no argument for their folder.
        with _interrupts_blocked(), dask.config.set({"temporary-directory": folder}):
            cluster = stack.enter_context(
                LocalCluster(
                    n_workers=processes,
                    threads_per_worker=1,
                    host=_LOOPBACK,
                    # Dask always opens a port for the state of the scheduler: any free one, without a dashboard.
                    dashboard_address=f"{_LOOPBACK}:0",
                    scheduler_kwargs={"dashboard": False},
                    silence_logs=logging.CRITICAL,
                    local_directory=folder,
                    # As for threads.
                    memory_limit=None,
                )
            )
        yield cluster.scheduler_address


@contextmanager
def _interrupts_blocked() -> Iterator[None]:
    """Block Ctrl-C meanwhile, and for good in threads and processes that start meanwhile: this process ends them."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    _start_resource_tracker()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _start_resource_tracker() -> None:
    """Start the process that cleans up after processes, which otherwise starts with the first of them.

    Starting it unblocks interrupts; and it must not warn of what it cleans up when this process is killed.
    """
    before = {name: value for name, value in os.environ.items() if name == "PYTHONWARNINGS"}
    os.environ["PYTHONWARNINGS"] = ",".join([*before.values(), "ignore:resource_tracker"])
    try:
        resource_tracker.ensure_running()
    finally:
        del os.environ["PYTHONWARNINGS"]
        os.environ.update(before)


@contextmanager
def _quiet() -> Iterator[None]:
    """Without output of Dask on standard error: its problems become errors."""
    import dask

    # Its settings must stand before some are changed for a while: else all of them go with these.
    import distributed  # noqa: F401

    names = [name for name in logging.root.manager.loggerDict if name.partition(".")[0] in ("distributed", "tornado")]
    levels = {name: logging.getLogger(name).level for name in (*names, "distributed", "tornado", "asyncio")}
    settings = {"distributed.comm.timeouts.connect": f"{CONNECTED_WITHIN:g}s", "distributed.admin.log-length": 0}
    try:
        for name in levels:
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)
        with warnings.catch_warnings(), dask.config.set(settings):
            # Versions are checked here, and large objects are intended.
            warnings.filterwarnings("ignore", module=r"distributed\b")
            yield
    finally:
        for name, level in levels.items():
            logging.getLogger(name).setLevel(level)


def wait_for_worker(client: Client, scheduler: str) -> None:
    """Wait until a cluster has a worker, or raise an `InputError`."""
    try:
        client.wait_for_workers(1, timeout=WORKER_WITHIN)
    except TimeoutError:
        noun, hint = f"worker at {scheduler} within {WORKER_WITHIN:g} seconds", f"as in `dask worker {scheduler}`"
        raise refuse(None, empty(noun, "at least one", hint=f"start some, {hint}")) from None


Block = TypeVar("Block")
Result = TypeVar("Result")

_RETRIES = 2
"""How often a task that failed on a worker is tried again."""

_TASKS_PER_WORKER = 32
"""Tasks per worker, where there are enough blocks: few enough to schedule, enough to balance the load."""


@contextmanager
def at_work(config: ExperimentConfig) -> Iterator[None]:
    """Execute blocks on the cluster that a configuration names, within the context.

    A cluster that cannot be reached, has no worker or has other versions of relevant packages is an `InputError`.
    """
    assert config.scheduler is not None
    with importing(setting("scheduler", config.scheduler), "dask and distributed", "distributed"):
        import distributed  # noqa: F401
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
        """See `ClusterExecutor.map`; Dask repeats what is lost with a worker."""
        blocks = list(blocks)
        futures: list[Future] = []
        try:
            with self._input_errors():
                # A task like the others, because Dask repeats tasks, but not what is scattered.
                order = self.client.submit(_order, self._wrap(function), pure=False, retries=_RETRIES)
                # Tasks that are submitted before it has arrived would begin in any order.
                self._outcome(self._submit(order, []))
                tasks = _TASKS_PER_WORKER * max(1, len(self.client.nthreads()))
                size = max(1, -(-len(blocks) // tasks))
                for begin in range(0, len(blocks), size):
                    futures.append(self._submit(order, blocks[begin : begin + size]))
            while futures:
                with self._input_errors():
                    outcome = self._outcome(futures[0])
                del futures[0]
                yield from outcome
        finally:
            # After an interrupt or an error, the cluster forgets the rest of the work.
            if futures and self.client.status == "running":
                with suppress(Exception):
                    self.client.cancel(futures, force=True)

    def _wrap(self, function: Callable[[Any], Any]) -> SimpleNamespace:
        """A function and what is needed for it, as an object of the standard library, which any worker can read."""
        work = Parcel((settings_spelling(), function))
        return SimpleNamespace(work=work, cluster=self.name, versions=dict(self.versions), checked_by="")

    def _submit(self, order: Future, blocks: Sequence[object]) -> Future:
        return self.client.submit(_execute, order, blocks, pure=False, retries=_RETRIES)

    def _outcome(self, future: Future) -> Any:
        """The results of a task; its error is raised, and an `InputError` where all workers are gone for long."""
        while True:
            try:
                outcome = unpacked_parcel(future.result(timeout=WORKER_WITHIN))
            except TimeoutError:
                if future.done():
                    raise
                wait_for_worker(self.client, self.name)
            else:
                if isinstance(outcome, MetaevalError):
                    raise outcome
                return outcome

    @contextmanager
    def _input_errors(self) -> Iterator[None]:
        """Turn errors of the cluster into an `InputError`; errors of the work stay as they are.

        When a scheduler ends, Dask may raise almost anything, so that the state of the cluster decides, not the error.
        """
        try:
            yield
        except MetaevalError:
            raise
        except Exception as error:
            if self.client.status != "running" or isinstance(error, CancelledError):
                raise connection_error(self.name) from None
            try:
                # Workers that joined later may be too different to execute a task, or to refuse it.
                check_workers(self.client, self.name, self.versions)
            except OSError:
                raise connection_error(self.name) from None
            problem = _problem(error, self.name)
            if problem is None:
                raise
            raise problem from None


def _problem(error: Exception, cluster: str) -> InputError | None:
    """The error for the user, where an error is about the workers."""
    from distributed import KilledWorker

    if isinstance(error, KilledWorker):
        found = f"a block of work on {cluster} that killed {pluralize(error.allowed_failures + 1, 'worker')}"
        hint = f"give the workers more memory, or reduce {setting('memory')}"
        return refuse(None, found, "workers with enough memory for a block", hint, kind="memory")
    if isinstance(error, FileNotFoundError):
        hint = f"put the data and the temporary folder (TMPDIR) there, or leave out {setting('scheduler')}"
        expected = "a folder that all machines of the cluster share"
        return refuse(error.filename, empty("such file on a worker", expected, hint))
    return None


def _order(order: SimpleNamespace) -> SimpleNamespace:
    """On a worker: the order of the client, for the other tasks."""
    return order


def _execute(order: SimpleNamespace, blocks: Sequence[Any]) -> Parcel[Any]:
    """On a worker: the results of some blocks. A `MetaevalError` is returned: raised, the task would be tried again.

    order: see `DaskExecutor._wrap`; all tasks of a worker share it.
    """
    from distributed import get_worker

    try:
        address = get_worker().address
        if order.checked_by != address:
            # Workers that joined later were not checked; and this one may have sent the order on to another.
            packages = [name for name in order.versions if name != "python"]
            check_versions(order.cluster, order.versions, {address: versions_here(packages)})
            order.checked_by = address
        # Unpickled once; the pickle is not kept.
        order.work = Parcel(unpacked_parcel(order.work))
        spelling, function = order.work.content
        spell_settings(spelling)
        return Parcel([function(block) for block in blocks])
    except MetaevalError as error:
        return Parcel(error)
