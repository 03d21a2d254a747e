"""Which pairs of systems two measures order differently."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from metaeval.analyses.explain.compute import count_opposed, disagreeing, pair_differences
from metaeval.model.scores import Direction, ScoreCube

NAN = float("nan")


def cube(values: list[list[float]], *directions: Direction) -> ScoreCube:
    scores = np.array(values)
    names = tuple(f"m{number}" for number in range(len(values)))
    systems = tuple(f"s{number}" for number in range(scores.shape[1]))
    return ScoreCube(scores, (), names, systems, directions or (Direction.HIGHER,) * len(values))


def test_equal_scores_are_tied_and_neighbours_are_not() -> None:
    found = pair_differences(cube([[0.3, 0.3, 0.3 + 1e-12]]))
    assert found.values[0, 0] == 0
    assert (found.values[0, 1:] < 0).all()


def test_a_measure_that_ties_all_systems_has_no_unit_and_says_nothing() -> None:
    found = pair_differences(cube([[2, 2, 2], [1, NAN, 2]]))
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


@pytest.mark.parametrize("size", [0, 1])
def test_there_may_be_no_disagreement(size: int) -> None:
    assert disagreeing(np.ones(size), np.ones(size)).tolist() == []
