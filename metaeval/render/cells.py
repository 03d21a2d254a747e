"""Cells as text for all renderers: rounding, undefined values, the best of a column, safe names."""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from metaeval.errors import visible
from metaeval.model.report import BY_GROUP, GROUP, OVER_GROUPS, Cell, Kind, Table

UNDEFINED = "—"
YES = "•"
LOWER = "↓"

SET_APART_BY = "trivial"
"""The flag column of rows that are shown less prominently: trivial systems, included for comparison."""

BREAKS = ("[:,]", "=", "[-+_/ ]")
"""Patterns of characters after which a header may be broken, the best first."""


_FORMULA = tuple("=+-@＝＋－＠")
"""With these, a spreadsheet takes a text for a formula."""


@dataclass(frozen=True)
class Style:
    """How tables are shown; see `metaeval.render.render`."""

    digits: int = 4
    width: int | None = None
    colour: bool = False
    appendix: bool = False
    safe_csv: bool = False


@dataclass(frozen=True)
class ShownCell:
    """A cell as text: its value, and the value in parentheses after it, or ''.

    best: whether it is the best of its column. band: the number of limits of its column's bands that it reaches; None
    if the column has no bands or the cell no value. shade: its step in a heat map in colour.
    """

    value: str
    beside: str = ""
    best: bool = False
    band: int | None = None
    shade: int | None = None

    def __str__(self) -> str:
        return f"{self.value} ({self.beside})" if self.beside else self.value


@dataclass(frozen=True)
class ShownColumn:
    """A column as text; its header marks a column where lower is better. group: the header above several columns."""

    header: str
    kind: Kind
    cells: tuple[ShownCell, ...]
    group: str = ""


def with_values(table: Table) -> Table:
    """A table of measures without the columns in which no measure has a value; other tables as they are.

    Columns that say which value is best remain, and so do those that are measures; all do if none has a value.
    """
    names = {row[0] for row in table.rows} if table.columns[0].name == "measure" else set()
    indices = [
        index
        for index, each in enumerate(table.columns)
        if each.higher_is_better is not None
        or each.name in names
        or not all(undefined(row[index]) for row in table.rows)
    ]
    if not names or len(indices) in (1, len(table.columns)):
        return table
    columns = tuple(table.columns[index] for index in indices)
    return replace(table, columns=columns, rows=tuple(tuple(row[index] for index in indices) for row in table.rows))


def shown_columns(table: Table, *, digits: int) -> tuple[ShownColumn, ...]:
    """The columns of a table as text, with the values of `table.beside` in parentheses."""
    beside = {each.name: index for index, each in enumerate(table.beside.columns)} if table.beside else {}
    # What each column is about: `tau` for the columns `tau`, and `tau_low` with the shorter header `low`.
    names = [each.name.removesuffix(f"_{each.head}") for each in table.columns]
    times = Counter(names)
    groups = [name if times[name] > 1 else "" for name in names]
    return tuple(_shown_column(table, index, group, digits, beside) for index, group in enumerate(groups))


def spans(columns: Sequence[ShownColumn]) -> list[tuple[str, int]]:
    """Each group of adjacent columns with their number; columns without a group are one by one under ''."""
    runs = (list(run) for _, run in groupby(enumerate(columns), lambda each: each[1].group or each[0]))
    return [(run[0][1].group, len(run)) for run in runs]


def _shown_column(table: Table, index: int, group: str, digits: int, indices: Mapping[str, int]) -> ShownColumn:
    column = table.columns[index]
    best = best_rows(table, index)
    beside = _beside(table, index, digits, indices)
    cells = []
    for number, row in enumerate(table.rows):
        cell, band = row[index], None
        if column.bands and isinstance(cell, int | float) and not undefined(cell):
            band = bisect_right(column.bands, float(cell))
        text = format_cell(cell, column.kind, digits=digits)
        cells.append(ShownCell(text, beside[number], number in best, band))
    # Before the name, so that it stays with a word of a folded header.
    arrow = f"{LOWER} " if column.higher_is_better is False else ""
    header = column.head or ("value" if group else column.name)
    return ShownColumn(arrow + visible(header), column.kind, tuple(cells), visible(group))


def _beside(table: Table, index: int, digits: int, indices: Mapping[str, int]) -> Sequence[str]:
    """The values in parentheses of a column; '' for none, as in a column that is equal in both tables.

    indices: of the columns of `table.beside`.
    """
    column, beside = table.columns[index], table.beside
    position = indices.get(column.name)
    if beside is None or position is None:
        return [""] * len(table.rows)
    kind, others = beside.columns[position].kind, [row[position] for row in beside.rows]
    if kind is column.kind and all(row[index] == other for row, other in zip(table.rows, others, strict=True)):
        return [""] * len(table.rows)
    return ["" if undefined(other) else format_cell(other, kind, digits=digits) for other in others]


def format_cell(cell: Cell, kind: Kind, *, digits: int) -> str:
    """The cell as text for readers.

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
        whole = kind is Kind.COUNT and cell == int(cell)
        # z: no minus sign before a number that rounds to zero.
        return str(int(cell)) if whole else f"{cell:z.{digits}f}"
    return visible(str(cell))


def data_cell(cell: Cell) -> str:
    """The cell as text for programs: the shortest text that is parsed as the same number; '' if undefined.

    >>> data_cell(0.1 + 0.2), data_cell(True), data_cell(float("nan"))
    ('0.30000000000000004', 'true', '')
    """
    if undefined(cell):
        return ""
    if isinstance(cell, bool):
        return str(cell).lower()
    return repr(float(cell)) if isinstance(cell, float) else str(cell)


def spreadsheet_cell(cell: Cell) -> str:
    r"""The cell as `data_cell`, without control characters, and text that a spreadsheet would run after a `'`.

    >>> spreadsheet_cell("=1+1"), spreadsheet_cell("a\tb"), spreadsheet_cell(-0.5)
    ("'=1+1", 'a\\tb', '-0.5')
    """
    if not isinstance(cell, str):
        return data_cell(cell)
    return ("'" if cell.lstrip().startswith(_FORMULA) else "") + visible(cell)


def undefined(cell: Cell) -> bool:
    """Whether there is no number: None, NaN, or infinite, as the end of an interval without a bound."""
    return cell is None or (isinstance(cell, float) and not math.isfinite(cell))


def best_rows(table: Table, index: int) -> frozenset[int]:
    """The rows with the best value of a column before rounding, including ties; none where groups have rows.

    Empty if the column has no direction, or if fewer than two rows have a value.
    """
    higher = table.columns[index].higher_is_better if table.columns[0] != GROUP else None
    column = [(number, row[index]) for number, row in enumerate(table.rows)]
    values = {number: cell for number, cell in column if isinstance(cell, int | float) and not undefined(cell)}
    if higher is None or len(values) < 2:
        return frozenset()
    best = max(values.values()) if higher else min(values.values())
    return frozenset(number for number, value in values.items() if value == best)


def rows_set_apart(table: Table) -> list[bool]:
    """Whether each row is shown less prominently."""
    flags = [index for index, column in enumerate(table.columns) if column.name == SET_APART_BY]
    return [any(row[index] is True for index in flags) for row in table.rows]


def legend(table: Table, columns: Sequence[ShownColumn], *, bold: bool = True, coloured: bool = False) -> str:
    """The meaning of the signs in a table; '' if it has none.

    bold: whether the best values are bold. coloured: whether bands of values have different colours.
    """
    cells = [cell for column in columns for cell in column.cells]
    parts = []
    if table.beside is not None and any(cell.beside for cell in cells):
        ranks = {BY_GROUP: "ranks", OVER_GROUPS: "mean ranks", "_ranks": "ranks"}
        name = table.beside.name
        words = next((text for end, text in ranks.items() if name.endswith(end)), name.replace("_", " "))
        parts.append(f"{words} in parentheses")
    if bold and any(cell.best for cell in cells):
        parts.append("best in bold")
    if coloured:
        bands = dict.fromkeys(column.bands for column in table.columns if column.bands)
        parts += [f"colours change at {' and '.join(f'{limit:g}' for limit in limits)}" for limits in bands]
    if any(column.higher_is_better is False for column in table.columns):
        parts.append(f"{LOWER} lower is better")
    if any(cell.value == UNDEFINED for cell in cells):
        parts.append(f"{UNDEFINED} undefined")
    return visible("; ".join(parts))


def folded(text: str, width: int, *, measure: Callable[[str], int] = len, breaks: Sequence[str] = BREAKS) -> list[str]:
    """The text in lines of at most `width`, broken at the best places; a part without such a place is not broken.

    measure: the width of a text. breaks: patterns of characters after which to break, the best first.

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
