"""Made-up reports of discriminative power, what explains it, and how much data it takes."""

import math
from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np
from render.made_up import report
from render.plottable import CLASSES, table

from metaeval.model.report import Report, Table

Names = Sequence[str]
PROPERTIES = ("ordinal-invariance", "bounded", "swap")


def verdicts(systems: Names, measures: Names) -> tuple[Report, Report]:
    """All pairs with tiers and the rest; then the first with the others."""
    some = np.random.default_rng(20201).uniform
    parts = [recommend(measures), *power(systems, measures), tiers(systems, measures)]
    parts += [plan_curve(measures), contributions(systems, measures), axioms(measures)]
    rows = [
        [measure, systems[0], other, (low := some(-0.5, 0.4)) + 0.05, low, low + 0.1, systems[0] if low > 0 else ""]
        for measure in measures
        for other in systems[1:]
    ]
    heads = ["measure", "system", "other", "difference", "low", "high", "better"]
    parts += [comparisons(systems, measures), standings(systems, measures)]
    return report(*parts), report(table("comparisons", heads, rows))


def comparisons(systems: Names, measures: Names) -> Table:
    """The pairs of systems, of which the first one of the first two is better."""
    rows = [
        [measure, *pair, 0.0004 if better else 0.25, better]
        for measure in measures
        for pair in combinations(systems, 2)
        for better in [systems[0] if pair == (*systems[:2],) else ""]
    ]
    return table("comparisons", ["measure", "system", "other", "p_adjusted", "better"], rows)


def standings(systems: Names, measures: Names) -> Table:
    """Submissions of which each is a little better and much slower than the next, so that all are Pareto-optimal."""
    scores = [0.9 - 0.01 * index for index, _ in enumerate(systems)]
    rows = [
        [name, score, score - 0.05, score + 0.05, 100 * score, True]
        for name, score in zip(systems, scores, strict=True)
    ]
    return table("standings", ["system", measures[0], "low", "high", "seconds", "pareto"], rows)


def recommend(measures: Names) -> Table:
    """A measure to use; the second, in use, and the third pass; not the others, of which the fifth is undefined."""
    verdicts_of = [["use", ""], ["passes", "official"], ["passes", ""], *[["do not use", ""]] * len(measures)]
    rows: list[list[Any]] = []
    for index, (name, verdict) in enumerate(zip(measures, verdicts_of, strict=False)):
        value = math.nan if index == 4 else 0.9 - index % 10 / 10
        rows.append([name, *verdict, value, value - 0.05, value + 0.05, "gamed" if index > 2 else ""])
    heads = ["measure", "verdict", "role", "reliability", "ci_low", "ci_high", "reason"]
    return table("recommend", heads, rows, title=f"Verdict on {len(measures)} measures")


def power(systems: Names, measures: Names) -> list[Table]:
    pairs = list(combinations(systems, 2))
    curves, main = [], []
    for index, measure in enumerate(measures):
        p = np.linspace(0, 1, len(pairs) + 1)[1:] ** (index + 2)
        share = float((p <= 0.05).mean()) if len(p) else math.nan
        main.append([measure, "tukey" if index % 2 else "bootstrap", share])
        curves += [
            [measure, rank, *pair, 0.1, float(value) / 9, float(value)]
            for rank, (pair, value) in enumerate(zip(pairs, p, strict=True), start=1)
        ]
    title = "Discriminative power: pairs of systems found different at 0.05"
    return [
        table("power", ["measure", "test", "power"], main, title=title),
        table("power_differences", ["measure", "rank", "system", "other", "difference", "p", "p_adjusted"], curves),
    ]


def tiers(systems: Names, measures: Names) -> Table:
    rows: list[list[Any]] = [
        [
            measure,
            system,
            *(float(index), max(1.0, index - 1.0), index + 1.0),
            *(-0.1 * index, -0.1 * index - 0.15, -0.1 * index + 0.15),
            (index + 1) // 2,
            chr(97 + index % 26),
        ]
        for measure in measures
        for index, system in enumerate(systems, start=1)
    ]
    heads = ["measure", "system", "rank", "rank_low", "rank_high", "difference", "low", "high", "tier", "letters"]
    return table("tiers", heads, rows)


def plan_curve(measures: Names) -> Table:
    goals = ("tau ≥ 0.9", "difference of 0.05 with power 0.8", "interval of width 0.2, systems")
    rows = []
    for goal in goals:
        for index, measure in enumerate(measures):
            for n in (50, 100, 1000):
                value = n / (n + 50 + 10 * index)
                rows.append([measure, goal, n, value, value - 0.1, value + 0.1])
    return table("plan_curve", ["measure", "goal", "n", "value", "low", "high"], rows)


def contributions(systems: Names, measures: Names) -> Table:
    rng = np.random.default_rng(7)
    wrong = [(gold, predicted) for gold in CLASSES for predicted in CLASSES if gold != predicted]
    rows = [[*pair, *cell, 3, 4, *rng.normal(size=2).tolist()] for pair in combinations(systems, 2) for cell in wrong]
    heads = ["system", "other", "gold", "predicted", "items", "items_other", measures[0], f"other {measures[-1]}"]
    return table("contributions", heads, rows)


def axioms(measures: Names) -> Table:
    rows = [[name, True, index % 2 == 0, None if index else False] for index, name in enumerate(measures)]
    return table("axioms", ["measure", *PROPERTIES], rows)
