"""Heat maps: a matrix of numbers as coloured cells, with the numbers if they fit."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from metaeval.render.plots.canvas import SMALL, TEXT, TINY, Palette, Sheet, number, pitch, width_of
from metaeval.render.plots.columns import Numbers

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.patches import Rectangle

COLOUR_MAP = "viridis"
"""Perceptually uniform, also for colour-blind readers."""

MAX_PRINTED = 20
"""Maximum number of rows and of columns with printed numbers."""

ROTATION = 40
"""Rotation of long names of columns, in degrees."""

SHORT = {"kendall-b": "tau-b", "kendall-a": "tau-a", "kendall-c": "tau-c", "tau-ap": "tau-AP", "pearson": "Pearson's r",
         "spearman": "Spearman's rho", "weighted": "weighted tau"}  # fmt: skip
"""Short names of coefficients, for axes."""


@dataclass(frozen=True)
class Heat:
    """A heat map.

    values: (rows, columns), NaN if undefined. rows, columns: labels. low, high: limits of the colours. what: the
    quantity and its unit. digits: of printed numbers. factor: printed numbers are multiplied by it. least: the minimum
    width of a cell in inches. shades: from 0 to 1, (rows, columns), where not all cells have the same limits.
    """

    values: Numbers
    rows: Sequence[str]
    columns: Sequence[str]
    low: float
    high: float
    what: str
    digits: int = 2
    factor: float = 1.0
    least: float = 0.0
    shades: Numbers | None = None

    @property
    def has_numbers(self) -> bool:
        """Whether the numbers are printed."""
        return bool(max(self.values.shape) <= MAX_PRINTED)

    @property
    def side(self) -> tuple[float, float]:
        """The width and height of a cell in inches: numbers fit, unless there are many cells."""
        height = max(0.1, pitch(max(self.values.shape)))
        width = max(height, width_of(self._printed().ravel(), SMALL) + 0.08) if self.has_numbers else height
        return max(width, self.least), height

    @property
    def size(self) -> tuple[float, float]:
        """The width and height of the matrix in inches."""
        return self.side[0] * len(self.columns), self.side[1] * len(self.rows)

    @property
    def left(self) -> float:
        """The width of the names of the rows in inches."""
        return width_of(self.rows, self.font_size) + 0.12

    @property
    def below(self) -> float:
        """The height of the names of the columns in inches."""
        return label_height(self.columns, self.font_size, self.side[0])

    @property
    def font_size(self) -> float:
        """The font size of the labels."""
        return TEXT if self.side[1] >= 0.2 else TINY

    def _printed(self) -> NDArray[np.str_]:
        return np.array([[number(value * self.factor, self.digits) for value in row] for row in self.values])

    def draw(self, sheet: Sheet, left: float, top: float) -> Axes:
        """Draw the cells, with labels at the left and below."""
        import matplotlib

        axes = sheet.axes(left, top, *self.size)
        axes.spines["bottom"].set_visible(False)
        span = (self.high - self.low) or 1.0
        shades = np.clip((self.values - self.low) / span if self.shades is None else self.shades, 0, 1)
        paints = matplotlib.colormaps[COLOUR_MAP](np.nan_to_num(shades))
        for (row, column), text in np.ndenumerate(self._printed()):
            defined = not math.isnan(self.values[row, column])
            fill = paints[row, column] if defined else sheet.palette.grid
            edge = {"edgecolor": sheet.palette.paper, "linewidth": 0.6}
            axes.add_patch(cell_patch(column, row, facecolor=fill, in_layout=False, clip_on=False, **edge))
            if self.has_numbers:
                colour = text_colour(paints[row, column]) if defined else sheet.palette.muted
                style = {"size": SMALL, "color": colour, "ha": "center", "va": "center_baseline"}
                sheet.annotate(axes, column, row, text, in_layout=False, **style)
        axes.set_xlim(-0.5, len(self.columns) - 0.5)
        axes.set_xticks([])
        sheet.name_rows(axes, self.rows, self.font_size)
        name_columns(sheet, axes, self.columns, len(self.rows), self.side, self.font_size)
        return axes

    def alone(self, palette: Palette, title: str) -> Figure:
        """The heat map as a figure of its own, with its legend above."""
        sheet = Sheet(palette, self.left + max(self.size[0], 1.8), self.size[1] + self.below + 0.63, title)
        self.legend(sheet, self.left, 0.2)
        self.draw(sheet, self.left, 0.5)
        return sheet.figure

    def legend(self, sheet: Sheet, left: float, top: float) -> None:
        """Draw the colour bar, 1.6 inches wide, with its name beside it."""
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
        middle = (self.low + self.high) / 2
        low, centre, high = (number(end * self.factor, digits) for end in (self.low, middle, self.high))
        # A middle that would be rounded is not labelled.
        is_exact = abs(float(centre) - middle * self.factor) < 1e-9
        axes.set_xticks([0, 0.5, 1], [low, centre if is_exact else "", high])
        sheet.write(left + 1.75, top + 0.11, self.what, size=SMALL)


def name_columns(
    sheet: Sheet, axes: Axes, names: Sequence[str], rows: int, side: tuple[float, float], size: float
) -> None:
    """Draw the names of columns below a matrix, rotated if they are wider than a cell.

    rows: number of rows. side: width and height of a cell in inches. size: of the font, in points.
    """
    level = width_of(names, size) <= side[0]
    foot = rows - 0.5 + 0.07 / side[1]
    for place, name in enumerate(names):
        style = {"ha": "center"} if level else {"ha": "right", "rotation": ROTATION}
        sheet.annotate(axes, place if level else place + 0.2, foot, name, size=size, va="top", **style)


def label_height(names: Sequence[str], size: float, width: float) -> float:
    """The height of the names of columns in inches; width: of a column."""
    widest = width_of(names, size)
    return 0.3 if widest <= width else widest * math.sin(math.radians(ROTATION)) + 0.2


def cell_patch(column: int, row: int, **style: Any) -> Rectangle:
    """The rectangle of a cell."""
    from matplotlib.patches import Rectangle

    return Rectangle((column - 0.5, row - 0.5), 1, 1, **style)


def frame_cell(axes: Axes, column: int, row: int, colour: str) -> None:
    """Draw a frame around a cell."""
    axes.add_patch(cell_patch(column, row, facecolor="none", edgecolor=colour, linewidth=2, zorder=3, clip_on=False))


def text_colour(fill: Iterable[float]) -> str:
    """The colour of readable text on a filled cell: black or white.

    >>> text_colour((1.0, 0.9, 0.2)), text_colour((0.0, 0.1, 0.4))
    ('#000000', '#ffffff')
    """
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in list(fill)[:3]]
    luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    # Both have the same contrast at this luminance (WCAG 2).
    return "#000000" if luminance > 0.179 else "#ffffff"


def colour_limits(values: Numbers) -> tuple[float, float]:
    """Limits of the colours of coefficients: the lowest value rounded down to one decimal, and 1.

    >>> colour_limits(np.array([0.35, -0.25, np.nan]))
    (-0.3, 1.0)
    """
    return min(math.floor(float(np.nanmin(values)) * 10) / 10, 0.9), 1.0
