"""Tests and intervals of acc-eq, and of soft pairwise accuracy."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from metaeval.stats.decisions import Decisions, _Resamples, accuracy_intervals, accuracy_tests, calibrated_accuracy
from metaeval.stats.soft_accuracy import soft_accuracy, soft_effects, soft_intervals, soft_tests

Scores = NDArray[np.float64]


def data(seed: int, systems: int = 8, items: int = 40) -> tuple[Scores, Scores]:
    random = np.random.default_rng(seed)
    human = np.round(np.linspace(-1, 1, systems)[:, np.newaxis] + random.normal(size=(systems, items)))
    return human + np.array([0.5, 0.5, 3])[:, np.newaxis, np.newaxis] * random.normal(size=(3, systems, items)), human


@pytest.mark.parametrize("level", ["item", "by-system", "global", "system"])
@pytest.mark.parametrize("what", ["systems", "both"])
def test_accuracies_are_tested_and_have_intervals_around_them(level: str, what: str) -> None:
    metric, human = data(1)
    values = calibrated_accuracy(metric, human[np.newaxis], level=level).values[:, 0]
    test = accuracy_tests(metric, human, level=level, swap=what, resamples=499)
    np.testing.assert_allclose(test.difference, values[:, np.newaxis] - values, atol=1e-12)
    assert (test.p_adjusted >= test.p).all()
    if level != "system":
        assert test.p_adjusted[0, 2] <= 0.05 < test.p[0, 1]
    ends = accuracy_intervals(metric, human, level=level, resampled=what, resamples=200)
    assert ((ends.low - 1e-9 <= values) & (values <= ends.high + 1e-9)).all()
    assert (ends.epsilon_low <= ends.epsilon_high).all()


def test_copies_are_never_different() -> None:
    metric, human = data(2)
    assert (accuracy_tests(metric[[0, 0]], human, resamples=99).p == 1).all()
    values = soft_accuracy(metric[[0, 0]], human[np.newaxis]).values[:, 0]
    assert (soft_tests(metric[[0, 0]], human, values=values, swap="both", resamples=99).p == 1).all()


def plain_soft_accuracy(metric: Scores, human: Scores, flips: int, seed: int) -> float:
    """The definition of mt-metrics-eval, in a plain loop."""
    random, gaps = np.random.default_rng(seed), []
    signs = random.choice([-1, 1], size=(flips, human.shape[1]))
    for one in range(len(human)):
        for other in range(one + 1, len(human)):
            p = []
            for scores in (metric, human):
                difference = scores[one] - scores[other]
                p.append(np.mean([(sign * difference).mean() >= difference.mean() for sign in signs]))
            gaps.append(abs(p[0] - p[1]))
    return 1 - float(np.mean(gaps))


def test_soft_accuracy_is_within_its_monte_carlo_error_of_its_definition() -> None:
    metric, human = data(3, systems=5)
    accuracy = soft_accuracy(metric, human[np.newaxis], flips=2000)
    for scores, value, error in zip(metric, accuracy.values[:, 0], accuracy.error[:, 0], strict=True):
        assert 0 < error < 0.02
        assert abs(plain_soft_accuracy(scores, human, 1000, 5) - value) < 4 * error * np.sqrt(3) + 0.001


def test_soft_accuracy_without_a_system_leaves_out_its_pairs() -> None:
    metric, human = data(4)
    without = np.arange(8) == 3
    expected = soft_accuracy(metric[:, ~without], human[np.newaxis, ~without], flips=300).values
    np.testing.assert_allclose(soft_accuracy(metric, human[np.newaxis], flips=300).without(without), expected)


@pytest.mark.parametrize("what", ["systems", "items", "both"])
def test_soft_accuracies_are_tested_and_have_intervals_around_them(what: str) -> None:
    metric, human = data(5)
    values = soft_accuracy(metric, human[np.newaxis]).values[:, 0]
    low, high = soft_intervals(soft_effects(metric, human), values, resampled=what)
    assert ((low - 1e-9 <= values) & (values <= high + 1e-9)).all()
    test = soft_tests(metric, human, values=values, swap=what, resamples=200)
    assert (test.p_adjusted >= test.p).all()


def test_soft_accuracies_of_measures_with_gaps_are_compared_on_common_cells() -> None:
    metric, human = data(6)
    metric[1, 2, :30] = np.nan
    values = soft_effects(metric, human).values
    test = soft_tests(metric, human, values=values, swap="both", resamples=99)
    common = soft_effects(np.where(np.isnan(metric[1]), np.nan, metric[:2]), human).values
    assert test.difference[0, 1:] == pytest.approx([common[0] - common[1], values[0] - values[2]])
    assert common[0] != values[0]


def test_units_at_levels_system_and_global_are_systems_and_cells() -> None:
    random = np.random.default_rng(4)
    metric, human = random.normal(size=(1, 7, 9)), random.normal(size=(1, 7, 9))
    metric[0, 2], metric[0, 3, 4] = np.nan, np.nan
    counts = {level: calibrated_accuracy(metric, human, level=level) for level in ("system", "global", "item")}
    units = {level: (int(result.units[0, 0]), int(result.left_out[0, 0])) for level, result in counts.items()}
    assert units == {"system": (6, 1), "global": (53, 10), "item": (9, 0)}


@pytest.mark.parametrize("level", ["item", "system"])
def test_resamples_are_scored_at_all_thresholds_together(level: str) -> None:
    metric, human = (np.round(scores, 1) for scores in data(2))
    metric[0, 1], human[1] = metric[0, 0], human[0]
    random, systems, items = np.random.default_rng(0), *human.shape
    system_counts, item_counts = (random.multinomial(size, np.full(size, 1 / size), 20) for size in (systems, items))
    resamples = _Resamples(metric[0], human, level, system_counts, item_counts)
    thresholds = np.array([0.0, 0.1, 0.25, 3.0])
    accuracies = resamples.accuracies(thresholds)
    for row, epsilon in zip(accuracies, thresholds.tolist(), strict=True):
        np.testing.assert_array_equal(row, resamples.accuracies(np.array([epsilon]))[0])
    if resamples.means is None:
        return
    # Each resample alone, by the counts of sorted scores.
    decisions, parts = Decisions(*resamples.means), [resamples.effects.at(epsilon) for epsilon in thresholds.tolist()]
    length = decisions.length[:, 0]
    for row, epsilon, part in zip(accuracies, thresholds.tolist(), parts, strict=True):
        right = decisions.right(epsilon).sum(axis=1) / (length * (length - 1))
        np.testing.assert_allclose(row, right + resamples.more_systems @ part.systems, rtol=1e-12)
