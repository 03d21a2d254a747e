"""Correlations of vectors in resamples of their entries, from the multiplicities of the entries.

Kendall's coefficients of resampled vectors, from sums over the pairs of different entries.

Each pair counts as often as the product of the multiplicities of its entries. Copies of one entry form no pair.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np

from metaeval.arrays import Array, Indices, Integers, Scores
from metaeval.stats._arrays import deviations
from metaeval.stats.association import largest_scores, means_on_grid
from metaeval.stats.pairs import COEFFICIENTS_OF_COUNTS, PairCounts, tau_c
from metaeval.stats.ratio import divide

CorrelateCounts: TypeAlias = Callable[[Integers], Scores]
"""From the multiplicities of entries in resamples, (R, L), to coefficients of V vectors of M measures, (R, M, V)."""

BLOCK = 32
"""Maximum number of neighbours in an order whose inversions are counted pair by pair."""


def kendall_sums(x: Scores, y: Scores, coefficient: str) -> CorrelateCounts:
    """Kendall's coefficients of vectors x, (M, L, V), with y, (L, V), NaN in all where one is missing."""
    y_order = _Order(y.T)
    inversions = [_Inversions(scores.T, y.T) for scores in x]
    present = (~np.isnan(y.T)).astype(np.float64)

    def correlate_counts(counts: Integers) -> Scores:
        largest = float(counts.sum(axis=1).max(initial=0)) ** 2
        rows = _rows(counts, np.dtype(np.int32 if largest < 1 << 31 else np.int64))
        # A pair counts as often as the product of its multiplicities.
        times = rows[:-1].astype(np.float64)
        all_pairs, copies = (present @ times) ** 2, present @ times**2

        def untied(order: _Order) -> Scores:
            """Number of pairs that are not tied in all keys of an order, (V, R)."""
            return (all_pairs - (copies if order.begins.all() else order.squares(rows))) / 2

        pairs, untied_y = (all_pairs - copies) / 2, untied(y_order)
        values = []
        for inversion in inversions:
            untied_x, discordant = untied(inversion.x_order), inversion.count(rows)
            concordant = untied_x + untied_y - untied(inversion) - discordant
            pair_counts = PairCounts(concordant, discordant, pairs - untied_x, pairs - untied_y, pairs)
            if coefficient == "kendall-c":
                levels = np.minimum(inversion.x_order.levels(rows), y_order.levels(rows))
                values.append(tau_c(pair_counts, levels, present @ (times > 0)))
            else:
                values.append(COEFFICIENTS_OF_COUNTS[coefficient](pair_counts))
        return np.stack([array.T for array in values], axis=1)

    return correlate_counts


def spearman_sums(x: Scores, y: Scores) -> CorrelateCounts:
    """Spearman's rho of vectors x, (M, L, V), with y, (L, V), NaN in all where one is missing.

    A rank minus the mean rank is half the difference of the numbers of entries below and above.
    """
    orders = [_Sums(scores.T) for scores in (*x, y)]
    present = ~np.isnan(y.T)

    def correlate_counts(counts: Integers) -> Scores:
        rows = _rows(counts, np.dtype(np.float64))
        number = present @ rows[:-1]
        *x_ranks, (y_ranks, y_squares) = (order.ranks(rows, number) for order in orders)
        weighted = y_ranks * (rows[:-1] * present[..., np.newaxis])
        both = np.stack([np.einsum("vlr,vlr->rv", ranks, weighted) for ranks, _ in x_ranks], axis=1)
        squares = np.stack([sums.T for _, sums in x_ranks], axis=1) * y_squares.T[:, np.newaxis]
        return np.clip(divide(both, np.sqrt(squares)), -1.0, 1.0)

    return correlate_counts


def _rows(counts: Integers, kind: np.dtype[np.generic]) -> Array:
    """Multiplicities (R, L) by entry, (L + 1, R), 0 in the last row, which takes the place of missing entries."""
    rows = np.zeros((counts.shape[1] + 1, len(counts)), dtype=kind)
    rows[:-1] = counts.T
    return rows


class _Order:
    """The order of V vectors (V, L) by one or more keys, NaN in all where one is missing.

    order: (V, L). begins: where, in this order, groups of entries begin that tie in all keys, (V, L).
    """

    def __init__(self, *keys: Scores) -> None:
        self.order: Indices = np.lexsort(keys[::-1], axis=-1)
        sorted_keys = np.take_along_axis(np.stack(keys), self.order[np.newaxis], axis=-1)
        self.begins = np.ones(self.order.shape, dtype=np.bool_)
        self.begins[:, 1:] = (sorted_keys[..., 1:] != sorted_keys[..., :-1]).any(axis=0)
        self.missing = np.isnan(sorted_keys[0])

    @cached_property
    def groups(self) -> tuple[Any, Any]:
        """Sparse indicators of the entries of the tied groups, (G, L + 1), and of the groups of vectors, (V, G)."""
        from scipy import sparse

        length = self.order.shape[1]
        first = np.append(np.flatnonzero(self.begins), self.order.size)
        entries = np.where(self.missing, length, self.order).reshape(-1)
        ends = np.concatenate([[0], np.cumsum(self.begins.sum(axis=1))])
        entry_indicators, group_indicators = (
            sparse.csr_array((np.ones(len(columns), dtype=np.int32), columns, rows), shape=(len(rows) - 1, size))
            for columns, rows, size in ((entries, first, length + 1), (np.arange(ends[-1]), ends, int(ends[-1])))
        )
        return entry_indicators, group_indicators

    def squares(self, rows: Array) -> Scores:
        """Sums of the squares of the sizes of tied groups, (V, R)."""
        entry_indicators, group_indicators = self.groups
        sizes = entry_indicators @ rows
        return np.asarray(group_indicators @ (sizes * sizes), dtype=np.float64)

    def levels(self, rows: Array) -> Scores:
        """Number of tied groups of which an entry is drawn, (V, R)."""
        entry_indicators, group_indicators = self.groups
        return np.asarray(group_indicators @ (entry_indicators @ rows > 0), dtype=np.float64)


class _Sums(_Order):
    """Sums over the first entries of an order, which is filled up so that it can be halved into blocks.

    rows: the entries, (V · size), that with no multiplicity where one is missing.
    """

    def __init__(self, *keys: Scores) -> None:
        super().__init__(*keys)
        self.vectors, self.length = self.order.shape
        halvings = max(0, int(np.ceil(np.log2(max(1, self.length) / BLOCK))))
        self.block = -(-self.length // (1 << halvings))
        self.size = self.block << halvings
        filler = np.full((self.vectors, self.size - self.length), self.length)
        entries = np.where(self.missing, self.length, self.order)
        self.rows: Indices = np.concatenate([entries, filler], axis=1).reshape(-1)

    @cached_property
    def bounds(self) -> tuple[Indices, Indices]:
        """Of each entry, the sums before its tied group and up to its end, (V, L); that before the first is 0."""
        index = np.broadcast_to(np.arange(self.length), self.order.shape)
        last = np.append(self.begins[:, 1:], np.ones((self.vectors, 1), dtype=np.bool_), axis=1)
        begin = np.maximum.accumulate(np.where(self.begins, index, 0), axis=1)
        end = np.minimum.accumulate(np.where(last, index, self.length)[:, ::-1], axis=1)[:, ::-1]
        offset = (np.arange(self.vectors) * self.size)[:, np.newaxis]
        natural = np.argsort(self.order, axis=1)
        bounds = (np.where(begin > 0, begin + offset, 0), end + offset + 1)
        before, upto = (np.take_along_axis(bound, natural, axis=1) for bound in bounds)
        return before, upto

    def ranks(self, rows: Array, number: Scores) -> tuple[Scores, Scores]:
        """Twice the ranks minus their mean, (V, L, R), and sums of their squares, (V, R); number: of ranks, (V, R)."""
        sums = np.zeros((len(self.rows) + 1, rows.shape[1]), dtype=rows.dtype)
        np.take(rows, self.rows, axis=0, out=sums[1:], mode="clip")
        _cumulate(sums[1:].reshape(self.vectors, self.size, -1))
        below, upto = (np.take(sums, bound, axis=0) for bound in self.bounds)
        cubes = np.einsum("lr,vlr->vr", rows[:-1], (upto - below) ** 2)
        return below + upto - number[:, np.newaxis], (number**3 - cubes) / 3


class _Inversions(_Sums):
    """Pairs of entries that x and y, (V, L), order in opposite ways, of entries in the order of x, then y.

    Neighbours are compared pair by pair in blocks. Then blocks are joined, two at a time: an entry of the second forms
    inversions with the entries of the first that have higher y, whose cumulative sums are taken in the order of y.
    """

    def __init__(self, x: Scores, y: Scores) -> None:
        super().__init__(x, y)
        self.x_order = _Order(x)
        level = np.full((self.vectors, self.size), self.length)
        level[:, : self.length] = np.unique(np.take_along_axis(y, self.order, axis=1), return_inverse=True)[1].reshape(
            self.vectors, -1
        )
        block_levels = level.reshape(-1, self.block)
        index = np.arange(self.block)
        # Entries in rows form inversions with those in columns.
        inverted = (block_levels[:, np.newaxis] > block_levels[..., np.newaxis]) & (index < index[:, np.newaxis])
        self.inverted = inverted.astype(np.float32)
        self.joins: list[tuple[int, Indices, Indices]] = []
        half = self.block
        while half < self.size:
            self.joins.append((half, *_join(level.reshape(-1, 2 * half))))
            half *= 2

    def count(self, rows: Array) -> Scores:
        """Number of inversions, (V, R); rows: (L + 1, R)."""
        counts = np.take(rows, self.rows, axis=0, mode="clip")
        resamples = counts.shape[1]
        small = (float(counts.max(initial=0)) * self.block) ** 2 < 1 << 24
        exact = np.dtype(np.float32 if small else np.float64)
        blocks = counts.reshape(-1, self.block, resamples).astype(exact)
        within: Array = self.inverted.astype(exact, copy=False) @ blocks
        total: Scores = self._vector_sums(np.einsum("kbr,kbr->kr", within, blocks))
        # Row 0 is 0, for entries of second halves without a higher one in the first.
        sums = np.zeros((len(counts) // 2 + 1, resamples), dtype=counts.dtype)
        higher = np.empty_like(sums[1:])
        for half, firsts, before in self.joins:
            np.take(counts, firsts, axis=0, out=sums[1:], mode="clip")
            _cumulate(sums[1:].reshape(-1, half, resamples))
            np.take(sums, before, axis=0, out=higher, mode="clip")
            seconds = counts.reshape(-1, 2, half, resamples)[:, 1]
            total += self._vector_sums(np.einsum("khr,khr->kr", higher.reshape(-1, half, resamples), seconds))
        return total

    def _vector_sums(self, numbers: Array) -> Scores:
        """Sums (V, R) of the numbers of the parts of vectors, (K, R)."""
        return np.asarray(numbers.reshape(self.vectors, -1, numbers.shape[1]).sum(axis=1, dtype=np.float64))


def _join(level: Indices) -> tuple[Indices, Indices]:
    """For pairs of halves (K, 2h) with levels of y, rows of the first halves and of sums, both (K h,).

    The first are the entries of the first halves in descending order. The second are, for each entry of the second
    halves, the row after that of the last of these that is higher; 0 where none is.
    """
    number, half = len(level), level.shape[1] // 2
    key = -2 * level
    key[:, :half] += 1
    order = np.argsort(key, axis=1, kind="stable")
    first = order < half
    higher = (np.cumsum(first, axis=1) - first)[~first].reshape(-1, half)
    before = np.empty_like(higher)
    np.put_along_axis(before, order[~first].reshape(-1, half) - half, higher, axis=1)
    base = np.arange(number)[:, np.newaxis]
    rows = order[first].reshape(-1, half) + base * 2 * half
    return rows.reshape(-1), np.where(before > 0, before + base * half, 0).reshape(-1)


def _cumulate(rows: Array) -> None:
    """Cumulative sums along the middle axis of (K, n, R), in place."""
    size = rows.shape[1]
    inner = size if size <= BLOCK else min(BLOCK // 2, size & -size)
    parts = rows.reshape(-1, inner, rows.shape[2])
    for index in range(1, inner):
        parts[:, index] += parts[:, index - 1]
    if inner < size:
        ends = parts[:, -1].reshape(len(rows), -1, rows.shape[2]).copy()
        _cumulate(ends)
        rows.reshape(len(rows), -1, inner, rows.shape[2])[:, 1:] += ends[:, :-1, np.newaxis]


def resampled_means(scores: Scores, multiplicities: Integers) -> Scores:
    """Means of the systems over resamples of items, (R, ..., S).

    scores: NaN where missing; units are those of the leading axes, (..., S, N). multiplicities: of the items,
    (R, N).
    """
    present = ~np.isnan(scores)
    weights = multiplicities.astype(np.float64)
    total = np.tensordot(weights, np.where(present, scores, 0.0), axes=(1, -1))
    number = weights.sum(axis=1).reshape(-1, *[1] * (scores.ndim - 1))
    if not present.all():
        number = np.tensordot(weights, present.astype(np.float64), axes=(1, -1))
    return means_on_grid(divide(total, number), largest_scores(scores), scores.shape[-1])


CANCELLED = 1e-6
"""Share of the sum of squares below which a sum of squared deviations is computed from the deviations."""

SUMS_TOGETHER = 1 << 20
"""Maximum number of scores whose deviations are in memory."""


def pearson_sums(x: Scores, y: Scores) -> CorrelateCounts:
    """Pearson's r of vectors x, (M, L, V), with y, (L, V), NaN in all where one is missing."""
    present = ~np.isnan(y)
    x, y = deviations(x, axis=-2), deviations(y, axis=-2)

    def correlate_counts(counts: Integers) -> Scores:
        weights = counts.astype(np.float64)
        number = weights @ (present[:, :1] if present.all() else present)
        share = divide(1.0, number, undefined=0.0)
        sum_y, squares_y = weights @ y, weights @ (y * y)
        spread_y = squares_y - sum_y * sum_y * share
        inexact_y = spread_y < CANCELLED * squares_y
        values = np.empty((len(counts), len(x), y.shape[1]))
        for measure, scores in enumerate(x):
            sum_x, squares, product = weights @ scores, weights @ (scores * scores), weights @ (scores * y)
            spread = squares - sum_x * sum_x * share
            product -= sum_x * sum_y * share
            values[:, measure] = divide(product, np.sqrt(np.maximum(spread * spread_y, 0.0)))
            inexact = inexact_y | (spread < CANCELLED * squares)
            if inexact.any():
                indices = np.stack(np.nonzero(inexact & (number > 0)), axis=1)
                for begin in range(0, len(indices), max(1, SUMS_TOGETHER // len(y))):
                    resample, vector = indices[begin : begin + max(1, SUMS_TOGETHER // len(y))].T
                    times = weights[resample] * present[:, vector].T
                    values[resample, measure, vector] = _weighted_pearson(times, scores[:, vector].T, y[:, vector].T)
        return np.clip(values, -1.0, 1.0, out=values)

    return correlate_counts


def _weighted_pearson(weights: Scores, x: Scores, y: Scores) -> Scores:
    """Pearson's r (E,) of vectors (E, L) with weights (E, L)."""
    number = weights.sum(axis=1, keepdims=True)
    mask = weights > 0
    constant, deviations = np.zeros(len(x), dtype=np.bool_), []
    for scores in (x, y):
        lowest, highest = np.where(mask, scores, np.inf).min(axis=1), np.where(mask, scores, -np.inf).max(axis=1)
        constant |= lowest == highest
        scores = scores - lowest[:, np.newaxis]
        deviations.append(scores - (weights * scores).sum(axis=1, keepdims=True) / number)
    dx, dy = deviations
    spread = np.sqrt((weights * dx**2).sum(axis=1) * (weights * dy**2).sum(axis=1))
    return divide((weights * dx * dy).sum(axis=1), np.where(constant, 0.0, spread))
