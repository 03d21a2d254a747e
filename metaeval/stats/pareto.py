"""Choosing among measures by several criteria at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def pareto_best(criteria: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Which rows are Pareto-optimal: no other row is as good on every criterion and better on one.

    Parameters
    ----------
    criteria : array (M, K)
        Higher is better. A row with NaN is never Pareto-optimal, and dominates none.

    Returns
    -------
    array (M,)
        Whether each row is Pareto-optimal.

    Examples
    --------
    >>> pareto_best(np.array([[0.9, 0.1], [0.5, 0.5], [0.4, 0.4]]))
    array([ True,  True, False])
    """
    defined: NDArray[np.bool_] = ~np.any(np.isnan(criteria), axis=1)
    comparable = np.where(defined[:, np.newaxis], criteria, -np.inf)
    one, other = comparable[:, np.newaxis], comparable[np.newaxis]
    beats: NDArray[np.bool_] = np.all(other >= one, axis=2) & np.any(other > one, axis=2)
    best: NDArray[np.bool_] = defined & ~np.any(beats, axis=1)
    return best
