"""Addresses at which there is no scheduler, and schedulers that take their time."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from command_line import CommandLine
from dask_clusters import STANCE

from metaeval.engines import cluster

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("repository")]


@pytest.mark.parametrize("address", ["nonsense", "tcp://node", "node:8786", "tcp://no de:1", "Local"])
def test_what_is_no_address_is_refused_before_anything_is_read(metaeval: CommandLine, address: str) -> None:
    message = metaeval.refuses("stability", "--gold", "missing.csv", "runs", "--scheduler", address)
    assert message.startswith(
        f"Error: scheduler '{address}'; expected the address of a Dask scheduler, such as tcp://HOST:PORT"
    )
    assert "`dask scheduler` prints its address" in message


def test_the_line_of_a_wrong_address_is_told(metaeval: CommandLine, tmp_path: Path) -> None:
    config = tmp_path / "run.yaml"
    config.write_text("data:\n  gold: gold.csv\nscheduler: nonsense\nstability:\n")
    assert f"{config}:3: key 'scheduler': 'nonsense'" in metaeval.refuses("run", config)


@pytest.mark.parametrize(
    ("address", "problem"),
    [
        ("http://127.0.0.1:8787", "no Dask scheduler at http://127.0.0.1:8787 (unknown address scheme 'http'"),
        ("tcp://nowhere.invalid:8786", "no Dask scheduler at tcp://nowhere.invalid:8786 (the name of the host is not"),
        ("tcp://a..b:80", "no Dask scheduler at tcp://a..b:80 ("),
        ("tcp://127.0.0.1:1", "no Dask scheduler at tcp://127.0.0.1:1 (connection refused); expected the address"),
    ],
)
def test_what_is_wrong_with_an_address_is_told(
    metaeval: CommandLine, monkeypatch: pytest.MonkeyPatch, address: str, problem: str
) -> None:
    monkeypatch.setattr("metaeval.engines.cluster.CONNECTED_WITHIN", 3.0)
    message = metaeval.refuses("stability", *STANCE, "--scheduler", address)
    assert message.startswith(f"Error: {problem}")
    assert "\nWhat to do: compare it with what `dask scheduler` prints" in message


def test_a_server_that_is_no_scheduler_is_told(metaeval: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("metaeval.engines.cluster.CONNECTED_WITHIN", 3.0)
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"tcp://127.0.0.1:{server.getsockname()[1]}"
        message = metaeval.refuses("stability", *STANCE, "--scheduler", address)
    assert message.startswith(f"Error: no Dask scheduler at {address} (no answer within 3 seconds)")


@contextmanager
def _relay(scheduler: str, *, listens_after: float = 0.0, answers_after: float = 0.0) -> Iterator[str]:
    """An address at which a scheduler listens after some seconds."""
    host, _, port = scheduler.removeprefix("tcp://").rpartition(":")
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    open_sockets = [listener]

    def listen() -> None:
        time.sleep(listens_after)
        listener.listen()
        while True:
            try:
                incoming, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=answer, args=(incoming,), daemon=True).start()

    def answer(incoming: socket.socket) -> None:
        time.sleep(answers_after)
        outgoing = socket.create_connection((host, int(port)))
        open_sockets.extend((incoming, outgoing))
        for one, other in ((incoming, outgoing), (outgoing, incoming)):
            threading.Thread(target=_copy, args=(one, other), daemon=True).start()

    threading.Thread(target=listen, daemon=True).start()
    yield f"tcp://127.0.0.1:{listener.getsockname()[1]}"
    for open_socket in open_sockets:
        open_socket.close()


def _copy(source: socket.socket, target: socket.socket) -> None:
    try:
        while data := source.recv(1 << 16):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        return


@pytest.mark.parametrize("late", ["listens_after", "answers_after"])
def test_a_scheduler_that_takes_its_time_is_waited_for(scheduler: str, late: str) -> None:
    with (
        _relay(scheduler, **{late: 1.0}) as address,
        cluster.connected(address, processes=1, versions={"python": None}) as client,
    ):
        assert len(client.nthreads()) == 2
