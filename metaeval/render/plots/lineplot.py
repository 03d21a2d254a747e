"""Line plots: a value of each measure by the number of items or references, or by a parameter."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from metaeval.errors import pluralize
from metaeval.model.report import Table
from metaeval.render.plots.canvas import WIDTH, Mark, Palette, Sheet, label, number, sheet_with_legend
from metaeval.render.plots.columns import Numbers, distinct, numbers, texts
from metaeval.render.plots.declaration import Picture

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
    """Lines with a legend above, and bands if there are few lines."""
    from matplotlib.ticker import MaxNLocator

    sheet, top = sheet_with_legend(palette, title, legend_of(palette, curves), HEIGHT + 0.75)
    axes = sheet.axes(0.35, top + 0.25, WIDTH - 0.5, HEIGHT)
    draw_lines(sheet, axes, curves)
    if all(value == round(value) for curve in curves for value in curve.x.tolist()):
        axes.xaxis.set_major_locator(MaxNLocator(nbins=8, integer=True))
    sheet.horizontal(axes, across)
    sheet.vertical(axes, up)
    return sheet.figure


def legend_of(palette: Palette, curves: Sequence[Curve]) -> list[tuple[str, Mark]]:
    """The names and marks of the lines."""
    return [(label(curve.name, 60), palette.mark(curve.measure, place)) for place, curve in enumerate(curves)]


def draw_lines(sheet: Sheet, axes: Axes, curves: Sequence[Curve]) -> None:
    """Draw the lines on axes, with bands if there are few."""
    sheet.grid(axes, "y")
    banded = len(curves) <= MAX_BANDS
    for place, curve in enumerate(curves):
        colour, line, marker = sheet.palette.style(curve.measure, place)
        if banded and curve.low is not None and curve.high is not None:
            axes.fill_between(curve.x, curve.low, curve.high, color=colour, alpha=0.13, linewidth=0)
        axes.plot(curve.x, curve.y, color=colour, linestyle=line, marker=marker, markersize=3.5, linewidth=1.4)
    end = max(float(np.nanmax(curve.x)) for curve in curves)
    first = min(float(np.nanmin(curve.x)) for curve in curves)
    margin = 0.03
    if axes.get_xscale() == "log":
        axes.set_xlim(first / (end / first) ** margin, end * (end / first) ** margin)
    else:
        axes.set_xlim(first - margin * (end - first), end + margin * (end - first))


def _end(curve: Curve, place: int = -1) -> float:
    return float(curve.y[~np.isnan(curve.y)][place])
