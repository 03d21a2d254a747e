"""Correlations of the means of systems over resampled items."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from metaeval.arrays import Indices, Integers, Scores
from metaeval.stats._resamples.pairs import OF_PAIRS, Side
from metaeval.stats.association import (
    COEFFICIENTS,
    complete,
    count_complete_pairs,
    distinct,
    largest_scores,
    means_on_grid,
)
from metaeval.stats.ratio import divide


def correlate_means(
    x: Scores, y: Scores, of_systems: Integers, of_items: Integers, coefficients: Sequence[str]
) -> Scores:
    """Coefficients (C, R, M) of the means of systems over resamples of items; x, y: (M, S, N) and (S, N)."""
    of_x, of_y = resampled_means(x, of_items), resampled_means(y, of_items)[:, np.newaxis]
    copies = np.where(np.isnan(of_y), 0, of_systems[:, np.newaxis])
    if (of_systems != 1).any():
        systems = _indices(of_systems)[:, np.newaxis]
        of_x, of_y = (np.take_along_axis(_padded(means), systems, axis=-1) for means in (of_x, of_y))
    found, counted = [], None
    for coefficient in coefficients:
        if coefficient in OF_PAIRS:
            counted = counted or _CountedPairs(of_x, of_y, copies)
            found.append(OF_PAIRS[coefficient](counted))
        else:
            found.append(COEFFICIENTS[coefficient](of_x, of_y))
    return np.stack(found)


class _CountedPairs:
    """`PairSums` of vectors x and y, (R, M, L), whose entries have copies, (R, 1, S)."""

    def __init__(self, x: Scores, y: Scores, copies: Integers) -> None:
        self.scores, self.counts, self.copies = (x, y), count_complete_pairs(x, y), copies

    def balance(self) -> Scores:
        return np.asarray(self.counts.concordant - self.counts.discordant, dtype=np.float64)

    def untied(self, side: Side) -> Scores:
        counts = self.counts
        if side == "both":
            return np.asarray(counts.concordant + counts.discordant, dtype=np.float64)
        return np.asarray(counts.pairs - (counts.tied_x if side == "x" else counts.tied_y), dtype=np.float64)

    def pairs(self) -> Scores:
        return np.asarray(self.counts.pairs - (self.copies * (self.copies - 1) // 2).sum(axis=-1), dtype=np.float64)

    def levels(self) -> Scores:
        x, y, _ = complete(*self.scores)
        return np.minimum(distinct(x), distinct(y)).astype(np.float64)

    def different(self) -> Scores:
        return np.asarray((self.copies > 0).sum(axis=-1), dtype=np.float64)


def _padded(scores: Scores) -> Scores:
    """Scores (..., S) with a further one of NaN."""
    return np.concatenate([scores, np.full((*scores.shape[:-1], 1), np.nan)], axis=-1)


def resampled_means(scores: Scores, of_items: Integers) -> Scores:
    """Means of the systems over resamples of items, (R, ..., S).

    scores: NaN where missing; units are those of the leading axes, (..., S, N). of_items: multiplicities of the items,
    (R, N).
    """
    present = ~np.isnan(scores)
    weights = of_items.astype(np.float64)
    total = np.tensordot(weights, np.where(present, scores, 0.0), axes=(1, -1))
    number = weights.sum(axis=1).reshape(-1, *[1] * (scores.ndim - 1))
    if not present.all():
        number = np.tensordot(weights, present.astype(np.float64), axes=(1, -1))
    return means_on_grid(divide(total, number), largest_scores(scores), scores.shape[-1])


def _indices(counts: Integers) -> Indices:
    """Indices, each repeated by its count, then that of a further entry: (R, L) to (R, largest sum of counts)."""
    total = counts.sum(axis=1, keepdims=True)
    filled = np.concatenate([counts, total.max(initial=0) - total], axis=1)
    numbers = np.broadcast_to(np.arange(filled.shape[1]), filled.shape)
    return np.repeat(numbers.reshape(-1), filled.reshape(-1)).reshape(len(counts), -1)
