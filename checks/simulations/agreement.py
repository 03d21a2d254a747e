"""Simulated agreement of annotators, and reliability of scores: intervals of coefficients, and tests of judges."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from metaeval.analyses.agreement.estimates import Statistic, estimate, widening
from metaeval.stats.leave_out import Level, alpha_without
from simulations.components import covers as covers_coefficient
from simulations.generators import Codes, Floats, ratings, unequal_clusters
from simulations.judges import replaces
from simulations.scenarios import COVERAGE, LEVEL, Bound, Outcome, Scenario

COVERS = "covers, or no interval"


def alpha_scenario(
    name: str,
    prevalence: Sequence[float],
    share: float,
    units: int,
    quick: int,
    claim: Bound,
    clusters: int = 0,
    *,
    annotators: int = 3,
) -> Scenario:
    """Annotators, whose nominal alpha is known: the share of labels that are not random, squared."""

    def simulate(random: np.random.Generator) -> Outcome:
        values = ratings(random, units, prevalence, share, clusters, annotators=annotators)
        return _covers_alpha(values, share**2, np.arange(units) % (clusters or units), level="nominal")

    return Scenario(name, 1000, quick, simulate, {COVERS: claim, "no interval": Bound()})


def _covers_alpha(values: Floats, true: float, groups: Codes, *, level: Level) -> Outcome:
    """Whether the interval covers or there is none, and whether there is none."""
    everything, lowest = np.ones(values.shape[1], dtype=bool), -1 / (len(values) - 1)
    statistic = Statistic("alpha", partial(alpha_without, level=level), everything, lowest)
    alpha = estimate(statistic, values, groups, wider=widening(values, groups))
    missing = np.isnan(alpha.low)
    return {COVERS: alpha.low <= true <= alpha.high or missing, "no interval": missing}


def number_scenario(annotators: int, alpha: float, units: int, quick: int, claim: Bound) -> Scenario:
    """Ratings from a normal distribution."""

    def simulate(random: np.random.Generator) -> Outcome:
        true, errors = random.standard_normal(units), random.standard_normal((annotators, units))
        values = np.sqrt(alpha) * true + np.sqrt(1 - alpha) * errors
        return _covers_alpha(values, alpha, np.arange(units), level="interval")

    return Scenario(f"alpha {alpha:g} of numbers, {units} units", 1000, quick, simulate, {COVERS: claim})


def _agreements() -> list[Scenario]:
    claim = Bound(at_least=0.93, at_most=0.97)
    wide = Bound(at_least=0.92)
    cases = {
        "two equally frequent labels": ([0.5, 0.5], 0.8),
        "a label of 80 %": ([0.8, 0.1, 0.1], 0.8),
        "three labels": ([0.6, 0.3, 0.1], 0.6),
    }
    rare, agreeing = ([0.9, 0.05, 0.05], 0.8), ([0.5, 0.5], 0.9**0.5)
    return [
        *(
            alpha_scenario(f"alpha, {units} units, {name}", *case, units, 200 if units == 30 else 0, wide)
            for name, case in cases.items()
            for units in (10, 30, 100)
        ),
        *(
            alpha_scenario(
                f"alpha, {units} units, two annotators who agree on 95 %", *agreeing, units, 200 if units == 10 else 0,
                wide, annotators=2,
            )
            for units in (10, 30, 100)
        ),
        *(alpha_scenario(f"alpha, {units} units, two labels of 5 %", *rare, units, 0, wide) for units in (10, 30, 100)),
        *(
            alpha_scenario(f"alpha, 30 units, 40 annotators, {name}", *case, 30, 0, wide, annotators=40)
            for name, case in (("a label of 80 %", cases["a label of 80 %"]), ("two labels of 5 %", rare))
        ),
        *(number_scenario(3, 0.7, units, 0, wide) for units in (10, 30, 100)),
        *(number_scenario(2, 0.95, units, 0, wide) for units in (10, 30, 100)),
        number_scenario(40, 0.5, 30, 200, wide),
        alpha_scenario("alpha, 40 clusters of 5 units", *cases["three labels"], 200, 200, claim, clusters=40),
        *_judges(),
        coefficient_scenario(14, 1, None, 200),
        coefficient_scenario(14, 1, 30, 0),
        coefficient_scenario(14, 3, None, 0),
        coefficient_scenario(8, 3, 30, 200),
        *(coefficient_scenario(systems, 1, None, 0, skewed=True) for systems in (8, 14, 50)),
    ]  # fmt: skip


def coefficient_scenario(
    systems: int, runs: int, clusters: int | None, quick: int, *, skewed: bool = False
) -> Scenario:
    """Scores of 100 items, or of unequal clusters of three on average, from normal or exponential distributions."""
    codes = None if clusters is None else unequal_clusters(clusters, 3 * clusters)
    items = 100 if codes is None else len(codes)

    def simulate(random: np.random.Generator) -> Outcome:
        return {"covered": covers_coefficient(random, systems, runs, codes, items, skewed=skewed)}

    data = f"{items} items" if clusters is None else f"{clusters} unequal clusters"
    repeated = f" of {runs} runs" if runs > 1 else ""
    name = f"coefficient, {systems} systems{repeated}, {data}{', exponential effects' if skewed else ''}"
    claim = Bound(at_least=0.92) if skewed else COVERAGE
    return Scenario(name, 1000, quick, simulate, {"covered": claim})


def judge_scenario(number: int, right: float, luck: float, quick: int, claim: Bound, *, used: bool = True) -> Scenario:
    """A judge that is worse than an annotator by the allowance, with luck with unequal clusters of 15 units."""
    codes = unequal_clusters(number, 15 * number)

    def simulate(random: np.random.Generator) -> Outcome:
        return {"replaces": replaces(random, codes, right, luck, used=used)}

    never = " that is never closer than the annotator" if right == 1 else ""
    withheld = "" if used else ", withheld"
    name = f"judge{never}, {number} unequal clusters, luck {luck:g}{withheld}"
    return Scenario(name, 1000, quick, simulate, {"replaces": claim})


def _judges() -> list[Scenario]:
    skewed = Bound(at_most=0.1)
    return [
        judge_scenario(20, 0.85, 0.2, 200, LEVEL),
        judge_scenario(40, 0.85, 0.2, 0, LEVEL),
        judge_scenario(40, 0.85, 0.5, 200, LEVEL),
        judge_scenario(40, 0.85, 0.5, 100, Bound(at_least=0.2), used=False),
        judge_scenario(20, 1.0, 0.5, 0, skewed),
        judge_scenario(100, 1.0, 0.5, 100, skewed),
    ]


SCENARIOS = _agreements()
