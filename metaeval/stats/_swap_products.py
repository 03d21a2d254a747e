"""Differences of correlations after random swaps, of many pairs of measures at once, as products with the swaps.

Vectors without ties of the measures, and Pearson's r, are one product for all pairs. Other vectors are the turn of a
form of their pair: of few entries, as in `_swap_forms`; of many, as in `_swap_blocks`; otherwise they are correlated.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from metaeval.stats._swap_blocks import LENGTHS, block_form
from metaeval.stats._swap_forms import FORMS, Pair, Scores, Signs
from metaeval.stats._swap_weights import linear_weights
from metaeval.stats.association import COEFFICIENTS
from metaeval.stats.intervals import defined_mean
from metaeval.stats.ratio import divide

Triple = tuple[Scores, Scores, Scores]
"""Scores (S, N) of two measures and human scores, NaN in all three where one is missing."""

Differences = Callable[[Signs], Scores]
"""A function from swaps (R, S, N) to differences of the correlations of both measures, (R, P) or (R,)."""

Part = TypeVar("Part", "_Pair", "_Sums")

FORMS_UP_TO = 64
"""Number of entries of a vector above which blocks of its order are faster than forms of all pairs."""

FORMS_TOGETHER = 1 << 18
"""Maximum number of pairs of entries, over all vectors, whose forms are made at once."""

PAIRS_MEMORY = 1 << 28
"""Approximate limit of the memory of the pairs of measures that share draws, in bytes."""

FORM_MEMORY = 1 << 10
"""Approximate memory of a form for each of its cells, in bytes."""

SUMS_TOGETHER = 1 << 16
"""Maximum number of sums of Pearson's r of vectors, resamples and pairs at once, so that they fit in the cache."""

_CONSTANT = 1e-12
"""Variance relative to the mean square up to which it is a rounding error."""


def differences_after(
    triples: Iterable[Triple], *, level: str, coefficient: str, constant: float = np.nan
) -> Iterator[Differences]:
    """Functions from swaps (R, S, N) to differences (R, P), each of as many pairs as fit in memory, in order.

    Parameters
    ----------
    triples
        Scores (S, N) of each pair of measures, and human scores, NaN in all three where one is missing.
    level, coefficient, constant
        As in `association.at_level`, for a level other than `system`.
    """
    if level == "global":
        constant = np.nan
    vectors = ((_vectors(x, level), _vectors(y, level), _vectors(z, level)) for x, y, z in triples)
    if coefficient == "pearson":
        sums = (_pearson_sums(x, y, z, constant) for x, y, z in vectors)
        return (_by_sums(some, level) for some in _in_memory(sums))
    pairs = (_linear_pair(x, y, z, coefficient, constant) for x, y, z in vectors)
    return (_by_weights(some, level) for some in _in_memory(pairs))


def _in_memory(parts: Iterable[Part]) -> Iterator[list[Part]]:
    """As many parts at once as fit in memory."""
    some: list[Part] = []
    for part in parts:
        some.append(part)
        if sum(one.memory for one in some) >= PAIRS_MEMORY:
            yield some
            some = []
    if some:
        yield some


def _vectors(scores: NDArray[Any], level: str) -> NDArray[Any]:
    """The vectors that are correlated at a level, (..., V, L), of scores or swaps (..., S, N)."""
    if level == "global":
        return scores.reshape(*scores.shape[:-2], 1, -1)
    return scores.swapaxes(-1, -2) if level == "item" else scores


@dataclass(frozen=True)
class _Pair:
    """A pair of measures: weights (V L,) of the swaps, and a function from swaps (V, R, L) to what is added, (R,)."""

    weights: Scores
    added: Differences | None
    memory: int


def _by_weights(pairs: list[_Pair], level: str) -> Differences:
    weights = np.stack([pair.weights for pair in pairs], axis=1)
    others = [(number, pair.added) for number, pair in enumerate(pairs) if pair.added is not None]

    def differences(swaps: Signs) -> Scores:
        vectors = _vectors(swaps, level)
        found = vectors.reshape(len(swaps), -1).astype(np.float64) @ weights
        by_vector = np.ascontiguousarray(vectors.swapaxes(0, 1)) if others else vectors
        for number, added in others:
            found[:, number] += added(by_vector)
        return np.asarray(found)

    return differences


def _linear_pair(x: Scores, y: Scores, z: Scores, coefficient: str, constant: float) -> _Pair:
    """Vectors whose denominators are constant have weights, as long as none may lack a coefficient after swaps."""
    linear = linear_weights(x, y, z, coefficient)
    rated = int(((~np.isnan(z)).sum(axis=1) > 1).sum())
    if linear is None:
        every = _correlate_vectors(x, y, z, coefficient)
        of_all = _mean_difference(every, constant, rated, all_defined=False)
        return _Pair(np.zeros(z.size), of_all, 24 * z.size)
    defined = linear.denominators > 0
    units = int(defined.sum()) if np.isnan(constant) else rated
    if not units:
        return _Pair(np.full(z.size, np.nan), None, 8 * z.size)
    may_lack = linear.changed & defined & _may_be_constant(x, y, z)
    others = defined if may_lack.any() else linear.changed & defined
    scale = np.where(defined & ~others, units * linear.denominators, np.inf)
    weights = (linear.numerators / scale[:, np.newaxis]).ravel()
    if not others.any():
        return _Pair(weights, None, 8 * z.size)
    form = _form(x[others], y[others], z[others], linear.numerators[others], coefficient)
    of_others = _mean_difference(form, constant, units, all_defined=not may_lack.any())
    added = of_others if others.all() else lambda swaps: of_others(swaps[others])
    return _Pair(weights, added, 8 * z.size + FORM_MEMORY * int(others.sum()) * z.shape[1])


def _may_be_constant(x: Scores, y: Scores, z: Scores) -> NDArray[np.bool_]:
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
) -> Callable[[Signs], Scores]:
    """A function from swaps (V, R, L) to the difference of the mean coefficients of units, (R,).

    all_defined: whether every vector has a coefficient after any swaps.
    """

    def difference(swaps: Signs) -> Scores:
        first, second = form(swaps)
        if all_defined:
            return np.asarray((first - second).sum(axis=0) / units)
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

        def by_forms(swaps: Signs) -> Pair:
            return _joined(form(swaps[part]) for form, part in zip(forms, parts, strict=True))

        return by_forms
    if coefficient not in LENGTHS:
        return _correlate_vectors(x, y, z, coefficient)
    blocks = [
        block_form(*own, coefficient) or _correlate_one(*own[:3], coefficient)
        for own in zip(x, y, z, linear, strict=True)
    ]

    def by_blocks(swaps: Signs) -> Pair:
        return _joined((first[np.newaxis], second[np.newaxis]) for first, second in (
            block(own) for block, own in zip(blocks, swaps, strict=True)
        ))  # fmt: skip

    return by_blocks


def _joined(parts: Iterable[Pair]) -> Pair:
    first, second = (np.concatenate(one) for one in zip(*parts, strict=True))
    return first, second


def _correlate_one(x: Scores, y: Scores, z: Scores, coefficient: str) -> Callable[[Signs], Pair]:
    """The same as `block_form`, by correlating swapped scores."""
    every = _correlate_vectors(x[np.newaxis], y[np.newaxis], z[np.newaxis], coefficient)

    def both(swaps: Signs) -> Pair:
        first, second = every(swaps[np.newaxis])
        return first[0], second[0]

    return both


def _correlate_vectors(x: Scores, y: Scores, z: Scores, coefficient: str) -> Callable[[Signs], Pair]:
    """The same as `_form`, by correlating swapped scores."""
    correlate = COEFFICIENTS[coefficient]
    x, y, z = x[:, np.newaxis], y[:, np.newaxis], z[:, np.newaxis]

    def both(swaps: Signs) -> Pair:
        swapped = swaps > 0
        return correlate(np.where(swapped, y, x), z), correlate(np.where(swapped, x, y), z)

    return both


@dataclass(frozen=True)
class _Sums:
    """Pearson's r of a pair of measures, with a mean square of 1 and a mean of 0 of both scores of each vector.

    weights (3, V, L): products with the swaps are Σ m / √n, Σ m² − 1 and Σ m z − both of the first measure, and the
    opposite of the second. both (V,): half of Σ (x + y) z. defined (V,): whether any swaps define r.
    rated: number of vectors of at least two cells. constant: as in `association.at_level`.
    """

    weights: Scores
    both: Scores
    defined: NDArray[np.bool_]
    rated: int
    constant: float

    @property
    def memory(self) -> int:
        return self.weights.nbytes


def _pearson_sums(x: Scores, y: Scores, z: Scores, constant: float) -> _Sums:
    present = ~np.isnan(z)
    number = present.sum(axis=1)[:, np.newaxis]
    # Where the measures are one constant, no swaps make the coefficient defined.
    defined = np.logical_and.reduce([
        np.where(present, low, np.inf).min(axis=1) < np.where(present, high, -np.inf).max(axis=1)
        for low, high in ((z, z), (np.minimum(x, y), np.maximum(x, y)))
    ])  # fmt: skip
    centre = defined_mean((x + y) / 2, axis=1)[:, np.newaxis]
    x, y = (np.where(present, scores - centre, 0.0) for scores in (x, y))
    z = np.where(present, z - defined_mean(z, axis=1)[:, np.newaxis], 0.0)
    root = np.sqrt((x * x + y * y).sum(axis=1, keepdims=True) / 2)
    shown = defined[:, np.newaxis]
    x, y = (np.where(shown, divide(scores, root, undefined=0.0), 0.0) for scores in (x, y))
    z = np.where(shown, divide(z, np.sqrt((z * z).sum(axis=1, keepdims=True)), undefined=0.0), 0.0)
    share = divide(1.0, np.sqrt(number), undefined=0.0)
    weights = np.stack([(y - x) / 2 * share, (y * y - x * x) / 2, (y - x) * z / 2])
    return _Sums(weights, ((x + y) * z).sum(axis=1) / 2, defined, int((number > 1).sum()), constant)


def _by_sums(pairs: list[_Sums], level: str) -> Differences:
    """Differences of means of Pearson's r over vectors."""
    # (V, L, 3 P)
    weights = np.stack([pair.weights for pair in pairs], axis=3)
    weights = weights.transpose(1, 2, 0, 3).reshape(*weights.shape[1:3], -1)
    both, defined = (np.stack(one, axis=1) for one in zip(*((pair.both, pair.defined) for pair in pairs), strict=True))
    constant, rated = pairs[0].constant, np.array([pair.rated for pair in pairs])
    # Vectors that are undefined in any case add 0 to both measures.
    lacking = (~defined).sum(axis=0)

    def differences(swaps: Signs) -> Scores:
        vectors = _vectors(swaps, level).swapaxes(0, 1)
        together = max(1, SUMS_TOGETHER // max(1, len(swaps) * weights.shape[2]))
        total = np.zeros((2, len(swaps), len(pairs)))
        undefined = np.zeros((2, len(swaps), len(pairs)), dtype=np.intp)
        for begin in range(0, len(vectors), together):
            part = slice(begin, begin + together)
            sums = vectors[part].astype(np.float64) @ weights[part]
            _add_r(total, undefined, np.split(sums, 3, axis=2), both[part, np.newaxis])
        if np.isnan(constant):
            means = divide(total, len(vectors) - lacking - undefined)
        else:
            means = divide(total + constant * undefined, rated)
        return np.asarray(means[0] - means[1])

    return differences


def _add_r(total: Scores, undefined: NDArray[np.intp], sums: list[Scores], both: Scores) -> None:
    """Add r of both measures, (V, R, P), summed over the vectors, to the total, and count the undefined ones."""
    mean, square, product = sums
    even = 1 - mean * mean
    for measure, sign in enumerate((1.0, -1.0)):
        spread = even + sign * square
        covariance = both + sign * product
        if spread.min(initial=np.inf) <= 2 * _CONSTANT:
            lacks = spread <= _CONSTANT * (1 + sign * square)
            undefined[measure] += lacks.sum(axis=0)
            covariance, spread = np.where(lacks, 0.0, covariance), np.where(lacks, 1.0, spread)
        np.sqrt(spread, out=spread)
        np.divide(covariance, spread, out=covariance)
        total[measure] += covariance.sum(axis=0)
