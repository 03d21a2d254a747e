"""Shapley values of the players of a game, exact or estimated from random orders of the players."""

from __future__ import annotations

from collections.abc import Callable
from math import comb
from typing import NamedTuple

import numpy as np

from metaeval.arrays import Bools, Floats, Indices

Worth = Callable[[Bools], Floats]
"""Function from the members of coalitions, (K, players), to their worths, (K, ...)."""


class Sampled(NamedTuple):
    """Estimates of Shapley values.

    values: (players, ...), estimates. errors: (players, ...), standard errors.
    """

    values: Floats
    errors: Floats


def shapley_values(worth: Worth, players: int, *, at_once: int) -> Floats:
    """Exact Shapley values: mean contributions of the players over all orders, from all 2^players coalitions.

    The values sum to the worth of all players minus that of none. If a worth is NaN, all values are NaN.

    Parameters
    ----------
    worth
        The worth (K, ...) of coalitions, from their members (K, players).
    players
        Number of players.
    at_once
        Maximum number of coalitions per call of `worth`.

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
    # Probability that the players before a player are a given coalition of this size.
    before = np.array([1 / (players * comb(players - 1, size)) for size in range(players)])
    base: Floats | None = None
    total: Floats | None = None
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
        # Differences from the worth of the first coalition keep more digits.
        gains = (value - base).reshape(len(numbers), -1)
        part = (weights.T @ gains).reshape(players, *value.shape[1:])
        total = part if total is None else total + part
    assert total is not None
    return total


def sampled_shapley_values(worth: Worth, orders: Indices, *, at_once: int) -> Sampled:
    """Shapley values estimated from random orders of the players and their reverses.

    The values sum to the worth of all players minus that of none. Reverse orders reduce the sampling error (Mitchell
    et al. 2022). If a worth is NaN, all values are NaN.

    orders: (U, players), permutations of the players, U ≥ 2.
    """
    count, players = orders.shape
    forwards = np.argsort(orders, axis=1)
    positions = np.concatenate([forwards, players - 1 - forwards])
    steps = players + 1
    values = []
    for begin in range(0, len(positions) * steps, at_once):
        order, step = np.divmod(np.arange(begin, min(begin + at_once, len(positions) * steps)), steps)
        values.append(worth(positions[order] < step[:, np.newaxis]))
    value = np.concatenate(values)
    by_step = np.diff(value.reshape(len(positions), steps, *value.shape[1:]), axis=1)
    by_player = by_step[np.arange(len(positions))[:, np.newaxis], positions]
    both_ways = (by_player[:count] + by_player[count:]) / 2
    mean = both_ways.mean(axis=0)
    errors = both_ways.std(axis=0, ddof=1) / np.sqrt(count)
    undefined = np.isnan(value).any(axis=0)
    return Sampled(np.where(undefined, np.nan, mean), np.where(undefined, np.nan, errors))
