"""Contributions of error cells: against all orders by hand, against their sums, and against theory."""

from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_runs import labelled_runs
from numpy.typing import NDArray

from metaeval.analyses.explain import contributions
from metaeval.analyses.explain.contributions import Contributions, plan_contributions
from metaeval.measures import Measure, fitting, measure, preset
from metaeval.model.runs import LabelledRuns
from metaeval.model.scale import ClassScale
from metaeval.scoring.confusion import count
from metaeval.scoring.labels import is_additive
from metaeval.stats.pairs import all_pairs

NINE = preset("stance-nine")
PAIR = np.array([[0, 1]])


def scale_of(classes: int) -> ClassScale:
    return ClassScale(tuple("abcdefghij"[:classes]), ordered=True)


def some_runs(classes: int, *, systems: int = 4, items: int = 300, right: float = 0.75, seed: int = 5) -> LabelledRuns:
    """Systems of which each is right in about that share of the items, so that no mixture has too many errors."""
    rng = np.random.default_rng(seed)
    gold = np.concatenate([np.arange(classes), rng.integers(classes, size=items - classes)])
    # What systems get wrong depends on the system, too.
    wrong = np.stack([rng.choice(classes, size=items, p=rng.dirichlet(np.ones(classes))) for _ in range(systems)])
    predicted = np.where(rng.random((systems, items)) < right, gold, wrong)
    return labelled_runs(gold, predicted, scale_of(classes))


def contributions_of(
    runs: LabelledRuns, measures: tuple[Measure, ...], pairs: NDArray[np.intp], *, seed: int = 1
) -> Contributions:
    plan = plan_contributions(runs, measures, pairs, seed=seed)
    return Contributions.concatenate([plan.score(block) for block in plan.blocks])


def counts_of(runs: LabelledRuns) -> NDArray[np.int64]:
    return count(runs.gold, runs.predicted, classes=len(runs.scale))


def differences_of(runs: LabelledRuns, measures: tuple[Measure, ...], pairs: NDArray[np.intp]) -> NDArray[np.float64]:
    scores = np.stack([measure(counts_of(runs), runs.scale) for measure in measures])
    return scores[:, pairs[:, 0]] - scores[:, pairs[:, 1]]


def mixed_by_hand(
    one: NDArray[np.int64], other: NDArray[np.int64], members: set[tuple[int, int]]
) -> NDArray[np.float64]:
    """The mixture of a coalition of cells, one cell after the other."""
    mixed = other.astype(float)
    gold = other.sum(axis=1)
    for row in range(len(gold)):
        for column in range(len(gold)):
            if row != column and (row, column) in members:
                mixed[row, column] = one[row, column]
        mixed[row, row] = 0
        errors = mixed[row].sum()
        if errors > gold[row]:
            mixed[row] *= gold[row] / errors
            errors = gold[row]
        mixed[row, row] = gold[row] - errors
    return mixed


def over_all_orders(
    one: NDArray[np.int64], other: NDArray[np.int64], function: Measure, scale: ClassScale
) -> NDArray[np.float64]:
    """The mean over all 6! orders in which six cells may change hands."""
    cells = [(row, column) for row in range(3) for column in range(3) if row != column]
    worths: dict[frozenset[tuple[int, int]], float] = {}

    def worth(members: frozenset[tuple[int, int]]) -> float:
        if members not in worths:
            worths[members] = float(function(mixed_by_hand(one, other, set(members)), scale))
        return worths[members]

    total = np.zeros((3, 3))
    for order in permutations(cells):
        members: frozenset[tuple[int, int]] = frozenset()
        for cell in order:
            total[cell] += worth(members | {cell}) - worth(members)
            members |= {cell}
    return total / 720


@st.composite
def two_systems(draw: st.DrawFn) -> LabelledRuns:
    items = draw(st.integers(6, 40))
    rows = [draw(st.lists(st.integers(0, 2), min_size=items, max_size=items)) for _ in range(3)]
    # Every class occurs in gold and in both predictions, so that no measure is undefined for the systems themselves.
    gold, one, other = (np.array([0, 1, 2, *row]) for row in rows)
    return labelled_runs(gold, [one, other], scale_of(3))


@settings(max_examples=25, deadline=None)
@given(two_systems())
def test_contributions_are_the_mean_over_all_orders_of_six_cells(runs: LabelledRuns) -> None:
    one, other = counts_of(runs)
    measures = (measure("cem-ord"), measure("macro-f1"), measure("kappa:weights=linear"))
    result = contributions_of(runs, measures, PAIR)
    for index, function in enumerate(measures):
        expected = over_all_orders(one, other, function, runs.scale)
        # cem-ord is additive: its cells are worth the same in a mixture that would have to be scaled down.
        if not (is_additive(function) and scaled_down(runs)):
            np.testing.assert_allclose(result.values[index, 0], expected, atol=1e-12)


def scaled_down(runs: LabelledRuns) -> bool:
    return contributions_of(runs, (measure("macro-f1"),), PAIR).scaled > 0


@pytest.mark.parametrize("classes", [2, 3, 4, 5, 7])
def test_contributions_under_every_measure_sum_to_the_differences(classes: int) -> None:
    scale = scale_of(classes).with_weights(dict.fromkeys(scale_of(classes).labels, 0.5))
    runs = replace(some_runs(classes, systems=3, right=0.5), scale=scale)
    measures = fitting(scale)
    pairs = all_pairs(3)
    result = contributions_of(runs, measures, pairs)
    expected = differences_of(runs, measures, pairs)
    defined = ~np.isnan(expected) & ~np.isnan(result.values).any(axis=(2, 3))
    np.testing.assert_allclose(result.values.sum(axis=(2, 3))[defined], expected[defined], rtol=0, atol=1e-12)
    assert defined.any(axis=1).all()
    assert result.sampled.all() == (classes > 4)


@pytest.mark.parametrize("classes", [3, 4])
def test_cells_of_additive_measures_are_worth_what_mixtures_say(classes: int, monkeypatch: pytest.MonkeyPatch) -> None:
    runs = some_runs(classes, right=0.8)
    additive = tuple(function for function in fitting(runs.scale) if is_additive(function))
    assert len(additive) > 5
    closed = contributions_of(runs, additive, all_pairs(4))
    assert closed.mixtures == 0
    monkeypatch.setattr(contributions, "is_additive", lambda _: False)
    plan = plan_contributions(runs, additive, all_pairs(4), seed=1)
    mixed = Contributions.concatenate([plan.score(block) for block in plan.blocks])
    assert mixed.mixtures > 0
    assert mixed.scaled == 0
    np.testing.assert_allclose(closed.values, mixed.values, rtol=0, atol=1e-12)


def test_sampled_contributions_are_near_the_exact_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    runs, measures = some_runs(4), (measure("macro-f1"), measure("kappa:weights=linear"), measure("mcc"))
    exact = contributions_of(runs, measures, all_pairs(4))
    monkeypatch.setattr(contributions, "EXACT_PLAYERS", 5)
    monkeypatch.setattr(contributions, "MAX_EVALUATIONS", 1 << 9)
    estimates = contributions_of(runs, measures, all_pairs(4))
    assert estimates.sampled.all()
    assert not exact.sampled.any()
    # Near additive games leave next to no error; rounding is one, too.
    assert (np.abs(estimates.values - exact.values) <= 5 * estimates.errors + 1e-12).all()
    assert estimates.errors.max() > 1e-6
    np.testing.assert_allclose(estimates.values.sum(axis=(2, 3)), exact.values.sum(axis=(2, 3)), rtol=0, atol=1e-12)


def test_estimates_depend_on_the_seed_alone() -> None:
    runs, measures = some_runs(5, systems=3), (measure("macro-f1"),)
    pairs = all_pairs(3)
    estimates = contributions_of(runs, measures, pairs, seed=4)
    assert estimates.sampled.all()
    np.testing.assert_array_equal(estimates.values, contributions_of(runs, measures, pairs, seed=4).values)
    assert (estimates.values != contributions_of(runs, measures, pairs, seed=5).values).any()
    alone = contributions_of(runs, measures, pairs[2:], seed=4)
    np.testing.assert_array_equal(estimates.values[:, 2], alone.values[:, 0])


def test_few_differing_cells_of_many_classes_are_exact() -> None:
    runs = some_runs(6, systems=1)
    other = runs.predicted[0].copy()
    other[runs.gold == 2] = 3
    runs = labelled_runs(runs.gold, [runs.predicted[0], other], runs.scale)
    result = contributions_of(runs, (measure("macro-f1"),), PAIR)
    assert not result.sampled.any()
    assert not result.errors.any()
    assert np.flatnonzero(result.values[0, 0].any(axis=1)).tolist() == [2]


@pytest.mark.parametrize("classes", [3, 5])
def test_many_pairs_at_once_are_pairs_one_by_one(classes: int, monkeypatch: pytest.MonkeyPatch) -> None:
    runs, pairs = some_runs(classes), all_pairs(4)
    together = contributions_of(runs, NINE, pairs)
    single = [contributions_of(runs, NINE, pair[np.newaxis]) for pair in pairs]
    np.testing.assert_allclose(together.values, Contributions.concatenate(single).values, rtol=0, atol=1e-14)
    monkeypatch.setattr(contributions, "CELLS_AT_ONCE", 200 if classes == 3 else 20_000)
    small = contributions_of(runs, NINE, pairs)
    np.testing.assert_allclose(together.values, small.values, rtol=0, atol=1e-14)


def test_pairs_turn_their_signs_and_may_be_none() -> None:
    runs = some_runs(3)
    forwards = contributions_of(runs, NINE, np.array([[0, 1]])).values
    np.testing.assert_allclose(forwards, -contributions_of(runs, NINE, np.array([[1, 0]])).values, atol=1e-14)
    assert not contributions_of(runs, NINE, np.array([[2, 2]])).values.any()
    result = contributions_of(some_runs(3), NINE, np.empty((0, 2), dtype=np.intp))
    assert result.values.shape == (9, 0, 3, 3)
    assert contributions_of(some_runs(5), NINE, np.empty((0, 2), dtype=np.intp)).values.shape == (9, 0, 5, 5)


def test_too_many_errors_are_scaled_down_and_counted() -> None:
    # Of one gold class the systems make all errors, of different kinds: a mixture of both has twice as many as items.
    runs = labelled_runs([0, 0, 1, 2], [[1, 1, 1, 2], [2, 2, 1, 2]], scale_of(3))
    parts = contributions_of(runs, (measure("macro-f1"),), PAIR)
    assert (parts.mixtures, parts.scaled) == (4, 1)
    np.testing.assert_allclose(parts.values.sum(), differences_of(runs, (measure("macro-f1"),), PAIR)[0, 0], atol=1e-15)
    one, other = counts_of(runs)
    by_hand = over_all_orders(one, other, measure("macro-f1"), runs.scale)
    np.testing.assert_allclose(parts.values[0, 0], by_hand, atol=1e-14)


def test_what_is_undefined_for_a_mixture_is_unknown() -> None:
    # Each system predicts two classes, but the mixture in which neither makes an error of its own predicts one.
    runs = labelled_runs([0, 0, 0, 1], [[0, 0, 1, 0], [0, 0, 0, 1]], scale_of(2))
    measures = (measure("mcc"), measure("accuracy"))
    assert not np.isnan(differences_of(runs, measures, PAIR)).any()
    result = contributions_of(runs, measures, PAIR)
    assert np.isnan(result.values[0, 0][~np.eye(2, dtype=bool)]).all()
    np.testing.assert_allclose(result.values[1].sum(), -0.5)
