"""The tables of a terminal as charts: numbers on a background, or after a bar or an interval.

Several comparable numbers in a row are a heat map; others have a bar from zero, or their interval if the table has its
ends. Which numbers are drawn follows from the kinds of the columns and from names that mean the same in every table.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from metaeval.errors import visible
from metaeval.model.report import Kind, Report, Table
from metaeval.render.cells import ShownCell, ShownColumn, Style, legend, shown_columns
from metaeval.render.terminal import BACKGROUNDS, Line, layout, terminal

CENTRES = ("mean", "value")
"""Columns that summarise their row."""

ENDS = ("low", "high")
SUFFIXES = ("_low", "_high")
"""The ends of an interval: of the first drawn column, or of NAME as 'NAME_low'."""

SHADES = ("··", "░░", "▒▒", "▓▓", "██")
"""The backgrounds from low to high, without colour."""

CELLS = 30
"""Length of the longest bar, and width of a drawing of intervals."""

EIGHTHS = " ▏▎▍▌▋▊▉"
"""The last cell of a bar by its length in eighths; left of zero there are only halves."""

HALF, FULL, ZERO = "▐", "█", "│"
POINT, LEFT, RIGHT, BETWEEN = "●", "├", "┤", "─"

Numbers = Sequence[float | None]
Charts = dict[int, ShownColumn]
"""Columns with drawings, by their indices."""


def chart(report: Report, style: Style) -> str:
    """The report as in a terminal, with charts as tables."""
    return terminal(report, style, lines_of=_lines)


def _lines(table: Table, style: Style) -> Iterator[Line]:
    columns = shown_columns(table, digits=style.digits)
    drawn = _drawn(table) if table.rows else {}
    is_map = len(drawn) > 1 and not any(drawn.values())
    charts, meaning = (_heat_map if is_map else _bars_and_intervals)(table, drawn, columns, style)
    meanings = [meaning, legend(table, columns, bold=style.colour)]
    shown = [charts.get(index, column) for index, column in enumerate(columns)]
    yield from layout(table, shown, "; ".join(filter(None, meanings)), style)


def _drawn(table: Table) -> dict[int, tuple[int, ...]]:
    """The indices of the columns to draw, scores or else counts, each with those of the ends of its interval."""
    kinds = [column.kind for column in table.columns]
    kind = Kind.SCORE if Kind.SCORE in kinds else Kind.COUNT
    indices = {column.name: index for index, column in enumerate(table.columns) if column.kind is kind}
    spreads = {name for name in indices if name in ("sd", *ENDS) or name.endswith(SUFFIXES)}
    names = [name for name in CENTRES if name in indices][:1] or [name for name in indices if name not in spreads]
    drawn = {}
    for name in names:
        candidates = (tuple(name + suffix for suffix in SUFFIXES), ENDS if name == names[0] else ())
        ends = next((ends for ends in candidates if ends and indices.keys() >= set(ends)), ())
        drawn[indices[name]] = tuple(indices[end] for end in ends)
    return drawn


def _finite(table: Table, index: int) -> Numbers:
    cells = (row[index] for row in table.rows)
    return [float(cell) if isinstance(cell, int | float) and math.isfinite(cell) else None for cell in cells]


def _extent(*columns: Numbers) -> tuple[float, float]:
    """The lowest and the highest number, or zeros."""
    numbers = [number for column in columns for number in column if number is not None] or [0.0]
    return min(numbers), max(numbers)


def _heat_map(table: Table, drawn: Iterable[int], columns: Sequence[ShownColumn], style: Style) -> tuple[Charts, str]:
    """Shaded columns, each from its worst to its best number if all have a direction, else all alike; and a legend."""
    numbers = {index: _finite(table, index) for index in drawn}
    directed = all(table.columns[index].higher_is_better is not None for index in numbers)
    steps = len(BACKGROUNDS if style.colour else SHADES)
    charts = {}
    for index, values in numbers.items():
        low, high = _extent(values) if directed else _extent(*numbers.values())
        first, last = (high, low) if directed and not table.columns[index].higher_is_better else (low, high)
        levels = [None if value is None else _level(value, first, last, steps) for value in values]
        if style.colour:
            cells = zip(_after([""] * len(levels), columns[index]), levels, strict=True)
            shaded = [replace(cell, value=f"{cell.value} ", shade=level) for cell, level in cells]
        else:
            shaded = _after(["  " if level is None else SHADES[level] for level in levels], columns[index])
        charts[index] = replace(columns[index], cells=tuple(shaded))
    ends = "worst to best of each column" if directed else f"{low:.{style.digits}f} to {high:.{style.digits}f}"
    return charts, f"{'blue to yellow' if style.colour else ' '.join(SHADES)} from {ends}"


def _level(value: float, first: float, last: float, steps: int) -> int:
    """The step of a number, of equal steps between two ends; the last if the ends are equal."""
    return steps - 1 if first == last else min(int((value - first) / (last - first) * steps), steps - 1)


def _after(drawings: Sequence[str], column: ShownColumn) -> list[ShownCell]:
    """The cells of a column with a drawing before each value."""
    width = max(len(cell.value) for cell in column.cells)
    cells = zip(drawings, column.cells, strict=True)
    return [replace(cell, value=f"{drawing} {cell.value:>{width}}") for drawing, cell in cells]


def _bars_and_intervals(
    table: Table, drawn: Mapping[int, Sequence[int]], columns: Sequence[ShownColumn], style: Style
) -> tuple[Charts, str]:
    """The columns after their bars or intervals, and the legend of the intervals."""
    charts, meanings = {}, []
    for index, ends in drawn.items():
        numbers = [_finite(table, column) for column in (index, *ends)]
        cells = _after(_intervals(*numbers) if ends else _bars(*numbers), columns[index])
        charts[index] = replace(columns[index], cells=tuple(cells))
        if ends:
            name, low, high = (visible(table.columns[column].name) for column in (index, *ends))
            first, last = (f"{number:.{style.digits}f}" for number in _extent(*numbers))
            interval = f"{LEFT}{BETWEEN}{RIGHT} from {low} to {high}"
            meanings.append(f"{POINT} {name}, {interval}, on an axis from {first} to {last}")
    return charts, "; ".join(meanings)


def _bars(values: Numbers) -> list[str]:
    """Bars from zero, which has its own cell, so that bars of both signs start beside it."""
    low, high = _extent(values, [0.0])
    unit = (high - low) / CELLS or 1.0
    left = math.ceil(-low / unit)
    bars = []
    for value in values:
        whole, rest = divmod(round(abs(value or 0.0) / unit * len(EIGHTHS)), len(EIGHTHS))
        if value is None or value >= 0:
            bars.append(" " * left + ZERO + FULL * whole + EIGHTHS[rest].strip())
        else:
            half = HALF if rest >= len(EIGHTHS) // 2 else ""
            bars.append(f"{half}{FULL * whole}".rjust(left) + ZERO)
    return [bar.ljust(max(map(len, bars))) for bar in bars]


def _intervals(values: Numbers, lows: Numbers, highs: Numbers) -> list[str]:
    """Points in their intervals on an axis from the lowest to the highest end, with a line at zero."""
    start, end = _extent(values, lows, highs)

    def cell(number: float) -> int:
        return round((number - start) / ((end - start) or 1.0) * (CELLS - 1))

    drawings = []
    for value, low, high in zip(values, lows, highs, strict=True):
        signs = [" "] * CELLS
        if start < 0 < end:
            signs[cell(0.0)] = ZERO
        if low is not None and high is not None:
            signs[cell(low) : cell(high) + 1] = BETWEEN * (cell(high) - cell(low) + 1)
            signs[cell(low)], signs[cell(high)] = LEFT, RIGHT
        if value is not None:
            signs[cell(value)] = POINT
        drawings.append("".join(signs))
    return drawings
