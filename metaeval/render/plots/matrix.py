"""Plots that are matrices: people with each other."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

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


def lone(heat: Heat) -> Callable[[Palette, str], Figure]:
    """Draws a matrix that stands alone."""

    def paint(palette: Palette, title: str) -> Figure:
        sheet = Sheet(palette, heat.left + max(heat.size[0], 1.8), heat.size[1] + heat.below + 0.75, title)
        heat.legend(sheet, heat.left, 0.2)
        heat.draw(sheet, heat.left, 0.62)
        return sheet.figure

    return paint
