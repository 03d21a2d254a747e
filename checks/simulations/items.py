"""Items of which some have a wrong gold label: `items` should list these, and few others."""

from __future__ import annotations

from functools import partial

import numpy as np

from metaeval.analyses.items.compute import analyse_labels
from metaeval.arrays import Bools
from metaeval.model.runs import LabelledRuns
from metaeval.model.scale import ClassScale
from simulations.scenarios import Bound, Outcome, Scenario

SCALE = ClassScale(("a", "b", "c"))
ALPHA = 0.05


def simulate(
    random: np.random.Generator, *, systems: int, items: int, shares: tuple[float, float], biased: bool
) -> Outcome:
    """Systems of different quality on items of different difficulty, with wrong gold labels.

    shares: of the items whose gold label is another one, and of those on which the quality of the systems does not
    count. biased: whether systems that are wrong predict the first class.
    """
    wrong, unrelated = shares
    quality, difficulty = random.normal(size=systems), random.normal(size=items)
    truth = random.integers(3, size=items)
    no_relation = random.random(items) < unrelated
    logits = np.where(no_relation, 0.0, quality[:, np.newaxis]) - difficulty
    right = random.random((systems, items)) < 1 / (1 + np.exp(-logits))
    other = np.zeros((systems, items), dtype=np.intp) if biased else (truth + random.integers(1, 3, right.shape)) % 3
    predicted = np.where(right, truth, other)
    is_wrong = (random.random(items) < wrong) & ~no_relation
    gold = np.where(is_wrong, (truth + random.integers(1, 3, items)) % 3, truth)
    names = tuple(map(str, range(items))), tuple(map(str, range(systems)))
    result = analyse_labels(LabelledRuns(names[0], gold, predicted, names[1], SCALE), ALPHA)
    listed = result.preference.significant(ALPHA)
    positive = result.discrimination.significant(ALPHA)
    return {
        "right labels to check": _share(listed & ~is_wrong, listed),
        "unrelated among discriminating": _share(positive & no_relation, positive),
        "wrong labels to check": _share(listed & is_wrong, is_wrong),
    }


def _share(part: Bools, whole: Bools) -> float:
    return float(part.sum() / max(whole.sum(), 1))


FEW = {name: Bound(at_most=ALPHA) for name in ("right labels to check", "unrelated among discriminating")}


def _scenario(
    systems: int, items: int, kind: str, shares: tuple[float, float], *, power: float = 0.0, biased: bool = False
) -> Scenario:
    return Scenario(
        f"items: {systems} systems, {items} items, {kind}",
        sets=200,
        quick=20,
        simulate=partial(simulate, systems=systems, items=items, shares=shares, biased=biased),
        claims=FEW | ({"wrong labels to check": Bound(at_least=power)} if power else {}),
    )


SCENARIOS = [
    _scenario(8, 100, "all unrelated", (0.0, 1.0)),
    _scenario(12, 40, "all unrelated", (0.0, 1.0)),
    _scenario(30, 500, "all unrelated", (0.0, 1.0)),
    _scenario(12, 100, "half unrelated", (0.0, 0.5)),
    _scenario(30, 500, "half unrelated", (0.05, 0.5)),
    _scenario(100, 1000, "half unrelated", (0.05, 0.5)),
    _scenario(30, 500, "wrong labels", (0.05, 0.0)),
    _scenario(100, 1000, "wrong labels", (0.05, 0.0), power=0.5),
    _scenario(100, 1000, "a class that weaker systems predict", (0.0, 0.1), biased=True),
]
