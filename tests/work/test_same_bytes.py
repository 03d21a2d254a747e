"""A cluster of two processes on loopback, workers killed in the middle, again and again: the bytes of one process."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from command_line import CommandLine
from dask_clusters import STANCE, Meanwhile, wait_until, write_parts

from metaeval.cli import output
from metaeval.engines import labels as parquet_labels
from metaeval.scoring import texts

if TYPE_CHECKING:
    from distributed import LocalCluster

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("repository")]

LABELS = ("stability", *STANCE, "-m", "cem-ord", "--trials", "3000", "--memory", "16MB")
TEXTS = ("score", "--config", "configs/tsc3.yaml", "-m", "wsk:d=2,lambda=0.5,beta=2", "-m", "esk:d=2,lambda=0.5,beta=2")
PARQUET, PARTS = ("--labels", "low<mid<high", "-m", "accuracy", "-m", "cem-ord", "--gold"), 12


def _kill_one(cluster: LocalCluster, index: int, killed: set[int]) -> Callable[[], None]:
    """Kill -9 of a worker, once a living one is there; its nanny begins it again, but tells the old number until then.

    killed: the numbers of processes that were killed before.
    """

    def kill() -> None:
        def number() -> int | None:
            pid: int | None = list(cluster.workers.values())[index].pid
            return pid

        wait_until(lambda: number() not in {None, *killed})
        living = number()
        assert living is not None
        os.kill(living, signal.SIGKILL)
        killed.add(living)

    return kill


@pytest.mark.parametrize(
    ("data", "description", "form"),
    [
        ("labels", "Split halves", "json"),
        ("texts", "Comparing with references", "csv"),
        ("parquet", "Counting partitions", "json"),
    ],
)
def test_killed_workers_change_no_byte(
    metaeval: CommandLine,
    cluster: LocalCluster,
    scheduler: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    data: str,
    description: str,
    form: str,
) -> None:
    # A worker that was killed does not answer, and its work is then sent again.
    monkeypatch.setattr("metaeval.engines.cluster.CONNECTED_WITHIN", 60.0)
    # As many blocks as a large set of texts has; and Parquet is counted in parts, as a large set is.
    monkeypatch.setattr(texts, "WORDS_AT_ONCE", 1)
    monkeypatch.setattr(parquet_labels, "SAMPLED_FROM", 1)
    call = {"labels": LABELS, "texts": TEXTS}.get(data, ("score", *PARQUET, write_parts(tmp_path, PARTS)))
    call = (*call, "-f", form)
    expected = metaeval.succeeds(*call).out
    killed: set[int] = set()
    killing = Meanwhile(description, {number: _kill_one(cluster, number % 2, killed) for number in (1, 2, 3)})
    monkeypatch.setattr(output, "tracking", lambda *, quiet: nullcontext(killing))
    text = metaeval.succeeds(*call, "--scheduler", scheduler).out
    assert not killing.deeds
    assert text.replace(f" --scheduler {scheduler}", "") == expected
    wait_until(lambda: len(cluster.scheduler.workers) == 2)
