"""The table of 14 systems × 9 measures at 7,064 items, against a loop over scikit-learn and krippendorff."""

from __future__ import annotations

from typing import Any

import krippendorff
import numpy as np
from numpy.typing import NDArray
from sklearn import metrics

from benchmarks.paired import Comparison, faster
from metaeval.measures import preset
from metaeval.model.runs import Codes, LabelledRuns
from metaeval.model.scale import ClassScale
from metaeval.scoring.labels import score_labels

ITEMS, SYSTEMS = 7064, 14
SCALE = ClassScale.parse("disagree<discuss<agree")
PRIOR = (0.0987, 0.6319, 0.2694)
"""Of the related classes in the test set of FNC-1."""


USERS_LOOP = "loop over scikit-learn and krippendorff"


def reference_runs(items: int = ITEMS) -> LabelledRuns:
    """Gold with the class frequencies of FNC-1, and systems of rising accuracy."""
    random = np.random.default_rng(20201)
    gold = random.choice(3, size=items, p=PRIOR).astype(np.uint8)
    right = random.random((SYSTEMS, items)) < np.linspace(0.4, 0.8, SYSTEMS)[:, np.newaxis]
    predicted = np.where(right, gold, random.integers(3, size=(SYSTEMS, items))).astype(np.uint8)
    names = tuple(f"item{number}" for number in range(items))
    return LabelledRuns(names, gold, predicted, tuple(f"system{number}" for number in range(SYSTEMS)), SCALE)


def user_loop(gold: Codes, predicted: Codes) -> NDArray[np.float64]:
    """What one would write: the nine measures system by system; CEM-ORD and 𝔽1 from scikit-learn's parts. (9, S)."""
    return np.array([_nine(gold, codes) for codes in predicted]).T


def _nine(gold: NDArray[Any], predicted: NDArray[Any]) -> list[float]:
    coders = np.stack([gold, predicted])
    present = np.unique(gold)
    precision, recall, _, _ = metrics.precision_recall_fscore_support(gold, predicted, average="macro", zero_division=0)
    return [
        krippendorff.alpha(coders, level_of_measurement="ordinal", value_domain=[0, 1, 2]),
        krippendorff.alpha(coders, level_of_measurement="interval", value_domain=[0, 1, 2]),
        float(np.mean([metrics.mean_absolute_error(gold[gold == c], predicted[gold == c]) for c in present])),
        metrics.mean_absolute_error(gold, predicted),
        _cem_ord(metrics.confusion_matrix(gold, predicted, labels=[0, 1, 2])),
        metrics.cohen_kappa_score(gold, predicted, weights="linear"),
        metrics.accuracy_score(gold, predicted),
        metrics.f1_score(gold, predicted, average="macro", zero_division=0),
        2 * precision * recall / (precision + recall),
    ]


def _cem_ord(matrix: NDArray[Any]) -> float:
    """CEM-ORD written down from the definition; gold in rows."""
    gold, classes = matrix.sum(axis=1), range(len(matrix))

    def proximity(predicted: int, right: int) -> float:
        step = 1 if right >= predicted else -1
        between = gold[predicted] / 2 + sum(gold[k] for k in range(predicted + step, right + step, step))
        return -float(np.log2(max(0.5, between if predicted != right else gold[right] / 2) / gold.sum()))

    attained = sum(proximity(i, j) * matrix[j, i] for i in classes for j in classes)
    return float(attained / sum(proximity(j, j) * gold[j] for j in classes))


def compare(rounds: int, *, items: int = ITEMS) -> Comparison:
    """Time both, after checking that they agree."""
    runs = reference_runs(items)
    measures = preset("stance-nine")
    np.testing.assert_allclose(score_labels(runs, measures).values, user_loop(runs.gold, runs.predicted), rtol=1e-9)
    return faster(
        f"{SYSTEMS} systems × {len(measures)} measures, {items:,} items",
        lambda: score_labels(runs, measures),
        peer=USERS_LOOP,
        theirs=lambda: user_loop(runs.gold, runs.predicted),
        claim="≥ 250 times faster",
        rounds=rounds,
    )
