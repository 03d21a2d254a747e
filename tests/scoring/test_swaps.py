"""Answers that are swapped item by item: the same distribution as all swaps one by one, for every measure."""

from collections import Counter
from itertools import product

import numpy as np
import pytest
from every_measure import SCALE, VARIANTS
from numpy.typing import NDArray

from metaeval.measures import Measure, measure
from metaeval.model.labels import Codes, LabelledRuns
from metaeval.model.scale import ClassScale
from metaeval.scoring import swaps as module
from metaeval.scoring.labels import score_labels
from metaeval.scoring.swaps import swapped_items, swapped_labels

Numbers = NDArray[np.float64]
GOLD = np.array([0, 1, 2, 3, 1, 3])
PREDICTED = np.array([[0, 1, 2, 3, 0, 3], [0, 1, 2, 3, 1, 3], [0, 2, 1, 3, 0, 2]])
"""Six items of four classes; the first and the last system differ in three of them."""


def seed(number: int = 20201) -> np.random.SeedSequence:
    return np.random.SeedSequence(number)


def runs_of(gold: Codes, predicted: Codes, scale: ClassScale = SCALE) -> LabelledRuns:
    names = tuple(f"system{number}" for number in range(len(predicted)))
    return LabelledRuns(tuple(map(str, range(len(gold)))), gold, predicted, names, scale)


def every_swap(runs: LabelledRuns, measures: list[Measure]) -> Numbers:
    """Oriented differences of two systems after each of the 2^N ways to swap their answers, (M, 2^N)."""
    one, other = runs.predicted
    found = []
    for coins in product([False, True], repeat=len(runs.gold)):
        swapped = np.stack([np.where(coins, other, one), np.where(coins, one, other)])
        scores = score_labels(runs_of(runs.gold, swapped), measures).oriented().values
        found.append(scores[:, 0] - scores[:, 1])
    return np.array(found).T


def shares(differences: Numbers) -> dict[float, float]:
    told = Counter(np.round(np.nan_to_num(differences, nan=99.0), 9).tolist())
    return {value: times / len(differences) for value, times in told.items()}


def agree(found: Numbers, exact: Numbers, resamples: int) -> None:
    """Every difference occurs as often as it should, but for five standard errors."""
    ours, theirs = shares(found), shares(exact)
    assert set(ours) <= set(theirs)
    for value, share in theirs.items():
        assert ours.get(value, 0.0) == pytest.approx(share, abs=5 * (share * (1 - share) / resamples) ** 0.5)


@pytest.mark.parametrize("pair", [(0, 2), (2, 0), (1, 2)])
def test_differences_are_distributed_as_all_swaps_item_by_item(pair: tuple[int, int]) -> None:
    runs = runs_of(GOLD, PREDICTED)
    measures = [measure(name) for name in ("accuracy", "cem-ord", "kappa:weights=linear", "macro-f1", "mae", "mcc")]
    found = swapped_labels(runs, pair, measures, resamples=8000, seed=seed())
    exact = every_swap(runs_of(GOLD, PREDICTED[list(pair)]), measures)
    for ours, theirs in zip(found, exact, strict=True):
        agree(ours, theirs, 8000)


@pytest.mark.parametrize("wanted", VARIANTS, ids=str)
def test_every_measure_can_be_swapped(wanted: Measure) -> None:
    runs = runs_of(np.repeat(GOLD, 10), np.repeat(PREDICTED, 10, axis=1))
    found = swapped_labels(runs, (0, 2), [wanted], resamples=50, seed=seed())
    assert found.shape == (1, 50)
    # Whoever hands over half the items at random is as likely to gain as to lose.
    assert found.min() < 0 < found.max()


def test_where_some_swaps_leave_a_measure_undefined_they_are_nan() -> None:
    runs = runs_of(np.array([0, 1]), np.array([[0, 1], [0, 0]]))
    found = swapped_labels(runs, (0, 1), [measure("mcc")], resamples=4000, seed=seed())
    exact = every_swap(runs, [measure("mcc")])
    assert np.isnan(exact).any()
    agree(found[0], exact[0], 4000)


def test_systems_that_say_the_same_never_differ() -> None:
    found = swapped_labels(runs_of(GOLD, PREDICTED[[0, 0]]), (0, 1), [measure("accuracy")], resamples=9, seed=seed())
    assert (found == 0).all()


def test_a_hundred_classes_and_small_blocks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(3)
    scale = ClassScale(tuple(f"class{number}" for number in range(100)))
    runs = runs_of(random.integers(100, size=400), random.integers(100, size=(2, 400)), scale)
    measures = [measure("accuracy"), measure("macro-f1")]
    whole = swapped_labels(runs, (0, 1), measures, resamples=60, seed=seed())
    monkeypatch.setattr(module, "_CELLS_AT_ONCE", 7 * 100**2)
    np.testing.assert_array_equal(swapped_labels(runs, (0, 1), measures, resamples=60, seed=seed()), whole)


def test_means_are_distributed_as_all_signs_of_the_differences() -> None:
    differences = np.array([[0.5, -0.25, 1.0], [0.0, 0.0, 0.5]])
    found = swapped_items(differences, resamples=8000, seed=seed())
    signs = np.array(list(product([-1, 1], repeat=3)))
    for ours, theirs in zip(found, differences @ signs.T / 3, strict=True):
        agree(ours, theirs, 8000)


def test_a_measure_without_a_score_of_some_item_has_no_difference_and_the_others_have() -> None:
    found = swapped_items(np.array([[0.5, np.nan], [0.5, 0.25]]), resamples=20, seed=seed())
    assert np.isnan(found[0]).all()
    assert not np.isnan(found[1]).any()


def test_the_same_seed_swaps_the_same() -> None:
    runs, wanted = runs_of(GOLD, PREDICTED), [measure("accuracy")]
    one, again, other = (swapped_labels(runs, (0, 2), wanted, resamples=200, seed=seed(number)) for number in (0, 0, 1))
    np.testing.assert_array_equal(one, again)
    assert (one != other).any()
