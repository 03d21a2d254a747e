"""Line plots: a value of each measure by the number of items or references, or by a parameter."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from metaeval.errors import pluralize
from metaeval.model.report import Table
from metaeval.render.plots.canvas import SMALL, WIDTH, Mark, Palette, Sheet, label, number, width_of
from metaeval.render.plots.columns import Numbers, distinct, numbers, texts
from metaeval.render.plots.declaration import Picture
from metaeval.render.plots.placing import spread_labels

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MAX_BANDS = 4
"""Maximum number of lines with bands, because bands overlap."""

HEIGHT = 2.9


@dataclass(frozen=True)
class Curve:
    """A named line: x and y, and the ends of its band if it has one."""

    name: str
    x: Numbers
    y: Numbers
    low: Numbers | None = None
    high: Numbers | None = None

    @property
    def measure(self) -> str:
        """The name without a value in parentheses at its end."""
        return re.sub(r" \([^a-zA-Z]+\)$", "", self.name)


def curves_of(table: Table, across: str, up: str) -> list[Curve]:
    """A curve for each measure of a table, from the columns `across` and `up`, with bands from `low` to `high`."""
    measures = np.array(texts(table, "measure"))
    columns = [numbers(table, name) for name in (across, up, "low", "high")]
    curves = []
    for name in distinct(measures.tolist()):
        here = measures == name
        x, y, low, high = (column[here] for column in columns)
        order = np.argsort(x, kind="stable")
        curves.append(Curve(name, x[order], y[order], low[order], high[order]))
    return curves


def picture_of(curves: Sequence[Curve], across: str, up: str) -> Picture | None:
    """The plot of the curves with at least two points; None if there are none."""
    shown = [curve for curve in curves if len(set(curve.x[~np.isnan(curve.x) & ~np.isnan(curve.y)])) > 1]
    if not shown:
        return None
    parts = [f"{curve.name} from {number(_end(curve, 0))} to {number(_end(curve))}" for curve in shown]
    ends = f"{number(float(np.nanmin(shown[0].x)), 0)} and {number(float(np.nanmax(shown[0].x)), 0)}"
    alt = f"{pluralize(len(shown), 'line')}, one a measure: {up} by {across}, between {ends}: {'; '.join(parts)}."
    return Picture(alt, lambda palette, title: draw_curves(palette, title, shown, across, up))


def draw_curves(palette: Palette, title: str, curves: Sequence[Curve], across: str, up: str) -> Figure:
    """Lines with their names at the right end, and bands if there are few lines."""
    from matplotlib.ticker import MaxNLocator

    height, width = height_for(curves), WIDTH - room_for(curves)
    sheet = Sheet(palette, WIDTH, height + 0.85, title)
    axes = sheet.axes(0.35, 0.32, width, height)
    draw_lines(sheet, axes, curves, (width, height))
    if all(value == round(value) for curve in curves for value in curve.x.tolist()):
        axes.xaxis.set_major_locator(MaxNLocator(nbins=8, integer=True))
    sheet.horizontal(axes, across)
    sheet.vertical(axes, up)
    return sheet.figure


def height_for(curves: Sequence[Curve]) -> float:
    """The height in inches that the names of the lines need."""
    return max(HEIGHT, 0.155 * len(curves))


def room_for(curves: Sequence[Curve]) -> float:
    """The width in inches of the names of the lines at the right and the numbers of the axis at the left."""
    return width_of([label(curve.name) for curve in curves], SMALL) + 0.8


def mark_of(palette: Palette, curve: Curve, place: int) -> Mark:
    """The mark of a line in a legend; place: of its style, if it is not a measure."""
    colour, _, marker = palette.style(curve.measure, place)
    return lambda axes, x, y: axes.plot([x], [y], marker=marker, color=colour, markersize=4)


def draw_lines(
    sheet: Sheet, axes: Axes, curves: Sequence[Curve], size: tuple[float, float], *, named: bool = True
) -> None:
    """Draw the lines on axes; size: width and height of the axes in inches; named: with names at their ends."""
    sheet.grid(axes, "y")
    banded = len(curves) <= MAX_BANDS
    for place, curve in enumerate(curves):
        colour, line, marker = sheet.palette.style(curve.measure, place)
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
    if not named:
        return
    # The gap is the height of a line of text.
    heights = spread_labels([_end(one) for one in curves], (highest - lowest) * 0.15 / size[1], lowest, highest)
    inch = 1 / size[0]
    # The right end as shares of the width of the axes, for any scale.
    ends = [1 - margin / (1 + 2 * margin), 1, 1 + 0.12 * inch]
    transform = axes.get_yaxis_transform()
    for place, (curve, height) in enumerate(zip(curves, heights, strict=True)):
        colour, _, marker = sheet.palette.style(curve.measure, place)
        shared: dict[str, Any] = {"color": colour, "clip_on": False, "transform": transform}
        axes.plot(ends, [_end(curve), _end(curve), height], linewidth=0.5, **shared)
        # Markers distinguish lines with the same end.
        axes.plot([ends[-1] + 0.06 * inch], [height], marker=marker, markersize=3.5, **shared)
        style = {"size": SMALL, "va": "center_baseline", "transform": transform}
        sheet.annotate(axes, ends[-1] + 0.14 * inch, height, label(curve.name), **style)


def _end(curve: Curve, place: int = -1) -> float:
    return float(curve.y[~np.isnan(curve.y)][place])
