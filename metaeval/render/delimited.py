"""The main table as CSV and TSV in full precision, without a signature, which would break parsers.

A float is written as the shortest text that is parsed as the same float; an undefined value is an empty cell.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from io import StringIO

from metaeval.model.report import Report, Table
from metaeval.render.cells import Style, data_cell, spreadsheet_cell

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
    shown = spreadsheet_cell if safe else data_cell
    yield [shown(column.name) for column in table.columns]
    for row in table.rows:
        yield [shown(cell) for cell in row]
