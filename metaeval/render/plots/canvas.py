"""The canvas of all plots: sizes, colours, labels, axes in inches. matplotlib is imported when a plot is drawn."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from metaeval.arrays import Floats
from metaeval.errors import visible

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.transforms import Transform


Mark: TypeAlias = "Callable[[Axes, float, float], object]"
"""Draws the mark of a legend at a position of its axes."""

HEADING, TEXT, TINY = 10.0, 8.0, 6.5
"""Font sizes in points: of titles, of all other text, and of labels of very many rows."""

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#8C6D31")
"""The colour-blind safe palette of Okabe and Ito, with a brown for yellow, which is pale on white."""

MARKERS = ("o", "s", "^", "D", "v", "P", "X")
"""Markers, so that series do not differ in colour only."""

LEGEND_GAP = 0.4
"""The space in inches for a mark between the texts of a legend."""

LINES = ("-", "--", "-.", ":")

APART = "\u2002"
"""A space between two parts of a text, which is not collapsed."""

WIDTH = 9.0
"""The width in inches of plots whose contents can be stretched."""

MAX_LABEL = 34
"""Maximum width of a label in narrow characters; a Chinese character is two wide."""


@dataclass(frozen=True)
class Palette:
    """The colours that depend on the page: of text and marks, background, thin lines, and remarks.

    measures: those of all plots of a page, which have one colour, line and marker each.
    """

    ink: str
    paper: str
    grid: str
    muted: str
    measures: tuple[str, ...] = ()

    def style(self, name: str, index: int) -> tuple[str, str, str]:
        """The colour, line and marker of a measure; of another series those of its index in the plot."""
        return series_style(self.measures.index(name) if name in self.measures else index)


@dataclass(frozen=True)
class Look:
    """The look of a dot: its colour, 'ink' and 'muted' being those of the page, its marker, and its size in points.

    An empty colour or marker is that of the measure, or of the index.
    """

    colour: str = ""
    marker: str = ""
    filled: bool = True
    size: float = 5.0

    def style(self, palette: Palette, name: str = "", index: int = 0) -> dict[str, Any]:
        """The properties of the dot as matplotlib takes them."""
        colour, _, marker = palette.style(name, index)
        colour = {"ink": palette.ink, "muted": palette.muted, "": colour}.get(self.colour, self.colour)
        return {
            "color": colour,
            "marker": self.marker or marker,
            "markerfacecolor": colour if self.filled else palette.paper,
            "markeredgecolor": colour,
            "markersize": self.size,
            "linestyle": "none",
        }

    def mark(self, palette: Palette) -> Mark:
        """The dot in a legend."""
        return lambda axes, x, y: axes.plot([x], [y], **self.style(palette))


DEFAULT = Look()
"""The colour and marker of the measure."""

LIGHT = Palette("#1a1a1a", "#ffffff", "#d0d0d0", "#666666")

PLACEHOLDERS = Palette("#010203", "#fdfcfe", "#0a0b0c", "#070809")
"""Unique colours, which are replaced by those of the page."""


class Sheet:
    """A figure with parts placed in inches from its top left corner; parts outside are not clipped."""

    def __init__(self, palette: Palette, width: float, height: float, title: str) -> None:
        from metaeval.render.plots.figure import PlotFigure

        self.palette = palette
        self.width, self.height = width, height
        self.figure = PlotFigure(figsize=(width, height), facecolor=palette.paper)
        if title:
            look: dict[str, Any] = {"size": HEADING, "weight": "bold", "color": palette.ink, "parse_math": False}
            self.figure.suptitle(title, x=0, y=1 + 0.12 / height, ha="left", va="baseline", **look)

    def axes(self, left: float, top: float, width: float, height: float) -> Axes:
        """Axes without tick marks, with a line at the bottom only."""
        bottom = 1 - (top + height) / self.height
        position = (left / self.width, bottom, width / self.width, height / self.height)
        axes = self.figure.add_axes(position, facecolor="none")
        axes.set_axisbelow(True)
        axes.tick_params(length=0, labelsize=TEXT, labelcolor=self.palette.ink, color=self.palette.grid)
        for side, line in axes.spines.items():
            line.set_visible(side == "bottom")
            line.set_color(self.palette.muted)
            line.set_linewidth(0.6)
        return axes

    def write(self, left: float, top: float, text: str, **look: Any) -> None:
        """A line of text on the sheet, with its baseline at `top`."""
        if text:
            look = {"size": TEXT, "color": self.palette.ink, "parse_math": False, **look}
            self.figure.text(left / self.width, 1 - top / self.height, text, **look)

    def annotate(self, axes: Axes, x: float, y: float, text: str, **look: Any) -> None:
        """A line of text at a position of the axes, which is not parsed as a formula."""
        # Rotation about the anchor does not depend on the font.
        look = {"size": TEXT, "color": self.palette.ink, "parse_math": False, "rotation_mode": "anchor", **look}
        if text:
            axes.text(x, y, text, **look)

    def grid(self, axes: Axes, axis: Literal["x", "y", "both"]) -> None:
        """Thin grid lines behind the plot."""
        axes.grid(axis=axis, color=self.palette.grid, linewidth=0.5)

    def horizontal(self, axes: Axes, text: str) -> None:
        """Label the horizontal axis."""
        axes.set_xlabel(text, size=TEXT, color=self.palette.ink, loc="left", parse_math=False, labelpad=5)

    def vertical(self, axes: Axes, text: str) -> None:
        """Label the vertical axis, above it and not rotated."""
        position = axes.get_position()
        self.write(position.x0 * self.width, (1 - position.y1) * self.height - 0.1, text)

    def left_of(self, axes: Axes) -> Transform:
        """Coordinates left of the axes: x is 0 there, y as in the axes."""
        return self._edge(axes, -0.08)

    def right_of(self, axes: Axes) -> Transform:
        """Coordinates right of the axes: x is 0 there, y as in the axes."""
        return self._edge(axes, axes.get_position().width * self.width + 0.1)

    def _edge(self, axes: Axes, inches: float) -> Transform:
        from matplotlib.transforms import ScaledTranslation, blended_transform_factory

        shift = ScaledTranslation(inches, 0, self.figure.dpi_scale_trans)
        return blended_transform_factory(axes.transAxes, axes.transData) + shift

    def name_rows(self, axes: Axes, names: Sequence[str], size: float = TEXT) -> None:
        """Rows from the top, starting with 0, with their names at the left; of crowded rows only every n-th name."""
        axes.set_ylim(len(names) - 0.5, -0.5)
        axes.set_yticks([])
        step = self.label_step(axes, len(names))
        for row, name in list(enumerate(names))[::step]:
            style = {"ha": "right", "va": "center_baseline", "transform": self.left_of(axes)}
            self.annotate(axes, 0, row, name, size=size, **style)

    def label_step(self, axes: Axes, rows: int) -> int:
        """The n of which every n-th row can have a label."""
        return max(1, math.ceil(0.1 * rows / (axes.get_position().height * self.height)))


def sheet_with_legend(
    palette: Palette, title: str, entries: Sequence[tuple[str, Mark]], below: float, *, remark: str = ""
) -> tuple[Sheet, float]:
    """A sheet with marks and their texts at its top, then a remark, and the height where they end.

    below: the height of the rest.
    """
    positions: list[tuple[float, int]] = []
    start, line = 0.06, 0
    for text, _ in entries:
        width = width_of([text]) + LEGEND_GAP
        if positions and start + width > WIDTH:
            start, line = 0.06, line + 1
        positions.append((start, line))
        start += width
    high = 0.2 * (line + 1) if entries else 0.0
    top = high + (0.27 if remark else 0.1)
    sheet = Sheet(palette, WIDTH, top + below, title)
    if remark:
        sheet.write(0, high + 0.2, remark, color=palette.muted)
    if entries:
        axes = sheet.axes(0, 0.1, WIDTH, high)
        axes.set_axis_off()
        axes.set_xlim(0, WIDTH)
        axes.set_ylim(line + 1, 0)
        for (text, mark), (x, y) in zip(entries, positions, strict=True):
            mark(axes, x, y + 0.5)
            sheet.annotate(axes, x + 0.12, y + 0.5, text, va="center_baseline")
    return sheet, top


def series_style(index: int) -> tuple[str, str, str]:
    """Colour, line and marker of a series; 28 series differ in more than one of them."""
    turn = index // len(COLOURS)
    return COLOURS[index % len(COLOURS)], LINES[turn % len(LINES)], MARKERS[(index + turn) % len(MARKERS)]


def label(text: str, longest: int = MAX_LABEL) -> str:
    r"""A name as a label of a plot: one line, valid in XML, shortened in the middle.

    >>> label("a\x1b[1mb")
    'a\\x1b[1mb'
    >>> label("rouge-su:skip=all,words=content,stem=porter,stat=recall")
    'rouge-su:skip=all…rter,stat=recall'
    """
    safe = re.sub("[\ufffe\uffff\U0001fffe-\U0001ffff]", "\ufffd", visible(text))
    if cells(safe) <= longest:
        return safe
    return f"{_cut(safe, longest // 2)}…{_cut(safe[::-1], longest - longest // 2 - 1)[::-1]}"


def labels(names: Iterable[str], longest: int = MAX_LABEL) -> list[str]:
    """All names as labels."""
    return [label(name, longest) for name in names]


def _cut(text: str, room: int) -> str:
    widths = accumulate(map(cells, text))
    return "".join(character for character, width in zip(text, widths, strict=True) if width <= room)


def cells(text: str) -> int:
    """The width of a text in narrow characters."""
    return sum(2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in text)


def width_of(texts: Iterable[str], size: float = TEXT) -> float:
    """The approximate width of the widest text in inches, rather too large than too small."""
    return max((cells(text) for text in texts), default=0) * 0.62 * size / 72


def number(value: float, digits: int = 2) -> str:
    """A number as text; '—' if it is undefined.

    >>> number(0.958659), number(-0.001), number(float("nan"))
    ('0.96', '0.00', '—')
    """
    return "—" if value != value else f"{value:z.{digits}f}"


def text_colour(fill: Iterable[float]) -> str:
    """The colour of readable text on a filled cell: black or white.

    >>> text_colour((1.0, 0.9, 0.2)), text_colour((0.0, 0.1, 0.4))
    ('#000000', '#ffffff')
    """
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in list(fill)[:3]]
    luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    # Both have the same contrast at this luminance (WCAG 2).
    return "#000000" if luminance > 0.179 else "#ffffff"


def pitch(rows: int) -> float:
    """The height of a row in inches; many rows share 5.4 inches."""
    return min(0.21, 5.4 / max(rows, 1))


def row_size(rows: int) -> float:
    """The font size of row names."""
    return TEXT if rows <= 40 else TINY


def limits(*values: Floats, margin: float = 0.04) -> tuple[float, float]:
    """The range of the values, with a margin on both sides as a share of it.

    >>> limits(np.array([0.0, 1.0, np.nan]), margin=0.5)
    (-0.5, 1.5)
    """
    every = np.concatenate([part.ravel() for part in values])
    low, high = float(np.nanmin(every)), float(np.nanmax(every))
    aside = margin * (high - low) or 0.02
    return low - aside, high + aside


Box = tuple[float, float, float, float]
"""Left, bottom, right, top, in inches."""

Side = tuple[str, int, int]
"""The position of a label relative to its point: alignment, shift right (1) or left (-1), shift up or down."""

CORNERS: tuple[Side, ...] = (("left", 1, 1), ("right", -1, 1), ("left", 1, -1), ("right", -1, -1))
"""For points with lines through them."""

SIDES: tuple[Side, ...] = (("left", 1, 0), ("right", -1, 0), ("center", 0, 1), ("center", 0, -1), *CORNERS)


def spread_labels(heights: Sequence[float], gap: float) -> list[float]:
    """The positions, moved as little as possible so that they are `gap` apart.

    >>> spread_labels([1.0, 1.1, 3.0], 0.5)
    [0.8, 1.3, 3.0]
    """
    from scipy.optimize import isotonic_regression

    order, offsets = np.argsort(heights, kind="stable"), gap * np.arange(len(heights))
    # Overlapping neighbours move together to the mean of their shifts.
    shifted = isotonic_regression(np.asarray(heights, dtype=np.float64)[order] - offsets).x
    positions = np.empty(len(heights))
    positions[order] = shifted + offsets
    rounded: list[float] = positions.round(9).tolist()
    return rounded


def place_labels(
    points: Sequence[tuple[float, float]],
    texts: Sequence[str],
    room: tuple[float, float],
    sides: Sequence[Side] = SIDES,
) -> list[tuple[float, float, str] | None]:
    """The position and alignment of the label of each point; None if there is no free position.

    points: in inches. room: width and height of the plot, in inches. sides: possible
    positions, the best first.
    """
    marks: list[Box] = [(x - 0.06, y - 0.06, x + 0.06, y + 0.06) for x, y in points]
    boxes: list[Box] = []
    positions: list[tuple[float, float, str] | None] = []
    for number, ((x, y), text) in enumerate(zip(points, texts, strict=True)):
        width, height = cells(text) * 0.58 * TEXT / 72, 1.1 * TEXT / 72
        others = [*marks[:number], *marks[number + 1 :], *boxes]
        positions.append(None)
        for align, right, up in sides:
            at = (x + right * (0.075 if right and not up else 0.05), y + up * (0.6 * height + 0.04))
            left = at[0] - {"left": 0.0, "right": width, "center": width / 2}[align]
            box = (left, at[1] - height / 2, left + width, at[1] + height / 2)
            if _inside(box, room) and not any(_overlap(box, other) for other in others):
                positions[-1] = (*at, align)
                boxes.append(box)
                break
    return positions


def _inside(box: Box, room: tuple[float, float]) -> bool:
    return box[0] >= -0.05 and box[1] >= -0.05 and box[2] <= room[0] + 0.1 and box[3] <= room[1] + 0.05


def _overlap(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
