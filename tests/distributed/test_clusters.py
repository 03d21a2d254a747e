"""Clusters that can't be used, and those of this machine."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from command_line import CommandLine

from metaeval.errors import InputError
from metaeval.experiment import connection
from metaeval.experiment.parcels import Parcel

STANCE = (
    *("--task", "fnc1", "--gold", "sample_data/fnc1/gold.csv", "sample_data/fnc1/systems"),
    *("--labels", "disagree<discuss<agree", "-m", "accuracy"),
)


@pytest.mark.parametrize("address", ["nonsense", "tcp://node", "node:8786", "tcp://no de:1", "Local"])
def test_what_is_no_address_is_refused_before_anything_is_read(metaeval: CommandLine, address: str) -> None:
    told = metaeval.refuses("stability", "--gold", "missing.csv", "runs", "--scheduler", address)
    assert told.startswith(
        f"Error: scheduler '{address}'; expected the address of a Dask scheduler, as tcp://HOST:PORT"
    )
    assert "`dask scheduler` prints its address" in told


def test_the_line_of_a_wrong_address_is_told(metaeval: CommandLine, tmp_path: Path) -> None:
    config = tmp_path / "run.yaml"
    config.write_text("data:\n  gold: gold.csv\nscheduler: nonsense\nstability:\n")
    assert f"{config}:3: key 'scheduler': scheduler 'nonsense'" in metaeval.refuses("run", config)


def test_an_address_where_nobody_answers_is_told(
    metaeval: CommandLine, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert repository.is_dir()
    monkeypatch.setattr(connection, "CONNECTED_WITHIN", 0.3)
    told = metaeval.refuses("stability", *STANCE, "--scheduler", "tcp://127.0.0.1:1")
    assert told.startswith("Error: no Dask scheduler at tcp://127.0.0.1:1 (Timed out")
    assert "\nWhat to do: compare it with what `dask scheduler` prints" in told


def test_a_server_that_is_no_scheduler_is_told(
    metaeval: CommandLine, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert repository.is_dir()
    monkeypatch.setattr(connection, "CONNECTED_WITHIN", 0.5)
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"tcp://127.0.0.1:{server.getsockname()[1]}"
        assert f"no Dask scheduler at {address}" in metaeval.refuses("stability", *STANCE, "--scheduler", address)


def test_a_scheduler_without_workers_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "WORKER_WITHIN", 0.2)
    with (
        connection._quiet(),
        connection._local_cluster(0) as address,
        pytest.raises(
            InputError, match=rf"no worker at {address} within 0.2 seconds; expected at least one\n.*dask work"
        ),
        connection.connected(address, processes=1),
    ):
        pass


def test_other_versions_on_workers_are_told(
    metaeval: CommandLine, repository: Path, scheduler: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from distributed import versions

    assert repository.is_dir()
    real = versions._version_cached
    monkeypatch.setattr(versions, "_version_cached", lambda name: "9.9" if name == "numpy" else real(name))
    told = metaeval.refuses("stability", *STANCE, "--scheduler", scheduler)
    assert told.startswith(f"Error: 2 workers of {scheduler} with other versions: numpy {np.__version__} on tcp://")
    assert "; expected numpy 9.9 as here\nWhat to do: install the same versions on every machine" in told


def test_workers_without_metaeval_are_told() -> None:
    def host(metaeval: str | None) -> dict[str, Any]:
        return {"host": {"python": "3.11.7.final.0"}, "packages": {"metaeval": metaeval, "numpy": "2", "scipy": "1"}}

    class Client:
        def get_versions(self, packages: list[str]) -> dict[str, Any]:
            assert "metaeval" in packages
            return {"client": host("0.1.0"), "workers": {"tcp://a:1": host("0.1.0"), "tcp://b:1": host(None)}}

    with pytest.raises(InputError) as told:
        connection._check_versions(Client(), "tcp://s:8786")
    assert str(told.value).startswith(
        "1 worker of tcp://s:8786 with other versions: metaeval missing on tcp://b:1; expected metaeval 0.1.0 as here"
    )


def test_without_dask_its_extra_is_named(
    metaeval: CommandLine, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert repository.is_dir()
    monkeypatch.setitem(sys.modules, "distributed", None)
    told = metaeval.refuses("stability", *STANCE, "--scheduler", "tcp://127.0.0.1:8786")
    assert "pip install 'metaeval[distributed]'" in told


def test_dask_is_imported_for_clusters_only(repository: Path) -> None:
    code = (
        "import sys; from metaeval.cli import main\n"
        f"try: main(['stability', *{STANCE!r}, '--trials', '2', '-q'])\n"
        "except SystemExit: sys.exit(any(name in sys.modules for name in ('dask', 'distributed', 'cloudpickle')))"
    )
    subprocess.run([sys.executable, "-c", code], cwd=repository, check=True, stdout=subprocess.DEVNULL)


@pytest.mark.parametrize("axes", [(0, 1, 2), (2, 1, 0), (1, 2, 0), (2, 0, 1)])
def test_arrays_keep_the_order_of_their_axes_on_their_way(axes: tuple[int, ...]) -> None:
    import pickle

    array = np.arange(24.0).reshape(2, 3, 4).transpose(axes)
    arrived, same = pickle.loads(pickle.dumps(Parcel((array, lambda: array))))
    assert np.array_equal(arrived, array)
    assert arrived.strides == array.strides == same().strides


def _left_of(session: int) -> list[str]:
    """The processes of a session that are still there."""
    listed = subprocess.run(["ps", "-s", str(session), "-o", "stat="], capture_output=True, text=True, check=False)
    return [state for state in listed.stdout.split() if not state.startswith("Z")]


def test_an_interrupt_ends_with_130_and_leaves_no_process(repository: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "metaeval", "stability", *STANCE, "--trials", "1000000"]
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    running = subprocess.Popen(
        [*command, "--scheduler", "local", "--workers", "2"],
        cwd=repository,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env=environment,
    )
    # Once the workers are there, they have folders of their own.
    until = time.monotonic() + 60
    while len(list(tmp_path.glob("metaeval-*/dask-scratch-space/worker-*"))) < 2 and time.monotonic() < until:
        time.sleep(0.05)
    os.killpg(running.pid, signal.SIGINT)
    out, err = running.communicate(timeout=60)
    assert (running.returncode, out, err.strip()) == (130, "", "Interrupted.")
    until = time.monotonic() + 10
    while _left_of(running.pid) and time.monotonic() < until:
        time.sleep(0.05)
    assert not _left_of(running.pid)
    assert not list(tmp_path.glob("metaeval-*"))


def test_processes_of_this_machine_find_the_same_and_say_nothing(repository: Path, metaeval: CommandLine) -> None:
    arguments = ["stability", *STANCE, "--trials", "300", "-f", "json", "-q"]
    command = [sys.executable, "-m", "metaeval", *arguments, "--scheduler", "local", "--workers", "2"]
    done = subprocess.run(command, cwd=repository, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    assert json.loads(done.stdout)["tables"] == json.loads(metaeval.succeeds(*arguments).out)["tables"]
