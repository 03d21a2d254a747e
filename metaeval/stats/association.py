"""How well scores follow human scores: coefficients of many vectors at once, with missing scores, and their levels.

Every coefficient takes x and y (..., L) and returns (...). A pair with NaN on either side is left out of its vector, so
that vectors of different lengths lie in one array. A vector that is constant, or of fewer than two pairs, is NaN.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from metaeval.stats import rank_correlation
from metaeval.stats.intervals import defined_mean
from metaeval.stats.rank import mean_ranks
from metaeval.stats.ratio import divide

Scores = NDArray[np.float64]
Coefficient = Callable[[Scores, Scores], Scores]

PAIRS_TOGETHER = 1 << 20
"""Pairs compared together where the differences of all pairs are looked through."""

SIGNS_TOGETHER = 1 << 22
"""Differences with flipped signs summed together."""


STRENGTHS = (0.3, 0.6)
"""Where a moderate correlation begins, and a strong one."""


@dataclass(frozen=True)
class OrderedPairs:
    """Pairs by how two vectors order them; each (...).

    concordant, discordant: ordered alike, oppositely. tied_x, tied_y: tied in one, whatever the other says.
    tied_both: tied in both. pairs: all of them.
    """

    concordant: NDArray[np.int64]
    discordant: NDArray[np.int64]
    tied_x: NDArray[np.int64]
    tied_y: NDArray[np.int64]
    tied_both: NDArray[np.int64]
    pairs: NDArray[np.int64]


def ordered_pairs(x: ArrayLike, y: ArrayLike) -> OrderedPairs:
    """How two vectors order the pairs of what both have.

    >>> pairs = ordered_pairs([1, 2, 3, np.nan], [1, 3, 2, 4])
    >>> int(pairs.concordant), int(pairs.discordant), int(pairs.pairs)
    (2, 1, 3)
    """
    x, y, present = _paired(x, y)
    length = np.asarray(present.sum(axis=-1, dtype=np.int64))
    if not present.shape[-1]:
        return OrderedPairs(length, length, length, length, length, length)
    absent = present.shape[-1] - length
    if absent.any():
        # Absent ones are about to be the lowest of all, which −∞ would tie with.
        x, y = (
            np.where(present, mean_ranks(scores), np.nan) if np.isneginf(scores).any() else scores for scores in (x, y)
        )
    counts = rank_correlation.count_pairs(x, y)
    # Absent on both sides: tied with each other in both, and below all others in both.
    concordant = counts.concordant - absent * length
    tied_x, tied_y = (tied - absent * (absent - 1) // 2 for tied in (counts.tied_x, counts.tied_y))
    pairs = length * (length - 1) // 2
    tied_both = concordant + counts.discordant - pairs + tied_x + tied_y
    return OrderedPairs(concordant, counts.discordant, tied_x, tied_y, tied_both, pairs)


def kendall_b(x: ArrayLike, y: ArrayLike) -> Scores:
    """Kendall's tau-b.

    >>> round(float(kendall_b([1, 2, 3, 3, np.nan], [1, 3, 2, 4, 0])), 4)
    0.5477
    """
    found = ordered_pairs(x, y)
    untied_x, untied_y = (found.pairs - tied.astype(np.float64) for tied in (found.tied_x, found.tied_y))
    return divide(found.concordant - found.discordant, np.sqrt(untied_x * untied_y))


def kendall_a(x: ArrayLike, y: ArrayLike) -> Scores:
    """Kendall's tau-a: ties count as neither concordant nor discordant."""
    found = ordered_pairs(x, y)
    constant = (found.tied_x == found.pairs) | (found.tied_y == found.pairs)
    return divide(found.concordant - found.discordant, np.where(constant, 0, found.pairs))


def kendall_c(x: ArrayLike, y: ArrayLike) -> Scores:
    """Stuart's tau-c: 2 (P − Q) / (L² (m − 1) / m), m the smaller number of distinct scores."""
    found = ordered_pairs(x, y)
    x, y, present = _paired(x, y)
    length = present.sum(axis=-1)
    levels = np.minimum(_distinct(x), _distinct(y))
    return divide(2 * (found.concordant - found.discordant) * levels, length * length * (levels - 1))


def pairwise_accuracy(x: ArrayLike, y: ArrayLike) -> Scores:
    """Share of pairs that both order alike, or both tie (acc-eq without a threshold; Deutsch, Foster & Freitag 2023).

    Defined for a constant vector, too: it agrees with the ties of the other.
    """
    found = ordered_pairs(x, y)
    return divide(found.concordant + found.tied_both, found.pairs)


def pearson(x: ArrayLike, y: ArrayLike) -> Scores:
    """Pearson's r."""
    x, y, present = _paired(x, y)
    if x.shape[-1] < 2:
        return np.full(x.shape[:-1], np.nan)
    if present.all():
        return rank_correlation.pearson(x, y)
    with np.errstate(invalid="ignore"):
        dx, dy = _deviations(x, present), _deviations(y, present)
        constant = _constant(x, present) | _constant(y, present)
        spread = np.sqrt((dx * dx).sum(axis=-1) * (dy * dy).sum(axis=-1))
        return np.clip(divide((dx * dy).sum(axis=-1), np.where(constant, 0.0, spread)), -1.0, 1.0)


def spearman(x: ArrayLike, y: ArrayLike) -> Scores:
    """Spearman's rho: Pearson's r of mean ranks, among what both have."""
    x, y, present = _paired(x, y)
    # NaN ranks last, so the ranks of the others are among themselves.
    return pearson(*(np.where(present, mean_ranks(scores), np.nan) for scores in (x, y)))


COEFFICIENTS: dict[str, Coefficient] = {
    "pearson": pearson,
    "spearman": spearman,
    "kendall-b": kendall_b,
    "kendall-c": kendall_c,
    "kendall-a": kendall_a,
    "pairwise-accuracy": pairwise_accuracy,
}
"""By the names of the command line."""

LEVELS = ("system", "item", "global", "by-system")
"""What is correlated: means of systems; systems on each item; all cells; items of each system."""


@dataclass(frozen=True)
class AtLevel:
    """Correlations at a level, each (...).

    values: NaN where undefined. units: what a value stands on: systems (`system`), cells (`global`), or the items
    (`item`) or systems (`by-system`) whose coefficients it averages. left_out: systems or cells that lack a score, or
    items or systems whose coefficient is undefined.
    """

    values: Scores
    units: NDArray[np.int64]
    left_out: NDArray[np.int64]


def at_level(x: Scores, y: Scores, *, level: str, coefficient: str) -> AtLevel:
    """Correlation of scores of the same systems and items at a level.

    x, y: (..., S, N), NaN where missing; leading axes broadcast. level: one of `LEVELS`. coefficient: a name of
    `COEFFICIENTS`. At `system`, a mean runs over the items of that system that both have.

    >>> x, y = np.array([[1.0, 2, 3], [3, 1, 2]]), np.array([[2.0, 2, 1], [4, 1, 9]])
    >>> round(float(at_level(x, y, level="item", coefficient="kendall-b").values), 4)
    0.3333
    """
    of_x, of_y = level_vectors(x, y, level=level)
    values = COEFFICIENTS[coefficient](of_x, of_y)
    if level in {"system", "global"}:
        present = ~np.isnan(of_x) & ~np.isnan(of_y)
        units = np.asarray(present.sum(axis=-1, dtype=np.int64))
        return AtLevel(values, units, present.shape[-1] - units)
    units = np.asarray((~np.isnan(values)).sum(axis=-1, dtype=np.int64))
    return AtLevel(defined_mean(values, axis=-1), units, values.shape[-1] - units)


def level_vectors(x: Scores, y: Scores, *, level: str) -> tuple[Scores, Scores]:
    """What is correlated at a level: x and y (..., S, N) as (..., L), or (..., V, L) where V values are averaged."""
    if level == "system":
        x, y, present = _paired(x, y)
        items = present.sum(axis=-1)
        return divide(np.where(present, x, 0.0).sum(axis=-1), items), divide(
            np.where(present, y, 0.0).sum(axis=-1), items
        )
    if level == "global":
        return x.reshape(*x.shape[:-2], -1), y.reshape(*y.shape[:-2], -1)
    if level == "item":
        return x.swapaxes(-1, -2), y.swapaxes(-1, -2)
    if level == "by-system":
        return x, y
    raise ValueError(f"level {level!r} is none of {', '.join(LEVELS)}")


@dataclass(frozen=True)
class TieAccuracy:
    """accuracy: the share of pairs ordered or tied alike, averaged over the vectors. epsilon: differences of the metric
    up to it are ties. vectors: how many have a pair. All NaN, and 0, where none has one.
    """

    accuracy: float
    epsilon: float
    vectors: int


def tie_calibrated_accuracy(metric: Scores, human: Scores, *, epsilon: float | None = None) -> TieAccuracy:
    """acc-eq: pairwise accuracy where the metric ties whatever differs by no more than a threshold.

    Deutsch, Foster & Freitag (2023), 'Ties Matter'. The threshold, 0 or a difference of two scores of the metric in
    one vector, is the one with the highest accuracy averaged over the vectors, the smallest of equally good ones.
    metric, human: (V, L), NaN where missing. epsilon: a threshold found elsewhere, to be used instead.

    >>> tie_calibrated_accuracy(np.array([[0.1, 0.2, 0.9]]), np.array([[1.0, 1.0, 2.0]]))
    TieAccuracy(accuracy=1.0, epsilon=0.1, vectors=1)
    """
    length = (~np.isnan(metric) & ~np.isnan(human)).sum(axis=-1)
    vectors = int((length > 1).sum())
    if not vectors:
        return TieAccuracy(np.nan, np.nan, 0)
    # Every pair of a vector weighs as much as the vector's share of the average.
    weight = divide(1.0, length * (length - 1) / 2 * vectors, undefined=0.0)
    right = float(np.nansum(pairwise_accuracy(metric, human)) / vectors)
    # A tie is right where the human tied: only such pairs can make a threshold better, and only what was right before
    # can make it worse.
    gain, gained = (np.concatenate(parts) for parts in zip(*_pairs(metric, human, weight, tied=True), strict=True))
    if epsilon is None:
        thresholds, number = np.unique(gain, return_inverse=True)
    else:
        thresholds, number = np.array([epsilon]), np.where(gain <= epsilon, 0, 1)
    change = np.bincount(number, gained, minlength=len(thresholds) + 1).astype(np.float64)
    for loss, lost in _pairs(metric, human, weight, tied=False):
        # Sorted ones are looked up in far less time.
        order = np.argsort(loss)
        place = np.searchsorted(thresholds, loss[order], side="left")
        change -= np.bincount(place, lost[order], minlength=len(thresholds) + 1)
    accuracy = right + np.cumsum(change[:-1])
    if epsilon is not None:
        return TieAccuracy(float(accuracy[0]), epsilon, vectors)
    accuracy = np.concatenate([[right], accuracy])
    best = int(np.argmax(accuracy >= accuracy.max() - 1e-12))
    return TieAccuracy(float(accuracy[best]), float(np.concatenate([[0.0], thresholds])[best]), vectors)


def _pairs(metric: Scores, human: Scores, weight: Scores, *, tied: bool) -> Iterator[tuple[Scores, Scores]]:
    """Differences of the metric and weights, block by block, of the pairs it does not tie: those that the human
    tied, or those that both order alike.
    """
    vectors, length = metric.shape
    rows = max(1, PAIRS_TOGETHER // max(1, vectors * length))
    for begin in range(0, length, rows):
        end = min(begin + rows, length)
        with np.errstate(invalid="ignore"):
            of_metric, of_human = (
                scores[:, np.newaxis, begin:] - scores[:, begin:end, np.newaxis] for scores in (metric, human)
            )
        later = np.arange(begin, length) > np.arange(begin, end)[:, np.newaxis]
        kept = (of_human == 0) & (np.abs(of_metric) > 0) if tied else of_metric * np.sign(of_human) > 0
        kept &= later
        yield np.abs(of_metric[kept]), np.repeat(weight, np.count_nonzero(kept, axis=(1, 2)))


def sign_flip_p(scores: Scores, signs: NDArray[np.integer]) -> Scores:
    """One-sided p that the first system of each pair is no better than the second, by flips of the items' differences.

    scores: (..., S, N), NaN where missing; a pair is compared on the items both have. signs: (R, N) of 1 and −1.
    Returns (..., P), (k + 1) / (R + 1), pairs as in `numpy.triu_indices(S, 1)`; NaN where a pair has no item.
    """
    one, other = np.triu_indices(scores.shape[-2], 1)
    difference = scores[..., one, :] - scores[..., other, :]
    missing = np.isnan(difference)
    difference = np.where(missing, 0.0, difference)
    # Sums that are equal but for rounding count as reached.
    observed = difference.sum(axis=-1) - 1e-12 * np.abs(difference).sum(axis=-1)
    reached = np.zeros(observed.shape, dtype=np.int64)
    together = max(1, SIGNS_TOGETHER // max(1, observed.size))
    for begin in range(0, len(signs), together):
        flipped = difference @ signs[begin : begin + together].T.astype(np.float64)
        reached += (flipped >= observed[..., np.newaxis]).sum(axis=-1)
    return np.where(missing.all(axis=-1), np.nan, (reached + 1) / (len(signs) + 1))


def soft_pairwise_accuracy(p_metric: Scores, p_human: Scores) -> Scores:
    """1 less the mean distance of the two p-values of a pair of systems (Thompson, Mathur, Deutsch & Khayrallah 2024).

    p_metric, p_human: (..., P), of `sign_flip_p` with the same signs; pairs with NaN are left out. Returns (...).
    """
    return 1 - defined_mean(np.abs(p_metric - p_human), axis=-1)


def _paired(x: ArrayLike, y: ArrayLike) -> tuple[Scores, Scores, NDArray[np.bool_]]:
    """Broadcast together, NaN in both where either is, and where neither is."""
    x, y = np.broadcast_arrays(np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64))
    present = ~(np.isnan(x) | np.isnan(y))
    if present.all():
        return x, y, present
    return np.where(present, x, np.nan), np.where(present, y, np.nan), present


def _deviations(scores: Scores, present: NDArray[np.bool_]) -> Scores:
    """From the mean of those present; 0 for the others."""
    mean = divide(np.where(present, scores, 0.0).sum(axis=-1), present.sum(axis=-1))
    return np.where(present, scores - mean[..., np.newaxis], 0.0)


def _constant(scores: Scores, present: NDArray[np.bool_]) -> NDArray[np.bool_]:
    lowest = np.where(present, scores, np.inf).min(axis=-1)
    constant: NDArray[np.bool_] = lowest == np.where(present, scores, -np.inf).max(axis=-1)
    return constant


def _distinct(scores: Scores) -> NDArray[np.int64]:
    """How many different scores there are, NaN not counted; at least 1."""
    ordered = np.sort(scores, axis=-1)
    here, following = ordered[..., :-1], ordered[..., 1:]
    return np.asarray(1 + ((here != following) & ~np.isnan(following)).sum(axis=-1, dtype=np.int64))
