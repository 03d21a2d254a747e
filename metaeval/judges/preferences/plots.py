"""Plots of the agreement of metrics and judges with people."""

from __future__ import annotations

import numpy as np

from metaeval.errors import pluralize
from metaeval.model.report import Table
from metaeval.render.plots.canvas import COLOURS, Look, number
from metaeval.render.plots.columns import extremes, has, numbers, texts
from metaeval.render.plots.declaration import Picture, Tables, plot
from metaeval.render.plots.dots import DotPlot, Panel, Series


def _dots(table: Table, first: str, names: list[str], value: str, what: str) -> Picture | None:
    """A row for each row of a table, with its interval, named by `names`, after the column `first` if there is one."""
    if has(table, first):
        names = [f"{before}: {name}" for before, name in zip(texts(table, first), names, strict=True)]
    values = numbers(table, value)
    if np.isnan(values).all():
        return None
    series = Series(values, numbers(table, "low"), numbers(table, "high"), look=Look(COLOURS[0], "o"))
    across = f"{what}, with 95 % intervals"
    (lowest,), (highest,) = extremes(values)
    alt = (
        f"{what} with 95 % intervals in {pluralize(len(names), 'row')}, from {number(float(values[lowest]))} "
        f"({names[lowest]}) to {number(float(values[highest]))} ({names[highest]})."
    )
    return Picture(alt, DotPlot(panels=[Panel(rows=names, series=[series])], across=across).draw)


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
