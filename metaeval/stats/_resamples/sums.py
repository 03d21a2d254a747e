"""Pearson's r of resampled vectors, from sums over their entries."""

from __future__ import annotations

import numpy as np

from metaeval.arrays import Integers, Scores
from metaeval.stats._resamples.pairs import OfCounts
from metaeval.stats.ratio import divide

CANCELLED = 1e-6
"""Share of the sum of squares below which a sum of squared deviations is computed from the deviations."""

TOGETHER = 1 << 20
"""Maximum number of scores whose deviations are in memory."""


def pearson_sums(x: Scores, y: Scores) -> OfCounts:
    """Pearson's r of vectors x, (M, L, V), with y, (L, V), NaN in all where one is missing."""
    present = ~np.isnan(y)
    x, y = _centred(x), _centred(y)

    def of_counts(counts: Integers) -> Scores:
        weights = counts.astype(np.float64)
        number = weights @ (present[:, :1] if present.all() else present)
        share = divide(1.0, number, undefined=0.0)
        of_y, squares_y = weights @ y, weights @ (y * y)
        spread_y = squares_y - of_y * of_y * share
        inexact_y = spread_y < CANCELLED * squares_y
        values = np.empty((len(counts), len(x), y.shape[1]))
        for measure, own in enumerate(x):
            of_x, squares, product = weights @ own, weights @ (own * own), weights @ (own * y)
            spread = squares - of_x * of_x * share
            product -= of_x * of_y * share
            values[:, measure] = divide(product, np.sqrt(np.maximum(spread * spread_y, 0.0)))
            inexact = inexact_y | (spread < CANCELLED * squares)
            if inexact.any():
                indices = np.stack(np.nonzero(inexact & (number > 0)), axis=1)
                for begin in range(0, len(indices), max(1, TOGETHER // len(y))):
                    resample, vector = indices[begin : begin + max(1, TOGETHER // len(y))].T
                    drawn = weights[resample] * present[:, vector].T
                    values[resample, measure, vector] = _of_deviations(drawn, own[:, vector].T, y[:, vector].T)
        return np.clip(values, -1.0, 1.0, out=values)

    return of_counts


def _centred(scores: Scores) -> Scores:
    """Scores (..., L, V) minus their mean, exactly 0 where all are the same, and 0 where missing."""
    first = np.nan_to_num(np.take_along_axis(scores, np.isnan(scores).argmin(axis=-2)[..., np.newaxis, :], axis=-2))
    scores = scores - first
    present = ~np.isnan(scores)
    mean = divide(np.where(present, scores, 0.0).sum(axis=-2), present.sum(axis=-2), undefined=0.0)
    return np.where(present, scores - mean[..., np.newaxis, :], 0.0)


def _of_deviations(weights: Scores, x: Scores, y: Scores) -> Scores:
    """Pearson's r (E,) of vectors (E, L) with weights (E, L)."""
    number = weights.sum(axis=1, keepdims=True)
    drawn = weights > 0
    constant, deviations = np.zeros(len(x), dtype=np.bool_), []
    for scores in (x, y):
        lowest, highest = np.where(drawn, scores, np.inf).min(axis=1), np.where(drawn, scores, -np.inf).max(axis=1)
        constant |= lowest == highest
        scores = scores - lowest[:, np.newaxis]
        deviations.append(scores - (weights * scores).sum(axis=1, keepdims=True) / number)
    of_x, of_y = deviations
    spread = np.sqrt((weights * of_x**2).sum(axis=1) * (weights * of_y**2).sum(axis=1))
    return divide((weights * of_x * of_y).sum(axis=1), np.where(constant, 0.0, spread))
