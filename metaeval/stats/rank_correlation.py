"""Rank correlations of many pairs of rankings at once.

Every function takes scores x and y of the same S systems, (..., S), higher better, and returns (...). NaN ranks last;
two NaN tie. A constant ranking correlates with nothing: NaN.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from metaeval.stats.inversions import count_inversions
from metaeval.stats.rank import mean_ranks
from metaeval.stats.ratio import divide

Correlations = NDArray[np.float64]

COMPARE_ALL_PAIRS_UP_TO = 100
"""Systems. Beyond, sorting beats comparing every pair."""


@dataclass(frozen=True)
class PairCounts:
    """Pairs of systems by how two rankings order them; each (...), of `pairs` pairs.

    concordant, discordant: ordered alike, oppositely. tied_x, tied_y: tied in one ranking, whatever the other says.
    """

    concordant: NDArray[np.int64]
    discordant: NDArray[np.int64]
    tied_x: NDArray[np.int64]
    tied_y: NDArray[np.int64]
    pairs: int


def count_pairs(x: ArrayLike, y: ArrayLike) -> PairCounts:
    """How two rankings order the pairs of systems.

    >>> counts = count_pairs([1, 2, 3], [1, 3, 2])
    >>> int(counts.concordant), int(counts.discordant)
    (2, 1)
    """
    x, y = _comparable(x, y)
    return _by_comparison(x, y) if x.shape[-1] <= COMPARE_ALL_PAIRS_UP_TO else _by_sorting(x, y)


def kendall_b(x: ArrayLike, y: ArrayLike) -> Correlations:
    """Kendall's tau-b: concordant less discordant pairs, in proportion to the pairs not tied (Kendall 1945).

    >>> round(float(kendall_b([1, 2, 3, 3], [1, 3, 2, 4])), 4)
    0.5477
    """
    return tau_b(count_pairs(x, y))


def tau_b(counts: PairCounts) -> Correlations:
    """tau-b of pairs that were counted already."""
    untied_x = (counts.pairs - counts.tied_x).astype(np.float64)
    untied_y = (counts.pairs - counts.tied_y).astype(np.float64)
    # One root of the product, here and below, is exact where the two are equal: like rankings get 1, not 1 − ε.
    return divide(counts.concordant - counts.discordant, np.sqrt(untied_x * untied_y))


def kendall_a(x: ArrayLike, y: ArrayLike) -> Correlations:
    """Kendall's tau-a: concordant less discordant pairs, in proportion to all pairs; ties count as neither."""
    counts = count_pairs(x, y)
    constant = (counts.tied_x == counts.pairs) | (counts.tied_y == counts.pairs)
    return divide(counts.concordant - counts.discordant, np.where(constant, 0, counts.pairs))


def kendall_c(x: ArrayLike, y: ArrayLike) -> Correlations:
    """Stuart's tau-c: 2 (P − Q) / (S² (m − 1) / m), m the smaller number of distinct scores (Stuart 1953)."""
    counts = count_pairs(x, y)
    x, y = _comparable(x, y)
    systems = x.shape[-1]
    levels = np.minimum(_distinct(x), _distinct(y))
    return divide(2 * (counts.concordant - counts.discordant) * levels, systems * systems * (levels - 1))


def tau_ap(x: ArrayLike, y: ArrayLike) -> Correlations:
    """AP correlation: as tau, with swaps near the top weighing more; the mean of both directions.

    Yilmaz, Aslam & Robertson (2008), for ties extended: 1 / (S − t) Σ_i mean over the systems above i of the sign of
    their order in the other ranking; i runs over all systems but the t that share the first place, and ties in the
    other ranking count 0. Without ties this is their formula.

    >>> round(float(tau_ap([1, 2, 3], [1, 3, 2])), 4)
    0.0
    """
    x, y = _comparable(x, y)
    return (_tau_ap_one_way(x, y) + _tau_ap_one_way(y, x)) / 2


def weighted_tau(x: ArrayLike, y: ArrayLike) -> Correlations:
    """Vigna's (2015) weighted tau: a pair weighs 1 / (rank + 1) of the one plus that of the other; mean of both ways.

    Ranks count from 0 by x, ties broken by y, and the other way round, as in `scipy.stats.weightedtau`.
    """
    x, y = _comparable(x, y)
    return (_weighted_one_way(x, y) + _weighted_one_way(y, x)) / 2


def spearman(x: ArrayLike, y: ArrayLike) -> Correlations:
    """Spearman's rho: Pearson's r of mean ranks."""
    x, y = _comparable(x, y)
    return pearson(mean_ranks(x), mean_ranks(y))


def pearson(x: ArrayLike, y: ArrayLike) -> Correlations:
    """Pearson's r of the scores themselves; NaN where a score is."""
    x, y = np.broadcast_arrays(np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64))
    with np.errstate(invalid="ignore"):
        dx = x - x.mean(axis=-1, keepdims=True)
        dy = y - y.mean(axis=-1, keepdims=True)
        # Deviations of a constant may miss 0 by a rounding error, so constancy is read off the scores.
        constant = (np.ptp(x, axis=-1) == 0) | (np.ptp(y, axis=-1) == 0)
        spread = np.sqrt((dx * dx).sum(axis=-1) * (dy * dy).sum(axis=-1))
        return np.clip(divide((dx * dy).sum(axis=-1), np.where(constant, 0.0, spread)), -1.0, 1.0)


COEFFICIENTS = {
    "kendall-b": kendall_b,
    "kendall-a": kendall_a,
    "kendall-c": kendall_c,
    "tau-ap": tau_ap,
    "weighted": weighted_tau,
    "spearman": spearman,
    "pearson": pearson,
}
"""By the names of the command line."""


def _comparable(x: ArrayLike, y: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Broadcast together, NaN below everything."""
    x, y = np.broadcast_arrays(np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64))
    return np.where(np.isnan(x), -np.inf, x), np.where(np.isnan(y), -np.inf, y)


def _systems_first(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """(..., S) as (S, K), so that what is compared together lies together; K are the leading axes, first fastest."""
    return np.ascontiguousarray(scores.T).reshape(scores.shape[-1], -1)


def _in_shape(flat: NDArray[Any], shape: tuple[int, ...]) -> NDArray[Any]:
    """The inverse for results: (K,) as (...)."""
    return flat.reshape(shape[::-1]).T


def _by_comparison(x: NDArray[np.float64], y: NDArray[np.float64]) -> PairCounts:
    """Every system against those after it, all rankings at once."""
    shape, systems = x.shape[:-1], x.shape[-1]
    xs, ys = _systems_first(x), _systems_first(y)
    balance, tied_either, tied_x, tied_y = np.zeros((4, xs.shape[1]), dtype=np.int64)
    for first in range(systems - 1):
        sign_x, sign_y = _signs(xs, first), _signs(ys, first)
        product = sign_x * sign_y
        balance += np.add.reduce(product, axis=0, dtype=np.int16)
        # Ties are few: most of the time there is nothing more to count.
        if np.count_nonzero(product) < product.size:
            tied_either += np.count_nonzero(product == 0, axis=0)
            tied_x += np.count_nonzero(sign_x == 0, axis=0)
            tied_y += np.count_nonzero(sign_y == 0, axis=0)
    pairs = systems * (systems - 1) // 2
    ordered = pairs - tied_either
    counts = ((ordered + balance) // 2, (ordered - balance) // 2, tied_x, tied_y)
    concordant, discordant, tied_x, tied_y = (_in_shape(count, shape) for count in counts)
    return PairCounts(concordant, discordant, tied_x, tied_y, pairs)


def _signs(scores: NDArray[np.float64], first: int) -> NDArray[np.int8]:
    """Whether the later systems score higher (1), the same (0) or lower (−1) than `first`, (S − first − 1, K)."""
    later, own = scores[first + 1 :], scores[first]
    higher, lower = later > own, later < own
    sign: NDArray[np.int8] = np.subtract(higher.view(np.int8), lower.view(np.int8))
    return sign


def _by_sorting(x: NDArray[np.float64], y: NDArray[np.float64]) -> PairCounts:
    """Knight's (1966) way: sorted by x, the discordant pairs are the inversions of y."""
    shape, systems = x.shape[:-1], x.shape[-1]
    rows_x, rows_y = x.reshape(-1, systems), y.reshape(-1, systems)
    by_y = np.argsort(rows_y, axis=1)
    rows_x, rows_y = np.take_along_axis(rows_x, by_y, axis=1), np.take_along_axis(rows_y, by_y, axis=1)
    by_x = np.argsort(rows_x, axis=1, kind="stable")
    tied_x = _tied_neighbours(np.take_along_axis(rows_x, by_x, axis=1))
    tied_y = _tied_neighbours(rows_y)
    # Sorted by x, and equals by y, each system's place in y is where it stood when sorted by y.
    place, tied_both = by_x, np.zeros(len(by_x), dtype=np.int64)
    if tied_y.any():
        level = np.zeros(rows_y.shape, dtype=np.int64)
        np.cumsum(~tied_y, axis=1, out=level[:, 1:])
        level = np.take_along_axis(level, by_x, axis=1)
        tied_both = _pairs_in_runs(tied_x & _tied_neighbours(level))
        # Equals in y get places in the order in which they stand now, so that they make no inversion.
        place = np.empty_like(by_x)
        order = np.argsort(level, axis=1, kind="stable")
        np.put_along_axis(place, order, np.broadcast_to(np.arange(systems), order.shape), axis=1)
    pairs = systems * (systems - 1) // 2
    ties_x, ties_y, discordant = _pairs_in_runs(tied_x), _pairs_in_runs(tied_y), count_inversions(place)
    concordant = pairs - ties_x - ties_y + tied_both - discordant
    return PairCounts(
        concordant.reshape(shape), discordant.reshape(shape), ties_x.reshape(shape), ties_y.reshape(shape), pairs
    )


def _tied_neighbours(ordered: NDArray[np.float64] | NDArray[np.int64]) -> NDArray[np.bool_]:
    tied: NDArray[np.bool_] = ordered[:, 1:] == ordered[:, :-1]
    return tied


def _pairs_in_runs(tied: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Pairs of equals, from which neighbours are equal: each position pairs with all before it in its run."""
    positions = np.arange(1, tied.shape[1] + 1)
    run_began = np.maximum.accumulate(np.where(tied, 0, positions), axis=1)
    return np.asarray(np.where(tied, positions - run_began, 0).sum(axis=1, dtype=np.int64))


def _distinct(scores: NDArray[np.float64]) -> NDArray[np.int64]:
    ordered = np.sort(scores, axis=-1)
    return np.asarray(1 + (ordered[..., 1:] != ordered[..., :-1]).sum(axis=-1, dtype=np.int64))


def _tau_ap_one_way(x: NDArray[np.float64], y: NDArray[np.float64]) -> Correlations:
    shape, systems = x.shape[:-1], x.shape[-1]
    xs, ys = _systems_first(x), _systems_first(y)
    total, counted = np.zeros((2, xs.shape[1]))
    for system in range(systems):
        above = xs > xs[system]
        places = above.sum(axis=0)
        order = (ys > ys[system]).view(np.int8) - (ys < ys[system]).view(np.int8)
        agreement = np.where(above, order, np.int8(0)).sum(axis=0, dtype=np.int64)
        total += divide(agreement, places, undefined=0.0)
        counted += places > 0
    constant_y = (ys == ys[0]).all(axis=0)
    return _in_shape(divide(total, np.where(constant_y, 0, counted)), shape)


def _weighted_one_way(x: NDArray[np.float64], y: NDArray[np.float64]) -> Correlations:
    shape, systems = x.shape[:-1], x.shape[-1]
    order = np.lexsort((y, x), axis=-1)[..., ::-1]
    rank = np.empty_like(order)
    np.put_along_axis(rank, order, np.broadcast_to(np.arange(systems), order.shape), axis=-1)
    weight = _systems_first(1 / (rank + 1.0))
    xs, ys = _systems_first(x), _systems_first(y)
    agreement, untied_x, untied_y = np.zeros((3, xs.shape[1]))
    for first in range(systems - 1):
        sign_x, sign_y = _signs(xs, first), _signs(ys, first)
        pair = weight[first + 1 :] + weight[first]
        agreement += (pair * (sign_x * sign_y)).sum(axis=0)
        untied_x += (pair * (sign_x != 0)).sum(axis=0)
        untied_y += (pair * (sign_y != 0)).sum(axis=0)
    return _in_shape(divide(agreement, np.sqrt(untied_x * untied_y)), shape)
