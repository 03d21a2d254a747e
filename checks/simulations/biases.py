"""Biases of judges: planted ones and none, where strong systems come first, write more or are of the judge's family."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, ndtr

from metaeval.judges.preferences.biases import FIRST, LONGER, SELF_PREFERENCE, biases_of
from metaeval.judges.preferences.study import Raters, Verdicts
from simulations.generators import unequal_clusters
from simulations.scenarios import Bound, Outcome, Scenario

COVERED = Bound(at_least=0.93, at_most=0.97)
LEVEL = Bound(at_most=0.05)
MOST_APART = 4
"""Log odds between two systems up to which the level is claimed."""

ONE_ORDER = Bound(at_most=0.08)
"""Of few verdicts for the weaker system in mostly one order."""

FAMILY = AT_LEAST = Bound(at_least=0.93)
"""How much more certain than people a judge is is not known well: intervals are rather too wide."""

MEDIAN = Bound(at_least=0.45, at_most=0.55)

Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class Judge:
    """Log odds of a judge: for the first output, for twice the length, and for its family; its factor of strengths."""

    first: float = 0.0
    longer: float = 0.0
    family: float = 0.0
    factor: float = 1.0


@dataclass(frozen=True)
class Data:
    """Verdicts on pairs of systems with strengths from −spread to spread, of which a fifth are ties.

    items: their number, of which each has `pairs` of systems. family: systems of the judge's family. luck: share of the
    variance that verdicts on a system and item have in common, or on a system and cluster. both: whether each pair is
    shown in both orders; otherwise the stronger system comes first in three of four pairs. clusters: whether items are
    in clusters of unequal sizes.
    """

    items: int
    pairs: int
    spread: float = 1.0
    systems: int = 5
    family: tuple[int, ...] = (0, 2, 4)
    luck: float = 0.4
    both: bool = True
    clusters: bool = False

    def draw(self, random: np.random.Generator, judges: list[Judge]) -> Verdicts:
        """The verdicts of these judges, of whom the first has a family."""
        true = np.linspace(self.spread, -self.spread, self.systems)
        number = self.items * self.pairs
        clusters = unequal_clusters(max(self.items // 2, 2), self.items) if self.clusters else np.arange(self.items)
        words = random.lognormal(5, 0.6, (self.items, self.systems)) * np.exp(0.4 * true)
        luck = random.standard_normal((clusters.max() + 1, self.systems))
        columns = []
        for code, judge in enumerate(judges):
            item = np.repeat(np.arange(self.items), self.pairs)
            left, right = random.random((number, self.systems)).argsort(axis=1)[:, :2].T
            if self.both:
                item, left, right = np.tile(item, 2), np.append(left, right), np.append(right, left)
            else:
                turned = (random.random(number) < 0.75) != (true[left] > true[right])
                left, right = np.where(turned, right, left), np.where(turned, left, right)
            length = np.stack([words[item, left], words[item, right]], axis=1)
            odds = judge.factor * (true[left] - true[right]) + judge.first
            odds += judge.longer * np.log2(length[:, 0] / length[:, 1])
            related = np.isin(left, self.family).astype(np.int64) - np.isin(right, self.family)
            odds += judge.family * related
            common = (luck[clusters[item], left] - luck[clusters[item], right]) / np.sqrt(2)
            noise = np.sqrt(self.luck) * common + np.sqrt(1 - self.luck) * random.standard_normal(len(item))
            terms = np.exp([odds / 2, -odds / 2, np.full(len(item), np.log(0.5))])
            win, loss, _ = terms / terms.sum(axis=0)
            uniform = ndtr(noise)
            winner = np.where(uniform > 1 - win, 1, np.where(uniform < loss, -1, 0))
            columns.append((item, left, right, np.full(len(item), code), winner, length, related))
        item, left, right, who, winner, length, related = (np.concatenate(part) for part in zip(*columns, strict=True))
        return Verdicts(
            items=item,
            clusters=clusters[item],
            language_pairs=np.zeros(len(item), dtype=np.intp),
            left=left,
            right=right,
            judges=who,
            winner=winner.astype(np.int8),
            scores={},
            length=length,
            judges_family=np.where(who == 0, related, 0).astype(np.int8),
            displayed=np.ones(len(item), dtype=np.bool_),
            systems=tuple(map(str, range(self.systems))),
            names_of_judges=tuple(map(str, range(len(judges)))),
            names_of_language_pairs=("",),
            number_of_items=self.items,
            certainty=np.ones(len(item)),
            weight=np.ones(len(item)),
        )


def strong_scenario(
    name: str, apart: float, items: int, judge: Judge, quick: int = 0, *, both: bool = True
) -> Scenario:
    """Two systems that are so many log odds apart, of which few verdicts are for the weaker one, or ties.

    Few such verdicts have no median, and intervals are rather too wide.
    """
    data = Data(items, 2, spread=apart / 2, systems=2, family=(), both=both)
    scenario = bias_scenario(f"{name}, two systems {apart:g} apart, {items} items", data, judge, quick)
    level = LEVEL if both else ONE_ORDER
    rejected = {key: level for key in scenario.claims if key.endswith("rejected")}
    claims = {f"{bias} covered": AT_LEAST for bias in (FIRST, LONGER)} | rejected
    # Of one verdict in ten thousand no error is known.
    return replace(scenario, claims=dict.fromkeys(claims, Bound()) if apart > MOST_APART else claims)


def bias_scenario(name: str, data: Data, judge: Judge, quick: int = 0, family: Bound = FAMILY) -> Scenario:
    """A judge and one person without biases. Estimates are above the truth in half of the data sets."""
    planted = {(FIRST, ""): judge.first, (LONGER, ""): judge.longer, (SELF_PREFERENCE, "people"): judge.family}

    def simulate(random: np.random.Generator) -> Outcome:
        verdicts = data.draw(random, [judge, Judge()])
        by_judge = verdicts.judges == 0
        result = biases_of(
            verdicts, [Raters("judge", by_judge)], Raters("people", ~by_judge), int(random.integers(1 << 30))
        )
        outcome: dict[str, float] = {}
        for one in result.estimates:
            if one.judge == "judge" and (one.name, one.against) in planted:
                truth = float(expit(planted[one.name, one.against]))
                outcome[f"{one.name} covered"] = one.share.low <= truth <= one.share.high
                outcome[f"{one.name} above"] = one.share.value > truth
                if truth == 0.5:
                    outcome[f"{one.name} rejected"] = one.share.p <= 0.05
        return outcome

    claims = {f"{bias} covered": COVERED for bias in (FIRST, LONGER)} | {f"{SELF_PREFERENCE} covered": family}
    claims |= {f"{bias} above": MEDIAN for bias in (FIRST, LONGER)}
    claims |= {f"{bias} rejected": LEVEL for bias, against in planted if not against and not planted[bias, against]}
    return Scenario(f"biases, {name}", 600, quick, simulate, claims)


PLANTED, NONE = Judge(first=0.6, longer=0.4, family=0.5), Judge()

SCENARIOS = [
    bias_scenario("none, 12 items", Data(12, 3), NONE, 60),
    bias_scenario("planted, 12 items", Data(12, 3), PLANTED),
    bias_scenario("none, 30 items, one order", Data(30, 3, both=False), NONE),
    bias_scenario("planted, 60 items", Data(60, 2), PLANTED, 60),
    bias_scenario("planted, 60 items, equal systems", Data(60, 2, spread=0), PLANTED),
    bias_scenario("none, 60 items, judge of factor 1.5", Data(60, 2), Judge(factor=1.5)),
    bias_scenario("none, 60 items, judge of factor 0.6", Data(60, 2), Judge(factor=0.6)),
    bias_scenario(
        "none, 60 items, judge of factor 1.5 and of the strong family",
        Data(60, 2, family=(0, 1)),
        Judge(factor=1.5),
        family=Bound(at_least=0.9),
    ),
    bias_scenario("planted, 60 items, clusters", Data(60, 2, clusters=True), PLANTED),
    bias_scenario("none, 200 items, clusters", Data(200, 1, clusters=True), NONE),
    bias_scenario("planted, 200 items, one order", Data(200, 2, both=False), PLANTED),
    strong_scenario("none", 4, 40, NONE, 60),
    strong_scenario("none", 4, 100, NONE),
    strong_scenario("none, one order", 4, 100, NONE, both=False),
    strong_scenario("planted", 4, 100, PLANTED),
    strong_scenario("none", 8, 100, NONE),
]
