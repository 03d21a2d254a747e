"""Workers with other versions of what decides on numbers, also those that come later."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from command_line import CommandLine
from dask_clusters import STANCE, DaskCluster, Meanwhile, dask_cluster, wait_until

from metaeval.config import DataConfig, ExperimentConfig
from metaeval.engines.cluster import at_work, check_versions, check_workers, deciding_packages, versions_here
from metaeval.errors import InputError
from metaeval.scoring.evaluation import Plan
from metaeval.work.blocks import map_blocks

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("repository")]

ALWAYS = ("metaeval", "numpy", "scipy")


def test_other_versions_on_workers_are_told(
    metaeval: CommandLine, scheduler: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from distributed import versions

    real = versions._version_cached
    monkeypatch.setattr(versions, "_version_cached", lambda name: "9.9" if name == "numpy" else real(name))
    message = metaeval.refuses("stability", *STANCE, "--scheduler", scheduler)
    assert message.startswith(f"Error: version 'numpy {np.__version__}' on tcp://")
    assert f"(2 workers of {scheduler} with other versions)" in message
    assert "; expected numpy 9.9, as here\nWhat to do: install the same versions on every machine" in message


def test_workers_without_metaeval_are_told() -> None:
    def worker(metaeval: str | None) -> dict[str, Any]:
        return {"host": {"python": "3.11.7.final.0"}, "packages": {"metaeval": metaeval}}

    class Client:
        def get_versions(self, packages: list[str]) -> dict[str, Any]:
            assert packages == ["metaeval"]
            return {"workers": {"tcp://a:1": worker("0.1.0"), "tcp://b:1": worker(None)}}

    with pytest.raises(InputError) as error:
        check_workers(Client(), "tcp://s:8786", {"python": "3.11", "metaeval": "0.1.0"})
    assert str(error.value).startswith(
        "version 'metaeval missing' on tcp://b:1 (1 worker of tcp://s:8786 with other versions); expected metaeval"
    )


def test_what_is_not_needed_here_is_not_needed_there() -> None:
    ours = {"python": "3.11", "metaeval": "0.1.0", "duckdb": None}
    check_versions("tcp://s:1", ours, {"tcp://a:1": {**ours, "duckdb": "1.0"}})
    with pytest.raises(InputError, match=r"version 'python 3.12' on tcp://a:1 .*; expected python 3.11, as here"):
        check_versions("tcp://s:1", ours, {"tcp://a:1": {**ours, "python": "3.12"}})


def test_packages_that_workers_use_are_compared(tmp_path: Path) -> None:
    gold, run = tmp_path / "gold.parquet", tmp_path / "a.parquet"
    for file in (gold, run):
        file.write_bytes(b"PAR1")
    parquet = DataConfig(gold=str(gold), runs=(str(run),))
    csv = DataConfig(gold=str(gold), runs=(str(tmp_path / "a.csv"),))
    for data, more in (
        (parquet, ("duckdb", "pyarrow")),
        (csv, ()),
        (DataConfig(task="texts", gold=str(gold)), ("snowballstemmer",)),
        (DataConfig(task="r4c", gold=str(gold)), ("rapidfuzz",)),
        (DataConfig(), ()),
    ):
        assert deciding_packages(ExperimentConfig(data)) == (*ALWAYS, *more)
    assert set(versions_here(ALWAYS)) == {"python", *ALWAYS}


def _slow(joined: Path) -> Callable[[int], int]:
    """Work of which most waits until a worker has joined in, without a name that workers would look for."""

    def slow(block: int) -> int:
        while block > 5 and not joined.exists():
            time.sleep(0.01)
        time.sleep(0.05)
        return block

    return slow


def _joining(cluster: DaskCluster, foreign: str, *, alone: bool = False) -> Meanwhile:
    """A worker that joins in when three blocks are done; alone: and the one that was there dies."""

    def join() -> None:
        cluster.begin_worker(foreign=foreign)
        wait_until(lambda: (cluster.folder / foreign / "joined").exists())
        if alone:
            cluster.wait_for_workers(2)
            cluster.workers[0].kill()

    return Meanwhile("Waiting", {3: join})


@pytest.mark.parametrize("alone", [False, True], ids=["beside others", "alone"])
def test_a_worker_that_comes_later_is_told(tmp_path: Path, alone: bool) -> None:
    with dask_cluster(tmp_path) as cluster:
        cluster.begin_worker()
        joining = _joining(cluster, "numpy", alone=alone)
        work = Plan(tuple(range(100)), _slow(tmp_path / "numpy/joined"))
        with (
            at_work(ExperimentConfig(scheduler=cluster.address)),
            pytest.raises(InputError, match=r"^version 'numpy 9\.9' on tcp://"),
        ):
            map_blocks(work, int, workers=1, progress=joining, description="Waiting")
    assert not joining.deeds


def test_a_worker_that_comes_later_without_metaeval_does_nothing(tmp_path: Path) -> None:
    with dask_cluster(tmp_path) as cluster:
        cluster.begin_worker()
        joining = _joining(cluster, "metaeval")
        with at_work(ExperimentConfig(scheduler=cluster.address)):
            work = Plan(tuple(range(60)), _slow(tmp_path / "metaeval/joined"))
            results = map_blocks(work, int, workers=1, progress=joining, description="Waiting")
        assert results == list(range(60))
        # Raised by the worker itself: it cannot read its order.
        wait_until(lambda: cluster.workers[1].poll() is not None)
    assert not joining.deeds
