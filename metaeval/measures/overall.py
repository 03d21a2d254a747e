"""Measures of correctness over all items."""

from __future__ import annotations

from typing import Literal

import numpy as np

from metaeval.measures.declare import label_measure
from metaeval.measures.margins import gold_totals, items, mean_over, predicted_totals, recalls, true_positives
from metaeval.measures.spec import Counts, Scores, Trait
from metaeval.model.scale import ClassScale
from metaeval.stats.ratio import divide


@label_measure(
    "accuracy",
    title="Accuracy",
    source="amemiya2021",
    formula="Σ c_jj / N",
    undefined="no item",
    traits={Trait.SYMMETRIC, Trait.ADDITIVE, Trait.REPLICATION_INVARIANT, Trait.REVERSAL_INVARIANT},
)
def accuracy(counts: Counts) -> Scores:
    """Share of items whose class was predicted correctly.

    counts: (..., C, C), rows gold. Returns (...).

    >>> accuracy(np.array([[8, 2], [4, 6]]))
    array(0.7)
    """
    return divide(true_positives(counts).sum(axis=-1), items(counts))


@label_measure(
    "weighted-accuracy",
    title="Weighted accuracy",
    source="ordinal2022",
    formula="Σ w_j c_jj / Σ w_j n_j, n_j items of gold class j; w_j = 1 / n_j (inverse) or the declared weight (scale)",
    undefined="no item of a class with weight",
    traits={Trait.ADDITIVE, Trait.REPLICATION_INVARIANT, Trait.REVERSAL_INVARIANT},
    parameters={"weights": "weight of an item by its gold class: inverse frequency, or the declared class weights"},
)
def weighted_accuracy(counts: Counts, *, scale: ClassScale, weights: Literal["inverse", "scale"] = "inverse") -> Scores:
    """Share of correct items when items of different gold classes weigh differently.

    With inverse frequencies this is balanced accuracy: the mean recall over classes that occur in gold.
    counts: (..., C, C), rows gold. Returns (...).

    >>> weighted_accuracy(np.array([[8, 2], [0, 90]]), scale=ClassScale(("rare", "frequent")))
    array(0.9)
    """
    if weights == "inverse":
        return mean_over(recalls(counts), gold_totals(counts) > 0)
    weight = scale.class_weights()
    return divide((weight * true_positives(counts)).sum(axis=-1), (weight * gold_totals(counts)).sum(axis=-1))


@label_measure(
    "mcc",
    title="Matthews correlation coefficient",
    bounds=(-1.0, 1.0),
    source="gorodkin2004",
    formula="(N Σ c_jj − Σ n_j p_j) / √((N² − Σ n_j²)(N² − Σ p_j²)), n_j gold and p_j predicted totals",
    undefined="a single class in gold, or a single class predicted",
    traits={
        Trait.SYMMETRIC,
        Trait.REPLICATION_INVARIANT,
        Trait.REVERSAL_INVARIANT,
        Trait.CONSTANT_SCORES_NOTHING,
    },
)
def matthews_correlation(counts: Counts) -> Scores:
    """Correlation of gold and predicted class indicators, for any number of classes.

    counts: (..., C, C), rows gold. Returns (...). scikit-learn gives 0 where this is NaN.

    >>> round(float(matthews_correlation(np.array([[8, 2], [4, 6]]))), 4)
    0.4082
    """
    gold = gold_totals(counts).astype(np.float64)
    predicted = predicted_totals(counts).astype(np.float64)
    total = gold.sum(axis=-1)
    covariance = total * true_positives(counts).sum(axis=-1) - (gold * predicted).sum(axis=-1)
    gold_variance = total * total - (gold * gold).sum(axis=-1)
    predicted_variance = total * total - (predicted * predicted).sum(axis=-1)
    return divide(covariance, np.sqrt(gold_variance * predicted_variance))
