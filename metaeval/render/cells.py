"""What a cell says, whoever prints it: rounding, undefined values, the best of a column, safe names."""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from metaeval.errors import visible
from metaeval.model.report import Cell, Kind, Table

UNDEFINED = "—"
YES = "•"
LOWER = "↓"

SET_APART_BY = "trivial"
"""The flag column whose rows stand back: systems that no one would enter, there for comparison."""

BREAKS = ("[:,]", "=", "[-+_/ ]")
"""Where a header may break after a character, the best places first."""


@dataclass(frozen=True)
class Style:
    """How a reader wants tables to look; see `metaeval.render.render`."""

    digits: int = 4
    width: int | None = None
    colour: bool = False


@dataclass(frozen=True)
class ShownCell:
    """A cell as text: its value, and what stands beside it (or '').

    best: whether it is the best of its column. band: how many limits of its column's bands it reaches; None where the
    column has none, or the cell no value.
    """

    value: str
    beside: str = ""
    best: bool = False
    band: int | None = None

    def __str__(self) -> str:
        return f"{self.value} ({self.beside})" if self.beside else self.value


@dataclass(frozen=True)
class ShownColumn:
    """A column as text; its header says where lower is better."""

    header: str
    kind: Kind
    cells: tuple[ShownCell, ...]


def shown_columns(table: Table, *, digits: int) -> tuple[ShownColumn, ...]:
    """The table as people read it, column by column, with the values of `table.beside` in place."""
    return tuple(_shown_column(table, index, digits) for index in range(len(table.columns)))


def _shown_column(table: Table, index: int, digits: int) -> ShownColumn:
    column = table.columns[index]
    best = best_rows(table, index)
    beside = _beside(table, index, digits)
    cells = tuple(
        ShownCell(
            format_cell(row[index], column.kind, digits=digits),
            beside[number],
            number in best,
            _band(row[index], column.bands),
        )
        for number, row in enumerate(table.rows)
    )
    # In front, so that a header that is folded keeps it with a word.
    arrow = f"{LOWER} " if column.higher_is_better is False else ""
    return ShownColumn(arrow + visible(column.head or column.name), column.kind, cells)


def _band(cell: Cell, limits: Sequence[float]) -> int | None:
    return (
        bisect_right(limits, float(cell)) if limits and isinstance(cell, int | float) and not undefined(cell) else None
    )


def _beside(table: Table, index: int, digits: int) -> Sequence[str]:
    """What goes in parentheses into each row of a column; '' where nothing does.

    A column that both tables share, as the names of the rows, would only repeat itself.
    """
    nothing = [""] * len(table.rows)
    if table.beside is None:
        return nothing
    names = [column.name for column in table.beside.columns]
    if table.columns[index].name not in names:
        return nothing
    position = names.index(table.columns[index].name)
    kind = table.beside.columns[position].kind
    pairs = [(row[index], other[position]) for row, other in zip(table.rows, table.beside.rows, strict=True)]
    if kind is table.columns[index].kind and all(value == other for value, other in pairs):
        return nothing
    return ["" if undefined(other) else format_cell(other, kind, digits=digits) for _, other in pairs]


def format_cell(cell: Cell, kind: Kind, *, digits: int) -> str:
    """The cell as people read it.

    >>> format_cell(0.81236, Kind.SCORE, digits=4), format_cell(float("nan"), Kind.SCORE, digits=4)
    ('0.8124', '—')
    >>> format_cell(7064, Kind.COUNT, digits=4), format_cell(True, Kind.FLAG, digits=4)
    ('7064', '•')
    """
    if undefined(cell):
        return UNDEFINED
    if isinstance(cell, bool):
        return (YES if cell else "") if kind is Kind.FLAG else str(cell).lower()
    if isinstance(cell, int | float) and kind is not Kind.TEXT:
        whole = kind is Kind.COUNT and math.isfinite(cell) and cell == int(cell)
        # z: a small negative number is 0.0000 once rounded, not -0.0000.
        return str(int(cell)) if whole else f"{cell:z.{digits}f}"
    return visible(str(cell))


def data_cell(cell: Cell) -> str:
    """The cell as a parser reads it: the shortest text that gives the same number back; '' where undefined.

    >>> data_cell(0.1 + 0.2), data_cell(True), data_cell(float("nan"))
    ('0.30000000000000004', 'true', '')
    """
    if undefined(cell):
        return ""
    if isinstance(cell, bool):
        return str(cell).lower()
    return repr(float(cell)) if isinstance(cell, float) else str(cell)


def undefined(cell: Cell) -> bool:
    """Whether there is no value: None or NaN."""
    return cell is None or (isinstance(cell, float) and math.isnan(cell))


def best_rows(table: Table, index: int) -> frozenset[int]:
    """The rows that hold the best value of a column, before rounding; all of them on a tie.

    Empty where the column has no direction, and where fewer than two rows have a value to compare.
    """
    higher = table.columns[index].higher_is_better
    column = [(number, row[index]) for number, row in enumerate(table.rows)]
    values = {number: cell for number, cell in column if isinstance(cell, int | float) and not undefined(cell)}
    if higher is None or len(values) < 2:
        return frozenset()
    best = max(values.values()) if higher else min(values.values())
    return frozenset(number for number, value in values.items() if value == best)


def rows_set_apart(table: Table) -> list[bool]:
    """Whether each row is to stand back."""
    flags = [place for place, column in enumerate(table.columns) if column.name == SET_APART_BY]
    return [any(row[place] is True for place in flags) for row in table.rows]


def legend(table: Table, columns: Sequence[ShownColumn], *, bold: bool = True, coloured: bool = False) -> str:
    """What the signs in a table mean; '' where it has none.

    bold: whether this reader sees the best in bold. coloured: whether bands of values are told apart by colour.
    """
    cells = [cell for column in columns for cell in column.cells]
    parts = []
    if table.beside is not None and any(cell.beside for cell in cells):
        parts.append(f"{table.beside.name.replace('_', ' ')} in parentheses")
    if bold and any(cell.best for cell in cells):
        parts.append("best in bold")
    if coloured:
        parts += [f"colours part at {' and '.join(f'{limit:g}' for limit in limits)}" for limits in _bands(table)]
    if any(column.higher_is_better is False for column in table.columns):
        parts.append(f"{LOWER} lower is better")
    if any(cell.value == UNDEFINED for cell in cells):
        parts.append(f"{UNDEFINED} undefined")
    return visible("; ".join(parts))


def _bands(table: Table) -> list[tuple[float, ...]]:
    return list(dict.fromkeys(column.bands for column in table.columns if column.bands))


def folded(text: str, width: int, *, measure: Callable[[str], int] = len, breaks: Sequence[str] = BREAKS) -> list[str]:
    """The text in lines of at most `width`, broken at the best places; a piece without one stays whole.

    measure: how wide a text is. breaks: patterns of characters to break after, the best first.

    >>> folded("alpha:level=ordinal", 13)
    ['alpha:', 'level=ordinal']
    >>> folded("alpha:level=ordinal", 10)
    ['alpha:', 'level=', 'ordinal']
    """
    if measure(text) <= width or not breaks:
        return [text]
    lines = [""]
    for piece in re.split(f"(?<={breaks[0]})", text):
        if lines[-1] and measure((lines[-1] + piece).rstrip()) > width:
            lines.append("")
        lines[-1] += piece
    return [part for line in lines for part in folded(line.rstrip(), width, measure=measure, breaks=breaks[1:])]
