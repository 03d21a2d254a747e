"""How far apart systems are, a row a measure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from metaeval.errors import counted
from metaeval.render.plots.canvas import Palette
from metaeval.render.plots.columns import numbers, texts
from metaeval.render.plots.declaration import Picture, Tables, plot
from metaeval.render.plots.dotplot import Dots, draw_dots

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@plot("toy", title="Differences of systems under each measure", needs=("toy",))
def toy(tables: Tables) -> Picture | None:
    """A dot a measure."""
    table = tables["toy"]
    names = texts(table, "measure")

    def paint(palette: Palette, title: str) -> Figure:
        return draw_dots(palette, title, names, [Dots("difference", numbers(table, "difference"))], "difference")

    return Picture(f"Dot plot of {counted(len(names), 'measure')}.", paint)
