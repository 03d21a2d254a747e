"""One table for spreadsheets and scripts: CSV and TSV at full precision.

A float is written as the shortest text that reads back as the same float; an undefined value is an empty cell.
Only the table is there: a signature line would break parsers (JSON carries it).
"""

from __future__ import annotations

import csv
from collections.abc import Iterator

from metaeval.model.report import Report, Table
from metaeval.render.cells import Style, data_cell

TAB_ESCAPES = str.maketrans({"\\": r"\\", "\t": r"\t", "\n": r"\n", "\r": r"\r"})


def comma_separated(report: Report, _style: Style) -> str:
    """The main table as CSV."""
    return "".join(comma_separated_lines(report.main))


def comma_separated_lines(table: Table) -> Iterator[str]:
    """CSV as RFC 4180 quotes it, with lines that end in a newline only; a line at a time, as tables may be long."""
    lines = _Lines()
    # Python 3.11 quotes a carriage return only if the line end holds one; readers would break the row there.
    writer = csv.writer(lines, lineterminator="\r\n")
    for row in _grid(table):
        writer.writerow(row)
        yield lines.pop().removesuffix("\r\n") + "\n"


def tab_separated(report: Report, _style: Style) -> str:
    """The main table as TSV."""
    return "".join(tab_separated_lines(report.main))


def tab_separated_lines(table: Table) -> Iterator[str]:
    r"""TSV without quotes: a tab, newline, carriage return or backslash in a cell is `\t`, `\n`, `\r`, `\\`.

    So a line is a row and a tab starts a cell, whatever the names: made for `cut`, `awk` and `sort`.
    """
    for row in _grid(table):
        yield "\t".join(cell.translate(TAB_ESCAPES) for cell in row) + "\n"


def _grid(table: Table) -> Iterator[list[str]]:
    """The header and the rows."""
    yield [column.name for column in table.columns]
    for row in table.rows:
        yield [data_cell(cell) for cell in row]


class _Lines(list[str]):
    """Takes what a csv writer writes, which is one row at a time."""

    def write(self, line: str) -> None:
        self.append(line)
