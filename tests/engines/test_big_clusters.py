"""Clusters of items that DuckDB reads: the same groups, p-values and intervals as in memory."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from analysis_runs import run_named
from big_data import LAYOUTS, Labels, alike_labels, write_systems, write_table, write_wide
from command_line import CommandLine

from metaeval.analyses.compare.settings import CompareSettings
from metaeval.config import DataConfig, ExperimentConfig
from metaeval.config.data import Engine
from metaeval.engines import labels as parquet_labels
from metaeval.errors import InputError
from metaeval.inference.clusters import MAX_GROUPS
from metaeval.io.labels.join import Policy
from metaeval.model.scale import ClassScale

SCALE = ClassScale.parse("low<mid<high")
FORMS = {"patterns": "patterns (duckdb)", "codes": "codes in memory"}


def set_form(monkeypatch: pytest.MonkeyPatch, form: str) -> None:
    """The form in which DuckDB stores the items."""
    if form == "patterns":
        monkeypatch.setattr(parquet_labels, "SAMPLED_FROM", 1)
    monkeypatch.setattr(parquet_labels, "CHUNK_ITEMS", 100)
    monkeypatch.setattr(parquet_labels, "CHUNK_ROWS", 100)


def clustered(items: int, clusters: int) -> dict[str, list[str | None]]:
    """Labels of alike systems, with clusters of unequal sizes in mixed order."""
    random = np.random.default_rng(items)
    rest = random.choice(clusters, items - clusters, p=random.dirichlet(np.full(clusters, 0.8)))
    codes = random.permutation(np.concatenate([np.arange(clusters), rest]))
    return alike_labels(items, 3) | {"thread": [f" t{code}" for code in codes.tolist()]}


def compared(paths: tuple[str, ...], engine: Engine, *columns: str, **options: Any) -> dict[str, Any]:
    data = DataConfig(gold=paths[0], runs=paths[1:], engine=engine, clusters=columns, **{"labels": SCALE, **options})
    config = ExperimentConfig(data, measures=("accuracy", "macro-f1", "cem-ord"))
    return run_named("compare", config.with_settings(CompareSettings(permutations=199))).to_dict()


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("clusters", [25, MAX_GROUPS + 300])
def test_clusters_give_the_same_results_in_every_form(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str, clusters: int
) -> None:
    """Also where more than 1,024 clusters are dealt into groups."""
    columns = clustered(3_000, clusters)
    paths = write_wide(tmp_path, columns)
    in_memory = compared(paths, "memory", "thread")
    set_form(monkeypatch, form)
    by_duckdb = compared(paths, "duckdb", "thread")
    assert any(FORMS[form] in note for note in by_duckdb["notes"])
    assert by_duckdb["tables"] == in_memory["tables"]
    assert by_duckdb["signature"] == in_memory["signature"]
    assert any(note.startswith(f"{clusters:,} clusters of thread") for note in by_duckdb["notes"])
    del columns["thread"]
    without = compared(write_wide(tmp_path / "without", columns), "duckdb")
    assert without["tables"]["comparisons"] != in_memory["tables"]["comparisons"]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("write", LAYOUTS)
@pytest.mark.parametrize(("on_missing", "on_unknown"), [("drop", "worst"), ("miss", "drop")])
def test_items_that_policies_drop_are_in_no_cluster(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    form: str,
    write: Callable[[Path, Labels], tuple[str, ...]],
    on_missing: str,
    on_unknown: str,
) -> None:
    columns = clustered(3_000, 40)
    # The first clusters lose their first items, or all of them, so that they are numbered in another order.
    cluster_items = [item for item, thread in enumerate(columns["thread"]) if thread in (" t3", " t5")]
    missing = {*range(30), *cluster_items[:60]}
    columns["system-1"] = [None if item in missing else label for item, label in enumerate(columns["system-1"])]
    columns["system-2"] = ["odd" if item % 50 == 7 else label for item, label in enumerate(columns["system-2"])]
    policies = {
        "on_missing": Policy.parse(on_missing, option=""),
        "on_unknown": Policy.parse(on_unknown, option=""),
        "drop_gold": ("high",),
    }
    scale = {"labels": ClassScale.parse("low<mid")}
    (wide,) = write_wide(tmp_path / "whole", columns)
    in_memory = compared((wide,), "memory", "thread", **policies, **scale)
    threads = columns.pop("thread") if write is write_systems else []
    paths = write(tmp_path, columns)
    if write is write_systems:
        write_table(Path(paths[0]), {"id": columns["id"], "label": columns["gold"], "thread": threads})
    set_form(monkeypatch, form)
    by_duckdb = compared(paths, "duckdb", "thread", **policies, **scale)
    assert by_duckdb["tables"] == in_memory["tables"]


@pytest.mark.parametrize("form", FORMS)
def test_crossed_columns_need_items_in_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str) -> None:
    columns = clustered(3_000, 40) | {"topic": [f"o{item % 30}" for item in range(3_000)]}
    paths = write_wide(tmp_path, columns)
    in_memory = compared(paths, "memory", "thread", "topic")
    set_form(monkeypatch, form)
    if form == "codes":
        assert compared(paths, "duckdb", "thread", "topic")["tables"] == in_memory["tables"]
    else:
        with pytest.raises(InputError, match="thread and topic, but items are not stored one by one"):
            compared(paths, "duckdb", "thread", "topic")


def test_clusters_that_cannot_be_read_are_refused(tmp_path: Path, metaeval: CommandLine) -> None:
    columns = clustered(300, 20)
    columns["thread"][4:6] = [None, " "]
    (wide,) = write_wide(tmp_path, columns)
    data = ["--gold", wide, "--labels", "low<mid<high", "-q", "--engine", "duckdb"]
    parts = ("no value of 'thread' for 2 items, for example 'item-4'", "--cluster none")
    metaeval.refuses_with(parts, "compare", "--cluster", "thread", *data)
    metaeval.refuses_with(
        ("expected a column 'tread'", "did you mean 'thread'?"), "compare", "--cluster", "tread", *data
    )
    parts = ("expected a column 'other.csv:thread'", "--engine memory")
    metaeval.refuses_with(parts, "compare", "--cluster", "other.csv:thread", *data)
