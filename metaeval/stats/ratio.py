"""The one division: undefined where the denominator is 0, never a warning, never a silent 0."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray


def divide(numerator: ArrayLike, denominator: ArrayLike, *, undefined: float = math.nan) -> NDArray[np.float64]:
    """Elementwise quotient with `undefined` where the denominator is 0; the arguments broadcast.

    >>> divide([1, 1], [2, 0])
    array([0.5, nan])
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        quotient = np.asarray(np.true_divide(numerator, denominator), dtype=np.float64)
    np.copyto(quotient, undefined, where=np.equal(denominator, 0))
    return quotient
