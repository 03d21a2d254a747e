"""The plots of `score`: confusion matrices, shares of classes, and ranks of the systems under each measure."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

import numpy as np

from metaeval.errors import join_all, pluralize
from metaeval.model.report import Kind
from metaeval.render.cells import SET_APART_BY
from metaeval.render.plots.canvas import labels, number
from metaeval.render.plots.columns import cells_of, distinct, matrix, names_of, numbers, texts
from metaeval.render.plots.declaration import Picture, Tables, plot
from metaeval.render.plots.matrix import Heat, draw_heats
from metaeval.render.plots.ranks import RankPlot

MAX_SYSTEMS, MAX_CLASSES = 14, 12
"""Of more, the other systems after the best, and the other classes after the most frequent, are one."""

MAX_SHARES = 29
"""Maximum number of systems whose shares of classes are drawn."""


@plot("confusions", title="Confusion matrices", needs=("confusions",))
def confusions(tables: Tables) -> Picture | None:
    """A small matrix for each system, with the share of each gold class that is predicted as each class."""
    table = tables["confusions"]
    systems, gold = _best_first(tables, distinct(texts(table, "system"))), distinct(texts(table, "gold"))
    classes = distinct([*gold, *texts(table, "predicted")])
    counts = np.zeros((len(systems), len(classes), len(classes)))
    cells = zip(texts(table, "system"), texts(table, "gold"), texts(table, "predicted"), strict=True)
    for (system, row, column), items in zip(cells, np.nan_to_num(numbers(table, "items")), strict=True):
        counts[systems.index(system), classes.index(row), classes.index(column)] = items
    if not counts.any():
        return None
    frequent = np.argsort(-counts[0].sum(axis=1), kind="stable").tolist()
    groups = [[index] for index in range(len(classes))]
    if len(classes) > MAX_CLASSES:
        largest = frequent[: MAX_CLASSES - 1]
        groups = [*([index] for index in sorted(largest)), frequent[MAX_CLASSES - 1 :]]
    ranks = [[index] for index in range(len(systems))]
    if len(systems) > MAX_SYSTEMS:
        ranks = [*ranks[: MAX_SYSTEMS - 1], list(range(MAX_SYSTEMS - 1, len(systems)))]
    for axis, parts in ((0, ranks), (1, groups), (2, groups)):
        counts = np.stack([counts.take(part, axis=axis).sum(axis=axis) for part in parts], axis=axis)
    values = counts / np.where(counts.any(axis=2), counts.sum(axis=2), np.nan)[..., np.newaxis]
    shown, named = _named(systems, ranks, "system", "systems"), _named(classes, groups, "class", "classes")
    what, short = "share of the items of a gold class (row) that are given a class (column), %", labels(named, 14)
    heats = {
        system: Heat(rows=short, columns=short, values=shares, limits=(0, 1), what=what, digits=0, factor=100)
        for system, shares in zip(shown, values, strict=True)
    }
    recalls = [f"{number(100 * values[0, index, index], 0)} % of {name}" for index, name in enumerate(named)]
    alt = f"Confusion matrices of {pluralize(len(systems), 'system')}, rows gold, columns predicted, "
    alt += f"in per cent of gold; recall of {shown[0]}: {join_all(recalls)}."
    return Picture(alt, lambda palette, title: draw_heats(palette, title, heats))


@plot("class_shares", title="Shares of the classes", needs=("class_shares",))
def class_shares(tables: Tables) -> Picture | None:
    """A row of shares for gold and for each system, the best first."""
    table = tables["class_shares"]
    systems, classes = _best_first(tables, distinct(texts(table, "system"))), distinct(texts(table, "class"))
    cells = zip(texts(table, "system"), texts(table, "class"), numbers(table, "predicted"), strict=True)
    shares = {(system, name): share for system, name, share in cells}
    gold, shown = numbers(table, "gold")[: len(classes)], systems[:MAX_SHARES]
    values = np.array([gold, *([shares[system, name] for name in classes] for system in shown)])
    if np.isnan(values).all():
        return None
    limits, what = (0.0, math.ceil(float(np.nanmax(values)) * 10) / 10), "share of all items, %"
    rows = ["gold", *shown]
    heat = Heat(rows=rows, columns=classes, values=values, limits=limits, what=what, digits=1, factor=100)
    parts = [f"{number(100 * share, 1)} % of {name}" for name, share in zip(classes, gold.tolist(), strict=True)]
    alt = f"Shares of the classes in gold and in the predictions of {pluralize(len(shown), 'system')}, in per cent"
    return Picture(f"{alt}; gold has {join_all(parts)}.", heat.draw)


def _named(names: Sequence[str], groups: Sequence[Sequence[int]], one: str, many: str) -> list[str]:
    """The name of each group: that of its only member, or their number."""
    others = [pluralize(len(group), f"other {one}", f"other {many}") for group in groups]
    return [names[group[0]] if len(group) == 1 else text for group, text in zip(groups, others, strict=True)]


def _best_first(tables: Tables, systems: Sequence[str]) -> list[str]:
    """The systems in the order of the table of scores, if there is one."""
    ranked = texts(tables["scores"], "system") if "scores" in tables else []
    return [*(name for name in ranked if name in systems), *(name for name in systems if name not in ranked)]


@plot("ranks", title="Ranks of the systems under each measure", needs=("scores", "ranks"))
def ranks(tables: Tables) -> Picture | None:
    """A line for each system through its rank under each measure; bars join tied systems."""
    table = tables["ranks"]
    measures = [column.name for column in table.columns[1:] if column.kind is not Kind.FLAG]
    systems, values = texts(table, "system"), matrix(table, measures)
    if len(measures) < 2 or len(systems) < 2 or np.isnan(values).any():
        return None
    flags = cells_of(table, SET_APART_BY) if SET_APART_BY in names_of(table) else []
    trivial = [row for row, cell in enumerate(flags) if cell is True]
    moves = np.ptp(values, axis=1)
    first = Counter(systems[row] for row in values.argmin(axis=0))
    leaders = [f"{system} under {pluralize(times, 'measure')}" for system, times in first.most_common()]
    most = int(np.argmax(moves))
    ends = f"{values[most].min():.0f} and {values[most].max():.0f}"
    varying = f"the ranks of {systems[most]} vary most, between {ends}" if moves[most] else "all ranks are equal"
    dotted = f"; {pluralize(len(trivial), 'trivial system')} dotted" if trivial else ""
    alt = f"Ranks of {pluralize(len(systems), 'system')}, coloured for the best and those that vary most{dotted}. "
    form = RankPlot(systems=systems, measures=measures, ranks=values, dotted=trivial)
    return Picture(f"{alt}First: {join_all(leaders)}; {varying}.", form.draw)
