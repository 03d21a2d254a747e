"""Every measure against an independent computation from raw labels: scikit-learn, krippendorff, SciPy, or a loop.

Those that have a place for a miss also take a predicted code outside the scale, which `test_misses` gives them.
scikit-learn 1.9, krippendorff 0.9 and SciPy 1.17 when this was written; none of them sees our counts.
"""

import math
import warnings
from collections.abc import Callable, Sequence
from functools import partial
from itertools import product
from typing import Any, Literal

import krippendorff
import numpy as np
import pytest
from every_measure import VARIANTS
from numpy.typing import NDArray
from raw_labels import CASES, LabelPair, brute_force_pairwise_accuracy, count
from scipy import stats
from sklearn import metrics

from metaeval.measures import measure
from metaeval.model.scale import ClassScale

Oracle = Callable[[LabelPair], float]
Level = Literal["nominal", "ordinal", "interval", "ratio"]

WEIGHTS = np.array([0.4, 0.1, 0.25, 0.15, 0.05, 0.05])
"""Class weights; a scale of C classes has the first C, which therefore do not always sum to 1."""

VALUES = np.array([0.5, 1.0, 2.5, 3.0, 7.0, 8.0])
"""Class values; likewise."""


def scale_of(classes: int) -> ClassScale:
    """`unrelated<c1<c2<…` with weights, the values left at equal steps."""
    labels = ("unrelated", *(f"c{code}" for code in range(1, classes)))
    return ClassScale(labels, ordered=True, weights=tuple(WEIGHTS[:classes]))


def f_scores(labels: LabelPair, beta: float) -> NDArray[np.float64]:
    return precisions(labels, partial(metrics.fbeta_score, beta=beta))


def weighted_f1(labels: LabelPair, codes: Sequence[int]) -> float:
    return float(metrics.f1_score(labels.gold, labels.predicted, labels=codes, average="weighted", zero_division=0))


def precisions(labels: LabelPair, score: Callable[..., Any] = metrics.precision_score) -> NDArray[np.float64]:
    shares: NDArray[np.float64] = score(
        labels.gold, labels.predicted, labels=range(labels.classes), average=None, zero_division=0
    )
    return shares


def recalls(labels: LabelPair) -> NDArray[np.float64]:
    return precisions(labels, metrics.recall_score)


def roc_areas(labels: LabelPair) -> NDArray[np.float64]:
    """Area per class from scikit-learn's own ROC curve of the 0/1 predictions; NaN where gold is all or none of it."""
    return np.array(
        [
            metrics.roc_auc_score(labels.gold == code, labels.predicted == code)
            if 0 < (labels.gold == code).sum() < len(labels.gold)
            else math.nan
            for code in range(labels.classes)
        ]
    )


def f1_of_averages(labels: LabelPair) -> float:
    precision, recall = precisions(labels).mean(), recalls(labels).mean()
    return float(2 * precision * recall / (precision + recall)) if precision + recall else 0.0


def recall_root(labels: LabelPair) -> float:
    occurring = recalls(labels)[np.unique(labels.gold)]
    return float(occurring.prod() ** (1 / len(occurring)))


def cohen(weights: str | None) -> Oracle:
    def kappa(labels: LabelPair) -> float:
        codes = range(max(labels.classes, labels.predicted.max() + 1))
        return float(metrics.cohen_kappa_score(labels.gold, labels.predicted, labels=codes, weights=weights))

    return kappa


def krippendorff_alpha(level: Level, values: NDArray[np.float64]) -> Oracle:
    """Two coders; the domain is all the declared values, used or not."""

    def alpha(labels: LabelPair) -> float:
        domain = values[: labels.classes]
        coders = np.stack([domain[labels.gold], domain[labels.predicted]])
        return float(krippendorff.alpha(coders, level_of_measurement=level, value_domain=domain))

    return alpha


def matthews(labels: LabelPair) -> float:
    constant = len(set(labels.gold)) == 1 or len(set(labels.predicted)) == 1
    coefficient = float(metrics.matthews_corrcoef(labels.gold, labels.predicted))
    if constant:
        # scikit-learn returns 0 where the denominator is 0; here it is NaN.
        assert coefficient == 0
        return math.nan
    return coefficient


def correlation(function: Callable[[Any, Any], Any], values: NDArray[np.float64]) -> Oracle:
    def correlate(labels: LabelPair) -> float:
        if len(labels.gold) < 2:
            return math.nan
        return float(function(values[labels.gold], values[labels.predicted]).statistic)

    return correlate


def macro_error(values: NDArray[np.float64]) -> Oracle:
    def error(labels: LabelPair) -> float:
        errors = np.abs(values[labels.gold] - values[labels.predicted])
        return float(np.mean([errors[labels.gold == code].mean() for code in np.unique(labels.gold)]))

    return error


def micro_error(values: NDArray[np.float64]) -> Oracle:
    return lambda labels: float(metrics.mean_absolute_error(values[labels.gold], values[labels.predicted]))


def mean_of_items(credit: Callable[[int, int, int], float]) -> Oracle:
    """The mean over items of credit(gold, predicted, classes), 0 for a miss."""

    def mean(labels: LabelPair) -> float:
        return math.fsum(
            credit(int(gold), int(predicted), labels.classes)
            for gold, predicted in zip(labels.gold, labels.predicted, strict=True)
            if predicted < labels.classes
        ) / len(labels.gold)

    return mean


def closeness_evaluation_measure(labels: LabelPair) -> float:
    """The formulas of Amemiya & Sakai (2021, section 3), sums written out."""
    size = [int((labels.gold == code).sum()) for code in range(labels.classes)]

    def proximity(i: int, j: int) -> float:
        between = sum(size[i + 1 : j + 1]) if i <= j else sum(size[j:i])
        return -math.log2(max(0.5, size[i] / 2 + between) / len(labels.gold))

    pairs = [(int(i), int(j)) for i, j in zip(labels.predicted, labels.gold, strict=True)]
    hits = (proximity(i, j) for i, j in pairs if i < labels.classes)
    return sum(hits) / sum(proximity(j, j) for _, j in pairs)


def official_points(labels: LabelPair) -> float:
    """The rules of the challenge: ¼ for relatedness, ¾ more for the stance of a related pair; class 0 is unrelated."""
    points = 0.0
    for gold, predicted in zip(labels.gold, labels.predicted, strict=True):
        if gold == predicted:
            points += 0.25
            if gold != 0:
                points += 0.5
        if gold != 0 and 0 < predicted < labels.classes:
            points += 0.25
    return points


def pairwise(min_gap: int) -> Oracle:
    return lambda labels: brute_force_pairwise_accuracy(labels.gold, labels.predicted, min_gap)


POSITIONS = np.arange(6.0)

ORACLES: dict[str, Oracle] = {
    "accuracy": lambda labels: float(metrics.accuracy_score(labels.gold, labels.predicted)),
    "weighted-accuracy": lambda labels: float(metrics.balanced_accuracy_score(labels.gold, labels.predicted)),
    "weighted-accuracy:weights=scale": lambda labels: float(
        metrics.accuracy_score(labels.gold, labels.predicted, sample_weight=WEIGHTS[labels.gold])
    ),
    "mcc": matthews,
    "precision": lambda labels: float(precisions(labels).mean()),
    "precision:class=c1": lambda labels: float(precisions(labels)[1]),
    "recall": lambda labels: float(recalls(labels).mean()),
    "recall:class=c1": lambda labels: float(recalls(labels)[1]),
    "f1": lambda labels: float(f_scores(labels, 1).mean()),
    "f1:class=c1": lambda labels: float(f_scores(labels, 1)[1]),
    "macro-f1": lambda labels: float(f_scores(labels, 1).mean()),
    "macro-f1:classes=unrelated+c1": lambda labels: float(f_scores(labels, 1)[:2].mean()),
    "macro-f1:average=weighted": lambda labels: weighted_f1(labels, range(labels.classes)),
    "macro-f1:average=weighted,classes=unrelated+c1": lambda labels: weighted_f1(labels, range(2)),
    "f1-of-averages": f1_of_averages,
    "rmse": lambda labels: float(metrics.root_mean_squared_error(labels.gold, labels.predicted)),
    "mean": lambda labels: float(
        (metrics.accuracy_score(labels.gold, labels.predicted) + f_scores(labels, 1).mean()) / 2
    ),
    "mean:of=recall+kappa:weights=linear": lambda labels: (recalls(labels).mean() + cohen("linear")(labels)) / 2,
    "mean:of=accuracy/mcc/macro-f1:average=weighted:classes=unrelated+c1": lambda labels: float(
        (metrics.accuracy_score(labels.gold, labels.predicted) + matthews(labels) + weighted_f1(labels, range(2))) / 3
    ),
    "f-beta": lambda labels: float(f_scores(labels, 2).mean()),
    "f-beta:beta=0.5": lambda labels: float(f_scores(labels, 0.5).mean()),
    "weighted-f": lambda labels: float(WEIGHTS[: labels.classes] @ f_scores(labels, 1)),
    "weighted-f:beta=2": lambda labels: float(WEIGHTS[: labels.classes] @ f_scores(labels, 2)),
    "gmr": recall_root,
    "auc": lambda labels: float(roc_areas(labels)[np.unique(labels.gold)].mean()),
    "wauc": lambda labels: float(WEIGHTS[: labels.classes] @ roc_areas(labels)),
    "kappa:weights=none": cohen(None),
    "kappa:weights=linear": cohen("linear"),
    "kappa:weights=quadratic": cohen("quadratic"),
    "alpha:level=nominal": krippendorff_alpha("nominal", POSITIONS),
    "alpha:level=ordinal": krippendorff_alpha("ordinal", POSITIONS),
    "alpha:level=interval": krippendorff_alpha("interval", POSITIONS),
    "alpha:level=ratio": krippendorff_alpha("ratio", POSITIONS + 1),
    "mae:average=macro": macro_error(POSITIONS),
    "mae:average=micro": micro_error(POSITIONS),
    "closeness:norm=gold": mean_of_items(
        lambda gold, predicted, classes: 1 - abs(gold - predicted) / max(gold, classes - 1 - gold)
    ),
    "closeness:norm=range": mean_of_items(lambda gold, predicted, classes: 1 - abs(gold - predicted) / (classes - 1)),
    "decay": mean_of_items(lambda gold, predicted, _: 0.5 ** abs(gold - predicted)),
    "decay:base=0.3,cutoff=1": mean_of_items(lambda gold, predicted, _: {0: 1.0, 1: 0.3}.get(abs(gold - predicted), 0)),
    "cem-ord": closeness_evaluation_measure,
    "pearson": correlation(stats.pearsonr, POSITIONS),
    "spearman": correlation(stats.spearmanr, POSITIONS),
    "kendall": correlation(stats.kendalltau, POSITIONS),
    "pairwise-accuracy": pairwise(1),
    "pairwise-accuracy:min-gap=2": pairwise(2),
    "pairwise-accuracy:min-gap=3": pairwise(3),
    "fnc1-score": lambda labels: official_points(labels) / official_points(labels._replace(predicted=labels.gold)),
    "fnc1-score:scale=points": official_points,
}

ORACLES_OF_VALUES: dict[str, Oracle] = {
    "pearson": correlation(stats.pearsonr, VALUES),
    "mae:average=macro": macro_error(VALUES),
    "mae:average=micro": micro_error(VALUES),
    "alpha:level=interval": krippendorff_alpha("interval", VALUES),
    "alpha:level=ratio": krippendorff_alpha("ratio", VALUES),
}


def ask(oracle: Oracle, labels: LabelPair) -> float:
    """The oracle's answer; what it warns of (constant input, one class only) are the cases that we mean."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return oracle(labels)


@pytest.mark.parametrize("name", ORACLES)
def test_a_measure_agrees_with_its_oracle(name: str) -> None:
    for case, labels in CASES.items():
        counts = count(labels.gold, labels.predicted, labels.classes)
        score = measure(name)(counts, scale_of(labels.classes))
        np.testing.assert_allclose(score, ask(ORACLES[name], labels), rtol=1e-9, atol=1e-9, err_msg=case)


@pytest.mark.parametrize("name", ORACLES_OF_VALUES)
def test_a_measure_of_values_computes_with_the_declared_ones(name: str) -> None:
    for case, labels in CASES.items():
        scale = ClassScale(scale_of(labels.classes).labels, ordered=True, values=tuple(VALUES[: labels.classes]))
        score = measure(name)(count(labels.gold, labels.predicted, labels.classes), scale)
        np.testing.assert_allclose(score, ask(ORACLES_OF_VALUES[name], labels), rtol=1e-9, atol=1e-9, err_msg=case)


def test_every_variant_of_every_measure_has_an_oracle() -> None:
    measures = {measure(name) for name in ORACLES}
    assert set(VARIANTS) <= measures


def test_a_constant_prediction_is_undefined_even_where_its_mean_misses_it_by_a_rounding_error() -> None:
    for value, items in product((0.1, 0.3, 1 / 3, 0.7), (3, 7, 10, 1000)):
        scale = ClassScale(("c0", "c1", "c2"), ordered=True, values=(value, value + 1, value + 2))
        counts = np.zeros((3, 3))
        counts[:, 0] = items, items + 1, items + 2
        assert np.isnan(measure("pearson")(np.stack([counts, counts.T]), scale)).all()


def test_a_perfect_correlation_is_never_more_than_one() -> None:
    rng = np.random.default_rng(20201)
    for _ in range(300):
        values = tuple(np.cumsum(rng.random(5) + 0.01).tolist())
        scale = ClassScale(tuple("abcde"), ordered=True, values=values)
        counts = np.diag(rng.integers(1, 50, size=5))
        assert measure("pearson")(counts, scale) <= 1.0
        assert measure("pearson")(counts, scale) == pytest.approx(1.0)
