"""Ratios of sums over verdicts, such as shares and Kendall-like tau, with intervals and tests by cluster."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from metaeval.inference.clusters import deal_groups
from metaeval.inference.pairs import Evidence, compare_pairs
from metaeval.inference.parts import Parts, Signs, group_sums
from metaeval.stats.intervals import LEVEL
from metaeval.stats.ratio import divide, effective_number
from metaeval.stats.resample import generator, seed_for

Numbers = NDArray[np.float64]

SIGNS = 4999
"""Number of random signs of clusters."""


class Ratio(NamedTuple):
    """A ratio with its 95 % interval, and the p-value of the hypothesis that it has a null value; NaN if undefined."""

    value: float
    low: float
    high: float
    p: float


UNDEFINED = Ratio(*[float("nan")] * 4)


@dataclass(frozen=True)
class Groups:
    """The groups of whole clusters to which V verdicts belong, and random signs of them.

    codes: of the verdicts, (V,). sizes: number of verdicts of each group, (G,). clusters: their number.
    """

    codes: NDArray[np.intp]
    sizes: NDArray[np.int64]
    signs: Signs
    clusters: int

    @classmethod
    def of(cls, clusters: NDArray[np.intp], seed: int) -> Groups:
        """The groups of verdicts in these clusters, (V,)."""
        names, codes = np.unique(clusters, return_inverse=True)
        random = generator(seed_for(seed, "groups of verdicts"))
        groups = deal_groups(np.bincount(codes), random)[codes]
        sizes = np.bincount(groups).astype(np.int64)
        return cls(groups, sizes, Signs.draw(random, len(sizes), SIGNS), len(names))

    @property
    def effective(self) -> float:
        """The effective number of groups."""
        return effective_number(self.sizes)

    def sums(self, values: Numbers) -> Numbers:
        """Sums of values of the verdicts, (M, V), in each group, (G, M)."""
        return group_sums(values, self.codes, len(self.sizes))

    def ratio(self, numerator: Numbers, denominator: Numbers, *, null: float, lowest: float) -> Ratio:
        """The ratio of two sums over groups, (G,), from `lowest` to 1.

        The interval has the values that a test with random signs of the groups does not reject. Where all groups have
        the same value, it and the p-value say how many others there may be that have the lowest or the highest one, by
        a binomial share with the effective number of groups.
        """
        used = denominator > 0
        if not used.any():
            return UNDEFINED
        none = np.zeros(len(numerator))
        value = float(numerator.sum() / denominator.sum())
        parts = Parts(
            np.array([value - null, 0.0]), np.stack([numerator - null * denominator, none], axis=1), denominator
        )
        tests = compare_pairs(Evidence((parts,), (self.signs,)))
        low, high, p = float(tests.low[0]) + null, float(tests.high[0]) + null, float(tests.p[0])
        if np.allclose(numerator, value * denominator, rtol=0, atol=1e-9):
            effective = effective_number(denominator[used])
            others = 1 - ((1 - LEVEL) / 2) ** (1 / effective)
            low, high = value - others * (value - lowest), value + others * (1 - value)
            same = 1 - (value - null) / (value - (lowest if value > null else 1)) if value != null else 1.0
            p = min(1.0, max(2 * same**effective, 1 / (SIGNS + 1)))
        return Ratio(value, max(low, lowest), min(high, 1.0), p)

    def compared(self, numerators: Numbers, denominators: Numbers) -> Evidence:
        """The evidence to compare M ratios of sums over groups, (G, M), by random signs."""
        scores = divide(numerators.sum(axis=0), denominators.sum(axis=0))
        if (denominators == denominators[:, :1]).all():
            return Evidence((Parts(scores, numerators, denominators[:, 0]),), (self.signs,))
        without = divide(numerators.sum(axis=0) - numerators, denominators.sum(axis=0) - denominators)
        return Evidence((Parts.of_jackknife(scores, without, self.sizes),), (self.signs,))
