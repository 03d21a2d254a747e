"""Which pairs of systems two measures order differently."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from score_cubes import cube

from metaeval.analyses.explain.compute import count_opposed, pair_differences

NAN = float("nan")


def test_equal_scores_are_tied_and_neighbours_are_not() -> None:
    found = pair_differences(cube([[0.3, 0.3, 0.3 + 1e-12]]))
    assert found.values[0, 0] == 0
    assert (found.values[0, 1:] < 0).all()


def test_a_measure_that_ties_all_systems_has_no_unit_and_says_nothing() -> None:
    found = pair_differences(cube([[2.0, 2.0, 2.0], [1.0, NAN, 2.0]]))
    assert found.units[0] == 0
    assert (found.standardised[0] == 0).all()
    assert np.isnan(found.standardised[1]).tolist() == [True, False, True]
    np.testing.assert_allclose(found.units[1], 1)


@given(arrays(np.float64, (3, 5), elements=st.sampled_from([0.0, 1.0, 2.0, NAN])))
def test_opposition_is_counted_pair_by_pair(scores: np.ndarray) -> None:
    found = pair_differences(cube(scores.tolist()))
    expected = [
        [
            sum((one[a] - one[b]) * (other[a] - other[b]) < 0 for a in range(5) for b in range(a + 1, 5))
            for other in scores
        ]
        for one in scores
    ]
    assert count_opposed(found.values).tolist() == expected
