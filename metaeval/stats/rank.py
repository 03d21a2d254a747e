"""Ranks, and Pareto-optimal rows."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from metaeval.arrays import Bools, Floats, Indices
from metaeval.stats._arrays import one_row, signs_against, systems_first

COMPARE_UP_TO = 32
"""Number of scores above which sorting is faster than comparing all of them."""


def competition_ranks(scores: ArrayLike) -> Indices:
    """Competition ranks, 1 2 2 4, the highest score first, along the last axis; several NaN share the last rank."""
    order, first, _ = runs_of_ties(-np.asarray(scores, dtype=np.float64))
    positions = np.empty(order.shape, dtype=np.intp)
    np.put_along_axis(positions, order, first, axis=-1)
    return positions


def best_first(scores: ArrayLike) -> list[int]:
    """The indices of scores, (S,), the highest first, equal ones in their order, NaN last."""
    order: list[int] = np.argsort(-np.asarray(scores, dtype=np.float64), kind="stable").tolist()
    return order


def pareto_optimal(one: ArrayLike, other: ArrayLike) -> Bools:
    """Rows that no other one exceeds in one of two values and equals or exceeds in the other; higher is better.

    A row with NaN is not optimal, and no other row is compared with it.

    >>> pareto_optimal([3, 2, 2, 1], [1, 2, 1, 2])
    array([ True,  True, False, False])
    """
    first, second = (np.asarray(values, dtype=np.float64) for values in (one, other))
    present = ~(np.isnan(first) | np.isnan(second))
    heights, group = np.unique(-first[present], return_inverse=True)
    most = np.full(len(heights), -np.inf)
    np.maximum.at(most, group, second[present])
    # The most that rows of a higher first value have.
    above = np.concatenate([[-np.inf], np.maximum.accumulate(most)[:-1]])[: len(heights)]
    optimal = np.zeros(len(first), dtype=np.bool_)
    optimal[present] = (second[present] == most[group]) & (second[present] > above[group])
    return optimal


def mean_ranks(scores: ArrayLike) -> Floats:
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
    scores = np.asarray(scores, dtype=np.float64)
    if scores.ndim > 1 and (row := one_row(scores)).ndim == 1:
        return np.broadcast_to(mean_ranks(row), scores.shape)
    if scores.shape[-1] <= COMPARE_UP_TO and scores.size > scores.shape[-1] and np.isfinite(scores).all():
        return _by_comparison(scores)
    order, first, last = runs_of_ties(scores)
    ranks = np.empty(order.shape, dtype=np.float64)
    np.put_along_axis(ranks, order, (first + last) / 2, axis=-1)
    return ranks


def _by_comparison(scores: Floats) -> Floats:
    """Mean ranks of few finite scores, from the numbers of lower and of higher ones."""
    values = systems_first(scores)
    lower = np.zeros(values.shape, dtype=np.int16)
    for first in range(len(values) - 1):
        signs = signs_against(values, first)
        lower[first + 1 :] += signs
        lower[first] -= np.add.reduce(signs, axis=0, dtype=np.int16)
    return np.ascontiguousarray(((lower + (len(values) + 1)) / 2).reshape(scores.shape[::-1]).T)


def runs_of_ties(values: Floats) -> tuple[Indices, Indices, Indices]:
    """A sorting order of the last axis, NaN last, and the first and last rank, from 1, of the ties of each position.

    values: (..., S); several NaN are tied. Returns (..., S).
    """
    order = np.argsort(values, axis=-1, kind="stable")
    sorted_values = np.take_along_axis(values, order, axis=-1)
    previous, following = sorted_values[..., :-1], sorted_values[..., 1:]
    differs = (previous != following) & ~np.isnan(previous)
    numbers = np.broadcast_to(np.arange(1, values.shape[-1] + 1), values.shape)
    begins, ends = np.ones((2, *values.shape), dtype=np.bool_)
    begins[..., 1:] = differs
    ends[..., :-1] = differs
    first = np.maximum.accumulate(np.where(begins, numbers, 0), axis=-1)
    last = np.minimum.accumulate(np.where(ends, numbers, values.shape[-1])[..., ::-1], axis=-1)[..., ::-1]
    return order, first, last
