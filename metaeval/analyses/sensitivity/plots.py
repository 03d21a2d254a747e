"""Plots of `sensitivity`: a map of two parameters, a line for one, dots for weightings."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from metaeval.errors import pluralize
from metaeval.model.report import Kind, Table
from metaeval.render.plots.canvas import Palette, Sheet, label, labels, number
from metaeval.render.plots.columns import distinct, matrix, names_of, numbers, texts
from metaeval.render.plots.declaration import Picture, Tables, plot
from metaeval.render.plots.dotplot import Dots, draw_dots
from metaeval.render.plots.heatmap import Heat, colour_limits, frame_cell
from metaeval.render.plots.lineplot import Curve, draw_curves

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MAX_DOTS = 28
"""Maximum number of weightings in a legend."""

TAU = "tau-b with the default ranking"


@plot("sensitivity_map", title="Sensitivity to two parameters", needs=("sensitivity_map",))
def sensitivity_map(tables: Tables) -> Picture | None:
    """A matrix of settings, with a frame around the best one."""
    table = tables["sensitivity_map"]
    first, *columns = names_of(table)
    values = matrix(table, columns)
    if np.isnan(values).all():
        return None
    rows = [f"{first}={value}" for value in texts(table, first)]
    what = "mean correlation with human scores" if "human scores" in table.title else TAU
    heat = Heat(values, labels(rows), labels(columns), *colour_limits(values), f"{what} (framed: best)")
    row, column = (int(place) for place in np.unravel_index(int(np.nanargmax(values)), values.shape))
    measure = table.title.partition(": ")[0]

    def paint(palette: Palette, title: str) -> Figure:
        sheet = Sheet(palette, heat.left + max(heat.size[0], 3), heat.size[1] + heat.below + 0.63, title)
        heat.legend(sheet, heat.left, 0.2)
        frame_cell(heat.draw(sheet, heat.left, 0.5), column, row, "#D55E00")
        return sheet.figure

    lowest = number(float(np.nanmin(values)))
    best = f"best {number(values[row, column])} at {rows[row]}, {columns[column]}"
    return Picture(f"Heat map of {what}, {measure}: {best}; lowest {lowest}.", paint)


@plot("sensitivity", title="Sensitivity to a parameter", needs=("sensitivity",))
def sensitivity(tables: Tables) -> Picture | None:
    """For one parameter: a line for each measure if its values are numbers, else rows of dots."""
    table = tables["sensitivity"]
    names = names_of(table)
    parameters = names[1 : names.index("score")]
    if len(parameters) != 1:
        return None
    column = _correlation_column(table)
    what = "correlation with human scores" if column else TAU
    values, measures = numbers(table, column or "tau"), texts(table, "measure")
    points = texts(table, parameters[0])
    if np.isnan(values).all():
        return None
    best = int(np.nanargmax(values))
    highest = f"highest {number(values[best])} ({measures[best]} at {points[best]})"
    lowest = f"lowest {number(float(np.nanmin(values)))}"
    count = pluralize(len(set(measures)), "measure")
    alt = f"{what[0].upper()}{what[1:]} by {parameters[0]}, {count}; {highest}, {lowest}."
    x = np.array([_number(point) for point in points])
    rows = {name: np.array(measures) == name for name in distinct(measures)}
    curves = [Curve(name, x[here], values[here]) for name, here in rows.items()]
    if not np.isnan(x).any() and all(len(curve.x) > 1 and not np.isnan(curve.y).all() for curve in curves):
        return Picture(alt, lambda palette, title: draw_curves(palette, title, curves, label(parameters[0]), what))
    by_cell = dict(zip(zip(measures, points, strict=True), values.tolist(), strict=True))
    dots = [
        Dots(point, np.array([by_cell.get((name, point), math.nan) for name in rows]))
        for point in distinct(points)[:MAX_DOTS]
    ]
    return Picture(alt, lambda palette, title: draw_dots(palette, title, list(rows), dots, what))


def _correlation_column(table: Table) -> str | None:
    """The column of the mean correlation with human scores, or of the only rater; None without human scores."""
    scores = [column.name for column in table.columns if column.kind is Kind.SCORE]
    raters = scores[scores.index("tau") + 1 :]
    return raters[-1] if raters else None


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan
