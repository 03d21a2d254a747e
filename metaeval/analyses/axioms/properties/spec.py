"""What a formal property is: one function that makes cases, and one declaration of what has to hold in each.

    @formal_property("swap", title="Gold and system swapped", relation=Relation.SAME, …)
    def gold_and_system_swapped(space: SearchSpace) -> Iterator[Cases]: …

A case is two confusion matrices, before and after something was done to them. The scores of a measure, turned so that
higher is better, have to stand in the declared relation. One case where they don't is a counter-example.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from metaeval.measures.sources import SOURCES
from metaeval.measures.spec import Measure, Scores
from metaeval.registry import Registry

Matrices = NDArray[np.int64]
"""Confusion counts (K, C, C) of K systems: rows gold, columns predicted."""

Totals = NDArray[np.int64]
"""Items by class, (K, C)."""

TOLERANCE = 1e-9
"""Scores no farther apart than this are the same."""

WORKS: dict[str, str] = {
    "amigo2020": SOURCES["amigo2020"],
    "gosgens2021": "Gösgens, M., Zhiyanov, A., Tikhonov, A., & Prokhorenkova, L. (2021). Good classification measures "
    "and how to find them. NeurIPS, 34.",
    "sokolova2009": "Sokolova, M., & Lapalme, G. (2009). A systematic analysis of performance measures for "
    "classification tasks. Information Processing & Management, 45(4), 427–437.",
    "declaration": "The bounds that the measure declares (`metaeval measures NAME`).",
}
"""The works that properties come from, by key."""


class Relation(Enum):
    """How the scores of a case have to stand to each other, where higher is better."""

    SAME = "the same score"
    HIGHER = "a higher score"
    AT_LEAST = "no lower score"
    WITHIN = "a score within the bounds"

    def violated(self, before: Scores, after: Scores, bounds: tuple[float, float]) -> NDArray[np.bool_]:
        """Where a counter-example is, (K,); before, after: (K,), higher is better; never where one is NaN.

        bounds: lowest and highest score, turned likewise.

        >>> Relation.HIGHER.violated(np.array([0.5, 0.5]), np.array([0.5, 0.6]), (0.0, 1.0))
        array([ True, False])
        """
        gained = after - before
        if self is Relation.SAME:
            return np.asarray(np.abs(gained) > TOLERANCE)
        if self is Relation.HIGHER:
            return np.asarray(gained <= TOLERANCE)
        if self is Relation.AT_LEAST:
            return np.asarray(gained < -TOLERANCE)
        low, high = bounds
        return np.asarray((after < low - TOLERANCE) | (after > high + TOLERANCE))


class GoldBlindSystems(NamedTuple):
    """Systems that ignore gold: what each predicts for one item of gold, however often there is one.

    golds: (B, C). mixes: (B, C), predictions for one item.
    """

    golds: Totals
    mixes: Totals


@dataclass(frozen=True)
class SearchSpace:
    """What cases of one number of classes are made from.

    systems: (K, C, C), each with an item at least. golds: (G, C), in which every class occurs.
    gold_blind: systems that ignore gold, in which every class occurs.
    """

    systems: Matrices
    golds: Totals
    gold_blind: GoldBlindSystems

    @property
    def classes(self) -> int:
        """The number of classes."""
        return int(self.systems.shape[-1])


@dataclass(frozen=True)
class Cases:
    """Confusion matrices before and after, (K, C, C) each.

    exchanged: two classes that change places in the scale, with their names and weights; None for none.
    """

    before: Matrices
    after: Matrices
    exchanged: tuple[int, int] | None = None


CaseMaker = Callable[[SearchSpace], Iterator[Cases]]


def to_every_measure(_measure: Measure) -> bool:
    """What a property applies to unless it says otherwise."""
    return True


@dataclass(frozen=True, eq=False)
class FormalProperty:
    """A property that a measure of labels has or has not.

    name: as on the command line. title: for people. statement: what has to hold, in words. source: key in `WORKS`.
    relation: of the scores after and before. make_cases: from the search space of one number of classes.
    applies: to which measures.
    """

    name: str
    title: str
    statement: str
    source: str
    relation: Relation
    make_cases: CaseMaker
    applies: Callable[[Measure], bool]


PROPERTIES: Registry[FormalProperty] = Registry("property")
"""Every formal property, in the order of the documentation."""


def formal_property(
    name: str,
    *,
    title: str,
    statement: str,
    source: str,
    relation: Relation,
    applies: Callable[[Measure], bool] = to_every_measure,
) -> Callable[[CaseMaker], CaseMaker]:
    """Declare a maker of cases as a formal property; see `FormalProperty` for the words."""

    def declare(make_cases: CaseMaker) -> CaseMaker:
        if source not in WORKS:
            raise ValueError(f"property {name!r} cites {source!r}, which is not in axioms.spec.WORKS")
        PROPERTIES.register(name, FormalProperty(name, title, statement, source, relation, make_cases, applies))
        return make_cases

    return declare
