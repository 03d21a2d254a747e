"""Pairs of systems and their order in two rankings, and pairs of rows of different levels."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from metaeval.arrays import Array, Bools, Floats, Indices, Integers, Ints
from metaeval.stats._arrays import in_shape, nan_lowest, one_row, signs_against, systems_first
from metaeval.stats.intervals import LEVEL, share_interval
from metaeval.stats.ratio import divide


def all_pairs(systems: int) -> Indices:
    """All pairs of systems, each once, (P, 2)."""
    return np.stack(np.triu_indices(systems, k=1), axis=1)


class LevelOrder(NamedTuple):
    """How often values grow with the levels of their rows; arrays (M,).

    share: of the pairs of rows of different levels in which the higher level has the higher value; ties count ½.
    """

    share: Floats
    low: Floats
    high: Floats
    p: Floats
    pairs: Ints


def level_order(values: Floats, levels: Integers, clusters: Integers) -> LevelOrder:
    """Whether values grow with the levels of their rows, with a jackknife over clusters of rows.

    The share is (D + 1) / 2 of Somers' D of the values given the levels. Intervals and tests are by Student's t of its
    log odds, with degrees of freedom by the effective number of clusters N² / Σm², and a standard error of at least
    that with one more cluster in which the levels do not matter; p is at least that of a sign test in which all
    clusters agree. For a share of 0 or 1, or ½ in all clusters, each cluster counts as one unit of `share_interval`.

    values: (M, N) of N rows; rows with NaN do not count. levels: (N,), level of each row, from 0; negative for
    rows without one. clusters: (N,), cluster of each row, from 0.
    """
    rows = [_level_order(row, levels, clusters) for row in values]
    share, low, high, p, pairs = zip(*rows, strict=True) if rows else ((),) * 5
    return LevelOrder(np.array(share), np.array(low), np.array(high), np.array(p), np.array(pairs, dtype=np.int64))


def _level_order(values: Floats, levels: Integers, clusters: Integers) -> tuple[float, float, float, float, int]:
    """Share, low, high, p and pairs of one row of `level_order`."""
    from scipy.special import expit, logit, stdtr, stdtrit

    is_valid = ~np.isnan(values) & (levels >= 0)
    levels = levels[is_valid]
    ranks, codes = (np.unique(array, return_inverse=True)[1] for array in (values[is_valid], clusters[is_valid]))
    wins, pairs = _pairs_of_rows(ranks, levels, np.zeros_like(codes))
    nan = float("nan")
    if not pairs.any():
        return nan, nan, nan, nan, 0
    # Each pair counts twice, once from either row; pairs within a cluster would be left out twice.
    within = _pairs_of_rows(ranks, levels, codes)
    wins_of, pairs_of = (
        2 * np.bincount(codes, every) - np.bincount(codes, inner)
        for every, inner in zip((wins, pairs), within, strict=True)
    )
    share, number = float(wins.sum() / pairs.sum()), int(pairs.sum()) // 2
    without = divide(wins.sum() - wins_of, pairs.sum() - pairs_of)
    groups = len(without)
    if groups < 2 or np.isnan(without).any():
        return share, nan, nan, nan, number
    if share in (0.0, 1.0) or (np.abs(np.append(without, share) - 0.5) < 1e-12).all():
        interval = share_interval(np.full(groups, share), np.ones(groups))
        return share, float(interval.low), float(interval.high), float(interval.p), number
    sizes = np.bincount(codes)
    freedom = float(sizes.sum() ** 2 / (sizes**2).sum()) - 1
    # Around the share, because weights by size underestimate the error of clusters of different sizes.
    error = np.sqrt((groups - 1) / groups * ((without - share) ** 2).sum())
    # As with one more cluster in which the levels do not matter, because few clusters may agree by chance.
    error = max(float(error), abs(share - 0.5) / (groups + 1))
    # Of the log odds, because shares near 1 are skewed.
    error /= share * (1 - share)
    odds, half = float(logit(share)), float(stdtrit(freedom, (1 + LEVEL) / 2)) * error
    p = max(2 * float(stdtr(freedom, -abs(odds) / error)), 2.0 ** (1 - groups))
    low, high = float(expit(odds - half)), float(expit(odds + half))
    if p > 1 - LEVEL:
        low, high = min(low, 0.5), max(high, 0.5)
    return share, low, high, p, number


def _pairs_of_rows(ranks: Integers, levels: Integers, groups: Integers) -> tuple[Floats, Floats]:
    """For each row, the pairs with rows of other levels of its group: in how many the higher level wins, and all."""
    width = int(ranks.max(initial=0)) + 1
    begin = groups.astype(np.int64) * width
    keys = begin + ranks
    wins, pairs = np.zeros(len(keys)), np.zeros(len(keys))
    for level in np.unique(levels):
        level_keys = np.sort(keys[levels == level])
        first, last = np.searchsorted(level_keys, begin), np.searchsorted(level_keys, begin + width)
        less, up_to = np.searchsorted(level_keys, keys), np.searchsorted(level_keys, keys, side="right")
        lower = np.where(levels > level, less - first, last - up_to)
        other = levels != level
        wins += other * (lower + (up_to - less) / 2)
        pairs += other * (last - first)
    return wins, pairs


COMPARE_ALL_PAIRS_UP_TO = 100
"""Number of systems above which sorting is faster than comparing every pair."""

CELLS_PER_SYSTEM = 4
"""Cells of a table of the values of both rankings, per system, up to which counting them is faster than sorting."""

COMPARE_WITHIN = 16
"""Size of groups up to which comparing all pairs is faster than splitting."""


@dataclass(frozen=True)
class PairCounts:
    """Numbers of pairs of systems by their order in two rankings; every attribute is (...)."""

    concordant: Array
    discordant: Array
    tied_x: Array
    tied_y: Array
    pairs: Array | int


def count_pairs(x: ArrayLike, y: ArrayLike) -> PairCounts:
    """Count the pairs of systems in two rankings, (..., S); NaN ranks last, and NaN ties with NaN."""
    x, y = nan_lowest(x, y)
    if x.shape[-1] <= COMPARE_ALL_PAIRS_UP_TO:
        return _by_comparison(x, y)
    return _in_tables(x, y) or _by_sorting(x, y)


def tau_b(counts: PairCounts) -> Floats:
    """Kendall's tau-b (...) from counts of pairs; NaN where a ranking is constant."""
    untied_x = (counts.pairs - counts.tied_x).astype(np.float64)
    untied_y = (counts.pairs - counts.tied_y).astype(np.float64)
    # One root of the product is exact where the factors are equal, so equal rankings have exactly 1.
    return divide(counts.concordant - counts.discordant, np.sqrt(untied_x * untied_y))


def tau_a(counts: PairCounts) -> Floats:
    """Kendall's tau-a (...): pairs that are tied in x are neither; NaN where y is constant."""
    return divide(counts.concordant - counts.discordant, np.where(counts.tied_y == counts.pairs, 0, counts.pairs))


def tau_c(counts: PairCounts, levels: Array, length: Array) -> Floats:
    """Stuart's tau-c (...); levels: number of distinct scores in x or y, the smaller one. length: of the rankings."""
    balance = counts.concordant - counts.discordant
    return divide(balance * levels * (length - 1), counts.pairs * length * (levels - 1))


def pair_accuracy(counts: PairCounts) -> Floats:
    """Share (...) of the pairs that have the same order, or are tied, in both rankings."""
    tied_both = counts.concordant + counts.discordant - counts.pairs + counts.tied_x + counts.tied_y
    return divide(counts.concordant + tied_both, counts.pairs)


COEFFICIENTS_OF_COUNTS: dict[str, Callable[[PairCounts], Floats]] = {
    "kendall-b": tau_b,
    "kendall-a": tau_a,
    "pairwise-accuracy": pair_accuracy,
}
"""Coefficients of counts of pairs by name, as in `association.COEFFICIENTS`."""


def _by_comparison(x: Floats, y: Floats) -> PairCounts:
    """Counts by comparing every system with those after it, for all rankings at once."""
    shape, systems = x.shape[:-1], x.shape[-1]
    # A ranking that is compared with many is compared with itself once.
    xs, ys = systems_first(one_row(x)), systems_first(one_row(y))
    balance, tied_either, tied_x, tied_y = np.zeros((4, math.prod(shape)), dtype=np.int64)
    for first in range(systems - 1):
        sign_x, sign_y = signs_against(xs, first), signs_against(ys, first)
        product = sign_x * sign_y
        balance += np.add.reduce(product, axis=0, dtype=np.int16)
        # Most systems have no ties.
        if np.count_nonzero(product) < product.size:
            tied_either += np.count_nonzero(product == 0, axis=0)
            tied_x += np.count_nonzero(sign_x == 0, axis=0)
            tied_y += np.count_nonzero(sign_y == 0, axis=0)
    pairs = systems * (systems - 1) // 2
    untied_pairs = pairs - tied_either
    counts = ((untied_pairs + balance) // 2, (untied_pairs - balance) // 2, tied_x, tied_y)
    concordant, discordant, tied_x, tied_y = (in_shape(count, shape) for count in counts)
    return PairCounts(concordant, discordant, tied_x, tied_y, pairs)


def _in_tables(x: Floats, y: Floats) -> PairCounts | None:
    """Counts from a table of the values of both rankings; None where there are many values."""
    shape, systems = x.shape[:-1], x.shape[-1]
    limit = CELLS_PER_SYSTEM * systems
    # The first rankings tell in most cases that there are many values.
    if not x.size or math.prod(len(np.unique(scores.reshape(-1, systems)[0])) for scores in (x, y)) > limit:
        return None
    levels = [np.unique(scores) for scores in (x, y)]
    if len(levels[0]) * len(levels[1]) > limit:
        return None
    x_codes = np.searchsorted(levels[0], x.reshape(-1, systems))
    y_codes = np.searchsorted(levels[1], y.reshape(-1, systems))
    rankings, table = len(x_codes), (len(levels[0]), len(levels[1]))
    first = np.arange(rankings)[:, np.newaxis] * (table[0] * table[1])
    cells = np.bincount((first + x_codes * table[1] + y_codes).ravel(), minlength=rankings * table[0] * table[1])
    counts = cells.reshape(rankings, *table)
    below = np.cumsum(counts[:, :-1], axis=1)
    cumulative = np.cumsum(below, axis=2)
    # Systems with a lower x: those with a lower y are concordant, those with a higher one discordant.
    concordant = np.einsum("bij,bij->b", counts[:, 1:, 1:], cumulative[:, :, :-1])
    discordant = np.einsum("bij,bij->b", counts[:, 1:, :-1], cumulative[:, :, -1:] - cumulative[:, :, :-1])
    sizes = (counts.sum(axis=axis) for axis in (2, 1))
    tied_x, tied_y = ((size * (size - 1) // 2).sum(axis=1) for size in sizes)
    concordant, discordant, tied_x, tied_y = (
        count.reshape(shape) for count in (concordant, discordant, tied_x, tied_y)
    )
    return PairCounts(concordant, discordant, tied_x, tied_y, systems * (systems - 1) // 2)


def _by_sorting(x: Floats, y: Floats) -> PairCounts:
    """Counts by Knight's (1966) algorithm: sorted by x, the discordant pairs are the inversions of y."""
    shape, systems = x.shape[:-1], x.shape[-1]
    rows_x, rows_y = x.reshape(-1, systems), y.reshape(-1, systems)
    by_y = np.argsort(rows_y, axis=1)
    rows_x, rows_y = np.take_along_axis(rows_x, by_y, axis=1), np.take_along_axis(rows_y, by_y, axis=1)
    by_x = np.argsort(rows_x, axis=1)
    tied_x = _tied_neighbours(np.take_along_axis(rows_x, by_x, axis=1))
    if tied_x.any():
        # A stable order takes several times as long.
        by_x = np.argsort(rows_x, axis=1, kind="stable")
    tied_y = _tied_neighbours(rows_y)
    # The order by x, then y, of systems sorted by y contains their positions in y.
    position, tied_both = by_x, np.zeros(len(by_x), dtype=np.int64)
    if tied_y.any():
        level = np.zeros(rows_y.shape, dtype=np.int64)
        np.cumsum(~tied_y, axis=1, out=level[:, 1:])
        level = np.take_along_axis(level, by_x, axis=1)
        tied_both = _pairs_in_runs(tied_x & _tied_neighbours(level))
        # Ties in y get positions in their current order, so that they are no inversions.
        position = np.empty_like(by_x)
        order = np.argsort(level, axis=1, kind="stable")
        np.put_along_axis(position, order, np.broadcast_to(np.arange(systems), order.shape), axis=1)
    pairs = systems * (systems - 1) // 2
    ties_x, ties_y, discordant = _pairs_in_runs(tied_x), _pairs_in_runs(tied_y), _count_inversions(position)
    concordant = pairs - ties_x - ties_y + tied_both - discordant
    return PairCounts(
        concordant.reshape(shape), discordant.reshape(shape), ties_x.reshape(shape), ties_y.reshape(shape), pairs
    )


def _tied_neighbours(sorted_rows: Floats | Ints) -> Bools:
    tied: Bools = sorted_rows[:, 1:] == sorted_rows[:, :-1]
    return tied


def _pairs_in_runs(tied: Bools) -> Ints:
    """Number of tied pairs, (B,), from the ties of neighbours: each position is tied with all before it in its run."""
    if not tied.any():
        return np.zeros(len(tied), dtype=np.int64)
    positions = np.arange(1, tied.shape[1] + 1)
    run_began = np.maximum.accumulate(np.where(tied, 0, positions), axis=1)
    return np.asarray(np.where(tied, positions - run_began, 0).sum(axis=1, dtype=np.int64))


def _count_inversions(permutations: Integers) -> Ints:
    """Number of inversions of permutations of 0 … S − 1, (B, S), as (B,).

    The highest bit splits a permutation into small and large values; every large value before a small one is an
    inversion. The inversions among the small and among the large values follow bit by bit.
    """
    batch, size = permutations.shape
    bits = max(1, int(size - 1).bit_length())
    width = 1 << bits
    # Padding to a power of two by larger values in order makes the halves of every split equal.
    values = np.empty((batch, width), dtype=np.uint16 if width <= 1 << 16 else np.uint32)
    values[:, :size] = permutations
    values[:, size:] = np.arange(size, width)
    inversions = np.zeros(batch, dtype=np.int64)
    half = width // 2
    while 2 * half > COMPARE_WITHIN:
        groups = values.reshape(batch, width // (2 * half), 2 * half)
        small = (groups & half) == 0
        # The z-th small value follows (position − z) large ones.
        positions = small.astype(np.float64) @ np.arange(2 * half, dtype=np.float64)
        inversions += (positions - half * (half - 1) // 2).sum(axis=1).astype(np.int64)
        halves = (groups[mask].reshape(batch, width // (2 * half), half) for mask in (small, ~small))
        values = np.concatenate(list(halves), axis=2)
        half //= 2
    groups = values.reshape(batch, width // (2 * half), 2 * half)
    for first in range(2 * half - 1):
        inversions += np.count_nonzero(groups[:, :, [first]] > groups[:, :, first + 1 :], axis=(1, 2))
    return inversions
