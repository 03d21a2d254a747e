"""Class shares of whole runs: systems that are equally far from gold, in tests of measures with `level=run`."""

from __future__ import annotations

from functools import partial

import numpy as np

from metaeval.inference.pairs import Evidence, compare_pairs
from metaeval.measures import Measure, measure
from metaeval.model.runs import DistributionRuns
from metaeval.model.scale import ClassScale
from metaeval.scoring.distributions import score_distributions
from metaeval.scoring.parts import parts_of_item_scores
from metaeval.study.items import ENOUGH_GROUPS
from simulations.generators import Floats
from simulations.scenarios import LEVEL, Outcome, Scenario

SYSTEMS, CLASSES, VOTES, CLUSTER = 3, 5, 5, 4


def _measures(items: int, clusters: bool) -> tuple[Measure, ...]:
    """Measures of whole runs; shares whose logarithm a few groups of items decide are raised, as studies require."""
    epsilon = ENOUGH_GROUPS * (CLUSTER if clusters else 1) / items
    names = ("nmd:", "rnod:", "jsd:", "nvd:", "brier:", f"cross-entropy:epsilon={epsilon:.2g},")
    return tuple(measure(f"{name}level=run") for name in names)


def _around(centre: Floats) -> Floats:
    """Distributions around a place among the classes."""
    shares = np.exp(-0.5 * np.square((np.arange(CLASSES) - centre[..., np.newaxis]) / 0.8))
    return np.asarray(shares / shares.sum(axis=-1, keepdims=True))


def _tested(random: np.random.Generator, *, items: int, bias: float, clusters: bool, labels: bool) -> Outcome:
    """Whether some pair of systems with the same expected shares is found to differ, by measure.

    bias: how many classes they are too high. clusters: of four items, with luck of each system. labels: whether systems
    predict single classes, so that many items tie.
    """
    every, codes = _measures(items, clusters), np.arange(items) // (CLUSTER if clusters else 1)
    centre = random.normal(2, 1, items)
    gold = random.multinomial(VOTES, _around(centre)) / VOTES
    predicted = _around(centre + bias + random.normal(0, 0.7, (SYSTEMS, codes.max() + 1))[:, codes])
    if labels:
        predicted = np.eye(CLASSES)[predicted.argmax(axis=-1)]
    names, scale = tuple(map(str, range(items))), ClassScale(tuple("abcde"), ordered=True)
    scores = score_distributions(DistributionRuns(names, names[:SYSTEMS], predicted, gold, scale), every)
    parts = parts_of_item_scores(scores, codes)
    tests = (compare_pairs(Evidence.draw((measure_parts,), random, 499)) for measure_parts in parts)
    return {str(one): float(test.significant.any()) for one, test in zip(every, tests, strict=True)}


def _scenario(name: str, quick: int, *, items: int, bias: float, clusters: bool, labels: bool) -> Scenario:
    run = partial(_tested, items=items, bias=bias, clusters=clusters, labels=labels)
    return Scenario(f"class shares, {name}", 400, quick, run, {str(one): LEVEL for one in _measures(items, clusters)})


SCENARIOS = [
    _scenario("40 items, one class too high", 60, items=40, bias=1.0, clusters=False, labels=False),
    _scenario("150 items, those of gold", 0, items=150, bias=0.0, clusters=False, labels=False),
    _scenario("150 items in clusters, labels too high", 60, items=150, bias=1.0, clusters=True, labels=True),
    _scenario("150 items, classes that are hardly predicted", 0, items=150, bias=1.5, clusters=False, labels=True),
]
