"""Rank correlations of two measures with human scores after random swaps of their scores, of one pair of measures.

Vectors of few entries: c is 1 where the scores of a system on an item are swapped, otherwise −1. A function f of the
scores of systems i and j is α + β c_i + γ c_j + δ c_i c_j for the first measure and α − β c_i − γ c_j + δ c_i c_j for
the second, so that all resamples of all items are matrix products.

All cells, where systems swap whole: the 2L scores have 2S groups, each measure's scores of each system, of which swaps
select S. A numerator is the sum of what each two of the selected groups add.

Other vectors: swapped scores are correlated; of more than `EXACT_UP_TO` items or clusters (of all cells, those of each
system) only the denominators, and the difference of the numerators, are those of the swaps.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from metaeval.arrays import Bools, Floats, Indices, Ints, Scores
from metaeval.stats._arrays import CountsBefore, portions
from metaeval.stats.association import COEFFICIENTS
from metaeval.stats.rank import mean_ranks
from metaeval.stats.ratio import divide, effective_number

Signs = NDArray[np.number[Any]]
Pair = tuple[Scores, Scores]


FORMS_UP_TO = 64
"""Number of entries of a vector up to which forms of all pairs are fast."""

EXACT_UP_TO = 300
"""Effective number of parts of a vector, swapped independently, up to which numerators are exact."""

FORMS_TOGETHER = 1 << 18
"""Maximum number of pairs of entries, or of an entry and a group, that are compared at once."""

POWERS = {"kendall-b": 2, "spearman": 3}
"""n² − n is twice the number of pairs, n³ − n twelve times the sum of squares of ranks less their mean."""

SHARES = {"kendall-b": 2, "spearman": 12}
"""What numerators are multiplied by, for these denominators."""


@dataclass(frozen=True)
class Swapped:
    """What is swapped together in a vector.

    parts: of each entry, the code of the part that is swapped with it, independently of others, (L,). systems: their
    number where a vector has all cells, and the scores of a system are swapped whole, else 0.
    """

    parts: Indices
    systems: int = 0


@dataclass(frozen=True)
class Swaps:
    """Random swaps of vectors, (R, V, L), which pairs of measures share."""

    signs: Scores

    def of(self, vectors: Indices) -> Scores:
        """Those of some vectors, (V, R, L)."""
        return np.ascontiguousarray(self.signs[:, vectors].swapaxes(0, 1))

    @cached_property
    def by_entry(self) -> Scores:
        """The swaps of all entries, (V, L, R)."""
        return np.ascontiguousarray(self.signs.transpose(1, 2, 0))


Form = Callable[[Swaps], Pair]
"""A function from swaps to the coefficients of both measures, (V, R)."""


def form_of_vectors(
    triple: tuple[Scores, Scores, Scores], vectors: Indices, linear: Scores, coefficient: str, swapped: Swapped
) -> Form:
    """A function of the swaps of some vectors.

    triple: scores of both measures, and human scores, of these vectors, (V, L). linear: as in `_form_of_many`.
    coefficient: one of `FORMS`.
    """
    x, y, z = triple
    length = z.shape[1]
    if length <= FORMS_UP_TO:
        parts = portions(len(vectors), length * length, FORMS_TOGETHER)
        forms = [_form_of_signs(FORMS[coefficient](x[part], y[part], z[part]), vectors[part]) for part in parts]
    elif swapped.systems:
        x, y, z = (scores.reshape(swapped.systems, -1) for scores in triple)
        forms = [_form_of_signs(_form_of_systems(x, y, z, coefficient), vectors)]
    else:
        forms = []
        for index, vector in enumerate(vectors):
            row = slice(index, index + 1)
            if effective_number(np.bincount(swapped.parts[~np.isnan(z[index])])) > EXACT_UP_TO:
                weights = linear[index]
                forms.append(_form_of_many(x[index], y[index], z[index], coefficient, vector=vector, linear=weights))
            else:
                forms.append(correlate_vectors(x[row], y[row], z[row], vectors[row], coefficient))

    def both(swaps: Swaps) -> Pair:
        first, second = np.concatenate([form(swaps) for form in forms], axis=1)
        return first, second

    return both


def _form_of_signs(form: Callable[[Signs], Pair], vectors: Indices) -> Form:
    """A function from swaps to what a form has of those of some vectors, (V, R, L)."""
    return lambda swaps: form(swaps.of(vectors))


def correlate_vectors(x: Scores, y: Scores, z: Scores, vectors: Indices, coefficient: str) -> Form:
    """The same as `form_of_vectors`, for any coefficient, by correlating swapped scores."""
    correlate = COEFFICIENTS[coefficient]
    x, y, z = x[:, np.newaxis], y[:, np.newaxis], z[:, np.newaxis]

    def both(swaps: Swaps) -> Pair:
        swapped = swaps.of(vectors) > 0
        return correlate(np.where(swapped, y, x), z), correlate(np.where(swapped, x, y), z)

    return both


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
    signs, z_signs = _signs(x, y), _signs(z, z)[0][0]
    systems = z.shape[1]
    agreement = _form([[sign * z_signs for sign in row] for row in signs])
    untied = _form([[np.abs(sign) for sign in row] for row in signs])
    untied_z = np.abs(z_signs).sum(axis=(1, 2)) / 2
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
    z_ranks = _signs(z, z)[0][0].sum(axis=2)[:, np.newaxis]
    squares_z = (z_ranks * z_ranks).sum(axis=2)
    systems = z.shape[1]
    # γ = −βᵀ for signs, so that Σ_j γ_ij c_j is −(c β)_i, and δ is antisymmetric. All terms are quarters of integers,
    # and sums of squared ranks are below 2²⁴, so that float32 is exact.
    weights = -np.concatenate([form.linear, form.product], axis=2).astype(np.float32)
    constant, linear, z_ranks = (
        row.astype(np.float32)
        for row in (form.constant.sum(axis=2)[:, np.newaxis], form.linear.sum(axis=2)[:, np.newaxis], z_ranks)
    )

    def both(swaps: Signs) -> Pair:
        c = swaps.astype(np.float32)
        by_c = c @ weights
        even = constant + c * by_c[..., systems:]
        odd = linear * c + by_c[..., :systems]
        return _rho(even + odd, z_ranks, squares_z), _rho(even - odd, z_ranks, squares_z)

    return both


def _rho(ranks: Scores, z_ranks: Scores, squares_z: Scores) -> Scores:
    squares = np.einsum("nrs,nrs->nr", ranks, ranks).astype(np.float64)
    both = (ranks @ z_ranks.swapaxes(1, 2))[..., 0].astype(np.float64)
    return np.clip(divide(both, np.sqrt(squares * squares_z)), -1.0, 1.0)


FORMS: dict[str, Callable[[Scores, Scores, Scores], Callable[[Signs], Pair]]] = {
    "kendall-b": _kendall,
    "spearman": _spearman,
}


def _form_of_many(x: Scores, y: Scores, z: Scores, coefficient: str, *, vector: int, linear: Scores) -> Form:
    """Half of the difference of the coefficients of both measures, (1, R), and its negative, for a vector (L,).

    Swaps select how many scores of a value each measure has, on which denominators depend. The mean of both numerators
    is the expected one, which neglects less than a hundredth of the standard deviation of the differences. vector: its
    index. linear: as in `_swaps.Linear`, (L,).
    """
    from scipy import sparse

    power, share = POWERS[coefficient], SHARES[coefficient]
    present = np.flatnonzero(~np.isnan(z))
    human, scores, number = z[present], np.concatenate([x[present], y[present]]), len(present)
    _, codes, sizes = np.unique(scores, return_inverse=True, return_counts=True)
    human_sizes = np.unique(human, return_counts=True)[1]

    untied_z = _untied(number, human_sizes, power)
    # Over all scores of both measures, each human score is there twice, so that ranks differ by twice as much.
    untied_of_all = _untied(2 * number, sizes, power) * _untied(2 * number, 2 * human_sizes, power)
    numerator = COEFFICIENTS[coefficient](scores, np.tile(human, 2)) * np.sqrt(untied_of_all) / share
    expected = numerator / (8 if coefficient == "spearman" else 4)
    several = sizes > 1
    tied = np.flatnonzero(several[codes])
    halves, values = np.where(tied < number, -0.5, 0.5), (np.cumsum(several) - 1)[codes[tied]]
    weights = sparse.csr_array((halves, (values, present[tied % number])), shape=(int(several.sum()), len(z)))
    wholes = sizes[several, np.newaxis] / 2

    def both(swaps: Swaps) -> Pair:
        signs = swaps.by_entry[vector]
        shifts = weights @ signs
        first, second = (
            divide(share, np.sqrt(_untied(number, counts, power) * untied_z))
            for counts in (wholes + shifts, wholes - shifts)
        )
        half = (linear @ signs * (first + second) / 2 + expected * (first - second))[np.newaxis] / 2
        return half, -half

    return both


def _untied(number: int, sizes: Floats | Ints, power: int) -> Floats:
    """n² − n or n³ − n of a number of entries, less those of tied groups; sizes: of these, (G, ...)."""
    sizes = np.asarray(sizes, dtype=np.float64)
    tied = (sizes * sizes * sizes if power == 3 else sizes * sizes) - sizes
    return np.asarray(number**power - number - tied.sum(axis=0))


def _form_of_systems(x: Scores, y: Scores, z: Scores, coefficient: str) -> Callable[[Signs], Pair]:
    """A function from swaps (1, R, S N) of whole systems to the coefficients of both measures, (1, R).

    x, y, z: scores of both measures and human scores, (S, N), NaN in all where one is missing. coefficient: 'kendall-b'
    or 'spearman'.
    """
    from scipy import sparse

    systems, power = len(z), POWERS[coefficient]
    present = ~np.isnan(z)
    human = z[present]
    scores, human_scores = np.concatenate([x[present], y[present]]), np.tile(human, 2)
    system = np.broadcast_to(np.arange(systems)[:, np.newaxis], z.shape)[present]
    order = np.argsort(scores, kind="stable")
    group = np.concatenate([system, system + systems])[order]
    starts = np.flatnonzero(np.diff(scores[order], prepend=np.nan) != 0)
    sizes = np.diff(starts, append=len(order))
    numerators = _sums_of_pairs(group, np.repeat(starts, sizes), human_scores[order], 2 * systems, coefficient)
    tied, several = np.repeat(sizes > 1, sizes), np.cumsum(sizes > 1)
    values = np.repeat(several - 1, sizes)[tied]
    # (values, 2S)
    counts = sparse.csr_array((np.ones(len(values)), (values, group[tied])), shape=(int(several[-1]), 2 * systems))
    untied_z = _untied(len(human), np.unique(human, return_counts=True)[1], power)
    first_cell = np.arange(systems) * z.shape[1]

    def both(swaps: Signs) -> Pair:
        swapped = (1 + swaps[0][:, first_cell]) / 2
        selection = np.concatenate([1 - swapped, swapped], axis=1)
        return correlate(selection), correlate(1 - selection)

    def correlate(selection: Scores) -> Scores:
        untied = _untied(len(human), np.asarray(counts @ selection.T), power)
        numerator = ((selection @ numerators) * selection).sum(axis=1)
        return divide(SHARES[coefficient] * numerator, np.sqrt(untied * untied_z))[np.newaxis]

    return both


def _sums_of_pairs(group: Indices, start: Indices, human: Floats, groups: int, coefficient: str) -> Scores:
    """Sums of the weights of pairs of scores, the lower one of the group of a row, the other of a column, (2S, 2S).

    group, start, human: of each score in ascending order, its group, the position of the first one equal to it, and its
    human score, (2L,). A weight is the sign of the difference of the human scores, or half of that of their ranks.
    """
    from scipy import sparse

    level = np.unique(human, return_inverse=True)[1]
    # All human scores are here twice.
    ranks = mean_ranks(human) / 2
    members = sparse.csr_array((np.ones(len(group)), (np.arange(len(group)), group)), shape=(len(group), groups))
    rows = max(1, FORMS_TOGETHER // max(1, len(group)))
    sums = np.empty((groups, groups))
    for begin in range(0, groups, rows):
        indicators = (group == np.arange(begin, min(begin + rows, groups))[:, np.newaxis]).astype(np.float64)
        lower = _before(indicators, start)
        if coefficient == "spearman":
            weights = (lower * ranks - _before(indicators * ranks, start)) / 2
        else:
            weights = _signs_of_lower(indicators > 0, lower.astype(np.intp), level)
        sums[begin : begin + rows] = np.asarray(weights @ members)
    return sums


def _before(values: Scores, start: Indices) -> Scores:
    """Sums of the values before a position, (G, 2L)."""
    sums: Scores = np.pad(np.cumsum(values, axis=1), ((0, 0), (1, 0)))[:, start]
    return sums


def _signs_of_lower(is_member: Bools, lower: Ints, level: Ints) -> Scores:
    """For each group, the sum of the signs of a human level less those of its first `lower` scores, (G, 2L)."""
    longest = int(is_member.sum(axis=1).max(initial=0))
    levels = np.zeros((len(is_member), longest), dtype=np.int64)
    row, position = np.nonzero(is_member)
    levels[row, np.cumsum(is_member, axis=1)[is_member] - 1] = level[position]
    counter, level = CountsBefore(levels), np.broadcast_to(level, is_member.shape)
    return np.asarray(counter.count(lower, level) + counter.count(lower, level + 1) - lower, dtype=np.float64)
