"""Statistics of inter-annotator agreement, with jackknife intervals over the units or clusters of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from metaeval.stats.agreement import Agreements, Coefficient, correlation, leave_one_out, replicate
from metaeval.stats.intervals import jackknife_interval
from metaeval.stats.rank_correlation import Concordance, kendall_w
from metaeval.stats.resample import REPLICATES_MEMORY

Ratings = NDArray[np.float64]
Included = NDArray[np.bool_]
Correlation = Literal["pearson", "spearman", "kendall-b"]
CORRELATIONS: tuple[Correlation, ...] = get_args(Correlation)

_BYTES_A_UNIT = 512
"""Upper bound of the memory of a coefficient of a pair per unit and replicate."""


@dataclass(frozen=True)
class Statistic:
    """A statistic of inter-annotator agreement: the mean of K coefficients, where they are defined.

    coefficients: from ratings (A, U) and the units that are included to (..., K). units: those that it is based on,
    (U,). lowest: its lower bound. p: p-value of the null hypothesis of independent ratings, or NaN. of_pairs: whether
    the coefficients are those of pairs of annotators.
    """

    name: str
    coefficients: Coefficient
    units: NDArray[np.bool_]
    lowest: float = -1.0
    p: float = float("nan")
    of_pairs: bool = False


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


def coefficient_of(name: Correlation) -> Coefficient:
    """A correlation as a coefficient of two annotators."""
    return partial(correlation, coefficient=name)


def estimate(statistic: Statistic, ratings: Ratings, groups: NDArray[np.intp]) -> Estimate:
    """Compute a statistic for ratings (A, U), and its jackknife over groups of the units, (U,)."""
    of_all = statistic.coefficients(ratings, None)
    defined = ~np.isnan(of_all)
    units = statistic.units
    numbers, codes, sizes = np.unique(groups[units], return_inverse=True, return_counts=True)
    value, low, high = float("nan"), float("nan"), float("nan")
    if defined.any():
        value = float(of_all[defined].mean())
        included = np.ones((len(numbers), len(groups)), dtype=np.bool_)
        included[:, units] = codes != np.arange(len(numbers))[:, np.newaxis]
        without = _replicates(statistic, ratings, included)[:, defined].mean(axis=1)
        low, high = jackknife_interval(value, without, sizes)
    return Estimate(statistic, value, max(low, statistic.lowest), min(high, 1.0), int((~defined).sum()), len(numbers))


def _replicates(statistic: Statistic, ratings: Ratings, included: Included) -> Agreements:
    """The coefficients of the units that are included, (T, U), as (T, K)."""
    if statistic.of_pairs:
        return statistic.coefficients(ratings, included)
    # `replicate` budgets memory for pairs of annotators, which these statistics do not need.
    memory = REPLICATES_MEMORY * max(len(ratings) // 4, 1)
    return replicate(ratings, statistic.coefficients, included, memory=memory)


def single(coefficient: Coefficient) -> Coefficient:
    """A coefficient of all annotators as an array of one."""
    return lambda ratings, included: coefficient(ratings, included)[..., np.newaxis]


def of_complete_units(part: Callable[[Concordance], Agreements]) -> Coefficient:
    """An attribute of Kendall's W over the units that every annotator rated, as a coefficient."""

    def of(ratings: Ratings, included: Included | None) -> Agreements:
        complete = ~np.isnan(ratings).any(axis=-2)
        chosen = None if included is None else included[..., complete]
        return part(kendall_w(ratings[..., complete], chosen))[..., np.newaxis]

    return of


def of_pairs(coefficient: Coefficient) -> Coefficient:
    """A coefficient of two annotators for every pair of different annotators, as (..., A (A − 1) / 2).

    One pair at a time uses only the units that both annotators rated, which is faster if annotators rate few units.
    """

    def of(ratings: Ratings, included: Included | None) -> Agreements:
        coefficients = []
        for one, other in combinations(range(len(ratings)), 2):
            both = ratings[[one, other]]
            shared = ~np.isnan(both).any(axis=0)
            both = both[:, shared]
            if included is None:
                coefficients.append(coefficient(both, None))
                continue
            block = max(1, REPLICATES_MEMORY // (_BYTES_A_UNIT * max(both.shape[1], 1)))
            starts = range(0, len(included), block)
            blocks = [coefficient(both, included[start : start + block, shared]) for start in starts]
            coefficients.append(np.concatenate(blocks))
        return np.stack(coefficients, axis=-1)

    return of


def with_others(coefficient: Coefficient) -> Coefficient:
    """A coefficient of two annotators, between each annotator and the mean of the others, as (..., A)."""
    return lambda ratings, included: leave_one_out(ratings, coefficient, included)
