"""Agreement of all annotators if groups of units are left out, one at a time, from sorted ratings.

A table of units × values for every choice of units would not fit in memory. Sums over units are those of the groups
that remain, and ranks of the values that remain are computed for some groups at a time.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from metaeval.arrays import Bools, Floats, Indices
from metaeval.stats._arrays import ratio_differences
from metaeval.stats._ratings.orders import LeftOut, Order, lost_with_ties
from metaeval.stats.ratio import divide

_CELLS = 1 << 18
"""Number of ratings × groups that are computed together."""

_FEW_VALUES = 32
"""Number of values up to which a table of values × values for each group is faster than ranks of all ratings."""

MOST_VALUES_OF_RATIO = 30_000
"""Number of values up to which all of them are compared with each other, within seconds."""

Level = Literal["nominal", "ordinal", "interval", "ratio"]


class _Rows:
    """The ratings of units with at least `least` of them, by value, and what remains of sums without a group.

    number: ratings of each unit, (U,). known: whether each rating counts, (A, U). values: (V,). unit, code: of each
    rating that counts, and `of_rows` its group, (R,). group: of units, (U,); number of groups: `groups`.
    """

    def __init__(self, ratings: Floats, group: Indices, groups: int, least: int) -> None:
        known = ~np.isnan(ratings)
        known &= known.sum(axis=0) >= least
        self.number, self.known, self.group, self.groups = known.sum(axis=0), known, group, groups
        self.unit = np.nonzero(known)[1]
        self.values, self.code = np.unique(ratings[known], return_inverse=True)
        self.counts = np.bincount(self.code, minlength=len(self.values))
        # Units that are never left out are in a group after the last.
        self.of_rows = np.where(group < 0, groups, group)[self.unit]

    def remaining(self, of_units: NDArray[np.generic]) -> Floats:
        """Sums over units (U,) without those of each group, (G,); nothing is subtracted, so that nothing cancels."""
        group = np.where(self.group < 0, self.groups, self.group)
        sums = np.concatenate([[0.0], np.bincount(group, weights=of_units, minlength=self.groups + 1)])
        before, after = np.cumsum(sums), np.cumsum(sums[::-1])[::-1]
        return np.asarray(before[:-2] + np.append(after[2:], 0.0)[: self.groups])

    def cells(self, weights: Floats | None = None) -> tuple[Indices, Indices, Floats]:
        """Group, value and sum of weights, by default the number, of the ratings of each group with each value."""
        own = self.of_rows < self.groups
        size = max(len(self.values), 1)
        keys, places = np.unique(self.of_rows[own] * size + self.code[own], return_inverse=True)
        sums = np.bincount(places, weights=None if weights is None else weights[own]).astype(np.float64)
        return keys // size, keys % size, sums

    def varying(self) -> Bools:
        """Whether more than one value remains without each group, (G,)."""
        group, value, number = self.cells()
        gone = np.bincount(group[number == self.counts[value]], minlength=self.groups)
        return np.asarray(len(self.values) - gone > 1)

    def squares(self, totals: Floats, weights: Floats | None = None) -> Floats:
        """Sums of squares of the totals of the values (V,) that remain without each group, (G,)."""
        group, value, sums = self.cells(weights)
        lost = np.bincount(group, weights=sums * (2 * totals[value] - sums), minlength=self.groups)
        return np.asarray((totals**2).sum() - lost)

    def equal(self) -> Floats:
        """Pairs of ratings of each unit that are equal, those of a rating with itself included, (U,)."""
        size = max(len(self.values), 1)
        keys, counts = np.unique(self.unit * size + self.code, return_counts=True)
        squares = np.bincount(keys // size, weights=counts.astype(np.float64) ** 2, minlength=len(self.number))
        return squares.astype(np.float64)


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
        place, every = np.repeat(np.arange(annotators), self._size), values.ravel()
        self.order, inside = Order.of(every, place), Order.of(every, segment)
        self._left = LeftOut(self.order, segment, annotators * self._groups)
        ties, lost = self.order.ties, np.zeros(groups + 1, dtype=np.intp)
        np.add.at(lost, np.tile(group, annotators), lost_with_ties(self.order.ties, inside.ties))
        kept = self._size - np.bincount(group, minlength=groups)[:groups]
        self.squares = (annotators * (kept**3 - kept) - (ties**2 - 1).sum() + lost[:groups]) / 3

    def lost(self, annotator: int, begin: int, end: int) -> NDArray[np.int32]:
        """What the rank at each position loses without each of some groups, and a 0 for no position, (B, I + 1)."""
        size, first = self._size + 1, annotator * self._groups
        lost = np.repeat(*self._left.signs(first + begin, first + end, np.full(end - begin, size))).reshape(-1, size)
        lost[:, -1] = 0
        return lost


def _blocks(groups: int, ratings: int) -> Iterator[tuple[int, int]]:
    """First group, and that after the last, of the groups that are computed together."""
    at_once = max(1, _CELLS // max(ratings, 1))
    return ((begin, min(begin + at_once, groups)) for begin in range(0, groups, at_once))


def alpha_without(ratings: Floats, group: Indices, groups: int, *, level: Level) -> Floats:
    """Krippendorff's alpha as `krippendorff_alpha` defines it, without each group of units.

    Parameters
    ----------
    ratings : array (A, U)
        Ratings, NaN where missing; at least 0 for level ratio.
    group : array (U,)
        Group of each unit, −1 for units that are never left out.
    groups
        Number of groups; one without units gives the value for all units.
    level
        Level of measurement.

    Returns
    -------
    array (G,)
    """
    rows = _Rows(ratings, group, groups, 2)
    pairable, others = rows.remaining(rows.number), np.maximum(rows.number - 1, 1)
    if level == "ordinal":
        of = _of_few_ranks if len(rows.values) <= _FEW_VALUES else _of_ranks
        observed, between = of(rows, others)
    else:
        if level == "nominal":
            within = rows.number**2 - rows.equal()
            between = pairable**2 - rows.squares(rows.counts.astype(np.float64))
        elif level == "ratio":
            within, between = _ratios_within(rows), _ratios_between(rows)
        else:
            # From the median, because sums of squares cancel less near the middle of most ratings.
            place = rows.values[rows.code] - (np.median(rows.values[rows.code]) if len(rows.code) else 0.0)
            sums, squares = (np.bincount(rows.unit, place**power, len(rows.number)) for power in (1, 2))
            within = 2 * (rows.number * squares - sums**2)
            between = 2 * (pairable * rows.remaining(squares) - rows.remaining(sums) ** 2)
        observed = rows.remaining(within / others)
    return np.asarray(1 - (pairable - 1) * divide(observed, np.where(rows.varying(), between, 0.0)))


def _of_ranks(rows: _Rows, others: Indices) -> tuple[Floats, Floats]:
    """Observed and expected disagreement of ranks among the ratings that remain without each group, (G,) each.

    Ranks minus their mean sum to 0, and are twice as far from each other as the places of their ratings.
    """
    left = _Remaining(rows.values[rows.code][np.newaxis], rows.of_rows, rows.groups)
    ranks, positions = np.zeros(rows.known.shape), np.full(rows.known.shape, len(rows.code))
    ranks[rows.known], positions[rows.known] = left.order.ranks, left.order.low
    observed = np.empty(rows.groups)
    for begin, end in _blocks(rows.groups, ranks.size):
        own = ranks - np.take(left.lost(0, begin, end), positions, axis=1)
        within = (rows.number * np.einsum("gau,gau->gu", own, own) - own.sum(axis=1) ** 2) / others
        within[rows.group == np.arange(begin, end)[:, np.newaxis]] = 0.0
        observed[begin:end] = within.sum(axis=1)
    return observed / 2, rows.remaining(rows.number) * left.squares / 2


def _of_few_ranks(rows: _Rows, others: Indices) -> tuple[Floats, Floats]:
    """The same from how often the ratings of a unit have each two values."""
    values, groups, units = len(rows.values), rows.groups, len(rows.number)
    group = np.where(rows.group < 0, groups, rows.group)
    counts = np.bincount(rows.unit * values + rows.code, minlength=units * values).reshape(units, values)
    cells = group[:, np.newaxis] * values + np.arange(values)

    def without(of_units: Floats) -> Floats:
        """Sums of (U, V) over the units without those of each group, (G, V)."""
        sums = np.bincount(cells.ravel(), of_units.ravel(), (groups + 1) * values).reshape(groups + 1, values)
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
    ratings = np.full(rows.known.shape, np.nan)
    ratings[rows.known] = rows.values[rows.code]
    sums = np.zeros(len(rows.number))
    for first in range(len(ratings) - 1):
        one, other = ratings[first], ratings[first + 1 :]
        sums += 2 * np.nansum(np.square(divide(one - other, one + other, undefined=0.0)), axis=0)
    return sums


def _ratios_between(rows: _Rows) -> Floats:
    """Sums of the ratio differences of all ratings that remain without each group, (G,)."""
    totals, values = rows.counts.astype(np.float64), rows.values
    of_values, at_once = np.empty(len(values)), max(1, _CELLS // max(len(values), 1))
    for begin in range(0, len(values), at_once):
        one = values[begin : begin + at_once, np.newaxis]
        of_values[begin : begin + at_once] = np.square(divide(one - values, one + values, undefined=0.0)) @ totals
    group, value, number = rows.cells()
    lost = np.bincount(group, number * of_values[value], rows.groups)
    # The values of each group in a row.
    sizes = np.bincount(group, minlength=rows.groups)
    column = np.arange(len(group)) - (np.cumsum(sizes) - sizes)[group]
    own, counts = np.zeros((2, rows.groups, int(sizes.max(initial=0))))
    own[group, column], counts[group, column] = values[value], number
    inside = np.zeros(rows.groups)
    for begin, end in _blocks(rows.groups, own.shape[1] ** 2):
        some = counts[begin:end]
        inside[begin:end] = np.einsum("gv,gw,gvw->g", some, some, ratio_differences(own[begin:end]), optimize=True)
    return totals @ of_values - 2 * lost + inside


def fleiss_without(ratings: Floats, group: Indices, groups: int) -> Floats:
    """Fleiss' kappa as `fleiss_kappa` defines it, without each group of units.

    Parameters
    ----------
    ratings : array (A, U)
        Codes of labels, NaN where missing.
    group : array (U,)
        Group of each unit, −1 for units that are never left out.
    groups
        Number of groups; one without units gives the value for all units.

    Returns
    -------
    array (G,)
    """
    rows = _Rows(ratings, group, groups, 1)
    number = rows.number
    agreeing = divide(rows.equal() - number, number * (number - 1), undefined=0.0)
    observed = divide(rows.remaining(agreeing), rows.remaining(number > 1))
    weights = 1 / number[rows.unit]
    shares = np.bincount(rows.code, weights=weights, minlength=len(rows.values)).astype(np.float64)
    expected = divide(rows.squares(shares, weights), rows.remaining(number > 0) ** 2)
    return divide(observed - expected, np.where(rows.varying(), 1 - expected, 0.0))


def concordance_without(ratings: Floats, group: Indices, groups: int) -> tuple[Floats, Floats]:
    """Kendall's W as `kendall_w` defines it, without each group of units.

    Parameters
    ----------
    ratings : array (A, U)
        Ratings; only units that all annotators rated count.
    group : array (U,)
        Group of each unit, from 0 on.
    groups
        Number of groups; one without units gives the value for all units.

    Returns
    -------
    w, uncorrected : array (G,)
        With the correction for ties, and without it.
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
        for annotator, own in enumerate(positions):
            sums -= np.take(remaining.lost(annotator, begin, end), own, axis=1)
        sums[group == np.arange(begin, end)[:, np.newaxis]] = 0.0
        between[begin:end] = np.einsum("gu,gu->g", sums, sums)
    number = units - np.bincount(group, minlength=groups).astype(np.float64)
    enough = (annotators > 1) & (within > 0)
    return divide(between, annotators * within * enough), divide(
        3 * between, annotators**2 * (number**3 - number) * enough
    )
