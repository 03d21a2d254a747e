"""Data formats in full precision: the whole report as JSON, one table as CSV or TSV.

The main table as CSV and TSV in full precision, without a signature, which would break parsers.

A float is written as the shortest text that is parsed as the same float; an undefined value is an empty cell.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Iterator, Mapping
from io import StringIO
from typing import Any

from metaeval.model.report import Report, Table
from metaeval.render.cells import Style, data_cell, spreadsheet_cell

_UNSEEN = re.compile("[\x7f-\x9f\u2028-\u202e\u2066-\u2069]")


def json_text(report: Report, _style: Style) -> str:
    """`Report.to_dict` as JSON: command, signature, findings, tables, notes, provenance, layout.

    Each row is on a line of its own, so that `diff` and `grep` show whole rows.
    """
    # The layout of a table is one line, because few readers need it.
    writers: dict[str, Callable[[Any], str]] = {"tables": _rows, "layout": _dumps}
    members = {
        key: _object({name: writers[key](member) for name, member in value.items()}, "  ")
        if key in writers
        # Newlines in strings are escaped, so every newline here separates members.
        else _dumps(value, indent=2).replace("\n", "\n  ")
        for key, value in report.to_dict().items()
    }
    return _object(members, "") + "\n"


def _object(members: Mapping[str, str], margin: str) -> str:
    """An object with one member on each line; the values are JSON."""
    lines = [f"{margin}  {_dumps(name)}: {text}" for name, text in members.items()]
    return "{\n" + ",\n".join(lines) + f"\n{margin}}}" if lines else "{}"


def _rows(rows: list[dict[str, Any]]) -> str:
    return "[\n" + ",\n".join(f"      {_dumps(row)}" for row in rows) + "\n    ]" if rows else "[]"


def _dumps(value: object, *, indent: int | None = None) -> str:
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, indent=indent)
    # Characters that control a terminal and that `json` leaves as they are.
    return _UNSEEN.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


TAB_ESCAPES = str.maketrans({"\\": r"\\", "\t": r"\t", "\n": r"\n", "\r": r"\r"})


def comma_separated(report: Report, style: Style) -> str:
    """The main table as CSV."""
    return "".join(comma_separated_lines(report.main, safe=style.safe_csv))


def comma_separated_lines(table: Table, *, safe: bool = False) -> Iterator[str]:
    """CSV with quotes as in RFC 4180 and lines that end in a newline, one line at a time.

    safe: whether cells are those of `spreadsheet_cell`.
    """
    line = StringIO(newline="")
    # Python 3.11 quotes a carriage return only if the line terminator contains one.
    writer = csv.writer(line, lineterminator="\r\n")
    for row in _grid(table, safe=safe):
        writer.writerow(row)
        yield line.getvalue().removesuffix("\r\n") + "\n"
        line.seek(0)
        line.truncate()


def tab_separated(report: Report, style: Style) -> str:
    """The main table as TSV."""
    return "".join(tab_separated_lines(report.main, safe=style.safe_csv))


def tab_separated_lines(table: Table, *, safe: bool = False) -> Iterator[str]:
    r"""TSV without quotes, for `cut`, `awk` and `sort`: special characters in cells are `\t`, `\n`, `\r` and `\\`."""
    for row in _grid(table, safe=safe):
        yield "\t".join(cell.translate(TAB_ESCAPES) for cell in row) + "\n"


def _grid(table: Table, *, safe: bool) -> Iterator[list[str]]:
    """The header and the rows."""
    to_text = spreadsheet_cell if safe else data_cell
    yield [to_text(column.name) for column in table.columns]
    for row in table.rows:
        yield [to_text(cell) for cell in row]
