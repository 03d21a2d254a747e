import numpy as np
from hypothesis import given
from hypothesis import strategies as some
from hypothesis.extra.numpy import array_shapes, arrays
from scipy import stats

from metaeval.stats.rank import competition_ranks, mean_ranks, pareto_optimal

finite = [-1.0, 0.0, 0.5, 1.0]
scores_or_none = some.sampled_from([finite, [np.nan, -np.inf, *finite]]).flatmap(
    lambda values: arrays(np.float64, array_shapes(max_dims=3, max_side=7), elements=some.sampled_from(values))
)


@given(scores_or_none)
def test_places_and_ranks_are_those_of_scipy_and_undefined_scores_share_those_after_all_others(
    scores: np.ndarray,
) -> None:
    undefined = np.isnan(scores)
    # SciPy ranks from the smallest on.
    ranks = stats.rankdata(np.where(undefined, np.inf, -np.maximum(scores, -9)), method="min", axis=-1)
    np.testing.assert_array_equal(competition_ranks(scores), ranks)
    np.testing.assert_array_equal(mean_ranks(scores), stats.rankdata(np.where(undefined, 9, scores), axis=-1))


def test_minus_infinity_ranks_before_undefined_and_zero_ties_with_negative_zero() -> None:
    np.testing.assert_array_equal(competition_ranks([np.nan, -np.inf, np.inf]), [3, 2, 1])
    np.testing.assert_array_equal(competition_ranks([0.0, -0.0]), [1, 1])


def test_no_scores_have_no_places_and_no_ranks() -> None:
    for shape in ((0,), (0, 3), (3, 0)):
        assert competition_ranks(np.zeros(shape)).shape == mean_ranks(np.zeros(shape)).shape == shape


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
