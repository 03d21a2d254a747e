"""Plots of `compare`: ranks and tiers, differences from the best system and of pairs, p-values of all pairs."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from metaeval.arrays import Floats, Indices
from metaeval.errors import pluralize
from metaeval.model.report import Table
from metaeval.render.plots.canvas import COLOURS, WIDTH, Look, Sheet, label, labels, number, width_of
from metaeval.render.plots.columns import cells_of, distinct, has, numbers, rows_by, texts
from metaeval.render.plots.declaration import Picture, Tables, not_shown, plot
from metaeval.render.plots.dots import DotPlot, Panel, Series
from metaeval.render.plots.matrix import Heat, draw_heats

MAX_PANELS = 9

FIRST, OTHER, NEITHER = Look(COLOURS[0], "o", size=4.5), Look(COLOURS[1], "s", size=4.5), Look("ink", "o", False, 4.5)
"""The looks of differences by the better system."""


@plot(
    "tiers",
    title="Ranks of the systems with their rank sets, and tiers",
    example="compare --config configs/stance.yaml -m cem-ord -m accuracy -m macro-f1",
)
def tiers(tables: Tables) -> Picture | None:
    """A panel for each measure: the systems, best first, with the sets of their possible ranks; tiers as bands."""
    table = tables["tiers"]
    systems, tier, letters = texts(table, "system"), numbers(table, "tier"), cells_of(table, "letters")
    ranks = np.array([numbers(table, name) for name in ("rank", "rank_low", "rank_high")])
    rows_by_measure, remark = _by_measure(table, ranks[0], MAX_PANELS)
    if not rows_by_measure:
        return None
    most = max(float(np.nanmax(ranks[:, rows])) for rows in rows_by_measure.values())
    panels, parts = [], []
    for measure, rows in rows_by_measure.items():
        names, bands = [systems[row] for row in rows], np.nan_to_num(tier[rows]).tolist()
        panel = Panel(
            rows=names,
            series=[Series(*ranks[:, rows], look=Look(COLOURS[0], "o", size=4.2))],
            title=measure,
            ends=labels([str(letters[row] or "") for row in rows], 12),
            bands=bands,
            limits=(0.5, most + 0.5),
            ticks=_rank_ticks(most),
        )
        panels.append(panel)
        rank, low, high = ("—" if math.isnan(value) else f"{value:g}" for value in ranks[:, rows[0]])
        best = f"best {names[0]} (rank {rank}, {low} to {high})"
        parts.append(f"{measure}: {pluralize(len(set(bands)), 'tier')}, {best}")
    largest = max(len(rows) for rows in rows_by_measure.values())
    alt = f"Ranks of {pluralize(largest, 'system')} with rank sets under {pluralize(len(rows_by_measure), 'measure')}. "
    legend = "dots: ranks, lines: ranks that the significant differences leave open, bands: tiers; "
    legend += "a shared letter: no significant difference."
    form = DotPlot(panels=panels, across="rank, 1 the best", remark=f"{legend} {remark}".strip(), longest=22)
    return Picture(f"{alt}{'; '.join(parts)}. {remark}".strip(), form.draw)


def _by_measure(table: Table, values: Floats, most: int) -> tuple[dict[str, Indices], str]:
    """The rows of each measure with several systems and a defined value, up to `most`, and a remark on the others."""
    by_measure = {
        measure: rows
        for (measure,), rows in rows_by(table, "measure").items()
        if len(rows) > 1 and not np.isnan(values[rows]).all()
    }
    return dict(list(by_measure.items())[:most]), not_shown((len(by_measure) - most, "more measure"))


def _rank_ticks(most: float) -> list[float]:
    """1, and multiples of 1, 2 or 5 times a power of ten, at most five of them.

    >>> _rank_ticks(3), _rank_ticks(14)
    ([1, 2, 3], [1, 5, 10])
    """
    steps = (unit * 10**power for power in itertools.count() for unit in (1, 2, 5))
    step = next(step for step in steps if step >= most / 5)
    return [1, *(tick for tick in range(step, int(most) + 1, step) if tick > 1)]


@plot(
    "forest",
    title="Differences from the best system",
    needs=("tiers",),
    example="compare --config configs/stance.yaml -m cem-ord -m accuracy -m macro-f1",
)
def forest(tables: Tables) -> Picture | None:
    """A forest plot: a panel for each measure, the systems best first with their differences from the best."""
    table = tables["tiers"]
    if not has(table, "difference"):
        return None
    systems = texts(table, "system")
    values = np.array([numbers(table, name) for name in ("difference", "low", "high")])
    rows_by_measure, remark = _by_measure(table, values[0], MAX_PANELS)
    if not rows_by_measure:
        return None
    # An interval excludes 0 where the difference is significant.
    differs = (values[1] > 0) | (values[2] < 0)
    panels, parts = [], []
    for measure, rows in rows_by_measure.items():
        names, looks = [systems[row] for row in rows], [FIRST if differs[row] else NEITHER for row in rows]
        panels.append(Panel(rows=names, series=[Series(*values[:, rows], look=looks)], title=measure))
        last = f"last {names[-1]}: {_with_interval(values[:, rows[-1]])}"
        parts.append(f"{measure}: {int(differs[rows].sum())} significantly different from {names[0]}; {last}")
    different, equal = "significantly different from the best system", "no significant difference (hollow)"
    form = DotPlot(
        panels=panels,
        across="difference from the best system, with its simultaneous 95 % interval",
        legend=[(different, FIRST), (equal, NEITHER)],
        remark=remark,
        longest=22,
        has_zero=True,
    )
    largest = max(len(rows) for rows in rows_by_measure.values())
    alt = f"Differences of {pluralize(largest, 'system')} from the best one with 95 % intervals"
    alt += f" under {pluralize(len(rows_by_measure), 'measure')}. {'. '.join(parts)}."
    return Picture(f"{alt} {remark}".strip(), form.draw)


def _with_interval(values: Floats) -> str:
    value, low, high = map(number, values.tolist())
    return f"{value} ({low} to {high})"


MAX_MATRICES, MAX_SYSTEMS = 4, 40
"""The numbers of matrices, and of systems of each, above which p-values are not drawn."""

ROW_BETTER, COLUMN_BETTER, SIMILAR = "#8fc1de", "#efb48c", "#ebebeb"
"""The colours of p-values by the better system, below black text."""


@dataclass(frozen=True, kw_only=True)
class PValues(Heat):
    """A matrix of p-values. better: 1 where the row is significantly better, -1 where the column is, else 0."""

    better: Floats

    def texts(self) -> NDArray[np.str_]:
        """The p-values, of which none is rounded to 0."""
        return np.array([["<0.001" if value < 0.001 else number(value, 3) for value in row] for row in self.values])

    def paints(self) -> Floats:
        """The colours of the better systems."""
        from matplotlib.colors import to_rgba_array

        colours = to_rgba_array([COLUMN_BETTER, SIMILAR, ROW_BETTER])
        return np.asarray(colours[self.better.astype(np.intp) + 1])

    def legend(self, sheet: Sheet, left: float, top: float) -> None:
        """Draw the colours with their meanings."""
        meanings = {
            "the row is significantly better": ROW_BETTER,
            "the column is significantly better": COLUMN_BETTER,
            "no significant difference": SIMILAR,
        }
        axes = sheet.axes(left, top, WIDTH - left, 0.14)
        axes.set_axis_off()
        axes.set_xlim(0, WIDTH - left)
        axes.set_ylim(1, 0)
        start = 0.06
        for meaning, colour in meanings.items():
            Look(colour, "s", size=7).mark(sheet.palette)(axes, start, 0.5)
            sheet.annotate(axes, start + 0.12, 0.5, meaning, va="center_baseline")
            start += width_of([meaning]) + 0.3


@plot(
    "p_values",
    title="Adjusted p-values of all pairs of systems",
    needs=("tiers", "comparisons"),
    example="compare --config configs/stance.yaml -m cem-ord -m accuracy",
)
def p_values(tables: Tables) -> Picture | None:
    """A matrix for each measure: the adjusted p-values of all pairs; the systems best first by the first measure."""
    tiers, pairs = tables["tiers"], tables["comparisons"]
    if not has(pairs, "p_adjusted"):
        return None
    p, names = numbers(pairs, "p_adjusted"), distinct(texts(tiers, "system"))
    sides = texts(pairs, "system"), texts(pairs, "other"), texts(pairs, "better")
    rows_by_measure, remark = _by_measure(pairs, p, MAX_MATRICES)
    heats, parts = {}, []
    for measure, rows in rows_by_measure.items():
        values, better = np.full((len(names), len(names)), np.nan), np.zeros((len(names), len(names)))
        for one, other, winner, value in zip(*([side[row] for row in rows] for side in sides), p[rows], strict=True):
            first, second = names.index(one), names.index(other)
            sign = (winner == one) - (winner == other)
            values[first, second] = values[second, first] = value
            better[first, second], better[second, first] = sign, -sign
        heats[measure] = PValues(rows=names, columns=names, values=values, limits=(0, 1), what="", better=better)
        parts.append(f"{measure}: {int((better > 0).sum())} of {pluralize(len(rows), 'pair')} significantly different")
    if not heats or len(names) > MAX_SYSTEMS:
        return None
    alt = f"Matrices of adjusted p-values of the differences of systems. {'; '.join(parts)}. {remark}".strip()
    return Picture(alt, lambda palette, title: draw_heats(palette, title, heats, remark=remark))


@plot(
    "comparisons",
    title="Differences of systems",
    example="compare --config configs/stance.yaml -m cem-ord -m accuracy -m macro-f1 --system atlas_large "
    "--system atlas_base",
)
def comparisons(tables: Tables) -> Picture | None:
    """A forest plot: a panel for each measure with a row for each pair; of one pair a row for each measure."""
    table = tables["comparisons"]
    if "tiers" in tables:
        # Of all pairs there are too many; their tiers say more.
        return None
    pairs = list(zip(texts(table, "system"), texts(table, "other"), strict=True))
    values = np.array([numbers(table, name) for name in ("difference", "low", "high")])
    looks = [
        FIRST if better == one else OTHER if better == other else NEITHER
        for (one, other), better in zip(pairs, cells_of(table, "better"), strict=True)
    ]
    panels, defined = [], []
    for title, names, rows in _blocks(table, pairs):
        if not np.isnan(values[0, rows]).all():
            series = Series(*values[:, rows], look=[looks[row] for row in rows])
            panels.append(Panel(rows=names, series=[series], title=title))
            defined += [(row, f"{title}, {name}") for row, name in zip(rows, names, strict=True)]
    if not panels:
        return None
    hidden = not_shown((len(panels) - MAX_PANELS, "more measure"))
    firsts, others = set(texts(table, "system")), set(texts(table, "other"))
    first = label(firsts.pop(), 28) if len(firsts) == 1 else "the system"
    other = label(others.pop(), 28) if len(others) == 1 else "the other"
    legend = [
        (f"{first} is better", FIRST),
        (f"{other} is better", OTHER),
        ("no significant difference (hollow)", NEITHER),
    ]
    form = DotPlot(
        panels=panels[:MAX_PANELS],
        across=f"{first} − {other}, with the 95 % interval",
        legend=legend,
        remark=hidden,
        longest=44,
        has_zero=True,
    )
    significant = sum(looks[row] is not NEITHER for row, _ in defined)
    row, largest = max(defined, key=lambda entry: float(np.nan_to_num(abs(values[0, entry[0]]), nan=-1)))
    difference, low, high = map(number, values[:, row].tolist())
    measures = pluralize(len(set(texts(table, "measure"))), "measure")
    alt = f"Differences with 95 % intervals, {pluralize(len(set(pairs)), 'pair')} of systems under {measures}"
    alt += f"; {significant:,} of {len(defined):,} significant. Largest: {largest}: {difference} ({low} to {high})."
    return Picture(f"{alt} {hidden}".strip(), form.draw)


def _blocks(table: Table, pairs: Sequence[tuple[str, str]]) -> list[tuple[str, list[str], list[int]]]:
    """The title, the names of the rows and the rows of each panel: pairs by measure, of a single pair measures."""
    measures = texts(table, "measure")
    if len(set(pairs)) == 1:
        return [(f"{pairs[0][0]} − {pairs[0][1]}", measures, list(range(len(measures))))]
    has_one = len({other for _, other in pairs}) == 1
    names = [one if has_one else f"{one} − {other}" for one, other in pairs]
    by_measure = rows_by(table, "measure").items()
    return [(measure, [names[row] for row in rows], rows.tolist()) for (measure,), rows in by_measure]
