"""What a parameter does: a map of two, a line of one, dots of named ones."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from metaeval.errors import counted
from metaeval.model.report import Kind, Table
from metaeval.render.plots.canvas import Palette, Sheet, label, labels, number
from metaeval.render.plots.columns import distinct, matrix, names_of, numbers, texts
from metaeval.render.plots.declaration import Picture, Tables, plot
from metaeval.render.plots.dotplot import Dots, draw_dots
from metaeval.render.plots.heatmap import Heat, ends, frame
from metaeval.render.plots.lineplot import Curve, draw_curves

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST = 7
"""Named settings that one legend holds."""


@plot("sensitivity_map", title="What two parameters do", needs=("sensitivity_map",))
def sensitivity_map(tables: Tables) -> Picture | None:
    """A matrix of settings, the best marked."""
    table = tables["sensitivity_map"]
    first, *columns = names_of(table)
    values = matrix(table, columns)
    if np.isnan(values).all():
        return None
    settings = texts(table, first)
    rows = [f"{first}={value}" for value in settings]
    what = "mean correlation with people" if "people" in table.title else "tau-b with the ranking at the default"
    heat = Heat(values, labels(rows), labels(columns), *ends(values), f"{what} (framed: best)")
    row, column = (int(place) for place in np.unravel_index(int(np.nanargmax(values)), values.shape))
    measure = table.title.partition(": ")[0]

    def paint(palette: Palette, title: str) -> Figure:
        sheet = Sheet(palette, heat.left + max(heat.size[0], 3), heat.size[1] + heat.below + 0.75, title)
        heat.legend(sheet, heat.left, 0.2)
        axes = heat.draw(sheet, heat.left, 0.62)
        frame(axes, column, row, "#D55E00")
        return sheet.figure

    lowest = number(float(np.nanmin(values)))
    told = f"best {number(values[row, column])} at {rows[row]}, {columns[column]}; lowest {lowest}"
    return Picture(f"Heat map of {what}, {measure}: {told}.", paint)


@plot("sensitivity", title="What a parameter does", needs=("sensitivity",))
def sensitivity(tables: Tables) -> Picture | None:
    """For one parameter: a line a measure where its values are numbers, else rows of dots."""
    table = tables["sensitivity"]
    names = names_of(table)
    parameters = names[1 : names.index("score")]
    if len(parameters) != 1:
        return None
    mean = _people(table)
    shown, what = (mean, "correlation with people") if mean else ("tau", "tau-b with the ranking at the default")
    values, measures = numbers(table, shown), texts(table, "measure")
    points = texts(table, parameters[0])
    if np.isnan(values).all():
        return None
    best = int(np.nanargmax(values))
    told = f"highest {number(values[best])} ({measures[best]} at {points[best]})"
    told += f", lowest {number(float(np.nanmin(values)))}"
    alt = f"{what[0].upper()}{what[1:]} by {parameters[0]}, {counted(len(set(measures)), 'measure')}; {told}."
    at = [_number(point) for point in points]
    curves = [
        Curve(name, np.array(at)[np.array(measures) == name], values[np.array(measures) == name])
        for name in distinct(measures)
    ]
    if not any(math.isnan(x) for x in at) and all(len(curve.x) > 1 and not np.isnan(curve.y).all() for curve in curves):
        return Picture(alt, lambda palette, title: draw_curves(palette, title, curves, label(parameters[0]), what))
    rows, kinds = distinct(measures), distinct(points)
    dots = [Dots(kind, _column(rows, measures, points, kind, values)) for kind in kinds[: 4 * MOST]]
    return Picture(alt, lambda palette, title: draw_dots(palette, title, rows, dots, what))


def _column(rows: Sequence[str], measures: Sequence[str], points: Sequence[str], kind: str, values):  # type: ignore[no-untyped-def]
    found = np.full(len(rows), np.nan)
    for measure, point, value in zip(measures, points, values, strict=True):
        if point == kind:
            found[rows.index(measure)] = value
    return found


def _people(table: Table) -> str | None:
    """The column that says how people are followed: their mean, or the only one's; None where there are none."""
    after = [column.name for column in table.columns if column.kind is Kind.SCORE]
    people = after[after.index("tau") + 1 :]
    return people[-1] if people else None


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan
