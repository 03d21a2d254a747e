"""Agreement of ratings if groups of units are left out one at a time, from sorted ratings.

A table of units × values for every choice of units would not fit in memory. Sums over units are those of the groups
that remain, and ranks of the values that remain are computed for some groups at a time.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from metaeval.arrays import Array, Bools, Floats, Indices
from metaeval.grid import in_units
from metaeval.stats._arrays import CountsBefore, ratio_differences
from metaeval.stats.ratio import divide


@dataclass(frozen=True, eq=False)
class Order:
    """The order of rows that share a stratum, each with a rating; every attribute is (I,).

    order: the rows by stratum and rating. low, high: for each row, the position in `order` of the first of its ties,
    and that after the last. first, size: for each row, the position in `order` of the first row of its stratum, and the
    number of these rows.
    """

    order: Indices
    low: Indices
    high: Indices
    first: Indices
    size: Indices

    @classmethod
    def of(cls, values: Floats, stratum: Indices) -> Order:
        """The order of ratings.

        values: ratings, (I,). stratum: that of each row, all numbers from 0 on, (I,).
        """
        order = np.lexsort((values, stratum))
        new = (np.diff(values[order], prepend=np.nan) != 0) | (np.diff(stratum[order], prepend=-1) != 0)
        starts = np.flatnonzero(new)
        tie = np.empty(len(values), dtype=np.intp)
        tie[order] = np.cumsum(new) - 1
        sizes = np.bincount(stratum)
        first = np.cumsum(sizes) - sizes
        return cls(order, starts[tie], np.append(starts[1:], len(values))[tie], first[stratum], sizes[stratum])

    @cached_property
    def ties(self) -> Indices:
        """Number of equal ratings of the stratum, with the row's own, (I,)."""
        return self.high - self.low

    @cached_property
    def ranks(self) -> Indices:
        """Number of lower ratings of the stratum less that of higher ones, (I,)."""
        return self.low + self.high - 2 * self.first - self.size

    def sums(self, values: Indices) -> Indices:
        """Sums of the values (I,) of rows with lower ratings less those of rows with higher ones, (I,)."""
        total = np.concatenate([values[:1] * 0, np.cumsum(values[self.order])])
        return np.asarray(total[self.low] + total[self.high] - total[self.first] - total[self.first + self.size])

    def concordances(self, other: Order) -> Indices:
        """Sums over the rows of each stratum of the products of signs of differences of both ratings, (I,).

        The cost is that of sorting, not that of comparing all rows with each other.

        other: order of other ratings in the same strata.

        >>> x, y = (Order.of(np.array(ratings), np.zeros(3, dtype=np.intp)) for ratings in ([1.0, 2, 3], [1.0, 3, 3]))
        >>> x.concordances(y).tolist()
        [2, 1, 1]
        """
        position = np.empty(len(self.low), dtype=np.intp)
        position[other.order] = np.arange(len(position))
        # Rows of earlier strata come before those of this stratum in both orders.
        tied = bool((self.ties > 1).any() or (other.ties > 1).any())
        ends = [(self.low, other.low), (self.low, other.high), (self.high, other.low), (self.high, other.high)]
        before, below = (np.concatenate(positions) for positions in zip(*ends[: 4 if tied else 1], strict=True))
        lower = CountsBefore(position[np.newaxis, self.order]).count(before[np.newaxis], below[np.newaxis])
        counts = lower.reshape(-1, len(position)) - self.first
        inside = counts.sum(axis=0) if tied else 4 * counts[0] + 1
        return np.asarray(self.size + inside - self.low - self.high - other.low - other.high + 4 * self.first)


def loss_with_ties(ties: Indices, inside: Indices | int) -> Indices:
    """What the sum of t³ − t over the ties of t ratings loses by each rating that is left out.

    ties: number of ratings that are equal to each rating that is left out. inside: how many of them are left out.
    """
    return np.asarray(3 * ties * (ties - inside) - 1 + inside**2)


class LeftOut:
    """What ranks lose where segments of the ratings are left out."""

    def __init__(self, order: Order, segment: Indices, segments: int) -> None:
        """Prepare the positions at which the ties of ratings begin and end.

        order: the order of ratings (I,). segment: segment of each rating, from 0 on, (I,). segments: number of
        segments.
        """
        ends = np.concatenate([order.low - order.first, order.high - order.first])
        both = np.concatenate([segment, segment])
        self._ends = ends[np.lexsort((ends, both))]
        self._bounds = np.concatenate([[0], np.cumsum(np.bincount(both, minlength=segments)[:segments])])

    def signs(self, begin: int, end: int, lengths: Indices) -> tuple[NDArray[np.int32], Indices]:
        """How many ratings of each segment are lower than that at each position of its stratum, less those higher.

        begin, end: the segments are those from `begin` to before `end`. lengths: number of positions of each, (B,).
        Returns the signs, and at how many positions each stands: twice the ratings of each segment, and one more.
        """
        ends = self._ends[self._bounds[begin] : self._bounds[end]]
        number = np.diff(self._bounds[begin : end + 1])
        last = np.cumsum(number + 1) - 1
        index = np.arange(len(ends)) + np.repeat(np.arange(end - begin), number)
        runs = np.zeros(len(ends) + end - begin, dtype=np.intp)
        runs[index], runs[last] = ends, lengths
        signs = np.arange(len(runs)) - np.repeat(last - number // 2, number + 1)
        runs[index + 1] -= ends
        return signs.astype(np.int32), runs


_CELLS = 1 << 18
"""Number of ratings × groups that are computed together."""

_FEW_VALUES = 32
"""Number of values up to which a table of values × values for each group is faster than ranks of all ratings."""

_COUNTED = 64
"""Range within which whole numbers are counted."""

MOST_VALUES_OF_RATIO = 30_000
"""Number of values up to which all of them are compared with each other, within seconds."""

Level = Literal["nominal", "ordinal", "interval", "ratio"]
Weights = Literal["none", "linear", "quadratic"]


def _distinct(ratings: Floats) -> tuple[Floats, Indices]:
    """As `numpy.unique` with the inverse; whole numbers within a small range are counted, which is faster."""
    low = ratings.min(initial=np.inf)
    if len(ratings) and ratings.max() - low < _COUNTED:
        codes = (ratings - low).astype(np.intp)
        if (codes == ratings - low).all():
            occurs = np.bincount(codes) > 0
            return low + np.flatnonzero(occurs), (np.cumsum(occurs) - 1)[codes]
    values, codes = np.unique(ratings, return_inverse=True)
    return values, codes


class _Rows:
    """The ratings of units with at least `least` of them, by value, and what remains of sums without a group.

    number: ratings of each unit, (U,). is_counted: whether each rating counts, (A, U). values: (V,). unit, code: of
    each rating that counts, and `row_groups` its group, (R,). group: of units, (U,); number of groups: `groups`.
    """

    def __init__(self, ratings: Floats, group: Indices, groups: int, least: int) -> None:
        is_counted = ~np.isnan(ratings)
        is_counted &= is_counted.sum(axis=0) >= least
        self.number, self.is_counted, self.group, self.groups = is_counted.sum(axis=0), is_counted, group, groups
        self.unit = np.nonzero(is_counted)[1]
        self.values, self.code = _distinct(ratings[is_counted])
        self.counts = np.bincount(self.code, minlength=len(self.values))
        # Units that are never left out are in a group after the last.
        self.row_groups = np.where(group < 0, groups, group)[self.unit]

    def remaining(self, unit_values: NDArray[np.generic]) -> Floats:
        """Sums over units (U,) without those of each group, (G,); nothing is subtracted, so that nothing cancels."""
        group = np.where(self.group < 0, self.groups, self.group)
        sums = np.concatenate([[0.0], np.bincount(group, weights=unit_values, minlength=self.groups + 1)])
        before, after = np.cumsum(sums), np.cumsum(sums[::-1])[::-1]
        return np.asarray(before[:-2] + np.append(after[2:], 0.0)[: self.groups])

    def cells(self, weights: Floats | None = None) -> tuple[Indices, Indices, Floats]:
        """Group, value and sum of weights, by default the number, of the ratings of each group with each value."""
        is_left_out = self.row_groups < self.groups
        size = max(len(self.values), 1)
        keys, inverse = np.unique(self.row_groups[is_left_out] * size + self.code[is_left_out], return_inverse=True)
        sums = np.bincount(inverse, weights=None if weights is None else weights[is_left_out]).astype(np.float64)
        return keys // size, keys % size, sums

    def varying(self) -> Bools:
        """Whether more than one value remains without each group, (G,)."""
        group, value, number = self.cells()
        gone = np.bincount(group[number == self.counts[value]], minlength=self.groups)
        return np.asarray(len(self.values) - gone > 1)

    def squares(self, totals: Floats, weights: Floats | None = None) -> Floats:
        """Sums of squares of the totals of the values (V,) that remain without each group, (G,)."""
        group, value, sums = self.cells(weights)
        losses = np.bincount(group, weights=sums * (2 * totals[value] - sums), minlength=self.groups)
        return np.asarray((totals**2).sum() - losses)

    def equal(self) -> Floats:
        """Pairs of ratings of each unit that are equal, those of a rating with itself included, (U,)."""
        size = max(len(self.values), 1)
        keys, counts = np.unique(self.unit * size + self.code, return_counts=True)
        squares = np.bincount(keys // size, weights=counts.astype(np.float64) ** 2, minlength=len(self.number))
        return squares.astype(np.float64)

    def agreement(self, same: Floats) -> Floats:
        """Mean share of pairs of ratings of a unit that agree, without each group, (G,); same: as in `equal`."""
        shares = divide(same - self.number, self.number * (self.number - 1), undefined=0.0)
        return divide(self.remaining(shares), self.remaining(self.number > 1))

    def squared_shares(self) -> Floats:
        """Sum of the squares of the shares of the values without each group, (G,); units have the same weight."""
        weights = 1 / self.number[self.unit]
        shares = np.bincount(self.code, weights=weights, minlength=len(self.values)).astype(np.float64)
        return divide(self.squares(shares, weights), self.remaining(self.number > 0) ** 2)


class _Remaining:
    """Ranks of ratings (I,) if groups of them are left out: the numbers of lower ratings less those of higher ones.

    Ratings of several annotators, I each, are ranked apart. order: of all, one annotator after the other. squares: sums
    of squares of all ranks without each group, (G,).
    """

    def __init__(self, values: Floats, group: Indices, groups: int) -> None:
        annotators, self._size = values.shape
        # Ratings that are never left out are in a group after the last.
        self._groups = groups + 1
        segment = (np.arange(annotators)[:, np.newaxis] * self._groups + group).ravel()
        annotator, every = np.repeat(np.arange(annotators), self._size), values.ravel()
        self.order, inside = Order.of(every, annotator), Order.of(every, segment)
        self._left = LeftOut(self.order, segment, annotators * self._groups)
        ties, loss = self.order.ties, np.zeros(groups + 1, dtype=np.intp)
        np.add.at(loss, np.tile(group, annotators), loss_with_ties(self.order.ties, inside.ties))
        remaining = self._size - np.bincount(group, minlength=groups)[:groups]
        self.squares = (annotators * (remaining**3 - remaining) - (ties**2 - 1).sum() + loss[:groups]) / 3

    def losses(self, annotator: int, begin: int, end: int) -> NDArray[np.int32]:
        """What the rank at each position loses without each of some groups, and a 0 for no position, (B, I + 1)."""
        size, first = self._size + 1, annotator * self._groups
        losses = np.repeat(*self._left.signs(first + begin, first + end, np.full(end - begin, size))).reshape(-1, size)
        losses[:, -1] = 0
        return losses


def _blocks(groups: int, ratings: int) -> Iterator[tuple[int, int]]:
    """First group, and that after the last, of the groups that are computed together."""
    at_once = max(1, _CELLS // max(ratings, 1))
    return ((begin, min(begin + at_once, groups)) for begin in range(0, groups, at_once))


def alpha_without(ratings: Floats, group: Indices, groups: int, *, level: Level) -> Floats:
    """Krippendorff's alpha as `krippendorff_alpha` defines it, without each group of units.

    ratings: (A, U), NaN where missing; at least 0 for level ratio. group: (U,), group of each unit, −1 for
    units that are never left out. Returns (G,).
    """
    rows = _Rows(ratings, group, groups, 2)
    pairable, others = rows.remaining(rows.number), np.maximum(rows.number - 1, 1)
    if level == "ordinal":
        disagreement = _few_rank_disagreement if len(rows.values) <= _FEW_VALUES else _rank_disagreement
        observed, between = disagreement(rows, others)
    else:
        if level == "nominal":
            within = rows.number**2 - rows.equal()
            between = pairable**2 - rows.squares(rows.counts.astype(np.float64))
        elif level == "ratio":
            within, between = _ratios_within(rows), _ratios_between(rows)
        else:
            # From the median, because sums of squares cancel less near the middle of most ratings.
            deviations = rows.values[rows.code]
            deviations = in_units(deviations - (np.median(deviations) if len(deviations) else 0.0))
            sums, squares = (np.bincount(rows.unit, deviations**power, len(rows.number)) for power in (1, 2))
            within = 2 * (rows.number * squares - sums**2)
            between = 2 * (pairable * rows.remaining(squares) - rows.remaining(sums) ** 2)
        observed = rows.remaining(within / others)
    return np.asarray(1 - (pairable - 1) * divide(observed, np.where(rows.varying(), between, 0.0)))


def _rank_disagreement(rows: _Rows, others: Indices) -> tuple[Floats, Floats]:
    """Observed and expected disagreement of ranks among the ratings that remain without each group, (G,) each.

    Ranks minus their mean sum to 0, and are twice as far from each other as the positions of their ratings.
    """
    left = _Remaining(rows.values[rows.code][np.newaxis], rows.row_groups, rows.groups)
    ranks, positions = np.zeros(rows.is_counted.shape), np.full(rows.is_counted.shape, len(rows.code))
    ranks[rows.is_counted], positions[rows.is_counted] = left.order.ranks, left.order.low
    observed = np.empty(rows.groups)
    for begin, end in _blocks(rows.groups, ranks.size):
        rest = ranks - np.take(left.losses(0, begin, end), positions, axis=1)
        within = (rows.number * np.einsum("gau,gau->gu", rest, rest) - rest.sum(axis=1) ** 2) / others
        within[rows.group == np.arange(begin, end)[:, np.newaxis]] = 0.0
        observed[begin:end] = within.sum(axis=1)
    return observed / 2, rows.remaining(rows.number) * left.squares / 2


def _few_rank_disagreement(rows: _Rows, others: Indices) -> tuple[Floats, Floats]:
    """The same from how often the ratings of a unit have each two values."""
    values, groups, units = len(rows.values), rows.groups, len(rows.number)
    group = np.where(rows.group < 0, groups, rows.group)
    counts = np.bincount(rows.unit * values + rows.code, minlength=units * values).reshape(units, values)
    cells = group[:, np.newaxis] * values + np.arange(values)

    def without(unit_values: Floats) -> Floats:
        """Sums of (U, V) over the units without those of each group, (G, V)."""
        sums = np.bincount(cells.ravel(), unit_values.ravel(), (groups + 1) * values).reshape(groups + 1, values)
        return np.asarray(sums.sum(axis=0) - sums[:groups])

    remaining = without(counts.astype(np.float64))
    upto = np.cumsum(remaining, axis=1)
    ranks = 2 * upto - remaining - upto[:, -1:]
    observed = np.einsum("gv,gv,gv->g", without(counts * (rows.number / others)[:, np.newaxis]), ranks, ranks)
    for value in range(values):
        both = without(counts * (counts[:, value] / others)[:, np.newaxis])
        observed -= ranks[:, value] * np.einsum("gv,gv->g", both, ranks)
    squares = np.einsum("gv,gv,gv->g", remaining, ranks, ranks)
    return observed / 2, rows.remaining(rows.number) * squares / 2


def _ratios_within(rows: _Rows) -> Floats:
    """Sums of the ratio differences of all ratings of each unit, (U,)."""
    ratings = np.full(rows.is_counted.shape, np.nan)
    ratings[rows.is_counted] = rows.values[rows.code]
    sums = np.zeros(len(rows.number))
    for first in range(len(ratings) - 1):
        one, other = ratings[first], ratings[first + 1 :]
        sums += 2 * np.nansum(np.square(divide(one - other, one + other, undefined=0.0)), axis=0)
    return sums


def _ratios_between(rows: _Rows) -> Floats:
    """Sums of the ratio differences of all ratings that remain without each group, (G,)."""
    totals, values = rows.counts.astype(np.float64), rows.values
    value_sums, at_once = np.empty(len(values)), max(1, _CELLS // max(len(values), 1))
    for begin in range(0, len(values), at_once):
        one = values[begin : begin + at_once, np.newaxis]
        value_sums[begin : begin + at_once] = np.square(divide(one - values, one + values, undefined=0.0)) @ totals
    group, value, number = rows.cells()
    losses = np.bincount(group, number * value_sums[value], rows.groups)
    # The values of each group in a row.
    sizes = np.bincount(group, minlength=rows.groups)
    column = np.arange(len(group)) - (np.cumsum(sizes) - sizes)[group]
    table, counts = np.zeros((2, rows.groups, int(sizes.max(initial=0))))
    table[group, column], counts[group, column] = values[value], number
    inside = np.zeros(rows.groups)
    for begin, end in _blocks(rows.groups, table.shape[1] ** 2):
        block = counts[begin:end]
        inside[begin:end] = np.einsum("gv,gw,gvw->g", block, block, ratio_differences(table[begin:end]), optimize=True)
    return totals @ value_sums - 2 * losses + inside


def fleiss_without(ratings: Floats, group: Indices, groups: int) -> Floats:
    """Fleiss' kappa as `fleiss_kappa` defines it, without each group of units.

    ratings: (A, U), codes of labels, NaN where missing. group: (U,), group of each unit, −1 for units that are never
    left out. Returns (G,).
    """
    rows = _Rows(ratings, group, groups, 1)
    observed, expected = rows.agreement(rows.equal()), rows.squared_shares()
    return divide(observed - expected, np.where(rows.varying(), 1 - expected, 0.0))


def gwet_without(ratings: Floats, group: Indices, groups: int, *, weights: Weights, values: Floats) -> Floats:
    """Gwet's AC1, or AC2 with weights, as `gwet_ac` defines it, without each group of units.

    ratings: (A, U), NaN where missing. group: (U,), group of each unit, −1 for units that are never left out. values:
    all that ratings can have. Returns (G,).
    """
    rows = _Rows(ratings, group, groups, 1)
    number, classes = rows.number, len(values)
    if weights == "none":
        same, total = rows.equal(), float(classes)
    else:
        power, span = (1 if weights == "linear" else 2), max(float(np.ptp(values)), 1e-300) if classes else 1.0
        valid_ratings = np.where(rows.is_counted, ratings, np.nan)
        disagreement = np.zeros(len(number))
        for one in valid_ratings:
            disagreement += np.nansum((np.abs(one - valid_ratings) / span) ** power, axis=0)
        same = number**2 - disagreement
        total = float((1 - (np.abs(values[:, np.newaxis] - values) / span) ** power).sum())
    observed = rows.agreement(same)
    expected = divide(np.asarray(total), np.asarray(classes * (classes - 1.0))) * (1 - rows.squared_shares())
    return divide(observed - expected, 1 - expected)


def expected_disagreement_without(ratings: Floats, group: Indices, groups: int) -> Floats:
    """Share of pairs of all ratings that differ, if each can be drawn twice, without each group of units.

    ratings: (A, U), NaN where missing; units with fewer than two do not count. group: (U,), group of each unit, −1 for
    units that are never left out. Returns (G,).
    """
    rows = _Rows(ratings, group, groups, 2)
    number = rows.remaining(rows.number)
    different = number**2 - rows.squares(rows.counts.astype(np.float64))
    return divide(different, number**2)


def concordance_without(ratings: Floats, group: Indices, groups: int) -> tuple[Floats, Floats]:
    """Kendall's W as `kendall_w` defines it, without each group of units.

    ratings: (A, U); only units that all annotators rated count. group: (U,), group of each unit, from 0 on.
    Returns (G,): with the correction for ties, and without it.
    """
    complete = ~np.isnan(ratings).any(axis=0)
    ratings, group = ratings[:, complete], group[complete]
    annotators, units = ratings.shape
    remaining = _Remaining(ratings, group, groups)
    ranks, within = remaining.order.ranks.reshape(ratings.shape).sum(axis=0), remaining.squares
    positions = (remaining.order.low - remaining.order.first).reshape(ratings.shape)
    between = np.zeros(groups)
    for begin, end in _blocks(groups, units):
        sums = np.broadcast_to(ranks, (end - begin, units)).astype(np.float64)
        for annotator, columns in enumerate(positions):
            sums -= np.take(remaining.losses(annotator, begin, end), columns, axis=1)
        sums[group == np.arange(begin, end)[:, np.newaxis]] = 0.0
        between[begin:end] = np.einsum("gu,gu->g", sums, sums)
    number = units - np.bincount(group, minlength=groups).astype(np.float64)
    enough = (annotators > 1) & (within > 0)
    return divide(between, annotators * within * enough), divide(
        3 * between, annotators**2 * (number**3 - number) * enough
    )


@dataclass(frozen=True)
class PairRows:
    """The units of K pairs of annotators in rows, I in all: by pair, and of a pair by group.

    x, y: (I,) ratings. pair: (I,) number of the pair. group: (I,). A segment is the rows of a pair in a group.
    """

    x: Floats
    y: Floats
    pair: Indices
    group: Indices
    cells: int

    @cached_property
    def starts(self) -> Indices:
        """First row of each segment, (R,)."""
        new = (np.diff(self.pair, prepend=-1) != 0) | (np.diff(self.group, prepend=-1) != 0)
        return np.flatnonzero(new)

    @cached_property
    def segment(self) -> Indices:
        """Number of the segment of each row, (I,)."""
        return np.repeat(np.arange(len(self.starts)), np.diff(self.starts, append=len(self.pair)))

    @cached_property
    def owner(self) -> Indices:
        """Pair of each segment, (R,)."""
        return self.pair[self.starts]

    @cached_property
    def sizes(self) -> Indices:
        """Number of units of each pair, (K,)."""
        return np.bincount(self.pair)

    @cached_property
    def orders(self) -> tuple[Order, Order]:
        """Orders of the ratings of both, in each pair."""
        return Order.of(self.x, self.pair), Order.of(self.y, self.pair)

    @cached_property
    def inside(self) -> tuple[Order, Order] | None:
        """The same in each segment; None if every row is one."""
        if len(self.starts) == len(self.pair):
            return None
        return Order.of(self.x, self.segment), Order.of(self.y, self.segment)

    @cached_property
    def concordances(self) -> Indices:
        """Sums of products of signs of both ratings of each row minus all of its pair, (I,)."""
        return self.orders[0].concordances(self.orders[1])

    @cached_property
    def values(self) -> tuple[Floats, Indices]:
        """The ratings that occur, (V,), and the number of each in x and y, (2, I)."""
        values, codes = np.unique(np.stack([self.x, self.y]), return_inverse=True)
        return values, codes.reshape(2, -1)

    @cached_property
    def first(self) -> Indices:
        """First segment of each pair, (K,)."""
        return np.flatnonzero(np.diff(self.owner, prepend=-1))

    def sums(self, rows: NDArray[np.generic]) -> Array:
        """Sums over the rows of each segment, (..., I) to (..., R)."""
        return np.asarray(rows if self.inside is None else np.add.reduceat(rows, self.starts, axis=-1))

    def totals(self, segment_sums: NDArray[np.generic]) -> Array:
        """Sums over the segments of each pair, (..., R) to (..., K)."""
        return np.asarray(np.add.reduceat(segment_sums, self.first, axis=-1))

    def without(self, segments: Indices) -> tuple[Indices, Indices]:
        """The rows of the pair of each of some segments but those of the segment, and which of these it is."""
        pairs = self.owner[segments]
        sizes = self.sizes[pairs]
        number = np.repeat(np.arange(len(segments)), sizes)
        begin = self.starts[self.first[pairs]] - (np.cumsum(sizes) - sizes)
        rows = np.arange(len(number)) + begin[number]
        others = self.segment[rows] != segments[number]
        return rows[others], number[others]

    def portions(self) -> Iterator[slice]:
        """Segments in portions."""
        at_once = max(1, self.cells // int(self.sizes.max()))
        return (slice(begin, min(begin + at_once, len(self.starts))) for begin in range(0, len(self.starts), at_once))
