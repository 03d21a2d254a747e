"""Plots of measures against human scores, and of their correlations."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from metaeval.errors import pluralize
from metaeval.model.report import Table
from metaeval.render.plots.canvas import (
    COLOURS,
    SMALL,
    TINY,
    Palette,
    Sheet,
    label,
    labels,
    number,
    pitch,
    row_size,
    width_of,
)
from metaeval.render.plots.columns import Numbers, cells_of, distinct, numbers, texts
from metaeval.render.plots.declaration import Picture, Tables, plot
from metaeval.render.plots.dotplot import Dots, draw_row_dots
from metaeval.render.plots.heatmap import SHORT
from metaeval.render.plots.placing import name_points

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MAX_PANELS = 12
MAX_NAMES = 30
"""Number of systems up to which the points are named."""

SIGNS = {"pearson": "r", "spearman": "rho", "kendall-b": "tau-b"}

NO_RATINGS = ("mean of correlations", "mean of the others")
"""Values of `human` in the table `correlations` that are not ratings of systems, and have no interval."""


@plot("correlations", title="Measures against human scores", needs=("correlations", "correlation_scores"))
def correlations(tables: Tables) -> Picture | None:
    """A panel for each measure: the score of each system against its last human score, which is the pooled mean."""
    table = tables["correlation_scores"]
    humans, measures, systems = (np.array(texts(table, name)) for name in ("human", "measure", "system"))
    x, y = numbers(table, "rating"), numbers(table, "score")
    if not len(humans):
        return None
    human = str(humans[-1])
    defined = (humans == human) & ~np.isnan(x) & ~np.isnan(y)
    panels = []
    for name in distinct(measures.tolist()):
        rows = defined & (measures == name)
        if rows.sum() > 1:
            panels.append((name, systems[rows].tolist(), x[rows], y[rows]))
    if not panels:
        return None
    shown = panels[:MAX_PANELS]
    coefficients = {name: _coefficients(tables["correlations"], name, human) for name, *_ in shown}
    hidden = len(panels) - len(shown)
    more = f"Not shown: {pluralize(hidden, 'more measure')}." if hidden else ""
    across = f"ratings ({human})"

    def paint(palette: Palette, title: str) -> Figure:
        return _scatter(palette, title, shown, coefficients, label(across), more)

    alt = f"Scatter plots of systems' scores against {across}, {pluralize(len(shown), 'measure')}. "
    alt += "; ".join(f"{name}: {own}" if own else name for name, own in coefficients.items())
    return Picture(f"{alt}. {more}".strip(), paint)


def _coefficients(table: Table, measure: str, human: str) -> str:
    """The correlations of a measure at system level, as 'r = 0.97, tau-b = 0.87'."""
    columns = [texts(table, name) for name in ("measure", "human", "level", "coefficient")]
    values = [f"{SIGNS.get(name, name)} = {number(value)}" for one, rater, level, name, value in
             zip(*columns, numbers(table, "value"), strict=True)
             if one == measure and rater == human and level == "system"]  # fmt: skip
    return ", ".join(values[:3])


def _scatter(
    palette: Palette,
    title: str,
    panels: Sequence[tuple[str, list[str], Numbers, Numbers]],
    coefficients: dict[str, str],
    across: str,
    more: str,
) -> Figure:
    wide = min(len(panels), 2 if len(panels) <= 4 else 3)
    side = 3.0 if wide <= 2 else 2.15
    gap = (0.55, 0.8)
    high = math.ceil(len(panels) / wide)
    sheet = Sheet(palette, wide * (side + gap[0]), 0.5 + high * (side * 0.85 + gap[1]), title)
    for place, (name, systems, x, y) in enumerate(panels):
        left = 0.4 + place % wide * (side + gap[0])
        top = 0.55 + place // wide * (side * 0.85 + gap[1])
        axes = sheet.axes(left, top, side, side * 0.85)
        sheet.write(left, top - 0.2, label(name, 30 if wide <= 2 else 26), size=SMALL, weight="bold")
        sheet.write(left, top - 0.06, coefficients[name], size=SMALL, color=palette.muted)
        axes.locator_params(nbins=4)
        sheet.grid(axes, "both")
        axes.plot(x, y, "o", color=COLOURS[0], markersize=4)
        axes.margins(0.1)
        if len(systems) <= MAX_NAMES:
            name_points(sheet, axes, labels(systems, 20), x, y, (side, side * 0.85), TINY)
        if place + wide >= len(panels):
            sheet.horizontal(axes, across)
    legend = f"points: systems; vertical: score of the measure, horizontal: human score. {more}"
    sheet.write(0.4, 0.1, legend.strip(), size=SMALL, color=palette.muted)
    return sheet.figure


@plot("correlation_intervals", title="Correlations of the measures with human scores", needs=("correlations",))
def correlation_intervals(tables: Tables) -> Picture | None:
    """A panel for each level and coefficient, a row for each measure with its interval; the best ones are filled."""
    table = tables["correlations"]
    human = _tested_human(table)
    rows = [row for row, name in enumerate(texts(table, "human")) if name == human]
    measures, best_cells = texts(table, "measure"), cells_of(table, "best")
    kind_of = list(zip(texts(table, "level"), texts(table, "coefficient"), strict=True))
    ranges = np.array([numbers(table, name) for name in ("value", "low", "high")])
    names, kinds = distinct([measures[row] for row in rows]), list(dict.fromkeys(kind_of[row] for row in rows))
    values = np.full((len(kinds), 3, len(names)), np.nan)
    best = np.zeros((len(kinds), len(names)), dtype=bool)
    for row in rows:
        kind, measure = kinds.index(kind_of[row]), names.index(measures[row])
        values[kind, :, measure] = ranges[:, row]
        best[kind, measure] = best_cells[row] is True
    if not rows or np.isnan(values[:, 0]).all():
        return None

    def paint(palette: Palette, title: str) -> Figure:
        return _intervals(palette, f"{title}: {label(human)}", names, kinds, values, best)

    highest = []
    for (level, coefficient), (value, low, high) in zip(kinds, values, strict=True):
        if not np.isnan(value).all():
            top = int(np.nanargmax(value))
            interval = f" ({number(low[top])} to {number(high[top])})" if not math.isnan(low[top]) else ""
            name = f"{level} level, {SHORT.get(coefficient, coefficient)}"
            highest.append(f"{name}: {names[top]} {number(value[top])}{interval}")
    alt = f"Dots with intervals: correlations of {pluralize(len(names), 'measure')} with {human}"
    return Picture(f"{alt}. Highest at {'; '.join(highest)}.", paint)


def _tested_human(table: Table) -> str:
    """The human scores of the tests; without tests the last ones."""
    humans = texts(table, "human")
    tested = [human for human, best in zip(humans, cells_of(table, "best"), strict=True) if best is not None]
    return (tested or [human for human in humans if human not in NO_RATINGS] or humans or [""])[-1]


def _intervals(
    palette: Palette,
    title: str,
    names: Sequence[str],
    kinds: Sequence[tuple[str, str]],
    values: Numbers,
    best: NDArray[np.bool_],
) -> Figure:
    rows, size = len(names), row_size(len(names))
    left, wide = width_of(labels(names), size) + 0.15, 2.2 if len(kinds) > 1 else 3.6
    across = min(len(kinds), 3)
    step = (wide + 0.3, pitch(rows) * rows + 0.65)
    sheet = Sheet(palette, left + across * step[0], 0.35 + math.ceil(len(kinds) / across) * step[1], title)
    if best.any():
        legend = "filled: the best, and those not significantly different from it"
        sheet.write(left, 0.1, legend, size=SMALL, color=palette.muted)
    for place, ((level, coefficient), (value, low, high)) in enumerate(zip(kinds, values, strict=True)):
        line, column = divmod(place, across)
        axes = sheet.axes(left + column * step[0], 0.25 + line * step[1], wide, pitch(rows) * rows)
        sheet.grid(axes, "x")
        sheet.name_rows(axes, labels(names) if column == 0 else [""] * rows, size)
        draw_row_dots(axes, Dots("mean", value, low, high), 0, np.arange(rows, dtype=np.float64), palette)
        axes.plot(value[~best[place]], np.flatnonzero(~best[place]), "D", markersize=3.2, color=palette.paper)
        axes.locator_params(axis="x", nbins=5)
        sheet.horizontal(axes, f"{SHORT.get(coefficient, coefficient)}, {level} level")
    return sheet.figure
