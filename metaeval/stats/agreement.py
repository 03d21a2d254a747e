"""Inter-annotator agreement.

Ratings (..., A, U) are those of U units by A annotators, as numbers or codes of labels, NaN where missing. Coefficients
take the units that count, `included` (..., U), which broadcast with the leading axes: with the choices of a jackknife,
(T, U), one call computes all replicates. A coefficient is NaN if no ratings can be compared or none vary.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from metaeval.arrays import Bools, Floats
from metaeval.errors import InputError
from metaeval.stats._arrays import (
    as_ratings,
    ratio_differences,
    squared_distances,
    sum_over_units,
    unit_weights,
    value_counts,
    vector_times_matrix,
)
from metaeval.stats._ratings.jackknife import (
    MOST_VALUES_OF_RATIO,
    alpha_without,
    concordance_without,
    fleiss_without,
)
from metaeval.stats.ratio import divide

__all__ = [
    "MOST_VALUES_OF_RATIO",
    "Level",
    "alpha_without",
    "check_ratio",
    "concordance_without",
    "fleiss_kappa",
    "fleiss_without",
    "krippendorff_alpha",
]

Level = Literal["nominal", "ordinal", "interval", "ratio"]


def krippendorff_alpha(ratings: ArrayLike, included: Bools | None = None, *, level: Level) -> Floats:
    """Krippendorff's alpha: 1 − observed / expected disagreement of ratings of the same unit (Krippendorff 2011).

    Units with fewer than two ratings are left out.

    Parameters
    ----------
    ratings : array_like (..., A, U)
        Ratings, NaN where missing; at least 0 for level ratio.
    included : array (..., U), optional
        Whether each unit counts; all by default.
    level
        Level of measurement, which defines the distance between ratings.

    Returns
    -------
    array (...)
        At most 1; 0 is the agreement expected by chance, NaN if all ratings are equal.

    Raises
    ------
    InputError
        For a negative rating with level ratio.

    Examples
    --------
    >>> round(float(krippendorff_alpha([[1, 2, 3, 3], [1, 2, 3, np.nan], [1, 3, 3, 2]], level="ordinal")), 4)
    0.697
    """
    ratings = as_ratings(ratings)
    if level == "ratio":
        check_ratio(ratings)
    values, counts = value_counts(ratings)
    counts[counts.sum(axis=-1) < 2] = 0
    weights = unit_weights(included, ratings)
    totals = sum_over_units(weights, counts)
    if level in ("nominal", "ratio"):
        difference = 1 - np.eye(values.shape[-1]) if level == "nominal" else ratio_differences(values)
        within = ((counts @ difference) * counts).sum(axis=-1)
        between = (vector_times_matrix(totals, difference) * totals).sum(axis=-1)
    else:
        position = np.cumsum(totals, axis=-1) - totals / 2 if level == "ordinal" else values - values[..., :1]
        within = squared_distances(position, counts)
        between = squared_distances(position, totals[..., np.newaxis, :])[..., 0]
    observed = np.einsum("...u,...u->...", weights, within / np.maximum(counts.sum(axis=-1) - 1, 1))
    # For a single value, rounding errors may prevent the squares from cancelling.
    expected = np.where((totals > 0).sum(axis=-1) > 1, between, 0.0)
    return np.asarray(1 - (totals.sum(axis=-1) - 1) * divide(observed, expected))


def check_ratio(ratings: Floats) -> None:
    """Raise an `InputError` for ratings that have no ratio: negative ones.

    Parameters
    ----------
    ratings : array
        Ratings, NaN where missing.
    """
    if (ratings < 0).any():
        raise InputError.at(
            found=f"the rating {np.nanmin(ratings):g} for alpha of level ratio",
            expected="ratings of 0 or more",
            hint="use level interval",
        )


def fleiss_kappa(ratings: ArrayLike, included: Bools | None = None) -> Floats:
    """Fleiss' (1971) kappa: agreement beyond that expected from the label frequencies.

    Units may differ in their numbers of ratings (Gwet 2014): all units have the same weight in the label frequencies,
    and units with at least two ratings count for the observed agreement.

    Parameters
    ----------
    ratings : array_like (..., A, U)
        Codes of labels, NaN where missing.
    included : array (..., U), optional
        Whether each unit counts; all by default.

    Returns
    -------
    array (...)
        At most 1; NaN if only one label occurs.

    Examples
    --------
    >>> round(float(fleiss_kappa([[0, 0, 1, 1], [0, 0, 1, 0], [0, 1, 1, 1]])), 4)
    0.3333
    """
    ratings = as_ratings(ratings)
    _, counts = value_counts(ratings)
    raters = counts.sum(axis=-1)
    weights = unit_weights(included, ratings)
    agreeing = divide((counts * counts).sum(axis=-1) - raters, raters * (raters - 1), undefined=0.0)
    observed = divide((weights * agreeing).sum(axis=-1), (weights * (raters > 1)).sum(axis=-1))
    shares = sum_over_units(weights, divide(counts, raters[..., np.newaxis], undefined=0.0))
    expected = divide((shares * shares).sum(axis=-1), (weights * (raters > 0)).sum(axis=-1) ** 2)
    return divide(observed - expected, np.where((shares > 0).sum(axis=-1) > 1, 1 - expected, 0.0))
