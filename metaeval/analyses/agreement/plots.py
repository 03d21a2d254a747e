"""Plots of the agreement of annotators."""

from __future__ import annotations

import numpy as np

from metaeval.render.plots.canvas import number
from metaeval.render.plots.columns import matrix, names_of, texts
from metaeval.render.plots.declaration import Picture, Tables, plot
from metaeval.render.plots.matrix import Heat, colour_limits


@plot("agreement_pearson", title="Agreement of annotators (Pearson)", needs=("agreement_pearson",))
def agreement_pearson(tables: Tables) -> Picture | None:
    """A heat map of the correlations of the annotators."""
    table = tables["agreement_pearson"]
    names, others = texts(table, "annotator"), names_of(table)[1:]
    values = matrix(table, others)
    pairs = values[np.tri(len(names), len(others), -1) > 0]
    if np.isnan(pairs).all():
        return None
    what = "Pearson's r of the ratings"
    heat = Heat(rows=names, columns=others, values=values, limits=colour_limits(values), what=what)
    span = f"from {number(float(np.nanmin(pairs)))} to {number(float(np.nanmax(pairs)))} between two of them"
    return Picture(f"Heat map of {what} by {len(names)} annotators, {span}.", heat.draw)
