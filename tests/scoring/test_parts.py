"""What groups of items add to scores, from labels in any form and from scores of items."""

from __future__ import annotations

import itertools
from itertools import permutations

import numpy as np
import pytest
from made_runs import labelled_runs
from numpy.typing import NDArray
from score_cubes import item_scores
from simulations.generators import SCALE, labels

from metaeval.inference.clusters import MAX_GROUPS
from metaeval.inference.pairs import Evidence, compare_pairs
from metaeval.inference.parts import Parts, standard_errors
from metaeval.inference.statistics import PairDeviations
from metaeval.measures import measure
from metaeval.model.runs import LabelledRuns, PatternRuns
from metaeval.model.scale import ClassScale
from metaeval.scoring.confusion import count
from metaeval.scoring.labels import score_labels
from metaeval.scoring.parts import (
    all_systems,
    as_bytes,
    cell_parts,
    count_groups,
    nearly_regular_systems,
    parts_of_item_scores,
)

MEASURES = [
    measure(name) for name in ("accuracy", "recall", "mae:average=macro", "cem-ord", "macro-f1", "kappa", "mcc")
]


def some(runs: LabelledRuns, keep: NDArray[np.bool_]) -> LabelledRuns:
    return labelled_runs(runs.gold[keep], runs.predicted[:, keep], SCALE)


@pytest.mark.parametrize("items", [40, 3000])
def test_parts_add_up_to_the_scores_of_all_items(items: int) -> None:
    runs = labels(np.random.default_rng(1), 4, items, (0.5, 0.3, 0.2))
    scores = score_labels(runs, MEASURES).oriented().values
    counts = count_groups(runs, None, np.random.default_rng(1))
    assert len(counts.sizes) == min(items, MAX_GROUPS)
    assert np.ptp(counts.sizes) <= 1
    for system_scores, parts in zip(scores, counts.parts(MEASURES), strict=True):
        np.testing.assert_allclose(parts.scores, system_scores, rtol=1e-14)
        np.testing.assert_allclose(parts.parts.sum(axis=0), items * system_scores, rtol=1e-9)


def test_parts_are_worths_of_the_items_or_jackknife_parts() -> None:
    runs = labels(np.random.default_rng(1), 4, 60, (0.5, 0.3, 0.2))
    groups = np.arange(60) % 12
    counts = count_groups(runs, groups, np.random.default_rng(1))
    accuracy, *_, mcc = counts.parts(MEASURES)
    right = runs.predicted == runs.gold
    np.testing.assert_allclose(accuracy.parts, [right[:, groups == group].sum(axis=1) for group in range(12)])
    without = [score_labels(some(runs, groups != group), MEASURES).values[-1] for group in range(12)]
    expected = Parts.from_jackknife(score_labels(runs, MEASURES).values[-1], np.array(without), np.full(12, 5))
    np.testing.assert_allclose(mcc.parts, expected.parts, rtol=1e-9)


@pytest.mark.slow
def test_scores_equal_on_paper_are_ties_in_every_test() -> None:
    """Systems that make the same mistakes between other classes: sums over the classes in another order."""
    scale, size, random = ClassScale(("a", "b", "c", "d")), 50, np.random.default_rng(3)
    orders = np.array(list(permutations(range(4))))
    measures = [measure(name) for name in ("accuracy", "macro-f1", "kappa:weights=none", "mcc")]
    moved = 0
    for _ in range(20):
        codes = np.where(random.random((4, size)) < 0.6, np.arange(4)[:, np.newaxis], random.integers(0, 4, (4, size)))
        predicted = np.empty((len(orders), 4, size), dtype=int)
        for row, order in zip(predicted, orders, strict=True):
            row[order] = order[codes]
        gold = np.repeat(np.arange(4), size)
        runs = labelled_runs(gold, predicted.reshape(len(orders), -1), scale)
        counts = count(runs.gold, runs.predicted, classes=4).astype(float)
        for candidate, parts in zip(measures, count_groups(runs, None, random).parts(measures), strict=True):
            moved += bool(np.ptp(candidate(counts, scale)))
            evidence = Evidence.draw((parts,), random, 19)
            tests = compare_pairs(evidence)
            assert not tests.difference.any()
            assert not tests.z.any()
            assert not PairDeviations.of(evidence).t.any()
    assert moved > 10


def test_patterns_have_the_counts_of_their_items() -> None:
    runs = labels(np.random.default_rng(1), 4, 5000, (0.5, 0.3, 0.2))
    rows = np.vstack([runs.gold, runs.predicted])
    kinds, times = np.unique(rows, axis=1, return_counts=True)
    patterns = PatternRuns(kinds[0], kinds[1:], times.astype(np.intp), runs.systems, SCALE)
    counts = count_groups(patterns, None, np.random.default_rng(1))
    np.testing.assert_array_equal(
        counts.sums.sum(axis=-1), count_groups(runs, None, np.random.default_rng(2)).sums.sum(axis=-1)
    )
    assert len(counts.sizes) == MAX_GROUPS


@pytest.mark.slow
def test_groups_of_patterns_vary_as_samples_of_the_items_do() -> None:
    """Identical items are not spread evenly over the groups, which would vary too little and make tests reject."""
    random = np.random.default_rng(1)
    errors = []
    for _ in range(40):
        gold = random.integers(0, 3, 50_000)
        predicted = np.where(random.random((2, 50_000)) < 0.7, gold, (gold + 1) % 3)
        kinds, times = np.unique(np.vstack([gold, predicted]), axis=1, return_counts=True)
        runs = PatternRuns(kinds[0], kinds[1:], times.astype(np.intp), ("a", "b"), SCALE)
        (parts,) = count_groups(runs, None, random).parts([measure("accuracy")])
        (error,) = standard_errors(parts, np.array([0]), np.array([1]))
        errors.append(error)
    expected = np.sqrt(2 * 0.7 * 0.3 / 50_000)
    assert np.mean(errors) == pytest.approx(expected, rel=0.02)
    assert np.max(np.abs(np.array(errors) / expected - 1)) < 0.1


def test_scores_of_items_are_summed() -> None:
    values = np.random.default_rng(1).random((2, 3, 50))
    groups = np.arange(50) % 7
    one, two = parts_of_item_scores(item_scores(values, lower_is_better=(1,)), groups)
    np.testing.assert_allclose(one.parts[3] * one.unit, values[0][:, groups == 3].sum(axis=1))
    np.testing.assert_allclose(two.scores * two.unit, -values[1].mean(axis=1))
    np.testing.assert_allclose(two.parts.sum(axis=0), two.scores * 50)


def test_parts_of_cells_are_those_of_single_items() -> None:
    """Every item a cell of its own: jackknife parts of items, and worths."""
    runs = labels(np.random.default_rng(1), 4, 60, (0.5, 0.3, 0.2))
    alone = np.arange(60)
    expected = count_groups(runs, alone, np.random.default_rng(1)).parts(MEASURES)
    for name, parts, group_parts in zip(MEASURES, cell_parts(runs, alone, MEASURES), expected, strict=True):
        np.testing.assert_allclose(parts.parts, group_parts.parts, rtol=1e-8, atol=1e-9, err_msg=str(name))
    pairs = np.arange(60) // 2
    for parts, item_parts in zip(cell_parts(runs, pairs, MEASURES), expected, strict=True):
        np.testing.assert_allclose(parts.parts, item_parts.parts[::2] + item_parts.parts[1::2], rtol=1e-8, atol=1e-9)


# Small confusion matrices: everything small, each once


@pytest.mark.parametrize(("classes", "items"), [(2, 5), (3, 2)])
def test_all_systems_are_all_confusion_matrices(classes: int, items: int) -> None:
    cells = itertools.product(range(items + 1), repeat=classes**2)
    brute = {way for way in cells if 1 <= sum(way) <= items}
    matrices = [tuple(matrix.ravel().tolist()) for matrix in all_systems(classes, range(1, items + 1))]
    assert len(matrices) == len(brute)
    assert set(matrices) == brute


@pytest.mark.parametrize("classes", [2, 3])
def test_nearly_regular_systems_are_right_or_constant_except_for_two_items(classes: int) -> None:
    brute = set()
    for extra in range(classes):
        gold = [*range(classes), extra]
        for predicted in itertools.product(range(classes), repeat=len(gold)):
            regular = [gold, *([one] * len(gold) for one in range(classes))]
            if min(sum(map(int.__ne__, predicted, base)) for base in regular) <= 2:
                matrix = np.zeros((classes, classes), dtype=np.int64)
                np.add.at(matrix, (gold, list(predicted)), 1)
                brute.add(matrix.tobytes())
    systems = nearly_regular_systems(classes)
    assert {matrix.tobytes() for matrix in systems} == brute
    assert len(systems) == len(brute)
    assert systems.reshape(len(systems), -1).tolist() == sorted(systems.reshape(len(systems), -1).tolist())


def test_matrices_compare_as_bytes() -> None:
    systems = np.random.default_rng(1).choice([0, 1, 255, 256, 300], (200, 2, 2))
    order = np.argsort(as_bytes(systems))
    assert systems[order].reshape(-1, 4).tolist() == sorted(systems.reshape(-1, 4).tolist())
