"""Small confusion matrices and the errors in them: what the behaviour of a measure is shown on without data."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from metaeval.arrays import Integers, Ints

Matrices = Ints
"""Confusion counts (K, C, C) of K systems: rows gold, columns predicted."""

Totals = Ints
"""Items by class, (K, C)."""

TOLERANCE = 1e-9
"""Differences of scores up to this count as none."""


def compositions(total: int, parts: int) -> Totals:
    """Every way to distribute `total` items over `parts` places, (K, parts), in lexicographic order.

    >>> compositions(2, 2).tolist()
    [[0, 2], [1, 1], [2, 0]]
    """
    # Stars and bars: the places of the bars among the stars.
    chosen = itertools.combinations(range(total + parts - 1), parts - 1)
    ways = math.comb(total + parts - 1, parts - 1)
    bars = np.fromiter(itertools.chain.from_iterable(chosen), np.int64, ways * (parts - 1))
    edges = np.pad(bars.reshape(ways, parts - 1), ((0, 0), (1, 1)), constant_values=((0, 0), (-1, total + parts - 1)))
    return np.diff(edges, axis=1) - 1


def all_systems(classes: int, items: Iterable[int]) -> Matrices:
    """Every confusion matrix with these numbers of items, (K, C, C)."""
    return np.concatenate([compositions(total, classes**2).reshape(-1, classes, classes) for total in items])


def with_all_in_gold(systems: Matrices) -> Matrices:
    """The systems of (K, C, C) in whose gold every class occurs."""
    return np.asarray(systems[(systems.sum(axis=-1) > 0).all(axis=-1)])


def nearly_regular_systems(classes: int) -> Matrices:
    """Every system of an item of each class and one more, of which all but two predictions are right, or all of one
    class, (K, C, C), in lexicographic order.

    >>> nearly_regular_systems(4).shape
    (1340, 4, 4)
    """
    each, size = np.arange(classes), classes + 1
    golds = np.concatenate([np.tile(each, (classes, 1)), each[:, np.newaxis]], axis=1)
    bases = np.stack([golds, *(np.full_like(golds, one) for one in each)], axis=1)
    one, other = np.triu_indices(size, 1)
    shape = classes, size, len(one), classes, classes, size
    predicted = np.broadcast_to(bases[:, :, np.newaxis, np.newaxis, np.newaxis], shape).copy()
    predicted[:, :, np.arange(len(one)), :, :, one] = each[:, np.newaxis]
    predicted[:, :, np.arange(len(one)), :, :, other] = each
    cells = (golds[:, np.newaxis, np.newaxis, np.newaxis, np.newaxis] * classes + predicted).reshape(-1, size)
    starts = np.arange(len(cells))[:, np.newaxis] * classes**2
    counts = np.bincount((cells + starts).ravel(), minlength=len(cells) * classes**2).reshape(-1, classes, classes)
    return np.asarray(counts[np.unique(as_bytes(counts), return_index=True)[1]])


def moved(systems: Matrices, golds: Integers, old: Integers | int, new: int) -> Matrices:
    """The systems with one item moved from prediction `old` to `new`; golds: the gold class of the item, (K,)."""
    after = systems.copy()
    rows = np.arange(len(systems))
    after[rows, golds, old] -= 1
    after[rows, golds, new] += 1
    return after


def errors(classes: int) -> Iterator[tuple[int, int]]:
    """Pairs of a gold class and another class, which is predicted."""
    return ((gold, old) for gold in range(classes) for old in range(classes) if old != gold)


def steps_nearer(classes: int) -> Iterator[tuple[int, int, int]]:
    """Gold class, a wrong one, and one between the two.

    >>> list(steps_nearer(3))
    [(0, 2, 1), (2, 0, 1)]
    """
    for gold, old in errors(classes):
        for new in range(min(gold, old) + 1, max(gold, old)):
            yield gold, old, new


def as_bytes(matrices: Matrices) -> NDArray[np.void]:
    """Each matrix as one value, (K,), in whose order matrices are lexicographic."""
    # As big-endian bytes, counts compare like numbers, and a matrix is sorted as one value.
    bytewise = np.ascontiguousarray(matrices.reshape(len(matrices), -1).astype(">u4"))
    return bytewise.view(np.dtype((np.void, bytewise.shape[1] * bytewise.itemsize))).ravel()
