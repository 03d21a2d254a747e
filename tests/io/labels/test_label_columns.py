"""Which columns of a table of labels are read is never left to chance, in any format and engine."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from command_line import CommandLine

GOLD = {"id": ["a", "b", "c"], "label": ["no", "yes", "yes"]}
OPTIONS = ("--labels", "no<yes", "-m", "accuracy", "-f", "json")
Columns = dict[str, list[str]]
Save = Callable[[str, Columns], Path]


def _csv(path: Path, columns: Columns) -> None:
    rows = [list(columns), *map(list, zip(*columns.values(), strict=True))]
    path.write_text("".join(",".join(row) + "\n" for row in rows))


def _jsonl(path: Path, columns: Columns) -> None:
    rows = (dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True))
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def _parquet(path: Path, columns: Columns) -> None:
    pa = pytest.importorskip("pyarrow")
    pytest.importorskip("duckdb")
    import pyarrow.parquet as pq

    pq.write_table(pa.table(columns), path)


FORMS = {
    "csv": ("csv", _csv, "memory"),
    "jsonl": ("jsonl", _jsonl, "memory"),
    "parquet": ("parquet", _parquet, "memory"),
    "duckdb": ("parquet", _parquet, "duckdb"),
}


@pytest.fixture(params=FORMS)
def form(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Save, tuple[str, ...]]:
    suffix, write, engine = FORMS[request.param]

    def save(name: str, columns: Columns) -> Path:
        path = tmp_path / f"{name}.{suffix}"
        write(path, columns)
        return path

    return save, (*OPTIONS, "--engine", engine)


def _systems(metaeval: CommandLine, *arguments: object) -> list[str]:
    return [row["system"] for row in json.loads(metaeval.succeeds("score", *arguments).out)["tables"]["scores"]]


@pytest.mark.parametrize("header", ["LABEL", "prediction", "Predicted", "pred", "labels"])
def test_a_single_column_of_labels_does_not_name_the_system(
    metaeval: CommandLine, form: tuple[Save, tuple[str, ...]], header: str
) -> None:
    save, options = form
    run = save("bert", {"id": GOLD["id"], header: GOLD["label"]})
    assert _systems(metaeval, *options, "--gold", save("gold", GOLD), run) == ["bert"]


def test_a_run_with_two_columns_of_labels_is_refused(metaeval: CommandLine, form: tuple[Save, tuple[str, ...]]) -> None:
    save, options = form
    gold, run = save("gold", GOLD), save("bert", GOLD | {"prediction": ["yes", "no", "no"]})
    parts = ("columns 'label' and 'prediction'; expected one column of labels", "--label-column prediction")
    metaeval.refuses_with(parts, "score", *options, "--gold", gold, run)
    report = json.loads(metaeval.succeeds("score", *options, "--label-column", "label", "--gold", gold, run).out)
    assert report["tables"]["scores"] == [{"system": "bert", "accuracy": 1.0}]


def test_a_run_whose_gold_labels_are_others_is_refused(
    metaeval: CommandLine, form: tuple[Save, tuple[str, ...]]
) -> None:
    save, options = form
    gold = save("gold", GOLD)
    run = save("bert", {"id": ["c", "a", "b"], "gold": ["yes", "yes", "yes"], "label": ["yes", "no", "no"]})
    message = metaeval.refuses("score", *options, "--gold", gold, run)
    assert "remove the column 'gold'" in message
    assert "a" in message
    run = save("bert", {"id": ["c", "a", "b"], "gold": ["yes", "no", ""], "label": ["yes", "no", "no"]})
    assert _systems(metaeval, *options, "--gold", gold, run) == ["bert"]


@pytest.mark.parametrize("name", ["Unnamed: 0", "__index_level_0__", ""])
def test_columns_of_row_numbers_are_no_systems(
    metaeval: CommandLine, form: tuple[Save, tuple[str, ...]], name: str
) -> None:
    save, options = form
    wide = save("wide", {name: ["0", "1", "2"], "id": GOLD["id"], "gold": GOLD["label"], "svm": GOLD["label"]})
    outcome = metaeval.succeeds("score", *options, "--gold", wide)
    report = json.loads(outcome.out)
    assert [row["system"] for row in report["tables"]["scores"]] == ["svm"]
    assert f"columns of row numbers are ignored: '{name}'" in report["notes"]


def test_a_declared_class_is_no_header_of_bare_labels(metaeval: CommandLine, tmp_path: Path) -> None:
    gold, run = tmp_path / "gold.txt", tmp_path / "run.txt"
    gold.write_text("answer\nquery\nquery\n")
    run.write_text("answer\nquery\nquery\n")
    report = json.loads(metaeval.succeeds("score", "--labels", "answer<query", "-f", "json", "--gold", gold, run).out)
    assert "|n:3|" in report["signature"]


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_parquet_with_a_column_twice_is_refused(metaeval: CommandLine, tmp_path: Path, engine: str) -> None:
    pa = pytest.importorskip("pyarrow")
    pytest.importorskip("duckdb")
    import pyarrow.parquet as pq

    path = tmp_path / "gold.parquet"
    pq.write_table(pa.table([GOLD["id"], GOLD["label"], GOLD["label"], GOLD["label"]], ["id", "gold", "s", "s"]), path)
    parts = ("gold.parquet: column 's' twice; expected every column name once",)
    metaeval.refuses_with(parts, "score", *OPTIONS, "--engine", engine, "--gold", path)
