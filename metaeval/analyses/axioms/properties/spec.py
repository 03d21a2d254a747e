"""A formal property: a function that makes cases, and the declaration of the relation that must hold in each.

    @formal_property("swap", Relation.SAME)
    def gold_and_system_swapped(space: SearchSpace) -> Iterator[Cases]: …

A case is a pair of confusion matrices, before and after a perturbation. The oriented scores of a measure must satisfy
the declared relation; a case that violates it is a counter-example. What is written about the properties is in
`properties.json`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum
from importlib.resources import files
from typing import Any, NamedTuple, TypeVar

import numpy as np

from metaeval.arrays import Bools, Scores
from metaeval.measures.spec import Measure
from metaeval.model.runs import DataKind
from metaeval.model.works import reference
from metaeval.registry import Registry
from metaeval.scoring.parts import TOLERANCE, Matrices, Totals

WORKS: dict[str, str] = {
    **{key: reference(key) for key in ("amigo2020", "gosgens2021", "sokolova2009", "sakai2021")},
    "declaration": "The bounds that the measure declares (`metaeval measures NAME`).",
    "definition": "A definition of metaeval.",
}
"""The works that properties come from, by key."""


class Relation(Enum):
    """The relation that the oriented scores of a case must satisfy: higher is better."""

    SAME = "the same score"
    HIGHER = "a better score"
    AT_LEAST = "no worse score"
    WITHIN = "a score within the bounds"

    def violated(self, before: Scores, after: Scores, bounds: tuple[float, float]) -> Bools:
        """Whether each case is a counter-example, (K,); before, after: oriented scores, (K,); False for NaN.

        bounds: the lowest and the highest oriented score.

        >>> Relation.HIGHER.violated(np.array([0.5, 0.5]), np.array([0.5, 0.6]), (0.0, 1.0))
        array([ True, False])
        """
        change = after - before
        if self is Relation.SAME:
            return np.asarray(np.abs(change) > TOLERANCE)
        if self is Relation.HIGHER:
            return np.asarray(change <= TOLERANCE)
        if self is Relation.AT_LEAST:
            return np.asarray(change < -TOLERANCE)
        low, high = bounds
        return np.asarray((after < low - TOLERANCE) | (after > high + TOLERANCE))


class GoldBlindSystems(NamedTuple):
    """Systems that ignore gold. golds: gold totals, (B, C). mixes: predictions for each gold item, (B, C)."""

    golds: Totals
    mixes: Totals


@dataclass(frozen=True)
class SearchSpace:
    """The systems (K, C, C) and gold totals (G, C) of one number of classes that cases are made from.

    Every system has an item; every class occurs in `golds` and in the gold of `gold_blind`, systems that ignore it.
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

    exchanged: two classes that exchange their positions in the scale, with their names and weights, or None.
    """

    before: Matrices
    after: Matrices
    exchanged: tuple[int, int] | None = None


CaseMaker = TypeVar("CaseMaker", bound=Callable[[Any], Iterator[Cases]])


@dataclass(frozen=True, eq=False)
class FormalProperty:
    """A property of measures. source: a key of `WORKS`. relation: of the scores before and after.

    make_cases: makes them from the search space of one number of classes. applies: whether it applies to a measure.
    reads: the kind of data of the measures.
    """

    name: str
    title: str
    statement: str
    source: str
    relation: Relation
    make_cases: Callable[[Any], Iterator[Cases]]
    applies: Callable[[Measure], bool]
    reads: DataKind


TEXTS: dict[str, dict[str, str]] = json.loads((files(__package__) / "properties.json").read_text(encoding="utf-8"))
"""Title, statement and source of each property."""

PROPERTIES: Registry[FormalProperty] = Registry("property")
DISTRIBUTION_PROPERTIES: Registry[FormalProperty] = Registry("property")
"""Every formal property of measures of labels, and of distributions, in the order of the documentation."""


def formal_property(
    name: str,
    relation: Relation,
    *,
    applies: Callable[[Measure], bool] = lambda _measure: True,
    reads: DataKind = DataKind.LABELS,
) -> Callable[[CaseMaker], CaseMaker]:
    """Declare a function that makes cases as a formal property; see `FormalProperty`."""

    def declare(make_cases: CaseMaker) -> CaseMaker:
        registry = PROPERTIES if reads is DataKind.LABELS else DISTRIBUTION_PROPERTIES
        declared = FormalProperty(
            name, relation=relation, make_cases=make_cases, applies=applies, reads=reads, **TEXTS[name]
        )
        registry.register(name, declared)
        return make_cases

    return declare
