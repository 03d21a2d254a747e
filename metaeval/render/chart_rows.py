"""What a chart takes from the rows of a table: their names, in the room there is, and the numbers of a column."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from rich.cells import cell_len, set_cell_size

from metaeval.model.report import Cell, Kind, Table
from metaeval.render.cells import format_cell

SHARE = 0.45
"""Of the width, for names of rows at most."""

NARROWEST = 6
"""Cells that a name gets where there is hardly any room."""

GAP = " "
ELLIPSIS = "…"


def numbers_of(table: Table, place: int) -> list[float | None]:
    """The numbers of a column; None where there is none, or none that can be drawn."""
    return [_number(row[place]) for row in table.rows]


def _number(cell: Cell) -> float | None:
    if isinstance(cell, bool) or not isinstance(cell, int | float):
        return None
    return float(cell) if math.isfinite(cell) else None


@dataclass(frozen=True)
class RowNames:
    """Names of rows, all equally wide.

    texts: one a row; what a row shares with the one above is left out. common: what all rows share, as 'level: system'.
    """

    texts: tuple[str, ...]
    width: int
    common: tuple[str, ...] = ()


def row_names(table: Table, before: int, *, room: int) -> RowNames:
    """The names of the rows of a table: its words and counts before a column, those that change least first.

    room: cells that they may take; longer names lose their middle, as measures differ at their ends.
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
    return GAP.join(set_cell_size(shortened(text, width), width) for text, width in zip(shown, widths, strict=True))


def _widths(wanted: Sequence[int], room: int) -> list[int]:
    """The widths wanted, the widest of them cut to one limit until all fit."""
    limit = max(wanted)
    while limit > NARROWEST and sum(min(width, limit) for width in wanted) > room:
        limit -= 1
    return [min(width, limit) for width in wanted]


def shortened(text: str, width: int) -> str:
    """The text in at most `width` cells, without its middle where it is longer.

    >>> shortened("r4c-rouge:level=full,stat=recall", 20)
    'r4c-rouge:…at=recall'
    """
    if cell_len(text) <= width:
        return text
    tail = (width - 1) // 2
    head = set_cell_size(text, width - 1 - tail).rstrip()
    return head + ELLIPSIS + set_cell_size(text[::-1], tail)[::-1].lstrip()
