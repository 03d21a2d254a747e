"""Plots of the agreement of annotators."""

from __future__ import annotations

import numpy as np

from metaeval.render.plots.canvas import labels, number
from metaeval.render.plots.columns import matrix, names_of, texts
from metaeval.render.plots.declaration import Picture, Tables, plot
from metaeval.render.plots.heatmap import Heat, colour_limits


@plot("agreement_pearson", title="Agreement of annotators (Pearson)", needs=("agreement_pearson",))
def agreement_pearson(tables: Tables) -> Picture | None:
    """Draw the correlations of the annotators as a heat map."""
    table = tables["agreement_pearson"]
    names = texts(table, "annotator")
    values = matrix(table, names_of(table)[1:])
    pairs = values[np.tri(len(names), values.shape[1], -1) > 0]
    if np.isnan(pairs).all():
        return None
    heat = Heat(
        values, labels(names), labels(names_of(table)[1:]), *colour_limits(values), "Pearson's r of the ratings"
    )
    span = f"from {number(float(np.nanmin(pairs)))} to {number(float(np.nanmax(pairs)))} between two of them"
    return Picture(f"Heat map of Pearson's r of the ratings by {len(names)} annotators, {span}.", heat.alone)
