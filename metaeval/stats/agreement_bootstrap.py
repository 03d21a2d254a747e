"""Statistics of inter-annotator agreement with a bootstrap over the units."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from metaeval.stats.agreement import Agreements, Coefficient, bootstrap_units, correlation, leave_one_out
from metaeval.stats.intervals import defined_mean
from metaeval.stats.rank_correlation import Concordance, kendall_w
from metaeval.stats.resample import REPLICATES_MEMORY, Draws, Multiplicities, draw_bootstrap, generator, seed_for

Correlation = Literal["pearson", "spearman", "kendall-b"]
CORRELATIONS: tuple[Correlation, ...] = get_args(Correlation)

_BYTES_A_UNIT = 512
"""Upper bound of the memory of a coefficient of a pair per unit and resample."""


@dataclass(frozen=True)
class Statistic:
    """A statistic of inter-annotator agreement.

    Attributes
    ----------
    name
        Name.
    coefficient
        Function of ratings (A, U) and multiplicities of the units.
    units
        Number of units that it is based on.
    resampled
        Whether the bootstrap applies to it.
    p
        p-value of the null hypothesis of independent ratings, or NaN.
    pairs
        Coefficient whose mean over pairs of annotators it is, or None.
    """

    name: str
    coefficient: Coefficient
    units: int
    resampled: bool = True
    p: float = float("nan")
    pairs: Coefficient | None = None


@dataclass(frozen=True)
class Estimate:
    """The value of a statistic with its bootstrap.

    Attributes
    ----------
    statistic
        The statistic.
    value
        Value.
    resamples : array (T,)
        Values in bootstrap resamples; T = 0 without a bootstrap.
    """

    statistic: Statistic
    value: float
    resamples: NDArray[np.float64]


def coefficient_of(name: Correlation) -> Coefficient:
    """A correlation as a coefficient of two annotators.

    Parameters
    ----------
    name
        One of `CORRELATIONS`.
    """
    return partial(correlation, coefficient=name)


def draw_units(draw_of_unit: NDArray[np.intp], *, resamples: int, seed: int) -> Draws:
    """Bootstrap resamples of clusters of units.

    Parameters
    ----------
    draw_of_unit : array (U,)
        Cluster of each unit, from 0.
    resamples
        Number of resamples, T.
    seed
        Random seed.

    Returns
    -------
    array (T, U)
        Multiplicities of the units.
    """
    ones = np.ones(int(draw_of_unit.max()) + 1, dtype=np.int64)
    draws = draw_bootstrap(generator(seed_for(seed, "agreement")), ones, trials=resamples).astype(np.uint16)
    return draws[:, draw_of_unit]


def estimate(statistic: Statistic, ratings: NDArray[np.float64], draws: Draws) -> Estimate:
    """Compute a statistic for the ratings and for bootstrap resamples.

    Parameters
    ----------
    statistic
        The statistic.
    ratings : array (A, U)
        Ratings, NaN where missing.
    draws : array (T, U)
        Multiplicities of the units in each resample; T = 0 for no bootstrap.

    Returns
    -------
    Estimate
        Value, and values in the resamples.
    """
    value = float(statistic.coefficient(ratings, multiplicities=None))
    resampled = statistic.resampled and len(draws) > 0
    return Estimate(statistic, value, _resampled_values(statistic, ratings, draws) if resampled else np.empty(0))


def _resampled_values(statistic: Statistic, ratings: NDArray[np.float64], draws: Draws) -> NDArray[np.float64]:
    if statistic.pairs is not None:
        return defined_mean(of_pairs(ratings, statistic.pairs, multiplicities=draws), axis=-1)
    # `bootstrap_units` budgets memory for pairs of annotators, which these statistics do not need.
    return bootstrap_units(ratings, statistic.coefficient, draws, memory=REPLICATES_MEMORY * max(len(ratings) // 4, 1))


def of_complete_units(part: Callable[[Concordance], Agreements]) -> Coefficient:
    """An attribute of Kendall's W over the units that every annotator rated, as a coefficient.

    Parameters
    ----------
    part
        Function that returns the attribute of a `Concordance`.
    """

    def of(ratings: NDArray[np.float64], /, *, multiplicities: Multiplicities | None) -> Agreements:
        complete = ~np.isnan(ratings).any(axis=-2)
        chosen = None if multiplicities is None else multiplicities[..., complete]
        return part(kendall_w(ratings[..., complete], multiplicities=chosen))

    return of


def mean_of_pairs(name: str, coefficient: Coefficient, units: int) -> Statistic:
    """The mean of a coefficient over the pairs of annotators for which it is defined, as a statistic.

    Parameters
    ----------
    name
        Name of the statistic.
    coefficient
        Coefficient of two annotators.
    units
        Number of units that it is based on.
    """

    def mean(ratings: NDArray[np.float64], /, *, multiplicities: Multiplicities | None) -> Agreements:
        return defined_mean(of_pairs(ratings, coefficient, multiplicities=multiplicities), axis=-1)

    return Statistic(name, mean, units, pairs=coefficient)


def of_pairs(
    ratings: NDArray[np.float64], coefficient: Coefficient, *, multiplicities: Multiplicities | None = None
) -> Agreements:
    """A coefficient of all pairs of different annotators: `agreement.pairwise`, one pair at a time.

    It uses only the units that both annotators rated, which is faster if annotators rate few units.

    Parameters
    ----------
    ratings : array (A, U)
        Ratings, NaN where missing.
    coefficient
        Coefficient of two annotators.
    multiplicities : array (T, U), optional
        Multiplicities of the units, 1 by default.

    Returns
    -------
    array (P,) or (T, P)
        P = A (A − 1) / 2.
    """
    coefficients = []
    for one, other in combinations(range(len(ratings)), 2):
        both = ratings[[one, other]]
        shared = ~np.isnan(both).any(axis=0)
        both = both[:, shared]
        if multiplicities is None:
            coefficients.append(coefficient(both, multiplicities=None))
            continue
        block = max(1, REPLICATES_MEMORY // (_BYTES_A_UNIT * max(both.shape[1], 1)))
        starts = range(0, len(multiplicities), block)
        blocks = [_of_pair(both, coefficient, multiplicities[start : start + block][:, shared]) for start in starts]
        coefficients.append(np.concatenate(blocks))
    return np.stack(coefficients, axis=-1)


def _of_pair(both: NDArray[np.float64], coefficient: Coefficient, multiplicities: Multiplicities) -> Agreements:
    """A coefficient of two annotators on the units (2, U) that both rated, (T,); multiplicities: (T, U)."""
    total = multiplicities.sum(axis=-1, keepdims=True)
    # An additional unit without ratings gives all resamples the same size.
    padded = np.concatenate([multiplicities, total.max(initial=0) - total], axis=-1)
    return coefficient(np.pad(both, ((0, 0), (0, 1)), constant_values=np.nan), multiplicities=padded)


def ceiling(coefficient: Coefficient) -> Coefficient:
    """The mean over annotators of their coefficient with the mean of the others, as a coefficient.

    Parameters
    ----------
    coefficient
        Coefficient of two annotators.
    """

    def mean(ratings: NDArray[np.float64], /, *, multiplicities: Multiplicities | None) -> Agreements:
        return defined_mean(leave_one_out(ratings, coefficient, multiplicities=multiplicities), axis=-1)

    return mean
