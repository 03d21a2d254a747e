"""Which pairs of systems two measures order differently."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from metaeval.analyses.explain.differences import disagreeing, pair_differences, times_opposed
from metaeval.model.scores import Direction, ScoreCube

NAN = float("nan")


def cube(values: list[list[float]], *directions: Direction) -> ScoreCube:
    scores = np.array(values)
    names = tuple(f"m{number}" for number in range(len(values)))
    systems = tuple(f"s{number}" for number in range(scores.shape[1]))
    return ScoreCube(scores, (), names, systems, directions or (Direction.HIGHER,) * len(values))


def test_differences_speak_for_the_first_system_whichever_way_a_measure_goes() -> None:
    found = pair_differences(cube([[0.5, 0.75, 1.0], [3, 1, 2]], Direction.HIGHER, Direction.LOWER))
    assert found.pairs.tolist() == [[0, 1], [0, 2], [1, 2]]
    np.testing.assert_allclose(found.values, np.array([[-0.25, -0.5, -0.25], [-2, -1, 1]]))
    np.testing.assert_allclose(found.units, np.sqrt([0.375 / 3, 2]))
    np.testing.assert_allclose((found.standardised**2).mean(axis=1), 1)


def test_scores_that_differ_by_rounding_are_tied() -> None:
    found = pair_differences(cube([[0.1 + 0.2, 0.3, 0.3 + 1e-9]]))
    assert found.values[0, 0] == 0
    assert (found.values[0, 1:] < 0).all()


def test_a_measure_that_ties_all_systems_has_no_unit_and_says_nothing() -> None:
    found = pair_differences(cube([[2, 2, 2], [1, NAN, 2]]))
    assert found.units[0] == 0
    assert (found.standardised[0] == 0).all()
    assert np.isnan(found.standardised[1]).tolist() == [True, False, True]
    np.testing.assert_allclose(found.units[1], 1)


def test_parts_are_in_the_units_of_their_measure() -> None:
    found = pair_differences(cube([[0, 2], [0, 4]]))
    parts = np.arange(8.0).reshape(2, 2, 2)
    np.testing.assert_allclose(found.scaled(parts), parts / np.array([2, 4])[:, np.newaxis, np.newaxis])


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
    assert times_opposed(found.values).tolist() == expected


def test_the_strongest_disagreement_comes_first_and_ties_last() -> None:
    first = np.array([1.0, 0.5, 3.0, 0.0, 0.0, 2.0, 0.0, NAN])
    second = np.array([-0.2, -0.4, 3.0, 1.0, -4.0, 0.0, 0.0, 1.0])
    assert disagreeing(first, second).tolist() == [1, 0, 4, 5, 3]


@pytest.mark.parametrize("size", [0, 1])
def test_there_may_be_no_disagreement(size: int) -> None:
    assert disagreeing(np.ones(size), np.ones(size)).tolist() == []
