"""Means, deviations and intervals of samples with undefined values."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

LEVEL = 0.95


def percentile_interval(
    sample: NDArray[np.float64], *, level: float = LEVEL, axis: int = 0
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Percentile interval of a sample; NaN values are left out.

    Parameters
    ----------
    sample : array
        Sample, with the draws along `axis`.
    level
        Confidence level, from 0 to 1.
    axis
        Axis of the draws.

    Returns
    -------
    tuple of two arrays
        Lower and upper ends, without `axis`; NaN where all draws are.

    Examples
    --------
    >>> low, high = percentile_interval(np.arange(101.0))
    >>> round(float(low), 6), round(float(high), 6)
    (2.5, 97.5)
    """
    moved = np.sort(np.moveaxis(np.asarray(sample, dtype=np.float64), axis, 0), axis=0)
    # NaN sorts last, so the defined draws come first.
    defined = (~np.isnan(moved)).sum(axis=0)
    return _quantile(moved, defined, (1 - level) / 2), _quantile(moved, defined, (1 + level) / 2)


def _quantile(ordered: NDArray[np.float64], defined: NDArray[np.intp], share: float) -> NDArray[np.float64]:
    """Quantile of the first `defined` values of each column by linear interpolation, as by `numpy.quantile`."""
    if not len(ordered):
        return np.full(ordered.shape[1:], np.nan)
    position = share * np.maximum(defined - 1, 0)
    below = np.floor(position).astype(np.intp)
    above = np.minimum(below + 1, np.maximum(defined - 1, 0))
    low = np.take_along_axis(ordered, below[np.newaxis], axis=0)[0]
    high = np.take_along_axis(ordered, above[np.newaxis], axis=0)[0]
    quantile: NDArray[np.float64] = np.where(defined > 0, low + (position - below) * (high - low), np.nan)
    return quantile


def jackknife_interval(
    value: float, without: NDArray[np.float64], sizes: NDArray[np.integer], *, level: float = LEVEL
) -> tuple[float, float]:
    """Interval of a statistic from its values without each group of units, by Student's t (Tukey 1958).

    Groups may differ in size (Busing, Meijer & van der Leeden 1999).

    Parameters
    ----------
    value
        Value on all units.
    without : array (G,)
        Values without the units of each group.
    sizes : array (G,)
        Number of units of each group, at least 1.
    level
        Confidence level, from 0 to 1.

    Returns
    -------
    tuple of two floats
        Lower and upper end; NaN for fewer than two groups, or if a value is undefined.

    Examples
    --------
    >>> units = np.array([1.0, 2.0, 3.0, 6.0])
    >>> low, high = jackknife_interval(3.0, (12 - units) / 3, np.ones(4, dtype=np.int64))
    >>> round(low, 3), round(high, 3)
    (-0.437, 6.437)
    """
    from scipy.special import stdtrit

    groups = len(without)
    if groups < 2:
        return float("nan"), float("nan")
    ratio = sizes.sum() / sizes
    pseudo = ratio * value - (ratio - 1) * without
    estimate = groups * value - ((1 - 1 / ratio) * without).sum()
    error = np.sqrt(((pseudo - estimate) ** 2 / (ratio - 1)).mean())
    half = float(stdtrit(groups - 1, (1 + level) / 2) * error)
    return value - half, value + half


def defined_mean(sample: NDArray[np.float64], *, axis: int = 0) -> NDArray[np.float64]:
    """Mean of the values that are not NaN.

    Parameters
    ----------
    sample : array
        Values, NaN where undefined.
    axis
        Axis of the sample.

    Returns
    -------
    array
        Without `axis`; NaN where all values are.
    """
    defined = ~np.isnan(sample)
    count = defined.sum(axis=axis)
    total = np.where(defined, sample, 0.0).sum(axis=axis)
    mean: NDArray[np.float64] = np.where(count > 0, total / np.maximum(count, 1), np.nan)
    return mean


def defined_deviation(sample: NDArray[np.float64], *, axis: int = 0) -> NDArray[np.float64]:
    """Sample standard deviation (n − 1) of the values that are not NaN.

    Parameters
    ----------
    sample : array
        Values, NaN where undefined.
    axis
        Axis of the sample.

    Returns
    -------
    array
        Without `axis`; NaN where fewer than two values are defined.
    """
    count = (~np.isnan(sample)).sum(axis=axis)
    distance = sample - np.expand_dims(defined_mean(sample, axis=axis), axis)
    squares = np.where(np.isnan(distance), 0.0, distance**2).sum(axis=axis)
    deviation: NDArray[np.float64] = np.where(count > 1, np.sqrt(squares / np.maximum(count - 1, 1)), np.nan)
    return deviation
