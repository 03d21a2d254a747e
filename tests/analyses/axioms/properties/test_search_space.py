"""What the search for counter-examples walks over: everything small, each once, and what chance brings."""

import itertools

import numpy as np
import pytest

from metaeval.analyses.axioms.properties import PROPERTIES
from metaeval.analyses.axioms.properties.search import (
    GOLDS_UP_TO,
    MIXES_UP_TO,
    RANDOM_CLASSES,
    SYSTEMS_A_BLOCK,
    SYSTEMS_UP_TO,
    Search,
    candidates_of,
    exhaustive_space,
    random_space,
    searches,
)
from metaeval.stats.resample import generator, seed_for


@pytest.mark.parametrize("classes", SYSTEMS_UP_TO)
def test_an_exhaustive_ground_has_what_it_says(classes: int) -> None:
    space = exhaustive_space(classes)
    assert space.classes == classes
    assert space.systems.sum(axis=(1, 2)).max() == SYSTEMS_UP_TO[classes]
    golds = itertools.product(range(1, GOLDS_UP_TO[classes] + 1), repeat=classes)
    expected = {gold for gold in golds if sum(gold) <= GOLDS_UP_TO[classes]}
    assert set(map(tuple, space.golds.tolist())) == expected
    assert len(space.golds) == len(expected)
    mixes = itertools.product(range(MIXES_UP_TO + 1), repeat=classes)
    pairs = itertools.product(expected, [mix for mix in mixes if 1 <= sum(mix) <= MIXES_UP_TO])
    blind = [(tuple(gold), tuple(mix)) for gold, mix in zip(*(part.tolist() for part in space.gold_blind), strict=True)]
    assert sorted(blind) == sorted(pairs)


@pytest.mark.parametrize("classes", RANDOM_CLASSES)
def test_random_systems_are_large_and_small_and_leave_classes_out(classes: int) -> None:
    space = random_space(classes, 400, generator(seed_for(1, "test")))
    items = space.systems.sum(axis=(1, 2))
    assert space.systems.shape == (400, classes, classes)
    assert space.systems.min() == 0
    assert items.min() >= 1
    assert np.quantile(items, 0.1) < 3 * classes < 60 < np.quantile(items, 0.99)
    occurs = (space.systems.sum(axis=1) + space.systems.sum(axis=2)) > 0
    assert 0.05 < (~occurs).any(axis=1).mean() < 0.95
    assert (space.golds > 0).all()
    assert (space.gold_blind.golds > 0).all()
    assert (space.gold_blind.mixes.sum(axis=1) > 0).all()


def test_the_search_goes_block_by_block_and_depends_on_the_seed_alone() -> None:
    cases = 2 * SYSTEMS_A_BLOCK + 1
    once, again = (searches(cases, seed=seed_for(7, "test")) for _ in range(2))
    other = searches(cases, seed=seed_for(8, "test"))
    assert [part.classes for part in once if part.is_exhaustive] == list(SYSTEMS_UP_TO)
    for classes in RANDOM_CLASSES:
        assert [part.systems for part in once if part.classes == classes and not part.is_exhaustive] == [
            SYSTEMS_A_BLOCK,
            SYSTEMS_A_BLOCK,
            1,
        ]
    for part, same, different in zip(once, again, other, strict=True):
        systems = part.space().systems
        assert (systems == same.space().systems).all()
        if part.systems == SYSTEMS_A_BLOCK:
            assert (systems != different.space().systems).any()
    first, second = (part.space().systems for part in once if part.systems == SYSTEMS_A_BLOCK and part.classes == 3)
    assert (first != second).any()


def test_the_search_of_a_hundred_million_systems_begins_at_once() -> None:
    parts = searches(10**8, seed=seed_for(7, "test"))
    assert len(parts) == len(SYSTEMS_UP_TO) + len(RANDOM_CLASSES) * 10**8 // SYSTEMS_A_BLOCK
    assert (parts[-1].classes, parts[-1].systems) == (RANDOM_CLASSES[-1], SYSTEMS_A_BLOCK)
    with pytest.raises(IndexError):
        parts[len(parts)]


def test_matrices_stand_once_in_order_however_many_items_they_have() -> None:
    matrices = candidates_of([*PROPERTIES.values()], Search(4, 40, seed_for(5, "test"))).matrices
    cells = [tuple(matrix.ravel().tolist()) for matrix in matrices]
    assert cells == sorted(set(cells))
    assert matrices.max() > 255
