"""Agreement of annotators with each other.

Ratings are (..., A, U): what each of A annotators said of each of U units, as numbers or as codes of labels; NaN where
an annotator said nothing. Leading axes are carried along. Every coefficient takes `multiplicities` (..., U), how often
each unit counts, which broadcast against the leading axes: given the draws (T, U) of a bootstrap, one call computes
all replicates. What cannot be told (nothing to compare, nothing that varies) is NaN.
"""

from __future__ import annotations

from typing import Literal, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from metaeval.errors import InputError
from metaeval.stats._ratings import (
    Ratings,
    as_ratings,
    for_each_pair,
    ratio_differences,
    repeat_units,
    squared_distances,
    sum_over_units,
    unit_weights,
    value_indicators,
    vector_times_matrix,
    weighted_ranks,
)
from metaeval.stats.association import kendall_b
from metaeval.stats.intervals import defined_mean
from metaeval.stats.ratio import divide
from metaeval.stats.resample import REPLICATES_MEMORY, Draws, Multiplicities, trials_per_block

Agreements = NDArray[np.float64]
Level = Literal["nominal", "ordinal", "interval", "ratio"]


class Coefficient(Protocol):
    """Ratings (..., A, U) and how often each unit counts, (..., U), to agreement, (...) or with more axes behind."""

    def __call__(self, ratings: Ratings, /, *, multiplicities: Multiplicities | None) -> Agreements:
        """The agreement; of two annotators, where the coefficient is one of pairs."""


def krippendorff_alpha(ratings: ArrayLike, *, level: Level, multiplicities: Multiplicities | None = None) -> Agreements:
    """Krippendorff's alpha: 1 − observed / expected disagreement of ratings of the same unit (Krippendorff 2011).

    Units with fewer than two ratings count for nothing. NaN where all other ratings are equal.
    ratings: (..., A, U); for the level ratio at least 0, or `InputError`. Returns (...).

    >>> round(float(krippendorff_alpha([[1, 2, 3, 3], [1, 2, 3, np.nan], [1, 3, 3, 2]], level="ordinal")), 4)
    0.697
    """
    ratings = as_ratings(ratings)
    if level == "ratio" and (ratings < 0).any():
        raise InputError.at(
            found=f"the rating {np.nanmin(ratings):g} for alpha of level ratio",
            expected="ratings of 0 or more",
            hint="choose the level interval",
        )
    rated = (~np.isnan(ratings)).sum(axis=-2, keepdims=True)
    values, said = value_indicators(np.where(rated > 1, ratings, np.nan))
    counts = said.sum(axis=-3, dtype=np.float64)
    weights = unit_weights(multiplicities, ratings)
    totals = sum_over_units(weights, counts)
    if level in ("nominal", "ratio"):
        difference = 1 - np.eye(values.shape[-1]) if level == "nominal" else ratio_differences(values)
        within = ((counts @ difference) * counts).sum(axis=-1)
        between = (vector_times_matrix(totals, difference) * totals).sum(axis=-1)
    else:
        place = np.cumsum(totals, axis=-1) - totals / 2 if level == "ordinal" else values - values[..., :1]
        within = squared_distances(place, counts)
        between = squared_distances(place, totals[..., np.newaxis, :])[..., 0]
    observed = np.einsum("...u,...u->...", weights, within / np.maximum(counts.sum(axis=-1) - 1, 1))
    # Of a single value, squares of its place might cancel to something that is not quite 0.
    expected = np.where((totals > 0).sum(axis=-1) > 1, between, 0.0)
    return np.asarray(1 - (totals.sum(axis=-1) - 1) * divide(observed, expected))


def fleiss_kappa(ratings: ArrayLike, *, multiplicities: Multiplicities | None = None) -> Agreements:
    """Fleiss' kappa: agreement of ratings of the same unit beyond what the frequencies of the labels make expected.

    Units may have different numbers of ratings: each unit's shares of labels then weigh alike, whatever the number, and
    its observed agreement counts where it has two ratings (Gwet 2014). With equal numbers this is Fleiss (1971).
    ratings: codes of labels, (..., A, U). Returns (...); NaN where only one label was used.

    >>> round(float(fleiss_kappa([[0, 0, 1, 1], [0, 0, 1, 0], [0, 1, 1, 1]])), 4)
    0.3333
    """
    ratings = as_ratings(ratings)
    _, said = value_indicators(ratings)
    counts = said.sum(axis=-3, dtype=np.float64)
    given = counts.sum(axis=-1)
    weights = unit_weights(multiplicities, ratings)
    alike = divide((counts * counts).sum(axis=-1) - given, given * (given - 1), undefined=0.0)
    observed = divide((weights * alike).sum(axis=-1), (weights * (given > 1)).sum(axis=-1))
    shares = sum_over_units(weights, divide(counts, given[..., np.newaxis], undefined=0.0))
    expected = divide((shares * shares).sum(axis=-1), (weights * (given > 0)).sum(axis=-1) ** 2)
    return divide(observed - expected, np.where((shares > 0).sum(axis=-1) > 1, 1 - expected, 0.0))


def cohen_kappa(
    ratings: ArrayLike,
    *,
    weights: Literal["none", "linear", "quadratic"] = "none",
    multiplicities: Multiplicities | None = None,
) -> Agreements:
    """Cohen's (1968) kappa of two annotators, on the units that both rated.

    ratings: (..., 2, U), codes of labels; the weights are the distance of two codes, or its square, so a class that
    nobody used keeps its place. Returns (...); NaN where both always say the same one label.

    >>> round(float(cohen_kappa([[0, 0, 1, 1, 2], [0, 1, 1, 1, 2]], weights="linear")), 4)
    0.7368
    """
    ratings = as_ratings(ratings, annotators=2)
    complete = np.where(np.isnan(ratings).any(axis=-2, keepdims=True), np.nan, ratings)
    values, said = value_indicators(complete)
    counted = unit_weights(multiplicities, ratings)
    totals = sum_over_units(counted[..., np.newaxis, :], said.astype(np.float64))
    apart = np.nan_to_num(np.abs(complete[..., 0, :] - complete[..., 1, :]))
    distance = np.abs(values[..., :, np.newaxis] - values[..., np.newaxis, :])
    if weights == "none":
        apart, distance = (apart > 0).astype(np.float64), 1 - np.eye(values.shape[-1])
    elif weights == "quadratic":
        apart, distance = apart**2, distance**2
    observed = np.einsum("...u,...u->...", counted, apart)
    expected = (vector_times_matrix(totals[..., 0, :], distance) * totals[..., 1, :]).sum(axis=-1)
    return np.asarray(1 - totals[..., 0, :].sum(axis=-1) * divide(observed, expected))


def correlation(
    ratings: ArrayLike,
    *,
    coefficient: Literal["pearson", "spearman", "kendall-b"],
    multiplicities: Multiplicities | None = None,
) -> Agreements:
    """Correlation of two annotators, on the units that both rated; NaN where one of them is constant there.

    ratings: (..., 2, U). multiplicities: for Kendall's tau whole numbers, of one sum. Returns (...).

    >>> round(float(correlation([[1, 2, 3, np.nan], [1, 3, 2, 9]], coefficient="spearman")), 4)
    0.5
    """
    ratings = as_ratings(ratings, annotators=2)
    if coefficient == "kendall-b":
        repeated = ratings if multiplicities is None else repeat_units(ratings, multiplicities)
        return kendall_b(repeated[..., 0, :], repeated[..., 1, :])
    complete = ~np.isnan(ratings).any(axis=-2, keepdims=True)
    weights = unit_weights(multiplicities, ratings)[..., np.newaxis, :] * complete
    if coefficient == "spearman":
        ratings = weighted_ranks(np.where(complete, ratings, np.inf), weights)
    counted = weights > 0
    highest = np.where(counted, ratings, -np.inf).max(axis=-1, initial=-np.inf)
    lowest = np.where(counted, ratings, np.inf).min(axis=-1, initial=np.inf)
    known = np.where(complete, ratings, 0.0)
    mean = divide((weights * known).sum(axis=-1), weights.sum(axis=-1), undefined=0.0)
    deviation = known - mean[..., np.newaxis]
    squares = (weights * deviation * deviation).sum(axis=-1)
    product = (weights[..., 0, :] * deviation[..., 0, :] * deviation[..., 1, :]).sum(axis=-1)
    # Deviations of a constant may miss 0 by a rounding error, so constancy is read off the ratings.
    scale = np.where((highest > lowest).all(axis=-1), np.sqrt(squares[..., 0] * squares[..., 1]), 0.0)
    return np.clip(divide(product, scale), -1.0, 1.0)


def pairwise(
    ratings: ArrayLike, coefficient: Coefficient, *, multiplicities: Multiplicities | None = None
) -> Agreements:
    """A coefficient of two annotators for every two of them, (..., A, A), symmetric.

    coefficient: `cohen_kappa`, or `partial(correlation, coefficient="spearman")`, say.

    >>> pairwise([[0, 1, 1, 0], [0, 1, 0, 0], [1, 1, 1, 0]], cohen_kappa).round(2).tolist()
    [[1.0, 0.5, 0.5], [0.5, 1.0, 0.2], [0.5, 0.2, 1.0]]
    """
    ratings = as_ratings(ratings)
    annotators = ratings.shape[-2]
    one, other = np.triu_indices(annotators)
    both = np.stack([ratings[..., one, :], ratings[..., other, :]], axis=-2)
    upper = coefficient(both, multiplicities=for_each_pair(multiplicities))
    matrix = np.empty((*upper.shape[:-1], annotators, annotators))
    matrix[..., one, other] = upper
    matrix[..., other, one] = upper
    return matrix


def mean_of_pairs(matrix: Agreements) -> Agreements:
    """Mean over the pairs of two different annotators that are defined; of Cohen's kappa, Light's (1971) kappa.

    matrix: (..., A, A), symmetric, as of `pairwise`. Returns (...).
    """
    one, other = np.triu_indices(matrix.shape[-1], k=1)
    return defined_mean(matrix[..., one, other], axis=-1)


def shared_units(ratings: ArrayLike, *, multiplicities: Multiplicities | None = None) -> Agreements:
    """How many units every two annotators both rated, (..., A, A)."""
    ratings = as_ratings(ratings)
    rated = (~np.isnan(ratings)).astype(np.float64)
    return np.asarray((rated * unit_weights(multiplicities, ratings)[..., np.newaxis, :]) @ rated.swapaxes(-1, -2))


def leave_one_out(
    ratings: ArrayLike, coefficient: Coefficient, *, multiplicities: Multiplicities | None = None
) -> Agreements:
    """Each annotator against the mean of the others, (..., A); their mean is what a measure can hope for at best.

    coefficient: of two annotators. A unit counts for an annotator where another one rated it, too.

    >>> leave_one_out([[0, 1, 1, 0], [0, 1, 0, 0]], cohen_kappa).tolist()
    [0.5, 0.5]
    """
    ratings = as_ratings(ratings)
    rated = ~np.isnan(ratings)
    others = 1 - np.eye(ratings.shape[-2])
    mean = divide(others @ np.where(rated, ratings, 0.0), others @ rated)
    return coefficient(np.stack([ratings, mean], axis=-2), multiplicities=for_each_pair(multiplicities))


def bootstrap_units(
    ratings: ArrayLike, coefficient: Coefficient, draws: Draws, *, memory: int = REPLICATES_MEMORY
) -> Agreements:
    """A coefficient in every bootstrap sample of the units, (T, ...), as many at once as the memory allows.

    draws: (T, U), of `stats.resample.draw_bootstrap` with the multiplicity 1 for each unit.
    coefficient: any of this module, its parameters bound by `functools.partial`.
    There is no such thing for annotators: whoever is drawn twice agrees with themselves.

    >>> draws = np.array([[1, 1, 1], [0, 2, 1]])
    >>> bootstrap_units([[1, 1, 2], [1, 2, 2]], fleiss_kappa, draws).round(4).tolist()
    [0.3333, -0.5]
    """
    ratings = as_ratings(ratings)
    *leading, annotators, units = ratings.shape
    block = trials_per_block(64 * ratings.size * max(annotators, 1), memory=memory)
    aligned = draws.reshape(len(draws), *(1 for _ in leading), units)
    blocks = range(0, max(len(draws), 1), block)
    return np.concatenate([coefficient(ratings, multiplicities=aligned[begin : begin + block]) for begin in blocks])
