"""Scores of single items under measures of labels that are sums over them."""

from __future__ import annotations

import numpy as np

from metaeval.arrays import Floats, Integers
from metaeval.measures.spec import Measure, Trait
from metaeval.model.labels import LabelledRuns
from metaeval.model.scale import ClassScale


def is_additive(measure: Measure) -> bool:
    """Whether each item contributes to the score independently of the others, for fixed gold labels."""
    return Trait.ADDITIVE in measure.traits


def item_scores(runs: LabelledRuns, measure: Measure) -> Floats:
    """Scores of single items, (S, N), whose mean over the items is the score of a system.

    measure: an additive one, else a `ValueError`. NaN everywhere where the measure is undefined for this gold.

    >>> from metaeval.measures import measure
    >>> from metaeval.model.scale import ClassScale
    >>> runs = LabelledRuns(("1", "2"), np.array([0, 1]), np.array([[0, 0]]), ("a",), ClassScale(("no", "yes")))
    >>> item_scores(runs, measure("accuracy"))
    array([[1., 0.]])
    """
    if not is_additive(measure):
        raise ValueError(f"{measure} is no mean over items")
    worth = worth_of_cells(np.bincount(runs.gold, minlength=len(runs.scale)), measure, runs.scale)
    return worth[runs.gold, runs.predicted]


def worth_of_cells(frequencies: Integers, measure: Measure, scale: ClassScale) -> Floats:
    """The score of an item by the codes of gold class and prediction; frequencies: of the gold classes, (C,).

    Computed from systems that predict one class for all items of a gold class, and all other items correctly.
    """
    classes = scale.codes
    gold = np.zeros(classes)
    gold[: len(frequencies)] = frequencies
    right = np.diag(gold)
    best = float(measure(right, scale))
    worth = np.full((classes, classes), best)
    every = np.arange(classes)
    # Class by class: of a hundred classes, all these counts at once would be a hundred million cells.
    for code in np.flatnonzero(gold).tolist():
        changed = np.repeat(right[np.newaxis], classes, axis=0)
        changed[:, code] = 0.0
        changed[every, code, every] = gold[code]
        worth[code] += (measure(changed, scale) - best) / gold[code] * int(frequencies.sum())
    return worth
