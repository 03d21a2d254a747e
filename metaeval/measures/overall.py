"""Measures of the share of correct predictions over all items."""

from __future__ import annotations

from typing import Literal

import numpy as np

from metaeval.measures.declare import label_measure
from metaeval.measures.margins import gold_totals, items, mean_over, predicted_totals, recalls, true_positives
from metaeval.measures.spec import Counts, Scores, Trait
from metaeval.model.scale import ClassScale
from metaeval.stats.ratio import divide


@label_measure(
    "accuracy", traits={Trait.SYMMETRIC, Trait.ADDITIVE, Trait.REPLICATION_INVARIANT, Trait.REVERSAL_INVARIANT}
)
def accuracy(counts: Counts) -> Scores:
    """Share of items whose class was predicted correctly."""
    return divide(true_positives(counts).sum(axis=-1), items(counts))


@label_measure("weighted-accuracy", traits={Trait.ADDITIVE, Trait.REPLICATION_INVARIANT, Trait.REVERSAL_INVARIANT})
def weighted_accuracy(counts: Counts, *, scale: ClassScale, weights: Literal["inverse", "scale"] = "inverse") -> Scores:
    """Accuracy with items weighted by gold class; balanced accuracy by default."""
    if weights == "inverse":
        return mean_over(recalls(counts), gold_totals(counts) > 0)
    weight = scale.class_weights()
    return divide((weight * true_positives(counts)).sum(axis=-1), (weight * gold_totals(counts)).sum(axis=-1))


@label_measure(
    "mcc",
    bounds=(-1.0, 1.0),
    traits={Trait.SYMMETRIC, Trait.REPLICATION_INVARIANT, Trait.REVERSAL_INVARIANT, Trait.CONSTANT_SCORES_ZERO},
)
def matthews_correlation(counts: Counts) -> Scores:
    """Correlation of gold and predicted class indicators, for any number of classes."""
    gold = gold_totals(counts).astype(np.float64)
    predicted = predicted_totals(counts).astype(np.float64)
    total = gold.sum(axis=-1)
    covariance = total * true_positives(counts).sum(axis=-1) - (gold * predicted).sum(axis=-1)
    gold_variance = total * total - (gold * gold).sum(axis=-1)
    predicted_variance = total * total - (predicted * predicted).sum(axis=-1)
    return divide(covariance, np.sqrt(gold_variance * predicted_variance))
