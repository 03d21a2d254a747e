"""Sums of weights of rows, as matrix products that are exact in the fastest type."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from metaeval.arrays import Array, Bools

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
        of_rows: Array = weights.astype(exact, copy=False)
        return np.asarray(self._single.astype(exact, copy=False) @ of_rows.T)

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
