"""Inversions of many permutations at once, in O(S log S) each."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

COMPARE_WITHIN = 16
"""Values. In groups no larger, to compare all pairs is faster than to split on."""


def count_inversions(permutations: NDArray[np.integer]) -> NDArray[np.int64]:
    """Count the pairs of each permutation that stand in the wrong order.

    The highest bit splits a permutation into small and large values; every large value before a small one is an
    inversion. What remains are the inversions within the small and within the large values, bit by bit.

    Parameters
    ----------
    permutations : array (B, S)
        Permutations of 0 … S − 1.

    Returns
    -------
    array (B,)

    Examples
    --------
    >>> count_inversions(np.array([[0, 1, 2], [2, 1, 0]]))
    array([0, 3])
    """
    batch, size = permutations.shape
    bits = max(1, int(size - 1).bit_length())
    width = 1 << bits
    # Padded to a power of two by values that are larger than all and in order, so every split is into equal halves.
    values = np.empty((batch, width), dtype=np.uint16 if width <= 1 << 16 else np.uint32)
    values[:, :size] = permutations
    values[:, size:] = np.arange(size, width)
    inversions = np.zeros(batch, dtype=np.int64)
    half = width // 2
    while 2 * half > COMPARE_WITHIN:
        groups = values.reshape(batch, width // (2 * half), 2 * half)
        small = (groups & half) == 0
        # The z-th small value stands behind (position − z) large ones.
        positions = small.astype(np.float64) @ np.arange(2 * half, dtype=np.float64)
        inversions += (positions - half * (half - 1) // 2).sum(axis=1).astype(np.int64)
        halves = (groups[which].reshape(batch, width // (2 * half), half) for which in (small, ~small))
        values = np.concatenate(list(halves), axis=2)
        half //= 2
    return inversions + _by_comparison(values.reshape(batch, width // (2 * half), 2 * half))


def _by_comparison(groups: NDArray[np.integer]) -> NDArray[np.int64]:
    """Inversions within small groups (B, G, L), added up over groups: each place against those after it."""
    first_places = range(groups.shape[2] - 1)
    counted = (np.count_nonzero(groups[:, :, [i]] > groups[:, :, i + 1 :], axis=(1, 2)) for i in first_places)
    return sum(counted, start=np.zeros(len(groups), dtype=np.int64))
