"""A few cases on which measures of plugins are tried out when they are loaded, before any data are read."""

from __future__ import annotations

import numpy as np

from metaeval.errors import InputError
from metaeval.measures.plugin_calls import Plugin, broken
from metaeval.measures.spec import REGISTRY, Measure, Trait, measure
from metaeval.measures.statistics import Statistics, StatisticsScore, is_of_sums, statistics_of, text_statistics
from metaeval.model.data_kind import DataKind
from metaeval.model.scale import ClassScale

SCALE = ClassScale(
    ("unrelated", "low", "mid", "high"), ordered=True, values=(0.5, 1.0, 2.5, 3.0), weights=(0.1, 0.2, 0.3, 0.4)
)
"""Classes on which every measure of labels can be computed."""

TEXTS = (
    "The cat sat on the mat by the door.",
    "It rained in Oslo on the second day of May.",
    "He said: no, thank you!",
)
"""Texts without a common phrase."""


def check_plugin(plugin: Plugin) -> None:
    """Raise an `InputError` where a file declares no measure, or one of labels does not work or is not as declared."""
    own = [declaration for _, declaration in REGISTRY.registered_items() if declaration.plugin == plugin]
    if plugin.file and not own:
        decorators = "label_measure, text_measure, item_measure or sum_measure"
        raise InputError.at(
            plugin.path,
            found="a plugin without a measure",
            expected=f"functions that are decorated with {decorators} of metaeval",
            hint="decorate them, or leave the plugin out",
        )
    for declaration in own:
        if declaration.reads is DataKind.LABELS:
            _check_counts(measure(declaration.name))


def _check_counts(candidate: Measure) -> None:
    """Systems without and with errors only, and two others, for each of which the batch is computed again."""
    classes = len(SCALE)
    right = np.diag(np.full(classes, 5.0))
    wrong, mixed = np.roll(right, 1, axis=1), np.arange(1.0, classes**2 + 1).reshape(classes, classes)
    counts = np.stack([np.stack([right, wrong]), np.stack([mixed, mixed.T])])
    scores, function = candidate(counts, SCALE), candidate.declaration.function
    alone = np.array([[float(candidate(matrix, SCALE)) for matrix in pair] for pair in counts])
    if not np.allclose(scores, alone, rtol=1e-9, atol=1e-9, equal_nan=True):
        expected = "the scores of each matrix, from all axes before the last two"
        raise broken(str(candidate), function, "returns other scores for several matrices at once", expected)
    check_direction(candidate, float(scores[0, 0]), float(scores[0, 1]))
    if Trait.ADDITIVE in candidate.traits:
        halfway = float(candidate((right + wrong) / 2, SCALE))
        if not np.isclose(halfway, (scores[0, 0] + scores[0, 1]) / 2, rtol=1e-9, atol=1e-9):
            found = "is not a sum over the items, halfway between two systems"
            raise broken(str(candidate), function, found, "no trait ADDITIVE, which it declares")


def check_texts_of(candidate: Measure) -> None:
    """Raise an `InputError` where a measure of texts of a plugin does not work or prefers texts of other items."""
    declaration = statistics_of(candidate)
    if declaration is None or declaration.plugin is None:
        return
    references = [[text] for text in TEXTS]
    right, wrong = (
        score_of_statistics(candidate, text_statistics(candidate, outputs, references))
        for outputs in (TEXTS, (*TEXTS[1:], TEXTS[0]))
    )
    check_direction(candidate, right, wrong)


def score_of_statistics(candidate: Measure, statistics: Statistics) -> float:
    """The score of items with these statistics, (N, K)."""
    score = StatisticsScore(candidate)
    return float(score(statistics.sum(axis=0)) if is_of_sums(candidate) else score(statistics).mean())


def check_direction(candidate: Measure, right: float, wrong: float) -> None:
    """Raise an `InputError` where the score of correct outputs is worse than that of wrong ones."""
    if candidate.better.sign * (right - wrong) < 0:
        found = f"scores {right:g} for correct and {wrong:g} for wrong outputs"
        expected = f"{candidate.better.value} scores for better systems, as it declares"
        raise broken(str(candidate), candidate.declaration.function, found, expected)
