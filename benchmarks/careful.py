"""The nine measures as a careful numpy user writes them: from one confusion matrix at a time."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from metaeval.model.runs import Codes

POSITIONS = np.arange(3.0)
DISTANCE = np.abs(POSITIONS[:, np.newaxis] - POSITIONS)


def careful_loop(gold: Codes, predicted: Codes) -> NDArray[np.float64]:
    """A bincount for each system, and its measures from the matrix; (9, S)."""
    cells = gold.astype(np.intp) * 3
    return np.array([nine(np.bincount(cells + row, minlength=9).reshape(3, 3)) for row in predicted]).T


def nine(matrix: NDArray[Any]) -> list[float]:
    """Alpha ordinal and interval, MAE macro and micro, CEM-ORD, linear kappa, accuracy, both macro F1."""
    gold, predicted, hits, items = matrix.sum(axis=1), matrix.sum(axis=0), matrix.diagonal(), matrix.sum()
    totals = gold + predicted
    errors = (matrix * DISTANCE).sum(axis=1)
    precision, recall = hits / np.maximum(predicted, 1), hits / np.maximum(gold, 1)
    mean_precision, mean_recall = precision.mean(), recall.mean()
    occurs = gold > 0
    return [
        _alpha(matrix, totals, np.cumsum(totals) - totals / 2),
        _alpha(matrix, totals, POSITIONS),
        float((errors[occurs] / gold[occurs]).mean()),
        float(errors.sum() / items),
        _cem_ord(matrix, gold),
        float(1 - errors.sum() * items / (gold @ DISTANCE @ predicted)),
        float(hits.sum() / items),
        float((2 * hits / np.maximum(totals, 1)).mean()),
        float(2 * mean_precision * mean_recall / max(mean_precision + mean_recall, 1e-300)),
    ]


def _alpha(matrix: NDArray[Any], totals: NDArray[Any], positions: NDArray[np.float64]) -> float:
    squares = (positions[:, np.newaxis] - positions) ** 2
    return float(1 - (totals.sum() - 1) * 2 * (matrix * squares).sum() / (totals @ squares @ totals))


def _cem_ord(matrix: NDArray[Any], gold: NDArray[Any]) -> float:
    end = np.cumsum(gold)
    middle, begin = end - gold / 2, end - gold
    between = np.maximum(end[:, np.newaxis] - middle, middle - begin[:, np.newaxis])
    proximity = -np.log2(np.maximum(0.5, between) / gold.sum())
    return float((proximity * matrix).sum() / (proximity.diagonal() * gold).sum())
