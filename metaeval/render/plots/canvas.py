"""What every plot is drawn on and with: sizes, colours, labels, axes in inches.

Nothing here imports matplotlib before something is drawn.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from metaeval.errors import visible

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.transforms import Transform

HEADING, TEXT, SMALL, TINY = 10.0, 8.5, 7.5, 6.5
"""Sizes of letters, in points: a title; labels; numbers in cells; crowds."""

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#8C6D31")
"""Okabe and Ito's colours, which colour-blind readers tell apart; a brown for their yellow, pale on white."""

MARKERS = ("o", "s", "^", "D", "v", "P", "X")
"""No thing is told from another by its colour alone."""

LINES = ("-", "--", "-.", ":")

APART = "\u2002"
"""A space between two things said in one text; unlike others it is never run together."""

LONGEST = 34
"""Cells that a label may take; a Chinese character takes two."""


@dataclass(frozen=True)
class Palette:
    """The colours that depend on the page: of text and marks, of what is behind, of thin lines, of side remarks."""

    ink: str
    paper: str
    grid: str
    muted: str


LIGHT = Palette("#1a1a1a", "#ffffff", "#d0d0d0", "#666666")

STANDING_IN = Palette("#010203", "#fdfcfe", "#0a0b0c", "#070809")
"""Colours that nothing else has, so that the page's own can take their place."""


class Sheet:
    """A figure whose parts are placed in inches from its top left corner; what lies outside is not cut off."""

    def __init__(self, palette: Palette, width: float, height: float, title: str) -> None:
        from matplotlib.figure import Figure

        self.palette = palette
        self.width, self.height = width, height
        self.figure = Figure(figsize=(width, height), facecolor=palette.paper)
        self.write(0, -0.12, title, size=HEADING, weight="bold")

    def axes(self, left: float, top: float, width: float, height: float) -> Axes:
        """Axes with the frame of the house: ticks without marks, no lines above and at the right."""
        place = (left / self.width, 1 - (top + height) / self.height, width / self.width, height / self.height)
        axes = self.figure.add_axes(place, facecolor="none")
        axes.set_axisbelow(True)
        axes.tick_params(length=0, labelsize=SMALL, labelcolor=self.palette.ink, color=self.palette.grid)
        for side, line in axes.spines.items():
            line.set_visible(side == "bottom")
            line.set_color(self.palette.muted)
            line.set_linewidth(0.6)
        return axes

    def write(self, left: float, top: float, text: str, **look: Any) -> None:
        """A line of text on the sheet, its foot at `top`."""
        look = {"size": TEXT, "color": self.palette.ink, "parse_math": False, **look}
        self.figure.text(left / self.width, 1 - top / self.height, text, **look)

    def say(self, axes: Axes, x: float, y: float, text: str, **look: Any) -> None:
        """A line of text at a place of the axes; what it says is never read as a formula."""
        # A rotated text keeps its place in any font only where it turns about its anchor.
        look = {"size": TEXT, "color": self.palette.ink, "parse_math": False, "rotation_mode": "anchor", **look}
        axes.text(x, y, text, **look)

    def grid(self, axes: Axes, axis: Literal["x", "y", "both"]) -> None:
        """Thin lines behind, across one axis or both."""
        axes.grid(axis=axis, color=self.palette.grid, linewidth=0.5)

    def horizontal(self, axes: Axes, told: str) -> None:
        """Name the horizontal axis."""
        axes.set_xlabel(told, size=SMALL, color=self.palette.ink, loc="left", parse_math=False, labelpad=5)

    def vertical(self, axes: Axes, told: str) -> None:
        """Name the vertical axis, above it, where it is read without turning one's head."""
        place = axes.get_position()
        self.write(place.x0 * self.width, (1 - place.y1) * self.height - 0.1, told, size=SMALL)

    def left_of(self, axes: Axes) -> Transform:
        """Coordinates for what stands left of the axes: 0, and the height as in the axes."""
        return self._edge(axes, -0.08)

    def right_of(self, axes: Axes) -> Transform:
        """Coordinates for what stands right of the axes: 0, and the height as in the axes."""
        return self._edge(axes, axes.get_position().width * self.width + 0.1)

    def _edge(self, axes: Axes, inches: float) -> Transform:
        from matplotlib.transforms import ScaledTranslation, blended_transform_factory

        shift = ScaledTranslation(inches, 0, self.figure.dpi_scale_trans)
        return blended_transform_factory(axes.transAxes, axes.transData) + shift

    def name_rows(self, axes: Axes, names: Sequence[str], size: float = TEXT) -> None:
        """Rows from the top, 0 first, with their names at the left."""
        axes.set_ylim(len(names) - 0.5, -0.5)
        axes.set_yticks([])
        for place, name in enumerate(names):
            self.say(axes, 0, place, name, size=size, transform=self.left_of(axes), ha="right", va="center_baseline")


# Labels


def label(text: str, longest: int = LONGEST) -> str:
    r"""A name as a label of a plot: on one line, safe in XML, its middle left out where it is long.

    >>> label("a\x1b[1mb")
    'a\\x1b[1mb'
    >>> label("rouge-su:skip=all,words=content,stem=porter,stat=recall")
    'rouge-su:skip=all…rter,stat=recall'
    """
    safe = re.sub("[\ufffe\uffff\U0001fffe-\U0001ffff]", "\ufffd", visible(text))
    if cells(safe) <= longest:
        return safe
    return f"{_cut(safe, longest // 2)}…{_cut(safe[::-1], longest - longest // 2 - 1)[::-1]}"


def labels(names: Iterable[str], longest: int = LONGEST) -> list[str]:
    """Every name as a label."""
    return [label(name, longest) for name in names]


def _cut(text: str, room: int) -> str:
    kept = ""
    for character in text:
        if cells(kept + character) > room:
            break
        kept += character
    return kept


def cells(text: str) -> int:
    """How many narrow characters wide a text is."""
    return sum(2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in text)


def width_of(texts: Iterable[str], size: float = TEXT) -> float:
    """About how wide the widest of the texts is, in inches; a little too wide rather than too narrow."""
    return max((cells(text) for text in texts), default=0) * 0.62 * size / 72


def number(value: float, digits: int = 2) -> str:
    """A number as a plot prints it; '—' where it is undefined.

    >>> number(0.958659), number(-0.001), number(float("nan"))
    ('0.96', '0.00', '—')
    """
    return "—" if value != value else f"{value:z.{digits}f}"


def pitch(rows: int) -> float:
    """The height of a row in inches: less where there are many."""
    return 0.27 if rows <= 20 else 0.2 if rows <= 60 else 0.14


def row_size(rows: int) -> float:
    """The size of letters that fits into a row."""
    return TEXT if rows <= 20 else SMALL if rows <= 60 else TINY


def listed(texts: Sequence[str]) -> str:
    """Texts as a part of a sentence.

    >>> listed(["a", "b", "c"])
    'a, b and c'
    """
    return " and ".join([", ".join(texts[:-1]), texts[-1]] if len(texts) > 1 else texts)
