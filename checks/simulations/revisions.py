"""Two golds that differ by chance: `compare --revised` should call no change of systems significant."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from metaeval.analyses.compare.revision import tests_from_zero
from metaeval.inference.pairs import Evidence, compare_pairs
from metaeval.measures import measure
from metaeval.model.runs import LabelledRuns
from metaeval.model.scale import ClassScale
from metaeval.scoring.parts import count_groups
from metaeval.study.evidence import change_of_parts
from simulations.scenarios import LEVEL, Outcome, Scenario

SCALE = ClassScale(("low", "mid", "high"), ordered=True)
SYSTEMS = 8


def simulate(
    random: np.random.Generator, *, name: str, items: int, shares: tuple[float, ...], wrong: float, clusters: int
) -> Outcome:
    """Gold and revised gold with independent errors on the same share of the items.

    shares: of the classes. wrong: share of labels drawn anew in either gold. clusters: number of clusters of the items,
    all labels of which are drawn anew together; 0 for none.
    """
    truth = random.choice(3, items, p=shares)
    qualities = random.uniform(0.4, 0.9, SYSTEMS)[:, np.newaxis]
    predicted = np.where(
        random.random((SYSTEMS, items)) < qualities, truth, random.choice(3, (SYSTEMS, items), p=shares)
    )
    codes = random.integers(clusters, size=items) if clusters else np.arange(items)
    groups = np.unique(codes, return_inverse=True)[1]

    def gold() -> np.ndarray:
        is_random = (random.random(groups.max() + 1) < wrong)[groups]
        return np.where(is_random, random.choice(3, items, p=shares), truth)

    names = tuple(map(str, range(items))), tuple(map(str, range(SYSTEMS)))
    runs = LabelledRuns(names[0], gold(), predicted, names[1], SCALE)
    both = (
        count_groups(version, groups, random).parts([measure(name)], given_gold=False)[0]
        for version in (runs, replace(runs, gold=gold()))
    )
    evidence = Evidence.draw((change_of_parts(*both),), random, 499)
    return {
        "a system changes": bool((tests_from_zero(evidence, 0.05).p <= 0.05).any()),
        "a difference changes": bool((compare_pairs(evidence, alpha=0.05).p <= 0.05).any()),
    }


SCENARIOS = [
    Scenario(
        f"revised gold: {name}, {items} items, {kind}",
        sets=400,
        quick=40,
        simulate=partial(simulate, name=name, items=items, shares=shares, wrong=wrong, clusters=clusters),
        claims={"a system changes": LEVEL, "a difference changes": LEVEL},
    )
    for name in ("accuracy", "macro-f1", "mae:average=macro", "kappa:weights=linear")
    for items, kind, shares, wrong, clusters in (
        (1000, "few revised", (0.4, 0.3, 0.3), 0.01, 0),
        (500, "many revised", (0.4, 0.3, 0.3), 0.1, 0),
        (500, "a rare class", (0.75, 0.2, 0.05), 0.1, 0),
        (600, "60 clusters", (0.4, 0.3, 0.3), 0.1, 60),
    )
]
