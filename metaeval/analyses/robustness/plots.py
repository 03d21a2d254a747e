"""The plot of `robustness`."""

from __future__ import annotations

import re

import numpy as np

from metaeval.errors import pluralize
from metaeval.render.plots.canvas import number
from metaeval.render.plots.columns import extremes, matrix, names_of, texts
from metaeval.render.plots.declaration import Picture, Tables, plot
from metaeval.render.plots.matrix import Heat


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
    what, limits = f"real systems beaten, of {real}", (0.0, max(real, 1.0))
    heat = Heat(rows=names, columns=systems, values=values, limits=limits, what=what, digits=0, least=0.62)
    _, (row, column) = extremes(values)
    worst = f"the maximum is {number(values[row, column], 0)} of {real}: {systems[column]} under {names[row]}"
    trivial, under = pluralize(len(systems), "trivial system"), pluralize(len(names), "measure")
    alt = f"Heat map of the number of real systems that each of {trivial} beats under {under}"
    return Picture(f"{alt}; {worst}.", heat.draw)
