"""Tests of the differences of every two systems by paired resampling.

All resamples of a comparison share their draws, so that what two systems have in common cancels.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from metaeval.stats.intervals import percentile_interval

Numbers = NDArray[np.float64]
Pairs = NDArray[np.intp]
"""Two systems a row, (P, 2)."""

RELATIVE_TOLERANCE, ABSOLUTE_TOLERANCE = 1e-12, 1e-15
"""Differences that are equal but for rounding, relative or absolute, count as reached."""

CELLS_AT_ONCE = 1 << 22
"""Differences of resamples that are computed together, so that memory stays bounded for any number of pairs."""


@dataclass(frozen=True)
class Differences:
    """Differences of pairs of systems, the first less the second; every attribute is (P,).

    Attributes
    ----------
    value
        Difference on all items.
    low
        Lower end of the middle 95 % of the resamples.
    high
        Upper end of the middle 95 % of the resamples.
    p
        Two-sided p-value.
    critical
        The largest difference that would not be significant; NaN where the resamples are too few for any to be.
    undefined
        Resamples without a difference, which are left out.
    """

    value: Numbers
    low: Numbers
    high: Numbers
    p: Numbers
    critical: Numbers
    undefined: NDArray[np.int64]


def all_pairs(systems: int) -> Pairs:
    """Every two of a number of systems, each pair once.

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


def fewest_resamples(pairs: int = 1, *, alpha: float) -> int:
    """The fewest resamples B with which a p-value adjusted for the pairs can be significant: pairs / (B + 1) ≤ alpha.

    Parameters
    ----------
    pairs
        Number of pairs that are tested together.
    alpha
        Significance level, from 0 to 1.

    Examples
    --------
    >>> fewest_resamples(alpha=0.05), fewest_resamples(300, alpha=0.05)
    (19, 5999)
    """
    return math.ceil(pairs / alpha * (1 - RELATIVE_TOLERANCE)) - 1


def paired_bootstrap(scores: Numbers, drawn: Numbers, pairs: Pairs, *, alpha: float = 0.05) -> Differences:
    """Differences of pairs with their paired bootstrap test (Sakai 2006, with the shift method of Noreen 1989).

    The differences of the resamples, shifted to the null hypothesis of no difference, are compared with the one
    observed: p = (k + 1) / (B + 1), k the resamples at least as far from 0.

    Parameters
    ----------
    scores : array (S,)
        Scores of the systems on all items.
    drawn : array (B, S)
        The same on each resample of the items.
    pairs : array (P, 2)
        Systems that are compared.
    alpha
        Significance level of the critical difference.

    Examples
    --------
    >>> differences = paired_bootstrap(np.array([0.9, 0.5]), np.array([[0.8, 0.5], [1.0, 0.5]]), all_pairs(2))
    >>> differences.value.round(1).tolist(), differences.p.round(2).tolist()
    ([0.4], [0.33])
    """
    # The resamples of a pair lie together in memory, where they are sorted and counted.
    of_systems = np.ascontiguousarray(drawn.T)
    return _joined([_bootstrap(scores, of_systems, block, alpha) for block in _blocks(pairs, len(drawn))])


def bootstrap_test(scores: Numbers, drawn: Numbers, pairs: Pairs, *, alpha: float = 0.05) -> Differences:
    """The test of `paired_bootstrap` without the intervals (NaN), which take longer than everything else.

    Parameters
    ----------
    scores : array (S,)
        Scores of the systems on all items.
    drawn : array (B, S)
        The same on each resample of the items.
    pairs : array (P, 2)
        Systems that are compared.
    alpha
        Significance level of the critical difference.
    """
    of_systems = np.ascontiguousarray(drawn.T)
    parts = []
    for block in _blocks(pairs, len(drawn)):
        value = scores[block[:, 0]] - scores[block[:, 1]]
        parts.append(_tested(value, _distances(value, of_systems[block[:, 0]] - of_systems[block[:, 1]]), alpha))
    return _joined(parts)


def swapped(value: Numbers, drawn: Numbers, *, alpha: float = 0.05) -> Differences:
    """Differences of pairs with their paired permutation test, which has no interval (NaN).

    Parameters
    ----------
    value : array (P,)
        Differences on all items.
    drawn : array (P, B)
        Differences after each item was swapped between the two systems or not, by a coin.
    alpha
        Significance level of the critical difference.
    """
    return _tested(value, np.abs(drawn), alpha)


def _bootstrap(scores: Numbers, of_systems: Numbers, pairs: Pairs, alpha: float) -> Differences:
    value = scores[pairs[:, 0]] - scores[pairs[:, 1]]
    differences = of_systems[pairs[:, 0]] - of_systems[pairs[:, 1]]
    bounds = percentile_interval(differences, axis=1)
    low, high = (np.where(np.isnan(value), np.nan, bound) for bound in bounds)
    return replace(_tested(value, _distances(value, differences), alpha), low=low, high=high)


def _distances(value: Numbers, differences: Numbers) -> Numbers:
    """How far each resample is from the difference of all items, (P, B), in place of the differences."""
    differences -= value[:, np.newaxis]
    return np.abs(differences, out=differences)


def _tested(value: Numbers, distance: Numbers, alpha: float) -> Differences:
    """p, the critical difference and how many are undefined; distance: of each resample from no difference, (P, B)."""
    undefined = np.isnan(distance).sum(axis=1)
    resamples = distance.shape[1] - undefined
    reached = (distance >= np.abs(value)[:, np.newaxis] * (1 - RELATIVE_TOLERANCE) - ABSOLUTE_TOLERANCE).sum(axis=1)
    known = ~np.isnan(value) & (resamples > 0)
    p = np.where(known, (reached + 1) / (resamples + 1), np.nan)
    critical = np.where(known, _critical(distance, alpha), np.nan)
    unknown = np.full(len(value), np.nan)
    return Differences(value, unknown, unknown, p, critical, undefined)


def _critical(distance: Numbers, alpha: float) -> Numbers:
    """The k-th largest distance of each pair, k as many as may reach a significant one and one more; (P,)."""
    undefined = np.isnan(distance)
    resamples = distance.shape[1] - undefined.sum(axis=1)
    # How many may reach a difference, itself counted, that is significant.
    allowed = np.floor(alpha * (resamples + 1) * (1 + RELATIVE_TOLERANCE)).astype(np.intp)
    # NaN counts as smaller than anything: what is left out is never among the largest.
    ascending = np.where(undefined, -np.inf, distance) if undefined.any() else distance
    critical = np.full(len(distance), np.nan)
    for number in np.unique(allowed[allowed > 0]).tolist():
        rows = allowed == number
        place = max(0, distance.shape[1] - number)
        critical[rows] = np.partition(ascending[rows], place, axis=1)[:, place]
    return critical


def _blocks(pairs: Pairs, resamples: int) -> Iterator[Pairs]:
    step = max(1, CELLS_AT_ONCE // max(1, resamples))
    for begin in range(0, len(pairs), step):
        yield pairs[begin : begin + step]


def _joined(parts: list[Differences]) -> Differences:
    if not parts:
        empty = np.empty(0)
        return Differences(empty, empty, empty, empty, empty, np.empty(0, dtype=np.int64))
    fields = ("value", "low", "high", "p", "critical", "undefined")
    return Differences(*(np.concatenate([getattr(part, field) for part in parts]) for field in fields))


def simultaneous_p(scores: Numbers, drawn: Numbers, pairs: Pairs) -> Numbers:
    """Bootstrap p-values of differences that are adjusted for the whole family, as Tukey's.

    A difference is compared with the largest one of any two systems that arises by chance: the range over the
    systems of how far a resample moved each. The family is the systems that occur in pairs and have a score.

    Parameters
    ----------
    scores : array (S,)
        Scores of the systems on all items.
    drawn : array (B, S)
        The same on each resample of the items.
    pairs : array (P, 2)
        Systems that are compared.

    Returns
    -------
    array (P,)
    """
    family = np.unique(pairs)
    known = family[~np.isnan(scores[family])]
    moved = drawn[:, known] - scores[known]
    complete = moved[~np.isnan(moved).any(axis=1)]
    if not complete.size:
        return np.full(len(pairs), np.nan)
    value = scores[pairs[:, 0]] - scores[pairs[:, 1]]
    return p_of_ranges(np.abs(value), np.ptp(complete, axis=1))


def p_of_ranges(observed: Numbers, ranges: Numbers) -> Numbers:
    """p-values of differences from the ranges of resamples: (k + 1) / (B + 1), k the ranges that reach the difference.

    Parameters
    ----------
    observed : array
        Absolute differences; NaN stays NaN.
    ranges : array (B,)
        Largest difference in each resample.

    Returns
    -------
    array
        As `observed`.
    """
    largest = np.sort(ranges)
    reached = len(largest) - np.searchsorted(
        largest, observed * (1 - RELATIVE_TOLERANCE) - ABSOLUTE_TOLERANCE, side="left"
    )
    p: Numbers = np.where(np.isnan(observed), np.nan, (reached + 1) / (len(largest) + 1))
    return p


def critical_range(ranges: Numbers, *, alpha: float) -> float:
    """The largest difference that would not be significant beside ranges of resamples.

    Parameters
    ----------
    ranges : array (B,)
        Largest difference in each resample.
    alpha
        Significance level, from 0 to 1.

    Returns
    -------
    float
        NaN where the resamples are too few for any difference to be significant.
    """
    return float(_critical(ranges[np.newaxis], alpha)[0])


def mcnemar(only_one: NDArray[np.integer], only_other: NDArray[np.integer]) -> Numbers:
    """Exact two-sided p-values of McNemar's test on the items that only one of two systems gets right.

    Parameters
    ----------
    only_one, only_other : array
        Number of items that only the first, and only the second system gets right.

    Returns
    -------
    array
        As `only_one`.

    Examples
    --------
    >>> mcnemar(np.array([8]), np.array([1])).round(4).tolist()
    [0.0391]
    """
    from scipy.stats import binom

    fewer, total = np.minimum(only_one, only_other), only_one + only_other
    p: Numbers = np.minimum(1.0, 2 * binom.cdf(fewer, total, 0.5))
    return p
