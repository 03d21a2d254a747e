"""Partitions that are counted by workers, and merged in a tree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from command_line import CommandLine
from dask_clusters import write_parts
from hypothesis import given
from hypothesis import strategies as st

from metaeval.config import ExperimentConfig
from metaeval.engines import labels as parquet_labels
from metaeval.engines import patterns
from metaeval.engines.cluster import at_work
from metaeval.engines.duck import Limits, connected
from metaeval.engines.patterns import PatternTable, count_on_workers, limits_of_worker, merge_patterns
from metaeval.engines.tables import ParquetRows, TableSearch
from metaeval.errors import InputError
from metaeval.io.labels.columns import Columns
from metaeval.model.scale import ClassScale
from metaeval.study.study import no_progress

pytestmark = pytest.mark.slow

pytest.importorskip("duckdb")

PATTERNS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), max_size=12)


def _table(patterns: list[tuple[int, int]]) -> PatternTable:
    times = Counter(patterns)
    words = np.array(sorted(times), dtype=np.int64).reshape(-1, 2).T
    return PatternTable(words, np.array([times[pattern] for pattern in sorted(times)], dtype=np.int64))


def _same(one: PatternTable, other: PatternTable) -> bool:
    return np.array_equal(one.words, other.words) and np.array_equal(one.times, other.times)


@given(st.lists(PATTERNS, min_size=1, max_size=6), st.integers(1, 5))
def test_merging_in_any_groups_is_counting_the_whole(parts: list[list[tuple[int, int]]], cut: int) -> None:
    tables = [_table(part) for part in parts]
    groups = [group for group in (tables[:cut], tables[cut:]) if group]
    whole = _table([pattern for part in parts for pattern in part])
    assert _same(merge_patterns(tables), whole)
    assert _same(merge_patterns([merge_patterns(group) for group in reversed(groups)]), whole)


@pytest.fixture
def rows(tmp_path: Path) -> ParquetRows:
    """A wide table of three systems in twenty files."""
    data = TableSearch(write_parts(tmp_path, 20), Columns(None, None)).find(())
    return ParquetRows(data, ClassScale.parse("low<mid<high"), (), {})


LIMITS = Limits(256 << 20)


def test_workers_count_what_one_process_counts(rows: ParquetRows, scheduler: str) -> None:
    with at_work(ExperimentConfig(scheduler=scheduler)):
        table = count_on_workers(rows, LIMITS, progress=no_progress)
    with connected(LIMITS) as connection:
        expected = connection.execute(f"SELECT * FROM ({rows.patterns()}) ORDER BY ALL").fetchnumpy()
    assert table is not None
    assert np.array_equal(table.words[0], expected["w0"])
    assert np.array_equal(table.times, expected["n"])
    assert table.times.sum() == 1000


def test_processes_of_one_machine_share_its_memory(rows: ParquetRows, monkeypatch: pytest.MonkeyPatch) -> None:
    all_limits: list[Limits] = []

    def count(_rows: ParquetRows, _file: str, limits: Limits) -> PatternTable:
        all_limits.append(limits)
        return _table([(0, 1)])

    class Here:
        def map(self, function: Any, blocks: Any) -> Iterator[PatternTable]:
            return (function(block) for block in blocks)

    monkeypatch.setattr(patterns, "count_partition", count)
    monkeypatch.setattr(patterns, "current_executor", Here)
    count_on_workers(rows, Limits(1 << 30), progress=no_progress, processes=4)
    assert {(limits.bytes, limits.threads) for limits in all_limits} == {(256 << 20, 1)}
    with pytest.raises(InputError, match="fewer workers"):
        count_on_workers(rows, Limits(256 << 20), progress=no_progress, processes=4)


def test_a_worker_takes_half_of_what_it_may_for_all_its_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    import distributed

    worker = SimpleNamespace(memory_manager=SimpleNamespace(memory_limit=8 << 30), state=SimpleNamespace(nthreads=2))
    monkeypatch.setattr(distributed, "get_worker", lambda: worker)
    assert limits_of_worker(Limits()).bytes == 2 << 30
    assert limits_of_worker(Limits(1 << 30)).bytes == 512 << 20
    assert limits_of_worker(Limits(64 << 30)).threads == 1
    worker.memory_manager.memory_limit = None
    assert limits_of_worker(Limits(1 << 30)).bytes == 512 << 20
    assert limits_of_worker(Limits()).bytes == Limits().bytes // 2


def test_a_local_cluster_gives_the_same_study(
    rows: ParquetRows, metaeval: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared: list[int | None] = []

    def count(*arguments: Any, processes: int | None, **keywords: Any) -> PatternTable | None:
        shared.append(processes)
        return count_on_workers(*arguments, processes=processes, **keywords)

    monkeypatch.setattr(parquet_labels, "SAMPLED_FROM", 1)
    monkeypatch.setattr(parquet_labels, "count_on_workers", count)
    call = ("score", "--gold", rows.data.gold.path, "--labels", "low<mid<high", "-m", "accuracy")
    local = metaeval.tables(*call, "--scheduler", "local", "--workers", "2", "--memory", "512MB")
    assert local == metaeval.tables(*call)
    assert shared == [2, None]


def test_without_a_cluster_nobody_else_counts(rows: ParquetRows) -> None:
    assert count_on_workers(rows, LIMITS, progress=no_progress) is None


def test_a_partition_that_can_not_be_read_is_told(rows: ParquetRows, scheduler: str) -> None:
    broken = Path(rows.data.gold.files[3])
    broken.write_bytes(b"PAR1 and no more")
    message = r"Parquet cannot be read .*part-03"
    with at_work(ExperimentConfig(scheduler=scheduler)), pytest.raises(InputError, match=message):
        count_on_workers(rows, LIMITS, progress=no_progress)
