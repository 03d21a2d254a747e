"""Davidson's model with covariates, against plain computations from the verdicts, one by one."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.optimize import minimize

from metaeval.judges.preferences.biases import share_of
from metaeval.judges.preferences.davidson import PART, SPREAD_OF_SCALE, Design, Effect, Fit, fit

Numbers = NDArray[np.float64]

SYSTEMS = 4


def simulate(
    random: np.random.Generator, verdicts: int, *, groups: int = 10, judged: bool = False, weighted: bool = False
) -> Design:
    """Verdicts on four systems with two covariates, drawn by the model; weighted: with weights, and graded."""
    true = np.array([1.0, 0.3, -0.4, -0.9])
    left = random.integers(SYSTEMS, size=verdicts)
    right = (left + random.integers(1, SYSTEMS, size=verdicts)) % SYSTEMS
    columns = np.stack([np.ones(verdicts), random.standard_normal(verdicts)])
    scaled = np.arange(verdicts) % 2 == 1 if judged else np.zeros(verdicts, dtype=np.bool_)
    odds = (true[left] - true[right]) * np.where(scaled, 1.5, 1.0) + 0.4 * columns[0] - 0.6 * columns[1]
    chances = np.stack([np.exp(odds / 2), np.full(verdicts, 0.5), np.exp(-odds / 2)], axis=1).cumsum(axis=1)
    winner = 1 - (random.random((verdicts, 1)) * chances[:, -1:] > chances).sum(axis=1)
    codes, outcomes = random.integers(groups, size=verdicts), outcomes_of(winner)
    if weighted:
        graded = random.uniform(0.6, 1, verdicts)
        outcomes[:2] = graded * outcomes[:2] + (1 - graded) * outcomes[1::-1]
        outcomes *= random.uniform(0.5, 2, verdicts)
    plain = Design.without_covariates(np.stack([left, right]), outcomes, codes, (SYSTEMS, groups))
    return replace(plain, columns=columns, scaled=scaled)


def outcomes_of(winner: NDArray[np.integer[Any]]) -> Numbers:
    return np.array([winner == outcome for outcome in (1, -1, 0)], dtype=np.float64)


def order_design(left: NDArray[np.intp], winner: NDArray[np.integer[Any]], groups: NDArray[np.intp]) -> Design:
    """Verdicts on two systems, with the order as the covariate."""
    numbers = 2, int(groups.max()) + 1
    plain = Design.without_covariates(np.stack([left, 1 - left]), outcomes_of(winner), groups, numbers)
    return replace(plain, columns=np.ones((1, len(left))))


def effects_of(fitted: Fit) -> list[Effect]:
    """The coefficients that are known."""
    return [effect for effect in fitted.coefficients if effect is not None]


def verdict_by_verdict(design: Design, free: Numbers) -> tuple[float, Numbers]:
    """The log-likelihood and the information by a loop over verdicts.

    free: strengths less that of the first system, which is 0; ln ν, that of the judge, coefficients and ln factor.
    """
    strengths = np.concatenate([[0.0], free[: SYSTEMS - 1]])
    ties, coefficients, scale = free[SYSTEMS - 1 : SYSTEMS + 1], free[SYSTEMS + 1 : -1], np.exp(free[-1])
    likelihood, information = 0.0, np.zeros((len(free), len(free)))
    for row, (one, other) in enumerate(zip(design.left, design.right, strict=True)):
        judge = int(design.scaled[row])
        factor, gap = (scale if judge else 1.0), strengths[one] - strengths[other]
        odds = factor * gap + coefficients @ design.columns[:, row]
        terms = np.array([odds / 2, -odds / 2, ties[judge]])
        chances = np.exp(terms) / np.exp(terms).sum()
        outcomes = design.outcomes[:, row]
        likelihood += float(outcomes @ np.log(chances))
        by_odds, by_tie = np.zeros((2, len(free)))
        for system, sign in ((one, factor), (other, -factor)):
            if system:
                by_odds[system - 1] += sign
        by_odds[SYSTEMS + 1 : -1] = design.columns[:, row]
        by_odds[-1] = factor * gap if judge else 0.0
        by_tie[SYSTEMS - 1 + judge] = 1.0
        slopes = np.stack([by_odds / 2, -by_odds / 2, by_tie])
        centred = slopes - chances @ slopes
        information += outcomes.sum() * centred.T @ (chances[:, np.newaxis] * centred)
    return likelihood, information


def prior(free: Numbers) -> float:
    return float(free[-1] ** 2 / SPREAD_OF_SCALE**2 / 2)


def free_of(parameters: Numbers) -> Numbers:
    return np.concatenate([parameters[1:SYSTEMS] - parameters[0], parameters[SYSTEMS:]])


@pytest.mark.parametrize(("judged", "weighted"), [(False, False), (True, False), (True, True)])
def test_plain_estimates_are_those_of_maximum_likelihood(judged: bool, weighted: bool) -> None:
    design = simulate(np.random.default_rng(3), 120, judged=judged, weighted=weighted)

    def loss(free: Numbers) -> float:
        return prior(free) - verdict_by_verdict(design, free)[0]

    estimates = free_of(fit(design, reduced=False).parameters)
    start = np.where(np.isfinite(estimates), 0.0, estimates)
    varied = np.isfinite(estimates) & (judged | (np.arange(len(estimates)) != len(estimates) - 1))

    def loss_of_varied(some: Numbers) -> float:
        free = start.copy()
        free[varied] = some
        return loss(free)

    best = minimize(loss_of_varied, start[varied], method="BFGS", options={"gtol": 1e-6})
    np.testing.assert_allclose(estimates[varied], best.x, atol=2e-5)


@pytest.mark.parametrize("weighted", [False, True])
def test_reduced_estimates_maximise_the_likelihood_times_the_root_of_the_information(weighted: bool) -> None:
    design = simulate(np.random.default_rng(5), 40, weighted=weighted)
    estimates = free_of(fit(design).parameters)
    varied = [*range(SYSTEMS), SYSTEMS + 1, SYSTEMS + 2]

    def loss(some: Numbers) -> float:
        free = np.zeros(len(estimates))
        free[varied] = some
        likelihood, information = verdict_by_verdict(design, free)
        return -likelihood - float(np.linalg.slogdet(information[np.ix_(varied, varied)])[1]) / 2

    best = minimize(loss, np.zeros(len(varied)), method="BFGS", options={"gtol": 1e-6})
    np.testing.assert_allclose(estimates[varied], best.x, atol=2e-5)


def test_reduced_estimates_are_finite_where_every_verdict_is_for_the_first_output() -> None:
    items = np.arange(30)
    (effect,) = effects_of(fit(order_design(items % 2, np.ones(30, dtype=np.int8), items)))
    # Firth's estimate is that with a half more of each outcome; here the strengths have a half, too.
    assert 3 < effect.value < 6


def test_variances_have_the_sums_of_the_groups_on_both_sides() -> None:
    """The variance of the score of independent verdicts in expectation: u (I − I_g)⁻¹ against u I⁻¹."""
    design = simulate(np.random.default_rng(7), 200)
    fitted = fit(design, reduced=False)
    free = free_of(fitted.parameters)
    varied = [*range(SYSTEMS), SYSTEMS + 1, SYSTEMS + 2]
    whole = verdict_by_verdict(design, free)[1][np.ix_(varied, varied)]
    with_group = np.zeros(len(varied))
    for group in range(design.number_of_groups):
        one = design.rows(np.flatnonzero(design.groups == group))
        part = verdict_by_verdict(one, free)[1][np.ix_(varied, varied)]
        score = np.array([_slope(one, free, index) for index in varied])
        with_group += np.linalg.solve(whole, score) * np.linalg.solve(whole - part, score)
    for effect, expected in zip(effects_of(fitted), with_group[-2:], strict=True):
        assert effect.influences @ effect.deviations == pytest.approx(expected, rel=1e-4)
        assert effect.error**2 == pytest.approx(
            max(expected, effect.influences @ effect.influences, effect.model / 4), rel=1e-4
        )


def _slope(design: Design, free: Numbers, index: int) -> float:
    step = np.zeros(len(free))
    step[index] = 1e-5
    above, below = (verdict_by_verdict(design, free + sign * step)[0] for sign in (1, -1))
    return (above - below) / 2e-5


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=20, deadline=None)
def test_it_does_not_matter_which_output_is_called_the_left_one(seed: int) -> None:
    random = np.random.default_rng(seed)
    design = simulate(random, 60)
    swapped = random.random(60) < 0.5
    other = replace(
        design,
        left=np.where(swapped, design.right, design.left),
        right=np.where(swapped, design.left, design.right),
        outcomes=np.where(swapped, design.outcomes[[1, 0, 2]], design.outcomes),
        columns=np.where(swapped, -design.columns, design.columns),
    )
    for one, again in zip(effects_of(fit(design)), effects_of(fit(other)), strict=True):
        assert (again.value, again.error, again.units) == pytest.approx((one.value, one.error, one.units), rel=1e-4)


def test_a_covariate_of_the_systems_alone_is_not_known() -> None:
    design = simulate(np.random.default_rng(9), 80)
    covariate = np.array([1.0, 0.0, 1.0, 0.0])
    columns = np.vstack([design.columns, covariate[design.left] - covariate[design.right]])
    more = fit(replace(design, columns=columns))
    assert more.coefficients[-1] is None
    for one, again in zip(effects_of(fit(design)), effects_of(more), strict=True):
        assert (again.value, again.error) == pytest.approx((one.value, one.error), rel=1e-4)


def test_many_verdicts_have_the_estimates_of_a_fit_from_the_beginning(monkeypatch: Any) -> None:
    design = simulate(np.random.default_rng(11), 400 * PART, groups=200)
    monkeypatch.setattr("metaeval.judges.preferences.davidson.MANY", 10**9)
    slow = fit(design)
    slow_effects = effects_of(slow)
    monkeypatch.setattr("metaeval.judges.preferences.davidson.MANY", 100)
    fast = fit(design)
    np.testing.assert_allclose(fast.parameters, slow.parameters, atol=1e-5)
    for one, again in zip(slow_effects, effects_of(fast), strict=True):
        assert again.error == pytest.approx(one.error, rel=0.01)
        assert again.units == pytest.approx(one.units, rel=1e-4)


def test_few_groups_that_decide_a_coefficient_leave_few_degrees_of_freedom() -> None:
    # A strong system loses only in 3 of 60 groups, in which it comes second.
    left = np.tile([0, 1], 60)
    winner = np.where(left == 0, 1, -1)
    winner[[1, 3, 5]] = 1
    (effect,) = effects_of(fit(order_design(left, winner, np.arange(120) // 2)))
    assert effect.units == pytest.approx(60)
    assert 3 <= effect.freedom < 4
    # As of three tosses of a coin, which are never significant.
    assert share_of(effect).p > 0.05


def test_blocks_of_groups_change_nothing(monkeypatch: Any) -> None:
    design = simulate(np.random.default_rng(13), 200)
    whole = fit(design)
    deviations = whole.deviations
    monkeypatch.setattr("metaeval.judges.preferences.davidson.MEMORY", 1)
    np.testing.assert_allclose(fit(design).deviations, deviations, rtol=1e-9, atol=1e-12)
