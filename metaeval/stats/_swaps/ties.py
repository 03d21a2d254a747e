"""Differences of rank correlations of long vectors after random swaps of single cells, where few scores tie.

Ties change the denominators of the two measures, U, by which the numerators N are divided. The difference of the
numerators is linear in the swaps. Their mean multiplies the difference of 1 / √U, which is so small that the expected
mean takes its place; `standard_errors` says by how much that changes the difference of the correlations.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from metaeval.arrays import Bools, Indices, Scores
from metaeval.stats._swaps.weights import Linear
from metaeval.stats.ratio import divide

POWERS = {"kendall-b": 2, "spearman": 3}
"""A sum over tied groups of n scores, n² − n or n³ − n, changes the denominator of a coefficient."""


@dataclass(frozen=True)
class FewTies:
    """Pairs of measures in V vectors. scores, human: (M, V, L) and (V, L), NaN in all where one is missing.

    pairs: (P, 2). linear: their weights. units: number of vectors, of which those with a coefficient have a mean.
    """

    scores: Scores
    human: Scores
    pairs: Indices
    linear: Linear
    coefficient: str
    units: int

    @cached_property
    def spread(self) -> Scores:
        """The sum for one group of all cells, (V,)."""
        number = (~np.isnan(self.human)).sum(axis=1).astype(np.float64)
        return np.asarray(number ** POWERS[self.coefficient] - number)

    @cached_property
    def share(self) -> Scores:
        """What a numerator over √U is multiplied by, over the number of units, (V,); 0 where undefined."""
        # The denominator without ties of the measures is √(spread · spread of the untied human scores).
        return divide(np.sqrt(self.spread), self.units * self.linear.denominators, undefined=0.0)

    @cached_property
    def groups(self) -> tuple[Indices, Indices, Indices]:
        """Cells of groups of tied scores, where each group begins, and its number of measure and vector."""
        order = np.argsort(self.scores, axis=-1, kind="stable")
        ordered = np.take_along_axis(self.scores, order, axis=-1)
        same = np.zeros((*order.shape[:-1], order.shape[-1] + 1), dtype=np.bool_)
        np.equal(ordered[..., 1:], ordered[..., :-1], out=same[..., 1:-1])
        tied = same[..., :-1] | same[..., 1:]
        cells = (order + np.arange(len(self.human))[:, np.newaxis] * order.shape[-1])[tied]
        begins = np.flatnonzero(~same[..., :-1][tied])
        return cells, begins, np.repeat(np.arange(tied[..., 0].size), tied.sum(axis=-1).reshape(-1))[begins]

    def ties(self, swapped: Bools) -> Scores:
        """Sums for the scores of kept and of swapped cells, (2, M, V, R); swapped: (V L, R)."""
        cells, begins, unit = self.groups
        sums = np.zeros((2, self.scores[..., 0].size, swapped.shape[1]))
        if len(begins):
            counts = np.add.reduceat(swapped[cells], begins, axis=0, dtype=np.int32)
            size = np.diff(begins, append=len(cells))[:, np.newaxis]
            first = np.flatnonzero(np.diff(unit, prepend=-1))
            for own, number in zip(sums, (size - counts, counts), strict=True):
                number = number.astype(np.float64)
                own[unit[first]] = np.add.reduceat(number ** POWERS[self.coefficient] - number, first, axis=0)
        return sums.reshape(2, *self.scores.shape[:-1], -1)

    def standard_errors(self) -> Scores:
        """Upper bounds of the standard deviations of what is neglected, (P,)."""
        every = np.ones((self.human.size, 1), dtype=np.bool_)
        ties = self.ties(every)[1, ..., 0][self.pairs].sum(axis=1)
        number = (~np.isnan(self.human)).sum(axis=1)
        # That of Σ δ_ef s_e s_f over the pairs of cells is at most the root of the sum of squares of |w|.
        of_mean = number / np.sqrt(2)
        if self.coefficient == "spearman":
            of_mean = np.sqrt(number * (number**3 - number) / 48)
        untied = np.maximum(self.spread - ties, 0)
        errors = divide(of_mean * self.share * self.linear.deviation, 2 * untied**1.5, undefined=np.inf)
        return np.asarray(np.sqrt((np.where(self.linear.deviation > 0, errors, 0.0) ** 2).sum(axis=1)))

    def of(self, indices: Indices) -> FewTies:
        """Some of the pairs."""
        return replace(self, pairs=self.pairs[indices], linear=self.linear.of(indices))

    def differences(self, swaps: Scores) -> Scores:
        """What each vector adds to the difference of the means, (V, R, P); swaps: (R, V, L)."""
        linear = swaps.swapaxes(0, 1) @ self.linear.numerators.transpose(1, 2, 0)
        kept, swapped = self.ties(np.ascontiguousarray(swaps.reshape(len(swaps), -1).T) > 0)
        one, other = self.pairs.T
        of_first, of_second = (
            divide(self.share, np.sqrt(self.spread - ties.transpose(0, 2, 1)), undefined=0.0).transpose(2, 1, 0)
            for ties in (kept[one] + swapped[other], swapped[one] + kept[other])
        )
        expected = self.linear.expected.T[:, np.newaxis]
        return np.asarray(linear / 2 * (of_first + of_second) + expected * (of_first - of_second))
