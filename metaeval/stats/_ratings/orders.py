"""Orders of ratings by sorting, where comparing all of them with each other would be slow."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from metaeval.arrays import Floats, Indices


@dataclass(frozen=True, eq=False)
class Order:
    """The order of rows that share a place, each with a rating; every attribute is (I,).

    order: the rows by place and rating. low, high: for each row, the position in `order` of the first of its ties, and
    that after the last. first, size: for each row, the position in `order` of the first row of its place, and the
    number of these rows.
    """

    order: Indices
    low: Indices
    high: Indices
    first: Indices
    size: Indices

    @classmethod
    def of(cls, values: Floats, place: Indices) -> Order:
        """The order of ratings.

        values: ratings, (I,). place: place of each row, all numbers from 0 on, (I,).
        """
        order = np.lexsort((values, place))
        new = (np.diff(values[order], prepend=np.nan) != 0) | (np.diff(place[order], prepend=-1) != 0)
        starts = np.flatnonzero(new)
        tie = np.empty(len(values), dtype=np.intp)
        tie[order] = np.cumsum(new) - 1
        sizes = np.bincount(place)
        first = np.cumsum(sizes) - sizes
        return cls(order, starts[tie], np.append(starts[1:], len(values))[tie], first[place], sizes[place])

    @cached_property
    def ties(self) -> Indices:
        """Number of equal ratings of the place, with the row's own, (I,)."""
        return self.high - self.low

    @cached_property
    def ranks(self) -> Indices:
        """Number of lower ratings of the place less that of higher ones, (I,)."""
        return self.low + self.high - 2 * self.first - self.size

    def sums(self, values: Indices) -> Indices:
        """Sums of the values (I,) of rows with lower ratings less those of rows with higher ones, (I,)."""
        total = np.concatenate([values[:1] * 0, np.cumsum(values[self.order])])
        return np.asarray(total[self.low] + total[self.high] - total[self.first] - total[self.first + self.size])

    def concordances(self, other: Order) -> Indices:
        """Sums over the rows of each place of the products of signs of differences of both ratings, (I,).

        The cost is that of sorting, not that of comparing all rows with each other.

        other: order of other ratings in the same places.

        >>> x, y = (Order.of(np.array(own), np.zeros(3, dtype=np.intp)) for own in ([1.0, 2, 3], [1.0, 3, 3]))
        >>> x.concordances(y).tolist()
        [2, 1, 1]
        """
        position = np.empty(len(self.low), dtype=np.intp)
        position[other.order] = np.arange(len(position))
        # Rows of earlier places come before those of this place in both orders.
        tied = bool((self.ties > 1).any() or (other.ties > 1).any())
        ends = [(self.low, other.low), (self.low, other.high), (self.high, other.low), (self.high, other.high)]
        before, below = (np.concatenate(own) for own in zip(*ends[: 4 if tied else 1], strict=True))
        counts = _count_below(position[self.order], before, below).reshape(-1, len(position)) - self.first
        inside = counts.sum(axis=0) if tied else 4 * counts[0] + 1
        return np.asarray(self.size + inside - self.low - self.high - other.low - other.high + 4 * self.first)


def lost_with_ties(ties: Indices, inside: Indices | int) -> Indices:
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
        """How many ratings of each segment are lower than that at each position of its place, less those higher.

        begin, end: the segments are those from `begin` to before `end`. lengths: number of positions of each, (B,).
        Returns the signs, and at how many positions each stands: twice the ratings of each segment, and one more.
        """
        ends = self._ends[self._bounds[begin] : self._bounds[end]]
        number = np.diff(self._bounds[begin : end + 1])
        last = np.cumsum(number + 1) - 1
        place = np.arange(len(ends)) + np.repeat(np.arange(end - begin), number)
        runs = np.zeros(len(ends) + end - begin, dtype=np.intp)
        runs[place], runs[last] = ends, lengths
        signs = np.arange(len(runs)) - np.repeat(last - number // 2, number + 1)
        runs[place + 1] -= ends
        return signs.astype(np.int32), runs


def _count_below(permutation: Indices, before: Indices, below: Indices) -> Indices:
    """How many of the first `before` numbers of a permutation of 0 … N − 1 are less than `below`, for each query.

    As in a wavelet tree, each bit parts the numbers that share all higher bits, in their order; numbers below a query
    are all those of the lower half where its bit is 1, and the search goes on in the other half.
    """
    size = len(permutation)
    counts, before = np.zeros(len(before), dtype=np.intp), before.copy()
    for bit in reversed(range(int(size).bit_length())):
        lower = ((permutation >> bit) & 1) == 0
        zeros = np.concatenate([[0], np.cumsum(lower)])
        # The numbers that share the higher bits stand together, as all of them occur.
        group = (below >> (bit + 1)) << (bit + 1)
        in_lower = zeros[group + before] - zeros[np.minimum(group, size)]
        upper = ((below >> bit) & 1) == 1
        counts += np.where(upper, in_lower, 0)
        before = np.where(upper, before - in_lower, in_lower)
        start = (permutation >> (bit + 1)) << (bit + 1)
        rank = zeros[:-1] - zeros[start]
        place = np.where(lower, start + rank, start + (1 << bit) + np.arange(size) - start - rank)
        parted = np.empty_like(permutation)
        parted[place] = permutation
        permutation = parted
    return counts
