"""Measures of the share of correct predictions over all items."""

from __future__ import annotations

from typing import Literal

import numpy as np

from metaeval.arrays import Counts, Scores
from metaeval.measures.declare import SHARE, label_measure
from metaeval.measures.margins import (
    class_predictions,
    gold_totals,
    items,
    mean_over,
    predicted_totals,
    recalls,
    true_positives,
)
from metaeval.measures.spec import ByParameter, Trait
from metaeval.model.scale import ClassScale
from metaeval.stats.ratio import divide


@label_measure(
    title="Accuracy",
    bounds=SHARE,
    question="how many items are right",
    source="amemiya2021",
    formula="Σ c_jj / N",
    undefined="no items",
    traits={
        Trait.SYMMETRIC,
        Trait.ADDITIVE,
        Trait.REPLICATION_INVARIANT,
        Trait.REVERSAL_INVARIANT,
        Trait.COUNTS_MISSES,
    },
)
def accuracy(counts: Counts) -> Scores:
    """Share of items whose class was predicted correctly."""
    return divide(true_positives(counts).sum(axis=-1), items(counts))


@label_measure(
    title="Weighted accuracy",
    bounds=SHARE,
    question=ByParameter(
        "weights",
        {
            "inverse": "how many items are right, every gold class weighing the same",
            "scale": "how many items are right, gold classes weighing as declared",
        },
    ),
    source="ordinal2022",
    formula="Σ w_j c_jj / Σ w_j n_j, n_j items of gold class j; w_j = 1 / n_j (inverse) or the declared weight (scale)",
    undefined="no item has a gold class with a weight above 0",
    traits={Trait.ADDITIVE, Trait.REPLICATION_INVARIANT, Trait.REVERSAL_INVARIANT, Trait.COUNTS_MISSES},
    parameters={
        "weights": "weight of an item: inverse frequency of its gold class, or the declared weight of that class"
    },
)
def weighted_accuracy(counts: Counts, *, scale: ClassScale, weights: Literal["inverse", "scale"] = "inverse") -> Scores:
    """Accuracy with items weighted by gold class; balanced accuracy by default."""
    if weights == "inverse":
        return mean_over(recalls(counts), gold_totals(counts) > 0)
    weight = scale.class_weights()
    return divide((weight * true_positives(counts)).sum(axis=-1), (weight * gold_totals(counts)).sum(axis=-1))


@label_measure(
    "mcc",
    title="Matthews correlation coefficient",
    question="how strongly do predictions and gold go together, beyond chance",
    bounds=(-1.0, 1.0),
    source="gorodkin2004",
    formula="(N Σ c_jj − Σ n_j p_j) / √((N² − Σ n_j²)(N² − Σ p_j²)), n_j gold and p_j predicted totals",
    undefined="gold or the predictions have a single class",
    traits={
        Trait.SYMMETRIC,
        Trait.REPLICATION_INVARIANT,
        Trait.REVERSAL_INVARIANT,
        Trait.CONSTANT_SCORES_ZERO,
        Trait.COUNTS_MISSES,
    },
)
def matthews_correlation(counts: Counts) -> Scores:
    """Correlation of gold and predicted class indicators, for any number of classes."""
    gold = gold_totals(counts).astype(np.float64)
    predicted = predicted_totals(counts).astype(np.float64)
    total = gold.sum(axis=-1)
    covariance = total * true_positives(counts).sum(axis=-1) - (gold * class_predictions(counts)).sum(axis=-1)
    gold_variance = total * total - (gold * gold).sum(axis=-1)
    predicted_variance = total * total - (predicted * predicted).sum(axis=-1)
    return divide(covariance, np.sqrt(gold_variance * predicted_variance))
