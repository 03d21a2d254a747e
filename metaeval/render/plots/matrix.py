"""Matrices of coloured cells with labels, alone or in panels: numbers as heat maps."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from metaeval.arrays import Floats
from metaeval.render.plots.canvas import (
    APART,
    TEXT,
    TINY,
    WIDTH,
    Palette,
    Sheet,
    label,
    labels,
    number,
    pitch,
    text_colour,
    width_of,
)

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

GAP = 0.3
"""The space between panels in inches."""

SHORT = {
    "kendall-b": "tau-b",
    "kendall-a": "tau-a",
    "kendall-c": "tau-c",
    "tau-ap": "tau-AP",
    "pearson": "Pearson's r",
    "spearman": "Spearman's rho",
    "weighted": "weighted tau",
}
"""Short names of coefficients, for axes."""


@dataclass(frozen=True, kw_only=True)
class Matrix:
    """A matrix of cells, and the labels of its rows and columns. least: the minimum width of a cell in inches."""

    rows: Sequence[str]
    columns: Sequence[str]
    least: float = 0.0

    @property
    def side(self) -> tuple[float, float]:
        """The width and height of a cell in inches."""
        height = max(0.1, pitch(max(len(self.rows), len(self.columns))))
        return max(height, self.least), height

    @property
    def size(self) -> tuple[float, float]:
        """The width and height of the matrix in inches."""
        return self.side[0] * len(self.columns), self.side[1] * len(self.rows)

    @property
    def left(self) -> float:
        """The width of the names of the rows in inches, and of the first name of a column if it is rotated."""
        first = 0.0 if self.is_level else width_of(labels(self.columns[:1]), self.font_size) * 0.8 - self.side[0] / 2
        return max(width_of(labels(self.rows), self.font_size) + 0.12, first)

    @property
    def below(self) -> float:
        """The height of the names of the columns in inches."""
        widest = width_of(labels(self.columns), self.font_size)
        return 0.3 if self.is_level else widest * math.sin(math.radians(ROTATION)) + 0.2

    @property
    def is_level(self) -> bool:
        """Whether the names of the columns are horizontal, because they are not wider than a cell."""
        return width_of(labels(self.columns), self.font_size) <= self.side[0]

    @property
    def font_size(self) -> float:
        """The font size of the labels."""
        return TEXT if self.side[1] >= 0.14 else TINY

    def draw_on(self, sheet: Sheet, left: float, top: float, *, rows: bool = True, columns: bool = True) -> Axes:
        """Draw the cells at a position of a sheet; rows, columns: whether their names are drawn."""
        axes = sheet.axes(left, top, *self.size)
        axes.spines["bottom"].set_visible(False)
        axes.set_xlim(-0.5, len(self.columns) - 0.5)
        axes.set_xticks([])
        sheet.name_rows(axes, labels(self.rows) if rows else [""] * len(self.rows), self.font_size)
        self.draw_cells(sheet, axes)
        foot = len(self.rows) - 0.5 + 0.07 / self.side[1]
        for column, name in enumerate(labels(self.columns) if columns else ()):
            style = {"ha": "center"} if self.is_level else {"ha": "right", "rotation": ROTATION}
            x = column if self.is_level else column + 0.2
            sheet.annotate(axes, x, foot, name, size=self.font_size, va="top", **style)
        return axes

    def draw_cells(self, sheet: Sheet, axes: Axes) -> None:
        """Draw the cells."""
        raise NotImplementedError


@dataclass(frozen=True, kw_only=True)
class Heat(Matrix):
    """A heat map.

    values: (rows, columns), NaN if undefined. limits: of the colours. what: the quantity and its unit. digits: of
    printed numbers. factor: printed numbers are multiplied by it. shades: from 0 to 1, (rows, columns), where not all
    cells have the same limits. framed: the row and column of a cell with a frame.
    """

    values: Floats
    limits: tuple[float, float]
    what: str
    digits: int = 2
    factor: float = 1.0
    shades: Floats | None = None
    framed: tuple[int, int] | None = None

    @property
    def has_numbers(self) -> bool:
        """Whether the numbers are printed: there are few, which fit."""
        width = width_of(labels(self.rows)) + len(self.columns) * self._width_of_numbers
        return bool(max(self.values.shape) <= MAX_PRINTED) and width <= WIDTH

    @property
    def side(self) -> tuple[float, float]:
        """The width and height of a cell in inches: numbers fit, unless they are not printed."""
        width, height = super().side
        return (max(width, self._width_of_numbers) if self.has_numbers else width), height

    @property
    def _width_of_numbers(self) -> float:
        return width_of(self.texts().ravel()) + 0.08

    def texts(self) -> NDArray[np.str_]:
        """The texts of the cells, (rows, columns)."""
        return np.array([[number(value * self.factor, self.digits) for value in row] for row in self.values])

    def paints(self) -> Floats:
        """The colours of the cells, (rows, columns, 4)."""
        import matplotlib

        low, high = self.limits
        shades = (self.values - low) / ((high - low) or 1.0) if self.shades is None else self.shades
        return np.asarray(matplotlib.colormaps[COLOUR_MAP](np.nan_to_num(np.clip(shades, 0, 1))))

    def draw_cells(self, sheet: Sheet, axes: Axes) -> None:
        """Draw coloured cells with their numbers."""
        paints = self.paints()
        for (row, column), text in np.ndenumerate(self.texts()):
            defined = not math.isnan(self.values[row, column])
            fill = paints[row, column] if defined else sheet.palette.grid
            edge = {"edgecolor": sheet.palette.paper, "linewidth": 0.6}
            axes.add_patch(cell_patch(column, row, facecolor=fill, in_layout=False, **edge))
            if self.has_numbers:
                colour = text_colour(paints[row, column]) if defined else sheet.palette.muted
                style = {"color": colour, "ha": "center", "va": "center_baseline"}
                sheet.annotate(axes, column, row, text, in_layout=False, **style)
        if self.framed is not None:
            row, column = self.framed
            axes.add_patch(cell_patch(column, row, facecolor="none", edgecolor="#D55E00", linewidth=2, zorder=3))

    def draw(self, palette: Palette, title: str) -> Figure:
        """Draw the heat map as a figure of its own."""
        return draw_heats(palette, title, {"": self})

    def legend(self, sheet: Sheet, left: float, top: float) -> None:
        """Draw the colour bar, 1.6 inches wide, with its name beside it."""
        import matplotlib

        axes = sheet.axes(left, top + 0.02, 1.6, 0.1)
        axes.spines["bottom"].set_visible(False)
        axes.set_yticks([])
        axes.set_ylim(0, 1)
        for start, end in pairwise(np.linspace(0, 1, 33)):
            colour = matplotlib.colormaps[COLOUR_MAP]((start + end) / 2)
            axes.axvspan(start, end, facecolor=colour, edgecolor=colour, linewidth=0.3)
        axes.set_xlim(0, 1)
        digits = 0 if self.digits == 0 else 1
        middle = sum(self.limits) / 2
        low, centre, high = (number(end * self.factor, digits) for end in (self.limits[0], middle, self.limits[1]))
        # A middle that would be rounded is not labelled.
        is_exact = abs(float(centre) - middle * self.factor) < 1e-9
        axes.set_xticks([0, 0.5, 1], [low, centre if is_exact else "", high])
        sheet.write(left + 1.75, top + 0.11, self.what)


@dataclass(frozen=True, kw_only=True)
class Categories(Heat):
    """A matrix of numbers whose colours are categories. categories: (rows, columns). colours: of each of them."""

    categories: NDArray[np.str_]
    colours: Mapping[str, str]

    def paints(self) -> Floats:
        """The colours of the cells, (rows, columns, 4)."""
        from matplotlib.colors import to_rgba

        cells = [to_rgba(self.colours.get(category, "none")) for category in self.categories.ravel().tolist()]
        return np.array(cells).reshape(*self.categories.shape, 4)

    def legend(self, sheet: Sheet, left: float, top: float) -> None:
        """Draw a cell of each category with its name, and what the numbers are."""
        for category, colour in self.colours.items():
            axes = sheet.axes(left, top, 0.14, 0.12)
            axes.set_axis_off()
            axes.add_patch(cell_patch(0, 0, facecolor=colour, edgecolor="none"))
            axes.set_xlim(-0.5, 0.5)
            axes.set_ylim(-0.5, 0.5)
            sheet.write(left + 0.2, top + 0.11, category)
            left += 0.4 + width_of([category])
        sheet.write(left, top + 0.11, f"{APART}{self.what}" if self.has_numbers else "")


def draw_heats(palette: Palette, title: str, heats: Mapping[str, Heat], *, remark: str = "") -> Figure:
    """Draw heat maps with the same rows and columns in panels under their titles, with one legend.

    The names of the rows are at the left, and those of the columns below the lowest panels.
    """
    least = max(heat.side[0] for heat in heats.values())
    heats = {name: replace(heat, least=least) for name, heat in heats.items()}
    first, has_titles = next(iter(heats.values())), any(heats)
    width, height = first.size
    step = (max(width, 1.0) + GAP, height + (0.38 if has_titles else 0.0))
    across = max(1, min(len(heats), int((WIDTH - first.left) / step[0])))
    lines = math.ceil(len(heats) / across)
    top = (0.72 if has_titles else 0.5) + (0.2 if remark else 0.0)
    right = max(across * step[0], 1.75 + width_of([first.what]))
    sheet = Sheet(palette, first.left + right, top + lines * step[1] + first.below, title)
    sheet.write(first.left, 0.67, remark, color=palette.muted)
    first.legend(sheet, first.left, 0.2)
    for index, (name, heat) in enumerate(heats.items()):
        line, column = divmod(index, across)
        left, above = first.left + column * step[0], top + line * step[1]
        room = step[0] if len(heats) > 1 else WIDTH - left
        sheet.write(left, above - 0.06, label(name, int((room - 0.05) / 0.07)), weight="bold")
        heat.draw_on(sheet, left, above, rows=column == 0, columns=index + across >= len(heats))
    return sheet.figure


def cell_patch(column: int, row: int, **style: Any) -> Rectangle:
    """The rectangle of a cell."""
    from matplotlib.patches import Rectangle

    return Rectangle((column - 0.5, row - 0.5), 1, 1, clip_on=False, **style)


def colour_limits(values: Floats) -> tuple[float, float]:
    """Limits of the colours of coefficients: their whole scale, the negative half only if some are negative.

    >>> colour_limits(np.array([0.35, -0.25, np.nan])), colour_limits(np.array([0.35]))
    ((-1.0, 1.0), (0.0, 1.0))
    """
    return (-1.0 if np.nanmin(values) < 0 else 0.0), 1.0
