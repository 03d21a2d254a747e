"""Cells as text for all renderers: rounding, undefined values, the best of a column, safe names."""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from statistics import median

from metaeval.errors import visible
from metaeval.model.report import BY_GROUP, GROUP, OVER_GROUPS, SMALL_P, Cell, Column, Kind, Table

UNDEFINED = "—"
YES = "•"
LOWER = "↓"

SET_APART_BY = "trivial"
"""The flag column of rows that are shown less prominently: trivial systems, included for comparison."""

BREAKS = ("[:,]", "=", "[-+_/ ]")
"""Patterns of characters after which a header may be broken, the best first."""

HEADER_WIDTH = 14
"""Characters after which a header is broken, if possible."""

LARGE_MATRIX = 4
"""Number of rows from which the columns of a matrix of the same names have numbers as headers."""

LARGEST_WRITTEN_OUT = 1e12
"""Larger numbers have an exponent."""

DIGITS = 4
"""Decimals where neither a column nor its intervals say how many."""

MOST_BESIDE = 5
"""Number of columns with values in parentheses above which these are left to data formats."""

_FORMULA = tuple("=+-@＝＋－＠")
"""With these, a spreadsheet takes a text for a formula."""


@dataclass(frozen=True)
class Style:
    """How tables are shown.

    digits: decimals in formats for readers, by default as many as intervals support, at most 4; data formats keep full
    precision. width: of the terminal, in cells; None for lines of any length. colour: whether the terminal supports
    colours and bold and dim text. appendix: whether a page is printed with all tables. safe_csv: whether text in CSV
    and TSV is changed so that no spreadsheet runs it. notes, every_column: whether formats for readers have all notes,
    and all columns of their tables. page: whether it is a page, on which a wide table can be scrolled.
    """

    digits: int | None = None
    width: int | None = None
    colour: bool = False
    appendix: bool = False
    safe_csv: bool = False
    notes: bool = False
    every_column: bool = False
    page: bool = False

    @property
    def decimals(self) -> int:
        """Decimals of numbers outside tables."""
        return DIGITS if self.digits is None else self.digits


@dataclass(frozen=True)
class ShownCell:
    """A cell as text: its value, and what follows it, as its interval, its letters, or a value in parentheses; or ''.

    best: whether it is the best of its column. band: the number of limits of its column's bands that it reaches; None
    if the column has no bands or the cell no value. shade: its step in a heat map in colour.
    """

    value: str
    beside: str = ""
    best: bool = False
    band: int | None = None
    shade: int | None = None

    def __str__(self) -> str:
        return f"{self.value} {self.beside}".rstrip()


@dataclass(frozen=True)
class ShownColumn:
    """A column as text; its header marks a column where lower is better.

    index: of the column in its table.
    """

    header: str
    kind: Kind
    cells: tuple[ShownCell, ...]
    index: int = 0


def with_values(table: Table) -> Table:
    """A table of measures without the columns in which no measure has a value; other tables as they are.

    Columns that say which value is best remain, and so do those that are measures; all do if none has a value.
    """
    names = {row[0] for row in table.rows} if table.columns[0].name == "measure" else set()
    indices = [
        index
        for index, column in enumerate(table.columns)
        if column.higher_is_better is not None
        or column.name in names
        or not all(undefined(row[index]) for row in table.rows)
    ]
    if not names or len(indices) in (1, len(table.columns)):
        return table
    columns = tuple(table.columns[index] for index in indices)
    return replace(table, columns=columns, rows=tuple(tuple(row[index] for index in indices) for row in table.rows))


def shown_columns(table: Table, style: Style) -> tuple[ShownColumn, ...]:
    """The columns of a table for readers, with what is shown in their cells after the values."""
    indices = _for_readers(table.columns, style)
    columns = tuple(_shown_column(table, index, style) for index in indices)
    return columns if style.every_column else _number_rows(columns)


def _number_rows(columns: tuple[ShownColumn, ...]) -> tuple[ShownColumn, ...]:
    """The columns of a large matrix whose last columns are its rows, with numbers of the rows as their headers."""
    rows = [cell.value for cell in columns[0].cells]
    heads, others = columns[: -len(rows)], columns[-len(rows) :]
    if len(rows) < LARGE_MATRIX or not heads or [column.header for column in others] != rows:
        return columns
    width = len(str(len(rows)))
    cells = enumerate(heads[0].cells, start=1)
    names = tuple(replace(cell, value=f"{number:>{width}} {cell.value}") for number, cell in cells)
    matrix = (replace(column, header=str(number)) for number, column in enumerate(others, start=1))
    return (replace(heads[0], cells=names), *heads[1:], *matrix)


def _for_readers(columns: Sequence[Column], style: Style) -> list[int]:
    """The indices of the columns that are shown: with all, none is shown in the cells of another one."""
    within = {name for column in columns for name in column.companions}
    return [
        index
        for index, column in enumerate(columns)
        if style.every_column or not (column.name in within or (column.detail and not (style.page and column.on_page)))
    ]


def _shown_column(table: Table, index: int, style: Style) -> ShownColumn:
    column = table.columns[index]
    best = best_rows(table, index)
    digits = _digits(table, column) if style.digits is None else style.digits
    beside = _beside(table, index, style, digits)
    cells = []
    for number, row in enumerate(table.rows):
        cell, band = row[index], None
        if column.bands and isinstance(cell, int | float) and not undefined(cell):
            band = bisect_right(column.bands, float(cell))
        text = format_cell(cell, column.kind, digits=digits)
        cells.append(ShownCell(text, beside[number], number in best, band))
    # Before the name, so that it stays with a word of a folded header.
    arrow = f"{LOWER} " if column.higher_is_better is False else ""
    # Among all columns, several may have the same shorter header.
    header = column.name if style.every_column else column.head or column.name
    return ShownColumn(arrow + visible(header), column.kind, tuple(cells), index)


def _cells(table: Table, name: str) -> list[Cell] | None:
    """The cells of a column; None where the table does not have it."""
    index = next((index for index, column in enumerate(table.columns) if column.name == name), None)
    return None if index is None else [row[index] for row in table.rows]


def _ends(table: Table, column: Column) -> list[list[Cell]]:
    """The ends of the intervals of a column; none without intervals."""
    ends = [cells for name in column.interval if (cells := _cells(table, name)) is not None]
    return ends if len(ends) == len(column.interval) else []


def _digits(table: Table, column: Column) -> int:
    """The decimals that the intervals of a column support: at least two of shares, and one digit of the half width."""
    widths = [
        (high - low) / 2
        for low, high in zip(*_ends(table, column), strict=True)
        if isinstance(low, int | float) and isinstance(high, int | float) and math.isfinite(high - low) and high > low
    ]
    most = DIGITS if column.digits is None else column.digits
    if not widths:
        return most
    half = median(widths)
    # Two digits where the first is 1 or 2.
    return min(max(math.ceil(math.log10(3) - math.log10(half)), 2 if half < 1 else 0), most)


def _beside(table: Table, index: int, style: Style, digits: int) -> list[str]:
    """What follows the value in each cell of a column: interval, letters, and the value of the table beside it."""
    column = table.columns[index]
    after: list[list[str]] = []
    if not style.every_column:
        if ends := _ends(table, column):
            texts = [[format_cell(cell, column.kind, digits=digits) for cell in end] for end in ends]
            after.append(
                ["" if low == high == UNDEFINED else f"[{low}, {high}]" for low, high in zip(*texts, strict=True)]
            )
        if letters := _cells(table, column.letters):
            marks = ["" if undefined(cell) else visible(str(cell)) for cell in letters]
            after.append([text.ljust(max(map(len, marks))) for text in marks])
    after.append(_in_parentheses(table, index, style))
    return [" ".join(filter(None, parts)) for parts in zip(*after, strict=True)]


def _in_parentheses(table: Table, index: int, style: Style) -> list[str]:
    """The values of the table beside it; '' for none, as in a column that is equal in both tables, or in many."""
    column, beside, nothing = table.columns[index], table.beside, [""] * len(table.rows)
    others = None if beside is None else _cells(beside, column.name)
    if beside is None or others is None or not (style.every_column or shows_beside(len(beside.columns) - 1)):
        return nothing
    digits = style.decimals
    kind = next(candidate.kind for candidate in beside.columns if candidate.name == column.name)
    if kind is column.kind and all(row[index] == other for row, other in zip(table.rows, others, strict=True)):
        return nothing
    return ["" if undefined(other) else f"({format_cell(other, kind, digits=digits)})" for other in others]


def shows_beside(columns: int) -> bool:
    """Whether so many columns are shown with the values of a table beside theirs."""
    return columns <= MOST_BESIDE


def format_cell(cell: Cell, kind: Kind, *, digits: int) -> str:
    """The cell as text for readers.

    >>> format_cell(0.81236, Kind.SCORE, digits=4), format_cell(float("nan"), Kind.SCORE, digits=4)
    ('0.8124', '—')
    >>> format_cell(7064, Kind.COUNT, digits=4), format_cell(True, Kind.FLAG, digits=4)
    ('7064', '•')
    >>> format_cell(-1.23456e200, Kind.SCORE, digits=4)
    '-1.235e+200'
    >>> format_cell(8e-47, Kind.P, digits=4), format_cell(0.031, Kind.P, digits=4)
    ('<0.001', '0.0310')
    """
    if undefined(cell):
        return UNDEFINED
    if isinstance(cell, bool):
        return (YES if cell else "") if kind is Kind.FLAG else str(cell).lower()
    if kind is Kind.P and isinstance(cell, float) and cell < SMALL_P:
        return f"<{SMALL_P:g}"
    if isinstance(cell, int | float) and kind is not Kind.TEXT:
        whole = kind is Kind.COUNT and cell == int(cell)
        if not whole and abs(cell) >= LARGEST_WRITTEN_OUT:
            return f"{cell:.4g}"
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
    if table.beside is not None and any(cell.beside.endswith(")") for cell in cells):
        ranks = {BY_GROUP: "ranks", OVER_GROUPS: "mean ranks", "_ranks": "ranks"}
        name = table.beside.name
        words = next((text for end, text in ranks.items() if name.endswith(end)), name.replace("_", " "))
        parts.append(f"{words} in parentheses")
    if bold and any(cell.best for cell in cells):
        parts.append("best in bold")
    if coloured:
        bands = dict.fromkeys(table.columns[column.index].bands for column in columns)
        parts += [f"colours change at {' and '.join(f'{limit:g}' for limit in limits)}" for limits in bands if limits]
    if any(table.columns[column.index].higher_is_better is False for column in columns):
        parts.append(f"{LOWER} lower is better")
    if any(cell.value == UNDEFINED or UNDEFINED in cell.beside for cell in cells):
        parts.append(f"{UNDEFINED} undefined")
    return visible("; ".join(parts))


def reading_aid(table: Table, columns: Sequence[ShownColumn], meanings: set[str]) -> list[tuple[str, str]]:
    """What the columns that are shown mean: names and meanings.

    meanings: those that are not said again; those of the table are added. Columns of one meaning are named together.
    """
    by_name = {column.name: column for column in table.columns}
    in_columns = {table.columns[column.index].name for column in columns}
    by_meaning: dict[str, list[str]] = {}
    for shown_column in columns:
        column = table.columns[shown_column.index]
        is_whole = not column.head or shown_column.header.endswith(visible(column.name))
        by_meaning.setdefault(column.about, []).append(column.name if is_whole else column.head)
        # An interval is explained by its lower end.
        within = [("[ ]", column.interval[0])] if any("[" in cell.beside for cell in shown_column.cells) else []
        within += [("letters", column.letters)] if column.letters in by_name else []
        for sign, name in within:
            if name not in in_columns:
                by_meaning.setdefault(by_name[name].about, []).append(sign)
    aid = [(", ".join(dict.fromkeys(of)), about) for about, of in by_meaning.items() if about and about not in meanings]
    meanings.update(about for _, about in aid)
    return [(visible(name), visible(about)) for name, about in aid]


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


def shortened_names(names: Sequence[str], width: int, *, measure: Callable[[str], int] = len) -> dict[str, str]:
    """Texts of at most `width` for different names: their beginnings, and the first part from the end that differs.

    Names whose parts are all the same have their numbers. measure: the width of a text.

    >>> shortened_names(["model-of-the-first-team", "model-of-the-other-team"], 13)
    {'model-of-the-first-team': 'model…t-tea…', 'model-of-the-other-team': 'model…r-tea…'}
    >>> list(shortened_names(["first-model-of-the-team", "other-model-of-the-team"], 13).values())
    ['first…-team', 'other…-team']
    """
    # Wide characters take two cells.
    half = (width // max((-(-measure(name) // len(name)) for name in names), default=1) - 2) // 2
    for end in range(max(map(len, names), default=0) - half):
        parts = [name[max(len(name) - end - half, 0) : max(len(name) - end, 0)] for name in names]
        texts = [f"{name[:half]}…{part}{'…' if end else ''}" for name, part in zip(names, parts, strict=True)]
        if len(set(texts)) == len(names):
            return dict(zip(names, texts, strict=True))
    return {name: f"{name[:half]}…{number}" for number, name in enumerate(names, start=1)}
