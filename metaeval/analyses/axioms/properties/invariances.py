"""Properties of invariance: perturbations that do not change the score."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np

from metaeval.analyses.axioms.properties.perturbations import changed_cases, exchange
from metaeval.analyses.axioms.properties.spec import Cases, Relation, SearchSpace, formal_property

MULTIPLES = (2, 3)
"""Factors by which items are multiplied."""


@formal_property(
    "relabelling",
    title="Invariance to relabelling",
    statement="the score does not change when two classes, with their names and weights, exchange their positions in "
    "the order",
    source="gosgens2021",
    relation=Relation.SAME,
)
def classes_change_places(space: SearchSpace) -> Iterator[Cases]:
    """Class symmetry; exchanges of two classes generate every permutation."""
    for one, other in itertools.combinations(range(space.classes), 2):
        yield exchange(space.systems, one, other)


@formal_property(
    "swap",
    title="Symmetry",
    statement="the score does not change when gold and system exchange their roles",
    source="gosgens2021",
    relation=Relation.SAME,
)
def gold_and_system_swapped(space: SearchSpace) -> Iterator[Cases]:
    """The confusion matrix is transposed."""
    yield changed_cases(space.systems, space.systems.swapaxes(1, 2))


@formal_property(
    "prior",
    title="Invariance to class frequency",
    statement="the score does not change when one gold class has two or three times as many items, with the same "
    "distribution of predictions",
    source="sokolova2009",
    relation=Relation.SAME,
)
def a_gold_class_more_frequent(space: SearchSpace) -> Iterator[Cases]:
    """A row of the matrix is multiplied."""
    for gold, times in itertools.product(range(space.classes), MULTIPLES):
        after = space.systems.copy()
        after[:, gold] *= times
        yield changed_cases(space.systems, after)


@formal_property(
    "replication",
    title="Invariance to size",
    statement="the score does not change when every item occurs two or three times",
    source="sokolova2009",
    relation=Relation.SAME,
)
def every_item_again(space: SearchSpace) -> Iterator[Cases]:
    """The matrix is multiplied."""
    for times in MULTIPLES:
        yield Cases(space.systems, times * space.systems)


@formal_property(
    "chance",
    title="Chance correction",
    statement="where every class occurs in gold: all systems that ignore gold, constant or random, have the same score "
    "on their expected counts",
    source="gosgens2021",
    relation=Relation.SAME,
)
def blind_systems(space: SearchSpace) -> Iterator[Cases]:
    """The constant baseline. A system that ignores gold predicts the same mix of classes for every gold class.

    The rows of its expected counts are proportional to the mix. In each case one part of the mix moves from one class
    to another; such steps connect all mixes.
    """
    golds, mixes = space.gold_blind
    before = golds[:, :, np.newaxis] * mixes[:, np.newaxis, :]
    for old, new in itertools.combinations(range(space.classes), 2):
        able = mixes[:, old] > 0
        after = before[able].copy()
        after[:, :, old] -= golds[able]
        after[:, :, new] += golds[able]
        yield Cases(before[able], after)
