"""A judge against people: agreement, each class, groups of outputs, repeated runs, and judges against each other."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from metaeval.analyses.agreement.estimates import CORRELATIONS, Estimate, Statistic, estimate, widening
from metaeval.analyses.agreement.settings import Level
from metaeval.arrays import Bools, Floats
from metaeval.inference.pairs import Evidence, Order, compare_pairs
from metaeval.inference.parts import Parts, group_sums
from metaeval.measures.overall import matthews_correlation
from metaeval.stats.agreement import PairCoefficients, pair_coefficients
from metaeval.stats.differences import Limits, intraclass_correlations, limits_of_agreement
from metaeval.stats.intervals import Difference, difference_of_shares
from metaeval.stats.leave_out import Weights, alpha_without, gwet_without
from metaeval.stats.levels import adjusted_of_levels
from metaeval.stats.rater_pairs import (
    Groups,
    Mean,
    Pairs,
    RunConsistency,
    Share,
    closeness,
    interval_by_t,
    run_consistency,
    scaled,
    tested_mean,
)
from metaeval.stats.ratio import divide

SIGNS = 4999
"""Number of random signs of groups of units, for the tests of judges against each other."""

Words: TypeAlias = NDArray[np.str_]

RECALL = "recall "
"""Begins the names of statistics of groups that are the recall of a class."""

RELIABILITIES = ("icc(2,1)", "icc(2,k)", "icc(3,1)", "icc(3,k)")


class ClassAgreement(NamedTuple):
    """How many items of a class a judge finds, and how many of those that it says to be of the class are."""

    label: str
    recall: Share
    precision: Share
    human: int
    judge: int


class GroupStatistic(NamedTuple):
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


@dataclass(frozen=True)
class JudgeAgreement:
    """One judge against people.

    share: of pairs that are equal; None for measurements. classes: in the order of values; empty for measurements.
    limits, distance: of the judge's ratings less those of people, and their mean size; None and NaN for labels.
    exponent: see `Kind`.
    """

    name: str
    pairs: Pairs
    share: Share | None
    classes: tuple[ClassAgreement, ...]
    estimates: tuple[Estimate, ...]
    limits: Limits | None
    distance: float
    exponent: int
    groups: tuple[GroupStatistic, ...] = ()
    runs: RunConsistency | None = None


@dataclass(frozen=True)
class Against:
    """Judges against people. people: share of pairs of people who agree; None for one, and for measurements.

    letters: those that judges share who do not differ significantly; '' where it is not tested. common: units that all
    judges rated. adjusted: Holm-adjusted p-values of all groups of all judges.
    """

    judges: tuple[JudgeAgreement, ...]
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
    every = tuple(
        _compare_judge(name, ratings, humans, groups, kind=kind, parts=np.array(parts)) for name, ratings in judges
    )
    people = None
    if len(humans) > 1 and kind.categories:
        pairs = Pairs.among(humans, groups)
        people = pairs.share(pairs.equal)
    letters, common = _letters(humans, [ratings for _, ratings in judges], groups, kind, random)
    return Against(every, people, letters, common, _adjusted(every))


def _adjusted(judges: Sequence[JudgeAgreement]) -> Floats:
    """Holm-adjusted p-values of the differences of all groups."""
    rows = [(judge.name, statistic) for judge in judges for statistic in judge.groups]
    p = np.array([float(statistic.difference.p) for _, statistic in rows])
    return adjusted_of_levels(p, [(name, statistic.name) for name, statistic in rows])


def _compare_judge(
    name: str, ratings: Floats, humans: Floats, groups: Groups, kind: Kind, parts: Words
) -> JudgeAgreement:
    pairs = Pairs.of(humans, ratings, groups)
    differences = pairs.other - pairs.one
    shift, distance = pairs.mean(differences), pairs.mean(np.abs(differences))
    limits = limits_of_agreement(differences, error=shift.error, units=shift.units)
    return JudgeAgreement(
        name,
        pairs,
        share=pairs.share(pairs.equal) if kind.categories else None,
        classes=_classes(pairs, kind) if kind.categories else (),
        estimates=tuple(_estimates(pairs, kind)),
        limits=limits.times(kind.exponent) if kind.numeric else None,
        distance=float(np.ldexp(distance.value, kind.exponent)) if kind.numeric else math.nan,
        exponent=kind.exponent,
        groups=tuple(_group_statistics(pairs, kind, parts)) if len(parts) else (),
        runs=run_consistency(ratings, groups, pairs, categories=kind.categories, exponent=kind.exponent)
        if len(ratings) > 1
        else None,
    )


def _classes(pairs: Pairs, kind: Kind) -> tuple[ClassAgreement, ...]:
    """Recall and precision of each class."""
    classes = []
    for label, value in zip(kind.labels, kind.values.tolist(), strict=True):
        human, judge = pairs.one == value, pairs.other == value
        recall, precision = pairs.share(judge, human), pairs.share(human, judge)
        classes.append(ClassAgreement(label, recall, precision, int(human.sum()), int(judge.sum())))
    return tuple(classes)


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
    estimates = [estimate(statistic, ratings, group, wider=wider) for statistic in corrected]
    if kind.categories:
        estimates.append(_matthews(pairs, kind, everything))
    others = []
    if kind.categories:
        for name in weights:
            ac = partial(gwet_without, weights=name, values=kind.values)
            label = "gwet-ac1" if name == "none" else f"gwet-ac2:weights={name}"
            lowest = -1 / max(len(kind.values) - 1, 1) if name == "none" else -1.0
            others.append(Statistic(label, ac, everything, lowest))
    if kind.ordered:
        others += [Statistic(name, coefficients[name], everything) for name in CORRELATIONS]
    estimates += [estimate(statistic, ratings, group) for statistic in others]
    if kind.numeric:
        estimates += _reliabilities(pairs, ratings, everything)
    return estimates


def _matthews(pairs: Pairs, kind: Kind, everything: Bools) -> Estimate:
    """Matthews' correlation, whose denominator is hardly known where either side gives few other labels than most."""
    coefficients = matthews_correlation(pairs.counts(kind.values))
    statistic = Statistic("mcc", PairCoefficients(coefficients[:1], coefficients[1:]), everything)
    wider = max(widening(np.stack([side, side]), pairs.group) for side in (pairs.one, pairs.other))
    return estimate(statistic, np.stack([pairs.one, pairs.other]), pairs.group, wider=wider)


def _reliabilities(pairs: Pairs, ratings: Floats, everything: Bools) -> list[Estimate]:
    """Intraclass correlations: by F where every pair is independent, else by the jackknife over groups."""
    correlations = intraclass_correlations(ratings, pairs.group)
    independent = len(np.unique(pairs.cluster)) == len(pairs.cluster)
    estimates = []
    for name in RELIABILITIES:
        correlation = correlations[name]
        statistic = Statistic(name, PairCoefficients(np.array([correlation.value]), correlation.without), everything)
        by_groups = estimate(statistic, ratings, pairs.group)
        if independent:
            by_groups = replace(by_groups, value=correlation.value, low=correlation.low, high=correlation.high)
        estimates.append(by_groups)
    return estimates


def _group_statistics(pairs: Pairs, kind: Kind, parts: Words) -> list[GroupStatistic]:
    """Agreement, recall of two classes, and shift in each group of outputs, each less that of all others."""
    part_of_pair = parts[pairs.unit]
    statistics = []
    shares = [("agreement", pairs.equal, pairs.one == pairs.one)] if kind.categories else []
    if len(kind.labels) == 2:
        classes = zip(kind.labels, kind.values.tolist(), strict=True)
        shares += [(f"{RECALL}{label}", pairs.other == value, pairs.one == value) for label, value in classes]
    for part in [name for name in dict.fromkeys(parts.tolist()) if name]:
        inside = part_of_pair == part
        outside = ~inside & (part_of_pair != "")
        for name, hits, among in shares:
            share, other = pairs.share(hits, among & inside), pairs.share(hits, among & outside)
            difference = difference_of_shares(
                *(np.array(number) for number in (share.value, share.number, other.value, other.number))
            )
            statistics.append(GroupStatistic(name, part, share.units, *share[:3], difference))
        if kind.numeric:
            statistics.append(_shift(pairs, part, inside, outside, kind.exponent))
    return statistics


def _shift(pairs: Pairs, part: str, inside: Bools, outside: Bools, exponent: int) -> GroupStatistic:
    """How much higher the judge's ratings are than those of people in a group, and the difference from the others."""
    shift, rest = (group.mean(group.other - group.one) for group in (pairs.select(inside), pairs.select(outside)))
    low, high = interval_by_t(shift)
    variances = np.array([shift.error, rest.error]) ** 2
    # The degrees of freedom of Welch and Satterthwaite.
    freedom = variances.sum() ** 2 / (variances**2 / np.maximum([shift.units - 1, rest.units - 1], 1e-9)).sum()
    difference = Mean(shift.value - rest.value, float(np.sqrt(variances.sum())), freedom + 1)
    units, test = pairs.select(inside).units, tested_mean(difference)
    value, low, high = np.ldexp([shift.value, low, high], exponent).tolist()
    return GroupStatistic("shift", part, units, value=value, low=low, high=high, difference=scaled(test, exponent))


def _letters(
    humans: Floats, judges: Sequence[Floats], groups: Groups, kind: Kind, random: np.random.Generator
) -> tuple[tuple[str, ...], int]:
    """Letters of judges by their agreement with people on the units that all of them rated, and the number of these."""
    if len(judges) < 2:
        return ("",) * len(judges), 0
    by_judge: list[Floats] = []
    for ratings in judges:
        differences = humans[:, np.newaxis] - ratings
        scores, is_rated = closeness(differences, categories=kind.categories), ~np.isnan(differences)
        by_judge.append(divide(np.where(is_rated, scores, 0.0).sum(axis=(0, 1)), is_rated.sum(axis=(0, 1))))
    values = np.stack(by_judge)
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
