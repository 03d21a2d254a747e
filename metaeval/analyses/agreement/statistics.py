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
from metaeval.stats.resample import REPLICATES_MEMORY, Multiplicities

Ratings = NDArray[np.float64]
Correlation = Literal["pearson", "spearman", "kendall-b"]
CORRELATIONS: tuple[Correlation, ...] = get_args(Correlation)

_BYTES_A_UNIT = 512
"""Upper bound of the memory of a coefficient of a pair per unit and replicate."""


@dataclass(frozen=True)
class Statistic:
    """A statistic of inter-annotator agreement: the mean of K coefficients, where they are defined.

    coefficients: from ratings (A, U) and multiplicities of the units to (..., K). units: those that it is based on,
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
    of_all = statistic.coefficients(ratings, multiplicities=None)
    defined = ~np.isnan(of_all)
    units = statistic.units
    numbers, codes, sizes = np.unique(groups[units], return_inverse=True, return_counts=True)
    value, low, high = float("nan"), float("nan"), float("nan")
    if defined.any():
        value = float(of_all[defined].mean())
        kept = np.ones((len(numbers), len(groups)), dtype=np.uint16)
        kept[:, units] = codes != np.arange(len(numbers))[:, np.newaxis]
        without = _replicates(statistic, ratings, kept)[:, defined].mean(axis=1)
        low, high = jackknife_interval(value, without, sizes)
    return Estimate(statistic, value, max(low, statistic.lowest), min(high, 1.0), int((~defined).sum()), len(numbers))


def _replicates(statistic: Statistic, ratings: Ratings, multiplicities: Multiplicities) -> Agreements:
    """The coefficients for multiplicities (T, U), as (T, K)."""
    if statistic.of_pairs:
        return statistic.coefficients(ratings, multiplicities=multiplicities)
    # `replicate` budgets memory for pairs of annotators, which these statistics do not need.
    memory = REPLICATES_MEMORY * max(len(ratings) // 4, 1)
    ratings, multiplicities = _padded(ratings, multiplicities)
    return replicate(ratings, statistic.coefficients, multiplicities, memory=memory)


def _padded(ratings: Ratings, multiplicities: Multiplicities) -> tuple[Ratings, Multiplicities]:
    """With an additional unit without ratings, which gives all multiplicities the same sum."""
    total = multiplicities.sum(axis=-1, keepdims=True)
    padded = np.concatenate([multiplicities, total.max(initial=0) - total], axis=-1)
    return np.pad(ratings, ((0, 0), (0, 1)), constant_values=np.nan), padded


def single(coefficient: Coefficient) -> Coefficient:
    """A coefficient of all annotators as an array of one."""

    def of(ratings: Ratings, /, *, multiplicities: Multiplicities | None) -> Agreements:
        return coefficient(ratings, multiplicities=multiplicities)[..., np.newaxis]

    return of


def of_complete_units(part: Callable[[Concordance], Agreements]) -> Coefficient:
    """An attribute of Kendall's W over the units that every annotator rated, as a coefficient."""

    def of(ratings: Ratings, /, *, multiplicities: Multiplicities | None) -> Agreements:
        complete = ~np.isnan(ratings).any(axis=-2)
        chosen = None if multiplicities is None else multiplicities[..., complete]
        return part(kendall_w(ratings[..., complete], multiplicities=chosen))[..., np.newaxis]

    return of


def of_pairs(coefficient: Coefficient) -> Coefficient:
    """A coefficient of two annotators for every pair of different annotators, as (..., A (A − 1) / 2).

    One pair at a time uses only the units that both annotators rated, which is faster if annotators rate few units.
    """

    def of(ratings: Ratings, /, *, multiplicities: Multiplicities | None) -> Agreements:
        coefficients = []
        for one, other in combinations(range(len(ratings)), 2):
            both = ratings[[one, other]]
            shared = ~np.isnan(both).any(axis=0)
            both = both[:, shared]
            if multiplicities is None:
                coefficients.append(coefficient(both, multiplicities=None))
                continue
            block = max(1, REPLICATES_MEMORY // (_BYTES_A_UNIT * max(both.shape[1], 1)))
            padded, counts = _padded(both, multiplicities[:, shared])
            starts = range(0, len(counts), block)
            blocks = [coefficient(padded, multiplicities=counts[start : start + block]) for start in starts]
            coefficients.append(np.concatenate(blocks))
        return np.stack(coefficients, axis=-1)

    return of


def with_others(coefficient: Coefficient) -> Coefficient:
    """A coefficient of two annotators, between each annotator and the mean of the others, as (..., A)."""

    def of(ratings: Ratings, /, *, multiplicities: Multiplicities | None) -> Agreements:
        return leave_one_out(ratings, coefficient, multiplicities=multiplicities)

    return of
