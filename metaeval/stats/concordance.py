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
    """Kendall's W of A annotators, each (...).

    w: corrected for ties. uncorrected: the same without that. units: rated by all annotators, those that count.
    chi_square: Friedman's, A (units − 1) w. p: of chi_square with units − 1 degrees of freedom.
    """

    w: Agreements
    uncorrected: Agreements
    chi_square: Agreements
    p: Agreements
    units: Agreements


def kendall_w(ratings: ArrayLike, *, multiplicities: Multiplicities | None = None) -> Concordance:
    """How far annotators rank the units alike, from 0 to 1 (Kendall & Babington Smith 1939), ties sharing mean ranks.

    Only units that all annotators rated count. NaN with fewer than two annotators or units, and where all annotators
    tie all units. ratings: (..., A, U).

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
    """p-value of Kendall's W, (k + 1) / (replicates + 1), from permuting each annotator's ranks of the units.

    For few units, where χ² is a poor guide. ratings: (A, U), without leading axes. NaN where W is.
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
