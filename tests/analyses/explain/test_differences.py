"""Which pairs of systems two measures order differently."""

from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from score_cubes import cube

from metaeval.analyses.explain.compute import count_opposed, pair_differences

SCORE = st.sampled_from([0.0, 1.0, 1.0 + 1e-12, 2.0, float("nan")])


@given(arrays(np.float64, (3, 5), elements=SCORE))
def test_differences_and_opposition_are_those_pair_by_pair(scores: np.ndarray) -> None:
    found, pairs = pair_differences(cube(scores.tolist())), list(combinations(range(5), 2))
    expected = np.array([[of_measure[one] - of_measure[other] for one, other in pairs] for of_measure in scores])
    np.testing.assert_array_equal(found.values, expected)
    for row, unit in zip(expected, found.units, strict=True):
        # A measure that ties all systems has no unit.
        known = row[~np.isnan(row)]
        np.testing.assert_allclose(unit, np.sqrt(np.mean(known**2)) if len(known) else 0, rtol=1e-12)
    units = np.where(found.units > 0, found.units, 1)[:, np.newaxis]
    np.testing.assert_array_equal(found.standardised, expected / units)
    opposed = [[sum(a * b < 0 for a, b in zip(one, other, strict=True)) for other in expected] for one in expected]
    assert count_opposed(found.values).tolist() == opposed
