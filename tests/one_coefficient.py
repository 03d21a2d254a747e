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


def bootstrap_correlations(*scores: Scores, coefficient: str = "kendall-b", **options: Any) -> Scores:
    found: Scores = correlation.bootstrap_correlations(*scores, coefficients=[coefficient], **options)[0]
    return found
