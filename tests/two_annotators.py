"""Coefficients of two annotators: what the package computes for all pairs, without each group of units.

Ratings (..., 2, U) are NaN where missing.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from metaeval.stats import association
from metaeval.stats.ratio import divide

Numbers = NDArray[np.float64]
Weights = Literal["none", "linear", "quadratic"]


def rated_by_both(ratings: ArrayLike) -> Numbers:
    ratings = np.asarray(ratings, dtype=np.float64)
    return np.where(np.isnan(ratings).any(axis=-2, keepdims=True), np.nan, ratings)


def cohen_kappa(ratings: ArrayLike, weights: Weights) -> Numbers:
    """1 − observed / expected disagreement (Cohen 1968), each of all pairs of ratings of the two."""
    one, other = np.moveaxis(rated_by_both(ratings), -2, 0)
    gaps = np.abs(one[..., :, np.newaxis] - other[..., np.newaxis, :])
    distance = (gaps > 0) * {"none": 1.0, "linear": gaps, "quadratic": gaps**2}[weights]
    number = (~np.isnan(one)).sum(axis=-1)
    observed, expected = np.nansum(np.diagonal(distance, axis1=-2, axis2=-1), axis=-1), np.nansum(distance, (-2, -1))
    return np.asarray(1 - number * divide(observed, expected))


def correlation(ratings: ArrayLike, coefficient: str) -> Numbers:
    return association.COEFFICIENTS[coefficient](*np.moveaxis(rated_by_both(ratings), -2, 0))
