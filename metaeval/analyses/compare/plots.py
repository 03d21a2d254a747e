"""Systems against each other: their ranks with tiers, their differences with intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from metaeval.errors import counted
from metaeval.model.report import Table
from metaeval.render.plots.canvas import (
    COLOURS,
    SMALL,
    Palette,
    Sheet,
    label,
    labels,
    listed,
    number,
    pitch,
    row_size,
    width_of,
)
from metaeval.render.plots.columns import Numbers, cells_of, distinct, numbers, texts
from metaeval.render.plots.declaration import Picture, Tables, plot

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_PANELS = 9
MOST_ROWS = 40
"""Systems, or pairs of them, that are drawn of each measure."""

ACROSS = 3


@dataclass(frozen=True)
class Ranked:
    """The systems by one measure, from the best: ranks (3, systems) with their intervals, tiers, letters."""

    measure: str
    systems: list[str]
    ranks: Numbers
    tiers: list[int]
    letters: list[str]


@plot("tiers", title="Ranks of the systems, and tiers that can't be told apart", needs=("tiers",))
def tiers(tables: Tables) -> Picture | None:
    """A panel a measure: the systems from the best, the rank of each with its interval, tiers as bands."""
    found = _ranked(tables["tiers"])
    if not found:
        return None
    shown = found[:MOST_PANELS]
    systems = max(len(one.systems) for one in shown)
    left_out = _left_out(len(found) - len(shown), systems - MOST_ROWS, "system")

    def paint(palette: Palette, title: str) -> Figure:
        return _tier_panels(palette, title, shown, left_out)

    told = [
        f"{one.measure}: {counted(len(set(one.tiers)), 'tier')}, best {one.systems[0]} (rank "
        f"{_place(one.ranks[0, 0])}, {_place(one.ranks[1, 0])} to {_place(one.ranks[2, 0])})"
        for one in shown
    ]
    alt = f"Ranks of {counted(systems, 'system')} with 95 % intervals under {counted(len(shown), 'measure')}. "
    return Picture(f"{alt}{'; '.join(told)}.{_and(left_out)}", paint)


def _place(rank: float) -> str:
    return "—" if math.isnan(rank) else f"{rank:g}"


def _left_out(measures: int, rows: int, what: str) -> str:
    parts = [counted(count, f"more {name}") for count, name in ((measures, "measure"), (rows, what)) if count > 0]
    return f"Not shown: {listed(parts)}." if parts else ""


def _and(sentence: str) -> str:
    return f" {sentence}" if sentence else ""


def _ranked(table: Table) -> list[Ranked]:
    measures, systems = np.array(texts(table, "measure")), texts(table, "system")
    ranks = np.array([numbers(table, name) for name in ("rank", "rank_low", "rank_high")])
    bands, letters = numbers(table, "tier"), cells_of(table, "letters")
    found = []
    for measure in distinct(measures.tolist()):
        rows = np.flatnonzero(measures == measure)
        if len(rows) > 1 and not np.isnan(ranks[0, rows]).all():
            found.append(
                Ranked(
                    measure,
                    [systems[row] for row in rows],
                    ranks[:, rows],
                    [0 if math.isnan(bands[row]) else int(bands[row]) for row in rows],
                    [cell if isinstance(cell, str) else "" for cell in (letters[row] for row in rows)],
                )
            )
    return found


def _tier_panels(palette: Palette, title: str, found: Sequence[Ranked], left_out: str) -> Figure:
    from matplotlib.ticker import MaxNLocator

    rows = min(MOST_ROWS, max(len(one.systems) for one in found))
    size, high = row_size(rows), pitch(rows) * 0.8 * rows
    names = labels((name for one in found for name in one.systems[:rows]), 22)
    letters = labels((name for one in found for name in one.letters[:rows]), 12)
    left, wide, right = width_of(names, size) + 0.15, 1.7, width_of(letters, size) + 0.3
    across = min(len(found), ACROSS)
    step = (left + wide + right, high + 0.75)
    top = 0.55
    sheet = Sheet(palette, across * step[0], top + math.ceil(len(found) / across) * step[1], title)
    told = f"dot: rank, line: its 95 % interval, bands: tiers, letters: who shares one can't be told apart. {left_out}"
    sheet.write(0, 0.1, told.strip(), size=SMALL, color=palette.muted)
    most = max(float(np.nanmax(one.ranks[:, :rows])) for one in found)
    for place, one in enumerate(found):
        at = (left + place % across * step[0], top + place // across * step[1])
        axes = sheet.axes(*at, wide, high * len(one.systems[:rows]) / rows)
        sheet.write(at[0], at[1] - 0.07, label(one.measure, 26), size=SMALL, weight="bold")
        axes.set_xlim(0.5, most + 0.5)
        axes.set_xticks([1, *(tick for tick in MaxNLocator(4, integer=True).tick_values(1, most) if 1 < tick <= most)])
        sheet.grid(axes, "x")
        sheet.name_rows(axes, labels(one.systems[:rows], 22), size)
        _draw_tiers(sheet, axes, one, rows, size)
        if place + across >= len(found):
            sheet.horizontal(axes, "rank, 1 the best")
    return sheet.figure


def _draw_tiers(sheet: Sheet, axes: Axes, one: Ranked, rows: int, size: float) -> None:
    shown = one.tiers[:rows]
    for row, tier in enumerate(shown):
        if tier % 2:
            axes.axhspan(row - 0.5, row + 0.5, facecolor=sheet.palette.grid, alpha=0.45, linewidth=0)
    for row in (row for row in range(1, len(shown)) if shown[row] != shown[row - 1]):
        axes.axhline(row - 0.5, color=sheet.palette.muted, linewidth=0.4)
    places = np.arange(len(shown))
    axes.hlines(places, one.ranks[1, :rows], one.ranks[2, :rows], color=COLOURS[0], linewidth=1.6)
    axes.plot(one.ranks[0, :rows], places, "o", color=COLOURS[0], markersize=4.2, clip_on=False)
    for row, letters in enumerate(one.letters[:rows]):
        look = {"size": size, "transform": sheet.right_of(axes), "va": "center_baseline"}
        sheet.say(axes, 0, row, label(letters, 12), **look)


# Differences

VERDICTS = {1: "o", -1: "s", 0: "o"}
"""Markers of what a comparison says: of significance by being filled, of who is better by their shape."""


@dataclass(frozen=True)
class Differences:
    """Rows of differences: their names, values (3, rows) with intervals, and who is better (1, -1, or 0 for none)."""

    name: str
    rows: list[str]
    values: Numbers
    better: NDArray[np.int_]


@plot("comparisons", title="Differences of systems", needs=("comparisons",))
def comparisons(tables: Tables) -> Picture | None:
    """A forest plot: a panel a measure, a row a pair of systems; of one pair a row a measure."""
    table = tables["comparisons"]
    if "tiers" in tables:
        # Of all pairs there are too many; their tiers say more.
        return None
    found = _differences(table)
    if not found:
        return None
    shown = found[:MOST_PANELS]
    rows = max(len(one.rows) for one in shown)
    pairs = len(set(_pairs(table)))
    left_out = _left_out(len(found) - len(shown), rows - MOST_ROWS, "measure" if pairs == 1 else "pair")

    def paint(palette: Palette, title: str) -> Figure:
        return _forest(palette, title, shown, _sides(table), left_out)

    all_of = [(one, row) for one in found for row in range(len(one.rows))]
    told = sum(1 for one, row in all_of if one.better[row])
    one, row = max(all_of, key=lambda each: _size(each[0].values[0, each[1]]))
    bounds = f"({number(one.values[1, row])} to {number(one.values[2, row])})"
    most = f"{one.name}, {one.rows[row]}: {number(one.values[0, row])} {bounds}"
    alt = f"Differences with 95 % intervals, {counted(pairs, 'pair')} of systems under "
    measures = counted(len(set(texts(table, "measure"))), "measure")
    return Picture(f"{alt}{measures}; {told:,} of {len(all_of):,} significant. Largest: {most}.{_and(left_out)}", paint)


def _size(value: float) -> float:
    return -1.0 if math.isnan(value) else abs(value)


def _pairs(table: Table) -> list[tuple[str, str]]:
    return list(zip(texts(table, "system"), texts(table, "other"), strict=True))


def _sides(table: Table) -> tuple[str, str]:
    """What is compared with what: names where they are the same in every row."""
    first, other = (distinct(texts(table, column)) for column in ("system", "other"))
    return first[0] if len(first) == 1 else "the first", other[0] if len(other) == 1 else "the other"


def _differences(table: Table) -> list[Differences]:
    """By measure, rows of pairs; of a single pair all measures together."""
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
    found = []
    for group in distinct(groups):
        rows = [row for row, name in enumerate(groups) if name == group]
        if not np.isnan(values[0, rows]).all():
            found.append(Differences(group, [names[row] for row in rows], values[:, rows], better[rows]))
    return found


def _forest(
    palette: Palette, title: str, found: Sequence[Differences], sides: tuple[str, str], left_out: str
) -> Figure:
    count = min(MOST_ROWS, max(len(one.rows) for one in found))
    size, high = row_size(count), pitch(count) * count
    across, wide = min(len(found), ACROSS), 2.0 if len(found) > 1 else 4.0
    left = width_of(labels(found[0].rows[:count], 44), size) + 0.15
    step, top = (wide + 0.35, high + 0.7), 0.55
    told = labels(sides, 28)
    legend = [f"{told[0]} is better", f"{told[1]} is better", "can't be told apart (hollow)"]
    least = sum(width_of([text], SMALL) + 0.3 for text in [*legend, left_out])
    sheet = Sheet(palette, max(left + across * step[0], least), top + math.ceil(len(found) / across) * step[1], title)
    _legend(sheet, legend, left_out)
    for place, one in enumerate(found):
        at = (left + place % across * step[0], top + place // across * step[1])
        axes = sheet.axes(*at, wide, high)
        sheet.write(at[0], at[1] - 0.07, label(one.name, 30 if wide < 3 else 60), size=SMALL, weight="bold")
        rows = labels(one.rows[:count], 44)
        sheet.name_rows(axes, rows if place % across == 0 else [""] * len(rows), size)
        sheet.grid(axes, "x")
        axes.axvline(0, color=palette.ink, linewidth=0.8)
        axes.locator_params(axis="x", nbins=5)
        _draw_differences(axes, one, count, palette)
        if place == (len(found) - 1) // across * across:
            sheet.horizontal(axes, f"{told[0]} − {told[1]}, with the 95 % interval")
    return sheet.figure


def _draw_differences(axes: Axes, one: Differences, count: int, palette: Palette) -> None:
    values, better = one.values[:, :count], one.better[:count]
    for verdict in VERDICTS:
        rows = np.flatnonzero(better == verdict)
        colour, look = _mark(verdict, palette)
        axes.hlines(rows, values[1, rows], values[2, rows], color=colour, linewidth=1.2)
        axes.plot(values[0, rows], rows, linestyle="none", markersize=4.5, zorder=3, **look)


def _mark(verdict: int, palette: Palette) -> tuple[str, dict[str, Any]]:
    """The colour of a verdict's interval, and how its mark looks."""
    colour = {1: COLOURS[0], -1: COLOURS[1], 0: palette.ink}[verdict]
    filled = colour if verdict else palette.paper
    return colour, {"marker": VERDICTS[verdict], "markeredgecolor": colour, "markerfacecolor": filled}


def _legend(sheet: Sheet, told: Sequence[str], left_out: str) -> None:
    axes = sheet.axes(0, 0, sheet.width, 0.2)
    axes.set_axis_off()
    axes.set_xlim(0, sheet.width)
    axes.set_ylim(0, 1)
    start = 0.06
    for verdict, text in zip(VERDICTS, told, strict=True):
        axes.plot([start], [0.5], linestyle="none", markersize=4.5, **_mark(verdict, sheet.palette)[1])
        sheet.say(axes, start + 0.1, 0.5, text, size=SMALL, va="center_baseline")
        start += width_of([text], SMALL) + 0.3
    sheet.say(axes, start, 0.5, left_out, size=SMALL, color=sheet.palette.muted, va="center_baseline")
