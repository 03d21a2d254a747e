"""Orders of the ratings of pairs of annotators by sorting, where comparing all units with each other would be slow."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from metaeval.stats.rank import runs_of_ties

Numbers = NDArray[np.float64]
Codes = NDArray[np.intp]


@dataclass(frozen=True)
class Order:
    """The order of the ratings of K pairs; every attribute is (K, n).

    Attributes
    ----------
    low
        Number of lower ratings.
    high
        Number of ratings up to it.
    position
        Position in the sorted ratings.
    """

    low: Codes
    high: Codes
    position: Codes

    @classmethod
    def of(cls, table: Numbers) -> Order:
        """The order of a table of ratings.

        Parameters
        ----------
        table : array (K, n)
            Ratings; NaN is last.
        """
        order, first, last = runs_of_ties(table)
        low, high, position = np.empty((3, *order.shape), dtype=np.intp)
        places = np.broadcast_to(np.arange(order.shape[1]), order.shape)
        for own, values in ((low, first - 1), (high, last), (position, places)):
            np.put_along_axis(own, order, values, axis=1)
        return cls(low, high, position)

    def signs(self, cells: tuple[Codes, Codes], segment: Codes, owner: Codes) -> Numbers:
        """Sums of the signs of the ratings of each segment minus all ratings of their pair.

        Parameters
        ----------
        cells : tuple of array (I,)
            Pair and column of each rating of the segments.
        segment : array (I,)
            Its segment, from 0 on.
        owner : array (R,)
            Pair of each segment.

        Returns
        -------
        array (R, n)
        """
        chosen = np.zeros((len(owner), self.low.shape[1] + 1), dtype=np.int32)
        chosen[segment, self.position[cells] + 1] = 1
        np.cumsum(chosen, axis=1, out=chosen)
        below, upto = (np.take_along_axis(chosen, ends[owner], axis=1) for ends in (self.low, self.high))
        return np.asarray(chosen[:, -1:] - below - upto, dtype=np.float64)


def sums_of_orders(x: Numbers, y: Numbers, place: Codes) -> Numbers:
    """Sums over all rows of the same place of the products of signs of differences.

    The cost is that of sorting, not that of comparing all rows with each other.

    Parameters
    ----------
    x, y : array (I,)
        Ratings.
    place : array (I,)
        Place of each row, from 0 on.

    Returns
    -------
    array (3, I)
        For each row the sums of sgn(x − x') sgn(y − y'), of sgn(x − x')² and of sgn(y − y')².

    Examples
    --------
    >>> sums_of_orders(np.array([1.0, 2, 3]), np.array([1.0, 3, 3]), np.array([0, 0, 0])).tolist()
    [[2.0, 1.0, 1.0], [2.0, 2.0, 2.0], [2.0, 1.0, 1.0]]
    """
    by_x, low_x, high_x = _sorted(x, place)
    by_y, low_y, high_y = _sorted(y, place)
    sizes = np.bincount(place)
    first = (np.cumsum(sizes) - sizes)[place]
    position = np.empty(len(x), dtype=np.intp)
    position[by_y] = np.arange(len(x))
    # Rows of earlier places come before those of this place in both orders.
    tied = bool((high_x - low_x > 1).any() or (high_y - low_y > 1).any())
    corners = [(low_x, low_y), (low_x, high_y), (high_x, low_y), (high_x, high_y)] if tied else [(low_x, low_y)]
    before, below = (np.concatenate(ends) for ends in zip(*corners, strict=True))
    counts = _count_below(position[by_x], before, below).reshape(len(corners), -1) - first
    inside = counts.sum(axis=0) if tied else 4 * counts[0] + 1
    size, ends = sizes[place], low_x + high_x + low_y + high_y - 4 * first
    return np.stack([size + inside - ends, size - (high_x - low_x), size - (high_y - low_y)]).astype(np.float64)


def _sorted(values: Numbers, place: Codes) -> tuple[Codes, Codes, Codes]:
    """The order by place and value, and for each row the first position of its ties and that after their last."""
    order = np.lexsort((values, place))
    new = (np.diff(values[order], prepend=np.nan) != 0) | (np.diff(place[order], prepend=-1) != 0)
    starts = np.flatnonzero(new)
    tie = np.empty(len(values), dtype=np.intp)
    tie[order] = np.cumsum(new) - 1
    return order, starts[tie], np.append(starts[1:], len(values))[tie]


def _count_below(permutation: Codes, before: Codes, below: Codes) -> Codes:
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
