"""Pairwise accuracy with calibrated ties, and soft pairwise accuracy from p-values."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from metaeval.stats.association import Scores, pairwise_accuracy
from metaeval.stats.intervals import defined_mean
from metaeval.stats.ratio import divide

PAIRS_TOGETHER = 1 << 20
"""Maximum number of pairs in memory."""

SIGNS_TOGETHER = 1 << 22
"""Maximum number of sums with flipped signs in memory."""


@dataclass(frozen=True)
class TieAccuracy:
    """Pairwise accuracy with calibrated ties.

    Attributes
    ----------
    accuracy
        Mean over the vectors of the share of pairs that both order in the same way or both tie; NaN without pairs.
    epsilon
        Threshold up to which differences of the metric are ties; NaN without pairs.
    vectors
        Number of vectors that have a pair.
    """

    accuracy: float
    epsilon: float
    vectors: int


def tie_calibrated_accuracy(metric: Scores, human: Scores) -> TieAccuracy:
    """acc-eq of Deutsch, Foster & Freitag (2023): pairwise accuracy with ties up to a threshold of the metric.

    The threshold is the smallest one with the highest mean accuracy over the vectors, among 0 and all differences of
    two scores of the metric in one vector.

    Parameters
    ----------
    metric, human : array (V, L)
        Scores, NaN where missing.

    Examples
    --------
    >>> tie_calibrated_accuracy(np.array([[0.1, 0.2, 0.9]]), np.array([[1.0, 1.0, 2.0]]))
    TieAccuracy(accuracy=1.0, epsilon=0.1, vectors=1)
    """
    length = (~np.isnan(metric) & ~np.isnan(human)).sum(axis=-1)
    vectors = int((length > 1).sum())
    if not vectors:
        return TieAccuracy(np.nan, np.nan, 0)
    # All pairs of a vector share its weight in the mean.
    weight = divide(1.0, length * (length - 1) / 2 * vectors, undefined=0.0)
    right = float(np.nansum(pairwise_accuracy(metric, human)) / vectors)
    # A larger threshold gains pairs with tied human scores and loses pairs that were ordered correctly.
    gain, gained = (np.concatenate(parts) for parts in zip(*_pairs(metric, human, weight, tied=True), strict=True))
    thresholds, number = np.unique(gain, return_inverse=True)
    change = np.bincount(number, gained, minlength=len(thresholds) + 1).astype(np.float64)
    for loss, lost in _pairs(metric, human, weight, tied=False):
        # Looking up sorted values is much faster.
        order = np.argsort(loss)
        position = np.searchsorted(thresholds, loss[order], side="left")
        change -= np.bincount(position, lost[order], minlength=len(thresholds) + 1)
    accuracy = np.concatenate([[right], right + np.cumsum(change[:-1])])
    best = int(np.argmax(accuracy >= accuracy.max() - 1e-12))
    return TieAccuracy(float(accuracy[best]), float(np.concatenate([[0.0], thresholds])[best]), vectors)


def _pairs(metric: Scores, human: Scores, weight: Scores, *, tied: bool) -> Iterator[tuple[Scores, Scores]]:
    """Absolute differences and weights, in blocks, of pairs that only the human scores tie, or both order equally."""
    vectors, length = metric.shape
    rows = max(1, PAIRS_TOGETHER // max(1, vectors * length))
    for begin in range(0, length, rows):
        end = min(begin + rows, length)
        with np.errstate(invalid="ignore"):
            of_metric, of_human = (
                scores[:, np.newaxis, begin:] - scores[:, begin:end, np.newaxis] for scores in (metric, human)
            )
        later = np.arange(begin, length) > np.arange(begin, end)[:, np.newaxis]
        selected = (of_human == 0) & (np.abs(of_metric) > 0) if tied else of_metric * np.sign(of_human) > 0
        selected &= later
        yield np.abs(of_metric[selected]), np.repeat(weight, np.count_nonzero(selected, axis=(1, 2)))


def sign_flip_p(scores: Scores, signs: NDArray[np.integer]) -> Scores:
    """One-sided p-values of the null hypothesis that the first system of a pair is not better than the second.

    The test flips the signs of the differences on the items that both systems have.

    Parameters
    ----------
    scores : array (..., S, N)
        Scores of systems on items, higher better, NaN where missing.
    signs : array (R, N)
        Signs, 1 or −1, with one row for each resample.

    Returns
    -------
    array (..., P)
        (k + 1) / (R + 1) for the pairs of `numpy.triu_indices(S, 1)`; NaN for a pair without items.
    """
    one, other = np.triu_indices(scores.shape[-2], 1)
    difference = scores[..., one, :] - scores[..., other, :]
    missing = np.isnan(difference)
    difference = np.where(missing, 0.0, difference)
    # Sums that are equal up to rounding errors count.
    observed = difference.sum(axis=-1) - 1e-12 * np.abs(difference).sum(axis=-1)
    reached = np.zeros(observed.shape, dtype=np.int64)
    together = max(1, SIGNS_TOGETHER // max(1, observed.size))
    for begin in range(0, len(signs), together):
        flipped = difference @ signs[begin : begin + together].T.astype(np.float64)
        reached += (flipped >= observed[..., np.newaxis]).sum(axis=-1)
    return np.where(missing.all(axis=-1), np.nan, (reached + 1) / (len(signs) + 1))


def soft_pairwise_accuracy(p_metric: Scores, p_human: Scores) -> Scores:
    """1 − the mean absolute difference of two p-values (Thompson, Mathur, Deutsch & Khayrallah 2024).

    Parameters
    ----------
    p_metric, p_human : array (..., P)
        p-values from `sign_flip_p` with the same signs; pairs with NaN are left out.

    Returns
    -------
    array (...)
        From 0 to 1.
    """
    return 1 - defined_mean(np.abs(p_metric - p_human), axis=-1)
