"""Totals of confusion counts, and averages that several measures need.

Measures with the trait `COUNTS_MISSES` also take counts (..., C, C + 1), whose last column has the items for which no
class was predicted. Counts are float64. Sums are `numpy.einsum`, which is several times faster than `sum` along so
short axes.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from metaeval.arrays import Bools, Counts, Floats, Scores
from metaeval.stats.ratio import divide

FEW_CLASSES = 64
"""Up to this many, a product with a triangle of ones is faster than cumulative sums, which skip through memory."""


def true_positives(counts: Counts) -> Counts:
    """Correct predictions of each class, (..., C)."""
    return np.diagonal(counts, axis1=-2, axis2=-1)


def gold_totals(counts: Counts) -> Counts:
    """Items of each gold class, (..., C)."""
    return np.asarray(np.einsum("...ij->...i", counts))


def predicted_totals(counts: Counts) -> Counts:
    """Predictions of each class, and of none if there is such a column, (..., C) or (..., C + 1)."""
    return np.asarray(np.einsum("...ij->...j", counts))


def class_predictions(counts: Counts) -> Counts:
    """Predictions of each class, (..., C)."""
    return predicted_totals(counts)[..., : counts.shape[-2]]


def items(counts: Counts) -> Counts:
    """Number of items, (...)."""
    return np.asarray(np.einsum("...ij->...", counts))


def precisions(counts: Counts) -> Scores:
    """Share of each class's predictions that are correct, (..., C); 0 for a class never predicted."""
    return divide(true_positives(counts), class_predictions(counts), undefined=0.0)


def recalls(counts: Counts) -> Scores:
    """Share of each gold class that was predicted correctly, (..., C); 0 for a class without gold items."""
    return divide(true_positives(counts), gold_totals(counts), undefined=0.0)


def midpoints(totals: Counts) -> Scores:
    """Mean rank minus ½ of the items of each class, all items being sorted by class, (..., C).

    >>> midpoints(np.array([2, 4]))
    array([1., 4.])
    """
    classes = totals.shape[-1]
    if classes > FEW_CLASSES:
        return np.asarray(np.cumsum(totals, axis=-1) - totals / 2)
    return np.asarray(np.einsum("...j,ij->...i", totals, np.tri(classes) - np.eye(classes) / 2))


def distances(classes: int) -> Floats:
    """|i − j| between class positions, (C, C)."""
    positions = np.arange(classes, dtype=np.float64)
    return np.abs(positions[:, np.newaxis] - positions)


def cell_sum(counts: Counts, weights: ArrayLike) -> Scores:
    """Σ weight × count over the cells of each matrix, (...); weights broadcast against (..., C, C).

    Columns of counts beyond those of the weights weigh 0.
    """
    weights = np.asarray(weights)
    return np.asarray(np.einsum("...ij,...ij->...", counts[..., : weights.shape[-1]], weights))


def mean_credit(counts: Counts, credit: ArrayLike) -> Scores:
    """Mean over items of the credit of their (gold, predicted) cells, (...); NaN without items."""
    return divide(cell_sum(counts, credit), items(counts))


def mean_over(values: Scores, classes: Bools) -> Scores:
    """Mean over the last axis of the values where `classes` is true; NaN where none is."""
    return divide(np.where(classes, values, 0.0).sum(axis=-1), classes.sum(axis=-1))
