"""Connections to Dask clusters, which are checked before any work is sent; extra `distributed`."""

from __future__ import annotations

import asyncio
import logging
import os
import shutil
import signal
import socket
import time
import warnings
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from multiprocessing import resource_tracker
from pathlib import Path
from typing import TYPE_CHECKING

from metaeval.config import LOCAL_SCHEDULER
from metaeval.errors import InputError, MetaevalError
from metaeval.io.files.temporary import temporary_path
from metaeval.work.versions import Versions, check_workers

if TYPE_CHECKING:
    from distributed import Client

CONNECTED_WITHIN = 10.0
"""Seconds in which a scheduler has to answer."""

REFUSED_WITHIN = 1.5
"""Seconds for which it is tried again where a host refuses, or is not known: a scheduler may be about to begin."""

_AGAIN_AFTER = 0.1

WORKER_WITHIN = 30.0
"""Seconds in which there has to be a worker."""

_LOOPBACK = "127.0.0.1"
_PROTOCOLS = ("tcp", "tls", "ws", "wss")
"""Those of Dask whose addresses have a host and a port."""


@contextmanager
def connected(scheduler: str, *, processes: int, versions: Versions) -> Iterator[Client]:
    """A client of a cluster whose workers can do what this process does; closed at the end.

    scheduler: an address, or `LOCAL_SCHEDULER` for so many processes of this machine, which end with the connection.
    versions: what workers have to have. Whatever is wrong with the cluster is an `InputError`.
    """
    with ExitStack() as stack:
        stack.enter_context(_quiet())
        local = scheduler == LOCAL_SCHEDULER
        address = stack.enter_context(_local_cluster(processes)) if local else scheduler
        client = stack.enter_context(_client(address))
        if not local:
            try:
                _wait_for_worker(client, scheduler)
                check_workers(client, scheduler, versions)
            except MetaevalError:
                raise
            except Exception:
                # When a scheduler goes, Dask may raise about anything.
                raise lost(scheduler) from None
        yield client


def lost(cluster: str) -> InputError:
    """That a cluster went while it was needed; cluster: what messages call it."""
    return InputError.at(
        found=f"the cluster {cluster} gone in the middle of the work",
        expected="a scheduler that stays, and at least one worker",
        hint="look at what the scheduler and the workers say, and start again",
    )


@contextmanager
def _client(address: str) -> Iterator[Client]:
    from distributed import Client

    _check_protocol(address)
    probe = ThreadPoolExecutor(1)
    try:
        # In a thread, because whoever calls may have a loop of events running.
        probe.submit(_ask, address).result()
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
        # Who is gone can't be taken leave of.
        with suppress(Exception):
            client.close()


def _check_protocol(address: str) -> None:
    """Raise an `InputError` where an address is none of a scheduler."""
    protocol, _, place = address.partition("://")
    if protocol not in _PROTOCOLS:
        raise InputError.at(
            found=f"scheduler '{address}', an address of the protocol {protocol}",
            expected=f"the address of a Dask scheduler, as tcp://{place}",
            hint="a dashboard has an address of its own; `dask scheduler` prints both when it starts",
        )
    port = place.rpartition(":")[2]
    if int(port) not in range(1, 1 << 16):
        raise InputError.at(
            found=f"scheduler '{address}' with port {port}",
            expected="a port from 1 to 65535",
            hint="`dask scheduler` prints its address when it starts",
        )


def _reason(error: Exception) -> str:
    """Why nobody answers, in a few words."""
    if isinstance(error, socket.gaierror):
        return "the name of the host is not known here"
    if isinstance(error, ConnectionRefusedError):
        return "connection refused"
    return " ".join(str(error).split()) or f"no answer within {CONNECTED_WITHIN:g} seconds"


def _ask(address: str) -> None:
    """Raise an `OSError` where nobody answers as Dask does; a `Client` would wait for a silent server for ever."""
    host, _, port = address.partition("://")[2].rpartition(":")
    _knock(host.strip("[]"), int(port))
    asyncio.run(_answer(address))


def _knock(host: str, port: int) -> None:
    """Raise an `OSError` where nobody listens; Dask would try again for as long as it waits for those who are slow."""
    until = time.monotonic() + REFUSED_WITHIN
    while True:
        try:
            socket.create_connection((host, port), timeout=CONNECTED_WITHIN).close()
        except TimeoutError:
            raise
        except OSError:
            if time.monotonic() > until:
                raise
            time.sleep(_AGAIN_AFTER)
        else:
            return


async def _answer(address: str) -> None:
    from distributed.comm import connect
    from distributed.security import Security

    settings = Security().get_connection_args("client")
    async with asyncio.timeout(CONNECTED_WITHIN):
        comm = await connect(address, timeout=CONNECTED_WITHIN, **settings)
    comm.abort()


@contextmanager
def _local_cluster(processes: int) -> Iterator[str]:
    """The address of a cluster of processes on this machine, one thread each; nothing of them is left at the end."""
    import dask
    from distributed import LocalCluster

    with ExitStack() as stack:
        folder = str(temporary_path())
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        Path(folder).mkdir(mode=0o700)
        # The scheduler has files, too, and no argument for where.
        with _interrupts_held(), dask.config.set({"temporary-directory": folder}):
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
