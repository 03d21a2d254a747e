"""Clusters of Dask that tests begin, in processes of their own, and what befalls them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pytest
from worker_processes import PATIENCE

Item = TypeVar("Item")

STANCE = (
    *("--task", "fnc1", "--gold", "sample_data/fnc1/gold.csv", "sample_data/fnc1/systems"),
    *("--labels", "disagree<discuss<agree", "-m", "accuracy"),
)

FOREIGN = {
    "numpy": """\
import importlib.metadata as metadata
ours = metadata.version
metadata.version = lambda name: "9.9" if name == "numpy" else ours(name)
""",
    "metaeval": """\
import importlib.metadata as metadata, sys
ours = metadata.version
def version(name):
    if name == "metaeval":
        raise metadata.PackageNotFoundError(name)
    return ours(name)
metadata.version = version
class Missing:
    def find_spec(name, path=None, target=None):
        if name.partition(".")[0] == "metaeval":
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Missing)
""",
}
"""By package: what makes a process believe that it has another version of it, or none."""


_SAYING_SO = """\
import pathlib
def dask_setup(worker):
    pathlib.Path({path!r}).touch()
"""
"""What a worker does before it joins: from then on it may be gone any time."""


@dataclass(frozen=True)
class DaskCluster:
    """A scheduler and its workers, processes that can be ended. folder: of their files."""

    folder: Path
    scheduler: subprocess.Popen[bytes]
    workers: list[subprocess.Popen[bytes]] = field(default_factory=list)

    @property
    def address(self) -> str:
        """Of the scheduler, once it listens."""
        file = self.folder / "scheduler.json"
        # Dask writes the file at once, but it is there before that.
        wait_until(lambda: file.exists() and file.read_bytes().endswith(b"}"))
        address: str = json.loads(file.read_text())["address"]
        return address

    def begin_worker(self, *, foreign: str = "") -> None:
        """Begin a worker without a nanny; foreign: one of `FOREIGN`, a package of which it has another version."""
        environment = dict(os.environ)
        options = ["--nthreads", "1", "--no-nanny", "--local-directory", str(self.folder)]
        options += ["--death-timeout", str(PATIENCE)]
        if foreign:
            (self.folder / foreign).mkdir()
            (self.folder / foreign / "sitecustomize.py").write_text(FOREIGN[foreign])
            environment["PYTHONPATH"] = str(self.folder / foreign)
            (self.folder / foreign / "joined.py").write_text(
                _SAYING_SO.format(path=str(self.folder / foreign / "joined"))
            )
            options += ["--preload", str(self.folder / foreign / "joined.py")]
        self.workers.append(_begun("worker", self.address, *options, environment=environment))

    def wait_for_workers(self, number: int) -> None:
        """Wait until this number of workers has joined."""
        from distributed import Client

        with Client(self.address, set_as_default=False) as client:
            client.wait_for_workers(number, timeout=PATIENCE)


@contextmanager
def dask_cluster(folder: Path) -> Iterator[DaskCluster]:
    """A scheduler without workers, at a port that is free; nothing of it is left."""
    where = ("--host", "127.0.0.1", "--port", "0", "--scheduler-file", str(folder / "scheduler.json"))
    cluster = DaskCluster(folder, _begun("scheduler", *where))
    try:
        yield cluster
    finally:
        for process in (cluster.scheduler, *cluster.workers):
            process.kill()
            process.wait()


def _begun(*command: str, environment: Mapping[str, str] | None = None) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "dask", *command, "--no-dashboard"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=environment,
    )


@dataclass
class Meanwhile:
    """A `Progress` that calls functions when given numbers of blocks are done, each once.

    description: the work that is meant, as a progress bar calls it. deeds: by the number of blocks.
    """

    description: str
    deeds: dict[int, Callable[[], Any]]

    def __call__(self, items: Sequence[Item], description: str) -> Iterable[Item]:
        for number, item in enumerate(items):
            if description == self.description and number in self.deeds:
                self.deeds.pop(number)()
            yield item


def wait_until(holds: Callable[[], object]) -> None:
    """Wait until something holds, but not for ever."""
    until = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < until
        time.sleep(0.05)


def write_parts(folder: Path, parts: int) -> str:
    """A wide table of the labels of three systems in Parquet files of fifty items."""
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    pytest.importorskip("duckdb")
    random = np.random.default_rng(7)
    labels = np.array(["low", "mid", "high"])
    (folder / "wide").mkdir()
    for part in range(parts):
        columns = {name: labels[random.integers(3, size=50)] for name in ("gold", "a", "b", "c")}
        ids = [f"{part}-{row}" for row in range(50)]
        pq.write_table(pa.table({"id": ids, **columns}), folder / "wide" / f"part-{part:02}.parquet")
    return str(folder / "wide")
