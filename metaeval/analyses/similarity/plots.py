"""How alike measures rank systems: a matrix, and the tree of the measures beside it."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from metaeval.errors import counted
from metaeval.model.report import Table
from metaeval.render.plots.canvas import Palette, Sheet, labels, number
from metaeval.render.plots.columns import matrix, names_of, numbers, texts
from metaeval.render.plots.declaration import Picture, Tables, plot
from metaeval.render.plots.heatmap import SHORT, Heat, ends

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Merge:
    """A fork of the tree: where its two branches come from and where they meet, as (distance, row)."""

    one: tuple[float, float]
    other: tuple[float, float]
    distance: float


@plot("similarity", title="How alike the measures rank the systems", needs=("similarity",))
def similarity(tables: Tables) -> Picture | None:
    """A matrix of the similarity of rankings, with the tree of the measures where there is one."""
    table = tables["similarity"]
    names = texts(table, "measure")
    values = matrix(table, names_of(table)[1:])
    if values.shape[0] != values.shape[1]:
        return None
    pairs = [(i, j) for i in range(len(names)) for j in range(i) if not math.isnan(values[i, j])]
    if not pairs:
        return None
    named = re.search(r"\(([^()]+)\)", table.title)
    coefficient = SHORT.get(named[1], named[1]) if named else "similarity"
    heat = Heat(values, labels(names), labels(names), *ends(values), f"{coefficient} of the rankings")
    merges = forks(names, tables["similarity_tree"]) if "similarity_tree" in tables else []

    def paint(palette: Palette, title: str) -> Figure:
        width, height = heat.size
        sheet = Sheet(palette, heat.left + width + 2, height + heat.below, title)
        heat.legend(sheet, heat.left, 0.2)
        heat.draw(sheet, heat.left, 0.62)
        if merges:
            _tree(sheet, merges, heat, coefficient)
        return sheet.figure

    most, least = (choose(pairs, key=lambda pair: values[pair]) for choose in (max, min))
    told = [f"{how} alike: {names[i]} and {names[j]} ({number(values[i, j])})" for how, (i, j) in
            (("most", most), ("least", least))]  # fmt: skip
    return Picture(
        f"Heat map of the {coefficient} of the rankings by {counted(len(names), 'measure')}; {'; '.join(told)}.", paint
    )


def forks(names: Sequence[str], tree: Table) -> list[Merge]:
    """The forks of the tree over the rows in their order; none where the tree is of other measures."""
    places: dict[str, tuple[float, float]] = {name: (0.0, float(row)) for row, name in enumerate(names)}
    found = []
    columns = (texts(tree, "one"), texts(tree, "other"), numbers(tree, "distance"))
    for place, (one, other, distance) in enumerate(zip(*columns, strict=True), start=1):
        if one not in places or other not in places or math.isnan(distance):
            return []
        fork = Merge(places[one], places[other], float(distance))
        places[f"({place})"] = (fork.distance, (fork.one[1] + fork.other[1]) / 2)
        found.append(fork)
    return found


def _tree(sheet: Sheet, merges: Sequence[Merge], heat: Heat, coefficient: str) -> None:
    axes = sheet.axes(heat.left + heat.size[0] + 0.14, 0.62, 1.3, heat.size[1])
    axes.set_ylim(len(heat.rows) - 0.5, -0.5)
    axes.set_yticks([])
    furthest = max(merge.distance for merge in merges) or 1.0
    axes.set_xlim(0, furthest * 1.05)
    axes.locator_params(axis="x", nbins=3)
    for merge in merges:
        across = [merge.one[0], merge.distance, merge.distance, merge.other[0]]
        down = [merge.one[1], merge.one[1], merge.other[1], merge.other[1]]
        axes.plot(across, down, color=sheet.palette.ink, linewidth=0.9, clip_on=False)
    sheet.horizontal(axes, f"distance (1 − {coefficient})")
