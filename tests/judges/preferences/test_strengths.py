"""Strengths of Davidson's model, against a plain maximum-likelihood fit and evalica."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import minimize

from metaeval.judges.preferences.davidson import Counts, bootstrap_strengths, corrected_interval, influences, strengths

Numbers = NDArray[np.float64]


def made_up(systems: int, verdicts: int, *, ties: float, seed: int = 7) -> tuple[NDArray[np.intp], ...]:
    """Left, right, winner and group of verdicts."""
    random = np.random.default_rng(seed)
    true = random.normal(size=systems)
    left = random.integers(systems, size=verdicts)
    right = (left + random.integers(1, systems, size=verdicts)) % systems
    half = (true[left] - true[right]) / 2
    chances = np.stack([np.exp(-half), np.full(verdicts, ties), np.exp(half)], axis=1)
    drawn = (random.random((verdicts, 1)) > np.cumsum(chances / chances.sum(axis=1, keepdims=True), axis=1)).sum(axis=1)
    return left, right, drawn - 1, random.integers(verdicts // 5, size=verdicts)


def counts_of(made: tuple[NDArray[np.intp], ...], systems: int) -> Counts:
    left, right, winner, groups = made
    return Counts.of(left, right, winner.astype(np.int8), np.unique(groups, return_inverse=True)[1], systems)


def plain_fit(made: tuple[NDArray[np.intp], ...], systems: int, weights: Numbers | float = 1.0) -> Numbers:
    """The same model by a general optimiser, verdict by verdict: strengths and ln ν."""
    left, right, winner, _ = made

    def loss(free: Numbers) -> float:
        strength, tie = np.append(free[:-1], -free[:-1].sum()), free[-1]
        half = (strength[left] - strength[right]) / 2
        chance = np.choose(winner + 1, [-half, np.full(len(left), tie), half])
        return float(-(weights * (chance - np.log(np.exp(half) + np.exp(-half) + np.exp(tie)))).sum())

    result: Any = minimize(loss, np.zeros(systems), method="BFGS", options={"gtol": 1e-9})
    return np.concatenate([result.x[:-1], [-result.x[:-1].sum()], result.x[-1:]])


@pytest.mark.parametrize(("systems", "ties"), [(2, 0.5), (4, 0.2), (7, 1.5)])
def test_strengths_are_those_of_a_plain_maximum_likelihood_fit(systems: int, ties: float) -> None:
    made = made_up(systems, 300, ties=ties)
    counts = counts_of(made, systems)
    fitted = strengths(counts, counts.all[np.newaxis])[0]
    assert fitted == pytest.approx(plain_fit(made, systems), abs=1e-6)
    assert fitted[:-1].mean() == pytest.approx(0, abs=1e-12)


def test_resamples_are_fitted_as_if_each_stood_alone() -> None:
    made = made_up(5, 200, ties=0.6)
    counts = counts_of(made, 5)
    weights = np.random.default_rng(1).standard_exponential((6, counts.number_of_groups))
    fitted = strengths(counts, counts.weighted(weights))
    codes = np.unique(made[3], return_inverse=True)[1]
    for own, of_groups in zip(fitted, weights, strict=True):
        assert own == pytest.approx(plain_fit(made, 5, of_groups[codes]), abs=1e-6)


def test_without_ties_strengths_are_those_of_evalica() -> None:
    evalica = pytest.importorskip("evalica")
    left, right, winner, groups = made_up(6, 400, ties=0.0)
    counts = counts_of((left, right, winner, groups), 6)
    fitted = strengths(counts, counts.all[np.newaxis])[0]
    assert fitted[-1] == -np.inf
    names = [f"s{code}" for code in range(6)]
    winners = [evalica.Winner.X if each > 0 else evalica.Winner.Y for each in winner.tolist()]
    result = evalica.bradley_terry(
        [names[code] for code in left], [names[code] for code in right], winners, tolerance=1e-12, limit=10_000
    )
    logs = np.log([result.scores[name] for name in names])
    assert fitted[:-1] == pytest.approx(logs - logs.mean(), abs=1e-6)


def test_systems_that_win_everything_or_are_never_compared_have_no_strengths() -> None:
    zeros = np.zeros(4, dtype=np.intp)
    codes = np.arange(4)
    cycle = Counts.of(np.array([0, 1, 2, 0]), np.array([1, 2, 0, 2]), np.ones(4, dtype=np.int8), codes, 3)
    assert cycle.connected
    unbeaten = Counts.of(np.array([0, 0, 1, 2]), np.array([1, 2, 2, 1]), np.ones(4, dtype=np.int8), codes, 3)
    assert not unbeaten.connected
    apart = Counts.of(np.array([0, 1, 2, 3]), np.array([1, 0, 3, 2]), np.ones(4, dtype=np.int8), codes, 4)
    assert not apart.connected
    tied = Counts.of(zeros, np.array([1, 2, 1, 2]), zeros.astype(np.int8), codes, 3)
    assert not tied.connected


def test_influences_are_the_infinitesimal_changes_by_weights_of_groups() -> None:
    counts = counts_of(made_up(4, 300, ties=0.7), 4)
    fitted = strengths(counts, counts.all[np.newaxis])[0]
    influence = influences(counts, fitted)
    assert np.abs(influence.sum(axis=0)).max() < 1e-6
    step = 1e-4
    weights = 1 + step * np.eye(counts.number_of_groups)[:5]
    moved = (strengths(counts, counts.weighted(weights))[:, :-1] - fitted[:-1]) / step
    assert moved == pytest.approx(influence[:5], abs=1e-3)


def test_a_bootstrap_varies_as_the_influences_do() -> None:
    counts = counts_of(made_up(4, 1500, ties=0.7), 4)
    fitted = strengths(counts, counts.all[np.newaxis])[0]
    sample = bootstrap_strengths(counts, fitted, np.random.default_rng(3), 800)
    expected = np.sqrt((influences(counts, fitted) ** 2).sum(axis=0))
    assert sample.std(axis=0) == pytest.approx(expected, rel=0.15)


def test_one_lost_verdict_leaves_finite_strengths_in_every_resample() -> None:
    winner = np.ones(40, dtype=np.int8)
    winner[0] = -1
    counts = Counts.of(np.zeros(40, dtype=np.intp), np.ones(40, dtype=np.intp), winner, np.arange(40), 2)
    fitted = strengths(counts, counts.all[np.newaxis])[0]
    assert fitted[0] - fitted[1] == pytest.approx(np.log(39), abs=1e-6)
    sample = bootstrap_strengths(counts, fitted, np.random.default_rng(3), 500)
    assert np.abs(sample).max() < 10


def test_bias_corrected_intervals_are_the_plain_percentiles_where_there_is_no_bias_and_follow_monotone_changes() -> (
    None
):
    sample = np.random.default_rng(5).gamma(2.0, size=(999, 2))
    median = np.median(sample, axis=0)
    low, high = corrected_interval(median + 1e-9, sample, level=0.95)
    assert np.stack([low, high]) == pytest.approx(np.quantile(sample, [0.025, 0.975], axis=0), rel=0.02)
    value = np.quantile(sample, 0.6, axis=0)
    low, high = corrected_interval(value, sample, level=0.9)
    logs = corrected_interval(np.log(value), np.log(sample), level=0.9)
    assert np.exp(np.stack(logs)) == pytest.approx(np.stack([low, high]), rel=0.02)
    assert (low > np.quantile(sample, 0.05, axis=0)).all()
