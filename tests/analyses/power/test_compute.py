"""Discriminative power against all arrangements, against a plain loop, and against its level."""

from itertools import permutations, product

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats
from simulations.generators import parts_of_sums

from metaeval.analyses.power.compute import Power, power_by_signs, power_by_tukey
from metaeval.inference.pairs import Evidence
from metaeval.stats.pairs import all_pairs

Numbers = NDArray[np.float64]


def fresh(seed: int = 20201) -> np.random.Generator:
    return np.random.default_rng(seed)


def tukey(items: Numbers, resamples: int = 499, seed: int = 1) -> Power:
    return power_by_tukey(items, permutations=resamples, seed=np.random.SeedSequence(seed), alpha=0.05)


def test_tukey_is_the_share_of_all_arrangements_that_reach_a_difference() -> None:
    items = np.array([[0.9, 0.7, 0.8, 0.6], [0.5, 0.6, 0.4, 0.7], [0.4, 0.1, 0.3, 0.2]])
    arrangements = np.array(list(product(*(permutations(column) for column in items.T))))
    ranges = np.ptp(arrangements.mean(axis=1), axis=1)
    assert len(ranges) == 6**4
    power = tukey(items, 40_000)
    exact = (ranges[:, np.newaxis] >= np.abs(power.difference) - 1e-12).mean(axis=0)
    np.testing.assert_allclose(power.p, exact, atol=0.01)


def test_of_many_equal_systems_some_two_are_told_apart_as_often_as_the_level_says() -> None:
    random, rejections = fresh(4), 0
    for _ in range(300):
        items = random.random((1, 60)) + random.gamma(1, size=(6, 60))
        rejections += bool(tukey(items, 199, int(random.integers(1 << 30))).different(alpha=0.05).any())
    assert stats.binomtest(rejections, 300, 0.05).pvalue > 1e-3


def test_above_what_is_needed_and_only_there_tukey_tells_systems_apart() -> None:
    items = fresh().random((12, 200)) + np.linspace(0, 0.3, 12)[:, np.newaxis]
    power = tukey(items)
    different = power.different(alpha=0.05)
    assert 0 < different.sum() < len(different)
    np.testing.assert_array_equal(different, np.abs(power.difference) > power.threshold)
    assert power.smallest(alpha=0.05) > power.threshold


def test_above_what_is_needed_the_signs_tell_every_two_systems_apart() -> None:
    items = fresh().random((12, 200)) + np.linspace(0, 0.3, 12)[:, np.newaxis]
    evidence = Evidence.draw((parts_of_sums(items.T.copy(), np.ones(200, dtype=int)),), fresh(2), 999)
    power, expected, chance = power_by_signs(evidence, alpha=0.05)
    different, size = power.different(alpha=0.05), np.abs(power.difference)
    assert 0 < different.sum() < len(different)
    assert different[size > power.threshold].all()
    assert power.smallest(alpha=0.05) < power.threshold * 1.01
    assert chance.shape == (999,)
    assert expected == pytest.approx(power.share(alpha=0.05), abs=0.05)
    assert chance.mean() == pytest.approx(expected, abs=0.1)


def test_a_system_without_a_score_of_some_item_is_left_out() -> None:
    items = fresh().random((4, 50)) + np.array([0, 0.1, 0.2, 0.9])[:, np.newaxis]
    holes = items.copy()
    holes[1, 7] = np.nan
    power, without = tukey(holes), tukey(items[[0, 2, 3]])
    tested = ~(all_pairs(4) == 1).any(axis=1)
    np.testing.assert_array_equal(power.p[tested], without.p)
    assert np.isnan(power.p[~tested]).all()
    assert (power.threshold, power.share(alpha=0.05)) == (without.threshold, without.share(alpha=0.05))


@pytest.mark.parametrize("items", [np.full((3, 4), np.nan), np.array([[1.0, 0.0], [np.nan, 1.0]])])
def test_where_no_two_systems_have_scores_nothing_is_known(items: Numbers) -> None:
    power = tukey(items)
    assert np.isnan(power.p).all()
    assert np.isnan([power.threshold, power.share(alpha=0.05), power.smallest(alpha=0.05)]).all()


def test_systems_that_are_alike_are_never_told_apart() -> None:
    power = tukey(np.repeat(fresh().random((1, 30)), 3, axis=0))
    assert power.p.tolist() == [1, 1, 1]
    assert power.share(alpha=0.05) == 0
    assert np.isnan(power.smallest(alpha=0.05))
