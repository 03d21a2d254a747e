"""What the best system is, and what makes a system better."""

from __future__ import annotations

from collections.abc import Iterator

from metaeval.analyses.axioms.properties.ordinal import errors
from metaeval.analyses.axioms.properties.perturbations import move_one, perfect, that_differ
from metaeval.analyses.axioms.properties.spec import Cases, Relation, SearchSpace, formal_property


@formal_property(
    "bounded",
    title="Boundedness",
    statement="no score lies outside the bounds that the measure declares",
    source="declaration",
    relation=Relation.WITHIN,
)
def any_system(space: SearchSpace) -> Iterator[Cases]:
    """Every system, as it is."""
    yield Cases(space.systems, space.systems)


@formal_property(
    "perfect-best",
    title="A perfect system is best",
    statement="no system scores higher than the one without an error on the same gold",
    source="gosgens2021",
    relation=Relation.AT_LEAST,
)
def all_errors_mended(space: SearchSpace) -> Iterator[Cases]:
    """A system with errors, and the perfect one."""
    yield that_differ(space.systems, perfect(space.systems.sum(axis=-1)))


@formal_property(
    "perfect-only",
    title="Only a perfect system is best",
    statement="every system with an error scores lower than the one without on the same gold",
    source="gosgens2021",
    relation=Relation.HIGHER,
)
def all_errors_mended_strictly(space: SearchSpace) -> Iterator[Cases]:
    """Maximal agreement: the same cases as for `perfect-best`."""
    return all_errors_mended(space)


@formal_property(
    "mended",
    title="An error mended",
    statement="one error that is put right gives a higher score, whatever gold and the other errors are",
    source="gosgens2021",
    relation=Relation.HIGHER,
)
def one_error_mended(space: SearchSpace) -> Iterator[Cases]:
    """An item goes to the diagonal."""
    for gold, old in errors(space.classes):
        yield move_one(space.systems, gold, old, gold)
