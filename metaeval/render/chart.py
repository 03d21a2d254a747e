"""The report drawn in the letters of a terminal: heat maps, bars, and values between the ends of their intervals.

What a table becomes follows from the kinds of its columns and from names that mean the same in every table ('low',
'mean'), never from its own name: a matrix of like numbers is a heat map, anything else with a number a row of bars, and
a table of words stays a table.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from metaeval.model.report import Kind, Report, Table
from metaeval.render.bars import Quantity, bars
from metaeval.render.cells import Style, shown_columns
from metaeval.render.heat_map import heat_map
from metaeval.render.terminal import BOLD, Line, naming, painted, prose, table_lines, terminal

WIDTH = 80
"""Of a chart where no terminal says otherwise."""

CENTRES = ("mean", "value")
"""Columns that stand for all of their row."""

ENDS = ("low", "high")
"""The ends of an interval: of the column that stands for the row, or of NAME as 'NAME_low'."""

SPREAD = "sd"
"""A column of another unit than the numbers beside it, though it is a score."""


def chart(report: Report, style: Style) -> str:
    """Charts of the tables that a terminal shows, then findings, notes and the signature, as below tables."""
    style = style if style.width is not None else replace(style, width=WIDTH)
    drawn = [table for table in report.tables if not table.detail]
    details = tuple(table for table in report.tables if table.detail)
    blocks = ["".join(painted(line, style) for line in _drawn(table, style)) for table in drawn]
    return "\n".join([*blocks, terminal(replace(report, tables=details), style)])


def _drawn(table: Table, style: Style) -> Iterator[Line]:
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
    """Whether the numbers of a table are alike: banded scores, or several numbers a row with no interval to any."""
    if any(column.bands for column in table.columns):
        return True
    alone = naming(shown_columns(table, digits=0)) == 1
    return alone and len(_numbers(table)) > 1 and not any(_is_spread(column.name) for column in table.columns)


def _quantities(table: Table) -> list[Quantity]:
    """What to draw: every number of a matrix; else what stands for a row, or each score that is no end of another."""
    numbers = _numbers(table)
    if _is_matrix(table):
        return [Quantity(place) for place in numbers]
    names = {table.columns[place].name: place for place in numbers}
    centres = [name for name in CENTRES if name in names][:1] or [name for name in names if not _is_spread(name)]
    return [_quantity(name, names, is_first=name == centres[0]) for name in centres]


def _quantity(name: str, names: dict[str, int], *, is_first: bool) -> Quantity:
    """A column with its interval; 'low' and 'high' are those of the first."""
    for ends in (tuple(f"{name}_{end}" for end in ENDS), ENDS if is_first else ()):
        if ends and all(end in names for end in ends):
            return Quantity(names[name], *(names[end] for end in ends))
    return Quantity(names[name])


def _is_spread(name: str) -> bool:
    return name == SPREAD or name.endswith(ENDS)


def _numbers(table: Table) -> list[int]:
    """The places of scores; those of counts where there are no scores."""
    for kind in (Kind.SCORE, Kind.COUNT):
        places = [place for place, column in enumerate(table.columns) if column.kind is kind]
        if places:
            return places
    return []
