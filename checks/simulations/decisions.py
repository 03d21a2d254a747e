"""Simulated acc-eq and soft pairwise accuracy: tests of measures that are equally accurate, and intervals."""

from __future__ import annotations

from functools import cache

import numpy as np

from metaeval.stats.correlation import bootstrap_intervals, correlate
from metaeval.stats.decisions import accuracy_intervals, accuracy_tests, calibrated_accuracy
from metaeval.stats.soft_accuracy import soft_accuracy, soft_intervals, soft_tests
from simulations.generators import Codes, Floats, unequal_clusters
from simulations.scenarios import COVERAGE, LEVEL, Bound, Scenario

ITEMS = {"item": 200, "by-system": 60, "global": 60, "system": 1}
"""Items of a data set, by level."""

NOISE = {
    ("item", 6): 0.788, ("item", 14): 0.846, ("item", 30): 0.862, ("by-system", 6): 0.738, ("by-system", 14): 0.747,
    ("by-system", 30): 0.748, ("global", 6): 0.702, ("global", 14): 0.717, ("global", 30): 0.719,
    ("system", 6): 0.487, ("system", 14): 0.654,
}  # fmt: skip
"""Errors of the measure of three values, in those of the other one, with which acc-eq is equal; by simulation."""

NOISE_OF_NEW = {**NOISE, ("item", 14): 0.876}
"""The same of new systems."""

OWN = 0.3
"""Deviation of the effects of new systems on a measure."""

NEAR = Bound(at_least=0.93, at_most=0.97)
TRUTHS = 400
"""Number of data sets whose mean value is the true one."""


def decided(
    random: np.random.Generator, systems: int, level: str, *, rounded: bool, new: bool = False,
    clusters: Codes | None = None,
) -> tuple[Floats, Floats]:  # fmt: skip
    """Two measures of the same acc-eq, (2, S, N), and human scores with ties, (S, N).

    rounded: whether the second one has three values, and smaller errors. new: whether systems are drawn, with effects
    on the measures, and not the same in all data sets. clusters: of items, which share a part of the errors.
    """
    items, known = ITEMS[level], np.linspace(-0.8, 0.8, systems)
    quality = (0.5 * random.standard_normal(systems) if new else known)[:, np.newaxis]

    def errors(*shape: int) -> Floats:
        own = random.standard_normal((*shape, items))
        if clusters is None:
            return own
        luck: Floats = random.standard_normal((*shape, clusters.max() + 1))[..., clusters]
        shared: Floats = np.sqrt(0.3) * luck + np.sqrt(0.7) * own
        return shared

    common = 0.7 * random.standard_normal(items) if level != "system" else 0.0
    truth = quality + common + 0.7 * errors(systems)
    noise = 0.8 * errors(2, systems) + (OWN * random.standard_normal((2, systems, 1)) if new and items > 1 else 0.0)
    second = truth + ((NOISE_OF_NEW if new else NOISE)[level, systems] if rounded else 1.0) * noise[1]
    second = np.clip(np.round(second), -1, 1) if rounded else second
    return np.stack([truth + noise[0], second]), np.clip(np.round(1.2 * truth), -2, 2)


def of_tests(
    systems: int, level: str, swap: str, quick: int = 0, *, rounded: bool = True, new: bool = False,
    clustered: bool = False, claim: Bound = LEVEL,
) -> Scenario:  # fmt: skip
    """The test of two measures with the same acc-eq."""
    clusters = unequal_clusters(30, ITEMS[level]) if clustered else None

    def simulate(random: np.random.Generator) -> dict[str, float]:
        metric, human = decided(random, systems, level, rounded=rounded, new=new, clusters=clusters)
        options = {"level": level, "swap": swap, "clusters": clusters, "resamples": 199}
        test = accuracy_tests(metric, human, seed=int(random.integers(1 << 31)), **options)  # type: ignore[arg-type]
        return {"rejected": test.p[0, 1] <= 0.05}

    kind = "different tie rates" if rounded else "exchangeable measures"
    data = f"{systems} {'new ' if new else ''}systems{', 30 unequal clusters' if clustered else ''}"
    return Scenario(f"correlate, acc-eq at level {level}, {data}, {kind}, signs of {swap}", 400, quick, simulate,
                    {"rejected": claim})  # fmt: skip


def of_accuracies(systems: int, level: str, resampled: str, claim: Bound, *, new: bool) -> Scenario:
    """The interval of acc-eq, of a measure on the same or on new systems; the truth is its mean on such data."""

    @cache
    def truth() -> float:
        random = np.random.default_rng(1)
        sets = (decided(random, systems, level, rounded=False, new=new) for _ in range(TRUTHS))
        values = (calibrated_accuracy(x[:1], y[np.newaxis], level=level).values[0, 0] for x, y in sets)
        return float(np.nanmean(list(values)))

    def simulate(random: np.random.Generator) -> dict[str, float]:
        metric, human = decided(random, systems, level, rounded=False, new=new)
        seed = int(random.integers(1 << 31))
        own = accuracy_intervals(metric[:1], human, level=level, resampled=resampled, resamples=400, seed=seed)
        return {"covers": own.low[0] <= truth() <= own.high[0]}

    kind = "new " if new else ""
    name = f"correlate, acc-eq at level {level}, {systems} {kind}systems, interval of {resampled}"
    return Scenario(name, 400, 0, simulate, {"covers": claim})


def judged(random: np.random.Generator, systems: int, *, new: bool, clusters: Codes | None) -> tuple[Floats, Floats]:
    """Two measures with the same soft pairwise accuracy, (2, S, N), and human scores, (S, N), of 200 items."""
    items = 200
    fixed = np.linspace(-0.25, 0.25, systems)[:, np.newaxis]
    quality = 0.15 * random.standard_normal((systems, 1)) if new else fixed
    liked = 0.07 * np.resize([1, -1, -1, 1, 1], systems)[:, np.newaxis]
    own = 0.07 * random.standard_normal((2, systems, 1)) if new else liked

    def errors(*shape: int) -> Floats:
        each = random.standard_normal((*shape, items))
        if clusters is None:
            return each
        luck: Floats = random.standard_normal((*shape, clusters.max() + 1))[..., clusters]
        shared: Floats = np.sqrt(0.3) * luck + np.sqrt(0.7) * each
        return shared

    quality = quality + 0.7 * random.standard_normal(items)
    return quality + own + 0.8 * errors(2, systems), quality + 0.7 * errors(systems)


def of_soft(
    systems: int, swap: str, quick: int = 0, *, new: bool = False, number: int = 0, claim: Bound = LEVEL
) -> Scenario:
    """The test of two measures with the same soft pairwise accuracy; number: of clusters."""
    clusters = unequal_clusters(number, 200) if number else None

    def simulate(random: np.random.Generator) -> dict[str, float]:
        metric, human = judged(random, systems, new=new, clusters=clusters)
        seed = int(random.integers(1 << 31))
        values = soft_accuracy(metric, human[np.newaxis], clusters=clusters, flips=199, seed=seed).values[:, 0]
        test = soft_tests(metric, human, values=values, swap=swap, clusters=clusters, resamples=199, seed=seed)
        return {"rejected": test.p[0, 1] <= 0.05}

    data = f"{systems} {'new ' if new else ''}systems{f', {number} unequal clusters' if number else ''}"
    name = f"correlate, soft-pairwise, {data}, bootstrap of {swap}"
    return Scenario(name, 400, quick, simulate, {"rejected": claim})


def of_soft_intervals(systems: int, resampled: str, claim: Bound, *, new: bool) -> Scenario:
    """The interval of soft pairwise accuracy; the truth is its mean on such data."""

    @cache
    def truth() -> float:
        random = np.random.default_rng(1)
        sets = (judged(random, systems, new=new, clusters=None) for _ in range(TRUTHS))
        return float(np.mean([soft_accuracy(x[:1], y[np.newaxis], flips=199).values[0, 0] for x, y in sets]))

    def simulate(random: np.random.Generator) -> dict[str, float]:
        metric, human = judged(random, systems, new=new, clusters=None)
        seed = int(random.integers(1 << 31))
        values = soft_accuracy(metric[:1], human[np.newaxis], flips=199, seed=seed).values[:, 0]
        low, high = soft_intervals(metric[:1], human, values=values, resampled=resampled, resamples=400, seed=seed)
        return {"covers": low[0] <= truth() <= high[0]}

    name = f"correlate, soft-pairwise, {systems} {'new ' if new else ''}systems, interval of {resampled}"
    return Scenario(name, 400, 0, simulate, {"covers": claim})


def world(random: np.random.Generator, systems: int, items: int) -> tuple[Floats, Floats]:
    """A measure with effects of systems on it, (1, S, N), and human scores, (1, S, N)."""
    quality = random.standard_normal((systems, 1)) + 0.7 * random.standard_normal(items)
    human = quality + random.standard_normal((systems, items))
    metric = quality + 0.5 * random.standard_normal((systems, 1)) + random.standard_normal((systems, items))
    return metric[np.newaxis], human[np.newaxis]


def of_default(systems: int, coefficient: str, claim: Bound = NEAR) -> Scenario:
    """The default interval at level system, of new systems and 50 items; the truth is the mean on such data."""

    @cache
    def truth() -> float:
        random = np.random.default_rng(1)
        sets = (world(random, systems, 50) for _ in range(4 * TRUTHS))
        return float(np.mean([correlate(*each, level="system", coefficient=coefficient).values for each in sets]))

    def simulate(random: np.random.Generator) -> dict[str, float]:
        low, high = bootstrap_intervals(
            *world(random, systems, 50), level="system", coefficients=[coefficient], resampled="both", resamples=400,
            seed=int(random.integers(1 << 31)),
        )[coefficient]  # fmt: skip
        return {"covers": low[0, 0] <= truth() <= high[0, 0]}

    name = f"correlate, level system, {coefficient}, {systems} new systems, interval of both"
    return Scenario(name, 1000, 0, simulate, {"covers": claim})


SCENARIOS = [
    *(of_tests(systems, "item", swap, 20 * (systems == 14)) for systems in (6, 14, 30) for swap in ("items", "both")),
    of_tests(14, "item", "items", rounded=False),
    *(of_tests(14, "item", swap, clustered=True) for swap in ("items", "both")),
    *(of_tests(14, "item", swap, rounded=False, new=True) for swap in ("both", "systems")),
    *(of_tests(14, "item", swap, new=True) for swap in ("both", "systems")),
    of_tests(14, "item", "items", new=True, claim=Bound(at_least=0.08)),
    *(of_tests(systems, "by-system", "both") for systems in (6, 14, 30)),
    of_tests(14, "by-system", "items", clustered=True),
    *(of_tests(systems, "global", "both") for systems in (6, 14, 30)),
    of_tests(14, "global", "items", clustered=True),
    *(of_tests(systems, "system", "systems", new=True) for systems in (6, 14)),
    of_tests(14, "system", "systems", new=True, rounded=False),
    *(of_soft(systems, swap, 20 * (systems == 14)) for systems in (14, 30) for swap in ("items", "both")),
    *(of_soft(systems, "both", new=True) for systems in (6, 14, 30)),
    *(of_soft(14, swap, number=30) for swap in ("items", "both")),
    *(of_accuracies(systems, "item", "items", NEAR, new=False) for systems in (14, 30)),
    *(of_accuracies(systems, "item", "both", COVERAGE, new=True) for systems in (14, 30)),
    *(of_accuracies(14, level, "both", COVERAGE, new=True) for level in ("by-system", "global")),
    of_accuracies(14, "system", "systems", NEAR, new=True),
    *(of_soft_intervals(systems, "items", NEAR, new=False) for systems in (14, 30)),
    *(of_soft_intervals(systems, "both", NEAR, new=True) for systems in (14, 30)),
    *(
        of_default(systems, coefficient)
        for coefficient in ("pearson", "spearman", "kendall-b", "kendall-a", "kendall-c", "pairwise-accuracy")
        for systems in (14, 30)
    ),
]  # fmt: skip
