"""A table is the same whichever program wrote it, for every reader; what may be two tables is refused."""

from __future__ import annotations

import csv
import gzip
import io
import json
import re
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Literal

import pandas
import pytest
from command_line import CommandLine, Write, refusal
from faults.readers import LABELS, Reader, readers

from metaeval.config.data import ENGINES
from metaeval.errors import InputError
from metaeval.io.files.delimited import read_rows
from metaeval.io.files.source import QUOTINGS, Source

Cells = list[list[str]]

TABLES = {
    name: reader
    for name, reader in readers().items()
    if reader.broken.endswith((".csv", ".tsv")) and name not in ("bare", "lexicon")
}


def cells_of(reader: Reader) -> Cells:
    text = reader.files[reader.broken].decode()
    return list(csv.reader(io.StringIO(text), delimiter="\t" if reader.broken.endswith(".tsv") else ","))


def written(rows: Cells, delimiter: str = ",", quoting: Literal[0, 1] = 0) -> str:
    text = io.StringIO()
    csv.writer(text, delimiter=delimiter, lineterminator="\n", quoting=quoting).writerows(rows)
    return text.getvalue()


def laid_out(write: Write, name: str) -> Reader:
    """A reader, whose files are there."""
    for path, content in TABLES[name].files.items():
        write(path, content)
    return TABLES[name]


def objects(rows: Cells) -> list[dict[str, str]]:
    return [dict(zip(rows[0], row, strict=True)) for row in rows[1:]]


OTHERWISE: dict[str, Callable[[Cells], str | bytes]] = {
    "semicolons": lambda rows: written(rows, ";"),
    "bars": lambda rows: written(rows, "|"),
    "decimal commas": lambda rows: written([rows[0], *([x.replace(".", ",") for x in row] for row in rows[1:])], ";"),
    "quotes": lambda rows: written(rows, quoting=csv.QUOTE_ALL),
    "tabs": lambda rows: written(rows, "\t", csv.QUOTE_ALL),
    "byte order marks": lambda rows: "\ufeff\ufeff" + written(rows).replace("\n", "\n\ufeff"),
    "trailing cells of Excel": lambda rows: written([[*row, "", ""] for row in [*rows, [""] * len(rows[0])]]),
    "trailing cells of some rows": lambda rows: written([rows[0], [*rows[1], "", ""], *rows[2:]]),
    "CR": lambda rows: written(rows).replace("\n", "\r"),
    "CRLF, no last line end": lambda rows: written(rows).replace("\n", "\r\n").rstrip(),
    "gzip": lambda rows: gzip.compress(written(rows).encode()),
    "blanks": lambda rows: written([[f" {cell} " for cell in row] for row in rows]),
    "blank lines": lambda rows: "  \n" + written(rows).replace("\n", "\n \n") + "\t\n\x1a",
    "a list": lambda rows: json.dumps(objects(rows), indent=1),
    "an object": lambda rows: json.dumps({str(row): cells for row, cells in enumerate(objects(rows))}),
}
WITHOUT_JSON = {"fnc1", "fnc1 gold", "weightings"}
WITHOUT_PARQUET = {"fnc1", "fnc1 gold", "weightings"}
OF_TEXTS = {"texts in csv", "contrasts of texts"}


@pytest.mark.parametrize("form", OTHERWISE)
@pytest.mark.parametrize("name", TABLES)
def test_every_reader_reads_a_table_however_it_is_written(
    metaeval: CommandLine, write: Write, name: str, form: str
) -> None:
    reader = TABLES[name]
    is_tsv = reader.broken.endswith(".tsv") and form not in ("tabs", "a list", "an object")
    if is_tsv or (name in WITHOUT_JSON and form.startswith("a")) or (name in OF_TEXTS and form == "decimal commas"):
        pytest.skip("has no such form")
    laid_out(write, name)
    command = (*reader.command, "-f", "csv", "-q")
    expected = metaeval.succeeds(*command).out
    write(reader.broken, OTHERWISE[form](cells_of(reader)))
    assert metaeval.succeeds(*command).out == expected


RAW = 'id\ttext\tlabel\n1\t"He left", she said\tx\n2\t"open\ty\n3\tquo"te"\tx\n4\t"so"\ty\n'
SPANNING = 'id\ttext\tlabel\n1\t"two\nlines"\tx\n2\t"a\ttab"\ty\n3\tso\tx\n'
EITHER = 'id\ttext\tlabel\n1\t"Great\tx\n2\tthey said"\ty\n3\tok\tx\n'


def texts_of(text: str, quoting: str = "", name: str = "a.tsv") -> list[list[str]]:
    rows = read_rows(Source(name, "run", text.encode(), "", quoting=quoting))
    return [list(row) for row in zip(*rows.columns.values(), strict=True)]


def test_a_quote_in_tsv_never_swallows_a_row_or_a_tab() -> None:
    texts = [row[1] for row in texts_of(RAW)]
    assert texts == ['"He left", she said', '"open', 'quo"te"', "so"]
    assert [row[1] for row in texts_of(RAW, "none")][3] == '"so"'
    assert texts_of('id\tlabel\n1\t"say ""so"""\n2\t"""\n') == [["1", 'say "so"'], ["2", '"""']]
    assert texts_of('id,label\n1,"a"\n', "none", "a.csv") == [["1", '"a"']]
    assert texts_of('id\t"label"\n1\t"a\n') == [["1", '"a']]


def test_tsv_that_a_writer_of_csv_wrote_is_read_by_its_rule() -> None:
    assert [row[1] for row in texts_of(SPANNING)] == ["two\nlines", "a\ttab", "so"]
    assert refusal(texts_of, EITHER) == (
        "a.tsv:2: lines 2 to 3 are one row if quotes enclose cells, and a row each if they are characters; "
        "expected one of both\n"
        "What to do: set quoting='none' if quotes are characters, or quoting='csv' if they enclose cells."
    )
    assert [len(texts_of(EITHER, quoting)) for quoting in QUOTINGS] == [3, 2]


@pytest.mark.parametrize(("text", "hint"), [
    ("id\tlabel\n1\ta\n2\tb\tc\n", "separate the cells of every row by tabs, and write no tabs in cells"),
    ('id\tlabel\n1\t"a\n2\tb\tc\n', "for cells with tabs in quotes set quoting='csv'"),
    ('id,label\n1,"a\n', "if quotes are characters, set quoting='none'"),
    ('id,label\n1,"a\n2,b,c\n', 'write cells with commas, quotes or line breaks in "…", with quotes in them doubled.'),
])  # fmt: skip
def test_the_remedy_for_quotes_and_ragged_rows_is_that_of_the_format(text: str, hint: str) -> None:
    with pytest.raises(InputError, match=re.escape(hint)):
        texts_of(text, name="a.csv")


@pytest.mark.parametrize("command", ["score", "validate", "agreement", "preferences", "correct", "contrast"])
def test_quoting_reaches_every_command(metaeval: CommandLine, write: Write, command: str) -> None:
    path = write("a.tsv", EITHER)
    files = ("--gold", path) if command in ("score", "validate") else (path,)
    assert "set --quoting none if quotes are characters" in metaeval.refuses(command, *files)
    for quoting in QUOTINGS:
        outcome = metaeval(command, *files, "--quoting", quoting)
        assert "quotes" not in outcome.err


@pytest.mark.parametrize("separator", [";", "|"])
@pytest.mark.parametrize("name", TABLES)
def test_every_reader_refuses_a_delimiter_that_cannot_be_told(
    metaeval: CommandLine, write: Write, name: str, separator: str
) -> None:
    reader = laid_out(write, name)
    lines = written(cells_of(reader), separator).splitlines()
    write(reader.broken, "\n".join(["", *lines[:-1], f"{lines[-1]}{separator}more"]))
    message = metaeval.refuses(*reader.command)
    assert f"{reader.broken}:2: header '{lines[0]}', where '{separator}' seems to be the delimiter" in message


PERCENTS = {
    "table": "system,item,m,n\na,1,50 %,1\na,2,5%,2\n",
    "judged": "system,item,judge,human\na,1,50 %,1\na,2,5%,2\n",
    "numbers": "id,score\n1,50%\n2,1\n3,1\n4,1\n5,1\n",
    "weightings": "weights,no,yes,maybe\none,50%,25%,25%\n",
    "distributions": "item,no,yes,maybe\n1,50%,50%,0%\n2,100%,0%,0%\n3,50%,25%,25%\n",
    "verdicts": "item,left,right,winner,m-left,m-right\n1,A,B,left,20%,1%\n",
    "contrasts of scores": "item\tphenomena\tm-good\tm-bad\n1\ta\t5%\t1%\n",
}


@pytest.mark.parametrize("name", PERCENTS)
def test_every_reader_of_numbers_refuses_percent_signs(metaeval: CommandLine, write: Write, name: str) -> None:
    reader = readers()[name]
    for path, content in {**reader.files, reader.broken: PERCENTS[name].encode()}.items():
        write(path, content)
    assert "write numbers without a percent sign, as in 0.75 for 75 %" in metaeval.refuses(*reader.command)


def test_commas_that_may_be_between_thousands_are_no_decimal_commas(metaeval: CommandLine, write: Write) -> None:
    path = write("t.csv", "system;item;m;n\na;1;1,000;1\na;2;2;2\n")
    message = metaeval.refuses("score", "--task", "table", path)
    assert "write decimals with a point, as in 0.75, and no sign between thousands" in message


def test_words_for_missing_values_are_no_names_of_several_rows(metaeval: CommandLine, write: Write) -> None:
    table = write("t.csv", "system,item,m\nNA,1,1\nNA,2,2\nb,1,1\nb,2,3\n")
    assert "value of 'system' 'NA' in several rows" in metaeval.refuses("score", "--task", "table", table)
    gold = "id,gold,a,b,topic\n1,x,x,y,None\n2,y,x,y,None\n3,x,x,x,t\n4,y,y,y,None\n"
    command = ("compare", "-m", "accuracy", "--cluster", "topic", "--gold")
    parts = ("value of 'topic' 'None' in several rows, but it is a word for a missing value",)
    metaeval.refuses_with(parts, *command, write("g.csv", gold))
    pandas.read_csv("g.csv", keep_default_na=False).to_parquet("g.parquet")
    for engine in ENGINES:
        metaeval.refuses_with(parts, *command, "g.parquet", "--engine", engine)
    outcome = metaeval.succeeds("validate", "--gold", write("g.csv", "id,gold,a\nnull,x,x\n2,y,x\n"))
    assert "Note: g.csv: id 'null' is a word for a missing value" in outcome.err


@pytest.mark.parametrize("engine", ENGINES)
def test_the_index_of_a_data_frame_is_no_system(
    metaeval: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, engine: str
) -> None:
    monkeypatch.chdir(tmp_path)
    frame = pandas.DataFrame({"id": list("xyz"), "gold": list("abb"), "s": list("aba"), "t": list("bbb")})
    for index in ("id", "t", None):
        (frame.set_index(index) if index else frame.drop(columns="t").iloc[[2, 0, 1]]).to_parquet("f.parquet")
        columns = ("--id-column", "id", "--engine", engine, "-m", "accuracy", "-f", "csv")
        systems = metaeval.succeeds("score", "--gold", "f.parquet", *columns).column("accuracy")
        assert list(systems) == (["s", "t"] if index == "id" else ["s"])


def test_nan_in_json_is_missing(metaeval: CommandLine, write: Write) -> None:
    rows = [{"id": number, "label": number % 2} for number in range(4)]
    gold = write("g.json", json.dumps(rows))
    run = write("r.json", json.dumps([{**rows[0], "label": float("nan")}, *rows[1:]]))
    assert "r.json:1: no gold label" in metaeval.refuses("score", "--gold", run, gold)
    assert "r.json:1: no prediction for id '0'" in metaeval.refuses("score", "--gold", gold, run)
    nameless = write("n.json", json.dumps([{**rows[0], "id": float("nan")}, *rows[1:]]))
    assert "n.json:1: no id" in metaeval.refuses("score", "--gold", gold, nameless)
    table = write("t.json", '[{"system": "a", "item": 1, "m": NaN},\n {"system": "a", "item": 2, "m": 1}]')
    assert "t.json:1: no score for m/a/1" in metaeval.refuses("score", "--task", "table", table)
    marked = write("m.json", json.dumps([{"\ufeffid": row["id"], "label": row["label"]} for row in rows]))
    assert metaeval.succeeds("score", "--gold", gold, marked, "-m", "accuracy", "-f", "csv").column("accuracy") == {
        "m": 1.0
    }


def number(text: str) -> str | float:
    try:
        return float(text)
    except ValueError:
        return text


@pytest.mark.parametrize("name", [name for name in TABLES if name not in OF_TEXTS])
def test_every_reader_reads_archives_and_the_first_sheet_with_cells_of_workbooks(
    metaeval: CommandLine, write: Write, name: str
) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    reader = laid_out(write, name)
    workbook = openpyxl.Workbook()
    data, legend = workbook.create_sheet("Data"), workbook.create_sheet("Legend")
    for row in cells_of(reader):
        data.append([*map(number, row), None])
    legend.append(["what labels mean"])
    workbook.create_sheet("Empty")
    stem = reader.broken.rpartition(".")[0]
    workbook.save(f"{stem}.xlsx")
    with zipfile.ZipFile(f"{stem}.zip", "w") as archive:
        archive.write(reader.broken, f"sub/{reader.broken}")
        archive.writestr("__MACOSX/._x", b"\0")
    plain, workbook_report, archive_report = (
        metaeval.report(*(f"{stem}{suffix}" if word == reader.broken else word for word in reader.command))
        for suffix in (reader.broken.removeprefix(stem), ".xlsx", ".zip")
    )
    assert workbook_report["tables"] == archive_report["tables"] == plain["tables"]
    assert f"{stem}.xlsx: sheet 'Data' is read, and not 'Legend'" in workbook_report["notes"]


@pytest.mark.parametrize("name", [name for name in TABLES if name not in (*OF_TEXTS, *WITHOUT_PARQUET)])
def test_byte_order_marks_in_parquet_are_not_read(metaeval: CommandLine, write: Write, name: str) -> None:
    parquet, arrow = pytest.importorskip("pyarrow.parquet"), pytest.importorskip("pyarrow")
    reader = laid_out(write, name)
    header, *rows = cells_of(reader)
    path, tables = f"{reader.broken.rpartition('.')[0]}.parquet", []
    for mark in ("", "\ufeff"):
        columns = {
            f"{mark}{name}": [int(cell) if cell.isdecimal() else number(cell) for cell in cells]
            for name, *cells in zip(header, *rows, strict=True)
        }
        for cells in columns.values():
            if any(isinstance(cell, str) for cell in cells):
                cells[:] = [f"{mark}{cell}" for cell in cells]
        parquet.write_table(arrow.table(columns), path)
        tables.append(metaeval.report(*(path if word == reader.broken else word for word in reader.command))["tables"])
    assert tables[0] == tables[1]


def test_what_is_no_workbook_and_no_archive_by_its_name_is_refused(metaeval: CommandLine, write: Write) -> None:
    gold = write("gold.csv", LABELS)
    stored = io.BytesIO()
    with zipfile.ZipFile(stored, "w") as archive:
        archive.writestr("a.csv", LABELS)
        archive.writestr("b.csv", LABELS)
    parts = {
        "run.xlsx": "run.xlsx: Excel workbook cannot be read",
        "run.csv": "run.csv: text cannot be read (it is a ZIP archive or a document of an office program)",
    }
    for name, part in parts.items():
        assert part in metaeval.refuses("score", "--gold", gold, write(name, stored.getvalue()))
    assert "it is a PDF document" in metaeval.refuses("score", "--gold", gold, write("run.txt", b"%PDF-1.4\n"))
    message = metaeval.refuses("score", "--task", "fnc1", "--gold", write("gold.parquet", b"PAR1"), gold)
    assert "it is a Parquet file" in message
    assert "save the table as CSV" in message
