"""Levels of a grouping, such as languages: the difference of each from all others, from their intervals alone."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np

from metaeval.arrays import Floats
from metaeval.stats.correlation_tests import holm
from metaeval.stats.intervals import LEVEL, Difference
from metaeval.stats.ratio import divide

LEAST = 0.25
"""Least variance of a difference of levels with clusters in common, relative to that of independent ones: that few
clusters move both alike may be chance."""


def differences_of_levels(
    value: Floats, low: Floats, high: Floats, *, sizes: Floats, units: Floats, influences: Floats
) -> Difference:
    """The difference of each of L levels from the mean of all others by their sizes, (L,), with its test.

    Squares of the distances from estimates to the ends of their intervals add up (Zou & Donner 2008), times what
    common clusters take from, or add to, the variance. The p-value is at most 0.05 exactly where the interval
    excludes 0: a ratio of both by Student's t, with the degrees of freedom of Welch and Satterthwaite.

    value, low, high: estimates and their 95 % intervals, (L,); NaN without one. sizes: how much a level counts in the
    mean of others. units: effective number of independent units. influences: what each of C clusters adds to the
    deviation of an estimate, (L, C), for levels that may have clusters in common.

    >>> ones = np.ones(2)
    >>> two = differences_of_levels(np.array([0.5, 0.8]), np.array([0.4, 0.7]), np.array([0.6, 0.9]), sizes=ones,
    ...     units=50 * ones, influences=np.empty((2, 0)))
    >>> [float(column[0].round(3)) for column in two]
    [-0.3, -0.441, -0.159, 0.0]
    """
    from scipy.special import stdtr, stdtrit

    present = ~np.isnan(low + high) & (units > 1)
    sizes = np.where(present, sizes, 0.0)
    others = sizes.sum() - sizes
    # (L, L): by what each estimate counts in each difference.
    weights = -divide(sizes, others[:, np.newaxis], undefined=0.0)
    np.fill_diagonal(weights, 1.0)
    value, low, high = (np.where(present, array, 0.0) for array in (value, low, high))
    below, above = weights * (value - low), weights * (high - value)
    toward_low, toward_high = np.where(weights > 0, below, above) ** 2, np.where(weights > 0, above, below) ** 2
    difference = np.where(present & (others > 0), weights @ value, np.nan)
    # The variance relative to that of levels without a cluster in common.
    influences = np.where(present[:, np.newaxis], influences, 0.0)
    together, apart = ((weights @ influences) ** 2).sum(axis=1), weights**2 @ (influences**2).sum(axis=1)
    common = np.maximum(divide(together, apart, undefined=1.0), LEAST)
    halves = [np.sqrt(common * squares.sum(axis=1)) for squares in (toward_low, toward_high)]
    toward_zero = np.where((difference > 0)[:, np.newaxis], toward_low, toward_high)
    freedom = np.maximum(np.where(present, units, 2.0) - 1, 1e-9)
    freedom = divide(toward_zero.sum(axis=1) ** 2, (toward_zero**2 / freedom).sum(axis=1), undefined=1.0)
    ratio = divide(np.abs(difference), np.where(difference > 0, *halves))
    p = 2 * stdtr(freedom, stdtrit(freedom, (1 - LEVEL) / 2) * ratio)
    return Difference(difference, difference - halves[0], difference + halves[1], p)


def adjusted_of_levels(p: Floats, statistics: Sequence[Hashable]) -> Floats:
    """Holm-adjusted p-values of the differences of levels, (K,); two levels of a statistic have one difference.

    statistics: of which statistic each is, (K,).

    >>> adjusted_of_levels(np.array([0.01, 0.01, 0.04, 0.04]), ["a", "a", "b", "b"]).tolist()
    [0.02, 0.02, 0.04, 0.04]
    """
    rows: dict[Hashable, list[int]] = {}
    for row, statistic in enumerate(statistics):
        if not np.isnan(p[row]):
            rows.setdefault(statistic, []).append(row)
    tests: list[list[int]] = []
    for statistic_rows in rows.values():
        tests += [statistic_rows] if len(statistic_rows) == 2 else [[row] for row in statistic_rows]
    adjusted = np.full(len(p), np.nan)
    for test, value in zip(tests, holm(np.array([p[test[0]] for test in tests])).tolist(), strict=True):
        adjusted[test] = value
    return adjusted
