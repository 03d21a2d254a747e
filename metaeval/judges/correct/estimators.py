"""Means of a population of which a judge scores all items and people some, from sums over groups of items.

Every estimator is a function of sums, so that its values without each group of items, of which the jackknife takes the
variance, come from the sums less those of the group.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from metaeval.stats.intervals import LEVEL
from metaeval.stats.ratio import divide

Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class Sums:
    """Sums over items of S systems, (S,), or over those of each of G groups, (G, S).

    labels: items that people scored; judge, human, both, squares: sums of the scores of the judge f and of people y on
    them, of f y and of f². others: items that people did not score; judge_others, squares_others: sums of f and f².
    """

    labels: Numbers
    judge: Numbers
    human: Numbers
    both: Numbers
    squares: Numbers
    others: Numbers
    judge_others: Numbers
    squares_others: Numbers

    @classmethod
    def of(cls, judge: Numbers, human: Numbers, groups: NDArray[np.intp], number: int) -> Sums:
        """The sums of groups; judge, human: scores, NaN where missing, (S, N). groups: of the items, from 0, (N,)."""
        labelled, other = ~np.isnan(human), ~np.isnan(judge) & np.isnan(human)

        def sums(values: Numbers) -> Numbers:
            rows = [np.bincount(groups, weights=row, minlength=number) for row in values]
            return np.stack(rows, axis=1)

        f, y, rest = np.where(labelled, judge, 0.0), np.where(labelled, human, 0.0), np.where(other, judge, 0.0)
        return cls(*map(sums, (labelled, f, y, f * y, f**2, other, rest, rest**2)))

    @property
    def total(self) -> Sums:
        """The sums over all groups."""
        return Sums(*(getattr(self, each.name).sum(axis=0) for each in fields(self)))

    def without_each(self, total: Sums) -> Sums:
        """The sums over all groups but each one."""
        return Sums(*(getattr(total, each.name) - getattr(self, each.name) for each in fields(self)))


Estimator = Callable[[Sums], Numbers]


def judge_mean(sums: Sums) -> Numbers:
    """The mean of the judge's scores of all items."""
    return divide(sums.judge + sums.judge_others, sums.labels + sums.others)


def human_mean(sums: Sums) -> Numbers:
    """The mean of the human scores."""
    return divide(sums.human, sums.labels)


def tuned_lambda(sums: Sums) -> Numbers:
    """The weight λ of the judge with the smallest variance of `powered_mean` (Angelopoulos et al. 2023, PPI++).

    Cov(f, y) / ((1 + n/N) Var(f)) with n labelled and N other items; 0 for a constant judge and without other items.
    """
    items = sums.labels + sums.others
    covariance = divide(sums.both - divide(sums.judge * sums.human, sums.labels, undefined=0.0), sums.labels - 1)
    f = sums.judge + sums.judge_others
    squares = sums.squares + sums.squares_others
    spread = squares - divide(f**2, items, undefined=0.0)
    # Less is rounding: the judge's scores do not vary.
    variance = np.where(spread > 1e-12 * squares, divide(spread, items - 1), 0.0)
    return divide(covariance * sums.others, variance * items, undefined=0.0)


def powered_mean(sums: Sums) -> Numbers:
    """The mean by prediction-powered inference: that of people, plus λ times what the judge says of the other items."""
    gap = sample_gap(sums)
    return np.asarray(human_mean(sums) - tuned_lambda(sums) * np.where(sums.others > 0, gap, 0.0))


def rogan_gladen(positive: Numbers, sensitivity: Numbers, specificity: Numbers) -> Numbers:
    """The share of a class from the share that a judge says, (p + q₀ − 1) / (q₀ + q₁ − 1) (Rogan & Gladen 1978).

    positive: share p that the judge says. sensitivity, specificity: q₁ and q₀.

    >>> rogan_gladen(np.array(0.4), np.array(0.9), np.array(0.7)).round(4).item()
    0.1667
    """
    return divide(positive + specificity - 1, sensitivity + specificity - 1)


def sensitivity(sums: Sums) -> Numbers:
    """The share of items of class 1 of which the judge says 1."""
    return divide(sums.both, sums.human)


def specificity(sums: Sums) -> Numbers:
    """The share of items of class 0 of which the judge says 0."""
    return 1 - divide(sums.judge - sums.both, sums.labels - sums.human)


def rogan_gladen_mean(sums: Sums) -> Numbers:
    """The share of class 1 by Rogan & Gladen: labelled items give q₀ and q₁, the others p.

    Without other items it is that of people.
    """
    positive = divide(sums.judge_others, sums.others)
    corrected = rogan_gladen(positive, sensitivity(sums), specificity(sums))
    return np.where(sums.others > 0, corrected, human_mean(sums))


def sample_gap(sums: Sums) -> Numbers:
    """The judge's mean on labelled items less that on the others."""
    return divide(sums.judge, sums.labels) - divide(sums.judge_others, sums.others)


def rogan_gladen_interval(sums: Sums) -> tuple[Numbers, Numbers]:
    """The 95 % interval of `rogan_gladen_mean` for independent items (Lee et al. 2025, after Lang & Reiczigel).

    A Wald interval with z²/2 added to the positive and negative answers on the other items, 1 to those on labelled
    items of each class, and a shift of its middle; all shares, if the judge is no better than chance with them. It
    reaches to the estimate, to which nothing is added.
    """
    from scipy.special import ndtri

    z = float(ndtri((1 + LEVEL) / 2))
    ones, zeros = sums.human, sums.labels - sums.human
    p, n = (sums.judge_others + z**2 / 2) / (sums.others + z**2), sums.others + z**2
    q1, q0 = (sums.both + 1) / (ones + 2), (zeros - (sums.judge - sums.both) + 1) / (zeros + 2)
    share = rogan_gladen(p, q1, q0)
    of_zeros, of_ones = q0 * (1 - q0) / (zeros + 2), q1 * (1 - q1) / (ones + 2)
    middle = share + 2 * z**2 * (share * of_ones - (1 - share) * of_zeros)
    variance = p * (1 - p) / n + (1 - share) ** 2 * of_zeros + share**2 * of_ones
    half, skilled = divide(z * np.sqrt(variance), q0 + q1 - 1), q0 + q1 - 1 > 1e-12
    low, high = (np.where(skilled, np.clip(middle + side * half, 0, 1), end) for side, end in ((-1, 0), (1, 1)))
    value = rogan_gladen_mean(sums)
    return np.fmin(low, value), np.fmax(high, value)


@dataclass(frozen=True)
class Estimate:
    """An estimate for S systems and its jackknife.

    value: (S,). influence: what each group adds to the deviation, the root of whose sum of squares is the standard
    error, (G, S); NaN where the estimate without a group is undefined. labelled: the part of the variance of groups
    with labels, (S,). df: degrees of freedom, (S,).
    """

    value: Numbers
    influence: Numbers
    labelled: Numbers
    df: Numbers

    @classmethod
    def of(cls, estimator: Estimator, sums: Sums) -> Estimate:
        """By leaving out each group; groups with and without labels are two strata. sums: of the groups."""
        total = sums.total
        value = estimator(total)
        with_labels = sums.labels > 0
        strata = (with_labels, ~with_labels & (sums.others > 0))
        deviations = value - estimator(sums.without_each(total))
        factor = sum(each * np.sqrt(divide(n - 1.0, n, undefined=0.0)) for each in strata for n in [each.sum(axis=0)])
        influence = np.where(strata[0] | strata[1], deviations, 0.0) * factor
        labelled = np.where(with_labels, influence**2, 0.0).sum(axis=0)
        return cls(value, influence, labelled, with_labels.sum(axis=0) - 1.0)

    def undefined(self, systems: NDArray[np.bool_]) -> Estimate:
        """The estimate without a variance of some systems, (S,)."""
        influence, labelled = (np.where(systems, np.nan, each) for each in (self.influence, self.labelled))
        return Estimate(self.value, influence, labelled, self.df)

    @property
    def variance(self) -> Numbers:
        """Its variance, (S,)."""
        return np.asarray((self.influence**2).sum(axis=0))

    def interval(self) -> tuple[Numbers, Numbers]:
        """A 95 % confidence interval by Student's t, (S,); NaN for fewer than two groups with labels."""
        half = quantile(self.df) * np.sqrt(self.variance)
        return self.value - half, self.value + half


def quantile(df: Numbers) -> Numbers:
    """The two-sided 95 % quantile of Student's t; NaN below one degree of freedom."""
    from scipy.special import stdtrit

    return np.asarray(np.where(df >= 1, stdtrit(np.maximum(df, 1), (1 + LEVEL) / 2), np.nan))


def labels_needed(
    per_label: Numbers, fixed: Numbers, groups: Numbers, *, width: float, at_most: NDArray[np.integer]
) -> NDArray[np.int64]:
    """The fewest labels whose interval is no wider, (S,); 0 where not even `at_most` suffice.

    per_label, fixed: the variance with n labels is per_label / n + fixed. groups: groups of items for each label.
    """
    low, high = np.full(len(at_most), 2), np.maximum(at_most, 2).astype(np.int64)

    def wide(labels: NDArray[np.int64]) -> NDArray[np.bool_]:
        half = quantile(labels * groups - 1) * np.sqrt(per_label / labels + fixed)
        return np.asarray(~(2 * half <= width))

    impossible = wide(high)
    while (low < high).any():
        middle = (low + high) // 2
        above = wide(middle)
        low, high = np.where(above & (low < high), middle + 1, low), np.where(above, high, middle)
    return np.where(impossible, 0, high)
