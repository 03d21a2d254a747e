"""Strengths of Davidson's model in bootstrap resamples, against a loop of fits by a general optimiser."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from benchmarks.paired import Comparison, faster
from metaeval.judges.preferences.davidson import VerdictCounts, strengths
from metaeval.judges.preferences.groups import Groups

Numbers = NDArray[np.float64]

SYSTEMS, VERDICTS, ITEMS, RESAMPLES = 20, 5_000, 1_000, 1_000
THEIRS = 20
"""Number of resamples that the loop fits."""


def compare(rounds: int, *, resamples: int = RESAMPLES, verdicts: int = VERDICTS) -> Comparison:
    """Weighted resamples of items; the loop has the gradient, and is as exact as it gets."""
    random = np.random.default_rng(1)
    true = np.linspace(-1, 1, SYSTEMS)
    left = random.integers(SYSTEMS, size=verdicts)
    right = (left + random.integers(1, SYSTEMS, size=verdicts)) % SYSTEMS
    half = (true[left] - true[right]) / 2
    chances = np.stack([np.exp(half), np.full(verdicts, 0.5), np.exp(-half)], axis=1).cumsum(axis=1)
    winner = 1 - (random.random((verdicts, 1)) * chances[:, -1:] > chances).sum(axis=1)
    first = np.where(left < right, winner, -winner)
    outcomes = np.eye(3)[np.where(first == 0, 2, (1 - first) // 2)]
    counts = VerdictCounts.of(left, right, outcomes, Groups.of(random.integers(ITEMS, size=verdicts), 1), SYSTEMS)
    samples = counts.weighted(random.standard_exponential((resamples, counts.number_of_groups)))
    start = strengths(counts, counts.all[np.newaxis])[0]
    theirs = min(THEIRS, resamples)
    fitted = [_fit(counts, sample, start) for sample in samples[:theirs]]
    np.testing.assert_allclose(strengths(counts, samples[:theirs]), fitted, atol=1e-4)
    return faster(
        f"strengths of {SYSTEMS} systems by {verdicts:,} verdicts, {resamples:,} resamples",
        lambda: strengths(counts, samples),
        peer="a loop of SciPy's BFGS",
        theirs=lambda: [_fit(counts, sample, start) for sample in samples[:theirs]],
        claim="",
        rounds=rounds,
        share_of_their_work=theirs / resamples,
    )


def _fit(counts: VerdictCounts, sample: Numbers, start: Numbers) -> Numbers:
    """Strengths with mean 0 and ln ν, from wins, losses and ties of the pairs."""
    wins, losses, ties = sample
    total = sample.sum(axis=0)

    def loss(free: Numbers) -> tuple[float, Numbers]:
        half, tie = (free[counts.one] - free[counts.other]) / 2, free[-1]
        terms = np.exp(np.stack([half, -half, np.full(len(half), tie)]))
        whole = terms.sum(axis=0)
        chances = terms / whole
        of_pair = ((wins - losses) - total * (chances[0] - chances[1])) / 2
        of_system = counts.of_systems(of_pair[np.newaxis])[0]
        gradient = np.append(of_system - free[:-1].mean(), (ties - total * chances[2]).sum())
        value = ((wins - losses) * half + ties * tie - total * np.log(whole)).sum()
        return float(len(free) / 2 * free[:-1].mean() ** 2 - value), -gradient

    return np.asarray(minimize(loss, start, jac=True, method="BFGS").x)
