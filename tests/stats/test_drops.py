"""Tests of drops: against a plain loop, and against what they promise."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from metaeval.stats.tests import max_t_drops

Numbers = NDArray[np.float64]

ITEMS = 80
REPLICATES = 199
EXPERIMENTS = 400


def in_a_loop(differences: Numbers, replicates: Numbers) -> list[float]:
    """As Westfall & Young describe it, number by number."""
    errors = [float(np.std(column[~np.isnan(column)], ddof=1)) for column in replicates.T]
    reached = [0] * len(differences)
    for sample in replicates:
        largest = -np.inf
        for value, difference, error in zip(sample, differences, errors, strict=True):
            if not np.isnan(value):
                largest = max(largest, -(value - difference) / error)
        for place, (difference, error) in enumerate(zip(differences, errors, strict=True)):
            reached[place] += largest >= -difference / error - 1e-9
    return [(count + 1) / (len(replicates) + 1) for count in reached]


@settings(deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 5), st.integers(2, 30), st.booleans())
def test_it_equals_a_plain_loop(seed: int, comparisons: int, samples: int, holes: bool) -> None:
    random = np.random.default_rng(seed)
    replicates = random.normal(-0.5, 1, (samples, comparisons))
    if holes and samples > 4:
        replicates[random.integers(2, samples), random.integers(comparisons)] = np.nan
    differences = random.normal(-0.5, 1, comparisons)
    assert max_t_drops(differences, replicates).p.tolist() == in_a_loop(differences, replicates)


def mean_differences(random: np.random.Generator, drops: Numbers) -> tuple[Numbers, Numbers]:
    """Means of correlated differences of items, and of bootstrap samples of these."""
    shared = random.normal(size=(ITEMS, 1))
    items = shared + random.normal(size=(ITEMS, len(drops))) - drops
    draws = random.multinomial(ITEMS, np.full(ITEMS, 1 / ITEMS), size=REPLICATES)
    return items.mean(axis=0), draws @ items / ITEMS


def test_where_nothing_dropped_a_false_alarm_is_as_rare_as_promised_but_only_with_the_adjustment() -> None:
    random = np.random.default_rng(1)
    adjusted = alone = 0
    for _ in range(EXPERIMENTS):
        differences, replicates = mean_differences(random, np.zeros(6))
        adjusted += bool((max_t_drops(differences, replicates).p <= 0.05).any())
        alone += min(max_t_drops(differences[[k]], replicates[:, [k]]).p[0] for k in range(6)) <= 0.05
    # Three standard errors of the share are .033.
    assert 0.02 < adjusted / EXPERIMENTS < 0.083
    assert alone / EXPERIMENTS > 0.1


def test_what_dropped_is_found_and_what_did_not_is_left_alone() -> None:
    random = np.random.default_rng(2)
    drops = np.array([1.0, 0, 0, 0])
    found = np.array([max_t_drops(*mean_differences(random, drops)).p <= 0.05 for _ in range(100)])
    assert found[:, 0].mean() > 0.95
    assert found[:, 1:].any(axis=1).mean() < 0.12


def test_an_improvement_or_no_change_is_no_drop() -> None:
    differences, replicates = mean_differences(np.random.default_rng(3), np.array([-5.0, -5.0]))
    assert max_t_drops(differences, replicates).p.tolist() == [1.0, 1.0]
    assert max_t_drops(np.zeros(2), np.zeros((9, 2))).p.tolist() == [1.0, 1.0]


def test_a_drop_that_every_sample_repeats_is_certain_and_hides_no_other() -> None:
    random = np.random.default_rng(4)
    noise = random.normal(0, 1, 99)
    replicates = np.column_stack([np.full(99, -0.1), np.full(99, 0.1), noise])
    result = max_t_drops(np.array([-0.1, 0.1, 0.0]), replicates)
    assert result.statistic.tolist() == [np.inf, -np.inf, 0.0]
    assert result.p[:2].tolist() == [0.01, 1.0]
    assert result.p[2] == max_t_drops(np.array([0.0]), noise[:, np.newaxis]).p[0]


def test_equal_statistics_count_as_reached_though_rounding_parts_them() -> None:
    # The first sample is as far below what was observed as that is below 0.
    replicates = np.array([[-0.6 + 2e-16], [-0.1], [0.0], [0.1]])
    assert -0.3 - replicates[0, 0] < 0.3
    assert max_t_drops(np.array([-0.3]), replicates).p[0] == 2 / 5


@pytest.mark.parametrize("replicates", [np.full((5, 1), np.nan), np.empty((0, 1)), np.ones((1, 1))])
def test_without_replicates_there_is_no_p(replicates: Numbers) -> None:
    assert np.isnan(max_t_drops(np.array([-1.0]), replicates).p).all()


def test_an_undefined_difference_has_no_p_and_the_others_keep_theirs() -> None:
    random = np.random.default_rng(5)
    differences, replicates = mean_differences(random, np.array([0.2, 0.3, 0.0]))
    alone = max_t_drops(differences[1:], replicates[:, 1:])
    differences[0], replicates[:, 0] = np.nan, np.nan
    result = max_t_drops(differences, replicates)
    assert np.isnan(result.p[0])
    assert np.isnan(result.statistic[0])
    np.testing.assert_array_equal(result.p[1:], alone.p)
