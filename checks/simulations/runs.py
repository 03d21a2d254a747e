"""Differences of systems with repeated runs, on other items and other runs of the systems."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from metaeval.inference.pairs import Evidence, compare_pairs
from metaeval.inference.parts import Parts, RunVariance
from metaeval.inference.runs import compare_runs
from simulations.generators import Codes, Floats, parts_of_sums
from simulations.scenarios import Bound, Outcome, Scenario

ITEMS = 200


def parts_of_runs(scores: Floats, system_of_run: Codes) -> Parts:
    """The parts of the mean scores over runs; scores: of items, (R, N)."""
    parts = parts_of_sums(np.ascontiguousarray(scores.T), np.ones(scores.shape[1], dtype=np.int64))
    systems = range(int(system_of_run.max()) + 1)
    means = np.stack([parts.parts[:, system_of_run == system].mean(axis=1) for system in systems], axis=1)
    return Parts(means.mean(axis=0), means, parts.sizes, runs=RunVariance.of(parts, system_of_run))


def draw_runs(
    random: np.random.Generator,
    runs: Sequence[int],
    deviation: Floats,
    *,
    item_deviation: float,
    same_items: bool = False,
) -> tuple[Floats, Codes]:
    """Scores of items of equal systems, (R, N), and the system of each run.

    runs: of each system. deviation: of the runs of each system, (S,), those of items being about 1. item_deviation:
    deviation of runs on single items. same_items: whether the systems are equal on these items, too.
    """
    system_of_run = np.repeat(np.arange(len(runs)), runs)
    system_scores = random.standard_normal(ITEMS) + 0.4 * random.standard_normal((len(runs), ITEMS))
    if same_items:
        system_scores -= system_scores.mean(axis=1, keepdims=True)
    run_effects = deviation[system_of_run] * random.standard_normal(len(system_of_run))
    scores = system_scores[system_of_run] + run_effects[:, np.newaxis]
    return scores + item_deviation * random.standard_normal(scores.shape), system_of_run


def run_scenario(
    name: str,
    runs: Sequence[int],
    deviation: Floats,
    quick: int = 0,
    *,
    level: float = 0.065,
    fixed_items: bool = False,
) -> Scenario:
    """Equal systems whose runs vary; items alone are too little to tell their differences from chance.

    fixed_items: whether other runs are on the same items, on which true differences are those of these items.
    """

    def simulate(random: np.random.Generator) -> Outcome:
        scores, system_of_run = draw_runs(random, runs, deviation, item_deviation=0.7, same_items=fixed_items)
        evidence = Evidence.draw([parts_of_runs(scores, system_of_run)], random, 499).with_other_runs(random)
        tests = compare_runs(evidence) if fixed_items else compare_pairs(evidence)
        covers = bool(((tests.low <= 0) & (tests.high >= 0)).all())
        return {"rejected": bool(tests.significant.any()), "intervals": covers}

    claims = {"rejected": Bound(at_most=level), "intervals": Bound(at_least=1 - level)}
    on = ", same items" if fixed_items else ""
    return Scenario(f"{len(runs)} equal systems, {name}{on}", 1000, quick, simulate, claims)


UNLIKE = "runs of one system that vary much more"

PATTERNS: dict[str, Callable[[int], Floats]] = {
    "runs without an effect": np.zeros,
    "runs that vary a little": lambda systems: np.full(systems, 0.05),
    "runs that vary much": lambda systems: np.full(systems, 0.5),
    UNLIKE: lambda systems: np.append(0.4, np.full(systems - 1, 0.1)),
    "runs that vary differently": lambda systems: 0.2 * np.exp(np.linspace(-1, 1, systems)),
}

UNEQUAL = [3, 3, 4, 5, 5, 8, 10, 10]
"""Numbers of runs of eight systems."""

SCENARIOS = [
    *(
        run_scenario(
            f"{number} {name}",
            [number] * systems,
            pattern(systems),
            100 * ((systems, number, name) in ((2, 3, "runs that vary much"), (8, 3, "runs that vary a little"))),
            level=0.08 if number == 3 and name == UNLIKE else 0.065,
        )
        for systems in (2, 4, 8)
        for number in (3, 5, 10)
        for name, pattern in PATTERNS.items()
    ),
    run_scenario("3 to 10 runs that vary much", UNEQUAL, np.full(8, 0.5)),
    run_scenario("3 to 10 runs that vary a little", UNEQUAL, np.full(8, 0.05)),
    *(
        run_scenario(f"{number} runs", [number] * systems, np.full(systems, 0.2), 100 * (number == 3), fixed_items=True)
        for systems in (2, 8)
        for number in (3, 10)
    ),
    run_scenario("3 to 10 runs", UNEQUAL, np.full(8, 0.2), fixed_items=True),
]
