"""Pareto-best rows against comparing every two of them."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as some
from hypothesis.extra.numpy import array_shapes, arrays
from numpy.typing import NDArray

from metaeval.stats.rank import pareto_optimal


@given(
    arrays(
        np.float64,
        array_shapes(min_dims=2, max_dims=2, max_side=6),
        elements=some.sampled_from([np.nan, -np.inf, 0.0, 1.0, 2.0]),
    )
)
def test_the_best_are_those_that_no_other_beats(criteria: NDArray[np.float64]) -> None:
    known = [row for row in criteria if not np.isnan(row).any()]
    expected = [
        not np.isnan(row).any() and not any((other >= row).all() and (other > row).any() for other in known)
        for row in criteria
    ]
    np.testing.assert_array_equal(pareto_optimal(criteria), expected)


def test_of_none_none_is_best() -> None:
    assert pareto_optimal(np.empty((0, 3))).shape == (0,)
