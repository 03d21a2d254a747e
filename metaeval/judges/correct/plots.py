"""Plots of corrected means of systems."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from metaeval.errors import pluralize
from metaeval.render.plots.canvas import Palette
from metaeval.render.plots.columns import numbers, texts
from metaeval.render.plots.declaration import Picture, Tables, plot
from metaeval.render.plots.dotplot import Dots, draw_dots

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MAX_SYSTEMS = 40


@plot("corrected", title="Means of systems by the judge, by people and by both", needs=("corrected",))
def corrected(tables: Tables) -> Picture | None:
    """Draw the means of each system, those of people and the corrected ones with their intervals."""
    table = tables["corrected"]
    means = numbers(table, "corrected")
    if np.isnan(means).all():
        return None
    order = np.argsort(-np.nan_to_num(means, nan=-np.inf), kind="stable")[:MAX_SYSTEMS]
    names = [texts(table, "system")[place] for place in order.tolist()]
    judge, human, human_low, human_high, low, high = (
        numbers(table, name)[order] for name in ("judge", "human", "human_low", "human_high", "low", "high")
    )
    series = [
        Dots("judge alone", judge),
        Dots("people alone", human, human_low, human_high),
        Dots("corrected", means[order], low, high),
    ]

    def paint(palette: Palette, title: str) -> Figure:
        return draw_dots(palette, title, names, series, "mean score, with 95 % intervals")

    best = f"highest corrected mean {means[order[0]]:.3g} ({names[0]}), of the judge alone {judge[0]:.3g}"
    return Picture(f"Means of {pluralize(len(means), 'system')} by the judge, by people and by both; {best}.", paint)
