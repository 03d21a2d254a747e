"""Scores of numeric predictions against ordered gold classes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from metaeval.errors import InputError
from metaeval.measures.spec import NUMERIC_FORMS, Measure
from metaeval.model.labels import Codes, NumericRuns
from metaeval.model.scores import ScoreCube


def score_numbers(runs: NumericRuns, measures: Sequence[Measure]) -> ScoreCube:
    """Scores of every system under every measure, in O(N log N) per system.

    Parameters
    ----------
    runs
        Numbers of S systems.
    measures
        M measures.

    Returns
    -------
    ScoreCube
        Values (M, S).

    Raises
    ------
    InputError
        If a measure is not defined for numeric predictions.
    """
    for measure in measures:
        check_reads_numbers(measure)
        measure.check(runs.scale)
    gold_values = runs.scale.class_values()
    values = np.empty((len(measures), len(runs.systems)), dtype=np.float64)
    for system, numbers in enumerate(runs.predicted):
        counts, distinct = count_numbers(runs.gold, numbers, classes=len(runs.scale))
        for position, measure in enumerate(measures):
            values[position, system] = measure.of_numbers(counts, gold_values, distinct)
    names = tuple(str(measure) for measure in measures)
    return ScoreCube(values, (), names, runs.systems, tuple(measure.better for measure in measures))


def count_numbers(
    gold: Codes, numbers: NDArray[np.float64], *, classes: int
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """How often each distinct number was predicted for an item of each gold class.

    Parameters
    ----------
    gold : array (N,)
        Class codes.
    numbers : array (N,)
        Predictions of a system.
    classes
        Number of classes, C.

    Returns
    -------
    counts : array (C, U)
    distinct : array (U,)
        Increasing.

    Examples
    --------
    >>> count_numbers(np.array([0, 1, 1]), np.array([.5, .2, .5]), classes=2)
    (array([[0, 1],
           [1, 1]]), array([0.2, 0.5]))
    """
    distinct, place = np.unique(numbers, return_inverse=True)
    cells = np.bincount(gold.astype(np.intp) * len(distinct) + place, minlength=classes * len(distinct))
    return cells.reshape(classes, len(distinct)), distinct


def check_reads_numbers(measure: Measure) -> None:
    """Raise an `InputError` where a measure is not defined for numeric predictions."""
    if not measure.reads_numbers:
        raise InputError.at(
            found=f"measure '{measure}' with --task scores, where systems predict numbers",
            expected=f"one of {', '.join(NUMERIC_FORMS)}",
        )
