"""Groups of whole clusters of verdicts: ratios of sums with intervals, and evidence to compare them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from metaeval.arrays import Floats, Indices
from metaeval.inference.clusters import deal_groups
from metaeval.inference.pairs import Evidence
from metaeval.inference.parts import Parts, Signs, group_sums
from metaeval.stats.intervals import Bounded
from metaeval.stats.ratio import divide, effective_number
from metaeval.stats.resample import generator, seed_for

SIGNS = 4999
"""Number of random signs of clusters."""


class Ratio(NamedTuple):
    """A ratio with its 95 % interval, and the p-value of the hypothesis that it has a null value; NaN if undefined."""

    value: float
    low: float
    high: float
    p: float


UNDEFINED = Ratio(value=float("nan"), low=float("nan"), high=float("nan"), p=float("nan"))


def compact(codes: Indices) -> tuple[Indices, Indices]:
    """The codes that occur, and each code as its index among them: as `numpy.unique`, without sorting.

    >>> [each.tolist() for each in compact(np.array([7, 3, 7]))]
    [[3, 7], [1, 0, 1]]
    """
    occurs = np.bincount(codes) > 0
    return np.flatnonzero(occurs), (np.cumsum(occurs) - 1)[codes]


@dataclass(frozen=True)
class Groups:
    """The groups of whole clusters to which V verdicts belong, and random signs of them.

    codes: of the verdicts, (V,). sizes: weight of the verdicts of each group, (G,). clusters: their number.
    """

    codes: Indices
    sizes: Floats
    signs: Signs
    clusters: int

    @classmethod
    def of(cls, clusters: Indices, seed: int, weight: Floats | None = None) -> Groups:
        """The groups of verdicts in these clusters, (V,). weight: of the verdicts, 1 if not given, (V,)."""
        names, codes = compact(clusters)
        random = generator(seed_for(seed, "groups of verdicts"))
        groups = deal_groups(np.bincount(codes), random)[codes]
        sizes = np.bincount(groups, weight).astype(np.float64)
        return cls(groups, sizes, Signs.draw(random, len(sizes), SIGNS), len(names))

    @property
    def effective(self) -> float:
        """The effective number of groups."""
        return effective_number(self.sizes)

    def sums(self, values: Floats) -> Floats:
        """Sums of values of the verdicts, (M, V), in each group, (G, M)."""
        return group_sums(values, self.codes, len(self.sizes))

    def deviations(self, numerator: Floats, denominator: Floats) -> Floats:
        """What each group adds to the deviation of the ratio of two sums over groups, (G,); NaN where undefined."""
        total = np.asarray(denominator.sum())
        return np.asarray(divide(numerator - divide(numerator.sum(), total) * denominator, total))

    def by_cluster(self, deviations: Floats, clusters: Indices) -> dict[int, float]:
        """What each cluster adds to a deviation, by its code; none where clusters are dealt into fewer groups.

        deviations: of the groups, (G,). clusters: of the verdicts, (V,).
        """
        if self.clusters > len(self.sizes):
            return {}
        codes, first = np.unique(clusters, return_index=True)
        return dict(zip(codes.tolist(), deviations[self.codes[first]].tolist(), strict=True))

    def ratio(self, numerator: Floats, denominator: Floats, *, null: float, lowest: float) -> Ratio:
        """The ratio of two sums over groups, (G,), from `lowest` to 1, with the interval and test of `Bounded`."""
        number = int((denominator > 0).sum())
        if not number:
            return UNDEFINED
        total = float(denominator.sum())
        value, effective = float(numerator.sum()) / total, effective_number(denominator)
        error = np.sqrt(((numerator - value * denominator) ** 2).sum() * number / max(number - 1, 1)) / total
        ratio = Bounded.of(value, error, lowest=lowest, units=effective, share=lowest == 0)
        low, high = ratio.interval() if number > 1 else (lowest, 1.0)
        return Ratio(value, low, high, ratio.p(null) if number > 1 else 1.0)

    def evidence(self, numerators: Floats, denominators: Floats) -> Evidence:
        """The evidence to compare M ratios of sums over groups, (G, M), by random signs."""
        scores = divide(numerators.sum(axis=0), denominators.sum(axis=0))
        if (denominators == denominators[:, :1]).all():
            return Evidence((Parts(scores, numerators, denominators[:, 0]),), (self.signs,))
        without = divide(numerators.sum(axis=0) - numerators, denominators.sum(axis=0) - denominators)
        return Evidence((Parts.from_jackknife(scores, without, self.sizes),), (self.signs,))
