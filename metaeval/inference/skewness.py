"""Hall's transformation of studentised means, which removes their skewness (Hall 1992).

h(t) = t + k (2 t² + 1) / 6 + k² t³ / 27, with k the skewness of the parts over the root of their number. It is used
where it makes a difference smaller: where it would make one larger, as with rare classes, it claims too much.
"""

from __future__ import annotations

import numpy as np

from metaeval.arrays import Floats

SURPRISING = 2.0
"""Skewness counts from so many of its standard errors for a normal distribution on, because it costs power else."""


def skewness(cube: Floats, square: Floats, groups: float | Floats) -> Floats:
    """Skewness of centred parts over the root of their number, (P,); 0 where it may be that of a normal distribution.

    cube, square: sums of the third and the second powers of the parts, (P,). groups: their number, of all or of each.
    """
    more = np.maximum(groups, 3)
    k = cube / np.where(square > 0, square, np.inf) ** 1.5
    error = np.sqrt(6 * (more - 2) / ((more + 1) * (more + 3)))
    unbiased = np.sqrt(more * (more - 1)) / (more - 2)
    return np.where((groups >= more) & (np.abs(k) * np.sqrt(more) > SURPRISING * error), k * unbiased, 0.0)


def shrink(t: Floats, k: Floats) -> Floats:
    """The transformed statistics, where they are nearer to 0, else the statistics; (P,).

    >>> shrink(np.array([2.0, 2.0]), np.array([-0.3, 0.3])).round(3).tolist()
    [1.577, 2.0]
    """
    transformed = t + k * (2 * t**2 + 1) / 6 + k**2 * t**3 / 27
    return np.where(t > 0, np.clip(transformed, 0.0, t), np.clip(transformed, t, 0.0))


def expand(shrunk: Floats, k: Floats) -> Floats:
    """The largest statistics that `shrink` makes this, (P,): its inverse; from 0 on, infinite ones stay.

    >>> expand(shrink(np.array([2.0]), np.array([-0.3])), np.array([-0.3])).round(3).tolist()
    [2.0]
    """
    finite = np.where(np.isfinite(shrunk), shrunk, 0.0) - k / 6
    # 3 (∛(1 + k x) − 1) / k without cancellation where k is small.
    root = np.cbrt(1 + k * finite)
    inverse = 3 * finite / (root**2 + root + 1)
    return np.where((k < 0) & np.isfinite(shrunk), np.maximum(inverse, shrunk), shrunk)


def correct(t: Floats, k: Floats) -> Floats:
    """The statistics whose transformation is t, at least as far from 0 as t, (P,): for an interval of one mean.

    >>> correct(np.array([2.0, -2.0]), np.array([0.3, 0.3])).round(3).tolist()
    [2.0, -2.725]
    """
    return np.where(t > 0, expand(np.abs(t), k), -expand(np.abs(t), -k))
