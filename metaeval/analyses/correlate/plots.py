"""Plots of measures against human scores, and of their correlations."""

from __future__ import annotations

import math

import numpy as np

from metaeval.analyses.correlate.compute import MEAN_OF_CORRELATIONS, MEAN_OF_OTHERS
from metaeval.errors import pluralize
from metaeval.model.report import Table
from metaeval.render.plots.canvas import COLOURS, Look, label, number
from metaeval.render.plots.columns import cells_of, distinct, numbers, rows_by, texts
from metaeval.render.plots.declaration import Picture, Tables, not_shown, plot
from metaeval.render.plots.dots import DotPlot, Panel, Series
from metaeval.render.plots.lines import Points, ScatterPlot
from metaeval.render.plots.matrix import SHORT

MAX_PANELS = 12

SIGNS = {"pearson": "r", "spearman": "rho", "kendall-b": "tau-b"}

NO_RATINGS = (MEAN_OF_CORRELATIONS, MEAN_OF_OTHERS)
"""Values of `human` in the table `correlations` that are not ratings of systems, and have no interval."""


@plot(
    "correlations",
    title="Measures against human scores",
    needs=("correlations", "correlation_scores"),
    example="correlate --config configs/people.yaml",
)
def correlations(tables: Tables) -> Picture | None:
    """A panel for each measure: the score of each system against its last human score, which is the pooled mean."""
    table = tables["correlation_scores"]
    humans, systems = texts(table, "human"), texts(table, "system")
    x, y = numbers(table, "rating"), numbers(table, "score")
    defined = ~np.isnan(x) & ~np.isnan(y)
    panels = []
    for (measure, human), every_row in rows_by(table, "measure", "human").items():
        rows = every_row[defined[every_row]]
        if human == humans[-1] and len(rows) > 1:
            remark, names = _coefficients(tables["correlations"], measure, human), [systems[row] for row in rows]
            look = Look(COLOURS[0], "o", size=4)
            panels.append(Points(names=names, x=x[rows], y=y[rows], look=look, title=measure, remark=remark))
    if not panels:
        return None
    first_panels, more = panels[:MAX_PANELS], not_shown((len(panels) - MAX_PANELS, "more measure"))
    across = f"ratings ({humans[-1]})"
    legend = f"points: systems; vertical: score of the measure, horizontal: human score. {more}".strip()
    alt = f"Scatter plots of systems' scores against {across}, {pluralize(len(first_panels), 'measure')}. "
    alt += "; ".join(f"{points.title}: {points.remark}" if points.remark else points.title for points in first_panels)
    form = ScatterPlot(panels=first_panels, across=label(across), remark=legend)
    return Picture(f"{alt}. {more}".strip(), form.draw)


def _coefficients(table: Table, measure: str, human: str) -> str:
    """The correlations of a measure at system level, as 'r = 0.97, tau-b = 0.87'."""
    rows = rows_by(table, "measure", "human", "level").get((measure, human, "system"), np.arange(0))
    names, values = texts(table, "coefficient"), numbers(table, "value")
    return ", ".join(f"{SIGNS.get(names[row], names[row])} = {number(values[row])}" for row in rows[:3])


@plot(
    "correlation_intervals",
    title="Correlations of the measures with human scores",
    needs=("correlations",),
    example="correlate --config configs/people.yaml",
)
def correlation_intervals(tables: Tables) -> Picture | None:
    """A panel for each level and coefficient, a row for each measure with its interval; the best ones are filled."""
    table = tables["correlations"]
    human, humans, measures = _tested_human(table), texts(table, "human"), texts(table, "measure")
    columns = np.array([numbers(table, name) for name in ("value", "low", "high")])
    is_best = [cell is True for cell in cells_of(table, "best")]
    names = distinct([measure for measure, other in zip(measures, humans, strict=True) if other == human])
    panels, highest = [], []
    for (level, coefficient, other), rows in rows_by(table, "level", "coefficient", "human").items():
        if other == human:
            values, looks = np.full((3, len(names)), np.nan), [Look("ink", "D", filled=False)] * len(names)
            for row in rows:
                index = names.index(measures[row])
                values[:, index], looks[index] = columns[:, row], Look("ink", "D", filled=is_best[row])
            kind = SHORT.get(coefficient, coefficient)
            panels.append(Panel(rows=names, series=[Series(*values, look=looks)], title=f"{kind}, {level} level"))
            if not np.isnan(values[0]).all():
                top = int(np.nanargmax(values[0]))
                value, low, high = values[:, top].tolist()
                interval = "" if math.isnan(low) else f" ({number(low)} to {number(high)})"
                highest.append(f"{level} level, {kind}: {names[top]} {number(value)}{interval}")
    if not highest:
        return None
    legend = "filled: the best, and those not significantly different from it" if any(is_best) else ""
    across = f"correlation with {label(human)}, with its 95 % interval"
    alt = f"Dots with intervals: correlations of {pluralize(len(names), 'measure')} with {human}"
    form = DotPlot(panels=panels, across=across, remark=legend)
    return Picture(f"{alt}. Highest at {'; '.join(highest)}.", form.draw)


def _tested_human(table: Table) -> str:
    """The human scores of the tests; without tests the last ones."""
    humans = texts(table, "human")
    tested_humans = [human for human, best in zip(humans, cells_of(table, "best"), strict=True) if best is not None]
    return (tested_humans or [human for human in humans if human not in NO_RATINGS] or humans or [""])[-1]
