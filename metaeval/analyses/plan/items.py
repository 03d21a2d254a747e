"""How many items are enough for a tau between rankings, and to find a difference, from the evidence of a pilot."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from metaeval.inference.curve import Curve
from metaeval.inference.pairs import Evidence, compare_pairs
from metaeval.inference.parts import Parts
from metaeval.inference.statistics import PairDeviations
from metaeval.stats.ratio import divide, effective_number

Numbers = NDArray[np.float64]

MAX_FACTOR = 16
"""Largest and smallest amounts that are considered are the pilot's times and divided by this."""

MAX_PAIRS = 10_000
"""Of more pairs of systems, the error of their standard errors is that of an evenly spaced sample."""

STEPS = 256
"""Numbers of items between which the required one is interpolated."""

_CELLS_TOGETHER = 1 << 21
"""Differences of groups and pairs that are computed together, so that memory stays bounded."""

_DEVIATIONS = 1.96
"""Standard errors from a value to the ends of its 95 % interval."""


@dataclass(frozen=True)
class Requirement:
    """The amount that is enough for a goal, and the values of other amounts.

    needed, low, high: the amount and its 95 % interval; ∞ where the largest amount is not enough, NaN where nothing is
    known. now: the value of the pilot's amount. sizes: amounts, (K,); value, lows, highs: their values, with intervals.
    most: the largest amount that is considered.
    """

    needed: float
    low: float
    high: float
    now: float
    sizes: Numbers
    value: Numbers
    lows: Numbers
    highs: Numbers
    most: float = float("nan")

    def __post_init__(self) -> None:
        # An upper end at the largest amount, to which numbers are rounded up, bounds nothing.
        if self.high > self.most - 1:
            object.__setattr__(self, "high", float("inf"))


def unknown(sizes: Numbers) -> Requirement:
    """A requirement where nothing is known."""
    nothing, nan = np.full(len(sizes), np.nan), float("nan")
    return Requirement(nan, nan, nan, nan, sizes, value=nothing, lows=nothing, highs=nothing)


def amounts(pilot: int, fewest: int) -> Numbers:
    """Amounts from a quarter of the pilot's to `MAX_FACTOR` times it, each about 1.4 times the one before, (K,)."""
    steps = np.geomspace(max(fewest, pilot / 4), max(fewest, MAX_FACTOR * pilot), 13)
    return np.unique(np.append(np.rint(steps), max(pilot, fewest))).astype(np.float64)


@dataclass(frozen=True)
class Pilot:
    """The evidence of a pilot under one measure, with the differences of its pairs of systems.

    critical: the critical value of a difference at this significance level, in standard errors.
    """

    evidence: Evidence
    pairs: PairDeviations
    critical: float

    @classmethod
    def of(cls, evidence: Evidence, *, alpha: float) -> Pilot:
        """A pilot, whose test of differences is that of `compare` and `power`, adjusted for all pairs."""
        return cls(evidence, PairDeviations.of(evidence), compare_pairs(evidence, alpha=alpha).critical)

    @property
    def items(self) -> float:
        """Number of items."""
        return self.evidence.groupings[0].items

    @property
    def missing(self) -> str:
        """Why no number of items can be planned; '' where one can."""
        if int(self.evidence.defined.sum()) < 2:
            return "no plan of items, because fewer than two systems have a score with and without each group of items"
        return "" if self.pairs.vary.any() else "no plan of items, because no two systems' scores differ on any item"

    def critical_at(self, ratios: Numbers) -> Numbers:
        """The critical value with ratios of the pilot's items and clusters, of which as large a share is unequal.

        It falls with the effective number of clusters E as 1 / c² = (1 − 1/G) / t² + 1/E does for constant c.
        """
        ways = self.evidence.groupings[: len(self.evidence.signs)]
        groups = float(min(len(parts.sizes) for parts in ways))
        effective = min(effective_number(parts.sizes) for parts in ways)
        inverse_square = (1 - 1 / groups) / self.critical**2 + 1 / effective
        slack = inverse_square - 1 / (ratios * effective)
        freedom = np.maximum(1 - 1 / (ratios * groups), 0.0)
        return np.sqrt(divide(freedom, np.where(slack > 0, slack, 0.0), undefined=np.inf))


def _requirement(items: float, sizes: Numbers, goal: float, curves: tuple[Numbers, Numbers, Numbers]) -> Requirement:
    """Where a curve and the ends of its interval reach a goal; each has a value for each of `_ratios`."""
    fine = _ratios(items, sizes)[:STEPS] * items
    needed, high, low = (first_reached(fine, curve[:STEPS], goal) for curve in curves)
    value, lows, highs = (curve[STEPS + 1 :] for curve in curves)
    now = float(curves[0][STEPS])
    return Requirement(needed, low, high, now, sizes, value=value, lows=lows, highs=highs, most=fine[-1])


def _ratios(items: float, sizes: Numbers) -> Numbers:
    """Ratios of the pilot's items: `STEPS` ascending ones, 1, and those of the sizes."""
    fine = np.geomspace(max(2 / items, 1 / MAX_FACTOR), MAX_FACTOR, STEPS)
    return np.concatenate([fine, [1.0], sizes / items])


def first_reached(sizes: Numbers, values: Numbers, goal: float) -> float:
    """The size at which an increasing curve reaches a goal, interpolated on a logarithmic scale; ∞ where it does not.

    >>> first_reached(np.array([1.0, 100.0]), np.array([0.0, 1.0]), 0.5)
    10.0
    """
    reached = np.flatnonzero(values >= goal)
    if not len(reached):
        return float("inf")
    index = int(reached[0])
    if index == 0:
        return float(sizes[0])
    share = (goal - values[index - 1]) / (values[index] - values[index - 1])
    return float(sizes[index - 1] * (sizes[index] / sizes[index - 1]) ** share)


def plan_ranking(pilot: Pilot, *, tau: float, sizes: Numbers) -> Requirement:
    """The number of items until the rankings on two test sets of that size have an expected tau of `tau`.

    See `inference.curve`. Pairs without a difference on any item are ties, which tau-b leaves out.
    """
    if pilot.missing:
        return unknown(sizes)
    curve, ratios = Curve.of(pilot.pairs), _ratios(pilot.items, sizes)
    value, lows, highs = (curve.tau(ratios, deviations=far) for far in (0.0, -_DEVIATIONS, _DEVIATIONS))
    return _requirement(pilot.items, sizes, tau, (value, lows, highs))


def plan_difference(pilot: Pilot, *, delta: float, power: float, share: float = 0.5, sizes: Numbers) -> Requirement:
    """The number of items until the test of all pairs finds a difference of `delta` with that power.

    The standard error of a difference is at the quantile `share` of the pairs, and shrinks with the root of the number
    of items and clusters; its own error is that of a variance with the kurtosis of the groups.
    """
    if pilot.missing or not delta > 0 or not np.isfinite(pilot.critical):
        return unknown(sizes)
    from scipy.special import ndtr

    unit, vary = pilot.evidence.groupings[0].unit, pilot.pairs.vary
    errors = pilot.pairs.error[vary] * unit
    ways = pilot.evidence.groupings[: len(pilot.evidence.signs)]
    spread = max(_relative_error(parts.select(pilot.evidence.defined), vary) for parts in ways)
    ratios = _ratios(pilot.items, sizes)
    critical, error = pilot.critical_at(ratios), float(np.quantile(errors, share))

    def powers(far: float) -> Numbers:
        in_errors = divide(delta * np.sqrt(ratios), error * np.exp(far * spread), undefined=np.inf)
        reached: Numbers = np.where(np.isinf(critical), 0.0, ndtr(in_errors - np.nan_to_num(critical, posinf=0.0)))
        return reached

    return _requirement(pilot.items, sizes, power, (powers(0.0), powers(_DEVIATIONS), powers(-_DEVIATIONS)))


def _relative_error(parts: Parts, vary: NDArray[np.bool_]) -> float:
    """Relative standard error of the standard error of a difference of two systems, the median of the pairs."""
    chosen = np.flatnonzero(vary)[:: -(-int(vary.sum()) // MAX_PAIRS)]
    one, other = (systems[chosen] for systems in np.triu_indices(len(parts.scores), k=1))
    groups = len(parts.sizes)
    centred = parts.parts - parts.sizes[:, np.newaxis] * parts.scores
    step = max(1, _CELLS_TOGETHER // groups)
    kurtosis = []
    for begin in range(0, len(one), step):
        block = slice(begin, begin + step)
        squares = (centred[:, one[block]] - centred[:, other[block]]) ** 2
        kurtosis.append(divide(groups * (squares**2).sum(axis=0), squares.sum(axis=0) ** 2, undefined=1.0))
    of_variance = np.sqrt(np.maximum(np.concatenate(kurtosis) - 1, 0.0) / groups)
    return float(np.median(of_variance)) / 2
