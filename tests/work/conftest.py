"""A Dask cluster of two processes on loopback, for all tests of this folder."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from worker_processes import PATIENCE

if TYPE_CHECKING:
    from distributed import LocalCluster


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalCluster]:
    """The cluster; a worker that is killed comes back."""
    import dask
    from distributed import LocalCluster

    with warnings.catch_warnings():
        # Messages of Dask about itself do not concern metaeval.
        warnings.filterwarnings("ignore", module=r"distributed\b")
        running = LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",
            scheduler_kwargs={"dashboard": False},
            silence_logs=logging.CRITICAL,
            local_directory=str(tmp_path_factory.mktemp("dask")),
            memory_limit=None,
        )
    # However long a worker takes to come back on a busy machine: this process asks when it is killed.
    with dask.config.set({"distributed.deploy.lost-worker-timeout": "600s"}):
        yield running
    running.close()


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A cluster of a busy machine is waited for, unless a test has a time of its own."""
    monkeypatch.setattr("metaeval.engines.cluster.CONNECTED_WITHIN", PATIENCE)
    monkeypatch.setattr("metaeval.engines.cluster.WORKER_WITHIN", PATIENCE)


@pytest.fixture
def scheduler(cluster: LocalCluster) -> str:
    """Its address."""
    return str(cluster.scheduler_address)
