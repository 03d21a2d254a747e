"""Simulations of the similarity of rankings, of merges of classes and of class shares, of measures that are known."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache

import numpy as np
from scipy.special import ndtr

from metaeval.inference.agreement import (
    Agreement,
    compare_rankings,
    corrected_intervals,
    corrected_tau,
    simultaneous_intervals,
)
from metaeval.inference.pairs import Evidence
from metaeval.inference.parts import Signs
from metaeval.inference.statistics import compare_statistics, half_widths
from metaeval.stats.pairs import count_pairs, tau_b
from simulations import shares
from simulations.generators import Codes, Floats, correct_items, grid
from simulations.scenarios import COVERAGE, LEVEL, Bound, Outcome, Scenario, groupings_of

COMMON, SHARED, LUCK = 0.4, 0.2, 0.15
"""Shares of the variance of right items: of all systems and measures, of a system under all measures, of clusters."""

MARGIN = 0.9

Groupings = Sequence[Codes]


def right_items(
    random: np.random.Generator, shares: Sequence[Floats], items: int, groupings: Groupings
) -> list[Floats]:
    """Which items systems get right under measures with these shares, (S, N) each; the measures share some errors."""
    luck = [(np.arange(items), SHARED), *((codes, LUCK / len(groupings)) for codes in groupings)]
    fixed = int(random.integers(1 << 32))
    return [
        correct_items(
            np.random.default_rng([fixed, index + 1]), share, items, common=COMMON, luck=luck,
            draw_luck=np.random.default_rng(fixed),
        )
        for index, share in enumerate(shares)
    ]  # fmt: skip


def merged_items(
    random: np.random.Generator, before: Floats, after: Floats, items: int, groupings: Groupings, fixed: int
) -> list[Floats]:
    """Which items systems get right before and after a merge; fixed: the seed of their luck."""
    seed = int(random.integers(1 << 32))
    luck = [(codes, LUCK / len(groupings)) for codes in groupings]
    return [
        correct_items(
            np.random.default_rng(seed), share, items, common=COMMON, luck=luck, draw_luck=np.random.default_rng(fixed)
        )
        for share in (before, after)
    ]  # fmt: skip


def evidence_of(worths: Sequence[Floats], groupings: Groupings, random: np.random.Generator) -> list[Evidence]:
    """The evidence of measures of the same items, with the same signs."""
    sizes = [codes.max() + 1 for codes in groupings] or [worths[0].shape[1]]
    signs = tuple(Signs.draw(random, size, 499) for size in sizes)
    return [Evidence(groupings_of(worth, groupings), signs) for worth in worths]


def true_ratios(draw: Callable[[np.random.Generator], list[Floats]], shares: Sequence[Floats], sets: int) -> Floats:
    """The ratio of `Agreement` of measures with true shares, (M, M), with errors as on simulated data sets."""
    one, other = np.triu_indices(len(shares[0]), k=1)
    scores = [[worth.mean(axis=1) for worth in draw(np.random.default_rng(seed))] for seed in range(sets)]
    differences = np.array(scores)[:, :, one] - np.array(scores)[:, :, other]
    t = np.array([share[one] - share[other] for share in shares]) / differences.std(axis=0)
    agreement = 2 * ndtr(t / np.sqrt(2)) - 1
    sine = np.sin(np.pi / 2 * (agreement @ agreement.T) / len(one))
    return np.asarray(sine / np.sqrt(np.outer(np.diag(sine), np.diag(sine))))


def similarity_scenario(
    name: str, shares: Sequence[Floats], items: int, quick: int, groupings: Groupings = (),
    claims: Mapping[str, Bound] | None = None,
) -> Scenario:  # fmt: skip
    """Measures with these shares of right items: do simultaneous intervals hold their true corrected tau?"""
    one, other = np.triu_indices(len(shares), k=1)

    @cache
    def truth() -> Floats:
        ratios = true_ratios(lambda random: right_items(random, shares, items, groupings), shares, 1000)
        return corrected_tau(ratios[one, other])

    def simulate(random: np.random.Generator) -> Outcome:
        evidence = evidence_of(right_items(random, shares, items, groupings), groupings, random)
        agreement = compare_rankings(evidence, one, other)
        low, high = simultaneous_intervals(agreement)
        is_defined = ~np.isnan(low)
        return {
            "intervals": float(((low <= truth() + 1e-9) & (truth() <= high + 1e-9) | ~is_defined).all()),
            "below a margin that is the truth": float((high < truth() - 1e-9).any()),
            f"below {MARGIN:g}": float((high < MARGIN).any()),
        }

    default = {"intervals": COVERAGE, "below a margin that is the truth": LEVEL}
    return Scenario(name, 600, quick, simulate, default if claims is None else claims)


def _similarities() -> list[Scenario]:
    random = np.random.default_rng(4)
    base = random.uniform(0.6, 0.75, 10)
    mixed = 0.7 * base + 0.3 * random.permutation(base)
    other = random.permutation(base)
    near = 0.7 + 0.1 * (base - 0.7)
    alike = [base, base, base.mean() + 0.7 * (base - base.mean())]
    clusters, crossed = [np.arange(800) % 40], grid(40, 40)
    below = {f"below {MARGIN:g}": LEVEL}
    low, high = np.linspace(0.58, 0.64, 7), np.linspace(0.74, 0.80, 7)
    grouped = [np.append(low, high), np.append(low[::-1], high[::-1])]
    ahead = [np.append(np.linspace(*ends, 13), 0.9) for ends in ((0.6, 0.7), (0.7, 0.6))]
    z = np.random.default_rng(5).standard_normal((2, 14))
    normal = [0.68 + 0.05 * deviations for deviations in (z[0], 0.6 * z[0] + 0.8 * z[1])]
    return [
        similarity_scenario(
            "similarity of 2 measures that order groups alike, systems in them otherwise", grouped, 600, 60
        ),
        similarity_scenario("similarity of 2 measures with one winner, that reverse 13 systems", ahead, 600, 0),
        similarity_scenario("similarity of 2 measures, 14 normal systems, r 0.6", normal, 600, 60),
        similarity_scenario("similarity of 3 measures", [base, mixed, other], 600, 60),
        similarity_scenario("similarity of 3 measures, systems nearly equal", [near, near[::-1], near], 600, 0),
        similarity_scenario("similarity of 3 measures, 40 clusters", [base, mixed, other], 800, 60, clusters),
        similarity_scenario("similarity of 3 measures, crossed 40 × 40", [base, mixed, other], 1600, 0, crossed),
        similarity_scenario("3 measures that rank alike", alike, 600, 60, (), below),
        similarity_scenario("3 measures that rank alike, 40 clusters", alike, 800, 0, clusters, below),
        similarity_scenario("3 measures that rank alike, crossed 40 × 40", alike, 1600, 0, crossed, below),
        similarity_scenario(
            "2 measures that rank differently", [base, other], 600, 60, (), {f"below {MARGIN:g}": Bound(at_least=0.45)}
        ),
    ]


Merge = tuple[Floats, Floats]
"""Shares of right items before and after a merge."""


def merges_found(
    random: np.random.Generator, merges: Sequence[Merge], items: int, groupings: Groupings
) -> tuple[bool, list[Agreement]]:
    """Whether measures, each on items of its own, are found to differ in sensitivity to a merge."""
    fixed, signs = int(random.integers(1 << 32)), random.integers(1 << 32)
    agreements = []
    for before, after in merges:
        worths = merged_items(random, before, after, items, groupings, fixed)
        generator = np.random.default_rng(signs) if groupings else random
        agreements.append(compare_rankings(evidence_of(worths, groupings, generator), np.array([0]), np.array([1])))
    ratios = np.concatenate([agreement.ratio for agreement in agreements])
    chance = np.concatenate([agreement.ratio_chance for agreement in agreements], axis=1)
    p = compare_statistics(ratios, chance).p
    return bool((p[np.triu_indices(len(merges), 1)] <= 0.05).any()), agreements


def merge_scenario(
    name: str, draw: Callable[[np.random.Generator], Sequence[Merge]], items: int, quick: int,
    groupings: Groupings = (), claim: Bound = LEVEL,
) -> Scenario:  # fmt: skip
    """Two measures with the effects of a merge that are drawn."""

    def simulate(random: np.random.Generator) -> Outcome:
        return {"rejected": merges_found(random, draw(random), items, groupings)[0]}

    return Scenario(name, 400, quick, simulate, {"rejected": claim})


def alike(low: float, high: float, systems: int) -> Callable[[np.random.Generator], Sequence[Merge]]:
    """Measures alike by construction: the same shares before and after the merge, of other systems."""

    def draw(random: np.random.Generator) -> Sequence[Merge]:
        before = random.uniform(low, high, systems)
        after = before + (1 - before) * random.uniform(0.2, 0.6, systems)
        order = random.permutation(systems)
        return [(before, after), (before[order], after[order])]

    return draw


def _unlike(random: np.random.Generator) -> Sequence[Merge]:
    before = random.uniform(0.6, 0.75, 10)
    return [(before, before + (1 - before) * share) for share in (np.full(10, 0.4), random.uniform(0.2, 0.6, 10))]


def merge_interval_scenario(name: str, items: int, quick: int, groupings: Groupings = ()) -> Scenario:
    """The intervals of a measure: of tau on other items, and of the corrected tau."""
    random = np.random.default_rng(6)
    before = random.uniform(0.6, 0.75, 10)
    after = before + (1 - before) * random.uniform(0.3, 0.5, 10)

    def draw(random: np.random.Generator) -> list[Floats]:
        return merged_items(random, before, after, items, groupings, int(random.integers(1 << 32)))

    @cache
    def truth() -> tuple[float, float]:
        scores = [[worth.mean(axis=1) for worth in draw(np.random.default_rng(seed))] for seed in range(1000)]
        one, other = np.array(scores).swapaxes(0, 1)[:, :, np.newaxis]
        corrected = corrected_tau(true_ratios(draw, [before, after], 1000)[0, 1])
        return float(np.nanmean(tau_b(count_pairs(one, other)))), float(corrected)

    def simulate(random: np.random.Generator) -> Outcome:
        (_, (agreement,)) = merges_found(random, [(before, after)], items, groupings)
        tau, corrected = truth()
        low, high = corrected_intervals(agreement.ratio, agreement.ratio_chance)
        return {
            "intervals of tau": np.abs(agreement.tau - tau)[0] <= half_widths(agreement.tau_chance)[0],
            "intervals of corrected tau": np.isnan(low[0]) or low[0] <= corrected <= high[0],
        }

    claims = {"intervals of tau": Bound(at_least=0.9), "intervals of corrected tau": COVERAGE}
    return Scenario(name, 400, quick, simulate, claims)


def _merges() -> list[Scenario]:
    clusters, crossed = [np.arange(400) % 40], grid(40, 40)
    usual = alike(0.6, 0.75, 10)
    return [
        merge_scenario("merges, 2 measures alike", usual, 300, 100),
        merge_scenario("merges, 2 measures alike, 14 systems, 2,000 items", alike(0.6, 0.75, 14), 2000, 0),
        merge_scenario("merges, 2 measures alike, systems nearly equal", alike(0.69, 0.71, 10), 300, 0),
        merge_scenario("merges, 2 measures alike, 40 shared clusters", usual, 400, 100, clusters),
        merge_scenario("merges, 2 measures alike, crossed 40 × 40", usual, 1600, 40, crossed),
        merge_scenario("a merge that changes one of two rankings", _unlike, 1000, 60, (), Bound(at_least=0.45)),
        merge_interval_scenario("merges, intervals", 600, 60),
        merge_interval_scenario("merges, intervals, 40 clusters", 800, 0, [np.arange(800) % 40]),
        merge_interval_scenario("merges, intervals, crossed 40 × 40", 1600, 0, crossed),
    ]


SCENARIOS = [*_similarities(), *_merges(), *shares.SCENARIOS]
