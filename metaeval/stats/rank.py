"""Ranks."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray


def competition_ranks(scores: ArrayLike) -> NDArray[np.intp]:
    """Places as sport knows them, 1 2 2 4, the highest score first, along the last axis.

    Equal scores share the lowest place of theirs. NaN ranks last; several NaN share one place.
    scores: (..., S), higher is better. Returns places from 1, (..., S).

    >>> competition_ranks([0.5, 0.9, 0.5, float("nan")])
    array([2, 1, 2, 4])
    """
    values = np.asarray(scores, dtype=np.float64)
    undefined = np.isnan(values)
    comparable = np.where(undefined, -np.inf, values)
    ascending = np.sort(comparable, axis=-1)
    flat_values = comparable.reshape(-1, comparable.shape[-1])
    flat_ascending = ascending.reshape(flat_values.shape)
    places = np.empty(flat_values.shape, dtype=np.intp)
    for row, (own, order) in enumerate(zip(flat_values, flat_ascending, strict=True)):
        places[row] = own.size - np.searchsorted(order, own, side="right") + 1
    return places.reshape(values.shape)
