"""What each group of items adds to each score, and the signed sums of it that stand for chance."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from metaeval.stats.ratio import divide

Numbers = NDArray[np.float64]

CELLS_IN_CACHE = 1 << 16
"""Differences that are computed together, so that they stay in the cache of a processor."""

TOLERANCE = 1e-12
"""Parts of two systems whose deviations are less, relative to the largest score, do not differ: they are no scores,
which are on a grid, but sums in any order."""


@dataclass(frozen=True)
class Parts:
    """Scores of systems under a measure, and the parts of it that each group of items adds.

    scores: scores of all items, higher better, (S,); NaN where undefined. parts: sum over the groups is N times the
    score, (G, S); a column of NaN where the score, or that without any group, is undefined. sizes: number of items of
    each group, (G,). unit: factor of scores and parts: scores near the end of the range of numbers have no squares.
    jackknife: whether the parts are pseudo-values, and not sums of what the items add.
    """

    by_pair: ClassVar[bool] = False
    """Whether each pair of systems has its own parts, because systems lack items."""

    scores: Numbers
    parts: Numbers
    sizes: Numbers
    unit: float = 1.0
    jackknife: bool = False

    @classmethod
    def of_jackknife(cls, scores: Numbers, without: Numbers, sizes: NDArray[np.integer]) -> Parts:
        """The parts of any other measure: jackknife pseudo-sums, less their surplus.

        scores: scores of all items, (S,). without: scores of all items but those of a group, (G, S). sizes: number of
        items of each group, (G,).
        """
        of_group, items = sizes.astype(np.float64)[:, np.newaxis], float(sizes.sum())
        influence = (items - of_group) * (scores - without)
        parts = of_group * scores + influence - of_group / items * influence.sum(axis=0)
        return cls(scores, parts, of_group[:, 0], jackknife=True)

    @property
    def items(self) -> float:
        """Number of items, N."""
        return float(self.sizes.sum())

    @property
    def smallest(self) -> float:
        """The largest deviation of parts, in units of scores, that is rounding alone."""
        return TOLERANCE * max(float(np.nanmax(np.abs(self.scores), initial=0.0)), 1e-300)

    @property
    def defined(self) -> NDArray[np.bool_]:
        """Systems whose score is defined, with and without every group, (S,)."""
        return ~(np.isnan(self.scores) | np.isnan(self.parts).any(axis=0))

    def select(self, systems: NDArray[np.integer] | NDArray[np.bool_]) -> Parts:
        """The parts of some systems."""
        return replace(self, scores=self.scores[systems], parts=self.parts[:, systems])

    def differences(self, one: NDArray[np.intp], other: NDArray[np.intp]) -> Numbers:
        """Differences of the scores of pairs of systems, (P,)."""
        differences: Numbers = self.scores[one] - self.scores[other]
        return differences

    def pair_sums(self, one: NDArray[np.intp], other: NDArray[np.intp]) -> PairSums:
        """Sums of the parts of the differences of pairs of systems."""
        return PairSums.of(self.parts, self.sizes, one, other)

    def flips(self, signs: Numbers) -> Numbers:
        """Sums of the parts with random signs, (T, S): what chance makes of N times the scores.

        signs: 1 and −1, of `draw_signs`, (T, G).
        """
        return signs @ self.parts

    def noise(self, signs: Numbers) -> Numbers:
        """Deviations of the scores of another sample of groups from the expected ones, jointly for all systems, (T, S).

        signs: 1 and −1, of `draw_signs`, (T, G).
        """
        groups = len(self.sizes)
        centred: Numbers = self.parts - self.sizes[:, np.newaxis] * self.scores
        deviations: Numbers = signs @ centred
        deviations *= np.sqrt(groups / max(groups - 1, 1)) / self.items
        return deviations


def group_sums(values: Numbers, groups: NDArray[np.integer], number: int) -> Numbers:
    """Sums of the values over the items of each group.

    values: values of the items, (S, N). groups: the group of each item, from 0, (N,). number: number of groups, G.
    Returns array (G, S).
    """
    sums = np.empty((number, len(values)))
    for system, row in enumerate(values):
        sums[:, system] = np.bincount(groups, weights=row, minlength=number)
    return sums


def draw_signs(random: np.random.Generator, groups: int, trials: int) -> Numbers:
    """Random signs, one for each group, the same for all systems, measures and pairs.

    Returns 1 and −1, each with probability ½, (T, G).
    """
    words = -(-groups // 64)
    bits = random.bit_generator.random_raw(trials * words).reshape(trials, words)
    signs = np.unpackbits(bits.view(np.uint8), axis=1, count=groups, bitorder="little").view(np.int8)
    signs *= 2
    signs -= 1
    return signs.astype(np.float64)


@dataclass(frozen=True)
class PairSums:
    """Sums of squares of the differences d of pairs of systems over groups with m items.

    square, cross: Σ d² and Σ d m, (P,). sizes: Σ m², of all pairs or of each, (P,).
    """

    square: Numbers
    cross: Numbers
    sizes: float | Numbers

    @classmethod
    def of(cls, parts: Numbers, sizes: Numbers, one: NDArray[np.intp], other: NDArray[np.intp]) -> PairSums:
        """The sums of pairs, whose systems are columns of the parts (G, S)."""
        gram, cross = parts.T @ parts, sizes @ parts
        both = gram[one, one] + gram[other, other]
        square = both - 2 * gram[one, other]
        # Of near-copies the difference of large sums would be rounding alone.
        for pair in np.flatnonzero(square <= 1e-9 * both).tolist():
            difference = parts[:, one[pair]] - parts[:, other[pair]]
            square[pair] = difference @ difference
        return cls(square, cross[one] - cross[other], float(sizes @ sizes))

    def centred(self, slope: Numbers) -> Numbers:
        """Σ (d − δ m)² for differences δ of each pair, (P,)."""
        centred: Numbers = self.square - 2 * slope * self.cross + slope**2 * self.sizes
        return centred


def standard_errors(parts: Parts, one: NDArray[np.intp], other: NDArray[np.intp]) -> Numbers:
    """Standard errors of the differences of pairs of systems with defined scores; 0 where a difference does not vary.

    parts: parts of S systems. one, other: systems of each pair, (P,). Returns array (P,).
    """
    groups, items = len(parts.sizes), parts.items
    variance = (
        parts.pair_sums(one, other).centred(parts.differences(one, other)) * (groups / max(groups - 1, 1)) / items**2
    )
    return np.asarray(np.sqrt(np.where(variance <= parts.smallest**2, 0.0, variance)))


def in_errors(difference: Numbers, errors: Numbers) -> Numbers:
    """Differences in standard errors, (P,): 0 where a pair never differs, infinite where it differs without variation.

    difference, errors: differences, and their standard errors, (P,).
    """
    constant = np.where(difference == 0, difference, np.copysign(np.inf, difference))
    return np.where(errors == 0, constant, divide(difference, errors))


def differences_of_rows(values: Numbers, one: NDArray[np.intp], other: NDArray[np.intp]) -> Numbers:
    """Differences of pairs of rows, (P, T): whole rows are subtracted, which is faster than columns of the transpose.

    values: a row for each system, (S, T). one, other: systems of each pair, (P,).
    """
    rows = np.ascontiguousarray(values)
    differences = rows.take(one, axis=0)
    differences -= rows.take(other, axis=0)
    return differences
