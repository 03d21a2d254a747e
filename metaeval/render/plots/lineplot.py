"""Curves against what one can have more of: items, references; and against a parameter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from metaeval.errors import counted
from metaeval.model.report import Table
from metaeval.render.plots.canvas import COLOURS, LINES, MARKERS, SMALL, Palette, Sheet, label, number, width_of
from metaeval.render.plots.columns import Numbers, distinct, numbers, texts
from metaeval.render.plots.declaration import Picture
from metaeval.render.plots.placing import spread

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MAX_BANDS = 4
"""More bands than these would only cover each other."""

WIDTH, HEIGHT = 4.6, 2.9


@dataclass(frozen=True)
class Curve:
    """A named line: x and y, and the band around it where there is one."""

    name: str
    x: Numbers
    y: Numbers
    low: Numbers | None = None
    high: Numbers | None = None


def curves_of(table: Table, across: str, up: str) -> list[Curve]:
    """A curve for each measure of a table, with the columns `across` and `up`, `low` and `high`."""
    measures = np.array(texts(table, "measure"))
    columns = [numbers(table, name) for name in (across, up, "low", "high")]
    found = []
    for name in distinct(measures.tolist()):
        here = measures == name
        x, y, low, high = (column[here] for column in columns)
        order = np.argsort(x, kind="stable")
        found.append(Curve(name, x[order], y[order], low[order], high[order]))
    return found


def picture_of(curves: Sequence[Curve], across: str, up: str) -> Picture | None:
    """What to draw of the curves that have two points or more; None where no curve has."""
    shown = [curve for curve in curves if len(set(curve.x[~np.isnan(curve.x) & ~np.isnan(curve.y)])) > 1]
    if not shown:
        return None
    told = [f"{curve.name} from {number(_first(curve))} to {number(_last(curve))}" for curve in shown]
    ends = f"{number(float(np.nanmin(shown[0].x)), 0)} and {number(float(np.nanmax(shown[0].x)), 0)}"
    alt = f"{counted(len(shown), 'line')}, one a measure: {up} by {across}, between {ends}: {'; '.join(told)}."

    def paint(palette: Palette, title: str) -> Figure:
        return draw_curves(palette, title, shown, across, up)

    return Picture(alt, paint)


def draw_curves(palette: Palette, title: str, curves: Sequence[Curve], across: str, up: str) -> Figure:
    """Lines with their names at the right end, bands where they are few."""
    from matplotlib.ticker import MaxNLocator

    height = height_for(curves)
    sheet = Sheet(palette, WIDTH + room_for(curves), height + 0.85, title)
    axes = sheet.axes(0.35, 0.32, WIDTH, height)
    draw_lines(sheet, axes, curves, (WIDTH, height))
    if all(value == round(value) for curve in curves for value in curve.x.tolist()):
        axes.xaxis.set_major_locator(MaxNLocator(nbins=8, integer=True))
    sheet.horizontal(axes, across)
    sheet.vertical(axes, up)
    return sheet.figure


def height_for(curves: Sequence[Curve]) -> float:
    """Inches of height that the names of the lines need."""
    return max(HEIGHT, 0.155 * len(curves))


def room_for(curves: Sequence[Curve]) -> float:
    """Inches that the names of the lines need at the right, and the numbers of the axis at the left."""
    return width_of([label(curve.name) for curve in curves], SMALL) + 0.8


def draw_lines(sheet: Sheet, axes: Axes, curves: Sequence[Curve], size: tuple[float, float]) -> None:
    """The lines on axes that are so many inches wide and high."""
    sheet.grid(axes, "y")
    banded = len(curves) <= MAX_BANDS
    for place, curve in enumerate(curves):
        colour, line, marker = look(place)
        if banded and curve.low is not None and curve.high is not None:
            axes.fill_between(curve.x, curve.low, curve.high, color=colour, alpha=0.13, linewidth=0)
        axes.plot(curve.x, curve.y, color=colour, linestyle=line, marker=marker, markersize=3.5, linewidth=1.4)
    lowest, highest = axes.get_ylim()
    axes.set_ylim(lowest, highest)
    end = max(float(np.nanmax(curve.x)) for curve in curves)
    first = min(float(np.nanmin(curve.x)) for curve in curves)
    margin = 0.03
    if axes.get_xscale() == "log":
        axes.set_xlim(first / (end / first) ** margin, end * (end / first) ** margin)
    else:
        axes.set_xlim(first - margin * (end - first), end + margin * (end - first))
    # As much of the axis as a line of letters is high.
    heights = spread([_last(one) for one in curves], (highest - lowest) * 0.15 / size[1], lowest, highest)
    inch = 1 / size[0]
    for place, (curve, height_of) in enumerate(zip(curves, heights, strict=True)):
        # The right end in shares of the axes' width, whatever their scale.
        ends = [1 - margin / (1 + 2 * margin), 1, 1 + 0.12 * inch]
        axes.plot(ends, [_last(curve), _last(curve), height_of], color=look(place)[0], linewidth=0.5, clip_on=False,
                  transform=axes.get_yaxis_transform())  # fmt: skip
        # Lines that end alike are told by their marks.
        axes.plot(
            [ends[-1] + 0.06 * inch],
            [height_of],
            marker=look(place)[2],
            color=look(place)[0],
            markersize=3.5,
            clip_on=False,
            transform=axes.get_yaxis_transform(),
        )
        sheet.say(axes, ends[-1] + 0.14 * inch, height_of, label(curve.name), size=SMALL, va="center_baseline",
                  transform=axes.get_yaxis_transform())  # fmt: skip


def look(place: int) -> tuple[str, str, str]:
    """Colour, line and marker of the so manieth thing; 28 things differ in more than one of them."""
    turn = place // len(COLOURS)
    return COLOURS[place % len(COLOURS)], LINES[turn % len(LINES)], MARKERS[(place + turn) % len(MARKERS)]


def _first(curve: Curve) -> float:
    return float(curve.y[~np.isnan(curve.y)][0])


def _last(curve: Curve) -> float:
    return float(curve.y[~np.isnan(curve.y)][-1])
