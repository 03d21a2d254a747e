"""Split-half consistency on score cubes made by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some
from scipy import stats
from score_cubes import cube

from metaeval.analyses.stability.compute import (
    best_first,
    check_strata,
    split_half_consistency,
    thirds,
)
from metaeval.errors import InputError


def test_consistency_is_kendalls_tau_of_the_two_halves_for_every_trial_and_measure() -> None:
    values = np.random.default_rng(0).integers(6, size=(5, 2, 3, 8)).astype(float)
    found = split_half_consistency(cube(values, ("trial", "half")), cube(values[0, 0]))
    assert found.tau.shape == found.discordant.shape == (5, 3)
    assert found.strata.shape == (5, 0, 3)
    for trial, measure in np.ndindex(5, 3):
        first, second = values[trial, 0, measure], values[trial, 1, measure]
        assert found.tau[trial, measure] == pytest.approx(stats.kendalltau(first, second).statistic, abs=1e-12)
        signs = [np.sign(np.subtract.outer(half, half)) for half in (first, second)]
        assert found.discordant[trial, measure] == pytest.approx((signs[0] * signs[1] < 0).sum() / (8 * 7))


def test_the_direction_of_a_measure_changes_neither_tau_nor_swaps() -> None:
    values = np.random.default_rng(2).integers(5, size=(6, 2, 1, 9)).astype(float)
    higher, lower = (
        split_half_consistency(cube(values, ("trial", "half"), lower_is_better=turned), cube(values[0, 0]))
        for turned in ((), (0,))
    )
    np.testing.assert_array_equal(higher.tau, lower.tau)
    np.testing.assert_array_equal(higher.discordant, lower.discordant)


def test_halves_are_compared_by_the_systems_that_both_define() -> None:
    random = np.random.default_rng(8)
    values = random.random((30, 2, 3, 6))
    values[random.random(values.shape) < 0.3] = np.nan
    full = cube(random.random((3, 6)))
    found = split_half_consistency(cube(values, ("trial", "half")), full, strata=(4, 2))
    for trial, measure in np.ndindex(30, 3):
        of_strata = [np.arange(6), *np.split(best_first(full)[measure], [4])]
        for systems, tau in zip(of_strata, [found.tau[trial, measure], *found.strata[trial, :, measure]], strict=True):
            first, second = values[trial][:, measure, systems]
            defined = ~(np.isnan(first) | np.isnan(second))
            expected = stats.kendalltau(first[defined], second[defined]).statistic if defined.sum() > 1 else np.nan
            np.testing.assert_allclose(tau, expected, rtol=1e-12)
    lower = split_half_consistency(cube(-values, ("trial", "half"), lower_is_better=(0, 1, 2)), full, strata=())
    np.testing.assert_array_equal(lower.tau, found.tau)


def test_a_measure_that_ranks_all_systems_alike_has_no_tau_and_swaps_nothing() -> None:
    values = np.random.default_rng(3).random((4, 2, 3, 5))
    values[1, 0, 0] = 0.5
    values[:, :, 1] = np.nan
    found = split_half_consistency(cube(values, ("trial", "half")), cube(values[0, 0]), strata=(3, 2))
    np.testing.assert_array_equal(np.isnan(found.tau).sum(axis=0), [1, 4, 0])
    assert found.discordant[1, 0] == 0
    assert np.isnan(found.discordant[:, 1]).all()
    assert np.isnan(found.strata[:, :, 1]).all()


@pytest.mark.parametrize("systems", [1, 2])
def test_with_a_stratum_of_one_system_or_one_system_in_all_tau_is_undefined(systems: int) -> None:
    values = np.random.default_rng(3).random((4, 2, 3, systems))
    found = split_half_consistency(cube(values, ("trial", "half")), cube(values[0, 0]), strata=(1,) * systems)
    assert np.isnan(found.strata).all()
    assert (np.isnan(found.tau) == (systems == 1)).all()
    assert (np.isnan(found.discordant) == (systems == 1)).all()


@given(some.integers(0, 300))
def test_thirds_are_a_partition_as_near_equal_as_can_be(systems: int) -> None:
    sizes = thirds(systems)
    assert sum(sizes) == systems
    assert sorted(sizes, reverse=True) == list(sizes)
    assert max(sizes) - min(sizes) <= 1


@pytest.mark.parametrize("strata", [(5, 5, 5), (5, 5), (14, 0), (15, -1), (1,) * 15, ()])
def test_strata_that_do_not_hold_every_system_once_are_an_error(strata: tuple[int, ...]) -> None:
    with pytest.raises(InputError, match="use strata='5,5,4', for example"):
        check_strata(strata, 14)
