"""Differences of correlations after random swaps of the scores of two measures, for many pairs of measures at once.

A rank correlation sums a weight w(e, f) over pairs of entries. Of the 2L scores of two measures in one order, swaps
select L for the first measure, with s = 1, and leave the others, with s = −1, to the second. The sum of the first minus
that of the second is Σ (s_e + s_f) / 2 w(e, f), which is linear in the swaps. Its weights are sums of the place of each
score of a measure among those of another one, so that pairs of measures share them. So are the sums that Pearson's r is
made of, for all measures.

Ties of the measures change denominators, and have a form for each pair of measures. Of few entries: c is 1 where the
scores of a system on an item are swapped, otherwise −1. A function f of the scores of systems i and j is α + β c_i +
γ c_j + δ c_i c_j for the first measure and α − β c_i − γ c_j + δ c_i c_j for the second, so that all resamples of all
items are matrix products. Of many entries, swapped scores are correlated, for Spearman's rho by counts of their values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from metaeval.arrays import Array, Bools, Indices, Ints, Scores
from metaeval.grid import round_to_grid
from metaeval.stats._arrays import CountsBefore, signs_against
from metaeval.stats.association import COEFFICIENTS, mean_scores
from metaeval.stats.intervals import defined_mean
from metaeval.stats.rank import mean_ranks
from metaeval.stats.ratio import divide

Signs = NDArray[np.number[Any]]
Pair = tuple[Scores, Scores]


@dataclass(frozen=True)
class _Form:
    """α, β and δ, (N, S, S), of a function of the scores of two systems with f(j, i) = ± f(i, j), so that γ = ± βᵀ."""

    constant: Scores
    linear: Scores
    product: Scores


def _form(values: list[list[Scores]]) -> _Form:
    """The form of f; values[a][b]: f of the scores of measure a for i and of measure b for j, (N, S, S)."""
    (xx, xy), (yx, yy) = values
    return _Form((xx + xy + yx + yy) / 4, (yx + yy - xx - xy) / 4, (xx - xy - yx + yy) / 4)


def _signs(x: Scores, y: Scores) -> list[list[Scores]]:
    """Signs of the differences of all pairs of systems, (N, S, S), by [measure of i][measure of j]."""
    signs = [[np.sign(one[:, :, np.newaxis] - other[:, np.newaxis]) for other in (x, y)] for one in (x, y)]
    return [[np.where(np.isnan(sign), 0.0, sign) for sign in row] for row in signs]


def _kendall(x: Scores, y: Scores, z: Scores) -> Callable[[Signs], Pair]:
    """Kendall's tau-b of every item for both measures; x, y, z: (N, S)."""
    signs, of_z = _signs(x, y), _signs(z, z)[0][0]
    systems = z.shape[1]
    agreement = _form([[sign * of_z for sign in row] for row in signs])
    untied = _form([[np.abs(sign) for sign in row] for row in signs])
    untied_z = np.abs(of_z).sum(axis=(1, 2)) / 2
    # Quarters of integers below 2²² are exact.
    forms = (agreement, untied)
    products = np.concatenate([form.product / 2 for form in forms], axis=2).astype(np.float32)
    linear = np.stack([form.linear.sum(axis=2) for form in forms], axis=2).astype(np.float32)
    weights = np.concatenate([products, linear], axis=2)
    constant = np.stack([form.constant.sum(axis=(1, 2)) / 2 for form in forms])[..., np.newaxis]

    def both(swaps: Signs) -> Pair:
        c = swaps.astype(np.float32)
        by_c = c @ weights
        quadratic = [np.einsum("nrs,nrs->nr", by_c[..., form * systems : (form + 1) * systems], c) for form in range(2)]
        even = np.stack(quadratic) + constant
        odd = np.moveaxis(by_c[..., 2 * systems :], 2, 0)
        first, second = even + odd, even - odd
        return _tau(first, untied_z), _tau(second, untied_z)

    return both


def _tau(counts: Scores, untied_z: Scores) -> Scores:
    return divide(counts[0], np.sqrt(counts[1] * untied_z[:, np.newaxis]))


def _spearman(x: Scores, y: Scores, z: Scores) -> Callable[[Signs], Pair]:
    """Spearman's rho of every item: a rank minus the mean rank is half of a row sum of the signs."""
    form = _form(_signs(x, y))
    of_z = _signs(z, z)[0][0].sum(axis=2)[:, np.newaxis]
    squares_z = (of_z * of_z).sum(axis=2)
    systems = z.shape[1]
    # γ = −βᵀ for signs, so that Σ_j γ_ij c_j is −(c β)_i, and δ is antisymmetric. All terms are quarters of integers,
    # and sums of squared ranks are below 2²⁴, so that float32 is exact.
    weights = -np.concatenate([form.linear, form.product], axis=2).astype(np.float32)
    constant, own, of_z = (
        row.astype(np.float32)
        for row in (form.constant.sum(axis=2)[:, np.newaxis], form.linear.sum(axis=2)[:, np.newaxis], of_z)
    )

    def both(swaps: Signs) -> Pair:
        c = swaps.astype(np.float32)
        by_c = c @ weights
        even = constant + c * by_c[..., systems:]
        odd = own * c + by_c[..., :systems]
        return _rho(even + odd, of_z, squares_z), _rho(even - odd, of_z, squares_z)

    return both


def _rho(ranks: Scores, of_z: Scores, squares_z: Scores) -> Scores:
    squares = np.einsum("nrs,nrs->nr", ranks, ranks).astype(np.float64)
    both = (ranks @ of_z.swapaxes(1, 2))[..., 0].astype(np.float64)
    return np.clip(divide(both, np.sqrt(squares * squares_z)), -1.0, 1.0)


FORMS: dict[str, Callable[[Scores, Scores, Scores], Callable[[Signs], Pair]]] = {
    "kendall-b": _kendall,
    "spearman": _spearman,
}


def _spearman_of_values(x: Scores, y: Scores, z: Scores) -> Callable[[Signs], Pair]:
    """Spearman's rho of one vector, (1, L), by how many scores of each value swaps select, and their human ranks."""
    from scipy import sparse

    present = np.flatnonzero(~np.isnan(z[0]))
    number = len(present)
    values, codes = np.unique(np.concatenate([x[0, present], y[0, present]]), return_inverse=True)
    ranks = mean_ranks(z[0, present]) - (number + 1) / 2
    squares_z = float((ranks * ranks).sum())
    halves, twice = np.repeat([-0.5, 0.5], number), np.tile(ranks, 2)
    cells = codes, np.tile(np.arange(number), 2)
    weights = [sparse.csr_array((each, cells), shape=(len(values), number)) for each in (halves, halves * twice)]
    wholes = [np.bincount(codes, each / 2)[:, np.newaxis] for each in (np.ones(2 * number), twice)]

    def both(swaps: Signs) -> Pair:
        chosen = np.ascontiguousarray(swaps[0, :, present], dtype=np.float64)
        (counts, sums), (moved, moved_sums) = wholes, (each @ chosen for each in weights)
        return rho(counts + moved, sums + moved_sums), rho(counts - moved, sums - moved_sums)

    def rho(counts: Scores, sums: Scores) -> Scores:
        of_values = np.cumsum(counts, axis=0) - (counts + number) / 2
        squares = (of_values * of_values * counts).sum(axis=0)
        return divide((of_values * sums).sum(axis=0), np.sqrt(squares * squares_z))[np.newaxis]

    return both


@dataclass(frozen=True)
class Linear:
    """Weights of P pairs of measures in V vectors; (P, V) unless said.

    numerators: their products with the swaps are the numerator of the first measure minus that of the second, (P, V,
    L). denominators: of vectors whose scores do not change them, 0 where undefined, (V,). changed: whether ties of the
    measures change the denominator.
    """

    numerators: Scores
    denominators: Scores
    changed: Bools


def linear_weights(scores: Scores, human: Scores, pairs: Indices, coefficients: Sequence[str]) -> list[Linear]:
    """The weights of the swaps of the scores of pairs of measures, for each coefficient.

    scores, human: vectors of scores of measures and of human scores, NaN in all where one is missing, (M, V, L) and (V,
    L). pairs: both measures of each pair, (P, 2). coefficients: names of `association.COEFFICIENTS`, except `pearson`.
    """
    ranked = _Ranked(scores, human)
    shape = (len(coefficients), len(pairs), *human.shape)
    numerators, most = np.zeros(shape), np.zeros((2, 2, *shape[1:3]), dtype=np.intp)
    for one in np.unique(pairs):
        of_coefficients, tied = ranked.against(one, coefficients)
        most_tied = tied.max(axis=-1, initial=0)
        for column in (0, 1):
            own = np.flatnonzero(pairs[:, column] == one)
            for pair in own:
                numerators[:, pair] += of_coefficients[:, pairs[pair, 1]]
                numerators[:, pair] -= of_coefficients[:, pairs[pair, 0]]
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
        found.append(Linear(numerators[index], ranked.denominators(coefficient), changed))
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

    def against(self, one: int, coefficients: Sequence[str]) -> tuple[Scores, Ints]:
        """Σ_f w(e, f) over the scores f of a measure for all entries e, (C, M, V, L), and how many tie, (M, V, L).

        w: the sign of the score of f minus that of e times that of their human scores (Kendall), or times the
        difference of the ranks of these over 2 (Spearman).
        """
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


FORMS_UP_TO = 64
"""Number of entries of a vector up to which forms of all pairs are fast."""

FORMS_TOGETHER = 1 << 18
"""Maximum number of pairs of entries, over all vectors, whose forms are made at once."""

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
    """Some pairs of a group: a function from swaps (R, V, L) and signs (R, K, V) to differences (C, R, K, P).

    coefficients, indices: of all coefficients, and of the pairs of all groups. The swaps of a vector are multiplied by
    its signs, so that K resamples share the correlations of the vectors.
    """

    coefficients: slice
    indices: Indices
    after: Callable[[Scores, Scores], Scores]
    memory: int


def differences_after(
    groups: Iterable[Group],
    *,
    level: str,
    coefficients: Sequence[str],
    constant: float = np.nan,
) -> Iterator[list[Part]]:
    """Functions from swaps to differences, of as many pairs as fit in memory.

    groups: groups of measures. coefficients: names of `association.COEFFICIENTS`. level, constant: as in
    `association.at_level`, for a level other than `system`.
    """
    if level == "global":
        constant = np.nan
    of_ranks = [name for name in coefficients if name != "pearson"]
    some: list[Part] = []
    for group in groups:
        scores, human = vectors_at(group.scores, level), vectors_at(group.human, level)
        for own in (slice(index, index + 1) for index, name in enumerate(coefficients) if name == "pearson"):
            some.append(Part(own, group.indices, _pearson(scores, human, group.pairs, constant), 24 * scores.size))
        together = max(1, PAIRS_MEMORY // max(1, 8 * human.size * len(of_ranks)))
        for begin in range(0, len(group.pairs) if of_ranks else 0, together):
            pairs, indices = (each[begin : begin + together] for each in (group.pairs, group.indices))
            for name, linear in zip(of_ranks, linear_weights(scores, human, pairs, of_ranks), strict=True):
                after, memory = _ranks(scores, human, pairs, linear, name, constant=constant)
                own = slice(coefficients.index(name), coefficients.index(name) + 1)
                some.append(Part(own, indices, after, memory))
            if sum(one.memory for one in some) >= PAIRS_MEMORY:
                yield some
                some = []
    if some:
        yield some


def vectors_at(scores: Array, level: str) -> Array:
    """The vectors that are correlated at a level, (..., V, L), of scores or swaps (..., S, N)."""
    if level == "global":
        return scores.reshape(*scores.shape[:-2], 1, -1)
    return scores.swapaxes(-1, -2) if level == "item" else scores


def _ranks(
    scores: Scores, human: Scores, pairs: Indices, linear: Linear, coefficient: str, *, constant: float
) -> tuple[Callable[[Scores, Scores], Scores], int]:
    """The function of a part, and its memory. Vectors whose denominators swaps do not change have weights."""
    rated = int(((~np.isnan(human)).sum(axis=1) > 1).sum())
    defined = linear.denominators > 0
    units = int(defined.sum()) if np.isnan(constant) else rated
    changed = linear.changed & defined
    scale = np.where(defined, units * linear.denominators, np.inf if units else np.nan)
    weights = linear.numerators / scale[:, np.newaxis]
    forms, memory = [], weights.nbytes
    for index in np.flatnonzero(changed.any(axis=1)):
        vectors = scores[pairs[index, 0]], scores[pairs[index, 1]], human
        may_lack = bool((changed[index] & _may_be_constant(*vectors)).any())
        own = defined if may_lack else changed[index]
        weights[index, own] = 0.0
        x, y, z = (each[own] for each in vectors)
        form = _form_of_product(x, y, z, coefficient)
        forms.append((index, own, _mean_difference(form, constant, units, all_defined=not may_lack)))
        memory += FORM_MEMORY * int(own.sum()) * human.shape[1]
    # (V, L, P)
    weights = np.ascontiguousarray(weights.transpose(1, 2, 0))

    def after(swaps: Scores, signs: Scores) -> Scores:
        if signs.shape[1:] == (1, 1):
            found = (swaps.reshape(len(swaps), -1) @ weights.reshape(-1, len(pairs)))[:, np.newaxis]
        else:
            found = signs @ np.ascontiguousarray((swaps.swapaxes(0, 1) @ weights).swapaxes(0, 1))
        signs = np.broadcast_to(signs, (*signs.shape[:2], len(human)))
        for index, own, differences in forms:
            vectors = np.ascontiguousarray(swaps[:, own].swapaxes(0, 1))
            found[..., index] += differences(vectors, signs[..., own].transpose(2, 0, 1))
        return found[np.newaxis]

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


def _mean_difference(
    form: Callable[[Signs], Pair], constant: float, units: int, *, all_defined: bool
) -> Callable[[Scores, Scores], Scores]:
    """A function from swaps (V, R, L) and signs (V, R, K) to the difference of the mean coefficients of units, (R, K).

    all_defined: whether every vector has a coefficient after any swaps.
    """

    def difference(swaps: Scores, signs: Scores) -> Scores:
        first, second = form(swaps)
        if all_defined:
            return np.asarray(np.einsum("vr,vrk->rk", first - second, signs) / units)
        kept = signs > 0
        one, other = first[..., np.newaxis], second[..., np.newaxis]
        first, second = np.where(kept, one, other), np.where(kept, other, one)
        if np.isnan(constant):
            return defined_mean(first, axis=0) - defined_mean(second, axis=0)
        first, second = (np.where(np.isnan(one), constant, one) for one in (first, second))
        return np.asarray(divide((first - second).sum(axis=0), units))

    return difference


def _form_of_product(x: Scores, y: Scores, z: Scores, coefficient: str) -> Callable[[Signs], Pair]:
    """A function from swaps (V, R, L) to the coefficients of both measures, (V, R), for vectors (V, L)."""
    vectors, length = z.shape
    if coefficient in FORMS and length <= FORMS_UP_TO:
        make, together = FORMS[coefficient], max(1, FORMS_TOGETHER // max(1, length * length))
    elif coefficient == "spearman":
        make, together = _spearman_of_values, 1
    else:
        return _correlate_vectors(x, y, z, coefficient)
    parts = [slice(begin, begin + together) for begin in range(0, vectors, together)]
    forms = [make(x[part], y[part], z[part]) for part in parts]
    return lambda swaps: _joined(form(swaps[part]) for form, part in zip(forms, parts, strict=True))


def _joined(parts: Iterable[Pair]) -> Pair:
    first, second = (np.concatenate(one) for one in zip(*parts, strict=True))
    return first, second


def _correlate_vectors(x: Scores, y: Scores, z: Scores, coefficient: str) -> Callable[[Signs], Pair]:
    """The same as `_form`, by correlating swapped scores."""
    correlate = COEFFICIENTS[coefficient]
    x, y, z = x[:, np.newaxis], y[:, np.newaxis], z[:, np.newaxis]

    def both(swaps: Signs) -> Pair:
        swapped = swaps > 0
        return correlate(np.where(swapped, y, x), z), correlate(np.where(swapped, x, y), z)

    return both


def _pearson(scores: Scores, human: Scores, pairs: Indices, constant: float) -> Callable[[Scores, Scores], Scores]:
    """Differences of means of Pearson's r over vectors, from Σ m, Σ m² and Σ m z of the kept and the swapped cells.

    scores, human: (M, V, L) and (V, L).
    """
    present = ~np.isnan(human)
    rated = int((present.sum(axis=1) > 1).sum())
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

    def after(swaps: Scores, signs: Scores) -> Scores:
        signs = np.broadcast_to(signs, (*signs.shape[:2], len(human)))[..., varied]
        together = max(1, SUMS_TOGETHER // max(1, len(m) * len(swaps)))
        # Sums of r over the vectors, and of how many are undefined, of both measures and of their differences.
        total = np.zeros((2, 2, *signs.shape[:2], len(pairs)))
        for begin in range(0, len(varied), together):
            part = slice(begin, begin + together)
            moved = swaps[:, varied[part]].swapaxes(0, 1) @ weights[part]
            # (3, M, R, V)
            ways = ((whole[part, np.newaxis] + way).transpose(2, 1, 0) for way in (-moved, moved))
            sums = [np.ascontiguousarray(way).reshape(3, len(m), len(swaps), -1) for way in ways]
            _add_r(total, sums, pairs, signs[..., part])
        (even, odd), (lacking, fewer) = total
        means = []
        for way in (1.0, -1.0):
            undefined = lacking + way * fewer
            if np.isnan(constant):
                means.append(divide(even + way * odd, np.round(len(varied) - undefined)))
            else:
                means.append(divide(even + way * odd + constant * undefined, rated))
        return np.asarray(means[0] - means[1])[np.newaxis]

    return after


def _add_r(total: Scores, sums: Sequence[Scores], pairs: Indices, signs: Scores) -> None:
    """Add r of both measures of each pair, and how many are undefined, as half of their sum and difference.

    sums: of the kept and of the swapped cells, (3, M, R, V). signs: (R, K, V).
    """
    squares = [own[1] - own[0] * own[0] / 2 for own in sums]
    for one in np.unique(pairs[:, 0]):
        indices = np.flatnonzero(pairs[:, 0] == one)
        others = pairs[indices, 1]
        ascending = others[-1] - others[0] == len(others) - 1
        other = slice(others[0], others[-1] + 1) if ascending else others
        values, undefined = [], []
        for kept, swapped, of_kept, of_swapped in ((*sums, *squares), (*sums[::-1], *squares[::-1])):
            spread = kept[0, one] * swapped[0, other]
            np.subtract(of_swapped[other], spread, out=spread)
            spread += of_kept[one]
            covariance = kept[2, one] + swapped[2, other]
            if spread.min(initial=np.inf) <= 1e3 * _CONSTANT:
                undefined.append(spread <= _CONSTANT * (kept[1, one] + swapped[1, other]))
                covariance, spread = np.where(undefined[-1], 0.0, covariance), np.where(undefined[-1], 1.0, spread)
            else:
                undefined.append(np.zeros((1, 1, 1), dtype=np.bool_))
            np.sqrt(spread, out=spread)
            np.divide(covariance, spread, out=covariance)
            values.append(covariance)
        total[0, 0, ..., indices] += (values[0] + values[1]).sum(axis=-1)[..., np.newaxis] / 2
        total[0, 1, ..., indices] += (signs @ (values[0] - values[1]).transpose(1, 2, 0)).transpose(2, 0, 1) / 2
        if any(each.any() for each in undefined):
            first, second = (np.broadcast_to(each, values[0].shape).astype(np.float64) for each in undefined)
            total[1, 0, ..., indices] += (first + second).sum(axis=-1)[..., np.newaxis] / 2
            total[1, 1, ..., indices] += (signs @ (first - second).transpose(1, 2, 0)).transpose(2, 0, 1) / 2


BY_COMPARISON = ("kendall-b", "spearman")
"""Coefficients that are sums over comparisons of the systems."""

COMPARE_UP_TO = 64
"""Number of systems up to which they are compared one by one."""


def differences_of_means(group: Group, coefficients: Sequence[str]) -> Callable[[Scores, Scores], Scores]:
    """A function from swaps (R, S, N), and signs, to differences of correlations of system means, (C, R, 1, P)."""
    cells, human = (~np.isnan(group.human)).sum(axis=1)[:, np.newaxis, np.newaxis], mean_scores(group.human)
    scores = np.nan_to_num(group.scores)
    half, whole = scores.transpose(1, 0, 2) / 2, scores.sum(axis=2).T[..., np.newaxis] / 2
    one, other = group.pairs.T
    # Means that are equal on paper tie.
    largest = np.abs(scores).max(axis=(1, 2), initial=0.0)
    unit = np.maximum(largest[one], largest[other])[:, np.newaxis]

    def differences(swaps: Scores, _: Scores) -> Scores:
        # (S, M, R)
        moved = half @ swaps.transpose(1, 2, 0)
        kept, swapped = (divide(sums, np.broadcast_to(cells, sums.shape)) for sums in (whole - moved, whole + moved))
        first, second = (
            _correlations(round_to_grid(means, unit), human, coefficients)
            for means in (kept[:, one] + swapped[:, other], swapped[:, one] + kept[:, other])
        )
        return (first - second).swapaxes(1, 2)[:, :, np.newaxis]

    return differences


def _correlations(means: Scores, human: Scores, coefficients: Sequence[str]) -> Scores:
    """Coefficients (C, P, R) of means (S, P, R) with human scores (S,), NaN where they are."""
    compared: dict[str, Scores] = {}
    if len(human) <= COMPARE_UP_TO and not set(BY_COMPARISON).isdisjoint(coefficients):
        present = ~np.isnan(human)
        compared = _by_comparison(means[present], human[present])
    return np.stack(
        [compared[name] if name in compared else COEFFICIENTS[name](means.T, human).T for name in coefficients]
    )


def _by_comparison(means: Scores, human: Scores) -> dict[str, Scores]:
    """Kendall's tau-b and Spearman's rho of means (S, P, R), by one comparison of every two systems."""
    order = np.argsort(-human, kind="stable")
    values, human = means[order].reshape(len(human), -1), human[order]
    balance, untied = np.zeros((2, values.shape[1]), dtype=np.int64)
    # Twice the ranks less their mean.
    ranks = np.zeros(values.shape, dtype=np.int16)
    for first, score in enumerate(human[:-1]):
        signs = signs_against(values, first)
        untied += np.count_nonzero(signs, axis=0)
        balance -= np.add.reduce(signs[human[first + 1 :] < score], axis=0, dtype=np.int16)
        ranks[first + 1 :] += signs
        ranks[first] -= np.add.reduce(signs, axis=0, dtype=np.int16)
    of_human = 2 * mean_ranks(human) - (len(human) + 1)
    untied_human = float((human[:, np.newaxis] > human).sum())
    doubled = ranks.astype(np.float64)
    squares: Any = np.einsum("sk,sk->k", doubled, doubled)
    found = {
        "kendall-b": divide(balance, np.sqrt(untied * untied_human)),
        "spearman": divide(of_human @ doubled, np.sqrt(squares * (of_human**2).sum())),
    }
    return {name: each.reshape(means.shape[1:]) for name, each in found.items()}
