"""Ranks, and Pareto-optimal rows.

Rankings in memory have missing scores lowest and systems first, so that many are compared at once.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray


def competition_ranks(scores: ArrayLike) -> NDArray[np.intp]:
    """Competition ranks, 1 2 2 4, the highest score first, along the last axis.

    Equal scores share the lowest of their ranks. NaN ranks last; several NaN share one rank.

    Parameters
    ----------
    scores : array_like (..., S)
        Scores, higher better.

    Returns
    -------
    array (..., S)
        Ranks from 1.

    Examples
    --------
    >>> competition_ranks([0.5, 0.9, 0.5, float("nan")])
    array([2, 1, 2, 4])
    """
    order, first, _ = _runs(-np.asarray(scores, dtype=np.float64))
    places = np.empty(order.shape, dtype=np.intp)
    np.put_along_axis(places, order, first, axis=-1)
    return places


def mean_ranks(scores: ArrayLike) -> NDArray[np.float64]:
    """Ranks from 1, the lowest score first, along the last axis; equal scores share the mean of their ranks.

    Parameters
    ----------
    scores : array_like (..., S)
        Scores; NaN ranks last, several NaN share a rank.

    Returns
    -------
    array (..., S)

    Examples
    --------
    >>> mean_ranks([0.5, 0.9, 0.5, 0.1])
    array([2.5, 4. , 2.5, 1. ])
    """
    order, first, last = _runs(np.asarray(scores, dtype=np.float64))
    ranks = np.empty(order.shape, dtype=np.float64)
    np.put_along_axis(ranks, order, (first + last) / 2, axis=-1)
    return ranks


def _runs(values: NDArray[np.float64]) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.intp]]:
    """An order that sorts the last axis, and for each place in it where its run of equals begins and ends, from 1."""
    # NaN sorts last.
    order = np.argsort(values, axis=-1, kind="stable")
    ordered = np.take_along_axis(values, order, axis=-1)
    here, following = ordered[..., :-1], ordered[..., 1:]
    differs = (here != following) & ~np.isnan(here)
    numbers = np.broadcast_to(np.arange(1, values.shape[-1] + 1), values.shape)
    begins, ends = np.ones((2, *values.shape), dtype=np.bool_)
    begins[..., 1:] = differs
    ends[..., :-1] = differs
    first = np.maximum.accumulate(np.where(begins, numbers, 0), axis=-1)
    last = np.minimum.accumulate(np.where(ends, numbers, values.shape[-1])[..., ::-1], axis=-1)[..., ::-1]
    return order, first, last


def nan_lowest(x: ArrayLike, y: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Two vectors broadcast together, −∞ where they are NaN.

    Parameters
    ----------
    x, y : array_like (..., S)
        Scores, NaN where missing.

    Returns
    -------
    tuple of two arrays (..., S)
    """
    x, y = np.broadcast_arrays(np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64))
    missing_x, missing_y = np.isnan(x), np.isnan(y)
    return (
        np.where(missing_x, -np.inf, x) if missing_x.any() else x,
        np.where(missing_y, -np.inf, y) if missing_y.any() else y,
    )


def systems_first(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """(..., S) as (S, K), so that what is compared together lies together; K are the leading axes, first fastest.

    Parameters
    ----------
    scores : array (..., S)
        Scores of systems.

    Returns
    -------
    array (S, K)
    """
    return np.ascontiguousarray(scores.T).reshape(scores.shape[-1], -1)


def in_shape(flat: NDArray[Any], shape: tuple[int, ...]) -> NDArray[Any]:
    """The inverse of `systems_first` for results: (K,) as (...).

    Parameters
    ----------
    flat : array (K,)
        Results.
    shape
        The leading axes.

    Returns
    -------
    array (...)
    """
    return flat.reshape(shape[::-1]).T


def signs_against(scores: NDArray[np.float64], first: int) -> NDArray[np.int8]:
    """Whether the later systems score higher (1), the same (0) or lower (−1) than `first`.

    Parameters
    ----------
    scores : array (S, K)
        Scores, as of `systems_first`.
    first
        Place of a system.

    Returns
    -------
    array (S − first − 1, K)
    """
    later, own = scores[first + 1 :], scores[first]
    higher, lower = later > own, later < own
    sign: NDArray[np.int8] = np.subtract(higher.view(np.int8), lower.view(np.int8))
    return sign


def pareto_best(criteria: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Which rows are Pareto-optimal: no other row is as good on every criterion and better on one.

    Parameters
    ----------
    criteria : array (M, K)
        Higher is better. A row with NaN is never Pareto-optimal, and dominates none.

    Returns
    -------
    array (M,)
        Whether each row is Pareto-optimal.

    Examples
    --------
    >>> pareto_best(np.array([[0.9, 0.1], [0.5, 0.5], [0.4, 0.4]]))
    array([ True,  True, False])
    """
    defined: NDArray[np.bool_] = ~np.any(np.isnan(criteria), axis=1)
    comparable = np.where(defined[:, np.newaxis], criteria, -np.inf)
    one, other = comparable[:, np.newaxis], comparable[np.newaxis]
    beats: NDArray[np.bool_] = np.all(other >= one, axis=2) & np.any(other > one, axis=2)
    best: NDArray[np.bool_] = defined & ~np.any(beats, axis=1)
    return best
