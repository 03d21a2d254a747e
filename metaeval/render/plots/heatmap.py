"""Heat maps: a matrix of numbers as coloured cells, the numbers printed where they fit."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from metaeval.render.plots.canvas import SMALL, TEXT, TINY, Palette, Sheet, number, width_of
from metaeval.render.plots.columns import Numbers

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.patches import Rectangle

COLOUR_MAP = "viridis"
"""Even in lightness, for colour-blind readers, too."""

SLANTED = 40
"""Degrees."""

SHORT = {"kendall-b": "tau-b", "kendall-a": "tau-a", "kendall-c": "tau-c", "tau-ap": "tau-AP", "pearson": "Pearson's r",
         "spearman": "Spearman's rho", "weighted": "weighted tau"}  # fmt: skip
"""Names of coefficients on an axis."""


@dataclass(frozen=True)
class Heat:
    """A matrix to be seen.

    values: (rows, columns), NaN where undefined. rows, columns: labels. low, high: the ends of the colours.
    what: what the colours mean, with its unit. digits: of printed numbers; factor: what they are multiplied by.
    """

    values: Numbers
    rows: Sequence[str]
    columns: Sequence[str]
    low: float
    high: float
    what: str
    digits: int = 2
    factor: float = 1.0

    @property
    def side(self) -> tuple[float, float]:
        """The width and height of a cell in inches: such that numbers fit, less where there are many."""
        most = max(self.values.shape)
        height = 0.3 if most <= 20 else max(0.1, 6.4 / most)
        width = max(height, width_of(self._printed().ravel(), SMALL) + 0.08) if most <= 20 else height
        return width, height

    @property
    def size(self) -> tuple[float, float]:
        """The width and height of the matrix in inches."""
        return self.side[0] * len(self.columns), self.side[1] * len(self.rows)

    @property
    def left(self) -> float:
        """Inches for the names of the rows."""
        return width_of(self.rows, self.letters) + 0.12

    @property
    def letters(self) -> float:
        """The size of the labels' letters."""
        return TEXT if self.side[1] >= 0.2 else TINY

    def _printed(self) -> NDArray[np.str_]:
        return np.array([[number(value * self.factor, self.digits) for value in row] for row in self.values])

    def draw(self, sheet: Sheet, left: float, top: float) -> Axes:
        """The cells with labels at the left and below, slanted where they are longer than a cell is wide."""
        import matplotlib

        axes = sheet.axes(left, top, *self.size)
        axes.spines["bottom"].set_visible(False)
        span = (self.high - self.low) or 1.0
        shades = np.clip((self.values - self.low) / span, 0, 1)
        paints = matplotlib.colormaps[COLOUR_MAP](np.nan_to_num(shades))
        for (row, column), text in np.ndenumerate(self._printed()):
            defined = not math.isnan(self.values[row, column])
            look = {
                "facecolor": paints[row, column] if defined else sheet.palette.grid,
                "in_layout": False,
                "clip_on": False,
            }
            axes.add_patch(cell(column, row, edgecolor=sheet.palette.paper, linewidth=0.6, **look))
            if self.side[1] >= 0.26:
                colour = on(paints[row, column]) if defined else sheet.palette.muted
                sheet.say(axes, column, row, text, size=SMALL, color=colour, ha="center", va="center_baseline",
                          in_layout=False)  # fmt: skip
        axes.set_xlim(-0.5, len(self.columns) - 0.5)
        axes.set_xticks([])
        sheet.name_rows(axes, self.rows, self.letters)
        name_columns(sheet, axes, self.columns, len(self.rows), self.side, self.letters)
        return axes

    def alone(self, palette: Palette, title: str) -> Figure:
        """The matrix as a figure of its own, its legend above."""
        sheet = Sheet(palette, self.left + max(self.size[0], 1.8), self.size[1] + self.below + 0.75, title)
        self.legend(sheet, self.left, 0.2)
        self.draw(sheet, self.left, 0.62)
        return sheet.figure

    @property
    def below(self) -> float:
        """Inches for the names of the columns."""
        return below(self.columns, self.letters, self.side[0])

    def legend(self, sheet: Sheet, left: float, top: float) -> None:
        """What the colours mean: a bar with its ends, 1.6 inches wide, its name above."""
        import matplotlib

        axes = sheet.axes(left, top + 0.02, 1.6, 0.1)
        axes.spines["bottom"].set_visible(False)
        axes.set_yticks([])
        axes.set_ylim(0, 1)
        steps = np.linspace(0, 1, 33)
        for start, end in pairwise(steps):
            colour = matplotlib.colormaps[COLOUR_MAP]((start + end) / 2)
            axes.axvspan(start, end, facecolor=colour, edgecolor=colour, linewidth=0.3)
        axes.set_xlim(0, 1)
        digits = 0 if self.digits == 0 else 1
        told = [number(end * self.factor, digits) for end in (self.low, (self.low + self.high) / 2, self.high)]
        # A middle that would be rounded is not told.
        exact = abs(float(told[1]) - (self.low + self.high) / 2 * self.factor) < 1e-9
        axes.set_xticks([0, 0.5, 1], [told[0], told[1] if exact else "", told[2]])
        sheet.write(left, top - 0.05, self.what, size=SMALL)


def name_columns(
    sheet: Sheet, axes: Axes, names: Sequence[str], rows: int, side: tuple[float, float], size: float
) -> None:
    """Names below the columns of a matrix, slanted where they are longer than a cell is wide.

    rows: of the matrix. side: the width and height of a cell in inches. size: of letters, in points.
    """
    level = width_of(names, size) <= side[0]
    foot = rows - 0.5 + 0.07 / side[1]
    for place, name in enumerate(names):
        if level:
            sheet.say(axes, place, foot, name, size=size, ha="center", va="top")
        else:
            look = {"size": size, "ha": "right", "va": "top", "rotation": SLANTED}
            sheet.say(axes, place + 0.2, foot, name, **look)


def below(names: Sequence[str], size: float, width: float) -> float:
    """Inches that the names of columns so many inches wide take."""
    widest = width_of(names, size)
    return 0.3 if widest <= width else widest * math.sin(math.radians(SLANTED)) + 0.2


def cell(column: int, row: int, **look: Any) -> Rectangle:
    """A cell of a matrix."""
    from matplotlib.patches import Rectangle

    return Rectangle((column - 0.5, row - 0.5), 1, 1, **look)


def frame(axes: Axes, column: int, row: int, colour: str) -> None:
    """Mark a cell."""
    axes.add_patch(cell(column, row, facecolor="none", edgecolor=colour, linewidth=2, zorder=3, clip_on=False))


def on(paint: Iterable[float]) -> str:
    """The colour of letters that can be read on a paint: black or white.

    >>> on((1.0, 0.9, 0.2)), on((0.0, 0.1, 0.4))
    ('#000000', '#ffffff')
    """
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in list(paint)[:3]]
    luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    # Where both have the same contrast after WCAG 2.
    return "#000000" if luminance > 0.179 else "#ffffff"


def ends(values: Numbers) -> tuple[float, float]:
    """Ends for the colours of coefficients: 1, and the tenth below the lowest.

    >>> ends(np.array([0.35, -0.25, np.nan]))
    (-0.3, 1.0)
    """
    return min(math.floor(float(np.nanmin(values)) * 10) / 10, 0.9), 1.0
