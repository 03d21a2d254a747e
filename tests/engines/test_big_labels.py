"""DuckDB reads what the reader in memory reads, and all numbers are the same."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from analysis_runs import run_named
from big_data import LAYOUTS, Labels, alike_labels, write_partitions, write_systems, write_table, write_wide
from command_line import CommandLine
from label_studies import read_labels

from metaeval.analyses.merge_classes.settings import MergeSettings
from metaeval.analyses.score.settings import ScoreSettings
from metaeval.analyses.similarity.settings import SimilaritySettings
from metaeval.analyses.stability.settings import StabilitySettings
from metaeval.config import DataConfig, ExperimentConfig
from metaeval.config.data import Engine
from metaeval.engines import labels as parquet_labels
from metaeval.model.runs import LabelledRuns, PatternRuns
from metaeval.model.scale import ClassScale
from metaeval.study import labels as label_study

SCALE = ClassScale.parse("low<mid<high")
ANALYSES = ("score", "similarity", "stability", "merge_classes", "summary")
LITTLE = (
    ScoreSettings(),
    SimilaritySettings(permutations=40),
    StabilitySettings(trials=40, permutations=50, sizes=(0.1,), stratified=True),
    MergeSettings(permutations=40),
)


@pytest.fixture
def patterns(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ask how many patterns there are, however few the items."""
    monkeypatch.setattr(parquet_labels, "SAMPLED_FROM", 1)


def config(paths: tuple[str, ...], engine: Engine, *, scale: ClassScale = SCALE, **fields: Any) -> ExperimentConfig:
    data = DataConfig(gold=paths[0], runs=paths[1:], labels=scale, engine=engine, **fields)
    return ExperimentConfig(data, analyses=LITTLE)


def tables(analysis: str, experiment: ExperimentConfig) -> dict[str, Any]:
    report = run_named(analysis, experiment).to_dict()
    # Groups of items by chance are others where items are not stored one by one, and trivial systems are not tested.
    by_chance = re.compile(
        r".*(low|high|letters)|expected|reliability|corrected|group|contested|relation|consistency.*|pareto.*|power.*|gamed.*"
    )
    report["tables"].pop("stability_differences", None)
    for name in set(report["tables"]) - {"scores", "stability_curve"}:
        columns = {"low", "high"} if name == "stability" else {"low+high"}
        report["tables"][name] = [
            {column: cell for column, cell in row.items() if column in columns or not by_chance.fullmatch(column)}
            for row in report["tables"][name]
        ]
    return {"signature": report["signature"], "tables": report["tables"]}


@pytest.mark.parametrize("analysis", ANALYSES)
@pytest.mark.usefixtures("patterns")
def test_patterns_give_the_same_numbers_as_items(tmp_path: Path, analysis: str) -> None:
    columns = alike_labels(3_000, 4)
    in_memory = config(write_wide(tmp_path, columns), "memory")
    by_duckdb = config(write_partitions(tmp_path, columns), "duckdb")
    assert isinstance(read_labels(by_duckdb).runs, PatternRuns)
    assert tables(analysis, by_duckdb) == tables(analysis, in_memory)


@pytest.mark.parametrize("write", LAYOUTS)
def test_few_items_are_codes_in_the_order_of_gold(
    tmp_path: Path, write: Callable[[Path, Labels], tuple[str, ...]]
) -> None:
    raw = alike_labels(300, 3)
    whole = read_labels(config(write_wide(tmp_path, raw), "memory")).runs
    read = read_labels(config(write(tmp_path, raw), "duckdb")).runs
    assert isinstance(read, LabelledRuns)
    assert isinstance(whole, LabelledRuns)
    assert (read.gold == whole.gold).all()
    assert (read.predicted == whole.predicted).all()
    assert (read.systems, len(read.items)) == (whole.systems, len(whole.items))


def test_items_that_are_not_alike_and_exceed_memory_are_refused_with_what_they_need(
    tmp_path: Path, metaeval: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    (wide,) = write_wide(tmp_path, alike_labels(1_000, 4))
    monkeypatch.setattr(parquet_labels, "_COPIES", 100_000)
    data = ["--gold", wide, "--labels", "low<mid<high", "-q", "--engine", "duckdb", "-m", "accuracy"]
    parts = (
        "wide.parquet: labels of 4 systems for 1,000 items, few of them alike, need more than 128 MB of memory",
        "use --memory 477MB if this machine has it",
    )
    metaeval.refuses_with(parts, "score", *data, "--memory", "128MB")
    metaeval.succeeds("score", *data, "--memory", "477MB")


@pytest.mark.usefixtures("patterns")
def test_patterns_serve_the_other_commands_or_say_what_they_lack(tmp_path: Path, metaeval: CommandLine) -> None:
    (wide,) = write_wide(tmp_path, alike_labels(3_000, 4))
    data = ["--gold", wide, "--labels", "low<mid<high", "-q", "-f", "json"]
    for command in ("validate", "sensitivity", "explain"):
        more = ["-m", "f-beta", "--grid", "beta=1,2"] if command == "sensitivity" else []
        more = ["accuracy", "macro-f1"] if command == "explain" else more
        duckdb_output = metaeval.succeeds(command, *more, *data, "--engine", "duckdb").out
        memory_output = metaeval.succeeds(command, *more, *data, "--engine", "memory").out
        assert duckdb_output.split('"notes"')[0] == memory_output.split('"notes"')[0]
    text = f"data: {{gold: {wide}, labels: low<mid<high, engine: duckdb}}\nscore: {{}}\n"
    (tmp_path / "config.yaml").write_text(text)
    assert "data.engine: memory" in metaeval.refuses(
        "check", tmp_path / "config.yaml", "--save-baseline", tmp_path / "b"
    )


def test_large_or_partitioned_parquet_goes_to_duckdb_unasked(
    tmp_path: Path, metaeval: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    columns = alike_labels(60, 2)
    (wide,), (parts,) = write_wide(tmp_path, columns), write_partitions(tmp_path, columns)
    assert "duckdb" not in metaeval.succeeds("score", "--gold", wide).err
    assert "60 items, codes in memory (duckdb)" in metaeval.succeeds("score", "--gold", parts).err
    # Many cells in a small file.
    monkeypatch.setattr(label_study, "BIG_CELLS", 60 * 4)
    assert "duckdb" in metaeval.succeeds("score", "--gold", wide).err
    assert "duckdb" not in metaeval.succeeds("score", "--gold", wide, "--engine", "memory").err
    monkeypatch.setattr(label_study, "BIG_CELLS", 60 * 4 + 1)
    assert "duckdb" not in metaeval.succeeds("score", "--gold", wide).err


def test_a_folder_of_hive_partitions_gives_systems_their_names(tmp_path: Path) -> None:
    columns = alike_labels(30, 2)
    gold = write_table(tmp_path / "gold.parquet", {"id": columns["id"], "gold": columns["gold"]})
    for name in ("a", "b"):
        run = {"id": columns["id"], "label": columns["system-1"]}
        write_table(tmp_path / "runs" / f"system={name}" / "0.parquet", run)
    paths = (gold, str(tmp_path / "runs"), f"c={tmp_path / 'runs' / 'system=a'}")
    assert read_labels(config(paths, "duckdb")).systems == ("a", "b", "c")
    matching = (gold, str(tmp_path / "runs" / "*"))
    assert read_labels(config(matching, "duckdb")).systems == ("a", "b")


@pytest.mark.slow
def test_the_patterns_of_a_sample_of_many_systems_need_little_memory(
    tmp_path: Path, metaeval: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    # As labels, the sample has 140 MB: 45,000 patterns of 200 texts of 16 bytes.
    monkeypatch.setattr(parquet_labels, "SAMPLED_FROM", 1)
    monkeypatch.setattr(parquet_labels, "SAMPLE", 45_000)
    random, texts = np.random.default_rng(1), pa.array(SCALE.labels)
    columns = {
        name: pa.DictionaryArray.from_arrays(pa.array(random.integers(3, size=90_000), pa.int8()), texts)
        for name in ("gold", *(f"system-{number}" for number in range(200)))
    }
    path = tmp_path / "wide.parquet"
    pq.write_table(pa.table({"id": pa.array(range(90_000)), **columns}), path)
    data = ("--gold", path, "--labels", "low<mid<high", "--engine", "duckdb", "--memory", "128MB")
    metaeval.succeeds("validate", *data)


def test_many_tables_are_joined_some_at_a_time(tmp_path: Path) -> None:
    columns = alike_labels(80, 20)
    in_memory, joined = (
        config(write_wide(tmp_path, columns), "memory"),
        config(write_systems(tmp_path, columns), "duckdb"),
    )
    ordered = sorted(read_labels(in_memory).systems)
    runs, others = read_labels(joined).runs, read_labels(in_memory).runs
    assert isinstance(runs, LabelledRuns)
    assert isinstance(others, LabelledRuns)
    assert list(runs.systems) == ordered
    assert (runs.predicted == others.predicted[[others.systems.index(name) for name in ordered]]).all()


@pytest.mark.usefixtures("patterns")
def test_what_needs_single_items_says_what_does_without(tmp_path: Path, metaeval: CommandLine) -> None:
    (wide,) = write_wide(tmp_path, alike_labels(3_000, 4))
    data = ["--gold", wide, "--labels", "low<mid<high", "-m", "accuracy", "-m", "mcc", "-q", "--engine", "duckdb"]
    few = ("--permutations", "99")
    parts = ("--test tukey with --task labels, where items are not stored one by one", "expected items in memory")
    metaeval.refuses_with(parts, "power", "--test", "tukey", *data)
    for command in ("power", "plan", "compare"):
        metaeval.succeeds(command, *few, *data)
    ratings = tmp_path / "ratings.csv"
    ratings.write_text("item,system,score\n" + "".join(f"item-1,system-{system},{system}\n" for system in range(4)))
    for level in ("system", "item"):
        assert "choose --engine memory" in metaeval.refuses("correlate", "--level", level, "--human", ratings, *data)
    for call in (
        *("score --trivial", "similarity --permutations 9", "stability --trials 9", "merge-classes --permutations 9"),
        *("merge-classes --balance --trials 9", "summary --trials 9", "explain --all", "robustness", "validate"),
    ):
        metaeval.succeeds(*call.split(), *data)
