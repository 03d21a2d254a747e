"""Differences of correlations after random swaps of the scores of two measures, for many pairs of measures at once.

A rank correlation sums a weight w(e, f) over pairs of entries. Of the 2L scores of two measures in one order, swaps
select L for the first measure, with s = 1, and leave the others, with s = −1, to the second. The sum of the first minus
that of the second is Σ (s_e + s_f) / 2 w(e, f), which is linear in the swaps. Its weights are sums of the position of
each score of a measure among those of another one, so that pairs of measures share them. So are the sums that Pearson's
r is made of, for all measures. Ties of the measures change denominators, and have a form for each pair of measures.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from metaeval.arrays import Array, Bools, Indices, Ints, Scores
from metaeval.grid import round_to_grid
from metaeval.stats._arrays import CountsBefore, portions
from metaeval.stats._swap_forms import FORMS, Form, Swapped, Swaps, correlate_vectors, form_of_vectors
from metaeval.stats.association import COEFFICIENTS, mean_scores, vector_coefficients
from metaeval.stats.intervals import defined_mean
from metaeval.stats.rank import mean_ranks
from metaeval.stats.ratio import divide


@dataclass(frozen=True)
class Linear:
    """Weights of P pairs of measures in V vectors; (P, V) unless said.

    numerators: their products with the swaps are the numerator of the first measure minus that of the second, (P, V,
    L). denominators: of vectors whose scores do not change them, 0 where undefined, (V,). varies: whether ties of the
    measures change the denominator.
    """

    numerators: Scores
    denominators: Scores
    varies: Bools

    def of(self, pairs: slice) -> Linear:
        """The weights of some of the pairs."""
        return Linear(self.numerators[pairs], self.denominators, self.varies[pairs])


def linear_weights(scores: Scores, human: Scores, pairs: Indices, coefficients: Sequence[str]) -> list[Linear]:
    """The weights of the swaps of the scores of pairs of measures, for each coefficient.

    scores, human: vectors of scores of measures and of human scores, NaN in all where one is missing, (M, V, L) and (V,
    L). pairs: both measures of each pair, (P, 2). coefficients: names of `association.COEFFICIENTS`, except `pearson`.
    """
    positions = _Positions(scores, human)
    shape = (len(coefficients), len(pairs), *human.shape)
    numerators, most = np.zeros(shape), np.zeros((2, 2, *shape[1:3]), dtype=np.intp)
    for one in np.unique(pairs):
        sums, tied = zip(*(positions.against(one, coefficient) for coefficient in coefficients), strict=True)
        coefficient_sums, most_tied = np.stack(sums), tied[0].max(axis=-1, initial=0)
        for column in (0, 1):
            indices = np.flatnonzero(pairs[:, column] == one)
            for pair in indices:
                numerators[:, pair] += coefficient_sums[:, pairs[pair, 1]]
                numerators[:, pair] -= coefficient_sums[:, pairs[pair, 0]]
            for index in (0, 1):
                most[column, index, indices] = most_tied[pairs[indices, index]]
    numerators /= 2
    crossed = (most[0, 1] > 0) | (most[1, 0] > 0)
    weights = []
    for index, coefficient in enumerate(coefficients):
        varies = crossed | (most[0, 0] > 1) | (most[1, 1] > 1)
        if coefficient == "kendall-c":
            # A score that at most k entries have is at most that of k cells.
            largest = most.sum(axis=0).max(axis=0)
            varies = positions.number[:, 0] < largest * positions.levels
        elif coefficient not in ("kendall-b", "spearman"):
            varies = np.zeros_like(varies)
        weights.append(Linear(numerators[index], positions.denominators(coefficient), varies))
    return weights


class _Positions:
    """Positions of the scores of measures among those of others. scores, human: (M, V, L) and (V, L), see above."""

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

    def against(self, one: int, coefficient: str) -> tuple[Scores, Ints]:
        """Σ_f w(e, f) over the scores f of a measure for all entries e, and how many tie, (M, V, L).

        w: the sign of the score of f minus that of e times that of their human scores (Kendall), or times the
        difference of the ranks of these over 2 (Spearman).
        """
        codes = self.codes[one]
        row = np.arange(len(codes))[:, np.newaxis] * (self.values + 1)
        code_counts = np.bincount((row + codes + 1)[self.present], minlength=row.size * (self.values + 1))
        upto_code = np.cumsum(code_counts.reshape(len(codes), -1), axis=1).reshape(-1)
        before, upto = upto_code[row + self.codes], upto_code[row + self.codes + 1]
        order = np.argsort(np.where(self.present, codes, self.values), axis=1, kind="stable")
        if coefficient == "spearman":
            ranks = np.pad(np.cumsum(np.take_along_axis(self.ranks, order, axis=1), axis=1), ((0, 0), (1, 0)))
            row = np.arange(len(codes))[:, np.newaxis] * ranks.shape[1]
            rank_sums = ranks.reshape(-1)[row + before] + ranks.reshape(-1)[row + upto]
            sums = (self.ranks * (before + upto - self.number) - rank_sums) / 2
            return np.where(self.present, sums, 0.0), np.where(self.present, upto - before, 0)
        counter = CountsBefore(np.take_along_axis(self.level, order, axis=1))
        lower, not_higher = counter.count(before, self.level), counter.count(before, self.level + 1)
        lower_upto, not_higher_upto = lower, not_higher
        if not np.array_equal(before, upto):
            lower_upto, not_higher_upto = counter.count(upto, self.level), counter.count(upto, self.level + 1)
        signs = lower + not_higher - before + self.number - upto - self.below - self.upto + lower_upto + not_higher_upto
        if coefficient == "pairwise-accuracy":
            # Twice the pairs that are ordered alike or tied in both: ties of one add −1, of both 2.
            joint_ties = (not_higher_upto - lower_upto) - (not_higher - lower)
            signs = (signs + 3 * joint_ties - (upto - before)) / 2
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
    sorted_values = np.take_along_axis(values, order, axis=1)
    steps, codes = np.zeros(values.shape, dtype=np.int64), np.empty(values.shape, dtype=np.int64)
    steps[:, 1:] = np.cumsum(sorted_values[:, 1:] != sorted_values[:, :-1], axis=1)
    np.put_along_axis(codes, order, steps, axis=1)
    return codes


PAIRS_MEMORY = 1 << 28
"""Approximate limit of the memory of the pairs of measures that share draws, in bytes."""

FORM_MEMORY = 1 << 10
"""Approximate memory of a form for each of its cells, in bytes."""

SUMS_TOGETHER = 1 << 15
"""Maximum number of sums of Pearson's r of measures, resamples and vectors at once, so that they fit in the cache."""

_CONSTANT = 1e-12
"""Variance relative to the mean square up to which it is a rounding error."""


@dataclass(frozen=True)
class Group:
    """Measures that are compared on the same cells.

    scores, human: (M, S, N) and (S, N), NaN in all where one is missing. pairs: (P, 2), in ascending order. indices:
    those of the pairs among the pairs of all groups, (P,).
    """

    scores: Scores
    human: Scores
    pairs: Indices
    indices: Indices


@dataclass(frozen=True)
class Part:
    """Some pairs of a group: a function from swaps (R, V, L) to differences (C, R, P).

    coefficients, indices: of all coefficients, and of the pairs of all groups.
    """

    coefficients: slice
    indices: Indices
    after: Callable[[Scores], Scores]
    memory: int


def differences_after(
    groups: Iterable[Group],
    *,
    level: str,
    coefficients: Sequence[str],
    constant: float = np.nan,
    swapped: Swapped,
) -> Iterator[list[Part]]:
    """Functions from swaps to differences, of as many pairs as fit in memory.

    groups: groups of measures. coefficients: names of `association.COEFFICIENTS`. level, constant: as in
    `association.at_level`, for a level other than `system`. swapped: what is swapped together.
    """
    if level == "global":
        constant = np.nan
    batch: list[Part] = []
    for group in groups:
        vectors = vectors_at(group.scores, level), vectors_at(group.human, level)
        for part in _parts(group, *vectors, coefficients=coefficients, constant=constant, swapped=swapped):
            batch.append(part)
            if sum(one.memory for one in batch) >= PAIRS_MEMORY:
                yield batch
                batch = []
    if batch:
        yield batch


def _parts(
    group: Group, scores: Scores, human: Scores, *, coefficients: Sequence[str], constant: float, swapped: Swapped
) -> Iterator[Part]:
    """The parts of a group, whose vectors are (M, V, L) and (V, L)."""
    columns = {name: slice(index, index + 1) for index, name in enumerate(coefficients)}
    if "pearson" in columns:
        after = _pearson(scores, human, group.pairs, constant)
        yield Part(columns["pearson"], group.indices, after, 24 * scores.size)
    names = [name for name in coefficients if name != "pearson"]
    if not names:
        return
    for together in portions(len(group.pairs), 8 * human.size * len(names), PAIRS_MEMORY):
        pairs, indices = group.pairs[together], group.indices[together]
        for name, linear in zip(names, linear_weights(scores, human, pairs, names), strict=True):
            for block in portions(len(pairs), FORM_MEMORY * human.size, PAIRS_MEMORY):
                after, memory = _ranks(
                    scores, human, pairs[block], linear.of(block), name, constant=constant, swapped=swapped
                )
                yield Part(columns[name], indices[block], after, memory)


def vectors_at(scores: Array, level: str) -> Array:
    """The vectors that are correlated at a level, (..., V, L), of scores or swaps (..., S, N)."""
    if level == "global":
        return scores.reshape(*scores.shape[:-2], 1, -1)
    return scores.swapaxes(-1, -2) if level == "item" else scores


def _ranks(
    scores: Scores,
    human: Scores,
    pairs: Indices,
    linear: Linear,
    coefficient: str,
    *,
    constant: float,
    swapped: Swapped,
) -> tuple[Callable[[Scores], Scores], int]:
    """The function of a part, and its memory. Vectors whose denominators swaps do not change have weights."""
    rated_vectors = int(((~np.isnan(human)).sum(axis=1) > 1).sum())
    defined = linear.denominators > 0
    units = int(defined.sum()) if np.isnan(constant) else rated_vectors
    varies = linear.varies & defined
    scale = np.where(defined, units * linear.denominators, np.inf if units else np.nan)
    weights = linear.numerators / scale[:, np.newaxis]
    forms, memory = [], weights.nbytes
    for index in np.flatnonzero(varies.any(axis=1)):
        vectors = scores[pairs[index, 0]], scores[pairs[index, 1]], human
        may_lack = bool((varies[index] & _may_be_constant(*vectors)).any())
        rows = np.flatnonzero(defined if may_lack else varies[index])
        weights[index, rows] = 0.0
        x, y, z = (array[rows] for array in vectors)
        if may_lack or coefficient not in FORMS:
            form = correlate_vectors(x, y, z, rows, coefficient)
        else:
            form = form_of_vectors((x, y, z), rows, linear.numerators[index, rows], coefficient, swapped)
        forms.append((index, _mean_difference(form, constant, units, all_defined=not may_lack)))
        memory += FORM_MEMORY * len(rows) * human.shape[1]
    # (V, L, P)
    weights = np.ascontiguousarray(weights.transpose(1, 2, 0))

    def after(swaps: Scores) -> Scores:
        differences: Scores = swaps.reshape(len(swaps), -1) @ weights.reshape(-1, len(pairs))
        all_swaps = Swaps(swaps)
        for index, difference in forms:
            differences[:, index] += difference(all_swaps)
        return differences[np.newaxis]

    return after, memory


def _may_be_constant(x: Scores, y: Scores, z: Scores) -> Bools:
    """Whether some choice of x or y in each cell makes all scores of a vector the same, (V,)."""
    present = ~np.isnan(z)
    first = present.argmax(axis=1)[:, np.newaxis]
    either = np.zeros(len(z), dtype=np.bool_)
    for scores in (x, y):
        value = np.take_along_axis(scores, first, axis=1)
        either |= ((x == value) | (y == value) | ~present).all(axis=1)
    return either


def _mean_difference(form: Form, constant: float, units: int, *, all_defined: bool) -> Callable[[Swaps], Scores]:
    """A function from swaps to the difference of the mean coefficients of units, (R,).

    all_defined: whether every vector has a coefficient after any swaps.
    """

    def difference(swaps: Swaps) -> Scores:
        first, second = form(swaps)
        if all_defined:
            return np.asarray((first - second).sum(axis=0) / units)
        if np.isnan(constant):
            return defined_mean(first, axis=0) - defined_mean(second, axis=0)
        first, second = (np.where(np.isnan(one), constant, one) for one in (first, second))
        return np.asarray(divide((first - second).sum(axis=0), units))

    return difference


def _pearson(scores: Scores, human: Scores, pairs: Indices, constant: float) -> Callable[[Scores], Scores]:
    """Differences of means of Pearson's r over vectors, from Σ m, Σ m² and Σ m z of the remaining and swapped cells.

    scores, human: (M, V, L) and (V, L).
    """
    present = ~np.isnan(human)
    rated_vectors = int((present.sum(axis=1) > 1).sum())
    varied = np.flatnonzero(np.fmin.reduce(human, axis=1) < np.fmax.reduce(human, axis=1))
    present, z, m = present[varied], human[varied], scores[:, varied]
    number = present.sum(axis=1)[:, np.newaxis]
    m = np.where(present, m - defined_mean(defined_mean(m, axis=0), axis=1)[:, np.newaxis], 0.0)
    z = np.where(present, z - defined_mean(z, axis=1)[:, np.newaxis], 0.0)
    # A mean square of 1, on the average.
    m = divide(m, np.sqrt((m * m).sum(axis=(0, 2)) / len(m))[:, np.newaxis], undefined=0.0)
    z = divide(z, np.sqrt((z * z).sum(axis=1, keepdims=True)), undefined=0.0)
    # (V, L, 3 M)
    weights = np.concatenate([m * np.sqrt(2 / np.maximum(number, 1)), m * m, m * z]).transpose(1, 2, 0) / 2
    whole = weights.sum(axis=1)

    def after(swaps: Scores) -> Scores:
        # Sums of r over the vectors, and of how many are undefined, of both measures.
        total = np.zeros((2, 2, len(pairs), len(swaps)))
        for part in portions(len(varied), len(m) * len(swaps), SUMS_TOGETHER):
            shifts = swaps[:, varied[part]].swapaxes(0, 1) @ weights[part]
            # (3, M, R, V)
            ways = ((whole[part, np.newaxis] + way).transpose(2, 1, 0) for way in (-shifts, shifts))
            sums = [np.ascontiguousarray(way).reshape(3, len(m), len(swaps), -1) for way in ways]
            _add_r(total, sums, pairs)
        values, undefined = total
        if np.isnan(constant):
            means = divide(values, len(varied) - undefined)
        else:
            means = divide(values + constant * undefined, rated_vectors)
        return np.asarray(means[0] - means[1]).T[np.newaxis]

    return after


def _add_r(total: Scores, sums: Sequence[Scores], pairs: Indices) -> None:
    """Add r, and how many are undefined, of both measures of each pair, (2, 2, P, R).

    sums: of the remaining and of the swapped cells, (3, M, R, V).
    """
    squares = [array[1] - array[0] * array[0] / 2 for array in sums]
    for one in np.unique(pairs[:, 0]):
        indices = np.flatnonzero(pairs[:, 0] == one)
        others = pairs[indices, 1]
        ascending = others[-1] - others[0] == len(others) - 1
        other = slice(others[0], others[-1] + 1) if ascending else others
        both = ((*sums, *squares), (*sums[::-1], *squares[::-1]))
        for (values, lacking), (rest, swapped, rest_squares, swapped_squares) in zip(
            total.swapaxes(0, 1), both, strict=True
        ):
            spread = rest[0, one] * swapped[0, other]
            np.subtract(swapped_squares[other], spread, out=spread)
            spread += rest_squares[one]
            covariance = rest[2, one] + swapped[2, other]
            if spread.min(initial=np.inf) <= 1e3 * _CONSTANT:
                undefined = spread <= _CONSTANT * (rest[1, one] + swapped[1, other])
                covariance, spread = np.where(undefined, 0.0, covariance), np.where(undefined, 1.0, spread)
                lacking[indices] += undefined.sum(axis=-1)
            np.sqrt(spread, out=spread)
            np.divide(covariance, spread, out=covariance)
            values[indices] += covariance.sum(axis=-1)


def differences_of_vectors(
    group: Group, *, level: str, coefficients: Sequence[str], constant: float
) -> Callable[[Scores], Scores]:
    """A function from swaps (R, V) of whole vectors to differences of their mean correlations, (C, R, P)."""
    options: dict[str, Any] = {"level": level, "constant": constant}
    values = np.stack(
        [vector_coefficients(group.scores, group.human, coefficient=name, **options) for name in coefficients]
    )
    # Sums of the coefficients, and the numbers of those that are defined, (2, C, M, V).
    sums = np.stack([np.nan_to_num(values), ~np.isnan(values)])
    one, other = group.pairs.T

    def after(swaps: Scores) -> Scores:
        rest, swapped = (sums @ ((1 + sign * swaps.T) / 2) for sign in (-1, 1))
        both = rest[:, :, one] + swapped[:, :, other], swapped[:, :, one] + rest[:, :, other]
        first, second = (divide(totals, numbers) for totals, numbers in both)
        return np.asarray(first - second).swapaxes(1, 2)

    return after


def differences_of_means(group: Group, coefficients: Sequence[str]) -> Callable[[Scores], Scores]:
    """A function from swaps (R, S, N) to differences of correlations of system means, (C, R, P)."""
    cells, human = (~np.isnan(group.human)).sum(axis=1)[:, np.newaxis, np.newaxis], mean_scores(group.human)
    scores = np.nan_to_num(group.scores)
    half, whole = scores.transpose(1, 0, 2) / 2, scores.sum(axis=2).T[..., np.newaxis] / 2
    one, other = group.pairs.T
    # Means that are equal on paper tie.
    largest = np.abs(scores).max(axis=(1, 2), initial=0.0)
    unit = np.maximum(largest[one], largest[other])[:, np.newaxis]

    def differences(swaps: Scores) -> Scores:
        # (S, M, R)
        shifts = half @ swaps.transpose(1, 2, 0)
        rest, swapped = (divide(sums, np.broadcast_to(cells, sums.shape)) for sums in (whole - shifts, whole + shifts))
        # (R, P, S)
        first, second = (
            round_to_grid(means, unit).T
            for means in (rest[:, one] + swapped[:, other], swapped[:, one] + rest[:, other])
        )
        by_coefficient = [COEFFICIENTS[name](first, human) - COEFFICIENTS[name](second, human) for name in coefficients]
        return np.stack(by_coefficient)

    return differences
