"""Statistics of measures: expected consistency, and tests of differences between measures."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import norm
from simulations.generators import correct_items, parts_of_sums

from metaeval.inference import statistics
from metaeval.inference.clusters import draw_cluster_halves
from metaeval.inference.pairs import Evidence
from metaeval.inference.statistics import (
    OF_POWER,
    OF_TAU,
    PairDeviations,
    Probits,
    approximate_tau,
    compare_statistics,
    expected_tau,
)
from metaeval.stats.pairs import count_pairs, tau_b

Floats = NDArray[np.float64]


def items_of(random: np.random.Generator, shares: Floats, items: int) -> Floats:
    """Whether systems are right about items, (N, S)."""
    return np.ascontiguousarray(correct_items(random, shares, items, common=0.4).T)


def evidence_of(correct: Floats) -> Evidence:
    parts = parts_of_sums(correct, np.ones(len(correct), dtype=int))
    return Evidence.draw((parts,), np.random.default_rng(1), 9)


def test_expected_tau_is_that_of_real_halves() -> None:
    random = np.random.default_rng(1)
    correct = items_of(random, random.uniform(0.6, 0.8, 10), 1000)
    first, second = draw_cluster_halves(random, np.ones(1000, dtype=int), 1000)
    real = np.nanmean(tau_b(count_pairs(first.astype(np.float64) @ correct, second.astype(np.float64) @ correct)))
    pairs = PairDeviations.of(evidence_of(correct))
    assert expected_tau(pairs.t, pairs.vary) == pytest.approx(real, abs=0.02)


def test_pairs_that_never_differ_are_left_out_and_certain_ones_count_fully() -> None:
    correct = np.column_stack([np.ones(50), np.ones(50), np.zeros(50)])
    pairs = PairDeviations.of(evidence_of(correct))
    assert pairs.vary.tolist() == [False, True, True]
    assert expected_tau(pairs.t, pairs.vary) == 1.0
    nothing = PairDeviations.of(evidence_of(np.ones((50, 2))))
    assert np.isnan(expected_tau(nothing.t, nothing.vary))


@pytest.mark.parametrize("vary", [[True] * 5, [True, False, True, True, False], [False] * 5])
def test_the_approximation_is_that_of_the_exact_value(vary: list[bool]) -> None:
    values = np.concatenate([np.linspace(-12, 12, 4001), [0.0, -0.0, 1e-300, 1e300, np.inf, -np.inf]])
    t = np.repeat(values[:, np.newaxis], 5, axis=1)
    used = np.array(vary)
    t[:, ~used] = 0.0
    for array in (t, np.asfortranarray(t)):
        np.testing.assert_allclose(approximate_tau(array, used), expected_tau(array, used), rtol=0, atol=3e-6)


@pytest.mark.parametrize("cells", [1, 60, 1000])
def test_chance_is_exact_to_six_digits_and_the_same_for_any_block(monkeypatch: pytest.MonkeyPatch, cells: int) -> None:
    random = np.random.default_rng(4)
    correct = items_of(random, random.uniform(0.6, 0.8, 8), 300)
    correct[:, 3] = correct[:, 5]
    pairs = PairDeviations.of(Evidence.draw((parts_of_sums(correct, np.ones(300, dtype=int)),), random, 199))
    assert not pairs.vary.all()
    one, other = np.triu_indices(8, k=1)
    chance = pairs.shrunk + (pairs.noise[:, one] - pairs.noise[:, other]) * pairs.scale
    value, by_chance = pairs.expected_tau()
    monkeypatch.setattr(statistics, "CELLS_IN_CACHE", cells)
    np.testing.assert_array_equal(np.concatenate([*pairs.chance()]), chance)
    np.testing.assert_allclose(pairs.expected_tau()[1], by_chance, rtol=0, atol=1e-14)
    np.testing.assert_allclose(by_chance, expected_tau(chance, pairs.vary), rtol=0, atol=1e-6)
    assert value == expected_tau(pairs.t, pairs.vary)


def test_measures_that_differ_by_rounding_are_not_different_by_chance() -> None:
    random = np.random.default_rng(5)
    correct = items_of(random, random.uniform(0.6, 0.8, 8), 300)
    taus = [PairDeviations.of(evidence_of(correct * factor)).expected_tau() for factor in (1.0, 0.7 / 3, 1e3 / 7)]
    chance = np.stack([by_chance for _, by_chance in taus], axis=1)
    np.testing.assert_allclose(chance, chance[:, :1].repeat(3, axis=1), rtol=0, atol=1e-10)
    assert (compare_statistics(np.array([value for value, _ in taus]), chance).p == 1).all()


def test_a_measure_without_a_value_has_no_comparison() -> None:
    chance = np.random.default_rng(1).normal(0.5, 0.1, (99, 3))
    chance[:, 1] = np.nan
    comparison = compare_statistics(np.array([0.9, np.nan, 0.1]), chance)
    assert np.isnan(comparison.p[0, 1])
    assert np.isnan(comparison.low[1])
    assert comparison.p[0, 2] == 0.01
    assert comparison.p[0, 2] >= comparison.raw[0, 2]


@pytest.mark.parametrize("scale", [OF_TAU, OF_POWER], ids=["tau", "power"])
def test_on_the_scale_of_probits_intervals_contain_their_statistics_and_stay_within_the_bounds(scale: Probits) -> None:
    random = np.random.default_rng(3)
    low, high = scale.bounds
    for _ in range(50):
        values = random.uniform(low, high, 4)
        values[:2] = random.choice([low, high, high - 1e-6], 2)
        chance = np.clip(values + random.choice([1e-3, 0.1]) * random.standard_normal((199, 4)), low, high)
        result = compare_statistics(values, chance, scale=scale)
        assert ((low <= result.low) & (result.low <= values) & (values <= result.high) & (result.high <= high)).all()
        assert (result.low < result.high).all()
    inside = np.linspace(low + 0.05, high - 0.01, 9)
    np.testing.assert_allclose(scale.statistic(scale.of(inside)), inside)


def test_a_power_that_is_known_precisely_at_one_end_is_not_far_from_another() -> None:
    # A pair at one standard error below the critical value, and one at two above it, as two equal ones may be.
    random = np.random.default_rng(4)
    chance = norm.cdf(np.array([-1.0, 2.0]) + random.standard_normal((1999, 2)))
    values = np.array([norm.cdf(-1.0), norm.cdf(2.0)])
    plain, comparison = (compare_statistics(values, chance, scale=scale) for scale in (None, OF_POWER))
    assert comparison.p[0, 1] == pytest.approx(2 * norm.sf(3 / np.sqrt(2)), abs=0.02)
    assert plain.p[0, 1] != pytest.approx(comparison.p[0, 1], abs=1e-3)
    # Were they equal, both would vary as much: what one seems to vary less is chance.
    unequal = np.column_stack([chance[:, 0], norm.cdf(2 + 0.1 * random.standard_normal(1999))])
    assert compare_statistics(values, unequal, scale=OF_POWER).p[0, 1] == pytest.approx(comparison.p[0, 1], abs=0.02)


def test_what_is_the_same_on_all_samples_has_no_interval() -> None:
    # The mean of many equal numbers differs from them by rounding.
    chance = np.stack([np.full(4999, 1 / 14), np.linspace(0, 1, 4999)], axis=1)
    comparison = compare_statistics(np.array([1 / 14, 0.5]), chance)
    assert np.isnan([comparison.low[0], comparison.high[0]]).all()
    assert comparison.low[1] < 0.5 < comparison.high[1]
