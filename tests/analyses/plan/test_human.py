"""Plans of systems and annotators against Fisher's z and simulated annotators."""

from typing import Any

import numpy as np
import pytest

from metaeval.analyses.plan.goals import Requirement, plan_annotators, plan_measures, plan_systems
from metaeval.stats.intervals import fisher_interval
from metaeval.stats.resample import seed_for


def planned(plan: Any, metric: np.ndarray, human: np.ndarray, *, seed: int = 1, **options: Any) -> Requirement:
    """The plan of one measure; human: scores of systems, or ratings (A, S)."""
    settings: dict[str, Any] = {"coefficient": "pearson", "width": 0.2, "resamples": 50, **options}
    (requirement,) = plan(metric[np.newaxis], human, seed=seed_for(seed, "x"), **settings)
    assert isinstance(requirement, Requirement)
    return requirement


def by_fisher(correlation: float, width: float) -> int:
    systems = np.arange(5, 2000)
    low, high = fisher_interval(np.full(len(systems), correlation), systems, coefficient="pearson")
    return int(systems[np.flatnonzero(high - low <= width)[0]])


def test_of_many_normal_systems_as_many_are_needed_as_fisher_says() -> None:
    random = np.random.default_rng(1)
    metric = random.normal(size=60)
    human = 0.7 * metric + np.sqrt(1 - 0.7**2) * random.normal(size=60)
    requirement = planned(plan_systems, metric, human, width=0.3, resamples=100)
    expected = by_fisher(float(np.corrcoef(metric, human)[0, 1]), 0.3)
    assert requirement.low <= expected <= requirement.high
    assert requirement.amount == pytest.approx(expected, rel=0.4)


def test_over_many_pilots_the_interval_of_systems_holds_the_truth() -> None:
    random = np.random.default_rng(2)
    expected, coverage, errors = by_fisher(0.7, 0.4), [], []
    for pilot in range(25):
        metric = random.normal(size=15)
        human = 0.7 * metric + np.sqrt(1 - 0.7**2) * random.normal(size=15)
        requirement = planned(plan_systems, metric, human, width=0.4, resamples=60, seed=pilot)
        coverage.append(requirement.low <= expected <= requirement.high)
        errors.append(np.log2(min(requirement.amount, 240) / expected))
    assert np.mean(coverage) >= 0.8
    assert abs(np.mean(errors)) < 0.5


@pytest.mark.parametrize("coefficient", ["pearson", "spearman", "kendall-b"])
def test_noisier_annotators_have_to_be_more(coefficient: str) -> None:
    random = np.random.default_rng(3)
    quality = random.normal(size=10)
    metric = quality + 0.4 * random.normal(size=10)
    noise = random.normal(size=(8, 10))
    amounts = [
        planned(plan_annotators, metric, quality + scale * noise, coefficient=coefficient, width=0.1).amount
        for scale in (0.3, 1.0)
    ]
    assert amounts[0] < amounts[1]


def test_annotators_who_agree_are_enough_one_by_one() -> None:
    quality = np.random.default_rng(4).normal(size=8)
    ratings = np.stack([quality, quality + 1e-3 * np.arange(8), quality - 1e-3 * np.arange(8), quality])
    requirement = planned(plan_annotators, quality**3, ratings)
    assert requirement.amount == 1
    # There are no fewer; of eight annotators, two are the fewest that are considered.
    assert np.isnan(requirement.least)
    requirement = planned(plan_annotators, quality**3, np.concatenate([ratings, ratings]))
    assert requirement.amount == requirement.least == 2


def test_two_annotators_four_systems_or_scores_that_do_not_differ_are_no_pilot() -> None:
    scores = np.random.default_rng(5).normal(size=(3, 4))
    assert np.isnan(planned(plan_annotators, scores[0], scores[1:]).amount)
    assert np.isnan(planned(plan_systems, scores[0], scores[1]).amount)
    assert np.isnan(planned(plan_systems, np.ones(8), scores.ravel()[:8]).amount)


def test_no_interval_is_wider_than_all_there_is() -> None:
    random = np.random.default_rng(7)
    requirement = planned(plan_systems, random.normal(size=6), random.normal(size=6))
    assert (requirement.highs <= 2).all()
    assert (requirement.value <= requirement.highs).all()


def correlated(random: np.random.Generator, systems: int, first: float, second: float, both: float) -> np.ndarray:
    covariance = np.array([[1, both, first], [both, 1, second], [first, second, 1]])
    return np.linalg.cholesky(covariance) @ random.standard_normal((3, systems))


def test_systems_until_measures_differ_are_those_of_the_variance_of_normal_scores() -> None:
    # Two measures with correlation r with humans, and s with each other: n Var = 2 (1 − r²)² − 2 ψ (Steiger 1980).
    r, s, delta = 0.8, 0.7, 0.1
    psi = s * (1 - 2 * r**2) - r**2 * (1 - 2 * r**2 - s**2) / 2
    variance = 2 * (1 - r**2) ** 2 - 2 * psi
    expected = variance * ((1.96 + 0.8416) / delta) ** 2
    scores = correlated(np.random.default_rng(1), 2000, r, r, s)[..., np.newaxis]
    plans = plan_measures(scores[:2], scores[2], np.zeros(1, dtype=np.intp), delta=delta, power=0.8, alpha=0.05)
    assert list(plans) == ["systems"]
    for plan in plans["systems"]:
        assert plan.amount == pytest.approx(expected, rel=0.15)
        assert plan.low < plan.amount < plan.high
        assert plan.now > 0.99
        assert (np.diff(plan.value) >= 0).all()
        assert (plan.lows <= plan.value + 1e-12).all()


def test_items_help_as_far_as_the_noise_of_items_goes() -> None:
    random = np.random.default_rng(2)
    quality = correlated(random, 30, 0.95, 0.7, 0.7)[..., np.newaxis]
    noise = random.standard_normal((3, 30, 400))
    groups = np.arange(400) % 100
    plans = [
        plan_measures(scores[:2], scores[2], groups, delta=delta, power=0.8, alpha=0.05)["items"][0]
        for scores, delta in ((quality + 12 * noise, 0.25), (quality + 12 * noise, 0.01), (quality + noise, 0.01))
    ]
    assert np.isfinite(plans[0].amount)
    assert np.isinf([plans[1].amount, plans[2].amount]).all()
    # The variation between systems remains: no number of items is enough.
    assert np.isinf(plans[2].most)
    assert np.isfinite(plans[0].most)


def test_few_systems_and_measures_that_are_equal_have_no_plan_of_differences() -> None:
    scores = np.random.default_rng(3).normal(size=(3, 4, 20))
    call = {"delta": 0.1, "power": 0.8, "alpha": 0.05}
    few = plan_measures(scores[:2], scores[2], np.arange(20), **call)
    same = np.random.default_rng(4).normal(size=(2, 8, 20))[[0, 0, 1]]
    equal = plan_measures(same[:2], same[2], np.arange(20), **call)
    assert np.isnan([plan.amount for by_unit in (few, equal) for plans in by_unit.values() for plan in plans]).all()
