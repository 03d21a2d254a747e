"""How many systems and annotators are enough for correlations of measures with human scores, and for their differences.

Systems or annotators are drawn with replacement from those of a pilot, more or fewer than it has. The middle 95 % of
the correlations is as wide as the interval from that number. The error of this width is estimated by doing the same
with resamples of the pilot, which differ from the pilot as the pilot differs from the population.

The variance of the difference of two measures' correlations has a part of the systems, which falls with their number
only, and a part of the single scores, which also falls with the number of items. Jackknives over systems and over items
estimate the sum and the second part. This assumes that errors on an item are independent between systems.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from metaeval.analyses.plan.items import MAX_FACTOR, STEPS, Requirement, amounts, first_reached, unknown
from metaeval.stats.association import COEFFICIENTS
from metaeval.stats.correlation import resampled_correlations
from metaeval.stats.intervals import LEVEL, defined_deviation, defined_mean, percentile_interval
from metaeval.stats.ratio import divide
from metaeval.stats.resample import generator

Numbers = NDArray[np.float64]

MIN_SYSTEMS = 5
"""With fewer systems, every correlation is near 1 or −1."""

MIN_ANNOTATORS = 3
"""Two annotators do not show how others would differ."""

MAX_WIDTH = 2.0
"""The width of the interval from −1 to 1."""

DRAWS = 2000
"""Number of samples behind each width."""

INNER_DRAWS = 100
"""Number of samples from each resample of the pilot."""


def plan_systems(
    metric: Numbers, human: Numbers, *, coefficient: str, width: float, resamples: int, seed: np.random.SeedSequence
) -> list[Requirement]:
    """How many systems are needed until the interval of a measure's correlation is no wider than `width`.

    metric: (M, S). human: (S,). coefficient: a name of `stats.association.COEFFICIENTS`. One requirement for each
    measure; unknown with fewer than `MIN_SYSTEMS` that have both scores.
    """
    random = generator(seed)
    known = ~(np.isnan(metric) | np.isnan(human))
    requirements = []
    for scores, rated in zip(metric, known, strict=True):
        systems = int(rated.sum())
        sizes = amounts(systems, MIN_SYSTEMS)
        if systems < MIN_SYSTEMS:
            requirements.append(unknown(sizes))
            continue
        pair, uniform = (scores[rated], human[rated]), np.full(systems, 1 / systems)
        drawn = [
            _correlations(*pair, random.multinomial(size, uniform, size=DRAWS), coefficient)
            for size in sizes.astype(int).tolist()
        ]
        resampled = random.multinomial(systems, _resampled(random, systems, resamples), size=(resamples, INNER_DRAWS))
        of_resamples = _correlations(*pair, resampled.reshape(-1, systems), coefficient).reshape(resamples, -1)
        requirements.append(_requirement(drawn, of_resamples, sizes, systems, width))
    return requirements


def _correlations(metric: Numbers, human: Numbers, counts: NDArray[np.integer], coefficient: str) -> Numbers:
    """Correlations of samples with `counts` of each system, (R, S), as (R,); metric, human: (S,)."""
    once = np.ones((len(counts), 1), dtype=np.int64)
    cells = (np.newaxis, slice(None), np.newaxis)
    every = resampled_correlations(metric[cells], human[cells], counts, once, level="system", coefficient=coefficient)
    return every[:, 0, 0]


def plan_annotators(
    metric: Numbers, ratings: Numbers, *, coefficient: str, width: float, resamples: int, seed: np.random.SeedSequence
) -> list[Requirement]:
    """How many annotators are needed until the interval of a correlation with their mean is no wider than `width`.

    metric: (M, S). ratings: (H, S), NaN for a system without ratings of an annotator. One requirement for each measure;
    unknown with fewer than `MIN_ANNOTATORS`.
    """
    annotators = len(ratings)
    sizes = amounts(annotators, 1)
    if annotators < MIN_ANNOTATORS:
        return [unknown(sizes) for _ in metric]
    random = generator(seed)
    correlate = COEFFICIENTS[coefficient]
    uniform = np.full(annotators, 1 / annotators)
    means = [_means(ratings, random.multinomial(size, uniform, size=DRAWS)) for size in sizes.astype(int).tolist()]
    resampled = _resampled(random, annotators, resamples)
    of_resamples = _means(ratings, random.multinomial(annotators, resampled, size=(resamples, INNER_DRAWS)))
    return [
        _requirement([correlate(row, mean) for mean in means], correlate(row, of_resamples), sizes, annotators, width)
        for row in metric
    ]


def plan_measures(
    metric: Numbers, human: Numbers, groups: NDArray[np.intp], *, delta: float, power: float, alpha: float
) -> dict[str, list[Requirement]]:
    """How many systems, or items, until measures whose Pearson correlations differ by `delta` are significantly so.

    The test is that of random swaps of systems, two-sided. One requirement for each measure, for the median of its
    pairs with other measures; `most` is ∞ where no number of items is enough. metric: (M, S, N). human: (S, N). groups:
    of items that are left out together, (N,).
    """
    from scipy.special import chdtri

    systems, items = human.shape
    of_systems, of_items = _variances(metric, human, groups)
    # Variances of normal scores are between these multiples of their estimates.
    bounds = (1 - LEVEL) / 2 + np.array([0.0, LEVEL])
    factors = [1.0, *((systems - 1) / chdtri(systems - 1, bounds)).tolist()]
    differences = [
        _Difference(delta, systems, items, *variances, alpha=alpha)
        for variances in zip(of_systems.tolist(), of_items.tolist(), strict=True)
    ]
    units = ["systems", "items"] if items > 1 else ["systems"]
    return {unit: [each.requirement(unit, factors, power) for each in differences] for unit in units}


@dataclass(frozen=True)
class _Difference:
    """A difference of correlations in a pilot; of_systems, of_items: the parts of its variance."""

    delta: float
    systems: int
    items: int
    of_systems: float
    of_items: float
    alpha: float

    def power(self, unit: str, numbers: Numbers, factor: float) -> Numbers:
        """The power with numbers of systems or items; factor: of the variance."""
        from scipy.special import ndtr, stdtrit

        one = np.ones(1)
        systems, items = (numbers / self.systems, one) if unit == "systems" else (one, numbers / self.items)
        variance = (self.of_systems + self.of_items / items) / systems * factor
        critical = stdtrit(self.systems * systems - 1, self.alpha / 2)
        return np.asarray(ndtr(divide(self.delta, np.sqrt(variance), undefined=np.inf) + critical))

    def requirement(self, unit: str, factors: Sequence[float], power: float) -> Requirement:
        """How many systems or items have this power; factors: of the estimated variance, and of its bounds."""
        pilot, fewest = (self.systems, MIN_SYSTEMS) if unit == "systems" else (self.items, 2)
        sizes = amounts(pilot, fewest)
        if self.systems < MIN_SYSTEMS or not self.of_systems + self.of_items > 0:
            return unknown(sizes)
        fine = np.geomspace(fewest, MAX_FACTOR * pilot, STEPS)
        needed, low, high = (first_reached(fine, self.power(unit, fine, factor), power) for factor in factors)
        value, highs, lows = (self.power(unit, sizes, factor) for factor in factors)
        now = float(self.power(unit, np.array([float(pilot)]), 1.0)[0])
        reachable = unit == "systems" or self.power(unit, np.array([np.inf]), 1.0)[0] >= power
        most = fine[-1] if reachable else np.inf
        return Requirement(needed, low, high, now, sizes, value=value, lows=lows, highs=highs, most=most)


def _variances(metric: Numbers, human: Numbers, groups: NDArray[np.intp]) -> tuple[Numbers, Numbers]:
    """Variance of the difference from another measure, of systems and of single scores, (M,) each: medians of pairs."""
    systems, items = human.shape
    correlate = COEFFICIENTS["pearson"]
    rated = ~np.isnan(human)
    metric = np.where(rated, metric, np.nan)
    alone = np.where(np.eye(systems, dtype=np.bool_), np.nan, 1.0)
    without = correlate(defined_mean(metric, axis=-1)[:, np.newaxis] * alone, defined_mean(human, axis=-1) * alone)
    of_systems, of_items = _jackknife(without), np.zeros((len(metric), len(metric)))
    if items > 1:
        inside = (groups[:, np.newaxis] == np.arange(groups.max() + 1)).astype(np.float64)

        def means(scores: Numbers) -> Numbers:
            known = ~np.isnan(scores)
            total, number = (
                sums.sum(axis=-1, keepdims=True) - sums @ inside for sums in (np.nan_to_num(scores), known)
            )
            return np.moveaxis(divide(total, number), -1, -2)

        of_items = _jackknife(correlate(means(metric), means(human)))
    others = np.where(np.eye(len(metric), dtype=np.bool_), np.nan, 1.0)
    parts = (np.maximum(of_systems - of_items, 0.0), of_items)
    of_systems, of_items = (np.nanmedian(part * others, axis=1) for part in parts)
    return of_systems, of_items


def _jackknife(without: Numbers) -> Numbers:
    """Jackknife variances of the differences of all pairs, (M, M), from values without each group, (M, G)."""
    groups = without.shape[1]
    centred = without - without.mean(axis=1, keepdims=True)
    products = centred @ centred.T
    own = np.diag(products)
    return np.asarray((groups - 1) / groups * (own[:, np.newaxis] + own - 2 * products))


def _resampled(random: np.random.Generator, pilot: int, resamples: int) -> Numbers:
    """Shares of each member of a pilot in its resamples, (R, 1, pilot)."""
    return random.multinomial(pilot, np.full(pilot, 1 / pilot), size=(resamples, 1)) / pilot


def _means(ratings: Numbers, counts: NDArray[np.integer]) -> Numbers:
    """Means of the ratings (H, S), weighted by the counts (…, H) of the annotators, (…, S)."""
    present = ~np.isnan(ratings)
    weights = counts.astype(np.float64)
    return divide(weights @ np.where(present, ratings, 0.0), weights @ present)


def _requirement(
    drawn: Sequence[Numbers], of_resamples: Numbers, sizes: Numbers, pilot: int, width: float
) -> Requirement:
    """The size at which the interval is narrow enough.

    drawn: correlations of samples of each size, K of (R,). of_resamples: those of samples of the pilot's size from each
    resample of it, (R', R).
    """
    correlations = np.stack(drawn, axis=1)
    low, high = percentile_interval(correlations, level=LEVEL)
    # A larger sample is no less precise.
    widths = np.minimum.accumulate(high - low)
    index = int(np.searchsorted(sizes, pilot))
    ratio = divide(defined_deviation(of_resamples, axis=1), defined_deviation(correlations[:, index]))
    smallest, largest = percentile_interval(ratio)
    middle = np.median(ratio[~np.isnan(ratio)]) if not np.isnan(ratio).all() else np.nan
    value, lows, highs = (
        np.minimum(divide(widths, by, undefined=MAX_WIDTH), MAX_WIDTH) for by in (middle, largest, smallest)
    )
    needed, least, most = (_first_within(sizes, curve, width) for curve in (value, lows, highs))
    now = float(value[index])
    return Requirement(needed, least, most, now, sizes, value=value, lows=lows, highs=highs, most=float(sizes[-1]))


def _first_within(sizes: Numbers, widths: Numbers, goal: float) -> float:
    """The size from which the widths are within a goal, interpolated on logarithmic scales; ∞ where none is."""
    if np.isnan(widths).all():
        return float("nan")
    within = np.flatnonzero(widths <= goal)
    if not len(within):
        return float("inf")
    index = int(within[0])
    if index == 0 or not widths[index] > 0:
        return float(sizes[index])
    share = np.log(widths[index - 1] / goal) / np.log(widths[index - 1] / widths[index])
    return float(sizes[index - 1] * (sizes[index] / sizes[index - 1]) ** share)
