"""Intervals of single scores, and what repeated runs add to tests of differences."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy.special import polygamma
from scipy.stats import binomtest, ttest_ind
from simulations.generators import parts_of_sums
from simulations.runs import draw_runs, parts_of_runs

from metaeval.inference.pairs import Evidence, compare_pairs
from metaeval.inference.parts import Parts, _inverse_trigamma, as_normal, as_student, moderate
from metaeval.inference.scores import find_more, score_intervals

SHARE, ANY = (0.0, 1.0), (-np.inf, np.inf)


def parts_of(items: np.ndarray) -> Parts:
    return parts_of_sums(np.asarray(items, dtype=np.float64).reshape(len(items), -1), np.ones(len(items), dtype=int))


@given(
    items=arrays.arrays(
        np.float64, st.tuples(st.integers(2, 12), st.integers(1, 3)), elements=st.floats(0, 1, width=16)
    ),
    bounds=st.sampled_from([SHARE, ANY, (0.0, np.inf), (-np.inf, 1.0), (-1.0, 1.0)]),
    clusters=st.integers(1, 3),
)
@settings(max_examples=200, deadline=None)
def test_an_interval_has_a_width_and_its_score_and_stays_on_the_scale(
    items: np.ndarray, bounds: tuple[float, float], clusters: int
) -> None:
    codes = np.arange(len(items)) % clusters
    sums = np.stack([items[codes == code].sum(axis=0) for code in np.unique(codes)])
    by_cluster = parts_of_sums(sums, np.bincount(codes))
    for groupings in ([parts_of(items)], [by_cluster], [by_cluster, parts_of(items), parts_of(items)]):
        low, high = score_intervals(groupings, bounds)
        is_defined = ~np.isnan(low)
        scores = groupings[0].scores
        assert np.array_equal(is_defined, ~np.isnan(high))
        assert (low < high)[is_defined].all()
        assert ((low <= scores) & (scores <= high))[is_defined].all()
        assert ((low >= bounds[0]) & (high <= bounds[1]))[is_defined].all()
        # Of two bounds there is an interval as soon as there are two groups.
        if np.isfinite(bounds).all() and all(len(parts.sizes) > 1 for parts in groupings):
            assert is_defined.all()


def test_a_share_has_nearly_the_interval_of_wilson() -> None:
    for right, number in ((120, 400), (396, 400)):
        interval = np.ravel(score_intervals([parts_of(np.arange(number) < right)], SHARE))
        np.testing.assert_allclose(interval, binomtest(right, number).proportion_ci(method="wilson"), atol=1e-3)


def test_perfect_scores_have_the_interval_of_clopper_and_pearson() -> None:
    interval = np.ravel(score_intervals([parts_of(np.ones(30))], SHARE))
    np.testing.assert_allclose(interval, binomtest(30, 30).proportion_ci(method="exact"))


def test_the_mean_of_symmetric_scores_has_the_interval_of_student() -> None:
    scores = np.arange(-10.0, 11.0)
    half = 2.085963 * scores.std(ddof=1) / np.sqrt(21)
    np.testing.assert_allclose(np.ravel(score_intervals([parts_of(scores)], ANY)), [-half, half], rtol=1e-6)


def test_there_is_no_interval_of_a_constant_without_bounds_or_of_one_group() -> None:
    assert np.isnan(score_intervals([parts_of(np.full(9, 0.3))], ANY)).all()
    assert np.isnan(score_intervals([parts_of_sums(np.array([[2.0]]), np.array([4]))], SHARE)).all()


def test_classes_that_are_never_found_may_be_found_on_other_items() -> None:
    counts = np.array([[[90, 0], [10, 0]], [[90, 0], [0, 10]]])
    more = find_more(counts)
    assert more[0, 1, 1] == pytest.approx(10 * binomtest(0, 10).proportion_ci(method="exact").high)
    np.testing.assert_array_equal(more.sum(axis=-1), counts.sum(axis=-1))
    np.testing.assert_array_equal(more[1], counts[1])


def test_student_and_normal_quantiles_are_inverse() -> None:
    t, freedom = np.array([0.0, 0.5, 3.0, 40.0, np.inf]), np.array([2.0, 3.5, 7.0, 2.0, 4.0])
    np.testing.assert_allclose(as_student(as_normal(t, freedom), freedom), t)
    np.testing.assert_allclose(as_normal(-t, freedom), -as_normal(t, freedom))


def test_the_inverse_of_the_trigamma_function() -> None:
    for value in (1e-6, 0.01, 0.5, 3.0, 100.0):
        assert float(polygamma(1, _inverse_trigamma(value))) == pytest.approx(value)


def test_moderated_variances_are_at_least_those_of_the_systems() -> None:
    variances, freedom = np.array([1.0, 2.0, 3.0, 0.5, 0.0]), np.full(5, 2.0)
    moderated, moderated_freedom = moderate(variances, freedom)
    assert (moderated >= variances).all()
    assert (moderated[4], moderated_freedom[4]) == (0, 2)
    assert (moderated_freedom[:4] > 2).all()
    np.testing.assert_array_equal(moderate(variances[:3], freedom[:3])[0], variances[:3])


@pytest.mark.parametrize("systems", [2, 5])
def test_with_runs_p_and_intervals_agree(systems: int) -> None:
    for seed in range(20):
        random = np.random.default_rng(seed)
        scores, system_of_run = draw_runs(random, [3] * systems, np.full(systems, 0.2), item_deviation=0.7)
        parts = parts_of_runs(scores + 0.3 * system_of_run[:, np.newaxis], system_of_run)
        items = Evidence.draw([parts], random, 199)
        tests, by_items = compare_pairs(items.with_other_runs(random)), compare_pairs(items)
        np.testing.assert_array_equal(tests.significant, (tests.low > 0) | (tests.high < 0))
        assert ((tests.low < tests.difference) & (tests.difference < tests.high)).all()
        assert (tests.high - tests.low > by_items.high - by_items.low).all()
        np.testing.assert_array_equal(tests.difference, by_items.difference)


def test_runs_that_vary_alone_give_the_test_of_welch() -> None:
    random = np.random.default_rng(4)
    runs = np.concatenate([random.normal(0, 1, 5), random.normal(1, 2, 4)])
    scores = runs[:, np.newaxis] + 1e-4 * random.standard_normal((9, 300))
    evidence = Evidence.draw([parts_of_runs(scores, np.repeat([0, 1], [5, 4]))], random, 19_999).with_other_runs(random)
    assert compare_pairs(evidence).raw[0] == pytest.approx(
        ttest_ind(runs[:5], runs[5:], equal_var=False).pvalue, abs=0.01
    )
