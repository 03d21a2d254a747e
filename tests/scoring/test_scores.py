"""Scores of labels, of numbers, and of systems that know nothing."""

import math

import numpy as np
import pytest
from every_measure import EVERY_SETTING, SCALE
from hypothesis import given
from hypothesis import strategies as some
from made_runs import labelled_runs

from metaeval.errors import InputError, UnknownName
from metaeval.measures import Measure, measure
from metaeval.model.runs import LabelledRuns, NumericRuns
from metaeval.model.scale import ClassScale
from metaeval.scoring.labels import is_additive, item_scores, score_labels
from metaeval.scoring.numeric import count_numbers, score_numbers
from metaeval.scoring.trivial import trivial_systems, with_trivial_systems

THREE = ClassScale.parse("low<mid<high")


def test_a_measure_that_does_not_fit_the_scale_is_refused() -> None:
    nominal = labelled_runs([0, 1], [[0, 1]], ClassScale(("a", "b")))
    with pytest.raises(InputError, match="labels='a<b'"):
        score_labels(nominal, [measure("cem-ord")])
    with pytest.raises(InputError, match="class_weights"):
        score_labels(nominal, [measure("wauc")])
    with pytest.raises(UnknownName, match="'z'"):
        score_labels(nominal, [measure("f1:class=z")])


def test_number_counts_are_those_of_counting_by_hand() -> None:
    rng = np.random.default_rng(3)
    gold, numbers = rng.integers(4, size=200), rng.integers(12, size=200) / 7
    counts, distinct = count_numbers(gold, numbers, classes=4)
    assert distinct.tolist() == sorted(set(numbers.tolist()))
    for code in range(4):
        for index, number in enumerate(distinct):
            assert counts[code, index] == ((gold == code) & (numbers == number)).sum()


def test_a_measure_that_reads_no_numbers_is_refused() -> None:
    runs = NumericRuns(("1", "2"), np.array([0, 1]), np.array([[0.5, 1.0]]), ("s",), THREE)
    with pytest.raises(InputError, match="'accuracy' with task='scores'"):
        score_numbers(runs, [measure("accuracy")])


def test_trivial_systems_are_the_majority_every_class_and_chance() -> None:
    gold = np.array([0, 1, 1, 2] * 500)
    names, predicted = trivial_systems(gold, THREE, seed=1)
    assert names == ("majority", "all low", "all mid", "all high", "uniform random", "prior random")
    assert [set(row.tolist()) for row in predicted[:4]] == [{1}, {0}, {1}, {2}]
    np.testing.assert_allclose(np.bincount(predicted[4]) / 2000, 1 / 3, atol=0.04)
    np.testing.assert_allclose(np.bincount(predicted[5]) / 2000, [0.25, 0.5, 0.25], atol=0.04)


def test_ties_for_the_majority_and_seed_zero() -> None:
    _, predicted = trivial_systems(np.array([2, 1, 1, 2]), THREE, seed=1)
    assert predicted[0].tolist() == [1] * 4
    gold = np.array([0, 1, 2] * 50)
    zero, again, one = (trivial_systems(gold, THREE, seed=seed)[1] for seed in (0, 0, 1))
    assert (zero == again).all()
    assert (zero[4] != one[4]).any()
    assert (zero[5] != one[5]).any()
    assert (zero[:4] == one[:4]).all()


def test_trivial_systems_give_numbers_where_systems_do() -> None:
    scale = ClassScale(THREE.labels, ordered=True, values=(1.0, 2.0, 5.0))
    runs = with_trivial_systems(
        NumericRuns(("1", "2"), np.array([0, 2]), np.array([[0.5, 1.0]]), ("s",), scale), seed=5
    )
    assert runs.predicted[runs.systems.index("all high")].tolist() == [5.0, 5.0]
    assert math.isnan(score_numbers(runs, [measure("pearson")]).values[0, 1])


def test_a_run_with_the_name_of_a_trivial_system_is_refused() -> None:
    runs = labelled_runs([0, 1], [[0, 1]], THREE, ["majority"])
    with pytest.raises(InputError, match=r"rename it, as in 'my-majority=FILE'"):
        with_trivial_systems(runs, seed=5)


# What items are worth under measures that are sums over them

ADDITIVE = [setting for setting in EVERY_SETTING if is_additive(setting)]
codes = some.integers(0, len(SCALE) - 1)


@some.composite
def runs(draw: some.DrawFn) -> LabelledRuns:
    """A few items, so that classes are absent, or have one item."""
    items = draw(some.integers(1, 12))
    labels = some.lists(codes, min_size=items, max_size=items)
    return labelled_runs(draw(labels), draw(some.lists(labels, min_size=1, max_size=3)), SCALE)


@pytest.mark.parametrize("additive", ADDITIVE, ids=str)
@given(runs())
def test_the_mean_over_items_is_the_score(additive: Measure, runs: LabelledRuns) -> None:
    items = item_scores(runs, additive)
    assert items.shape == runs.predicted.shape
    np.testing.assert_allclose(items.mean(axis=1), score_labels(runs, [additive]).values[0], rtol=1e-9, atol=1e-9)


def test_a_measure_that_is_undefined_for_this_gold_is_undefined_for_every_item() -> None:
    scores = item_scores(labelled_runs([0, 0], [[0, 1]], SCALE), measure("wauc"))
    assert np.isnan(scores).all()
