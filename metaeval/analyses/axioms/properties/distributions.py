"""Formal properties of measures of distributions.

A case has two pairs of distributions, before and after, as matrices (2, C) of parts: gold, and what is predicted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from metaeval.analyses.axioms.properties.declared import changed_cases
from metaeval.analyses.axioms.properties.search_space import Search
from metaeval.analyses.axioms.properties.spec import Cases, FormalProperty, Relation
from metaeval.model.data_kind import DataKind
from metaeval.registry import Registry
from metaeval.scoring.small_systems import Matrices, compositions, errors, steps_nearer
from metaeval.stats.resample import generator

PARTS_UP_TO = {2: 8, 3: 5, 4: 4}
"""Maximum number of parts of each distribution in the exhaustive search, by the number of classes."""

RANDOM_PARTS = 12

DISTRIBUTION_PROPERTIES: Registry[FormalProperty] = Registry("property")
"""Every formal property of measures of distributions, in the order of the documentation."""

PairMaker = Callable[[Matrices], Iterator[Cases]]


def pairs_of(search: Search) -> Matrices:
    """Pairs of gold and predicted distributions in parts, (K, 2, C): all with few parts, or random ones."""
    if search.seed is None:
        every = [compositions(parts, search.classes) for parts in range(1, PARTS_UP_TO[search.classes] + 1)]
        return np.concatenate(
            [np.stack([np.repeat(rows, len(rows), axis=0), np.tile(rows, (len(rows), 1))], axis=1) for rows in every]
        )
    random = generator(search.seed)
    shares = random.dirichlet(np.full(search.classes, 0.5), (search.systems, 2))
    return np.asarray(random.multinomial(RANDOM_PARTS, shares))


def _property(
    name: str, title: str, relation: Relation, source: str, statement: str
) -> Callable[[PairMaker], PairMaker]:
    def declare(make_cases: PairMaker) -> PairMaker:
        DISTRIBUTION_PROPERTIES.register(
            name,
            FormalProperty(
                name, title, statement, source, relation, make_cases, lambda _measure: True, DataKind.DISTRIBUTIONS
            ),
        )
        return make_cases

    return declare


@_property(
    "mass-nearer",
    "Order sensitivity",
    Relation.HIGHER,
    "sakai2021",
    "where gold is certain of a class: the score improves when some probability moves to a class that is closer to "
    "it, on the same side, or to the class itself",
)
def some_probability_moves_nearer(pairs: Matrices) -> Iterator[Cases]:
    """One part of a prediction moves; gold has all parts in one class."""
    classes = pairs.shape[-1]
    for gold, old, new in [*steps_nearer(classes), *((gold, old, gold) for gold, old in errors(classes))]:
        before = pairs[pairs[:, 1, old] > 0].copy()
        before[:, 0] = before[:, 0].sum(axis=-1, keepdims=True) * np.eye(classes, dtype=before.dtype)[gold]
        after = before.copy()
        after[:, 1, old] -= 1
        after[:, 1, new] += 1
        yield Cases(before, after)


@_property(
    "point-farther",
    "A certain prediction moved farther",
    Relation.AT_LEAST,
    "definition",
    "where gold is certain of a class: a prediction that is certain of another class does not score better than one of "
    "a class between the two, or of the class itself",
)
def a_certain_prediction_moves_nearer(pairs: Matrices) -> Iterator[Cases]:
    """All parts move nearer, so that the score must not become worse."""
    classes, points = pairs.shape[-1], np.eye(pairs.shape[-1], dtype=pairs.dtype)
    for gold, old, new in [*steps_nearer(classes), *((gold, old, gold) for gold, old in errors(classes))]:
        yield Cases(points[[[gold, old]]], points[[[gold, new]]])


@_property(
    "toward-gold",
    "Half of the error corrected",
    Relation.HIGHER,
    "definition",
    "the score improves when the prediction is replaced by its mean with gold",
)
def halfway_to_gold(pairs: Matrices) -> Iterator[Cases]:
    """Parts are doubled, so that the mean has whole parts."""
    yield changed_cases(2 * pairs, pairs + pairs[:, :1])


@_property(
    "gold-only",
    "Only gold is best",
    Relation.HIGHER,
    "definition",
    "every prediction other than gold has a worse score than gold itself",
)
@_property(
    "gold-best",
    "Gold is best",
    Relation.AT_LEAST,
    "definition",
    "no prediction has a better score than gold itself",
)
def gold_is_predicted(pairs: Matrices) -> Iterator[Cases]:
    """Another prediction, and gold."""
    yield changed_cases(pairs, pairs[:, [0, 0]])


@_property(
    "exchange",
    "Symmetry",
    Relation.SAME,
    "definition",
    "the score does not change when gold and prediction are exchanged",
)
def gold_and_prediction_exchanged(pairs: Matrices) -> Iterator[Cases]:
    """The rows of the pair are exchanged."""
    yield changed_cases(pairs, pairs[:, ::-1])
