"""Quotients: with explicit values where undefined, and the effective number of clusters."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from metaeval.arrays import Floats


def divide(numerator: ArrayLike, denominator: ArrayLike, *, undefined: float = math.nan) -> Floats:
    """Elementwise quotient without warnings, with a value of its own where the denominator is 0.

    Parameters
    ----------
    numerator, denominator : array_like
        Arrays that broadcast.
    undefined
        Value where the denominator is 0.

    Examples
    --------
    >>> divide([1, 1], [2, 0])
    array([0.5, nan])
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        quotient = np.asarray(np.true_divide(numerator, denominator), dtype=np.float64)
    np.copyto(quotient, undefined, where=np.equal(denominator, 0))
    return quotient


def effective_number(sizes: NDArray[np.number]) -> float:
    """N² / Σ m²: the number of clusters of equal size that would carry as much information.

    Parameters
    ----------
    sizes : array (K,)
        Number of items of each cluster; at least one item in all.

    Examples
    --------
    >>> effective_number(np.array([10, 10])), effective_number(np.array([30, 10, 10, 10]))
    (2.0, 3.0)
    """
    floats = sizes.astype(np.float64)
    return float(floats.sum() ** 2 / (floats @ floats))
