"""Coefficients of all pairs of annotators at once, on the units that both rated, and without each group of units.

The units of a pair are in rows. What leaving out a group changes is a sum over the rows of its units, so that
replicates need no second pass, and a pair costs nothing for the units and groups that it does not share.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
from numpy.typing import ArrayLike, NDArray

from metaeval.grid import round_to_grid
from metaeval.stats._arrays import as_ratings
from metaeval.stats._ratings.orders import Order, sums_of_orders
from metaeval.stats.rank import mean_ranks
from metaeval.stats.ratio import divide

Numbers = NDArray[np.float64]
Codes = NDArray[np.intp]

CELLS = 1 << 19
"""Number of cells of units × units of the pairs that are computed together, or of a part of one pair."""

COMPARE_UP_TO = 500
"""Number of units of a pair above which sorting them is faster than comparing all of them."""

_MAX_DISTANCES = 1 << 24
"""Number of pairs of values from which their distances are not stored."""

_CONSTANT = 1e-12
"""Variance relative to the mean square up to which it is a rounding error."""


@dataclass(frozen=True, eq=False)
class PairCoefficients:
    """A coefficient of K pairs.

    Attributes
    ----------
    values
        Its values, (K,); NaN where undefined.
    without
        Mean over the pairs with a value if the units of each group are left out, (G,); NaN if one of them has none.
    """

    values: Numbers
    without: Numbers


def pair_coefficients(
    ratings: ArrayLike, names: Sequence[str], groups: Codes | None = None, *, cells: int = CELLS
) -> dict[str, PairCoefficients]:
    """Coefficients of all pairs of annotators on the units that both rated, and their jackknife over groups of units.

    Parameters
    ----------
    ratings : array_like (A, U)
        Ratings, NaN where missing.
    names
        Those of the coefficients: `pearson`, `spearman`, `kendall-b`, or `none`, `linear` and `quadratic` for Cohen's
        kappa with these weights.
    groups : array (U,), optional
        Group of each unit, all numbers from 0 on; every unit is one by default.
    cells
        Approximate limit of the cells in memory; no result depends on it.

    Returns
    -------
    dict
        The coefficients by name, for the pairs in the order of `numpy.triu_indices`.

    Examples
    --------
    >>> kappa = pair_coefficients([[0, 1, 1, 0], [0, 1, 0, 0], [1, 1, 1, 0]], ["none"])["none"]
    >>> kappa.values.round(2).tolist(), kappa.without.round(2).tolist()
    ([0.5, 0.5, 0.2], [0.6, 0.13, 0.6, 0.13])
    """
    ratings = as_ratings(ratings)
    one, other = np.triu_indices(len(ratings), 1)
    known = (~np.isnan(ratings)).astype(np.float32)
    shared = np.rint(known @ known.T).astype(np.intp)[one, other]
    return _coefficients((ratings, ratings), (one, other), shared, names, groups, cells)


def coefficients_with_others(
    ratings: ArrayLike, names: Sequence[str], groups: Codes | None = None, *, cells: int = CELLS
) -> dict[str, PairCoefficients]:
    """Coefficients of each annotator with the mean of the others, whose average is an upper bound for measures.

    The units of an annotator are those that another annotator rated, too.

    Parameters
    ----------
    ratings, names, groups, cells
        As of `pair_coefficients`.

    Returns
    -------
    dict
        The coefficients by name, of each annotator.

    Examples
    --------
    >>> coefficients_with_others([[0, 1, 1, 0], [0, 1, 0, 0]], ["none"])["none"].values.tolist()
    [0.5, 0.5]
    """
    ratings = as_ratings(ratings)
    known = ~np.isnan(ratings)
    others = 1 - np.eye(len(ratings))
    mean = divide(others @ np.where(known, ratings, 0.0), others @ known)
    mean = round_to_grid(mean, np.nanmax(np.abs(ratings), initial=0.0))
    each = np.arange(len(ratings))
    return _coefficients((ratings, mean), (each, each), (known & ~np.isnan(mean)).sum(axis=1), names, groups, cells)


def _coefficients(
    ratings: tuple[Numbers, Numbers],
    places: tuple[Codes, Codes],
    shared: Codes,
    names: Sequence[str],
    groups: Codes | None,
    cells: int,
) -> dict[str, PairCoefficients]:
    """Coefficients of pairs whose ratings are the rows at `places`; shared: number of units of each pair, (K,)."""
    units = ratings[0].shape[1]
    groups = np.arange(units) if groups is None else groups
    order = np.argsort(groups, kind="stable")
    groups = groups[order]
    first, second = (own[:, order] for own in ratings)
    known = ~np.isnan(first), ~np.isnan(second)
    values = {name: np.full(len(shared), np.nan) for name in names}
    change = {name: np.zeros(int(groups.max(initial=-1)) + 1) for name in names}
    for some in _together(shared, units, cells):
        one, other = (place[some] for place in places)
        pair = np.repeat(np.arange(len(some)), shared[some])
        unit = np.flatnonzero(known[0][one] & known[1][other]) - pair * units
        block = _Block(first[one[pair], unit], second[other[pair], unit], pair, groups[unit], cells)
        for name in names:
            values[name][some], without = COEFFICIENTS[name](block)
            changed = without - values[name][some][block.owner]
            changed = np.where(np.isnan(values[name][some][block.owner]), 0.0, changed)
            change[name] += np.bincount(block.group[block.starts], weights=changed, minlength=len(change[name]))
    return {name: PairCoefficients(own, _mean_without(own, change[name])) for name, own in values.items()}


def _mean_without(values: Numbers, change: Numbers) -> Numbers:
    known = values[~np.isnan(values)]
    return np.asarray(divide(known.sum() + change, len(known)))


def _together(shared: Codes, units: int, cells: int) -> Iterator[Codes]:
    """Pairs that share units, (K,), in blocks; those of a block share similar numbers of them."""
    order = np.argsort(-shared, kind="stable")[: int((shared > 0).sum())]
    begin = 0
    while begin < len(order):
        end = begin + max(1, cells // max(int(shared[order[begin]]) ** 2, units // 8))
        yield order[begin:end]
        begin = end


@dataclass(frozen=True)
class _Block:
    """The units of K pairs of annotators in rows, I in all: by pair, and of a pair by group.

    x, y: (I,) ratings. pair: (I,) number of the pair. group: (I,). A segment is the rows of a pair in a group.
    """

    x: Numbers
    y: Numbers
    pair: Codes
    group: Codes
    cells: int

    @cached_property
    def starts(self) -> Codes:
        """First row of each segment, (R,)."""
        new = (np.diff(self.pair, prepend=-1) != 0) | (np.diff(self.group, prepend=-1) != 0)
        return np.flatnonzero(new)

    @cached_property
    def segment(self) -> Codes:
        """Number of the segment of each row, (I,)."""
        return np.repeat(np.arange(len(self.starts)), np.diff(self.starts, append=len(self.pair)))

    @cached_property
    def owner(self) -> Codes:
        """Pair of each segment, (R,)."""
        return self.pair[self.starts]

    @cached_property
    def sizes(self) -> Codes:
        """Number of units of each pair, (K,)."""
        return np.bincount(self.pair)

    @cached_property
    def column(self) -> Codes:
        """Number of each row in its pair, (I,)."""
        return np.arange(len(self.pair)) - (np.cumsum(self.sizes) - self.sizes)[self.pair]

    def table(self, values: NDArray[np.generic], empty: float) -> NDArray[np.float64]:
        """Values of the rows as a table of pairs × units, (K, n), with `empty` after the last unit of a pair."""
        table = np.full((len(self.sizes), int(self.sizes.max())), empty)
        table[self.pair, self.column] = values
        return table

    @cached_property
    def tables(self) -> tuple[Numbers, Numbers, Numbers]:
        """Ratings of both, NaN after the last unit, and groups, −1 after it; (K, n) each."""
        return self.table(self.x, np.nan), self.table(self.y, np.nan), self.table(self.group, -1.0)

    @property
    def is_short(self) -> bool:
        """Whether comparing all units of a pair is faster than sorting them."""
        return int(self.sizes.max()) <= COMPARE_UP_TO

    @cached_property
    def first(self) -> Codes:
        """First segment of each pair, (K,)."""
        return np.flatnonzero(np.diff(self.owner, prepend=-1))

    def sums(self, rows: Numbers) -> Numbers:
        """Sums over the rows of each segment, (..., I) to (..., R)."""
        return rows if len(self.starts) == len(self.pair) else np.add.reduceat(rows, self.starts, axis=-1)

    def portions(self) -> Iterator[tuple[slice, slice]]:
        """Segments and their rows, in portions."""
        ends, begin = np.append(self.starts, len(self.pair)), 0
        at_once = max(1, self.cells // self.tables[0].shape[1])
        while begin < len(self.starts):
            end = max(begin + 1, int(np.searchsorted(ends, ends[begin] + at_once, side="right")) - 1)
            yield slice(begin, end), slice(ends[begin], ends[end])
            begin = end

    def signs(self, rows: slice) -> Iterator[NDArray[np.float32]]:
        """Signs of the ratings of rows minus all of their pair, of x and of y, (rows, n); 0 after the last unit."""
        for own, table in zip((self.x, self.y), self.tables[:2], strict=True):
            one, other = own[rows, np.newaxis], table[self.pair[rows]]
            yield ((one > other).view(np.int8) - (one < other).view(np.int8)).astype(np.float32)


def _pearson(block: _Block) -> tuple[Numbers, Numbers]:
    """From sums of deviations from the means of each pair, less those of the units of a group."""
    x, y = (own - (np.bincount(block.pair, weights=own) / block.sizes)[block.pair] for own in (block.x, block.y))
    rows = np.stack([np.ones_like(x), x, y, x * x, y * y, x * y])
    of_segments = block.sums(rows)
    total = np.add.reduceat(of_segments, block.first, axis=1)

    def product_moment(sums: Numbers, of_all: Numbers) -> Numbers:
        number, x, y, *squares, both = sums
        varying = (
            np.where(spread > _CONSTANT * largest, spread, 0.0)
            for spread, largest in zip(
                (own - divide(mean * mean, number, undefined=0.0) for own, mean in zip(squares, (x, y), strict=True)),
                of_all[3:5],
                strict=True,
            )
        )
        return _ratio(both - divide(x * y, number, undefined=0.0), np.prod(list(varying), axis=0))

    return product_moment(total, total), product_moment(total[:, block.owner] - of_segments, total[:, block.owner])


def _ratio(both: Numbers, squares: Numbers) -> Numbers:
    return np.clip(divide(both, np.sqrt(squares)), -1.0, 1.0)


def _spearman(block: _Block) -> tuple[Numbers, Numbers]:
    """Of ranks minus their mean: each is half a sum of signs, less those of the units of a group."""
    sizes, groups = block.sizes[:, np.newaxis], block.tables[2]
    sides = [] if block.is_short else [Order.of(table) for table in block.tables[:2]]
    ranks = [np.where(np.isnan(table), 0.0, 2 * mean_ranks(table) - sizes - 1) for table in block.tables[:2]]
    # Sums of squares of these whole numbers are exact below 2²⁴.
    ranks = [own.astype(np.float32 if own.shape[1] < 256 else np.float64) for own in ranks]
    without = []
    for segments, rows in block.portions():
        owner, single = block.owner[segments], segments.stop - segments.start == rows.stop - rows.start
        kept = groups[owner] != block.group[block.starts[segments], np.newaxis]
        lost: Iterable[NDArray[np.floating]]
        if sides:
            kept &= groups[owner] >= 0
            cells, segment = (block.pair[rows], block.column[rows]), block.segment[rows] - segments.start
            lost = (side.signs(cells, segment, owner) for side in sides)
        else:
            starts = block.starts[segments] - rows.start
            lost = (sign if single else np.add.reduceat(sign, starts, axis=0) for sign in block.signs(rows))
        without.append(_of_ranks(*((own[owner] + of_group) * kept for own, of_group in zip(ranks, lost, strict=True))))
    return _of_ranks(*ranks), np.concatenate(without)


def _of_ranks(x: NDArray[np.floating], y: NDArray[np.floating]) -> Numbers:
    both, of_x, of_y = (np.einsum("rn,rn->r", *pair).astype(np.float64) for pair in ((x, y), (x, x), (y, y)))
    return _ratio(both, of_x * of_y)


def _kendall(block: _Block) -> tuple[Numbers, Numbers]:
    """Tau-b from the pairs of units that both order alike, less those ordered differently, and from untied pairs."""
    sorting = (sums_of_orders(block.x, block.y, place) for place in (block.pair, block.segment))
    all_rows, within = _by_comparison(block) if block.is_short else sorting
    total = np.add.reduceat(block.sums(all_rows), block.first, axis=1)
    # Pairs with one unit in the group are counted from both units.
    remaining = total[:, block.owner] - block.sums(2 * all_rows - within)
    return _ratio(total[0], total[1] * total[2]), _ratio(remaining[0], remaining[1] * remaining[2])


def _by_comparison(block: _Block) -> tuple[Numbers, Numbers]:
    """Sums of products of signs of each row against all of its pair, and against those of its group, (3, I) each."""
    all_rows, within = np.empty((2, 3, len(block.pair)))
    for _, rows in block.portions():
        x, y = block.signs(rows)
        inside = (block.tables[2][block.pair[rows]] == block.group[rows, np.newaxis]).astype(np.float32)
        for counts, own in ((all_rows, (x, y)), (within, (x * inside, y * inside))):
            products = ((own[0], own[1]), (own[0], own[0]), (own[1], own[1]))
            counts[:, rows] = [np.einsum("rn,rn->r", *pair) for pair in products]
    return all_rows, within


def _cohen(block: _Block, *, weights: str) -> tuple[Numbers, Numbers]:
    """1 − observed / expected disagreement; expected is a product of how often each annotator gave each value."""
    values = len(np.unique(np.concatenate([block.x, block.y])))
    few = values <= max(block.sizes) and values**2 <= _MAX_DISTANCES
    of_y, of_x, within = (_distances_of_values if few else _distances_of_units)(block, weights)
    observed, by_x, by_y = block.sums(np.stack([_distance(block.x, block.y, weights), of_y, of_x]))
    total, expected = np.add.reduceat(np.stack([observed, by_x]), block.first, axis=1)
    kept = block.sizes[block.owner] - block.sums(np.ones(len(block.x)))
    remaining = expected[block.owner] - by_x - by_y + within
    remaining = np.where(remaining > _CONSTANT * expected[block.owner], remaining, 0.0)
    left = np.maximum(total[block.owner] - observed, 0.0)
    return 1 - block.sizes * divide(total, expected), 1 - kept * divide(left, remaining)


def _distance(one: Numbers, other: Numbers, weights: str) -> Numbers:
    """The disagreement of ratings, which broadcast; 0 where one is missing."""
    if weights == "none":
        return np.asarray((one != other) & ~np.isnan(other), dtype=np.float64)
    distance = np.nan_to_num(np.abs(one - other))
    return distance**2 if weights == "quadratic" else distance


def _distances_of_units(block: _Block, weights: str) -> tuple[Numbers, Numbers, Numbers]:
    """Sums of distances between all units of a pair: of each x from all y, of each y from all x, and in segments.

    Costs the sorting of the units, however many values there are.
    """
    of_y = _sums_of_distances(block.x, block.y, block.pair, weights)
    of_x = _sums_of_distances(block.y, block.x, block.pair, weights)
    if len(block.starts) == len(block.x):
        return of_y, of_x, _distance(block.x, block.y, weights)
    return of_y, of_x, np.add.reduceat(_sums_of_distances(block.x, block.y, block.segment, weights), block.starts)


def _sums_of_distances(own: Numbers, other: Numbers, place: Codes, weights: str) -> Numbers:
    """The distances of each rating from all others of the same place, summed, (I,); place: ascending from 0, (I,)."""
    values, codes = np.unique(np.concatenate([own, other]), return_inverse=True)
    keys = place * len(values) + codes.reshape(2, -1)
    order = np.argsort(keys[1], kind="stable")
    below, upto = (np.searchsorted(keys[1][order], keys[0], side=side) for side in ("left", "right"))
    sizes = np.bincount(place)
    end = np.cumsum(sizes)[place]
    start = end - sizes[place]
    if weights == "none":
        return np.asarray(sizes[place] - (upto - below), dtype=np.float64)
    if weights == "linear":
        # Equal ratings are left out, so that the sum is exactly 0 where all are equal.
        sums = np.concatenate([[0.0], np.cumsum(other[order])])
        lower = own * (below - start) - (sums[below] - sums[start])
        return np.asarray(lower + (sums[end] - sums[upto]) - own * (end - upto))
    means = np.bincount(place, other) / sizes
    spread = np.bincount(place, (other - means[place]) ** 2)[place]
    equal = (below == start) & (upto == end)
    return np.asarray(np.where(equal, 0.0, spread + sizes[place] * (own - means[place]) ** 2))


def _distances_of_values(block: _Block, weights: str) -> tuple[Numbers, Numbers, Numbers]:
    """The same from counts of values, where there are few."""
    values, codes = np.unique(np.stack([block.x, block.y]), return_inverse=True)
    distance = _distance(values[:, np.newaxis], values, weights)
    x, y = codes.reshape(2, -1)

    def counts(own: Codes, place: Codes, number: int) -> Numbers:
        cells = np.bincount(place * len(values) + own, minlength=number * len(values))
        return cells.reshape(number, len(values)).astype(np.float64)

    of_x, of_y = (counts(own, block.pair, len(block.sizes)) @ distance for own in (x, y))
    within, number = distance[x, y], len(block.starts)
    if number < len(x):
        of_x_within, of_y_within = (counts(own, block.segment, number) for own in (x, y))
        within = np.einsum("rv,rv->r", of_x_within @ distance, of_y_within)
    return of_y[block.pair, x], of_x[block.pair, y], within


COEFFICIENTS: dict[str, Callable[[_Block], tuple[Numbers, Numbers]]] = {
    "pearson": _pearson,
    "spearman": _spearman,
    "kendall-b": _kendall,
    **{weights: partial(_cohen, weights=weights) for weights in ("none", "linear", "quadratic")},
}
