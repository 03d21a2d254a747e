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


@pytest.mark.parametrize("header", ["LABEL", "prediction", "Predicted", "pred", "labels", "output", "answer", "y_pred"])
def test_a_single_column_of_labels_does_not_name_the_system(
    metaeval: CommandLine, form: tuple[Save, tuple[str, ...]], header: str
) -> None:
    save, options = form
    run = save("bert", {"id": GOLD["id"], header: GOLD["label"]})
    assert _systems(metaeval, *options, "--gold", save("gold", GOLD), run) == ["bert"]


def test_a_run_with_two_columns_of_labels_is_refused(metaeval: CommandLine, form: tuple[Save, tuple[str, ...]]) -> None:
    save, options = form
    gold, run = save("gold", GOLD), save("bert", GOLD | {"prediction": ["yes", "no", "no"]})
    parts = ("both 'label' and 'prediction'; expected one of them", "--label-column label")
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


@pytest.mark.parametrize("name", ["Unnamed: 0", "Unnamed: 0.1", "unnamed: 0", "__index_level_0__", "", "\u200b"])
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
    parts = ("gold.parquet: column 's' again; expected every column once",)
    metaeval.refuses_with(parts, "score", *OPTIONS, "--engine", engine, "--gold", path)


def _refusal(metaeval: CommandLine, options: tuple[str, ...], *arguments: object) -> str:
    return metaeval.refuses("score", *options, *arguments)


@pytest.mark.parametrize("name", ["Gold", "gold_label", "gold-label", "True_Label", "reference_label", "y_true"])
def test_gold_of_a_run_is_compared_with_gold_however_it_is_called(
    metaeval: CommandLine, form: tuple[Save, tuple[str, ...]], name: str
) -> None:
    save, options = form
    gold = save("gold", GOLD)
    run = save("bert", {"id": GOLD["id"], name: ["yes", "no", "no"], "label": GOLD["label"]})
    assert f"remove the column '{name}'" in _refusal(metaeval, options, "--gold", gold, run)
    wide = save("wide", {"id": GOLD["id"], name: GOLD["label"], "svm": GOLD["label"]})
    assert _systems(metaeval, *options, "--gold", wide) == ["svm"]
    both = save("both", {"id": GOLD["id"], "gold": GOLD["label"], f"{name}s": GOLD["label"], "svm": GOLD["label"]})
    if name.casefold().endswith("label"):
        assert f"both 'gold' and '{name}s'; expected one of them" in _refusal(metaeval, options, "--gold", both)


@pytest.mark.parametrize("name", ["output", "answer", "y_pred"])
def test_a_second_column_of_predictions_is_asked_for_and_a_single_one_names_no_system(
    metaeval: CommandLine, form: tuple[Save, tuple[str, ...]], tmp_path: Path, name: str
) -> None:
    save, options = form
    gold, run = save("gold", GOLD), save("bert", GOLD | {name: ["yes", "no", "no"]})
    assert f"both 'label' and '{name}'; expected one" in _refusal(metaeval, options, "--gold", gold, run)
    run = save("bert", {"id": GOLD["id"], name: GOLD["label"]})
    assert _systems(metaeval, *options, "--gold", gold, run) == ["bert"]
    (tmp_path / "gold.txt").write_text("no\nyes\nyes\n")
    (tmp_path / "bert.txt").write_text(f"{name}\nno\nyes\nyes\n")
    report = metaeval.succeeds("score", *OPTIONS, "--gold", tmp_path / "gold.txt", tmp_path / "bert.txt").out
    assert json.loads(report)["tables"]["scores"] == [{"system": "bert", "accuracy": 1.0}]


@pytest.mark.parametrize(
    ("table", "pair"),
    [
        ({"id": GOLD["id"], "ID": GOLD["id"], "gold": GOLD["label"], "s": GOLD["label"]}, "'id' and 'ID'"),
        ({"id": GOLD["id"], "gold": GOLD["label"], "s": GOLD["label"], "S": GOLD["label"]}, "'s' and 'S'"),
        ({"id": GOLD["id"], "label": GOLD["label"], "LABEL": GOLD["label"]}, "'label' and 'LABEL'"),
        ({"id": GOLD["id"], "gold": GOLD["label"], "Gold": GOLD["label"], "s": GOLD["label"]}, "'gold' and 'Gold'"),
    ],
    ids=["ids", "systems", "labels", "gold"],
)
def test_columns_that_differ_in_case_alone_are_refused_in_the_same_words(
    metaeval: CommandLine, form: tuple[Save, tuple[str, ...]], table: Columns, pair: str
) -> None:
    save, options = form
    gold = save("gold", table)
    runs = [save("bert", table)] if "label" in table else []
    message = _refusal(metaeval, options, "--gold", gold, *runs)
    assert f"both {pair}; expected one of them" in message
    assert "What to do: rename or remove one of them" in message


def test_columns_that_are_not_read_may_differ_in_case_alone(
    metaeval: CommandLine, form: tuple[Save, tuple[str, ...]]
) -> None:
    save, options = form
    gold = save("gold", GOLD | {"Note": ["x", "y", "z"], "note": ["x", "y", "z"]})
    run = save("bert", GOLD | {"Note": ["x", "y", "z"], "note": ["x", "y", "z"]})
    assert _systems(metaeval, *options, "--gold", gold, run) == ["bert"]


def test_of_several_systems_one_may_be_called_prediction(
    metaeval: CommandLine, form: tuple[Save, tuple[str, ...]]
) -> None:
    save, options = form
    gold = save("gold", GOLD)
    run = save("both", {"id": GOLD["id"], "prediction": GOLD["label"], "svm": GOLD["label"]})
    assert _systems(metaeval, *options, "--gold", gold, run) == ["prediction", "svm"]


@pytest.mark.parametrize("option", ["--label-column", "--id-column", "--cluster", "--group"])
def test_an_empty_name_of_a_column_is_refused(metaeval: CommandLine, tmp_path: Path, option: str) -> None:
    _csv(tmp_path / "gold.csv", GOLD)
    gold = tmp_path / "gold.csv"
    parts = (f"{option} ''; expected a name", f"leave out {option} ''")
    metaeval.refuses_with(parts, "score", *OPTIONS, "--gold", gold, f"me={gold}", option, "")


@pytest.mark.parametrize(
    ("labels", "told"),
    [
        (["A", "a", "b"], "'A' and 'a' differ only in case"),
        (["a", "b", "nan"], "does 'nan' stand for a missing label?"),
        (["None", "a", "null"], "does 'None', 'null' stand for a missing label?"),
        (["#N/A", "-", "?"], "does '#N/A', '-', '?' stand for a missing label?"),
        (["b", "cafe\u0301", "caf\u00e9"], r"'cafe\u0301' and 'café' differ only in"),
    ],
)
@pytest.mark.parametrize("declared", [True, False])
def test_classes_that_may_be_one_or_none_are_told(
    metaeval: CommandLine, form: tuple[Save, tuple[str, ...]], labels: list[str], told: str, declared: bool
) -> None:
    save, options = form
    gold = save("gold", {"id": ["1", "2", "3"], "gold": labels, "s": labels})
    classes = ("--labels", ",".join(labels)) if declared else ()
    notes = " ".join(json.loads(metaeval.succeeds("score", *options[2:], *classes, "--gold", gold).out)["notes"])
    assert told in notes
    none = save("none", {"id": ["1", "2", "3"], "gold": ["NONE", "a", "b"], "s": ["NONE", "a", "b"]})
    assert "stand for" not in metaeval.succeeds("score", *options[2:], "--gold", none).out
