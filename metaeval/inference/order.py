"""What the pairwise tests say about the order of systems: rank sets, letters and tiers, all from one relation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from metaeval.arrays import Bools, Floats, Ints
from metaeval.inference.pairs import PairTests
from metaeval.stats.tests import compact_letters


@dataclass(frozen=True)
class Order:
    """Which systems are significantly better than which.

    scores: oriented scores, (S,); NaN where undefined. better: whether the system of the row is significantly better
    than that of the column, (S, S). defined: systems whose differences are defined, (S,); the others have no rank set,
    letters and tier.
    """

    scores: Floats
    better: Bools
    defined: Bools

    @classmethod
    def of(cls, scores: Floats, tests: PairTests, defined: Bools) -> Order:
        """The order of systems of which all pairs were tested."""
        better = np.zeros((len(scores), len(scores)), dtype=np.bool_)
        up, down = (tests.significant & (tests.difference * sign > 0) for sign in (1, -1))
        better[tests.one[up], tests.other[up]] = True
        better[tests.other[down], tests.one[down]] = True
        return cls(scores, better, defined)

    @property
    def different(self) -> Bools:
        """Whether two systems are significantly different, (S, S)."""
        different: Bools = self.better | self.better.T
        return different

    def best(self, systems: Sequence[str]) -> list[str]:
        """The names of the systems with the highest score, whose differences are defined."""
        highest = self.scores[self.defined].max(initial=-np.inf)
        return [systems[index] for index in np.flatnonzero(self.defined & (self.scores == highest)).tolist()]

    @property
    def rank_sets(self) -> tuple[Ints, Ints]:
        """Lowest and highest rank that each system may have, from 1; the sets of all systems hold jointly."""
        low = 1 + self.better.sum(axis=0)
        high = int(self.defined.sum()) - self.better.sum(axis=1)
        return low.astype(np.int64), high.astype(np.int64)

    @property
    def letters(self) -> list[str]:
        """Letters that two systems share exactly where they are not significantly different."""
        return compact_letters(np.where(self.defined, self.scores, np.nan), self.different)

    @property
    def tiers(self) -> list[int]:
        """Tiers, 1 the best: a system opens a new one if it is significantly worse than a best one of the tier above.

        Systems with equal scores are in one tier. 0 where the differences are undefined.
        """
        tier_of = np.zeros(len(self.scores), dtype=np.int64)
        heights = np.unique(self.scores[self.defined])[::-1]
        best, tier = np.array([], dtype=np.intp), 0
        for height in heights:
            level = np.flatnonzero(self.defined & (self.scores == height))
            if not tier or self.better[np.ix_(best, level)].any():
                best, tier = level, tier + 1
            tier_of[level] = tier
        return tier_of.tolist()
