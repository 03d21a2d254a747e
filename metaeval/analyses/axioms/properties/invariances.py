"""What may change while the score stays."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np

from metaeval.analyses.axioms.properties.perturbations import exchange, that_differ
from metaeval.analyses.axioms.properties.spec import Cases, Relation, SearchSpace, formal_property

MULTIPLES = (2, 3)
"""How many times as many items there are afterwards."""


@formal_property(
    "relabelling",
    title="Invariance to relabelling",
    statement="two classes change places in the order, in gold and system, names and weights go with them, and the "
    "score stays",
    source="gosgens2021",
    relation=Relation.SAME,
)
def classes_change_places(space: SearchSpace) -> Iterator[Cases]:
    """Class symmetry. Exchanges of two classes make every permutation, so that these are the cases."""
    for one, other in itertools.combinations(range(space.classes), 2):
        yield exchange(space.systems, one, other)


@formal_property(
    "swap",
    title="Symmetry",
    statement="gold and system change roles, and the score stays",
    source="gosgens2021",
    relation=Relation.SAME,
)
def gold_and_system_swapped(space: SearchSpace) -> Iterator[Cases]:
    """The confusion matrix is transposed."""
    yield that_differ(space.systems, space.systems.swapaxes(1, 2))


@formal_property(
    "prior",
    title="Invariance to class frequency",
    statement="one gold class has twice or three times as many items, on which the system does the same, and the score "
    "stays",
    source="sokolova2009",
    relation=Relation.SAME,
)
def a_gold_class_more_frequent(space: SearchSpace) -> Iterator[Cases]:
    """A row of the matrix is multiplied."""
    for gold, times in itertools.product(range(space.classes), MULTIPLES):
        after = space.systems.copy()
        after[:, gold] *= times
        yield that_differ(space.systems, after)


@formal_property(
    "replication",
    title="Invariance to size",
    statement="every item occurs twice or three times, and the score stays",
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
    statement="where every class occurs in gold: all systems that ignore gold, constant or random, score alike on the "
    "counts expected of them",
    source="gosgens2021",
    relation=Relation.SAME,
)
def blind_systems(space: SearchSpace) -> Iterator[Cases]:
    """The constant baseline. A system that ignores gold predicts the same mix of classes for every gold class.

    Expected counts are rows in proportion to the mix; one part of the mix goes from one class to another, and such
    steps, there or back, lead from every mix to every other.
    """
    golds, mixes = space.gold_blind
    before = golds[:, :, np.newaxis] * mixes[:, np.newaxis, :]
    for old, new in itertools.combinations(range(space.classes), 2):
        able = mixes[:, old] > 0
        after = before[able].copy()
        after[:, :, old] -= golds[able]
        after[:, :, new] += golds[able]
        yield Cases(before[able], after)
