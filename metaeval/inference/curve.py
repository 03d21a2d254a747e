"""How consistent rankings on other numbers of items would be, from a pilot.

The expected tau of two test sets of n items is known without bias at n = N / 2, from halves of the pilot. Beyond, the
reliability sin(π τ / 2) of systems that are normal draws is n / (n + κ), as in generalisability theory, so that its log
odds are a line in log n of slope 1. Systems that come in groups have a smaller slope: it is estimated from N / 8 and
N / 2, and shrunk towards 1. Beyond, it may be another one: a pilot on which few pairs are ordered does not show groups.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import expit, logit, ndtr

from metaeval.arrays import Floats
from metaeval.inference.statistics import PairDeviations

SLOPE_DEVIATION = 0.4
"""Standard deviation of slopes about 1, and of the slope beyond N / 2 about that within; 19 real sets of systems had
slopes of 0.56 to 1.26, groups of systems have smaller ones."""

LOWEST = 8
"""The slope is that between N / `LOWEST` and N / 2 items."""

_DEVIATIONS = np.linspace(-6, 6, 241)
_STEP = _DEVIATIONS[1] - _DEVIATIONS[0]
_DENSITY = np.exp(-(_DEVIATIONS**2) / 2) / np.exp(-(_DEVIATIONS**2) / 2).sum()
_LARGEST = 8.0
_GRID = np.arange(0, _LARGEST + 0.05, 0.05)
"""Differences in standard errors between which agreements are interpolated; larger ones agree always."""

_TAU_BOUNDS = (0.01, 0.9999)
"""Within which log odds are taken."""


def agreements(ratio: int) -> Floats:
    """Expected agreement of two disjoint sets of N / ratio items on pairs that differ by `_GRID` standard errors.

    From −1 to 1. A set deviates from all N items by √(ratio − 1) standard errors; two sets are correlated by
    −1 / (ratio − 1).
    """
    if ratio == 2:
        return np.asarray(4 * ndtr(_GRID) - 3)
    deviation, correlation = np.sqrt(ratio - 1.0), -1 / (ratio - 1)
    one = _GRID[:, np.newaxis] + deviation * _DEVIATIONS
    # The sign is averaged over the width of a step.
    sign = np.clip(one / (deviation * _STEP / 2), -1, 1)
    other = _GRID[:, np.newaxis] + correlation * deviation * _DEVIATIONS
    rest = deviation * np.sqrt(1 - correlation**2)
    return np.asarray((_DENSITY * sign * (2 * ndtr(other / rest) - 1)).sum(axis=1))


_AGREEMENTS = {ratio: agreements(ratio) for ratio in (2, LOWEST)}


def tau_of_part(t: Floats, ratio: int) -> Floats:
    """Expected tau of two test sets of N / ratio items, without bias; t: (..., P), in standard errors on N items."""
    # The points are equidistant, so that none has to be searched.
    steps = np.minimum(np.abs(t.T), _LARGEST) / _GRID[1]
    point = steps.astype(np.intp)
    steps -= point
    steps *= np.diff(_AGREEMENTS[ratio], append=0.0).take(point)
    steps += _AGREEMENTS[ratio].take(point)
    return np.asarray(steps.mean(axis=0))


def log_odds(tau: Floats | float) -> Floats:
    """Log odds of the reliability sin(π τ / 2)."""
    return np.asarray(logit(np.clip(np.sin(np.pi / 2 * np.clip(tau, *_TAU_BOUNDS)), *_TAU_BOUNDS)))


def tau_of(odds: Floats) -> Floats:
    """The tau of log odds of the reliability."""
    return np.asarray(2 / np.pi * np.arcsin(expit(odds)))


@dataclass(frozen=True)
class Curve:
    """Expected tau of two test sets, by their number of items.

    odds: log odds of the reliability of half the pilot's items. slope: by log n. odds_chance, slope_chance: both on
    other samples of the items, (T,).
    """

    odds: float
    slope: float
    odds_chance: Floats
    slope_chance: Floats

    @classmethod
    def of(cls, pairs: PairDeviations) -> Curve:
        """From the differences of pairs of systems on a pilot, of which at least one varies."""

        def fit(t: Floats) -> tuple[Floats, Floats]:
            half = log_odds(tau_of_part(t, 2))
            return half, (half - log_odds(tau_of_part(t, LOWEST))) / np.log(LOWEST / 2)

        odds, slope = fit(pairs.t[pairs.vary])
        by_chance = [fit(block[:, pairs.vary]) for block in pairs.shown_chance()]
        odds_chance, slope_chance = (np.concatenate(each) for each in zip(*by_chance, strict=True))
        trust = SLOPE_DEVIATION**2 / (SLOPE_DEVIATION**2 + float(slope_chance.var()))
        return cls(float(odds), max(0.0, 1 + trust * (float(slope) - 1)), odds_chance, 1 + trust * (slope_chance - 1))

    def tau(self, ratios: Floats, *, deviations: float = 0.0) -> Floats:
        """Expected tau of test sets of ratios of the pilot's items; deviations: how many standard errors above it."""
        distance = np.log(2 * ratios)
        value = self.odds + self.slope * distance
        if deviations:
            chance = self.odds_chance[:, np.newaxis] + self.slope_chance[:, np.newaxis] * distance
            value = value + deviations * np.sqrt(chance.var(axis=0) + (SLOPE_DEVIATION * distance) ** 2)
        return tau_of(value)
