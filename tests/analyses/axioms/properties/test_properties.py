"""Every formal property generates the cases of its statement, and detects a measure that violates it once."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from analyses.axioms.axiom_cases import BY_HAND, Matrix, judge
from numpy.typing import NDArray

from metaeval.analyses.axioms.properties import PROPERTIES, FormalProperty, find_verdicts
from metaeval.analyses.axioms.properties.search import Search, candidates_of, exhaustive_space, random_space
from metaeval.analyses.axioms.properties.spec import GoldBlindSystems, SearchSpace
from metaeval.measures import Measure, measure
from metaeval.model.scale import ClassScale
from metaeval.scoring.parts import compositions
from metaeval.stats.resample import generator, seed_for

SEED = seed_for(20201, "test")


def small(classes: int) -> SearchSpace:
    """Everything with at most three items, fewer golds and mixes than in the search."""
    whole = exhaustive_space(classes)
    few = whole.systems.sum(axis=(1, 2)) <= 4 - (classes > 2)
    golds = whole.golds[whole.golds.sum(axis=1) <= 6]
    mixes = compositions(2, classes)
    return SearchSpace(whole.systems[few], golds, GoldBlindSystems(golds[: len(mixes)], mixes[: len(golds)]))


GROUNDS = {
    "two classes": small(2),
    "three classes": small(3),
    "four classes, random": random_space(4, 60, generator(SEED)),
    "five classes, random": random_space(5, 20, generator(SEED)),
}


def as_tuples(matrices: NDArray[np.int64]) -> list[Matrix]:
    return [tuple(map(tuple, matrix)) for matrix in matrices.tolist()]


@pytest.mark.parametrize("space", GROUNDS)
@pytest.mark.parametrize("name", PROPERTIES)
def test_the_cases_are_those_of_the_statement(name: str, space: str) -> None:
    case_counts = Counter(
        (before, after, cases.exchanged)
        for cases in PROPERTIES[name].make_cases(GROUNDS[space])
        for before, after in zip(as_tuples(cases.before), as_tuples(cases.after), strict=True)
    )
    assert case_counts == Counter(BY_HAND[name](GROUNDS[space]))
    assert case_counts or space == "two classes"


# Planted violations


def made_up(function: Callable[..., Any], like: str, **declared: Any) -> Measure:
    """A measure that only the test knows, declared as another but for its function."""
    honest = measure(like).declaration
    declaration = replace(honest, function=function, meaning_of=honest.decorated, parameters=(), **declared)
    return Measure(declaration, (), ())


def planted(like: str, matrix: list[list[int]]) -> Measure:
    """A measure that gives one single confusion matrix 2 more than it should, and is honest otherwise."""
    honest = measure(like)

    def function(counts: NDArray[np.float64], *, scale: ClassScale) -> NDArray[np.float64]:
        scores = honest(counts, scale)
        is_planted = counts.shape[-1] == len(matrix) and (counts == np.array(matrix)).all(axis=(-2, -1))
        return np.asarray(scores + 2.0 * honest.better.sign * np.asarray(is_planted))

    fields = {"bounds": honest.bounds, "scale": honest.scale_type, "traits": honest.traits}
    return made_up(function, like, **fields)


PLANTED: dict[str, tuple[str, list[list[int]]]] = {
    "ordinal-invariance": ("cem-ord", [[0, 1, 0], [1, 1, 0], [0, 0, 0]]),
    "ordinal-monotonicity": ("cem-ord", [[1, 0, 1], [0, 1, 0], [0, 0, 1]]),
    "imbalance": ("cem-ord", [[0, 1, 0], [0, 3, 0], [0, 0, 2]]),
    "nearer": ("closeness:norm=range", [[0, 0, 2], [0, 0, 0], [0, 1, 0]]),
    "bounded": ("accuracy", [[3, 1], [1, 2]]),
    "perfect-best": ("accuracy", [[3, 0, 0], [0, 0, 0], [1, 0, 1]]),
    "perfect-only": ("mae:average=macro", [[3, 0, 0], [0, 0, 0], [1, 0, 1]]),
    "mended": ("accuracy", [[1, 4], [2, 3]]),
    "relabelling": ("accuracy", [[1, 1, 0], [0, 1, 1], [0, 1, 0]]),
    "swap": ("kappa", [[1, 0, 1], [1, 0, 0], [0, 0, 0]]),
    "prior": ("recall", [[1, 1, 1], [1, 0, 0], [0, 0, 1]]),
    "replication": ("accuracy", [[2, 0, 2], [0, 0, 0], [0, 0, 2]]),
    "chance": ("kappa", [[2, 2, 2], [1, 1, 1], [1, 1, 1]]),
}


@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_violation_is_found(name: str) -> None:
    like, matrix = PLANTED[name]
    assert judge(measure(like), name).holds
    verdict = judge(planted(like, matrix), name)
    assert verdict.holds is False
    assert verdict.smallest is not None
    assert matrix in (verdict.smallest.before.tolist(), verdict.smallest.after.tolist())
    assert 1 <= verdict.violations <= 12


def test_what_only_many_classes_show_is_found_by_chance() -> None:
    def function(counts: NDArray[np.float64]) -> NDArray[np.float64]:
        right = np.trace(counts, axis1=-2, axis2=-1) / counts.sum(axis=(-2, -1))
        return np.asarray(np.where(counts.shape[-1] == 5, np.round(right, 1), right))

    careless = made_up(function, "accuracy")
    assert judge(careless, "mended").holds
    verdict = judge(careless, "mended", cases=50)
    assert verdict.holds is False
    assert verdict.smallest is not None
    assert not verdict.smallest.exhaustive
    assert verdict.smallest.before.shape == (5, 5)


def test_a_property_does_not_apply_where_it_makes_no_sense() -> None:
    verdict = judge(measure("accuracy"), "nearer")
    assert (verdict.holds, verdict.cases, verdict.smallest) == (None, 0, None)
    assert judge(measure("mae"), "nearer").holds is True


def test_undefined_scores_are_left_out_and_counted() -> None:
    def function(counts: NDArray[np.float64]) -> NDArray[np.float64]:
        items = counts.sum(axis=(-2, -1))
        return np.where(items % 2 == 1, np.nan, items)

    seldom = made_up(function, "accuracy", bounds=(3.0, 4.0))
    properties: list[FormalProperty] = [PROPERTIES["bounded"]]
    [[verdict]] = find_verdicts([seldom], properties, [candidates_of(properties, Search(3))])
    items = exhaustive_space(3).systems.sum(axis=(1, 2))
    assert verdict.undefined == (items % 2 == 1).sum()
    assert verdict.cases == (items % 2 == 0).sum()
    assert verdict.violations == ((items % 2 == 0) & ((items < 3) | (items > 4))).sum()


def test_a_measure_that_is_never_defined_has_no_verdict() -> None:
    never = made_up(lambda counts: np.full(counts.shape[:-2], np.nan), "accuracy")
    assert judge(never, "swap").holds is None
    assert judge(never, "swap").undefined > 0
