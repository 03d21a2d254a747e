"""Intervals and tests of one coefficient, which the package computes for several together."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from metaeval.stats import correlation, correlation_tests

Scores = NDArray[np.float64]


def swap_test(*scores: Scores, coefficient: str = "kendall-b", **options: Any) -> correlation_tests.DifferenceTest:
    return correlation_tests.swap_tests(*scores, coefficients=[coefficient], **options)[coefficient]


def correlation_interval(*scores: Scores, coefficient: str, **options: Any) -> tuple[Scores, Scores]:
    return correlation.correlation_intervals(*scores, coefficients=[coefficient], **options)[coefficient]


def bootstrap_correlations(
    metric: Scores,
    human: Scores,
    *,
    coefficient: str = "kendall-b",
    level: str = "item",
    resampled: str = "both",
    clusters: NDArray[np.intp] | None = None,
    resamples: int,
    seed: int = 20201,
) -> Scores:
    """Correlations in bootstrap resamples, (R, M, H)."""
    sampling: dict[str, Any] = {"clusters": clusters, "resamples": resamples, "seed": seed}
    if (level, resampled) == ("system", "items"):
        return correlation.bootstrap_of_items(metric, human, coefficients=[coefficient], **sampling)[coefficient]
    draws = correlation.bootstrap_draws(*metric.shape[-2:], resampled=resampled, **sampling)
    options: dict[str, Any] = {"level": level, "coefficient": coefficient}
    return np.concatenate([correlation.resampled_correlations(metric, human, *draw, **options) for draw in draws])
