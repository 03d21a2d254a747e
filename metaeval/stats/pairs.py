"""Pairs of systems, and p-values of their differences from ranges by chance."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]
Pairs = NDArray[np.intp]
"""Indices of two systems in each row, (P, 2)."""

RELATIVE_TOLERANCE, ABSOLUTE_TOLERANCE = 1e-12, 1e-15
"""Tolerances within which differences are equal up to rounding errors."""


def all_pairs(systems: int) -> Pairs:
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


def p_of_ranges(observed: Numbers, ranges: Numbers) -> Numbers:
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
    p: Numbers = np.where(np.isnan(observed), np.nan, (reached + 1) / (len(largest) + 1))
    return p


def critical_range(ranges: Numbers, *, alpha: float) -> float:
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
