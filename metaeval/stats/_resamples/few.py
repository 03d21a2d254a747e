"""Rank correlations of many resampled vectors with few entries, by products over their pairs of entries."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from metaeval.arrays import Indices, Integers, Scores
from metaeval.stats._resamples.pairs import OF_PAIRS, OfCounts, Side
from metaeval.stats.ratio import divide

FEW = 64
"""Largest number of entries of a vector."""

TOGETHER = 192
"""Number of vectors whose ranks are in the cache together."""

Forms = NDArray[np.float32]


@dataclass(frozen=True)
class _Resamples:
    """Resamples of the entries of vectors y, (L, V), whose multiplicities are `counts`, (R, L)."""

    y: Scores
    counts: Integers

    @cached_property
    def weights(self) -> NDArray[np.floating]:
        """Multiplicities of pairs, (R, P)."""
        one, other = np.triu_indices(self.counts.shape[1], 1)
        counts = self.counts.astype(_exact(self.counts, 2))
        return counts[:, one] * counts[:, other]

    @cached_property
    def untied(self) -> Scores:
        return self.total(np.abs(_signs(self.y)))

    @cached_property
    def pairs(self) -> Scores:
        one, other = np.triu_indices(len(self.y), 1)
        present = ~np.isnan(self.y)
        return self.total((present[one] & present[other]).astype(np.float32))

    @cached_property
    def different(self) -> Scores:
        return (self.counts > 0).astype(np.float64) @ ~np.isnan(self.y)

    def total(self, forms: Forms) -> Scores:
        """Sums of products, (R, V), of `forms` (P, V)."""
        others = np.flatnonzero((forms != 1).any(axis=0))
        if len(others) == forms.shape[1]:
            return (self.weights @ forms).astype(np.float64)
        total = np.repeat(self.weights.sum(axis=1, keepdims=True), forms.shape[1], axis=1).astype(np.float64)
        total[:, others] = self.weights @ forms[:, others]
        return total

    def levels(self, scores: Scores) -> Scores:
        """Number of different scores that are drawn, (R, V)."""
        drawn = (self.counts > 0).astype(np.float32)
        entry = np.arange(len(scores))
        # An entry adds a score if no earlier one with it is drawn.
        earlier = (scores[:, np.newaxis] == scores) & (entry[:, np.newaxis] < entry)[..., np.newaxis]
        tied = (drawn @ earlier.reshape(len(scores), -1)).reshape(len(drawn), *scores.shape)
        first = (tied == 0) & ~np.isnan(scores) & (drawn[..., np.newaxis] > 0)
        return np.asarray(first.sum(axis=1, dtype=np.float64))


@dataclass(frozen=True)
class _Pairs:
    """`PairSums` of x, (L, V). signs, products: of the pairs of x, and of both vectors, (P, V)."""

    x: Scores
    signs: Forms
    products: Forms
    drawn: _Resamples

    def balance(self) -> Scores:
        return self.drawn.total(self.products)

    def untied(self, side: Side) -> Scores:
        if side == "y":
            return self.drawn.untied
        return self.drawn.total(np.abs(self.signs if side == "x" else self.products))

    def pairs(self) -> Scores:
        return self.drawn.pairs

    def levels(self) -> Scores:
        return np.minimum(self.drawn.levels(self.x), self.drawn.levels(self.drawn.y))

    def different(self) -> Scores:
        return self.drawn.different


def few_pairs(x: Scores, y: Scores, coefficient: str) -> OfCounts:
    """Kendall's coefficients of vectors x, (M, L, V), with y, (L, V), NaN in all where one is missing."""
    of_y = _signs(y)
    signs = [_signs(each) for each in x]
    products = [each * of_y for each in signs]

    def of_counts(counts: Integers) -> Scores:
        drawn = _Resamples(y, counts)
        sums = (_Pairs(*each, drawn) for each in zip(x, signs, products, strict=True))
        return np.stack([np.broadcast_to(OF_PAIRS[coefficient](each), (len(counts), y.shape[1])) for each in sums], 1)

    return of_counts


def few_ranks(x: Scores, y: Scores) -> OfCounts:
    """Spearman's rho of vectors x, (M, L, V), with y, (L, V), NaN in all where one is missing.

    A rank minus the mean rank is half the difference of the numbers of entries below and above, linear in counts.
    """
    parts = [slice(begin, begin + TOGETHER) for begin in range(0, y.shape[1], TOGETHER)]
    functions = [_few_ranks(x[..., part], y[:, part]) for part in parts]

    def of_counts(counts: Integers) -> Scores:
        values = np.empty((len(counts), len(x), y.shape[1]))
        for part, function in zip(parts, functions, strict=True):
            values[..., part] = function(counts)
        return values

    return of_counts


def _few_ranks(x: Scores, y: Scores) -> OfCounts:
    length = len(y)
    signs = [_sign(each[:, np.newaxis], each) for each in (*x, y)]
    # Vectors with ties or missing entries.
    tied = [np.flatnonzero((each == 0).sum(axis=(0, 1)) > length) for each in signs]

    def of_counts(counts: Integers) -> Scores:
        weights = counts.astype(_exact(counts, 3))

        def ranks(each: Forms) -> NDArray[np.floating]:
            return (weights @ each.reshape(length, -1)).reshape(len(counts), length, -1)

        total = counts.sum(axis=1, keepdims=True).astype(np.float64)
        # Of entries that tie with their copies only, as of single ones: (n³ − Σ t³) / 3 with tied groups of t.
        untied = (total**3 - (counts.astype(np.float64) ** 3).sum(axis=1, keepdims=True)) / 3

        def squares(own: NDArray[np.floating], tied: Indices) -> Scores:
            sums = np.repeat(untied, own.shape[2], axis=1)
            sums[:, tied] = (weights[:, np.newaxis] @ own[:, :, tied] ** 2)[:, 0]
            return sums

        of_y = ranks(signs[-1])
        weighted, of_squares_y = of_y * weights[..., np.newaxis], squares(of_y, tied[-1])
        values = np.empty((len(counts), len(x), y.shape[1]))
        for index, (each, of_each) in enumerate(zip(signs[:-1], tied[:-1], strict=True)):
            own = ranks(each)
            both = np.einsum("rlv,rlv->rv", own, weighted).astype(np.float64)
            values[:, index] = divide(both, np.sqrt(squares(own, of_each) * of_squares_y))
        return np.clip(values, -1.0, 1.0, out=values)

    return of_counts


def _signs(scores: Scores) -> Forms:
    """Signs of the differences of all pairs of entries, (L, V) to (P, V); 0 where a score is missing."""
    one, other = np.triu_indices(len(scores), 1)
    return _sign(scores[one], scores[other])


def _sign(one: Scores, other: Scores) -> Forms:
    """Signs of differences, 0 where a score is missing."""
    return np.subtract(one > other, one < other, dtype=np.float32)


def _exact(counts: Integers, power: int) -> type[np.floating]:
    """A type whose numbers up to a power of the size of the resamples are exact integers."""
    return np.float32 if float(counts.sum(axis=1).max(initial=0)) ** power < 1 << 24 else np.float64
