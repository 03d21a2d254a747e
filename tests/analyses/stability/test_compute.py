"""Split-half consistency on score cubes made by hand."""

import numpy as np
import pytest
from scipy import stats
from score_cubes import cube

from metaeval.analyses.stability.compute import share_of_winners, split_half_consistency


def test_consistency_is_kendalls_tau_of_the_two_halves_for_every_trial_and_measure() -> None:
    values = np.random.default_rng(0).integers(6, size=(5, 2, 3, 8)).astype(float)
    found = split_half_consistency(cube(values, ("trial", "half")))
    assert found.tau.shape == found.discordant.shape == found.winner.shape == (5, 3)
    for trial, measure in np.ndindex(5, 3):
        first, second = values[trial, 0, measure], values[trial, 1, measure]
        assert found.tau[trial, measure] == pytest.approx(stats.kendalltau(first, second).statistic, abs=1e-12)
        signs = [np.sign(np.subtract.outer(half, half)) for half in (first, second)]
        assert found.discordant[trial, measure] == pytest.approx((signs[0] * signs[1] < 0).sum() / (8 * 7))


def test_the_best_of_one_half_is_the_best_of_the_other_with_ties_broken_at_random() -> None:
    values = np.random.default_rng(1).integers(3, size=(40, 2, 2, 5)).astype(float)
    values[0, 0, 0] = np.nan
    values[1, 0, 0, 0] = np.nan
    values[1, 0, 0, 1:] = values[1, 1, 0, 1:] = [4, 3, 2, 1]
    values[1, 1, 0, 0] = 9
    found = split_half_consistency(cube(values, ("trial", "half"), lower_is_better=(1,)))
    assert np.isnan(found.winner[0, 0])
    # A system with a score in one half only is not its best.
    assert found.winner[1, 0] == 1
    for trial, measure in np.ndindex(40, 2):
        first, second = values[trial, :, measure] * (-1 if measure else 1)
        if not np.isnan(first).any():
            best = [np.flatnonzero(half == half.max()) for half in (first, second)]
            same = [one == other for one in best[0] for other in best[1]]
            assert found.winner[trial, measure] == pytest.approx(np.mean(same))
    assert share_of_winners(np.ones(4), np.ones(4)) == 0.25


def test_halves_are_compared_by_the_systems_that_both_define() -> None:
    random = np.random.default_rng(8)
    values = random.random((30, 2, 3, 6))
    values[random.random(values.shape) < 0.3] = np.nan
    found = split_half_consistency(cube(values, ("trial", "half")))
    for trial, measure in np.ndindex(30, 3):
        first, second = values[trial][:, measure]
        defined = ~(np.isnan(first) | np.isnan(second))
        expected = stats.kendalltau(first[defined], second[defined]).statistic if defined.sum() > 1 else np.nan
        np.testing.assert_allclose(found.tau[trial, measure], expected, rtol=1e-12)
    lower = split_half_consistency(cube(-values, ("trial", "half"), lower_is_better=(0, 1, 2)))
    np.testing.assert_array_equal(lower.tau, found.tau)
    np.testing.assert_array_equal(lower.discordant, found.discordant)


def test_a_measure_that_ranks_all_systems_alike_has_no_tau_and_swaps_nothing() -> None:
    values = np.random.default_rng(3).random((4, 2, 3, 5))
    values[1, 0, 0] = 0.5
    values[:, :, 1] = np.nan
    found = split_half_consistency(cube(values, ("trial", "half")))
    np.testing.assert_array_equal(np.isnan(found.tau).sum(axis=0), [1, 4, 0])
    assert found.discordant[1, 0] == 0
    assert np.isnan(found.discordant[:, 1]).all()
    assert np.isnan(found.winner[:, 1]).all()


@pytest.mark.parametrize("systems", [1, 2])
def test_of_one_system_tau_is_undefined(systems: int) -> None:
    values = np.random.default_rng(3).random((4, 2, 3, systems))
    found = split_half_consistency(cube(values, ("trial", "half")))
    assert (np.isnan(found.tau) == (systems == 1)).all()
    assert (np.isnan(found.discordant) == (systems == 1)).all()
