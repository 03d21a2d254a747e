"""How much the correlations of system scores with human scores rest on single systems."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from metaeval.stats.association import Coefficient, complete, largest_scores, mean_scores, means_on_grid
from metaeval.stats.intervals import defined_mean

Scores = NDArray[np.float64]
Truth = NDArray[np.bool_]

CUTOFF = 2.5
"""Distance from the median, in deviations, above which a system is an outlier (Mathur et al. 2020)."""

NORMAL = 1.483
"""The deviation of a normal distribution in units of its median absolute deviation."""


@dataclass(frozen=True)
class Influence:
    """Correlations without some of S systems.

    without: each system, (S, M). outliers: systems whose human scores are outliers, (S,). without_outliers: (M,), NaN
    where there are none.
    """

    without: Scores
    outliers: Truth
    without_outliers: Scores


def influence_of(human: Scores, values_without: Callable[[Truth], Scores]) -> Influence:
    """The influence of single systems, and of the outliers among them.

    human: (S, N). values_without: the values of the measures, (M,), without the systems of a mask, (S,).
    """
    systems = len(human)
    without = np.stack([values_without(np.arange(systems) == left_out) for left_out in range(systems)])
    outliers = outliers_of(mean_scores(human))
    of_others = values_without(outliers) if outliers.any() else np.full(without.shape[1], np.nan)
    return Influence(without, outliers, of_others)


def of_other_means(metric: Scores, human: Scores, correlate: Coefficient) -> Callable[[Truth], Scores]:
    """A function to the correlations of system means without some systems; metric, human: (M, S, N) and (S, N).

    The means of the others are the same; only the grid that they are on depends on the systems that are left.
    """
    x, y, _ = complete(metric, human)
    means = [(defined_mean(each, axis=-1), largest_scores(each)) for each in (x, y)]

    def without(left_out: Truth) -> Scores:
        left = ((mean[:, ~left_out], largest[:, ~left_out]) for mean, largest in means)
        return correlate(*(means_on_grid(mean, largest, x.shape[-1]) for mean, largest in left))

    return without


def outliers_of(scores: Scores) -> Truth:
    """Scores, (S,), that are more than `CUTOFF` deviations from the median, by the median absolute deviation."""
    distance = np.abs(scores - np.nanmedian(scores))
    return np.asarray(distance > CUTOFF * NORMAL * np.nanmedian(distance))
