"""Confusion matrices of the systems."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from metaeval.errors import pluralize
from metaeval.render.plots.canvas import SMALL, Palette, Sheet, join_texts, label, labels, number
from metaeval.render.plots.columns import Numbers, distinct, numbers, texts
from metaeval.render.plots.declaration import Picture, Tables, plot
from metaeval.render.plots.heatmap import Heat

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MAX_SYSTEMS = 20
MAX_CLASSES = 12

_LEGEND = "share of the items of a gold class (row) that are given a class (column), %"


@plot("confusions", title="Confusion matrices", needs=("confusions",))
def confusions(tables: Tables) -> Picture | None:
    """A small matrix for each system, with the share of each gold class that is predicted as each class."""
    table = tables["confusions"]
    systems, gold = _best_first(tables, distinct(texts(table, "system"))), distinct(texts(table, "gold"))
    classes = distinct([*gold, *texts(table, "predicted")])
    shares = np.full((len(systems), len(classes), len(classes)), np.nan)
    of_system, of_class = ({name: place for place, name in enumerate(names)} for names in (systems, classes))
    columns = (("system", of_system), ("gold", of_class), ("predicted", of_class))
    shares[tuple([index[name] for name in texts(table, column)] for column, index in columns)] = numbers(table, "share")
    if np.isnan(shares).all() or not systems:
        return None
    shown, labelled = systems[:MAX_SYSTEMS], classes[:MAX_CLASSES]
    values = shares[: len(shown), : len(labelled), : len(labelled)]
    counts = ((len(systems) - len(shown), "system", "systems"), (len(classes) - len(labelled), "class", "classes"))
    hidden = join_texts([pluralize(count, f"more {one}", f"more {many}") for count, one, many in counts if count])

    def paint(palette: Palette, title: str) -> Figure:
        return _matrices(palette, title, values, shown, labels(labelled, 14), hidden)

    recalls = [f"{number(100 * values[0, place, place], 0)} % of {name}" for place, name in enumerate(labelled)]
    alt = f"Confusion matrices of {pluralize(len(shown), 'system')}, rows gold, columns predicted, in per cent of gold"
    alt += f"; recall of {shown[0]}: {join_texts(recalls)}." + (f" Not shown: {hidden}." if hidden else "")
    return Picture(alt, paint)


def _best_first(tables: Tables, systems: Sequence[str]) -> list[str]:
    """The systems in the order of the table of scores, if there is one."""
    ranked = texts(tables["scores"], "system") if "scores" in tables else []
    return [*(name for name in ranked if name in systems), *(name for name in systems if name not in ranked)]


def _matrices(
    palette: Palette, title: str, values: Numbers, systems: Sequence[str], classes: Sequence[str], hidden: str
) -> Figure:
    """Draw the matrices in rows of equal width, with names of classes only at the left and below."""
    bare = [""] * len(classes)
    first = Heat(values[0], classes, classes, 0, 1, _LEGEND, digits=0, factor=100)
    (width, height), left = first.size, first.left
    across = max(1, min(len(values), int((7.2 - left) / (width + 0.35))))
    step = (max(width, 1.0) + 0.35, height + 0.38)
    down = math.ceil(len(values) / across)
    sheet = Sheet(palette, left + across * step[0], 1 + down * step[1] + first.below, title)
    first.legend(sheet, left, 0.28)
    if hidden:
        sheet.write(left + 2, 0.48, f"not shown: {hidden}", size=SMALL, color=palette.muted)
    for place, (matrix, system) in enumerate(zip(values, systems, strict=True)):
        row, column = divmod(place, across)
        lowest = place + across >= len(values)
        heat = replace(first, values=matrix, rows=bare if column else classes, columns=classes if lowest else bare)
        at = (left + column * step[0], 0.82 + row * step[1])
        name = label(system, int((step[0] - 0.05) / (0.7 * SMALL / 72)))
        sheet.write(at[0], at[1] - 0.06, name, size=SMALL, weight="bold")
        heat.draw(sheet, *at)
    return sheet.figure
