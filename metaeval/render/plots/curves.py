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
from metaeval.render.plots.declaration import Picture, Tables, plot
from metaeval.render.plots.placing import spread

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FEW_BANDS = 4
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


@plot("stability_curve", title="Stability by the number of items", needs=("stability_curve",))
def stability_curve(tables: Tables) -> Picture | None:
    """Mean tau between halves against their size, a line a measure, with the middle 95 % of the trials."""
    curves = _of_measures(tables["stability_curve"], "items", "mean")
    return _picture(curves, "items in each half", "mean tau-b between halves")


@plot("references_rankings", title="Rankings by the number of references", needs=("references_rankings",))
def references_rankings(tables: Tables) -> Picture | None:
    """Kendall's tau of the ranking by fewer references with the ranking by all, a line a measure."""
    curves = _of_measures(tables["references_rankings"], "references", "tau")
    return _picture(curves, "references for each item", "tau-b with the ranking against all references")


def _of_measures(table: Table, across: str, up: str) -> list[Curve]:
    measures = np.array(texts(table, "measure"))
    columns = [numbers(table, name) for name in (across, up, "low", "high")]
    found = []
    for name in distinct(measures.tolist()):
        here = measures == name
        x, y, low, high = (column[here] for column in columns)
        order = np.argsort(x, kind="stable")
        found.append(Curve(name, x[order], y[order], low[order], high[order]))
    return found


def _picture(curves: Sequence[Curve], across: str, up: str) -> Picture | None:
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

    height = max(HEIGHT, 0.155 * len(curves))
    right = width_of([label(curve.name) for curve in curves], SMALL)
    sheet = Sheet(palette, WIDTH + right + 0.7, height + 0.85, title)
    axes = sheet.axes(0.35, 0.32, WIDTH, height)
    sheet.grid(axes, "y")
    banded = len(curves) <= FEW_BANDS
    for place, curve in enumerate(curves):
        colour, line, marker = look(place)
        if banded and curve.low is not None and curve.high is not None:
            axes.fill_between(curve.x, curve.low, curve.high, color=colour, alpha=0.13, linewidth=0)
        axes.plot(curve.x, curve.y, color=colour, linestyle=line, marker=marker, markersize=3.5, linewidth=1.4)
    lowest, highest = axes.get_ylim()
    axes.set_ylim(lowest, highest)
    # As much of the axis as a line of letters is high.
    gap = (highest - lowest) * 0.15 / height
    end = max(float(np.nanmax(curve.x)) for curve in curves)
    first = min(float(np.nanmin(curve.x)) for curve in curves)
    axes.set_xlim(first - 0.03 * (end - first), end + 0.03 * (end - first))
    heights = spread([_last(one) for one in curves], gap, lowest, highest)
    if all(value == round(value) for curve in curves for value in curve.x.tolist()):
        axes.xaxis.set_major_locator(MaxNLocator(nbins=8, integer=True))
    inch = (end - first) * 1.06 / WIDTH
    for place, (curve, height_of) in enumerate(zip(curves, heights, strict=True)):
        colour = look(place)[0]
        start = end + 0.03 * (end - first)
        axes.plot([end, start, start + 0.12 * inch], [_last(curve), _last(curve), height_of], color=colour,
                  linewidth=0.5, clip_on=False)  # fmt: skip
        sheet.say(axes, start + 0.16 * inch, height_of, label(curve.name), size=SMALL, va="center_baseline")
    sheet.horizontal(axes, across)
    sheet.vertical(axes, up)
    return sheet.figure


def look(place: int) -> tuple[str, str, str]:
    """Colour, line and marker of the so manieth thing; 28 things differ in more than one of them."""
    turn = place // len(COLOURS)
    return COLOURS[place % len(COLOURS)], LINES[turn % len(LINES)], MARKERS[(place + turn) % len(MARKERS)]


def _first(curve: Curve) -> float:
    return float(curve.y[~np.isnan(curve.y)][0])


def _last(curve: Curve) -> float:
    return float(curve.y[~np.isnan(curve.y)][-1])
