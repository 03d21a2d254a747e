"""The three properties of Amigó et al. (2020) for ordered classes, and one without their premise.

They are defined for a gold standard g and a system s that assign a class to each item d. The classes are those of gold,
so that properties 2 and 3 are checked where every class occurs in gold; `nearer` is property 2 for any gold.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from metaeval.analyses.axioms.properties.perturbations import exchange, move_one, moved, perfect, with_all_in_gold
from metaeval.analyses.axioms.properties.spec import Cases, Relation, SearchSpace, formal_property
from metaeval.measures.spec import Measure, ScaleType


def uses_order(measure: Measure) -> bool:
    """Whether a measure uses more than the names of the classes."""
    return measure.scale_type is not ScaleType.NOMINAL


@formal_property(
    "ordinal-invariance",
    title="Ordinal invariance",
    statement="only the order of the used classes matters: the score does not change when a used class and an "
    "adjacent unused one, with their names and weights, exchange their positions",
    source="amigo2020",
    relation=Relation.SAME,
)
def classes_take_free_places(space: SearchSpace) -> Iterator[Cases]:
    """Property 1, Eff(f(s), f(g)) = Eff(s, g) for strictly increasing f.

    A strictly increasing f within a scale is a sequence of single steps to an adjacent free position; each is a case.
    """
    systems = space.systems
    used = (systems.sum(axis=-1) + systems.sum(axis=-2)) > 0
    for place in range(space.classes - 1):
        yield exchange(systems[used[:, place] != used[:, place + 1]], place, place + 1)


@formal_property(
    "ordinal-monotonicity",
    title="Ordinal monotonicity",
    statement="where every class occurs in gold: the score increases when an item is predicted closer to its gold "
    "class, on the same side of it, or correctly",
    source="amigo2020",
    relation=Relation.HIGHER,
)
def items_move_nearer(space: SearchSpace) -> Iterator[Cases]:
    """Property 2, Eff(s′, g) > Eff(s, g) where s(d) > s′(d) ≥ g(d), or the mirror image, for some d, else s′ = s.

    Moves of several items are sequences of single moves; each is a case.
    """
    systems = with_all_in_gold(space.systems)
    for gold, old, new in steps_nearer(space.classes):
        yield move_one(systems, gold, old, new)
    for gold, old in errors(space.classes):
        yield move_one(systems, gold, old, gold)


@formal_property(
    "imbalance",
    title="Imbalance",
    statement="where every class occurs in gold: of two gold classes, a single error that predicts the class between "
    "them costs less in the more frequent one",
    source="amigo2020",
    relation=Relation.HIGHER,
)
def errors_in_a_frequent_class(space: SearchSpace) -> Iterator[Cases]:
    """Property 3, Eff(g with d₁ → c₂, g) > Eff(g with d₃ → c₂, g) where n₁ > n₃.

    d₁ and d₃ are items of classes c₁ and c₃, the neighbours of c₂ on either side.
    """
    for middle in range(1, space.classes - 1):
        below, above = space.golds[:, middle - 1], space.golds[:, middle + 1]
        golds = space.golds[below != above]
        below_is_rarer = (below < above)[below != above]
        rare = np.where(below_is_rarer, middle - 1, middle + 1)
        frequent = np.where(below_is_rarer, middle + 1, middle - 1)
        right = perfect(golds)
        yield Cases(moved(right, rare, rare, middle), moved(right, frequent, frequent, middle))


@formal_property(
    "nearer",
    title="An error moved closer",
    statement="the score increases when a wrong prediction moves closer to the gold class, on the same side of it, for "
    "any gold",
    source="amigo2020",
    relation=Relation.HIGHER,
    applies=uses_order,
)
def errors_move_nearer(space: SearchSpace) -> Iterator[Cases]:
    """The part of property 2 that depends on the order, for any gold."""
    for gold, old, new in steps_nearer(space.classes):
        yield move_one(space.systems, gold, old, new)


def errors(classes: int) -> Iterator[tuple[int, int]]:
    """Pairs of a gold class and another class, which is predicted."""
    return ((gold, old) for gold in range(classes) for old in range(classes) if old != gold)


def steps_nearer(classes: int) -> Iterator[tuple[int, int, int]]:
    """Gold class, a wrong one, and one between the two.

    >>> list(steps_nearer(3))
    [(0, 2, 1), (2, 0, 1)]
    """
    for gold, old in errors(classes):
        for new in range(min(gold, old) + 1, max(gold, old)):
            yield gold, old, new
