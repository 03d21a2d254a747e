"""Plots that are matrices: robustness, people with each other."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from metaeval.errors import counted
from metaeval.render.plots.canvas import Palette, Sheet, labels, number
from metaeval.render.plots.columns import matrix, names_of, texts
from metaeval.render.plots.declaration import Picture, Tables, plot
from metaeval.render.plots.heatmap import Heat, ends

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SHORT = {"kendall-b": "tau-b", "kendall-a": "tau-a", "kendall-c": "tau-c", "tau-ap": "tau-AP", "pearson": "Pearson's r",
         "spearman": "Spearman's rho", "weighted": "weighted tau"}  # fmt: skip
"""Names of coefficients as an axis calls them."""


@plot("agreement_pearson", title="How alike people judge", needs=("agreement_pearson",))
def agreement_pearson(tables: Tables) -> Picture | None:
    """A matrix of the correlations of annotators."""
    table = tables["agreement_pearson"]
    names = texts(table, "annotator")
    values = matrix(table, names_of(table)[1:])
    apart = values[np.tri(len(names), values.shape[1], -1) > 0]
    if np.isnan(apart).all():
        return None
    heat = Heat(values, labels(names), labels(names_of(table)[1:]), *ends(values), "Pearson's r of the ratings")
    told = f"from {number(float(np.nanmin(apart)))} to {number(float(np.nanmax(apart)))} between two of them"
    return Picture(f"Heat map of Pearson's r of the ratings by {len(names)} people; {told}.", lone(heat))


@plot("robustness", title="How many real systems each trivial one beats", needs=("robustness",))
def robustness(tables: Tables) -> Picture | None:
    """A matrix of counts, measures by trivial systems, its colours the share of the real systems."""
    table = tables["robustness"]
    names, systems = texts(table, "measure"), names_of(table)[1:]
    values = matrix(table, systems)
    if not values.size or np.isnan(values).all():
        return None
    told = re.search(r"of ([\d,]+) real system", table.title)
    real = int(told[1].replace(",", "")) if told else int(np.nanmax(values))
    heat = Heat(values, labels(names), labels(systems), 0, max(real, 1), f"real systems beaten, of {real}", digits=0)
    row, column = np.unravel_index(int(np.nanargmax(values)), values.shape)
    worst = f"the most is {number(values[row, column], 0)} of {real}: {systems[column]} under {names[row]}"
    trivial, under = counted(len(systems), "trivial system"), counted(len(names), "measure")
    alt = f"Heat map of how many real systems each of {trivial} beats under {under}"
    return Picture(f"{alt}; {worst}.", lone(heat))


def lone(heat: Heat) -> Callable[[Palette, str], Figure]:
    """Draws a matrix that stands alone."""

    def paint(palette: Palette, title: str) -> Figure:
        sheet = Sheet(palette, heat.left + max(heat.size[0], 1.8), heat.size[1] + heat.below + 0.75, title)
        heat.legend(sheet, heat.left, 0.2)
        heat.draw(sheet, heat.left, 0.62)
        return sheet.figure

    return paint
