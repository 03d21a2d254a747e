"""Pairs of systems on data that are hard: rare classes, skewed differences, clusters whose size goes with them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from scipy.stats import norm

from metaeval.inference.clusters import MIN_EFFECTIVE_GROUPS
from metaeval.inference.pairs import Evidence, compare_pairs
from metaeval.inference.parts import Parts
from metaeval.measures import measure
from metaeval.model.runs import LabelledRuns
from metaeval.scoring.parts import count_groups
from metaeval.stats.ratio import effective_number
from simulations.generators import SCALE, Floats, parts_of_sums
from simulations.scenarios import Bound, Outcome, Scenario

MEASURES = ("macro-f1", "kappa", "mcc", "gmr", "alpha:level=ordinal")

NEAR_LEVEL = Bound(at_most=0.065)

ANYTHING = Bound()
"""No claim: what remains outside of what the test covers."""


def rare(random: np.random.Generator, systems: int, items: int, shares: Sequence[float]) -> LabelledRuns:
    """Equally good systems, which see the latent value behind the gold class with errors of which they share some."""
    return latent_runs(random, items, shares, np.ones(systems))


def latent_runs(random: np.random.Generator, items: int, shares: Sequence[float], deviations: Floats) -> LabelledRuns:
    """Systems that see the latent value behind the gold class with errors of these standard deviations, (S,)."""
    cuts = norm.ppf(np.cumsum(shares)[:-1])
    while True:
        value = random.standard_normal(items)
        gold = np.searchsorted(cuts, value)
        if len(np.unique(gold)) == len(shares):
            break
    shared = np.sqrt(0.3) * random.standard_normal(items)
    error = shared + np.sqrt(0.7) * random.standard_normal((len(deviations), items))
    estimates = (value + deviations[:, np.newaxis] * error) / np.sqrt(1 + deviations[:, np.newaxis] ** 2)
    systems = tuple(f"s{number}" for number in range(len(deviations)))
    return LabelledRuns(tuple(map(str, range(items))), gold, np.searchsorted(cuts, estimates), systems, SCALE)


def rare_scenario(systems: int, items: int, shares: Sequence[float], quick: int = 0, sets: int = 600) -> Scenario:
    """Equal systems under measures that are no means."""
    measures = [measure(measure_name) for measure_name in MEASURES]

    def simulate(random: np.random.Generator) -> Outcome:
        every = count_groups(rare(random, systems, items, shares), None, random).parts(measures)
        return {
            measure_name: bool(compare_pairs(Evidence.draw([parts], random, 499)).significant.any())
            for measure_name, parts in zip(MEASURES, every, strict=True)
        }

    name = f"{systems} equal systems, {items:,} items, {shares[-1] * items:.0f} of a class"
    return Scenario(name, sets, quick, simulate, dict.fromkeys(MEASURES, NEAR_LEVEL))


def lognormal(random: np.random.Generator, items: int, systems: int) -> Floats:
    """Scores of items with mean 0, (N, S): the last system is constant."""
    scores: Floats = random.lognormal(0.0, 1.0, (items, systems)) - np.exp(0.5)
    scores[:, -1] = 0.0
    return scores


def catastrophe(random: np.random.Generator, items: int, systems: int) -> Floats:
    """A system that fails on an item of fifty, and is slightly better on the others; its mean is that of another."""
    fails = random.random(items) < 0.02
    first = np.where(fails, -1.0, 0.02 / 0.98) + 0.005 * random.standard_normal(items)
    return np.stack([first, np.zeros(items)], axis=1)


def normal(random: np.random.Generator, items: int, systems: int) -> Floats:
    """Scores of items that are normal, (N, S)."""
    return random.standard_normal((items, systems))


def outcome_of(parts: Parts, random: np.random.Generator, *, warned: bool) -> Outcome:
    """Whether equal systems are found to differ."""
    tests = compare_pairs(Evidence.draw([parts], random, 499))
    return {"rejected without a warning": bool(tests.significant.any()) and not warned}


def score_scenario(
    name: str, draw: Callable[..., Floats], items: int, systems: int, claim: Bound, quick: int = 0
) -> Scenario:
    """Scores of items of systems of the same mean."""

    def simulate(random: np.random.Generator) -> Outcome:
        return outcome_of(
            parts_of_sums(draw(random, items, systems), np.ones(items, dtype=np.int64)), random, warned=False
        )

    return Scenario(f"{name}, {items} items", 1000, quick, simulate, {"rejected without a warning": claim})


def _sizes(random: np.random.Generator, clusters: int, warns: bool) -> Outcome:
    """Two systems of the same mean over items, whose difference in a cluster goes with its size."""
    weights = random.lognormal(0.0, 0.6, clusters)
    sizes = np.maximum(1, np.round(20 * weights)).astype(np.int64)
    # The mean over the items of difference ∝ size − E[size²] / E[size] is 0.
    effect = 0.3 * (weights - np.exp(1.5 * 0.6**2)) + 0.3 * random.standard_normal(clusters)
    sums = np.stack([sizes * effect, np.zeros(clusters)], axis=1)
    return outcome_of(
        parts_of_sums(sums, sizes), random, warned=warns and effective_number(sizes) < MIN_EFFECTIVE_GROUPS
    )


def size_scenario(clusters: int, claim: Bound, quick: int = 0) -> Scenario:
    """Sizes of clusters that go with the difference; below 30 effective clusters findings carry a warning."""
    name = f"sizes of clusters that go with the difference, {clusters} clusters"
    return Scenario(
        name, 1000, quick, partial(_sizes, clusters=clusters, warns=True), {"rejected without a warning": claim}
    )


RARE = [
    rare_scenario(8, 300, (0.85, 0.12, 0.03), 100),
    rare_scenario(8, 1000, (0.87, 0.12, 0.01)),
    *(rare_scenario(systems, 100, (0.8, 0.15, 0.05), 40 * (systems == 14)) for systems in (14, 30, 60)),
    rare_scenario(60, 600, (0.8, 0.15, 0.05)),
    rare_scenario(8, 300, (0.5, 0.3, 0.2)),
]

SCORES = [
    score_scenario("two systems, skewed differences", lognormal, 30, 2, Bound(at_most=0.08), 300),
    score_scenario("two systems, skewed differences", lognormal, 100, 2, Bound(at_most=0.07)),
    score_scenario("two systems, skewed differences", lognormal, 400, 2, NEAR_LEVEL),
    score_scenario("a constant and 7 skewed systems", lognormal, 50, 8, Bound(at_most=0.10), 100),
    score_scenario("a constant and 7 skewed systems", lognormal, 200, 8, Bound(at_most=0.07)),
    score_scenario("8 equal systems, normal scores", normal, 30, 8, Bound(at_most=0.05), 100),
    score_scenario("a failure on an item of fifty", catastrophe, 30, 2, ANYTHING),
    score_scenario("a failure on an item of fifty", catastrophe, 100, 2, ANYTHING),
    *(size_scenario(clusters, Bound(at_most=0.08), 100 * (clusters == 40)) for clusters in (20, 40, 100)),
]
