"""Differences of rank correlations after random swaps of the scores of two measures, as weights of the swaps.

A rank correlation sums a weight w(e, f) over pairs of entries. Of the 2L scores of two measures in one order, swaps
select L for the first measure, with s = 1, and leave the others, with s = −1, to the second. The sum of the first minus
that of the second is Σ (s_e + s_f) / 2 w(e, f), which is linear in the swaps. Its weights are sums of the place of each
score of a measure among those of another one, so that pairs of measures share them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from metaeval.arrays import Bools, Indices, Ints, Scores
from metaeval.stats._swaps.comparisons import COMPARE_UP_TO, Compared
from metaeval.stats._swaps.counts import CountsBefore
from metaeval.stats.rank import mean_ranks
from metaeval.stats.ratio import divide


@dataclass(frozen=True)
class Linear:
    """Weights of P pairs of measures in V vectors.

    numerators: their products with the swaps are the numerator of the first measure minus that of the second; 0 where
    missing, (P, V, L). denominators: denominators of vectors whose scores do not change them; 0 where the coefficient
    is undefined for any scores, (V,). changed: whether ties of the measures change the denominator, (P, V). crossed:
    whether a score of one measure ties with one of the other, (P, V). expected: mean numerator after random swaps, (P,
    V). deviation: standard deviation of the difference of the sums, n³ − n or n² − n of the ties, that change the
    denominator, (P, V).
    """

    numerators: Scores
    denominators: Scores
    changed: Bools
    crossed: Bools
    expected: Scores
    deviation: Scores

    def of(self, indices: Indices) -> Linear:
        """Weights of some of the pairs."""
        some = (self.changed[indices], self.crossed[indices], self.expected[indices], self.deviation[indices])
        return Linear(self.numerators[indices], self.denominators, *some)


def linear_weights(scores: Scores, human: Scores, pairs: Indices, coefficients: Sequence[str]) -> list[Linear]:
    """The weights of the swaps of the scores of pairs of measures, for each coefficient.

    scores, human: vectors of scores of measures and of human scores, NaN in all where one is missing, (M, V, L) and (V,
    L). pairs: both measures of each pair, (P, 2). coefficients: names of `association.COEFFICIENTS`, except `pearson`.
    """
    ranked = _Ranked(scores, human)
    shape = (len(coefficients), len(pairs), *human.shape)
    numerators, expected, most = np.zeros(shape), np.zeros(shape[:3]), np.zeros((2, 2, *shape[1:3]), dtype=np.intp)
    ties = np.zeros(scores.shape)
    for one in np.unique(pairs):
        of_coefficients, tied = ranked.against(one, coefficients)
        ties[one] = np.where(ranked.present, tied[one] - 1, 0)
        most_tied, totals = tied.max(axis=-1, initial=0), of_coefficients.sum(axis=-1)
        for column in (0, 1):
            own = np.flatnonzero(pairs[:, column] == one)
            first, second = pairs[own].T
            for pair in own:
                numerators[:, pair] += of_coefficients[:, pairs[pair, 1]]
                numerators[:, pair] -= of_coefficients[:, pairs[pair, 0]]
            expected[:, own] += (totals[:, first] + totals[:, second]) / 8
            for index in (0, 1):
                most[column, index, own] = most_tied[pairs[own, index]]
    numerators /= 2
    crossed = (most[0, 1] > 0) | (most[1, 0] > 0)
    found = []
    for index, coefficient in enumerate(coefficients):
        changed = crossed | (most[0, 0] > 1) | (most[1, 1] > 1)
        if coefficient == "kendall-c":
            # A score that at most k entries have is at most that of k cells.
            largest = most.sum(axis=0).max(axis=0)
            changed = ranked.number[:, 0] < largest * ranked.levels
        elif coefficient not in ("kendall-b", "spearman"):
            changed = np.zeros_like(changed)
        sizes = 0.75 * (ties + 1) ** 2 if coefficient == "spearman" else ties
        spread = np.array([((sizes[one] - sizes[other]) ** 2).sum(axis=-1) for one, other in pairs])
        deviation, denominators = np.sqrt(spread.reshape(crossed.shape)), ranked.denominators(coefficient)
        found.append(
            Linear(
                numerators=numerators[index],
                denominators=denominators,
                changed=changed,
                crossed=crossed,
                expected=expected[index],
                deviation=deviation,
            )
        )
    return found


class _Ranked:
    """Places of the scores of measures among those of others. scores, human: (M, V, L) and (V, L), see above."""

    def __init__(self, scores: Scores, human: Scores) -> None:
        measures, vectors, length = scores.shape
        self.present = ~np.isnan(human)
        self.number = self.present.sum(axis=1, keepdims=True)
        codes = _codes(scores.transpose(1, 0, 2).reshape(vectors, -1))
        self.codes = codes.reshape(vectors, measures, length).transpose(1, 0, 2)
        self.values = int(codes.max(initial=0)) + 1
        self.level = np.where(self.present, _codes(human), 0)
        self.levels = np.where(self.present, self.level + 1, 0).max(axis=1, initial=0)
        self.ranks = np.where(self.present, mean_ranks(human) - (self.number + 1) / 2, 0.0)
        # Missing entries of lower ranks would count.
        before = CountsBefore(np.where(self.present, self.level, length))
        everyone = np.full(human.shape, length)
        self.below, self.upto = (before.count(everyone, level) for level in (self.level, self.level + 1))

    @cached_property
    def compared(self) -> Compared:
        return Compared(self.codes, self.level, self.ranks, self.present)

    def against(self, one: int, coefficients: Sequence[str]) -> tuple[Scores, Ints]:
        """Σ_f w(e, f) over the scores f of a measure for all entries e, (C, M, V, L), and how many tie, (M, V, L).

        w: the sign of the score of f minus that of e times that of their human scores (Kendall), or times the
        difference of the ranks of these over 2 (Spearman).
        """
        if self.codes.shape[-1] <= COMPARE_UP_TO:
            return self.compared.against(one, coefficients)
        found = [self._by_order(one, coefficient) for coefficient in coefficients]
        return np.stack([sums for sums, _ in found]), found[0][1]

    def _by_order(self, one: int, coefficient: str) -> tuple[Scores, Ints]:
        codes = self.codes[one]
        row = np.arange(len(codes))[:, np.newaxis] * (self.values + 1)
        of_codes = np.bincount((row + codes + 1)[self.present], minlength=row.size * (self.values + 1))
        upto_code = np.cumsum(of_codes.reshape(len(codes), -1), axis=1).reshape(-1)
        before, upto = upto_code[row + self.codes], upto_code[row + self.codes + 1]
        order = np.argsort(np.where(self.present, codes, self.values), axis=1, kind="stable")
        if coefficient == "spearman":
            ranks = np.pad(np.cumsum(np.take_along_axis(self.ranks, order, axis=1), axis=1), ((0, 0), (1, 0)))
            row = np.arange(len(codes))[:, np.newaxis] * ranks.shape[1]
            of_ranks = ranks.reshape(-1)[row + before] + ranks.reshape(-1)[row + upto]
            sums = (self.ranks * (before + upto - self.number) - of_ranks) / 2
            return np.where(self.present, sums, 0.0), np.where(self.present, upto - before, 0)
        ordered = CountsBefore(np.take_along_axis(self.level, order, axis=1))
        lower, not_higher = ordered.count(before, self.level), ordered.count(before, self.level + 1)
        lower_upto, not_higher_upto = lower, not_higher
        if not np.array_equal(before, upto):
            lower_upto, not_higher_upto = ordered.count(upto, self.level), ordered.count(upto, self.level + 1)
        signs = lower + not_higher - before + self.number - upto - self.below - self.upto + lower_upto + not_higher_upto
        if coefficient == "pairwise-accuracy":
            # Twice the pairs that are ordered alike or tied in both: ties of one add −1, of both 2.
            of_both = (not_higher_upto - lower_upto) - (not_higher - lower)
            signs = (signs + 3 * of_both - (upto - before)) / 2
        return np.where(self.present, signs, 0).astype(np.float64), np.where(self.present, upto - before, 0)

    def denominators(self, coefficient: str) -> Scores:
        """Denominators, (V,), 0 where undefined, without ties of the measures."""
        number = self.number[:, 0].astype(np.float64)
        pairs = number * (number - 1) / 2
        untied = pairs - (np.where(self.present, self.upto - self.below, 1) - 1).sum(axis=1) / 2
        if coefficient == "spearman":
            return np.asarray(np.sqrt((number**3 - number) / 12 * (self.ranks**2).sum(axis=1)))
        if coefficient == "kendall-b":
            return np.asarray(np.sqrt(pairs * untied))
        if coefficient == "kendall-c":
            return divide(pairs * number * (self.levels - 1), self.levels * (number - 1), undefined=0.0)
        return pairs if coefficient == "pairwise-accuracy" else np.where(untied > 0, pairs, 0.0)


def _codes(values: Scores) -> Ints:
    """Numbers of the values of each row in ascending order, (V, K); each NaN has one of its own, above all others."""
    order = np.argsort(values, axis=1, kind="stable")
    ordered = np.take_along_axis(values, order, axis=1)
    steps, codes = np.zeros(values.shape, dtype=np.int64), np.empty(values.shape, dtype=np.int64)
    steps[:, 1:] = np.cumsum(ordered[:, 1:] != ordered[:, :-1], axis=1)
    np.put_along_axis(codes, order, steps, axis=1)
    return codes
