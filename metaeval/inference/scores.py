"""Intervals of the scores of systems on other items, one by one: there are no other systems that they are adjusted for.

The standard error of a score is that of the same parts as in the tests of differences. What it is used with depends on
where the measure is bounded: the score method of Wilson where it has two bounds, and else Student's t, widened by
Hall's transformation where parts are skewed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from metaeval.arrays import Floats, Indices, Integers
from metaeval.inference.gaps import GapParts
from metaeval.inference.parts import Parts
from metaeval.inference.skewness import correct, skewness
from metaeval.stats.intervals import LEVEL, Bounded, Interval
from metaeval.stats.ratio import divide


@dataclass(frozen=True)
class ScoreErrors:
    """How scores of systems vary with the groups of items, and with the runs; arrays are (S,).

    error: standard errors. units: effective number of independent groups, one more than the degrees of freedom.
    skewness: of the parts, over the root of their number.
    """

    error: Floats
    units: Floats
    skewness: Floats

    @classmethod
    def of(cls, groupings: Sequence[Parts], *, fixed_items: bool = False) -> ScoreErrors:
        """From the parts in one grouping of the items; of two crossed ones by rows, by columns and by cells.

        The variance by crossed groupings is that by rows and by columns less that by cells, and at least the larger.
        fixed_items: whether scores vary with the runs alone.
        """
        runs = groupings[-1].runs
        if runs is not None and fixed_items:
            return cls(np.sqrt(runs.whole), runs.freedom + 1, np.zeros(len(runs.whole)))
        ways = [_grouping_errors(parts) for parts in groupings]
        variance, units, skewed = (np.stack(arrays) for arrays in zip(*ways, strict=True))
        total = variance[0]
        if len(ways) > 1:
            rows, columns, cells = variance
            total = np.maximum.reduce([rows + columns - cells, rows, columns])
            units, skewed = units[:2], skewed[:2]
        larger = np.argmax(np.abs(skewed), axis=0)[np.newaxis]
        freedom = units.min(axis=0) - 1
        if runs is not None:
            by_items, total = total, total + runs.extra
            by_units = by_items**2 / np.maximum(freedom, 1e-9) + runs.whole**2 / runs.freedom
            freedom = np.maximum(np.minimum(freedom, divide(total**2, by_units, undefined=np.inf)), 1e-9)
        return cls(np.sqrt(total), freedom + 1, np.take_along_axis(skewed, larger, axis=0)[0])

    def select(self, systems: Indices) -> ScoreErrors:
        """Those of some systems."""
        return ScoreErrors(self.error[systems], self.units[systems], self.skewness[systems])

    def intervals(self, scores: Floats, bounds: tuple[float, float], *, wider: float = 1.0) -> Interval:
        """95 % intervals of scores with these errors, (S,); NaN without a width. wider: factor of the quantiles."""
        from scipy.special import stdtrit

        lowest, highest = bounds
        low, high = np.full(len(scores), np.nan), np.full(len(scores), np.nan)
        defined = ~np.isnan(scores) & (self.units > 1)
        if np.isfinite(lowest) and np.isfinite(highest):
            width = highest - lowest
            for system in np.flatnonzero(defined).tolist():
                share, error = (scores[system] - lowest) / width, self.error[system] / width
                bounded = Bounded.of(float(share), float(error), lowest=0.0, units=float(self.units[system]))
                ends = bounded.interval(wider=wider)
                low[system], high[system] = (lowest + width * end for end in ends)
            return low, high
        indices = np.flatnonzero(defined & (self.error > 0))
        score, error = scores[indices], self.error[indices]
        t = wider * np.asarray(stdtrit(self.units[indices] - 1, (1 + LEVEL) / 2), dtype=np.float64)
        k: Floats = self.skewness[indices]
        low[indices] = np.maximum(score - correct(t, k) * error, lowest)
        high[indices] = np.minimum(score - correct(-t, k) * error, highest)
        return low, high


def _grouping_errors(parts: Parts) -> tuple[Floats, Floats, Floats]:
    """Variance of the scores by groups, effective number of groups, and skewness of the parts, (S,)."""
    sums, sizes = parts.parts, np.broadcast_to(parts.sizes[:, np.newaxis], parts.parts.shape)
    items: float | Floats = parts.items
    if isinstance(parts, GapParts):
        sums, sizes = parts.sums_of_systems()
        items = np.maximum(sizes.sum(axis=0), 1.0)
    centred = sums - sizes * parts.scores
    groups = np.maximum((sizes > 0).sum(axis=0), 1.0)
    square = (centred**2).sum(axis=0)
    variance = square * groups / np.maximum(groups - 1, 1) / items**2
    units = divide(sizes.sum(axis=0) ** 2, (sizes**2).sum(axis=0))
    rounding = parts.smallest**2
    return np.where(variance <= rounding, 0.0, variance), units, skewness((centred**3).sum(axis=0), square, groups)


def find_more(counts: Floats | Integers) -> Floats:
    """Confusion counts, (S, C, C), with as many items of the gold classes that a system never finds as it may find.

    Parts say nothing of how often it would find such a class on other items. The share is the upper end of the interval
    of Clopper and Pearson for none of the items of the class; they are taken from its other predictions.
    """
    items, classes = counts.sum(axis=-1), np.arange(counts.shape[-1])
    never = (items > 0) & (counts[:, classes, classes] == 0)
    share = np.where(never, 1 - ((1 - LEVEL) / 2) ** (1 / np.maximum(items, 1)), 0.0)
    more = counts * (1 - share[..., np.newaxis])
    more[:, classes, classes] += share * items
    return np.asarray(more)


def score_intervals(
    groupings: Sequence[Parts], bounds: tuple[float, float], *, others: Floats | None = None
) -> Interval:
    """95 % interval of each score, (S,), in units of the scores; higher is better, as in the parts.

    NaN where a score is undefined, with or without a group, where groups are fewer than two, and where a score does not
    vary and the measure has not two bounds. An interval never leaves the bounds, has the score in it, and has a width.

    groupings: the parts of single systems; see `ScoreErrors.of`. bounds: lowest and highest score. others: scores,
    (S,), that intervals have in them, too.
    """
    scores, unit = groupings[0].scores, groupings[0].unit
    lowest, highest = (bound / unit for bound in bounds)
    defined = np.all([parts.defined for parts in groupings], axis=0)
    low, high = ScoreErrors.of(groupings).intervals(np.where(defined, scores, np.nan), (lowest, highest))
    # Ends are as exact as sums are.
    low, high = np.minimum(low, scores) * unit, np.maximum(high, scores) * unit
    if others is None:
        return low, high
    inside = np.where(np.isfinite(others), others, scores * unit)
    return np.minimum(low, inside), np.maximum(high, inside)
