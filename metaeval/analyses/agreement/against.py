"""A judge against people: agreement, each class, groups of outputs, repeated runs, and judges against each other."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property, partial
from itertools import combinations
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from metaeval.analyses.agreement.estimates import CORRELATIONS, Estimate, Statistic, estimate, widening
from metaeval.analyses.agreement.settings import Level
from metaeval.arrays import Bools, Floats, Indices
from metaeval.inference.pairs import Evidence, Order, compare_pairs
from metaeval.inference.parts import Parts, group_sums
from metaeval.measures.overall import matthews_correlation
from metaeval.stats.agreement import PairCoefficients, Weights, alpha_without, gwet_without, pair_coefficients
from metaeval.stats.correlation_tests import holm
from metaeval.stats.differences import Limits, intraclass_correlations, limits_of_agreement
from metaeval.stats.intervals import (
    LEVEL,
    Bounded,
    Difference,
    difference_of_shares,
    effective_share,
    jackknife_error,
    wilson_interval,
)
from metaeval.stats.ratio import divide, effective_number

SIGNS = 4999
"""Number of random signs of groups of units, for the tests of judges against each other."""

Groups: TypeAlias = tuple[Indices, Indices]
"""The cluster of each unit, and its group of whole clusters, (U,)."""

Words: TypeAlias = NDArray[np.str_]

RECALL = "recall "
"""Begins the names of statistics of groups that are the recall of a class."""

RELIABILITIES = ("icc(2,1)", "icc(2,k)", "icc(3,1)", "icc(3,k)")


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
        return cls(one[first, unit], other[second, unit], unit, *(each[unit] for each in groups))

    @classmethod
    def among(cls, ratings: Floats, groups: Groups) -> Pairs:
        """The pairs of the same raters, (A, U)."""
        every = [
            cls.of(ratings[[one]], ratings[[other]], groups) for one, other in combinations(range(len(ratings)), 2)
        ]
        return cls(*(np.concatenate([getattr(pairs, each.name) for pairs in every]) for each in fields(cls)))

    def select(self, chosen: Bools) -> Pairs:
        """Some of the pairs."""
        return Pairs(*(getattr(self, each.name)[chosen] for each in fields(self)))

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
        some = np.ones(len(self.one), dtype=np.bool_) if among is None else among
        if not some.any():
            return Share(math.nan, math.nan, math.nan, 0, math.nan)
        sizes = np.bincount(self.cluster[some])
        value, number = effective_share(np.bincount(self.cluster[some & hits], minlength=len(sizes)), sizes)
        # A single unit is no cluster.
        number = np.asarray(1.0) if some.sum() == 1 else number
        low, high = wilson_interval(value, number)
        units = len(np.unique(self.unit[some]))
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
        of_groups = cells.reshape(groups, size, size)
        whole = of_groups.sum(axis=0)
        return np.concatenate([whole[np.newaxis], whole - of_groups]).astype(np.float64)


class OfClass(NamedTuple):
    """How many items of a class a judge finds, and how many of those that it says to be of the class are."""

    label: str
    recall: Share
    precision: Share
    human: int
    judge: int


class OfGroup(NamedTuple):
    """A statistic in a group of outputs, and its difference from all others.

    name: agreement, recall and a class, or shift.
    """

    name: str
    group: str
    units: int
    value: float
    low: float
    high: float
    difference: Difference


class OfRuns(NamedTuple):
    """Repeated runs of a judge: pairs of them that are equal, or how far apart, and what pairs with people lack of it.

    excess: by how much runs agree more with each other than with people.
    """

    runs: int
    value: float
    low: float
    high: float
    excess: Difference


@dataclass(frozen=True)
class Judged:
    """One judge against people.

    share: of pairs that are equal; None for measurements. classes: in the order of values; empty for measurements.
    limits, distance: of the judge's ratings less those of people, and their mean size; None and NaN for labels.
    exponent: see `Kind`.
    """

    name: str
    pairs: Pairs
    share: Share | None
    classes: tuple[OfClass, ...]
    estimates: tuple[Estimate, ...]
    limits: Limits | None
    distance: float
    exponent: int
    groups: tuple[OfGroup, ...] = ()
    runs: OfRuns | None = None


@dataclass(frozen=True)
class Against:
    """Judges against people. people: share of pairs of people who agree; None for one, and for measurements.

    letters: those that judges share who do not differ significantly; '' where it is not tested. common: units that all
    judges rated. adjusted: Holm-adjusted p-values of all groups of all judges.
    """

    judges: tuple[Judged, ...]
    people: Share | None
    letters: tuple[str, ...]
    common: int
    adjusted: Floats


@dataclass(frozen=True)
class Kind:
    """What ratings are.

    values: those that occur or are declared. labels: their names; empty for measurements. exponent: ratings and values
    are divided by this power of two. categories: whether they are labels or whole numbers. ordered, numeric:
    whether they have an order, and are numbers. levels: of alpha.
    """

    values: Floats
    labels: tuple[str, ...]
    exponent: int
    categories: bool
    ordered: bool
    numeric: bool
    levels: tuple[Level, ...]


def compare(
    humans: Floats,
    judges: Sequence[tuple[str, Floats]],
    groups: Groups,
    kind: Kind,
    parts: Sequence[str],
    random: np.random.Generator,
) -> Against:
    """Compare judges with people.

    humans: (A, U). judges: names, and the ratings of all runs of each, (R, U). parts: the group of outputs of each
    unit, '' without one; empty without groups.
    """
    every = tuple(_judged(name, ratings, humans, groups, kind=kind, parts=np.array(parts)) for name, ratings in judges)
    people = None
    if len(humans) > 1 and kind.categories:
        pairs = Pairs.among(humans, groups)
        people = pairs.share(pairs.equal)
    letters, common = _letters(humans, [ratings for _, ratings in judges], groups, kind, random)
    return Against(every, people, letters, common, _adjusted(every))


def _adjusted(judges: Sequence[Judged]) -> Floats:
    """Holm-adjusted p-values of the differences of all groups; two groups have one difference."""
    rows = [one for judged in judges for one in judged.groups]
    groups = list(dict.fromkeys(one.group for one in rows))
    p = np.array([float(one.difference.p) for one in rows])
    if len(groups) != 2:
        return holm(p)
    last = np.array([one.group == groups[1] for one in rows])
    adjusted = np.empty(len(p))
    adjusted[~last] = adjusted[last] = holm(p[~last])
    return adjusted


def _judged(name: str, ratings: Floats, humans: Floats, groups: Groups, kind: Kind, parts: Words) -> Judged:
    pairs = Pairs.of(humans, ratings, groups)
    differences = pairs.other - pairs.one
    shift, distance = pairs.mean(differences), pairs.mean(np.abs(differences))
    limits = limits_of_agreement(differences, error=shift.error, units=shift.units)
    return Judged(
        name,
        pairs,
        share=pairs.share(pairs.equal) if kind.categories else None,
        classes=_classes(pairs, kind) if kind.categories else (),
        estimates=tuple(_estimates(pairs, kind)),
        limits=limits.times(kind.exponent) if kind.numeric else None,
        distance=float(np.ldexp(distance.value, kind.exponent)) if kind.numeric else math.nan,
        exponent=kind.exponent,
        groups=tuple(_of_groups(pairs, kind, parts)) if len(parts) else (),
        runs=_of_runs(ratings, pairs, groups, kind) if len(ratings) > 1 else None,
    )


def _classes(pairs: Pairs, kind: Kind) -> tuple[OfClass, ...]:
    """Recall and precision of each class."""
    found = []
    for label, value in zip(kind.labels, kind.values.tolist(), strict=True):
        human, judge = pairs.one == value, pairs.other == value
        recall, precision = pairs.share(judge, human), pairs.share(human, judge)
        found.append(OfClass(label, recall, precision, int(human.sum()), int(judge.sum())))
    return tuple(found)


def _estimates(pairs: Pairs, kind: Kind) -> list[Estimate]:
    """Statistics of agreement with their intervals, for units that vary in groups."""
    ratings, group = np.stack([pairs.one, pairs.other]), pairs.group
    everything = np.ones(len(group), dtype=np.bool_)
    if pairs.units < 2 or len(np.unique(group)) < 2:
        return []
    weights: tuple[Weights, ...] = ("none", "linear", "quadratic") if kind.ordered else ("none",)
    names = [*(weights if kind.categories else []), *(CORRELATIONS if kind.ordered else [])]
    coefficients = pair_coefficients(ratings, names, group)
    corrected = [
        Statistic(f"alpha:level={level}", partial(alpha_without, level=level), everything) for level in kind.levels
    ]
    if kind.categories:
        corrected += [Statistic(f"cohen:weights={name}", coefficients[name], everything) for name in weights]
    wider = widening(ratings, group)
    found = [estimate(each, ratings, group, wider=wider) for each in corrected]
    if kind.categories:
        found.append(_matthews(pairs, kind, everything))
    others = []
    if kind.categories:
        for name in weights:
            ac = partial(gwet_without, weights=name, values=kind.values)
            label = "gwet-ac1" if name == "none" else f"gwet-ac2:weights={name}"
            lowest = -1 / max(len(kind.values) - 1, 1) if name == "none" else -1.0
            others.append(Statistic(label, ac, everything, lowest))
    if kind.ordered:
        others += [Statistic(name, coefficients[name], everything) for name in CORRELATIONS]
    found += [estimate(each, ratings, group) for each in others]
    if kind.numeric:
        found += _reliabilities(pairs, ratings, everything)
    return found


def _matthews(pairs: Pairs, kind: Kind, everything: Bools) -> Estimate:
    """Matthews' correlation, whose denominator is hardly known where either side gives few other labels than most."""
    of_mcc = matthews_correlation(pairs.counts(kind.values))
    statistic = Statistic("mcc", PairCoefficients(of_mcc[:1], of_mcc[1:]), everything)
    wider = max(widening(np.stack([side, side]), pairs.group) for side in (pairs.one, pairs.other))
    return estimate(statistic, np.stack([pairs.one, pairs.other]), pairs.group, wider=wider)


def _reliabilities(pairs: Pairs, ratings: Floats, everything: Bools) -> list[Estimate]:
    """Intraclass correlations: by F where every pair is independent, else by the jackknife over groups."""
    found = intraclass_correlations(ratings, pairs.group)
    independent = len(np.unique(pairs.cluster)) == len(pairs.cluster)
    estimates = []
    for name in RELIABILITIES:
        one = found[name]
        statistic = Statistic(name, PairCoefficients(np.array([one.value]), one.without), everything)
        by_groups = estimate(statistic, ratings, pairs.group)
        if independent:
            by_groups = replace(by_groups, value=one.value, low=one.low, high=one.high)
        estimates.append(by_groups)
    return estimates


def _of_groups(pairs: Pairs, kind: Kind, parts: Words) -> list[OfGroup]:
    """Agreement, recall of two classes, and shift in each group of outputs, each less that of all others."""
    part_of_pair = parts[pairs.unit]
    found = []
    shares = [("agreement", pairs.equal, pairs.one == pairs.one)] if kind.categories else []
    if len(kind.labels) == 2:
        of_classes = zip(kind.labels, kind.values.tolist(), strict=True)
        shares += [(f"{RECALL}{label}", pairs.other == value, pairs.one == value) for label, value in of_classes]
    for part in [name for name in dict.fromkeys(parts.tolist()) if name]:
        inside = part_of_pair == part
        outside = ~inside & (part_of_pair != "")
        for name, hits, among in shares:
            share, other = pairs.share(hits, among & inside), pairs.share(hits, among & outside)
            difference = difference_of_shares(
                *(np.array(each) for each in (share.value, share.number, other.value, other.number))
            )
            found.append(OfGroup(name, part, share.units, *share[:3], difference))
        if kind.numeric:
            found.append(_shift(pairs, part, inside, outside, kind.exponent))
    return found


def _shift(pairs: Pairs, part: str, inside: Bools, outside: Bools, exponent: int) -> OfGroup:
    """How much higher the judge's ratings are than those of people in a group, and the difference from the others."""
    some, others = (chosen.mean(chosen.other - chosen.one) for chosen in (pairs.select(inside), pairs.select(outside)))
    low, high = _by_t(some)
    variances = np.array([some.error, others.error]) ** 2
    # The degrees of freedom of Welch and Satterthwaite.
    freedom = variances.sum() ** 2 / (variances**2 / np.maximum([some.units - 1, others.units - 1], 1e-9)).sum()
    both = Mean(some.value - others.value, float(np.sqrt(variances.sum())), freedom + 1)
    units, tested = pairs.select(inside).units, _tested(both)
    value, low, high = np.ldexp([some.value, low, high], exponent).tolist()
    return OfGroup("shift", part, units, value=value, low=low, high=high, difference=_times(tested, exponent))


def _times(difference: Difference, exponent: int) -> Difference:
    """A difference times a power of two."""
    value, low, high = np.ldexp(np.stack(difference[:3]), exponent)
    return Difference(value, low, high, difference.p)


def _by_t(mean: Mean) -> tuple[float, float]:
    """95 % interval of a mean by Student's t; NaN without an error."""
    from scipy.special import stdtrit

    if not (mean.error > 0 and mean.units > 1):
        return math.nan, math.nan
    half = float(stdtrit(mean.units - 1, (1 + LEVEL) / 2)) * mean.error
    return mean.value - half, mean.value + half


def _tested(mean: Mean) -> Difference:
    """A difference of means with its interval and p-value by Student's t."""
    from scipy.special import stdtr

    low, high = _by_t(mean)
    p = math.nan if math.isnan(low) else 2 * float(stdtr(mean.units - 1, -abs(mean.value) / mean.error))
    return Difference(*map(np.asarray, (mean.value, low, high, p)))


def _of_runs(ratings: Floats, pairs: Pairs, groups: Groups, kind: Kind) -> OfRuns | None:
    """How equal the runs of a judge are, (R, U), and how much more equal than a run and a person are."""
    runs = Pairs.among(ratings, groups)
    if not runs.units:
        return None
    # On the units of which both are known.
    common = np.intersect1d(runs.unit, pairs.unit)
    some = [each.select(np.isin(each.unit, common)) for each in (runs, pairs)]
    clusters = int(pairs.cluster.max()) + 1
    sums = [each.sums(_closeness(each.one - each.other, kind), clusters) for each in some]
    known = sums[0][1] > 0
    (of_runs, size), (of_people, size_of_people) = ((values[known], sizes[known]) for values, sizes in sums)
    excess = float(of_runs.sum() / size.sum() - of_people.sum() / size_of_people.sum()) if known.any() else math.nan
    without = divide(of_runs.sum() - of_runs, size.sum() - size) - divide(
        of_people.sum() - of_people, size_of_people.sum() - size_of_people
    )
    error, units = jackknife_error(excess, without, size), effective_number(size)
    if kind.categories:
        share = runs.share(runs.equal)
        value, low, high = share[:3]
        difference = Difference(*map(np.asarray, (math.nan,) * 4))
        if not math.isnan(error):
            bounded = Bounded.of(excess, error, lowest=-1.0, units=units)
            difference = Difference(*map(np.asarray, (excess, *bounded.interval(), bounded.p(0.0))))
    else:
        mean = runs.mean(np.abs(runs.one - runs.other))
        value, low, high = np.ldexp([mean.value, *_by_t(mean)], kind.exponent).tolist()
        difference = _times(_tested(Mean(excess, error, units)), kind.exponent)
    return OfRuns(len(ratings), value, low, high, difference)


def _closeness(difference: Floats, kind: Kind) -> Floats:
    """1 for equal labels, and minus the size of the difference of measurements."""
    return (difference == 0).astype(np.float64) if kind.categories else -np.abs(difference)


def _letters(
    humans: Floats, judges: Sequence[Floats], groups: Groups, kind: Kind, random: np.random.Generator
) -> tuple[tuple[str, ...], int]:
    """Letters of judges by their agreement with people on the units that all of them rated, and the number of these."""
    if len(judges) < 2:
        return ("",) * len(judges), 0
    closeness = []
    for ratings in judges:
        apart = humans[:, np.newaxis] - ratings
        each, known = _closeness(apart, kind), ~np.isnan(apart)
        closeness.append(divide(np.where(known, each, 0.0).sum(axis=(0, 1)), known.sum(axis=(0, 1))))
    values = np.stack(closeness)
    common = ~np.isnan(values).any(axis=0)
    _, codes = np.unique(groups[1][common], return_inverse=True)
    if not len(codes) or codes.max() < 1:
        return ("",) * len(judges), int(common.sum())
    values = values[:, common]
    parts = group_sums(values, codes, int(codes.max()) + 1)
    sizes = np.bincount(codes).astype(np.float64)
    evidence = Evidence.draw([Parts(values.mean(axis=1), parts, sizes)], random, SIGNS)
    order = Order.of(values.mean(axis=1), compare_pairs(evidence), evidence.defined)
    return tuple(order.letters), int(common.sum())
