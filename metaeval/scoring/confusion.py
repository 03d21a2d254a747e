"""Confusion counts: of every system, of merged classes, of reweighted items.

All counts are (..., C, C), rows gold, columns predicted. In memory the class axes lead, because measures add and
multiply whole classes: a slab of one cell for all systems and replicates is then contiguous.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from metaeval.arrays import Array, Bools, Counts, Floats, Indices, Integers, Ints
from metaeval.errors import pluralize, refuse
from metaeval.model.runs import ClassRuns, Codes, PatternRuns

if TYPE_CHECKING:
    from scipy import sparse


EXACT_IN_FLOAT32 = 1 << 24
"""Below this, float32 holds every whole number."""

PACKED = 1 << 12
"""Two whole numbers below this are one number of float32: a sum of such numbers holds two counts, exactly."""

COLUMNS_OF_BLAS = 16
"""Products whose columns are a multiple of this are up to half as expensive again as others."""


@dataclass(frozen=True)
class Indicators:
    """Whether each system predicts each class but the last, and ones.

    flags: an even number of them, for each row, (F, U).
    """

    flags: Bools

    def weighted_sums(self, weights: Array) -> NDArray[np.floating[Any]]:
        """Sums of weights (R, U) of the rows with each flag, (F, R)."""
        largest = _largest_sum(weights)
        if largest < PACKED:
            packed = weights.astype(np.float32) @ self._packed
            second = np.floor(packed / PACKED)
            return np.concatenate([packed - PACKED * second, second], axis=1).T
        # float32 is twice as fast as float64.
        exact: type[np.floating[Any]] = np.float32 if largest < EXACT_IN_FLOAT32 else np.float64
        row_weights: Array = weights.astype(exact, copy=False)
        return np.asarray(self._single.astype(exact, copy=False) @ row_weights.T)

    @cached_property
    def _packed(self) -> NDArray[np.float32]:
        first, second = np.split(self._single, 2)
        return np.ascontiguousarray((first + PACKED * second).T)

    @cached_property
    def _single(self) -> NDArray[np.float32]:
        return self.flags.astype(np.float32)


def _largest_sum(weights: Array) -> float:
    """A bound of the sums of any of these weights (R, U); infinity where they are no whole numbers from 0."""
    if weights.dtype.kind == "f" and not (weights == np.trunc(weights)).all():
        return math.inf
    if weights.dtype.kind == "u":
        bound = float(weights.max(initial=0)) * weights.shape[1]
        if bound < EXACT_IN_FLOAT32:
            return float(bound)
    elif weights.min(initial=0) < 0:
        return math.inf
    return float(weights.sum(axis=1, dtype=np.float64).max(initial=0))


CELLS_AT_ONCE = 1 << 22
"""Predictions that `count` turns into wide integers at a time, so that memory stays bounded."""

SPARSE_FROM_CLASSES = 25
"""Number of classes from which most of a dense product would be multiplications by 0."""

ITEMS_PER_PATTERN = 5
"""Items with the same gold and predictions are collapsed when a pattern has more than this many on average."""

INDICATORS_AT_ONCE = 1 << 20
"""Cells of the indicator matrix of one product: small enough for a cache, large enough for BLAS."""

INDICATORS_CACHED = 1 << 24
"""Up to this many cells in all, indicator matrices are cached for the next block."""

MOST_CELLS = 1 << 26
"""Maximum number of cells of the confusion matrices of all systems, of which some measures need several copies."""


def check_cells(runs: ClassRuns) -> None:
    """Refuse so many classes that confusion matrices would not fit in memory."""
    cells = max(1, len(runs.systems)) * len(runs.scale) ** 2
    if cells > MOST_CELLS:
        systems = pluralize(len(runs.systems), "system")
        found = f"{len(runs.scale):,} classes, with confusion matrices of {cells:,} cells for {systems}"
        hint = "merge rare classes, or evaluate fewer systems at a time"
        raise refuse(None, found, f"at most {MOST_CELLS:,} cells", hint)


def count(gold: Codes, predicted: Codes, *, classes: int, multiplicities: Integers | None = None) -> Ints:
    """Number of items of each gold class that were predicted as each class.

    Parameters
    ----------
    gold : array (N,)
        Class codes.
    predicted : array (S, N) or (N,)
        Class codes of S systems, or of one.
    classes
        Number of classes, C.
    multiplicities : array (N,)
        Number of items that each code stands for, by default 1.

    Returns
    -------
    array (S, C, C) or (C, C)

    Examples
    --------
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
        # Every system gets its own range of cells, so one pass counts the whole block.
        codes += cells * np.arange(len(block), dtype=np.intp)[:, np.newaxis]
        # Sums of whole numbers are exact in float64 up to 2^53.
        weights = None if multiplicities is None else np.broadcast_to(multiplicities, codes.shape).ravel()
        block_counts = np.bincount(codes.ravel(), weights, minlength=cells * len(block))
        counts[:, start : start + len(block)] = block_counts.reshape(len(block), cells).T
    by_system = np.moveaxis(counts.reshape(classes, classes, len(systems)), -1, 0)
    return by_system if predicted.ndim == 2 else by_system[0]


def counts_of(runs: ClassRuns) -> Ints:
    """Confusion counts (S, C, C) of systems."""
    return count(runs.gold, runs.predicted, classes=runs.scale.codes, multiplicities=runs.multiplicities)


def merge(counts: Counts, groups: Sequence[Sequence[int]]) -> Counts:
    """Counts of a merged scale: the same as recounting after relabelling.

    Parameters
    ----------
    counts : array (..., C, C)
        Confusion counts.
    groups
        Old codes of each of G new classes, as from `ClassScale.merged_groups`; codes in no group are dropped.

    Returns
    -------
    array (..., G, G)

    Examples
    --------
    >>> merge(np.array([[5, 1, 0], [2, 6, 3], [1, 1, 8]]), [[0], [1, 2]])
    array([[ 5,  1],
           [ 3, 18]])
    """
    leading = np.moveaxis(counts, (-2, -1), (0, 1))
    rows = np.stack([leading[list(group)].sum(axis=0) for group in groups])
    merged = np.stack([rows[:, list(group)].sum(axis=1) for group in groups], axis=1)
    return np.moveaxis(merged, (0, 1), (-2, -1))


def reweight(gold: Codes, predicted: Codes, weights: Array, *, classes: int) -> Floats:
    """Counts of every system under every weighting of the items: a split half, a bootstrap resample.

    Parameters
    ----------
    gold : array (N,)
        Class codes.
    predicted : array (S, N)
        Class codes of the systems.
    weights : array (R, N)
        Weights of the items, as how often each was drawn.
    classes
        Number of classes, C.

    Returns
    -------
    array (R, S, C, C)

    Examples
    --------
    >>> reweight(np.array([0, 1]), np.array([[0, 0]]), np.array([[2, 1]]), classes=2)[0, 0]
    array([[2., 0.],
           [1., 0.]])
    """
    return WeighableItems.of(gold, predicted, classes=classes).reweight(weights)


@dataclass(frozen=True)
class WeighableRows:
    """Rows sorted by gold, each of one or several identical items, prepared for counts under weights.

    Parameters
    ----------
    multiplicities : array (U,)
        Number of items that each row stands for.
    boundaries : array (C + 1,)
        First row of each gold class.
    predicted : array (S, U)
        Class codes of the rows.
    classes
        Number of classes, C.
    """

    multiplicities: Indices
    boundaries: Indices
    predicted: Codes
    classes: int

    @classmethod
    def from_patterns(cls, runs: PatternRuns) -> WeighableRows:
        """The rows of runs that are patterns."""
        classes = runs.scale.codes
        _check_codes(runs.gold, classes)
        _check_codes(runs.predicted, classes)
        boundaries = np.searchsorted(runs.gold, np.arange(classes + 1))
        return cls(runs.multiplicities, boundaries, runs.predicted, classes)

    @property
    def systems(self) -> int:
        """S."""
        return len(self.predicted)

    def counts_of_rows(self, weights: Array) -> Floats:
        """Counts (R, S, C, C) under weights (R, U) of the rows: how many of the items each stands for were drawn."""
        product = self._sparse_counts if self.classes >= SPARSE_FROM_CLASSES else self._dense_counts
        return np.moveaxis(product(weights), (0, 1), (-2, -1)).swapaxes(0, 1)

    @property
    def bytes_a_trial(self) -> int:
        """Bytes of the draws of a trial, as whole numbers and as weights."""
        return 32 * len(self.multiplicities)

    def counts_of_halves(self, first: Array, second: Array | None) -> tuple[Floats, Floats]:
        """Counts (R, S, C, C) of two samples that share no item; second: None for all items outside the first."""
        first_counts = self.counts_of_rows(first)
        return first_counts, self.counts_of_all - first_counts if second is None else self.counts_of_rows(second)

    @cached_property
    def counts_of_all(self) -> Floats:
        """Counts of all items as they are, (1, S, C, C)."""
        return self.counts_of_rows(self.multiplicities[np.newaxis])

    def _dense_counts(self, weights: Array) -> Floats:
        """(C, C, S, R): matrix products class by class; the last class has the remaining weight."""
        systems, replicates, last = len(self.predicted), len(weights), self.classes - 1
        counts = np.zeros((self.classes, self.classes, systems, replicates))
        cached = self.predicted.size * self.classes <= INDICATORS_CACHED
        chunk_indicators = self._cached_indicators if cached else self._indicators()
        for (gold, rows), indicators in zip(self._chunks, chunk_indicators, strict=True):
            # Chunk by chunk, because a few patterns may stand for most of the items.
            sums = indicators.weighted_sums(weights[:, rows])
            counts[gold, :last] += sums[: last * systems].reshape(last, systems, replicates)
            counts[gold, last] += sums[last * systems]
        counts[:, last] -= counts[:, :last].sum(axis=1)
        return counts

    @cached_property
    def _chunks(self) -> tuple[tuple[int, slice], ...]:
        """Gold classes and the rows of them that are multiplied at once."""
        step = min(max(1, INDICATORS_AT_ONCE // (len(self.predicted) * self.classes)), PACKED - 1)
        return tuple(
            (gold, slice(begin, min(begin + step, int(self.boundaries[gold + 1]))))
            for gold in range(self.classes)
            for begin in range(int(self.boundaries[gold]), int(self.boundaries[gold + 1]), step)
        )

    @cached_property
    def _cached_indicators(self) -> tuple[Indicators, ...]:
        return tuple(self._indicators())

    def _indicators(self) -> Iterator[Indicators]:
        classes = np.arange(self.classes - 1, dtype=self.predicted.dtype)[:, np.newaxis, np.newaxis]
        for _, rows in self._chunks:
            flags = (self.predicted[:, rows] == classes).reshape(-1, rows.stop - rows.start)
            padding = -len(flags) % (2 * COLUMNS_OF_BLAS) or 2 * COLUMNS_OF_BLAS
            yield Indicators(np.concatenate([flags, np.ones((padding, flags.shape[1]), dtype=np.bool_)]))

    def _sparse_counts(self, weights: Array) -> Floats:
        """(C, C, S, R): one sparse product, with one multiplication per prediction for any C."""
        counts = self._sparse_indicators @ np.ascontiguousarray(weights.T, dtype=np.float64)
        return np.asarray(counts).reshape(self.classes, self.classes, len(self.predicted), len(weights))

    @cached_property
    def _sparse_indicators(self) -> sparse.csr_array[np.float64]:
        from scipy import sparse

        systems, rows = self.predicted.shape
        gold = np.repeat(np.arange(self.classes), np.diff(self.boundaries))
        cell = (gold * self.classes + self.predicted) * systems + np.arange(systems)[:, np.newaxis]
        row = np.broadcast_to(np.arange(rows), cell.shape)
        shape = (self.classes * self.classes * systems, rows)
        return sparse.csr_array((np.ones(cell.size), (cell.ravel(), row.ravel())), shape=shape)


@dataclass(frozen=True)
class WeighableItems(WeighableRows):
    """Items prepared for `reweight`, so that blocks of weights share the work; identical items are one row.

    Parameters
    ----------
    order : array (N,)
        Positions that sort the items.
    starts : array (U,)
        First position of each row in that order.
    """

    order: Indices
    starts: Indices

    @classmethod
    def of(cls, gold: Codes, predicted: Codes, *, classes: int) -> WeighableItems:
        """Sort items and collapse identical ones.

        Parameters
        ----------
        gold : array (N,)
            Class codes.
        predicted : array (S, N)
            Class codes of the systems.
        classes
            Number of classes.
        """
        _check_codes(gold, classes)
        _check_codes(predicted, classes)
        patterns = _few_patterns(gold, predicted, classes)
        order = np.argsort(gold if patterns is None else patterns, kind="stable")
        starts = np.arange(len(gold)) if patterns is None else _starts_of_runs(patterns[order])
        rows = order[starts]
        return cls(
            multiplicities=np.diff(starts, append=len(gold)),
            boundaries=np.searchsorted(gold[rows], np.arange(classes + 1)),
            predicted=np.ascontiguousarray(predicted[:, rows]),
            classes=classes,
            order=order,
            starts=starts,
        )

    def reweight(self, weights: Array) -> Floats:
        """Counts (R, S, C, C) under weights of the items.

        Parameters
        ----------
        weights : array (R, N)
            In the order of the data set.
        """
        return self.counts_of_rows(self.weights_of_rows(weights))

    def weights_of_rows(self, weights: Array) -> Array:
        """Weights of the rows, (R, U), from weights of the items.

        Parameters
        ----------
        weights : array (R, N)
            In the order of the data set.
        """
        row_weights = weights[:, self.order]
        if len(self.starts) == len(self.order):
            return row_weights
        sum_type = np.float64 if weights.dtype.kind == "f" else np.int64
        return np.add.reduceat(row_weights, self.starts, axis=1, dtype=sum_type)


def _few_patterns(gold: Codes, predicted: Codes, classes: int) -> Ints | None:
    """A number for each pattern of gold and predictions, which sorts by gold; None if there are too many patterns.

    The codes are the digits of the number. Before it overflows, the numbers are replaced by their ranks.
    """
    numbers, possible = gold.astype(np.int64), classes
    for codes in predicted:
        if possible * classes > np.iinfo(np.int64).max:
            distinct, numbers = np.unique(numbers, return_inverse=True)
            possible = len(distinct)
            # More systems never make fewer distinct patterns.
            if len(gold) <= ITEMS_PER_PATTERN * possible:
                return None
        numbers *= classes
        numbers += codes.astype(np.int64, copy=False)
        possible *= classes
    few = len(gold) > ITEMS_PER_PATTERN * len(_starts_of_runs(np.sort(numbers)))
    return numbers if few else None


def _starts_of_runs(sorted_numbers: Ints) -> Indices:
    """Positions at which a sorted array changes its value."""
    return np.flatnonzero(np.diff(sorted_numbers, prepend=sorted_numbers[:1] - 1))


def _check_codes(codes: Codes, classes: int) -> None:
    if codes.size and (int(codes.min()) < 0 or int(codes.max()) >= classes):
        raise ValueError(f"codes from {codes.min()} to {codes.max()} for {classes} classes")
