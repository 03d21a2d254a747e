"""Paired tests against SciPy on the same draws, against loops, and against their level and power."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some
from numpy.typing import NDArray
from scipy import stats

from metaeval.stats import pairs as module
from metaeval.stats.pairs import (
    all_pairs,
    bootstrap_test,
    critical_range,
    fewest_resamples,
    mcnemar,
    p_of_ranges,
    paired_bootstrap,
    simultaneous_p,
    swapped,
)

Numbers = NDArray[np.float64]
FIELDS = ("value", "low", "high", "p", "critical", "undefined")


def fresh(seed: int = 20201) -> np.random.Generator:
    return np.random.default_rng(seed)


def made_up(systems: int = 6, resamples: int = 199, seed: int = 20201) -> tuple[Numbers, Numbers]:
    """Scores, and scores of resamples around them."""
    random = fresh(seed)
    scores = random.random(systems)
    return scores, scores + 0.2 * random.normal(size=(resamples, systems))


def mean_difference(x: Numbers, y: Numbers, axis: int = -1) -> Numbers:
    return np.asarray(x.mean(axis=axis) - y.mean(axis=axis))


def test_the_interval_is_that_of_scipy_on_the_same_draws() -> None:
    random = fresh()
    one, other = random.random(40), random.random(40)
    theirs = stats.bootstrap(
        (one, other), mean_difference, paired=True, n_resamples=999, method="percentile", rng=fresh(1)
    )
    drawn = np.stack([theirs.bootstrap_distribution, np.zeros(999)], axis=1)
    scores = np.array([mean_difference(one, other), 0.0])
    ours = paired_bootstrap(scores, drawn, all_pairs(2))
    interval = theirs.confidence_interval
    np.testing.assert_allclose([ours.low[0], ours.high[0]], [interval.low, interval.high], rtol=1e-12)


def test_p_counts_resamples_whose_shift_reaches_the_difference() -> None:
    scores, drawn = made_up()
    found = paired_bootstrap(scores, drawn, all_pairs(6))
    for place, (one, other) in enumerate(all_pairs(6).tolist()):
        observed = scores[one] - scores[other]
        reached = sum(abs((row[one] - row[other]) - observed) >= abs(observed) for row in drawn)
        assert found.value[place] == observed
        assert found.p[place] == (reached + 1) / (len(drawn) + 1)


@pytest.mark.parametrize("items", [3, 8, 11])
def test_the_permutation_test_is_that_of_scipy_on_all_swaps(items: int) -> None:
    random = fresh(items)
    one, other = random.integers(5, size=items) / 4, random.integers(5, size=items) / 4
    theirs = stats.permutation_test(
        (one, other), mean_difference, permutation_type="samples", vectorized=True, n_resamples=2**items
    )
    drawn = theirs.null_distribution
    assert len(drawn) == 2**items
    p = float(swapped(np.array([theirs.statistic]), drawn[np.newaxis]).p[0])
    # An estimate counts what was observed among the resamples; what is exact has it there already.
    assert p * (len(drawn) + 1) - 1 == pytest.approx(theirs.pvalue * len(drawn))


def test_the_permutation_test_is_that_of_scipy_on_the_same_random_swaps() -> None:
    random = fresh(4)
    one, other = random.random(50), random.random(50) + 0.1
    theirs = stats.permutation_test(
        (one, other),
        lambda x, y, axis=-1: np.abs(mean_difference(x, y, axis)),
        permutation_type="samples",
        vectorized=True,
        n_resamples=499,
        alternative="greater",
        rng=fresh(5),
    )
    p = swapped(np.array([theirs.statistic]), theirs.null_distribution[np.newaxis]).p[0]
    assert p == pytest.approx(theirs.pvalue, abs=1e-15)


def bootstrap_of(random: np.random.Generator, one: Numbers, other: Numbers) -> float:
    drawn = random.multinomial(len(one), np.full(len(one), 1 / len(one)), size=199) / len(one)
    items = np.stack([one, other], axis=1)
    return float(bootstrap_test(items.mean(axis=0), drawn @ items, all_pairs(2)).p[0])


def permutation_of(random: np.random.Generator, one: Numbers, other: Numbers) -> float:
    signs = random.integers(0, 2, size=(199, len(one))) * 2.0 - 1
    return float(swapped(np.array([(one - other).mean()]), (signs @ (one - other))[np.newaxis] / len(one)).p[0])


Test = Callable[[np.random.Generator, Numbers, Numbers], float]
both_tests = pytest.mark.parametrize("test", [bootstrap_of, permutation_of])


def rejections(test: Test, shift: float, data_sets: int) -> int:
    """How often systems that have much in common and differ by `shift` are told apart at 0.05."""
    random = fresh(7)
    found = 0
    for _ in range(data_sets):
        common = 3 * random.normal(size=120)
        one, other = (common + random.gamma(2, size=120) for _ in range(2))
        found += test(random, one + shift, other) <= 0.05
    return found


@both_tests
def test_systems_that_are_alike_are_told_apart_as_often_as_the_level_says(test: Test) -> None:
    assert stats.binomtest(rejections(test, 0.0, 600), 600, 0.05).pvalue > 1e-3


@both_tests
def test_a_real_difference_is_found_as_often_as_theory_says(test: Test) -> None:
    # The variance of the difference is twice that of gamma(2), 2; so a shift of three standard errors.
    expected = stats.norm.cdf(3 - stats.norm.ppf(0.975))
    assert stats.binomtest(rejections(test, 3 * np.sqrt(4 / 120), 300), 300, expected).pvalue > 1e-3


levels = some.sampled_from([0.001, 0.01, 0.05, 0.07, 0.1, 0.29, 0.5, 0.95])


@given(some.lists(some.integers(0, 30), min_size=1, max_size=120), levels)
def test_above_the_critical_difference_and_only_there_p_is_significant(whole: list[int], alpha: float) -> None:
    distances = np.array(whole) / 7
    critical = float(swapped(np.zeros(1), distances[np.newaxis], alpha=alpha).critical[0])
    if np.isnan(critical):
        assert 1 / (len(distances) + 1) > alpha
        return
    below = distances[distances < critical]
    values = np.array([critical * (1 + 1e-6) + 1e-6, critical, *below[:1]])
    p = swapped(values, np.repeat(distances[np.newaxis], len(values), axis=0), alpha=alpha).p
    assert p[0] <= alpha
    assert (p[1:] > alpha).all()


@given(some.lists(some.floats(0, 10), min_size=1, max_size=80), levels)
def test_above_the_critical_range_and_only_there_p_is_significant(ranges: list[float], alpha: float) -> None:
    critical = critical_range(np.array(ranges), alpha=alpha)
    if not np.isnan(critical):
        p = p_of_ranges(np.array([critical * (1 + 1e-6) + 1e-6, critical]), np.array(ranges))
        assert p[0] <= alpha < p[1]


def test_without_enough_resamples_no_difference_is_critical() -> None:
    found = swapped(np.array([9.0]), np.zeros((1, 18)), alpha=0.05)
    assert np.isnan(found.critical[0])
    assert found.p[0] > 0.05
    assert swapped(np.array([9.0]), np.zeros((1, 19)), alpha=0.05).critical[0] == 0


@given(some.integers(1, 5000), levels)
def test_with_the_fewest_resamples_and_no_fewer_a_difference_can_be_significant(pairs: int, alpha: float) -> None:
    fewest = fewest_resamples(pairs, alpha=alpha)
    assert pairs / (fewest + 1) <= alpha * (1 + 1e-9)
    assert pairs / max(fewest, 1e-9) > alpha


def test_resamples_without_a_score_are_left_out_and_counted() -> None:
    scores, drawn = made_up(systems=3)
    holes = drawn.copy()
    holes[:40, 1] = np.nan
    found = paired_bootstrap(scores, holes, all_pairs(3))
    assert found.undefined.tolist() == [40, 0, 40]
    few = paired_bootstrap(scores, drawn[40:], all_pairs(3))
    whole = paired_bootstrap(scores, drawn, all_pairs(3))
    for field in ("value", "low", "high", "p", "critical"):
        expected = np.where([True, False, True], getattr(few, field), getattr(whole, field))
        np.testing.assert_array_equal(getattr(found, field), expected)


def test_without_systems_or_scores_nothing_is_told_apart() -> None:
    scores, drawn = made_up(systems=3)
    scores[0] = np.nan
    for found in (paired_bootstrap(scores, drawn, all_pairs(3)), bootstrap_test(scores, drawn, all_pairs(3))):
        assert np.isnan(found.p).tolist() == [True, True, False]
        assert np.isnan(found.critical).tolist() == [True, True, False]
    drawn[:] = np.nan
    assert np.isnan(paired_bootstrap(np.zeros(3), drawn, all_pairs(3)).p).all()
    drawn = np.repeat(fresh().random((99, 1)) / 3, 2, axis=1)
    assert paired_bootstrap(np.array([0.1, 0.1]), drawn, all_pairs(2)).p.tolist() == [1.0]
    scores, drawn = made_up(systems=1)
    assert len(paired_bootstrap(scores, drawn, all_pairs(1)).p) == 0


def test_blocks_of_pairs_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    scores, drawn = made_up(systems=9)
    whole = paired_bootstrap(scores, drawn, all_pairs(9))
    monkeypatch.setattr(module, "CELLS_AT_ONCE", 5 * len(drawn))
    blocked = paired_bootstrap(scores, drawn, all_pairs(9))
    for field in FIELDS:
        np.testing.assert_array_equal(getattr(blocked, field), getattr(whole, field))


def test_without_intervals_all_else_is_the_same() -> None:
    scores, drawn = made_up()
    drawn[3, 2] = np.nan
    ours, whole = (test(scores, drawn, all_pairs(6)) for test in (bootstrap_test, paired_bootstrap))
    for field in ("value", "p", "critical", "undefined"):
        np.testing.assert_array_equal(getattr(ours, field), getattr(whole, field))
    assert np.isnan(ours.low).all()


def test_simultaneous_p_compares_with_the_largest_move_of_any_two() -> None:
    scores, drawn = made_up()
    ranges = [np.ptp(row - scores) for row in drawn]
    expected = [
        (1 + sum(largest >= abs(scores[one] - scores[other]) for largest in ranges)) / (1 + len(drawn))
        for one, other in all_pairs(6)
    ]
    np.testing.assert_array_equal(simultaneous_p(scores, drawn, all_pairs(6)), expected)
    assert (simultaneous_p(scores, drawn, all_pairs(6)) >= bootstrap_test(scores, drawn, all_pairs(6)).p).all()


def test_the_family_is_the_systems_compared_that_have_a_score() -> None:
    scores, drawn = made_up()
    chosen = np.array([1, 3, 4])
    apart = simultaneous_p(scores[chosen], drawn[:, chosen], all_pairs(3))
    np.testing.assert_array_equal(simultaneous_p(scores, drawn, chosen[all_pairs(3)]), apart)
    holes = np.concatenate([scores, [np.nan]])
    filled = np.concatenate([drawn, np.full((len(drawn), 1), np.nan)], axis=1)
    found = simultaneous_p(holes, filled, all_pairs(7))
    touched = (all_pairs(7) == 6).any(axis=1)
    assert np.isnan(found[touched]).all()
    np.testing.assert_array_equal(found[~touched], simultaneous_p(scores, drawn, all_pairs(6)))
    assert np.isnan(simultaneous_p(np.full(2, np.nan), np.full((9, 2), np.nan), all_pairs(2))).all()


@given(some.integers(0, 40), some.integers(0, 40))
def test_mcnemar_is_a_binomial_test(only_one: int, only_other: int) -> None:
    p = float(mcnemar(np.array([only_one]), np.array([only_other]))[0])
    total = only_one + only_other
    assert p == pytest.approx(stats.binomtest(only_one, total, 0.5).pvalue if total else 1.0, rel=1e-12)
