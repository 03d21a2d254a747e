"""Agreement of gold and system beyond chance."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from metaeval.errors import InputError
from metaeval.measures.declare import label_measure
from metaeval.measures.margins import cell_sum, distances, gold_totals, midpoints, predicted_totals
from metaeval.measures.spec import ByParameter, Counts, ScaleType, Scores, Trait
from metaeval.model.scale import ClassScale
from metaeval.stats.ratio import divide

_SYMMETRIC = frozenset({Trait.SYMMETRIC, Trait.REVERSAL_INVARIANT})


@label_measure(
    "kappa",
    title="Cohen's kappa",
    bounds=(-1.0, 1.0),
    scale=ByParameter(
        "weights", {"none": ScaleType.NOMINAL, "linear": ScaleType.ORDINAL, "quadratic": ScaleType.ORDINAL}
    ),
    source="cohen1968",
    formula="1 − Σ w_ij c_ij / Σ w_ij e_ij, e_ij = p_i n_j / N; w_ij = [i ≠ j] (none), |i − j| (linear), (i − j)² "
    "(quadratic)",
    undefined="gold and system both always say the same one class",
    traits={*_SYMMETRIC, Trait.REPLICATION_INVARIANT, Trait.CONSTANT_SCORES_NOTHING},
    parameters={"weights": "how a disagreement weighs: all alike, by the distance of the classes, or by its square"},
)
def kappa(counts: Counts, *, weights: Literal["none", "linear", "quadratic"] = "linear") -> Scores:
    """Agreement beyond what the class frequencies of gold and system make expected.

    counts: (..., C, C), rows gold. Returns (...).

    >>> round(float(kappa(np.array([[8, 2], [4, 6]]))), 4)
    0.4
    """
    distance = distances(counts.shape[-1])
    disagreement = {"none": _apart(len(distance)), "linear": distance, "quadratic": distance**2}[weights]
    gold, predicted = gold_totals(counts), predicted_totals(counts)
    expected = (gold * (predicted @ disagreement)).sum(axis=-1)
    return np.asarray(1 - divide(cell_sum(counts, disagreement) * gold.sum(axis=-1), expected))


@label_measure(
    "alpha",
    title="Krippendorff's alpha",
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
    formula="1 − (2N − 1) Σ o_ij δ²_ij / Σ n_i n_j δ²_ij over i < j, o_ij = c_ij + c_ji, n_i the times gold or system "
    "said i; δ² = 1 (nominal), (Σ n_i…n_j − (n_i + n_j)/2)² (ordinal), (v_i − v_j)² (interval), "
    "((v_i − v_j)/(v_i + v_j))² (ratio)",
    undefined="gold and system both always say the same one class",
    traits=ByParameter(
        "level",
        {
            "nominal": _SYMMETRIC,
            "ordinal": _SYMMETRIC,
            "interval": _SYMMETRIC,
            "ratio": frozenset({Trait.SYMMETRIC}),
        },
    ),
    parameters={"level": "what the classes are: names, an order, equal or declared steps, multiples of a zero point"},
)
def alpha(
    counts: Counts,
    *,
    scale: ClassScale,
    level: Literal["nominal", "ordinal", "interval", "ratio"] = "ordinal",
) -> Scores:
    """Agreement of gold and system as two coders, against chance pairing of all their labels.

    counts: (..., C, C), rows gold. Returns (...).

    >>> round(float(alpha(np.array([[8, 2], [4, 6]]), scale=ClassScale(("low", "high"), ordered=True))), 4)
    0.4091
    """
    labels = gold_totals(counts) + predicted_totals(counts)
    difference = _squared_differences(labels, scale, level)
    # Each pair of values stands twice in a coincidence matrix, so does each pair i, j in the double sum below.
    observed = 2 * cell_sum(counts, difference)
    expected = cell_sum(labels[..., :, np.newaxis] * labels[..., np.newaxis, :], difference)
    return np.asarray(1 - (labels.sum(axis=-1) - 1) * divide(observed, expected))


def _squared_differences(labels: Counts, scale: ClassScale, level: str) -> NDArray[np.float64]:
    """δ² of Krippendorff (2011), (C, C) or (..., C, C)."""
    if level == "nominal":
        return _apart(len(scale))
    if level == "ordinal":
        place = midpoints(labels)
    else:
        place = _ratio_values(scale) if level == "ratio" else scale.class_values()
    difference: NDArray[np.float64] = place[..., :, np.newaxis] - place[..., np.newaxis, :]
    if level == "ratio":
        difference = difference / (place[:, np.newaxis] + place)
    return np.square(difference)


def _apart(classes: int) -> NDArray[np.float64]:
    """[i ≠ j], (C, C)."""
    return 1 - np.eye(classes)


def _ratio_values(scale: ClassScale) -> NDArray[np.float64]:
    """Declared positive values, else positions counted from 1."""
    if scale.values is None:
        return scale.positions + 1
    values = scale.class_values()
    if (values <= 0).any():
        raise InputError.at(
            found=f"class values {', '.join(f'{value:g}' for value in values)} for alpha:level=ratio",
            expected="values above 0",
            hint="declare positive values, or choose alpha:level=interval",
        )
    return values
