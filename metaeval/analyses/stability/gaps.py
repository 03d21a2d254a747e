"""Agreement of rankings on random halves where systems lack items: of two systems on the items that both have."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from metaeval.analyses.stability.agreement import SplitHalfAgreement
from metaeval.errors import InputError, setting
from metaeval.inference.gaps import GapParts, order_on_common_items
from metaeval.model.scores import ItemScores, ScoreCube
from metaeval.scoring.parts import parts_of_item_scores
from metaeval.scoring.table import ItemSamples
from metaeval.stats.pair_counts import PairCounts, tau_b
from metaeval.stats.ratio import divide

_BYTES_A_CELL = 32
"""Of the differences of a pair of systems on an item, while samples are drawn."""

Halves = Callable[[ScoreCube, Sequence[int]], SplitHalfAgreement]


def pair_samples(scores: ItemScores, place: int, *, memory: int) -> ItemSamples:
    """Samples of the differences of each two systems under a measure, which stand in the place of systems."""
    one, other = np.triu_indices(len(scores.systems), k=1)
    needed = _BYTES_A_CELL * len(one) * len(scores.items)
    if needed > memory:
        raise InputError.at(
            found=f"stability of {len(scores.systems):,} systems that lack scores of items, which needs "
            f"{needed / 2**20:,.0f} MB for the differences of all pairs",
            expected=f"at most {memory / 2**20:,.0f} MB",
            hint=f"set {setting('memory')}, or drop items without all scores with {setting('on_missing', 'drop')}",
        )
    values = scores.values[place : place + 1]
    names = tuple(f"{first}/{second}" for first, second in zip(one.tolist(), other.tolist(), strict=True))
    return ItemSamples(
        replace(
            scores,
            values=values[:, one] - values[:, other],
            measures=scores.measures[place : place + 1],
            systems=names,
            directions=scores.directions[place : place + 1],
            declared_units=(float(scores.units[place]),),
            gaps=True,
        )
    )


def pair_consistency(scores: ItemScores, place: int) -> Halves:
    """From samples of `pair_samples` on both halves to the agreement of the order of pairs on them."""
    parts = parts_of_item_scores(scores, np.zeros(len(scores.items), dtype=np.intp))[place]
    heights = order_on_common_items(parts)[0] if isinstance(parts, GapParts) else parts.scores
    best_first = np.argsort(-heights, kind="stable")
    one, other = np.triu_indices(len(scores.systems), k=1)

    def consistency(halves: ScoreCube, strata: Sequence[int]) -> SplitHalfAgreement:
        first, second = halves.values[:, 0], halves.values[:, 1]
        counts = _counts(first, second)
        within = np.empty((len(first), len(strata), 1))
        for number, (begin, end) in enumerate(pairwise(np.cumsum([0, *strata]))):
            members = best_first[begin:end]
            inside = np.isin(one, members) & np.isin(other, members)
            within[:, number] = tau_b(_counts(first[..., inside], second[..., inside]))
        undefined = np.isnan(halves.values).sum(axis=(1, 3))
        return SplitHalfAgreement(tau_b(counts), divide(counts.discordant, counts.pairs), within, undefined)

    return consistency


def _counts(first: NDArray[np.float64], second: NDArray[np.float64]) -> PairCounts:
    """Counts of pairs with differences on both halves, (..., P) to (...)."""
    both = ~np.isnan(first) & ~np.isnan(second)
    one, other = (np.where(both, np.sign(half), 0.0) for half in (first, second))
    concordant, discordant = ((one * other == sign).sum(axis=-1) for sign in (1, -1))
    pairs = np.asarray(both.sum(axis=-1), dtype=np.int64)
    tied_x, tied_y = (pairs - np.count_nonzero(half, axis=-1) for half in (one, other))
    return PairCounts(concordant, discordant, tied_x, tied_y, pairs)
