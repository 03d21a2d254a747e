"""Which systems are better than which? p-values corrected for how many there are, ranks with intervals, tiers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from metaeval.stats.correlation_tests import holm
from metaeval.stats.intervals import percentile_interval
from metaeval.stats.pairs import ABSOLUTE_TOLERANCE, RELATIVE_TOLERANCE

Numbers = NDArray[np.float64]


def adjusted(p: Numbers, *, adjust: str) -> Numbers:
    """p-values corrected for how many there are; NaN stays NaN and counts for nothing.

    adjust: 'holm' keeps the chance of any false difference below the level, 'bh' (Benjamini & Hochberg 1995) the share
    of false ones among those found, 'none' neither.

    >>> adjusted(np.array([0.01, 0.04, np.nan]), adjust="holm").tolist()
    [0.02, 0.04, nan]
    """
    known = ~np.isnan(p)
    found = np.full(p.shape, np.nan)
    if known.any():
        found[known] = CORRECTIONS[adjust](p[known])
    return found


def _share_of_false_ones(p: Numbers) -> Numbers:
    from scipy.stats import false_discovery_control

    return np.asarray(false_discovery_control(p))


CORRECTIONS: dict[str, Callable[[Numbers], Numbers]] = {"holm": holm, "bh": _share_of_false_ones, "none": np.copy}


@dataclass(frozen=True)
class Ranks:
    """Places of systems under a measure, 1 the best; ties share the mean place.

    place: on all items. low, high: the middle 95 % of resamples; all (S,).
    """

    place: Numbers
    low: Numbers
    high: Numbers


def rank_intervals(scores: Numbers, drawn: Numbers) -> Ranks:
    """Places of systems and where they lie in resamples of the items.

    scores: oriented, (S,). drawn: (B, S). A system whose score is undefined comes last.

    >>> found = rank_intervals(np.array([0.9, 0.5]), np.array([[0.8, 0.5], [0.7, 0.75]]))
    >>> found.place.tolist(), found.low.tolist()
    ([1.0, 2.0], [1.025, 1.025])
    """
    low, high = percentile_interval(mean_places(drawn))
    return Ranks(mean_places(scores[np.newaxis])[0], low, high)


def mean_places(scores: Numbers) -> Numbers:
    """Places from 1, the highest first, along the last axis; ties share their mean, NaN comes last."""
    from scipy.stats import rankdata

    return np.asarray(rankdata(-np.where(np.isnan(scores), -np.inf, scores), method="average", axis=-1))


def tiers(scores: Numbers, different: NDArray[np.bool_]) -> list[int]:
    """Tiers of systems, 1 the best: a system opens a new one when it differs from the best of the tier above it.

    Systems with equal scores are in one tier, so that it does not matter in which order they come: they open a new one
    when any of them differs from any of the best.
    scores: oriented, (S,); NaN comes last. different: (S, S), symmetric.

    >>> tiers(np.array([0.9, 0.8, 0.2]), np.array([[0, 0, 1], [0, 0, 1], [1, 1, 0]], dtype=bool))
    [1, 1, 2]
    """
    height = np.where(np.isnan(scores), -np.inf, scores)
    order = np.argsort(-height, kind="stable")
    above, below = height[order[:-1]], height[order[1:]]
    best, *others = np.split(
        order, 1 + np.flatnonzero(below < above - RELATIVE_TOLERANCE * np.abs(above) - ABSOLUTE_TOLERANCE)
    )
    tier_of, tier = np.ones(len(scores), dtype=np.intp), 1
    for alike in others:
        if different[np.ix_(best, alike)].any():
            best, tier = alike, tier + 1
        tier_of[alike] = tier
    return tier_of.tolist()
