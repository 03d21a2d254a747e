"""Means, deviations and intervals of samples with undefined values."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from metaeval.arrays import Bools, Floats, Indices, Integers
from metaeval.stats.ratio import divide

LEVEL = 0.95

Z = 1.959963984540054
"""The normal quantile of `LEVEL`."""

LARGEST_Z = 38.0
"""A normal quantile whose p-value is the smallest number."""

_BISECTIONS = 50
"""Halvings of a range that find a number in it exactly."""

LARGEST_R = 1 - 1e-9
"""Above it, Fisher's z of a correlation is that of this one."""

Interval: TypeAlias = tuple[Floats, Floats]
"""Lower and upper ends."""

BONETT_WRIGHT = {"pearson": 3, "spearman": 3, "kendall-b": 4}
"""Number subtracted from n in the variance of Fisher's z (Bonett & Wright 2000)."""


def percentile_interval(sample: Floats, *, level: float = LEVEL) -> tuple[Floats, Floats]:
    """Percentile interval of a sample; NaN values are left out.

    Parameters
    ----------
    sample : array (R, ...)
        Sample of R draws.
    level
        Confidence level, from 0 to 1.

    Returns
    -------
    tuple of two arrays
        Lower and upper ends, (...); NaN where all draws are.

    Examples
    --------
    >>> low, high = percentile_interval(np.arange(101.0))
    >>> round(float(low), 6), round(float(high), 6)
    (2.5, 97.5)
    """
    # NaN sorts last, so the defined draws come first.
    sorted_sample = np.sort(sample, axis=0)
    defined = (~np.isnan(sorted_sample)).sum(axis=0)
    return _quantile(sorted_sample, defined, (1 - level) / 2), _quantile(sorted_sample, defined, (1 + level) / 2)


def _quantile(sorted_sample: Floats, defined: Indices, share: float) -> Floats:
    """Quantile of the first `defined` values of each column by linear interpolation, as by `numpy.quantile`."""
    if not len(sorted_sample):
        return np.full(sorted_sample.shape[1:], np.nan)
    position = share * np.maximum(defined - 1, 0)
    below = np.floor(position).astype(np.intp)
    above = np.minimum(below + 1, np.maximum(defined - 1, 0))
    low = np.take_along_axis(sorted_sample, below[np.newaxis], axis=0)[0]
    high = np.take_along_axis(sorted_sample, above[np.newaxis], axis=0)[0]
    quantile: Floats = np.where(defined > 0, low + (position - below) * (high - low), np.nan)
    return quantile


def fisher_interval(r: Floats, n: Integers | int, *, coefficient: str, least: Floats | float = 0.0) -> Interval:
    """95 % interval of a correlation of n pairs by Fisher's z, with the variances of Bonett & Wright (2000).

    The variances are 1 / (n − 3) for Pearson, (1 + r²/2) / (n − 3) for Spearman and 0.437 / (n − 4) for Kendall's
    tau-b; with Student's t of n − 2 degrees of freedom, as normal quantiles cover too seldom for few pairs. A perfect
    rank correlation counts as half of the smallest change from it. For an average over items, nlpstats uses the number
    of systems as n.

    Parameters
    ----------
    r : array
        Correlations.
    n : array of int, or int
        Numbers of pairs; up to 3, or 4 for tau-b, the interval is the whole scale.
    coefficient
        A name of `BONETT_WRIGHT`.
    least
        The smallest variance of z.

    Raises
    ------
    ValueError
        For a coefficient without a known variance.

    Examples
    --------
    >>> low, high = fisher_interval(np.array(0.5), 28, coefficient="pearson")
    >>> round(float(low), 4), round(float(high), 4)
    (0.1373, 0.7445)
    """
    if coefficient not in BONETT_WRIGHT:
        raise ValueError(f"no variance of {coefficient!r} is known, only of {', '.join(BONETT_WRIGHT)}")
    r, number = np.broadcast_arrays(np.asarray(r, dtype=np.float64), np.asarray(n, dtype=np.float64))
    off = np.maximum(number - BONETT_WRIGHT[coefficient], 0)
    size = {"pearson": np.ones_like(r), "spearman": 1 + r**2 / 2, "kendall-b": np.full_like(r, 0.437)}[coefficient]
    variance = np.maximum(divide(size, off, undefined=np.inf), least)
    return interval_of_z(r, np.sqrt(variance), number - 2, largest=largest_below_one(coefficient, number))


def interval_of_z(r: Floats, error: Floats, freedom: Floats, *, largest: Floats) -> Interval:
    """95 % interval of r by Student's t of Fisher's z; NaN where r is.

    error: standard error of z, infinite for the whole scale. largest: absolute r that counts in place of larger ones;
    its distance from 1 is the least from r to the ends.
    """
    from scipy.special import stdtrit

    largest = np.minimum(largest, LARGEST_R)
    middle, step = np.arctanh(np.clip(r, -largest, largest)), 1 - largest
    half = stdtrit(np.maximum(freedom, 1), (1 + LEVEL) / 2) * error
    low, high = np.minimum(r - step, np.tanh(middle - half)), np.maximum(r + step, np.tanh(middle + half))
    return np.maximum(low, -1.0), np.minimum(high, 1.0)


def largest_below_one(coefficient: str, n: ArrayLike) -> Floats:
    """A correlation of n pairs halfway between 1 and the next smaller value without ties; 1 for Pearson's r."""
    number = np.asarray(n, dtype=np.float64)
    if coefficient == "pearson":
        return np.ones_like(number)
    if coefficient == "spearman":
        return 1 - divide(6, number**3 - number, undefined=1.0)
    return 1 - divide(2, number * (number - 1), undefined=1.0)


def jackknife_error(value: float, without: Floats, sizes: Integers) -> float:
    """Standard error of a statistic from its values without each group of units, (G,).

    Groups may differ in size (Busing, Meijer & van der Leeden 1999). NaN for fewer than two groups.
    """
    groups = len(without)
    if groups < 2:
        return float("nan")
    ratio = sizes.sum() / sizes
    pseudo = ratio * value - (ratio - 1) * without
    estimate = groups * value - ((1 - 1 / ratio) * without).sum()
    return float(np.sqrt(((pseudo - estimate) ** 2 / (ratio - 1)).mean()))


class Bounded(NamedTuple):
    """A statistic from `lowest` to 1, with intervals and tests by the score method of Wilson (1927) and Student's t.

    As a share of its range, it has the variance of a share of `number` units, whatever its true value is. `units` is
    the effective number of independent units, one more than the degrees of freedom. Where all units are the same,
    `number` is infinite; intervals and tests then say how many other units there may be that have the lowest or the
    highest value, as those of Clopper and Pearson do. In a `share` of units, few that differ are no better known than
    none.
    """

    value: float
    lowest: float
    number: float
    units: float
    share: bool = False

    @classmethod
    def of(cls, value: float, error: float, *, lowest: float, units: float, share: bool = False) -> Bounded:
        """The statistic with this standard error."""
        value, lowest = min(value, 1.0), min(lowest, value)
        spread = (value - lowest) * (1 - value)
        # Less is rounding.
        varies = spread > 0 and error > 1e-9 * (1 - lowest)
        number = max(spread / error**2, np.finfo(float).tiny) if varies else np.inf
        return cls(value, lowest, number, units, share)

    def interval(self, *, wider: float = 1.0) -> tuple[float, float]:
        """95 % interval, which never leaves the range, has the value in it, and is never a point.

        NaN for one unit. wider: factor of Student's quantile.

        >>> low, high = Bounded.of(1.0, 0.0, lowest=0.0, units=10).interval()
        >>> round(low, 3), high
        (0.692, 1.0)
        """
        from scipy.special import stdtrit

        if not (self.units > 1 and np.isfinite(wider)):
            return float("nan"), float("nan")
        tail, above, below = (1 - LEVEL) / 2, 1 - self.value, self.value - self.lowest
        if np.isfinite(self.number):
            t = wider * float(stdtrit(self.units - 1, tail))
            # The weight of the middle of the range in the middle of the interval.
            weight = 1 / (1 + self.number / t / t)
            half = np.sqrt(weight * (1 - weight) * above * below + (weight * (above + below) / 2) ** 2)
            middle = self.value + weight * (above - below) / 2
            low, high = middle - half, middle + half
            if self.share:
                # No end is nearer to that of the range than where no unit differs from it.
                none = (1 - tail ** (wider**2 / self.units)) * (1 - self.lowest)
                low, high = min(low, 1 - none), max(high, self.lowest + none)
        else:
            others = 1 - tail ** (wider**2 / self.units)
            low, high = self.value - others * below, self.value + others * above
        return float(np.clip(low, self.lowest, self.value)), float(np.clip(high, self.value, 1.0))

    def p(self, null: float) -> float:
        """Two-sided p-value of a true value, at most 0.05 exactly where the interval excludes it; NaN for one unit."""
        from scipy.special import stdtr

        if not self.units > 1:
            return float("nan")
        distance = abs(self.value - null)
        if np.isfinite(self.number):
            variance = (null - self.lowest) * (1 - null) / self.number
            by_variance = float(2 * stdtr(self.units - 1, -divide(distance, np.sqrt(variance), undefined=np.inf)))
            if not self.share:
                return by_variance
            others = (null - self.lowest if null > self.value else 1 - null) / (1 - self.lowest)
            return float(max(by_variance, min(1.0, 2 * (1 - others) ** self.units)))
        room = self.value - self.lowest if null < self.value else 1 - self.value
        others = distance / room if room > 0 else 0.0
        return float(np.minimum(1.0, 2 * (1 - others) ** self.units))


class ShareInterval(NamedTuple):
    """Interval of a share, and the test against one half that agrees with it; arrays (...), NaN where undefined.

    Attributes
    ----------
    low
        Lower end of the 95 % interval.
    high
        Upper end.
    p
        Two-sided p-value against a share of ½; at most 0.05 exactly where the interval excludes ½.
    """

    low: Floats
    high: Floats
    p: Floats


def share_interval(hits: ArrayLike, sizes: ArrayLike) -> ShareInterval:
    """95 % interval of a share of units in clusters, which holds its level with few clusters.

    The interval of Clopper and Pearson with an effective number of units (Korn & Graubard 1998): the number that would
    give the variance between clusters, at most the number of units, corrected for the degrees of freedom. The variance
    of few clusters is often 0 or nearly so by chance, so that it is at least that with one more cluster of average
    size, half of whose units are hits. If all units or none are hits, clusters count as single units. With a cluster
    for each unit it is close to the interval of Clopper and Pearson.

    Parameters
    ----------
    hits : array (..., K)
        Number of hits in each cluster.
    sizes : array (..., K)
        Number of units in each cluster; those of 0 do not count.

    Returns
    -------
    ShareInterval
        NaN for fewer than two clusters.

    Examples
    --------
    >>> low, high, p = share_interval(np.ones(20), np.ones(20))
    >>> round(float(low), 4), float(high), float(p) < 1e-5
    (0.8316, 1.0, True)
    """
    from scipy.special import betainc, betaincinv

    share, effective = effective_share(hits, sizes)
    number = share * effective
    rest, tail = effective - number, (1 - LEVEL) / 2
    successes, failures = np.maximum(number, 1e-12), np.maximum(rest, 1e-12)
    low = np.where(number > 0, betaincinv(successes, rest + 1, tail), number)
    high = np.where(rest > 0, betaincinv(number + 1, failures, 1 - tail), 1 + 0 * number)
    at_least = np.where(number > 0, betainc(successes, rest + 1, 0.5), 1 + 0 * number)
    at_most = np.where(rest > 0, 1 - betainc(number + 1, failures, 0.5), 1 + 0 * number)
    return ShareInterval(low, high, np.minimum(1.0, 2 * np.minimum(at_least, at_most)))


def effective_share(hits: ArrayLike, sizes: ArrayLike) -> tuple[Floats, Floats]:
    """A share of units in clusters, (...), and the number of independent units that would know it as well.

    See `share_interval`. hits, sizes: of each cluster, (..., K). The number is NaN for fewer than two clusters.
    """
    from scipy.special import stdtrit

    cluster_hits = np.asarray(hits, dtype=np.float64)
    size = np.broadcast_to(np.asarray(sizes, dtype=np.float64), cluster_hits.shape)
    units, clusters = size.sum(axis=-1), (size > 0).sum(axis=-1)
    share, equal = divide(cluster_hits.sum(axis=-1), units), divide(units**2, (size**2).sum(axis=-1))
    extra = divide(units, equal)[..., np.newaxis]
    with_extra = np.concatenate([cluster_hits, extra / 2], axis=-1), np.concatenate([size, extra], axis=-1)
    effects = np.stack([_design_effect(cluster_hits, size), _design_effect(*with_extra), np.ones_like(units)])
    extreme = (share == 0) | (share == 1)
    quantiles = stdtrit(np.stack([units, equal]) - 1, (1 + LEVEL) / 2)
    # Where every unit is a cluster, nothing is estimated from clusters.
    effect = np.where(clusters == units, 1.0, np.where(extreme, divide(units, equal), np.nanmax(effects, axis=0)))
    effective = units / effect * np.where(clusters == units, 1.0, divide(*quantiles) ** 2)
    return share, np.where(clusters > 1, effective, np.nan)


def wilson_interval(share: Floats, number: Floats, *, z: float | Floats = Z) -> Interval:
    """Interval of a share of independent units by the score method of Wilson (1927); NaN where one of both is.

    Parameters
    ----------
    share : array (...)
        From 0 to 1.
    number : array (...)
        Number of units, which need not be whole: that of `effective_share` for units in clusters.
    z
        Normal quantile of the level.

    Returns
    -------
    tuple of two arrays
        Lower and upper ends, (...).

    Examples
    --------
    >>> low, high = wilson_interval(np.array(0.9), np.array(20.0))
    >>> round(float(low), 4), round(float(high), 4)
    (0.699, 0.9721)
    """
    weight = 1 / (1 + np.asarray(number) / np.square(z))
    half = np.sqrt(weight * (1 - weight) * share * (1 - share) + (weight / 2) ** 2)
    middle = share + weight * (0.5 - share)
    return np.clip(middle - half, 0.0, share), np.clip(middle + half, share, 1.0)


class Difference(NamedTuple):
    """A difference with its 95 % interval, and the p-value that agrees with it; arrays (...), NaN where undefined."""

    value: Floats
    low: Floats
    high: Floats
    p: Floats


def last_inside(inside: Floats, outside: Floats, is_inside: Callable[[Floats], Bools]) -> Floats:
    """The last values that are inside, between some that are and some that may not be, by bisection; arrays (...).

    >>> last_inside(np.zeros(2), np.array([3.0, 1.0]), lambda values: values < 2)
    array([2., 1.])
    """
    for _ in range(_BISECTIONS):
        middle = (inside + outside) / 2
        stays = is_inside(middle)
        inside, outside = np.where(stays, middle, inside), np.where(stays, outside, middle)
    return inside


def difference_of_shares(share: Floats, number: Floats, other: Floats, number_of_other: Floats) -> Difference:
    """The difference of two shares of different units, by the intervals of Wilson of both (Newcombe 1998).

    The p-value is two-sided, and at most 0.05 exactly where the interval excludes 0. Below it is at least the mid-p
    of Fisher's exact test: intervals of higher levels are too narrow for many differences of few units. Numbers of
    units are those of `effective_share` for units in clusters; arrays are (...).

    >>> difference = difference_of_shares(*map(np.array, (56 / 70, 70.0, 48 / 80, 80.0)))
    >>> round(float(difference.low), 4), round(float(difference.high), 4), round(float(difference.p), 4)
    (0.0524, 0.3339, 0.0084)
    """
    from scipy.special import ndtr

    value = np.asarray(share - other, dtype=np.float64)

    def distances(z: float | Floats) -> tuple[Floats, Floats]:
        """Of the ends of the interval from the difference."""
        (low, high), (low_of_other, high_of_other) = (
            wilson_interval(*sample, z=z) for sample in ((share, number), (other, number_of_other))
        )
        return np.hypot(share - low, high_of_other - other), np.hypot(high - share, other - low_of_other)

    below, above = distances(Z)

    def falls_short(z: Floats) -> Bools:
        toward = distances(z)
        return ~np.asarray(np.where(value > 0, toward[0], toward[1]) >= np.abs(value))

    # The level at which the interval ends at 0.
    least = last_inside(np.zeros_like(value), np.full_like(value, LARGEST_Z), falls_short)
    p = np.where(np.isnan(below), np.nan, np.minimum(1.0, 2 * ndtr(-least)))
    exact = np.minimum(_exact_p(share, number, other, number_of_other), 0.05)
    p = np.where(p < 0.05, np.fmax(p, exact), p)
    return Difference(value, np.maximum(value - below, -1.0), np.minimum(value + above, 1.0), p)


def _exact_p(share: Floats, number: Floats, other: Floats, number_of_other: Floats) -> Floats:
    """Two-sided mid-p of Fisher's exact test; numbers that are not whole are rounded towards no difference."""
    from scipy.stats import hypergeom

    # The group with the smaller share is the first.
    swapped = share > other
    (low, few), (high, many) = (
        (np.where(swapped, second, first), np.floor(np.where(swapped, number_of_second, number_of_first) + 1e-9))
        for first, number_of_first, second, number_of_second in (
            (share, number, other, number_of_other),
            (other, number_of_other, share, number),
        )
    )
    hits, hits_of_others = np.ceil(low * few - 1e-9), np.floor(high * many + 1e-9)
    null = hypergeom(few + many, hits + hits_of_others, few)
    return np.asarray(2 * null.cdf(hits) - null.pmf(hits))


def _design_effect(hits: Floats, sizes: Floats) -> Floats:
    """The variance of a share between clusters, relative to that of independent units, (...)."""
    units, clusters = sizes.sum(axis=-1), (sizes > 0).sum(axis=-1)
    share = divide(hits.sum(axis=-1), units)
    squares = ((hits - share[..., np.newaxis] * sizes) ** 2).sum(axis=-1)
    between = divide(clusters * squares, (clusters - 1) * units**2)
    return divide(between * (units - 1), share * (1 - share))


def defined_mean(sample: Floats, *, axis: int = 0) -> Floats:
    """Mean of the values that are not NaN; NaN where all are."""
    defined = ~np.isnan(sample)
    count = defined.sum(axis=axis)
    total = np.where(defined, sample, 0.0).sum(axis=axis)
    mean: Floats = np.where(count > 0, total / np.maximum(count, 1), np.nan)
    return mean


def defined_deviation(sample: Floats, *, axis: int = 0) -> Floats:
    """Sample standard deviation (n − 1) of the values that are not NaN; NaN for fewer than two."""
    count = (~np.isnan(sample)).sum(axis=axis)
    distance = sample - np.expand_dims(defined_mean(sample, axis=axis), axis)
    squares = np.where(np.isnan(distance), 0.0, distance**2).sum(axis=axis)
    deviation: Floats = np.where(count > 1, np.sqrt(squares / np.maximum(count - 1, 1)), np.nan)
    return deviation
