"""Simulated acc-eq and soft pairwise accuracy: tests of measures that are equally accurate, and intervals."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from metaeval.stats.correlation import correlate, correlation_intervals
from metaeval.stats.correlation_tests import swap_tests
from metaeval.stats.decisions import accuracy_intervals, accuracy_tests, calibrated_accuracy
from metaeval.stats.intervals import fisher_interval
from metaeval.stats.soft_accuracy import soft_accuracy, soft_effects, soft_intervals, soft_tests
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
    items, fixed_quality = ITEMS[level], np.linspace(-0.8, 0.8, systems)
    quality = (0.5 * random.standard_normal(systems) if new else fixed_quality)[:, np.newaxis]

    def errors(*shape: int) -> Floats:
        independent = random.standard_normal((*shape, items))
        if clusters is None:
            return independent
        luck: Floats = random.standard_normal((*shape, clusters.max() + 1))[..., clusters]
        shared: Floats = np.sqrt(0.3) * luck + np.sqrt(0.7) * independent
        return shared

    common = 0.7 * random.standard_normal(items) if level != "system" else 0.0
    truth = quality + common + 0.7 * errors(systems)
    noise = 0.8 * errors(2, systems) + (OWN * random.standard_normal((2, systems, 1)) if new and items > 1 else 0.0)
    second = truth + ((NOISE_OF_NEW if new else NOISE)[level, systems] if rounded else 1.0) * noise[1]
    second = np.clip(np.round(second), -1, 1) if rounded else second
    return np.stack([truth + noise[0], second]), np.clip(np.round(1.2 * truth), -2, 2)


def accuracy_test_scenario(
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
    return Scenario(f"correlate, acc-eq at level {level}, {data}, {kind}, effects of {swap}", 600, quick, simulate,
                    {"rejected": claim})  # fmt: skip


def accuracy_scenario(systems: int, level: str, resampled: str, claim: Bound, *, new: bool) -> Scenario:
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
        interval = accuracy_intervals(metric[:1], human, level=level, resampled=resampled, resamples=400, seed=seed)
        return {"covers": interval.low[0] <= truth() <= interval.high[0]}

    kind = "new " if new else ""
    name = f"correlate, acc-eq at level {level}, {systems} {kind}systems, interval of {resampled}"
    return Scenario(name, 400, 0, simulate, {"covers": claim})


def judged(random: np.random.Generator, systems: int, *, new: bool, clusters: Codes | None) -> tuple[Floats, Floats]:
    """Two measures with the same soft pairwise accuracy, (2, S, N), and human scores, (S, N), of 200 items."""
    items = 200
    fixed = np.linspace(-0.25, 0.25, systems)[:, np.newaxis]
    quality = 0.15 * random.standard_normal((systems, 1)) if new else fixed
    liked = 0.07 * np.resize([1, -1, -1, 1, 1], systems)[:, np.newaxis]
    effects = 0.07 * random.standard_normal((2, systems, 1)) if new else liked

    def errors(*shape: int) -> Floats:
        independent = random.standard_normal((*shape, items))
        if clusters is None:
            return independent
        luck: Floats = random.standard_normal((*shape, clusters.max() + 1))[..., clusters]
        shared: Floats = np.sqrt(0.3) * luck + np.sqrt(0.7) * independent
        return shared

    quality = quality + 0.7 * random.standard_normal(items)
    return quality + effects + 0.8 * errors(2, systems), quality + 0.7 * errors(systems)


def soft_scenario(
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
    name = f"correlate, soft-pairwise, {data}, effects of {swap}"
    return Scenario(name, 400, quick, simulate, {"rejected": claim})


def soft_interval_scenario(systems: int, resampled: str, claim: Bound, *, new: bool) -> Scenario:
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
        low, high = soft_intervals(soft_effects(metric[:1], human), values, resampled=resampled)
        return {"covers": low[0] <= truth() <= high[0]}

    name = f"correlate, soft-pairwise, {systems} {'new ' if new else ''}systems, interval of {resampled}"
    return Scenario(name, 400, 0, simulate, {"covers": claim})


@dataclass(frozen=True)
class World:
    """New systems with scores by people and by measures, each of which favours some systems.

    spread: deviation of the quality of systems. bias: of the effects of systems on a measure. skewed: whether quality
    is exponential. ties: whether people have three values, and measures two.
    """

    systems: int
    items: int = 50
    spread: float = 1.0
    bias: float = 0.5
    skewed: bool = False
    ties: bool = False

    def draw(self, random: np.random.Generator, measures: int = 1) -> tuple[Floats, Floats]:
        """Scores of equally good measures, (M, S, N), and human scores, (1, S, N)."""
        shape = (self.systems, self.items)
        quality = random.exponential(size=self.systems) if self.skewed else random.standard_normal(self.systems)
        scores = self.spread * quality[:, np.newaxis] + 0.7 * random.standard_normal(self.items)
        human = scores + random.standard_normal(shape)
        effects = self.bias * random.standard_normal((measures, self.systems, 1))
        metric = scores + effects + random.standard_normal((measures, *shape))
        if self.ties:
            metric, human = (metric > 0).astype(np.float64), np.clip(np.round(human), -1, 1)
        return metric, human[np.newaxis]

    def __str__(self) -> str:
        kind = "skewed " if self.skewed else "similar " if self.spread < 1 else "new "
        return f"{self.systems} {kind}systems, {self.items} items" + (", ties" if self.ties else "")


def world_scenario(
    world: World, level: str, coefficient: str, resampled: str = "both", quick: int = 0, claim: Bound = NEAR
) -> Scenario:
    """The interval of a correlation; the truth is the mean on such data. It must hold the value and have a width."""

    @cache
    def truth() -> float:
        random = np.random.default_rng(1)
        sets = (world.draw(random) for _ in range(4 * TRUTHS))
        return float(np.mean([correlate(*scores, level=level, coefficient=coefficient).values for scores in sets]))

    def simulate(random: np.random.Generator) -> dict[str, float]:
        metric, human = world.draw(random)
        value = correlate(metric, human, level=level, coefficient=coefficient)
        if resampled == "fisher":
            low, high = fisher_interval(value.values, value.units, coefficient=coefficient)
        else:
            low, high = correlation_intervals(
                metric, human, level=level, coefficients=[coefficient], resampled=resampled
            )[coefficient]
        without_fault = low[0, 0] <= value.values[0, 0] <= high[0, 0] and low[0, 0] < high[0, 0]
        return {"covers": low[0, 0] <= truth() <= high[0, 0], "has a width and its value": without_fault}

    name = f"correlate, level {level}, {coefficient}, {world}, interval of {resampled}"
    claims = {"covers": claim, "has a width and its value": Bound(at_least=1.0, exactly=True)}
    return Scenario(name, 1000, quick, simulate, claims)


def favour_scenario(world: World, level: str, coefficient: str, swap: str, claim: Bound, quick: int = 0) -> Scenario:
    """The test of two equally good measures, each of which favours some systems."""

    def simulate(random: np.random.Generator) -> dict[str, float]:
        metric, human = world.draw(random, measures=2)
        seed = int(random.integers(1 << 31))
        test = swap_tests(
            metric, human[0], level=level, coefficients=[coefficient], swap=swap, resamples=199, seed=seed
        )[coefficient]
        return {"rejected": test.p[0, 1] <= 0.05}

    name = f"correlate, level {level}, {coefficient}, {world}, measures that favour some, swaps of {swap}"
    return Scenario(name, 1000, quick, simulate, {"rejected": claim})


def power_scenario(systems: int, level: str, swap: str, claim: Bound) -> Scenario:
    """The test of acc-eq of a measure with larger errors than the other; claim: the share of sets that show it."""

    def simulate(random: np.random.Generator) -> dict[str, float]:
        metric, human = decided(random, systems, level, rounded=False)
        metric[1] += 0.6 * random.standard_normal(human.shape)
        test = accuracy_tests(metric, human, level=level, swap=swap, resamples=199, seed=int(random.integers(1 << 31)))
        return {"shown": test.p[0, 1] <= 0.05}

    name = f"correlate, acc-eq at level {level}, {systems} systems, one better, effects of {swap}"
    return Scenario(name, 600, 0, simulate, {"shown": claim})


SKEWED, SIMILAR = World(10, skewed=True), World(14, spread=0.3, bias=0.1)
AT_LEAST = Bound(at_least=0.93)
LEVEL_OF_SYSTEMS = Bound(at_most=0.065)

SCENARIOS = [
    *(
        accuracy_test_scenario(systems, "item", swap, 20 * (systems == 14))
        for systems in (6, 14, 30)
        for swap in ("items", "both")
    ),
    accuracy_test_scenario(14, "item", "items", rounded=False),
    *(accuracy_test_scenario(14, "item", swap, clustered=True) for swap in ("items", "both")),
    *(accuracy_test_scenario(14, "item", swap, rounded=False, new=True) for swap in ("both", "systems")),
    *(accuracy_test_scenario(14, "item", swap, new=True) for swap in ("both", "systems")),
    accuracy_test_scenario(14, "item", "items", new=True, claim=Bound(at_least=0.08)),
    *(accuracy_test_scenario(systems, "by-system", "both") for systems in (6, 14, 30)),
    accuracy_test_scenario(14, "by-system", "items", clustered=True),
    *(accuracy_test_scenario(systems, "global", "both") for systems in (6, 14, 30)),
    accuracy_test_scenario(14, "global", "items", clustered=True),
    *(accuracy_test_scenario(systems, "system", "systems", new=True) for systems in (6, 14)),
    accuracy_test_scenario(14, "system", "systems", new=True, rounded=False),
    *(soft_scenario(systems, swap, 20 * (systems == 14)) for systems in (14, 30) for swap in ("items", "both")),
    *(soft_scenario(systems, "both", new=True) for systems in (6, 14, 30)),
    *(soft_scenario(14, swap, number=30) for swap in ("items", "both")),
    *(accuracy_scenario(systems, "item", "items", NEAR, new=False) for systems in (14, 30)),
    *(accuracy_scenario(systems, "item", "both", COVERAGE, new=True) for systems in (14, 30)),
    *(accuracy_scenario(14, level, "both", COVERAGE, new=True) for level in ("by-system", "global")),
    accuracy_scenario(14, "system", "systems", NEAR, new=True),
    *(soft_interval_scenario(systems, "items", COVERAGE, new=False) for systems in (14, 30)),
    *(soft_interval_scenario(systems, "both", COVERAGE, new=True) for systems in (6, 14, 30)),
    *(
        world_scenario(World(systems), "system", coefficient, claim=AT_LEAST)
        for coefficient in ("pearson", "spearman", "kendall-b", "kendall-a", "kendall-c", "pairwise-accuracy")
        for systems in (14, 30)
    ),
    world_scenario(SKEWED, "system", "pearson", quick=100, claim=AT_LEAST),
    world_scenario(SKEWED, "system", "kendall-b", claim=AT_LEAST),
    *(world_scenario(World(10), "system", "kendall-b", resampled, claim=AT_LEAST) for resampled in ("both", "fisher")),
    world_scenario(World(10, 60, ties=True), "system", "kendall-b", quick=100, claim=AT_LEAST),
    *(world_scenario(World(14, 60, ties=True), level, "kendall-b") for level in ("item", "global", "by-system")),
    *(
        world_scenario(SIMILAR, level, coefficient, quick=30 * (coefficient == "kendall-b"))
        for level in ("item", "global", "by-system")
        for coefficient in ("kendall-b", "pearson")
    ),
    *(
        favour_scenario(World(14, bias=0.3), "system", coefficient, swap, claim, quick=50 * (coefficient == "pearson"))
        for coefficient in ("pearson", "kendall-b")
        for swap, claim in (("systems", LEVEL_OF_SYSTEMS), ("both", Bound(at_least=0.1)))
    ),
    favour_scenario(World(14, bias=0.3), "item", "kendall-b", "systems", LEVEL_OF_SYSTEMS),
    *(
        power_scenario(systems, level, swap, Bound(at_least=least))
        for systems, level, least in ((6, "item", 0.3), (14, "item", 0.7), (6, "by-system", 0.3), (6, "global", 0.4))
        for swap in ("items", "both")
    ),
]  # fmt: skip
