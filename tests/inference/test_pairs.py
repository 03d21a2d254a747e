"""Tests of pairs of systems: one statistic decides on p-values, intervals, rank sets, letters and tiers."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from conclusions import check_consistent
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.special import xlogy
from simulations.generators import packed, parts_of_sums

from metaeval.inference.pairs import Evidence, Order, compare_pairs, ends_of_few
from metaeval.inference.parts import Parts, group_sums

Floats = NDArray[np.float64]


def random_parts(random: np.random.Generator) -> Parts:
    """Systems with binary scores of items in clusters of unequal sizes, some of them with equal scores."""
    systems, groups = int(random.integers(2, 10)), int(random.integers(3, 50))
    sizes = random.integers(1, 6, groups)
    sums = random.binomial(sizes[:, np.newaxis], random.uniform(0.3, 0.9, systems)).astype(np.float64)
    if random.random() < 0.3:
        sums[:, 0] = sums[:, -1]
    return parts_of_sums(sums, sizes)


def crossed(random: np.random.Generator, worths: Floats) -> tuple[Parts, Parts, Parts]:
    """Parts of the scores of items, (S, N), in random rows, columns and cells."""
    items = worths.shape[1]
    rows, columns = random.integers(0, 9, items), random.integers(0, 7, items)
    codes = [np.unique(way, return_inverse=True)[1] for way in (rows, columns, rows * 100 + columns)]
    made = [parts_of_sums(group_sums(worths, way, way.max() + 1), np.bincount(way)) for way in codes]
    return made[0], made[1], made[2]


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from([99, 199, 999]), st.booleans())
# Of five groups, the signs that were drawn are all alike less often than the 1/16 of all signs.
@example(seed=895122, permutations=99, two=False)
def test_p_values_intervals_ranks_letters_and_tiers_say_the_same(seed: int, permutations: int, two: bool) -> None:
    random = np.random.default_rng(seed)
    groupings: tuple[Parts, ...] = (random_parts(random),)
    if two:
        groupings = crossed(random, (random.random((6, 80)) < random.uniform(0.2, 0.95, (6, 1))).astype(np.float64))
    evidence = Evidence.draw(groupings, random, permutations)
    tests = compare_pairs(evidence)
    check_consistent(tests, evidence)


def test_all_signs_are_the_exact_permutation_difference_test_of_clusters() -> None:
    random = np.random.default_rng(4)
    correct = random.binomial(5, 0.6, (10, 2)).astype(np.float64)
    parts = parts_of_sums(correct, np.full(10, 5))
    signs = np.array(list(product([1.0, -1.0], repeat=10)))
    swapped = [np.where(row[:, np.newaxis] > 0, correct, correct[:, ::-1]).sum(axis=0) for row in signs]
    observed = abs(correct[:, 0].sum() - correct[:, 1].sum())
    exact = np.mean([abs(one - other) >= observed for one, other in swapped])
    tests = compare_pairs(Evidence((parts,), (packed(signs),)))
    assert (tests.raw[0] * 1025 - 1) / 1024 == exact
    assert tests.p[0] == tests.raw[0]


def test_the_same_grouping_twice_is_one_grouping() -> None:
    random = np.random.default_rng(5)
    parts = random_parts(random)
    once = Evidence.draw((parts,), random, 499)
    twice = compare_pairs(Evidence((parts, parts, parts), once.signs * 2))
    for name, values in vars(compare_pairs(once)).items():
        np.testing.assert_allclose(getattr(twice, name), values, err_msg=name)


def test_groups_too_few_for_any_significant_difference_have_no_intervals() -> None:
    differences = np.array([[0.0, 0.1], [0.0, 0.12], [0.0, 0.09], [0.0, 0.11], [0.0, 0.3], [0.0, 0.1]])
    for groups, bounded in ((5, False), (6, True)):
        evidence = Evidence.draw(
            [parts_of_sums(differences[:groups], np.ones(groups, dtype=np.int64))], np.random.default_rng(1), 4999
        )
        tests = compare_pairs(evidence)
        check_consistent(tests, evidence)
        assert np.isfinite([tests.low, tests.high, tests.threshold]).all() == bounded
        assert (tests.p <= 0.05).all() == bounded


def test_too_few_effective_groups_tell_nothing() -> None:
    sizes = np.array([1000, 1, 1, 1])
    parts = parts_of_sums(np.column_stack([sizes, np.zeros(4)]), sizes)
    tests = compare_pairs(Evidence.draw((parts,), np.random.default_rng(1), 999))
    assert tests.p.tolist() == [1.0]
    assert (tests.low[0], tests.high[0]) == (-np.inf, np.inf)


def test_systems_without_a_score_have_no_test() -> None:
    random = np.random.default_rng(6)
    sums = random.binomial(5, [0.9, 0.5, 0.2], (40, 3)).astype(np.float64)
    complete = parts_of_sums(sums, np.full(40, 5))
    scores = np.append(complete.scores, np.nan)
    parts = Parts(scores, np.column_stack([complete.parts, np.full(40, np.nan)]), complete.sizes)
    alone = Evidence.draw((complete,), np.random.default_rng(1), 499)
    with_it = Evidence((parts,), alone.signs)
    tests = compare_pairs(with_it)
    undefined = (tests.one == 3) | (tests.other == 3)
    assert np.isnan(tests.p[undefined]).all()
    np.testing.assert_array_equal(tests.p[~undefined], compare_pairs(alone).p)
    order = Order.of(scores, tests, with_it.defined)
    assert order.letters[3] == ""
    assert order.tiers == [1, 2, 3, 0]


def test_equal_systems_tie() -> None:
    sums = np.random.default_rng(7).binomial(5, 0.5, (20, 1)).astype(np.float64).repeat(2, axis=1)
    tests = compare_pairs(Evidence.draw((parts_of_sums(sums, np.full(20, 5)),), np.random.default_rng(1), 99))
    assert (tests.p[0], tests.z[0]) == (1.0, 0.0)
    # Differences that never vary say nothing of other items.
    assert np.isnan([tests.low[0], tests.high[0]]).all()


def test_jackknife_parts_of_a_mean_are_its_sums() -> None:
    random = np.random.default_rng(8)
    sizes = random.integers(1, 9, 30)
    sums = random.binomial(sizes[:, np.newaxis], 0.6, (30, 4)).astype(np.float64)
    full = sums.sum(axis=0) / sizes.sum()
    without = (sums.sum(axis=0) - sums) / (sizes.sum() - sizes)[:, np.newaxis]
    parts = Parts.from_jackknife(full, without, sizes)
    np.testing.assert_allclose(parts.parts, sums, atol=1e-12)
    np.testing.assert_allclose(parts.parts.sum(axis=0), sizes.sum() * full)


# Few items that differ


@given(st.integers(0, 12), st.integers(0, 12), st.integers(60, 400), st.floats(1.5, 4.0))
@example(3, 0, 100, 2.5)
def test_ends_of_few_are_where_the_score_of_the_most_likely_shares_is_critical(
    better: int, worse: int, items: int, critical: float
) -> None:
    assume(better + worse > 0)
    total, square = better - worse, better + worse
    ends = ends_of_few(np.array([float(total)]), np.array([float(square)]), items, critical)
    for (end,) in ends:
        share = most_likely_share(better, worse, items, end)
        variance = items * (2 * share + abs(end) - end**2)
        assert abs(total - items * end) == pytest.approx(critical * np.sqrt(variance), rel=1e-3, abs=1e-3)
    low, high = (float(end[0]) for end in ends)
    if not np.isclose(abs(total), critical * np.sqrt(square)):
        assert (low <= 0 <= high) == (abs(total) < critical * np.sqrt(square))
    assert low < total / items < high


def most_likely_share(better: int, worse: int, items: int, difference: float) -> float:
    """The share of the rarer of both directions with the largest likelihood, by search."""
    rarer, other = (worse, better) if difference > 0 else (better, worse)
    apart = abs(difference)
    shares = np.linspace(0, (1 - apart) / 2, 200_001)
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = (
            xlogy(rarer, shares) + xlogy(other, shares + apart) + xlogy(items - better - worse, 1 - apart - 2 * shares)
        )
    return float(shares[np.nanargmax(logs)])


def test_few_items_that_differ_widen_the_interval_on_the_side_of_zero() -> None:
    random = np.random.default_rng(3)
    right = np.ones((200, 3))
    right[:3, 1], right[:30, 2] = 0, 0
    parts = Parts(right.mean(axis=0), right, np.ones(200))
    tests = compare_pairs(Evidence.draw([parts], random, 999))
    # The lower root of (Σ d − δ N)² = c² Σ (d − δ)².
    square, linear = 200**2 - 200 * tests.critical**2, 3 * 200 - 3 * tests.critical**2
    root = (linear - np.sqrt(linear**2 - square * (9 - 3 * tests.critical**2))) / square
    assert tests.low[0] < 1.3 * root < 0
    assert (tests.low > 0).tolist() == tests.significant.tolist()
