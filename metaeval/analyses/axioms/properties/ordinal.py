"""The three properties of Amigó et al. (2020) for classes in order, and what they leave out.

They define them on a gold standard g and a system s that give each item d a class. Their classes are those of gold, so
that properties 2 and 3 are put to gold in which every class occurs; `nearer` is property 2 without that premise.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from metaeval.analyses.axioms.properties.perturbations import exchange, move_one, moved, perfect, with_all_in_gold
from metaeval.analyses.axioms.properties.spec import Cases, Relation, SearchSpace, formal_property
from metaeval.measures.spec import Measure, ScaleType


def uses_order(measure: Measure) -> bool:
    """Whether a measure knows more of the classes than their names."""
    return measure.scale_type is not ScaleType.NOMINAL


@formal_property(
    "ordinal-invariance",
    title="Ordinal invariance",
    statement="only the order of the classes in use counts: a class in use and a neighbour that neither gold nor the "
    "system uses change places, names and weights go with them, and the score stays",
    source="amigo2020",
    relation=Relation.SAME,
)
def classes_take_free_places(space: SearchSpace) -> Iterator[Cases]:
    """Property 1, Eff(f(s), f(g)) = Eff(s, g) for strictly increasing f.

    A strictly increasing f from the classes in use to classes of the same scale is a chain of single steps to a free
    place beside; these are the cases.
    """
    systems = space.systems
    used = (systems.sum(axis=-1) + systems.sum(axis=-2)) > 0
    for place in range(space.classes - 1):
        yield exchange(systems[used[:, place] != used[:, place + 1]], place, place + 1)


@formal_property(
    "ordinal-monotonicity",
    title="Ordinal monotonicity",
    statement="where every class occurs in gold: an item predicted nearer to its gold class, on the same side of it or "
    "right, gives a higher score",
    source="amigo2020",
    relation=Relation.HIGHER,
)
def items_move_nearer(space: SearchSpace) -> Iterator[Cases]:
    """Property 2, Eff(s′, g) > Eff(s, g) where s(d) > s′(d) ≥ g(d), or the mirror image, for some d, else s′ = s.

    Items that move together are a chain of single moves; these are the cases.
    """
    systems = with_all_in_gold(space.systems)
    for gold, old, new in steps_nearer(space.classes):
        yield move_one(systems, gold, old, new)
    for gold, old in errors(space.classes):
        yield move_one(systems, gold, old, gold)


@formal_property(
    "imbalance",
    title="Imbalance",
    statement="where every class occurs in gold: a single error by one step costs less in the more frequent of two "
    "gold classes, predicted as the class between them",
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
    title="An error moved nearer",
    statement="an error that comes nearer to the gold class, on the same side of it, gives a higher score, whatever "
    "gold is",
    source="amigo2020",
    relation=Relation.HIGHER,
    applies=uses_order,
)
def errors_move_nearer(space: SearchSpace) -> Iterator[Cases]:
    """The part of property 2 that needs an order, on any gold."""
    for gold, old, new in steps_nearer(space.classes):
        yield move_one(space.systems, gold, old, new)


def errors(classes: int) -> Iterator[tuple[int, int]]:
    """Gold class and another that is predicted."""
    return ((gold, old) for gold in range(classes) for old in range(classes) if old != gold)


def steps_nearer(classes: int) -> Iterator[tuple[int, int, int]]:
    """Gold class, a wrong one, and one between the two.

    >>> list(steps_nearer(3))
    [(0, 2, 1), (2, 0, 1)]
    """
    for gold, old in errors(classes):
        for new in range(min(gold, old) + 1, max(gold, old)):
            yield gold, old, new
