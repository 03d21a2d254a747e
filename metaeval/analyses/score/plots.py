"""Confusion matrices of the systems, and their ranks under each measure as lines."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from metaeval.errors import pluralize
from metaeval.model.report import Kind
from metaeval.render.plots.canvas import (
    APART,
    SMALL,
    TEXT,
    TINY,
    Palette,
    Sheet,
    join_texts,
    label,
    labels,
    number,
    width_of,
)
from metaeval.render.plots.columns import Numbers, distinct, matrix, numbers, texts
from metaeval.render.plots.declaration import Picture, Tables, plot
from metaeval.render.plots.heatmap import Heat
from metaeval.render.plots.lineplot import line_style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MAX_SYSTEMS = 20
MAX_CLASSES = 12

_LEGEND = "share of the items of a gold class (row) that are given a class (column), %"

ALL_COLOURED = 20
"""Number of systems up to which all lines are coloured."""

BEST, MOVERS = 10, 4
"""Numbers of the best systems, and of those with the largest differences of ranks, that are coloured otherwise."""


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
    for place, (shares, system) in enumerate(zip(values, systems, strict=True)):
        row, column = divmod(place, across)
        lowest = place + across >= len(values)
        heat = replace(first, values=shares, rows=bare if column else classes, columns=classes if lowest else bare)
        at = (left + column * step[0], 0.82 + row * step[1])
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
    coloured = coloured_systems(places)

    def paint(palette: Palette, title: str) -> Figure:
        return _lines(palette, title, systems, measures, places, coloured)

    moves = places.max(axis=1) - places.min(axis=1)
    first = Counter(systems[place] for place in places.argmin(axis=0))
    leaders = [f"{system} under {pluralize(times, 'measure')}" for system, times in first.most_common()]
    most = int(np.argmax(moves))
    alt = f"Lines of {pluralize(len(systems), 'system')} through their ranks; first: {join_texts(leaders)}; "
    ends = f"{places[most].min():.0f} and {places[most].max():.0f}"
    alt += f"the ranks of {systems[most]} vary most, between {ends}." if moves[most] else "all ranks are equal."
    return Picture(alt + (f" {len(coloured)} lines are coloured." if len(coloured) < len(systems) else ""), paint)


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


def coloured_systems(places: Numbers) -> list[int]:
    """The systems whose lines are coloured: all, or of many the best and those whose ranks vary most."""
    if len(places) <= ALL_COLOURED:
        return list(range(len(places)))
    best = np.argsort(places.mean(axis=1), kind="stable")[:BEST].tolist()
    movers = np.argsort(-(places.max(axis=1) - places.min(axis=1)), kind="stable").tolist()
    return [*best, *[system for system in movers if system not in best][:MOVERS]]


def _lines(
    palette: Palette, title: str, systems: Sequence[str], measures: Sequence[str], places: Numbers,
    coloured: Sequence[int],
) -> Figure:  # fmt: skip
    slots = distinct_ranks(places)
    count, size = len(systems), TEXT if len(systems) <= 40 else TINY
    pitch = 0.22 if count <= 40 else max(0.07, min(0.13, 16 / count))
    step = max(0.42, min(1.0, 5.0 / (len(measures) - 1)))
    names = labels(systems, 28)
    left = width_of(names, size) + 0.45
    heads = labels(measures, 28)
    above = 0.15 if width_of(heads, SMALL) < step else 0.15 + 0.56 * width_of(heads, SMALL)
    width, height = step * (len(measures) - 1), pitch * count
    sheet = Sheet(palette, left * 2 + width, above + height + 0.2, title)
    axes = sheet.axes(left, above, width, height)
    axes.set_axis_off()
    axes.set_xlim(0, len(measures) - 1)
    axes.set_ylim(count + 0.5, 0.5)
    across = np.arange(len(measures))
    for system in sorted(range(count), key=lambda one: one in coloured):
        shown = system in coloured
        colour, line, marker = line_style(coloured.index(system)) if shown else (palette.grid, "-", "o")
        drawn = {"linewidth": 1.6, "markersize": 4.5} if shown else {"linewidth": 0.5, "markersize": 0.0}
        axes.plot(across, slots[system], color=colour, linestyle=line, marker=marker, clip_on=False,
                  zorder=3 if shown else 2, **drawn)  # type: ignore[arg-type]  # fmt: skip
        if shown or pitch >= 0.1:
            ink = palette.ink if shown or count <= ALL_COLOURED else palette.muted
            ends = (f"{names[system]}{APART}{places[system, 0]:.0f}", f"{places[system, -1]:.0f}{APART}{names[system]}")
            text = {"size": size, "color": ink, "va": "center_baseline"}
            sheet.annotate(axes, -0.1 / step, slots[system, 0], ends[0], ha="right", **text)
            sheet.annotate(axes, len(measures) - 1 + 0.1 / step, slots[system, -1], ends[1], **text)
    _ties(axes, places, slots, palette)
    for place, name in enumerate(heads):
        level = width_of(heads, SMALL) < step
        look_of = {"ha": "center"} if level else {"ha": "left", "rotation": 35}
        sheet.annotate(axes, place, 0.5 - 0.06 / pitch, label(name, 28), size=SMALL, va="bottom", **look_of)
    return sheet.figure


def _ties(axes: Axes, places: Numbers, slots: Numbers, palette: Palette) -> None:
    """Draw a bar behind systems with the same rank."""
    for measure, column in enumerate(places.T):
        for rank in np.unique(column):
            tied = slots[column == rank, measure]
            if len(tied) > 1:
                axes.plot([measure, measure], [tied.min(), tied.max()], color=palette.muted, linewidth=7, alpha=0.35,
                          solid_capstyle="round", zorder=1, clip_on=False)  # fmt: skip
