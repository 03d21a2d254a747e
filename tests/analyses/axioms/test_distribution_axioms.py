"""Formal properties of measures of distributions."""

from itertools import pairwise
from typing import get_args

import numpy as np
import pytest
from command_line import CommandLine

from metaeval.analyses.axioms.properties import DISTRIBUTION_PROPERTIES, PROPERTIES, Relation, find_verdicts
from metaeval.analyses.axioms.properties.declared import pairs_of
from metaeval.analyses.axioms.properties.search import Search, candidates_of, searches
from metaeval.analyses.axioms.settings import OfDistributions
from metaeval.measures import REGISTRY, measure
from metaeval.measures.distributions import compare
from metaeval.model.runs import DataKind
from metaeval.model.scale import ClassScale
from metaeval.stats.resample import seed_for

NAMES = [declaration.name for declaration in REGISTRY.values() if declaration.reads is DataKind.DISTRIBUTIONS]
EVERY = tuple(map(measure, [*NAMES, "rnod:over=all"]))
LACKED = {
    "nmd": set(),
    "rnod": {"mass-nearer", "exchange"},
    "rnod:over=all": {"mass-nearer", "point-farther"},
    "rsnod": {"mass-nearer"},
    "jsd": {"mass-nearer"},
    "nvd": {"mass-nearer"},
    "wasserstein": set(),
    "cross-entropy": {"mass-nearer", "exchange"},
    "brier": {"mass-nearer"},
}
"""The properties that each measure lacks."""


def test_every_measure_has_the_properties_that_it_should() -> None:
    every, parts = DISTRIBUTION_PROPERTIES.values(), searches(100, seed=seed_for(1, "axioms"))
    verdicts = find_verdicts(EVERY, every, (candidates_of(every, part, pairs_of(part)) for part in parts))
    assert {
        str(row[0].measure): {verdict.declared.name for verdict in row if not verdict.holds} for row in verdicts
    } == LACKED


def test_averaged_over_all_classes_a_certain_prediction_farther_from_gold_can_score_better() -> None:
    """Distances to all classes are smallest in the middle: Σ|i − 1| is 7, Σ|i − 2| is 6, and gold adds 10 to both."""
    scale, points = ClassScale(tuple("abcde"), ordered=True), np.eye(5)
    near, far = (float(compare(measure("rnod:over=all"), points[at], points[0], scale)) for at in (1, 2))
    assert np.allclose([near, far], np.sqrt([17 / 20, 16 / 20]))
    near, far = (float(compare(measure("rnod"), points[at], points[0], scale)) for at in (1, 2))
    assert np.allclose([near, far], np.sqrt([1 / 4, 2 / 4]))


def test_names_of_properties_are_choices_and_none_is_of_both_kinds() -> None:
    assert list(get_args(OfDistributions)) == list(DISTRIBUTION_PROPERTIES)
    assert not {*DISTRIBUTION_PROPERTIES} & {*PROPERTIES}


@pytest.mark.parametrize("classes", [2, 3, 4])
def test_small_pairs_are_all_pairs_and_random_ones_have_whole_parts(classes: int) -> None:
    pairs = pairs_of(Search(classes))
    assert len(np.unique(pairs, axis=0)) == len(pairs)
    assert (pairs.sum(axis=-1)[:, 0] == pairs.sum(axis=-1)[:, 1]).all()
    sample = pairs_of(Search(classes, 5, np.random.SeedSequence(1)))
    assert sample.shape == (5, 2, classes)
    assert (sample.sum(axis=-1) == 12).all()


@pytest.mark.parametrize("variant", EVERY, ids=str)
def test_a_property_that_holds_for_parts_holds_for_any_probabilities(variant: object) -> None:
    """Probabilities that are no multiples of a part, with each property written again."""
    random, scale = np.random.default_rng(2), ClassScale(tuple("abcd"), ordered=True)
    candidate = next(one for one in EVERY if one is variant)

    def score(predicted: object, gold: object) -> np.typing.NDArray[np.float64]:
        return -compare(candidate, np.asarray(predicted), np.asarray(gold), scale)

    gold, predicted = random.dirichlet(np.full(4, 0.5), (2, 500))
    gold = np.where(gold < 0.1, 0, gold)
    gold /= gold.sum(axis=-1, keepdims=True)
    lacked = LACKED[str(candidate)]
    assert (score((gold + predicted) / 2, gold) > score(predicted, gold)).all()
    assert (score(gold, gold) > score(predicted, gold)).all()
    same = np.allclose(score(gold, predicted), score(predicted, gold))
    assert same == ("exchange" not in lacked)
    points = np.eye(4)
    for at in range(4):
        scores = [score(points[other], points[at]) for other in range(4)]
        for away in (range(at, 4), range(at, -1, -1)):
            assert all(scores[near] >= scores[far] for near, far in pairwise(away))
    # A step of some probability from class 3 to class 2, where gold is class 0.
    less = predicted.copy()
    less[:, 2] += less[:, 3] / 2
    less[:, 3] /= 2
    first = np.broadcast_to(points[0], predicted.shape)
    assert (score(less, first) > score(predicted, first)).all() == ("mass-nearer" not in lacked)


def test_the_command_shows_distributions_apart_from_labels(metaeval: CommandLine) -> None:
    report = metaeval.report("axioms", "-m", "nmd", "-m", "rnod", "--cases", "20")
    rows = report["tables"]["axioms"]
    assert [list(row) for row in rows] == [["measure", *DISTRIBUTION_PROPERTIES]] * 2
    assert [row["mass-nearer"] for row in rows] == [True, False]
    example = next(row for row in report["tables"]["counter_examples"] if row["property"] == "mass-nearer")
    assert (example["before"], example["after"], example["labels"]) == (
        "[[0,0,2],[1,1,0]]",
        "[[0,0,2],[0,2,0]]",
        "a<b<c",
    )
    assert any("all pairs of 2 classes and up to 8 parts" in note for note in report["notes"])
    both = metaeval.tables("axioms", "-m", "nmd", "-m", "accuracy", "--cases", "0")["axioms"]
    assert list(both[0]) == ["measure", *PROPERTIES, *DISTRIBUTION_PROPERTIES]
    assert both[0]["swap"] is None
    assert both[1]["exchange"] is None
    assert list(metaeval.tables("axioms", "-m", "accuracy", "--cases", "0")["axioms"][0]) == [
        "measure",
        *PROPERTIES,
    ]
    assert "which reads texts, on labels" in metaeval.refuses("axioms", "-m", "rouge-l")


def test_what_is_expected_of_a_measure_for_which_lower_is_better_is_not_a_higher_score(
    metaeval: CommandLine,
) -> None:
    tables = metaeval.tables("axioms", "-m", "rnod", "-m", "mae", "--cases", "0")
    example = next(row for row in tables["counter_examples"] if row["property"] == "mass-nearer")
    assert (example["expected"], example["score_before"] < example["score_after"]) == ("a better score", True)
    statements = [row["statement"] for row in tables["properties"]]
    assert len(statements) == len(PROPERTIES) + len(DISTRIBUTION_PROPERTIES)
    words = {*" ".join([*statements, *(relation.value for relation in Relation)]).split()}
    assert not words & {"higher", "lower", "increases", "decreases"}
