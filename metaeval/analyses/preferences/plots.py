"""Plots of the agreement of metrics and judges with people."""

from __future__ import annotations

import numpy as np

from metaeval.errors import pluralize
from metaeval.model.report import Table
from metaeval.render.plots.canvas import number
from metaeval.render.plots.columns import has, numbers, texts
from metaeval.render.plots.declaration import Picture, Tables, plot
from metaeval.render.plots.dotplot import Dots, draw_dots


def _dots(table: Table, names: list[str], value: str, what: str) -> Picture | None:
    """A row for each row of a table, with its interval."""
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
    names = texts(table, "metric")
    if has(table, "language_pair"):
        names = [f"{pair}: {name}" for pair, name in zip(texts(table, "language_pair"), names, strict=True)]
    return _dots(table, names, "tau", "Kendall-like tau")


@plot("judge_preferences", title="Agreement of judges with people, and their biases", needs=("judge_preferences",))
def judge_preferences(tables: Tables) -> Picture | None:
    """Each share of a judge's verdicts with its interval."""
    table = tables["judge_preferences"]
    both = zip(texts(table, "judge"), texts(table, "statistic"), strict=True)
    return _dots(table, [f"{judge}: {name}" for judge, name in both], "share", "Share of verdicts")


@plot("strengths", title="Strengths of the systems by human preferences", needs=("strengths",))
def strengths(tables: Tables) -> Picture | None:
    """The strength of each system, on each language pair, with its interval."""
    table = tables["strengths"]
    names = texts(table, "system")
    if has(table, "language_pair"):
        names = [f"{pair}: {name}" for pair, name in zip(texts(table, "language_pair"), names, strict=True)]
    return _dots(table, names, "strength", "Strength (log odds)")
