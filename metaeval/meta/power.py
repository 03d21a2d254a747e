"""How well does a measure tell systems apart? Discriminative power, as in Sakai (2006, 2007, 2012)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from metaeval.stats.pairs import all_pairs, bootstrap_test, critical_range, p_of_ranges
from metaeval.stats.tests import ranges_by_chance

Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class Power:
    """What a measure finds of the differences of every two systems, whose order is that of `stats.pairs.all_pairs`.

    difference, p: (P,), oriented. needed: any two systems with a larger difference are told apart. undefined: resamples
    without a difference, which are left out, of the pair that has most of them.
    """

    difference: Numbers
    p: Numbers
    needed: float
    undefined: int = 0

    def different(self, *, alpha: float) -> NDArray[np.bool_]:
        """Which pairs are told apart, (P,)."""
        found: NDArray[np.bool_] = self.p <= alpha
        return found

    def share(self, *, alpha: float) -> float:
        """Discriminative power: the share of pairs told apart, of those with a p-value."""
        tested = int((~np.isnan(self.p)).sum())
        return float(self.different(alpha=alpha).sum() / tested) if tested else float("nan")

    def smallest(self, *, alpha: float) -> float:
        """The smallest difference that was found significant; NaN where none was."""
        found = np.abs(self.difference[self.different(alpha=alpha)])
        return float(found.min()) if len(found) else float("nan")


def power_by_bootstrap(scores: Numbers, drawn: Numbers, *, alpha: float) -> Power:
    """From paired bootstrap tests of every two systems, each by itself.

    needed: the largest of the pairs' critical differences (Sakai 2006). scores: (S,), oriented. drawn: (B, S).
    """
    found = bootstrap_test(scores, drawn, all_pairs(len(scores)), alpha=alpha)
    needed = float(np.nanmax(found.critical)) if not np.isnan(found.critical).all() else float("nan")
    undefined = int(found.undefined[~np.isnan(found.value)].max(initial=0))
    return Power(found.value, found.p, needed, undefined)


def power_by_tukey(items: Numbers, *, resamples: int, seed: np.random.SeedSequence, alpha: float) -> Power:
    """From randomised Tukey HSD, whose level holds for all pairs at once (Carterette 2012; Sakai 2012).

    items: oriented scores of single items, (S, N). A system without a score of some item has no score: its pairs are
    not tested.
    """
    scores = items.mean(axis=1)
    ranges = ranges_by_chance(items, resamples=resamples, seed=seed)
    pairs = all_pairs(len(items))
    value = scores[pairs[:, 0]] - scores[pairs[:, 1]]
    return Power(value, p_of_ranges(np.abs(value), ranges), critical_range(ranges, alpha=alpha))
