"""Statistics of measures: expected consistency, and tests of differences between measures."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import norm
from simulations.generators import parts_of_sums

from metaeval.inference.clusters import draw_cluster_halves
from metaeval.inference.pairs import Evidence
from metaeval.inference.statistics import PairDeviations, compare_statistics, expected_tau
from metaeval.stats.pair_counts import count_pairs, tau_b

Floats = NDArray[np.float64]


def items_of(random: np.random.Generator, shares: Floats, items: int) -> Floats:
    """Whether systems are right about items, (N, S)."""
    z = np.sqrt(0.4) * random.standard_normal((items, 1))
    z = z + np.sqrt(0.6) * random.standard_normal((items, len(shares)))
    correct: Floats = (z < norm.ppf(shares)).astype(np.float64)
    return correct


def evidence_of(correct: Floats) -> Evidence:
    parts = parts_of_sums(correct, np.ones(len(correct), dtype=int))
    return Evidence.draw((parts,), np.random.default_rng(1), 9)


def test_expected_tau_is_that_of_real_halves() -> None:
    random = np.random.default_rng(1)
    correct = items_of(random, random.uniform(0.6, 0.8, 10), 1000)
    first, second = draw_cluster_halves(random, np.ones(1000, dtype=int), 1000)
    real = np.nanmean(tau_b(count_pairs(first.astype(np.float64) @ correct, second.astype(np.float64) @ correct)))
    found = PairDeviations.of(evidence_of(correct))
    assert expected_tau(found.t, found.vary) == pytest.approx(real, abs=0.02)


def test_pairs_that_never_differ_are_left_out_and_certain_ones_count_fully() -> None:
    correct = np.column_stack([np.ones(50), np.ones(50), np.zeros(50)])
    found = PairDeviations.of(evidence_of(correct))
    assert found.vary.tolist() == [False, True, True]
    assert expected_tau(found.t, found.vary) == 1.0
    nothing = PairDeviations.of(evidence_of(np.ones((50, 2))))
    assert np.isnan(expected_tau(nothing.t, nothing.vary))


def test_a_measure_without_a_value_has_no_comparison() -> None:
    chance = np.random.default_rng(1).normal(0.5, 0.1, (99, 3))
    chance[:, 1] = np.nan
    found = compare_statistics(np.array([0.9, np.nan, 0.1]), chance)
    assert np.isnan(found.p[0, 1])
    assert np.isnan(found.low[1])
    assert found.p[0, 2] == 0.01
    assert found.p[0, 2] >= found.raw[0, 2]


def test_equal_statistics_are_not_different() -> None:
    chance = np.random.default_rng(1).normal(0.5, 0.1, (99, 1)).repeat(2, axis=1)
    found = compare_statistics(np.array([0.9, 0.9]), chance)
    assert (found.p == 1).all()
