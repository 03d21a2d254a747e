"""Statistics of the agreement of annotators, each with a bootstrap over the units."""

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
"""What a coefficient of a pair may take for a unit in a sample."""


@dataclass(frozen=True)
class Statistic:
    """A statistic of the agreement of annotators.

    Attributes
    ----------
    name
        Its name.
    coefficient
        Computes it from ratings (A, U) and from how often each unit counts.
    units
        Number of units that it is based on.
    resampled
        Whether a bootstrap can estimate its uncertainty.
    p
        p-value of the hypothesis that the ratings are independent, or NaN.
    pairs
        The coefficient whose mean over pairs of annotators it is, or None.
    """

    name: str
    coefficient: Coefficient
    units: int
    resampled: bool = True
    p: float = float("nan")
    pairs: Coefficient | None = None


@dataclass(frozen=True)
class Estimate:
    """The value of a statistic, with a bootstrap.

    Attributes
    ----------
    statistic
        The statistic.
    value
        Its value.
    resamples : array (T,)
        Its values in bootstrap resamples; T = 0 where it was not resampled.
    """

    statistic: Statistic
    value: float
    resamples: NDArray[np.float64]


def coefficient_of(name: Correlation) -> Coefficient:
    """A correlation of two annotators, as a coefficient of agreement.

    Parameters
    ----------
    name
        One of `CORRELATIONS`.
    """
    return partial(correlation, coefficient=name)


def draw_units(draw_of_unit: NDArray[np.intp], *, resamples: int, seed: int) -> Draws:
    """Draw units with replacement; those that share a draw come together.

    Parameters
    ----------
    draw_of_unit : array (U,)
        The draw that each unit belongs to, from 0.
    resamples
        Number of resamples, T.
    seed
        Random seed.

    Returns
    -------
    array (T, U)
        How often each unit is drawn.
    """
    ones = np.ones(int(draw_of_unit.max()) + 1, dtype=np.int64)
    draws = draw_bootstrap(generator(seed_for(seed, "agreement")), ones, trials=resamples).astype(np.uint16)
    return draws[:, draw_of_unit]


def estimate(statistic: Statistic, ratings: NDArray[np.float64], draws: Draws) -> Estimate:
    """Compute a statistic of the ratings and of the resamples.

    Parameters
    ----------
    statistic
        The statistic.
    ratings : array (A, U)
        Ratings, NaN where missing.
    draws : array (T, U)
        How often each unit is drawn; T = 0 for no bootstrap.

    Returns
    -------
    Estimate
        The value, and those in the resamples.
    """
    value = float(statistic.coefficient(ratings, multiplicities=None))
    resampled = statistic.resampled and len(draws) > 0
    return Estimate(statistic, value, _resampled_values(statistic, ratings, draws) if resampled else np.empty(0))


def _resampled_values(statistic: Statistic, ratings: NDArray[np.float64], draws: Draws) -> NDArray[np.float64]:
    if statistic.pairs is not None:
        return defined_mean(of_pairs(ratings, statistic.pairs, multiplicities=draws), axis=-1)
    # None of these holds ratings of every two annotators, for which `bootstrap_units` leaves room.
    return bootstrap_units(ratings, statistic.coefficient, draws, memory=REPLICATES_MEMORY * max(len(ratings) // 4, 1))


def of_complete_units(part: Callable[[Concordance], Agreements]) -> Coefficient:
    """A part of Kendall's W, over the units that every annotator rated.

    Parameters
    ----------
    part
        Takes it from the concordance.
    """

    def of(ratings: NDArray[np.float64], /, *, multiplicities: Multiplicities | None) -> Agreements:
        complete = ~np.isnan(ratings).any(axis=-2)
        chosen = None if multiplicities is None else multiplicities[..., complete]
        return part(kendall_w(ratings[..., complete], multiplicities=chosen))

    return of


def mean_of_pairs(name: str, coefficient: Coefficient, units: int) -> Statistic:
    """The mean of a coefficient over every two annotators for whom it is defined.

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
    """A coefficient of every two different annotators: as `stats.agreement.pairwise`, one pair at a time.

    Only the units that both rated are computed with, which are few where everyone rates a little.

    Parameters
    ----------
    ratings : array (A, U)
        Ratings, NaN where missing.
    coefficient
        Coefficient of two annotators.
    multiplicities : array (T, U), optional
        How often each unit counts; once by default.

    Returns
    -------
    array (P,) or (T, P)
        P = A (A − 1) / 2.
    """
    found = []
    for one, other in combinations(range(len(ratings)), 2):
        both = ratings[[one, other]]
        shared = ~np.isnan(both).any(axis=0)
        both = both[:, shared]
        if multiplicities is None:
            found.append(coefficient(both, multiplicities=None))
            continue
        block = max(1, REPLICATES_MEMORY // (_BYTES_A_UNIT * max(both.shape[1], 1)))
        starts = range(0, len(multiplicities), block)
        blocks = [_of_pair(both, coefficient, multiplicities[start : start + block][:, shared]) for start in starts]
        found.append(np.concatenate(blocks))
    return np.stack(found, axis=-1)


def _of_pair(both: NDArray[np.float64], coefficient: Coefficient, multiplicities: Multiplicities) -> Agreements:
    """A coefficient of two annotators on units that both rated, (T,). both: (2, U). multiplicities: (T, U)."""
    total = multiplicities.sum(axis=-1, keepdims=True)
    # A unit that nobody rated makes up for what a sample lacks, so that all have one size.
    padded = np.concatenate([multiplicities, total.max(initial=0) - total], axis=-1)
    return coefficient(np.pad(both, ((0, 0), (0, 1)), constant_values=np.nan), multiplicities=padded)


def ceiling(coefficient: Coefficient) -> Coefficient:
    """The mean over annotators of their coefficient with the mean of the others.

    Parameters
    ----------
    coefficient
        Coefficient of two annotators.
    """

    def mean(ratings: NDArray[np.float64], /, *, multiplicities: Multiplicities | None) -> Agreements:
        return defined_mean(leave_one_out(ratings, coefficient, multiplicities=multiplicities), axis=-1)

    return mean
