"""Shapley values: what each player adds to a game, exactly or from random orders of the players."""

from __future__ import annotations

from collections.abc import Callable
from math import comb
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]

Worth = Callable[[NDArray[np.bool_]], Numbers]
"""What coalitions are worth, (K, ...), by who is in each, (K, players)."""


class Sampled(NamedTuple):
    """Shapley values from random orders.

    Attributes
    ----------
    values : array (players, ...)
        Estimates.
    errors : array (players, ...)
        Their standard errors.
    """

    values: Numbers
    errors: Numbers


def shapley_values(worth: Worth, players: int, *, at_once: int) -> Numbers:
    """Shapley values from all 2^players coalitions: the mean contribution of each player over all orders of the
    players.

    The values sum to the worth of all players less that of none. Where a coalition is worth NaN, all values are NaN.

    Parameters
    ----------
    worth
        The worth (K, ...) of coalitions, from their members (K, players).
    players
        Number of players.
    at_once
        Coalitions that are evaluated together, so that memory stays bounded.

    Returns
    -------
    array (players, ...)

    Examples
    --------
    >>> shapley_values(lambda members: members.all(axis=1) * 6.0, 3, at_once=8)
    array([2., 2., 2.])
    """
    coalitions = 1 << players
    bits = np.arange(players)
    # How likely a coalition of this size is just what comes before a player.
    before = np.array([1 / (players * comb(players - 1, size)) for size in range(players)])
    base: Numbers | None = None
    total: Numbers | None = None
    for begin in range(0, coalitions, at_once):
        numbers = np.arange(begin, min(begin + at_once, coalitions))
        members = ((numbers[:, np.newaxis] >> bits) & 1).astype(np.bool_)
        value = worth(members)
        if base is None:
            base = value[0]
        size = members.sum(axis=1)
        with_player = np.take(before, size - 1, mode="clip")[:, np.newaxis] if players else 0.0
        without = np.take(before, size, mode="clip")[:, np.newaxis] if players else 0.0
        weights = np.where(members, with_player, -without)
        # Games differ by little from what they begin with; differences keep the digits.
        moved = (value - base).reshape(len(numbers), -1)
        part = (weights.T @ moved).reshape(players, *value.shape[1:])
        total = part if total is None else total + part
    assert total is not None
    return total


def sampled_shapley_values(worth: Worth, orders: NDArray[np.intp], *, at_once: int) -> Sampled:
    """Shapley values from random orders of the players, each taken forwards and backwards.

    Every order by itself shares out the whole difference, so that the values sum to it exactly; the reverse order
    removes much of the sampling error (Mitchell et al. 2022). Where a coalition is worth NaN, all values are NaN.

    Parameters
    ----------
    worth
        The worth (K, ...) of coalitions, from their members (K, players).
    orders : array (U, players)
        Permutations of the players; U is at least 2.
    at_once
        Coalitions that are evaluated together, so that memory stays bounded.

    Examples
    --------
    >>> orders = np.array([[0, 1], [1, 0]])
    >>> sampled_shapley_values(lambda members: members.all(axis=1) * 2.0, orders, at_once=4).values
    array([1., 1.])
    """
    count, players = orders.shape
    forwards = np.argsort(orders, axis=1)
    places = np.concatenate([forwards, players - 1 - forwards])
    steps = players + 1
    values = []
    for begin in range(0, len(places) * steps, at_once):
        order, step = np.divmod(np.arange(begin, min(begin + at_once, len(places) * steps)), steps)
        values.append(worth(places[order] < step[:, np.newaxis]))
    value = np.concatenate(values)
    by_step = np.diff(value.reshape(len(places), steps, *value.shape[1:]), axis=1)
    by_player = by_step[np.arange(len(places))[:, np.newaxis], places]
    both_ways = (by_player[:count] + by_player[count:]) / 2
    mean = both_ways.mean(axis=0)
    errors = both_ways.std(axis=0, ddof=1) / np.sqrt(count)
    undefined = np.isnan(value).any(axis=0)
    return Sampled(np.where(undefined, np.nan, mean), np.where(undefined, np.nan, errors))
