"""A matrix of numbers, each on a background that shows its size."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import NamedTuple

from rich.cells import cell_len
from rich.style import Style as Look

from metaeval.model.report import Kind, Table
from metaeval.render.cells import UNDEFINED, Style, folded, format_cell, legend, rows_set_apart, shown_columns
from metaeval.render.chart_rows import MAX_SHARE, RowNames, finite_numbers, row_names, shorten
from metaeval.render.terminal import DIM, PLAIN, Line, prose

BACKGROUNDS = tuple(
    Look(color=f"color({ink})", bgcolor=f"color({background})")
    for ink, background in ((231, 17), (231, 60), (16, 102), (16, 144), (16, 186), (16, 227))
)
"""From low to high: dark blue over grey to yellow, as in cividis, which is readable for colour-blind people."""

SHADES = ("··", "░░", "▒▒", "▓▓", "██")
"""From low to high, without colour."""

MAX_HEADER = 14
"""Width to which a header may widen its column."""

MIN_HEADER = 7
"""Width below which headers are not folded."""

STEPS = 5
"""Minimum of different numbers between two knots of a scale, if the number of digits allows it."""


@dataclass(frozen=True)
class Scale:
    """The positions of numbers between the lowest and the highest, or the worst and the best.

    knots: numbers that divide it into parts of equal size, including the ends; decreasing if lower is better.
    kind, digits: the format of its numbers, with enough digits to distinguish them.
    """

    knots: tuple[float, ...]
    kind: Kind
    digits: int

    def place(self, value: float) -> float:
        """The position from 0 at the start to 1 at the end; 1 on a scale of a single number."""
        if self.knots[0] == self.knots[-1]:
            return 1.0
        rising = self.knots if self.knots[0] < self.knots[-1] else self.knots[::-1]
        piece = min(max(bisect_right(rising, value), 1), len(rising) - 1)
        low, high = rising[piece - 1 : piece + 1]
        share = (piece - 1 + ((value - low) / (high - low) if high > low else 1.0)) / (len(rising) - 1)
        return share if rising is self.knots else 1.0 - share

    def text(self, value: float) -> str:
        """A number in the format of the scale."""
        return format_cell(value, self.kind, digits=self.digits)


class Tile(NamedTuple):
    """A number of the map, and its position on its scale; None if it is undefined."""

    text: str
    place: float | None


class Column(NamedTuple):
    """Tiles below a header."""

    header: str
    tiles: tuple[Tile, ...]


def heat_map(table: Table, places: Sequence[int], style: Style) -> Iterator[Line]:
    """The columns at `places` as a map, in panels if it is wider than the terminal, and a legend.

    If every column has a direction, each has its own scale from worst to best; otherwise they share one.
    """
    alone = replace(table, beside=None)
    shown = shown_columns(alone, digits=style.digits)
    directed = all(table.columns[place].higher_is_better is not None for place in places)
    shared = None if directed else _scale(table, places, style.digits)
    columns = [
        Column(shown[place].header, _tiles(table, place, shared or _scale(table, [place], style.digits)))
        for place in places
    ]
    names = row_names(table, places[0], room=int(MAX_SHARE * (style.width or 0)))
    if _is_square(table, places):
        names, columns = _numbered(names, columns)
    yield from _panels(names, columns, rows_set_apart(table), style)
    yield []
    yield _key(shared, style)
    if shared is not None and len(shared.knots) > 2:
        limits = [shared.text(knot) for knot in shared.knots[1:]]
        yield from prose(f"parts of the scale end at {', '.join(limits[:-1])} and {limits[-1]}", style, look=DIM)
    meanings = legend(alone, shown, bold=False)
    if meanings:
        yield from prose(meanings, style, look=DIM)


def _scale(table: Table, places: Sequence[int], digits: int) -> Scale:
    """The scale of some columns, with their bands; that of one column is decreasing if lower is better."""
    column = table.columns[places[0]]
    values = [value for place in places for value in finite_numbers(table, place) if value is not None] or [0.0]
    knots = (min([*values, *column.bands]), *column.bands, max([*values, *column.bands]))
    gaps = [high - low for low, high in pairwise(knots) if high > low]
    # Two digits, or more if most of the numbers would look the same.
    needed = max(2, math.ceil(-math.log10(min(gaps) / STEPS))) if gaps else 2
    downwards = len(places) == 1 and column.higher_is_better is False
    return Scale(knots[::-1] if downwards else knots, column.kind, min(digits, needed))


def _tiles(table: Table, place: int, scale: Scale) -> tuple[Tile, ...]:
    return tuple(
        Tile(UNDEFINED, None) if value is None else Tile(scale.text(value), scale.place(value))
        for value in finite_numbers(table, place)
    )


def _is_square(table: Table, places: Sequence[int]) -> bool:
    """Whether columns and rows have the same names in the same order."""
    return [table.columns[place].name for place in places] == [row[0] for row in table.rows]


def _numbered(names: RowNames, columns: Sequence[Column]) -> tuple[RowNames, list[Column]]:
    """Numbers before the names of the rows, which replace the headers of the columns of the same names."""
    numbers = [str(number) for number in range(1, len(columns) + 1)]
    lead = len(numbers[-1])
    texts = tuple(f"{number:>{lead}} {text}" for number, text in zip(numbers, names.texts, strict=True))
    headed = [Column(number, column.tiles) for number, column in zip(numbers, columns, strict=True)]
    return RowNames(texts, names.width + lead + 1, names.common), headed


def _panels(names: RowNames, columns: Sequence[Column], dimmed: Sequence[bool], style: Style) -> Iterator[Line]:
    # Without a background, the blank after the last tile is not printed.
    room = max((style.width or 0) - names.width - (1 if style.colour else 0), 1)
    text_width = max(cell_len(tile.text) for column in columns for tile in column.tiles)
    tile_width = text_width + 2 if style.colour else text_width + len(SHADES[0]) + 2
    width, per_panel = _column_width(tile_width, columns, room)
    for first in range(0, len(columns), per_panel):
        group = columns[first : first + per_panel]
        yield []
        yield from _headers(group, names.width, width)
        for number, (name, is_dimmed) in enumerate(zip(names.texts, dimmed, strict=True)):
            margin = " " * (names.width - cell_len(name) + 1)
            tiles = [run for column in group for run in _painted_tile(column.tiles[number], width, style)]
            yield [(name + margin, DIM if is_dimmed else PLAIN), *tiles]


def _column_width(tile_width: int, columns: Sequence[Column], room: int) -> tuple[int, int]:
    """The width of every column, and how many fit side by side: the largest width with the fewest panels."""
    headers = max(cell_len(column.header) + 1 for column in columns)
    widths = range(max(tile_width, min(headers, MAX_HEADER)), max(tile_width, min(headers, MIN_HEADER)) - 1, -1)
    panels = {width: math.ceil(len(columns) / max(room // width, 1)) for width in widths}
    width = min(panels, key=lambda each: (panels[each], -each))
    # Panels have about equal widths.
    return width, math.ceil(len(columns) / panels[width])


def _headers(group: Sequence[Column], lead: int, width: int) -> Iterator[Line]:
    """Headers, folded to the width of their columns and aligned at the bottom."""
    headers = [folded(column.header, width - 1, measure=cell_len) for column in group]
    height = max(map(len, headers))
    for number in range(height):
        texts = [([""] * (height - len(lines)) + lines)[number] for lines in headers]
        fitted = [shorten(text, width - 1) for text in texts]
        yield [(" " * (lead + 1) + "".join(" " * (width - 1 - cell_len(text)) + text + " " for text in fitted), PLAIN)]


def _painted_tile(tile: Tile, width: int, style: Style) -> Line:
    """The number, right-aligned, on its background or after its shade."""
    if style.colour:
        background = PLAIN if tile.place is None else BACKGROUNDS[_step(tile.place, len(BACKGROUNDS))]
        return [(f"{tile.text:>{width - 1}} ", background)]
    shade = SHADES[0] if tile.place is None else SHADES[_step(tile.place, len(SHADES))]
    return [(" " * (width - cell_len(tile.text) - len(shade) - 2) + f"{shade} {tile.text} ", PLAIN)]


def _step(place: float, steps: int) -> int:
    return min(int(place * steps), steps - 1)


def _key(scale: Scale | None, style: Style) -> Line:
    """The backgrounds or shades between the ends of their scale."""
    steps: Line = [(" · ", background) for background in BACKGROUNDS] if style.colour else [(" ".join(SHADES), PLAIN)]
    if scale is None:
        return [("worst ", DIM), *steps, (" best of each column", DIM)]
    return [(f"{scale.text(scale.knots[0])} ", DIM), *steps, (f" {scale.text(scale.knots[-1])}", DIM)]
