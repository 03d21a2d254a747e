"""Statistics of inter-annotator agreement, with jackknife intervals over the units or clusters of them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from metaeval.stats.agreement import Agreements, Coefficient, replicate
from metaeval.stats.annotator_pairs import PairCoefficients
from metaeval.stats.intervals import jackknife_interval
from metaeval.stats.rank_correlation import Concordance, kendall_w
from metaeval.stats.ratio import divide
from metaeval.stats.resample import REPLICATES_MEMORY

Ratings = NDArray[np.float64]
Included = NDArray[np.bool_]
Correlation = Literal["pearson", "spearman", "kendall-b"]
CORRELATIONS: tuple[Correlation, ...] = get_args(Correlation)


@dataclass(frozen=True)
class Statistic:
    """A statistic of inter-annotator agreement: the mean of K coefficients, where they are defined.

    coefficients: those of pairs, or from ratings (A, U) and the units that are included to (...). units: those that it
    is based on, (U,). lowest: its lower bound. p: p-value of the null hypothesis of independent ratings, or NaN.
    pooled: whether it depends on the ratings of each unit only, not on who gave them.
    """

    name: str
    coefficients: Coefficient | PairCoefficients
    units: NDArray[np.bool_]
    lowest: float = -1.0
    p: float = float("nan")
    pooled: bool = False


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
        if statistic.pooled:
            # Without empty cells: many annotators may have rated few units each.
            ratings = np.sort(ratings, axis=0)[: int((~np.isnan(ratings)).sum(axis=0).max())]
        value = float(coefficients(ratings, None))
        undefined = int(math.isnan(value))
        included = np.ones((len(numbers), len(groups)), dtype=np.bool_)
        included[:, statistic.units] = codes != np.arange(len(numbers))[:, np.newaxis]
        # `replicate` budgets memory for pairs of annotators, which these statistics do not need.
        memory = REPLICATES_MEMORY * max(len(ratings) // 4, 1)
        without = replicate(ratings, coefficients, included, memory=memory)
    low, high = (math.nan, math.nan) if math.isnan(value) else jackknife_interval(value, without, sizes)
    return Estimate(statistic, value, max(low, statistic.lowest), min(high, 1.0), undefined, len(numbers))


def of_complete_units(part: Callable[[Concordance], Agreements]) -> Coefficient:
    """An attribute of Kendall's W over the units that every annotator rated, as a coefficient."""

    def of(ratings: Ratings, included: Included | None) -> Agreements:
        complete = ~np.isnan(ratings).any(axis=-2)
        chosen = None if included is None else included[..., complete]
        return part(kendall_w(ratings[..., complete], chosen))

    return of
