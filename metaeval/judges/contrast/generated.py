"""Pairs of small confusion matrices that are generated from a scale."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from metaeval.arrays import Indices, Scores
from metaeval.errors import pluralize, refuse, too_many
from metaeval.judges.contrast.pairs import ContrastSet
from metaeval.measures import Measure
from metaeval.model.scale import ClassScale
from metaeval.scoring.parts import (
    Matrices,
    all_systems,
    as_bytes,
    errors,
    move_items,
    nearly_regular_systems,
    steps_nearer,
    with_all_in_gold,
)

ITEMS_UP_TO = {2: 10, 3: 6, 4: 5}
"""Maximum number of items of the matrices, by the number of classes; of more classes not all matrices are made."""

MAX_CLASSES = 7
"""Number of classes up to which pairs are generated: ordered, they have 237,440 pairs, and 8 classes 615,384."""


@dataclass(frozen=True)
class GeneratedPairs:
    """N pairs as the indices of their good and bad sides among K systems, (2, N).

    scale: the classes. first: gold class, better and worse prediction of the first phenomenon. systems: every class
    occurs in gold, (K, C, C).
    """

    scale: ClassScale
    first: tuple[str, str, str]
    pairs: ContrastSet
    systems: Matrices
    sides: Indices

    def scores(self, measures: Sequence[Measure]) -> Scores:
        """The scores of the good and the bad sides, (M, 2, N)."""
        return np.stack([np.asarray(measure(self.systems, self.scale)) for measure in measures])[:, self.sides]

    @property
    def reading(self) -> str:
        """What the name of a phenomenon means."""
        gold, good, bad = self.first
        name = self.pairs.phenomena[0]
        return f"'{name}': an item of class {gold} should score better if it is predicted as {good} than as {bad}"

    @property
    def sentence(self) -> str:
        """What the pairs are."""
        classes = len(self.scale)
        most = ITEMS_UP_TO.get(classes)
        few = f"every confusion matrix of {classes} to {most} items in whose gold every class occurs"
        others = (
            f"every confusion matrix of {classes + 1} items in whose gold every class occurs, and of whose predictions "
            "all but two are right, or all but two are the same class"
        )
        return f"{few if most else others}, and the same with one item predicted better"


def generated_pairs(scale: ClassScale) -> GeneratedPairs:
    """Pairs in which an item is predicted nearer to its class, on the same side of it, or correctly.

    Without an order, only pairs of a correct and a wrong prediction. A phenomenon is a gold class with two predictions.
    """
    classes, labels = len(scale), scale.labels
    if classes > MAX_CLASSES:
        found = f"a scale of {pluralize(classes, 'class', 'classes')} without a file of pairs"
        raise refuse(None, too_many(found, MAX_CLASSES, "analyse a file of pairs, or declare fewer classes"))
    most = ITEMS_UP_TO.get(classes)
    systems = (
        with_all_in_gold(all_systems(classes, range(classes, most + 1))) if most else nearly_regular_systems(classes)
    )
    keys = as_bytes(systems)
    order = np.argsort(keys)
    keys = keys[order]
    changes = [*(steps_nearer(classes) if scale.ordered else ()), *((gold, old, gold) for gold, old in errors(classes))]
    sides = []
    for gold, old, new in changes:
        bad = np.flatnonzero(systems[:, gold, old])
        after = as_bytes(move_items(systems[bad], np.full(len(bad), gold), old, new))
        good = np.minimum(np.searchsorted(keys, after), len(keys) - 1)
        exists = keys[good] == after
        sides.append(np.stack([order[good], bad])[:, exists])
    codes = np.repeat(np.arange(len(changes)), [matrices.shape[1] for matrices in sides])
    names = tuple(f"{labels[gold]}: {labels[new]} over {labels[old]}" for gold, old, new in changes)
    pairs = ContrastSet(
        phenomena=names,
        phenomenon=codes,
        clusters=None,
        severities=(),
        severity=np.full(len(codes), -1),
        texts=(),
        labels=None,
        scores=np.empty((0, 2, len(codes))),
        names=(),
    )
    gold, old, new = changes[0]
    first = (labels[gold], labels[new], labels[old])
    return GeneratedPairs(scale, first, pairs, systems, np.concatenate(sides, axis=1))
