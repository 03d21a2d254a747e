"""Agreement of ratings with many values, from sorted ratings: a table of units × values would not fit in memory.

Every rating is a row, in the order of the values; sums over the rows of a unit or of a value replace the table.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from metaeval.stats._arrays import Included, Ratings, unit_weights
from metaeval.stats.ratio import divide

Numbers = NDArray[np.float64]

_CELLS_PER_RATING = 16
"""Cells of a table of units × values, per rating, up to which that table is faster."""


def has_many_values(ratings: Ratings) -> bool:
    """Whether ratings (A, U) have so many values that sorting them is cheaper than a table of units × values.

    Parameters
    ----------
    ratings : array (..., A, U)
        Ratings, NaN where missing; with leading axes, the table is always taken.
    """
    if ratings.ndim > 2 or len(ratings) * _CELLS_PER_RATING >= ratings.size:
        return False
    return len(np.unique(ratings[~np.isnan(ratings)])) > _CELLS_PER_RATING * len(ratings)


class _Rows:
    """The ratings of units with enough of them, by value.

    unit: of each row, (R,). value: (R,). starts: first row of each value, (V,). code: number of the value, (R,).
    number: ratings of each unit, (U,).
    """

    def __init__(self, ratings: Ratings, least: int) -> None:
        known = ~np.isnan(ratings)
        known &= known.sum(axis=0) >= least
        self.number = known.sum(axis=0).astype(np.float64)
        unit, value = np.nonzero(known)[1], ratings[known]
        order = np.argsort(value, kind="stable")
        self.unit, self.value = unit[order], value[order]
        new = np.diff(self.value, prepend=np.nan) != 0
        self.starts, self.code = np.flatnonzero(new), np.cumsum(new) - 1

    def of_units(self, rows: Numbers) -> Numbers:
        """Sums of (..., R) over the rows of each unit, (..., U)."""
        order = np.argsort(self.unit, kind="stable")
        sums = np.zeros((*rows.shape[:-1], len(self.number)))
        if len(order):
            first = np.flatnonzero(np.diff(self.unit[order], prepend=-1))
            sums[..., self.unit[order][first]] = np.add.reduceat(rows[..., order], first, axis=-1)
        return sums

    def of_values(self, rows: Numbers) -> Numbers:
        """Sums of (..., R) over the rows of each value, (..., V)."""
        return np.add.reduceat(rows, self.starts, axis=-1) if len(self.starts) else rows

    def equal(self) -> Numbers:
        """Pairs of ratings of each unit that are equal, those of a rating with itself included, (U,)."""
        keys, counts = np.unique(self.unit * max(len(self.starts), 1) + self.code, return_counts=True)
        unit = keys // max(len(self.starts), 1)
        squares = np.bincount(unit, weights=counts.astype(np.float64) ** 2, minlength=len(self.number))
        return squares.astype(np.float64)


def alpha_of_many_values(
    ratings: Ratings, included: Included | None, *, level: Literal["nominal", "ordinal", "interval"]
) -> Numbers:
    """Krippendorff's alpha as `krippendorff_alpha` defines it.

    Parameters
    ----------
    ratings : array (A, U)
        Ratings, NaN where missing.
    included : array (..., U), optional
        Whether each unit counts; all by default.
    level
        Level of measurement.
    """
    rows = _Rows(ratings, 2)
    weights = unit_weights(included, ratings)
    of_rows = weights[..., rows.unit]
    totals = rows.of_values(of_rows)
    pairable = totals.sum(axis=-1)
    if level == "nominal":
        within = rows.number**2 - rows.equal()
        between = pairable**2 - (totals**2).sum(axis=-1)
    else:
        if level == "ordinal":
            # From the middle, so that sums of squares cancel less.
            place = np.cumsum(totals, axis=-1) - totals / 2 - pairable[..., np.newaxis] / 2
            place = place[..., rows.code]
        else:
            place = rows.value - (rows.value.mean() if len(rows.value) else 0.0)
        within = 2 * (rows.number * rows.of_units(place**2) - rows.of_units(place) ** 2)
        squares, sums = ((of_rows * power).sum(axis=-1) for power in (place**2, place))
        between = 2 * (pairable * squares - sums**2)
    observed = (weights * (within / np.maximum(rows.number - 1, 1))).sum(axis=-1)
    expected = np.where((totals > 0).sum(axis=-1) > 1, between, 0.0)
    return np.asarray(1 - (pairable - 1) * divide(observed, expected))


def fleiss_of_many_values(ratings: Ratings, included: Included | None) -> Numbers:
    """Fleiss' kappa as `fleiss_kappa` defines it.

    Parameters
    ----------
    ratings : array (A, U)
        Codes of labels, NaN where missing.
    included : array (..., U), optional
        Whether each unit counts; all by default.
    """
    rows = _Rows(ratings, 1)
    number, weights = rows.number, unit_weights(included, ratings)
    agreeing = divide(rows.equal() - number, number * (number - 1), undefined=0.0)
    observed = divide((weights * agreeing).sum(axis=-1), (weights * (number > 1)).sum(axis=-1))
    shares = rows.of_values(weights[..., rows.unit] / number[rows.unit])
    expected = divide((shares * shares).sum(axis=-1), (weights * (number > 0)).sum(axis=-1) ** 2)
    return divide(observed - expected, np.where((shares > 0).sum(axis=-1) > 1, 1 - expected, 0.0))
