"""Ranks of systems from measure to measure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from metaeval.analyses.score import confusion_plots  # noqa: F401 (declares its plot)
from metaeval.errors import counted
from metaeval.model.report import Kind
from metaeval.render.plots.canvas import APART, SMALL, TEXT, TINY, Palette, Sheet, label, labels, listed, width_of
from metaeval.render.plots.columns import Numbers, matrix, texts
from metaeval.render.plots.declaration import Picture, Tables, plot
from metaeval.render.plots.lineplot import look

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

ALL_COLOURED = 20
"""So many lines can be followed in colour; of more, only the best and those that move."""

BEST, MOVERS = 10, 4


@plot("ranks", title="Ranks of the systems under each measure", needs=("scores", "ranks"))
def ranks(tables: Tables) -> Picture | None:
    """A line a system, through its place under each measure; bars join systems that tie."""
    table = tables["ranks"]
    measures = [column.name for column in table.columns[1:] if column.kind is not Kind.FLAG]
    systems, places = texts(table, "system"), matrix(table, measures)
    if len(measures) < 2 or len(systems) < 2 or np.isnan(places).any():
        return None
    slots = slots_of(places)
    coloured = followed(places)

    def paint(palette: Palette, title: str) -> Figure:
        return _lines(palette, title, systems, measures, places, slots, coloured)

    moves = places.max(axis=1) - places.min(axis=1)
    first = Counter(systems[place] for place in places.argmin(axis=0))
    leaders = [f"{system} under {counted(times, 'measure')}" for system, times in first.most_common()]
    most = int(np.argmax(moves))
    alt = f"Lines of {counted(len(systems), 'system')} through their ranks; first: {listed(leaders)}; "
    ends = f"{places[most].min():.0f} and {places[most].max():.0f}"
    alt += f"{systems[most]} moves most, between ranks {ends}." if moves[most] else "no system moves."
    return Picture(alt + (f" {len(coloured)} lines are coloured." if len(coloured) < len(systems) else ""), paint)


def slots_of(places: Numbers) -> Numbers:
    """Where each system stands: at its rank, or, tied, at one of the next, in the order of the measure before.

    places: ranks, (systems, measures), ties share the lowest.

    >>> slots_of(np.array([[1.0, 1.0], [2.0, 2.0], [2.0, 2.0]])).tolist()
    [[1.0, 1.0], [2.0, 2.0], [3.0, 3.0]]
    """
    found = np.empty_like(places)
    before = np.arange(len(places), dtype=np.float64)
    for measure, column in enumerate(places.T):
        found[np.lexsort((before, column)), measure] = np.arange(1, len(places) + 1)
        before = found[:, measure]
    return found


def followed(places: Numbers) -> list[int]:
    """The systems whose lines are coloured: all of a few, else the best and those that move most."""
    if len(places) <= ALL_COLOURED:
        return list(range(len(places)))
    best = np.argsort(places.mean(axis=1), kind="stable")[:BEST].tolist()
    movers = np.argsort(-(places.max(axis=1) - places.min(axis=1)), kind="stable").tolist()
    return [*best, *[system for system in movers if system not in best][:MOVERS]]


def _lines(
    palette: Palette,
    title: str,
    systems: Sequence[str],
    measures: Sequence[str],
    places: Numbers,
    slots: Numbers,
    coloured: Sequence[int],
) -> Figure:
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
        colour, line, marker = look(coloured.index(system)) if shown else (palette.grid, "-", "o")
        drawn = {"linewidth": 1.6, "markersize": 4.5} if shown else {"linewidth": 0.5, "markersize": 0.0}
        axes.plot(across, slots[system], color=colour, linestyle=line, marker=marker, clip_on=False,
                  zorder=3 if shown else 2, **drawn)  # type: ignore[arg-type]  # fmt: skip
        if shown or pitch >= 0.1:
            ink = palette.ink if shown or count <= ALL_COLOURED else palette.muted
            told = (f"{names[system]}{APART}{places[system, 0]:.0f}", f"{places[system, -1]:.0f}{APART}{names[system]}")
            aside = 0.1 / step
            sheet.say(axes, -aside, slots[system, 0], told[0], size=size, color=ink, ha="right", va="center_baseline")
            sheet.say(axes, len(measures) - 1 + aside, slots[system, -1], told[1], size=size, color=ink,
                      va="center_baseline")  # fmt: skip
    _ties(axes, places, slots, palette)
    for place, name in enumerate(heads):
        level = width_of(heads, SMALL) < step
        look_of = {"ha": "center"} if level else {"ha": "left", "rotation": 35}
        sheet.say(axes, place, 0.5 - 0.06 / pitch, label(name, 28), size=SMALL, va="bottom", **look_of)
    return sheet.figure


def _ties(axes: Axes, places: Numbers, slots: Numbers, palette: Palette) -> None:
    """A bar behind systems that share a rank."""
    for measure, column in enumerate(places.T):
        for rank in np.unique(column):
            tied = slots[column == rank, measure]
            if len(tied) > 1:
                axes.plot([measure, measure], [tied.min(), tied.max()], color=palette.muted, linewidth=7, alpha=0.35,
                          solid_capstyle="round", zorder=1, clip_on=False)  # fmt: skip
