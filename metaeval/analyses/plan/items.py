"""How many items are enough? From a pilot: how scores vary with the items, and how much of that is known.

A system's score on n items varies about its true one as the scores of the pilot's resamples do, √(N / n) times as much.
So a difference of two systems that is z standard errors large on the N items of the pilot is z √(n / N) on n.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from metaeval.stats.intervals import percentile_interval
from metaeval.stats.pairs import all_pairs
from metaeval.stats.ratio import divide
from metaeval.stats.shrinkage import SCALES, SIZES, fit_weights, shrunk, spread_out

Numbers = NDArray[np.float64]

BEYOND = 16
"""How many times as much as the pilot has anything is looked for: further on its own chance says more than it does."""

PAIRS_AT_MOST = 10_000
"""Of more pairs of systems, so many that are evenly spread stand for all."""

STEPS = 128
"""Numbers of items between which the one needed is interpolated."""

NO_DIFFERENCE = 1e-12
"""In units of the largest score: differences that are rounding errors alone."""


@dataclass(frozen=True)
class Planned:
    """How much is enough for a goal, and what other amounts would do.

    needed, low, high: the amount and its 95 % interval; ∞ where what was looked at is not enough, NaN where nothing is
    known. now: what as much as the pilot has does. sizes: amounts, (K,); value, lows, highs: what they do.
    """

    needed: float
    low: float
    high: float
    now: float
    sizes: Numbers
    value: Numbers
    lows: Numbers
    highs: Numbers


def unknown(sizes: Numbers) -> Planned:
    """A plan where nothing is known."""
    nothing, nan = np.full(len(sizes), np.nan), float("nan")
    return Planned(nan, nan, nan, nan, sizes, nothing, nothing, nothing)


def amounts(pilot: int, fewest: int) -> Numbers:
    """Amounts from a quarter of the pilot's to `BEYOND` times as many, each about 1.4 times the one before, (K,)."""
    steps = np.geomspace(max(fewest, pilot / 4), max(fewest, BEYOND * pilot), 13)
    return np.unique(np.append(np.rint(steps), max(pilot, fewest))).astype(np.float64)


@dataclass(frozen=True)
class Pilot:
    """What a pilot tells of the differences of pairs of systems by one measure.

    items: N. systems: how many have a score, whichever items are left out. difference: (P,). deviation: of single
    items, so that its square over n is the variance of the difference on n items, (P,). moved: by how much resamples of
    the pilot move the differences, (R, P). deviations: in these resamples, (R, P). Pairs that are alike on every item
    are left out.
    """

    items: int
    systems: int
    difference: Numbers
    deviation: Numbers
    moved: Numbers
    deviations: Numbers

    @classmethod
    def of(cls, scores: Numbers, influence: Numbers, draws: NDArray[np.integer], *, items: int) -> Pilot:
        """From what groups of items are worth.

        scores: (S,), oriented. influence: of G groups, as of `scoring.jackknife.influences`, (G, S). draws: how often
        each group stands in each resample, (R, G). Systems with an undefined score are left out.
        """
        known = ~(np.isnan(scores) | np.isnan(influence).any(axis=0))
        scores, influence = scores[known], influence[:, known]
        pairs = all_pairs(len(scores))
        one, other = pairs[:: -(-len(pairs) // PAIRS_AT_MOST) or 1].T
        difference, apart = scores[one] - scores[other], influence[:, one] - influence[:, other]
        groups = len(influence)
        deviation = _deviation(apart, np.ones((1, groups)), items)[0]
        rounding = NO_DIFFERENCE * np.abs(scores).max(initial=0.0)
        different = (np.abs(difference) > rounding) | (deviation > rounding)
        difference, deviation, apart = difference[different], deviation[different], apart[:, different]
        weights = draws.astype(np.float64)
        return cls(
            items, len(scores), difference, deviation, weights @ apart / items, _deviation(apart, weights, items)
        )

    @cached_property
    def observed(self) -> Numbers:
        """The differences in standard errors, (P,)."""
        return self._in_errors(self.difference, self.deviation)

    def _in_errors(self, difference: Numbers, deviation: Numbers) -> Numbers:
        # A difference that never varies is as sure as can be.
        found = divide(difference * np.sqrt(self.items), deviation, undefined=np.inf)
        return np.clip(found, -SIZES[-1], SIZES[-1])

    @cached_property
    def true_differences(self) -> Numbers:
        """What the differences may truly be, in standard errors, as far as all pairs together tell, (R, P)."""
        mean, spread = shrunk(self.observed, fit_weights(self.observed[np.newaxis]))
        return mean + spread * self._errors

    @cached_property
    def likely_differences(self) -> Numbers:
        """The same where it is not sure either how far apart the systems are altogether, (R, P)."""
        # A resample of the pilot has the chance of both in it: it is as sure as a pilot of half the size.
        resampled = self._in_errors(self.difference + self.moved, self.deviations) / np.sqrt(2)
        mean, spread = shrunk(self.observed, fit_weights(resampled, scales=SCALES / np.sqrt(2)))
        certainty = divide(self.deviation, self.deviations, undefined=1.0)
        return (mean + spread * self._errors) * certainty

    @property
    def _errors(self) -> Numbers:
        return divide(self.moved * np.sqrt(self.items), self.deviation, undefined=0.0)


def _deviation(influence: Numbers, weights: Numbers, items: int) -> Numbers:
    """Standard deviation of single items from sums over groups of them, with weights (R, G): (R, P)."""
    groups = len(influence)
    squares = (weights @ influence**2) / items
    mean = (weights @ influence) ** 2 / (items * groups)
    return np.sqrt(np.maximum(squares - mean, 0.0) * (groups / max(groups - 1, 1)))


def plan_ranking(pilot: Pilot, *, tau: float, sizes: Numbers) -> Planned:
    """How many items until the rankings on two test sets of that size agree by `tau` on average.

    Expected is the mean of (2 Φ(δ √n / σ) − 1)² over the pairs of systems: each test set orders a pair rightly with the
    chance Φ. The differences δ are the pilot's, without what chance adds to them (see `stats.shrinkage`); pairs that
    are alike on every item tie, and tau-b leaves them out.

    True scores are taken for independent draws, of which some lie close together by chance, and such pairs decide on a
    high tau. Systems that are evenly spaced, as no independent draws are, take fewer items than this says. A prior over
    scores in place of differences would not mend it: differences of normal and of uniform scores are equally often
    next to 0 (densities of .282 and .289 over the standard deviation of the scores).
    """
    fine = np.geomspace(2, max(BEYOND * pilot.items, 3), STEPS)
    everywhere = np.concatenate([fine, [pilot.items], sizes])
    if not len(pilot.difference):
        return unknown(sizes)
    value = np.median(_agreement(pilot.true_differences, pilot.items, everywhere), axis=0)
    lows, highs = percentile_interval(_agreement(pilot.likely_differences, pilot.items, everywhere))
    lows, highs = np.minimum(lows, value), np.maximum(highs, value)
    needed, high, low = (_first(fine, curve[:STEPS], tau) for curve in (value, lows, highs))
    shown = slice(STEPS + 1, None)
    return Planned(needed, low, high, float(value[STEPS]), sizes, value[shown], lows[shown], highs[shown])


def _agreement(differences: Numbers, items: int, sizes: Numbers) -> Numbers:
    """Expected tau of the rankings on two test sets, of each row of differences and each size, (R, K)."""
    from scipy.special import ndtr

    right = ndtr(SIZES[:, np.newaxis] * np.sqrt(sizes / items))
    return np.asarray(spread_out(differences) @ (2 * right - 1) ** 2)


def _first(sizes: Numbers, values: Numbers, goal: float) -> float:
    """Where a curve that rises with the size reaches a goal, between sizes by their logarithm; ∞ where it never does.

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


def _within_reach(needed: float, items: int) -> float:
    """A number of items, or ∞ where it is more than `BEYOND` times those of the pilot."""
    return needed if needed <= BEYOND * items else float("inf")


def typical_difference(pilot: Pilot) -> float:
    """The median absolute difference of two systems, to two digits; NaN where there is none.

    Two digits, because it is told as a goal, and a goal should be what it is told as.
    """
    if not len(pilot.difference):
        return float("nan")
    return float(f"{np.median(np.abs(pilot.difference)):.2g}")


def plan_difference(
    pilot: Pilot, *, delta: float, power: float, alpha: float, share: float = 0.5, sizes: Numbers
) -> Planned:
    """How many items until a difference of `delta` is found with that power by a paired two-sided test at `alpha`.

    n = ((z_{1 − α/2} + z_power) σ / δ)² + z²_{1 − α/2} / 2, of which the last is for σ being unknown (Guenther 1981).
    σ is the standard deviation of the difference of two systems on single items, at the quantile `share` of the pairs;
    for a measure that is no mean, that of what an item moves the difference by.
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
    needed = [_within_reach(factor * of**2 + critical**2 / 2, pilot.items) for of in (spread, low, high)]
    return Planned(needed[0], needed[1], needed[2], float(value[0]), sizes, value[1:], lows[1:], highs[1:])
