"""Pairs of systems that measures order in opposite ways, significantly.

One family of tests over all pairs of systems and all measures decides: M* is the largest |z*| of all of them. A pair is
contested between two measures if both order it significantly and in opposite ways.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from metaeval.arrays import Bools, Floats, Indices, Ints
from metaeval.inference.pairs import Evidence, PairTests, compare_measures


def count_opposed(directions: Floats | NDArray[np.int8]) -> Ints:
    """Number of pairs of systems that each two measures order differently, (M, M).

    directions: differences of the pairs, or their signs, (M, P).

    >>> count_opposed(np.array([[1.0, -1.0, 0.0], [1.0, 1.0, -1.0]])).tolist()
    [[0, 1], [1, 0]]
    """
    above, below = (directions > 0).astype(np.int64), (directions < 0).astype(np.int64)
    opposed: Ints = above @ below.T
    return opposed + opposed.T


@dataclass(frozen=True)
class Conflicts:
    """The directions in which M measures order P pairs of systems.

    tests: of the differences under each measure, all in one family.
    """

    tests: Sequence[PairTests]

    @classmethod
    def of(cls, evidence: Sequence[Evidence], *, alpha: float) -> Conflicts:
        """Of all pairs of systems; evidence: under each measure, with the same signs."""
        return cls(compare_measures(evidence, alpha=alpha))

    @property
    def one(self) -> Indices:
        """The first system of each pair, (P,)."""
        return self.tests[0].one

    @property
    def other(self) -> Indices:
        """The second system of each pair, (P,)."""
        return self.tests[0].other

    @cached_property
    def directions(self) -> NDArray[np.int8]:
        """1 where the first system is significantly better, -1 where the second is, else 0, (M, P)."""
        return np.array([tests.directions for tests in self.tests])

    @cached_property
    def strengths(self) -> Floats:
        """Differences in units of their variation by chance, (M, P)."""
        return np.array([tests.z for tests in self.tests])

    @cached_property
    def counts(self) -> Ints:
        """Numbers of pairs that are contested between each two measures, (M, M)."""
        return count_opposed(self.directions)

    @property
    def separated(self) -> Ints:
        """Numbers of pairs that each measure orders significantly, (M,)."""
        return np.asarray((self.directions != 0).sum(axis=1))

    def contested(self, measures: Sequence[int] | None = None) -> Bools:
        """The pairs that two of these measures, by default of all, order in opposite ways, (P,)."""
        directions = self.directions if measures is None else self.directions[list(measures)]
        return np.asarray((directions > 0).any(axis=0) & (directions < 0).any(axis=0))

    def clearest(self, measures: Sequence[int]) -> int | None:
        """The contested pair of which the most of these measures take either side, and the most certainly."""
        contested = self.contested(measures)
        if not contested.any():
            return None
        directions = self.directions[list(measures)]
        sides = np.minimum((directions > 0).sum(axis=0), (directions < 0).sum(axis=0))
        certain = np.where(directions != 0, np.abs(self.strengths[list(measures)]), 0.0).sum(axis=0)
        return int(np.lexsort((certain, sides, contested))[-1])
