"""Shapley values against their definition: the mean over all orders of the players."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from metaeval.stats.shapley import Worth, sampled_shapley_values, shapley_values

Numbers = NDArray[np.float64]


def random_game(players: int, *, outcomes: int, seed: int = 7) -> Worth:
    """Any worth at all for each coalition, so that no player is like another."""
    table = np.random.default_rng(seed).normal(size=(1 << players, outcomes))
    bits = 1 << np.arange(players)

    def worth(members: NDArray[np.bool_]) -> Numbers:
        worths: Numbers = table[members @ bits]
        return worths

    return worth


def over_all_orders(worth: Worth, players: int) -> Numbers:
    """The definition."""
    orders = list(permutations(range(players)))
    total: Numbers = np.zeros(1)
    for order in orders:
        members = np.zeros((players + 1, players), dtype=np.bool_)
        for step, player in enumerate(order, start=1):
            members[step:, player] = True
        added = np.diff(worth(members), axis=0)
        total = total + added[np.argsort(order)]
    return np.asarray(total / len(orders))


@pytest.mark.parametrize("players", range(1, 7))
def test_values_are_the_mean_over_all_orders(players: int) -> None:
    worth = random_game(players, outcomes=2)
    values = shapley_values(worth, players, at_once=1 << players)
    np.testing.assert_allclose(values, over_all_orders(worth, players), atol=1e-14)


@given(st.integers(1, 9), st.integers(0, 1000), st.integers(1, 600))
def test_values_sum_to_the_whole_whatever_is_done_at_once(players: int, seed: int, at_once: int) -> None:
    worth = random_game(players, outcomes=3, seed=seed)
    values = shapley_values(worth, players, at_once=at_once)
    whole = worth(np.ones((1, players), dtype=np.bool_)) - worth(np.zeros((1, players), dtype=np.bool_))
    np.testing.assert_allclose(values.sum(axis=0), whole[0], atol=1e-12)
    np.testing.assert_allclose(values, shapley_values(worth, players, at_once=1 << players), atol=1e-14)
    sampled = sampled_shapley_values(worth, orders_of(players, 8), at_once=at_once)
    np.testing.assert_allclose(sampled.values.sum(axis=0), whole[0], atol=1e-12)


def test_no_players_share_nothing() -> None:
    assert shapley_values(lambda members: np.ones((len(members), 2)), 0, at_once=10).shape == (0, 2)


def test_what_is_undefined_for_one_coalition_is_undefined_for_all_players() -> None:
    def worth(members: NDArray[np.bool_]) -> Numbers:
        value = members.sum(axis=1).astype(float)
        return np.stack([value, np.where(value == 2, np.nan, value)], axis=1)

    for values in (
        shapley_values(worth, 3, at_once=8),
        sampled_shapley_values(worth, np.array([[0, 1, 2], [2, 0, 1]]), at_once=100).values,
    ):
        np.testing.assert_allclose(values[:, 0], 1.0)
        assert np.isnan(values[:, 1]).all()


def orders_of(players: int, count: int) -> NDArray[np.intp]:
    return np.argsort(np.random.default_rng(3).random((count, players)), axis=1)


def test_sampled_values_are_near_the_exact_ones_as_their_errors_say() -> None:
    worth = random_game(8, outcomes=40)
    exact = shapley_values(worth, 8, at_once=256)
    sample = sampled_shapley_values(worth, orders_of(8, 400), at_once=1000)
    distances = (sample.values - exact) / sample.errors
    assert 0.9 < distances.std() < 1.1
    assert np.abs(distances).max() < 5
    assert (sample.errors > 0).all()


def test_all_orders_drawn_once_are_the_exact_values() -> None:
    worth = random_game(4, outcomes=2)
    every = np.array(list(permutations(range(4))))
    sample = sampled_shapley_values(worth, every, at_once=11)
    np.testing.assert_allclose(sample.values, shapley_values(worth, 4, at_once=16), atol=1e-14)


def test_an_additive_game_has_no_error() -> None:
    worths = np.array([3.0, -1.0, 0.5])
    sample = sampled_shapley_values(lambda members: members @ worths, orders_of(3, 5), at_once=100)
    np.testing.assert_allclose(sample.values, worths, atol=1e-14)
    np.testing.assert_allclose(sample.errors, 0, atol=1e-14)
