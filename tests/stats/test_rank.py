import numpy as np
from hypothesis import given
from hypothesis import strategies as some
from hypothesis.extra.numpy import array_shapes, arrays
from scipy import stats

from metaeval.stats.rank import competition_ranks, mean_ranks, pareto_optimal


@given(arrays(np.float64, array_shapes(max_dims=3, max_side=6), elements=some.integers(-3, 3).map(float)))
def test_places_are_scipys_minimum_ranks_of_the_negated_scores(scores: np.ndarray) -> None:
    np.testing.assert_array_equal(competition_ranks(scores), stats.rankdata(-scores, method="min", axis=-1))


@given(arrays(np.float64, array_shapes(max_dims=2, max_side=8), elements=some.sampled_from([np.nan, 0.0, 0.5, 1.0])))
def test_undefined_scores_share_the_place_after_all_others(scores: np.ndarray) -> None:
    places = competition_ranks(scores)
    undefined = np.isnan(scores)
    defined = (~undefined).sum(axis=-1, keepdims=True)
    np.testing.assert_array_equal(places[undefined], np.broadcast_to(defined + 1, scores.shape)[undefined])
    np.testing.assert_array_equal(
        places[~undefined], stats.rankdata(-np.where(undefined, -9, scores), method="min", axis=-1)[~undefined]
    )


def test_minus_infinity_ranks_before_undefined_and_zero_ties_with_negative_zero() -> None:
    np.testing.assert_array_equal(competition_ranks([np.nan, -np.inf, np.inf]), [3, 2, 1])
    np.testing.assert_array_equal(competition_ranks([0.0, -0.0]), [1, 1])


def test_no_scores_have_no_places_and_no_ranks() -> None:
    for shape in ((0,), (0, 3), (3, 0)):
        assert competition_ranks(np.zeros(shape)).shape == mean_ranks(np.zeros(shape)).shape == shape


@given(arrays(np.float64, array_shapes(max_dims=3, max_side=7), elements=some.integers(-3, 3).map(float)))
def test_mean_ranks_are_scipys_average_ranks(scores: np.ndarray) -> None:
    np.testing.assert_array_equal(mean_ranks(scores), stats.rankdata(scores, axis=-1))


@given(
    arrays(np.float64, array_shapes(max_dims=2, max_side=8), elements=some.sampled_from([np.nan, -np.inf, 0.5, 1.0]))
)
def test_undefined_scores_share_the_mean_of_the_ranks_after_all_others(scores: np.ndarray) -> None:
    np.testing.assert_array_equal(mean_ranks(scores), stats.rankdata(np.where(np.isnan(scores), 9, scores), axis=-1))


@given(
    arrays(np.float64, array_shapes(min_dims=2, max_dims=2, max_side=7), elements=some.sampled_from([np.nan, 0, 1, 2]))
)
def test_pareto_optimal_rows_are_those_that_no_other_one_dominates(values: np.ndarray) -> None:
    one, other = values[:, 0], values[:, -1]
    optimal = [
        not (np.isnan(x) or np.isnan(y))
        and not any((u >= x and v > y) or (u > x and v >= y) for u, v in zip(one, other, strict=True))
        for x, y in zip(one, other, strict=True)
    ]
    assert pareto_optimal(one, other).tolist() == optimal
