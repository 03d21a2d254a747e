"""Tests and intervals of correlations at the size of a metrics task of WMT, against loops over SciPy and numpy."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray
from scipy.stats import kendalltau, pearsonr, spearmanr

from benchmarks.paired import Comparison, faster
from metaeval.stats.association import level_vectors
from metaeval.stats.correlation import correlation_intervals
from metaeval.stats.correlation_tests import swap_tests
from metaeval.stats.decisions import accuracy_intervals, accuracy_tests

MEASURES, SYSTEMS, ITEMS, RESAMPLES, PERMUTATIONS = 15, 20, 1_500, 1_000, 1_999

Scores = NDArray[np.float64]

WORK = {
    "defaults": [(level, name) for level in ("system", "item") for name in ("pearson", "spearman", "kendall-b")],
    "item": [("item", "kendall-b")],
    "by-system": [("by-system", "kendall-b")],
    "global": [("global", "kendall-b")],
    "acc-eq": [("item", "acc-eq")],
}
"""Levels and coefficients of each job."""


def rated(items: int) -> tuple[Scores, Scores]:
    """Scores of measures (M, S, N) and human scores (S, N) with twelve values."""
    random = np.random.default_rng(1)
    human = np.clip(np.round(2 * (random.normal(size=(SYSTEMS, items)) + random.normal(size=(SYSTEMS, 1)))), -6, 5)
    noise = np.linspace(1, 4, MEASURES)[:, np.newaxis, np.newaxis]
    return np.round(human + noise * random.normal(size=(MEASURES, *human.shape)), 4), human


def compare_metrics_task(
    work: str, rounds: int, *, items: int = ITEMS, resamples: int = RESAMPLES, permutations: int = PERMUTATIONS
) -> Comparison:
    """Intervals of 15 measures and tests of their 105 pairs; the peer does one resample, and its share of the swaps."""
    metric, human = rated(items)
    pairs = MEASURES * (MEASURES - 1) // 2
    swaps = max(1, round(permutations * pairs / (resamples * MEASURES)))

    def ours() -> None:
        for level in dict.fromkeys(level for level, _ in WORK[work]):
            names = [name for of, name in WORK[work] if of == level and name != "acc-eq"]
            if names:
                correlation_intervals(
                    metric, human[np.newaxis], level=level, coefficients=names, resampled="both", resamples=resamples
                )
                swap_tests(metric, human, level=level, coefficients=names, resamples=permutations)
            else:
                accuracy_intervals(metric, human, level=level, resamples=resamples)
                accuracy_tests(metric, human, level=level, resamples=permutations)

    def theirs() -> None:
        for level, name in WORK[work]:
            _loop(metric[0], metric[1], human, partial(COEFFICIENTS[name], level), swaps)

    names = ", ".join(dict.fromkeys(name for _, name in WORK[work]))
    levels = " and ".join(dict.fromkeys(level for level, _ in WORK[work]))
    return faster(
        f"intervals and tests at level {levels}: {names}, {MEASURES} measures × {SYSTEMS} systems × {items:,} items",
        ours,
        peer="a loop over numpy" if work == "acc-eq" else "a loop over scipy.stats",
        theirs=theirs,
        claim="≥ 100 times faster",
        rounds=rounds,
        share_of_their_work=1 / (resamples * MEASURES),
    )


def _loop(x: Scores, y: Scores, z: Scores, coefficient: Callable[[Scores, Scores], float], swaps: int) -> None:
    """One bootstrap resample of x, and swaps of x and y."""
    random = np.random.default_rng(1)
    cells = np.ix_(random.integers(len(x), size=len(x)), random.integers(x.shape[1], size=x.shape[1]))
    coefficient(x[cells], z[cells])
    for _ in range(swaps):
        swapped = random.random(x.shape) > 0.5
        coefficient(np.where(swapped, y, x), z)
        coefficient(np.where(swapped, x, y), z)


def _correlation(statistic: Callable[[Scores, Scores], float], level: str, x: Scores, z: Scores) -> float:
    """The mean over the vectors of a level where it is defined."""
    x_vectors, z_vectors = (np.atleast_2d(scores) for scores in level_vectors(x, z, level=level))
    return float(np.nanmean([statistic(one, other) for one, other in zip(x_vectors, z_vectors, strict=True)]))


def _accuracy(level: str, x: Scores, z: Scores) -> float:
    """Mean share of the pairs of systems of an item that both order in the same way, without calibrating ties again."""
    assert level == "item"
    agree = np.sign(x[:, np.newaxis] - x) == np.sign(z[:, np.newaxis] - z)
    one, other = np.triu_indices(len(x), 1)
    return float(agree[one, other].mean())


COEFFICIENTS: dict[str, Callable[[str, Scores, Scores], float]] = {
    "pearson": partial(_correlation, lambda x, z: float(pearsonr(x, z).statistic)),
    "spearman": partial(_correlation, lambda x, z: float(spearmanr(x, z).statistic)),
    "kendall-b": partial(_correlation, lambda x, z: float(kendalltau(x, z).statistic)),
    "acc-eq": _accuracy,
}
