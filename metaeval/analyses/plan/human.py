"""How many systems and annotators are enough to know how well measures follow people?

Systems or annotators are drawn with replacement from those of a pilot, more or fewer than it has; the middle 95 % of
the correlations is as wide as the interval that so many would give. How far such a width is off is found by doing the
same with resamples of the pilot: as theirs differ from the pilot's, so the pilot's differs from the true one.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from metaeval.analyses.plan.items import Planned, amounts, unknown
from metaeval.stats.association import COEFFICIENTS
from metaeval.stats.correlation import resampled_correlations
from metaeval.stats.intervals import LEVEL, defined_deviation, percentile_interval
from metaeval.stats.ratio import divide
from metaeval.stats.resample import generator

Numbers = NDArray[np.float64]

FEWEST_SYSTEMS = 5
"""With fewer, every correlation is about 1 or −1."""

FEWEST_ANNOTATORS = 3
"""Two tell next to nothing of how others would differ."""

WIDEST = 2.0
"""From −1 to 1."""

DRAWS = 2000
"""Samples behind each width."""

INNER_DRAWS = 100
"""Samples of each resample of the annotators."""


def plan_systems(
    metric: Numbers, human: Numbers, *, coefficient: str, width: float, resamples: int, seed: np.random.SeedSequence
) -> list[Planned]:
    """How many systems until the interval of a measure's correlation with people is no wider than `width`.

    metric: (M, S). human: (S,). coefficient: a name of `stats.association.COEFFICIENTS`. One plan a measure; none is
    known with fewer than `FEWEST_SYSTEMS` that both have a score of.
    """
    random = generator(seed)
    return [
        _plan_systems(row[known], human[known], coefficient, width, resamples, random)
        for row in metric
        for known in [~(np.isnan(row) | np.isnan(human))]
    ]


def _plan_systems(
    metric: Numbers, human: Numbers, coefficient: str, width: float, resamples: int, random: np.random.Generator
) -> Planned:
    systems = len(metric)
    sizes = amounts(systems, FEWEST_SYSTEMS)
    if systems < FEWEST_SYSTEMS:
        return unknown(sizes)

    def correlations(counts: NDArray[np.integer]) -> Numbers:
        """Of samples with so many of each system, (R, S)."""
        once = np.ones((len(counts), 1), dtype=np.int64)
        cells = (np.newaxis, slice(None), np.newaxis)
        found = resampled_correlations(
            metric[cells], human[cells], counts, once, level="system", coefficient=coefficient
        )
        return found[:, 0, 0]

    everyone = np.full(systems, 1 / systems)
    whole = sizes.astype(int).tolist()
    drawn = np.stack([correlations(random.multinomial(size, everyone, size=DRAWS)) for size in whole], axis=1)
    resampled = random.multinomial(systems, _resampled(random, systems, resamples), size=(resamples, INNER_DRAWS))
    spread = defined_deviation(correlations(resampled.reshape(-1, systems)).reshape(resamples, -1), axis=1)
    return _planned(drawn, spread, sizes, systems, width)


def plan_annotators(
    metric: Numbers, ratings: Numbers, *, coefficient: str, width: float, resamples: int, seed: np.random.SeedSequence
) -> list[Planned]:
    """How many annotators until the interval of a measure's correlation with their mean is no wider than `width`.

    metric: (M, S). ratings: (H, S), NaN where an annotator rated nothing of a system. One plan a measure; none is known
    with fewer than `FEWEST_ANNOTATORS`.
    """
    annotators = len(ratings)
    sizes = amounts(annotators, 1)
    if annotators < FEWEST_ANNOTATORS:
        return [unknown(sizes) for _ in metric]
    random = generator(seed)
    correlate = COEFFICIENTS[coefficient]
    everyone = np.full(annotators, 1 / annotators)
    means = [_means(ratings, random.multinomial(size, everyone, size=DRAWS)) for size in sizes.astype(int).tolist()]
    others = _resampled(random, annotators, resamples)
    of_others = _means(ratings, random.multinomial(annotators, others, size=(resamples, INNER_DRAWS)))
    plans = []
    for row in metric:
        drawn = np.stack([correlate(row, of_size) for of_size in means], axis=1)
        spread = defined_deviation(correlate(row, of_others), axis=1)
        plans.append(_planned(drawn, spread, sizes, annotators, width))
    return plans


def _resampled(random: np.random.Generator, pilot: int, resamples: int) -> Numbers:
    """Shares of each member of a pilot in its resamples, (R, 1, pilot)."""
    return random.multinomial(pilot, np.full(pilot, 1 / pilot), size=(resamples, 1)) / pilot


def _means(ratings: Numbers, counts: NDArray[np.integer]) -> Numbers:
    """Means of the ratings with each annotator so many times, (…, H) as (…, S)."""
    present = ~np.isnan(ratings)
    weights = counts.astype(np.float64)
    return divide(weights @ np.where(present, ratings, 0.0), weights @ present)


def _planned(drawn: Numbers, spread: Numbers, sizes: Numbers, pilot: int, width: float) -> Planned:
    """drawn: correlations of samples of each size, (R, K). spread: the deviation of those of the pilot's size, drawn
    from resamples of it, (R',).
    """
    low, high = percentile_interval(drawn, level=LEVEL)
    # More can't do worse.
    found = np.minimum.accumulate(high - low)
    place = int(np.searchsorted(sizes, pilot))
    ratio = divide(spread, defined_deviation(drawn[:, place]))
    smallest, largest = percentile_interval(ratio)
    middle = np.median(ratio[~np.isnan(ratio)]) if not np.isnan(ratio).all() else np.nan
    value, lows, highs = (np.minimum(divide(found, by, undefined=WIDEST), WIDEST) for by in (middle, largest, smallest))
    needed, least, most = (_first_within(sizes, curve, width) for curve in (value, lows, highs))
    return Planned(needed, least, most, float(value[place]), sizes, value, lows, highs)


def _first_within(sizes: Numbers, widths: Numbers, goal: float) -> float:
    """From which size on widths are within a goal, between sizes by their logarithms; ∞ where none is."""
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
