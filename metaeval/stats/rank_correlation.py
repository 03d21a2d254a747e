"""Rank correlations of many pairs of rankings at once, and Kendall's W, the concordance of several rankings.

The coefficients are those of `association`, and two that weight the top ranks. Each takes scores x and y (..., S) of
the same S systems, higher better, and returns correlations (...) from −1 to 1 over the systems whose two scores are
defined. The correlation with a constant ranking is NaN, and so is that of fewer than two systems.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from metaeval.arrays import Bools, Floats
from metaeval.stats._arrays import as_ratings, in_shape, nan_lowest, signs_against, systems_first, without_excluded
from metaeval.stats.association import Coefficient, complete, kendall_a, kendall_b, kendall_c, pearson, spearman
from metaeval.stats.rank import mean_ranks
from metaeval.stats.ratio import divide
from metaeval.stats.resample import REPLICATES_MEMORY, trials_per_block
from metaeval.steps import steps


def tau_ap(x: ArrayLike, y: ArrayLike) -> Floats:
    """AP correlation (Yilmaz, Aslam & Robertson 2008), the mean of both directions.

    Kendall's tau with a larger weight of discordant pairs near the top, extended to ties: 1 / (S − t) Σ_i of the mean
    over the systems above i of the sign of their order in the other ranking. The sum is over all systems except the t
    with the first rank; ties in the other ranking count 0.

    Parameters
    ----------
    x, y : array_like (..., S)
        Scores, NaN where undefined.

    Returns
    -------
    array (...)
        From −1 to 1; NaN for a constant ranking.
    """
    x, y, _ = complete(x, y)
    return (_tau_ap_one_way(x, y) + _tau_ap_one_way(y, x)) / 2


def weighted_tau(x: ArrayLike, y: ArrayLike) -> Floats:
    """Weighted tau (Vigna 2015), the mean of both directions.

    The weight of a pair is the sum of 1 / (rank + 1) of its systems. Ranks start from 0 and are those of x with ties
    broken by y, and the reverse in the other direction, as in `scipy.stats.weightedtau`.

    Parameters
    ----------
    x, y : array_like (..., S)
        Scores, NaN where undefined.

    Returns
    -------
    array (...)
        From −1 to 1.
    """
    x, y, _ = complete(x, y)
    return (_weighted_one_way(x, y) + _weighted_one_way(y, x)) / 2


COEFFICIENTS: dict[str, Coefficient] = {
    "kendall-b": kendall_b,
    "kendall-a": kendall_a,
    "kendall-c": kendall_c,
    "tau-ap": tau_ap,
    "weighted": weighted_tau,
    "spearman": spearman,
    "pearson": pearson,
}
"""Coefficients by name."""


def _tau_ap_one_way(x: Floats, y: Floats) -> Floats:
    shape, systems = x.shape[:-1], x.shape[-1]
    xs, ys = systems_first(x), systems_first(y)
    total, counted = np.zeros((2, xs.shape[1]))
    for system in range(systems):
        above = xs > xs[system]
        number_above = above.sum(axis=0)
        order = (ys > ys[system]).view(np.int8) - (ys < ys[system]).view(np.int8)
        agreement = np.where(above, order, np.int8(0)).sum(axis=0, dtype=np.int64)
        total += divide(agreement, number_above, undefined=0.0)
        counted += number_above > 0
    constant_y = ~(np.fmax.reduce(ys, axis=0) > np.fmin.reduce(ys, axis=0))
    return in_shape(divide(total, np.where(constant_y, 0, counted)), shape)


def _weighted_one_way(x: Floats, y: Floats) -> Floats:
    shape, systems = x.shape[:-1], x.shape[-1]
    # Undefined scores have the worst ranks here, and their pairs have no weight below.
    order = np.lexsort(nan_lowest(y, x), axis=-1)[..., ::-1]
    rank = np.empty_like(order)
    np.put_along_axis(rank, order, np.broadcast_to(np.arange(systems), order.shape), axis=-1)
    weight = systems_first(1 / (rank + 1.0))
    xs, ys = systems_first(x), systems_first(y)
    agreement, untied_x, untied_y = np.zeros((3, xs.shape[1]))
    for first in range(systems - 1):
        sign_x, sign_y = signs_against(xs, first), signs_against(ys, first)
        pair = weight[first + 1 :] + weight[first]
        agreement += (pair * (sign_x * sign_y)).sum(axis=0)
        untied_x += (pair * (sign_x != 0)).sum(axis=0)
        untied_y += (pair * (sign_y != 0)).sum(axis=0)
    return in_shape(divide(agreement, np.sqrt(untied_x * untied_y)), shape)


class Concordance(NamedTuple):
    """Kendall's W of A annotators; every attribute is (...).

    Attributes
    ----------
    w
        W with the correction for ties, from 0 to 1.
    uncorrected
        W without the correction for ties.
    """

    w: Floats
    uncorrected: Floats


def kendall_w(ratings: ArrayLike, included: Bools | None = None) -> Concordance:
    """Kendall's coefficient of concordance of the rankings of annotators (Kendall & Babington Smith 1939).

    Only units that all annotators rated count. Ties have mean ranks. NaN for fewer than two annotators or units, and if
    all annotators tie all units.

    Parameters
    ----------
    ratings : array_like (..., A, U)
        Ratings, NaN where missing.
    included : array (..., U), optional
        Whether each unit counts; all by default.
    """
    ratings = as_ratings(ratings)
    annotators = ratings.shape[-2]
    ratings = without_excluded(ratings, included)
    complete = ~np.isnan(ratings).any(axis=-2, keepdims=True)
    ranks = mean_ranks(np.where(complete, ratings, np.nan))
    units = complete.sum(axis=(-2, -1))
    deviation = np.where(complete, ranks - (units[..., np.newaxis, np.newaxis] + 1) / 2, 0.0)
    between = (deviation.sum(axis=-2) ** 2).sum(axis=-1)
    within = (deviation**2).sum(axis=(-2, -1))
    enough = (annotators > 1) & (within > 0)
    uncorrected = divide(12 * between, annotators**2 * (units**3 - units) * enough)
    return Concordance(divide(between, annotators * within * enough), uncorrected)


def kendall_w_permutation_p(ratings: ArrayLike, *, replicates: int, random: np.random.Generator) -> float:
    """Permutation p-value of Kendall's W, for few units, for which the χ² approximation is poor.

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
    # Doubled ranks are integers, so ties with the observed value are exact.
    ranks = np.rint(2 * mean_ranks(ratings)).astype(np.int32)
    observed = np.square(ranks.sum(axis=0, dtype=np.int64)).sum()
    reached, block = 0, trials_per_block(16 * ranks.size, memory=REPLICATES_MEMORY)
    for begin in steps(range(0, replicates, block), "Permutations of ranks"):
        # Of permutations of all annotators, only those relative to the first change the sums.
        others = np.broadcast_to(ranks[1:], (min(block, replicates - begin), *ranks[1:].shape))
        sums = ranks[0] + random.permuted(others, axis=-1).sum(axis=1, dtype=np.int64)
        reached += int((np.square(sums).sum(axis=1) >= observed).sum())
    return (reached + 1) / (replicates + 1)
