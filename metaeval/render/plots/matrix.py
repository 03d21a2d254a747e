"""A matrix that stands alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from metaeval.render.plots.canvas import Palette, Sheet
from metaeval.render.plots.heatmap import Heat

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SHORT = {"kendall-b": "tau-b", "kendall-a": "tau-a", "kendall-c": "tau-c", "tau-ap": "tau-AP", "pearson": "Pearson's r",
         "spearman": "Spearman's rho", "weighted": "weighted tau"}  # fmt: skip
"""Names of coefficients as an axis calls them."""


def lone(heat: Heat) -> Callable[[Palette, str], Figure]:
    """Draws a matrix that stands alone."""

    def paint(palette: Palette, title: str) -> Figure:
        sheet = Sheet(palette, heat.left + max(heat.size[0], 1.8), heat.size[1] + heat.below + 0.75, title)
        heat.legend(sheet, heat.left, 0.2)
        heat.draw(sheet, heat.left, 0.62)
        return sheet.figure

    return paint
