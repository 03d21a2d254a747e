"""The finding of the summary, and criteria that can and cannot be ranked."""

import numpy as np

from metaeval.analyses.summary.compute import compare_criteria
from metaeval.analyses.summary.tables import findings

NAN = float("nan")


def test_pareto_optimal_measures_are_named_or_none() -> None:
    assert findings("xy", np.array([False, False])) == []
    (finding,) = findings("xy", np.array([True, False]))
    assert finding.sentence.endswith(": x")


def test_consistency_is_better_high_and_discrimination_low() -> None:
    found = compare_criteria(np.array([0.9, 0.5, NAN, 0.9]), np.array([0.2, 0.1, 0.0, 0.3]))
    np.testing.assert_array_equal(found.consistency_ranks, [1, 3, NAN, 1])
    assert found.discrimination_ranks is not None
    assert found.discrimination_ranks.tolist() == [3, 2, 1, 4]
    assert found.pareto is not None
    assert found.pareto.tolist() == [True, True, False, False]


def test_last_digits_are_no_difference() -> None:
    found = compare_criteria(np.array([0.3, 0.1 + 0.2]), None)
    assert found.consistency_ranks.tolist() == [1, 1]
    assert found.discrimination_ranks is None
    assert found.pareto is None
