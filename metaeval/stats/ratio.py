"""Quotients: with explicit values where undefined, and the effective number of clusters."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from metaeval.arrays import Floats


def divide(numerator: ArrayLike, denominator: ArrayLike, *, undefined: float = math.nan) -> Floats:
    """Elementwise quotient without warnings, with a value of its own where the denominator is 0.

    numerator, denominator: arrays that broadcast.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        quotient = np.asarray(np.true_divide(numerator, denominator), dtype=np.float64)
    np.copyto(quotient, undefined, where=np.equal(denominator, 0))
    return quotient


def effective_number(sizes: NDArray[np.number]) -> float:
    """N² / Σ m² of clusters of m items, N in all: the number of equal clusters that vary as much."""
    floats = sizes.astype(np.float64)
    return float(floats.sum() ** 2 / (floats @ floats))
