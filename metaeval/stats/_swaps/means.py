"""Differences of correlations of system means after random swaps, by several coefficients of the same means."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from metaeval.grid import round_to_grid
from metaeval.stats._swaps.forms import Scores
from metaeval.stats._swaps.products import Group
from metaeval.stats.association import COEFFICIENTS, mean_scores
from metaeval.stats.rank import mean_ranks
from metaeval.stats.ratio import divide

BY_COMPARISON = ("kendall-b", "spearman")
"""Coefficients of means without ties that are sums over comparisons of the systems."""

COMPARE_UP_TO = 64
"""Number of systems above which these are sorted."""


def differences_of_means(group: Group, coefficients: Sequence[str]) -> Callable[[Scores, Scores], Scores]:
    """A function from swaps (R, S, N), and signs, to differences of correlations of system means, (C, R, 1, P)."""
    cells, human = (~np.isnan(group.human)).sum(axis=1)[:, np.newaxis, np.newaxis], mean_scores(group.human)
    scores = np.nan_to_num(group.scores)
    half, whole = scores.transpose(1, 0, 2) / 2, scores.sum(axis=2).T[..., np.newaxis] / 2
    one, other = group.pairs.T
    # Means that are equal on paper tie.
    largest = np.abs(scores).max(axis=(1, 2), initial=0.0)
    unit = np.maximum(largest[one], largest[other])[:, np.newaxis]

    def differences(swaps: Scores, _: Scores) -> Scores:
        # (S, M, R)
        moved = half @ swaps.transpose(1, 2, 0)
        kept, swapped = (divide(sums, np.broadcast_to(cells, sums.shape)) for sums in (whole - moved, whole + moved))
        first, second = (
            _correlations(round_to_grid(means, unit), human, coefficients)
            for means in (kept[:, one] + swapped[:, other], swapped[:, one] + kept[:, other])
        )
        return (first - second).swapaxes(1, 2)[:, :, np.newaxis]

    return differences


def _correlations(means: Scores, human: Scores, coefficients: Sequence[str]) -> Scores:
    """Coefficients (C, P, R) of means (S, P, R) with human scores (S,), NaN where they are."""
    values = np.empty((len(coefficients), *means.shape[1:]))
    compared: dict[str, Scores] = {}
    if len(human) <= COMPARE_UP_TO and not set(BY_COMPARISON).isdisjoint(coefficients):
        present = ~np.isnan(human)
        compared, tied = _by_comparison(means[present], human[present])
    for own, coefficient in zip(values, coefficients, strict=True):
        correlate = COEFFICIENTS[coefficient]
        if coefficient in compared:
            own[:] = compared[coefficient]
            own[tied] = correlate(means[:, tied].T, human)
        else:
            own[:] = correlate(means.T, human).T
    return values


def _by_comparison(means: Scores, human: Scores) -> tuple[dict[str, Scores], NDArray[np.bool_]]:
    """Coefficients of means (S, P, R) without ties, and which have ties, (P, R)."""
    order = np.argsort(-human, kind="stable")
    means, human = np.ascontiguousarray(means[order]), human[order]
    concordant, tied = np.zeros(means.shape[1:], dtype=np.int64), np.zeros(means.shape[1:], dtype=np.bool_)
    lower = np.zeros(means.shape, dtype=np.uint8)
    for first, (own, human_score) in enumerate(zip(means[:-1], human[:-1], strict=True)):
        later = means[first + 1 :]
        higher = own > later
        tied |= (own == later).any(axis=0)
        lower[first] += _number(higher)
        lower[first + 1 :] += ~higher
        concordant += _number(higher[human[first + 1 :] < human_score])
    ranks = mean_ranks(human) - (len(human) + 1) / 2
    pairs = len(human) * (len(human) - 1) / 2
    untied = float((human[:, np.newaxis] > human).sum())
    of_ranks: Any = np.tensordot(ranks, lower.astype(np.float64), axes=1)
    spread = np.sqrt((ranks**2).sum() * (len(human) ** 3 - len(human)) / 12)
    return {
        "kendall-b": divide(2 * concordant - untied, np.sqrt(pairs * untied)),
        "spearman": divide(of_ranks, spread),
    }, tied


def _number(truth: NDArray[np.bool_]) -> NDArray[np.uint8]:
    return np.asarray(np.add.reduce(truth.view(np.uint8), axis=0, dtype=np.uint8))
