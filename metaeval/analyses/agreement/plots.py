"""Plots of the agreement of annotators."""

from __future__ import annotations

import numpy as np

from metaeval.render.plots.canvas import labels, number
from metaeval.render.plots.columns import matrix, names_of, texts
from metaeval.render.plots.declaration import Picture, Tables, plot
from metaeval.render.plots.heatmap import Heat, ends


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
    return Picture(f"Heat map of Pearson's r of the ratings by {len(names)} people; {told}.", heat.alone)
