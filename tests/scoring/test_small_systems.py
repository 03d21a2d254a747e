"""Small confusion matrices: everything small, each once."""

import itertools

import numpy as np
import pytest

from metaeval.scoring.parts import all_systems, as_bytes, nearly_regular_systems


@pytest.mark.parametrize(("classes", "items"), [(2, 5), (3, 2)])
def test_all_systems_are_all_confusion_matrices(classes: int, items: int) -> None:
    cells = itertools.product(range(items + 1), repeat=classes**2)
    brute = {way for way in cells if 1 <= sum(way) <= items}
    found = [tuple(matrix.ravel().tolist()) for matrix in all_systems(classes, range(1, items + 1))]
    assert len(found) == len(brute)
    assert set(found) == brute


@pytest.mark.parametrize("classes", [2, 3])
def test_nearly_regular_systems_are_right_or_constant_except_for_two_items(classes: int) -> None:
    brute = set()
    for extra in range(classes):
        gold = [*range(classes), extra]
        for predicted in itertools.product(range(classes), repeat=len(gold)):
            regular = [gold, *([one] * len(gold) for one in range(classes))]
            if min(sum(map(int.__ne__, predicted, base)) for base in regular) <= 2:
                matrix = np.zeros((classes, classes), dtype=np.int64)
                np.add.at(matrix, (gold, list(predicted)), 1)
                brute.add(matrix.tobytes())
    found = nearly_regular_systems(classes)
    assert {matrix.tobytes() for matrix in found} == brute
    assert len(found) == len(brute)
    assert found.reshape(len(found), -1).tolist() == sorted(found.reshape(len(found), -1).tolist())


def test_matrices_compare_as_bytes() -> None:
    systems = np.random.default_rng(1).choice([0, 1, 255, 256, 300], (200, 2, 2))
    order = np.argsort(as_bytes(systems))
    assert systems[order].reshape(-1, 4).tolist() == sorted(systems.reshape(-1, 4).tolist())
