"""Pairs of confusion matrices that differ in one item, generated from the order of the classes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from metaeval.errors import InputError, pluralize
from metaeval.judges.contrast.rows import ContrastSet
from metaeval.measures import Measure
from metaeval.model.scale import ClassScale
from metaeval.scoring.small_systems import (
    Matrices,
    all_systems,
    as_bytes,
    errors,
    moved,
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
    sides: NDArray[np.intp]

    def scores(self, measures: Sequence[Measure]) -> NDArray[np.float64]:
        """The scores of the good and the bad sides, (M, 2, N)."""
        return np.stack([np.asarray(each(self.systems, self.scale)) for each in measures])[:, self.sides]

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
        raise InputError.at(
            found=f"a scale of {pluralize(classes, 'class', 'classes')}",
            expected=f"at most {MAX_CLASSES} without a file of pairs, because each further class has about three times "
            "as many pairs",
            hint="analyse a file of pairs, or declare fewer classes",
        )
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
        after = as_bytes(moved(systems[bad], np.full(len(bad), gold), old, new))
        good = np.minimum(np.searchsorted(keys, after), len(keys) - 1)
        known = keys[good] == after
        sides.append(np.stack([order[good], bad])[:, known])
    codes = np.repeat(np.arange(len(changes)), [own.shape[1] for own in sides])
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
