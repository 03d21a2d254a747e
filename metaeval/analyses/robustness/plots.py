"""The plot of `robustness`."""

from __future__ import annotations

import re

import numpy as np

from metaeval.errors import pluralize
from metaeval.render.plots.canvas import labels, number
from metaeval.render.plots.columns import matrix, names_of, texts
from metaeval.render.plots.declaration import Picture, Tables, plot
from metaeval.render.plots.heatmap import Heat


@plot("robustness", title="Real systems that each trivial one beats", needs=("robustness",))
def robustness(tables: Tables) -> Picture | None:
    """A matrix of counts, measures by trivial systems, with colours for the share of the real systems."""
    table = tables["robustness"]
    names, systems = texts(table, "measure"), names_of(table)[1:]
    values = matrix(table, systems)
    if not values.size or np.isnan(values).all():
        return None
    match = re.search(r"of ([\d,]+) real system", table.title)
    real = int(match[1].replace(",", "")) if match else int(np.nanmax(values))
    heat = Heat(
        values, labels(names), labels(systems), 0, max(real, 1), f"real systems beaten, of {real}", digits=0, least=0.62
    )
    row, column = np.unravel_index(int(np.nanargmax(values)), values.shape)
    worst = f"the maximum is {number(values[row, column], 0)} of {real}: {systems[column]} under {names[row]}"
    trivial, under = pluralize(len(systems), "trivial system"), pluralize(len(names), "measure")
    alt = f"Heat map of the number of real systems that each of {trivial} beats under {under}"
    return Picture(f"{alt}; {worst}.", heat.alone)
