"""Plots of the ranks of systems with their tiers, and of differences with intervals."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from metaeval.errors import pluralize
from metaeval.model.report import Table
from metaeval.render.plots.canvas import (
    COLOURS,
    SMALL,
    WIDTH,
    Mark,
    Palette,
    Sheet,
    label,
    labels,
    number,
    pitch,
    row_size,
    sheet_with_legend,
    width_of,
)
from metaeval.render.plots.columns import Numbers, cells_of, distinct, numbers, texts
from metaeval.render.plots.declaration import Picture, Tables, plot

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MAX_PANELS = 9
ACROSS = 3
"""Maximum number of panels side by side."""

_TOP = 0.55


@dataclass(frozen=True)
class Ranked:
    """The systems under one measure, best first: ranks with intervals (3, systems), tiers (0 for none), letters."""

    measure: str
    systems: list[str]
    ranks: Numbers
    tiers: list[int]
    letters: list[str]


@plot("tiers", title="Ranks of the systems with 95 % intervals, and tiers", needs=("tiers",))
def tiers(tables: Tables) -> Picture | None:
    """A panel for each measure: the systems, best first, with the intervals of their ranks; tiers as bands."""
    panels = _ranked(tables["tiers"])
    if not panels:
        return None
    shown = panels[:MAX_PANELS]
    systems = max(len(one.systems) for one in shown)
    hidden = _not_shown(len(panels) - len(shown))

    def paint(palette: Palette, title: str) -> Figure:
        return _tier_panels(palette, title, shown, hidden)

    texts_of_panels = [
        f"{one.measure}: {pluralize(len(set(one.tiers)), 'tier')}, best {one.systems[0]} (rank "
        f"{_rank(one.ranks[0, 0])}, {_rank(one.ranks[1, 0])} to {_rank(one.ranks[2, 0])})"
        for one in shown
    ]
    alt = f"Ranks of {pluralize(systems, 'system')} with 95 % intervals under {pluralize(len(shown), 'measure')}. "
    return Picture(f"{alt}{'; '.join(texts_of_panels)}. {hidden}".strip(), paint)


def _rank(rank: float) -> str:
    return "—" if math.isnan(rank) else f"{rank:g}"


def _not_shown(panels: int) -> str:
    return f"Not shown: {pluralize(panels, 'more measure')}." if panels else ""


def _ranked(table: Table) -> list[Ranked]:
    measures, systems = np.array(texts(table, "measure")), texts(table, "system")
    ranks = np.array([numbers(table, name) for name in ("rank", "rank_low", "rank_high")])
    bands, letters = np.nan_to_num(numbers(table, "tier")).astype(int).tolist(), cells_of(table, "letters")
    panels = []
    for measure in distinct(measures.tolist()):
        rows = np.flatnonzero(measures == measure).tolist()
        if len(rows) > 1 and not np.isnan(ranks[0, rows]).all():
            panels.append(
                Ranked(measure, [systems[row] for row in rows], ranks[:, rows], [bands[row] for row in rows],
                       [str(letters[row] or "") for row in rows])
            )  # fmt: skip
    return panels


def _panels(
    sheet: Sheet, names: Sequence[str], left: float, side: tuple[float, float], step: tuple[float, float]
) -> Iterator[tuple[int, Axes]]:
    """The place in its row and the axes of each panel, in rows of `ACROSS`, with its name above."""
    for place, name in enumerate(names):
        at = (left + place % ACROSS * step[0], _TOP + place // ACROSS * step[1])
        axes = sheet.axes(*at, *side)
        sheet.write(at[0], at[1] - 0.07, name, size=SMALL, weight="bold")
        sheet.grid(axes, "x")
        yield place % ACROSS, axes


def _tier_panels(palette: Palette, title: str, panels: Sequence[Ranked], hidden: str) -> Figure:
    from matplotlib.ticker import MaxNLocator

    rows = max(len(one.systems) for one in panels)
    size, high = SMALL, min(0.16, pitch(rows)) * rows
    left = width_of(labels((name for one in panels for name in one.systems), 22), size) + 0.15
    right = width_of(labels((name for one in panels for name in one.letters), 12), size) + 0.3
    across = min(len(panels), ACROSS)
    step = (WIDTH / across, high + 0.55)
    wide = step[0] - left - right
    sheet = Sheet(palette, across * step[0], _TOP + math.ceil(len(panels) / across) * step[1], title)
    legend = f"dots: ranks, lines: 95 % intervals, bands: tiers; a shared letter: no significant difference. {hidden}"
    sheet.write(0, 0.1, legend.strip(), size=SMALL, color=palette.muted)
    most = max(float(np.nanmax(one.ranks)) for one in panels)
    names = [label(one.measure) for one in panels]
    for one, (_, axes) in zip(panels, _panels(sheet, names, left, (wide, high), step), strict=True):
        axes.set_xlim(0.5, most + 0.5)
        axes.set_xticks([1, *(tick for tick in MaxNLocator(4, integer=True).tick_values(1, most) if 1 < tick <= most)])
        sheet.name_rows(axes, labels(one.systems, 22), size)
        _draw_tiers(sheet, axes, one, size)
        if any(one is each for each in panels[-across:]):
            sheet.horizontal(axes, "rank, 1 the best")
    return sheet.figure


def _draw_tiers(sheet: Sheet, axes: Axes, one: Ranked, size: float) -> None:
    for row, tier in enumerate(one.tiers):
        if tier % 2:
            axes.axhspan(row - 0.5, row + 0.5, facecolor=sheet.palette.grid, alpha=0.45, linewidth=0)
        if row and tier != one.tiers[row - 1]:
            axes.axhline(row - 0.5, color=sheet.palette.muted, linewidth=0.4)
    places = np.arange(len(one.tiers))
    axes.hlines(places, one.ranks[1], one.ranks[2], color=COLOURS[0], linewidth=1.6)
    axes.plot(one.ranks[0], places, "o", color=COLOURS[0], markersize=4.2, clip_on=False)
    look = {"size": size, "transform": sheet.right_of(axes), "va": "center_baseline"}
    for row, letters in list(enumerate(one.letters))[:: sheet.label_step(axes, len(one.letters))]:
        sheet.annotate(axes, 0, row, label(letters, 12), **look)


# Differences

MARKERS = {1: "o", -1: "s", 0: "o"}
"""Markers by the better system: 1 for the first, -1 for the other, 0 (hollow) for no significant difference."""


@dataclass(frozen=True)
class Differences:
    """Rows of differences: names, values with intervals (3, rows), and the better system (1, -1, or 0 for none)."""

    name: str
    rows: list[str]
    values: Numbers
    better: NDArray[np.int_]


@plot("comparisons", title="Differences of systems", needs=("comparisons",))
def comparisons(tables: Tables) -> Picture | None:
    """A forest plot: a panel for each measure with a row for each pair; of one pair a row for each measure."""
    table = tables["comparisons"]
    if "tiers" in tables:
        # Of all pairs there are too many; their tiers say more.
        return None
    panels = _differences(table)
    if not panels:
        return None
    shown = panels[:MAX_PANELS]
    pairs = len(set(_pairs(table)))
    hidden = _not_shown(len(panels) - len(shown))

    def paint(palette: Palette, title: str) -> Figure:
        return _forest(palette, title, shown, _sides(table), hidden)

    differences = [(one, row) for one in panels for row in range(len(one.rows))]
    significant = sum(1 for one, row in differences if one.better[row])
    one, row = max(differences, key=lambda each: float(np.nan_to_num(abs(each[0].values[0, each[1]]), nan=-1)))
    bounds = f"({number(one.values[1, row])} to {number(one.values[2, row])})"
    largest = f"{one.name}, {one.rows[row]}: {number(one.values[0, row])} {bounds}"
    measures = pluralize(len(set(texts(table, "measure"))), "measure")
    alt = f"Differences with 95 % intervals, {pluralize(pairs, 'pair')} of systems under {measures}"
    counts = f"{significant:,} of {len(differences):,} significant"
    return Picture(f"{alt}; {counts}. Largest: {largest}. {hidden}".strip(), paint)


def _pairs(table: Table) -> list[tuple[str, str]]:
    return list(zip(texts(table, "system"), texts(table, "other"), strict=True))


def _sides(table: Table) -> tuple[str, str]:
    """The names of the two systems, where they are the same in every row."""
    first, other = (distinct(texts(table, column)) for column in ("system", "other"))
    return first[0] if len(first) == 1 else "the first", other[0] if len(other) == 1 else "the other"


def _differences(table: Table) -> list[Differences]:
    """Rows of pairs by measure; of a single pair rows of measures."""
    measures, pairs = texts(table, "measure"), _pairs(table)
    values = np.array([numbers(table, name) for name in ("difference", "low", "high")])
    better = np.array(
        [0 if cell not in pair else 1 if cell == pair[0] else -1
         for pair, cell in zip(pairs, cells_of(table, "better"), strict=True)], dtype=np.int_,
    )  # fmt: skip
    if len(set(pairs)) == 1:
        groups, names = [f"{pairs[0][0]} − {pairs[0][1]}"] * len(pairs), measures
    else:
        groups = measures
        with_one = len({one for one, _ in pairs}) == 1
        names = [other if with_one else f"{one} − {other}" for one, other in pairs]
    panels = []
    for group in distinct(groups):
        rows = [row for row, name in enumerate(groups) if name == group]
        if not np.isnan(values[0, rows]).all():
            panels.append(Differences(group, [names[row] for row in rows], values[:, rows], better[rows]))
    return panels


def _forest(palette: Palette, title: str, panels: Sequence[Differences], sides: tuple[str, str], hidden: str) -> Figure:
    count = max(len(one.rows) for one in panels)
    size, high = row_size(count), pitch(count) * count
    across = min(len(panels), ACROSS)
    left = width_of(labels(panels[0].rows, 44), size) + 0.15
    step = ((WIDTH - left) / across, high + 0.7)
    wide = step[0] - 0.35
    first, other = labels(sides, 28)
    meanings = (f"{first} is better", f"{other} is better", "no significant difference (hollow)")
    entries = [(text, _mark_in(palette, verdict)) for verdict, text in zip(MARKERS, meanings, strict=True)]
    sheet, _ = sheet_with_legend(palette, title, entries, math.ceil(len(panels) / across) * step[1] + 0.25)
    sheet.write(WIDTH - 2, 0.05, hidden, size=SMALL, color=palette.muted)
    names = [label(one.name, 30 if wide < 3 else 60) for one in panels]
    for one, (column, axes) in zip(panels, _panels(sheet, names, left, (wide, high), step), strict=True):
        rows = labels(one.rows, 44)
        sheet.name_rows(axes, [""] * len(rows) if column else rows, size)
        axes.axvline(0, color=palette.ink, linewidth=0.8)
        axes.locator_params(axis="x", nbins=5)
        _draw_differences(axes, one, palette)
        if one is panels[(len(panels) - 1) // across * across]:
            sheet.horizontal(axes, f"{first} − {other}, with the 95 % interval")
    return sheet.figure


def _draw_differences(axes: Axes, one: Differences, palette: Palette) -> None:
    values, better = one.values, one.better
    for verdict in MARKERS:
        rows = np.flatnonzero(better == verdict)
        colour, look = _mark(verdict, palette)
        axes.hlines(rows, values[1, rows], values[2, rows], color=colour, linewidth=1.2)
        axes.plot(values[0, rows], rows, linestyle="none", markersize=4.5, zorder=3, **look)


def _mark(verdict: int, palette: Palette) -> tuple[str, dict[str, Any]]:
    """The colour of the interval and the properties of the marker of a verdict."""
    colour = {1: COLOURS[0], -1: COLOURS[1], 0: palette.ink}[verdict]
    filling = colour if verdict else palette.paper
    return colour, {"marker": MARKERS[verdict], "markeredgecolor": colour, "markerfacecolor": filling}


def _mark_in(palette: Palette, verdict: int) -> Mark:
    return lambda axes, x, y: axes.plot([x], [y], linestyle="none", markersize=4.5, **_mark(verdict, palette)[1])
