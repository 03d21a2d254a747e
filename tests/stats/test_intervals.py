"""Intervals and moments against numpy's."""

import warnings
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as some
from hypothesis.extra.numpy import array_shapes, arrays
from numpy.typing import NDArray
from scipy.stats import binom, binomtest

from metaeval.stats.intervals import (
    Bounded,
    defined_deviation,
    defined_mean,
    difference_of_shares,
    effective_share,
    jackknife_error,
    percentile_interval,
    share_interval,
    wilson_interval,
)

Sample = NDArray[np.float64]

samples = arrays(
    np.float64,
    array_shapes(min_dims=1, max_dims=3, max_side=9),
    elements=some.one_of(some.just(np.nan), some.floats(-5, 5)),
)


def quietly_nan(function: str, sample: Sample, *arguments: float, **options: int) -> Sample:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        return np.asarray(getattr(np, function)(sample, *arguments, **options))


@given(samples, some.sampled_from([0.5, 0.9, 0.95, 1.0]))
def test_ends_are_numpys_quantiles_of_what_is_defined(sample: Sample, level: float) -> None:
    low, high = percentile_interval(sample, level=level)
    for end, share in ((low, (1 - level) / 2), (high, (1 + level) / 2)):
        np.testing.assert_allclose(end, quietly_nan("nanquantile", sample, share, axis=0), atol=1e-12)


@given(samples, some.integers(-1, 0))
def test_moments_are_numpys_of_what_is_defined(sample: Sample, axis: int) -> None:
    np.testing.assert_allclose(defined_mean(sample, axis=axis), quietly_nan("nanmean", sample, axis=axis), atol=1e-12)
    deviation = quietly_nan("nanstd", sample, axis=axis, ddof=1)
    np.testing.assert_allclose(defined_deviation(sample, axis=axis), deviation, atol=1e-12)


@pytest.mark.parametrize("infinite", [np.inf, -np.inf])
def test_a_wider_level_never_gives_a_narrower_interval(infinite: float) -> None:
    sample = np.random.default_rng(3).normal(size=(50, 4))
    sample[0, 0] = infinite
    ends = [percentile_interval(sample, level=level) for level in (0.5, 0.8, 0.9)]
    for (low, high), (lower, higher) in pairwise(ends):
        assert (lower <= low).all()
        assert (higher >= high).all()


@pytest.mark.parametrize(("hits", "units"), [(0, 12), (33, 40), (20, 20), (7, 14)])
def test_a_share_of_independent_units_has_the_interval_of_clopper_and_pearson(hits: int, units: int) -> None:
    share = share_interval(np.arange(units) < hits, np.ones(units))
    interval = binomtest(hits, units).proportion_ci(method="exact")
    assert (share.low, share.high) == pytest.approx((interval.low, interval.high))
    assert share.p == pytest.approx(min(1.0, 2 * min(binom.cdf(hits, units, 0.5), binom.sf(hits - 1, units, 0.5))))


def test_units_of_a_cluster_that_agree_count_about_once() -> None:
    votes = np.random.default_rng(3).random(30) < 0.6
    once, often = share_interval(votes, np.ones(30)), share_interval(votes * 50.0, np.full(30, 50.0))
    assert 1 < (often.high - often.low) / (once.high - once.low) < 1.3


def test_shares_without_several_clusters_have_no_interval_and_empty_clusters_do_not_count() -> None:
    rows = share_interval([[3.0, 0.0, 0.0], [3.0, 2.0, 0.0]], [[4.0, 0.0, 0.0], [4.0, 4.0, 0.0]])
    assert np.isnan(rows.low).tolist() == np.isnan(rows.p).tolist() == [True, False]
    assert rows.low[1] == share_interval([3.0, 2], [4.0, 4]).low


@given(some.integers(2, 12), some.integers(0, 10**6))
def test_the_test_against_one_half_agrees_with_the_interval(clusters: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    sizes = random.integers(1, 9, clusters)
    interval = share_interval(random.binomial(sizes, random.random(clusters)), sizes)
    assert 0 <= interval.low <= interval.high <= 1
    assert (interval.low <= 0.5 <= interval.high) == (interval.p > 0.05)


def test_the_jackknife_error_of_a_mean_is_its_standard_error() -> None:
    random = np.random.default_rng(1)
    for units in [*range(2, 40), *range(40, 1100, 53), 5000]:
        values = random.normal(size=units)
        without = (values.sum() - values) / (units - 1)
        error = jackknife_error(values.mean(), without, np.ones(units, dtype=np.int64))
        assert error == pytest.approx(values.std(ddof=1) / np.sqrt(units), rel=1e-9)


ERRORS = some.one_of(some.just(0.0), some.floats(-12, 1).map(lambda exponent: 10**exponent))


@given(
    some.sampled_from([-1.0, -0.3, 0.0]),
    some.floats(0, 1),
    ERRORS,
    some.floats(1.01, 200),
    some.floats(0.01, 0.99),
    some.booleans(),
)
@example(0.0, 5e-324, 10.0, 2.0, 0.5, False)
def test_bounded_intervals_have_width_and_the_value_and_agree_with_the_test(
    lowest: float, share: float, error: float, units: float, null: float, is_share: bool
) -> None:
    statistic = Bounded.of(lowest + (1 - lowest) * share, error, lowest=lowest, units=units, share=is_share)
    low, high = statistic.interval()
    assert lowest <= low <= statistic.value <= high <= 1
    assert low < high
    other = lowest + (1 - lowest) * null
    p = statistic.p(other)
    assert abs(p - 0.05) < 1e-6 or (p > 0.05) == (low <= other <= high)


def test_bounded_shares_have_the_interval_of_wilson_and_those_of_all_units_of_clopper_and_pearson() -> None:
    units, exact = 10**6, binomtest(40, 40).proportion_ci(method="exact")
    low, high = Bounded.of(0.3, np.sqrt(0.3 * 0.7 / units), lowest=0.0, units=units).interval()
    expected = binomtest(3 * units // 10, units).proportion_ci(method="wilson")
    assert (low, high) == pytest.approx((expected.low, expected.high), abs=1e-8)
    assert Bounded.of(1.0, 0.0, lowest=-1.0, units=40).interval() == pytest.approx((2 * exact.low - 1, 1.0))


def test_one_hit_of_40_reaches_further_than_none() -> None:
    ends: list[float] = []
    for hits in (0, 1):
        values = np.arange(40) < hits
        error = values.std(ddof=1) / np.sqrt(40)
        ends.append(Bounded.of(values.mean(), error, lowest=0.0, units=40).interval()[1])
    assert ends[0] == pytest.approx(binomtest(0, 40).proportion_ci().high)
    assert ends[0] < ends[1] < 0.15


@given(some.floats(0, 1), some.floats(1e-6, 0.3), some.floats(2, 200), some.sampled_from([0.0, -1.0]))
def test_few_units_that_differ_are_no_better_known_than_none(
    share: float, error: float, units: float, lowest: float
) -> None:
    none = Bounded.of(lowest, 0.0, lowest=lowest, units=units).interval()[1]
    low, high = Bounded.of(lowest + (1 - lowest) * share, error, lowest=lowest, units=units, share=True).interval()
    assert high >= none - 1e-12
    assert low <= 1 + lowest - none + 1e-12


@pytest.mark.parametrize(("hits", "units"), [(0, 7), (1, 20), (18, 20), (49, 50), (50, 50), (100, 200)])
def test_the_interval_of_wilson_is_that_of_scipy(hits: int, units: int) -> None:
    expected = binomtest(hits, units).proportion_ci(method="wilson")
    interval = wilson_interval(np.array(hits / units), np.array(float(units)))
    assert interval == pytest.approx((expected.low, expected.high), abs=1e-12)


@pytest.mark.parametrize(
    ("counts", "ends"),
    [
        ((56, 70, 48, 80), (0.0524, 0.3339)),
        ((9, 10, 3, 10), (0.1705, 0.8090)),
        ((5, 56, 0, 29), (-0.0381, 0.1926)),
        ((10, 10, 0, 10), (0.6075, 1.0)),
    ],
)
def test_differences_of_shares_are_those_of_newcombe(
    counts: tuple[int, int, int, int], ends: tuple[float, float]
) -> None:
    # Newcombe (1998), table II, method 10.
    one, units, other, others = map(float, counts)
    difference = difference_of_shares(*map(np.array, (one / units, units, other / others, others)))
    assert (float(difference.low), float(difference.high)) == pytest.approx(ends, abs=5e-5)
    assert (difference.p <= 0.05) == (difference.low > 0 or difference.high < 0)
    turned = difference_of_shares(*map(np.array, (other / others, others, one / units, units)))
    np.testing.assert_allclose((-turned.high, -turned.low, turned.p), difference[1:])


@pytest.mark.parametrize(("share", "units", "groups"), [(0.95, 1, 40), (0.95, 5, 40), (0.95, 30, 40), (0.8, 3, 40)])
def test_many_differences_of_few_units_keep_their_level_together(share: float, units: int, groups: int) -> None:
    hits = np.random.default_rng(1).binomial(units, share, (200, groups)).astype(float)
    others = units * (groups - 1.0)
    rest = (hits.sum(axis=1, keepdims=True) - hits) / others
    difference = difference_of_shares(hits / units, np.full_like(hits, units), rest, np.full_like(hits, others))
    wrong = (difference.p.min(axis=1) <= 0.05 / groups).sum()
    assert binom.sf(wrong - 1, 200, 0.05) > 0.001
    assert ((difference.p <= 0.05) == ((difference.low > 0) | (difference.high < 0))).all()


def test_units_in_clusters_are_worth_fewer_units() -> None:
    hits = np.array([3.0, 0, 3, 3, 0, 3, 3, 3, 0, 3])
    share, number = effective_share(hits, np.full(10, 3.0))
    assert float(share) == pytest.approx(0.7)
    assert float(number) < 10
    assert float(effective_share(hits / 3, np.ones(10))[1]) == 10
