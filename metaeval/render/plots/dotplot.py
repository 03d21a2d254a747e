"""Dot plots: rows of values with intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from metaeval.render.plots import canvas
from metaeval.render.plots.canvas import COLOURS, SMALL, Palette, Sheet, label, labels, width_of
from metaeval.render.plots.columns import Numbers

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WIDTH = 4.2


@dataclass(frozen=True)
class Dots:
    """A series with a dot in each row: its name, values, and intervals if there are any; NaN has no dot."""

    name: str
    values: Numbers
    low: Numbers | None = None
    high: Numbers | None = None


def draw_dots(palette: Palette, title: str, names: Sequence[str], dots: Sequence[Dots], across: str) -> Figure:
    """Rows of dots with a legend above; the dots of a row are shifted against each other."""
    rows, size = len(names), canvas.row_size(len(names))
    crowd = max(1, len(dots))
    has_intervals = any(one.low is not None for one in dots)
    height = rows * (canvas.pitch(rows) + (0.075 * crowd if has_intervals and rows <= 60 else 0))
    left = width_of(labels(names), size) + 0.15
    lines = _lines([label(one.name, 24) for one in dots], WIDTH + left)
    sheet = Sheet(palette, left + WIDTH + 0.2, height + 0.75 + 0.2 * len(lines), title)
    top = 0.25 + 0.2 * len(lines)
    axes = sheet.axes(left, top, WIDTH, height)
    sheet.grid(axes, "x")
    sheet.name_rows(axes, labels(names), size)
    for row in range(0, rows, 2):
        axes.axhspan(row - 0.5, row + 0.5, facecolor=palette.grid, alpha=0.22, linewidth=0)
    for place, one in enumerate(dots):
        aside = (place - (crowd - 1) / 2) * (0.72 / crowd)
        draw_row_dots(axes, one, place, np.arange(rows) + aside, palette)
    _legend(sheet, lines, dots, palette)
    sheet.horizontal(axes, across)
    return sheet.figure


def draw_row_dots(axes: Axes, one: Dots, place: int, rows: NDArray[np.floating[Any]], palette: Palette) -> None:
    """The dots of a series, with their intervals."""
    colour, marker = dot_style(one, place, palette)
    if one.low is not None and one.high is not None:
        axes.hlines(rows, one.low, one.high, color=colour, linewidth=1)
    axes.plot(one.values, rows, linestyle="none", marker=marker, color=colour, markersize=4.5, clip_on=False)


def dot_style(one: Dots, place: int, palette: Palette) -> tuple[str, str]:
    """The colour and the marker of a series; the mean has the colour of text."""
    if one.name == "mean":
        return palette.ink, "D"
    markers = [marker for marker in canvas.MARKERS if marker != "D"]
    return COLOURS[place % len(COLOURS)], markers[place % len(markers)]


def _lines(names: Sequence[str], room: float) -> list[list[int]]:
    """The entries of each line of the legend."""
    lines: list[list[int]] = [[]]
    used = 0.0
    for place, name in enumerate(names):
        wide = width_of([name], SMALL) + 0.4
        if lines[-1] and used + wide > room:
            lines.append([])
            used = 0.0
        lines[-1].append(place)
        used += wide
    return lines


def _legend(sheet: Sheet, lines: Sequence[Sequence[int]], dots: Sequence[Dots], palette: Palette) -> None:
    for number, line in enumerate(lines):
        axes = sheet.axes(0, 0.1 + 0.2 * number, sheet.width, 0.2)
        axes.set_axis_off()
        axes.set_xlim(0, sheet.width)
        axes.set_ylim(0, 1)
        start = 0.06
        for place in line:
            colour, marker = dot_style(dots[place], place, palette)
            name = label(dots[place].name, 24)
            axes.plot([start], [0.5], linestyle="none", marker=marker, color=colour, markersize=5)
            sheet.annotate(axes, start + 0.1, 0.5, name, size=SMALL, va="center_baseline")
            start += width_of([name], SMALL) + 0.4
