"""A heat map of the similarity of rankings, with the cluster tree of the measures beside it."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from metaeval.errors import pluralize
from metaeval.model.report import Table
from metaeval.render.plots.canvas import APART, Palette, Sheet, labels, number
from metaeval.render.plots.columns import matrix, names_of, numbers, texts
from metaeval.render.plots.declaration import Picture, Tables, plot
from metaeval.render.plots.matrix import SHORT, Heat, colour_limits

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Merge:
    """A fork of the tree: the origins of its two branches as (distance, row), and the distance where they meet."""

    one: tuple[float, float]
    other: tuple[float, float]
    distance: float


@plot("similarity", title="Similarity of the rankings by the measures", needs=("similarity",))
def similarity(tables: Tables) -> Picture | None:
    """A heat map of the similarity of rankings, with the cluster tree if there is one."""
    table = tables["similarity"]
    names = texts(table, "measure")
    values = matrix(table, names_of(table)[1:])
    if values.shape[0] != values.shape[1]:
        return None
    pairs = [(i, j) for i in range(len(names)) for j in range(i) if not math.isnan(values[i, j])]
    if not pairs:
        return None
    match = re.search(r"\(([^()]+)\)", table.title)
    coefficient = SHORT.get(match[1], match[1]) if match else "similarity"
    heat = Heat(
        rows=[f"{name}{APART}{row}" for row, name in enumerate(labels(names, 28), start=1)],
        columns=[str(column) for column in range(1, len(names) + 1)],
        values=values,
        limits=colour_limits(values),
        what=f"{coefficient} of the rankings",
        least=min(0.62, 4.6 / len(names)),
    )
    merges = forks(names, tables["similarity_tree"]) if "similarity_tree" in tables else []

    def paint(palette: Palette, title: str) -> Figure:
        width, height = heat.size
        sheet = Sheet(palette, heat.left + width + 2, height + heat.below, title)
        heat.legend(sheet, heat.left, 0.2)
        heat.draw_on(sheet, heat.left, 0.5)
        if merges:
            _draw_tree(sheet, merges, heat, coefficient)
        return sheet.figure

    most, least = (choose(pairs, key=lambda pair: values[pair]) for choose in (max, min))
    parts = [
        f"{how} similar: {names[i]} and {names[j]} ({number(values[i, j])})"
        for how, (i, j) in (("most", most), ("least", least))
    ]
    alt = f"Heat map of the {coefficient} of the rankings by {pluralize(len(names), 'measure')}"
    return Picture(f"{alt}; {'; '.join(parts)}.", paint)


def forks(names: Sequence[str], tree: Table) -> list[Merge]:
    """The forks of the tree over rows in this order; empty if the tree contains other measures."""
    origins: dict[str, tuple[float, float]] = {name: (0.0, float(row)) for row, name in enumerate(names)}
    merges = []
    columns = (texts(tree, "one"), texts(tree, "other"), numbers(tree, "distance"))
    for index, (one, other, distance) in enumerate(zip(*columns, strict=True), start=1):
        if one not in origins or other not in origins or math.isnan(distance):
            return []
        fork = Merge(origins[one], origins[other], float(distance))
        origins[f"({index})"] = (fork.distance, (fork.one[1] + fork.other[1]) / 2)
        merges.append(fork)
    return merges


def _draw_tree(sheet: Sheet, merges: Sequence[Merge], heat: Heat, coefficient: str) -> None:
    axes = sheet.axes(heat.left + heat.size[0] + 0.14, 0.5, 1.3, heat.size[1])
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
