"""The plot of `toy`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from metaeval.errors import pluralize
from metaeval.render.plots.canvas import Palette
from metaeval.render.plots.columns import numbers, texts
from metaeval.render.plots.declaration import Picture, Tables, plot
from metaeval.render.plots.dotplot import Dots, draw_dots

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@plot("toy", title="Differences of systems under each measure", needs=("toy",))
def toy(tables: Tables) -> Picture | None:
    """A dot for each measure; None if no difference is defined."""
    table = tables["toy"]
    names, differences = texts(table, "measure"), numbers(table, "difference")
    if np.isnan(differences).all():
        return None

    def paint(palette: Palette, title: str) -> Figure:
        return draw_dots(palette, title, names, [Dots("difference", differences)], "difference")

    return Picture(f"Dot plot of {pluralize(len(names), 'measure')}.", paint)
