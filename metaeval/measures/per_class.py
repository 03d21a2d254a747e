"""Precision, recall and measures built from them.

Means are over the declared classes, as in scikit-learn with `zero_division=0`; those of `gmr` and `auc` are over the
classes that occur in gold.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from metaeval.arrays import Counts, Scores
from metaeval.errors import invalid, refuse, repeated
from metaeval.measures.declare import SHARE, label_measure
from metaeval.measures.margins import (
    class_predictions,
    gold_totals,
    items,
    mean_over,
    precisions,
    recalls,
    true_positives,
)
from metaeval.measures.spec import ByParameter, Trait
from metaeval.model.scale import ClassScale
from metaeval.stats.ratio import divide

_RATE = {Trait.REPLICATION_INVARIANT, Trait.REVERSAL_INVARIANT, Trait.COUNTS_MISSES}
_CLASS: dict[str, Any] = {
    "bounds": SHARE,
    "parameters": {"class": "class to score; if empty, the mean over all classes (macro)"},
    "examples": {"class": "mid"},
}
_BETA: dict[str, Any] = {
    "parameters": {"beta": "weight of recall relative to precision"},
    "examples": {"beta": "0.5"},
}
_NEVER = "never (0 for a class that occurs neither in gold nor in the predictions)"


def f_scores(counts: Counts, *, beta: float = 1.0) -> Scores:
    """F_β of each class, (..., C): (1 + β²) TP / (β² gold + predicted); 0 for a class that occurs nowhere."""
    weighted_total = beta**2 * gold_totals(counts) + class_predictions(counts)
    return divide((1 + beta**2) * true_positives(counts), weighted_total, undefined=0.0)


def one_point_areas(counts: Counts) -> Scores:
    """(TPR + 1 − FPR) / 2 of each class, (..., C); NaN for a class with none or all of the gold items."""
    gold, correct = gold_totals(counts), true_positives(counts)
    false_positive_rate = divide(class_predictions(counts) - correct, items(counts)[..., np.newaxis] - gold)
    return (divide(correct, gold) + 1 - false_positive_rate) / 2


def _class_score_or_mean(scores: Scores, scale: ClassScale, name: str | None) -> Scores:
    return np.asarray(scores.mean(axis=-1) if name is None else scores[..., scale.code(name)])


@label_measure(
    title="Precision",
    question="how many predictions of a class are right",
    source="scarton2020",
    formula="P_j = c_jj / p_j, p_j predictions of class j; macro: mean over classes",
    undefined="never (0 for a class that is never predicted)",
    traits=_RATE,
    **_CLASS,
)
def precision(counts: Counts, *, scale: ClassScale, class_: str | None = None) -> Scores:
    """Share of the predictions of a class that are correct, or its mean over classes."""
    return _class_score_or_mean(precisions(counts), scale, class_)


@label_measure(
    title="Recall",
    question="how many items of a class are found",
    source="scarton2020",
    formula="R_j = c_jj / n_j, n_j items of gold class j; macro: mean over classes",
    undefined="never (0 for a class without gold items)",
    traits=_RATE | {Trait.ADDITIVE},
    **_CLASS,
)
def recall(counts: Counts, *, scale: ClassScale, class_: str | None = None) -> Scores:
    """Share of the items of a class that were predicted correctly, or its mean over classes."""
    return _class_score_or_mean(recalls(counts), scale, class_)


@label_measure(
    title="F1",
    question="how well is each class found and kept apart",
    source="rijsbergen1979",
    formula="F1_j = 2 P_j R_j / (P_j + R_j); macro: mean over classes",
    undefined=_NEVER,
    traits=_RATE | {Trait.SYMMETRIC},
    **_CLASS,
)
def f1(counts: Counts, *, scale: ClassScale, class_: str | None = None) -> Scores:
    """Harmonic mean of precision and recall of a class, or its mean over classes."""
    return _class_score_or_mean(f_scores(counts), scale, class_)


@label_measure(
    title="Macro F1",
    bounds=SHARE,
    question=ByParameter(
        "average",
        {
            "macro": "how well is each class found and kept apart, every class weighing the same",
            "weighted": "how well is each class found and kept apart, classes weighing as often as they are in gold",
        },
    ),
    source="opitz2019",
    formula="mean over classes j of 2 P_j R_j / (P_j + R_j); weighted by the number of gold items of class j",
    undefined=_NEVER,
    traits=ByParameter("average", {"macro": frozenset(_RATE | {Trait.SYMMETRIC}), "weighted": frozenset(_RATE)}),
    parameters={
        "average": "mean over classes (macro), or weighted by the number of gold items (weighted)",
        "classes": "classes to average over, such as favor+against (F_avg of SemEval-2016 task 6); all if empty",
    },
    examples={"classes": "low+high"},
)
def macro_f1(
    counts: Counts,
    *,
    scale: ClassScale,
    average: Literal["macro", "weighted"] = "macro",
    classes: str | None = None,
) -> Scores:
    """Mean of the F1 scores of the classes."""
    codes = np.arange(len(scale)) if classes is None else np.array(_codes_of(classes, scale))
    scores = f_scores(counts)[..., codes]
    if average == "macro":
        return np.asarray(scores.mean(axis=-1))
    weights = gold_totals(counts)[..., codes]
    return divide((weights * scores).sum(axis=-1), weights.sum(axis=-1), undefined=0.0)


def _codes_of(classes: str, scale: ClassScale) -> list[int]:
    if classes in scale.labels:
        return [scale.code(classes)]
    labels = classes.split("+")
    for label in labels:
        if labels.count(label) > 1:
            raise refuse(None, repeated("class", label, where=f" in classes={classes}", hint=""))
    # A merged class is called a+b: it counts if all its classes do.
    merged = [label for label in scale.labels if set(label.split("+")) <= set(labels)]
    covered = "+".join(merged).split("+")
    return [scale.code(label) for label in (*merged, *(label for label in labels if label not in covered))]


@label_measure(
    title="F1 of averages",
    bounds=SHARE,
    question="how high are average precision and average recall together",
    source="opitz2019",
    formula="2 P R / (P + R), P and R the means of P_j and R_j over classes",
    undefined="never (0 if no prediction is correct)",
    traits=_RATE | {Trait.SYMMETRIC},
)
def f1_of_averages(counts: Counts) -> Scores:
    """Harmonic mean of macro precision and macro recall; at least as high as `macro-f1`."""
    average_precision = precisions(counts).mean(axis=-1)
    average_recall = recalls(counts).mean(axis=-1)
    return divide(2 * average_precision * average_recall, average_precision + average_recall, undefined=0.0)


@label_measure(
    title="Macro F-beta",
    bounds=SHARE,
    question="how well is each class found and kept apart, recall weighing β² as much as precision",
    source="scarton2020",
    formula="mean over classes j of (1 + β²) P_j R_j / (β² P_j + R_j)",
    undefined=_NEVER,
    traits=_RATE,
    **_BETA,
)
def f_beta(counts: Counts, *, beta: float = 2.0) -> Scores:
    """Mean over classes of F_β, which weights recall β times as much as precision."""
    return np.asarray(f_scores(counts, beta=_positive(beta)).mean(axis=-1))


@label_measure(
    title="Class-weighted F-beta",
    bounds=SHARE,
    question="how well is each class found and kept apart, classes weighing as declared",
    source="scarton2020",
    formula="Σ w_j F_β,j, w_j the declared class weights",
    undefined=_NEVER,
    traits=_RATE,
    **_BETA,
    sums_weights=True,
)
def weighted_f(counts: Counts, *, scale: ClassScale, beta: float = 1.0) -> Scores:
    """Sum of the F_β scores of the classes times their declared weights.

    The weights are used as declared, not normalised.
    """
    return np.asarray((scale.class_weights() * f_scores(counts, beta=_positive(beta))).sum(axis=-1))


def _positive(beta: float) -> float:
    if beta <= 0:
        raise refuse(None, invalid("beta", f"{beta:g}", "a number above 0"))
    return beta


@label_measure(
    "gmr",
    title="Geometric mean of recalls",
    bounds=SHARE,
    question="is every class found, none at the expense of another",
    source="scarton2020",
    formula="(Π R_j)^(1/C) over the C classes that occur in gold",
    undefined="no items",
    traits=_RATE | {Trait.CONSTANT_SCORES_ZERO},
)
def geometric_mean_recall(counts: Counts) -> Scores:
    """Geometric mean of the recalls of the classes; 0 if a class is never predicted correctly."""
    occurs = gold_totals(counts) > 0
    classes = occurs.sum(axis=-1)
    # Roots are taken before the product, because a product of many small recalls would underflow.
    roots = recalls(counts) ** divide(1.0, classes, undefined=1.0)[..., np.newaxis]
    return np.where(classes > 0, np.where(occurs, roots, 1.0).prod(axis=-1), np.nan)


@label_measure(
    "auc",
    title="Mean one-point ROC area",
    bounds=SHARE,
    question="how well is each class kept apart from the others, every class weighing the same",
    source="scarton2020",
    formula="mean of AUC_j = (TPR_j + 1 − FPR_j) / 2 over the classes j that occur in gold",
    undefined="gold has a single class",
    traits=_RATE | {Trait.ADDITIVE},
)
def mean_roc_area(counts: Counts) -> Scores:
    """Mean over classes of the area under the one-point ROC curve."""
    return mean_over(one_point_areas(counts), gold_totals(counts) > 0)


@label_measure(
    "wauc",
    title="Class-weighted ROC area",
    bounds=SHARE,
    question="how well is each class kept apart from the others, classes weighing as declared",
    source="scarton2020",
    formula="Σ w_j AUC_j, AUC_j = (TPR_j + 1 − FPR_j) / 2, w_j the declared class weights",
    undefined="a class with a weight above 0 has none or all of the gold items",
    traits=_RATE | {Trait.ADDITIVE},
    sums_weights=True,
)
def weighted_roc_area(counts: Counts, *, scale: ClassScale) -> Scores:
    """Sum of the areas under the one-point ROC curves of the classes times their declared weights.

    The weights are used as declared, not normalised.
    """
    weights = scale.class_weights()
    return np.asarray(np.where(weights > 0, weights * one_point_areas(counts), 0.0).sum(axis=-1))
