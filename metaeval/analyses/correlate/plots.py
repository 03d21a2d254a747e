"""Measures against people."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from metaeval.errors import counted
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
from metaeval.render.plots.placing import around

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_PANELS = 12
MOST_NAMES = 30
"""Systems that are named; more names would only hide the points."""

SIGNS = {"pearson": "r", "spearman": "rho", "kendall-b": "tau-b"}

NOT_ONE_PERSON = ("mean of correlations", "mean of the others")
"""People of the table `correlations` that stand for no ratings of systems, and whose interval is none."""


@plot("correlations", title="Measures against people", needs=("correlations", "correlation_scores"))
def correlations(tables: Tables) -> Picture | None:
    """A panel a measure: a point a system, its score against its rating by the last of the people, their pool."""
    table = tables["correlation_scores"]
    humans, measures = texts(table, "human"), texts(table, "measure")
    x, y = numbers(table, "rating"), numbers(table, "score")
    if not humans:
        return None
    human = humans[-1]
    names = distinct(measures)
    here = np.array(humans) == human
    panels = []
    for name in names:
        rows = np.flatnonzero(here & (np.array(measures) == name) & ~np.isnan(x) & ~np.isnan(y))
        if len(rows) > 1:
            systems = texts(table, "system")
            panels.append((name, [systems[row] for row in rows], x[rows], y[rows]))
    if not panels:
        return None
    shown = panels[:MOST_PANELS]
    told = {name: _coefficients(tables["correlations"], name, human) for name, *_ in shown}
    left_out = len(panels) - len(shown)
    more = f" Not shown: {counted(left_out, 'more measure')}." if left_out else ""
    alt = "; ".join(f"{name}{': ' if told[name] else ''}{told[name]}" for name, *_ in shown)
    who = f"ratings ({human})"

    def paint(palette: Palette, title: str) -> Figure:
        return _scatter(palette, title, shown, told, label(who), more.strip())

    return Picture(
        f"Scatter plots of systems' scores against {who}, {counted(len(shown), 'measure')}. {alt}.{more}", paint
    )


def _coefficients(table: Table, measure: str, human: str) -> str:
    """Its correlations with these people over systems, as 'r = 0.97, tau-b = 0.87'."""
    columns = [texts(table, name) for name in ("measure", "human", "level", "coefficient")]
    found = [f"{SIGNS.get(name, name)} = {number(value)}" for one, who, level, name, value in
             zip(*columns, numbers(table, "value"), strict=True)
             if one == measure and who == human and level == "system"]  # fmt: skip
    return ", ".join(found[:3])


def _scatter(
    palette: Palette,
    title: str,
    panels: Sequence[tuple[str, list[str], Numbers, Numbers]],
    told: dict[str, str],
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
        sheet.write(left, top - 0.06, told[name], size=SMALL, color=palette.muted)
        axes.locator_params(nbins=4)
        sheet.grid(axes, "both")
        axes.plot(x, y, "o", color=COLOURS[0], markersize=4)
        axes.margins(0.1)
        if len(systems) <= MOST_NAMES:
            _name_points(sheet, axes, labels(systems, 20), x, y, (side, side * 0.85))
        if place + wide >= len(panels):
            sheet.horizontal(axes, across)
    sheet.write(
        0.4,
        0.1,
        "score of the measure (up) against people (across), a point a system" + f". {more}".rstrip(". "),
        size=SMALL,
        color=palette.muted,
    )
    return sheet.figure


def _name_points(
    sheet: Sheet, axes: Axes, systems: Sequence[str], x: Numbers, y: Numbers, room: tuple[float, float]
) -> None:
    (left, right), (foot, head) = axes.get_xlim(), axes.get_ylim()
    axes.set_xlim(left, right)
    axes.set_ylim(foot, head)
    points = [((a - left) / (right - left) * room[0], (b - foot) / (head - foot) * room[1])
              for a, b in zip(x, y, strict=True)]  # fmt: skip
    for system, place in zip(systems, around(points, systems, TINY, room), strict=True):
        if place is not None:
            look = {"size": TINY, "ha": place[2], "va": "center_baseline", "transform": axes.transAxes}
            sheet.say(axes, place[0] / room[0], place[1] / room[1], system, **look)


@plot("correlation_intervals", title="How well the measures follow people", needs=("correlations",))
def correlation_intervals(tables: Tables) -> Picture | None:
    """A row a measure, a panel a level and coefficient: the correlation with its interval; the best are filled."""
    table = tables["correlations"]
    human = _tested(table)
    rows = [row for row, who in enumerate(texts(table, "human")) if who == human]
    columns = {name: cells_of(table, name) for name in ("measure", "level", "coefficient", "best")}
    ranges = {name: numbers(table, name) for name in ("value", "low", "high")}
    names = distinct([str(columns["measure"][row]) for row in rows])
    kinds = list(dict.fromkeys((str(columns["level"][row]), str(columns["coefficient"][row])) for row in rows))
    values = np.full((len(kinds), 3, len(names)), np.nan)
    best = np.zeros((len(kinds), len(names)), dtype=bool)
    for row in rows:
        kind = kinds.index((str(columns["level"][row]), str(columns["coefficient"][row])))
        measure = names.index(str(columns["measure"][row]))
        values[kind, :, measure] = [ranges[name][row] for name in ("value", "low", "high")]
        best[kind, measure] = columns["best"][row] is True
    if not rows or np.isnan(values[:, 0]).all():
        return None

    def paint(palette: Palette, title: str) -> Figure:
        return _intervals(palette, f"{title}: {label(human)}", names, kinds, values, best)

    told = []
    for (level, coefficient), (found, low, high) in zip(kinds, values, strict=True):
        if not np.isnan(found).all():
            top = int(np.nanargmax(found))
            between = f" ({number(low[top])} to {number(high[top])})" if not math.isnan(low[top]) else ""
            told.append(
                f"{level} level, {SHORT.get(coefficient, coefficient)}: {names[top]} {number(found[top])}{between}"
            )
    return Picture(
        f"Dots with intervals: how {counted(len(names), 'measure')} follow {human}. Highest at {'; '.join(told)}.",
        paint,
    )


def _tested(table: Table) -> str:
    """The people that measures were compared on; else the last that rated."""
    humans = texts(table, "human")
    tested = [who for who, best in zip(humans, cells_of(table, "best"), strict=True) if best is not None]
    raters = [who for who in humans if who not in NOT_ONE_PERSON]
    return (tested or raters or humans or [""])[-1]


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
    height = pitch(rows) * rows
    lines = math.ceil(len(kinds) / across)
    sheet = Sheet(palette, left + across * (wide + 0.3), 0.35 + lines * (height + 0.65), title)
    if best.any():
        told = "filled: the best, and those that can't be told from it"
        sheet.write(left, 0.1, told, size=SMALL, color=palette.muted)
    for place, ((level, coefficient), (found, low, high)) in enumerate(zip(kinds, values, strict=True)):
        column, line = place % across, place // across
        axes = sheet.axes(left + column * (wide + 0.3), 0.25 + line * (height + 0.65), wide, height)
        sheet.grid(axes, "x")
        sheet.name_rows(axes, labels(names) if column == 0 else [""] * rows, size)
        draw_row_dots(axes, Dots("mean", found, low, high), 0, np.arange(rows, dtype=np.float64), palette)
        axes.plot(found[~best[place]], np.flatnonzero(~best[place]), "D", markersize=3.2, color=palette.paper)
        axes.locator_params(axis="x", nbins=5)
        sheet.horizontal(axes, f"{SHORT.get(coefficient, coefficient)}, {level} level")
    return sheet.figure
