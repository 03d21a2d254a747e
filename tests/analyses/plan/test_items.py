"""Plans from pilots of known populations: the planned number of items is enough."""

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats
from scipy.special import ndtr

from metaeval.analyses.plan.items import Pilot, Requirement, amounts, plan_difference, plan_ranking, typical_difference

Numbers = NDArray[np.float64]

SIZES = np.array([50.0, 200.0, 800.0])


def pilot_of(items: Numbers, *, seed: int = 0, resamples: int = 200) -> Pilot:
    """Of scores of single items, (S, N)."""
    number = items.shape[1]
    draws = np.random.default_rng(seed).multinomial(number, np.full(number, 1 / number), size=resamples)
    centred = items - items.mean(axis=1, keepdims=True)
    return Pilot.of(items.mean(axis=1), centred.T, draws, items=number)


def expected_tau(means: Numbers, sizes: Numbers) -> Numbers:
    """Between the rankings on two test sets, where each system's items vary by 1 around its mean, independently."""
    one, other = np.triu_indices(len(means), 1)
    apart = (means[one] - means[other]) / np.sqrt(2)
    return np.asarray(((2 * ndtr(apart[:, np.newaxis] * np.sqrt(sizes)) - 1) ** 2).mean(axis=0))


def truly_needed(means: Numbers, tau: float, *, most: int) -> float:
    sizes = np.geomspace(2, most, 3000)
    reached = np.flatnonzero(expected_tau(means, sizes) >= tau)
    return float(sizes[reached[0]]) if len(reached) else np.inf


def test_the_formula_of_the_expected_tau_is_what_two_test_sets_have_in_common() -> None:
    random = np.random.default_rng(1)
    means, number = random.normal(size=8) * 0.2, 60
    first, second = means + random.normal(size=(2, 1500, 8)) / np.sqrt(number)
    taus = [stats.kendalltau(*two).statistic for two in zip(first, second, strict=True)]
    assert np.mean(taus) == pytest.approx(expected_tau(means, np.array([float(number)]))[0], abs=0.015)


@pytest.mark.parametrize(("systems", "spread", "tau"), [(14, 1.5, 0.7), (6, 4.0, 0.8)])
def test_over_many_pilots_the_plan_of_a_ranking_is_right_and_its_interval_holds_the_truth(
    systems: int, spread: float, tau: float
) -> None:
    random = np.random.default_rng(2)
    number, pilots = 100, 40
    errors: list[float] = []
    held: list[bool] = []
    for place in range(pilots):
        means = random.normal(size=systems) * spread / np.sqrt(number)
        items = means[:, np.newaxis] + random.normal(size=(systems, number))
        found = plan_ranking(pilot_of(items, seed=place, resamples=100), tau=tau, sizes=SIZES)
        truth = truly_needed(means, tau, most=64 * number)
        limit = 16.0 * number
        errors.append(float(np.diff(np.log2(np.minimum([truth, found.needed], limit)))[0]))
        held.append(found.low <= truth and (truth <= found.high or found.high == np.inf))
    # Half of the pilots' own chance, which is large, is what a bias would have to stay below.
    assert abs(np.mean(errors)) < 0.5 * max(float(np.std(errors)), 0.5)
    assert np.mean(held) >= 0.88


def test_a_limit_evenly_spaced_systems_take_fewer_items_than_planned_as_independent_ones_would_not() -> None:
    random = np.random.default_rng(11)
    number, tau = 500, 0.9
    even = np.linspace(0.55, 0.76, 8) / np.sqrt(0.655 * 0.345)
    found = [
        plan_ranking(
            pilot_of(even[:, np.newaxis] + random.normal(size=(8, number)), seed=place, resamples=60),
            tau=tau,
            sizes=SIZES,
        ).needed
        for place in range(10)
    ]
    planned, needed = float(np.median(found)), truly_needed(even, tau, most=16 * number)
    assert 2 * needed < planned < 6 * needed
    # Independent draws as far apart on the whole, normal or uniform, do take as many: no pair of neighbours is safe.
    for draw in (random.normal, lambda size: random.uniform(-1, 1, size=size) * np.sqrt(3)):
        others = [truly_needed(draw(size=8) * even.std(ddof=1), tau, most=64 * number) for _ in range(100)]
        assert np.median(others) > 2 * needed


def test_nothing_is_needed_beyond_sixteen_times_the_pilot() -> None:
    pilot = pilot_of(np.random.default_rng(12).normal(size=(2, 100)))
    far = plan_difference(pilot, delta=1e-9, power=0.8, alpha=0.05, sizes=SIZES)
    assert (far.needed, far.low, far.high) == (np.inf, np.inf, np.inf)
    ranking = plan_ranking(pilot, tau=0.9999, sizes=np.array([1e9]))
    assert ranking.needed == np.inf
    assert ranking.value[0] > 0.9999


def test_systems_that_are_alike_do_not_look_as_if_more_items_would_rank_them() -> None:
    random = np.random.default_rng(3)
    needed = [
        plan_ranking(pilot_of(random.normal(size=(12, 200)), seed=place, resamples=50), tau=0.7, sizes=SIZES).needed
        for place in range(20)
    ]
    # The differences that a pilot sees are chance alone; taken for true ones, a few times its items would do.
    assert np.mean(np.isinf(needed)) > 0.8


def test_a_known_ranking_takes_what_the_formula_says() -> None:
    random = np.random.default_rng(4)
    means = np.linspace(0, 1, 6)
    items = means[:, np.newaxis] + random.normal(size=(6, 20_000))
    found = plan_ranking(pilot_of(items), tau=0.9, sizes=SIZES)
    assert found.needed == pytest.approx(truly_needed(means, 0.9, most=20_000), rel=0.1)
    np.testing.assert_allclose(found.value, expected_tau(means, SIZES), atol=0.02)
    assert (found.lows <= found.value).all()
    assert (found.value <= found.highs).all()
    assert found.now == pytest.approx(1, abs=1e-6)


def test_a_curve_never_falls_with_the_number_of_items() -> None:
    items = np.random.default_rng(5).normal(size=(5, 40)) + np.arange(5)[:, np.newaxis] * 0.1
    found = plan_ranking(pilot_of(items), tau=0.9, sizes=np.arange(2.0, 400))
    for curve in (found.value, found.lows, found.highs):
        assert (np.diff(curve) >= -1e-12).all()


def test_systems_that_are_the_same_on_every_item_are_no_pair() -> None:
    items = np.random.default_rng(6).normal(size=(3, 50))
    twins = pilot_of(np.stack([items[0], items[0], items[1], items[2]]))
    assert len(twins.difference) == 5
    same = plan_ranking(pilot_of(np.stack([items[0], items[0]])), tau=0.9, sizes=SIZES)
    assert np.isnan([same.needed, same.low, same.high, same.now]).all()
    assert np.isnan(typical_difference(pilot_of(np.stack([items[0], items[0]]))))


def test_a_difference_that_never_varies_is_sure() -> None:
    found = plan_ranking(pilot_of(np.repeat([[0.0], [1.0]], 30, axis=1)), tau=0.9, sizes=SIZES)
    assert found.needed <= 2
    assert found.now == pytest.approx(1)


def test_systems_without_a_score_are_left_out() -> None:
    items = np.random.default_rng(7).normal(size=(4, 50))
    with_gap = items.copy()
    with_gap[1, 3] = np.nan
    np.testing.assert_array_equal(pilot_of(with_gap).difference, pilot_of(items[[0, 2, 3]]).difference)


@pytest.mark.parametrize("delta", [0.15, 0.6])
def test_with_as_many_items_as_planned_a_t_test_has_the_power_asked_for(delta: float) -> None:
    random = np.random.default_rng(8)
    items = random.normal(size=(2, 5000))
    planned = plan_difference(pilot_of(items), delta=delta, power=0.8, alpha=0.05, sizes=SIZES)
    number = int(np.ceil(planned.needed))
    drawn = random.normal(size=(4000, number)) * np.sqrt(2) + delta
    assert np.mean(stats.ttest_1samp(drawn, 0, axis=1).pvalue <= 0.05) == pytest.approx(0.8, abs=0.03)
    assert planned.low <= planned.needed <= planned.high
    at_needed = plan_difference(pilot_of(items), delta=delta, power=0.8, alpha=0.05, sizes=np.array([planned.needed]))
    assert at_needed.value[0] == pytest.approx(0.8)


def test_the_interval_of_a_plan_of_a_difference_holds_the_truth() -> None:
    random = np.random.default_rng(9)
    held = []
    for place in range(100):
        found = plan_difference(
            pilot_of(random.normal(size=(2, 150)), seed=place), delta=0.3, power=0.8, alpha=0.05, sizes=SIZES
        )
        truth = 2 * ((stats.norm.ppf(0.975) + stats.norm.ppf(0.8)) / 0.3) ** 2 + stats.norm.ppf(0.975) ** 2 / 2
        held.append(found.low <= truth <= found.high)
    assert np.mean(held) >= 0.87


def test_pairs_that_vary_more_take_more() -> None:
    items = np.random.default_rng(10).normal(size=(6, 300)) * np.arange(1, 7)[:, np.newaxis]

    def planned(share: float) -> Requirement:
        return plan_difference(pilot_of(items), delta=0.5, power=0.8, alpha=0.05, share=share, sizes=SIZES)

    assert planned(0.9).needed > planned(0.5).needed


def test_the_typical_difference_is_the_median_to_two_digits() -> None:
    items = np.array([[0.0], [0.1234], [0.5]]) + np.zeros((3, 10))
    assert typical_difference(pilot_of(items)) == 0.38


def test_amounts_reach_from_a_quarter_of_the_pilot_to_sixteen_times_it() -> None:
    found = amounts(100, 2)
    assert (found[0], found[-1]) == (25, 1600)
    assert 100 in found
    assert (np.diff(found) > 0).all()
