"""Division with explicit values of undefined quotients."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray


def divide(numerator: ArrayLike, denominator: ArrayLike, *, undefined: float = math.nan) -> NDArray[np.float64]:
    """Elementwise quotient without warnings, with a value of its own where the denominator is 0.

    Parameters
    ----------
    numerator, denominator : array_like
        Arrays that broadcast.
    undefined
        Value where the denominator is 0.

    Examples
    --------
    >>> divide([1, 1], [2, 0])
    array([0.5, nan])
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        quotient = np.asarray(np.true_divide(numerator, denominator), dtype=np.float64)
    np.copyto(quotient, undefined, where=np.equal(denominator, 0))
    return quotient
