"""A table of a report as HTML: a caption, headers that sort by a script, aligned cells."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import islice

from metaeval.model.report import Column, Kind, Table
from metaeval.render.cells import (
    LOWER,
    ShownCell,
    ShownColumn,
    Style,
    data_cell,
    folded,
    legend,
    rows_set_apart,
    shown_columns,
    spans,
    with_values,
)
from metaeval.render.html.markup import Markup, breakable, broken, element

ROWS_SHOWN = 15
"""Number of rows of a table that is not opened; as in page.css."""

MAX_ROWS = 300
"""Maximum number of rows of a detail table; the JSON contains all rows."""

HEADER_WIDTH = 14
"""Characters after which a header of numbers is broken, if possible."""

NAME_WIDTH = 18
"""Characters of the names of rows that stay on one line if space is limited."""

WIDE = 150
"""A table of more characters is printed in landscape."""

PHONE = 45
"""A table of more characters scrolls on a phone."""

GAP = 2
"""Characters between two columns."""

STRENGTHS = 3
"""Number of backgrounds for bands of values."""


def table_element(table: Table, style: Style) -> Markup:
    """The table in a box that scrolls if it is wide; of a long table the first rows, until it is opened."""
    table = with_values(table)
    is_complete = style.appendix or not table.detail or len(table.rows) <= MAX_ROWS
    shown = table if is_complete else _head(table)
    columns = shown_columns(shown, digits=style.digits)
    below = [legend(shown, columns, coloured=True)]
    if not is_complete:
        # The best of the first rows may not be the best of all rows.
        columns = tuple(
            replace(each, cells=tuple(replace(cell, best=False) for cell in each.cells)) for each in columns
        )
        below.append(f"The first {len(shown.rows):,} of {len(table.rows):,} rows; the JSON of this report contains all")
    grid = _table(shown, columns, sortable=is_complete and len(shown.rows) > 1)
    is_long = len(shown.rows) > ROWS_SHOWN and not style.appendix
    opener = element("details", element("summary", f"All {len(shown.rows):,} rows"), class_="rows") if is_long else ""
    remarks = (element("p", line, class_="legend") for line in below if line)
    return element("div", scroll_box(grid, table.title), opener, *remarks, class_="block")


def scroll_box(content: Markup, name: str) -> Markup:
    """A box that scrolls sideways if its content is wide, and can be scrolled with the keyboard."""
    return element("div", content, class_="scroll", role="region", aria_label=name, tabindex=0)


def _head(table: Table) -> Table:
    """The first rows of the table, and of the table beside it."""
    beside = _head(table.beside) if table.beside is not None else None
    return replace(table, rows=tuple(islice(table.rows, MAX_ROWS)), beside=beside)


def _table(table: Table, columns: Sequence[ShownColumn], *, sortable: bool) -> Markup:
    characters = sum(map(_width, columns))
    classes = [
        name
        for name, holds in (("sortable", sortable), ("broad", characters > PHONE), ("wide", characters > WIDE))
        if holds
    ]
    names = max((len(cell.value) for cell in columns[0].cells), default=0)
    widest = max((len(cell.beside) for column in columns for cell in column.cells), default=0)
    caption = element("caption", element("span", table.title))
    apart = rows_set_apart(table)
    headers = [_header(column, shown) for column, shown in zip(table.columns, columns, strict=True)]
    return element(
        "table",
        caption,
        element("thead", *_groups(columns), element("tr", *headers)),
        element("tbody", *(_row(table, columns, number, apart=apart[number]) for number in range(len(table.rows)))),
        id=f"table-{table.name}",
        class_=" ".join(classes) or None,
        # Short names are not broken, values before parentheses are aligned, and the font size in print follows from
        # the number of characters.
        style=f"--names:{min(names, NAME_WIDTH)}ch;--beside:{widest + 1}ch;--characters:{characters}",
    )


def _width(column: ShownColumn) -> int:
    """Minimum width of the column in characters, from its numbers and header."""
    header = max(map(len, folded(column.header, HEADER_WIDTH)))
    if column.kind is Kind.TEXT:
        return max(header, min(max((len(cell.value) for cell in column.cells), default=0), NAME_WIDTH)) + GAP
    return max(header, *(len(str(cell)) for cell in column.cells), 0) + GAP


def _groups(columns: Sequence[ShownColumn]) -> list[Markup]:
    """The row of headers above several columns, if there are any."""
    groups = spans(columns)
    cells = (
        element("th", broken(group, HEADER_WIDTH * count), scope="colgroup", colspan=count, class_="group")
        if group
        else element("td")
        for group, count in groups
    )
    return [element("tr", *cells)] if any(group for group, _ in groups) else []


def _header(column: Column, shown: ShownColumn) -> Markup:
    """A header cell; sorting starts with the best values, or alphabetically."""
    ascending = shown.kind is Kind.TEXT or column.higher_is_better is False
    header = shown.header
    if column.higher_is_better is False:
        # The arrow is not separated from the word after it.
        header = header.replace(f"{LOWER} ", f"{LOWER}\u00a0", 1)
    first = "ascending" if ascending else "descending"
    return element("th", broken(header, HEADER_WIDTH), scope="col", class_=shown.kind.value, data_first=first)


def _row(table: Table, columns: Sequence[ShownColumn], number: int, *, apart: bool) -> Markup:
    row = table.rows[number]
    cells = []
    for index, column in enumerate(columns):
        tag, scope = ("td", None) if index else ("th", "row")
        cell = column.cells[number]
        value = data_cell(row[index]) if column.kind is not Kind.TEXT else None
        # Names may be written from right to left.
        direction = "auto" if column.kind is Kind.TEXT else None
        band = "" if cell.band is None else f" band-{min(cell.band, STRENGTHS - 1)}"
        attributes = {"scope": scope, "class_": column.kind.value + band, "dir": direction, "data_value": value}
        cells.append(element(tag, *_content(cell), **attributes))
    return element("tr", *cells, class_="apart" if apart else None)


def _content(cell: ShownCell) -> list[str]:
    value = element("b", cell.value) if cell.best else breakable(cell.value)
    return [value, " ", element("span", f"({cell.beside})", class_="beside")] if cell.beside else [value]
