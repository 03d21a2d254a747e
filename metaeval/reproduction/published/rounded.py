"""What statistics can be of numbers of which only the printed, rounded form is known.

A printed score stands for an interval, several for a box. What a statistic can be in that box is either found (values
that someone may have had, and what they give) or excluded by proof; no tolerance comes in.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product

import numpy as np
from numpy.typing import NDArray

from metaeval.reproduction.published.reading import Printed
from metaeval.stats.association import pearson

Numbers = NDArray[np.float64]

_MAX_VERTICES = 1 << 11


@dataclass(frozen=True, eq=False)
class Box:
    """Numbers known up to rounding: as printed, their least and their greatest values, each (N,)."""

    values: Numbers
    low: Numbers
    high: Numbers

    @classmethod
    def of(cls, cells: Sequence[Printed]) -> Box:
        """The box of printed cells.

        >>> Box.of([Printed("0.25"), Printed(".3")]).high.tolist()
        [0.255, 0.35]
        """
        ends = np.array([cell.interval for cell in cells], dtype=np.float64).reshape(-1, 2)
        return cls(np.array([cell.value for cell in cells], dtype=np.float64), ends[:, 0], ends[:, 1])

    @classmethod
    def exactly(cls, values: Sequence[float]) -> Box:
        """Numbers that were not rounded."""
        array = np.array(values, dtype=np.float64)
        return cls(array, array, array)

    @classmethod
    def mean(cls, boxes: Sequence[Box]) -> Box:
        """The box of the means of boxes, place by place."""
        parts = [np.mean([getattr(box, name) for box in boxes], axis=0) for name in ("values", "low", "high")]
        return cls(*parts)

    def vertices(self) -> Numbers:
        """Its corners, (2^N, N)."""
        ends = [(low,) if low == high else (low, high) for low, high in zip(self.low, self.high, strict=True)]
        return np.array(list(product(*ends)), dtype=np.float64)


@dataclass(frozen=True)
class PearsonRange:
    """Pearson's r in two boxes.

    reached: the least and the greatest that were found; as r is continuous, all between are reached, too.
    bounds: outside of which is proven to be nothing.
    """

    reached: tuple[float, float]
    bounds: tuple[float, float]


def pearson_range(one: Box, other: Box) -> PearsonRange:
    """What Pearson's r of two vectors can be, of at most 11 numbers each.

    Where r is positive in every pair of corners, it is nowhere lower than in the lowest of these: for fixed y the x
    with r ≥ t ≥ 0 are a convex cone, so that they hold the box if they hold its corners, and the same goes for y.
    The greatest r is searched for, and bounded by angles: that between two vectors of the boxes is at least the angle
    of those as printed, less the widest angles inside each box.
    """
    corners = [_directions(box.vertices()) for box in (one, other)]
    if max(map(len, corners)) > _MAX_VERTICES:
        raise ValueError(f"{len(one.values)} numbers are too many")
    products = corners[0] @ corners[1].T
    lowest, highest = float(products.min()), float(products.max())
    centres = [_directions(box.values[np.newaxis])[0] for box in (one, other)]
    # The cosine of the widest angle inside a box is in a corner, by the same argument.
    cosines = [float((of @ centre).min()) for of, centre in zip(corners, centres, strict=True)]
    widest = sum(float(np.arccos(min(cosine, 1.0))) if cosine >= 0 else np.pi for cosine in cosines)
    angle = float(np.arccos(np.clip(centres[0] @ centres[1], -1, 1)))
    outer = float(np.cos(min(angle + widest, np.pi))), float(np.cos(max(angle - widest, 0.0)))
    if lowest >= 0:
        outer = lowest, outer[1]
        highest = max(highest, _search(one, other))
    elif highest <= 0:
        outer = outer[0], highest
        lowest = min(lowest, -_search(one, Box(-other.values, -other.high, -other.low)))
    return PearsonRange((lowest, highest), outer)


def _directions(vectors: Numbers) -> Numbers:
    """Vectors less their means, of length 1, (K, N)."""
    centred = vectors - vectors.mean(axis=1, keepdims=True)
    return np.asarray(centred / np.linalg.norm(centred, axis=1, keepdims=True))


def _search(one: Box, other: Box) -> float:
    """A high r in two boxes: of one vector the best for the other, in turn, from where they are printed."""
    x, y = one.values, other.values
    best = float(pearson(x, y))
    for _ in range(50):
        x = _nearest(one, x, y)
        y = _nearest(other, y, x)
        found = float(pearson(x, y))
        if found <= best + 1e-12:
            break
        best = found
    return max(best, float(pearson(x, y)))


def _nearest(box: Box, start: Numbers, target: Numbers) -> Numbers:
    """The vector of a box that is most like a target up to shift and scale, by alternating least squares."""
    x = start
    for _ in range(200):
        slope, shift = np.polyfit(target, x, 1)
        moved = np.clip(slope * target + shift, box.low, box.high)
        if np.abs(moved - x).max() < 1e-12:
            break
        x = moved
    return x


def weighted_range(
    weights: Sequence[Sequence[float]], sums: Sequence[Printed], wanted: Sequence[float]
) -> tuple[float, float] | None:
    """What one weighted sum of numbers from 0 to 1 can be when others of the same numbers are known.

    weights: of each known sum, (K, C). sums: as printed. wanted: weights of the sum in question, (C,). None where no
    numbers have those sums.

    >>> low, high = weighted_range([[0.5, 0.5]], [Printed("0.20")], [0, 1])
    >>> round(low, 4), round(high, 4)
    (0.0, 0.41)
    """
    from scipy.optimize import linprog

    box, known = Box.of(sums), np.array(weights, dtype=np.float64)
    ends = []
    for sign in (1.0, -1.0):
        found = linprog(
            sign * np.array(wanted, dtype=np.float64),
            A_ub=np.vstack([known, -known]),
            b_ub=np.concatenate([box.high, -box.low]),
            bounds=(0, 1),
        )
        if found.status != 0 or found.fun is None:
            return None
        ends.append(sign * float(found.fun))
    return ends[0], ends[1]


def orders(box: Box) -> Iterator[tuple[int, ...]]:
    """Every ranking that numbers of a box can have, ties included, as places from 0, the lowest number first.

    An interval holds its lower end and not its upper one, as of rounded numbers.

    >>> list(orders(Box.of([Printed(".2"), Printed(".3"), Printed(".2")])))
    [(0, 1, 0), (0, 2, 1), (1, 2, 0)]
    """
    yield from _orders(tuple(box.low.tolist()), tuple(box.high.tolist()))


@lru_cache(maxsize=256)
def _orders(low: tuple[float, ...], high: tuple[float, ...]) -> tuple[tuple[int, ...], ...]:
    found: list[tuple[int, ...]] = []

    def extend(left: frozenset[int], places: dict[int, int], place: int, floor: float) -> None:
        if not left:
            found.append(tuple(places[number] for number in range(len(low))))
            return
        ceiling = min(high[number] for number in left)
        first = [number for number in sorted(left) if low[number] < ceiling]
        for block in _blocks(first):
            reach = max(floor, *(low[number] for number in block))
            rest = left - set(block)
            # Those left come after: none of them may end before the block can begin.
            if all(high[number] > reach for number in left) and all(high[number] > reach for number in rest):
                extend(rest, places | dict.fromkeys(block, place), place + 1, reach)

    extend(frozenset(range(len(low))), {}, 0, -np.inf)
    return tuple(sorted(found))


def _blocks(numbers: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Every set of one or more of the numbers."""
    for chosen in range(1, 1 << len(numbers)):
        yield tuple(number for place, number in enumerate(numbers) if chosen >> place & 1)


def told_order(places: Sequence[int], box: Box, names: Sequence[str]) -> str:
    """How an order breaks the ties of printed numbers, in words; '' where it breaks none.

    >>> told_order((0, 2, 1), Box.of([Printed(".2"), Printed(".3"), Printed(".2")]), "abc")
    'a below c'
    """
    told = []
    for one in range(len(names)):
        for other in range(one + 1, len(names)):
            now = (places[one] > places[other]) - (places[one] < places[other])
            if now != np.sign(box.values[one] - box.values[other]):
                told.append(f"{names[one]} {('level with', 'above', 'below')[now]} {names[other]}")
    return ", ".join(told)


def possible_places(box: Box, number: int) -> tuple[int, int]:
    """Lowest and highest place from 1, the highest first and ties sharing the best, that one of the numbers can have.

    >>> possible_places(Box.of([Printed(".2"), Printed(".3"), Printed(".2")]), 0)
    (2, 3)
    """
    above = [box.low[other] >= box.high[number] for other in range(len(box.low)) if other != number]
    maybe = [box.high[other] > box.low[number] for other in range(len(box.low)) if other != number]
    return 1 + sum(map(bool, above)), 1 + sum(map(bool, maybe))
