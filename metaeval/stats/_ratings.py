"""Ratings of annotators as arrays, (..., A, U), and the weighted sums and ranks that agreement is computed from."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from metaeval.stats.rank import competition_ranks
from metaeval.stats.ratio import divide
from metaeval.stats.resample import Multiplicities

Ratings = NDArray[np.float64]


def as_ratings(ratings: ArrayLike, *, annotators: int | None = None) -> Ratings:
    array = np.asarray(ratings, dtype=np.float64)
    if array.ndim < 2 or annotators not in (None, array.shape[-2]) or np.isinf(array).any():
        raise ValueError(f"not finite ratings (..., {annotators or 'annotators'}, units): shape {array.shape}")
    return array


def unit_weights(multiplicities: Multiplicities | None, ratings: Ratings) -> NDArray[np.float64]:
    """How often each unit counts, (..., U)."""
    return np.ones(ratings.shape[-1]) if multiplicities is None else np.asarray(multiplicities, dtype=np.float64)


def for_each_pair(multiplicities: Multiplicities | None) -> Multiplicities | None:
    """The same for each pair of annotators, or each annotator, on an axis of their own."""
    return None if multiplicities is None else multiplicities[..., np.newaxis, :]


def value_indicators(ratings: Ratings) -> tuple[Ratings, NDArray[np.bool_]]:
    """The distinct values, (..., V), in order, and which of them each rating is, (..., A, U, V).

    Where some rows have fewer distinct values than others, the surplus is the value of no rating.
    """
    pooled = ratings.reshape(*ratings.shape[:-2], -1)
    order = np.argsort(pooled, axis=-1)
    # NaN sorts last, and takes the number of the value before it.
    ordered = np.nan_to_num(np.fmax.accumulate(np.take_along_axis(pooled, order, axis=-1), axis=-1))
    number = np.zeros(ordered.shape, dtype=np.intp)
    np.cumsum(ordered[..., 1:] != ordered[..., :-1], axis=-1, out=number[..., 1:])
    codes = np.empty_like(number)
    np.put_along_axis(codes, order, number, axis=-1)
    distinct = int(number.max(initial=0)) + 1
    values = np.zeros((*pooled.shape[:-1], distinct))
    np.put_along_axis(values, number, ordered, axis=-1)
    indicators = codes.reshape(ratings.shape)[..., np.newaxis] == np.arange(distinct)
    return values, indicators & ~np.isnan(ratings)[..., np.newaxis]


def ratio_differences(values: Ratings) -> NDArray[np.float64]:
    """((v − w) / (v + w))², (..., V, V); 0 for twice 0."""
    one, other = values[..., :, np.newaxis], values[..., np.newaxis, :]
    return np.square(divide(one - other, one + other, undefined=0.0))


def squared_distances(place: NDArray[np.float64], counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """Σ counts_v counts_w (place_v − place_w)² over v and w for each unit, (..., U).

    place: (..., V). counts: (..., U, V).
    """
    by_value = counts.swapaxes(-1, -2)
    total, squares = vector_times_matrix(place, by_value), vector_times_matrix(place**2, by_value)
    return np.asarray(2 * (counts.sum(axis=-1) * squares - total**2))


def vector_times_matrix(vector: NDArray[np.float64], matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    """Products (..., K) of (..., N) and (..., N, K), the leading axes broadcast."""
    if matrix.ndim == 2:
        return np.asarray(vector @ matrix)
    return np.asarray((vector[..., np.newaxis, :] @ matrix)[..., 0, :])


def sum_over_units(weights: NDArray[np.float64], table: NDArray[np.float64]) -> NDArray[np.float64]:
    """Weighted sums over the units, (..., K) of (..., U) and (..., U, K): one product where the table is shared."""
    shared = table.ndim - 2
    if any(length > 1 for length in weights.shape[:-1][-shared:] if shared):
        return vector_times_matrix(weights, table)
    weights = weights.reshape(*weights.shape[: max(weights.ndim - 1 - shared, 0)], weights.shape[-1])
    return np.asarray(np.tensordot(weights, table, axes=(-1, -2)))


def weighted_ranks(values: Ratings, weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Mean ranks (..., U), the lowest first, when each value occurs as often as its weight says; no NaN."""
    shape = np.broadcast_shapes(values.shape, weights.shape)
    order = np.broadcast_to(np.argsort(values, axis=-1), shape)
    below = np.broadcast_to(competition_ranks(-values) - 1, shape)
    through = np.broadcast_to(values.shape[-1] + 1 - competition_ranks(values), shape)
    reached = np.zeros((*shape[:-1], shape[-1] + 1))
    np.cumsum(np.take_along_axis(np.broadcast_to(weights, shape), order, axis=-1), axis=-1, out=reached[..., 1:])
    before, after = (np.take_along_axis(reached, place, axis=-1) for place in (below, through))
    return np.asarray((before + after + 1) / 2)


def repeat_units(ratings: Ratings, multiplicities: Multiplicities) -> Ratings:
    """Each unit as often as it counts, (..., A, N) for N units in all."""
    times = np.asarray(multiplicities, dtype=np.intp).reshape(-1, multiplicities.shape[-1])
    rows, units = times.shape
    repeated = np.repeat(np.tile(np.arange(units), rows), times.reshape(-1))
    index = repeated.reshape(*multiplicities.shape[:-1], 1, int(times[0].sum()) if rows else 0)
    leading = np.broadcast_shapes(ratings.shape[:-2], multiplicities.shape[:-1])
    everywhere = np.broadcast_to(ratings, (*leading, *ratings.shape[-2:]))
    return np.take_along_axis(everywhere, np.broadcast_to(index, (*leading, *index.shape[-2:])), axis=-1)
