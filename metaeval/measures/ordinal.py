"""Measures that use the distance between the predicted class and the gold class."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np

from metaeval.arrays import Counts, Floats, Scores
from metaeval.errors import invalid, refuse
from metaeval.measures.declare import SHARE, label_measure, numeric_form
from metaeval.measures.margins import cell_sum, distances, gold_totals, mean_credit, mean_over, midpoints
from metaeval.measures.spec import ByParameter, ScaleType, Trait
from metaeval.model.scale import ClassScale
from metaeval.model.scores import Direction
from metaeval.stats.ratio import divide

_ADDITIVE = frozenset({Trait.ADDITIVE, Trait.REPLICATION_INVARIANT, Trait.REVERSAL_INVARIANT})
_CREDIT = _ADDITIVE | {Trait.COUNTS_MISSES}


@label_measure(
    "mae",
    title="Mean absolute error",
    question=ByParameter(
        "average",
        {
            "macro": "how many classes off is a prediction, every gold class weighing the same",
            "micro": "how many classes off is a prediction, every item weighing the same",
        },
    ),
    better=Direction.LOWER,
    bounds=(0.0, math.inf),
    scale=ScaleType.INTERVAL,
    source="baccianella2009",
    formula="micro: Σ |i − j| c_ij / N; macro: mean of Σ_i |i − j| c_ij / n_j over the classes j that occur in gold",
    undefined="no items",
    traits=ByParameter("average", {"macro": _ADDITIVE, "micro": _ADDITIVE | {Trait.SYMMETRIC}}),
    parameters={"average": "mean of the means of the gold classes (macro), or mean over items (micro)"},
)
def mean_absolute_error(counts: Counts, *, scale: ClassScale, average: Literal["macro", "micro"] = "macro") -> Scores:
    """Mean distance between predicted and gold classes, in class positions or declared values."""
    values = scale.class_values()
    return mean_absolute_error_of_numbers(counts, gold_values=values, predicted_values=values, average=average)


@numeric_form("mae", subtracts=True)
def mean_absolute_error_of_numbers(
    counts: Counts,
    *,
    gold_values: Floats,
    predicted_values: Floats,
    average: Literal["macro", "micro"] = "macro",
) -> Scores:
    """Mean absolute error; counts: (..., C, U), gold_values: (C,), predicted_values: (U,)."""
    # In a unit in which no sum overflows: a power of 2 is exact.
    power = np.frexp(max(np.abs(values).max(initial=0.0) for values in (gold_values, predicted_values)))[1]
    errors = np.abs(np.ldexp(gold_values, -power)[:, np.newaxis] - np.ldexp(predicted_values, -power))
    gold = gold_totals(counts)
    if average == "micro":
        mean = mean_credit(counts, errors)
    else:
        mean = mean_over(divide(np.einsum("...ij,ij->...i", counts, errors), gold), gold > 0)
    return np.asarray(np.ldexp(mean, power))


@label_measure(
    "rmse",
    title="Root mean squared error",
    question="how many classes off is a prediction, large errors weighing more",
    better=Direction.LOWER,
    bounds=(0.0, math.inf),
    scale=ScaleType.INTERVAL,
    source="baccianella2009",
    formula="√(Σ (i − j)² c_ij / N)",
    undefined="no items",
    traits={Trait.SYMMETRIC, Trait.REPLICATION_INVARIANT, Trait.REVERSAL_INVARIANT},
)
def root_mean_squared_error(counts: Counts, *, scale: ClassScale) -> Scores:
    """Root of the mean squared distance between predicted and gold classes, in class positions or declared values."""
    values = scale.class_values()
    return root_mean_squared_error_of_numbers(counts, gold_values=values, predicted_values=values)


@numeric_form("rmse", subtracts=True)
def root_mean_squared_error_of_numbers(counts: Counts, *, gold_values: Floats, predicted_values: Floats) -> Scores:
    """Root mean squared error; counts: (..., C, U), gold_values: (C,), predicted_values: (U,)."""
    # In a unit in which no square overflows: a power of 2 is exact.
    power = np.frexp(max(np.abs(values).max(initial=0.0) for values in (gold_values, predicted_values)))[1]
    errors = np.ldexp(gold_values, -power)[:, np.newaxis] - np.ldexp(predicted_values, -power)
    return np.asarray(np.ldexp(np.sqrt(mean_credit(counts, errors**2)), power))


@label_measure(
    title="Closeness",
    bounds=SHARE,
    question="how near to gold is a prediction, as a share of the largest distance",
    scale=ScaleType.ORDINAL,
    source="ordinal2022",
    formula="mean of 1 − |i − j| / d; d the largest possible distance from gold class j (gold), or C − 1 (range)",
    undefined="no items",
    traits=ByParameter("norm", {"gold": _CREDIT, "range": _CREDIT | {Trait.SYMMETRIC}}),
    parameters={"norm": "distance with credit 0: that of the class farthest from gold, or the range of the scale"},
)
def closeness(counts: Counts, *, norm: Literal["gold", "range"] = "gold") -> Scores:
    """Mean credit that decreases linearly with the distance from the gold class, from 1 to 0."""
    distance = distances(counts.shape[-2])
    farthest = distance.max(axis=1, keepdims=True) if norm == "gold" else distance.max()
    return mean_credit(counts, 1 - distance / farthest)


@label_measure(
    title="Decaying credit",
    bounds=SHARE,
    question="how near to gold is a prediction, each further class costing less",
    scale=ScaleType.ORDINAL,
    source="ordinal2022",
    formula="mean of base^|i − j|, 0 where |i − j| > cutoff",
    undefined="no items",
    traits={*_CREDIT, Trait.SYMMETRIC},
    parameters={
        "base": "credit at distance 1, between 0 and 1; its square at distance 2, and so on",
        "cutoff": "largest distance that receives credit; no limit if empty",
    },
    limits={"cutoff": (0, math.inf)},
    examples={"base": "0.3", "cutoff": "1"},
)
def decay(counts: Counts, *, base: float = 0.5, cutoff: int | None = None) -> Scores:
    """Mean credit that decreases exponentially with the distance from the gold class."""
    if not 0 < base < 1:
        raise refuse(None, invalid("base", f"{base:g}", "a number above 0 and below 1", " of measure 'decay'"))
    distance = distances(counts.shape[-2])
    credit = base**distance
    return mean_credit(counts, credit if cutoff is None else np.where(distance <= cutoff, credit, 0.0))


@label_measure(
    "cem-ord",
    title="CEM-ORD",
    bounds=SHARE,
    question="how near to gold is a prediction, steps through frequent classes counting more",
    scale=ScaleType.ORDINAL,
    source="amigo2020",
    formula="Σ prox_ij c_ij / Σ prox_jj n_j, i predicted, j gold; prox_ij = −log2(max(½, K_ij) / N), K_ij = n_i / 2 + "
    "gold items of the classes from the one next to i through j",
    undefined="no items",
    traits=set(_CREDIT),
)
def closeness_evaluation_measure(counts: Counts) -> Scores:
    """Proximity of predicted and gold classes over its maximum; classes with few gold items in between are close.

    Source: Amigó et al. (2020), with the ½ of Sakai (2021) for classes without a gold item.
    """
    gold = gold_totals(counts)
    if gold.ndim > 1 and (gold == gold[..., :1, :]).all():
        gold = gold[..., :1, :]  # logarithms are expensive, and systems have the same items
    proximity = _proximities(gold)
    attained = cell_sum(counts, proximity)
    return divide(attained, (np.diagonal(proximity, axis1=-2, axis2=-1) * gold).sum(axis=-1))


def _proximities(gold: Counts) -> Scores:
    """prox[..., j, i] of gold class j and predicted class i, from gold totals (..., C)."""
    # With gold items sorted by class, K_ij is the distance from the middle of class i to the far end of class j.
    middle, half = midpoints(gold), gold / 2
    end, begin = (middle + half)[..., :, np.newaxis], (middle - half)[..., :, np.newaxis]
    middle = middle[..., np.newaxis, :]
    between = np.maximum(end - middle, middle - begin)
    total = np.maximum(gold.sum(axis=-1), 1)[..., np.newaxis, np.newaxis]
    proximity: Scores = np.log2(total / np.maximum(0.5, between))
    return proximity
