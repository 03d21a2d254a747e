"""Plots of the ranks of systems with their tiers, and of differences with intervals."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np

from metaeval.errors import pluralize
from metaeval.model.report import Table
from metaeval.render.plots.canvas import COLOURS, Look, label, labels, number
from metaeval.render.plots.columns import cells_of, numbers, rows_by, texts
from metaeval.render.plots.declaration import Picture, Tables, not_shown, plot
from metaeval.render.plots.dots import DotPlot, Panel, Series

MAX_PANELS = 9

FIRST, OTHER, NEITHER = Look(COLOURS[0], "o", size=4.5), Look(COLOURS[1], "s", size=4.5), Look("ink", "o", False, 4.5)
"""The looks of differences by the better system."""


@plot("tiers", title="Ranks of the systems with 95 % intervals, and tiers", needs=("tiers",))
def tiers(tables: Tables) -> Picture | None:
    """A panel for each measure: the systems, best first, with the intervals of their ranks; tiers as bands."""
    table = tables["tiers"]
    systems, tier, letters = texts(table, "system"), numbers(table, "tier"), cells_of(table, "letters")
    ranks = np.array([numbers(table, name) for name in ("rank", "rank_low", "rank_high")])
    by_measure = {
        measure: rows
        for (measure,), rows in rows_by(table, "measure").items()
        if len(rows) > 1 and not np.isnan(ranks[0, rows]).all()
    }
    if not by_measure:
        return None
    shown = dict(list(by_measure.items())[:MAX_PANELS])
    hidden = not_shown((len(by_measure) - MAX_PANELS, "more measure"))
    most = max(float(np.nanmax(ranks[:, rows])) for rows in shown.values())
    panels, parts = [], []
    for measure, rows in shown.items():
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
    largest = max(len(rows) for rows in shown.values())
    alt = f"Ranks of {pluralize(largest, 'system')} with 95 % intervals under {pluralize(len(shown), 'measure')}. "
    legend = "dots: ranks, lines: 95 % intervals, bands: tiers; a shared letter: no significant difference."
    form = DotPlot(panels=panels, across="rank, 1 the best", remark=f"{legend} {hidden}".strip(), longest=22)
    return Picture(f"{alt}{'; '.join(parts)}. {hidden}".strip(), form.draw)


def _rank_ticks(most: float) -> list[float]:
    """1, and multiples of 1, 2 or 5 times a power of ten, at most five of them.

    >>> _rank_ticks(3), _rank_ticks(14)
    ([1, 2, 3], [1, 5, 10])
    """
    steps = (unit * 10**power for power in itertools.count() for unit in (1, 2, 5))
    step = next(step for step in steps if step >= most / 5)
    return [1, *(tick for tick in range(step, int(most) + 1, step) if tick > 1)]


@plot("comparisons", title="Differences of systems", needs=("comparisons",))
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
    first = label(firsts.pop(), 28) if len(firsts) == 1 else "the first"
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
    row, largest = max(defined, key=lambda each: float(np.nan_to_num(abs(values[0, each[0]]), nan=-1)))
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
    has_one = len({one for one, _ in pairs}) == 1
    names = [other if has_one else f"{one} − {other}" for one, other in pairs]
    by_measure = rows_by(table, "measure").items()
    return [(measure, [names[row] for row in rows], rows.tolist()) for (measure,), rows in by_measure]
