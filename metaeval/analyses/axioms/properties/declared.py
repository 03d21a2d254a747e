"""The formal properties: functions that make cases, in the order of the documentation.

The first three are those of Amigó et al. (2020) for ordered classes, defined for a gold standard g and a system s that
assign a class to each item d. The classes are those of gold, so that properties 2 and 3 are checked where every class
occurs in gold; `nearer` is property 2 for any gold.

Formal properties of measures of distributions.

A case has two pairs of distributions, before and after, as matrices (2, C) of parts: gold, and what is predicted.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from functools import partial

import numpy as np

from metaeval.analyses.axioms.properties.search import Search
from metaeval.analyses.axioms.properties.spec import Cases, Relation, SearchSpace, formal_property
from metaeval.measures.spec import Measure, ScaleType
from metaeval.model.runs import DataKind
from metaeval.scoring.parts import Matrices, Totals, compositions, errors, move_items, steps_nearer, with_all_in_gold
from metaeval.stats.resample import generator

MULTIPLES = (2, 3)
"""Factors by which items are multiplied."""


def uses_order(measure: Measure) -> bool:
    """Whether a measure uses more than the names of the classes."""
    return measure.scale_type is not ScaleType.NOMINAL


def perfect(golds: Totals) -> Matrices:
    """The systems without errors on gold totals (K, C)."""
    return golds[:, :, np.newaxis] * np.eye(golds.shape[-1], dtype=golds.dtype)


def move_one(systems: Matrices, gold: int, old: int, new: int) -> Cases:
    """Move one item of a gold class from prediction `old` to `new`, in each system that has one."""
    before = systems[systems[:, gold, old] > 0]
    return Cases(before, move_items(before, np.full(len(before), gold), old, new))


def steps_toward(classes: int) -> list[tuple[int, int, int]]:
    """The gold class, and the classes before and after, of moves nearer to gold on the same side, or to gold itself."""
    return [*steps_nearer(classes), *((gold, old, gold) for gold, old in errors(classes))]


def exchange(systems: Matrices, one: int, other: int) -> Cases:
    """Exchange two classes in gold, in the predictions and in the scale."""
    order = np.arange(systems.shape[-1])
    order[[one, other]] = other, one
    return Cases(systems, systems[:, order][:, :, order], (one, other))


def changed_cases(before: Matrices, after: Matrices) -> Cases:
    """The cases in which the matrix has changed."""
    differ = (before != after).any(axis=(1, 2))
    return Cases(before[differ], after[differ])


# Ordered classes


@formal_property("ordinal-invariance", Relation.SAME)
def classes_take_free_places(space: SearchSpace) -> Iterator[Cases]:
    """Property 1, Eff(f(s), f(g)) = Eff(s, g) for strictly increasing f.

    A strictly increasing f within a scale is a sequence of single steps to an adjacent free position; each is a case.
    """
    systems = space.systems
    used = (systems.sum(axis=-1) + systems.sum(axis=-2)) > 0
    for position in range(space.classes - 1):
        yield exchange(systems[used[:, position] != used[:, position + 1]], position, position + 1)


@formal_property("ordinal-monotonicity", Relation.HIGHER)
def items_move_nearer(space: SearchSpace) -> Iterator[Cases]:
    """Property 2, Eff(s′, g) > Eff(s, g) where s(d) > s′(d) ≥ g(d), or the mirror image, for some d, else s′ = s.

    Moves of several items are sequences of single moves; each is a case.
    """
    systems = with_all_in_gold(space.systems)
    for gold, old, new in steps_toward(space.classes):
        yield move_one(systems, gold, old, new)


@formal_property("imbalance", Relation.HIGHER)
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
        yield Cases(move_items(right, rare, rare, middle), move_items(right, frequent, frequent, middle))


@formal_property("nearer", Relation.HIGHER, applies=uses_order)
def errors_move_nearer(space: SearchSpace) -> Iterator[Cases]:
    """The part of property 2 that depends on the order, for any gold."""
    for gold, old, new in steps_nearer(space.classes):
        yield move_one(space.systems, gold, old, new)


# Perfect systems, and the correction of errors


@formal_property("bounded", Relation.WITHIN)
def any_system(space: SearchSpace) -> Iterator[Cases]:
    """Every system, unchanged."""
    yield Cases(space.systems, space.systems)


@formal_property("perfect-only", Relation.HIGHER)
@formal_property("perfect-best", Relation.AT_LEAST)
def all_errors_corrected(space: SearchSpace) -> Iterator[Cases]:
    """A system with errors, and the perfect one; the strict property is maximal agreement."""
    yield changed_cases(space.systems, perfect(space.systems.sum(axis=-1)))


@formal_property("mended", Relation.HIGHER)
def one_error_corrected(space: SearchSpace) -> Iterator[Cases]:
    """An item moves to the diagonal."""
    for gold, old in errors(space.classes):
        yield move_one(space.systems, gold, old, gold)


# Invariances: perturbations that do not change the score


@formal_property("relabelling", Relation.SAME)
def classes_change_places(space: SearchSpace) -> Iterator[Cases]:
    """Class symmetry; exchanges of two classes generate every permutation."""
    for one, other in itertools.combinations(range(space.classes), 2):
        yield exchange(space.systems, one, other)


@formal_property("swap", Relation.SAME)
def gold_and_system_swapped(space: SearchSpace) -> Iterator[Cases]:
    """The confusion matrix is transposed."""
    yield changed_cases(space.systems, space.systems.swapaxes(1, 2))


@formal_property("prior", Relation.SAME)
def a_gold_class_more_frequent(space: SearchSpace) -> Iterator[Cases]:
    """A row of the matrix is multiplied."""
    for gold, times in itertools.product(range(space.classes), MULTIPLES):
        after = space.systems.copy()
        after[:, gold] *= times
        yield changed_cases(space.systems, after)


@formal_property("replication", Relation.SAME)
def every_item_again(space: SearchSpace) -> Iterator[Cases]:
    """The matrix is multiplied."""
    for times in MULTIPLES:
        yield Cases(space.systems, times * space.systems)


@formal_property("chance", Relation.SAME)
def blind_systems(space: SearchSpace) -> Iterator[Cases]:
    """The constant baseline. A system that ignores gold predicts the same mix of classes for every gold class.

    The rows of its expected counts are proportional to the mix. In each case one part of the mix moves from one class
    to another; such steps connect all mixes.
    """
    golds, mixes = space.gold_blind
    before = golds[:, :, np.newaxis] * mixes[:, np.newaxis, :]
    for old, new in itertools.combinations(range(space.classes), 2):
        able = mixes[:, old] > 0
        after = before[able].copy()
        after[:, :, old] -= golds[able]
        after[:, :, new] += golds[able]
        yield Cases(before[able], after)


PARTS_UP_TO = {2: 8, 3: 5, 4: 4}
"""Maximum number of parts of each distribution in the exhaustive search, by the number of classes."""

RANDOM_PARTS = 12

distribution_property = partial(formal_property, reads=DataKind.DISTRIBUTIONS)
"""Declares a formal property of measures of distributions."""


def pairs_of(search: Search) -> Matrices:
    """Pairs of gold and predicted distributions in parts, (K, 2, C): all with few parts, or random ones."""
    if search.seed is None:
        mixes = [compositions(parts, search.classes) for parts in range(1, PARTS_UP_TO[search.classes] + 1)]
        return np.concatenate(
            [np.stack([np.repeat(rows, len(rows), axis=0), np.tile(rows, (len(rows), 1))], axis=1) for rows in mixes]
        )
    random = generator(search.seed)
    shares = random.dirichlet(np.full(search.classes, 0.5), (search.systems, 2))
    return np.asarray(random.multinomial(RANDOM_PARTS, shares))


@distribution_property("mass-nearer", Relation.HIGHER)
def some_probability_moves_nearer(pairs: Matrices) -> Iterator[Cases]:
    """One part of a prediction moves; gold has all parts in one class."""
    classes = pairs.shape[-1]
    for gold, old, new in steps_toward(classes):
        before = pairs[pairs[:, 1, old] > 0].copy()
        before[:, 0] = before[:, 0].sum(axis=-1, keepdims=True) * np.eye(classes, dtype=before.dtype)[gold]
        after = before.copy()
        after[:, 1, old] -= 1
        after[:, 1, new] += 1
        yield Cases(before, after)


@distribution_property("point-farther", Relation.AT_LEAST)
def a_certain_prediction_moves_nearer(pairs: Matrices) -> Iterator[Cases]:
    """All parts move nearer, so that the score must not become worse."""
    points = np.eye(pairs.shape[-1], dtype=pairs.dtype)
    for gold, old, new in steps_toward(len(points)):
        yield Cases(points[[[gold, old]]], points[[[gold, new]]])


@distribution_property("toward-gold", Relation.HIGHER)
def halfway_to_gold(pairs: Matrices) -> Iterator[Cases]:
    """Parts are doubled, so that the mean has whole parts."""
    yield changed_cases(2 * pairs, pairs + pairs[:, :1])


@distribution_property("gold-only", Relation.HIGHER)
@distribution_property("gold-best", Relation.AT_LEAST)
def gold_is_predicted(pairs: Matrices) -> Iterator[Cases]:
    """Another prediction, and gold."""
    yield changed_cases(pairs, pairs[:, [0, 0]])


@distribution_property("exchange", Relation.SAME)
def gold_and_prediction_exchanged(pairs: Matrices) -> Iterator[Cases]:
    """The rows of the pair are exchanged."""
    yield changed_cases(pairs, pairs[:, ::-1])
