"""Differences of correlations of system means after random swaps, by several coefficients of the same means."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from metaeval.arrays import Scores
from metaeval.grid import round_to_grid
from metaeval.stats._arrays import signs_against
from metaeval.stats._swaps.products import Group
from metaeval.stats.association import COEFFICIENTS, mean_scores
from metaeval.stats.rank import mean_ranks
from metaeval.stats.ratio import divide

BY_COMPARISON = ("kendall-b", "spearman")
"""Coefficients that are sums over comparisons of the systems."""

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
    compared: dict[str, Scores] = {}
    if len(human) <= COMPARE_UP_TO and not set(BY_COMPARISON).isdisjoint(coefficients):
        present = ~np.isnan(human)
        compared = _by_comparison(means[present], human[present])
    return np.stack(
        [compared[name] if name in compared else COEFFICIENTS[name](means.T, human).T for name in coefficients]
    )


def _by_comparison(means: Scores, human: Scores) -> dict[str, Scores]:
    """Kendall's tau-b and Spearman's rho of means (S, P, R), by one comparison of every two systems."""
    order = np.argsort(-human, kind="stable")
    values, human = means[order].reshape(len(human), -1), human[order]
    balance, untied = np.zeros((2, values.shape[1]), dtype=np.int64)
    # Twice the ranks less their mean.
    ranks = np.zeros(values.shape, dtype=np.int16)
    for first, score in enumerate(human[:-1]):
        signs = signs_against(values, first)
        untied += np.count_nonzero(signs, axis=0)
        balance -= np.add.reduce(signs[human[first + 1 :] < score], axis=0, dtype=np.int16)
        ranks[first + 1 :] += signs
        ranks[first] -= np.add.reduce(signs, axis=0, dtype=np.int16)
    of_human = 2 * mean_ranks(human) - (len(human) + 1)
    untied_human = float((human[:, np.newaxis] > human).sum())
    doubled = ranks.astype(np.float64)
    squares: Any = np.einsum("sk,sk->k", doubled, doubled)
    found = {
        "kendall-b": divide(balance, np.sqrt(untied * untied_human)),
        "spearman": divide(of_human @ doubled, np.sqrt(squares * (of_human**2).sum())),
    }
    return {name: each.reshape(means.shape[1:]) for name, each in found.items()}
