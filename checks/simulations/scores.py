"""Intervals of single scores: shares, skewed means, rare classes, unequal clusters, crossed columns, runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from metaeval.inference.parts import Parts
from metaeval.inference.scores import find_more, score_intervals
from metaeval.measures import measure
from metaeval.scoring.confusion import counts_of
from metaeval.scoring.parts import count_groups
from simulations.generators import SCALE, Floats, correct_items, grid, unequal_clusters
from simulations.hard import rare
from simulations.runs import draw_runs, parts_of_runs
from simulations.scenarios import Bound, Outcome, Scenario, groupings_of

HARD = Bound(at_least=0.93)
COVERAGE = Bound(at_least=0.94)
SHARE, ANY = (0.0, 1.0), (-np.inf, np.inf)

Draw = Callable[[np.random.Generator], Sequence[Parts]]


def score_scenario(
    name: str, draw: Draw, truth: float, bounds: tuple[float, float], claim: Bound = HARD, quick: int = 0
) -> Scenario:
    """One system with a known true score."""

    def simulate(random: np.random.Generator) -> Outcome:
        low, high = score_intervals(draw(random), bounds)
        return {"intervals": bool(low[0] <= truth <= high[0])}

    return Scenario(f"one score, {name}", 2000, quick, simulate, {"intervals": claim})


def one(draw: Callable[[np.random.Generator], Floats]) -> Draw:
    """The parts of scores of items, (N,)."""
    return lambda random: groupings_of(draw(random)[np.newaxis], [])


def class_scenario(items: int, shares: Sequence[float], claim: Bound, quick: int = 0) -> Scenario:
    """Macro-F1 and kappa of a system that finds a rare class less often than the others."""
    measures = [measure("macro-f1"), measure("kappa")]

    many = counts_of(rare(np.random.default_rng(9), 1, 2_000_000, shares))
    true_scores = [float(statistic(many, SCALE)[0]) for statistic in measures]

    def simulate(random: np.random.Generator) -> Outcome:
        outcome, runs = {}, rare(random, 1, items, shares)
        more = find_more(counts_of(runs))
        every = count_groups(runs, None, random).parts(measures)
        for statistic, parts, truth in zip(measures, every, true_scores, strict=True):
            low, high = score_intervals([parts.without_pairs], statistic.bounds, others=statistic(more, SCALE))
            outcome[f"intervals of {statistic}"] = bool(low[0] <= truth <= high[0])
        return outcome

    name = f"one score, {items:,} items, {shares[-1] * items:.0f} of a class"
    claims = {"intervals of macro-f1": claim, "intervals of kappa": HARD}
    return Scenario(name, 2000, quick, simulate, claims)


def _with_runs(random: np.random.Generator) -> Sequence[Parts]:
    return [parts_of_runs(*draw_runs(random, [5] * 4, np.full(4, 0.1), item_deviation=0.7))]


def _scenarios() -> list[Scenario]:
    clusters, (rows, columns), luck = unequal_clusters(20, 300), grid(25, 25), np.array([0.7])
    mean = float(np.exp(0.5))
    return [
        *(
            score_scenario(
                f"a share of {share:g} of {items} items",
                one(lambda random, share=share, items=items: (random.random(items) < share) * 1.0),  # type: ignore[misc]
                share,
                SHARE,
                COVERAGE if share == 0.5 else HARD,
                200 * (items == 30),
            )
            for share in (0.5, 0.97)
            for items in (30, 100)
        ),
        *(
            score_scenario(
                f"a skewed mean of {items} items",
                one(lambda random, items=items: random.lognormal(0.0, 1.0, items)),  # type: ignore[misc]
                mean,
                (0.0, np.inf),
                claim,
                200 * (items == 100),
            )
            for items, claim in ((30, Bound(at_least=0.92)), (100, HARD), (400, COVERAGE))
        ),
        score_scenario("a normal mean of 30 items", one(lambda random: random.standard_normal(30)), 0.0, ANY, COVERAGE),
        score_scenario(
            "20 unequal clusters",
            lambda random: groupings_of(correct_items(random, luck, 300, luck=[(clusters, 0.2)]), [clusters]),
            0.7,
            SHARE,
            quick=200,
        ),
        score_scenario(
            "crossed 25 × 25",
            lambda random: groupings_of(
                correct_items(random, luck, 625, luck=[(rows, 0.15), (columns, 0.15)]), [rows, columns]
            ),
            0.7,
            SHARE,
            quick=100,
        ),
        score_scenario("5 runs", _with_runs, 0.0, ANY),
        class_scenario(300, (0.5, 0.3, 0.2), HARD),
        class_scenario(300, (0.85, 0.12, 0.03), HARD, 100),
        class_scenario(1000, (0.87, 0.12, 0.01), HARD),
        class_scenario(100, (0.8, 0.15, 0.05), HARD),
    ]


SCENARIOS = _scenarios()
