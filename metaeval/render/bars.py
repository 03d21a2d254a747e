"""Numbers as bars from zero, or as points between the ends of their intervals."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from rich.style import Style as Look

from metaeval.errors import visible
from metaeval.model.report import Table
from metaeval.render.cells import LOWER, UNDEFINED, Style, best_rows, format_cell, rows_set_apart
from metaeval.render.chart_rows import SHARE, numbers_of, row_names
from metaeval.render.terminal import BOLD, DIM, PLAIN, Line, prose

EIGHTHS = " ▏▎▍▌▋▊▉"
"""How far a bar reaches into its last cell; to the left of zero there are only halves."""

HALF, FULL = "▐", "█"
POINT, LEFT, RIGHT, BETWEEN, ALONE = "●", "├", "┤", "─", "│"
ZERO = "│"

INK = Look(color="color(32)")
"""A blue that stands out on dark and on light grounds."""

NARROWEST = 10
"""Cells of the drawing itself where there is hardly any room."""

TICKS = 4
"""Steps that an axis has at most, but for those that make its ends round."""

NEARLY = 1e-9
"""Of a step, by which a number may miss it."""


@dataclass(frozen=True)
class Quantity:
    """A column to draw, by its place; with the places of the columns that hold the ends of its interval, if any."""

    place: int
    low: int | None = None
    high: int | None = None


@dataclass(frozen=True)
class Mark:
    """What is drawn in a row: a number and its interval; None where undefined."""

    value: float | None
    low: float | None
    high: float | None

    def numbers(self) -> list[float]:
        """Those that are defined."""
        return [number for number in (self.value, self.low, self.high) if number is not None]


@dataclass(frozen=True)
class Axis:
    """Cells from `start` to `end`, both round numbers."""

    start: float
    end: float
    cells: int

    def cell(self, value: float) -> int:
        """The cell that a number falls into."""
        share = (value - self.start) / (self.end - self.start)
        return min(max(round(share * (self.cells - 1)), 0), self.cells - 1)


def bars(table: Table, quantity: Quantity, style: Style, *, named_before: int) -> Iterator[Line]:
    """A line a row: its name, its number, and the number drawn; below them the axis and the meaning of the signs.

    named_before: the place of the first column that is no name of a row any more.
    """
    column = table.columns[quantity.place]
    width = style.width or 0
    names = row_names(table, named_before, room=int(SHARE * width))
    texts = [format_cell(row[quantity.place], column.kind, digits=style.digits) for row in table.rows]
    text_width = max(map(cell_len, texts))
    marks = _marks(table, quantity)
    lead = names.width + text_width + 4
    drawing = _intervals if quantity.low is not None else _bars
    drawn, ruler = drawing(marks, max(width - lead, NARROWEST))
    best, dimmed = best_rows(table, quantity.place), rows_set_apart(table)
    yield []
    yield from prose("; ".join([visible(column.name), *names.common]), style)
    for number, (name, text) in enumerate(zip(names.texts, texts, strict=True)):
        look = DIM if dimmed[number] else PLAIN
        margin = " " * (lead - 2 - cell_len(name) - cell_len(text))
        yield [
            (name + margin, look),
            (text, BOLD if number in best and not dimmed[number] else look),
            ("  ", PLAIN),
            (drawn[number], INK),
        ]
    for line in ruler:
        yield [(" " * lead + line, DIM)]
    meanings = _meanings(table, quantity, texts)
    if meanings:
        yield []
        yield from prose(meanings, style, look=DIM)


def _marks(table: Table, quantity: Quantity) -> list[Mark]:
    nothing: list[float | None] = [None] * len(table.rows)
    low, high = (nothing if place is None else numbers_of(table, place) for place in (quantity.low, quantity.high))
    return [Mark(*numbers) for numbers in zip(numbers_of(table, quantity.place), low, high, strict=True)]


def _meanings(table: Table, quantity: Quantity, texts: Sequence[str]) -> str:
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


# Bars


def _bars(marks: Sequence[Mark], cells: int) -> tuple[list[str], list[str]]:
    """The bars, and the lines of their ruler. Zero has a cell of its own, so that bars of both signs begin at one."""
    ticks = _ticks([0.0, *(number for mark in marks for number in mark.numbers())])
    start, end = ticks[0], ticks[-1]
    left = math.ceil((cells - 1) * -start / (end - start))
    right = cells - 1 - left
    per_cell = max(-start / left if left else 0.0, end / right if right else 0.0)
    drawn = [_bar(mark.value, left, per_cell) for mark in marks]
    return drawn, _ruler([(min(max(left + round(tick / per_cell), 0), cells - 1), tick) for tick in ticks], cells)


def _bar(value: float | None, left: int, per_cell: float) -> str:
    if value is None or value >= 0:
        eighths = round((value or 0.0) / per_cell * len(EIGHTHS))
        whole, rest = divmod(eighths, len(EIGHTHS))
        return " " * left + ZERO + FULL * whole + EIGHTHS[rest].strip()
    whole, rest = divmod(round(-value / per_cell * 2), 2)
    return (HALF * rest + FULL * whole).rjust(left) + ZERO


# Intervals


def _intervals(marks: Sequence[Mark], cells: int) -> tuple[list[str], list[str]]:
    """Points between the ends of their intervals, and the lines of the ruler; the axis need not begin at zero."""
    ticks = _ticks([number for mark in marks for number in mark.numbers()])
    axis = Axis(ticks[0], ticks[-1], cells)
    return [_interval(mark, axis) for mark in marks], _ruler([(axis.cell(tick), tick) for tick in ticks], cells)


def _interval(mark: Mark, axis: Axis) -> str:
    signs = [" "] * axis.cells
    if axis.start < 0 < axis.end:
        signs[axis.cell(0.0)] = ZERO
    if mark.low is not None and mark.high is not None:
        low, high = axis.cell(mark.low), axis.cell(mark.high)
        signs[low : high + 1] = BETWEEN * (high - low + 1)
        signs[low], signs[high] = (LEFT, RIGHT) if low != high else (ALONE, ALONE)
    if mark.value is not None:
        signs[axis.cell(mark.value)] = POINT
    return "".join(signs)


# Axes


def _ticks(numbers: Iterable[float]) -> list[float]:
    """Round numbers, evenly apart, from below the lowest of those given to above the highest; two at least.

    >>> _ticks([0.87, 0.93])
    [0.86, 0.88, 0.9, 0.92, 0.94]
    """
    values = list(numbers) or [0.0]
    low, high = min(values), max(values)
    if low == high:
        low, high = (0.0, 1.0) if low == 0 else (min(low, 0.0), max(low, 0.0))
    exponent = math.floor(math.log10((high - low) / TICKS))
    step = next(unit * 10.0**exponent for unit in (1, 2, 5, 10) if unit * 10.0**exponent * TICKS >= high - low)
    # A number that is round but for its last bit is an end itself.
    first, last = math.floor(low / step + NEARLY), math.ceil(high / step - NEARLY)
    return [round(number * step, max(-exponent, 0)) for number in range(first, last + 1)]


def _ruler(ticks: Sequence[tuple[int, float]], cells: int) -> list[str]:
    """A rule with a mark at each tick, and the numbers below; one that would touch another is left out."""
    places = dict.fromkeys(place for place, _ in ticks)
    rule = "".join("┴" if place in places else "─" for place in range(cells))
    labels = [" "] * cells
    for place, value in sorted(ticks, key=lambda tick: tick[0] not in (0, cells - 1)):
        text = f"{value:g}"
        first = min(max(place - len(text) // 2, 0), max(cells - len(text), 0))
        around = labels[max(first - 1, 0) : first + len(text) + 1]
        if not "".join(around).strip():
            labels[first : first + len(text)] = text
    return [rule, "".join(labels[:cells])]
