"""Agreement against golden values, published tables, other packages and the definitions, with ratings missing."""

import math
import warnings
from collections.abc import Callable
from functools import partial
from itertools import permutations, product
from typing import Literal, get_args

import krippendorff
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray
from scipy import stats
from sklearn.metrics import cohen_kappa_score

from metaeval.errors import InputError
from metaeval.stats import leave_out
from metaeval.stats.agreement import fleiss_kappa, gwet_ac, krippendorff_alpha, pair_coefficients
from metaeval.stats.correlation import kendall_w, kendall_w_permutation_p
from metaeval.stats.leave_out import Level, alpha_without, concordance_without, fleiss_without, gwet_without

Numbers = NDArray[np.float64]
Coefficient = Callable[[Numbers], Numbers]
LEVELS: tuple[Level, ...] = get_args(Level)
KAPPA_WEIGHTS: tuple[Literal["none", "linear", "quadratic"], ...] = ("none", "linear", "quadratic")
COEFFICIENTS: dict[str, Coefficient] = {
    **{f"alpha {level}": partial(krippendorff_alpha, level=level) for level in LEVELS},
    "fleiss": fleiss_kappa,
    "w": lambda ratings: kendall_w(ratings).w,
    "uncorrected": lambda ratings: kendall_w(ratings).uncorrected,
}
every_level = pytest.mark.parametrize("level", LEVELS)
every_coefficient = pytest.mark.parametrize("name", COEFFICIENTS)

small_ratings = some.tuples(some.integers(2, 4), some.integers(1, 6)).flatmap(
    lambda shape: arrays(np.float64, shape, elements=some.sampled_from([np.nan, 0.0, 1.0, 2.0, 4.0]))
)


def rated(seed: int, *shape: int, missing: float = 0.0, levels: int = 5) -> Numbers:
    """Ratings around what a unit deserves, (..., A, U)."""
    random = np.random.default_rng(seed)
    deserved = random.integers(1, levels + 1, size=(*shape[:-2], 1, shape[-1]))
    ratings = np.clip(deserved + random.integers(-1, 2, size=shape), 1, levels).astype(float)
    return np.where(random.random(shape) < missing, np.nan, ratings)


@every_level
@given(ratings=small_ratings)
def test_alpha_equals_the_package_krippendorff(level: Level, ratings: Numbers) -> None:
    pairable = ratings[:, (~np.isnan(ratings)).sum(axis=0) > 1]
    alpha = krippendorff_alpha(ratings, level=level)
    if np.unique(pairable[~np.isnan(pairable)]).size < 2:
        assert np.isnan(alpha)
        return
    assert alpha == pytest.approx(krippendorff.alpha(ratings, level_of_measurement=level), abs=1e-12)


@every_level
def test_alpha_of_real_numbers_equals_the_package_krippendorff(level: Level) -> None:
    ratings = np.abs(rated(1, 4, 50, missing=0.3) + np.random.default_rng(2).normal(0, 0.4, size=(4, 50))) + 1000
    expected = krippendorff.alpha(ratings, level_of_measurement=level)
    assert krippendorff_alpha(ratings, level=level) == pytest.approx(expected, abs=1e-9)


@every_level
def test_annotators_who_always_agree_have_an_alpha_of_exactly_one(level: Level) -> None:
    ratings = np.tile([1.0, 5.0, 2.0, 2.0, 4.0, np.nan], (3, 1))
    ratings[0, 1] = np.nan
    assert krippendorff_alpha(ratings, level=level) == 1


@given(some.integers(0, 1000), some.floats(-150, 150), some.sampled_from([0.0, -1.0, 40.0]))
@settings(max_examples=30, deadline=None)
def test_interval_alpha_depends_on_no_unit_or_origin(seed: int, magnitude: float, origin: float) -> None:
    random = np.random.default_rng(seed)
    ratings = np.where(random.random((3, 10)) < 0.2, np.nan, random.integers(4, size=(3, 10)))
    moved = 10**magnitude * (ratings + origin)
    group = np.arange(10)
    for find in (krippendorff_alpha, partial(alpha_without, group=group, groups=10)):
        np.testing.assert_allclose(
            find(moved, level="interval"), find(ratings, level="interval"), rtol=1e-9, atol=1e-12
        )


def test_ratio_alpha_needs_numbers_from_zero_on() -> None:
    with pytest.raises(InputError, match="rating '-1' for alpha"):
        krippendorff_alpha([[0, -1, 2], [0, 1, 2]], level="ratio")
    assert krippendorff_alpha([[0, 0, 2], [0, 0, 2]], level="ratio") == 1


def test_the_example_of_fleiss() -> None:
    # Ten subjects and fourteen raters: the worked example of the article on Fleiss' kappa in Wikipedia, 0.210.
    table = (
        "0 0 0 0 14, 0 2 6 4 2, 0 0 3 5 6, 0 3 9 2 0, 2 2 8 1 1, 7 7 0 0 0, 3 2 6 3 0, 2 5 3 2 2, 6 5 2 1 0, 0 2 2 3 7"
    )
    counts = [[int(count) for count in subject.split()] for subject in table.split(",")]
    ratings = np.array([np.repeat(np.arange(5.0), count) for count in counts]).T
    assert fleiss_kappa(ratings) == pytest.approx(0.210, abs=5e-4)
    # Who of the raters gave which rating does not matter.
    assert fleiss_kappa(np.random.default_rng(1).permuted(ratings, axis=0)) == pytest.approx(
        float(fleiss_kappa(ratings))
    )


@given(small_ratings)
def test_fleiss_is_what_its_definition_says(ratings: Numbers) -> None:
    units = [unit[~np.isnan(unit)] for unit in ratings.T]
    labels = np.unique(ratings[~np.isnan(ratings)])
    alike = [np.mean([one == other for one, other in permutations(unit, 2)]) for unit in units if len(unit) > 1]
    kappa = fleiss_kappa(ratings)
    if len(labels) < 2 or not alike:
        assert np.isnan(kappa)
        return
    shares = np.mean([[np.mean(unit == label) for label in labels] for unit in units if len(unit)], axis=0)
    expected = (shares**2).sum()
    assert kappa == pytest.approx((np.mean(alike) - expected) / (1 - expected), abs=1e-12)


@pytest.mark.parametrize("weights", KAPPA_WEIGHTS)
@given(ratings=arrays(np.float64, (2, 8), elements=some.sampled_from([np.nan, 0.0, 1.0, 2.0, 3.0])))
def test_kappa_equals_scikit_learn(weights: Literal["none", "linear", "quadratic"], ratings: Numbers) -> None:
    both = ratings[:, ~np.isnan(ratings).any(axis=0)].astype(int)
    (kappa,) = pair_coefficients(ratings, [weights])[weights].values
    if np.unique(both).size < 2:
        assert np.isnan(kappa)
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = cohen_kappa_score(*both, labels=range(4), weights=None if weights == "none" else weights)
    assert kappa == pytest.approx(expected, abs=1e-12)


def test_concordance_without_ties_is_the_mean_rank_correlation_in_other_clothes() -> None:
    ratings = np.random.default_rng(3).random((6, 5, 10))
    mean = [pair_coefficients(rows, ["spearman"])["spearman"].values.mean() for rows in ratings]
    concordance = kendall_w(ratings)
    np.testing.assert_allclose(concordance.w, (1 + 4 * np.array(mean)) / 5, atol=1e-12)
    np.testing.assert_allclose(concordance.uncorrected, concordance.w, atol=1e-12)


@pytest.mark.parametrize("seed", range(8))
def test_concordance_equals_friedman(seed: int) -> None:
    ratings = rated(seed, 2 + seed % 4, 3 + 4 * seed)
    result = kendall_w(ratings)
    annotators, units = ratings.shape
    assert annotators * (units - 1) * result.w == pytest.approx(
        stats.friedmanchisquare(*ratings.T).statistic, abs=1e-10
    )
    assert result.uncorrected <= result.w + 1e-12


def test_concordance_counts_units_that_all_rated() -> None:
    ratings = rated(1, 3, 12)
    some_missing = np.concatenate([ratings, rated(2, 3, 4)], axis=1)
    some_missing[[0, 1, 2, 0], [12, 13, 14, 15]] = np.nan
    concordance, expected = kendall_w(some_missing), kendall_w(ratings)
    assert concordance.w == pytest.approx(float(expected.w), abs=1e-12)
    assert concordance.uncorrected == pytest.approx(float(expected.uncorrected), abs=1e-12)
    random = partial(np.random.default_rng, 5)
    p = kendall_w_permutation_p(some_missing, replicates=200, random=random())
    assert p == kendall_w_permutation_p(ratings, replicates=200, random=random())


def test_the_permutation_p_is_the_share_of_all_arrangements_that_agree_as_much() -> None:
    ratings = np.array([[1.0, 2, 2, 4], [1, 3, 2, 4], [2, 1, 4, 3]])
    observed = kendall_w(ratings).w
    arrangements = np.array(list(product(ratings[:1].tolist(), *(permutations(row) for row in ratings[1:].tolist()))))
    exact = (kendall_w(arrangements).w >= observed - 1e-12).mean()
    estimate = kendall_w_permutation_p(ratings, replicates=20_000, random=np.random.default_rng(1))
    assert estimate == pytest.approx(exact, abs=0.01)
    assert math.isnan(kendall_w_permutation_p(ratings[:1], replicates=9, random=np.random.default_rng(1)))


def test_permutation_p_values_are_uniform_where_nobody_agrees() -> None:
    random = np.random.default_rng(2)
    p = [kendall_w_permutation_p(random.random((3, 5)), replicates=99, random=random) for _ in range(400)]
    assert stats.binomtest(int((np.array(p) <= 0.05).sum()), 400, 0.05).pvalue > 1e-3


@every_coefficient
@pytest.mark.parametrize("leading", [(1,), (3,), (2, 3)])
def test_leading_axes_equal_a_loop(name: str, leading: tuple[int, ...]) -> None:
    ratings = rated(8, *leading, 4, 25, missing=0.1, levels=9)
    # Some studies have values of their own.
    ratings[..., :1, :] += np.arange(leading[-1])[:, np.newaxis, np.newaxis] / 2
    together = COEFFICIENTS[name](ratings)
    for index in np.ndindex(leading):
        alone = COEFFICIENTS[name](ratings[index])
        np.testing.assert_allclose(together[index], alone, rtol=1e-11, atol=1e-12)


@every_coefficient
@pytest.mark.parametrize(
    "ratings",
    [np.full((3, 6), 0.1), np.full((3, 6), np.nan), np.full((2, 0), 1.0), np.ones((2, 1)), np.arange(6.0)[np.newaxis]],
    ids=["constant", "missing", "no units", "one unit", "one annotator"],
)
def test_nothing_to_compare_is_undefined(name: str, ratings: Numbers) -> None:
    assert np.isnan(COEFFICIENTS[name](ratings)).all()


@pytest.mark.parametrize("ratings", [np.ones(3), np.array([[1.0, np.inf]])])
def test_what_are_no_ratings_is_refused(ratings: Numbers) -> None:
    for coefficient in (fleiss_kappa, partial(krippendorff_alpha, level="nominal"), kendall_w):
        with pytest.raises(ValueError, match="not finite ratings"):
            coefficient(ratings)


@given(arrays(np.float64, (3, 7), elements=some.sampled_from([-2.0, 0.0, 1.0, 5.0, np.nan])))
def test_sorted_ratings_and_counted_whole_numbers_agree(ratings: NDArray[np.float64]) -> None:
    every: list[Coefficient] = [
        *(partial(krippendorff_alpha, level=level) for level in LEVELS[:2]),
        fleiss_kappa,
    ]
    for agreement in every:
        # Powers of 3 are in the same order, but too far apart to be counted without a sort.
        expected = agreement(1e3 * 3.0**ratings)
        np.testing.assert_allclose(agreement(ratings), expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("few_values", [0, 100])
@pytest.mark.parametrize("seed", range(60))
def test_coefficients_without_each_group_are_those_of_the_units_that_remain(
    seed: int, few_values: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(leave_out, "_FEW_VALUES", few_values)
    monkeypatch.setattr(leave_out, "_CELLS", (1, 20, 1 << 18)[seed % 3])
    random = np.random.default_rng(seed)
    ratings = random.integers(4, size=(random.integers(2, 5), random.integers(1, 14))).astype(np.float64)
    ratings += np.abs(random.normal(size=ratings.shape)) * (seed % 3 == 0)
    ratings[random.random(ratings.shape) < (0, 0.3, 0.6)[seed % 3]] = np.nan
    # Some units are never left out, and a group has no units.
    group = random.integers(-1, 4, size=(ratings.shape[1],))
    left = [ratings[:, group != number] for number in range(5)]
    for level in LEVELS:
        without = alpha_without(ratings, group, 5, level=level)
        expected = [krippendorff_alpha(rows, level=level) for rows in left]
        np.testing.assert_allclose(without, expected, atol=1e-9, err_msg=level)
    np.testing.assert_allclose(fleiss_without(ratings, group, 5), [fleiss_kappa(rows) for rows in left], atol=1e-9)
    group = np.maximum(group, 0)
    by_group = [kendall_w(ratings[:, group != number]) for number in range(5)]
    for values, expected_w in zip(concordance_without(ratings, group, 5), zip(*by_group, strict=True), strict=True):
        np.testing.assert_allclose(values, expected_w, atol=1e-12)


def test_what_agrees_without_an_outlier_is_not_lost_in_its_squares() -> None:
    ratings = np.tile(np.append(np.arange(20.0), 1e9), (2, 1))
    ratings[1, :20] += np.resize([0, 0.5], 20)
    group = np.arange(21)
    expected = krippendorff_alpha(ratings[:, :20], level="interval")
    assert alpha_without(ratings, group, 21, level="interval")[20] == pytest.approx(float(expected), rel=1e-9)


FOUR_RATERS = np.array(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, math.nan, math.nan, math.nan],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, math.nan, math.nan],
        [math.nan, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, 3],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, math.nan],
    ]
)
"""cac.raw4raters of irrCAC 1.0 in R."""
ABSTRACTORS = np.repeat(np.indices((3, 3)).reshape(2, -1).astype(np.float64), [13, 0, 0, 0, 20, 7, 0, 4, 56], axis=1)
"""cont3x3abstractors of irrCAC."""


@pytest.mark.parametrize(
    ("ratings", "weights", "value"),
    [
        # The documentation of irrCAC in R, and the tests of its translation to Python.
        (FOUR_RATERS, "none", 0.77544),
        (ABSTRACTORS, "none", 0.84933),
        (ABSTRACTORS, "linear", 0.900),
        (ABSTRACTORS, "quadratic", 0.940),
    ],
)
def test_gwets_coefficients_are_those_of_irrcac(
    ratings: Numbers, weights: Literal["none", "linear", "quadratic"], value: float
) -> None:
    assert gwet_ac(ratings, weights=weights) == pytest.approx(value, abs=5e-4 if value in (0.900, 0.940) else 5e-6)
    group = np.arange(ratings.shape[1]) % 5
    every = np.unique(ratings[~np.isnan(ratings)])
    without = gwet_without(ratings, group, 5, weights=weights, values=every)
    alone = [gwet_ac(ratings[:, group != number], weights=weights, values=every) for number in range(5)]
    np.testing.assert_allclose(without, alone, atol=1e-12)


def test_gwets_coefficients_of_two_labels_all_equal_need_both_to_be_known() -> None:
    assert gwet_ac(np.ones((2, 9)), values=[0, 1]) == 1
    assert math.isnan(gwet_ac(np.ones((2, 9))))
