"""Agreement of rankings without their errors, against halves that are drawn, and against copies."""

import numpy as np
import pytest
from scipy.special import ndtr
from simulations.generators import Floats, labels, parts_of_sums

from metaeval.inference.agreement import (
    _ANGLES,
    _LARGEST,
    _POINTS,
    Agreement,
    _agreements,
    compare_rankings,
    corrected_intervals,
    corrected_tau,
    expected_agreement,
    simultaneous_intervals,
)
from metaeval.inference.pairs import Evidence
from metaeval.inference.parts import Signs
from metaeval.measures import measure
from metaeval.scoring.labels import merge_runs
from metaeval.scoring.parts import count_groups
from metaeval.stats.association import kendall_b

NAN = np.nan


@pytest.mark.parametrize("correlation", [-1.0, -0.6, 0.0, 0.5, 0.95, 1.0])
def test_the_expected_agreement_is_that_of_drawn_errors(correlation: float) -> None:
    one, rest = np.random.default_rng(0).standard_normal((2, 200_000))
    other = correlation * one + np.sqrt(1 - correlation**2) * rest
    for t, u in ((0.5, 1.2), (-0.7, 0.9), (0.0, 0.4), (0.0, 0.0), (-2.0, -1.0), (0.5, np.inf), (1.0, -1.0)):
        agreement = float((np.sign(t + one) * np.sign(u - other)).mean())
        exact = expected_agreement(np.array([t]), np.array([u]), np.array([correlation]))
        assert exact[0] == pytest.approx(agreement, abs=0.01), (t, u)


def test_a_difference_agrees_with_itself_as_halves_do() -> None:
    t = np.linspace(-4, 4, 17)
    np.testing.assert_allclose(expected_agreement(t, t, np.ones(17)), 4 * ndtr(np.abs(t)) - 3, atol=1e-5)


def test_the_grid_holds_expected_agreements() -> None:
    t, u = np.meshgrid(np.linspace(-_LARGEST, _LARGEST, _POINTS), np.linspace(-_LARGEST, _LARGEST, _POINTS))
    for index, angle in enumerate(np.linspace(-np.pi / 2, np.pi / 2, _ANGLES)):
        exact = expected_agreement(u, t, np.full(t.shape, np.sin(angle)))
        np.testing.assert_allclose(_agreements()[index], exact, atol=1e-4)


def evidence_of(*worths: Floats, trials: int = 499) -> list[Evidence]:
    """The evidence of measures of the same items, (S, N) each."""
    items = worths[0].shape[1]
    signs = Signs.draw(np.random.default_rng(1), items, trials)
    ones = np.ones(items, dtype=np.int64)
    return [Evidence((parts_of_sums(np.ascontiguousarray(values.T), ones),), (signs,)) for values in worths]


def correct(seed: int, shares: Floats, items: int) -> Floats:
    return (np.random.default_rng(seed).random((len(shares), items)) < shares[:, np.newaxis]).astype(np.float64)


def test_copies_of_a_ranking_agree_perfectly_and_opposites_not_at_all() -> None:
    worths = correct(0, np.linspace(0.4, 0.8, 8), 300)
    agreement = compare_rankings(evidence_of(worths, 2 * worths, -worths), np.array([0, 0]), np.array([1, 2]))
    np.testing.assert_allclose(agreement.tau, [1, -1])
    np.testing.assert_allclose(agreement.ratio[0], 1, atol=1e-6)
    low, high = simultaneous_intervals(agreement)
    assert low[0] > 0.9
    assert high[0] == 1
    assert corrected_tau(agreement.ratio).tolist() == pytest.approx([1, -1], abs=1e-3)


def test_tau_is_that_of_the_scores_with_ties_and_undefined_systems() -> None:
    one, other = correct(0, np.linspace(0.4, 0.8, 6), 200), correct(1, np.linspace(0.4, 0.8, 6), 200)
    one[1] = one[0]
    other[5] = NAN
    agreement = compare_rankings(evidence_of(one, other), np.array([0]), np.array([1]))
    assert agreement.tau[0] == pytest.approx(float(kendall_b(one[:5].mean(axis=1), other[:5].mean(axis=1))))
    assert not np.isnan(agreement.ratio[0])
    # The results of a pair do not depend on the other pairs.
    more = compare_rankings(evidence_of(one, other, one), np.array([0, 0]), np.array([1, 2]))
    np.testing.assert_array_equal(more.ratio_chance[:, 0], agreement.ratio_chance[:, 0])


def test_fewer_samples_change_neither_the_ratio_nor_the_first_samples() -> None:
    evidence = evidence_of(*(correct(seed, np.linspace(0.4, 0.8, 6), 200) for seed in range(4)))
    one, other = np.triu_indices(4, k=1)
    every, fewer = (compare_rankings(evidence, one, other, trials=trials) for trials in (None, 150))
    np.testing.assert_allclose(fewer.ratio, every.ratio, rtol=1e-12)
    for some, whole in ((fewer.ratio_chance, every.ratio_chance), (fewer.tau_chance, every.tau_chance)):
        np.testing.assert_allclose(some, whole[:150], rtol=1e-12)


def test_rankings_that_are_noise_or_ties_have_no_corrected_tau() -> None:
    constant, noise = np.ones((6, 100)), correct(3, np.full(6, 0.5), 100)
    reliable = correct(4, np.linspace(0.3, 0.9, 6), 100)
    agreement = compare_rankings(evidence_of(constant, noise, reliable), np.array([0, 1]), np.array([2, 2]))
    assert np.isnan(agreement.ratio).all()
    assert np.isnan(agreement.tau[0])
    assert np.isnan(simultaneous_intervals(agreement)).all()
    assert np.isnan(corrected_intervals(agreement.ratio, agreement.ratio_chance)).all()


def test_an_interval_of_a_ratio_that_exceeds_one_by_chance_has_a_width() -> None:
    chance = np.random.default_rng(0).normal(0.9, 0.1, (999, 2))
    low, high = corrected_intervals(np.array([1.5, 1.0]), chance)
    assert high.tolist() == [1, 1]
    assert (low < 0.8).all()
    agreement = Agreement(np.ones(2), chance, np.array([1.5, 1.0]), chance)
    assert (simultaneous_intervals(agreement)[0] < 0.8).all()


def test_independent_errors_lower_tau_and_shared_ones_raise_it() -> None:
    shares = np.linspace(0.6, 0.7, 10)
    taus, corrected = [], []
    for seed in range(20):
        agreement = compare_rankings(
            evidence_of(correct(2 * seed, shares, 600), correct(2 * seed + 1, shares, 600), trials=1),
            np.array([0]), np.array([1]),
        )  # fmt: skip
        taus.append(agreement.tau[0])
        corrected.append(agreement.ratio[0])
    assert np.mean(taus) < 0.85
    assert np.nanmean(corrected) == pytest.approx(1, abs=0.1)


def test_groups_on_a_merged_scale_are_those_of_merged_labels() -> None:
    runs = labels(np.random.default_rng(0), 4, 80, (0.4, 0.3, 0.3))
    groups = np.arange(80) % 7
    for merge in (("low", "high"), ("mid", "high")):
        merged = runs.scale.merge(merge)
        counts = count_groups(runs, groups, np.random.default_rng(0)).merged(merged)
        expected = count_groups(merge_runs(runs, merged), groups, np.random.default_rng(0))
        np.testing.assert_array_equal(counts.sums, expected.sums)
        measures = [measure("accuracy"), measure("macro-f1")]
        for one, other in zip(counts.parts(measures), expected.parts(measures), strict=True):
            np.testing.assert_array_equal(one.parts, other.parts)
