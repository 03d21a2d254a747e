"""Dot plots: rows of values with intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from metaeval.render.plots import canvas
from metaeval.render.plots.canvas import WIDTH, Palette, label, labels, width_of
from metaeval.render.plots.columns import Numbers

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Dots:
    """A series with a dot in each row: its name, values, and intervals if there are any; NaN has no dot."""

    name: str
    values: Numbers
    low: Numbers | None = None
    high: Numbers | None = None


def draw_dots(palette: Palette, title: str, names: Sequence[str], dots: Sequence[Dots], across: str) -> Figure:
    """Rows of dots with a legend above; the dots of a row are shifted against each other."""
    rows, size = len(names), canvas.row_size(len(names))
    crowd = max(1, len(dots))
    has_intervals = any(one.low is not None for one in dots)
    height = rows * max(canvas.pitch(rows), (0.1 + 0.04 * crowd) if has_intervals and rows <= 30 else 0)
    left = width_of(labels(names), size) + 0.15
    entries = [(label(one.name, 40), _mark(one, place, palette)) for place, one in enumerate(dots)]
    sheet, top = canvas.sheet_with_legend(palette, title, entries, height + 0.6)
    axes = sheet.axes(left, top + 0.1, WIDTH - left - 0.2, height)
    sheet.grid(axes, "x")
    sheet.name_rows(axes, labels(names), size)
    for row in range(0, rows, 2):
        axes.axhspan(row - 0.5, row + 0.5, facecolor=palette.grid, alpha=0.22, linewidth=0)
    for place, one in enumerate(dots):
        aside = (place - (crowd - 1) / 2) * (0.72 / crowd)
        draw_row_dots(axes, one, place, np.arange(rows) + aside, palette)
    sheet.horizontal(axes, across)
    return sheet.figure


def draw_row_dots(axes: Axes, one: Dots, place: int, rows: NDArray[np.floating[Any]], palette: Palette) -> None:
    """The dots of a series, with their intervals."""
    style = _style(one, place, palette)
    if one.low is not None and one.high is not None:
        axes.hlines(rows, one.low, one.high, color=style["markeredgecolor"], linewidth=1)
    axes.plot(one.values, rows, clip_on=False, **style)


def _mark(one: Dots, place: int, palette: Palette) -> canvas.Mark:
    return lambda axes, x, y: axes.plot([x], [y], **_style(one, place, palette))


def _style(one: Dots, place: int, palette: Palette) -> dict[str, Any]:
    """The marker of a series without a colour, as colours stand for measures; that of the mean is filled."""
    if one.name == "mean":
        colour, face, marker = palette.ink, palette.ink, "D"
    else:
        markers = [marker for marker in canvas.MARKERS if marker != "D"]
        colour, marker = palette.muted, markers[place % len(markers)]
        face = palette.paper if place // len(markers) % 2 == 0 else palette.muted
    look = {"marker": marker, "markeredgecolor": colour, "markerfacecolor": face}
    return {"linestyle": "none", "markersize": 5, **look}
