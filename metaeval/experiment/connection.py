"""Connections to Dask clusters, which are checked before any work is sent; extra `distributed`."""

from __future__ import annotations

import asyncio
import logging
import os
import shutil
import signal
import warnings
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from multiprocessing import resource_tracker
from tempfile import mkdtemp
from typing import TYPE_CHECKING, Any

from metaeval.config import LOCAL_SCHEDULER
from metaeval.errors import InputError, counted

if TYPE_CHECKING:
    from distributed import Client

CONNECTED_WITHIN = 10.0
"""Seconds in which a scheduler has to answer."""

WORKER_WITHIN = 30.0
"""Seconds in which there has to be a worker."""

_LOOPBACK = "127.0.0.1"
_VERSIONED = ("metaeval", "numpy", "scipy")
"""Packages that decide on numbers."""


@contextmanager
def connected(scheduler: str, *, processes: int) -> Iterator[Client]:
    """A client of a cluster whose workers can do what this process does; closed at the end.

    scheduler: an address, or `LOCAL_SCHEDULER` for so many processes of this machine, which end with the connection.
    Whatever is wrong with the cluster is an `InputError`.
    """
    try:
        import distributed  # noqa: F401 (what the rest takes)
    except ImportError:
        raise InputError.at(
            found=f"--scheduler {scheduler}, and no package that talks to clusters",
            expected="dask and distributed",
            hint="pip install 'metaeval[distributed]'",
        ) from None
    with ExitStack() as stack:
        stack.enter_context(_quiet())
        local = scheduler == LOCAL_SCHEDULER
        address = stack.enter_context(_local_cluster(processes)) if local else scheduler
        client = stack.enter_context(_client(address))
        if not local:
            _wait_for_worker(client, scheduler)
            _check_versions(client, scheduler)
        yield client


@contextmanager
def _client(address: str) -> Iterator[Client]:
    from distributed import Client

    probe = ThreadPoolExecutor(1)
    try:
        # In a thread, because whoever calls may have a loop of events running.
        probe.submit(asyncio.run, _answer(address)).result()
        client = Client(address, timeout=CONNECTED_WITHIN, set_as_default=False)
    except (OSError, ValueError, TypeError, ImportError) as error:
        said = " ".join(str(error).split()) or f"no answer within {CONNECTED_WITHIN:g} seconds"
        raise InputError.at(
            found=f"no Dask scheduler at {address} ({said})",
            expected="the address of a scheduler that is running and can be reached from here",
            hint="compare it with what `dask scheduler` prints when it starts",
        ) from None
    finally:
        probe.shutdown(wait=False)
    try:
        yield client
    finally:
        client.close()


async def _answer(address: str) -> None:
    """Raise an `OSError` where nobody answers as Dask does; a `Client` would wait for a silent server for ever."""
    from distributed.comm import connect
    from distributed.security import Security

    settings = Security().get_connection_args("client")
    comm = await asyncio.wait_for(connect(address, timeout=CONNECTED_WITHIN, **settings), 2 * CONNECTED_WITHIN)
    comm.abort()


@contextmanager
def _local_cluster(processes: int) -> Iterator[str]:
    """The address of a cluster of processes on this machine, one thread each; none of them is left at the end."""
    from distributed import LocalCluster

    with ExitStack() as stack:
        folder = mkdtemp(prefix="metaeval-")
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        with _interrupts_held():
            cluster = stack.enter_context(
                LocalCluster(
                    n_workers=processes,
                    threads_per_worker=1,
                    host=_LOOPBACK,
                    # There is always a port for the state of the scheduler: any, for us alone, and no page behind it.
                    dashboard_address=f"{_LOOPBACK}:0",
                    scheduler_kwargs={"dashboard": False},
                    silence_logs=logging.CRITICAL,
                    local_directory=folder,
                    # As threads have none.
                    memory_limit=None,
                )
            )
        yield cluster.scheduler_address


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Keep Ctrl-C until the end, and from threads and processes that are begun meanwhile, for good.

    A terminal sends it to every process, but it is for us to end the workers, and quietly.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    _begin_resource_tracker()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _begin_resource_tracker() -> None:
    """Begin the process that clears up after processes, which otherwise would come with the first of them.

    It would let interrupts through to the thread that begins it; and it would complain of what it has to clear up
    where we end at once.
    """
    said = os.environ.get("PYTHONWARNINGS")
    os.environ["PYTHONWARNINGS"] = ",".join(filter(None, [said, "ignore:resource_tracker"]))
    try:
        resource_tracker.ensure_running()
    finally:
        if said is None:
            del os.environ["PYTHONWARNINGS"]
        else:
            os.environ["PYTHONWARNINGS"] = said


@contextmanager
def _quiet() -> Iterator[None]:
    """Nothing of Dask on standard error: what matters of it is told as an error."""
    import dask

    known = [name for name in logging.root.manager.loggerDict if name.partition(".")[0] in ("distributed", "tornado")]
    loggers = [logging.getLogger(name) for name in {*known, "distributed", "tornado", "asyncio"}]
    levels = [logger.level for logger in loggers]
    settings = {"distributed.comm.timeouts.connect": f"{CONNECTED_WITHIN:g}s", "distributed.admin.log-length": 0}
    try:
        for logger in loggers:
            logger.setLevel(logging.CRITICAL + 1)
        with warnings.catch_warnings(), dask.config.set(settings):
            # Versions are checked here, and large objects are meant.
            warnings.filterwarnings("ignore", module=r"distributed\b")
            yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)


def _wait_for_worker(client: Client, scheduler: str) -> None:
    try:
        client.wait_for_workers(1, timeout=WORKER_WITHIN)
    except TimeoutError:
        raise InputError.at(
            found=f"no worker at {scheduler} within {WORKER_WITHIN:g} seconds",
            expected="at least one",
            hint=f"start some, as with `dask worker {scheduler}`",
        ) from None


def _check_versions(client: Client, scheduler: str) -> None:
    """Raise an `InputError` where a worker has other packages than we have, which might make other numbers."""
    found = client.get_versions(packages=list(_VERSIONED))
    ours = _versions(found["client"])
    for address, worker in found["workers"].items():
        theirs = _versions(worker)
        other = [name for name in ours if ours[name] != theirs[name]]
        if not other:
            continue
        differing = sum(_versions(each) != ours for each in found["workers"].values())
        raise InputError.at(
            found=f"{counted(differing, 'worker')} of {scheduler} with other versions: "
            + ", ".join(f"{name} {theirs[name] or 'missing'}" for name in other)
            + f" on {address}",
            expected=", ".join(f"{name} {ours[name]}" for name in other) + " as here",
            hint="install the same versions on every machine, as with one image or one environment for all; "
            f"pip install 'metaeval[distributed]=={ours['metaeval']}'",
        )


def _versions(found: Mapping[str, Any]) -> dict[str, str | None]:
    """Of Python and of packages, as `get_versions` tells them; None for a package that is missing."""
    python = ".".join(str(found["host"]["python"]).split(".")[:2])
    return {"python": python, **{name: found["packages"].get(name) for name in _VERSIONED}}
