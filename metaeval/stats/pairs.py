"""Pairs of systems, p-values of their differences from ranges by chance, and pairs of rows of different levels."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from metaeval.arrays import Floats, Indices, Integers, Ints
from metaeval.stats.intervals import LEVEL, share_interval
from metaeval.stats.ratio import divide

RELATIVE_TOLERANCE, ABSOLUTE_TOLERANCE = 1e-12, 1e-15
"""Tolerances within which differences are equal up to rounding errors."""


def all_pairs(systems: int) -> Indices:
    """All pairs of systems, each once.

    Parameters
    ----------
    systems
        Number of systems.

    Returns
    -------
    array (P, 2)

    Examples
    --------
    >>> all_pairs(3).tolist()
    [[0, 1], [0, 2], [1, 2]]
    """
    return np.stack(np.triu_indices(systems, k=1), axis=1)


def p_of_ranges(observed: Floats, ranges: Floats) -> Floats:
    """p-values (k + 1) / (B + 1) of differences, k the number of ranges that reach the difference.

    Parameters
    ----------
    observed : array
        Absolute differences.
    ranges : array (B,)
        Largest difference in each resample.

    Returns
    -------
    array
        p-values in the shape of `observed`, NaN where it is.
    """
    largest = np.sort(ranges)
    reached = len(largest) - np.searchsorted(
        largest, observed * (1 - RELATIVE_TOLERANCE) - ABSOLUTE_TOLERANCE, side="left"
    )
    p: Floats = np.where(np.isnan(observed), np.nan, (reached + 1) / (len(largest) + 1))
    return p


def critical_range(ranges: Floats, *, alpha: float) -> float:
    """Largest difference that is not significant compared with ranges of resamples.

    Parameters
    ----------
    ranges : array (B,)
        Largest difference in each resample.
    alpha
        Significance level, from 0 to 1.

    Returns
    -------
    float
        NaN if there are too few resamples for significance.
    """
    # Number of ranges, plus 1, that may reach a significant difference.
    allowed = int(np.floor(alpha * (len(ranges) + 1) * (1 + RELATIVE_TOLERANCE)))
    return float(np.sort(ranges)[max(0, len(ranges) - allowed)]) if allowed else float("nan")


class LevelOrder(NamedTuple):
    """How often values grow with the levels of their rows; arrays (M,).

    Attributes
    ----------
    share
        Share of the pairs of rows of different levels in which the higher level has the higher value; ties count ½.
    low, high
        95 % interval.
    p
        Two-sided p-value against a share of ½.
    pairs
        Number of pairs.
    """

    share: Floats
    low: Floats
    high: Floats
    p: Floats
    pairs: Ints


def level_order(values: Floats, levels: Integers, clusters: Integers) -> LevelOrder:
    """Whether values grow with the levels of their rows, with a jackknife over clusters of rows.

    The share is (D + 1) / 2 of Somers' D of the values given the levels. Intervals and tests are by Student's t of its
    log odds, with degrees of freedom by the effective number of clusters N² / Σm², and a standard error of at least
    that with one more cluster in which the levels do not matter; p is at least that of a sign test in which all
    clusters agree. For a share of 0 or 1, or ½ in all clusters, each cluster counts as one unit of `share_interval`.

    Parameters
    ----------
    values : array (M, N)
        Values of N rows; rows with NaN do not count.
    levels : array (N,)
        Level of each row, from 0; negative for rows without one.
    clusters : array (N,)
        Cluster of each row, from 0.

    Returns
    -------
    LevelOrder

    Examples
    --------
    >>> order = level_order(np.array([[1.0, 2.0, 3.0, 4.0]]), np.array([0, 1, 0, 1]), np.arange(4))
    >>> order.share.tolist(), order.pairs.tolist()
    ([0.75], [4])
    """
    rows = [_level_order(own, levels, clusters) for own in values]
    share, low, high, p, pairs = zip(*rows, strict=True) if rows else ((),) * 5
    return LevelOrder(np.array(share), np.array(low), np.array(high), np.array(p), np.array(pairs, dtype=np.int64))


def _level_order(values: Floats, levels: Integers, clusters: Integers) -> tuple[float, float, float, float, int]:
    """Share, low, high, p and pairs of one row of `level_order`."""
    from scipy.special import expit, logit, stdtr, stdtrit

    known = ~np.isnan(values) & (levels >= 0)
    levels = levels[known]
    ranks, codes = (np.unique(each, return_inverse=True)[1] for each in (values[known], clusters[known]))
    wins, pairs = _pairs_of_rows(ranks, levels, np.zeros_like(codes))
    nan = float("nan")
    if not pairs.any():
        return nan, nan, nan, nan, 0
    # Each pair counts twice, once from either row; pairs within a cluster would be left out twice.
    within = _pairs_of_rows(ranks, levels, codes)
    wins_of, pairs_of = (
        2 * np.bincount(codes, every) - np.bincount(codes, own)
        for every, own in zip((wins, pairs), within, strict=True)
    )
    share, number = float(wins.sum() / pairs.sum()), int(pairs.sum()) // 2
    without = divide(wins.sum() - wins_of, pairs.sum() - pairs_of)
    groups = len(without)
    if groups < 2 or np.isnan(without).any():
        return share, nan, nan, nan, number
    if share in (0.0, 1.0) or (np.abs(np.append(without, share) - 0.5) < 1e-12).all():
        of_clusters = share_interval(np.full(groups, share), np.ones(groups))
        return share, float(of_clusters.low), float(of_clusters.high), float(of_clusters.p), number
    sizes = np.bincount(codes)
    freedom = float(sizes.sum() ** 2 / (sizes**2).sum()) - 1
    # Around the share, because weights by size underestimate the error of clusters of different sizes.
    error = np.sqrt((groups - 1) / groups * ((without - share) ** 2).sum())
    # As with one more cluster in which the levels do not matter, because few clusters may agree by chance.
    error = max(float(error), abs(share - 0.5) / (groups + 1))
    # Of the log odds, because shares near 1 are skewed.
    error /= share * (1 - share)
    odds, half = float(logit(share)), float(stdtrit(freedom, (1 + LEVEL) / 2)) * error
    p = max(2 * float(stdtr(freedom, -abs(odds) / error)), 2.0 ** (1 - groups))
    low, high = float(expit(odds - half)), float(expit(odds + half))
    if p > 1 - LEVEL:
        low, high = min(low, 0.5), max(high, 0.5)
    return share, low, high, p, number


def _pairs_of_rows(ranks: Integers, levels: Integers, groups: Integers) -> tuple[Floats, Floats]:
    """For each row, the pairs with rows of other levels of its group: in how many the higher level wins, and all."""
    width = int(ranks.max(initial=0)) + 1
    begin = groups.astype(np.int64) * width
    keys = begin + ranks
    wins, pairs = np.zeros(len(keys)), np.zeros(len(keys))
    for level in np.unique(levels):
        of_level = np.sort(keys[levels == level])
        first, last = np.searchsorted(of_level, begin), np.searchsorted(of_level, begin + width)
        less, up_to = np.searchsorted(of_level, keys), np.searchsorted(of_level, keys, side="right")
        lower = np.where(levels > level, less - first, last - up_to)
        other = levels != level
        wins += other * (lower + (up_to - less) / 2)
        pairs += other * (last - first)
    return wins, pairs
