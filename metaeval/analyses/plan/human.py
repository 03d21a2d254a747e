"""How many systems and annotators are enough to estimate how well measures correlate with human scores.

Systems or annotators are drawn with replacement from those of a pilot, more or fewer than it has. The middle 95 % of
the correlations is as wide as the interval from that number. The error of this width is estimated by doing the same
with resamples of the pilot, which differ from the pilot as the pilot differs from the population.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from metaeval.analyses.plan.items import Requirement, amounts, unknown
from metaeval.stats.association import COEFFICIENTS
from metaeval.stats.correlation import resampled_correlations
from metaeval.stats.intervals import LEVEL, defined_deviation, percentile_interval
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

    def required(metric: Numbers, human: Numbers) -> Requirement:
        systems = len(metric)
        sizes = amounts(systems, MIN_SYSTEMS)
        if systems < MIN_SYSTEMS:
            return unknown(sizes)

        def correlations(counts: NDArray[np.integer]) -> Numbers:
            """Correlations of samples with `counts` of each system, (R, S), as (R,)."""
            once = np.ones((len(counts), 1), dtype=np.int64)
            cells = (np.newaxis, slice(None), np.newaxis)
            return resampled_correlations(
                metric[cells], human[cells], counts, once, level="system", coefficient=coefficient
            )[:, 0, 0]

        uniform = np.full(systems, 1 / systems)
        drawn = [correlations(random.multinomial(size, uniform, size=DRAWS)) for size in sizes.astype(int).tolist()]
        resampled = random.multinomial(systems, _resampled(random, systems, resamples), size=(resamples, INNER_DRAWS))
        of_resamples = correlations(resampled.reshape(-1, systems)).reshape(resamples, -1)
        return _requirement(drawn, of_resamples, sizes, systems, width)

    known = ~(np.isnan(metric) | np.isnan(human))
    return [required(row[rated], human[rated]) for row, rated in zip(metric, known, strict=True)]


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
    place = int(np.searchsorted(sizes, pilot))
    ratio = divide(defined_deviation(of_resamples, axis=1), defined_deviation(correlations[:, place]))
    smallest, largest = percentile_interval(ratio)
    middle = np.median(ratio[~np.isnan(ratio)]) if not np.isnan(ratio).all() else np.nan
    value, lows, highs = (
        np.minimum(divide(widths, by, undefined=MAX_WIDTH), MAX_WIDTH) for by in (middle, largest, smallest)
    )
    needed, least, most = (_first_within(sizes, curve, width) for curve in (value, lows, highs))
    return Requirement(needed, least, most, float(value[place]), sizes, value, lows, highs, float(sizes[-1]))


def _first_within(sizes: Numbers, widths: Numbers, goal: float) -> float:
    """The size from which the widths are within a goal, interpolated on logarithmic scales; ∞ where none is."""
    if np.isnan(widths).all():
        return float("nan")
    within = np.flatnonzero(widths <= goal)
    if not len(within):
        return float("inf")
    place = int(within[0])
    if place == 0 or not widths[place] > 0:
        return float(sizes[place])
    share = np.log(widths[place - 1] / goal) / np.log(widths[place - 1] / widths[place])
    return float(sizes[place - 1] * (sizes[place] / sizes[place - 1]) ** share)
