"""Coefficients of two annotators, one call each: oracles for those of all pairs."""

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from metaeval.stats._arrays import (
    Included,
    as_ratings,
    sum_over_units,
    unit_weights,
    value_indicators,
    vector_times_matrix,
    without_excluded,
)
from metaeval.stats.agreement import Agreements
from metaeval.stats.association import COEFFICIENTS
from metaeval.stats.ratio import divide


def cohen_kappa(
    ratings: ArrayLike,
    included: Included | None = None,
    *,
    weights: Literal["none", "linear", "quadratic"] = "none",
) -> Agreements:
    """Cohen's (1968) weighted kappa of two annotators on the units that both rated."""
    ratings = as_ratings(ratings, annotators=2)
    complete = np.where(np.isnan(ratings).any(axis=-2, keepdims=True), np.nan, ratings)
    values, indicators = value_indicators(complete)
    counted = unit_weights(included, ratings)
    totals = sum_over_units(counted[..., np.newaxis, :], indicators.astype(np.float64))
    difference = np.nan_to_num(np.abs(complete[..., 0, :] - complete[..., 1, :]))
    distance = np.abs(values[..., :, np.newaxis] - values[..., np.newaxis, :])
    if weights == "none":
        difference, distance = (difference > 0).astype(np.float64), 1 - np.eye(values.shape[-1])
    elif weights == "quadratic":
        difference, distance = difference**2, distance**2
    observed = np.einsum("...u,...u->...", counted, difference)
    expected = (vector_times_matrix(totals[..., 0, :], distance) * totals[..., 1, :]).sum(axis=-1)
    return np.asarray(1 - totals[..., 0, :].sum(axis=-1) * divide(observed, expected))


def correlation(
    ratings: ArrayLike,
    included: Included | None = None,
    *,
    coefficient: Literal["pearson", "spearman", "kendall-b"],
) -> Agreements:
    """Correlation of two annotators on the units that both rated; NaN if the ratings of one are constant."""
    ratings = without_excluded(as_ratings(ratings, annotators=2), included)
    return COEFFICIENTS[coefficient](ratings[..., 0, :], ratings[..., 1, :])
