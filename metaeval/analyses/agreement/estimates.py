"""Statistics of agreement, and their intervals by the jackknife over groups of units."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from metaeval.arrays import Bools, Floats, Indices
from metaeval.stats.agreement import PairCoefficients
from metaeval.stats.intervals import LEVEL, Bounded, jackknife_error
from metaeval.stats.leave_out import expected_disagreement_without
from metaeval.stats.ratio import divide, effective_number

Correlation = Literal["pearson", "spearman", "kendall-b"]
CORRELATIONS: tuple[Correlation, ...] = get_args(Correlation)


@dataclass(frozen=True)
class Statistic:
    """A statistic of inter-annotator agreement: the mean of K coefficients, where they are defined.

    coefficients: K of them; or from ratings (A, U), which may have changed places in a unit, the group of each unit and
    the number G of groups to the coefficient without each group, (G,). units: those that it is based on, (U,).
    lowest: its lower bound, about. p: p-value of the null hypothesis of independent ratings, or NaN.
    """

    name: str
    coefficients: Callable[[Floats, Indices, int], Floats] | PairCoefficients
    units: Bools
    lowest: float = -1.0
    p: float = float("nan")


@dataclass(frozen=True)
class Estimate:
    """The value of a statistic with its 95 % interval; undefined: number of coefficients that are.

    groups: number of groups of units that the jackknife leaves out one by one.
    """

    statistic: Statistic
    value: float
    low: float
    high: float
    undefined: int
    groups: int


def widening(ratings: Floats, groups: Indices) -> float:
    """How much wider intervals of ratings (A, U) are because few units have other ratings than most.

    Coefficients are ratios to the disagreement that is expected by chance. Fieller's (1954) interval of a ratio is
    wider by 1 / √(1 − g), with g = (t · standard error / value)² of the denominator. From g = 1 on the denominator may
    be 0: the result is infinite, and there are no intervals. groups: of the units, (U,).
    """
    from scipy.special import stdtrit

    results, sizes = _leave_out(expected_disagreement_without, ratings, groups, (~np.isnan(ratings)).sum(axis=0) >= 2)
    units = effective_number(sizes)
    if not (units > 1 and results[-1] > 0):
        return math.inf
    error = jackknife_error(float(results[-1]), results[:-1], sizes)
    g = (float(stdtrit(units - 1, (1 + LEVEL) / 2)) * error / float(results[-1])) ** 2
    return 1 / math.sqrt(1 - g) if g < 1 else math.inf


def estimate(statistic: Statistic, ratings: Floats, groups: Indices, *, wider: float = 1.0) -> Estimate:
    """Compute a statistic for ratings (A, U), and its jackknife over groups of the units, (U,); see `widening`."""
    coefficients = statistic.coefficients
    if isinstance(coefficients, PairCoefficients):
        numbers, sizes = np.unique(groups[statistic.units], return_counts=True)
        defined = ~np.isnan(coefficients.values)
        value = float(divide(coefficients.values[defined].sum(), defined.sum()))
        undefined, without = int((~defined).sum()), coefficients.without[numbers]
    else:
        results, sizes = _leave_out(coefficients, ratings, groups, statistic.units)
        value, without = float(results[-1]), results[:-1]
        undefined = int(math.isnan(value))
    error = jackknife_error(value, without, sizes)
    low, high = math.nan, math.nan
    if not math.isnan(error):
        bounded = Bounded.of(value, error, lowest=statistic.lowest, units=effective_number(sizes))
        low, high = bounded.interval(wider=wider)
    return Estimate(statistic, value, low, high, undefined, groups=len(sizes))


def _leave_out(
    coefficients: Callable[[Floats, Indices, int], Floats],
    ratings: Floats,
    groups: Indices,
    units: Bools,
) -> tuple[Floats, Indices]:
    """Coefficients without each group of some of the units (U,), and of all, (G + 1,); sizes of the groups, (G,)."""
    numbers, codes, sizes = np.unique(groups[units], return_inverse=True, return_counts=True)
    # Without empty cells: many annotators may have rated few units each.
    ratings = np.sort(ratings, axis=0)[: int((~np.isnan(ratings)).sum(axis=0).max())]
    codes_of_units = np.full(len(groups), -1)
    codes_of_units[units] = codes
    # A last group without units is all of them.
    return coefficients(ratings, codes_of_units, len(numbers) + 1), sizes
