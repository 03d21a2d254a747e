"""The plot of corrected means of systems."""

from __future__ import annotations

import numpy as np

from metaeval.errors import pluralize
from metaeval.render.plots.columns import numbers, texts
from metaeval.render.plots.declaration import Picture, Tables, plot
from metaeval.render.plots.dots import DotPlot, Panel, Series, dot_series

MAX_SYSTEMS = 40


@plot("corrected", title="Means of systems by the judge, by people and by both", needs=("corrected",))
def corrected(tables: Tables) -> Picture | None:
    """A row for each system: its means by the judge and by people, and the corrected one with its interval."""
    table = tables["corrected"]
    means = numbers(table, "corrected")
    if np.isnan(means).all():
        return None
    order = np.argsort(-np.nan_to_num(means, nan=-np.inf), kind="stable")[:MAX_SYSTEMS]
    names = [texts(table, "system")[row] for row in order.tolist()]
    columns = ("judge", "human", "human_low", "human_high", "corrected", "low", "high")
    judge, human, human_low, human_high, mean, low, high = (numbers(table, name)[order] for name in columns)
    series = {
        "judge alone": Series(judge),
        "people alone": Series(human, human_low, human_high),
        "corrected": Series(mean, low, high),
    }
    panel = Panel(rows=names, series=dot_series(series))
    best = f"highest corrected mean {mean[0]:.3g} ({names[0]}), of the judge alone {judge[0]:.3g}"
    alt = f"Means of {pluralize(len(means), 'system')} by the judge, by people and by both; {best}."
    return Picture(alt, DotPlot(panels=[panel], across="mean score, with 95 % intervals").draw)
