"""Names of rows in limited space, and the numbers of a column, for charts of a table."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from rich.cells import cell_len, set_cell_size

from metaeval.model.report import Cell, Kind, Table
from metaeval.render.cells import format_cell

MAX_SHARE = 0.45
"""Share of the width for names of rows."""

MIN_WIDTH = 6
"""Cells for a name in very little space."""

GAP = " "
ELLIPSIS = "…"


def finite_numbers(table: Table, place: int) -> list[float | None]:
    """The numbers of a column; None for cells that are no finite number."""
    return [finite_number(row[place]) for row in table.rows]


def finite_number(cell: Cell) -> float | None:
    """The cell as a finite number, or None."""
    if isinstance(cell, bool) or not isinstance(cell, int | float) or not math.isfinite(cell):
        return None
    return float(cell)


@dataclass(frozen=True)
class RowNames:
    """Names of rows, all of the same width.

    texts: one for each row; parts that equal those of the row above are blank. common: parts that are the same in all
    rows, as 'level: system'.
    """

    texts: tuple[str, ...]
    width: int
    common: tuple[str, ...] = ()


def row_names(table: Table, before: int, *, room: int) -> RowNames:
    """The names of the rows of a table: its texts and counts before a column, those that change least first.

    room: width available; longer names are shortened in the middle, because measures differ at their ends.
    """
    columns = [place for place, column in enumerate(table.columns[:before]) if column.kind in (Kind.TEXT, Kind.COUNT)]
    texts = {
        place: [format_cell(row[place], table.columns[place].kind, digits=0) for row in table.rows] for place in columns
    }
    varying = [place for place in columns if len(set(texts[place])) > 1] or columns[:1]
    varying.sort(key=lambda place: sum(one != other for one, other in pairwise(texts[place])))
    common = tuple(f"{table.columns[place].name}: {texts[place][0]}" for place in columns if place not in varying)
    widths = _widths([max(map(cell_len, texts[place])) for place in varying], room - len(GAP) * (len(varying) - 1))
    names = list(zip(*(texts[place] for place in varying), strict=True))
    lines = tuple(_line(name, above, widths) for name, above in zip(names, [None, *names], strict=False))
    return RowNames(lines, max(map(cell_len, lines)), common)


def _line(name: Sequence[str], above: Sequence[str] | None, widths: Sequence[int]) -> str:
    shared = 0
    while above is not None and shared < len(name) - 1 and name[shared] == above[shared]:
        shared += 1
    shown = [""] * shared + list(name[shared:])
    return GAP.join(set_cell_size(shorten(text, width), width) for text, width in zip(shown, widths, strict=True))


def _widths(natural: Sequence[int], room: int) -> list[int]:
    """The natural widths, limited to the largest common maximum with which all fit."""
    limit = max(natural)
    while limit > MIN_WIDTH and sum(min(width, limit) for width in natural) > room:
        limit -= 1
    return [min(width, limit) for width in natural]


def shorten(text: str, width: int) -> str:
    """The text in at most `width` cells, with an ellipsis in place of its middle if it is longer.

    >>> shorten("r4c-rouge:level=full,stat=recall", 20)
    'r4c-rouge:…at=recall'
    """
    if cell_len(text) <= width:
        return text
    tail = (width - 1) // 2
    head = set_cell_size(text, width - 1 - tail).rstrip()
    return head + ELLIPSIS + set_cell_size(text[::-1], tail)[::-1].lstrip()
