"""Numbers as bars from zero, or as points in intervals."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from rich.cells import cell_len
from rich.style import Style as Look

from metaeval.errors import visible
from metaeval.model.report import Table
from metaeval.render.cells import LOWER, UNDEFINED, Style, best_rows, format_cell, rows_set_apart
from metaeval.render.chart_rows import MAX_SHARE, finite_numbers, row_names
from metaeval.render.terminal import BOLD, DIM, PLAIN, Line, prose

EIGHTHS = " ▏▎▍▌▋▊▉"
"""The last cell of a bar by its length in eighths; left of zero there are only halves."""

HALF, FULL = "▐", "█"
POINT, LEFT, RIGHT, BETWEEN, ALONE = "●", "├", "┤", "─", "│"
ZERO = "│"

INK = Look(color="color(32)")
"""A blue that is visible on dark and on light backgrounds."""

MIN_CELLS = 10
"""Width of a drawing in very little space."""

TICKS = 4
"""Maximum number of steps of an axis, before its ends are rounded outwards."""

ROUNDING = 1e-9
"""Share of a step by which a number may miss it through rounding error."""


@dataclass(frozen=True)
class Quantity:
    """A column to draw, by its place, and the places of the columns with the ends of its interval, if any."""

    place: int
    low: int | None = None
    high: int | None = None


class Mark(NamedTuple):
    """A number and its interval; None where undefined."""

    value: float | None
    low: float | None
    high: float | None


def bars(table: Table, quantity: Quantity, style: Style, *, named_before: int) -> Iterator[Line]:
    """A line for each row: name, number, and bar or interval; then the axis and a legend.

    named_before: the place of the first column that does not name rows.
    """
    column = table.columns[quantity.place]
    width = style.width or 0
    names = row_names(table, named_before, room=int(MAX_SHARE * width))
    texts = [format_cell(row[quantity.place], column.kind, digits=style.digits) for row in table.rows]
    lead = names.width + max(map(cell_len, texts)) + 4
    draw = _intervals if quantity.low is not None else _bars
    drawings, ruler = draw(_marks(table, quantity), max(width - lead, MIN_CELLS))
    best, dimmed = best_rows(table, quantity.place), rows_set_apart(table)
    yield []
    yield from prose("; ".join([visible(column.name), *names.common]), style)
    for number, (name, text) in enumerate(zip(names.texts, texts, strict=True)):
        look = DIM if dimmed[number] else PLAIN
        margin = " " * (lead - 2 - cell_len(name) - cell_len(text))
        value_look = BOLD if number in best and not dimmed[number] else look
        yield [(name + margin, look), (text, value_look), ("  ", PLAIN), (drawings[number], INK)]
    for line in ruler:
        yield [(" " * lead + line, DIM)]
    meanings = _legend(table, quantity, texts)
    if meanings:
        yield []
        yield from prose(meanings, style, look=DIM)


def _marks(table: Table, quantity: Quantity) -> list[Mark]:
    undefined: list[float | None] = [None] * len(table.rows)
    columns = (undefined if place is None else finite_numbers(table, place)
               for place in (quantity.place, quantity.low, quantity.high))  # fmt: skip
    return [Mark(*numbers) for numbers in zip(*columns, strict=True)]


def _legend(table: Table, quantity: Quantity, texts: Sequence[str]) -> str:
    column = table.columns[quantity.place]
    parts = []
    if quantity.low is not None and quantity.high is not None:
        ends = (table.columns[place].name for place in (quantity.low, quantity.high))
        parts.append(f"{POINT} {visible(column.name)}, {LEFT}{BETWEEN}{RIGHT} from {' to '.join(map(visible, ends))}")
    if column.higher_is_better is not None:
        parts.append("higher is better" if column.higher_is_better else f"{LOWER} lower is better")
    if UNDEFINED in texts:
        parts.append(f"{UNDEFINED} undefined")
    return "; ".join(parts)


def _bars(marks: Sequence[Mark], cells: int) -> tuple[list[str], list[str]]:
    """The bars, and the lines of their ruler. Zero has its own cell, from which bars of both signs start."""
    ticks = _ticks([0.0, *(number for mark in marks for number in mark if number is not None)])
    start, end = ticks[0], ticks[-1]
    left = math.ceil((cells - 1) * -start / (end - start))
    right = cells - 1 - left
    per_cell = max(-start / left if left else 0.0, end / right if right else 0.0)
    ruler = _ruler([(min(max(left + round(tick / per_cell), 0), cells - 1), tick) for tick in ticks], cells)
    return [_bar(mark.value, left, per_cell) for mark in marks], ruler


def _bar(value: float | None, left: int, per_cell: float) -> str:
    if value is None or value >= 0:
        eighths = round((value or 0.0) / per_cell * len(EIGHTHS))
        whole, rest = divmod(eighths, len(EIGHTHS))
        return " " * left + ZERO + FULL * whole + EIGHTHS[rest].strip()
    whole, rest = divmod(round(-value / per_cell * 2), 2)
    return (HALF * rest + FULL * whole).rjust(left) + ZERO


def _intervals(marks: Sequence[Mark], cells: int) -> tuple[list[str], list[str]]:
    """Points in their intervals, and the lines of the ruler; the axis does not need to include zero."""
    ticks = _ticks([number for mark in marks for number in mark if number is not None])
    start, end = ticks[0], ticks[-1]

    def cell(value: float) -> int:
        return min(max(round((value - start) / (end - start) * (cells - 1)), 0), cells - 1)

    background = [" "] * cells
    if start < 0 < end:
        background[cell(0.0)] = ZERO
    return [_interval(mark, background, cell) for mark in marks], _ruler([(cell(tick), tick) for tick in ticks], cells)


def _interval(mark: Mark, background: Sequence[str], cell: Callable[[float], int]) -> str:
    signs = list(background)
    if mark.low is not None and mark.high is not None:
        low, high = cell(mark.low), cell(mark.high)
        signs[low : high + 1] = BETWEEN * (high - low + 1)
        signs[low], signs[high] = (LEFT, RIGHT) if low != high else (ALONE, ALONE)
    if mark.value is not None:
        signs[cell(mark.value)] = POINT
    return "".join(signs)


def _ticks(numbers: Iterable[float]) -> list[float]:
    """Round numbers at equal distances, at least two, that enclose the numbers.

    >>> _ticks([0.87, 0.93])
    [0.86, 0.88, 0.9, 0.92, 0.94]
    """
    values = list(numbers) or [0.0]
    low, high = min(values), max(values)
    if low == high:
        low, high = (0.0, 1.0) if low == 0 else (min(low, 0.0), max(low, 0.0))
    exponent = math.floor(math.log10((high - low) / TICKS))
    step = next(unit * 10.0**exponent for unit in (1, 2, 5, 10) if unit * 10.0**exponent * TICKS >= high - low)
    # A number that is a multiple of the step up to rounding error is an end itself.
    first, last = math.floor(low / step + ROUNDING), math.ceil(high / step - ROUNDING)
    return [round(number * step, max(-exponent, 0)) for number in range(first, last + 1)]


def _ruler(ticks: Sequence[tuple[int, float]], cells: int) -> list[str]:
    """A line with a mark at each tick, and the numbers below, except those that would touch another."""
    places = {place for place, _ in ticks}
    rule = "".join("┴" if place in places else "─" for place in range(cells))
    labels = [" "] * cells
    for place, value in sorted(ticks, key=lambda tick: tick[0] not in (0, cells - 1)):
        text = f"{value:g}"
        first = min(max(place - len(text) // 2, 0), max(cells - len(text), 0))
        around = labels[max(first - 1, 0) : first + len(text) + 1]
        if not "".join(around).strip():
            labels[first : first + len(text)] = text
    return [rule, "".join(labels[:cells])]
