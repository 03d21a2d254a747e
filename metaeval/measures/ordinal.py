"""Measures that know how far a wrong class lies from the right one."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from metaeval.errors import InputError
from metaeval.measures.declare import label_measure, numeric_form
from metaeval.measures.margins import cell_sum, distances, gold_totals, mean_credit, mean_over, midpoints
from metaeval.measures.spec import ByParameter, Counts, ScaleType, Scores, Trait
from metaeval.model.scale import ClassScale
from metaeval.model.scores import Direction
from metaeval.stats.ratio import divide

_FREE_OF_PRIORS = frozenset({Trait.ADDITIVE, Trait.REPLICATION_INVARIANT, Trait.REVERSAL_INVARIANT})


@label_measure(
    "mae",
    title="Mean absolute error",
    better=Direction.LOWER,
    bounds=(0.0, math.inf),
    scale=ScaleType.INTERVAL,
    source="baccianella2009",
    formula="micro: Σ |i − j| c_ij / N; macro: the mean of Σ_i |i − j| c_ij / n_j over gold classes j that occur",
    undefined="no item",
    traits=ByParameter("average", {"macro": _FREE_OF_PRIORS, "micro": _FREE_OF_PRIORS | {Trait.SYMMETRIC}}),
    parameters={"average": "over gold classes, each weighing the same (macro), or over items (micro)"},
)
def mean_absolute_error(counts: Counts, *, scale: ClassScale, average: Literal["macro", "micro"] = "macro") -> Scores:
    """How many steps predictions lie from gold on average, in class positions or declared values.

    counts: (..., C, C), rows gold. Returns (...); lower is better.

    >>> scale = ClassScale(("low", "high"), ordered=True)
    >>> round(float(mean_absolute_error(np.array([[8, 2], [4, 6]]), scale=scale)), 4)
    0.3
    """
    values = scale.class_values()
    return mean_absolute_error_of_numbers(counts, gold_values=values, predicted_values=values, average=average)


@numeric_form("mae", subtracts=True)
def mean_absolute_error_of_numbers(
    counts: Counts,
    *,
    gold_values: NDArray[np.float64],
    predicted_values: NDArray[np.float64],
    average: Literal["macro", "micro"] = "macro",
) -> Scores:
    """Mean |gold value − predicted number|; counts: (..., C, U), gold_values: (C,), predicted_values: (U,)."""
    errors = np.abs(gold_values[:, np.newaxis] - predicted_values)
    if average == "micro":
        return mean_credit(counts, errors)
    gold = gold_totals(counts)
    return mean_over(divide((counts * errors).sum(axis=-1), gold), gold > 0)


@label_measure(
    "closeness",
    title="Closeness, 1 − scaled distance",
    scale=ScaleType.ORDINAL,
    source="ordinal2022",
    formula="mean of 1 − |i − j| / d; d the largest distance possible from gold class j (gold), or C − 1 (range)",
    undefined="no item",
    traits=ByParameter("norm", {"gold": _FREE_OF_PRIORS, "range": _FREE_OF_PRIORS | {Trait.SYMMETRIC}}),
    parameters={"norm": "what scales a distance: the farthest class from the gold one, or the whole range"},
)
def closeness(counts: Counts, *, norm: Literal["gold", "range"] = "gold") -> Scores:
    """Mean credit that falls evenly with the distance, from 1 for the right class to 0 for the farthest.

    counts: (..., C, C), rows gold. Returns (...).

    >>> closeness(np.array([[0, 4, 0], [0, 4, 0], [0, 0, 0]]))
    array(0.75)
    """
    distance = distances(counts.shape[-1])
    farthest = distance.max(axis=1, keepdims=True) if norm == "gold" else distance.max()
    return mean_credit(counts, 1 - distance / farthest)


@label_measure(
    "decay",
    title="Decaying credit, base^distance",
    scale=ScaleType.ORDINAL,
    source="ordinal2022",
    formula="mean of base^|i − j|, 0 where |i − j| > cutoff",
    undefined="no item",
    traits={*_FREE_OF_PRIORS, Trait.SYMMETRIC},
    parameters={
        "base": "credit that is left at one step, squared at two, and so on",
        "cutoff": "the largest distance that still earns credit; empty for no limit",
    },
)
def decay(counts: Counts, *, base: float = 0.5, cutoff: int | None = None) -> Scores:
    """Mean credit that is multiplied by `base` with every step from the right class.

    counts: (..., C, C), rows gold. Returns (...). base: above 0 and below 1.

    >>> decay(np.array([[0, 4, 0], [0, 4, 0], [0, 0, 0]]))
    array(0.75)
    """
    if not 0 < base < 1:
        raise InputError.at(found=f"base={base:g} of measure 'decay'", expected="a number above 0 and below 1")
    if cutoff is not None and cutoff < 0:
        raise InputError.at(found=f"cutoff={cutoff} of measure 'decay'", expected="at least 0")
    distance = distances(counts.shape[-1])
    credit = base**distance
    return mean_credit(counts, credit if cutoff is None else np.where(distance <= cutoff, credit, 0.0))


@label_measure(
    "cem-ord",
    title="Closeness evaluation measure for ordinal classes (CEM-ORD)",
    scale=ScaleType.ORDINAL,
    source="amigo2020",
    formula="Σ prox_ij c_ij / Σ prox_jj n_j, i predicted, j gold; prox_ij = −log2(max(½, K_ij) / N), K_ij = n_i / 2 + "
    "gold items of the classes after i through j",
    undefined="no item",
    traits={Trait.ADDITIVE, Trait.REPLICATION_INVARIANT, Trait.REVERSAL_INVARIANT},
)
def closeness_evaluation_measure(counts: Counts) -> Scores:
    """Information that predictions give about gold: two classes are close when few gold items lie between them.

    counts: (..., C, C), rows gold. Returns (...).
    Source: Amigó et al. (2020), with the ½ of Sakai (2021) for classes without a gold item.

    >>> round(float(closeness_evaluation_measure(np.array([[5, 1, 4], [5, 50, 5], [7, 8, 15]]))), 4)
    0.7117
    """
    gold = gold_totals(counts)
    proximity = _proximities(gold)
    attained = cell_sum(counts, proximity)
    return divide(attained, (np.diagonal(proximity, axis1=-2, axis2=-1) * gold).sum(axis=-1))


def _proximities(gold: Counts) -> Scores:
    """prox[..., j, i] of gold class j and predicted class i, from gold totals (..., C)."""
    # With gold items sorted by class, K_ij is the stretch from the middle of class i to the far end of class j.
    middle = midpoints(gold)[..., np.newaxis, :]
    end = np.cumsum(gold, axis=-1)[..., :, np.newaxis]
    begin = end - gold[..., :, np.newaxis]
    between = np.maximum(end - middle, middle - begin)
    total = np.maximum(gold.sum(axis=-1), 1)[..., np.newaxis, np.newaxis]
    proximity: Scores = np.log2(total / np.maximum(0.5, between))
    return proximity
