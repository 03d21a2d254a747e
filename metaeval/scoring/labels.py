"""Scores of label predictions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from metaeval.measures.spec import Measure
from metaeval.model.labels import LabelledRuns
from metaeval.model.scale import ClassScale
from metaeval.model.scores import ScoreCube
from metaeval.scoring.confusion import count


def score_labels(runs: LabelledRuns, measures: Sequence[Measure]) -> ScoreCube:
    """Every system under every measure; values (M, S).

    A measure that can't be computed on the scale of the runs is an `InputError`.
    """
    counts = count(runs.gold, runs.predicted, classes=len(runs.scale))
    return score_counts(counts, measures, scale=runs.scale, systems=runs.systems)


def score_counts(
    counts: NDArray[Any],
    measures: Sequence[Measure],
    *,
    scale: ClassScale,
    systems: Sequence[str],
    axes: Sequence[str] = (),
) -> ScoreCube:
    """Every system under every measure, for every leading axis.

    counts: (*axes, S, C, C). axes: the names of what stands before the systems. Returns values (*axes, M, S).
    """
    for measure in measures:
        measure.check_order(scale)
    # Measures compute in float64; to turn the counts once is cheaper than once a measure.
    exact = counts.astype(np.float64, copy=False)
    leading = counts.shape[:-3]
    # As in the counts, what varies most lies together in memory: systems before trials, and trials last.
    buffer = np.empty((len(measures), len(systems), *reversed(leading)), dtype=np.float64)
    values = buffer.transpose(*range(len(leading) + 1, 1, -1), 0, 1)
    for position, measure in enumerate(measures):
        values[..., position, :] = measure(exact, scale)
    names = tuple(str(measure) for measure in measures)
    return ScoreCube(values, tuple(axes), names, tuple(systems), tuple(measure.better for measure in measures))
