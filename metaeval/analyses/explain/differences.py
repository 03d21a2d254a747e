"""Which systems two measures order differently, and what parts of their scores make them do so."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from metaeval.model.scores import ScoreCube
from metaeval.stats.pairs import all_pairs
from metaeval.stats.ratio import divide

Numbers = NDArray[np.float64]
Pairs = NDArray[np.intp]


@dataclass(frozen=True)
class PairDifferences:
    """Differences of each two systems, the first less the second, positive in favour of the first.

    pairs: (P, 2), places of systems. values: under each measure, (M, P), exactly 0 for a tie, NaN where a score is
    undefined. units: root mean square difference under each measure, (M,); 0 where all systems are tied.
    """

    pairs: Pairs
    values: Numbers
    units: Numbers

    @property
    def standardised(self) -> Numbers:
        """In units of each measure, (M, P), so that measures can be compared."""
        return self.scaled(self.values)

    def scaled(self, parts: Numbers) -> Numbers:
        """Differences, or parts of them, (M, ...), in units of each measure; 0 where all systems are tied."""
        units = self.units.reshape(-1, *(1,) * (parts.ndim - 1))
        return np.where(np.isnan(parts), np.nan, divide(parts, units, undefined=0.0))


def pair_differences(cube: ScoreCube) -> PairDifferences:
    """Differences of each two systems of a cube without leading axes.

    >>> from metaeval.model.scores import Direction
    >>> cube = ScoreCube(np.array([[0.2, 0.5]]), (), ("mae",), ("a", "b"), (Direction.LOWER,))
    >>> pair_differences(cube).values
    array([[0.3]])
    """
    scores = cube.oriented().values
    pairs = all_pairs(len(cube.systems))
    one, other = scores[:, pairs[:, 0]], scores[:, pairs[:, 1]]
    values = one - other
    squares = np.where(np.isnan(values), 0.0, values) ** 2
    units: Numbers = np.sqrt(divide(squares.sum(axis=1), (~np.isnan(values)).sum(axis=1), undefined=0.0))
    return PairDifferences(pairs, values, units)


def count_opposed(differences: Numbers) -> NDArray[np.int64]:
    """Number of pairs of systems that each two measures order differently, (M, M); differences: (M, P).

    >>> count_opposed(np.array([[1.0, -1.0, 0.0], [1.0, 1.0, -1.0]])).tolist()
    [[0, 1], [1, 0]]
    """
    above, below = ((differences > 0).astype(np.int64), (differences < 0).astype(np.int64))
    opposed: NDArray[np.int64] = above @ below.T
    return opposed + opposed.T


def disagreeing(first: Numbers, second: Numbers) -> NDArray[np.intp]:
    """Places of the pairs that two measures order differently, the strongest disagreement first; both (P,).

    The strength is the smaller of the two standardised differences. Pairs that one measure ties come last, the largest
    difference under the other measure first. Pairs without a score are left out.

    >>> disagreeing(np.array([1.0, -0.5, 0.2, 0.0]), np.array([-0.1, 0.4, 0.3, 1.0])).tolist()
    [1, 0, 3]
    """
    differ = np.flatnonzero((np.sign(first) != np.sign(second)) & ~np.isnan(first) & ~np.isnan(second))
    one, other = np.abs(first[differ]), np.abs(second[differ])
    return differ[np.lexsort((-np.maximum(one, other), -np.minimum(one, other)))]
