"""Chance-corrected agreement between gold and predictions."""

from __future__ import annotations

from typing import Literal

import numpy as np

from metaeval.arrays import Counts, Floats, Scores
from metaeval.errors import invalid, refuse
from metaeval.measures.declare import label_measure
from metaeval.measures.margins import cell_sum, distances, gold_totals, midpoints, predicted_totals
from metaeval.measures.spec import ByParameter, ScaleType, Trait
from metaeval.model.scale import ClassScale
from metaeval.stats.ratio import divide

_SYMMETRIC = frozenset({Trait.SYMMETRIC, Trait.REVERSAL_INVARIANT})
_CHANCE = _SYMMETRIC | {Trait.REPLICATION_INVARIANT, Trait.CONSTANT_SCORES_ZERO}


@label_measure(
    title="Cohen's kappa",
    question=ByParameter(
        "weights",
        {
            "none": "how many items are right, beyond chance",
            "linear": "how near to gold is a prediction, beyond chance",
            "quadratic": "how near to gold is a prediction, beyond chance, large errors counting most",
        },
    ),
    bounds=(-1.0, 1.0),
    scale=ByParameter(
        "weights", {"none": ScaleType.NOMINAL, "linear": ScaleType.ORDINAL, "quadratic": ScaleType.ORDINAL}
    ),
    source="cohen1968",
    formula="1 − Σ w_ij c_ij / Σ w_ij e_ij, e_ij = p_i n_j / N; w_ij = [i ≠ j] (none), |i − j| (linear), (i − j)² "
    "(quadratic)",
    undefined="all gold labels and predictions are the same class",
    traits=ByParameter("weights", {"none": _CHANCE | {Trait.COUNTS_MISSES}, "linear": _CHANCE, "quadratic": _CHANCE}),
    parameters={"weights": "weight of a disagreement: 1 (none), the distance between the classes, or its square"},
)
def kappa(counts: Counts, *, weights: Literal["none", "linear", "quadratic"] = "linear") -> Scores:
    """Agreement of gold and predictions, corrected for the agreement expected from their class frequencies."""
    distance = distances(counts.shape[-2])
    disagreement = {"none": _unequal(*counts.shape[-2:]), "linear": distance, "quadratic": distance**2}[weights]
    gold, predicted = gold_totals(counts), predicted_totals(counts)
    expected = np.einsum("...i,...i->...", gold, np.einsum("...j,ij->...i", predicted, disagreement))
    return np.asarray(1 - divide(cell_sum(counts, disagreement) * gold.sum(axis=-1), expected))


@label_measure(
    title="Krippendorff's alpha",
    question=ByParameter(
        "level",
        {
            "nominal": "do system and gold agree, beyond chance",
            "ordinal": "do system and gold agree in rank, beyond chance",
            "interval": "do system and gold agree in value, beyond chance",
            "ratio": "do system and gold agree in proportion, beyond chance",
        },
    ),
    bounds=(-1.0, 1.0),
    scale=ByParameter(
        "level",
        {
            "nominal": ScaleType.NOMINAL,
            "ordinal": ScaleType.ORDINAL,
            "interval": ScaleType.INTERVAL,
            "ratio": ScaleType.INTERVAL,
        },
    ),
    source="krippendorff2011",
    formula="1 − (2N − 1) Σ o_ij δ²_ij / Σ n_i n_j δ²_ij over i < j, o_ij = c_ij + c_ji, n_i gold and predicted "
    "labels of class i; δ² = 1 (nominal), (Σ n_i…n_j − (n_i + n_j)/2)² (ordinal), (v_i − v_j)² (interval), "
    "((v_i − v_j)/(v_i + v_j))² (ratio)",
    undefined="all gold labels and predictions are the same class",
    traits=ByParameter(
        "level",
        {
            "nominal": _SYMMETRIC | {Trait.COUNTS_MISSES},
            **dict.fromkeys(("ordinal", "interval"), _SYMMETRIC),
            "ratio": frozenset({Trait.SYMMETRIC}),
        },
    ),
    parameters={
        "level": "level of measurement: class names, their order, their values, or their values above a true zero"
    },
)
def alpha(
    counts: Counts, *, scale: ClassScale, level: Literal["nominal", "ordinal", "interval", "ratio"] = "ordinal"
) -> Scores:
    """Agreement of gold and predictions as two coders, corrected for chance pairing of their pooled labels."""
    classes = counts.shape[-2]
    labels = predicted_totals(counts)
    labels[..., :classes] += gold_totals(counts)
    difference = _squared_differences(labels, scale, level)
    # A coincidence matrix counts each pair of values twice, as does the double sum below.
    observed = 2 * cell_sum(counts, difference[..., :classes, :])
    expected = np.einsum("...i,...i->...", labels, np.einsum("...j,...ij->...i", labels, difference))
    return np.asarray(1 - (labels.sum(axis=-1) - 1) * divide(observed, expected))


def _squared_differences(labels: Counts, scale: ClassScale, level: str) -> Floats:
    """δ² of Krippendorff (2011), (C, C) or (..., C, C)."""
    if level == "nominal":
        return _unequal(labels.shape[-1], labels.shape[-1])
    if level == "ordinal":
        values = midpoints(labels)
    else:
        values = _ratio_values(scale) if level == "ratio" else scale.class_values()
    difference: Floats = values[..., :, np.newaxis] - values[..., np.newaxis, :]
    if level == "ratio":
        difference = difference / (values[:, np.newaxis] + values)
    return np.square(difference)


def _unequal(rows: int, columns: int) -> Floats:
    """[i ≠ j], (rows, columns)."""
    return 1 - np.eye(rows, columns)


def _ratio_values(scale: ClassScale) -> Floats:
    """Declared positive values, or positions counted from 1."""
    if scale.values is None:
        return scale.positions + 1
    values = scale.class_values()
    if (values <= 0).any():
        text, hint = ", ".join(f"{value:g}" for value in values), "declare positive values, or use alpha:level=interval"
        raise refuse(None, invalid("class values", text, "values above 0", " for alpha:level=ratio", hint))
    return values
