"""Statistics of inter-annotator agreement, with jackknife intervals over the units or clusters of them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from metaeval.stats.annotator_pairs import PairCoefficients
from metaeval.stats.intervals import jackknife_interval
from metaeval.stats.ratio import divide

Ratings = NDArray[np.float64]
Correlation = Literal["pearson", "spearman", "kendall-b"]
CORRELATIONS: tuple[Correlation, ...] = get_args(Correlation)


@dataclass(frozen=True)
class Statistic:
    """A statistic of inter-annotator agreement: the mean of K coefficients, where they are defined.

    coefficients: K of them; or from ratings (A, U), which may have changed places in a unit, the group of each unit and
    the number G of groups to the coefficient without each group, (G,). units: those that it is based on, (U,).
    lowest: its lower bound. p: p-value of the null hypothesis of independent ratings, or NaN.
    """

    name: str
    coefficients: Callable[[Ratings, NDArray[np.intp], int], Ratings] | PairCoefficients
    units: NDArray[np.bool_]
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


def estimate(statistic: Statistic, ratings: Ratings, groups: NDArray[np.intp]) -> Estimate:
    """Compute a statistic for ratings (A, U), and its jackknife over groups of the units, (U,)."""
    numbers, codes, sizes = np.unique(groups[statistic.units], return_inverse=True, return_counts=True)
    coefficients = statistic.coefficients
    if isinstance(coefficients, PairCoefficients):
        defined = ~np.isnan(coefficients.values)
        value = float(divide(coefficients.values[defined].sum(), defined.sum()))
        undefined, without = int((~defined).sum()), coefficients.without[numbers]
    else:
        # Without empty cells: many annotators may have rated few units each.
        ratings = np.sort(ratings, axis=0)[: int((~np.isnan(ratings)).sum(axis=0).max())]
        own = np.full(len(groups), -1)
        own[statistic.units] = codes
        # A last group without units is all of them.
        results = coefficients(ratings, own, len(numbers) + 1)
        value, without = float(results[-1]), results[:-1]
        undefined = int(math.isnan(value))
    low, high = (math.nan, math.nan) if math.isnan(value) else jackknife_interval(value, without, sizes)
    return Estimate(statistic, value, max(low, statistic.lowest), min(high, 1.0), undefined, len(numbers))
