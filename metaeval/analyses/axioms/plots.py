"""A matrix of the formal properties of the measures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from metaeval.errors import join_all, pluralize
from metaeval.model.report import Cell, Kind
from metaeval.render.plots.canvas import COLOURS, Mark, Palette, labels, pitch, row_size, sheet_with_legend, width_of
from metaeval.render.plots.columns import cells_of, texts
from metaeval.render.plots.declaration import Picture, Tables, plot
from metaeval.render.plots.heatmap import cell_patch, label_height, name_columns

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MEANINGS: tuple[tuple[bool | None, str], ...] = (
    (True, "no counter-example"),
    (False, "counter-example"),
    (None, "does not apply"),
)


@plot("axioms", title="Formal properties of the measures", needs=("axioms",))
def axioms(tables: Tables) -> Picture | None:
    """A row for each measure, a column for each property: a tick, a cross, or a dash where it does not apply."""
    table = tables["axioms"]
    names, properties = texts(table, "measure"), [each.name for each in table.columns if each.kind is Kind.FLAG]
    holds = [cells_of(table, name) for name in properties]
    if not any(isinstance(verdict, bool) for column in holds for verdict in column):
        return None
    has = [sum(column[row] is True for column in holds) for row in range(len(names))]

    def paint(palette: Palette, title: str) -> Figure:
        return _marks(palette, title, labels(names), labels(properties), holds)

    richest = join_all([name for name, count in zip(names, has, strict=True) if count == max(has)])
    counts = [f"{name} {column.count(True)}" for name, column in zip(properties, holds, strict=True)]
    size = f"{pluralize(len(names), 'measure')} and {pluralize(len(properties), 'property', 'properties')}"
    alt = f"Matrix of {size}. Most properties: {richest} ({max(has)})."
    return Picture(f"{alt} Number of measures with each property: {', '.join(counts)}.", paint)


def _marks(
    palette: Palette, title: str, names: Sequence[str], properties: Sequence[str], holds: Sequence[Sequence[Cell]]
) -> Figure:
    rows, size = len(names), row_size(len(names))
    side = (0.32, pitch(rows))
    left = max(width_of(names, size) + 0.15, width_of(properties[:1], size) * 0.8)
    wide, high = side[0] * len(properties), side[1] * rows
    entries = [(meaning, _mark_in(palette, verdict)) for verdict, meaning in MEANINGS]
    sheet, top = sheet_with_legend(palette, title, entries, high + label_height(properties, size, side[0]))
    axes = sheet.axes(left, top, wide, high)
    axes.spines["bottom"].set_visible(False)
    axes.set_xlim(-0.5, len(properties) - 0.5)
    axes.set_xticks([])
    sheet.name_rows(axes, names, size)
    for column, verdicts in enumerate(holds):
        for row, verdict in enumerate(verdicts):
            _paint_cell(axes, column, row, verdict, palette)
    unit = min(side) * 0.5
    for verdict, _ in MEANINGS:
        places = [(x, y) for x, column in enumerate(holds) for y, one in enumerate(column) if _as(one) is verdict]
        _draw(axes, places, verdict, (unit / side[0], unit / side[1]), palette)
    name_columns(sheet, axes, properties, rows, side, size)
    return sheet.figure


def _as(verdict: Cell) -> bool | None:
    return verdict if isinstance(verdict, bool) else None


def _paint_cell(axes: Axes, column: int, row: int, verdict: Cell, palette: Palette) -> None:
    shade = {True: COLOURS[0], False: COLOURS[1], None: palette.grid}[_as(verdict)]
    strength = 0.3 if verdict is True else 0.16
    axes.add_patch(cell_patch(column, row, facecolor=shade, alpha=strength, edgecolor="none", clip_on=False))
    axes.add_patch(cell_patch(column, row, facecolor="none", edgecolor=palette.paper, linewidth=1, clip_on=False))


STROKES: dict[bool | None, tuple[tuple[tuple[float, float], ...], ...]] = {
    True: (((-0.5, 0.05), (-0.12, 0.42), (0.5, -0.42)),),
    False: (((-0.4, -0.4), (0.4, 0.4)), ((-0.4, 0.4), (0.4, -0.4))),
    None: (((-0.3, 0.0), (0.3, 0.0)),),
}
"""Marks as lines, because some fonts lack them; down is positive."""


def _draw(
    axes: Axes, places: Sequence[tuple[float, float]], verdict: bool | None, unit: tuple[float, float], palette: Palette
) -> None:
    from matplotlib.collections import LineCollection

    lines = [[(x + a * unit[0], y + b * unit[1]) for a, b in stroke] for x, y in places for stroke in STROKES[verdict]]
    colour = palette.muted if verdict is None else palette.ink
    axes.add_collection(
        LineCollection(lines, colors=colour, linewidths=1.3, capstyle="round", clip_on=False), autolim=False
    )


def _mark_in(palette: Palette, verdict: bool | None) -> Mark:
    return lambda axes, x, y: _draw(axes, [(x, y)], verdict, (0.13, 0.65), palette)
