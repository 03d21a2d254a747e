"""A table of a report as HTML: a caption, headers that a script can sort by, cells that align."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import islice

from metaeval.model.report import Column, Kind, Table
from metaeval.render.cells import (
    LOWER,
    ShownCell,
    ShownColumn,
    data_cell,
    folded,
    legend,
    rows_set_apart,
    shown_columns,
)
from metaeval.render.html.markup import Markup, breakable, broken, element, joined

MAX_ROWS = 300
"""Rows of a detail table that the page shows; nobody scrolls further, and the JSON has them all."""

HEADER_WIDTH = 16
"""Characters after which a header of numbers is broken, where it can be."""

NAME_WIDTH = 18
"""Characters of the names of rows that stay on one line where there is little room."""

WIDE = 150
"""A table of more characters side by side is printed across the sheet."""

GAP = 2
"""Characters between two columns."""

STRENGTHS = 3
"""Backgrounds there are for bands of values."""


def table_element(table: Table, *, digits: int) -> Markup:
    """The table in a box of its own, in which a wide one scrolls; a detail table is closed until somebody opens it."""
    shown = _beginning(table) if table.detail else table
    columns = shown_columns(shown, digits=digits)
    whole = len(shown.rows) == len(table.rows)
    if not whole:
        # What is best among the first rows need not be the best.
        columns = tuple(
            replace(each, cells=tuple(replace(cell, best=False) for cell in each.cells)) for each in columns
        )
    below = [legend(shown, columns, coloured=True)]
    if not whole:
        below.append(f"The first {len(shown.rows):,} of {len(table.rows):,} rows; the JSON of this report has all")
    box = element(
        "div",
        _table(shown, columns, sortable=whole and len(shown.rows) > 1),
        class_="scroll",
        role="region",
        aria_label=table.title,
        tabindex=0,
    )
    content = joined([box, *(element("p", line, class_="legend") for line in below if line)])
    if table.detail:
        summary = element("summary", table.title, " ", element("small", f"{len(table.rows):,} rows"))
        return element("details", summary, content)
    return element("div", content, class_="block")


def _beginning(table: Table) -> Table:
    """The first rows of the table, and of what stands beside it."""
    beside = _beginning(table.beside) if table.beside is not None else None
    return replace(table, rows=tuple(islice(table.rows, MAX_ROWS)), beside=beside)


def _table(table: Table, columns: Sequence[ShownColumn], *, sortable: bool) -> Markup:
    characters = sum(map(_width, columns))
    classes = [*(["sortable"] if sortable else []), *(["wide"] if characters > WIDE else [])]
    names = max((len(cell.value) for cell in columns[0].cells), default=0)
    widest = max((len(cell.beside) for column in columns for cell in column.cells), default=0)
    caption = element("caption", element("span", table.title))
    apart = rows_set_apart(table)
    headers = [_header(column, shown) for column, shown in zip(table.columns, columns, strict=True)]
    return element(
        "table",
        caption,
        element("thead", element("tr", *headers)),
        element("tbody", *(_row(table, columns, number, apart=apart[number]) for number in range(len(table.rows)))),
        id=f"table-{table.name}",
        class_=" ".join(classes) or None,
        # Names stay whole where they are short, values before parentheses stand below one another, and letters are as
        # small on paper as the width of the sheet asks for.
        style=f"--names:{min(names, NAME_WIDTH)}ch;--beside:{widest + 1}ch;--characters:{characters}",
    )


def _width(column: ShownColumn) -> int:
    """Characters that the column takes where it is as narrow as its numbers and headers let it be."""
    header = max(map(len, folded(column.header, HEADER_WIDTH)))
    if column.kind is Kind.TEXT:
        return max(header, min(max((len(cell.value) for cell in column.cells), default=0), NAME_WIDTH)) + GAP
    return max(header, *(len(str(cell)) for cell in column.cells), 0) + GAP


def _header(column: Column, shown: ShownColumn) -> Markup:
    """A header cell; the script begins with the best values, or with the first letters."""
    ascending = shown.kind is Kind.TEXT or column.higher_is_better is False
    # An arrow stays with the word after it.
    header = (
        shown.header.replace(f"{LOWER} ", f"{LOWER}\u00a0", 1) if column.higher_is_better is False else shown.header
    )
    return element(
        "th",
        broken(header, HEADER_WIDTH),
        scope="col",
        class_=shown.kind.value,
        data_first="ascending" if ascending else "descending",
    )


def _row(table: Table, columns: Sequence[ShownColumn], number: int, *, apart: bool) -> Markup:
    row = table.rows[number]
    cells = []
    for place, column in enumerate(columns):
        tag, scope = ("td", None) if place else ("th", "row")
        cell = column.cells[number]
        value = data_cell(row[place]) if column.kind is not Kind.TEXT else None
        # Names may be written from right to left; that is no matter of the cells beside them.
        direction = "auto" if column.kind is Kind.TEXT else None
        cells.append(
            element(tag, *_content(cell), scope=scope, class_=_classes(cell, column), dir=direction, data_value=value)
        )
    return element("tr", *cells, class_="apart" if apart else None)


def _content(cell: ShownCell) -> list[str]:
    value = element("b", cell.value) if cell.best else breakable(cell.value)
    return [value, " ", element("span", f"({cell.beside})", class_="beside")] if cell.beside else [value]


def _classes(cell: ShownCell, column: ShownColumn) -> str:
    band = [] if cell.band is None else [f"band-{min(cell.band, STRENGTHS - 1)}"]
    return " ".join([column.kind.value, *band])
