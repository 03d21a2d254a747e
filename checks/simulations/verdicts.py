"""Pairs of systems that measures contest: false ones, planted ones, and planted ones that are missed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from metaeval.inference.conflicts import Conflicts
from metaeval.inference.pairs import Evidence
from metaeval.inference.parts import Parts
from metaeval.measures import measure
from metaeval.model.runs import LabelledRuns
from metaeval.scoring.parts import count_groups
from simulations import rankings
from simulations.generators import SCALE, Codes, Floats, grid, unequal_clusters
from simulations.hard import latent_runs, rare
from simulations.rankings import right_items
from simulations.scenarios import LEVEL, Bound, Outcome, Scenario

MEASURES = ("accuracy", "macro-f1", "kappa", "mcc")

RECALL = (measure("accuracy"), measure("recall"))

RARE = (0.85, 0.12, 0.03)
"""Shares of three classes, of which the last one is rare."""

SHARED, OWN = 0.3, 0.3
"""Shares of the variance of scores of items: of a system under all measures, of one measure; the rest is of an item."""

MISSED = Bound(at_most=0.2)


def conflicts_of(every: Sequence[Parts], random: np.random.Generator) -> Conflicts:
    """Of measures in one grouping of the same items."""
    first = Evidence.draw(every[:1], random, 499)
    return Conflicts.of([first, *(Evidence((parts,), first.signs) for parts in every[1:])], alpha=0.05)


def alike_scenario(
    name: str, shares: Sequence[Floats], quick: int = 0, *, items: int = 300, groupings: Sequence[Codes] = ()
) -> Scenario:
    """Measures with these shares of right items, of which no two order a pair of systems in opposite ways."""

    def simulate(random: np.random.Generator) -> Outcome:
        evidence = rankings.evidence_of(right_items(random, shares, items, groupings), groupings, random)
        return {"contested": bool(Conflicts.of(evidence, alpha=0.05).contested().any())}

    systems = f"{len(shares)} measures that order {len(shares[0])} systems alike"
    return Scenario(f"contested by {systems}, {name}", 400, quick, simulate, {"contested": LEVEL})


def _alike() -> list[Scenario]:
    clusters = unequal_clusters(60, 600)
    scenarios = []
    for systems, quick in ((5, 40), (14, 40), (48, 5)):
        spaced, equal = np.linspace(0.6, 0.8, systems), np.full(systems, 0.7)
        flatter = [0.7 + slope * (spaced - 0.7) for slope in (1, 0.8, 0.6, 0.4, 0.2)]
        scenarios += [
            alike_scenario("none better than another", [equal] * 5),
            alike_scenario("evenly spaced", flatter, quick),
            # What one measure finds is contested as soon as any other is wrong.
            alike_scenario("which only the first separates", [np.linspace(0.3, 0.95, systems), *[equal] * 4], quick),
        ]
    tied = np.repeat([0.6, 0.65, 0.7, 0.75], [4, 3, 4, 3])
    far = [np.linspace(0.3, 0.95, 14), *[np.full(14, 0.7)] * 4]
    return [
        *scenarios,
        alike_scenario("with ties", [tied, tied, 0.7 + 0.5 * (tied - 0.7), np.full(14, 0.7)], 20),
        alike_scenario("which only the first separates", [far[0], *far[1:] * 3]),
        alike_scenario("60 unequal clusters", far, 20, items=600, groupings=[clusters]),
        alike_scenario("crossed 30 × 30", far, items=900, groupings=grid(30, 30)),
    ]


def label_scenario(name: str, draw: Callable[[np.random.Generator], LabelledRuns], quick: int = 0) -> Scenario:
    """Measures of labels that order systems alike."""
    measures = [measure(measure_name) for measure_name in MEASURES]

    def simulate(random: np.random.Generator) -> Outcome:
        conflicts = conflicts_of(count_groups(draw(random), None, random).parts(measures), random)
        return {"contested": bool(conflicts.contested().any())}

    return Scenario(f"contested by {', '.join(MEASURES)}, {name}", 400, quick, simulate, {"contested": LEVEL})


def spaced_noise(random: np.random.Generator, systems: int, items: int) -> LabelledRuns:
    """Systems that see the latent value with more and more noise, so that all measures order them alike."""
    return latent_runs(random, items, RARE, np.linspace(0.6, 1.4, systems))


def planted_scenario(apart: float, items: int, quick: int = 0, claims: Mapping[str, Bound] | None = None) -> Scenario:
    """Five measures; two of 14 systems are ordered in opposite ways by the last one, and no other two.

    apart: how far the difference of these two is apart under the last measure, in standard deviations of the scores of
    items: it is half of this in favour of the one, and of the other.
    """
    others = np.append(np.linspace(-0.9, -0.4, 6), np.linspace(0.4, 0.9, 6))
    pair = np.array([apart, -apart]) / 4
    worth = np.array([*[[*pair, *others]] * 4, [*-pair, *others]])

    def simulate(random: np.random.Generator) -> Outcome:
        scores = worth[:, :, np.newaxis] + np.sqrt(OWN) * random.standard_normal((*worth.shape, items))
        scores += np.sqrt(SHARED) * random.standard_normal((worth.shape[1], items))
        scores += np.sqrt(1 - SHARED - OWN) * random.standard_normal(items)
        conflicts = conflicts_of([Parts(matrix.mean(axis=1), matrix.T, np.ones(items)) for matrix in scores], random)
        contested = conflicts.contested()
        return {"found": contested[0], "none contested": not contested.any(), "another contested": contested[1:].any()}

    name = f"two of 14 systems contested, {apart:g} deviations apart, {items:,} items"
    default = {"found": Bound(), "none contested": Bound(), "another contested": LEVEL}
    return Scenario(name, 400, quick, simulate, default | dict(claims or {}))


def by_recalls(random: np.random.Generator, recalls: Floats, items: int) -> LabelledRuns:
    """Systems with these recalls of the classes, (S, 3), whose errors are in either other class."""
    gold = np.concatenate([np.arange(3), random.choice(3, items - 3, p=RARE)])
    right = random.random((len(recalls), items)) < recalls[:, gold]
    predicted = np.where(right, gold, (gold + random.integers(1, 3, right.shape)) % 3)
    systems = tuple(f"s{number}" for number in range(len(recalls)))
    return LabelledRuns(tuple(map(str, range(items))), gold, predicted, systems, SCALE)


def traded_recall_scenario(items: int, quick: int = 0) -> Scenario:
    """Eight systems of the same mean recall, of which accuracy prefers those that are good at the frequent class."""
    frequent = np.linspace(0.6, 0.95, 8)
    recalls = np.stack([frequent, *[(2.1 - frequent) / 2] * 2], axis=1)

    def simulate(random: np.random.Generator) -> Outcome:
        every = count_groups(by_recalls(random, recalls, items), None, random).parts(RECALL)
        return {"contested": bool(conflicts_of(every, random).contested().any())}

    name = f"contested by accuracy and recall, 8 systems of one recall, a class of {RARE[-1] * items:.0f} of {items:,}"
    return Scenario(name, 400, quick, simulate, {"contested": LEVEL})


def opposed_recall_scenario(items: int, quick: int) -> Scenario:
    """Two systems that are good at the frequent, or at the other classes, among six of the same recall of each class.

    The first has the higher accuracy (.88 to .81), the second the higher mean recall (.83 to .56).
    """
    recalls = np.array([[0.97, 0.4, 0.3], [0.8, 0.85, 0.85], *([recall] * 3 for recall in np.linspace(0.6, 0.8, 6))])

    def simulate(random: np.random.Generator) -> Outcome:
        every = count_groups(by_recalls(random, recalls, items), None, random).parts(RECALL)
        contested = conflicts_of(every, random).contested()
        return {"found": contested[0], "none contested": not contested.any()}

    name = f"two of 8 systems contested by accuracy and recall, {items:,} items"
    return Scenario(name, 400, quick, simulate, {"found": Bound(at_least=0.8), "none contested": MISSED})


SCENARIOS = [
    *_alike(),
    label_scenario("8 equal systems, a class of 9 of 300 items", lambda random: rare(random, 8, 300, RARE), 40),
    label_scenario("14 equal systems, a class of 30 of 1,000 items", lambda random: rare(random, 14, 1000, RARE)),
    label_scenario(
        "14 systems ordered alike, a class of 9 of 300 items", lambda random: spaced_noise(random, 14, 300), 20
    ),
    label_scenario("14 systems ordered alike, a class of 30 of 1,000", lambda random: spaced_noise(random, 14, 1000)),
    traded_recall_scenario(300, 40),
    traded_recall_scenario(1000),
    *(planted_scenario(apart, 300) for apart in (0.4, 0.6, 0.8)),
    planted_scenario(0.4, 1000),
    planted_scenario(0.6, 1000, 20, {"none contested": MISSED, "found": Bound(at_least=0.8)}),
    planted_scenario(0.8, 1000, 0, {"none contested": MISSED, "found": Bound(at_least=0.8)}),
    opposed_recall_scenario(1000, 20),
]
