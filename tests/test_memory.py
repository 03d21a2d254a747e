"""The setting `memory`, and its difference from the default size of a block."""

import tracemalloc
from contextlib import AbstractContextManager
from pathlib import Path

import numpy as np
import pytest
from big_data import alike_labels, write_wide
from command_line import CommandLine

from metaeval.analyses.score import score
from metaeval.analyses.score.settings import ScoreSettings
from metaeval.config import DEFAULT_MEMORY, DataConfig, ExperimentConfig
from metaeval.config.read import read_config
from metaeval.engines import labels as parquet_labels
from metaeval.engines.duck import Connection, Limits, connected
from metaeval.runner.one import run_analysis

DATA = "data: {{gold: {}, labels: low<mid<high, engine: duckdb}}\nscore: {{}}\n"


@pytest.fixture
def limits(monkeypatch: pytest.MonkeyPatch) -> list[Limits]:
    """Those within which DuckDB was to read, one after another."""
    calls: list[Limits] = []

    def noted(limits: Limits) -> AbstractContextManager[Connection]:
        calls.append(limits)
        return connected(limits)

    monkeypatch.setattr(parquet_labels, "connected", noted)
    return calls


def test_the_default_said_outright_is_what_duckdb_may_take(
    tmp_path: Path, metaeval: CommandLine, limits: list[Limits]
) -> None:
    (wide,) = write_wide(tmp_path, alike_labels(40, 2))
    call = ("score", "--gold", wide, "--labels", "low<mid<high", "--engine", "duckdb", "-q")
    metaeval.succeeds(*call)
    metaeval.succeeds(*call, "--memory", "512MB")
    plain, explicit = tmp_path / "plain.yaml", tmp_path / "said.yaml"
    plain.write_text(DATA.format(wide))
    explicit.write_text(DATA.format(wide) + "memory: 512MB\n")
    metaeval.succeeds("run", plain, "-q")
    metaeval.succeeds("run", explicit, "-q")
    metaeval.succeeds("run", explicit, "-q", "--memory", "1GB")
    data = DataConfig(gold=wide, engine="duckdb")
    run_analysis(score, ExperimentConfig(data, analyses=(ScoreSettings(),)))
    run_analysis(score, ExperimentConfig(data, analyses=(ScoreSettings(),), memory=DEFAULT_MEMORY))
    assert [limit.memory for limit in limits] == [None, 512 << 20, None, 512 << 20, 1 << 30, None, 512 << 20]


def test_blocks_are_the_same_whether_their_default_is_said(tmp_path: Path, metaeval: CommandLine) -> None:
    (wide,) = write_wide(tmp_path, alike_labels(200, 3))
    call = ("stability", "--gold", wide, "--labels", "low<mid<high", "-m", "accuracy", "--trials", "50")
    plain, same, little = (metaeval.report(*call, *more) for more in ((), ("--memory", "512MB"), ("--memory", "16MB")))
    assert (plain["tables"], plain["signature"]) == (same["tables"], same["signature"])
    assert "memory:16777216" in little["signature"]
    (tmp_path / "c.yaml").write_text("memory: 512MB\n")
    assert read_config(str(tmp_path / "c.yaml")).memory == DEFAULT_MEMORY
    assert ExperimentConfig().memory is None
    assert ExperimentConfig().block_memory == DEFAULT_MEMORY


def many_measures(path: Path, measures: int, systems: int, items: int) -> Path:
    """A table of scores of systems that differ, under measures with errors of their own."""
    scores = np.random.default_rng(0).normal(size=(systems, items, measures)) + np.arange(systems)[:, None, None] / 9
    rows = [
        ",".join([f"s{system}", f"i{item}", *map(str, scores[system, item].round(3).tolist())])
        for system in range(systems)
        for item in range(items)
    ]
    path.write_text("\n".join([",".join(["system", "item", *(f"m{number}" for number in range(measures))]), *rows]))
    return path


def test_similarity_of_many_measures_takes_the_memory_that_is_set(tmp_path: Path, metaeval: CommandLine) -> None:
    path = many_measures(tmp_path / "many.csv", 100, 12, 20)
    tracemalloc.start()
    try:
        report = metaeval.report("similarity", path, "--memory", "16MB")
        assert tracemalloc.get_traced_memory()[1] < 96 << 20
    finally:
        tracemalloc.stop()
    samples = (16 << 20) // (16 * 100 * 99 // 2)
    assert f"intervals hold jointly for all pairs, by {samples} random sign changes of items" in report["notes"]


def test_similarity_that_would_take_minutes_is_refused(tmp_path: Path, metaeval: CommandLine) -> None:
    path = many_measures(tmp_path / "many.csv", 300, 80, 2)
    parts = ["300 measures of 80 systems: about 2 min of work", "or set --permutations 0"]
    metaeval.refuses_with(parts, "similarity", path)
