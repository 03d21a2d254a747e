"""Differences of rank correlations after random swaps of the scores of two measures, as weights of the swaps.

A rank correlation sums a weight w(e, f) over pairs of entries. Of the 2L scores of two measures in one order, swaps
select L for the first measure, with s = 1, and leave the others, with s = −1, to the second. The sum of the first minus
that of the second is Σ (s_e + s_f) / 2 w(e, f), which is linear in the swaps.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Scores = NDArray[np.float64]
Places = NDArray[np.intp]


@dataclass(frozen=True)
class Linear:
    """Weights of vectors.

    Attributes
    ----------
    numerators : array (V, L)
        Their products with the swaps are the numerator of the first measure minus that of the second; 0 where missing.
    denominators : array (V,)
        Denominators of vectors whose scores do not change them; 0 where the coefficient is undefined for any scores.
    changed : array (V,)
        Whether ties of the measures change the denominator.
    """

    numerators: Scores
    denominators: Scores
    changed: NDArray[np.bool_]


def linear_weights(x: Scores, y: Scores, z: Scores, coefficient: str) -> Linear | None:
    """The weights of the swaps of the scores x and y of two measures, or None for other coefficients.

    Parameters
    ----------
    x, y, z : array (V, L)
        Vectors of scores of both measures and of human scores, NaN in all three where one is missing.
    coefficient
        A name of `association.COEFFICIENTS`.
    """
    if coefficient not in ("kendall-b", "kendall-a", "spearman", "pairwise-accuracy"):
        return None
    present = ~np.isnan(z)
    joint = _Joint(np.nonzero(present)[0], x[present], y[present], z[present], len(z))
    number = joint.number.astype(np.float64)
    pairs = number * (number - 1) / 2
    changed = joint.tied
    if coefficient == "spearman":
        sums = joint.sums(joint.rank_sums) / 2
        denominators = np.sqrt((number**3 - number) / 12 * joint.squared_ranks)
    else:
        sums = joint.sums(joint.sign_sums)
        denominators = np.sqrt(pairs * joint.untied_human)
        if coefficient != "kendall-b":
            changed = np.zeros_like(changed)
            denominators = np.where(joint.untied_human > 0, pairs, 0.0)
        if coefficient == "pairwise-accuracy":
            sums, denominators = (sums + joint.tie_sums()) / 2, pairs
    numerators = np.zeros(z.shape)
    numerators[present] = (sums[1] - sums[0]) / 2
    return Linear(numerators, denominators, changed)


@dataclass(frozen=True)
class _Joint:
    """The scores of both measures in one order within each vector.

    vector, x, y, z: those of the C cells, vector by vector. vectors: V.
    """

    vector: Places
    x: Scores
    y: Scores
    z: Scores
    vectors: int

    @cached_property
    def number(self) -> Places:
        """Number of cells of each vector, (V,)."""
        return np.bincount(self.vector, minlength=self.vectors)

    @cached_property
    def values(self) -> Scores:
        """Scores of the entries, (2C,)."""
        return np.concatenate([self.x, self.y])

    @cached_property
    def vector_of(self) -> Places:
        """Vectors of the entries, (2C,)."""
        return np.concatenate([self.vector, self.vector])

    @cached_property
    def order(self) -> Places:
        """Entries by vector and score, (2C,)."""
        by_value = np.argsort(self.values, kind="stable")
        return by_value[_stable(self.vector_of[by_value], self.vectors)]

    @cached_property
    def begins(self) -> NDArray[np.bool_]:
        """Whether an entry of the order does not tie with the one before."""
        return _begins(self.vector_of[self.order], self.values[self.order])

    @cached_property
    def tied(self) -> NDArray[np.bool_]:
        """Whether scores of either measure tie in a vector, (V,)."""
        return np.bincount(self.vector_of[self.order[~self.begins]], minlength=self.vectors) > 0

    @cached_property
    def level(self) -> Places:
        """Number of the human score of each cell among all of all vectors, by vector and score, (C,)."""
        by_score = np.lexsort((self.z, self.vector))
        level = np.empty(len(self.z), dtype=np.intp)
        level[by_score] = np.cumsum(_begins(self.vector[by_score], self.z[by_score])) - 1
        return level

    @cached_property
    def size(self) -> Places:
        """Number of cells of each level."""
        return np.bincount(self.level)

    @property
    def untied_human(self) -> Scores:
        """Number of pairs of cells with different human scores in each vector, (V,)."""
        same = np.bincount(self.vector, self.size[self.level] - 1.0, minlength=self.vectors)
        return (self.number * (self.number - 1) - same) / 2

    @cached_property
    def ranks(self) -> Scores:
        """Mean ranks of the human scores within their vectors less the mean, (C,)."""
        first, size = np.cumsum(self.size) - self.size, self.size
        begin = (np.cumsum(self.number) - self.number)[self.vector]
        ranks: Scores = first[self.level] - begin + (size[self.level] - self.number[self.vector]) / 2
        return ranks

    @property
    def squared_ranks(self) -> Scores:
        """Sum of the squares of the ranks of each vector, (V,)."""
        return np.asarray(np.bincount(self.vector, self.ranks**2, minlength=self.vectors), dtype=np.float64)

    def sums(self, of_order: Callable[[Places], Scores]) -> Scores:
        """Σ_f w(e, f) for each entry e, without those f that tie with it, (2, C)."""
        sums = np.empty(len(self.values))
        sums[self.order] = of_order(self.order)
        if self.tied.any():
            # In the opposite order of a tied group, its pairs have the opposite sign.
            run = np.cumsum(self.begins) - 1
            end = np.cumsum(np.bincount(run))[run] - 1
            begin = np.flatnonzero(self.begins)[run]
            turned = self.order[begin + end - np.arange(len(run))]
            sums[turned] += of_order(turned)
            sums /= 2
        return sums.reshape(2, -1)

    def sign_sums(self, order: Places) -> Scores:
        """Kendall's w(e, f), e before f: the sign of the human score of f minus that of e."""
        level = self.level[order % len(self.z)]
        entries = np.arange(len(order))
        by_level = _stable(level, len(self.size))
        rank = np.empty_like(by_level)
        rank[by_level] = entries
        vector = self.vector[order % len(self.z)]
        begin = 2 * (np.cumsum(self.number) - self.number)[vector]
        first = 2 * (np.cumsum(self.size) - self.size)[level]
        # Entries of earlier vectors precede and rank lower.
        not_higher_before = _lower_before(rank) - begin
        lower_before = not_higher_before - (rank - first)
        higher_before = entries - begin - not_higher_before
        lower = first - begin
        higher = 2 * (self.number[vector] - self.size[level]) - lower
        return np.asarray(higher - lower - 2 * (higher_before - lower_before), dtype=np.float64)

    def rank_sums(self, order: Places) -> Scores:
        """Spearman's w(e, f), e before f: the rank of the human score of f minus that of e."""
        vector, own = self.vector[order % len(self.z)], self.ranks[order % len(self.z)]
        before = np.arange(len(order)) - 2 * (np.cumsum(self.number) - self.number)[vector]
        after = 2 * self.number[vector] - 1 - before
        # The ranks of a vector sum to 0.
        return np.asarray((before - after + 1) * own - 2 * np.cumsum(own))

    def tie_sums(self) -> Scores:
        """What ties of measures add to twice the pairs that are ordered alike or tied in both, (2, C)."""
        level = np.concatenate([self.level, self.level])
        order = np.lexsort((level, self.values, self.vector_of))
        ties = np.empty(len(order))
        of_both = self.begins | np.concatenate([[True], np.diff(level[order]) != 0])[: len(order)]
        for begins, weight in ((self.begins, -1.0), (of_both, 3.0)):
            run = np.cumsum(begins) - 1
            added = weight * np.bincount(run)[run]
            ties[order] = added if weight < 0 else ties[order] + added
        return ties.reshape(2, -1)


def _begins(*keys: NDArray[np.generic]) -> NDArray[np.bool_]:
    """Whether each place of sorted keys differs from the one before."""
    begins = np.ones(len(keys[0]), dtype=np.bool_)
    begins[1:] = np.logical_or.reduce([key[1:] != key[:-1] for key in keys])
    return begins


def _stable(codes: Places, number: int) -> Places:
    """The stable order of codes below a number; codes of 16 bits are sorted by radix."""
    return np.argsort(codes.astype(np.min_scalar_type(max(0, number - 1))), kind="stable")


def _lower_before(rank: Places) -> Places:
    """How many values before each of a permutation of 0 … m − 1 are lower.

    Bit by bit from the highest, values with the same higher bits stand together in their order, so that they fill the
    places from the lowest of them on.
    """
    values, places = rank, np.arange(len(rank))
    counts = np.zeros_like(rank)
    for bit in reversed(range(max(0, len(rank) - 1).bit_length())):
        low = (values >> bit) & 1 == 0
        lows = np.cumsum(low) - low
        begin = (values >> (bit + 1)) << (bit + 1)
        before = lows - lows[begin]
        # All low values exist wherever there is a high one.
        to = np.where(low, begin + before, places + (1 << bit) - before)
        counts += np.where(low, 0, before)
        moved = np.empty((2, len(rank)), dtype=rank.dtype)
        moved[0, to], moved[1, to] = values, counts
        values, counts = moved
    return counts[rank]
