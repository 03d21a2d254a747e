"""Which columns of a table of labels are read is never left to chance, in any format and engine."""

from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from command_line import CommandLine, Write
from faults import forms

GOLD = {"id": ["a", "b", "c"], "label": ["no", "yes", "yes"]}
SCALE = ("--labels", "no<yes")
Columns = dict[str, list[str]]


class Form(NamedTuple):
    """A form of tables, and the command that reads them."""

    metaeval: CommandLine
    name: str

    def save(self, name: str, columns: Columns) -> str:
        path = f"{name}.{self.name.rpartition('.')[2]}"
        forms.write({column: (pa.string(), cells) for column, cells in columns.items()}, Path(path))
        return path

    def score(self, *words: str) -> tuple[str, ...]:
        return ("score", "-m", "accuracy", *forms.FORMS[self.name], *words)

    def report(self, *words: str) -> dict[str, Any]:
        return self.metaeval.report(*self.score(*words))

    def systems(self, *words: str) -> list[str]:
        return [row["system"] for row in self.report(*SCALE, *words)["tables"]["scores"]]

    def refusal(self, *words: str) -> str:
        return self.metaeval.refuses(*self.score(*SCALE, *words))


@pytest.fixture(params=forms.FORMS)
def form(
    request: pytest.FixtureRequest, metaeval: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Form:
    monkeypatch.chdir(tmp_path)
    return Form(metaeval, request.param)


@pytest.mark.parametrize("header", ["LABEL", "prediction", "Predicted", "pred", "labels", "output", "answer", "y_pred"])
def test_a_single_column_of_labels_does_not_name_the_system(form: Form, header: str) -> None:
    run = form.save("bert", {"id": GOLD["id"], header: GOLD["label"]})
    assert form.systems("--gold", form.save("gold", GOLD), run) == ["bert"]


@pytest.mark.parametrize("name", ["prediction", "output", "answer", "y_pred"])
def test_a_run_with_two_columns_of_labels_is_refused(form: Form, name: str) -> None:
    gold, run = form.save("gold", GOLD), form.save("bert", GOLD | {name: ["yes", "no", "no"]})
    parts = (f"both '{name}' and 'label'; expected one of them", f"--prediction-column {name}")
    form.metaeval.refuses_with(parts, *form.score(*SCALE, "--gold", gold, run))
    for option, column, accuracy in (("label", "label", 1), ("prediction", "label", 1), ("prediction", name, 0)):
        report = form.report(*SCALE, f"--{option}-column", column, "--gold", gold, run)
        assert report["tables"]["scores"] == [{"system": "bert", "accuracy": accuracy}]


def test_a_run_whose_gold_labels_are_others_is_refused(form: Form) -> None:
    gold = form.save("gold", GOLD)
    run = form.save("bert", {"id": ["c", "a", "b"], "gold": ["yes", "yes", "yes"], "label": ["yes", "no", "no"]})
    message = form.refusal("--gold", gold, run)
    assert "remove the column 'gold'" in message
    assert "a" in message
    run = form.save("bert", {"id": ["c", "a", "b"], "gold": ["yes", "no", ""], "label": ["yes", "no", "no"]})
    assert form.systems("--gold", gold, run) == ["bert"]


@pytest.mark.parametrize("name", ["Unnamed: 0", "Unnamed: 0.1", "unnamed: 0", "__index_level_0__", "", "\u200b"])
def test_columns_of_row_numbers_are_no_systems(form: Form, name: str) -> None:
    wide = form.save("wide", {name: ["0", "1", "2"], "id": GOLD["id"], "gold": GOLD["label"], "svm": GOLD["label"]})
    report = form.report(*SCALE, "--gold", wide)
    assert [row["system"] for row in report["tables"]["scores"]] == ["svm"]
    assert f"columns of row numbers are ignored: '{name}'" in report["notes"]


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_parquet_with_a_column_twice_is_refused(metaeval: CommandLine, tmp_path: Path, engine: str) -> None:
    path = tmp_path / "gold.parquet"
    pq.write_table(pa.table([GOLD["id"], GOLD["label"], GOLD["label"], GOLD["label"]], ["id", "gold", "s", "s"]), path)
    parts = ("gold.parquet: column 's' again; expected every column once",)
    metaeval.refuses_with(parts, "score", *SCALE, "--engine", engine, "--gold", path)


@pytest.mark.parametrize("name", ["Gold", "gold_label", "gold-label", "True_Label", "reference_label", "y_true"])
def test_gold_of_a_run_is_compared_with_gold_however_it_is_called(form: Form, name: str) -> None:
    gold = form.save("gold", GOLD)
    run = form.save("bert", {"id": GOLD["id"], name: ["yes", "no", "no"], "label": GOLD["label"]})
    assert f"remove the column '{name}'" in form.refusal("--gold", gold, run)
    wide = form.save("wide", {"id": GOLD["id"], name: GOLD["label"], "svm": GOLD["label"]})
    assert form.systems("--gold", wide) == ["svm"]
    both = form.save("both", {"id": GOLD["id"], "gold": GOLD["label"], f"{name}s": GOLD["label"], "svm": GOLD["label"]})
    if name.casefold().endswith("label"):
        message = form.refusal("--gold", both)
        assert f"both 'gold' and '{name}s'; expected one of them" in message


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
def test_columns_that_differ_in_case_alone_are_refused_in_the_same_words(form: Form, table: Columns, pair: str) -> None:
    gold = form.save("gold", table)
    runs = [form.save("bert", table)] if "label" in table else []
    message = form.refusal("--gold", gold, *runs)
    assert f"both {pair}; expected one of them" in message
    assert "What to do: rename or remove one of them" in message


def test_columns_that_are_not_read_may_differ_in_case_alone(form: Form) -> None:
    gold = form.save("gold", GOLD | {"Note": ["x", "y", "z"], "note": ["x", "y", "z"]})
    run = form.save("bert", GOLD | {"Note": ["x", "y", "z"], "note": ["x", "y", "z"]})
    assert form.systems("--gold", gold, run) == ["bert"]


def test_beside_predictions_no_other_column_is_a_system(form: Form) -> None:
    gold = form.save("gold", GOLD)
    run = form.save("both", {"id": GOLD["id"], "prediction": GOLD["label"], "svm": GOLD["label"]})
    report = form.report(*SCALE, "--gold", gold, run)
    assert [row["system"] for row in report["tables"]["scores"]] == ["both"]
    assert "not read: svm" in report["notes"]


@pytest.mark.parametrize("option", ["--label-column", "--id-column", "--cluster", "--group"])
def test_an_empty_name_of_a_column_is_refused(metaeval: CommandLine, write: Write, option: str) -> None:
    gold = write("gold.csv", "id,label\na,no\nb,yes\n")
    parts = (f"{option} ''; expected a name", f"leave out {option} ''")
    metaeval.refuses_with(parts, "score", *SCALE, "--gold", gold, f"me={gold}", option, "")


@pytest.mark.parametrize(
    ("labels", "note"),
    [
        (["A", "a", "b"], "'A' and 'a' differ only in case"),
        (["a", "b", "nan"], "does 'nan' stand for a missing label?"),
        (["None", "a", "null"], "does 'None', 'null' stand for a missing label?"),
        (["#N/A", "-", "?"], "does '#N/A', '-', '?' stand for a missing label?"),
        (["b", "cafe\u0301", "caf\u00e9"], r"'cafe\u0301' and 'café' differ only in"),
        (["b", "a", "a\u200b"], "differ only in"),
    ],
)
@pytest.mark.parametrize("declared", [True, False])
def test_classes_that_may_be_one_or_none_are_told(form: Form, labels: list[str], note: str, declared: bool) -> None:
    gold = form.save("gold", {"id": ["1", "2", "3"], "gold": labels, "s": labels})
    classes = ("--labels", ",".join(labels)) if declared else ()
    assert note in " ".join(form.report(*classes, "--gold", gold)["notes"])
    none = form.save("none", {"id": ["1", "2", "3"], "gold": ["NONE", "a", "b"], "s": ["NONE", "a", "b"]})
    assert "stand for" not in " ".join(form.report("--gold", none)["notes"])


def test_labels_are_replaced_in_every_file(form: Form) -> None:
    ids, labels = ["1", "2", "3", "4"], ["Right", "L", "Right", "L"]
    gold = form.save("gold", {"id": ids, "gold": labels, "s": ["R", "Left", "L", "R"]})
    run = form.save("run", {"id": ids, "label": ["Right", "Left", "R", "L"]})
    words = ("--labels", "L<R", "--map-labels", "Right=R,Left=L", "-m", "accuracy")
    assert form.report("--gold", gold, *words)["tables"]["scores"] == [{"system": "s", "accuracy": 0.5}]
    assert form.report("--gold", gold, run, *words)["tables"]["scores"] == [{"system": "run", "accuracy": 1.0}]
    report = form.report("--gold", gold, run, *words[2:])
    assert "|scale:L,R|" in report["signature"]
    message = form.metaeval.refuses(*form.score("--gold", gold, run, "--map-labels", "Rigth=R"))
    assert "label in --map-labels 'Rigth'; expected one of L, Left, R, Right" in message
    assert "did you mean 'Right'?" in message
