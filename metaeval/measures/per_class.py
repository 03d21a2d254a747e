"""Precision, recall and what is built from them, class by class.

Means run over the declared classes as in scikit-learn with `zero_division=0`; `gmr` and `auc` run over the classes
that occur in gold.
"""

from __future__ import annotations

import numpy as np

from metaeval.errors import InputError
from metaeval.measures.declare import label_measure
from metaeval.measures.margins import (
    gold_totals,
    items,
    mean_over,
    precisions,
    predicted_totals,
    recalls,
    true_positives,
)
from metaeval.measures.spec import Counts, Scores, Trait
from metaeval.model.scale import ClassScale
from metaeval.stats.ratio import divide

NOMINAL_RATE = {Trait.REPLICATION_INVARIANT, Trait.REVERSAL_INVARIANT}


def f_scores(counts: Counts, *, beta: float = 1.0) -> Scores:
    """F_β of each class, (..., C): (1 + β²) TP / (β² gold + predicted); 0 for a class that occurs nowhere."""
    weighted_total = beta**2 * gold_totals(counts) + predicted_totals(counts)
    return divide((1 + beta**2) * true_positives(counts), weighted_total, undefined=0.0)


def one_point_areas(counts: Counts) -> Scores:
    """Area under the one-point ROC curve of each class, (..., C): (TPR + 1 − FPR) / 2.

    NaN for a class without a gold item, or with all of them.
    """
    gold, correct = gold_totals(counts), true_positives(counts)
    false_positive_rate = divide(predicted_totals(counts) - correct, items(counts)[..., np.newaxis] - gold)
    return (divide(correct, gold) + 1 - false_positive_rate) / 2


def _of_class_or_mean(scores: Scores, scale: ClassScale, name: str | None) -> Scores:
    return np.asarray(scores.mean(axis=-1) if name is None else scores[..., scale.code(name)])


@label_measure(
    "precision",
    title="Precision",
    source="scarton2020",
    formula="P_j = c_jj / p_j, p_j predictions of class j; macro: mean over classes",
    undefined="never (0 for a class never predicted)",
    traits=NOMINAL_RATE,
    parameters={"class": "the class meant; the mean over classes (macro) where none is named"},
)
def precision(counts: Counts, *, scale: ClassScale, class_: str | None = None) -> Scores:
    """Share of the predictions of a class that are correct, or its mean over classes.

    counts: (..., C, C), rows gold. Returns (...).

    >>> precision(np.array([[8, 2], [0, 6]]), scale=ClassScale(("yes", "no")), class_="no")
    array(0.75)
    """
    return _of_class_or_mean(precisions(counts), scale, class_)


@label_measure(
    "recall",
    title="Recall",
    source="scarton2020",
    formula="R_j = c_jj / n_j, n_j items of gold class j; macro: mean over classes",
    undefined="never (0 for a class without a gold item)",
    traits=NOMINAL_RATE | {Trait.ADDITIVE},
    parameters={"class": "the class meant; the mean over classes (macro) where none is named"},
)
def recall(counts: Counts, *, scale: ClassScale, class_: str | None = None) -> Scores:
    """Share of the items of a class that were found, or its mean over classes.

    counts: (..., C, C), rows gold. Returns (...).

    >>> recall(np.array([[8, 2], [0, 6]]), scale=ClassScale(("yes", "no")), class_="yes")
    array(0.8)
    """
    return _of_class_or_mean(recalls(counts), scale, class_)


@label_measure(
    "f1",
    title="F1",
    source="rijsbergen1979",
    formula="F1_j = 2 P_j R_j / (P_j + R_j); macro: mean over classes",
    undefined="never (0 for a class that is neither in gold nor predicted)",
    traits=NOMINAL_RATE | {Trait.SYMMETRIC},
    parameters={"class": "the class meant; the mean over classes (macro) where none is named"},
)
def f1(counts: Counts, *, scale: ClassScale, class_: str | None = None) -> Scores:
    """Harmonic mean of precision and recall of a class, or its mean over classes.

    counts: (..., C, C), rows gold. Returns (...).

    >>> f1(np.array([[8, 2], [2, 8]]), scale=ClassScale(("yes", "no")), class_="no")
    array(0.8)
    """
    return _of_class_or_mean(f_scores(counts), scale, class_)


@label_measure(
    "macro-f1",
    title="Macro F1, the mean of class F1 (𝓕1)",
    source="opitz2019",
    formula="mean over classes j of 2 P_j R_j / (P_j + R_j)",
    undefined="never (a class that is neither in gold nor predicted counts 0)",
    traits=NOMINAL_RATE | {Trait.SYMMETRIC},
    parameters={
        "classes": "the classes to average over, as favor+against (F_avg of SemEval-2016 task 6); all if empty"
    },
)
def macro_f1(counts: Counts, *, scale: ClassScale, classes: str | None = None) -> Scores:
    """Mean of the F1 of the classes.

    counts: (..., C, C), rows gold. Returns (...). Source of `classes`: Mohammad et al. (2016).

    >>> macro_f1(np.array([[8, 2], [2, 8]]), scale=ClassScale(("yes", "no")))
    array(0.8)
    """
    scores = f_scores(counts)
    chosen = scores if classes is None else scores[..., _codes_of(classes, scale)]
    return np.asarray(chosen.mean(axis=-1))


def _codes_of(classes: str, scale: ClassScale) -> list[int]:
    # A merged class is itself called a+b.
    if classes in scale.labels:
        return [scale.code(classes)]
    codes = [scale.code(label) for label in classes.split("+")]
    if len(set(codes)) < len(codes):
        raise InputError.at(found=f"a class named twice in classes={classes}", expected="every class once")
    return codes


@label_measure(
    "f1-of-averages",
    title="Macro F1, the harmonic mean of average precision and recall (𝔽1)",
    source="opitz2019",
    formula="2 P R / (P + R), P and R the means of P_j and R_j over classes",
    undefined="never (0 where nothing is correct)",
    traits=NOMINAL_RATE | {Trait.SYMMETRIC},
)
def f1_of_averages(counts: Counts) -> Scores:
    """Harmonic mean of macro precision and macro recall; at least as high as `macro-f1`.

    counts: (..., C, C), rows gold. Returns (...).

    >>> f1_of_averages(np.array([[8, 2], [2, 8]]))
    array(0.8)
    """
    average_precision = precisions(counts).mean(axis=-1)
    average_recall = recalls(counts).mean(axis=-1)
    return divide(2 * average_precision * average_recall, average_precision + average_recall, undefined=0.0)


@label_measure(
    "f-beta",
    title="Macro F-beta",
    source="scarton2020",
    formula="mean over classes j of (1 + β²) P_j R_j / (β² P_j + R_j)",
    undefined="never (a class that is neither in gold nor predicted counts 0)",
    traits=NOMINAL_RATE,
    parameters={"beta": "how many times as important as precision recall is"},
)
def f_beta(counts: Counts, *, beta: float = 2.0) -> Scores:
    """Mean over classes of F_β, which values recall β times as much as precision.

    counts: (..., C, C), rows gold. Returns (...).

    >>> f_beta(np.array([[8, 2], [2, 8]]))
    array(0.8)
    """
    return np.asarray(f_scores(counts, beta=_positive(beta)).mean(axis=-1))


@label_measure(
    "weighted-f",
    title="Class-weighted F-beta (wF)",
    source="scarton2020",
    formula="Σ w_j F_β,j, w_j the declared class weights",
    undefined="never (a class that is neither in gold nor predicted counts 0)",
    traits=NOMINAL_RATE,
    parameters={"beta": "how many times as important as precision recall is"},
    sums_weights=True,
)
def weighted_f(counts: Counts, *, scale: ClassScale, beta: float = 1.0) -> Scores:
    """Sum of the F_β of the classes times their declared weights.

    counts: (..., C, C), rows gold. Returns (...). Weights are used as declared, not normalised.

    >>> weighted_f(np.array([[8, 2], [2, 8]]), scale=ClassScale(("deny", "comment"), weights=(0.9, 0.1)))
    array(0.8)
    """
    return np.asarray((scale.class_weights() * f_scores(counts, beta=_positive(beta))).sum(axis=-1))


def _positive(beta: float) -> float:
    if beta <= 0:
        raise InputError.at(found=f"beta={beta:g}", expected="a number above 0")
    return beta


@label_measure(
    "gmr",
    title="Geometric mean of recalls",
    source="scarton2020",
    formula="(Π R_j)^(1/C) over the C classes that occur in gold",
    undefined="no gold item",
    traits=NOMINAL_RATE | {Trait.CONSTANT_SCORES_NOTHING},
)
def geometric_mean_recall(counts: Counts) -> Scores:
    """C-th root of the product of class recalls; 0 as soon as one class is never found.

    counts: (..., C, C), rows gold. Returns (...). Classes without a gold item are left out of the root.

    >>> round(float(geometric_mean_recall(np.array([[8, 2], [4, 6]]))), 4)
    0.6928
    """
    occurs = gold_totals(counts) > 0
    classes = occurs.sum(axis=-1)
    # The root before the product: a product of many small recalls would underflow.
    roots = recalls(counts) ** divide(1.0, classes, undefined=1.0)[..., np.newaxis]
    return np.where(classes > 0, np.where(occurs, roots, 1.0).prod(axis=-1), np.nan)


@label_measure(
    "auc",
    title="Mean one-point ROC area",
    source="scarton2020",
    formula="mean of AUC_j = (TPR_j + 1 − FPR_j) / 2 over the classes j that occur in gold",
    undefined="a single class in gold",
    traits=NOMINAL_RATE | {Trait.ADDITIVE},
)
def mean_roc_area(counts: Counts) -> Scores:
    """Mean over classes of the area under the ROC polygon through a classifier's one point.

    counts: (..., C, C), rows gold. Returns (...).

    >>> round(float(mean_roc_area(np.array([[8, 2], [4, 6]]))), 4)
    0.7
    """
    return mean_over(one_point_areas(counts), gold_totals(counts) > 0)


@label_measure(
    "wauc",
    title="Class-weighted ROC area (wAUC)",
    source="scarton2020",
    formula="Σ w_j AUC_j, AUC_j = (TPR_j + 1 − FPR_j) / 2, w_j the declared class weights",
    undefined="a class with weight does not occur in gold, or is all of it",
    traits=NOMINAL_RATE | {Trait.ADDITIVE},
    sums_weights=True,
)
def weighted_roc_area(counts: Counts, *, scale: ClassScale) -> Scores:
    """Sum of the one-point ROC areas of the classes times their declared weights.

    counts: (..., C, C), rows gold. Returns (...). Weights are used as declared, not normalised.

    >>> scale = ClassScale(("deny", "comment"), weights=(0.5, 0.5))
    >>> round(float(weighted_roc_area(np.array([[8, 2], [4, 6]]), scale=scale)), 4)
    0.7
    """
    weights = scale.class_weights()
    return np.asarray(np.where(weights > 0, weights * one_point_areas(counts), 0.0).sum(axis=-1))
