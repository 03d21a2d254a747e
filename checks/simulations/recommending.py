"""Verdicts on measures of which the truth is known."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from metaeval.analyses.recommend.evidence import Material, examine
from metaeval.analyses.recommend.settings import RecommendSettings
from metaeval.analyses.recommend.verdict import judge
from metaeval.analyses.robustness.compute import gamed_share
from metaeval.inference.pairs import Evidence
from metaeval.inference.parts import Parts, Signs
from metaeval.inference.statistics import compare_statistics
from simulations.generators import Floats, correct_items
from simulations.scenarios import LEVEL, Bound, Outcome, Scenario

ADVISED = ("keep", "use", "report")

KEPT, LOSS = Bound(), Bound()
"""How often a less reliable measure is kept, and its mean loss of expected tau: a curve, without a claim."""


def material_of(worths: Sequence[Floats], random: np.random.Generator) -> Material:
    """Measures that are means over the same items, each with scores of items (S, N), without trivial systems."""
    systems, items = worths[0].shape
    signs = (Signs.draw(random, items, 499),)
    evidence = tuple(Evidence((Parts(worth.mean(axis=1), worth.T, np.ones(items)),), signs) for worth in worths)
    names = tuple(f"m{number}" for number in range(len(worths)))
    return Material(
        measures=names, evidence=evidence, systems=systems, trivial=(), chance=None,
        convention=tuple(range(len(names))), undefined=np.zeros(len(names)), uses_order=None, moves=None,
        properties=(frozenset(),) * len(names), human=None,
    )  # fmt: skip


def passes_checks(material: Material) -> list[bool]:
    """Which measures no check excludes."""
    verdict = judge(examine(material, alpha=0.05), RecommendSettings())
    return [reason is None for reason in verdict.reasons]


def equivalent_scenario(systems: int, items: int, spread: tuple[float, float], quick: int) -> Scenario:
    """Four measures with errors of their own that rank the systems equally reliably."""

    def simulate(random: np.random.Generator) -> Outcome:
        shares = random.uniform(*spread, systems)
        fixed = int(random.integers(1 << 32))
        hard = np.random.default_rng([fixed, 9]).standard_normal((systems, items))
        worths = []
        for number in range(4):
            errors = np.random.default_rng([fixed, number]).standard_normal((systems, items))
            worths.append((np.sqrt(0.5) * (hard + errors) < _limit(shares)).astype(np.float64))
        return {"excluded": not all(passes_checks(material_of(worths, random)))}

    name = f"4 equivalent measures, {systems} systems of {spread[0]:g} to {spread[1]:g}, {items:,} items"
    return Scenario(name, 400, quick, simulate, {"excluded": LEVEL})


def _limit(shares: Floats) -> Floats:
    from scipy.stats import norm

    return np.asarray(norm.ppf(shares))[:, np.newaxis]


def noisy_scenario(noise: float, systems: int, items: int, quick: int, claims: dict[str, Bound]) -> Scenario:
    """Two measures of the same systems; noise of this standard deviation is added to the items of the second."""

    def simulate(random: np.random.Generator) -> Outcome:
        shares = random.uniform(0.6, 0.75, systems)
        right = correct_items(random, shares, items)
        noisy = right + noise * random.standard_normal(right.shape)
        material = material_of([right, noisy], random)
        evidence = examine(material, alpha=0.05)
        verdict = judge(evidence, RecommendSettings())
        return {"kept": verdict.reasons[1] is None, "loss": evidence.reliability[0] - evidence.reliability[1]}

    return Scenario(f"noise of {noise:g} on {systems} systems and {items:,} items", 200, quick, simulate, claims)


def faulty_scenario(share: float, quick: int) -> Scenario:
    """Ten systems on three ordered classes, of which the middle one has a share of the items.

    They find each class equally often, so that the majority class has a higher accuracy than all of them if its share
    is larger. Accuracy and the mean recall do not notice how far an error is from gold.
    """
    import metaeval

    classes = ("low", "mid", "high")
    names = ("accuracy", "recall", "kappa:weights=linear", "mae:average=macro")

    def simulate(random: np.random.Generator) -> Outcome:
        gold = random.choice(3, size=1000, p=((1 - share) / 2, share, (1 - share) / 2))
        right = random.random((10, 1000)) < random.uniform(0.35, 0.75, (10, 1))
        predicted = np.where(right, gold, (gold + random.integers(1, 3, (10, 1000))) % 3)
        systems = {f"s{number}": [classes[code] for code in row] for number, row in enumerate(predicted.tolist())}
        runs = metaeval.from_labels(systems, gold=[classes[code] for code in gold.tolist()], labels="low<mid<high")
        choices = set()
        for official in (None, "accuracy", "recall"):
            result = metaeval.recommend(runs, names, official=official, permutations=199, halves=0)
            choices |= {row["measure"] for row in result.main.records() if row["verdict"] in ADVISED}
        return {"blind to order": "accuracy" in choices or "recall" in choices, "some measure": bool(choices)}

    claims = {"blind to order": Bound(at_most=0.0), "some measure": Bound(at_least=0.9)}
    return Scenario(f"measures that are blind to order, majority class of {share:.0%}", 100, quick, simulate, claims)


def gamed_scenario(share: float, quick: int) -> Scenario:
    """Ten systems on two classes, one of which has a share of the items that the systems reach in no class."""
    import metaeval

    def simulate(random: np.random.Generator) -> Outcome:
        gold = random.random(2000) < share
        right = random.random((10, 2000)) < random.uniform(0.55, 0.85, (10, 1))
        labels = np.where(right, gold, ~gold)
        systems = {f"s{number}": ["yes" if yes else "no" for yes in row] for number, row in enumerate(labels.tolist())}
        runs = metaeval.from_labels(systems, gold=["yes" if yes else "no" for yes in gold.tolist()], labels="no,yes")
        choices = set()
        for official in (None, "accuracy"):
            result = metaeval.recommend(runs, ("accuracy", "mcc"), official=official, permutations=199, halves=0)
            choices |= {row["measure"] for row in result.main.records() if row["verdict"] in ADVISED}
        return {"gamed measure": "accuracy" in choices, "other measure": "mcc" in choices}

    claims = {"gamed measure": Bound(at_most=0.0), "other measure": Bound(at_least=0.9)}
    return Scenario(f"a measure that a majority class of {share:.0%} wins", 100, quick, simulate, claims)


def equally_gamed_scenario(items: int, quick: int) -> Scenario:
    """Two measures with errors of their own, of the same expected scores for ten systems and two trivial ones."""

    def simulate(random: np.random.Generator) -> Outcome:
        shares = np.append(random.uniform(0.45, 0.7, 10), [0.55, 0.5])
        material = material_of([correct_items(random, shares, items) for _ in range(2)], random)
        every = [gamed_share(evidence, 10, alpha=0.05) for evidence in material.evidence]
        chance = np.stack([by_chance for _, by_chance in every], axis=1)
        p = compare_statistics(np.array([share for share, _ in every]), chance).p
        return {"different": p[0, 1] <= 0.05}

    return Scenario(
        f"2 measures that trivial systems game alike, {items:,} items", 400, quick, simulate, {"different": LEVEL}
    )


SCENARIOS = [
    *(equally_gamed_scenario(items, 40) for items in (100, 400, 1000)),
    *(faulty_scenario(share, 5) for share in (0.4, 0.8)),
    gamed_scenario(0.9, 5),
    equivalent_scenario(8, 100, (0.6, 0.75), 40),
    equivalent_scenario(14, 300, (0.6, 0.75), 40),
    equivalent_scenario(14, 300, (0.69, 0.71), 40),
    equivalent_scenario(20, 2000, (0.6, 0.75), 0),
    equivalent_scenario(40, 500, (0.5, 0.9), 0),
    *(noisy_scenario(noise, 20, 5000, 0, {"kept": KEPT, "loss": LOSS}) for noise in (0.3, 0.5)),
    noisy_scenario(0.65, 20, 5000, 20, {"kept": Bound(at_most=0.1), "loss": LOSS}),
    *(noisy_scenario(noise, 12, 500, 0, {"kept": KEPT, "loss": LOSS}) for noise in (1.0, 2.0)),
]
