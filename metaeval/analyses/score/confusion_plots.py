"""Confusion matrices of the systems."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from metaeval.errors import pluralize
from metaeval.render.plots.canvas import SMALL, WIDTH, Palette, Sheet, join_texts, label, labels, number
from metaeval.render.plots.columns import Numbers, distinct, numbers, texts
from metaeval.render.plots.declaration import Picture, Tables, plot
from metaeval.render.plots.heatmap import Heat

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MAX_SYSTEMS, MAX_CLASSES = 14, 12
"""Of more, the other systems after the best, and the other classes after the most frequent, are one."""

_LEGEND = "share of the items of a gold class (row) that are given a class (column), %"


@plot("confusions", title="Confusion matrices", needs=("confusions",))
def confusions(tables: Tables) -> Picture | None:
    """A small matrix for each system, with the share of each gold class that is predicted as each class."""
    table = tables["confusions"]
    systems, gold = _best_first(tables, distinct(texts(table, "system"))), distinct(texts(table, "gold"))
    classes = distinct([*gold, *texts(table, "predicted")])
    counts = np.zeros((len(systems), len(classes), len(classes)))
    of_system, of_class = ({name: place for place, name in enumerate(names)} for names in (systems, classes))
    columns = (("system", of_system), ("gold", of_class), ("predicted", of_class))
    items = np.nan_to_num(numbers(table, "items"))
    counts[tuple([index[name] for name in texts(table, column)] for column, index in columns)] = items
    if not counts.any():
        return None
    frequent = np.argsort(-counts[0].sum(axis=1), kind="stable").tolist()
    kept = sorted(frequent[: MAX_CLASSES - 1]) if len(classes) > MAX_CLASSES else list(range(len(classes)))
    groups = [[place] for place in kept] + [[place for place in frequent if place not in kept]]
    ranks = [[place] for place in range(len(systems))]
    if len(systems) > MAX_SYSTEMS:
        ranks = [*ranks[: MAX_SYSTEMS - 1], list(range(MAX_SYSTEMS - 1, len(systems)))]
    labelled = _named(classes, groups, "class", "classes")
    shown = _named(systems, ranks, "system", "systems")
    for axis, parts in ((0, ranks), (1, groups), (2, groups)):
        counts = np.stack([counts.take(part, axis=axis).sum(axis=axis) for part in parts if part], axis=axis)
    values = counts / np.where(counts.any(axis=2), counts.sum(axis=2), np.nan)[..., np.newaxis]

    def paint(palette: Palette, title: str) -> Figure:
        return _matrices(palette, title, values, shown, labels(labelled, 14))

    recalls = [f"{number(100 * values[0, place, place], 0)} % of {name}" for place, name in enumerate(labelled)]
    alt = (
        f"Confusion matrices of {pluralize(len(systems), 'system')}, rows gold, columns predicted, in per cent of gold"
    )
    return Picture(f"{alt}; recall of {shown[0]}: {join_texts(recalls)}.", paint)


def _named(names: Sequence[str], groups: Sequence[Sequence[int]], one: str, many: str) -> list[str]:
    """The name of each group: that of its only member, or their number."""
    return [names[group[0]] if len(group) == 1 else f"{pluralize(len(group), f'other {one}', f'other {many}')}"
            for group in groups if group]  # fmt: skip


def _best_first(tables: Tables, systems: Sequence[str]) -> list[str]:
    """The systems in the order of the table of scores, if there is one."""
    ranked = texts(tables["scores"], "system") if "scores" in tables else []
    return [*(name for name in ranked if name in systems), *(name for name in systems if name not in ranked)]


def _matrices(palette: Palette, title: str, values: Numbers, systems: Sequence[str], classes: Sequence[str]) -> Figure:
    """Draw the matrices in rows of equal width, with names of classes only at the left and below."""
    bare = [""] * len(classes)
    first = Heat(values[0], classes, classes, 0, 1, _LEGEND, digits=0, factor=100)
    (width, height), left = first.size, first.left
    across = max(1, min(len(values), int((WIDTH - left) / (width + 0.35))))
    step = (max(width, 1.0) + 0.35, height + 0.38)
    down = math.ceil(len(values) / across)
    sheet = Sheet(palette, left + across * step[0], 1 + down * step[1] + first.below, title)
    first.legend(sheet, left, 0.28)
    for place, (matrix, system) in enumerate(zip(values, systems, strict=True)):
        row, column = divmod(place, across)
        lowest = place + across >= len(values)
        heat = replace(first, values=matrix, rows=bare if column else classes, columns=classes if lowest else bare)
        at = (left + column * step[0], 0.82 + row * step[1])
        name = label(system, int((step[0] - 0.05) / (0.7 * SMALL / 72)))
        sheet.write(at[0], at[1] - 0.06, name, size=SMALL, weight="bold")
        heat.draw(sheet, *at)
    return sheet.figure
