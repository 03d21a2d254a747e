"""The best of several systems: its score, corrected for its having been chosen, and its probability to be the best."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from metaeval.inference.best import Scatter, correct_best, draw_winners
from metaeval.inference.parts import Parts
from metaeval.measures import measure
from metaeval.scoring.parts import count_groups
from simulations.generators import Floats, correct_items, unequal_clusters
from simulations.hard import latent_runs
from simulations.runs import draw_runs, parts_of_runs
from simulations.scenarios import Bound, Outcome, Scenario, groupings_of

SHARE, ANY = (0.0, 1.0), (-np.inf, np.inf)

Truth = Callable[[np.random.Generator, int], Floats]
"""True shares of items that so many systems get right."""


def equal(random: np.random.Generator, systems: int) -> Floats:
    """Of equal systems."""
    return np.full(systems, 0.7)


def ahead(distance: float, items: int) -> Truth:
    """Of equal systems and one that is ahead by so many standard errors of its score beside another."""

    def truth(random: np.random.Generator, systems: int) -> Floats:
        shares = np.full(systems, 0.7)
        shares[0] += distance * 0.37 / np.sqrt(items)
        return shares

    return truth


def near_one(random: np.random.Generator, systems: int) -> Floats:
    """Of equal systems that seldom fail."""
    return np.full(systems, 0.98)


def spread(random: np.random.Generator, systems: int) -> Floats:
    """Of systems of normal shares."""
    return np.clip(random.normal(0.7, 0.05, systems), 0.2, 0.95)


def outcome_of(
    parts: Sequence[Parts], truth: Floats, bounds: tuple[float, float], random: np.random.Generator
) -> Outcome:
    """Whether the interval covers the true score of the best system, and how far its probability is from the truth."""
    scatter, scores = Scatter.of(parts), parts[0].scores
    best = int(np.argmax(scores))
    if not scatter.varies:
        # The command corrects nothing.
        return {"corrected score covers": 1.0, "probability − truth": 0.0}
    winners = draw_winners(scores, scatter, random)
    corrected = correct_best(scores, best, scatter.errors, winners, bounds)
    is_best = truth == truth.max()
    return {
        "corrected score covers": corrected.low <= truth[best] <= corrected.high,
        "probability − truth": float(winners.best[best] - is_best[best] / is_best.sum()),
    }


def share_scenario(
    name: str,
    systems: int,
    items: int,
    truth: Truth,
    claims: dict[str, Bound],
    quick: int = 0,
    *,
    sets: int = 1000,
    clusters: bool = False,
) -> Scenario:
    """Systems whose shares of right items are known."""
    codes = unequal_clusters(items // 8, items)

    def simulate(random: np.random.Generator) -> Outcome:
        shares = truth(random, systems)
        worths = correct_items(random, shares, items, luck=[(codes, 0.2)] if clusters else [])
        return outcome_of(groupings_of(worths, [codes] if clusters else []), shares, SHARE, random)

    in_clusters = f" in {items // 8} unequal clusters" if clusters else ""
    return Scenario(f"best of {systems} systems, {items:,} items{in_clusters}, {name}", sets, quick, simulate, claims)


def macro_f1_scenario(
    systems: int, items: int, deviations: Floats, name: str, claims: dict[str, Bound], sets: int
) -> Scenario:
    """Systems that see classes with errors, under macro-F1; their true scores are those of many items."""
    f1, shares = measure("macro-f1"), (0.5, 0.3, 0.2)
    many = count_groups(
        latent_runs(np.random.default_rng(9), 400_000, shares, np.unique(deviations)), None, np.random.default_rng(1)
    )
    truth = many.parts([f1])[0].scores[np.searchsorted(np.unique(deviations), deviations)]

    def simulate(random: np.random.Generator) -> Outcome:
        (parts,) = count_groups(latent_runs(random, items, shares, deviations), None, random).parts([f1])
        return outcome_of([parts.without_pairs], truth, SHARE, random)

    return Scenario(f"best of {systems} systems, {items:,} items, macro-F1, {name}", sets, 0, simulate, claims)


def run_scenario(runs: Sequence[int], deviation: float, claims: dict[str, Bound]) -> Scenario:
    """Equal systems of which several runs are given."""

    def simulate(random: np.random.Generator) -> Outcome:
        scores, system_of_run = draw_runs(random, runs, np.full(len(runs), deviation), item_deviation=0.7)
        return outcome_of([parts_of_runs(scores, system_of_run)], np.zeros(len(runs)), ANY, random)

    number = "–".join(dict.fromkeys((str(min(runs)), str(max(runs)))))
    return Scenario(
        f"best of {len(runs)} equal systems, {number} runs that vary by {deviation:g}", 1000, 0, simulate, claims
    )


COVERS = {"corrected score covers": Bound(at_least=0.93, at_most=0.97)}
AT_LEAST = {"corrected score covers": Bound(at_least=0.93)}
"""Of scores with few values, near an end or of few items."""
CALIBRATED = {**COVERS, "probability − truth": Bound(at_least=-0.1, at_most=0.1, exactly=True)}
"""Of true scores that are drawn, too."""
SPREAD = np.linspace(0.8, 1.4, 20)


def _shares() -> list[Scenario]:
    every = []
    for systems, sets in ((5, 600), (20, 300), (100, 100)):
        for items in (100, 2000):
            covers = AT_LEAST if systems > items // 2 else COVERS
            every += [
                share_scenario("equal", systems, items, equal, covers, 60 * (systems == 5 and items == 100), sets=sets),
                share_scenario("one ahead by 3 errors", systems, items, ahead(3, items), covers, sets=sets),
                share_scenario("one ahead by 8 errors", systems, items, ahead(8, items), covers, sets=sets),
                share_scenario(
                    "spread", systems, items, spread, CALIBRATED, 30 * (systems == 20 and items == 100), sets=sets
                ),
            ]
    return every


SCENARIOS = [
    *_shares(),
    share_scenario("equal", 20, 800, equal, COVERS, sets=300, clusters=True),
    share_scenario("equal", 20, 400, equal, COVERS, sets=300, clusters=True),
    share_scenario("spread", 20, 800, spread, CALIBRATED, sets=300, clusters=True),
    macro_f1_scenario(20, 200, np.ones(20), "equal", COVERS, 200),
    macro_f1_scenario(20, 200, SPREAD, "spread", COVERS, 200),
    macro_f1_scenario(5, 1000, SPREAD[:5], "spread", COVERS, 200),
    *(
        share_scenario("near 1", systems, items, near_one, AT_LEAST, sets=300)
        for systems, items in ((5, 50), (20, 200))
    ),
    run_scenario([3] * 5, 0.1, COVERS),
    run_scenario([3, 3, 4, 5, 5, 8, 10, 10], 0.2, COVERS),
]
