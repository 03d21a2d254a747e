"""Possible values of statistics of rounded numbers.

A printed score stands for an interval, several scores for a box. A value of a statistic is possible if numbers in the
box give it, and impossible by proof; there is no tolerance.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from metaeval.reproduction.published.reading import Printed
from metaeval.stats.association import pearson

Numbers = NDArray[np.float64]

_MAX_VERTICES = 1 << 11


@dataclass(frozen=True, eq=False)
class Box:
    """Rounded numbers: as printed, and the lowest and highest values that round to them, each (N,)."""

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
        """The box of numbers that were not rounded."""
        array = np.array(values, dtype=np.float64)
        return cls(array, array, array)

    @classmethod
    def mean(cls, boxes: Sequence[Box]) -> Box:
        """The box of the means of boxes, element by element."""
        parts = [np.mean([getattr(box, name) for box in boxes], axis=0) for name in ("values", "low", "high")]
        return cls(*parts)

    def vertices(self) -> Numbers:
        """The vertices, (2^N, N)."""
        ends = [(low,) if low == high else (low, high) for low, high in zip(self.low, self.high, strict=True)]
        return np.array(list(product(*ends)), dtype=np.float64)


class PearsonRange(NamedTuple):
    """Pearson's r of vectors in two boxes.

    attained: the lowest and highest values found; r is continuous, so every value between is possible. bounds: values
    outside are impossible.
    """

    attained: tuple[float, float]
    bounds: tuple[float, float]


def pearson_range(one: Box, other: Box) -> PearsonRange:
    """The possible values of Pearson's r of two vectors of at most 11 numbers each.

    If r is positive for every pair of vertices, its minimum is at one of them: for fixed y the x with r ≥ t ≥ 0 form a
    convex cone, which contains the box if it contains its vertices, and likewise for y. The maximum is searched for,
    and bounded by angles: the angle between two vectors of the boxes is at least the angle between the printed vectors
    minus the widest angle inside each box.
    """
    vertices = [_directions(box.vertices()) for box in (one, other)]
    if max(map(len, vertices)) > _MAX_VERTICES:
        raise ValueError(f"{len(one.values)} numbers are too many")
    products = vertices[0] @ vertices[1].T
    lowest, highest = float(products.min()), float(products.max())
    centres = [_directions(box.values[np.newaxis])[0] for box in (one, other)]
    # The widest angle inside a box is at a vertex, by the same argument.
    cosines = [float((of @ centre).min()) for of, centre in zip(vertices, centres, strict=True)]
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
    """Centred vectors of length 1, (K, N)."""
    centred = vectors - vectors.mean(axis=1, keepdims=True)
    return np.asarray(centred / np.linalg.norm(centred, axis=1, keepdims=True))


def _search(one: Box, other: Box) -> float:
    """A high r in two boxes, by L-BFGS-B from the printed vectors."""
    from scipy.optimize import minimize

    printed, numbers = np.concatenate([one.values, other.values]), len(one.values)
    limits = [*zip(one.low, one.high, strict=True), *zip(other.low, other.high, strict=True)]

    def negative_r(both: Numbers) -> float:
        return -float(pearson(both[:numbers], both[numbers:]))

    found = minimize(negative_r, printed, bounds=limits, tol=1e-12)
    return max(float(pearson(one.values, other.values)), -float(found.fun))


def weighted_range(
    weights: Sequence[Sequence[float]], sums: Sequence[Printed], target: Sequence[float]
) -> tuple[float, float] | None:
    """The range of a weighted sum of numbers from 0 to 1, given other weighted sums of the same numbers.

    weights: of each given sum, (K, C). sums: as printed. target: weights of the sum to bound, (C,). None if no numbers
    have the given sums.

    >>> low, high = weighted_range([[0.5, 0.5]], [Printed("0.20")], [0, 1])
    >>> round(low, 4), round(high, 4)
    (0.0, 0.41)
    """
    from scipy.optimize import linprog

    box, known = Box.of(sums), np.array(weights, dtype=np.float64)
    ends = []
    for sign in (1.0, -1.0):
        optimum = linprog(
            sign * np.array(target, dtype=np.float64),
            A_ub=np.vstack([known, -known]),
            b_ub=np.concatenate([box.high, -box.low]),
            bounds=(0, 1),
        )
        if optimum.status != 0 or optimum.fun is None:
            return None
        ends.append(sign * float(optimum.fun))
    return ends[0], ends[1]


def orders(box: Box) -> tuple[tuple[int, ...], ...]:
    """Every ranking, with ties, of numbers in a box, as dense ranks from 0, the lowest number first.

    An interval contains its lower end but not its upper one, as for rounded numbers.

    >>> orders(Box.of([Printed(".2"), Printed(".3"), Printed(".2")]))
    ((0, 1, 0), (0, 2, 1), (1, 2, 0))
    """
    return _orders(tuple(box.low.tolist()), tuple(box.high.tolist()))


@lru_cache(maxsize=256)
def _orders(low: tuple[float, ...], high: tuple[float, ...]) -> tuple[tuple[int, ...], ...]:
    complete: list[tuple[int, ...]] = []

    def extend(left: frozenset[int], ranks: dict[int, int], rank: int, floor: float) -> None:
        if not left:
            complete.append(tuple(ranks[number] for number in range(len(low))))
            return
        ceiling = min(high[number] for number in left)
        first = [number for number in sorted(left) if low[number] < ceiling]
        for size in range(1, len(first) + 1):
            for block in combinations(first, size):
                reach = max(floor, *(low[number] for number in block))
                # No number may end before the block begins: the others follow it.
                if all(high[number] > reach for number in left):
                    extend(left - set(block), ranks | dict.fromkeys(block, rank), rank + 1, reach)

    extend(frozenset(range(len(low))), {}, 0, -np.inf)
    return tuple(sorted(complete))


def tie_breaks(ranks: Sequence[int], box: Box, names: Sequence[str]) -> str:
    """How a ranking breaks the ties of printed numbers, in words; '' if it breaks none.

    >>> tie_breaks((0, 2, 1), Box.of([Printed(".2"), Printed(".3"), Printed(".2")]), "abc")
    'a below c'
    """
    breaks = []
    for one, other in combinations(range(len(names)), 2):
        sign = (ranks[one] > ranks[other]) - (ranks[one] < ranks[other])
        if sign != np.sign(box.values[one] - box.values[other]):
            breaks.append(f"{names[one]} {('tied with', 'above', 'below')[sign]} {names[other]}")
    return ", ".join(breaks)


def possible_ranks(box: Box, number: int) -> tuple[int, int]:
    """The best and worst rank of one of the numbers, from 1 for the highest; ties share the best.

    >>> possible_ranks(Box.of([Printed(".2"), Printed(".3"), Printed(".2")]), 0)
    (2, 3)
    """
    others = np.arange(len(box.low)) != number
    above, maybe = box.low[others] >= box.high[number], box.high[others] > box.low[number]
    return 1 + int(above.sum()), 1 + int(maybe.sum())
