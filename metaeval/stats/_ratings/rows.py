"""The units that pairs of annotators share, in rows, and sums over them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from metaeval.arrays import Array, Floats, Indices
from metaeval.stats._ratings.bits import Bits
from metaeval.stats._ratings.orders import Order


@dataclass(frozen=True)
class PairRows:
    """The units of K pairs of annotators in rows, I in all: by pair, and of a pair by group.

    x, y: (I,) ratings. pair: (I,) number of the pair. group: (I,). A segment is the rows of a pair in a group.
    places: annotators and unit of each row, for `bits`.
    """

    x: Floats
    y: Floats
    pair: Indices
    group: Indices
    places: tuple[tuple[Indices, Indices], tuple[Indices, Indices]]
    bits: Bits | None
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
        return (
            self.orders[0].concordances(self.orders[1]) if self.bits is None else self.bits.concordances(*self.places)
        )

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

    def totals(self, of_segments: NDArray[np.generic]) -> Array:
        """Sums over the segments of each pair, (..., R) to (..., K)."""
        return np.asarray(np.add.reduceat(of_segments, self.first, axis=-1))

    def portions(self) -> Iterator[slice]:
        """Segments in portions."""
        at_once = max(1, self.cells // int(self.sizes.max()))
        return (slice(begin, min(begin + at_once, len(self.starts))) for begin in range(0, len(self.starts), at_once))
