"""A confusion matrix is scored once, however many cases it is in, and gets the score it always gets."""

from collections import Counter

import numpy as np
import pytest

from metaeval.analyses.axioms.properties import PROPERTIES
from metaeval.analyses.axioms.properties import candidates as candidates_module
from metaeval.analyses.axioms.properties.candidates import (
    Candidates,
    CandidateScores,
    candidates_of,
    exchanged,
    scale_of,
)
from metaeval.analyses.axioms.properties.search_space import Search
from metaeval.measures import Measure, measure
from metaeval.stats.resample import seed_for

EVERY = PROPERTIES.values()
RANDOM = Search(4, 40, seed_for(5, "test"))


@pytest.mark.parametrize("search", [Search(2), RANDOM], ids=["exhaustive", "random"])
def test_matrices_stand_once_and_in_order(search: Search) -> None:
    cells = [tuple(matrix.ravel().tolist()) for matrix in candidates_of(EVERY, search).matrices]
    assert cells == sorted(set(cells))
    assert search.is_exhaustive or max(map(max, cells)) > 255


@pytest.mark.parametrize("search", [Search(2), RANDOM], ids=["exhaustive", "random"])
def test_trials_are_the_cases_of_the_properties(search: Search) -> None:
    found = candidates_of(EVERY, search)
    for declared in EVERY:
        made = Counter(
            (one.tobytes(), other.tobytes(), cases.exchanged)
            for cases in declared.make_cases(search.space())
            for one, other in zip(cases.before, cases.after, strict=True)
        )
        pooled = Counter(
            (one.tobytes(), other.tobytes(), trial.exchanged)
            for trial in found.trials.get(declared.name, ())
            for one, other in zip(found.matrices[trial.before], found.matrices[trial.after], strict=True)
        )
        assert pooled == made
        assert all(trial.exhaustive == search.is_exhaustive for trial in found.trials.get(declared.name, ()))


def test_a_property_without_cases_makes_an_empty_pool() -> None:
    found = candidates_of([PROPERTIES["nearer"]], Search(2))
    assert (len(found.matrices), found.trials, found.classes) == (0, {}, 2)


def scale_and_scores(wanted: Measure, found: Candidates) -> CandidateScores:
    scale = scale_of(wanted, found.classes)
    assert scale is not None
    return CandidateScores(wanted, found, scale)


@pytest.mark.parametrize("name", ["accuracy", "cem-ord", "wauc", "weighted-f", "fnc1-score", "f1:class=b", "pearson"])
def test_scores_are_those_of_the_measure(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(candidates_module, "BLOCK", 97)
    wanted = measure(name)
    found = candidates_of([PROPERTIES["relabelling"], PROPERTIES["prior"]], RANDOM)
    scores = scale_and_scores(wanted, found)
    for trial in [trial for trials in found.trials.values() for trial in trials]:
        direct = wanted(found.matrices[trial.after], exchanged(scores.scale, trial.exchanged))
        assert np.array_equal(scores.at(trial.after, trial.exchanged), direct, equal_nan=True)


def test_an_exchange_moves_names_and_weights() -> None:
    scale = scale_of(measure("f1:class=b"), 3)
    assert scale is not None
    assert scale.labels == ("b", "a", "c")
    assert scale.class_weights() == pytest.approx(np.array([1, 2, 3]) / 6)
    moved = exchanged(scale, (0, 2))
    assert moved.labels == ("c", "a", "b")
    assert moved.class_weights() == pytest.approx(np.array([3, 2, 1]) / 6)
    assert moved.ordered
    assert exchanged(scale, None) is scale


def test_there_is_no_scale_for_more_named_classes_than_classes() -> None:
    assert scale_of(measure("macro-f1:classes=x+y+z"), 2) is None
    scale = scale_of(measure("macro-f1:classes=x+y+z"), 3)
    assert scale is not None
    assert scale.labels == ("x", "y", "z")
