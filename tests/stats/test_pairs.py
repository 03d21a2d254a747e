"""p-values of ranges by chance, and the differences from which they are significant."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as some

from metaeval.stats.pairs import critical_range, p_of_ranges

levels = some.sampled_from([0.001, 0.01, 0.05, 0.07, 0.1, 0.29, 0.5, 0.95])


@given(some.lists(some.floats(0, 10), min_size=1, max_size=80), levels)
def test_above_the_critical_range_and_only_there_p_is_significant(ranges: list[float], alpha: float) -> None:
    critical = critical_range(np.array(ranges), alpha=alpha)
    if not np.isnan(critical):
        p = p_of_ranges(np.array([critical * (1 + 1e-6) + 1e-6, critical]), np.array(ranges))
        assert p[0] <= alpha < p[1]


def test_without_enough_ranges_no_difference_is_critical() -> None:
    assert np.isnan(critical_range(np.zeros(18), alpha=0.05))
    assert critical_range(np.zeros(19), alpha=0.05) == 0
