"""A matrix of the formal properties of the measures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from metaeval.errors import join_all, pluralize
from metaeval.model.report import Cell, Kind
from metaeval.render.plots.canvas import COLOURS, Mark, Palette, Sheet, sheet_with_legend
from metaeval.render.plots.columns import cells_of, texts
from metaeval.render.plots.declaration import Picture, Tables, plot
from metaeval.render.plots.matrix import Matrix, cell_patch

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MEANINGS = {True: "no counter-example", False: "counter-example", None: "does not apply"}

Stroke = tuple[tuple[float, float], ...]
STROKES: dict[bool | None, tuple[Stroke, ...]] = {
    True: (((-0.5, 0.05), (-0.12, 0.42), (0.5, -0.42)),),
    False: (((-0.4, -0.4), (0.4, 0.4)), ((-0.4, 0.4), (0.4, -0.4))),
    None: (((-0.3, 0.0), (0.3, 0.0)),),
}
"""Marks as lines, because some fonts lack them; down is positive."""


@plot("axioms", title="Formal properties of the measures", needs=("axioms",))
def axioms(tables: Tables) -> Picture | None:
    """A row for each measure, a column for each property: a tick, a cross, or a dash where it does not apply."""
    table = tables["axioms"]
    names, properties = texts(table, "measure"), [each.name for each in table.columns if each.kind is Kind.FLAG]
    verdicts = [[_verdict(cell) for cell in cells_of(table, name)] for name in properties]
    if all(verdict is None for column in verdicts for verdict in column):
        return None
    counts = [sum(column[row] is True for column in verdicts) for row in range(len(names))]
    richest = join_all([name for name, count in zip(names, counts, strict=True) if count == max(counts)])
    totals = [f"{name} {column.count(True)}" for name, column in zip(properties, verdicts, strict=True)]
    size = f"{pluralize(len(names), 'measure')} and {pluralize(len(properties), 'property', 'properties')}"
    alt = f"Matrix of {size}. Most properties: {richest} ({max(counts)}). "
    alt += f"Number of measures with each property: {', '.join(totals)}."
    return Picture(alt, VerdictMatrix(rows=names, columns=properties, verdicts=verdicts, least=0.32).draw)


def _verdict(cell: Cell) -> bool | None:
    return cell if isinstance(cell, bool) else None


@dataclass(frozen=True, kw_only=True)
class VerdictMatrix(Matrix):
    """A matrix of ticks, crosses and dashes. verdicts: by column and row."""

    verdicts: Sequence[Sequence[bool | None]]

    def draw(self, palette: Palette, title: str) -> Figure:
        """Draw the matrix below the legend of its marks."""
        entries = [(meaning, _mark(verdict, palette)) for verdict, meaning in MEANINGS.items()]
        sheet, top = sheet_with_legend(palette, title, entries, self.size[1] + self.below)
        self.draw_on(sheet, self.left, top)
        return sheet.figure

    def draw_cells(self, sheet: Sheet, axes: Axes) -> None:
        """Draw shaded cells with their marks."""
        palette = sheet.palette
        for column, verdicts in enumerate(self.verdicts):
            for row, verdict in enumerate(verdicts):
                shade = {True: COLOURS[0], False: COLOURS[1], None: palette.grid}[verdict]
                strength = 0.3 if verdict else 0.16
                axes.add_patch(cell_patch(column, row, facecolor=shade, alpha=strength, edgecolor="none"))
                axes.add_patch(cell_patch(column, row, facecolor="none", edgecolor=palette.paper, linewidth=1))
        unit = min(self.side) * 0.5
        for verdict in MEANINGS:
            cells = [(x, y) for x, column in enumerate(self.verdicts) for y, one in enumerate(column) if one is verdict]
            _draw_marks(axes, cells, verdict, (unit / self.side[0], unit / self.side[1]), palette)


def _draw_marks(
    axes: Axes,
    centres: Sequence[tuple[float, float]],
    verdict: bool | None,
    unit: tuple[float, float],
    palette: Palette,
) -> None:
    from matplotlib.collections import LineCollection

    wide, high = unit
    lines = [[(x + a * wide, y + b * high) for a, b in stroke] for x, y in centres for stroke in STROKES[verdict]]
    colour = palette.muted if verdict is None else palette.ink
    marks = LineCollection(lines, colors=colour, linewidths=1.3, capstyle="round", clip_on=False)
    axes.add_collection(marks, autolim=False)


def _mark(verdict: bool | None, palette: Palette) -> Mark:
    return lambda axes, x, y: _draw_marks(axes, [(x, y)], verdict, (0.13, 0.65), palette)
