"""Pairwise preferences: tau of metrics, shares of judges and strengths of systems, on verdicts with luck by item."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from metaeval.inference.pairs import compare_pairs
from metaeval.judges.preferences.compute import average_of, ratios_of
from metaeval.judges.preferences.groups import Groups
from metaeval.judges.preferences.judges import AGREEMENT, UNTIED_AGREEMENT, compare_judges
from metaeval.judges.preferences.leaderboards import compare_leaderboards
from metaeval.judges.preferences.strengths import strengths_of
from metaeval.judges.preferences.study import Verdicts
from simulations.generators import Codes, unequal_clusters
from simulations.scenarios import Bound, Outcome, Scenario

COVERED = Bound(at_least=0.93, at_most=0.97)
LEVEL = Bound(at_most=0.05)

Strengths = tuple[NDArray[np.float64], NDArray[np.float64]]
"""True strengths by people and by a judge."""


def outcomes(
    random: np.random.Generator, codes: Codes, chances: tuple[float | NDArray[np.float64], float], size: int
) -> NDArray[np.int8]:
    """1, 0 and −1 with these chances of 1 and 0, of which a third of the variance is luck with the item, (size, V)."""
    items = random.standard_normal((size, codes.max() + 1))[:, codes]
    luck = np.sqrt(1 / 3) * items + np.sqrt(2 / 3) * random.standard_normal((size, len(codes)))
    first, tied = chances
    return np.where(luck < ndtri(first), 1, np.where(luck < ndtri(first + tied), 0, -1)).astype(np.int8)


def metric_scenario(items: int, metrics: int, first: float, tied: float, quick: int) -> Scenario:
    """Metrics that are equally good, on verdicts of which a tenth are ties; three verdicts an item on average."""
    codes = unequal_clusters(items, 3 * items)
    expected = {
        "discordant": 2 * first - 1,
        "left-out": (2 * first + tied - 1) / (1 - tied),
        "half": 2 * first + tied - 1,
    }

    def simulate(random: np.random.Generator) -> Outcome:
        winner = random.choice(np.array([1, 0, -1], dtype=np.int8), len(codes), p=[0.45, 0.1, 0.45])
        agree = outcomes(random, codes, (first, tied), metrics)
        preferred = agree * np.where(winner, winner, 1)
        groups = Groups.of(codes, int(random.integers(1 << 30)))
        ratios = ratios_of(preferred.astype(np.float64), winner, groups)
        outcome: dict[str, float] = {}
        for name, truth in expected.items():
            one = groups.ratio(*(sums[:, 0] for sums in ratios[name]), null=0.0, lowest=-1.0)
            outcome[f"{name} covered"] = one.low <= truth <= one.high
            tests = compare_pairs(groups.evidence(*ratios[name]))
            outcome[f"{name} rejected"] = bool(tests.significant.any())
        return outcome

    name = f"{metrics} equal metrics, {items} items, {first:.0%} concordant, {tied:.0%} tied"
    claims = {f"{name} covered": COVERED for name in expected} | {f"{name} rejected": LEVEL for name in expected}
    return Scenario(name, 1000, quick, simulate, claims)


def average_scenario(items: int, metrics: int, firsts: tuple[float, float], tied: float, quick: int) -> Scenario:
    """Metrics with the same average over two language pairs of unequal size, which have half of their items in common.

    Every other metric is better on the other language pair.
    """
    pairs = unequal_clusters(items, 3 * items), unequal_clusters(items, 2 * items) + items // 2
    codes, pair = np.concatenate(pairs), np.repeat([0, 1], [len(pair_codes) for pair_codes in pairs])
    truth = sum(firsts) + tied - 1

    def simulate(random: np.random.Generator) -> Outcome:
        chances = [np.array(firsts[:: 1 if index % 2 else -1])[pair] for index in range(metrics)]
        agree = np.concatenate([outcomes(random, codes, (chance, tied), 1) for chance in chances]).astype(np.float64)
        groups = Groups.of(codes, int(random.integers(1 << 30)))
        winner = np.ones(len(codes), dtype=np.int8)
        pair_ratios = [
            ratios_of(agree[:, rows], winner[rows], replace(groups, codes=groups.codes[rows]))
            for rows in (pair == 0, pair == 1)
        ]
        averages = average_of(pair_ratios)
        outcome: dict[str, float] = {}
        for name in ("half", "left-out"):
            one = groups.ratio(*(sums[:, 0] for sums in averages[name]), null=0.0, lowest=-1.0)
            expected = truth if name == "half" else truth / (1 - tied)
            outcome[f"{name} covered"] = one.low <= expected <= one.high
            outcome[f"{name} rejected"] = bool(compare_pairs(groups.evidence(*averages[name])).significant.any())
        return outcome

    name = f"average of 2 language pairs, {metrics} equal metrics, {items} items, {firsts[0]:.0%} and {firsts[1]:.0%}"
    claims = {f"{name} covered": COVERED for name in ("half", "left-out")}
    claims |= {f"{name} rejected": LEVEL for name in ("half", "left-out")}
    return Scenario(name, 1000, quick, simulate, claims)


def judge_scenario(items: int, share: float, quick: int) -> Scenario:
    """A judge that prefers the first output in a share of the verdicts, of which an item has four on average."""
    codes = unequal_clusters(items, 4 * items)

    def simulate(random: np.random.Generator) -> Outcome:
        first = outcomes(random, codes, (share, 0.0), 1) > 0
        groups = Groups.of(codes, int(random.integers(1 << 30)))
        sums = groups.sums(np.stack([first[0], np.ones(len(codes))]).astype(np.float64)).T
        estimate = groups.ratio(*sums, null=0.5, lowest=0.0)
        tested = {"rejected": estimate.p <= 0.05} if share == 0.5 else {}
        return {"covered": estimate.low <= share <= estimate.high} | tested

    claims = {"covered": COVERED, **({"rejected": LEVEL} if share == 0.5 else {})}
    return Scenario(f"judge, {share:.0%} first, {items} items", 1000, quick, simulate, claims)


def differences_of_judges(items: int, judges: int, agree: float, tied: float, quick: int) -> Scenario:
    """Judges that agree equally often with one person, on verdicts in both orders; clusters of items are unequal."""
    codes = unequal_clusters(items, 2 * items)

    def simulate(random: np.random.Generator) -> Outcome:
        person = random.choice(np.array([1, 0, -1], dtype=np.int8), len(codes), p=[0.4, 0.2, 0.4])
        # In the second half, the order of the outputs is swapped.
        luck = [outcomes(random, codes, (agree, tied), judges) for _ in range(2)]
        winner = np.stack(
            [agreement * np.where(person, person, 1) * (1, -1)[half] for half, agreement in enumerate(luck)], axis=1
        )
        every = np.concatenate([person, winner.ravel()])
        sides = np.zeros(len(person), dtype=np.intp), np.ones(len(person), dtype=np.intp)
        left = np.concatenate([sides[0], np.tile(np.concatenate(sides), judges)])
        who = np.concatenate([sides[0], 1 + np.arange(2 * judges * len(person)) // (2 * len(person))])
        units = np.tile(np.arange(len(person)), 2 * judges + 1)
        names = tuple(f"judge {number}" for number in range(judges))
        verdicts = Verdicts(
            items=units, clusters=codes[units], left=left, right=1 - left, judges=who, winner=every.astype(np.int8),
            **(_other_fields(len(every), 2, len(person)) | {"names_of_judges": ("person", *names)}),
        )  # fmt: skip
        comparisons = compare_judges(verdicts, who > 0, int(random.integers(1 << 30)))
        return {f"{one.statistic} rejected": bool(one.tests.significant.any()) for one in comparisons}

    claims = {f"{name} rejected": LEVEL for name in (AGREEMENT, UNTIED_AGREEMENT)}
    return Scenario(f"{judges} equal judges, {items} items", 1000, quick, simulate, claims)


def strength_scenario(items: int, spread: float, quick: int) -> Scenario:
    """Five systems, and two pairs an item, of which each has one to three equal verdicts.

    Strengths are relative to the mean of those that are known. Intervals include open ones; of few items, some systems
    have none, which exclude nothing.
    """
    true = np.linspace(-spread, spread, 5)

    def simulate(random: np.random.Generator) -> Outcome:
        verdicts = _verdicts(random, true, items)
        groups = Groups.of(verdicts.clusters, int(random.integers(1 << 30)))
        strengths = strengths_of(verdicts, np.arange(len(verdicts.items)), "people", groups)
        if len(strengths.systems) < len(true) or len(strengths.members) > 1 or np.isnan(strengths.values).all():
            return {"intervals": 1.0, "rank sets": 1.0, "rejected": 0.0}
        is_defined, (low, high) = ~np.isnan(strengths.values), strengths.rank_sets
        relative = true - true[is_defined].mean()
        covered = (strengths.low <= relative) & (relative <= strengths.high) | np.isnan(strengths.low)
        best, worst = 1 + (true[:, np.newaxis] < true).sum(axis=1), (true[:, np.newaxis] <= true).sum(axis=1)
        return {
            "intervals": covered.mean(),
            "rank sets": ((low <= best) & (worst <= high)).all(),
            "rejected": (strengths.better & (true[:, np.newaxis] <= true)).any(),
        }

    claims = {
        "intervals": COVERED if items >= 50 else Bound(at_least=0.93),
        "rank sets": Bound(at_least=0.95),
        "rejected": LEVEL,
    }
    name = "equal systems" if not spread else f"systems of strength −{spread:g} to {spread:g}"
    return Scenario(f"5 {name}, {items} items", 400, quick, simulate, claims)


def leaderboard_scenario(systems: int, items: int, correlation: float, quick: int) -> Scenario:
    """True strengths by people and by a judge that are normal draws."""

    def draw(random: np.random.Generator) -> Strengths:
        both = random.standard_normal((2, systems))
        return both[0], correlation * both[0] + np.sqrt(1 - correlation**2) * both[1]

    name = f"leaderboards of {systems} systems correlated by {correlation:g}, {items} items"
    return _leaderboards(name, draw, items, quick, {"covered": Bound(at_least=0.93)})


def reversed_group_scenario(groups: int, apart: float, items: int, quick: int) -> Scenario:
    """Pairs of systems of nearly the same strength, which the judge reverses; groups are a strength of 1 apart."""
    middle, half = np.repeat(np.arange(groups), 2), np.tile([apart / 2, -apart / 2], groups)
    name = f"leaderboards of {groups} pairs of systems {apart:g} apart, reversed by the judge, {items} items"
    claims = {"covered, reversed groups": Bound(), "within bounds": Bound(at_least=0.95)}
    return _leaderboards(name, lambda _: (middle + half, middle - half), items, quick, claims)


def _leaderboards(
    name: str, draw: Callable[[np.random.Generator], Strengths], items: int, quick: int, covered: Mapping[str, Bound]
) -> Scenario:
    """Verdicts by people and by a judge, with half of the luck in common. draw: true strengths by both."""

    def simulate(random: np.random.Generator) -> Outcome:
        true = draw(random)
        systems = len(true[0])
        pairs = random.random((4 * items, systems)).argsort(axis=1)[:, :2]
        luck = random.standard_normal((3, len(pairs)))
        verdicts = [
            _made(pairs, np.arange(len(pairs)) // 4, strengths, ndtr((luck[0] + luck[1 + judge]) / np.sqrt(2)))
            for judge, strengths in enumerate(true)
        ]
        others = _other_fields(2 * len(pairs), systems, items) | {"judges": np.repeat([0, 1], len(pairs))}
        joint: dict[str, Any] = {name: np.concatenate([fields[name] for fields in verdicts]) for name in verdicts[0]}
        every = Verdicts(**(joint | others))
        people, judge = np.split(np.arange(2 * len(pairs)), 2)
        comparisons = compare_leaderboards(every, people, judge, ("people", "judge"), int(random.integers(1 << 30)))
        if not comparisons or comparisons[0].pairs < systems * (systems - 1) / 2:
            return dict.fromkeys(claims, 1.0) | {"wrongly exchanged": 0.0}
        one, other = np.triu_indices(systems, 1)
        same = (true[0][one] > true[0][other]) == (true[1][one] > true[1][other])
        tau = 2 * same.mean() - 1
        low, high = comparisons[0].bounds
        return {
            next(iter(covered)): comparisons[0].tau.low - 1e-9 <= tau <= comparisons[0].tau.high + 1e-9,
            "within bounds": low - 1e-9 <= tau <= high + 1e-9,
            "wrongly exchanged": comparisons[0].exchanged > (~same).sum(),
        }

    claims = {**covered, "wrongly exchanged": LEVEL}
    return Scenario(name, 400, quick, simulate, claims)


def _verdicts(random: np.random.Generator, true: NDArray[np.float64], items: int) -> Verdicts:
    """Verdicts by Davidson's model with ν = 0.5."""
    times = random.integers(1, 4, 2 * items)
    pairs = random.random((2 * items, len(true))).argsort(axis=1)[:, :2].repeat(times, axis=0)
    item = np.arange(2 * items).repeat(times) // 2
    made = _made(pairs, item, true, random.random(2 * items).repeat(times))
    return Verdicts(**made, judges=np.zeros(len(item), dtype=np.intp), **_other_fields(len(item), len(true), items))


def _made(pairs: Codes, item: Codes, true: NDArray[np.float64], luck: NDArray[np.float64]) -> dict[str, Any]:
    """The systems, items and winners of verdicts by Davidson's model; luck: uniform, (V,)."""
    left, right = pairs.T
    half = (true[left] - true[right]) / 2
    chances = np.stack([np.exp(half), np.full(len(left), 0.5), np.exp(-half)], axis=1).cumsum(axis=1)
    winner = (1 - (luck[:, np.newaxis] * chances[:, -1:] > chances).sum(axis=1)).astype(np.int8)
    return {"items": item, "clusters": item, "left": left, "right": right, "winner": winner}


def _other_fields(verdicts: int, systems: int, items: int) -> dict[str, Any]:
    """The other fields of verdicts."""
    none = np.zeros(verdicts, dtype=np.intp)
    return {
        "language_pairs": none,
        "certainty": np.ones(verdicts),
        "weight": np.ones(verdicts),
        "scores": {},
        "length": np.full((verdicts, 2), np.nan),
        "judges_family": none.astype(np.int8),
        "displayed": np.ones(verdicts, dtype=np.bool_),
        "systems": tuple(f"system {code}" for code in range(systems)),
        "names_of_judges": ("people", "judge"),
        "names_of_language_pairs": ("",),
        "number_of_items": items,
    }


SCENARIOS = [
    metric_scenario(40, 2, 0.65, 0.1, 100),
    metric_scenario(40, 5, 0.65, 0.1, 0),
    metric_scenario(100, 5, 0.55, 0.3, 0),
    metric_scenario(30, 2, 0.95, 0.0, 100),
    metric_scenario(30, 2, 0.9, 0.05, 0),
    average_scenario(40, 2, (0.65, 0.65), 0.1, 0),
    average_scenario(40, 4, (0.8, 0.5), 0.1, 100),
    judge_scenario(30, 0.5, 0),
    judge_scenario(60, 0.5, 200),
    judge_scenario(60, 0.8, 0),
    judge_scenario(60, 0.05, 200),
    judge_scenario(30, 0.9, 0),
    differences_of_judges(40, 2, 0.7, 0.1, 0),
    differences_of_judges(60, 4, 0.6, 0.2, 100),
    strength_scenario(12, 0.0, 0),
    strength_scenario(12, 2.0, 50),
    strength_scenario(50, 1.0, 50),
    strength_scenario(200, 1.0, 0),
    leaderboard_scenario(5, 12, 0.8, 0),
    leaderboard_scenario(5, 50, 0.3, 50),
    leaderboard_scenario(10, 50, 0.8, 0),
    leaderboard_scenario(10, 200, 1.0, 0),
    reversed_group_scenario(3, 0.2, 50, 50),
    reversed_group_scenario(5, 0.2, 100, 0),
]
