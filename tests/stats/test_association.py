"""Coefficients with missing scores, levels, tie thresholds and soft pairwise accuracy against SciPy, brute force,
and what nlpstats and mt-metrics-eval find on real data."""

import math
import warnings
from collections.abc import Callable
from itertools import combinations, product

import numpy as np
import pytest
from human_scores import golden, name_of, realsumm
from hypothesis import given, settings
from hypothesis import strategies as some
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray
from scipy import stats
from shared_data import needs_shared_data

from metaeval.stats import decisions, soft_accuracy
from metaeval.stats.association import (
    COEFFICIENTS,
    LEVELS,
    at_level,
    level_vectors,
    pairwise_accuracy,
    pearson,
)
from metaeval.stats.decisions import TieAccuracy, tie_calibrated_accuracy
from metaeval.stats.soft_accuracy import sign_flips

Scores = NDArray[np.float64]
NAN = np.nan

every_coefficient = pytest.mark.parametrize("name", COEFFICIENTS)
every_level = pytest.mark.parametrize("level", LEVELS)
gappy_finite = arrays(np.float64, (2, 7), elements=some.sampled_from([NAN, 0.0, 1.0, 2.0, 3.0]))


def both(x: Scores, y: Scores) -> tuple[Scores, Scores]:
    present = ~np.isnan(x) & ~np.isnan(y)
    return x[present], y[present]


def scipy_oracle(function: Callable[..., object]) -> Callable[[Scores, Scores], float]:
    def correlate(x: Scores, y: Scores) -> float:
        x, y = both(x, y)
        if len(x) < 2:
            return math.nan
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return float(function(x, y).statistic)  # type: ignore[attr-defined]

    return correlate


def tau_a_by_definition(x: Scores, y: Scores) -> float:
    x, y = both(x, y)
    if len(set(y)) < 2:
        return math.nan
    pairs = list(combinations(range(len(x)), 2))
    return float(np.mean([order(x, *pair) * order(y, *pair) for pair in pairs]))


def accuracy_by_definition(x: Scores, y: Scores, epsilon: float = 0.0) -> float:
    x, y = both(x, y)
    pairs = list(combinations(range(len(x)), 2))
    right = [(order(x, *pair) if abs(x[pair[0]] - x[pair[1]]) > epsilon else 0) == order(y, *pair) for pair in pairs]
    return float(np.mean(right)) if pairs else math.nan


def order(scores: Scores, one: int, other: int) -> int:
    return int(scores[one] > scores[other]) - int(scores[one] < scores[other])


ORACLES: dict[str, Callable[[Scores, Scores], float]] = {
    "pearson": scipy_oracle(stats.pearsonr),
    "spearman": scipy_oracle(stats.spearmanr),
    "kendall-b": scipy_oracle(stats.kendalltau),
    "kendall-c": scipy_oracle(lambda x, y: stats.kendalltau(x, y, variant="c")),
    "kendall-a": tau_a_by_definition,
    "pairwise-accuracy": accuracy_by_definition,
}


def test_every_coefficient_has_an_oracle() -> None:
    assert set(ORACLES) == set(COEFFICIENTS)


def ragged(random: np.random.Generator, shape: tuple[int, ...], missing: float) -> Scores:
    scores = random.integers(6, size=shape).astype(float)
    scores[random.random(shape) < missing] = NAN
    return scores


@every_coefficient
def test_a_coefficient_is_that_of_the_pairs_that_are_there(name: str) -> None:
    for length, missing in product((2, 3, 8, 25, 130), (0.0, 0.2, 0.8)):
        random = np.random.default_rng(length)
        x, y = ragged(random, (12, length), missing), ragged(random, (12, length), missing)
        expected = [ORACLES[name](*pair) for pair in zip(x, y, strict=True)]
        np.testing.assert_allclose(COEFFICIENTS[name](x, y), expected, rtol=1e-12, atol=1e-12)


@every_coefficient
@given(gappy_finite, some.floats(-150, 150), some.sampled_from([0.0, 1.0, -1e6]))
@settings(max_examples=40, deadline=None)
def test_a_coefficient_depends_on_no_unit_or_origin(name: str, pair: Scores, magnitude: float, origin: float) -> None:
    x, y = pair
    moved = 10**magnitude * (x + origin)
    for one, other in ((moved, y), (moved, 10**-magnitude * y), (y, moved)):
        expected = COEFFICIENTS[name](y, x) if one is y else COEFFICIENTS[name](x, y)
        np.testing.assert_allclose(COEFFICIENTS[name](one, other), expected, rtol=1e-9, atol=1e-9)


def test_nearly_equal_scores_keep_their_digits() -> None:
    x, y = np.random.default_rng(6).normal(size=(2, 20))
    x = 1 + np.rint(1e3 * x) * 2.0**-50
    exact = (x - 1) * 2.0**50
    assert pearson(x, y) == pytest.approx(np.corrcoef(exact, y)[0, 1], rel=1e-12)


def test_a_constant_one_pair_or_none_is_no_correlation() -> None:
    other = np.array([1.0, 2.0, 4.0, 3.0])
    constants = np.array([[0.1, 0.1, 0.1, NAN], [0.3, NAN, NAN, NAN], [NAN] * 4])
    for name, coefficient in COEFFICIENTS.items():
        assert np.isnan([coefficient(np.ones((3, length)), np.ones((3, length))) for length in (0, 1)]).all()
        if name != "pairwise-accuracy":
            assert np.isnan(coefficient(other, constants)).all()
            # Ties of a measure are neither concordant nor discordant pairs.
            expected = [0, NAN, NAN] if name == "kendall-a" else [NAN] * 3
            np.testing.assert_array_equal(coefficient(constants, other), expected)


# Levels


def by_loop(x: Scores, y: Scores, level: str, coefficient: str) -> tuple[float, int, int]:
    """Value of (S, N), the number of vectors averaged or of pairs, and how many of them are left out."""
    present = ~np.isnan(x) & ~np.isnan(y)
    if level == "global":
        return ORACLES[coefficient](x[present], y[present]), int(present.sum()), int((~present).sum())
    if level == "system":
        systems = [row for row in range(len(x)) if present[row].any()]
        means = [[float(scores[row][present[row]].mean()) for row in systems] for scores in (x, y)]
        return ORACLES[coefficient](np.array(means[0]), np.array(means[1])), len(systems), len(x) - len(systems)
    groups = list(zip(x, y, strict=True) if level == "by-system" else zip(x.T, y.T, strict=True))
    values = [value for pair in groups if not math.isnan(value := ORACLES[coefficient](*pair))]
    return (float(np.mean(values)) if values else math.nan), len(values), len(groups) - len(values)


@every_level
@every_coefficient
@pytest.mark.parametrize("missing", [0.0, 0.3, 0.9])
def test_a_level_is_a_loop_over_its_vectors(level: str, name: str, missing: float) -> None:
    random = np.random.default_rng(3)
    # Quarters, so that equal means are equal in any order of summation.
    x, y = random.integers(-8, 9, size=(2, 5, 6, 8)) / 4
    y[random.random(y.shape) < missing] = NAN
    x[random.random(y.shape) < missing / 5] = NAN
    correlations = at_level(x, y, level=level, coefficient=name)
    for index in range(5):
        value, units, left_out = by_loop(x[index], y[index], level, name)
        np.testing.assert_allclose(correlations.values[index], value, rtol=1e-9, atol=1e-12)
        assert (correlations.units[index], correlations.left_out[index]) == (units, left_out)


def test_an_unknown_level_is_refused() -> None:
    with pytest.raises(ValueError, match="none of system, item, global, by-system"):
        level_vectors(np.ones((2, 2)), np.ones((2, 2)), level="input")


@needs_shared_data
def test_realsumm_is_as_in_nlpstats() -> None:
    rated, expected = realsumm(), golden("realsumm")["metrics"]
    for theirs in ("pearson", "spearman", "kendall"):
        for level in ("system", "input", "global"):
            correlations = at_level(rated.metric, rated.human[0], level=name_of(level), coefficient=name_of(theirs))
            values = [expected[measure]["nlpstats"][f"{level}_{theirs}"] for measure in rated.measures]
            np.testing.assert_allclose(correlations.values, values, atol=1e-9)


MTME_LEVELS = {"item": "item", "by-system": "sys", "global": "none"}


@needs_shared_data
def test_realsumm_is_as_in_mt_metrics_eval() -> None:
    rated = realsumm()
    expected = [golden("realsumm")["metrics"][measure]["mt_metrics_eval"] for measure in rated.measures]
    names = {"pearson": "pearson", "spearman": "spearman", "kendall-b": "kendall_b", "kendall-c": "kendall_c"}
    for level, theirs in MTME_LEVELS.items():
        for name, their_name in names.items():
            correlations = at_level(rated.metric, rated.human[0], level=level, coefficient=name)
            for measure, values in enumerate(expected):
                value, _, units = values[f"{their_name}_{theirs}"]
                assert correlations.values[measure] == pytest.approx(value, abs=1e-9)
                # Over all cells they count one vector, we the cells.
                assert level == "global" or correlations.units[measure] == units
        accuracy = at_level(rated.metric, rated.human[0], level=level, coefficient="pairwise-accuracy").values
        np.testing.assert_allclose(accuracy, [values[f"acc23_eps0_{theirs}"] for values in expected], atol=1e-9)
    systems = at_level(rated.metric, rated.human[0], level="system", coefficient="pairwise-accuracy").values
    np.testing.assert_allclose(systems, [values["system_pairwise_accuracy"]["acc"] for values in expected], atol=1e-12)


# Ties


def calibrated_by_brute_force(metric: Scores, human: Scores) -> tuple[float, float]:
    differences = {abs(row[one] - row[other]) for row in metric for one, other in combinations(range(len(row)), 2)}
    thresholds = sorted({0.0, *(one for one in differences if not math.isnan(one))})
    values = [
        np.nanmean([accuracy_by_definition(*pair, epsilon) for pair in zip(metric, human, strict=True)])
        for epsilon in thresholds
    ]
    best = next(index for index, value in enumerate(values) if value >= max(values) - 1e-12)
    return float(values[best]), thresholds[best]


@settings(max_examples=60, deadline=None)
@given(
    arrays(np.float64, (3, 5), elements=some.sampled_from([NAN, 0.0, 0.1, 0.25, 0.5, 1.5])),
    arrays(np.float64, (3, 5), elements=some.sampled_from([NAN, 0.0, 1.0, 2.0])),
    some.sampled_from([1, 1 << 20]),
    some.sampled_from([1, 64]),
)
def test_the_threshold_is_the_best_of_all(metric: Scores, human: Scores, together: int, short: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(decisions, "PAIRS_TOGETHER", together)
        patch.setattr(decisions, "SPAN", together)
        patch.setattr(decisions, "SHORT", short)
        calibration = tie_calibrated_accuracy(metric, human)
    defined = [row for row in range(3) if len(both(metric[row], human[row])[0]) > 1]
    assert calibration.vectors == len(defined)
    if not defined:
        assert np.isnan([calibration.accuracy, calibration.epsilon]).all()
        return
    metric = np.where(np.isnan(human), NAN, metric)
    accuracy, epsilon = calibrated_by_brute_force(metric[defined], human[defined])
    assert calibration.accuracy == pytest.approx(accuracy, abs=1e-12)
    assert calibration.epsilon == epsilon


def test_pairs_with_the_same_difference_are_not_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decisions, "SPAN", 1)
    monkeypatch.setattr(decisions.Decisions, "_between", None)
    assert tie_calibrated_accuracy(np.array([[0.0, 0.0, 1.0, 1.0]]), np.array([[0.0, 0.0, 1.0, 2.0]])).epsilon == 0


def test_without_ties_or_with_infinite_scores_no_threshold_helps() -> None:
    metric, human = np.random.default_rng(0).normal(size=(2, 4, 9))
    calibration = tie_calibrated_accuracy(metric, human)
    assert calibration.epsilon == 0
    assert calibration.accuracy == pytest.approx(pairwise_accuracy(metric, human).mean())
    assert tie_calibrated_accuracy(np.ones((1, 3)), np.array([[1.0, 1.0, 2.0]])) == TieAccuracy(1 / 3, 0.0, 1)
    metric, human = np.array([[-np.inf, -np.inf, 0.5, 1.0]]), np.array([[1.0, 2.0, 3.0, 4.0]])
    calibration = tie_calibrated_accuracy(metric, human)
    assert calibration.accuracy == pytest.approx(5 / 6)
    assert calibration.epsilon == 0


@needs_shared_data
def test_acc_eq_is_as_in_mt_metrics_eval() -> None:
    rated = realsumm()
    same = 0
    for measure, name in enumerate(rated.measures):
        expected = golden("realsumm")["metrics"][name]["mt_metrics_eval"]
        for level in ("item", "by-system"):
            metric, human = level_vectors(rated.metric[measure], rated.human[0], level=level)
            calibration, theirs = tie_calibrated_accuracy(metric, human), expected[f"acc_eq_{MTME_LEVELS[level]}"]
            assert calibration.accuracy == pytest.approx(theirs["acc23"], abs=1e-9)
            # Of equally good thresholds they take one at the mercy of rounding, we the smallest.
            assert calibration.epsilon <= theirs["epsilon"]
            same += calibration.epsilon == theirs["epsilon"]
    assert same >= 2 * len(rated.measures) - 2


# Soft pairwise accuracy


def sign_flip_p(scores: Scores, signs: NDArray[np.int8]) -> Scores:
    reached, none = sign_flips(scores, signs)
    return np.where(none, NAN, (reached.sum(axis=1) + 1) / (len(signs) + 1))


@given(arrays(np.float64, (3, 5), elements=some.sampled_from([NAN, 0.0, 0.1, 0.2, 0.3, 0.7])))
def test_all_flips_give_the_exact_p(scores: Scores) -> None:
    p = sign_flip_p(scores, np.array(list(product([-1, 1], repeat=5)), dtype=np.int8))
    for pair, (one, other) in enumerate(combinations(range(3), 2)):
        first, second = both(scores[one], scores[other])
        if not len(first):
            assert np.isnan(p[pair])
            continue
        flipped = [round(float(np.dot(signs, first - second)), 9) for signs in product([-1, 1], repeat=len(first))]
        exact = np.mean([value >= round(float((first - second).sum()), 9) for value in flipped])
        assert (p[pair] * 33 - 1) / 32 == pytest.approx(exact, abs=1e-12)


def test_flips_in_parts_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(0)
    scores, signs = random.normal(size=(4, 6)), random.choice([-1, 1], size=(50, 6))
    whole = sign_flip_p(scores, signs)
    monkeypatch.setattr(soft_accuracy, "CELLS_TOGETHER", 1)
    np.testing.assert_array_equal(sign_flip_p(scores, signs), whole)
    assert whole.shape == (6,)


def test_a_measure_agrees_with_itself_and_not_with_its_opposite() -> None:
    random = np.random.default_rng(0)
    scores = random.normal(size=(4, 30)) + np.arange(4)[:, np.newaxis] * 9
    signs = random.choice([-1, 1], size=(200, 30))
    assert np.abs(sign_flip_p(-scores, signs) - sign_flip_p(scores, signs)).mean() > 0.99
    accuracies = soft_accuracy.soft_accuracy(np.stack([scores, -scores]), scores[np.newaxis], flips=200).values[:, 0]
    assert accuracies[0] == 1
    assert accuracies[1] < 0.01


@needs_shared_data
def test_soft_pairwise_accuracy_is_that_of_its_authors_with_their_flips() -> None:
    rated = realsumm()
    # Their generator: numpy's default one, seed 4, float32 rounded to 0 or 1.
    signs = 2 * np.rint(np.random.default_rng(4).random(size=(1000, 100), dtype=np.float32)) - 1
    human_p = sign_flip_p(rated.human[0], signs.astype(np.int8))
    measure_p = np.stack([sign_flip_p(scores, signs.astype(np.int8)) for scores in rated.metric])
    accuracies = 1 - np.abs(measure_p - human_p).mean(axis=1)
    # k / n there, (k + 1) / (n + 1) here; and their sums are rounded to single precision, so that a few ties differ.
    expected = [golden("realsumm")["metrics"][name]["mt_metrics_eval"]["SPA_1000perm_seed4"] for name in rated.measures]
    np.testing.assert_allclose(1 - (1 - accuracies) * 1001 / 1000, expected, atol=2e-5)
    theirs = np.array(golden("realsumm")["SPA_human_pvalues_upper_1000perm_seed4"], dtype=np.float64)
    np.testing.assert_allclose((human_p * 1001 - 1) / 1000, theirs[np.triu_indices(25, 1)], atol=2e-3)
