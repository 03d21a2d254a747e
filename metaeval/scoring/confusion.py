"""Confusion counts: of every system, of merged classes, of reweighted items.

All counts are (..., C, C), rows gold, columns predicted. In memory the class axes lead, because measures add and
multiply whole classes: a slab of one cell for all systems and replicates is then contiguous.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from metaeval.model.labels import Codes

Counts = NDArray[Any]

CELLS_AT_ONCE = 1 << 22
"""Predictions that `count` turns into wide integers at a time, so that memory stays bounded."""

SPARSE_FROM_CLASSES = 25
"""From so many classes on, most of a dense product would be multiplications by 0."""

ITEMS_PER_PATTERN = 5
"""Items with the same gold and predictions are collapsed when a pattern has more than this many on average."""

EXACT_IN_FLOAT32 = 1 << 24


def count(gold: Codes, predicted: Codes, *, classes: int) -> NDArray[np.int64]:
    """How many items of each gold class were given each class.

    gold: codes (N,). predicted: codes (S, N), or (N,) of a single system. classes: C.
    Returns (S, C, C), or (C, C).

    >>> count(np.array([0, 0, 1]), np.array([0, 1, 1]), classes=2)
    array([[1, 1],
           [0, 1]])
    """
    systems = np.atleast_2d(predicted)
    _check_codes(gold, classes)
    _check_codes(systems, classes)
    cells = classes * classes
    first_cell = gold.astype(np.intp) * classes
    counts = np.empty((cells, len(systems)), dtype=np.int64)
    rows_at_once = max(1, CELLS_AT_ONCE // max(1, len(gold)))
    for start in range(0, len(systems), rows_at_once):
        block = systems[start : start + rows_at_once]
        codes = np.add(first_cell, block, dtype=np.intp)
        # Every system gets its own stretch of cells, so one pass counts the whole block.
        codes += cells * np.arange(len(block), dtype=np.intp)[:, np.newaxis]
        counted = np.bincount(codes.ravel(), minlength=cells * len(block))
        counts[:, start : start + len(block)] = counted.reshape(len(block), cells).T
    by_system = np.moveaxis(counts.reshape(classes, classes, len(systems)), -1, 0)
    return by_system if predicted.ndim == 2 else by_system[0]


def merge(counts: Counts, groups: Sequence[Sequence[int]]) -> Counts:
    """Counts of a merged scale: the same as recounting after relabelling.

    counts: (..., C, C). groups: the old codes behind every new class, as of `ClassScale.merged_groups`; codes in no
    group drop out. Returns (..., G, G).

    >>> merge(np.array([[5, 1, 0], [2, 6, 3], [1, 1, 8]]), [[0], [1, 2]])
    array([[ 5,  1],
           [ 3, 18]])
    """
    leading = np.moveaxis(counts, (-2, -1), (0, 1))
    rows = np.stack([leading[list(group)].sum(axis=0) for group in groups])
    merged = np.stack([rows[:, list(group)].sum(axis=1) for group in groups], axis=1)
    return np.moveaxis(merged, (0, 1), (-2, -1))


def reweight(gold: Codes, predicted: Codes, weights: NDArray[Any], *, classes: int) -> NDArray[np.float64]:
    """Counts of every system under every weighting of the items: a split half, a bootstrap sample.

    gold: codes (N,). predicted: codes (S, N). weights: (R, N), as how often each item was drawn. Returns (R, S, C, C).

    >>> reweight(np.array([0, 1]), np.array([[0, 0]]), np.array([[2, 1]]), classes=2)[0, 0]
    array([[2., 0.],
           [1., 0.]])
    """
    return WeighableItems.of(gold, predicted, classes=classes).reweight(weights)


@dataclass(frozen=True)
class WeighableItems:
    """Items made ready for `reweight`, so that many blocks of weights share the work.

    order: positions (N,) that sort the items by gold class (and pattern); weights that are drawn in this order can
        go straight to `counts_of_sorted`.
    starts: where each kept row begins in that order: every item, or every run of items alike, (U,).
    boundaries: where each gold class begins among the kept rows, (C + 1,).
    predicted: codes of the kept rows, (S, U). classes: C.
    """

    order: NDArray[np.intp]
    starts: NDArray[np.intp]
    boundaries: NDArray[np.intp]
    predicted: Codes
    classes: int

    @classmethod
    def of(cls, gold: Codes, predicted: Codes, *, classes: int) -> WeighableItems:
        """Sort the items by gold; where many are alike in gold and all predictions, collapse them.

        gold: codes (N,). predicted: codes (S, N).
        """
        _check_codes(gold, classes)
        _check_codes(predicted, classes)
        order = np.lexsort((*predicted, gold))
        differs = np.empty(len(gold), dtype=np.bool_)
        differs[:1] = True
        differs[1:] = np.diff(gold[order]) != 0
        for row in predicted:
            ordered = row[order]
            differs[1:] |= ordered[1:] != ordered[:-1]
        if len(gold) > ITEMS_PER_PATTERN * differs.sum():
            starts = np.flatnonzero(differs)
        else:
            starts = np.arange(len(gold), dtype=np.intp)
        kept = order[starts]
        boundaries = np.searchsorted(gold[kept], np.arange(classes + 1))
        return cls(order, starts, boundaries, np.ascontiguousarray(predicted[:, kept]), classes)

    def reweight(self, weights: NDArray[Any]) -> NDArray[np.float64]:
        """Counts (R, S, C, C) under weights (R, N), given in the order of the data set."""
        return self.counts_of_sorted(weights[:, self.order])

    def counts_of_sorted(self, weights: NDArray[Any]) -> NDArray[np.float64]:
        """Counts (R, S, C, C) under weights (R, N), given in the order of `order`."""
        if len(self.starts) < len(self.order):
            weights = np.add.reduceat(weights, self.starts, axis=1, dtype=_summing_type(weights))
        exact = _exact_type(weights)
        product = self._sparse_counts if self.classes >= SPARSE_FROM_CLASSES else self._dense_counts
        counts = product(weights.astype(exact, copy=False))
        return np.moveaxis(counts.astype(np.float64, copy=False), (0, 1), (-2, -1)).swapaxes(0, 1)

    def _dense_counts(self, weights: NDArray[Any]) -> NDArray[Any]:
        """(C, C, S, R): one matrix product a gold class; what the other classes leave of it is the last one's."""
        systems, replicates, last = len(self.predicted), len(weights), self.classes - 1
        counts = np.empty((self.classes, self.classes, systems, replicates), dtype=weights.dtype)
        for gold in range(self.classes):
            rows = slice(self.boundaries[gold], self.boundaries[gold + 1])
            predicted, weight = self.predicted[:, rows], weights[:, rows]
            indicators = (predicted == np.arange(last)[:, np.newaxis, np.newaxis]).astype(weights.dtype)
            np.matmul(
                indicators.reshape(last * systems, -1),
                weight.T,
                out=counts[gold, :last].reshape(last * systems, replicates),
            )
            counts[gold, last] = weight.sum(axis=1) - counts[gold, :last].sum(axis=0)
        return counts

    def _sparse_counts(self, weights: NDArray[Any]) -> NDArray[Any]:
        """(C, C, S, R): one sparse product, in which a prediction costs one multiplication whatever C is."""
        from scipy import sparse

        systems, kept = self.predicted.shape
        gold = np.repeat(np.arange(self.classes), np.diff(self.boundaries))
        cell = (gold * self.classes + self.predicted) * systems + np.arange(systems)[:, np.newaxis]
        items = np.broadcast_to(np.arange(kept), cell.shape)
        ones = np.ones(cell.size, dtype=weights.dtype)
        shape = (self.classes * self.classes * systems, kept)
        indicators = sparse.csr_array((ones, (cell.ravel(), items.ravel())), shape=shape)
        counts: NDArray[Any] = indicators @ np.ascontiguousarray(weights.T)
        return counts.reshape(self.classes, self.classes, systems, len(weights))


def _summing_type(weights: NDArray[Any]) -> type[np.floating[Any] | np.integer[Any]]:
    return np.float64 if weights.dtype.kind == "f" else np.int64


def _exact_type(weights: NDArray[Any]) -> type[np.floating[Any]]:
    """float32 where every sum of these weights is exact in it, which is twice as fast; else float64."""
    if weights.dtype.kind == "f" and not (weights == np.trunc(weights)).all():
        return np.float64
    largest = max(abs(float(weights.max(initial=0))), abs(float(weights.min(initial=0))))
    if largest * weights.shape[1] >= EXACT_IN_FLOAT32:
        largest = np.abs(weights, dtype=np.float64).sum(axis=1).max() / weights.shape[1]
    return np.float32 if largest * weights.shape[1] < EXACT_IN_FLOAT32 else np.float64


def _check_codes(codes: Codes, classes: int) -> None:
    if codes.size and (int(codes.min()) < 0 or int(codes.max()) >= classes):
        raise ValueError(f"codes from {codes.min()} to {codes.max()} for {classes} classes")
