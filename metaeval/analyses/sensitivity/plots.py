"""Plots of `sensitivity`: a map of two parameters, a line for one, dots for weightings."""

from __future__ import annotations

import math

import numpy as np

from metaeval.errors import pluralize
from metaeval.model.report import Kind
from metaeval.render.plots.canvas import number
from metaeval.render.plots.columns import distinct, extremes, matrix, names_of, numbers, rows_by, texts
from metaeval.render.plots.declaration import Picture, Tables, plot
from metaeval.render.plots.dots import DotPlot, Panel, Series, dot_series
from metaeval.render.plots.lines import MAX_LINES, Curve, LinePanel, LinePlot
from metaeval.render.plots.matrix import Heat, colour_limits

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
    lowest, (row, column) = extremes(values)
    limits, legend = colour_limits(values), f"{what} (framed: best)"
    heat = Heat(rows=rows, columns=columns, values=values, limits=limits, what=legend, framed=(row, column))
    best = f"best {number(values[row, column])} at {rows[row]}, {columns[column]}"
    measure = table.title.partition(": ")[0]
    return Picture(f"Heat map of {what}, {measure}: {best}; lowest {number(values[lowest])}.", heat.draw)


@plot("sensitivity", title="Sensitivity to a parameter", needs=("sensitivity",))
def sensitivity(tables: Tables) -> Picture | None:
    """For one parameter: a line for each measure if its values are numbers, else rows of dots."""
    table = tables["sensitivity"]
    names = names_of(table)
    parameters = names[1 : names.index("score")]
    if len(parameters) != 1:
        return None
    # The last column of scores is the mean correlation with human scores, or that with the only rater.
    scores = [column.name for column in table.columns if column.kind is Kind.SCORE]
    column = scores[-1]
    what = TAU if column == "tau" else "correlation with human scores"
    values, measures, points = numbers(table, column), texts(table, "measure"), texts(table, parameters[0])
    if np.isnan(values).all():
        return None
    (lowest,), (highest,) = extremes(values)
    best = f"highest {number(values[highest])} ({measures[highest]} at {points[highest]})"
    alt = f"{what[0].upper()}{what[1:]} by {parameters[0]}, {pluralize(len(set(measures)), 'measure')}; {best}, "
    alt += f"lowest {number(values[lowest])}."
    x, by_measure = np.array([_number(point) for point in points]), rows_by(table, "measure")
    curves = [Curve(name, x[rows], values[rows]) for (name,), rows in by_measure.items()]
    if not np.isnan(x).any() and all(len(curve.x) > 1 and not np.isnan(curve.y).all() for curve in curves):
        return Picture(alt, LinePlot(panels=[LinePanel(curves=curves, across=parameters[0], title=what)]).draw)
    names = distinct(measures)
    series = {point: np.full(len(names), math.nan) for point in distinct(points)[:MAX_LINES]}
    for point, measure, value in zip(points, measures, values, strict=True):
        if point in series:
            series[point][names.index(measure)] = value
    panel = Panel(rows=names, series=dot_series({point: Series(cells) for point, cells in series.items()}))
    return Picture(alt, DotPlot(panels=[panel], across=what).draw)


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan
