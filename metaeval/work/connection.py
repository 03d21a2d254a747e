"""Connections to Dask clusters, which are checked before any work is sent; extra `distributed`."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import socket
import warnings
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from multiprocessing import resource_tracker
from typing import TYPE_CHECKING

from metaeval.config import LOCAL_SCHEDULER
from metaeval.errors import InputError, MetaevalError
from metaeval.io.files.temporary import TemporaryFolder
from metaeval.work.versions import Versions, check_workers

if TYPE_CHECKING:
    from distributed import Client

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
                raise lost(scheduler) from None
        yield client


def lost(cluster: str) -> InputError:
    """The error of a cluster that ended during the work; cluster: its name in messages."""
    return InputError.at(
        found=f"the connection to {cluster} was lost during the work",
        expected="a scheduler that keeps running, and at least one worker",
        hint="look at the output of the scheduler and the workers, and start again",
    )


@contextmanager
def _client(address: str) -> Iterator[Client]:
    from distributed import Client

    probe = ThreadPoolExecutor(1)
    try:
        # A `Client` would wait for a silent server for ever. In a thread, because the caller may run an event loop.
        probe.submit(asyncio.run, _connect(address)).result()
        client = Client(address, timeout=CONNECTED_WITHIN, set_as_default=False)
    except (OSError, ValueError, TypeError, ImportError) as error:
        raise InputError.at(
            found=f"no Dask scheduler at {address} ({_reason(error)})",
            expected="the address of a scheduler that is running and can be reached from here",
            hint="compare it with what `dask scheduler` prints when it starts",
        ) from None
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

    # Asked first, because an attempt to connect is repeated where the name is not known.
    socket.getaddrinfo(address.partition("://")[2].rpartition(":")[0].strip("[]"), None)
    settings = Security().get_connection_args("client")
    async with asyncio.timeout(CONNECTED_WITHIN):
        comm = await connect(address, timeout=CONNECTED_WITHIN, **settings)
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
        raise InputError.at(
            found=f"no worker at {scheduler} within {WORKER_WITHIN:g} seconds",
            expected="at least one",
            hint=f"start some, as with `dask worker {scheduler}`",
        ) from None
