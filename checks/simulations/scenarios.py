"""What is simulated, how often, and within which bounds the shares of the outcomes must lie."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy.stats import binom

from metaeval.analyses.power.compute import power_by_signs
from metaeval.analyses.stability.compute import SplitHalfAgreement, reasons_against, split_half_consistency
from metaeval.inference.clusters import Clusters, deal_groups
from metaeval.inference.pairs import Evidence, Order, compare_measures, compare_pairs
from metaeval.inference.parts import Parts, Signs, group_sums
from metaeval.inference.statistics import OF_POWER, OF_TAU, Curve, PairDeviations, compare_statistics
from metaeval.measures import measure
from metaeval.model.scores import Direction, ItemScores
from metaeval.scoring.parts import cell_parts, count_groups, parts_of_item_scores
from metaeval.scoring.resamples import split_clusters
from metaeval.scoring.table import ItemSamples
from metaeval.stats.pairs import count_pairs, tau_b
from simulations.correlations import (
    covers,
    covers_accuracy,
    family_tested,
    tested,
)
from simulations.files import rejects
from simulations.generators import (
    Codes,
    Floats,
    correct_items,
    grid,
    labels,
    near_copies,
    parts_of_sums,
    sparse,
    unequal_clusters,
)
from simulations.trivial import better

Outcome = Mapping[str, float]
"""Outcomes of one simulated data set: 0 or 1, or a share."""

CONFIDENCE = 0.999
"""A share outside its bounds means that, with this probability, it is not what is claimed."""


@dataclass(frozen=True)
class Bound:
    """A claim on the expected share of an outcome.

    at_most, at_least: the share that is claimed. exactly: of the data sets that are simulated, without sampling error.
    """

    at_most: float = 1.0
    at_least: float = 0.0
    exactly: bool = False

    def limits(self, sets: int) -> tuple[float, float]:
        """Sums between which the outcomes of data sets must lie, if the claim holds."""
        if self.exactly:
            return self.at_least * sets, self.at_most * sets
        low = int(binom.ppf(1 - CONFIDENCE, sets, self.at_least)) if self.at_least else 0
        high = int(binom.ppf(CONFIDENCE, sets, self.at_most)) if self.at_most < 1 else sets
        return low, high


LEVEL = Bound(at_most=0.05)
COVERAGE = Bound(at_least=0.95)
WIDER = {"rejected": Bound(at_least=0.45)}


@dataclass(frozen=True)
class Scenario:
    """A kind of data set. sets: how many are simulated; quick: in the tests. simulate: one; claims: by outcome."""

    name: str
    sets: int
    quick: int
    simulate: Callable[[np.random.Generator], Outcome]
    claims: Mapping[str, Bound]

    def run(self, sets: int, seed: int = 20201) -> dict[str, float]:
        """Sums of the outcomes over data sets."""
        sums: dict[str, float] = {}
        for child in np.random.SeedSequence(seed).spawn(sets):
            for name, value in self.simulate(np.random.default_rng(child)).items():
                sums[name] = sums.get(name, 0.0) + float(value)
        return sums


def groupings_of(worths: Floats, groupings: Sequence[Codes]) -> tuple[Parts, ...]:
    """The parts of the scores of items, (S, N), by items, in one grouping, or in two crossed ones."""
    if not groupings:
        return (parts_of_sums(np.ascontiguousarray(worths.T), np.ones(worths.shape[1], dtype=np.int64)),)
    ways = list(groupings)
    if len(ways) == 2:
        ways.append(np.unique(ways[0] * (ways[1].max() + 1) + ways[1], return_inverse=True)[1])
    return tuple(parts_of_sums(group_sums(worths, codes, codes.max() + 1), np.bincount(codes)) for codes in ways)


def outcomes_of(worths: Floats, shares: Floats, groupings: Sequence[Codes], random: np.random.Generator) -> Outcome:
    """What is found on one data set, and whether it is true."""
    return outcomes_of_parts(groupings_of(worths, groupings), shares, random)


def outcomes_of_parts(parts: Sequence[Parts], shares: Floats, random: np.random.Generator) -> Outcome:
    """The same, from the parts in each grouping."""
    evidence = Evidence.draw(parts, random, 499)
    tests = compare_pairs(evidence)
    order = Order.of(evidence.scores, tests, evidence.defined)
    truth = shares[tests.one] - shares[tests.other]
    equal, wrong = truth == 0, np.sign(tests.difference) != np.sign(truth)
    low, high = order.rank_sets
    lowest = 1 + (shares[:, np.newaxis] < shares - 1e-12).sum(axis=1)
    highest = len(shares) - (shares[:, np.newaxis] > shares + 1e-12).sum(axis=1)
    outcome = {
        "rejected": (tests.significant & (equal | wrong)).any(),
        "intervals": ((tests.low <= truth) & (truth <= tests.high) | np.isnan(tests.low)).all(),
        "rank sets": ((low <= lowest) & (highest <= high)).all(),
    }
    return outcome | ({"power": tests.significant[~equal].mean()} if not equal.all() else {})


ALL = {"rejected": LEVEL, "intervals": COVERAGE, "rank sets": COVERAGE}


def pair_scenario(
    name: str,
    shares: Floats,
    items: int,
    sets: int,
    quick: int,
    *,
    luck: Sequence[tuple[Codes, float]] = (),
    groupings: Sequence[Codes] = (),
    claims: Mapping[str, Bound] | None = None,
) -> Scenario:
    """Systems with these shares of right items; luck: with groups; groupings: those that the test knows."""

    def simulate(random: np.random.Generator) -> Outcome:
        return outcomes_of(correct_items(random, shares, items, luck=luck), shares, groupings, random)

    return Scenario(name, sets, quick, simulate, ALL if claims is None else claims)


def _copies(random: np.random.Generator) -> Outcome:
    shares = np.append(np.full(18, 0.95 * 0.995 + 0.05 * 0.005), [0.6, 0.6])
    return outcomes_of(near_copies(random, 18, 400), shares, (), random)


def _pairs() -> list[Scenario]:
    clusters = unequal_clusters(20, 300)
    half = np.append(np.full(7, 0.7), np.linspace(0.9, 0.75, 7))
    null = [
        pair_scenario(f"{systems} equal systems, 300 items", np.full(systems, 0.7), 300, 1000, quick)
        for systems, quick in ((8, 200), (14, 100), (48, 0))
    ]
    luck = [(clusters, 0.2)]
    return [
        *null,
        pair_scenario("20 unequal clusters", np.full(8, 0.7), 300, 400, 200, luck=luck, groupings=[clusters]),
        pair_scenario(
            "20 unequal clusters, withheld", np.full(8, 0.7), 300, 400, 100, luck=luck,
            claims={"rejected": Bound(at_least=0.25)},
        ),
        Scenario("18 near-copies and 2 equal systems", 400, 100, _copies, ALL),
        pair_scenario(
            "half of 14 systems equal, half spaced", half, 300, 400, 100, claims=ALL | {"power": Bound(at_least=0.5)}
        ),
    ]  # fmt: skip


def _with_gaps(random: np.random.Generator, *, missing: float, clusters: bool) -> Outcome:
    """8 equal systems that lack items at random, or those of whole clusters as well."""
    shares, codes = np.full(8, 0.7), unequal_clusters(40, 300)
    worths = correct_items(random, shares, 300, luck=[(codes, 0.2)] if clusters else [])
    worths[random.random(worths.shape) < missing] = np.nan
    if clusters:
        worths[(random.random((8, 40)) < missing)[:, codes]] = np.nan
    names = tuple(map(str, range(300)))
    scores = ItemScores(worths[np.newaxis], ("share",), names[:8], names, (Direction.HIGHER,), gaps=True)
    outcome = outcomes_of_parts(parts_of_item_scores(scores, codes if clusters else np.arange(300)), shares, random)
    return {name: outcome[name] for name in ("rejected", "intervals")}


def _gaps() -> list[Scenario]:
    claims = {"rejected": LEVEL, "intervals": COVERAGE}

    def gap_scenario(name: str, quick: int, missing: float, *, clusters: bool) -> Scenario:
        return Scenario(name, 1000, quick, partial(_with_gaps, missing=missing, clusters=clusters), claims)

    return [
        gap_scenario("8 equal systems, 30 % of scores missing", 100, 0.3, clusters=False),
        gap_scenario("8 equal systems, 60 % of scores missing", 0, 0.6, clusters=False),
        gap_scenario("8 equal systems, 40 unequal clusters, scores and clusters missing", 100, 0.2, clusters=True),
    ]


KEPT = {"power by both beyond 70 % of that by rows": Bound(exactly=True)}


def _kept_power(random: np.random.Generator) -> Outcome:
    rows, columns = grid(40, 40)
    shares = np.append(np.full(4, 0.7), np.linspace(0.85, 0.75, 4))
    worths = correct_items(random, shares, len(rows), luck=[(rows, 0.2)])
    by_rows = outcomes_of(worths, shares, [rows], random)["power"]
    return {next(iter(KEPT)): outcomes_of(worths, shares, [rows, columns], random)["power"] - 0.7 * by_rows}


def crossed_scenario(
    name: str, groupings: tuple[Codes, Codes], luck: Sequence[tuple[Codes, float]], quick: int
) -> Scenario:
    """Whether any of 2, 8 and 14 equal systems are found to differ; of equal ones, joint intervals cover otherwise."""

    def simulate(random: np.random.Generator) -> Outcome:
        state, outcome = random.bit_generator.state, {}
        for systems in (2, 8, 14):
            random.bit_generator.state = state
            shares = np.full(systems, 0.7)
            worths = correct_items(random, shares, len(groupings[0]), luck=luck)
            outcome[f"{systems} systems"] = outcomes_of(worths, shares, groupings, random)["rejected"]
        return outcome

    return Scenario(name, 400, quick, simulate, {f"{systems} systems": LEVEL for systems in (2, 8, 14)})


def _crossed() -> list[Scenario]:
    random = np.random.default_rng(1)
    designs = {
        "40 × 40": grid(40, 40),
        "25 × 25": grid(25, 25),
        "60 × 60, 400 items": sparse(random, 60, 60, 400),
        "12 × 288, 900 items": sparse(random, 12, 288, 900),
    }
    made = []
    for name, (rows, columns) in designs.items():
        effects = {
            "no effect": [],
            "rows": [(rows, 0.2)],
            "columns": [(columns, 0.2)],
            "rows and columns": [(rows, 0.15), (columns, 0.15)],
            "products": [(np.unique(rows * 1000 + columns, return_inverse=True)[1], 0.3)],
        }
        for effect, luck in effects.items():
            quick = 60 if (name, effect) == ("40 × 40", "rows and columns") else 0
            made.append(crossed_scenario(f"crossed {name}, luck with {effect}", (rows, columns), luck, quick))
    made.append(Scenario("crossed 40 × 40, luck with rows, half of 8 systems equal", 400, 60, _kept_power, KEPT))
    return made


MEASURES = ("accuracy", "macro-f1", "kappa", "mcc", "cem-ord")


def label_scenario(
    name: str,
    items: int,
    sets: int,
    quick: int,
    *,
    luck: Sequence[tuple[Codes, float]] = (),
    groupings: Sequence[Codes] = (),
    prevalence: Sequence[float] = (0.4, 0.3, 0.3),
) -> Scenario:
    """Eight systems of the same confusion matrix, under measures that are means over items and others."""
    measures = [measure(measure_name) for measure_name in MEASURES]

    def simulate(random: np.random.Generator) -> Outcome:
        runs = labels(random, 8, items, prevalence, luck=luck)
        ways: Sequence[Codes | None] = groupings or [None]
        every = [count_groups(runs, codes, random).parts(measures) for codes in ways]
        if len(groupings) == 2:
            cells = groupings[0] * (groupings[1].max() + 1) + groupings[1]
            every.append(list(cell_parts(runs, np.unique(cells, return_inverse=True)[1], measures)))
        return {
            measure_name: bool(compare_pairs(Evidence.draw(parts, random, 499)).significant.any())
            for measure_name, parts in zip(MEASURES, zip(*every, strict=True), strict=True)
        }

    return Scenario(name, sets, quick, simulate, dict.fromkeys(MEASURES, LEVEL))


def _labels() -> list[Scenario]:
    random = np.random.default_rng(2)
    rows, columns = grid(40, 40)
    clusters = unequal_clusters(40, 600)
    # More than 1,024 groups: items of 1,500 rows and as many columns, dealt whole.
    many, more = sparse(random, 1500, 1500, 3000)
    dealt = [deal_groups(np.bincount(codes), random)[codes] for codes in (many, more)]
    return [
        label_scenario("labels, 300 items", 300, 400, 100),
        label_scenario("labels, 3,000 items in 1,024 groups", 3000, 200, 0),
        label_scenario("labels, 40 unequal clusters", 600, 400, 0, luck=[(clusters, 0.2)], groupings=[clusters]),
        label_scenario("labels crossed 40 × 40, no effect", 1600, 200, 0, groupings=[rows, columns]),
        label_scenario(
            "labels crossed 40 × 40, luck with both", 1600, 200, 0,
            luck=[(rows, 0.15), (columns, 0.15)], groupings=[rows, columns],
        ),
        label_scenario(
            "labels crossed 1,500 × 1,500 in 1,024 groups each, luck with both", 3000, 200, 0,
            luck=[(many, 0.15), (more, 0.15)], groupings=dealt,
        ),
    ]  # fmt: skip


Systems = Callable[[np.random.Generator], Floats]
"""Draws the shares of right items of systems."""


def differences_found(
    random: np.random.Generator,
    shares: Sequence[Floats],
    items: int,
    groupings: Sequence[Codes] = (),
    *,
    power: bool = False,
) -> Outcome:
    """Whether measures with these shares, each on items of its own, are found to differ in consistency, or in power.

    groupings: of the items of every measure, which then share the luck of the systems with them.
    """
    statistics = []
    signs: tuple[Signs, ...] = tuple(Signs.draw(random, codes.max() + 1, 499) for codes in groupings)
    luck = [(codes, 0.15 / len(groupings)) for codes in groupings]
    fixed = int(random.integers(1 << 32))
    for index, share in enumerate(shares):
        measure_random, luck_random = np.random.default_rng([fixed, index + 1]), np.random.default_rng(fixed)
        correct = correct_items(measure_random, share, items, common=0.4, luck=luck, draw_luck=luck_random)
        measure_signs = signs or (Signs.draw(measure_random, items, 499),)
        evidence = Evidence(groupings_of(correct, groupings), measure_signs)
        if power:
            statistics.append(power_by_signs(evidence, alpha=0.05)[1:])
        else:
            statistics.append(PairDeviations.of(evidence).expected_tau())
    values, chance = (np.array(results) for results in zip(*statistics, strict=True))
    tests = compare_statistics(values, chance.T, scale=OF_POWER if power else OF_TAU)
    return {"rejected": bool((tests.p[np.triu_indices(len(shares), 1)] <= 0.05).any())}


def measure_scenario(
    name: str,
    measures: int,
    systems: Systems,
    quick: int,
    groupings: Sequence[Codes] = (),
    *,
    power: bool = False,
    sets: int = 400,
) -> Scenario:
    """Measures alike by construction: each ranks systems of the same shares in another order."""

    def simulate(random: np.random.Generator) -> Outcome:
        shares = systems(random)
        every = [random.permutation(shares) for _ in range(measures)]
        return differences_found(random, every, len(groupings[0]) if groupings else 300, groupings, power=power)

    return Scenario(name, sets, quick, simulate, {"rejected": LEVEL})


def uniform(low: float, high: float, number: int = 10) -> Systems:
    """Systems with shares between these."""
    return lambda random: random.uniform(low, high, number)


def in_groups(*groups: tuple[float, int]) -> Systems:
    """Systems in groups with equal shares; groups: the share and the number of systems."""
    shares = np.concatenate([np.full(number, share) for share, number in groups])
    return lambda _random: shares


def wider(*, power: bool) -> Callable[[np.random.Generator], Outcome]:
    """A measure that spreads systems 2.5 times as far as another."""

    def simulate(random: np.random.Generator) -> Outcome:
        shares = random.uniform(0.66, 0.74, 10)
        spread = shares.mean() + 2.5 * (shares - shares.mean())
        return differences_found(random, [spread, random.permutation(shares)], 300, power=power)

    return simulate


def _measures() -> list[Scenario]:
    usual, clusters, crossed = uniform(0.6, 0.75), [np.arange(400) % 40], grid(40, 40)
    groups = {
        "two groups of 7 systems": in_groups((0.6, 7), (0.75, 7)),
        "three groups of 4 systems": in_groups((0.55, 4), (0.68, 4), (0.8, 4)),
        "a winner and 13 equal systems": in_groups((0.85, 1), (0.7, 13)),
    }
    return [
        measure_scenario("2 measures alike", 2, usual, 100),
        measure_scenario("2 measures alike, systems nearly equal", 2, uniform(0.69, 0.71), 0),
        measure_scenario("5 measures alike", 5, usual, 0),
        measure_scenario("2 measures alike, 40 shared clusters", 2, usual, 100, clusters),
        measure_scenario("2 measures alike, crossed 40 × 40", 2, usual, 40, crossed),
        *(measure_scenario(f"2 measures alike, {name}", 2, systems, 60, sets=600) for name, systems in groups.items()),
        Scenario("a measure that spreads systems 2.5 times", 400, 60, wider(power=False), WIDER),
        *(
            measure_scenario(f"power, 2 measures alike, {number} systems", 2, uniform(0.6, 0.75, number), quick,
                        power=True, sets=600)
            for number, quick in ((2, 100), (3, 100), (5, 0), (8, 60))
        ),
        measure_scenario("power, 5 measures alike, 8 systems", 5, uniform(0.6, 0.75, 8), 0, power=True, sets=600),
        measure_scenario("power, 2 measures alike, 40 shared clusters", 2, usual, 40, clusters, power=True),
        Scenario("power, a measure that spreads systems 2.5 times", 400, 60, wider(power=True), WIDER),
    ]  # fmt: skip


def half_scenario(name: str, groupings: Sequence[Codes], halves: Sequence[Codes], quick: int) -> Scenario:
    """Mean tau between halves of clusters, less that of two new samples of half the clusters of each column.

    groupings: of the items, with which each system has luck; halves: of such a new sample.
    """
    accuracy = (Direction.HIGHER,)

    def worths(random: np.random.Generator, shares: Floats, codes: Sequence[Codes]) -> Floats:
        luck = [(grouping, 0.3 / len(codes)) for grouping in codes]
        return correct_items(random, shares, len(codes[0]), common=0.3, luck=luck)

    def simulate(random: np.random.Generator) -> Outcome:
        shares = random.uniform(0.6, 0.75, 10)
        new = np.array([[worths(random, shares, halves).mean(axis=1) for _ in range(2)] for _ in range(20)])
        truth = float(np.nanmean(tau_b(count_pairs(new[:, 0], new[:, 1]))))
        values = worths(random, shares, groupings)[np.newaxis]
        names = tuple(map(str, range(10)))
        items = ItemScores(values, ("accuracy",), names, tuple(map(str, range(values.shape[-1]))), accuracy)
        clusters = [Clusters(str(index), codes, np.bincount(codes)) for index, codes in enumerate(groupings)]
        plan = split_clusters(ItemSamples(items), clusters, trials=50, seed=int(random.integers(1 << 30)))
        cubes = [cube.values[:, :, 0] for block in plan.blocks for cube in plan.score(block)]
        taus = [tau_b(count_pairs(cube[:, 0], cube[:, 1])) for cube in cubes]
        return {"bias": float(np.nanmean(np.concatenate(taus))) - truth}

    bias = Bound(at_least=-0.08, at_most=0.08, exactly=True)
    return Scenario(name, 400, quick, simulate, {"bias": bias})


def expected_tau_scenario(name: str, share: float, quick: int) -> Scenario:
    """The expected tau of ten systems on 300 items beside that of real halves; share: of the items in one cluster."""
    sizes = np.append(np.round(300 * share), np.full(30, np.ceil(10 * (1 - share)))).astype(np.int64)
    codes = np.repeat(np.arange(len(sizes)), sizes) if share else np.arange(300)
    clusters = Clusters("cluster", codes, np.bincount(codes))

    def simulate(random: np.random.Generator) -> Outcome:
        values = correct_items(random, random.uniform(0.6, 0.75, 10), len(codes), common=0.3, luck=[(codes, 0.2)])
        names = tuple(map(str, range(max(values.shape))))
        items = ItemScores(values[np.newaxis], ("m",), names[:10], names[: len(codes)], (Direction.HIGHER,))
        plan = split_clusters(ItemSamples(items), [clusters], trials=200, seed=int(random.integers(1 << 30)))
        halves = SplitHalfAgreement.concatenate(
            SplitHalfAgreement.mean_of(map(split_half_consistency, plan.score(block))) for block in plan.blocks
        )
        pairs = PairDeviations.of(Evidence.draw(groupings_of(values, [codes]), random, 199))
        expected = np.array([pairs.expected_tau()[0]])
        (reason,) = reasons_against(expected, np.zeros(1), halves)
        far = abs(expected[0] - halves.means[0]) > 0.1
        return {"shown, and more than .1 from real halves": not reason and far, "not shown": bool(reason)}

    claims = {"shown, and more than .1 from real halves": LEVEL, "not shown": Bound()}
    return Scenario(name, 600, quick, simulate, claims)


def _halves() -> list[Scenario]:
    return [
        expected_tau_scenario("expected tau, 300 clusters of one item", 0.0, 0),
        expected_tau_scenario("expected tau, 31 clusters, one of 30 % of the items", 0.3, 0),
        expected_tau_scenario("expected tau, 31 clusters, one of 70 % of the items", 0.7, 60),
        half_scenario("halves of 40 clusters", [np.arange(800) % 40], [np.arange(400) % 20], 40),
        half_scenario("opposite blocks, crossed 40 × 40", grid(40, 40), grid(20, 20), 20),
    ]


def drop_scenario(
    name: str, luck: Sequence[tuple[Codes, float]], groupings: Sequence[Codes], quick: int, claim: Bound
) -> Scenario:
    """Eight systems that are as good as before, on 300 items under two measures; is any called worse?"""
    items = len(luck[0][0]) if luck else 300

    def simulate(random: np.random.Generator) -> Outcome:
        correct = correct_items(random, np.full(16, 0.7), items, luck=luck)
        weighted = correct * random.uniform(0.2, 1.8, items)
        every = [groupings_of(worths, groupings) for worths in (correct, weighted)]
        signs = Evidence.draw(every[0], random, 499).signs
        evidence, pairs = [Evidence(parts, signs) for parts in every], (np.arange(8, 16), np.arange(8))
        drops = compare_measures(evidence, alpha=0.05, pairs=pairs, one_sided=True)
        return {"false alarm": any(drop.significant.any() for drop in drops)}

    return Scenario(name, 400, quick, simulate, {"false alarm": claim})


def _drops() -> list[Scenario]:
    clusters, (rows, columns) = unequal_clusters(20, 300), grid(40, 40)
    luck, both = [(clusters, 0.2)], [(rows, 0.15), (columns, 0.15)]
    return [
        drop_scenario("baseline, 300 items", [], [], 100, LEVEL),
        drop_scenario("baseline, 20 unequal clusters", luck, [clusters], 100, LEVEL),
        drop_scenario("baseline, 20 unequal clusters, withheld", luck, [], 100, Bound(at_least=0.25)),
        drop_scenario("baseline, crossed 40 × 40", both, [rows, columns], 40, LEVEL),
    ]


def plan_scenario(
    name: str,
    draw: Callable[[np.random.Generator], Floats],
    coverage: float,
    *,
    items: int = 400,
    luck: Sequence[tuple[Codes, float]] = (),
    bias: float = 0.1,
    quick: int = 0,
) -> Scenario:
    """Twelve systems on a pilot, planned for test sets of eight times its items; luck: with groups that are known."""
    claims = {"covers": Bound(at_least=coverage), "bias": Bound(at_least=-bias, at_most=bias, exactly=True)}
    groupings = [codes for codes, _ in luck]
    # New items are in new groups, which are as large.
    larger = [(np.concatenate([codes + new * (codes.max() + 1) for new in range(8)]), share) for codes, share in luck]

    def simulate(random: np.random.Generator) -> Outcome:
        shares = draw(random)
        common = 0.3 if luck else 0.0
        new = [correct_items(random, shares, 8 * items, common=common, luck=larger).mean(axis=1) for _ in range(40)]
        one, other = np.triu_indices(len(new), 1)
        truth = float(np.nanmean(tau_b(count_pairs(np.array(new)[one], np.array(new)[other]))))
        correct = correct_items(random, shares, items, common=common, luck=luck)
        curve = Curve.of(PairDeviations.of(Evidence.draw(groupings_of(correct, groupings), random, 199)))
        value, low, high = (float(curve.tau(np.array([8.0]), deviations=z)[0]) for z in (0, -1.96, 1.96))
        return {"covers": low <= truth <= high, "bias": value - truth}

    return Scenario(name, 200, quick, simulate, claims)


def _plans() -> list[Scenario]:
    def groups(random: np.random.Generator) -> Floats:
        return np.concatenate([random.normal(0.6, 0.01, 6), random.normal(0.75, 0.01, 6)])

    def normal(random: np.random.Generator) -> Floats:
        return np.clip(random.normal(0.7, 0.06, 12), 0.2, 0.98)

    few, some, many = (
        [(unequal_clusters(number, items), 0.2)] for number, items in ((20, 400), (40, 400), (160, 1600))
    )
    rows, columns = grid(40, 40)
    crossed = [(rows, 0.15), (columns, 0.15)]
    every = []
    # Where less is known than from 400 items, groups of systems do not show, and larger test sets promise too much.
    for systems, draw, coverage, weak in (("in two groups", groups, 0.7, 0.25), ("normal", normal, 0.85, 0.1)):
        name, grouped = f"plan, systems {systems}", draw is groups
        every += [
            plan_scenario(name, draw, coverage, quick=40),
            plan_scenario(f"{name}, 100 items", draw, coverage, items=100, bias=weak),
            plan_scenario(f"{name}, 20 unequal clusters", draw, coverage, luck=few, bias=weak),
            plan_scenario(f"{name}, 40 unequal clusters", draw, coverage, luck=some, bias=weak, quick=30 * grouped),
            plan_scenario(f"{name}, 160 unequal clusters", draw, coverage, items=1600, luck=many),
            plan_scenario(f"{name}, crossed 40 × 40", draw, coverage, items=1600, luck=crossed, bias=weak),
        ]
    return every


def file_scenario(
    name: str, kind: str, sets: int, quick: int, claim: Bound, *, luck: float = 0.0, used: bool
) -> Scenario:
    """Eight equal systems on 300 items in written files, compared by the command line."""
    clusters = unequal_clusters(20, 300)

    def simulate(random: np.random.Generator) -> Outcome:
        return {"rejected": rejects(kind, random, 8, clusters, luck=luck, used=used)}

    return Scenario(f"files of {kind}, {name}", sets, quick, simulate, {"rejected": claim})


def _files() -> list[Scenario]:
    withheld = Bound(at_least=0.25)
    # Texts take longest to score.
    return [
        scenario
        for kind, quick in {"labels": 40, "texts": 10, "table": 40}.items()
        for scenario in (
            file_scenario("8 equal systems, 300 items", kind, 1000, quick, LEVEL, used=False),
            file_scenario("20 unequal clusters", kind, 400, quick, LEVEL, luck=0.2, used=True),
            file_scenario("20 unequal clusters, withheld", kind, 400, quick, withheld, luck=0.2, used=False),
        )
    ]


def swap_scenario(number: int, level: str, coefficient: str, quick: int, *, used: bool, swap: str = "both") -> Scenario:
    """Two measures that are alike, 200 items, tested by swaps of systems' clusters (both), or of clusters (items)."""
    withheld = "" if used else ", withheld"

    def simulate(random: np.random.Generator) -> Outcome:
        return {"rejected": tested(random, number, level, coefficient, swap=swap, used=used)}

    name = f"correlate, level {level}, {coefficient}, swaps of {swap}, {number} unequal clusters{withheld}"
    return Scenario(name, 400, quick, simulate, {"rejected": LEVEL if used else Bound(at_least=0.1)})


def interval_scenario(number: int, level: str, coefficient: str, quick: int) -> Scenario:
    """The interval of items of a measure, 200 items."""

    def simulate(random: np.random.Generator) -> Outcome:
        return {"covers": covers(random, number, level, coefficient, used=True)}

    name = f"correlate, level {level}, {coefficient}, interval of items, {number} unequal clusters"
    return Scenario(name, 400, quick, simulate, {"covers": COVERAGE})


def equal_scenario(
    systems: int,
    level: str,
    coefficient: str,
    quick: int = 0,
    *,
    swap: str = "both",
    spread: float = 0.0,
    ties: bool = False,
) -> Scenario:
    """Four measures that are equally good, 200 items; spread: see `correlations.equal`."""

    def simulate(random: np.random.Generator) -> Outcome:
        return {"rejected": family_tested(random, systems, level, coefficient, swap=swap, spread=spread, ties=ties)}

    kind = "4 equal measures" + (" on new systems" if spread else "") + (", ties" if ties else "")
    name = f"correlate, level {level}, {coefficient}, {systems} systems, {kind}, swaps of {swap}"
    # New systems with effects of their own: swaps of systems are a little liberal, and those of cells no test of them.
    new_bound = Bound(at_most=0.1) if swap == "systems" else Bound(at_least=0.2)
    return Scenario(name, 400, quick, simulate, {"rejected": new_bound if spread else LEVEL})


def _correlations() -> list[Scenario]:
    systems = "correlate, pairwise-accuracy, interval of systems, 30 systems"
    return [
        swap_scenario(20, "system", "pearson", 100, used=True),
        swap_scenario(20, "system", "pearson", 100, used=True, swap="items"),
        swap_scenario(20, "system", "pearson", 50, used=False),
        swap_scenario(40, "system", "pearson", 0, used=True),
        swap_scenario(30, "item", "kendall-b", 0, used=True),
        swap_scenario(30, "item", "kendall-b", 0, used=False),
        equal_scenario(14, "system", "pearson", 30),
        equal_scenario(14, "system", "kendall-b", ties=True),
        equal_scenario(30, "system", "spearman"),
        equal_scenario(6, "system", "pearson", swap="systems"),
        equal_scenario(6, "system", "kendall-b"),
        equal_scenario(14, "item", "kendall-b", ties=True),
        equal_scenario(30, "item", "pearson"),
        equal_scenario(14, "item", "kendall-b", swap="items", ties=True),
        equal_scenario(14, "by-system", "kendall-b", ties=True),
        equal_scenario(14, "by-system", "kendall-b", swap="systems", ties=True),
        equal_scenario(14, "global", "spearman", ties=True),
        equal_scenario(14, "global", "kendall-b", swap="systems", ties=True),
        equal_scenario(14, "system", "pearson", swap="systems", spread=0.5),
        equal_scenario(14, "system", "pearson", spread=0.5),
        interval_scenario(20, "system", "pearson", 100),
        interval_scenario(40, "system", "pearson", 0),
        interval_scenario(40, "system", "pairwise-accuracy", 0),
        interval_scenario(30, "item", "kendall-b", 0),
        Scenario(systems, 400, 100, lambda random: {"covers": covers_accuracy(random, 30)}, {"covers": COVERAGE}),
    ]


def trivial_scenario(
    name: str, measures: Sequence[str], prevalence: Sequence[float], codes: Codes, quick: int, *, used: bool = True
) -> Scenario:
    """Seven trivial systems and four real ones that are as good; codes: of clusters, which the test knows if used."""

    def simulate(random: np.random.Generator) -> Outcome:
        return better(random, measures, prevalence, codes, used=used)

    claim = LEVEL if used else Bound(at_least=0.25)
    return Scenario(f"robustness, {name}", 400, quick, simulate, dict.fromkeys(measures, claim))


def _trivial() -> list[Scenario]:
    clusters, equal = unequal_clusters(40, 600), [1 / 3] * 3
    return [
        trivial_scenario(
            "classes of equal size, 300 items", ["accuracy", "recall", "kappa"], equal, np.arange(300), 40
        ),
        trivial_scenario(
            "a class of half of 300 items", ["recall", "kappa", "macro-f1"], [0.5, 0.3, 0.2], np.arange(300), 0
        ),
        trivial_scenario(
            "two classes of a tenth of 500 items", ["recall", "kappa", "macro-f1"], [0.8, 0.1, 0.1], np.arange(500), 0
        ),
        trivial_scenario("40 unequal clusters", ["accuracy", "recall", "kappa"], equal, clusters, 40),
        trivial_scenario("40 unequal clusters, withheld", ["accuracy"], equal, clusters, 30, used=False),
    ]


PAIRS = [*_pairs(), *_gaps()]
CROSSED, LABELLED, MEASURES_ALIKE, HALVES = _crossed(), _labels(), _measures(), _halves()
DROPS, TRIVIAL, PLANS = _drops(), _trivial(), _plans()
CORRELATIONS, FILES = _correlations(), _files()
