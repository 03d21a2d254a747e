"""Means of a population of which a judge scores all items and people some, with their intervals.

Every estimator is a function of sums over items, so that its values without each group of items, of which the jackknife
takes the variance, come from the sums less those of the group. Items are in cells by what the judge says of them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

from metaeval.arrays import Bools, Floats, Indices
from metaeval.stats.intervals import LEVEL, Interval, last_inside
from metaeval.stats.ratio import divide


class Sums(NamedTuple):
    """Sums over the items of S systems in H cells, at least two, (H, S), or over those of each of G groups, (G, H, S).

    items: number of items. labels: of those that people scored; judge, human, both, squares: sums of the scores of the
    judge f and of people y on them, of f y and of y². judge_all, squares_all: sums of f and f² over all items.
    """

    items: Floats
    labels: Floats
    judge: Floats
    human: Floats
    both: Floats
    squares: Floats
    judge_all: Floats
    squares_all: Floats

    @classmethod
    def of(cls, judge: Floats, human: Floats, cells: Indices, groups: Indices) -> Sums:
        """The sums of groups; judge, human: scores, NaN where missing, (S, N). cells: (S, N). groups: (N,)."""
        has_score, labelled = ~np.isnan(judge), ~np.isnan(human)
        number, height = int(groups.max()) + 1, max(int(cells.max()) + 1, 2)

        def sums(values: Floats) -> Floats:
            rows = [
                np.bincount(groups * height + cell, weights=row.astype(np.float64), minlength=number * height)
                for row, cell in zip(values, cells, strict=True)
            ]
            return np.asarray(np.stack(rows, axis=1).reshape(number, height, len(judge)), dtype=np.float64)

        every, y = np.where(has_score, judge, 0.0), np.where(labelled, human, 0.0)
        f = np.where(labelled, every, 0.0)
        return cls(*map(sums, (has_score, labelled, f, y, f * y, y**2, every, every**2)))

    @property
    def total(self) -> Sums:
        """The sums over all groups."""
        return Sums(*(sums.sum(axis=0) for sums in self))

    @property
    def pooled(self) -> Sums:
        """The sums over all cells, as of one."""
        return Sums(*(sums.sum(axis=-2, keepdims=True) for sums in self))

    def without_each(self, total: Sums) -> Sums:
        """The sums over all groups but each one."""
        return Sums(*(whole - part for whole, part in zip(total, self, strict=True)))

    @property
    def means(self) -> Floats:
        """The mean of the human scores of each cell, (..., H, S); that of all cells for one without any."""
        every = human_mean(self)[..., np.newaxis, :]
        return np.where(self.labels > 0, divide(self.human, self.labels), every)

    @property
    def shares(self) -> Floats:
        """The share of the items that each cell has, (..., H, S)."""
        return divide(self.items, self.items.sum(axis=-2, keepdims=True))


Estimator = Callable[[Sums], Floats]

ROUNDING = 1e-12
"""Share of a variance below which it is rounding."""


def judge_mean(sums: Sums) -> Floats:
    """The mean of the judge's scores of all items."""
    return divide(sums.judge_all.sum(axis=-2), sums.items.sum(axis=-2))


def human_mean(sums: Sums) -> Floats:
    """The mean of the human scores."""
    return divide(sums.human.sum(axis=-2), sums.labels.sum(axis=-2))


def stratified_mean(sums: Sums) -> Floats:
    """The mean of the human scores, in which each cell of the judge's scores has its share of all items.

    For two classes it is prediction-powered inference with the best λ, and holds whichever verdicts people looked at.
    """
    return np.asarray((sums.shares * sums.means).sum(axis=-2))


def powered_mean(sums: Sums) -> Floats:
    """The mean by prediction-powered inference: that of people, plus what the judge says of all items beyond theirs."""
    slope, _ = _slope(sums.pooled)
    labelled_mean = divide(sums.judge.sum(axis=-2), sums.labels.sum(axis=-2))
    return np.asarray(human_mean(sums) + slope * (judge_mean(sums) - labelled_mean))


def judge_weight(sums: Sums) -> Floats:
    """The weight λ of the judge (Angelopoulos et al. 2023, PPI++), from 0 to 1.

    Of scores in units of their standard deviations, so that it depends on no scale.
    """
    _, weight = _slope(sums.pooled)
    others = 1 - divide(sums.labels.sum(axis=-2), sums.items.sum(axis=-2))
    return np.asarray(weight * others)


def explained_variance(sums: Sums) -> Floats:
    """The part of the variance of `powered_mean` that more human scores of so many items do not lower."""
    pooled = sums.pooled
    slope, _ = _slope(pooled)
    variance = _variance(pooled.judge_all, pooled.squares_all, pooled.items) / pooled.items
    return np.asarray(slope**2 * variance[..., 0, :])


def _slope(pooled: Sums) -> tuple[Floats, Floats]:
    """Cov(f, y) / Var(f), and the same of scores in units of their deviations, which is kept within 0 and 1."""
    covariance = divide(
        pooled.both - divide(pooled.judge * pooled.human, pooled.labels, undefined=0.0), pooled.labels - 1
    )
    judge = np.sqrt(_variance(pooled.judge_all, pooled.squares_all, pooled.items))
    human = np.sqrt(_variance(pooled.human, pooled.squares, pooled.labels))
    weight = np.minimum(divide(covariance, judge * human, undefined=0.0), 1)
    weight = np.where(weight > ROUNDING, weight, 0.0)
    slope = weight * divide(human, judge, undefined=0.0)
    return slope[..., 0, :], weight[..., 0, :]


def _variance(total: Floats, squares: Floats, number: Floats) -> Floats:
    spread = squares - divide(total**2, number, undefined=0.0)
    # Less is rounding: the scores do not vary.
    return np.where(spread > ROUNDING * squares, divide(spread, number - 1, undefined=0.0), 0.0)


class Rates(NamedTuple):
    """Of a judge of two classes, (..., S): how often it says 1 of items of class 1, of class 0, and of all.

    ones, zeros: labels of each class. items: number of items.
    """

    sensitivity: Floats
    false_alarms: Floats
    positive: Floats
    ones: Floats
    zeros: Floats
    items: Floats

    @classmethod
    def of(cls, sums: Sums) -> Rates:
        """From the sums of cells, of which the second has the items of which the judge says 1."""
        ones, labels = sums.human.sum(axis=-2), sums.labels.sum(axis=-2)
        hits, positives = sums.human[..., 1, :], sums.labels[..., 1, :]
        items = sums.items.sum(axis=-2)
        return cls(
            divide(hits, ones),
            divide(positives - hits, labels - ones),
            divide(sums.items[..., 1, :], items),
            ones,
            labels - ones,
            items,
        )

    @property
    def skill(self) -> Floats:
        """Youden's J: sensitivity + specificity − 1."""
        return self.sensitivity - self.false_alarms

    def coefficients(self, share: Floats) -> tuple[Floats, Floats]:
        """How much an error of the sensitivity, and of the false alarms, matters if this is the share of class 1.

        The labelled items are some of all, so that their part of the class needs no correction.
        """
        return share - self.ones / self.items, 1 - share - self.zeros / self.items


def rogan_gladen_mean(sums: Sums) -> Floats:
    """The share of class 1 among all items from what the judge says, (p − q₀) / (q₁ − q₀) (Rogan & Gladen 1978).

    p: share of which it says 1; q₁, q₀: the same of labelled items of class 1 and 0. With labels of all items it is
    the share of people.
    """
    rates = Rates.of(sums)
    return divide(rates.positive - rates.false_alarms, rates.skill)


def share_limits(share: Floats, number: Floats) -> Interval:
    """95 % interval of a share of independent units, halfway between those of Jeffreys and of Clopper and Pearson.

    The former covers too seldom near 0 and 1, the latter too often. number: of units; from 0 to 1 for none.

    >>> low, high = share_limits(np.array([0.0, 0.5]), np.array([20.0, 20.0]))
    >>> low.round(3).tolist(), high.round(3).tolist()
    ([0.0, 0.283], [0.144, 0.717])
    """
    from scipy.special import betaincinv

    tail, hits = (1 - LEVEL) / 2, share * number
    misses = number - hits
    low = betaincinv(np.maximum(hits, 0) + 0.25, misses + 0.75, tail)
    high = betaincinv(np.maximum(hits, 0) + 0.75, misses + 0.25, 1 - tail)
    tolerance = 1e-9 * np.maximum(number, 1)
    low, high = np.where(hits > tolerance, low, 0.0), np.where(misses > tolerance, high, 1.0)
    low, high = (np.where(number == 0, end, limit) for end, limit in ((0.0, low), (1.0, high)))
    # NaN for a number that is not known.
    return np.minimum(low, share) + 0 * number, np.maximum(high, share) + 0 * number


class Limits(NamedTuple):
    """An interval of each system, (S,), and the part of its width that more human scores do not lower."""

    low: Floats
    high: Floats
    fixed: Floats

    @property
    def width(self) -> Floats:
        """Its width."""
        return self.high - self.low


def units_per_label(total: Sums) -> Floats:
    """How many units with a share of 0 or 1 vary as much as a human score from 0 to 1, in each cell, (H, S).

    1 for two classes; more for ties, which vary less. Half a score of 0 and of 1 are added.
    """
    number = total.labels + 1
    mean, square = (total.human + 0.5) / number, (total.squares + 0.5) / number
    return np.asarray(mean * (1 - mean) / (square - mean**2))


class DesignEffects(NamedTuple):
    """How many labels, and how many items, in clusters know as much as one alone, (S,): design effects."""

    labels: Floats | float = 1.0
    items: Floats | float = 1.0


INDEPENDENT = DesignEffects()
"""Of items that are no clusters."""


class Deviations(NamedTuple):
    """What each group adds to the error of an estimate by its labels and by its items, (G, S).

    labels_alone, items_alone: variances of both if all items were independent, (S,).
    """

    labels: Floats
    items: Floats
    labels_alone: Floats
    items_alone: Floats

    @classmethod
    def stratified(cls, sums: Sums) -> Deviations:
        """Of `stratified_mean`."""
        total = sums.total
        weights, means, value = total.shares, total.means, stratified_mean(total)
        number = np.maximum(total.labels, 1)
        alone = means * (1 - means) / (number * units_per_label(total))
        every = total.items.sum(axis=-2)
        return cls(
            (weights / number * (sums.human - means * sums.labels)).sum(axis=-2),
            ((means - value) * sums.items).sum(axis=-2) / every,
            (weights**2 * alone).sum(axis=-2),
            (weights * (means - value) ** 2).sum(axis=-2) / every,
        )

    @classmethod
    def rogan_gladen(cls, sums: Sums) -> Deviations:
        """Of `rogan_gladen_mean`."""
        total, pooled = sums.total, sums.pooled
        rates = Rates.of(total)
        ones_weight, zeros_weight = rates.coefficients(np.clip(rogan_gladen_mean(total), 0, 1))
        ones, skill = pooled.human[:, 0], np.maximum(rates.skill, 1e-9)
        hits, alarms = sums.human[:, 1], sums.labels[:, 1] - sums.human[:, 1]
        ones_weight, zeros_weight = ones_weight / rates.ones, zeros_weight / rates.zeros
        spread = [rate * (1 - rate) for rate in (rates.sensitivity, rates.false_alarms, rates.positive)]
        return cls(
            ones_weight * (hits - rates.sensitivity * ones)
            + zeros_weight * (alarms - rates.false_alarms * (pooled.labels[:, 0] - ones)) / skill,
            (sums.items[:, 1] - rates.positive * pooled.items[:, 0]) / rates.items / skill,
            (ones_weight**2 * spread[0] * rates.ones + zeros_weight**2 * spread[1] * rates.zeros) / skill**2,
            spread[2] / rates.items / skill**2,
        )

    def effects(self, variance: Floats, label_effect: Floats, factor: Floats) -> DesignEffects:
        """The design effects, at least 1.

        variance: that of the estimate by the jackknife, which knows whether errors of labels and of items go together.
        label_effect: where labels do not vary. factor: for few clusters with labels.
        """
        by_labels, by_items = ((deviations**2).sum(axis=0) for deviations in (self.labels, self.items))
        together = np.maximum(divide(variance, by_labels + by_items, undefined=1.0), 1.0)
        labels, items = (
            np.maximum(divide(by_cluster, alone, undefined=1.0), 1.0)
            for by_cluster, alone in ((by_labels, self.labels_alone), (by_items, self.items_alone))
        )
        labels = np.where(by_labels > 0, labels, label_effect)
        return DesignEffects(labels * together * factor, items * together)


def stratified_limits(total: Sums, effects: DesignEffects = INDEPENDENT) -> Limits:
    """The interval of `stratified_mean` of scores from 0 to 1, from those of cells (Zou & Donner 2008).

    Squares of the distances from the mean to the ends add up.
    """
    weights, means, value = total.shares, total.means, stratified_mean(total)
    low, high = share_limits(means, total.labels * units_per_label(total) / effects.labels)
    between = (weights * (means - value) ** 2).sum(axis=-2)
    # How much of the classes the cells know, for so many items.
    number = divide(value * (1 - value), between, undefined=np.inf) * total.items.sum(axis=-2) / effects.items
    finite = between > ROUNDING * value * (1 - value)
    ends = [np.where(finite, end, value) for end in share_limits(value, np.where(finite, number, 1.0))]
    below = (weights**2 * (means - low) ** 2).sum(axis=-2) + (value - ends[0]) ** 2
    above = (weights**2 * (high - means) ** 2).sum(axis=-2) + (ends[1] - value) ** 2
    return Limits(np.maximum(value - np.sqrt(below), 0.0), np.minimum(value + np.sqrt(above), 1.0), ends[1] - ends[0])


def rogan_gladen_limits(total: Sums, effects: DesignEffects = INDEPENDENT) -> Limits:
    """The interval of `rogan_gladen_mean`: the shares t at which p − t q₁ − (1 − t) q₀ is 0 but for errors.

    As of Fieller (1954), so that it is within 0 and 1 and wide for a judge that knows little; the distance of each rate
    from the ends of its interval is its error. NaN if there is no such share: the estimate is outside 0 to 1 by more.
    """
    rates = Rates.of(total)
    intervals = [
        share_limits(rate, number)
        for rate, number in (
            (rates.sensitivity, rates.ones / effects.labels),
            (rates.false_alarms, rates.zeros / effects.labels),
            (rates.positive, rates.items / effects.items),
        )
    ]
    (low_one, high_one), (low_zero, high_zero), (low, high) = intervals
    value = np.clip(rogan_gladen_mean(total), 0, 1)

    def excludes(share: Floats, *, below: bool) -> Bools:
        """Whether a share is too low, or too high."""
        ones_weight, zeros_weight = rates.coefficients(share)
        gap = rates.positive - share * rates.sensitivity - (1 - share) * rates.false_alarms
        side = 1 if below else -1
        # The judge says 1 more often than at this share, by chance: its rates are higher than they seem.
        one = np.where(ones_weight * side > 0, high_one - rates.sensitivity, rates.sensitivity - low_one)
        zero = np.where(zeros_weight * side > 0, high_zero - rates.false_alarms, rates.false_alarms - low_zero)
        error = rates.positive - low if below else high - rates.positive
        return np.asarray(side * gap > np.sqrt(error**2 + (ones_weight * one) ** 2 + (zeros_weight * zero) ** 2))

    def includes(share: Floats, *, below: bool) -> Bools:
        return ~excludes(share, below=below)

    ends = []
    for below, limit in ((True, np.zeros_like(value)), (False, np.ones_like(value))):
        outside, inside = limit, np.where(excludes(limit, below=below), value, limit)
        ends.append(last_inside(inside, outside, partial(includes, below=below)))
    empty = excludes(value, below=True) | excludes(value, below=False)
    low_end, high_end = (np.where(empty, np.nan, end) for end in ends)
    return Limits(low_end, high_end, np.minimum(divide(high - low, rates.skill), high_end - low_end))


class Estimate(NamedTuple):
    """An estimate for S systems and its jackknife.

    value: (S,). influence: what each group adds to the deviation, the root of whose sum of squares is the standard
    error, (G, S); NaN where the estimate without a group is undefined. df: degrees of freedom, (S,).
    """

    value: Floats
    influence: Floats
    df: Floats

    @classmethod
    def of(cls, estimator: Estimator, sums: Sums) -> Estimate:
        """By leaving out each group; groups with and without labels are two strata. sums: of the groups."""
        total, pooled = sums.total, sums.pooled
        value = estimator(total)
        with_labels = pooled.labels[:, 0] > 0
        strata = (with_labels, ~with_labels & (pooled.items[:, 0] > 0))
        deviations = value - estimator(sums.without_each(total))
        factor = sum(mask * np.sqrt(divide(n - 1.0, n, undefined=0.0)) for mask in strata for n in [mask.sum(axis=0)])
        influence = np.where(strata[0] | strata[1], deviations, 0.0) * factor
        return cls(value, influence, with_labels.sum(axis=0) - 1.0)

    def where(self, mask: Bools, other: Estimate) -> Estimate:
        """For the systems of a mask, (S,), and another estimate for the rest."""
        return Estimate(*(np.where(mask, *both) for both in zip(self, other, strict=True)))

    @property
    def variance(self) -> Floats:
        """Its variance, (S,)."""
        return np.asarray((self.influence**2).sum(axis=0))

    def limits(self, fixed: Floats | float = 0.0) -> Limits:
        """A 95 % confidence interval by Student's t; NaN for fewer than two groups with labels, or no variance.

        fixed: variance that more human scores do not lower.
        """
        t, variance = quantile(self.df), np.where(self.variance > 0, self.variance, np.nan)
        half = t * np.sqrt(variance)
        return Limits(self.value - half, self.value + half, 2 * t * np.sqrt(np.minimum(fixed, variance)))


def quantile(df: Floats) -> Floats:
    """The two-sided 95 % quantile of Student's t; NaN below one degree of freedom."""
    from scipy.special import stdtrit

    return np.asarray(np.where(df >= 1, stdtrit(np.maximum(df, 1), (1 + LEVEL) / 2), np.nan))


def width_with(limits: Limits, labels: Floats, more: Floats | float) -> Floats:
    """The width of an interval of so many labels if there are `more`: its square is shared out among labels."""
    per_label = (limits.width**2 - limits.fixed**2) * labels
    return np.asarray(np.sqrt(per_label / (labels + more) + limits.fixed**2))


def labels_for(limits: Limits, labels: Floats, width: float) -> Floats:
    """The labels whose interval has this width, (S,): the inverse of `width_with`; NaN where no number is enough."""
    room = width**2 - limits.fixed**2
    per_label = (limits.width**2 - limits.fixed**2) * labels
    return np.where(room > 0, np.ceil(divide(per_label, room)), np.nan)
