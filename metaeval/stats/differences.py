"""Agreement of numbers: intraclass correlations, and limits within which two raters differ."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from metaeval.arrays import Floats, Indices
from metaeval.stats.intervals import LEVEL, Z
from metaeval.stats.ratio import divide

ROUNDING = 1e-12
"""Deviation of differences, relative to their mean, that is nothing but rounding."""

INTRACLASS = ("icc(1,1)", "icc(2,1)", "icc(3,1)", "icc(1,k)", "icc(2,k)", "icc(3,k)")
"""The intraclass correlations of Shrout & Fleiss (1979): of single ratings, and of means of k raters."""


class Intraclass(NamedTuple):
    """An intraclass correlation with its 95 % interval.

    Attributes
    ----------
    value
        At most 1; below 0 where ratings of a unit differ more than those of different units.
    low
        Lower end of the interval by F distributions.
    high
        Upper end.
    without
        The value without each group of units, (G,).
    """

    value: float
    low: float
    high: float
    without: Floats


def intraclass_correlations(ratings: ArrayLike, groups: Indices | None = None) -> dict[str, Intraclass]:
    """Intraclass correlations, with intervals by F distributions, of independent units that all raters rated.

    (1,…) has other raters for each unit, (2,…) a random sample of raters, whose levels count, and (3,…) these raters,
    whose levels do not count.

    Parameters
    ----------
    ratings : array_like (A, U)
        Ratings without gaps.
    groups : array (U,), optional
        Group of each unit, all numbers from 0 on, to leave out; every unit is one by default.

    Returns
    -------
    dict
        By the names of `INTRACLASS`; NaN where undefined.

    References
    ----------
    Shrout & Fleiss (1979); McGraw & Wong (1996).

    Examples
    --------
    >>> raters = [[9, 6, 8, 7, 10, 6], [2, 1, 4, 1, 5, 2], [5, 3, 6, 2, 6, 4], [8, 2, 8, 6, 9, 7]]
    >>> correlations = intraclass_correlations(raters)
    >>> {name: round(one.value, 2) for name, one in correlations.items()}
    {'icc(1,1)': 0.17, 'icc(2,1)': 0.29, 'icc(3,1)': 0.71, 'icc(1,k)': 0.44, 'icc(2,k)': 0.62, 'icc(3,k)': 0.91}
    """
    table = np.asarray(ratings, dtype=np.float64)
    k, n = table.shape
    groups = np.arange(n) if groups is None else groups
    # From the middle, so that sums of squares cancel less.
    table = table - (np.median(table) if table.size else 0.0)
    unit_sums = np.stack([np.ones(n), (table**2).sum(axis=0), table.sum(axis=0) ** 2, *table])
    group_sums = np.stack([np.bincount(groups, weights=row) for row in unit_sums])
    whole = unit_sums.sum(axis=1)[:, np.newaxis]
    values = _from_mean_squares(_mean_squares(np.concatenate([whole, whole - group_sums], axis=1)), k)
    ends = _by_f(_mean_squares(whole)[:, 0], n, k)
    return {name: Intraclass(float(row[0]), *ends[name], row[1:]) for name, row in zip(INTRACLASS, values, strict=True)}


def _mean_squares(sums: Floats) -> Floats:
    """Mean squares of units, raters, residuals and within units, and the number of units; from sums, (3 + A, ...)."""
    number, squares, unit_squares, *raters = sums
    k = len(raters)
    total = np.sum(raters, axis=0)
    middle = divide(total**2, k * number, undefined=0.0)
    rows = unit_squares / k - middle
    columns = divide(np.square(raters).sum(axis=0), number, undefined=0.0) - middle
    # Sums of squares of less are rounding.
    least = 1e-12 * squares
    rows, columns, residual, within = (
        np.where(square > least, square, 0.0)
        for square in (rows, columns, squares - unit_squares / k - columns, squares - unit_squares / k)
    )
    freedom = np.maximum(number - 1, 0)
    return np.stack(
        [
            divide(rows, freedom),
            columns / max(k - 1, 1),
            divide(residual, freedom * (k - 1)),
            divide(within, number * (k - 1)),
            number,
        ]
    )


def _from_mean_squares(squares: Floats, k: int) -> Floats:
    """The correlations in the order of `INTRACLASS`, (6, ...)."""
    units, raters, residual, within, number = squares
    levels = divide(raters - residual, number)
    # Fewer differences of levels than by chance can take what is left below that of no correlation.
    left = units + levels
    left = np.where(left > 0, left, np.nan)
    return np.stack(
        [
            divide(units - within, units + (k - 1) * within),
            divide(units - residual, left + (k - 1) * (residual + levels)),
            divide(units - residual, units + (k - 1) * residual),
            divide(units - within, units),
            divide(units - residual, left),
            divide(units - residual, units),
        ]
    )


def _by_f(squares: Floats, n: int, k: int) -> dict[str, tuple[float, float]]:
    """95 % intervals by F distributions; NaN for fewer than two units or raters, or where ratings do not vary."""
    from scipy.special import fdtri

    units, raters, residual, within, _ = map(float, squares)
    if n < 2 or k < 2 or not (units > 0 and residual > 0 and within > 0):
        return dict.fromkeys(INTRACLASS, (float("nan"), float("nan")))
    tail = (1 + LEVEL) / 2

    def single(f: float, freedom: float) -> tuple[float, float]:
        """Ends for single ratings by a ratio of mean squares, and the degrees of freedom of its denominator."""
        low, high = f / float(fdtri(n - 1, freedom, tail)), f * float(fdtri(freedom, n - 1, tail))
        return (low - 1) / (low + k - 1), (high - 1) / (high + k - 1)

    intervals = {"1": single(units / within, n * (k - 1)), "3": single(units / residual, (n - 1) * (k - 1))}
    rho, f = float(_from_mean_squares(squares, k)[1]), raters / residual
    a, b = k * rho * f, n * (1 + (k - 1) * rho) - k * rho
    freedom = (k - 1) * (n - 1) * (a + b) ** 2 / ((n - 1) * a**2 + b**2)
    upper, lower = float(fdtri(n - 1, freedom, tail)), float(fdtri(freedom, n - 1, tail))
    rest = k * raters + (k * n - k - n) * residual
    intervals["2"] = (
        n * (units - upper * residual) / (upper * rest + n * units),
        n * (lower * units - residual) / (rest + n * lower * units),
    )
    lowest, nothing = -1 / (k - 1), (float("nan"), float("nan"))
    low, high = intervals["2"]
    # With less than about one degree of freedom, the approximation fails.
    intervals["2"] = (max(low, lowest), high) if low <= rho <= high else nothing
    # The reliability of means by the formula of Spearman and Brown.
    means = {
        model: tuple(k * end / (1 + (k - 1) * end) for end in ends) if ends[0] > lowest else nothing
        for model, ends in intervals.items()
    }
    return {
        name: (float(ends[0]), float(ends[1]))
        for kind, ends_by_model in (("1", intervals), ("k", means))
        for name, ends in ((f"icc({model},{kind})", ends_by_model[model]) for model in "123")
    }


class Limits(NamedTuple):
    """Mean of differences, and limits within which 95 % of them lie; each with the ends of its 95 % interval.

    Attributes
    ----------
    shift
        The mean.
    lower
        The lower limit.
    upper
        The upper limit.
    """

    shift: tuple[float, float, float]
    lower: tuple[float, float, float]
    upper: tuple[float, float, float]

    def times(self, exponent: int) -> Limits:
        """The same of differences times a power of two."""
        return Limits(*(tuple(row) for row in np.ldexp(self, exponent).tolist()))


def limits_of_agreement(differences: ArrayLike, *, error: float | None = None, units: float | None = None) -> Limits:
    """Limits of agreement of normal differences (Bland & Altman 1986), with the intervals of Zou (2013).

    Parameters
    ----------
    differences : array_like (U,)
        What one rating is higher than the other.
    error
        Standard error of their mean; by default that of independent differences.
    units
        Effective number of independent ones.

    Returns
    -------
    Limits
        No ends, NaN, for fewer than two differences, and where all are equal.

    Examples
    --------
    >>> limits = limits_of_agreement([0.0, 1.0, 2.0, 1.0])
    >>> limits.shift[0], round(limits.lower[0], 2), round(limits.upper[0], 2)
    (1.0, -0.6, 2.6)
    """
    from scipy.special import chdtri, stdtrit

    sample = np.asarray(differences, dtype=np.float64)
    number, nothing = float(len(sample)) if units is None else units, float("nan")
    mean = float(sample.mean()) if len(sample) else nothing
    deviation = float(sample.std(ddof=1)) if len(sample) > 1 else nothing
    if deviation <= ROUNDING * abs(mean):
        deviation = 0.0
    lower, upper = mean - Z * deviation, mean + Z * deviation
    if not (number > 1 and deviation > 0):
        return Limits(*((value, nothing, nothing) for value in (mean, lower, upper)))
    tail = (1 - LEVEL) / 2
    error = deviation / number**0.5 if error is None else error
    half = float(stdtrit(number - 1, 1 - tail)) * error
    # `chdtri` takes the probability above.
    least, most = (deviation * ((number - 1) / float(chdtri(number - 1, p))) ** 0.5 for p in (tail, 1 - tail))
    inner, outer = float(np.hypot(half, Z * (deviation - least))), float(np.hypot(half, Z * (most - deviation)))
    return Limits(
        (mean, mean - half, mean + half), (lower, lower - outer, lower + inner), (upper, upper - inner, upper + outer)
    )
