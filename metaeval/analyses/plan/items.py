"""How many items are enough, estimated from a pilot: how scores vary with the items, and how well that is known.

A system's score on n items varies around its true score like the scores of the pilot's resamples, √(N / n) times as
much. So a difference of two systems of z standard errors on the N items of the pilot is z √(n / N) on n items.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from metaeval.stats.intervals import percentile_interval
from metaeval.stats.pairs import all_pairs
from metaeval.stats.ratio import divide
from metaeval.stats.shrinkage import SCALES, SIZES, fit_weights, interpolation_weights, shrink

Numbers = NDArray[np.float64]

MAX_FACTOR = 16
"""Largest amount that is considered, as a multiple of the pilot; beyond it, extrapolation is unreliable."""

MAX_PAIRS = 10_000
"""Of more pairs of systems, an evenly spaced sample is used."""

STEPS = 128
"""Numbers of items between which the required one is interpolated."""

NO_DIFFERENCE = 1e-12
"""Smaller differences, relative to the largest score, are rounding errors."""


@dataclass(frozen=True)
class Requirement:
    """The amount that is enough for a goal, and the values of other amounts.

    needed, low, high: the amount and its 95 % interval; ∞ where the largest amount is not enough, NaN where nothing is
    known. now: the value of the pilot's amount. sizes: amounts, (K,); value, lows, highs: their values, with intervals.
    """

    needed: float
    low: float
    high: float
    now: float
    sizes: Numbers
    value: Numbers
    lows: Numbers
    highs: Numbers


def unknown(sizes: Numbers) -> Requirement:
    """A requirement where nothing is known."""
    nothing, nan = np.full(len(sizes), np.nan), float("nan")
    return Requirement(nan, nan, nan, nan, sizes, nothing, nothing, nothing)


def amounts(pilot: int, fewest: int) -> Numbers:
    """Amounts from a quarter of the pilot's to `MAX_FACTOR` times it, each about 1.4 times the one before, (K,)."""
    steps = np.geomspace(max(fewest, pilot / 4), max(fewest, MAX_FACTOR * pilot), 13)
    return np.unique(np.append(np.rint(steps), max(pilot, fewest))).astype(np.float64)


@dataclass(frozen=True)
class Pilot:
    """The differences of P pairs of systems in a pilot under one measure.

    items: N. systems: number of systems with a score in every jackknife sample. difference: (P,). deviation: of single
    items, so that its square over n is the variance of the difference on n items, (P,). shifts: changes of the
    differences in resamples of the pilot, (R, P). deviations: in these resamples, (R, P). Pairs without a difference on
    any item are left out.
    """

    items: int
    systems: int
    difference: Numbers
    deviation: Numbers
    shifts: Numbers
    deviations: Numbers

    @classmethod
    def of(cls, scores: Numbers, influence: Numbers, draws: NDArray[np.integer], *, items: int) -> Pilot:
        """A pilot from the influence of groups of items.

        scores: (S,), oriented. influence: of G groups, from `scoring.jackknife.influences`, (G, S). draws: number of
        times that each group is in each resample, (R, G). Systems with an undefined score are left out.
        """
        known = ~(np.isnan(scores) | np.isnan(influence).any(axis=0))
        scores, influence = scores[known], influence[:, known]
        pairs = all_pairs(len(scores))
        one, other = pairs[:: -(-len(pairs) // MAX_PAIRS) or 1].T
        difference, apart = scores[one] - scores[other], influence[:, one] - influence[:, other]
        deviation = _deviation(apart, np.ones((1, len(influence))), items)[0]
        rounding = NO_DIFFERENCE * np.abs(scores).max(initial=0.0)
        different = (np.abs(difference) > rounding) | (deviation > rounding)
        difference, deviation, apart = difference[different], deviation[different], apart[:, different]
        weights = draws.astype(np.float64)
        shifts, deviations = weights @ apart / items, _deviation(apart, weights, items)
        return cls(items, len(scores), difference, deviation, shifts, deviations)

    @cached_property
    def observed(self) -> Numbers:
        """The differences in standard errors, (P,)."""
        return self._in_errors(self.difference, self.deviation)

    def _in_errors(self, difference: Numbers, deviation: Numbers) -> Numbers:
        # A difference that never varies is certain.
        standardised = divide(difference * np.sqrt(self.items), deviation, undefined=np.inf)
        return np.clip(standardised, -SIZES[-1], SIZES[-1])

    @cached_property
    def true_differences(self) -> Numbers:
        """Draws of the true differences, in standard errors, with the distribution over all pairs as prior, (R, P)."""
        mean, spread = shrink(self.observed, fit_weights(self.observed[np.newaxis]))
        return mean + spread * self._errors

    @cached_property
    def likely_differences(self) -> Numbers:
        """The same if the prior, too, is uncertain, (R, P)."""
        # A resample of the pilot has the sampling error of both: it is as precise as a pilot of half the size.
        resampled = self._in_errors(self.difference + self.shifts, self.deviations) / np.sqrt(2)
        mean, spread = shrink(self.observed, fit_weights(resampled, scales=SCALES / np.sqrt(2)))
        certainty = divide(self.deviation, self.deviations, undefined=1.0)
        return (mean + spread * self._errors) * certainty

    @property
    def _errors(self) -> Numbers:
        return divide(self.shifts * np.sqrt(self.items), self.deviation, undefined=0.0)


def _deviation(influence: Numbers, weights: Numbers, items: int) -> Numbers:
    """Standard deviation of single items from sums over groups of them, with weights (R, G): (R, P)."""
    groups = len(influence)
    squares = (weights @ influence**2) / items
    mean = (weights @ influence) ** 2 / (items * groups)
    return np.sqrt(np.maximum(squares - mean, 0.0) * (groups / max(groups - 1, 1)))


def plan_ranking(pilot: Pilot, *, tau: float, sizes: Numbers) -> Requirement:
    """The number of items until the rankings on two test sets of that size have an expected tau of `tau`.

    The expected value is the mean of (2 Φ(δ √n / σ) − 1)² over the pairs of systems, because each test set orders a
    pair correctly with probability Φ. The differences δ are those of the pilot, shrunk by the part that is due to
    chance (see `stats.shrinkage`). Pairs without a difference on any item are ties, which tau-b leaves out.

    True scores are assumed to be independent draws, of which some are close together by chance, and such pairs decide
    on a high tau. Evenly spaced systems require fewer items. A prior over scores in place of differences would not
    change that: differences of normal and of uniform scores are equally often near 0 (densities of .282 and .289 times
    the inverse standard deviation of the scores).
    """
    fine = np.geomspace(2, max(MAX_FACTOR * pilot.items, 3), STEPS)
    everywhere = np.concatenate([fine, [pilot.items], sizes])
    if not len(pilot.difference):
        return unknown(sizes)
    value = np.median(_agreement(pilot.true_differences, pilot.items, everywhere), axis=0)
    lows, highs = percentile_interval(_agreement(pilot.likely_differences, pilot.items, everywhere))
    lows, highs = np.minimum(lows, value), np.maximum(highs, value)
    needed, high, low = (_first(fine, curve[:STEPS], tau) for curve in (value, lows, highs))
    shown = slice(STEPS + 1, None)
    return Requirement(needed, low, high, float(value[STEPS]), sizes, value[shown], lows[shown], highs[shown])


def _agreement(differences: Numbers, items: int, sizes: Numbers) -> Numbers:
    """Expected tau between the rankings on two test sets, for each row of differences and each size, (R, K)."""
    from scipy.special import ndtr

    right = ndtr(SIZES[:, np.newaxis] * np.sqrt(sizes / items))
    return np.asarray(interpolation_weights(differences) @ (2 * right - 1) ** 2)


def _first(sizes: Numbers, values: Numbers, goal: float) -> float:
    """The size at which an increasing curve reaches a goal, interpolated on a logarithmic scale; ∞ where it does not.

    >>> _first(np.array([1.0, 100.0]), np.array([0.0, 1.0]), 0.5)
    10.0
    """
    reached = np.flatnonzero(values >= goal)
    if not len(reached):
        return float("inf")
    place = int(reached[0])
    if place == 0:
        return float(sizes[0])
    share = (goal - values[place - 1]) / (values[place] - values[place - 1])
    return float(sizes[place - 1] * (sizes[place] / sizes[place - 1]) ** share)


def typical_difference(pilot: Pilot) -> float:
    """The median absolute difference of two systems; NaN where there is none.

    It is rounded to two digits, because the goal should be exactly the number that its text has.
    """
    if not len(pilot.difference):
        return float("nan")
    return float(f"{np.median(np.abs(pilot.difference)):.2g}")


def plan_difference(
    pilot: Pilot, *, delta: float, power: float, alpha: float, share: float = 0.5, sizes: Numbers
) -> Requirement:
    """The number of items until a paired two-sided test at `alpha` finds a difference of `delta` with that power.

    n = ((z_{1 − α/2} + z_power) σ / δ)² + z²_{1 − α/2} / 2, where the last term is a correction for the unknown σ
    (Guenther 1981). σ is the standard deviation of the difference of two systems on single items, at the quantile
    `share` of the pairs; for a measure that is not a mean, the standard deviation of the influence of an item.
    """
    from scipy.special import ndtr, ndtri

    if not len(pilot.difference) or not delta > 0:
        return unknown(sizes)
    critical = ndtri(1 - alpha / 2)
    factor = ((critical + ndtri(power)) / delta) ** 2
    spread = float(np.quantile(pilot.deviation, share))
    low, high = (float(bound) for bound in percentile_interval(np.quantile(pilot.deviations, share, axis=1)))
    low, high = min(low, spread), max(high, spread)

    def powers(deviation: float) -> Numbers:
        n = np.maximum(np.concatenate([[pilot.items], sizes]) - critical**2 / 2, 0.0)
        return np.asarray(ndtr(divide(delta * np.sqrt(n), deviation, undefined=np.inf) - critical))

    value, lows, highs = (powers(deviation) for deviation in (spread, high, low))
    required = factor * np.array([spread, low, high]) ** 2 + critical**2 / 2
    needed, least, most = np.where(required <= MAX_FACTOR * pilot.items, required, np.inf).tolist()
    return Requirement(needed, least, most, float(value[0]), sizes, value[1:], lows[1:], highs[1:])
