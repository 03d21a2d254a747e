"""Helpers of several statistics: ratings as matrices, many rankings in one array, counts of lower values."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from metaeval.arrays import Array, Bools, Floats, Ints
from metaeval.grid import in_units
from metaeval.stats.ratio import divide

_FEW_VALUES = 64
"""Number of values from which ratings are sorted."""


def as_ratings(ratings: ArrayLike) -> Floats:
    """Finite or missing ratings as an array (..., A, U), or a `ValueError`."""
    array = np.asarray(ratings, dtype=np.float64)
    if array.ndim < 2 or np.isinf(array).any():
        raise ValueError(f"not finite ratings (..., annotators, units): shape {array.shape}")
    return array


def unit_weights(included: Bools | None, ratings: Floats) -> Floats:
    """1 for units that are included, else 0, (..., U)."""
    return np.ones(ratings.shape[-1]) if included is None else np.asarray(included, dtype=np.float64)


def without_excluded(ratings: Floats, included: Bools | None) -> Floats:
    """Ratings (..., A, U) without those of excluded units."""
    return ratings if included is None else np.where(included[..., np.newaxis, :], ratings, np.nan)


def value_counts(ratings: Floats) -> tuple[Floats, Floats]:
    """Sorted values (..., V), of all rows, and how many annotators gave each of them to each unit, (..., U, V)."""
    values, codes = _values_and_codes(ratings)
    # Missing ratings have the code after the last value.
    *leading, units, size = *ratings.shape[:-2], ratings.shape[-1], values.shape[-1] + 1
    cells = np.arange(0, math.prod(leading) * units * size, size).reshape(*leading, 1, units) + codes
    counts = np.bincount(cells.ravel(), minlength=math.prod(leading) * units * size).reshape(*leading, units, size)
    return values, counts[..., :-1].astype(np.float64)


def _values_and_codes(ratings: Floats) -> tuple[Floats, NDArray[np.int32]]:
    """Sorted values (..., V), and the code of each rating, (..., A, U), which is V where it is missing."""
    missing = np.isnan(ratings)
    low = float(np.fmin.reduce(ratings, axis=None, initial=np.inf))
    span = float(np.fmax.reduce(ratings, axis=None, initial=-np.inf)) - low
    if 0 <= span < _FEW_VALUES:
        distinct = int(span) + 1
        shifted = np.where(missing, distinct, ratings - low)
        codes = shifted.astype(np.int32)
        # No sort is needed for whole numbers within a small range.
        if (codes == shifted).all():
            return np.broadcast_to(low + np.arange(distinct), (*ratings.shape[:-2], distinct)), codes
    distinct_values, order = np.unique(ratings, return_inverse=True)
    values = distinct_values[~np.isnan(distinct_values)]
    return np.broadcast_to(values, (*ratings.shape[:-2], len(values))), order.reshape(ratings.shape).astype(np.int32)


def deviations(scores: Floats, *, axis: int = -1) -> Floats:
    """Deviations of scores from their mean along an axis, `in_units`; 0 for missing ones.

    Less the first score before the mean, so that equal scores have none, and nearly equal ones those that they have.
    """
    scores = in_units(scores, axis=axis)
    if not scores.shape[axis]:
        return scores
    missing = np.isnan(scores)
    first = np.take_along_axis(scores, missing.argmin(axis=axis, keepdims=True), axis=axis)
    if not missing.any():
        scores -= first
        scores -= scores.mean(axis=axis, keepdims=True)
        return scores
    scores = np.where(missing, 0.0, scores - first)
    mean = divide(scores.sum(axis=axis), (~missing).sum(axis=axis), undefined=0.0)
    return np.where(missing, 0.0, scores - np.expand_dims(mean, axis))


def ratio_differences(values: Floats) -> Floats:
    """((v − w) / (v + w))², (..., V, V); 0 for v = w = 0."""
    one, other = values[..., :, np.newaxis], values[..., np.newaxis, :]
    return np.square(divide(one - other, one + other, undefined=0.0))


def squared_distances(position: Floats, counts: Floats) -> Floats:
    """Σ counts_v counts_w (place_v − place_w)² over v and w for each unit, (..., U).

    position: (..., V). counts: (..., U, V).
    """
    by_value = counts.swapaxes(-1, -2)
    total, squares = vector_times_matrix(position, by_value), vector_times_matrix(position**2, by_value)
    return np.asarray(2 * (counts.sum(axis=-1) * squares - total**2))


def vector_times_matrix(vector: Floats, matrix: Floats) -> Floats:
    """Products (..., K) of (..., N) and (..., N, K) with broadcast leading axes."""
    if matrix.ndim == 2:
        return np.asarray(vector @ matrix)
    return np.asarray((vector[..., np.newaxis, :] @ matrix)[..., 0, :])


def sum_over_units(weights: Floats, table: Floats) -> Floats:
    """Weighted sums over units, (..., K), of (..., U) and (..., U, K); one product if all weights share a table."""
    shared = table.ndim - 2
    if any(length > 1 for length in weights.shape[:-1][-shared:] if shared):
        return vector_times_matrix(weights, table)
    weights = weights.reshape(*weights.shape[: max(weights.ndim - 1 - shared, 0)], weights.shape[-1])
    return np.asarray(np.tensordot(weights, table, axes=(-1, -2)))


def nan_lowest(x: ArrayLike, y: ArrayLike) -> tuple[Floats, Floats]:
    """Two arrays broadcast together, with −∞ in place of NaN."""
    x, y = np.broadcast_arrays(np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64))
    missing_x, missing_y = np.isnan(x), np.isnan(y)
    return (
        np.where(missing_x, -np.inf, x) if missing_x.any() else x,
        np.where(missing_y, -np.inf, y) if missing_y.any() else y,
    )


def systems_first(scores: Floats) -> Floats:
    """(..., S) as contiguous (S, K), K being the leading axes, the first of them fastest."""
    return np.ascontiguousarray(scores.T).reshape(scores.shape[-1], -1)


def one_row(scores: Floats) -> Floats:
    """The row of which (..., S) are views, (S,), or the scores themselves if they are not."""
    return scores if any(scores.strides[:-1]) or not scores.size else scores[(0,) * (scores.ndim - 1)]


def in_shape(flat: Array, shape: tuple[int, ...]) -> Array:
    """The inverse of `systems_first` for results: (K,) as (...), whose shape is given."""
    return flat.reshape(shape[::-1]).T


def signs_against(scores: Floats, first: int) -> NDArray[np.int8]:
    """Whether the systems (S, K) after `first` score higher (1), equally (0) or lower (−1), (S − first − 1, K)."""
    later, own = scores[first + 1 :], scores[first]
    higher, lower = later > own, later < own
    sign: NDArray[np.int8] = np.subtract(higher.view(np.int8), lower.view(np.int8))
    return sign


BITS = 4
"""Maximum number of bits of a digit."""


class CountsBefore:
    """How many of the first entries of a vector are below a value, by the digits of the values (a wavelet matrix).

    values: (V, L), whole numbers from 0 on.
    """

    def __init__(self, values: Ints) -> None:
        bits = int(values.max(initial=0) + 1).bit_length()
        digits = -(-bits // BITS)
        self.bits = -(-bits // digits)
        self.tables: list[NDArray[np.int32]] = []
        self.length = values.shape[1] + 1
        for digit in reversed(range(digits)):
            own = (values >> digit * self.bits & (1 << self.bits) - 1).astype(np.uint8)
            # Entries before each place with a digit below each one.
            table = np.zeros((len(values), (1 << self.bits) + 1, self.length), dtype=np.int32)
            np.less(own[:, np.newaxis], np.arange(table.shape[1], dtype=np.uint8)[:, np.newaxis], out=table[..., 1:])
            self.tables.append(np.cumsum(table, axis=2, dtype=np.int32, out=table))
            if digit:
                values = np.take_along_axis(values, np.argsort(own, axis=1, kind="stable"), axis=1)

    def count(self, upto: Ints, below: Ints) -> Ints:
        """Numbers of the first `upto` entries that are below, (..., V, Q), for upto and below of this shape."""
        starts = np.arange(len(self.tables[0]))[:, np.newaxis] * self.tables[0][0].size
        begin, end, counts = np.zeros_like(upto), upto, np.zeros_like(upto)
        for stage, table in enumerate(self.tables):
            digit = below >> (len(self.tables) - 1 - stage) * self.bits & (1 << self.bits) - 1
            flat, row = table.reshape(-1), starts + digit * self.length
            of_end = flat[row + end]
            of_begin = flat[row + begin] if stage else 0
            counts = counts + of_end - of_begin
            if stage < len(self.tables) - 1:
                # Entries of this digit stand together in the next stage.
                first, following = flat[row + self.length - 1], row + self.length
                end = first + flat[following + end] - of_end
                begin = first + flat[following + begin] - of_begin
        return counts
