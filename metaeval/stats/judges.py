"""The alternative annotator test of Calderon, Reichart & Dror (2025): can a judge replace human annotators?

Each annotator in turn is left out, and the test compares how close the judge and this annotator are to the others. The
judge has an allowance ε, because it is cheaper than human annotators.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from metaeval.arrays import Bools, Floats, Indices
from metaeval.errors import refuse, wrong_count
from metaeval.stats.intervals import defined_mean
from metaeval.stats.ratio import divide

EPSILON = {"experts": 0.2, "skilled": 0.15, "crowd": 0.1}
"""Allowance for the judge by type of annotators."""

MIN_UNITS_OF_T_TEST = 30
"""Minimum number of units for the t-test; annotators with fewer are left out.

For these, the authors recommend Wilcoxon's signed-rank test, which is a test of the median: with many ties, its error
rate at level 0.05 is about 0.25 for 12 units. The error rate of the t-test for such skewed differences is 0.13 for 30
units and 0.06 for 300.
"""

FALSE_DISCOVERIES = 0.05
"""False discovery rate over the annotators."""

MIN_CLUSTERS = 10
"""Minimum number of clusters: of fewer, too many combinations of signs reach even the lowest sum."""

PASSING = 0.5
"""Minimum winning rate to pass."""

_ROUNDING = 1e-12

Clusters: TypeAlias = tuple[Indices, Floats]
"""The cluster of each unit, (U,), all numbers from 0 on, and random signs of the clusters, (T, G)."""

Closest: TypeAlias = tuple[Bools, Bools]
"""Where the judge, and where the annotator, is at least as close to the others as the other one is, (..., A, U)."""


@dataclass(frozen=True)
class AlternativeAnnotators:
    """Results of the test for each judge, (...), against each annotator, (..., A).

    Attributes
    ----------
    winning_rate
        ω, the share of the tested annotators whose null hypothesis is rejected, (...); NaN if none is tested.
    passes
        Whether ω is at least ½, (...).
    advantage
        ρ, the mean of `judge_rate` over the tested annotators, (...).
    judge_rate
        Share of units where the judge is at least as close to the others as the annotator, (..., A).
    annotator_rate
        Share of units where the annotator is at least as close to the others as the judge, (..., A).
    p
        p-value of the null hypothesis annotator_rate − judge_rate ≥ ε, (..., A); NaN for too few units or clusters.
    wins
        Whether it is rejected, with control of the false discovery rate over the annotators, (..., A).
    units
        Number of units compared, (..., A).
    samples
        Number of clusters that they are in, (..., A); of units without clusters.
    left_out
        Number of annotators that are not tested, (...).
    """

    winning_rate: Floats
    passes: Bools
    advantage: Floats
    judge_rate: Floats
    annotator_rate: Floats
    p: Floats
    wins: Bools
    units: Indices
    samples: Indices
    left_out: Indices


def alternative_annotator_test(
    judges: ArrayLike,
    ratings: ArrayLike,
    *,
    alignment: Literal["accuracy", "rmse"],
    epsilon: float = EPSILON["experts"],
    clusters: Clusters | None = None,
) -> AlternativeAnnotators:
    """Test whether judges represent the annotators as well as one of the annotators represents the others.

    The units of an annotator are those rated by them, the judge and another annotator; annotators with fewer than 30
    are not tested. The differences between annotator and judge are tested by the t-test, with the procedure of
    Benjamini and Yekutieli over the tested annotators. Units in clusters are tested by random signs of the sums over
    the clusters instead.

    Parameters
    ----------
    judges : array_like (..., U)
        Ratings of judges, NaN where missing; leading axes broadcast with those of `ratings`.
    ratings : array_like (..., A, U)
        Ratings of annotators, NaN where missing.
    alignment
        Closeness to the other annotators on a unit: the share of equal ratings (accuracy, for codes of labels), or the
        negative root mean squared difference (rmse, for numbers).
    epsilon
        Allowance for the judge, from 0 to 1.
    clusters
        Clusters of the units; by default every unit is independent of the others.

    Raises
    ------
    InputError
        For fewer than two annotators.

    Examples
    --------
    >>> random = np.random.default_rng(0)
    >>> truth = random.integers(3, size=60)
    >>> noisy = np.where(random.random((4, 60)) < 0.3, random.integers(3, size=(4, 60)), truth)
    >>> test = alternative_annotator_test([truth, np.zeros(60)], noisy, alignment="accuracy")
    >>> test.passes.tolist(), test.winning_rate.tolist()
    ([True, False], [1.0, 0.0])
    """
    ratings, judges = np.asarray(ratings, dtype=np.float64), np.asarray(judges, dtype=np.float64)[..., np.newaxis, :]
    if ratings.shape[-2] < 2:
        reason = " or more, because annotators are compared with each other"
        raise refuse(None, wrong_count(ratings.shape[-2], "annotator", 2, reason))
    rated = ~np.isnan(ratings)
    compared = rated & ~np.isnan(judges) & (rated.sum(axis=-2, keepdims=True) >= 2)
    from_judge, from_annotator = _distances(judges, ratings, squared=alignment == "rmse")
    tolerance = _ROUNDING * (from_judge + from_annotator)
    # Where the judge is at least as close to the others as the annotator, and the reverse.
    close = compared & (from_judge <= from_annotator + tolerance), compared & (from_annotator <= from_judge + tolerance)
    samples, p = _tests(close, compared, epsilon, clusters)
    units = np.asarray(compared.sum(axis=-1))
    judge_rate, annotator_rate = (divide(is_close.sum(axis=-1), units) for is_close in close)
    tested = ~np.isnan(p)
    wins = benjamini_yekutieli(p, rate=FALSE_DISCOVERIES)
    winning_rate = divide(wins.sum(axis=-1), tested.sum(axis=-1))
    return AlternativeAnnotators(
        winning_rate=winning_rate,
        passes=np.asarray(winning_rate >= PASSING),
        advantage=defined_mean(np.where(tested, judge_rate, np.nan), axis=-1),
        judge_rate=judge_rate,
        annotator_rate=annotator_rate,
        p=p,
        wins=wins,
        units=units,
        samples=samples,
        left_out=np.asarray((~tested).sum(axis=-1)),
    )


def _tests(close: Closest, compared: Bools, epsilon: float, clusters: Clusters | None) -> tuple[Indices, Floats]:
    """Number of clusters or units, and p-values, NaN where these or the units are too few, (..., A)."""
    units = np.asarray(compared.sum(axis=-1))
    # Units where only the annotator, or only the judge, is at least as close.
    worse, better = (~is_close & compared for is_close in close)
    if clusters is None:
        p = _t_test(np.asarray(worse.sum(axis=-1)), np.asarray(better.sum(axis=-1)), units, epsilon)
        return units, np.where(units >= MIN_UNITS_OF_T_TEST, p, np.nan)
    in_clusters = _sums(compared.astype(np.float64), clusters[0])
    samples = np.asarray((in_clusters > 0).sum(axis=-1))
    p = _random_signs(_sums(worse.astype(np.float64) - better, clusters[0]) - epsilon * in_clusters, clusters[1])
    return samples, np.where((units >= MIN_UNITS_OF_T_TEST) & (samples >= MIN_CLUSTERS), p, np.nan)


def benjamini_yekutieli(p: ArrayLike, *, rate: float) -> Bools:
    """Reject hypotheses at a false discovery rate under any dependence of the tests (Benjamini & Yekutieli 2001).

    The hypotheses of p_(1) ≤ … ≤ p_(k) are rejected, k being the largest with p_(k) ≤ k rate / (m Σ_i≤m 1/i).

    Parameters
    ----------
    p : array_like (..., m)
        p-values, with one family along the last axis, NaN where there is no test.
    rate
        False discovery rate, from 0 to 1.

    Returns
    -------
    array (..., m)

    Examples
    --------
    >>> benjamini_yekutieli([0.001, 0.04, 0.02, np.nan], rate=0.05).tolist()
    [True, False, False, False]
    """
    p = np.asarray(p, dtype=np.float64)
    number = np.arange(1, p.shape[-1] + 1)
    tests = (~np.isnan(p)).sum(axis=-1, keepdims=True)
    harmonic = np.concatenate([[0.0], np.cumsum(1 / number)])[tests]
    sorted_p = np.sort(p, axis=-1)
    is_below = sorted_p <= divide(number * rate, tests * harmonic)
    largest = np.where(is_below, sorted_p, -np.inf).max(axis=-1, keepdims=True, initial=-np.inf)
    return np.asarray(p <= largest)


def _distances(judges: Floats, ratings: Floats, *, squared: bool) -> tuple[Floats, Floats]:
    """Sums of the distances to the other annotators, of the judge and of the annotator, (..., A, U).

    Sums compare as means and roots of means do, because both have the same number of others.
    judges: (..., 1, U). ratings: (..., A, U).
    """
    others = 1 - np.eye(ratings.shape[-2])
    from_judge = others @ _distance(judges, ratings, squared=squared)
    distances = _distance(ratings[..., :, np.newaxis, :], ratings[..., np.newaxis, :, :], squared=squared)
    return from_judge, distances.sum(axis=-2)


def _distance(one: Floats, other: Floats, *, squared: bool) -> Floats:
    """(a − b)², or [a ≠ b]; 0 for missing ratings."""
    difference = np.nan_to_num(one - other)
    return np.asarray(difference**2 if squared else (difference != 0).astype(np.float64))


def _t_test(worse: Indices, better: Indices, units: Indices, epsilon: float) -> Floats:
    """One-sided p-value of a mean difference of at least ε; 0 or 1 if all differences are equal."""
    from scipy.special import stdtr

    mean = divide(worse - better, units)
    squares = np.maximum(worse + better - units * mean**2, 0.0)
    # Rounding errors may prevent the squares of equal differences from cancelling.
    varies = (worse < units) & (better < units) & (worse + better > 0)
    t = divide(mean - epsilon, np.sqrt(np.where(varies, divide(squares, units * (units - 1)), 0.0)))
    return np.asarray(np.where(varies, stdtr(np.maximum(units - 1, 1), t), mean >= epsilon))


def _sums(values: Floats, clusters: Indices) -> Floats:
    """Sums over the units of each cluster, (..., U) to (..., G)."""
    order = np.argsort(clusters, kind="stable")
    starts = np.searchsorted(clusters[order], np.arange(clusters.max() + 1))
    return np.asarray(np.add.reduceat(values[..., order], starts, axis=-1))


def _random_signs(sums: Floats, signs: Floats) -> Floats:
    """One-sided p-value of sums over clusters, (..., G), that would have random signs if the expected sum were 0."""
    total, size = sums.sum(axis=-1), np.abs(sums).sum(axis=-1)
    by_chance = np.tensordot(signs, sums, axes=([1], [-1]))
    extreme_counts = (by_chance <= total + 1e-9 * size).sum(axis=0)
    return np.asarray((extreme_counts + 1) / (len(signs) + 1))
