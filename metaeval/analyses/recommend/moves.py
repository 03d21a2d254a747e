"""Does a measure use the order of the classes? One real error is moved one class nearer to gold."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from metaeval.measures import Measure
from metaeval.model.labels import ClassRuns
from metaeval.model.scale import ClassScale
from metaeval.scoring.confusion import counts_of
from metaeval.scoring.labels import score_counts

_CELLS_TOGETHER = 1 << 22
"""Cells of confusion counts that are scored together, so that memory stays bounded."""


def moves_toward_gold(runs: ClassRuns, measures: Sequence[Measure]) -> NDArray[np.int64]:
    """How many moves of an error raise, keep and lower each score, (M, S, 3).

    For every system and every pair of gold and predicted classes two or more apart that it confuses, one such item is
    predicted one class nearer to gold.
    """
    counts, scale = counts_of(runs), runs.scale
    classes = len(scale)
    gold, said = np.nonzero(np.abs(np.subtract.outer(np.arange(classes), np.arange(classes))) > 1)
    system, cell = np.nonzero(counts[:, gold, said] > 0)
    before = _oriented(counts, measures, scale)
    tally = np.zeros((len(measures), len(counts), 3), dtype=np.int64)
    step = max(1, _CELLS_TOGETHER // classes**2)
    for begin in range(0, len(system), step):
        of, where = system[begin : begin + step], cell[begin : begin + step]
        rows, row, column = np.arange(len(of)), gold[where], said[where]
        moved = counts[of]
        moved[rows, row, column] -= 1
        moved[rows, row, column + np.sign(row - column)] += 1
        gain = np.sign(_oriented(moved, measures, scale) - before[:, of])
        for place, outcome in enumerate((1, 0, -1)):
            for number, own in enumerate(gain == outcome):
                tally[number, :, place] += np.bincount(of, weights=own, minlength=len(counts)).astype(np.int64)
    return tally


def _oriented(counts: NDArray[np.int64], measures: Sequence[Measure], scale: ClassScale) -> NDArray[np.float64]:
    """Scores (M, K) of confusion counts (K, C, C), higher better."""
    systems = tuple(map(str, range(len(counts))))
    return score_counts(counts, measures, scale=scale, systems=systems).oriented().values
