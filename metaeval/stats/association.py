"""Correlations of scores with human scores: of many vectors at once, with missing scores, at four levels.

Every coefficient takes x and y (..., L) and returns an array (...) of values from −1 to 1. Entries that are NaN in x or
y are left out, so that vectors may differ in length. The value is NaN if a vector is constant or has fewer than two
entries.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from metaeval.arrays import Bools, Ints, Scores
from metaeval.grid import round_to_grid
from metaeval.stats._arrays import deviations, one_row
from metaeval.stats.intervals import defined_mean
from metaeval.stats.pairs import PairCounts, count_pairs, pair_accuracy, tau_a, tau_b, tau_c
from metaeval.stats.rank import mean_ranks
from metaeval.stats.ratio import divide

Coefficient = Callable[[ArrayLike, ArrayLike], Scores]


STRENGTHS = (0.3, 0.6)
"""Correlations below the first are weak, from the second on strong, else medium (Amemiya & Sakai 2021, table 2)."""


def count_complete_pairs(x: ArrayLike, y: ArrayLike) -> PairCounts:
    """Counts (...) of concordant, discordant and tied pairs of entries of two vectors, (..., L), NaN where missing."""
    x, y, present = complete(x, y)
    length = np.asarray(present.sum(axis=-1, dtype=np.int64))
    if not present.shape[-1]:
        return PairCounts(length, length, length, length, length)
    missing = present.shape[-1] - length
    if missing.any():
        # Missing entries rank lowest below, where −∞ would tie with them.
        x, y = (
            np.where(present, mean_ranks(scores), np.nan) if np.isneginf(scores).any() else scores for scores in (x, y)
        )
    counts = count_pairs(x, y)
    # Entries are missing in both vectors, so they tie with each other and are below all others in both.
    tied_x, tied_y = (tied - missing * (missing - 1) // 2 for tied in (counts.tied_x, counts.tied_y))
    return PairCounts(
        counts.concordant - missing * length, counts.discordant, tied_x, tied_y, length * (length - 1) // 2
    )


def kendall_b(x: ArrayLike, y: ArrayLike) -> Scores:
    """Kendall's tau-b: concordant minus discordant pairs, over the geometric mean of the untied pairs (Kendall 1945).

    Parameters
    ----------
    x, y : array_like (..., L)
        Scores, NaN where missing.

    Examples
    --------
    >>> round(float(kendall_b([1, 2, 3, 3, np.nan], [1, 3, 2, 4, 0])), 4)
    0.5477
    """
    return tau_b(count_complete_pairs(x, y))


def kendall_a(x: ArrayLike, y: ArrayLike) -> Scores:
    """Kendall's tau-a of (..., L): concordant minus discordant pairs, divided by all pairs."""
    counts = count_complete_pairs(x, y)
    return np.where(counts.tied_x == counts.pairs, np.nan, tau_a(counts))


def kendall_a_with(x: ArrayLike, y: ArrayLike) -> Scores:
    """Kendall's tau-a of a measure with human scores, (..., L): pairs that it ties are neither, also if all are."""
    return tau_a(count_complete_pairs(x, y))


def kendall_c(x: ArrayLike, y: ArrayLike) -> Scores:
    """Stuart's tau-c (1953): (P − Q) / pairs · m (L − 1) / (L (m − 1)), m the smaller number of distinct scores."""
    counts = count_complete_pairs(x, y)
    x, y, present = complete(x, y)
    return tau_c(counts, np.minimum(distinct(x), distinct(y)), present.sum(axis=-1))


def pairwise_accuracy(x: ArrayLike, y: ArrayLike) -> Scores:
    """Share of pairs that both order in the same way or both tie: acc-eq without a threshold (Deutsch et al. 2023).

    It is defined for constant vectors, too.

    Parameters
    ----------
    x, y : array_like (..., L)
        Scores, NaN where missing.

    Returns
    -------
    array (...)
        From 0 to 1.
    """
    return pair_accuracy(count_complete_pairs(x, y))


def pearson(x: ArrayLike, y: ArrayLike) -> Scores:
    """Pearson's r.

    Parameters
    ----------
    x, y : array_like (..., L)
        Scores, NaN where missing.
    """
    x, y, present = complete(x, y)
    if x.shape[-1] < 2:
        return np.full(x.shape[:-1], np.nan)
    shape = x.shape[:-1]
    if present.all():
        x, y = one_row(x), one_row(y)
    with np.errstate(invalid="ignore"):
        dx, dy = deviations(x), deviations(y)
        squares = np.einsum("...l,...l->...", dx, dx) * np.einsum("...l,...l->...", dy, dy)
        r = divide(np.einsum("...l,...l->...", dx, dy), np.sqrt(squares))
    return np.array(np.broadcast_to(np.clip(r, -1.0, 1.0), shape))


def spearman(x: ArrayLike, y: ArrayLike) -> Scores:
    """Spearman's rho: Pearson's r of mean ranks.

    Parameters
    ----------
    x, y : array_like (..., L)
        Scores, NaN where missing.
    """
    x, y, present = complete(x, y)
    # NaN ranks last, so it does not change the ranks of other entries.
    ranks = (mean_ranks(scores) for scores in (x, y))
    return pearson(*(vector if present.all() else np.where(present, vector, np.nan) for vector in ranks))


COEFFICIENTS: dict[str, Coefficient] = {
    "pearson": pearson,
    "spearman": spearman,
    "kendall-b": kendall_b,
    "kendall-c": kendall_c,
    "kendall-a": kendall_a_with,
    "pairwise-accuracy": pairwise_accuracy,
}
"""Coefficients by name."""

LEVELS = ("system", "item", "global", "by-system")
"""Correlations of means of systems, of systems on each item, of all cells, and of items of each system."""


@dataclass(frozen=True)
class AtLevel:
    """Correlations at a level; every attribute is (...).

    units, left_out: number of systems (`system`) or cells (`global`) with and without scores, or of items (`item`) or
    systems (`by-system`) with a defined coefficient, which are averaged, and without.
    """

    values: Scores
    units: Ints
    left_out: Ints


def at_level(x: Scores, y: Scores, *, level: str, coefficient: str, constant: float = math.nan) -> AtLevel:
    """Correlation of scores (..., S, N) at a level; of `system`, means are over items for which both scores exist."""
    if level in {"item", "by-system"}:
        values = vector_coefficients(x, y, level=level, coefficient=coefficient, constant=constant)
        units = np.asarray((~np.isnan(values)).sum(axis=-1, dtype=np.int64))
        return AtLevel(defined_mean(values, axis=-1), units, values.shape[-1] - units)
    x_vectors, y_vectors = level_vectors(x, y, level=level)
    present = ~np.isnan(x_vectors) & ~np.isnan(y_vectors)
    units = np.asarray(present.sum(axis=-1, dtype=np.int64))
    return AtLevel(COEFFICIENTS[coefficient](x_vectors, y_vectors), units, present.shape[-1] - units)


def vector_coefficients(x: Scores, y: Scores, *, level: str, coefficient: str, constant: float) -> Scores:
    """Coefficients of items or systems, (..., V); `constant` where undefined although two entries have scores."""
    x_vectors, y_vectors = level_vectors(x, y, level=level)
    values = COEFFICIENTS[coefficient](x_vectors, y_vectors)
    if math.isnan(constant):
        return values
    rated = (~np.isnan(x_vectors) & ~np.isnan(y_vectors)).sum(axis=-1) > 1
    return np.where(np.isnan(values) & rated, constant, values)


def mean_scores(scores: Scores) -> Scores:
    """Means (..., S) of scores (..., S, N) that are not NaN, on the grid of scores; NaN where all are."""
    return means_on_grid(defined_mean(scores, axis=-1), largest_scores(scores), scores.shape[-1])


def largest_scores(scores: Scores) -> Scores:
    """The largest absolute score of each system, (..., S), of scores (..., S, N); 0 where all are NaN."""
    return np.asarray(np.nanmax(np.abs(scores), axis=-1, initial=0.0))


def means_on_grid(means: Scores, largest: Scores, items: int) -> Scores:
    """Means (..., S) on the grid of the largest absolute scores, unless they are the scores of one item."""
    return means if items == 1 else round_to_grid(means, largest.max(axis=-1, keepdims=True, initial=0.0))


def level_vectors(x: Scores, y: Scores, *, level: str) -> tuple[Scores, Scores]:
    """Vectors of x and y, (..., S, N), that are correlated at a level: (..., L) or (..., V, L)."""
    if level == "system":
        x, y, present = complete(x, y)
        x_means, y_means = (mean_scores(np.where(present, scores, np.nan)) for scores in (x, y))
        return x_means, y_means
    if level == "global":
        return x.reshape(*x.shape[:-2], -1), y.reshape(*y.shape[:-2], -1)
    if level == "item":
        return x.swapaxes(-1, -2), y.swapaxes(-1, -2)
    if level == "by-system":
        return x, y
    raise ValueError(f"level {level!r} is none of {', '.join(LEVELS)}")


def complete(x: ArrayLike, y: ArrayLike) -> tuple[Scores, Scores, Bools]:
    """X and y broadcast together, NaN in both where either is NaN, and where both are present."""
    x, y = np.broadcast_arrays(np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64))
    present = ~(np.isnan(x) | np.isnan(y))
    if present.all():
        return x, y, present
    return np.where(present, x, np.nan), np.where(present, y, np.nan), present


def distinct(scores: Scores) -> Ints:
    """Number of distinct scores of (..., L) without NaN, at least 1."""
    sorted_scores = np.sort(scores, axis=-1)
    previous, following = sorted_scores[..., :-1], sorted_scores[..., 1:]
    return np.asarray(1 + ((previous != following) & ~np.isnan(following)).sum(axis=-1, dtype=np.int64))
