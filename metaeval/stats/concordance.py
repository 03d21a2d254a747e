"""Kendall's coefficient of concordance W, its χ² and its permutation test."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from metaeval.stats._ratings import as_ratings, unit_weights, weighted_ranks
from metaeval.stats.ratio import divide
from metaeval.stats.resample import REPLICATES_MEMORY, Multiplicities, trials_per_block

Agreements = NDArray[np.float64]


@dataclass(frozen=True)
class Concordance:
    """Kendall's W of A annotators; every attribute is (...).

    Attributes
    ----------
    w
        Corrected for ties, from 0 to 1.
    uncorrected
        Without the correction for ties.
    chi_square
        Friedman's statistic, A (units − 1) w.
    p
        p-value of `chi_square` with units − 1 degrees of freedom.
    units
        Units that all annotators rated: only these count.
    """

    w: Agreements
    uncorrected: Agreements
    chi_square: Agreements
    p: Agreements
    units: Agreements


def kendall_w(ratings: ArrayLike, *, multiplicities: Multiplicities | None = None) -> Concordance:
    """Kendall's coefficient of concordance: how similarly annotators rank the units, ties sharing mean ranks (Kendall &
    Babington Smith 1939).

    NaN with fewer than two annotators or units, and where all annotators tie all units.

    Parameters
    ----------
    ratings : array_like (..., A, U)
        Ratings, NaN where missing.
    multiplicities : array (..., U), optional
        How often each unit counts; once by default.

    Returns
    -------
    Concordance
        W, its χ² test and the number of units.

    Examples
    --------
    >>> round(float(kendall_w([[1, 2, 3, 4], [1, 3, 2, 4], [2, 1, 3, 4]]).w), 4)
    0.7778
    """
    from scipy.special import chdtrc

    ratings = as_ratings(ratings)
    annotators = ratings.shape[-2]
    complete = ~np.isnan(ratings).any(axis=-2, keepdims=True)
    weights = unit_weights(multiplicities, ratings)[..., np.newaxis, :] * complete
    units = np.asarray(weights.sum(axis=(-2, -1)))
    ranks = weighted_ranks(np.where(complete, ratings, np.inf), weights)
    deviation = np.where(complete, ranks - (units[..., np.newaxis, np.newaxis] + 1) / 2, 0.0)
    between = (weights[..., 0, :] * deviation.sum(axis=-2) ** 2).sum(axis=-1)
    within = (weights * deviation**2).sum(axis=(-2, -1))
    enough = (annotators > 1) & (within > 0)
    w = divide(between, annotators * within * enough)
    uncorrected = divide(12 * between, annotators**2 * (units**3 - units) * enough)
    chi_square = np.asarray(annotators * (units - 1) * w)
    return Concordance(w, uncorrected, chi_square, np.asarray(chdtrc(units - 1, chi_square)), units)


def kendall_w_permutation_p(ratings: ArrayLike, *, replicates: int, random: np.random.Generator) -> float:
    """Permutation p-value of Kendall's W, for few units, where the χ² approximation is poor.

    Parameters
    ----------
    ratings : array_like (A, U)
        Ratings, NaN where missing.
    replicates
        Number of random permutations of each annotator's ranks.
    random
        Source of the permutations.

    Returns
    -------
    float
        (k + 1) / (replicates + 1), k the permutations with at least the observed W; NaN where W is.
    """
    ratings = as_ratings(ratings)
    ratings = ratings[:, ~np.isnan(ratings).any(axis=0)]
    if np.isnan(kendall_w(ratings).w):
        return float("nan")
    # Twice the ranks are whole numbers, so no tie with what was observed is missed.
    ranks = np.rint(2 * weighted_ranks(ratings, np.ones_like(ratings))).astype(np.int64)
    observed = np.square(ranks.sum(axis=0)).sum()
    reached, block = 0, trials_per_block(32 * ranks.size, memory=REPLICATES_MEMORY)
    for begin in range(0, replicates, block):
        permuted = random.permuted(np.broadcast_to(ranks, (min(block, replicates - begin), *ranks.shape)), axis=-1)
        reached += int((np.square(permuted.sum(axis=1)).sum(axis=1) >= observed).sum())
    return (reached + 1) / (replicates + 1)
