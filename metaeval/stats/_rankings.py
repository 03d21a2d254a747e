"""Rankings in memory: missing scores lowest, and the leading axes last, so that many are compared at once."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray


def nan_lowest(x: ArrayLike, y: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Two vectors broadcast together, −∞ where they are NaN."""
    x, y = np.broadcast_arrays(np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64))
    missing_x, missing_y = np.isnan(x), np.isnan(y)
    return (
        np.where(missing_x, -np.inf, x) if missing_x.any() else x,
        np.where(missing_y, -np.inf, y) if missing_y.any() else y,
    )


def systems_first(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """(..., S) as (S, K), so that what is compared together lies together; K are the leading axes, first fastest."""
    return np.ascontiguousarray(scores.T).reshape(scores.shape[-1], -1)


def in_shape(flat: NDArray[Any], shape: tuple[int, ...]) -> NDArray[Any]:
    """The inverse for results: (K,) as (...)."""
    return flat.reshape(shape[::-1]).T


def signs_against(scores: NDArray[np.float64], first: int) -> NDArray[np.int8]:
    """Whether the later systems score higher (1), the same (0) or lower (−1) than `first`, (S − first − 1, K)."""
    later, own = scores[first + 1 :], scores[first]
    higher, lower = later > own, later < own
    sign: NDArray[np.int8] = np.subtract(higher.view(np.int8), lower.view(np.int8))
    return sign
