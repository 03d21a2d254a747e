"""The heat map of what measures see."""

from __future__ import annotations

import numpy as np

from metaeval.errors import pluralize
from metaeval.render.plots.canvas import number
from metaeval.render.plots.columns import extremes, matrix, names_of, texts
from metaeval.render.plots.declaration import Picture, Tables, plot
from metaeval.render.plots.matrix import Heat


@plot("contrast", title="Which errors the measures see", needs=("contrast_accuracy",))
def contrast(tables: Tables) -> Picture | None:
    """A heat map of the accuracy of each measure on each phenomenon."""
    table = tables["contrast_accuracy"]
    names, phenomena = texts(table, "measure"), names_of(table)[1:]
    values = matrix(table, phenomena)
    if np.isnan(values).all():
        return None
    what = "share of pairs in which the good output has the better score"
    heat = Heat(rows=names, columns=phenomena, values=values, limits=(0.0, 1.0), what=what)
    (row, column), _ = extremes(values)
    lowest = f"{names[row]} on {phenomena[column]} ({number(float(values[row, column]))})"
    size = f"{pluralize(len(names), 'measure')} and {pluralize(len(phenomena), 'phenomenon', 'phenomena')}"
    return Picture(f"Heat map of the accuracy of {size}. Lowest: {lowest}.", heat.draw)
