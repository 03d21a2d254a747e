"""Tests of which of many scores have dropped, with one error rate for all of them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from metaeval.stats.intervals import defined_deviation

_TOLERANCE = 1e-9
"""Statistics that differ by less are equal but for rounding: a tie counts as reached."""


class DropTest(NamedTuple):
    """How far K scores have dropped.

    Attributes
    ----------
    statistic : array (K,)
        Drop in standard errors; higher is worse.
    p : array (K,)
        Adjusted p-values.
    """

    statistic: NDArray[np.float64]
    p: NDArray[np.float64]


def max_t_drops(differences: NDArray[np.float64], replicates: NDArray[np.float64]) -> DropTest:
    """One-sided tests of many drops, adjusted by the largest statistic of each bootstrap resample.

    The null hypothesis of a comparison is that its difference is at least 0. Its statistic t is the drop in standard
    errors, −d / se, with the standard deviation of the replicates for se. Under the null hypothesis t is distributed
    as −(d* − d) / se of resamples; compared with the *largest* of these over all comparisons, it controls the
    family-wise error rate, whatever the dependence of the comparisons (Westfall & Young 1993, single step).

    Parameters
    ----------
    differences : array (K,)
        New score − old score, higher better.
    replicates : array (B, K)
        The same of bootstrap resamples that were drawn together; NaN where undefined, which is left out.

    Returns
    -------
    DropTest
        p = (k + 1) / (B + 1); 1 where all resamples have the same difference of 0 or more, NaN where the difference is
        undefined or has fewer than two replicates. A drop that every resample repeats exactly has an infinite
        statistic.

    Examples
    --------
    >>> replicates = np.array([[-0.2, 0.0], [-0.3, 0.0], [-0.4, 0.0]])
    >>> max_t_drops(np.array([-0.3, 0.0]), replicates).p.tolist()
    [0.25, 1.0]
    """
    differences = np.asarray(differences, dtype=np.float64)
    spread = _spread(replicates)
    with np.errstate(divide="ignore", invalid="ignore"):
        statistic = np.where(differences == 0, 0.0, -differences / spread)
        null = np.where(spread > 0, (differences - replicates) / spread, np.nan)
    statistic[np.isnan(differences) | np.isnan(spread)] = np.nan
    largest = np.sort(np.where(np.isnan(null), -np.inf, null).max(axis=1, initial=-np.inf))

    slack = _TOLERANCE * np.maximum(1.0, np.abs(np.where(np.isfinite(statistic), statistic, 0.0)))
    reached = len(largest) - np.searchsorted(largest, statistic - slack, side="left")
    p = (reached + 1) / (len(largest) + 1)
    p[(spread == 0) & (differences >= 0)] = 1.0
    p[np.isnan(statistic)] = np.nan
    return DropTest(statistic, p)


def _spread(replicates: NDArray[np.float64]) -> NDArray[np.float64]:
    """Standard errors, (K,): exactly 0 where all replicates are equal, NaN where fewer than two are defined."""
    defined = ~np.isnan(replicates)
    highest = np.where(defined, replicates, -np.inf).max(axis=0, initial=-np.inf)
    lowest = np.where(defined, replicates, np.inf).min(axis=0, initial=np.inf)
    return np.where((highest == lowest) & (defined.sum(axis=0) > 1), 0.0, defined_deviation(replicates))
