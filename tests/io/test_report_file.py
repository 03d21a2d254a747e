"""Reports are read back as they were written."""

import gzip
import io
import json
import math
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from command_line import CommandLine, refusal
from hypothesis import given, settings
from hypothesis import strategies as st

from metaeval.cli.folder import write_tables
from metaeval.errors import InputError
from metaeval.io.report_file import read_report
from metaeval.model.report import Cell, Column, Finding, Kind, Note, Provenance, Report, SourceFile, Table
from metaeval.render import render

RANKS = Table("ranks", "Places", (Column("system"), Column("mae", Kind.COUNT)), (("svm", 1), ("rnn, ü", 2)))
SCORES = Table(
    "scores",
    "Two systems",
    (Column("system"), Column("mae", Kind.SCORE, higher_is_better=False, bands=(0.3, 0.6), head="error")),
    (("svm", 0.1 + 0.2), ("rnn, ü", math.nan)),
    beside=RANKS,
)
FLAGS = Table("flags", "Flags", (Column("trivial", Kind.FLAG),), ((True,), (None,)), detail=True)
ORIGIN = Provenance("0.1.0", "metaeval score", (SourceFile("gold.csv", "gold", "ab"),), {"numpy": "2"}, {"n": "2"})
REPORT = Report(
    "score", "metaeval:0.1.0", (SCORES, FLAGS), (Note("A note."),), ORIGIN, (Finding("scores", "svm wins."),)
)


def read_text(text: str | bytes, name: str = "report.json") -> Report:
    with TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return read_report(str(path))


def read_folder(report: Report) -> Report:
    with TemporaryDirectory() as folder:
        write_tables(folder, report)
        return read_report(folder)


def refused(document: Any) -> str:
    return refusal(read_text, document if isinstance(document, str) else json.dumps(document))


def changed(**members: Any) -> dict[str, Any]:
    return {**REPORT.to_dict(), **members}


def test_gzip_standard_input_nan_absent_flags_and_keys_of_a_later_version_are_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(render(REPORT, "json").encode())))
    assert read_report("-").to_dict() == REPORT.to_dict()
    report = read_text(render(REPORT, "json"))
    assert math.isnan(float(str(report.main.rows[1][1])))
    assert report.table("flags").rows == ((True,), (None,))
    assert read_text(gzip.compress(render(REPORT, "json").encode()), "report.json.gz").to_dict() == REPORT.to_dict()
    later = changed(colours={"a": [1]})
    later["layout"]["scores"]["columns"][0]["unit"] = "km"
    later["provenance"]["machine"] = "a"
    assert read_text(json.dumps(later)).to_dict() == REPORT.to_dict()


def one_column(rows: list[Any]) -> dict[str, Any]:
    """A document with a table of one column."""
    return {"tables": {"scores": rows}, "layout": {"scores": {"columns": [{"name": "a", "kind": "count"}]}}}


@pytest.mark.parametrize(
    ("document", "problem"),
    [
        ('{"command": "score",\n"tables": {]}', "report.json:2: JSON cannot be read"),
        ("system,mae\nsvm,1\n", "report.json:1: text 'system,mae'; expected a JSON object"),
        ("[1]", "text '[1]'; expected a JSON object"),
        ({"gold": 1, "runs": 2}, "keys 'gold', 'runs'; expected the key 'tables'"),
        (changed(tables={}), "table of a layout 'scores'"),
        ({"tables": {}}, "no table; expected at least one"),
        ({"tables": {"scores": [3]}}, "a number as row 1 of table 'scores'"),
        ({"tables": {"scores": 3}}, "a number as table 'scores'"),
        ({"tables": {"scores": [{"a": 1}]}}, "layout of table 'scores'"),
        (one_column([{"a": 1}, {"b": 1}]), "no 'a' in row 2 of table 'scores'"),
        (one_column([{"a": 1}, {"a": 1, "b": 1}]), "key 'b' in row 2 of table 'scores'"),
        (one_column([{"a": [1]}]), "a list in column 'a' of row 1 of table 'scores'"),
        ('{"tables": {"scores": [{"a": 1, "a": 2}]}}', "key 'a' again in row 1 of table 'scores'"),
        (changed(notes=[1]), "a number in 'notes'; expected a text"),
        (changed(provenance={"sources": {"nmd": {}}}), "an object as 'nmd'; expected a text"),
        (changed(notes="a"), "a text as 'notes'; expected a list"),
        (changed(findings=[1]), "a number in 'findings'; expected an object"),
        (changed(command=None), "null as 'command'; expected a text"),
        ({"tables": {"a": [{"b": "\ud800"}]}}, "half of a surrogate pair"),
        (changed(provenance={"settings": {"seed": math.nan}}), "number 'nan'; expected a finite number"),
        (changed(provenance={"settings": {"a": [-math.inf]}}), "number '-inf'; expected a finite number"),
    ],
)
def test_what_is_no_report_is_refused_with_what_is_wrong(document: Any, problem: str) -> None:
    message = refused(document)
    assert problem in message
    assert "What to do" in message


@pytest.mark.parametrize(
    ("table", "rows", "problem"),
    [
        ("scores", [{"system": "svm", "mae": "good"}], "'good' in column 'mae' of row 1 of table 'scores'"),
        ("scores", [{"system": "svm", "mae": True}], "a truth value in column 'mae'"),
        ("scores", [{"system": "svm"}], "no 'mae' in row 1 of table 'scores'"),
        ("flags", [{"trivial": 1}], "a number in column 'trivial' of row 1 of table 'flags'; expected true, false"),
    ],
)
def test_a_cell_that_does_not_fit_its_column_is_refused(table: str, rows: list[Any], problem: str) -> None:
    document = changed()
    document["tables"][table] = rows
    assert problem in refused(document)


@pytest.mark.parametrize(
    ("key", "value", "problem"),
    [
        ("kind", "colour", "kind of a column 'colour'"),
        ("bands", ["a"], "a text in 'bands'"),
        ("name", "mae", "column 'mae' again"),
        ("beside", "scores", "table 'scores' beside table 'scores'"),
        ("higher_is_better", 1, "a number as 'higher_is_better'; expected true or false"),
        ("columns", [], "no column in the layout of table 'scores'; expected at least one"),
    ],
)
def test_a_layout_that_makes_no_sense_is_refused(key: str, value: object, problem: str) -> None:
    document = changed()
    table = document["layout"]["scores"]
    (table if key in table else table["columns"][0])[key] = value
    assert problem in refused(document)


def test_a_folder_without_provenance_or_of_an_older_version_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no file provenance\.json"):
        read_report(str(tmp_path))
    (tmp_path / "provenance.json").write_text('{"command": "score"}')
    with pytest.raises(InputError, match=r"provenance\.json: keys 'command'; expected the key 'layout'"):
        read_report(str(tmp_path))
    with pytest.raises(InputError, match="no such file"):
        read_report("nowhere.json")


@pytest.mark.parametrize(
    ("name", "text", "error"),
    [
        ("ranks.csv", None, r"ranks\.csv: no such file; expected table 'ranks'"),
        ("ranks.csv", "system,auc\na,1\n", r"ranks\.csv:1: header 'system, auc'; expected system, mae"),
        ("ranks.csv", "", "no header"),
        (
            "ranks.csv",
            "system,mae\na,1\nb,two\n",
            r"ranks\.csv:3: value 'two' in column 'mae'; expected a finite number",
        ),
        ("ranks.csv", "system,mae\na\n", r"ranks\.csv:2: 1 cell; expected 2 \(system, mae\)"),
        ("ranks.csv", 'system,mae\n"a,1\n', "CSV cannot be read"),
        ("ranks.csv", b"system,mae\n\xff\xff,1\n", "text in UTF-8 cannot be read"),
        (
            "flags.csv",
            "trivial\nyes\n",
            r"flags\.csv:2: value 'yes' in column 'trivial'; expected true, false or an empty cell",
        ),
    ],
)
def test_a_folder_that_was_changed_is_refused(tmp_path: Path, name: str, text: str | bytes | None, error: str) -> None:
    write_tables(str(tmp_path), REPORT)
    (tmp_path / name).unlink()
    if text is not None:
        (tmp_path / name).write_bytes(text.encode() if isinstance(text, str) else text)
    with pytest.raises(InputError, match=error):
        read_report(str(tmp_path))


letters = st.characters(codec="utf-8")
texts = st.text(letters, max_size=8)
notes = (st.lists(texts, max_size=2) | texts.map(lambda note: [note, note])).map(lambda lines: tuple(map(Note, lines)))
numbers = st.floats() | st.integers()
CELLS = {
    Kind.TEXT: texts,
    Kind.SCORE: numbers,
    Kind.P: numbers,
    Kind.COUNT: st.integers() | st.just(math.nan),
    Kind.FLAG: st.booleans() | st.none(),
}


@st.composite
def tables(draw: st.DrawFn, name: str) -> Table:
    columns = tuple(
        Column(
            column,
            draw(st.sampled_from(Kind)),
            draw(st.none() | st.booleans()),
            tuple(draw(st.lists(st.floats(0, 1), max_size=2))),
            draw(texts),
        )
        for column in draw(st.lists(texts, min_size=1, max_size=4, unique=True))
    )
    rows: list[tuple[Cell, ...]] = draw(st.lists(st.tuples(*(CELLS[column.kind] for column in columns)), max_size=3))
    return Table(name, draw(texts), columns, tuple(rows), detail=draw(st.booleans()))


@st.composite
def reports(draw: st.DrawFn) -> Report:
    first, beside, second = (draw(tables(name)) for name in ("first", "beside", "second"))
    both = min(len(first.rows), len(beside.rows))
    first, beside = replace(first, rows=first.rows[:both]), replace(beside, rows=beside.rows[:both])
    return Report(
        draw(texts),
        draw(texts),
        (replace(first, beside=beside if draw(st.booleans()) else None), second),
        draw(notes),
        Provenance(
            "1", draw(texts), (SourceFile(draw(texts), "gold", "ab"),), {}, {draw(texts): draw(texts)}, {"a": 1}
        ),
        tuple(Finding(*fields) for fields in draw(st.lists(st.tuples(texts, texts), max_size=2))),
        notes_of=draw(st.dictionaries(texts, notes, max_size=2)),
    )


@settings(deadline=None)
@given(reports())
def test_any_report_comes_back_from_json_and_a_folder(report: Report) -> None:
    assert read_text(render(report, "json")).to_dict() == read_folder(report).to_dict() == report.to_dict()


@pytest.mark.parametrize("left", [0, 1])
def test_tables_beside_each_other_have_the_same_rows(metaeval: CommandLine, tmp_path: Path, left: int) -> None:
    path, document = tmp_path / "results.json", changed()
    for name in ("scores", "ranks"):
        path.write_text(
            json.dumps({**document, "tables": {**document["tables"], name: document["tables"][name][:left]}})
        )
        assert "beside which it is shown" in metaeval.refuses("report", path)
