"""Differences of correlations after random swaps, of many pairs of measures at once, as products with the swaps.

Rank correlations of vectors without ties of the measures are one product for all pairs; so are the sums that Pearson's
r is made of, for all measures. Ties of long vectors are few (`ties`) or have a form for each pair: of few entries, as
in `forms`; of many, as in `blocks`; otherwise swapped scores are correlated.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from metaeval.arrays import Array, Bools, Indices, Scores
from metaeval.stats._swaps.blocks import LENGTHS, block_form
from metaeval.stats._swaps.forms import FORMS, Pair, Signs
from metaeval.stats._swaps.ties import POWERS, FewTies
from metaeval.stats._swaps.weights import Linear, linear_weights
from metaeval.stats.association import COEFFICIENTS
from metaeval.stats.intervals import defined_mean
from metaeval.stats.ratio import divide

FORMS_UP_TO = 64
"""Number of entries of a vector above which blocks of its order are faster than forms of all pairs."""

FORMS_TOGETHER = 1 << 18
"""Maximum number of pairs of entries, over all vectors, whose forms are made at once."""

PAIRS_MEMORY = 1 << 28
"""Approximate limit of the memory of the pairs of measures that share draws, in bytes."""

FORM_MEMORY = 1 << 10
"""Approximate memory of a form for each of its cells, in bytes."""

SUMS_TOGETHER = 1 << 15
"""Maximum number of sums of Pearson's r of measures, resamples and vectors at once, so that they fit in the cache."""

NEGLECTED = 1e-7
"""Maximum standard deviation of what `ties` neglects of a difference of correlations."""

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
    single: bool = False,
) -> Iterator[list[Part]]:
    """Functions from swaps to differences, of as many pairs as fit in memory.

    groups: groups of measures. coefficients: names of `association.COEFFICIENTS`. level, constant: as in
    `association.at_level`, for a level other than `system`. single: whether each cell has a random swap of its own.
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
                after, memory = _ranks(scores, human, pairs, linear, name, constant=constant, single=single)
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
    scores: Scores, human: Scores, pairs: Indices, linear: Linear, coefficient: str, *, constant: float, single: bool
) -> tuple[Callable[[Scores, Scores], Scores], int]:
    """The function of a part, and its memory. Vectors whose denominators swaps do not change have weights."""
    rated = int(((~np.isnan(human)).sum(axis=1) > 1).sum())
    defined = linear.denominators > 0
    units = int(defined.sum()) if np.isnan(constant) else rated
    changed = linear.changed & defined
    few = np.zeros(len(pairs), dtype=np.bool_)
    if single and coefficient in POWERS and human.shape[1] > FORMS_UP_TO and changed.any():
        tied = FewTies(scores=scores, human=human, pairs=pairs, linear=linear, coefficient=coefficient, units=units)
        few = changed.any(axis=1) & ~(linear.crossed & defined).any(axis=1) & (tied.standard_errors() <= NEGLECTED)
        tied = tied.of(np.flatnonzero(few))
    scale = np.where(defined, units * linear.denominators, np.inf if units else np.nan)
    weights = linear.numerators / scale[:, np.newaxis]
    weights[few] = 0.0
    forms, memory = [], weights.nbytes
    for index in np.flatnonzero(changed.any(axis=1) & ~few):
        vectors = scores[pairs[index, 0]], scores[pairs[index, 1]], human
        may_lack = bool((changed[index] & _may_be_constant(*vectors)).any())
        own = defined if may_lack else changed[index]
        weights[index, own] = 0.0
        x, y, z = (each[own] for each in vectors)
        form = _form(x, y, z, linear.numerators[index, own], coefficient)
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
        if few.any():
            found[..., few] += signs @ tied.differences(swaps).swapaxes(0, 1)
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


def _form(x: Scores, y: Scores, z: Scores, linear: Scores, coefficient: str) -> Callable[[Signs], Pair]:
    """A function from swaps (V, R, L) to the coefficients of both measures, (V, R), for vectors (V, L)."""
    vectors, length = z.shape
    if coefficient in FORMS and length <= FORMS_UP_TO:
        together = max(1, FORMS_TOGETHER // max(1, length * length))
        parts = [slice(begin, begin + together) for begin in range(0, vectors, together)]
        forms = [FORMS[coefficient](x[part], y[part], z[part]) for part in parts]
        return lambda swaps: _joined(form(swaps[part]) for form, part in zip(forms, parts, strict=True))
    if coefficient not in LENGTHS or length <= FORMS_UP_TO:
        return _correlate_vectors(x, y, z, coefficient)
    blocks = [
        block_form(x[own], y[own], z[own], linear[own], coefficient)
        or _correlate_vectors(x[[own]], y[[own]], z[[own]], coefficient)
        for own in range(vectors)
    ]
    return lambda swaps: _joined(block(own[np.newaxis]) for block, own in zip(blocks, swaps, strict=True))


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
