"""The plot of `toy`."""

from __future__ import annotations

import numpy as np

from metaeval.errors import pluralize
from metaeval.render.plots.columns import numbers, texts
from metaeval.render.plots.declaration import Picture, Tables, plot
from metaeval.render.plots.dots import DotPlot, Panel, Series


@plot("toy", title="Differences of systems under each measure", needs=("toy",))
def toy(tables: Tables) -> Picture | None:
    """A dot for each measure; None if no difference is defined."""
    table = tables["toy"]
    names, differences = texts(table, "measure"), numbers(table, "difference")
    if np.isnan(differences).all():
        return None
    panel = Panel(rows=names, series=[Series(differences)])
    alt = f"Dot plot of {pluralize(len(names), 'measure')}."
    return Picture(alt, DotPlot(panels=[panel], across="difference").draw)
