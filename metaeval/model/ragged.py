"""Runs of different lengths, laid out one after another in flat arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Codes = NDArray[np.int64]
Counts = NDArray[np.integer[Any]]


def starts_of(counts: Counts) -> Codes:
    """Where each run of counts[i] entries begins, and where the last one ends.

    >>> starts_of(np.array([2, 0, 3]))
    array([0, 2, 2, 5])
    """
    starts = np.zeros(len(counts) + 1, dtype=np.int64)
    np.cumsum(counts, out=starts[1:])
    return starts


def ranges(starts: Codes, counts: Codes) -> Codes:
    """The concatenation of `starts[i], starts[i] + 1, …`, counts[i] numbers each.

    >>> ranges(np.array([5, 0]), np.array([2, 3]))
    array([5, 6, 0, 1, 2])
    """
    return np.repeat(starts - (np.cumsum(counts) - counts), counts) + np.arange(counts.sum())
