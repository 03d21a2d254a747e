"""The plots of `score`: confusion matrices, shares of classes, and ranks of the systems under each measure."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from metaeval.errors import join_all, pluralize
from metaeval.model.report import Kind
from metaeval.render.cells import SET_APART_BY
from metaeval.render.plots.canvas import (
    APART,
    SMALL,
    TEXT,
    WIDTH,
    Palette,
    Sheet,
    label,
    labels,
    number,
    series_style,
    width_of,
)
from metaeval.render.plots.columns import Numbers, cells_of, distinct, matrix, numbers, texts
from metaeval.render.plots.declaration import Picture, Tables, plot
from metaeval.render.plots.heatmap import Heat
from metaeval.render.plots.placing import spread_labels

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MAX_SYSTEMS, MAX_CLASSES = 14, 12
"""Of more, the other systems after the best, and the other classes after the most frequent, are one."""

_LEGEND = "share of the items of a gold class (row) that are given a class (column), %"

MAX_NAMED = 30
"""Of more systems, the lines of those that are not coloured are pale and have no names."""

BEST, MOVERS = 4, 3
"""Numbers of the best real systems, and of those with the largest differences of ranks, that are coloured."""


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
    return Picture(f"{alt}; recall of {shown[0]}: {join_all(recalls)}.", paint)


@plot("class_shares", title="Shares of the classes", needs=("class_shares",))
def class_shares(tables: Tables) -> Picture | None:
    """A row of shares for gold and for each system, the best first."""
    table = tables["class_shares"]
    systems, classes = _best_first(tables, distinct(texts(table, "system"))), distinct(texts(table, "class"))
    cells = zip(texts(table, "system"), texts(table, "class"), numbers(table, "predicted"), strict=True)
    share_of = {(system, label): share for system, label, share in cells}
    gold = numbers(table, "gold")[: len(classes)]
    shown = systems[: MAX_NAMED - 1]
    values = np.array([gold, *([share_of[system, label] for label in classes] for system in shown)])
    if np.isnan(values).all():
        return None
    high = math.ceil(float(np.nanmax(values)) * 10) / 10
    heat = Heat(
        values, labels(["gold", *shown]), labels(classes), 0, high, "share of all items, %", digits=1, factor=100
    )
    parts = [f"{number(100 * share, 1)} % of {label}" for label, share in zip(classes, gold.tolist(), strict=True)]
    alt = f"Shares of the classes in gold and in the predictions of {pluralize(len(shown), 'system')}, in per cent"
    return Picture(f"{alt}; gold has {join_all(parts)}.", heat.alone)


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
    sheet = Sheet(palette, left + across * step[0], 0.92 + down * step[1] + first.below, title)
    first.legend(sheet, left, 0.2)
    for place, (shares, system) in enumerate(zip(values, systems, strict=True)):
        row, column = divmod(place, across)
        lowest = place + across >= len(values)
        heat = replace(first, values=shares, rows=bare if column else classes, columns=classes if lowest else bare)
        at = (left + column * step[0], 0.74 + row * step[1])
        name = label(system, int((step[0] - 0.05) / (0.7 * SMALL / 72)))
        sheet.write(at[0], at[1] - 0.06, name, size=SMALL, weight="bold")
        heat.draw(sheet, *at)
    return sheet.figure


@plot("ranks", title="Ranks of the systems under each measure", needs=("scores", "ranks"))
def ranks(tables: Tables) -> Picture | None:
    """A line for each system through its rank under each measure; bars join tied systems."""
    table = tables["ranks"]
    measures = [column.name for column in table.columns[1:] if column.kind is not Kind.FLAG]
    systems, places = texts(table, "system"), matrix(table, measures)
    if len(measures) < 2 or len(systems) < 2 or np.isnan(places).any():
        return None
    flags = [cells_of(table, each.name) for each in table.columns if each.name == SET_APART_BY]
    trivial = [place for flag in flags for place, cell in enumerate(flag) if cell is True]
    coloured = coloured_systems(places, trivial)

    def paint(palette: Palette, title: str) -> Figure:
        return _lines(palette, title, systems, measures, places, coloured, trivial)

    moves = places.max(axis=1) - places.min(axis=1)
    first = Counter(systems[place] for place in places.argmin(axis=0))
    leaders = [f"{system} under {pluralize(times, 'measure')}" for system, times in first.most_common()]
    most = int(np.argmax(moves))
    ends = f"{places[most].min():.0f} and {places[most].max():.0f}"
    varying = f"the ranks of {systems[most]} vary most, between {ends}" if moves[most] else "all ranks are equal"
    dotted = f"; {pluralize(len(trivial), 'trivial system')} dotted" if trivial else ""
    alt = f"Ranks of {pluralize(len(systems), 'system')}, coloured for the best and those that vary most{dotted}. "
    return Picture(f"{alt}First: {join_all(leaders)}; {varying}.", paint)


def distinct_ranks(places: Numbers) -> Numbers:
    """Ranks without ties, which are broken by the order under the measure before.

    places: ranks, (systems, measures), ties share the lowest.

    >>> distinct_ranks(np.array([[1.0, 1.0], [2.0, 2.0], [2.0, 2.0]])).tolist()
    [[1.0, 1.0], [2.0, 2.0], [3.0, 3.0]]
    """
    ranks = np.empty_like(places)
    before = np.arange(len(places), dtype=np.float64)
    for measure, column in enumerate(places.T):
        ranks[np.lexsort((before, column)), measure] = np.arange(1, len(places) + 1)
        before = ranks[:, measure]
    return ranks


def coloured_systems(places: Numbers, trivial: Sequence[int] = ()) -> list[int]:
    """The systems whose lines are coloured: of those that are not trivial the best, and those whose ranks vary most."""
    means, moves = places.mean(axis=1), places.max(axis=1) - places.min(axis=1)
    best = [place for place in np.argsort(means, kind="stable").tolist() if place not in trivial][:BEST]
    movers = np.argsort(-moves, kind="stable").tolist()
    return [*best, *[place for place in movers if place not in (*best, *trivial)][:MOVERS]]


def _lines(
    palette: Palette, title: str, systems: Sequence[str], measures: Sequence[str], places: Numbers,
    coloured: Sequence[int], trivial: Sequence[int],
) -> Figure:  # fmt: skip
    slots = distinct_ranks(places)
    count = len(systems)
    pitch = min(0.17, 5 / count)
    is_crowded = count > MAX_NAMED
    names = labels(systems, 28)
    left = 0.85 * width_of(names, TEXT) + 0.4
    step = max(0.3, (WIDTH - 2 * left) / (len(measures) - 1))
    heads = labels(measures)
    above = 0.15 if width_of(heads, SMALL) < step else 0.15 + 0.36 * width_of(heads, SMALL)
    width, height = step * (len(measures) - 1), pitch * count
    sheet = Sheet(palette, left * 2 + width, above + height + 0.2, title)
    axes = sheet.axes(left, above, width, height)
    axes.set_axis_off()
    axes.set_xlim(0, len(measures) - 1)
    axes.set_ylim(count + 0.5, 0.5)
    across = np.arange(len(measures))
    for system in sorted(range(count), key=lambda one: one in coloured):
        if system in coloured:
            colour, line, marker = series_style(coloured.index(system))
        else:
            colour, line, marker = (
                palette.grid if is_crowded else palette.muted,
                ":" if system in trivial else "-",
                ".",
            )
        wide = 2.0 if system in coloured else 0.8
        axes.plot(across, slots[system], color=colour, linestyle=line, marker=marker, markersize=2 + 1.5 * wide,
                  linewidth=wide, clip_on=False, zorder=3 if system in coloured else 2)  # fmt: skip
    # Of many systems only the coloured ones have names.
    named = list(coloured) if is_crowded else list(range(count))
    for end, sign in ((0, -1), (len(measures) - 1, 1)):
        heights = spread_labels(slots[named, end].tolist(), 0.13 / pitch)
        for system, height in zip(named, heights, strict=True):
            texts_of_end = [names[system], f"{places[system, end]:.0f}"][::-sign]
            look = {
                "color": palette.ink if system in coloured else palette.muted,
                "ha": "left" if sign > 0 else "right",
            }
            at = end + sign * 0.1 / step
            sheet.annotate(axes, at, height, APART.join(texts_of_end), va="center_baseline", **look)
    _ties(axes, places, slots, palette)
    for place, name in enumerate(heads):
        level = width_of(heads, SMALL) < step
        look_of = {"ha": "center"} if level else {"ha": "left", "rotation": 25}
        sheet.annotate(axes, place, 0.5 - 0.06 / pitch, name, size=SMALL, va="bottom", **look_of)
    return sheet.figure


def _ties(axes: Axes, places: Numbers, slots: Numbers, palette: Palette) -> None:
    """Draw a bar behind systems with the same rank."""
    for measure, column in enumerate(places.T):
        for rank in np.unique(column):
            tied = slots[column == rank, measure]
            if len(tied) > 1:
                axes.plot([measure, measure], [tied.min(), tied.max()], color=palette.muted, linewidth=7, alpha=0.35,
                          solid_capstyle="round", zorder=1, clip_on=False)  # fmt: skip
