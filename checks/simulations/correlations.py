"""Simulated correlations with human scores: tests of two measures that are alike, and intervals that should cover."""

from __future__ import annotations

from functools import cache

import numpy as np

from metaeval.stats.correlation import correlate, correlation_intervals
from metaeval.stats.correlation_tests import swap_tests
from simulations.generators import Codes, Floats, unequal_clusters

ITEMS, DATA_SETS = 200, 1000
"""Items of a data set, and number of those whose mean correlation is the true one."""

QUALITY = np.linspace(-0.7, 0.7, 8)
LIKED = QUALITY + 0.4 * np.array([1, -1, -1, 1, 1, -1, 1, -1])
"""Expected human scores of systems, and of both measures."""


def alike(random: np.random.Generator, clusters: Codes) -> tuple[Floats, Floats]:
    """Scores of two measures that are alike, (2, S, N), and human scores, (S, N), with errors shared by clusters."""
    systems, number = len(QUALITY), clusters.max() + 1
    luck = np.sqrt(0.3) * random.standard_normal((3, systems, number))[..., clusters]
    errors = luck + np.sqrt(0.7) * random.standard_normal((3, systems, len(clusters)))
    scores = np.stack([LIKED, LIKED, QUALITY])[..., np.newaxis] + random.standard_normal(len(clusters)) + errors
    return scores[:2], scores[2]


@cache
def expected(number: int, level: str, coefficient: str) -> float:
    """The mean correlation of such data sets."""
    clusters, random = unequal_clusters(number, ITEMS), np.random.default_rng(1)
    sets = (alike(random, clusters) for _ in range(DATA_SETS))
    values = [correlate(x[:1], y[np.newaxis], level=level, coefficient=coefficient).values[0, 0] for x, y in sets]
    return float(np.mean(values))


def tested(random: np.random.Generator, number: int, level: str, coefficient: str, *, swap: str, used: bool) -> bool:
    """Whether two measures that are alike are called different; used: whether the test knows the clusters."""
    clusters = unequal_clusters(number, ITEMS)
    metric, human = alike(random, clusters)
    test = swap_tests(
        metric, human, level=level, coefficients=[coefficient], swap=swap, clusters=clusters if used else None,
        resamples=199, seed=int(random.integers(1 << 31)),
    )[coefficient]  # fmt: skip
    return bool(test.p[0, 1] <= 0.05)


def covers(random: np.random.Generator, number: int, level: str, coefficient: str, *, used: bool) -> bool:
    """Whether the interval of items covers the mean correlation; used: whether it knows the clusters."""
    clusters = unequal_clusters(number, ITEMS)
    metric, human = alike(random, clusters)
    low, high = correlation_intervals(
        metric[:1], human[np.newaxis], level=level, coefficients=[coefficient], resampled="items",
        clusters=clusters if used else None, resamples=400, seed=int(random.integers(1 << 31)),
    )[coefficient]  # fmt: skip
    return bool(low[0, 0] <= expected(number, level, coefficient) <= high[0, 0])


def covers_accuracy(random: np.random.Generator, systems: int) -> bool:
    """Whether the interval of systems covers the pairwise accuracy of normal scores with correlation .7."""
    human = random.standard_normal((systems, 1))
    metric = 0.7 * human + np.sqrt(1 - 0.7**2) * random.standard_normal((systems, 1))
    ((low, high),) = correlation_intervals(
        metric[np.newaxis], human[np.newaxis], level="system", coefficients=["pairwise-accuracy"], resampled="systems",
        resamples=400, seed=int(random.integers(1 << 31)),
    ).values()  # fmt: skip
    return bool(low[0, 0] <= 0.5 + np.arcsin(0.7) / np.pi <= high[0, 0])


def equal(random: np.random.Generator, systems: int, *, spread: float, ties: bool) -> tuple[Floats, Floats]:
    """Four measures with the same population correlation, (4, S, N), and human scores, (S, N).

    spread: deviation of the effects of systems on a measure. ties: whether all scores are small whole numbers.
    """
    quality = random.standard_normal((systems, 1))
    items = 0.7 * random.standard_normal(ITEMS)
    human = quality + items + random.standard_normal((systems, ITEMS))
    effects = spread * random.standard_normal((4, systems, 1))
    metric = quality + items + effects + random.standard_normal((4, systems, ITEMS))
    return (np.round(metric), np.round(human)) if ties else (metric, human)


def family_tested(
    random: np.random.Generator, systems: int, level: str, coefficient: str, *, swap: str, spread: float, ties: bool
) -> bool:
    """Whether any two of four equally good measures are called different."""
    metric, human = equal(random, systems, spread=spread, ties=ties)
    seed = int(random.integers(1 << 31))
    tests = swap_tests(metric, human, level=level, coefficients=[coefficient], swap=swap, resamples=199, seed=seed)
    return bool(np.nanmin(tests[coefficient].p_adjusted) <= 0.05)
