"""Simulated plans of the number of systems or items until two measures are told apart, and the test of new data."""

from __future__ import annotations

import numpy as np

from metaeval.analyses.plan.goals import plan_measures
from metaeval.stats.correlation_tests import swap_tests
from simulations.generators import Floats
from simulations.scenarios import Bound, Scenario

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
    needed = int(np.ceil(min(requirement.needed, 16 * (systems if unit == "systems" else ITEMS))))
    of_new, items = (needed, ITEMS) if unit == "systems" else (systems, needed)
    means = scored(random, of_new, true, noise / items)[..., np.newaxis]
    seed = int(random.integers(1 << 31))
    test = swap_tests(
        means[:2], means[2], level="system", coefficients=["pearson"], swap="systems", resamples=499, seed=seed
    )["pearson"]
    return bool(test.p[0, 1] <= 0.05)


def _plan(systems: int, true: tuple[float, float, float], noise: float, unit: str) -> Scenario:
    first, second, both = true
    name = f"plan, {unit} for r {first:g} and {second:g} ({both:g} with each other), {systems} systems, noise {noise:g}"
    return Scenario(name, 400, 0, lambda random: {"finds": finds(random, systems, true, noise, unit)}, {"finds": POWER})


SCENARIOS = [
    *(
        _plan(systems, true, noise, "systems")
        for systems in (14, 30)
        for true, noise in (((0.9, 0.7, 0.7), 4.0), ((0.8, 0.6, 0.6), 4.0), ((0.9, 0.8, 0.8), 25.0))
    ),
    _plan(14, (0.99, 0.75, 0.75), 81.0, "items"),
    _plan(30, (0.95, 0.7, 0.7), 196.0, "items"),
]
