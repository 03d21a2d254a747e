"""Intervals from samples."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

LEVEL = 0.95


def percentile_interval(
    sample: NDArray[np.float64], *, level: float = LEVEL, axis: int = 0
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Low and high ends of the middle `level` of a sample; NaN values are left out, and NaN where all are.

    sample: with the draws along `axis`. Returns two arrays without it.

    >>> low, high = percentile_interval(np.arange(101.0))
    >>> round(float(low), 6), round(float(high), 6)
    (2.5, 97.5)
    """
    moved = np.sort(np.moveaxis(np.asarray(sample, dtype=np.float64), axis, 0), axis=0)
    # NaN sorts last, so the defined draws come first.
    defined = (~np.isnan(moved)).sum(axis=0)
    return _quantile(moved, defined, (1 - level) / 2), _quantile(moved, defined, (1 + level) / 2)


def _quantile(ordered: NDArray[np.float64], defined: NDArray[np.intp], share: float) -> NDArray[np.float64]:
    """Linear interpolation between order statistics, as `numpy.quantile`, of the first `defined` of each column."""
    if not len(ordered):
        return np.full(ordered.shape[1:], np.nan)
    place = share * np.maximum(defined - 1, 0)
    below = np.floor(place).astype(np.intp)
    above = np.minimum(below + 1, np.maximum(defined - 1, 0))
    low = np.take_along_axis(ordered, below[np.newaxis], axis=0)[0]
    high = np.take_along_axis(ordered, above[np.newaxis], axis=0)[0]
    quantile: NDArray[np.float64] = np.where(defined > 0, low + (place - below) * (high - low), np.nan)
    return quantile


def defined_mean(sample: NDArray[np.float64], *, axis: int = 0) -> NDArray[np.float64]:
    """Mean of what is not NaN along an axis; NaN where nothing is."""
    defined = ~np.isnan(sample)
    count = defined.sum(axis=axis)
    total = np.where(defined, sample, 0.0).sum(axis=axis)
    mean: NDArray[np.float64] = np.where(count > 0, total / np.maximum(count, 1), np.nan)
    return mean


def defined_deviation(sample: NDArray[np.float64], *, axis: int = 0) -> NDArray[np.float64]:
    """Sample standard deviation (n − 1) of what is not NaN along an axis; NaN where that is fewer than two."""
    count = (~np.isnan(sample)).sum(axis=axis)
    distance = sample - np.expand_dims(defined_mean(sample, axis=axis), axis)
    squares = np.where(np.isnan(distance), 0.0, distance**2).sum(axis=axis)
    deviation: NDArray[np.float64] = np.where(count > 1, np.sqrt(squares / np.maximum(count - 1, 1)), np.nan)
    return deviation
