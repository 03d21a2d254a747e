"""Perturbations that make the second confusion matrix of a case from the first."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from metaeval.analyses.axioms.properties.spec import Cases, Matrices, Totals


def with_all_in_gold(systems: Matrices) -> Matrices:
    """The systems of (K, C, C) in whose gold every class occurs."""
    return np.asarray(systems[(systems.sum(axis=-1) > 0).all(axis=-1)])


def perfect(golds: Totals) -> Matrices:
    """The systems without errors on gold totals (K, C)."""
    return golds[:, :, np.newaxis] * np.eye(golds.shape[-1], dtype=golds.dtype)


def move_one(systems: Matrices, gold: int, old: int, new: int) -> Cases:
    """Move one item of a gold class from prediction `old` to `new`, in each system that has one."""
    before = systems[systems[:, gold, old] > 0]
    return Cases(before, moved(before, np.full(len(before), gold), old, new))


def moved(systems: Matrices, golds: NDArray[np.integer], old: NDArray[np.integer] | int, new: int) -> Matrices:
    """The systems with one item moved from prediction `old` to `new`; golds: the gold class of the item, (K,)."""
    after = systems.copy()
    rows = np.arange(len(systems))
    after[rows, golds, old] -= 1
    after[rows, golds, new] += 1
    return after


def exchange(systems: Matrices, one: int, other: int) -> Cases:
    """Exchange two classes in gold, in the predictions and in the scale."""
    order = np.arange(systems.shape[-1])
    order[[one, other]] = other, one
    return Cases(systems, systems[:, order][:, :, order], (one, other))


def changed_cases(before: Matrices, after: Matrices) -> Cases:
    """The cases in which the matrix has changed."""
    differ = (before != after).any(axis=(1, 2))
    return Cases(before[differ], after[differ])
