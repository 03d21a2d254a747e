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
    # NaN sorts last, whichever way.
    order = np.argsort(-values, axis=-1, kind="stable")
    descending = np.take_along_axis(values, order, axis=-1)
    higher, lower = descending[..., :-1], descending[..., 1:]
    opens_place = np.ones(values.shape, dtype=np.bool_)
    opens_place[..., 1:] = (higher != lower) & ~np.isnan(higher)
    numbers = np.arange(1, values.shape[-1] + 1)
    places = np.empty(values.shape, dtype=np.intp)
    np.put_along_axis(places, order, np.maximum.accumulate(np.where(opens_place, numbers, 0), axis=-1), axis=-1)
    return places
