"""The report as charts of text: heat maps, bars, and intervals.

The kind of chart follows from the kinds of the columns and from column names that mean the same in every table ('low',
'mean'): a matrix of comparable numbers is a heat map, other tables with numbers are bars, tables of texts stay tables.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from metaeval.model.report import Kind, Report, Table
from metaeval.render.bars import Quantity, bars
from metaeval.render.cells import Style, shown_columns
from metaeval.render.heat_map import heat_map
from metaeval.render.terminal import BOLD, Line, count_naming, paint, prose, table_lines, terminal

WIDTH = 80
"""Width of a chart if there is no terminal."""

CENTRES = ("mean", "value")
"""Columns that summarise their row."""

ENDS = ("low", "high")
"""The ends of an interval: of the first drawn column, or of NAME as 'NAME_low'."""

SPREAD = "sd"
"""A score whose unit differs from that of the numbers beside it."""


def chart(report: Report, style: Style) -> str:
    """Charts of the tables that a terminal shows, then findings, notes and the signature, as after tables."""
    style = style if style.width is not None else replace(style, width=WIDTH)
    details = tuple(table for table in report.tables if table.detail)
    shown = (table for table in report.tables if not table.detail)
    blocks = ["".join(paint(line, style) for line in _lines(table, style)) for table in shown]
    return "\n".join([*blocks, terminal(replace(report, tables=details), style)])


def _lines(table: Table, style: Style) -> Iterator[Line]:
    quantities = _quantities(table)
    if not table.rows or not quantities:
        yield from table_lines(table, style)
        return
    yield from prose(table.title, style, look=BOLD)
    if _is_matrix(table):
        yield from heat_map(table, [quantity.place for quantity in quantities], style)
        return
    for quantity in quantities:
        yield from bars(table, quantity, style, named_before=quantities[0].place)


def _is_matrix(table: Table) -> bool:
    """Whether the numbers are comparable: scores with bands, or several numbers in each row without intervals."""
    if any(column.bands for column in table.columns):
        return True
    has_one_name = count_naming(shown_columns(table, digits=0)) == 1
    return has_one_name and len(_numeric(table)) > 1 and not any(_is_spread(column.name) for column in table.columns)


def _quantities(table: Table) -> list[Quantity]:
    """The columns to draw: all numbers of a matrix; else the summary of a row, or each score that is no interval."""
    numeric = _numeric(table)
    if _is_matrix(table):
        return [Quantity(place) for place in numeric]
    names = {table.columns[place].name: place for place in numeric}
    centres = [name for name in CENTRES if name in names][:1] or [name for name in names if not _is_spread(name)]
    return [_quantity(name, names, is_first=name == centres[0]) for name in centres]


def _quantity(name: str, names: dict[str, int], *, is_first: bool) -> Quantity:
    """A column with its interval; 'low' and 'high' are those of the first column."""
    for ends in (tuple(f"{name}_{end}" for end in ENDS), ENDS if is_first else ()):
        if ends and all(end in names for end in ends):
            return Quantity(names[name], *(names[end] for end in ends))
    return Quantity(names[name])


def _is_spread(name: str) -> bool:
    return name == SPREAD or name.endswith(ENDS)


def _numeric(table: Table) -> list[int]:
    """The places of scores; those of counts if there are no scores."""
    for kind in (Kind.SCORE, Kind.COUNT):
        places = [place for place, column in enumerate(table.columns) if column.kind is kind]
        if places:
            return places
    return []
