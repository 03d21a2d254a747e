"""The heat map of what measures see."""

from __future__ import annotations

import numpy as np

from metaeval.errors import pluralize
from metaeval.render.plots.canvas import labels, number
from metaeval.render.plots.columns import matrix, names_of, texts
from metaeval.render.plots.declaration import Picture, Tables, plot
from metaeval.render.plots.heatmap import Heat


@plot("contrast", title="Which errors the measures see", needs=("contrast_accuracy",))
def contrast(tables: Tables) -> Picture | None:
    """The accuracy of each measure on each phenomenon as a heat map."""
    table = tables["contrast_accuracy"]
    names, phenomena = texts(table, "measure"), names_of(table)[1:]
    values = matrix(table, phenomena)
    if np.isnan(values).all():
        return None
    what = "share of pairs in which the good output has the better score"
    heat = Heat(values, labels(names), labels(phenomena), 0.0, 1.0, what)
    row, column = np.unravel_index(int(np.nanargmin(values)), values.shape)
    lowest = f"{names[row]} on {phenomena[column]} ({number(float(values[row, column]))})"
    size = f"{pluralize(len(names), 'measure')} and {pluralize(len(phenomena), 'phenomenon', 'phenomena')}"
    return Picture(f"Heat map of the accuracy of {size}. Lowest: {lowest}.", heat.alone)
