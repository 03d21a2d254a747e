"""Pairs of ratings of one unit by two raters: shares and means for clusters of units, and repeated runs of a rater."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from functools import cached_property
from itertools import combinations
from typing import NamedTuple, TypeAlias

import numpy as np

from metaeval.arrays import Bools, Floats, Indices
from metaeval.stats.intervals import (
    LEVEL,
    Bounded,
    Difference,
    effective_share,
    jackknife_error,
    wilson_interval,
)
from metaeval.stats.ratio import divide, effective_number

Groups: TypeAlias = tuple[Indices, Indices]
"""The cluster of each unit, and its group of whole clusters, (U,)."""


class Share(NamedTuple):
    """A share with its 95 % interval. units: that it is of. number: of independent units that would know it as well."""

    value: float
    low: float
    high: float
    units: int
    number: float


class Mean(NamedTuple):
    """A mean with its standard error, and one more than its degrees of freedom."""

    value: float
    error: float
    units: float


@dataclass(frozen=True, eq=False)
class Pairs:
    """The K pairs of ratings of one unit by two raters, such as a person and a judge; every attribute is (K,).

    unit, cluster: of each pair; clusters vary independently. group: of whole clusters, which a jackknife leaves out.
    """

    one: Floats
    other: Floats
    unit: Indices
    cluster: Indices
    group: Indices

    @classmethod
    def of(cls, one: Floats, other: Floats, groups: Groups) -> Pairs:
        """The pairs of each of some raters and each of others, (A, U) and (R, U), who rated the same unit."""
        both = ~np.isnan(one)[:, np.newaxis] & ~np.isnan(other)
        first, second, unit = np.nonzero(both)
        return cls(one[first, unit], other[second, unit], unit, *(codes[unit] for codes in groups))

    @classmethod
    def among(cls, ratings: Floats, groups: Groups) -> Pairs:
        """The pairs of the same raters, (A, U)."""
        every = [
            cls.of(ratings[[one]], ratings[[other]], groups) for one, other in combinations(range(len(ratings)), 2)
        ]
        return cls(*(np.concatenate([getattr(pairs, field.name) for pairs in every]) for field in fields(cls)))

    def select(self, selection: Bools) -> Pairs:
        """Some of the pairs."""
        return Pairs(*(getattr(self, field.name)[selection] for field in fields(self)))

    @cached_property
    def units(self) -> int:
        """The number of units."""
        return len(np.unique(self.unit))

    @property
    def equal(self) -> Bools:
        """Whether the ratings of each pair are equal, (K,)."""
        return np.asarray(self.one == self.other)

    def share(self, hits: Bools, among: Bools | None = None) -> Share:
        """The share of hits among some of the pairs, (K,)."""
        selection = np.ones(len(self.one), dtype=np.bool_) if among is None else among
        if not selection.any():
            return Share(math.nan, math.nan, math.nan, 0, math.nan)
        sizes = np.bincount(self.cluster[selection])
        value, number = effective_share(np.bincount(self.cluster[selection & hits], minlength=len(sizes)), sizes)
        # A single unit is no cluster.
        number = np.asarray(1.0) if selection.sum() == 1 else number
        low, high = wilson_interval(value, number)
        units = len(np.unique(self.unit[selection]))
        return Share(float(value), float(low), float(high), units, float(number))

    def mean(self, values: Floats) -> Mean:
        """The mean of the values of pairs, (K,), with the error of independent clusters."""
        sums, sizes = self.sums(values, int(self.cluster.max(initial=-1)) + 1)
        sums, sizes = sums[sizes > 0], sizes[sizes > 0]
        total, number = sums.sum(), sizes.sum()
        value = float(divide(np.asarray(total), np.asarray(number)))
        without = divide(total - sums, number - sizes)
        return Mean(value, jackknife_error(value, without, sizes), effective_number(sizes))

    def sums(self, values: Floats, clusters: int) -> tuple[Floats, Indices]:
        """Sums of the values of pairs, (K,), over each cluster, and the number of pairs in each."""
        sums: Floats = np.bincount(self.cluster, weights=values, minlength=clusters).astype(np.float64)
        return sums, np.bincount(self.cluster, minlength=clusters)

    def counts(self, values: Floats) -> Floats:
        """How often each two of the values are the ratings of a pair, in all and without each group, (1 + G, V, V)."""
        size = len(values)
        codes = np.searchsorted(values, self.one) * size + np.searchsorted(values, self.other)
        groups = int(self.group.max(initial=-1)) + 1
        cells = np.bincount(self.group * size**2 + codes, minlength=groups * size**2)
        group_counts = cells.reshape(groups, size, size)
        whole = group_counts.sum(axis=0)
        return np.concatenate([whole[np.newaxis], whole - group_counts]).astype(np.float64)


def interval_by_t(mean: Mean) -> tuple[float, float]:
    """95 % interval of a mean by Student's t; NaN without an error."""
    from scipy.special import stdtrit

    if not (mean.error > 0 and mean.units > 1):
        return math.nan, math.nan
    half = float(stdtrit(mean.units - 1, (1 + LEVEL) / 2)) * mean.error
    return mean.value - half, mean.value + half


def tested_mean(mean: Mean) -> Difference:
    """A difference of means with its interval and p-value by Student's t."""
    from scipy.special import stdtr

    low, high = interval_by_t(mean)
    p = math.nan if math.isnan(low) else 2 * float(stdtr(mean.units - 1, -abs(mean.value) / mean.error))
    return Difference(*map(np.asarray, (mean.value, low, high, p)))


def scaled(difference: Difference, exponent: int) -> Difference:
    """A difference times a power of two."""
    value, low, high = np.ldexp(np.stack(difference[:3]), exponent)
    return Difference(value, low, high, difference.p)


def closeness(difference: Floats, *, categories: bool) -> Floats:
    """1 for equal labels, and minus the size of the difference of measurements."""
    return (difference == 0).astype(np.float64) if categories else -np.abs(difference)


class RunConsistency(NamedTuple):
    """Repeated runs of a judge: pairs of them that are equal, or how far apart, and what pairs with people lack of it.

    excess: by how much runs agree more with each other than with people.
    """

    runs: int
    value: float
    low: float
    high: float
    excess: Difference


def run_consistency(
    ratings: Floats, groups: Groups, pairs: Pairs, *, categories: bool, exponent: int = 0
) -> RunConsistency | None:
    """How equal the runs of a judge are, and how much more equal than a run and a person are.

    ratings: of each run, (R, U). pairs: of a person and a run. exponent: ratings are divided by this power of two.
    """
    runs = Pairs.among(ratings, groups)
    if not runs.units:
        return None
    # On the units of which both are known.
    common = np.intersect1d(runs.unit, pairs.unit)
    samples = [sample.select(np.isin(sample.unit, common)) for sample in (runs, pairs)]
    clusters = int(max(pairs.cluster.max(initial=-1), runs.cluster.max())) + 1
    sums = [sample.sums(closeness(sample.one - sample.other, categories=categories), clusters) for sample in samples]
    present = sums[0][1] > 0
    (run_sums, size), (human_sums, size_of_people) = ((values[present], sizes[present]) for values, sizes in sums)
    excess = float(run_sums.sum() / size.sum() - human_sums.sum() / size_of_people.sum()) if present.any() else math.nan
    without = divide(run_sums.sum() - run_sums, size.sum() - size) - divide(
        human_sums.sum() - human_sums, size_of_people.sum() - size_of_people
    )
    error, units = jackknife_error(excess, without, size), effective_number(size) if present.any() else math.nan
    if categories:
        share = runs.share(runs.equal)
        value, low, high = share[:3]
        difference = Difference(*map(np.asarray, (math.nan,) * 4))
        if not math.isnan(error):
            bounded = Bounded.of(excess, error, lowest=-1.0, units=units)
            difference = Difference(*map(np.asarray, (excess, *bounded.interval(), bounded.p(0.0))))
    else:
        mean = runs.mean(np.abs(runs.one - runs.other))
        value, low, high = np.ldexp([mean.value, *interval_by_t(mean)], exponent).tolist()
        difference = scaled(tested_mean(Mean(excess, error, units)), exponent)
    return RunConsistency(len(ratings), value, low, high, difference)
