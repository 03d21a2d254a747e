"""Clusters that cannot be used, and local clusters."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import CommandLine
from dask_clusters import STANCE

from metaeval.engines import cluster
from metaeval.errors import InputError

pytestmark = pytest.mark.slow


def test_a_scheduler_without_workers_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("metaeval.engines.cluster.WORKER_WITHIN", 0.2)
    with (
        cluster._quiet(),
        cluster._local_cluster(0) as address,
        pytest.raises(
            InputError, match=rf"no worker at {address} within 0.2 seconds; expected at least one\n.*dask work"
        ),
        cluster.connected(address, processes=1, versions={}),
    ):
        pass


def test_dask_is_imported_for_clusters_only(repository: Path) -> None:
    code = (
        "import sys; from metaeval.cli import main\n"
        f"try: main(['stability', *{STANCE!r}, '--trials', '2', '-q'])\n"
        "except SystemExit: sys.exit(any(name in sys.modules for name in ('dask', 'distributed', 'cloudpickle')))"
    )
    subprocess.run([sys.executable, "-c", code], cwd=repository, check=True, stdout=subprocess.DEVNULL)


def test_processes_of_this_machine_find_the_same_and_say_nothing(repository: Path, metaeval: CommandLine) -> None:
    arguments = ["stability", *STANCE, "--trials", "300"]
    local = ("--scheduler", "local", "--workers", "2", "-f", "json", "-q")
    command = [sys.executable, "-m", "metaeval", *arguments, *local]
    done = subprocess.run(command, cwd=repository, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    assert json.loads(done.stdout)["tables"] == metaeval.tables(*arguments)
