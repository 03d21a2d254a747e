"""Whatever a table holds and however it is laid out, DuckDB reads what the reader in memory reads."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from analysis_runs import run_named
from command_line import CommandLine
from hypothesis import given, settings
from hypothesis import strategies as st

from metaeval.analyses.score.settings import ScoreSettings
from metaeval.config import DataConfig, ExperimentConfig
from metaeval.config.data import Engine
from metaeval.engines import labels as parquet_labels
from metaeval.engines import tables as parquet_rows
from metaeval.engines.tables import BLANKS
from metaeval.errors import InputError
from metaeval.io.labels.join import Policy
from metaeval.model.scale import ClassScale

SCALE = ClassScale.parse("low<mid<high")
ODD_NAMES = (
    *("items", "filename", "file_index", "n", "w0", "word0", "row", "place"),
    *("c0", "c1", "d0", "d1", "h", "run_0", "rows", "patterns", "joined_0", "rowid", "system", "SELECT", "count"),
    *('with "quotes"', "it's", "a.b", "a,b", "naïve ψ", "*", "%s", "{0}", "day", "null"),
)
"""Systems called as what DuckDB, and we, call other things."""

ROUTES: dict[str, dict[str, int]] = {
    "patterns": {"SAMPLED_FROM": 1, "SAMPLE": 10, "ITEMS_PER_PATTERN": 0},
    "codes": {"SAMPLED_FROM": 1 << 40, "CHUNK_ITEMS": 7},
}
"""What makes the reader hold even a few items in each of its ways."""


def read(data: DataConfig, engine: Engine, route: str = "codes") -> object:
    """Scores, counts, what the policies touched and the classes; of a refusal only that it is one."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(parquet_rows, "_SAMPLE_CHUNK", 2)
        for name, value in ROUTES[route].items():
            patched.setattr(parquet_labels, name, value)
        config = ExperimentConfig(
            replace(data, engine=engine), measures=("accuracy", "mcc"), analyses=(ScoreSettings(),)
        )
        try:
            report = run_named("score", config).to_dict()
        except InputError:
            return InputError
    tables = {name: sorted(map(repr, rows)) for name, rows in report["tables"].items()}
    return tables, report["provenance"]["repairs"], report["signature"]


def assert_same(in_memory: DataConfig, *others: DataConfig, refused: bool | None = None) -> None:
    """All routes give what the reader in memory gives; refused: whether that is to be a refusal."""
    expected = read(in_memory, "memory")
    assert refused is None or (expected is InputError) == refused
    for route in ROUTES:
        for data in others or (in_memory,):
            assert read(data, "duckdb", route) == expected, route


def wide(folder: Path, columns: Mapping[str, Any], name: str = "wide") -> str:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.parquet"
    pq.write_table(pa.table(dict(columns)), path)
    return str(path)


def with_labels(gold: str, *runs: str, **fields: Any) -> DataConfig:
    return DataConfig(gold=gold, runs=runs, labels=SCALE, **fields)


@pytest.mark.parametrize("names", [ODD_NAMES, ("file_row_number",), ("File_Row_Number", "items")], ids=len)
def test_systems_may_be_called_anything(tmp_path: Path, names: Sequence[str]) -> None:
    random = np.random.default_rng(0)
    ids = [f"i{number}" for number in range(60)]
    gold, *others = (random.choice(SCALE.labels, size=60).tolist() for _ in range(1 + len(names)))
    systems = dict(zip(names, others, strict=True))
    in_memory = with_labels(wide(tmp_path, {"id": ids, "gold": gold, **systems}))
    apart = wide(tmp_path, {"id": ids, "gold": gold}, "gold"), wide(tmp_path, {"id": ids, **systems}, "runs")
    assert_same(in_memory, in_memory, with_labels(*apart), refused=False)


@pytest.mark.parametrize("name", ["items", "file_row_number", "n", "w0", "row_index", "c1"])
def test_ids_and_gold_may_be_called_anything(tmp_path: Path, name: str) -> None:
    ids, gold, run = ["1", "2", "3"], ["low", "mid", "mid"], ["low", "low", "mid"]
    config = with_labels(wide(tmp_path, {name: ids, "gold": gold, "a": run, "c0": gold}, "i"), id_column=name)
    assert_same(config, refused=False)
    files = (wide(tmp_path, {"id": ids, name: gold}, "g"), wide(tmp_path, {"id": ids, name: run}, "r"))
    assert_same(with_labels(*files, label_column=name), refused=False)


def test_blanks_are_those_of_python() -> None:
    assert set(BLANKS) == {"\ufeff", *(chr(code) for code in range(sys.maxunicode + 1) if chr(code).isspace())}


@pytest.mark.parametrize("blank", ["\t", "\u3000"])
@pytest.mark.parametrize("other", ["i1", ""])
def test_ids_that_blanks_alone_make_different_are_refused(tmp_path: Path, blank: str, other: str) -> None:
    ids = ["i1", f"{other}{blank}", "i2"]
    assert_same(with_labels(wide(tmp_path, {"id": ids, "gold": ["low"] * 3, "run": ["low"] * 3})), refused=True)


DROP: dict[str, Any] = {"on_missing": Policy.parse("drop", option=""), "on_unknown": Policy.parse("drop", option="")}
STRING_VIEWS = [pa.string_view()] if int(pa.__version__.split(".")[0]) >= 21 else []
"""A type that earlier versions of pyarrow do not write."""

TYPES: dict[str, tuple[list[Any], tuple[pa.DataType, ...]]] = {
    "whole numbers": ([0, 1, 2], (pa.int64(), pa.int8(), pa.uint64(), pa.dictionary(pa.int32(), pa.int16()))),
    "texts": (
        ["0", "é", "日本"],
        (pa.string(), pa.large_string(), *STRING_VIEWS, pa.dictionary(pa.int8(), pa.string())),
    ),
    "truth values": ([True, False], (pa.bool_(),)),
    "floating-point numbers": ([0.5, 1.0, 2.0**70], (pa.float64(), pa.float32())),
    "bytes": ([b"a", "é".encode()], (pa.binary(), pa.large_binary())),
}


@pytest.mark.parametrize("kind", TYPES)
def test_partitions_of_types_that_go_together_are_one_table(tmp_path: Path, kind: str) -> None:
    values, types = TYPES[kind]
    gold, cells = values * 2, [*values, *values[1:], None]
    whole: dict[str, list[Any]] = {"id": [], "gold": [], "a": [], "b": []}
    # The first part has no predictions.
    for number, part_type in enumerate((pa.null(), *types)):
        ids = [f"{number}-{row}" for row in range(len(cells))]
        predictions = [None] * len(cells) if part_type == pa.null() else cells
        part = {
            "id": ids,
            "gold": pa.array(gold, types[-1]),
            "a": pa.array(predictions, part_type),
            "b": pa.array(cells, types[0]),
        }
        wide(tmp_path / "parts", part, str(number))
        for name, column in zip(whole, (ids, gold, predictions, cells), strict=True):
            whole[name] += column
    columns = {name: pa.array(column, pa.string() if name == "id" else types[0]) for name, column in whole.items()}
    in_memory = DataConfig(gold=wide(tmp_path / "whole", columns), **DROP)
    assert_same(in_memory, in_memory, DataConfig(gold=str(tmp_path / "parts"), **DROP), refused=False)


OTHER_TYPES = {
    "texts and numbers": (["0", "1"], [0, 1]),
    "whole numbers and others": ([0, 1], [0.0, 1.0]),
    "truth values and texts": ([True, False], ["True", "False"]),
    "dictionaries of texts and numbers": (
        pa.array(["0", "1"]).dictionary_encode(),
        pa.array([0, 1]).dictionary_encode(),
    ),
    "bytes and texts": ([b"0", b"1"], ["0", "1"]),
}


@pytest.mark.parametrize("pair", OTHER_TYPES)
def test_partitions_whose_labels_would_be_written_in_two_ways_are_refused(
    tmp_path: Path, metaeval: CommandLine, pair: str
) -> None:
    for number, column in enumerate(OTHER_TYPES[pair]):
        wide(tmp_path / "parts", {"id": [f"{number}a", f"{number}b"], "gold": ["0", "1"], "run": column}, str(number))
    parts = (f"{tmp_path / 'parts' / '1.parquet'}: a partition with ", " in column 'run'", " instead of ")
    metaeval.refuses_with(parts, "score", "--gold", tmp_path / "parts", "--engine", "duckdb")


@pytest.mark.parametrize(
    "column",
    [[[1], [2]], [{"a": 1}, {"a": 2}], pa.array([1, 2], pa.timestamp("ms")), pa.array([1, 2], pa.decimal128(5))],
)
def test_what_has_no_one_way_to_be_written_is_no_label(tmp_path: Path, metaeval: CommandLine, column: Any) -> None:
    path = wide(tmp_path, {"id": ["1", "2"], "gold": ["a", "b"], "run": column})
    parts = (f"{path}: column 'run' of ", "write labels as texts")
    metaeval.refuses_with(parts, "score", "--gold", path, "--engine", "duckdb")


@settings(max_examples=25)
@given(st.lists(st.floats(width=32) | st.floats(), min_size=2, max_size=9, unique=True), st.sampled_from([32, 64]))
def test_numbers_are_the_same_labels(
    tmp_path_factory: pytest.TempPathFactory, numbers: list[float], width: int
) -> None:
    with np.errstate(over="ignore"):
        cells = np.array(numbers, dtype=f"f{width // 8}")
    predictions = (["x", "y"] * 5)[: len(numbers)]
    path = wide(tmp_path_factory.mktemp("numbers"), {"id": range(len(numbers)), "gold": cells, "a": predictions})
    labels = ["x", "y", *map(repr, cells.astype(np.float64).tolist())]
    scale = ClassScale(tuple(dict.fromkeys(label for label in labels if label != "nan")))
    config = DataConfig(gold=path, labels=scale)
    assert read(config, "duckdb") == read(config, "memory")


@pytest.mark.parametrize("run", ["gold.parquet", "./gold.parquet", "x=gold.parquet"])
@pytest.mark.parametrize("column", ["label", "gold"])
def test_gold_that_is_named_as_a_run_is_a_system(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: str, column: str
) -> None:
    monkeypatch.chdir(tmp_path)
    beside = {} if column == "label" else {"b": ["mid", "mid", "low"]}
    wide(tmp_path, {"id": list("xyz"), column: ["low", "mid", "high"], **beside}, "gold")
    wide(tmp_path / "runs", {"id": list("xyz"), "label": ["low", "high", "high"]}, "a")
    assert_same(with_labels("gold.parquet", run, "runs"), refused=False)


@pytest.mark.parametrize(("ids", "refused"), [([0.5, float("nan")], True), ([0.0, -0.0], False)], ids=str)
def test_numbers_are_the_same_ids(tmp_path: Path, ids: list[float], refused: bool) -> None:
    path = wide(tmp_path, {"id": ids, "gold": ["low", "mid"], "a": ["low", "high"]})
    assert_same(with_labels(path), refused=refused)


NAMES = st.sampled_from([*ODD_NAMES, "file_row_number"]) | st.text("ab_ '\".", min_size=1, max_size=4)
LABELS = st.sampled_from(
    ["low", "mid", "high", "low", "mid", "high", " low", "mid\t", "\u3000high\xa0", "odd", "", " ", None]
)
IDS = st.text("ab1 \t\u3000é'", max_size=3)


@st.composite
def tables(draw: st.DrawFn) -> dict[str, list[Any]]:
    """Labels of a few systems with odd names; most ids are in order, some are not."""
    items = draw(st.integers(2, 30))
    ids = [f"i{number}" for number in range(items)]
    if draw(st.booleans()):
        ids[0] = draw(IDS)
    names = draw(st.lists(NAMES, min_size=1, max_size=4, unique_by=lambda name: name.strip().casefold()))
    names = [name for name in names if name.strip() == name and name not in ("id", "gold", "label")] or ["a"]
    gold = draw(st.lists(st.sampled_from(["low", " mid", "high\n"]), min_size=items, max_size=items))
    columns = {name: draw(st.lists(LABELS, min_size=items, max_size=items)) for name in names}
    return {"id": ids, "gold": gold, **columns}


@st.composite
def layouts(draw: st.DrawFn) -> tuple[str, bool, int]:
    """The layout, whether labels are in dictionaries, and a seed for the order of rows."""
    return draw(st.sampled_from(["wide", "parts", "apart", "systems"])), draw(st.booleans()), draw(st.integers(0, 9))


def lay_out(
    folder: Path, columns: dict[str, list[Any]], layout: str, encoded: bool, seed: int
) -> tuple[str, tuple[str, ...]]:
    """Gold and runs of a table in a layout."""

    def array(cells: list[Any]) -> pa.Array:
        texts = pa.array(cells, pa.string())
        return texts.dictionary_encode() if encoded else texts

    def write(chosen: list[str], name: str, rows: Sequence[int], **called: str) -> str:
        cells = {called.get(column, column): array([columns[column][row] for row in rows]) for column in chosen}
        return wide(folder / Path(name).parent, cells, Path(name).name)

    order = list(range(len(columns["id"])))
    shuffled = np.random.default_rng(seed).permutation(order).tolist()
    systems = list(columns)[2:]
    if layout == "wide":
        return write(list(columns), "wide", order), ()
    if layout == "parts":
        for part in range(2):
            write(list(columns), f"parts/{part}", order[part::2])
        return str(folder / "parts"), ()
    gold = write(["id", "gold"], "gold", order)
    if layout == "apart":
        return gold, (write(["id", *systems], "runs", shuffled),)
    runs = []
    for number, system in enumerate(systems):
        for part in range(2):
            half = shuffled[part::2]
            cells = {
                "id": array([columns["id"][row] for row in half]),
                "label": array([columns[system][row] for row in half]),
            }
            wide(folder / f"system-{number}", cells, str(part))
        runs.append(f"{system}={folder / f'system-{number}'}")
    return gold, tuple(runs)


@pytest.mark.slow
@settings(max_examples=25)
@given(
    columns=tables(),
    layout=layouts(),
    missing=st.sampled_from(["error", "drop", "miss", "worst", "label:mid"]),
    unknown=st.sampled_from(["error", "drop", "drop", "miss", "worst", "label:mid"]),
    drop=st.sampled_from([(), (), ("low",)]),
)
def test_random_tables_are_the_same_in_every_layout(
    tmp_path_factory: pytest.TempPathFactory,
    columns: dict[str, list[Any]],
    layout: tuple[str, bool, int],
    missing: str,
    unknown: str,
    drop: tuple[str, ...],
) -> None:
    folder = tmp_path_factory.mktemp("tables")
    gold, runs = lay_out(folder, columns, *layout)
    policies: dict[str, Any] = {
        "drop_gold": drop,
        "on_missing": Policy.parse(missing, option=""),
        "on_unknown": Policy.parse(unknown, option=""),
    }
    assert_same(with_labels(wide(folder, columns, "whole"), **policies), with_labels(gold, *runs, **policies))
