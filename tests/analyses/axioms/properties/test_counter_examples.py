"""Every counter-example that is printed really is one, and none is smaller; verdicts agree with declared traits."""

import itertools
import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from analyses.axioms.axiom_cases import BY_HAND, Matrix
from every_measure import VARIANTS, settings

from metaeval import axioms
from metaeval.analyses.axioms.properties import PROPERTIES
from metaeval.analyses.axioms.properties.search import MIXES_UP_TO, exchanged, scale_of
from metaeval.analyses.axioms.properties.spec import GoldBlindSystems, SearchSpace
from metaeval.errors import InputError, UnknownName
from metaeval.measures import Measure, ScaleType, Trait, measure
from metaeval.model.report import Report
from metaeval.model.scale import ClassScale

Row = dict[str, Any]


@pytest.fixture(scope="module")
def report() -> Report:
    """All measures and all properties."""
    return axioms(cases=100)


@pytest.fixture(scope="module")
def counter_examples(report: Report) -> list[Row]:
    return list(report.table("counter_examples").records())


@pytest.fixture(scope="module")
def holds(report: Report) -> dict[tuple[str, str], bool | None]:
    """Whether a measure has a property, by their names."""
    return {(row["measure"], row["property"]): row["holds"] for row in report.table("axiom_cases").records()}  # type: ignore[misc]


def printed_scale(labels: str, first: str) -> ClassScale:
    """The scale of printed labels; first: those before, whose weights are 1 : 2 : 3 … and go with the names."""
    original = first.split("<")
    total = len(original) * (len(original) + 1) / 2
    weights = {name: weight / total for weight, name in enumerate(original, start=1)}
    return ClassScale(tuple(labels.split("<")), ordered=True).with_weights(weights)


def is_violated(relation: str, measure: Measure, before: float, after: float) -> bool:
    gained = measure.better.sign * (after - before)
    if relation == "the same score":
        return abs(gained) > 1e-9
    if relation == "a better score":
        return gained <= 1e-9
    if relation == "no worse score":
        return gained < -1e-9
    low, high = measure.bounds
    return not low - 1e-9 <= after <= high + 1e-9


def test_every_printed_counter_example_is_one(counter_examples: list[Row]) -> None:
    assert len(counter_examples) > 100
    # What has the mean of measures depends on them.
    assert {row["measure"] for row in counter_examples} == {*map(str, VARIANTS)} - {"mean"}
    for row in counter_examples:
        variant = measure(row["measure"])
        first, _, second = row["labels"].partition(" → ")
        matrices = [np.array(json.loads(row[column])) for column in ("before", "after")]
        scales = [printed_scale(first, first), printed_scale(second or first, first)]
        scores = [float(variant(matrix, scale)) for matrix, scale in zip(matrices, scales, strict=True)]
        assert scores == pytest.approx([row["score_before"], row["score_after"]], abs=1e-15), row
        assert is_violated(row["expected"], variant, *scores), row
        # All are found where everything is tried.
        assert row["search"] == "exhaustive"


def test_every_printed_counter_example_is_a_case_of_its_property(counter_examples: list[Row]) -> None:
    for row in counter_examples:
        before, after = (tuple(map(tuple, json.loads(row[column]))) for column in ("before", "after"))
        matrix = np.array([before])
        golds, mixes = factors(before)
        whole = SearchSpace(matrix, matrix.sum(axis=2), GoldBlindSystems(golds, mixes))
        cases = {(one, other) for one, other, _ in BY_HAND[row["property"]](whole)}
        assert (before, after) in cases, row


def factors(matrix: Matrix) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Every gold and mix whose product a matrix is, if its rows are in proportion."""
    mixes = itertools.product(range(MIXES_UP_TO + 1), repeat=len(matrix))
    pairs = []
    for mix in mixes:
        if sum(mix) and not any(sum(row) % sum(mix) for row in matrix):
            gold = [sum(row) // sum(mix) for row in matrix]
            if tuple(tuple(items * part for part in mix) for items in gold) == matrix:
                pairs.append((gold, mix))
    golds = np.array([gold for gold, _ in pairs], dtype=np.int64).reshape(-1, len(matrix))
    return golds, np.array([mix for _, mix in pairs], dtype=np.int64).reshape(-1, len(matrix))


def systems(classes: int, items: int) -> Iterator[Matrix]:
    """Every confusion matrix, by brute force: each way to put the items into cells."""
    for cells in itertools.combinations_with_replacement(range(classes**2), items):
        counts = [cells.count(cell) for cell in range(classes**2)]
        yield tuple(tuple(counts[begin : begin + classes]) for begin in range(0, classes**2, classes))


def smallest_by_brute_force(variant: Measure, name: str, *, classes: tuple[int, ...]) -> tuple[Matrix, Matrix]:
    """The first counter-example by items, then classes, then counts, one case after another."""
    relation = PROPERTIES[name].relation.value
    for items, count in itertools.product(range(1, 6), classes):
        scale = scale_of(variant, count)
        assert scale is not None
        violating = []
        for matrix in systems(count, items):
            array = np.array([matrix])
            space = SearchSpace(array, array.sum(axis=2), GoldBlindSystems(array[:0, 0], array[:0, 0]))
            for before, after, positions in BY_HAND[name](space):
                scores = (
                    float(variant(np.array(before), scale)),
                    float(variant(np.array(after), exchanged(scale, positions))),
                )
                if not np.isnan(scores).any() and is_violated(relation, variant, *scores):
                    violating.append((before, after))
        if violating:
            return min(violating)
    raise AssertionError


@pytest.mark.parametrize(
    ("name", "measure_name"),
    [
        ("swap", "cem-ord"),
        ("swap", "gmr"),
        ("prior", "mcc"),
        ("mended", "alpha:level=ordinal"),
        ("mended", "kappa:weights=none"),
        ("ordinal-monotonicity", "accuracy"),
        ("relabelling", "mae:average=macro"),
        ("perfect-only", "kendall"),
    ],
)
def test_no_counter_example_is_smaller(counter_examples: list[Row], name: str, measure_name: str) -> None:
    [row] = [row for row in counter_examples if (row["measure"], row["property"]) == (measure_name, name)]
    before, after = smallest_by_brute_force(measure(measure_name), name, classes=(2, 3))
    assert (json.loads(row["before"]), json.loads(row["after"])) == ([*map(list, before)], [*map(list, after)])


@pytest.mark.parametrize("name", PROPERTIES)
def test_a_property_tells_measures_apart(holds: dict[tuple[str, str], bool | None], name: str) -> None:
    verdicts = {verdict for (_, of), verdict in holds.items() if of == name}
    # What every sound measure has, only planted violations show.
    assert True in verdicts
    assert (False in verdicts) == (name not in ("bounded", "perfect-best"))


DECLARED = {"swap": Trait.SYMMETRIC, "replication": Trait.REPLICATION_INVARIANT}


@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_verdicts_agree_with_what_a_measure_declares(variant: Measure) -> None:
    """A trait holds at every setting; other settings of `weighted-f` are not symmetric, although its default is."""
    every = [str(setting) for setting in settings(variant) if "unrelated=" not in str(setting)]
    report = axioms(every, properties=["swap", "replication", "relabelling", "bounded", "perfect-best"], cases=20)
    rows = report.table("axioms").records()
    for name, trait in DECLARED.items():
        assert all(row[name] for row in rows) == (trait in variant.traits), name
    for row, setting in zip(rows, every, strict=True):
        assert row["relabelling"] == (measure(setting).scale_type is ScaleType.NOMINAL), setting
        assert row["bounded"] is True
        assert row["perfect-best"] is True


def test_another_seed_and_more_cases_find_nothing_else(holds: dict[tuple[str, str], bool | None]) -> None:
    names = ("cem-ord", "mae:average=macro", "kappa:weights=none", "recall", "gmr")
    again = axioms(names, cases=1200, seed=0).table("axioms").records()
    for row in again:
        assert {name: row[name] for name in PROPERTIES} == {
            name: holds[str(row["measure"]), name] for name in PROPERTIES
        }


def test_named_classes_are_classes_of_the_cases() -> None:
    report = axioms(["f1:class=mid", "macro-f1:classes=x+y", "fnc1-score:unrelated=none"], properties=["relabelling"])
    assert [row["relabelling"] for row in report.table("axioms").records()] == [True, True, True]
    weighted = axioms(["f1:class=mid"], properties=["prior"]).table("counter_examples").records()
    assert str(weighted[0]["labels"]).startswith("mid<a")


def test_a_measure_that_names_more_classes_than_there_are_is_never_defined() -> None:
    report = axioms(["macro-f1:classes=p+q+r+s+t+u"], properties=["swap"])
    assert report.table("axioms").records()[0]["swap"] is None


def test_what_can_not_be_asked_is_refused() -> None:
    with pytest.raises(UnknownName, match="imbalance"):
        axioms(["accuracy"], properties=["imbalanse"])  # type: ignore[list-item]
    with pytest.raises(UnknownName):
        axioms(["acuracy"])
    with pytest.raises(InputError, match="rouge-l"):
        axioms(["rouge-l"])
    with pytest.raises(InputError, match="base '2' of measure 'decay'"):
        axioms(["decay:base=2"])
    with pytest.raises(InputError, match="cases"):
        axioms(["accuracy"], cases=-1)
