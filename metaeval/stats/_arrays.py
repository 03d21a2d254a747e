"""Helpers of several statistics: portions of rows, matrices of ratings, rankings in an array, and counts of values."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike, NDArray

from metaeval.arrays import Array, Floats, Ints
from metaeval.grid import in_units
from metaeval.stats.ratio import divide


def portions(rows: int, cells: int, most: int) -> Iterator[slice]:
    """Slices of as many rows as are in memory together, at least one; cells: of a row. most: cells together.

    >>> list(portions(5, 10, 25))
    [slice(0, 2, None), slice(2, 4, None), slice(4, 6, None)]
    """
    together = max(1, most // max(1, cells))
    return (slice(begin, begin + together) for begin in range(0, rows, together))


def as_ratings(ratings: ArrayLike) -> Floats:
    """Finite or missing ratings as an array (..., A, U), or a `ValueError`."""
    array = np.asarray(ratings, dtype=np.float64)
    if array.ndim < 2 or np.isinf(array).any():
        raise ValueError(f"not finite ratings (..., annotators, units): shape {array.shape}")
    return array


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
    later, reference = scores[first + 1 :], scores[first]
    higher, lower = later > reference, later < reference
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
            codes = (values >> digit * self.bits & (1 << self.bits) - 1).astype(np.uint8)
            # Entries before each place with a digit below each one.
            table = np.zeros((len(values), (1 << self.bits) + 1, self.length), dtype=np.int32)
            np.less(codes[:, np.newaxis], np.arange(table.shape[1], dtype=np.uint8)[:, np.newaxis], out=table[..., 1:])
            self.tables.append(np.cumsum(table, axis=2, dtype=np.int32, out=table))
            if digit:
                values = np.take_along_axis(values, np.argsort(codes, axis=1, kind="stable"), axis=1)

    def count(self, upto: Ints, below: Ints) -> Ints:
        """Numbers of the first `upto` entries that are below, (..., V, Q), for upto and below of this shape."""
        starts = np.arange(len(self.tables[0]))[:, np.newaxis] * self.tables[0][0].size
        begin, end, counts = np.zeros_like(upto), upto, np.zeros_like(upto)
        for stage, table in enumerate(self.tables):
            digit = below >> (len(self.tables) - 1 - stage) * self.bits & (1 << self.bits) - 1
            flat, row = table.reshape(-1), starts + digit * self.length
            end_count = flat[row + end]
            begin_count = flat[row + begin] if stage else 0
            counts = counts + end_count - begin_count
            if stage < len(self.tables) - 1:
                # Entries of this digit stand together in the next stage.
                first, following = flat[row + self.length - 1], row + self.length
                end = first + flat[following + end] - end_count
                begin = first + flat[following + begin] - begin_count
        return counts
