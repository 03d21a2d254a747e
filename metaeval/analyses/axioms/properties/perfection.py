"""Properties about perfect systems and the correction of errors."""

from __future__ import annotations

from collections.abc import Iterator

from metaeval.analyses.axioms.properties.ordinal import errors
from metaeval.analyses.axioms.properties.perturbations import changed_cases, move_one, perfect
from metaeval.analyses.axioms.properties.spec import Cases, Relation, SearchSpace, formal_property


@formal_property(
    "bounded",
    title="Boundedness",
    statement="no score is outside the bounds that the measure declares",
    source="declaration",
    relation=Relation.WITHIN,
)
def any_system(space: SearchSpace) -> Iterator[Cases]:
    """Every system, unchanged."""
    yield Cases(space.systems, space.systems)


@formal_property(
    "perfect-only",
    title="Only a perfect system is best",
    statement="every system with an error has a lower score than the system without errors on the same gold",
    source="gosgens2021",
    relation=Relation.HIGHER,
)
@formal_property(
    "perfect-best",
    title="A perfect system is best",
    statement="no system has a higher score than the system without errors on the same gold",
    source="gosgens2021",
    relation=Relation.AT_LEAST,
)
def all_errors_corrected(space: SearchSpace) -> Iterator[Cases]:
    """A system with errors, and the perfect one; the strict property is maximal agreement."""
    yield changed_cases(space.systems, perfect(space.systems.sum(axis=-1)))


@formal_property(
    "mended",
    title="An error corrected",
    statement="the score increases when one error is corrected, whatever the gold classes and the other errors",
    source="gosgens2021",
    relation=Relation.HIGHER,
)
def one_error_corrected(space: SearchSpace) -> Iterator[Cases]:
    """An item moves to the diagonal."""
    for gold, old in errors(space.classes):
        yield move_one(space.systems, gold, old, gold)
