"""What the best system is, and what makes a system better."""

from __future__ import annotations

from collections.abc import Iterator

from metaeval.measures.axioms.edits import move_one, perfect, that_differ
from metaeval.measures.axioms.ordinal import errors
from metaeval.measures.axioms.spec import Cases, Ground, Relation, formal_property


@formal_property(
    "bounded",
    title="Boundedness",
    statement="no score lies outside the bounds that the measure declares",
    source="declaration",
    relation=Relation.WITHIN,
)
def any_system(ground: Ground) -> Iterator[Cases]:
    """Every system, as it is."""
    yield Cases(ground.systems, ground.systems)


@formal_property(
    "perfect-best",
    title="A perfect system is best",
    statement="no system scores higher than the one without an error on the same gold",
    source="gosgens2021",
    relation=Relation.AT_LEAST,
)
def all_errors_mended(ground: Ground) -> Iterator[Cases]:
    """A system with errors, and the perfect one."""
    yield that_differ(ground.systems, perfect(ground.systems.sum(axis=-1)))


@formal_property(
    "perfect-only",
    title="Only a perfect system is best",
    statement="every system with an error scores lower than the one without on the same gold",
    source="gosgens2021",
    relation=Relation.HIGHER,
)
def all_errors_mended_strictly(ground: Ground) -> Iterator[Cases]:
    """Maximal agreement: the same cases as for `perfect-best`."""
    return all_errors_mended(ground)


@formal_property(
    "mended",
    title="An error mended",
    statement="one error that is put right gives a higher score, whatever gold and the other errors are",
    source="gosgens2021",
    relation=Relation.HIGHER,
)
def one_error_mended(ground: Ground) -> Iterator[Cases]:
    """An item goes to the diagonal."""
    for gold, old in errors(ground.classes):
        yield move_one(ground.systems, gold, old, gold)
