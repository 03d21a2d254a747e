"""Whether values grow with levels, against plain counts."""

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import binomtest
from scipy.stats import t as student

from metaeval.stats.pairs import level_order


def plain_order(values: NDArray[np.float64], levels: NDArray[np.int64]) -> tuple[float, int]:
    """The share and the number of the pairs of rows, one by one."""
    wins = [
        float(high > low) + float(high == low) / 2
        for high, one in zip(values, levels, strict=True)
        for low, other in zip(values, levels, strict=True)
        if one > other >= 0
    ]
    return sum(wins) / len(wins), len(wins)


@pytest.mark.parametrize("seed", range(4))
def test_the_order_of_levels_is_that_of_a_plain_count_and_of_a_plain_jackknife(seed: int) -> None:
    random = np.random.default_rng(seed)
    values = random.integers(0, 5, 50).astype(float)
    values[:3] = np.nan
    levels, clusters = random.integers(-1, 3, 50), random.integers(0, 9, 50)
    order = level_order(values[np.newaxis], levels, clusters)
    valid = (levels >= 0) & ~np.isnan(values)
    share, pairs = plain_order(values[valid], levels[valid])
    groups = np.unique(clusters[valid])
    without = [
        plain_order(values[valid & (clusters != group)], levels[valid & (clusters != group)])[0] for group in groups
    ]
    sizes = np.array([(valid & (clusters == group)).sum() for group in groups])
    assert (order.share[0], order.pairs[0]) == (pytest.approx(share), pairs)
    squares = [(replicate - share) ** 2 for replicate in without]
    error = max(np.sqrt(sum(squares) * 8 / 9), abs(share - 0.5) / 10)
    freedom = sizes.sum() ** 2 / (sizes**2).sum() - 1
    z, error = np.log(share / (1 - share)), error / (share * (1 - share))
    ends = 1 / (1 + np.exp(-(z + student.ppf([0.025, 0.975], freedom) * error)))
    assert (order.low[0], order.high[0]) == pytest.approx(tuple(ends))
    assert order.p[0] == pytest.approx(2 * student.sf(abs(z) / error, freedom))


def test_levels_that_differ_in_every_cluster_alike_are_as_significant_as_signs_allow() -> None:
    values, levels, clusters = np.tile([1.0, 2, 0, 3], 6), np.tile([0, 1, 0, 1], 6), np.repeat(np.arange(6), 4)
    whole = level_order(values[np.newaxis], levels, clusters)
    assert whole.share[0] == 1
    assert 0.5 < whole.low[0] < 0.9
    values = np.tile([1.0, 2, 3, 3], 6)
    mixed = level_order(values[np.newaxis], levels, clusters)
    assert mixed.p[0] == pytest.approx(2.0**-5)
    assert mixed.low[0] > 0.5


def test_levels_that_matter_in_no_cluster_may_matter_in_others() -> None:
    values, levels, clusters = np.tile([1.0, 1], 12), np.tile([0, 1], 12), np.repeat(np.arange(12), 2)
    order = level_order(values[np.newaxis], levels, clusters)
    assert (order.share[0], order.p[0]) == (0.5, 1)
    ends = binomtest(6, 12).proportion_ci(method="exact")
    assert (order.low[0], order.high[0]) == pytest.approx((ends.low, ends.high))


def test_one_level_has_no_order() -> None:
    order = level_order(np.array([[1.0, 2.0]]), np.array([1, 1]), np.array([0, 1]))
    assert np.isnan(order.share[0])
    assert order.pairs[0] == 0
