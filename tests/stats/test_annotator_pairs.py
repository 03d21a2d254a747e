"""Coefficients of all pairs of annotators, and their jackknife, against one pair and one group at a time."""

import math
import warnings
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from functools import partial
from itertools import combinations
from typing import get_args

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from numpy.typing import NDArray
from two_annotators import Weights, cohen_kappa, correlation

from metaeval.stats import agreement
from metaeval.stats.agreement import (
    CELLS,
    COEFFICIENTS,
    PairCoefficients,
    coefficients_with_others,
    pair_coefficients,
)

Numbers = NDArray[np.float64]
SINGLE: dict[str, Callable[[Numbers], Numbers]] = {
    **{name: partial(correlation, coefficient=name) for name in ("pearson", "spearman", "kendall-b")},
    **{name: partial(cohen_kappa, weights=name) for name in get_args(Weights)},
}


def equal_one_by_one(
    coefficients_by_name: Mapping[str, PairCoefficients],
    pairs: Iterable[tuple[Numbers, Numbers]],
    groups: NDArray[np.intp],
    atol: float = 1e-9,
) -> None:
    """The values, and the means without each group, are those of a call for each pair and group."""
    both = [np.stack(pair) for pair in pairs]
    for name, coefficients in coefficients_by_name.items():
        values = np.array([float(SINGLE[name](pair)) for pair in both])
        defined = [pair for pair, value in zip(both, values, strict=True) if not np.isnan(value)]
        without = [
            np.mean([float(SINGLE[name](pair[:, groups != group])) for pair in defined]) if defined else np.nan
            for group in range(groups.max() + 1)
        ]
        np.testing.assert_allclose(coefficients.values, values, atol=atol, err_msg=name)
        np.testing.assert_allclose(coefficients.without, np.array(without), atol=atol, err_msg=name)


def ratings_and_groups(seed: int, annotators: int, units: int) -> tuple[Numbers, NDArray[np.intp] | None]:
    random = np.random.default_rng(seed)
    ratings = random.integers(0, 4, size=(annotators, units)).astype(np.float64)
    if seed % 3 == 0:
        ratings += random.normal(size=ratings.shape)
    ratings[random.random(ratings.shape) < (0, 0.3, 0.6)[seed % 3]] = np.nan
    groups = np.unique(random.integers(0, max(1, units // 2), size=units), return_inverse=True)[1]
    return ratings, (None if seed % 2 else groups)


@pytest.mark.slow
@given(some.integers(0, 10_000), some.integers(2, 5), some.integers(1, 14), some.sampled_from([1, 40, CELLS]))
def test_all_at_once_equals_one_by_one(seed: int, annotators: int, units: int, cells: int) -> None:
    ratings, groups = ratings_and_groups(seed, annotators, units)
    codes = np.arange(units) if groups is None else groups
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        others = [np.nanmean(np.delete(ratings, annotator, axis=0), axis=0) for annotator in range(annotators)]
    for compute, pairs in (
        (pair_coefficients, combinations(ratings, 2)),
        (coefficients_with_others, zip(ratings, others, strict=True)),
    ):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(agreement, "CELLS", cells)
            equal_one_by_one(compute(ratings, [*SINGLE], groups), pairs, codes)


def test_many_annotators_with_values_of_their_own_equal_one_by_one() -> None:
    random = np.random.default_rng(7)
    ratings = np.concatenate([random.integers(0, 3, size=(5, 6)), np.arange(40)[:, np.newaxis] + np.zeros((40, 6))])
    ratings[random.random(ratings.shape) < 0.2] = np.nan
    groups = np.array([0, 0, 1, 1, 2, 2])
    coefficients = pair_coefficients(ratings, ["none", "linear", "quadratic"], groups)
    equal_one_by_one(coefficients, combinations(ratings, 2), groups)


def test_means_of_the_others_that_are_equal_on_paper_tie() -> None:
    # 0.1 + 0.2 + 0.3 and 0.3 + 0.2 + 0.1 are different numbers.
    others = np.array([[0.1, 0.2, 0.3], [0.3, 0.2, 0.1], [0.2, 0.3, 0.1], [0.9, 0.9, 0.9]]).T
    coefficients = coefficients_with_others([[1, 2, 3, 4], *others], ["kendall-b", "spearman"])
    assert coefficients["kendall-b"].values[0] == pytest.approx(3 / np.sqrt(3 * 6))
    assert coefficients["spearman"].values[0] == pytest.approx(np.corrcoef([1, 2, 3, 4], [2, 2, 2, 4])[0, 1])


def test_pairs_without_a_shared_unit_are_undefined_and_do_not_count() -> None:
    nan = np.nan
    ratings = np.array([[1, 2, 3, nan, nan], [1, 3, 2, nan, 1], [nan, nan, nan, 1, 2]])
    spearman = pair_coefficients(ratings, ["spearman"])["spearman"]
    np.testing.assert_allclose(spearman.values, [0.5, nan, nan])
    # Without one of its three units, the pair has a correlation of 1 or −1; without others, the same.
    np.testing.assert_allclose(spearman.without, [-1, 1, 1, 0.5, 0.5])


def fractions(*ratings: Numbers) -> list[list[Fraction]]:
    return [[Fraction(value) for value in row.tolist()] for row in ratings]


def exact_kappa(x: Numbers, y: Numbers, power: int) -> float:
    """Cohen's kappa with linear or quadratic weights in fractions: of each rating against each."""
    one, other = fractions(x, y)
    observed = sum(abs(a - b) ** power for a, b in zip(one, other, strict=True))
    return float(1 - len(one) * observed / sum(abs(a - b) ** power for a in one for b in other))


def exact_pearson(x: Numbers, y: Numbers) -> float:
    """Pearson's r in fractions, up to the root."""
    one, other = ([value - sum(row) / len(row) for value in row] for row in fractions(x, y))
    both = sum(a * b for a, b in zip(one, other, strict=True))
    squared = both**2 / (sum(a * a for a in one) * sum(b * b for b in other))
    return math.copysign(math.sqrt(squared), both)


EXACT: dict[str, Callable[[Numbers, Numbers], float]] = {
    "pearson": exact_pearson,
    "linear": partial(exact_kappa, power=1),
    "quadratic": partial(exact_kappa, power=2),
}


@pytest.mark.parametrize("name", EXACT)
@pytest.mark.parametrize("outlier", [0.0, 1.0])
@given(some.integers(0, 1000), some.floats(-150, 150), some.floats(0, 10))
@settings(max_examples=20, deadline=None)
def test_nearly_equal_ratings_of_any_size_keep_their_digits(
    name: str, outlier: float, seed: int, magnitude: float, nearness: float
) -> None:
    """Also where a unit that is left out has nearly all of the variance."""
    random = np.random.default_rng(seed)
    ratings = 1 + 10**-nearness * random.normal(size=(2, 9))
    ratings[:, 4] += [outlier, 2 * outlier]
    # Only a correlation compares ratings of different size.
    ratings *= 10**magnitude * np.array([[1.0], [1e-150 if name == "pearson" else 1.0]])
    for groups in (np.arange(9), np.arange(9) // 2):
        coefficients = pair_coefficients(ratings, [name], groups)[name]
        without = [EXACT[name](*ratings[:, groups != group]) for group in range(groups.max() + 1)]
        np.testing.assert_allclose(coefficients.values, EXACT[name](*ratings), rtol=1e-10, atol=1e-10)
        np.testing.assert_allclose(coefficients.without, without, rtol=1e-10, atol=1e-10)


@given(some.integers(0, 1000), some.integers(-500, 500), some.integers(-8, 8))
@settings(max_examples=30, deadline=None)
def test_no_coefficient_depends_on_unit_or_origin(seed: int, power: int, origin: int) -> None:
    ratings, groups = ratings_and_groups(seed, 4, 12)
    moved = np.ldexp(ratings + origin, power)
    for find in (pair_coefficients, coefficients_with_others):
        for name, expected in find(ratings, list(COEFFICIENTS), groups).items():
            others = find(moved, [name], groups)[name]
            np.testing.assert_allclose(others.values, expected.values, rtol=1e-9, atol=1e-9, err_msg=name)
            np.testing.assert_allclose(others.without, expected.without, rtol=1e-9, atol=1e-9, err_msg=name)


def test_no_ratings_have_no_coefficients() -> None:
    for ratings in (np.full((3, 4), np.nan), np.ones((2, 0)), np.ones((1, 5)), np.full((3, 6), 0.1)):
        for name, coefficients in pair_coefficients(ratings, list(COEFFICIENTS)).items():
            assert np.isnan(coefficients.values).all(), name
            assert np.isnan(coefficients.without).all(), name


def test_pairs_of_many_units_equal_one_by_one() -> None:
    random = np.random.default_rng(3)
    ratings = random.integers(0, 9, size=(4, 150)).astype(np.float64)
    ratings[random.random(ratings.shape) < 0.2] = np.nan
    groups = random.permutation(np.arange(150) % 30)
    for clusters in (groups, np.arange(150)):
        coefficients = pair_coefficients(ratings, ["spearman", "kendall-b"], clusters)
        equal_one_by_one(coefficients, combinations(ratings, 2), clusters, atol=1e-12)
