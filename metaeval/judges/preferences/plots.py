"""Plots of the agreement of metrics and judges with people."""

from __future__ import annotations

import numpy as np

from metaeval.errors import pluralize
from metaeval.model.report import Table
from metaeval.render.plots.canvas import number
from metaeval.render.plots.columns import has, numbers, texts
from metaeval.render.plots.declaration import Picture, Tables, plot
from metaeval.render.plots.dotplot import Dots, draw_dots


def _dots(table: Table, first: str, names: list[str], value: str, what: str) -> Picture | None:
    """A row for each row of a table, with its interval, named by `names`, after the column `first` if there is one."""
    if has(table, first):
        names = [f"{before}: {name}" for before, name in zip(texts(table, first), names, strict=True)]
    values, low, high = (numbers(table, name) for name in (value, "low", "high"))
    if np.isnan(values).all():
        return None
    best, worst = int(np.nanargmax(values)), int(np.nanargmin(values))
    alt = (
        f"{what} with 95 % intervals in {pluralize(len(names), 'row')}, from {number(float(values[worst]))} "
        f"({names[worst]}) to {number(float(values[best]))} ({names[best]})."
    )
    return Picture(alt, lambda palette, title: draw_dots(palette, title, names, [Dots(value, values, low, high)], what))


@plot("metric_preferences", title="Agreement of metrics with human preferences", needs=("metric_preferences",))
def metric_preferences(tables: Tables) -> Picture | None:
    """Tau of each metric, on each language pair, with its interval."""
    table = tables["metric_preferences"]
    return _dots(table, "language_pair", texts(table, "metric"), "tau", "Kendall-like tau")


@plot("judge_preferences", title="Agreement of judges with people, and their biases", needs=("judge_preferences",))
def judge_preferences(tables: Tables) -> Picture | None:
    """Each share of a judge's verdicts with its interval."""
    table = tables["judge_preferences"]
    return _dots(table, "judge", texts(table, "statistic"), "share", "Share of verdicts")


@plot("strengths", title="Strengths of the systems by human preferences", needs=("strengths",))
def strengths(tables: Tables) -> Picture | None:
    """The strength of each system, on each language pair, with its interval."""
    table = tables["strengths"]
    return _dots(table, "language_pair", texts(table, "system"), "strength", "Strength (log odds)")
