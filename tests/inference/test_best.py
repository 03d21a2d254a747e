"""The best of several systems: probabilities, the corrected score, and differences on other runs."""

import itertools

import numpy as np
import pytest
from scipy.special import gammaln
from scipy.stats import ttest_ind
from simulations.generators import parts_of_sums
from simulations.runs import draw_runs, parts_of_runs

from metaeval.inference.best import WIDTHS, Scatter, Winners, correct_best, draw_winners
from metaeval.inference.pairs import Evidence, compare_pairs
from metaeval.inference.parts import Parts
from metaeval.inference.runs import compare_runs
from metaeval.inference.scores import ScoreErrors, score_intervals

SHARE = (0.0, 1.0)


def parts_of(worths: np.ndarray) -> Parts:
    """The parts of scores of items, (S, N)."""
    return parts_of_sums(np.ascontiguousarray(worths.T), np.ones(worths.shape[1], dtype=np.int64))


def winners_of(scores: list[float], error: float = 0.02) -> Winners:
    """Of independent systems with a known error."""
    systems = len(scores)
    errors = ScoreErrors(np.full(systems, error), np.full(systems, 1000.0), np.zeros(systems))
    covariance, centre = error**2 * np.eye(systems), np.eye(systems) - 1 / systems
    return draw_winners(np.array(scores), Scatter(errors, covariance, centre @ covariance), np.random.default_rng(1))


def test_probabilities_add_up_and_follow_the_scores() -> None:
    best = winners_of([0.60, 0.62, 0.64, 0.66, 0.68]).best
    assert best.sum() == pytest.approx(1)
    assert (np.diff(best) > 0).all()


def test_of_systems_with_equal_scores_each_is_as_probable() -> None:
    np.testing.assert_allclose(winners_of([0.7] * 8).best, 1 / 8, atol=0.06)


def test_a_system_that_is_far_ahead_is_the_best_and_is_not_corrected() -> None:
    winners = winners_of([0.9, *[0.6] * 19])
    assert winners.best[0] > 0.99
    assert winners.median < 0.1
    assert winners.highest == pytest.approx(1.96, abs=0.12)


@pytest.mark.parametrize("systems", [2, 10, 50])
def test_the_excess_of_systems_that_are_the_same_is_that_of_the_largest_of_normal_errors(systems: int) -> None:
    random = np.random.default_rng(systems)
    largest = np.median(random.standard_normal((20_000, systems)).max(axis=1))
    assert winners_of([0.7] * systems).median == pytest.approx(largest, abs=0.25)


@pytest.mark.parametrize("scores", [[0.70, 0.69, 0.60], [0.74, 0.70, 0.70]])
def test_probabilities_are_those_of_all_combinations_of_widths(scores: list[float]) -> None:
    """By brute force: the posterior of each combination is normal, and its weight is known."""
    error, random, shares, total = 0.02, np.random.default_rng(1), np.zeros(3), 0.0
    observed, ones = np.array(scores), np.ones(3)
    for combination in itertools.product(range(len(WIDTHS)), repeat=3):
        variance = (np.array(WIDTHS)[list(combination)] * error) ** 2
        inverse = np.diag(1 / (variance + error**2))
        precision = ones @ inverse @ ones
        rest = observed - ones @ inverse @ observed / precision
        counts = np.bincount(combination, minlength=len(WIDTHS))
        log = gammaln(counts + 1 / len(WIDTHS)).sum() - 0.5 * rest @ inverse @ rest
        weight = np.exp(log) * np.sqrt(np.linalg.det(inverse) / precision)
        # The mean of all, given it the effects, which are independent.
        mean = ones @ inverse @ observed / precision + random.standard_normal(400) / np.sqrt(precision)
        share = variance / (variance + error**2)
        effects = share * (observed - mean[:, np.newaxis]) + np.sqrt(share) * error * random.standard_normal((400, 3))
        shares += weight * np.bincount(effects.argmax(axis=1), minlength=3) / 400
        total += weight
    np.testing.assert_allclose(winners_of(scores, error).best, shares / total, atol=0.05)


def test_the_corrected_score_is_within_its_interval_which_reaches_as_high_as_that_of_the_score_alone() -> None:
    for seed in range(5):
        random = np.random.default_rng(seed)
        parts = parts_of((random.random((30, 80)) < 0.7) * 1.0)
        best, scatter = int(np.argmax(parts.scores)), Scatter.of([parts])
        winners = draw_winners(parts.scores, scatter, random)
        estimate = correct_best(parts.scores, best, scatter.errors, winners, SHARE)
        low, high = score_intervals([parts], SHARE)
        assert estimate.low < estimate.score < parts.scores[best] < estimate.high
        assert estimate.low < low[best]
        assert estimate.high == high[best]


def test_copies_of_the_best_system_share_its_probability() -> None:
    random = np.random.default_rng(2)
    good = (random.random(200) < 0.9) * 1.0
    parts = parts_of(np.array([good, good, *((random.random(200) < 0.6) * 1.0 for _ in range(4))]))
    best = draw_winners(parts.scores, Scatter.of([parts]), random).best
    assert best[0] == pytest.approx(best[1], abs=0.1)
    assert best[:2].sum() > 0.98


def test_with_fewer_groups_than_systems_the_covariance_has_no_direction_without_variance() -> None:
    random = np.random.default_rng(5)
    scatter = Scatter.of([parts_of((random.random((60, 30)) < 0.7) * 1.0)])
    values = np.linalg.eigvalsh(scatter.apart)
    assert values[1] > 0.1 * values.mean()
    np.testing.assert_allclose(np.diag(scatter.covariance), scatter.errors.error**2)


# Other runs


def evidence_of(runs: list[int], deviation: float, seed: int, item_spread: float = 0.7) -> tuple[np.ndarray, Evidence]:
    random = np.random.default_rng(seed)
    scores, system_of_run = draw_runs(random, runs, np.full(len(runs), deviation), item_deviation=item_spread)
    parts = parts_of_runs(scores, system_of_run)
    return scores, Evidence.draw([parts], random, 19_999).with_other_runs(random)


@pytest.mark.parametrize("runs", [[3, 3], [5, 4], [3, 10]])
def test_two_systems_on_other_runs_are_tested_by_welch(runs: list[int]) -> None:
    scores, evidence = evidence_of(runs, 0.2, sum(runs))
    means = scores.mean(axis=1)
    tests = compare_runs(evidence)
    welch = ttest_ind(means[: runs[0]], means[runs[0] :], equal_var=False)
    assert tests.raw[0] == tests.p[0] == pytest.approx(welch.pvalue, abs=0.015)
    expected = welch.confidence_interval()
    assert (tests.low[0], tests.high[0]) == pytest.approx((expected.low, expected.high), rel=0.08)


def test_on_other_items_and_runs_t_is_the_quasi_f_of_the_analysis_of_variance() -> None:
    """Two systems, runs nested in systems, items crossed with both: F'' = MS_S / (MS_R(S) + MS_SI − MS_R(S)I)."""
    for seed in range(4):
        runs, (scores, evidence) = 4, evidence_of([4, 4], 0.5, seed)
        cells = scores.reshape(2, runs, -1)
        items = cells.shape[2]
        system_means, run_means, item_means = cells.mean(axis=(1, 2)), cells.mean(axis=2), cells.mean(axis=1)
        grand, items_alone = cells.mean(), cells.mean(axis=(0, 1))
        ms_system = runs * items * ((system_means - grand) ** 2).sum()
        ms_run = items * ((run_means - system_means[:, np.newaxis]) ** 2).sum() / (2 * (runs - 1))
        rest = item_means - system_means[:, np.newaxis] - items_alone + grand
        ms_system_item = runs * (rest**2).sum() / (items - 1)
        rest = cells - run_means[:, :, np.newaxis] - item_means[:, np.newaxis] + system_means[:, np.newaxis, np.newaxis]
        ms_run_item = (rest**2).sum() / (2 * (runs - 1) * (items - 1))
        quasi = ms_system / (ms_run + ms_system_item - ms_run_item)
        tests = compare_pairs(evidence)
        half = (tests.high[0] - tests.low[0]) / 2
        t = tests.difference[0] / (half / tests.criticals[0])
        assert t**2 == pytest.approx(quasi, rel=0.01)


def test_differences_of_systems_whose_runs_never_vary_have_no_interval() -> None:
    random = np.random.default_rng(1)
    scores = np.repeat(random.random((2, 40)), 3, axis=0)
    parts = parts_of_runs(scores, np.repeat([0, 1], 3))
    tests = compare_runs(Evidence.draw([parts], random, 99).with_other_runs(random))
    assert np.isnan(tests.low[0])
    assert tests.p[0] == 0.01


def test_evidence_without_other_runs_is_refused() -> None:
    random = np.random.default_rng(1)
    with pytest.raises(ValueError, match="with_other_runs"):
        compare_runs(Evidence.draw([parts_of(random.random((2, 40)))], random, 99))
