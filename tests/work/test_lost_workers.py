"""Workers that die, and clusters that go, in the middle of the work."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from dask_clusters import Meanwhile, dask_cluster

from metaeval.config import ExperimentConfig
from metaeval.engines.cluster import at_work
from metaeval.errors import InputError, UnknownName, refuse, setting, settings_spelled
from metaeval.scoring.evaluation import Plan
from metaeval.study.study import no_progress
from metaeval.work.blocks import map_blocks
from metaeval.work.executor import current_executor

if TYPE_CHECKING:
    from distributed import LocalCluster

pytestmark = pytest.mark.slow


async def _all_there(cluster: LocalCluster) -> None:
    while len(cluster.scheduler.workers) < 2:
        await asyncio.sleep(0.05)


def test_killed_workers_change_nothing(cluster: LocalCluster, scheduler: str) -> None:
    """Also where all are killed, with everything that was sent to them and found by them."""
    from distributed import Client

    def slow(block: int) -> int:
        time.sleep(0.05)
        return block

    def kill_all() -> None:
        for pid in pids:
            os.kill(pid, signal.SIGKILL)

    with Client(scheduler, set_as_default=False) as client:
        pids = list(client.run(os.getpid).values())
    killing = Meanwhile("Counting", {1: kill_all})
    with at_work(ExperimentConfig(scheduler=scheduler)):
        executor = current_executor()
        assert executor is not None
        results = [item for _, item in zip(killing(range(30), "Counting"), executor.map(slow, range(30)), strict=True)]
    assert results == list(range(30))
    assert not killing.deeds
    cluster.sync(_all_there, cluster)


def _map_blocks(scheduler: str, work: Plan[int, int]) -> list[int]:
    with at_work(ExperimentConfig(scheduler=scheduler)):
        return map_blocks(work, lambda number: number, workers=1, progress=no_progress, description="Counting")


def test_a_block_that_kills_every_worker_is_told(
    cluster: LocalCluster, scheduler: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster.scheduler, "allowed_failures", 0)

    def deadly(_block: int) -> int:
        os._exit(1)

    with pytest.raises(InputError, match=r"that killed 1 worker.*\n.*reduce memory"):
        _map_blocks(scheduler, Plan((1,), deadly))


def test_what_is_wrong_on_a_worker_is_told_as_here(scheduler: str) -> None:
    def wrong(block: int) -> int:
        if block:
            raise UnknownName("measure", "kapa", ["kappa"])
        raise refuse(("a.csv", 3), "nothing", "something", "write it")

    with pytest.raises(InputError) as error:
        _map_blocks(scheduler, Plan((0,), wrong))
    assert str(error.value) == "a.csv:3: nothing; expected something\nWhat to do: write it."
    assert error.value.line == 3
    with pytest.raises(UnknownName, match="Did you mean 'kappa'"):
        _map_blocks(scheduler, Plan((1,), wrong))


def test_errors_of_workers_spell_settings_as_in_this_process(scheduler: str) -> None:
    def refused(_block: int) -> int:
        raise refuse(None, setting("memory", 5))

    with (
        settings_spelled(lambda name, value: f"{name.upper()} {value}"),
        pytest.raises(InputError, match=r"^MEMORY 5$"),
    ):
        _map_blocks(scheduler, Plan((0,), refused))
    with pytest.raises(InputError, match=r"^memory=5$"):
        _map_blocks(scheduler, Plan((0,), refused))


def test_a_file_that_workers_can_not_see_is_named(scheduler: str) -> None:
    def read(_block: int) -> int:
        return len(Path("/nowhere/codes").read_bytes())

    with pytest.raises(InputError, match=r"^/nowhere/codes: no such file on a worker; expected a folder"):
        _map_blocks(scheduler, Plan((0,), read))


def test_what_goes_wrong_once_is_tried_again(scheduler: str, tmp_path: Path) -> None:
    def moody(block: int) -> int:
        try:
            (tmp_path / str(block)).touch(exist_ok=False)
        except FileExistsError:
            return block
        raise OSError("the network hiccups")

    assert _map_blocks(scheduler, Plan((0, 1, 2), moody)) == [0, 1, 2]


def test_workers_that_do_not_come_back_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def slow(block: int) -> int:
        time.sleep(0.2)
        return block

    with dask_cluster(tmp_path) as cluster:
        cluster.begin_worker()
        with at_work(ExperimentConfig(scheduler=cluster.address)):
            monkeypatch.setattr("metaeval.engines.cluster.WORKER_WITHIN", 0.5)
            executor = current_executor()
            assert executor is not None
            ending = Meanwhile("Waiting", {1: cluster.workers[0].kill})
            with pytest.raises(InputError, match=f"no worker at {cluster.address} within 0.5 seconds"):
                list(zip(ending(range(100), "Waiting"), executor.map(slow, range(100)), strict=True))


def test_results_come_in_the_order_of_the_blocks(scheduler: str) -> None:
    def slow_at_first(block: int) -> int:
        time.sleep(0.2 if block == 0 else 0)
        return block

    assert _map_blocks(scheduler, Plan(tuple(range(20)), slow_at_first)) == list(range(20))


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_a_scheduler_that_goes_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, end: signal.Signals) -> None:
    monkeypatch.setattr("metaeval.engines.cluster.CONNECTED_WITHIN", 1.0)

    def waiting(_block: int) -> int:
        time.sleep(0.2)
        return 0

    def work(progress: Meanwhile) -> None:
        executor = current_executor()
        assert executor is not None
        list(zip(progress(range(100), "Waiting"), executor.map(waiting, range(100)), strict=True))

    with dask_cluster(tmp_path) as cluster:
        cluster.begin_worker()
        ending = Meanwhile("Waiting", {1: partial(cluster.scheduler.send_signal, end)})
        with (
            at_work(ExperimentConfig(scheduler=cluster.address)),
            pytest.raises(InputError, match=f"connection to {cluster.address} was lost"),
        ):
            work(ending)
    assert not ending.deeds
