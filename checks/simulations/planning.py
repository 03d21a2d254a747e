"""Simulated plans of the items, or systems, until two systems, or two measures, differ significantly."""

from __future__ import annotations

from functools import cache

import numpy as np

from metaeval.analyses.plan.goals import Pilot, plan_difference, plan_measures
from metaeval.inference.pairs import Evidence
from metaeval.stats.correlation_tests import swap_tests
from simulations.generators import Floats, correct_items
from simulations.scenarios import Bound, Outcome, Scenario, groupings_of

ITEMS, POWER = 500, Bound(at_most=0.90, at_least=0.72)
"""Items of a pilot, and the power that the planned number should have on average; 0.8 is promised."""


def scored(random: np.random.Generator, systems: int, true: tuple[float, float, float], noise: float) -> Floats:
    """Scores of two measures and of humans, (3, S); true: both correlations with humans, and that of the measures."""
    first, second, both = true
    covariance = np.array([[1, both, first], [both, 1, second], [first, second, 1]]) + noise * np.eye(3)
    return np.linalg.cholesky(covariance) @ random.standard_normal((3, systems))


def finds(random: np.random.Generator, systems: int, true: tuple[float, float, float], noise: float, unit: str) -> bool:
    """Whether the test of as much new data as a pilot promises finds the difference; noise: variance of a score."""
    quality = scored(random, systems, true, 0.0)[..., np.newaxis]
    pilot = quality + np.sqrt(noise) * random.standard_normal((3, systems, ITEMS))
    groups = np.arange(ITEMS) % 100
    delta = (true[0] - true[1]) / (1 + noise / ITEMS)
    (requirement, _) = plan_measures(pilot[:2], pilot[2], groups, delta=delta, power=0.8, alpha=0.05)[unit]
    needed = int(np.ceil(min(requirement.amount, 16 * (systems if unit == "systems" else ITEMS))))
    new_systems, items = (needed, ITEMS) if unit == "systems" else (systems, needed)
    means = scored(random, new_systems, true, noise / items)[..., np.newaxis]
    seed = int(random.integers(1 << 31))
    test = swap_tests(
        means[:2], means[2], level="system", coefficients=["pearson"], swap="systems", resamples=499, seed=seed
    )["pearson"]
    return bool(test.p[0, 1] <= 0.05)


def _plan(systems: int, true: tuple[float, float, float], noise: float, unit: str) -> Scenario:
    first, second, both = true
    name = f"plan, {unit} for r {first:g} and {second:g} ({both:g} with each other), {systems} systems, noise {noise:g}"
    return Scenario(name, 400, 0, lambda random: {"finds": finds(random, systems, true, noise, unit)}, {"finds": POWER})


NEEDED = Bound(at_least=0.93, at_most=0.98)
"""Of simulated pilots, the intervals that hold the number of items that is needed for a difference."""


def plan_scenario(name: str, shares: Floats, items: int, delta: float, quick: int) -> Scenario:
    """Intervals of the items that the test of all pairs needs for a difference of the median, or of most pairs."""

    @cache
    def needed() -> tuple[float, float]:
        random = np.random.default_rng(7)
        covariance = np.cov(correct_items(random, shares, 100_000, common=0.4))
        one, other = np.triu_indices(len(shares), 1)
        deviations = np.sqrt(covariance[one, one] + covariance[other, other] - 2 * covariance[one, other])
        z = random.multivariate_normal(np.zeros(len(shares)), covariance, 20_000)
        critical = np.quantile(np.abs((z[:, one] - z[:, other]) / deviations).max(axis=1), 0.95)
        median, most = np.quantile(deviations, [0.5, 0.9])
        return ((critical + 0.8416) * median / delta) ** 2, ((critical + 0.8416) * most / delta) ** 2

    def simulate(random: np.random.Generator) -> Outcome:
        evidence = Evidence.draw(groupings_of(correct_items(random, shares, items, common=0.4), []), random, 999)
        pilot = Pilot.of(evidence, alpha=0.05)
        every = [
            plan_difference(pilot, delta=delta, power=0.8, share=share, sizes=np.array([items], dtype=np.float64))
            for share in (0.5, 0.9)
        ]
        fewer = any(min(plan.amount, plan.low) < pilot.fewest - 1e-6 for plan in every)
        return {"fewer than the test can use": fewer} | {
            name: plan.low <= number <= plan.high
            for name, plan, number in zip(("median pair", "90 % of pairs"), every, needed(), strict=True)
        }

    claims = {"fewer than the test can use": Bound(at_most=0.0, exactly=True)}
    return Scenario(
        f"plan of a difference, {name}", 600, quick, simulate, claims | ({} if delta > 0.1 else {"median pair": NEEDED})
    )


SCENARIOS = [
    plan_scenario("12 systems, 400 items", 0.7 + 0.06 * np.random.default_rng(5).standard_normal(12), 400, 0.05, 60),
    plan_scenario("2 systems, 300 items", np.array([0.6, 0.68]), 300, 0.05, 0),
    plan_scenario("14 good systems, 600 items", np.linspace(0.9, 0.97, 14), 600, 0.03, 0),
    plan_scenario("a difference of .8, 2 systems, 40 items", np.array([0.1, 0.9]), 40, 0.8, 60),
    *(
        _plan(systems, true, noise, "systems")
        for systems in (14, 30)
        for true, noise in (((0.9, 0.7, 0.7), 4.0), ((0.8, 0.6, 0.6), 4.0), ((0.9, 0.8, 0.8), 25.0))
    ),
    _plan(14, (0.99, 0.75, 0.75), 81.0, "items"),
    _plan(30, (0.95, 0.7, 0.7), 196.0, "items"),
]
