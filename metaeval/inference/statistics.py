"""Statistics of measures, such as the consistency of their rankings, and tests of their differences.

A statistic of a measure is a function of the scores of the systems under it. Chance is the same function of shrunk
scores plus flips of centred parts, drawn jointly for all measures.

How consistent rankings on other numbers of items would be, from a pilot.

The expected tau of two test sets of n items is known without bias at n = N / 2, from halves of the pilot. Beyond, the
reliability sin(π τ / 2) of systems that are normal draws is n / (n + κ), as in generalisability theory, so that its log
odds are a line in log n of slope 1. Systems that come in groups have a smaller slope: it is estimated from N / 8 and
N / 2, and shrunk towards 1. Beyond, it may be another one: a pilot on which few pairs are ordered does not show groups.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import expit, logit, ndtr, ndtri

from metaeval.arrays import Bools, Floats
from metaeval.grid import round_to_grid
from metaeval.inference.clusters import CELLS_AT_ONCE
from metaeval.inference.gaps import GapParts
from metaeval.inference.pairs import REACHED, Evidence, share_reaching
from metaeval.inference.parts import (
    CELLS_IN_CACHE,
    Signs,
    differences_of_rows,
    factors_of_errors,
    in_errors,
    joint_noise,
    standard_errors,
)
from metaeval.stats.intervals import LEVEL
from metaeval.stats.ratio import divide
from metaeval.steps import steps

CODES_AT_ONCE = 1 << 24
"""Differences by chance, a byte each, of which all rankings are in memory together."""

_SINGLE = np.float32

_NEVER_VARIES = 1e-12
"""Deviations of a statistic up to which it is the same on all samples."""

_ROUNDING = 3e-6
"""Differences of statistics that may be the rounding of `approximate_tau` alone."""

_ERF = (0.0705230784, 0.0422820123, 0.0092705272, 0.0001520143, 0.0002765672, 0.0000430638)
"""erf x = 1 − (1 + Σ a_i x^i)^−16 within 3e-7 (Abramowitz & Stegun 1964, 7.1.28)."""


def expected_tau(t: Floats, vary: Bools) -> Floats:
    """Expected tau-b between random halves: the mean over pairs of systems of 4 Φ(|t|) − 3.

    A half orders two systems as the other half does unless the halving moves their difference past 0: for a difference
    of t standard errors the halves have t + e and t − e, with e of variance 1.

    t: differences of pairs in standard errors, (..., P). vary: pairs whose systems differ; the others are ties in every
    half, which tau-b leaves out, (P,). Returns from −1 to 1; NaN where no pair differs, (...).

    >>> expected_tau(np.array([0.0, 9.0]), np.array([True, True])).round(3).tolist()
    0.0
    """
    if not vary.any():
        return np.full(t.shape[:-1], np.nan)
    tau: Floats = (4 * ndtr(np.abs(t[..., vary])) - 3).mean(axis=-1)
    return tau


def approximate_tau(t: Floats, vary: Bools) -> Floats:
    """`expected_tau` within 3e-6, for the many differences by chance, (T, P) to (T,): 4 Φ(x √2) − 3 = 2 erf x − 1.

    A smooth approximation, because a table would make measures differ by chance whose differences are the same; in
    single precision, which is twice as fast.
    """
    if not vary.any():
        return np.full(len(t), np.nan)
    with np.errstate(over="ignore"):
        x = np.abs(t if vary.all() else t.T[vary].T, dtype=np.float32, casting="same_kind")
    np.minimum(x, _SINGLE(9.0), out=x)
    x *= _SINGLE(np.sqrt(0.5))
    power = x * _SINGLE(_ERF[-1])
    for coefficient in _ERF[-2::-1]:
        power += _SINGLE(coefficient)
        power *= x
    power += _SINGLE(1.0)
    for _ in range(4):
        np.square(power, out=power)
    return np.asarray(1 - 2 * np.reciprocal(power, out=power).mean(axis=-1, dtype=np.float64))


@dataclass(frozen=True)
class PairDeviations:
    """Differences of all pairs of systems in standard errors, on the items and on other items by chance; (P,).

    t: on the items. vary: pairs that differ in some group. shrunk: likely true differences: those on the items are
    larger on average, because chance adds to them. noise: deviations of the scores on other samples, (T, S). factors:
    of the sums of products of the errors of two rankings, (K, S) each: see `products`. scale: from differences of the
    noise to standard errors. error: standard errors of the differences.
    """

    t: Floats
    vary: Bools
    shrunk: Floats
    noise: Floats
    factors: tuple[Floats, Floats]
    scale: Floats
    error: Floats

    @classmethod
    def of(cls, evidence: Evidence) -> PairDeviations:
        """Of the systems whose scores are defined."""
        return cls.from_rankings([evidence], evidence.defined)[0]

    @classmethod
    def from_rankings(
        cls, evidence: Sequence[Evidence], systems: Bools, trials: int | None = None
    ) -> list[PairDeviations]:
        """Of some systems, whose scores are defined in all of these rankings, (S,); the signs are the same.

        trials: how many of the signs are other samples, by default all. The products of errors are those of all.
        """
        rankings = [ranking.without_pairs.select(np.flatnonzero(systems)) for ranking in evidence]
        complete = [ranking.groupings for ranking in rankings if not isinstance(ranking.groupings[0], GapParts)]
        signs = rankings[0].signs
        factors: Iterator[tuple[Floats, Floats]] = iter([])
        if complete and trials is not None and trials < len(signs[0]):
            factors = iter(factors_of_errors(complete, signs))
            rankings = [ranking.select_trials(slice(trials)) for ranking in rankings]
        noise = iter(joint_noise(complete, rankings[0].signs) if complete else [])
        deviations = []
        for ranking in rankings:
            if isinstance(ranking.groupings[0], GapParts):
                deviations.append(cls._of(ranking, None))
            else:
                pairs = cls._of(ranking, next(noise))
                deviations.append(replace(pairs, factors=next(factors, pairs.factors)))
        return deviations

    @classmethod
    def _of(cls, evidence: Evidence, noise: Floats | None) -> PairDeviations:
        """Of systems with defined scores; noise: (T, S), None where systems lack items.

        With two crossed groupings the variance of a difference is that by rows and that by columns less that by cells,
        and at least the larger of the first two; the noise of rows and columns is added and scaled to it. Where runs
        are random, too, what they add to the variance and to the noise is added.
        """
        first = evidence.groupings[0]
        one, other = np.triu_indices(len(evidence.scores), k=1)
        errors = [standard_errors(parts, one, other) for parts in evidence.groupings]
        error = spread = errors[0]
        if len(errors) > 1:
            rows, columns, cells = (array**2 for array in errors)
            error, spread = np.sqrt(np.maximum.reduce([rows + columns - cells, rows, columns])), np.sqrt(rows + columns)
        if evidence.runs is not None and evidence.normals is not None and noise is not None:
            run_variance = evidence.runs.extra
            pair_variance = run_variance[one] + run_variance[other]
            error, spread = np.sqrt(error**2 + pair_variance), np.sqrt(spread**2 + pair_variance)
            noise = noise + np.sqrt(run_variance) * evidence.normals.T
        t = in_errors(first.differences(one, other), error)
        varies = error > 0
        shrunk = t.copy()
        if varies.any():
            shrunk[varies] *= np.sqrt(max(0.0, 1 - 1 / max(float((t[varies] ** 2).mean()), 1e-9)))
        vary, scale = varies | np.isinf(t), divide(1.0, spread, undefined=0.0)
        if noise is None:
            assert isinstance(first, GapParts)
            groups = len(first.sizes)
            factor = np.sqrt(groups / max(groups - 1, 1)) / first.items
            centred, signs = first.centred(one, other) * factor, evidence.signs[0]
            return GapDeviations(
                t=t,
                vary=vary,
                shrunk=shrunk,
                noise=np.empty((len(signs), 0)),
                factors=(centred, centred),
                scale=scale,
                error=error,
                centred=centred,
                signs=signs,
            )
        factors = noise, noise
        return cls(t=t, vary=vary, shrunk=shrunk, noise=noise, factors=factors, scale=scale, error=error)

    def chance(self, *, rankings: int = 1) -> Iterator[Floats]:
        """The differences on other samples of the items, blocks of trials (T, P); rankings: read side by side."""
        one, other = np.triu_indices(self.noise.shape[1], k=1)
        for rows in self.blocks(rankings):
            # A pair by a row, so that whole rows are subtracted.
            differences = differences_of_rows(self.noise[rows].T, one, other)
            differences *= self.scale[:, np.newaxis]
            differences += self.shrunk[:, np.newaxis]
            yield differences.T

    def blocks(self, rankings: int) -> list[slice]:
        """The trials of the blocks of `chance`."""
        return self._blocks(len(self.noise), min(CELLS_IN_CACHE, CODES_AT_ONCE // rankings))

    def _blocks(self, trials: int, cells: int) -> list[slice]:
        step = max(1, cells // max(1, len(self.t)))
        return [slice(begin, begin + step) for begin in range(0, trials, step)]

    def products(self, others: Sequence[PairDeviations]) -> Floats:
        """Sums of the products of the errors of two measures over all signs, for each pair of systems, (Q, P).

        others: the second measure of each, (Q).
        """
        systems = self.noise.shape[1]
        # Systems by rows, which are contiguous.
        gram = np.concatenate([other.factors[1].T for other in others]) @ self.factors[0]
        gram = gram.reshape(len(others), systems, systems)
        first, second = np.triu_indices(systems, k=1)
        diagonal = np.diagonal(gram, axis1=1, axis2=2)
        return np.asarray(diagonal[:, first] - gram[:, first, second] - gram[:, second, first] + diagonal[:, second])

    def statistic(self, function: Callable[[Floats], Floats]) -> tuple[float, Floats]:
        """A function of the differences, (..., P) to (...): its value on the items, and by chance, (T,)."""
        return float(function(self.t)), np.concatenate([function(block) for block in self.shown_chance()])

    def expected_tau(self) -> tuple[float, Floats]:
        """The expected tau between random halves: on the items, and by chance, (T,)."""
        chance = np.concatenate([approximate_tau(block, self.vary) for block in self.shown_chance()])
        return float(expected_tau(self.t, self.vary)), chance

    def expected_power(self, criticals: Floats) -> tuple[float, Floats]:
        """The expected share of significant pairs, if these differences are true: on the items, and by chance, (T,).

        criticals: critical values in standard errors, NaN for pairs with undefined scores. The share of significant
        pairs itself is no smooth function of the differences: with few systems it jumps by chance.
        """
        limits = criticals[~np.isnan(criticals)]
        # A pair that never differs, as of copies, is never significant, nor is any without a limit.
        tested = self.vary & np.isfinite(limits)
        limits = np.where(tested, limits, 0.0)

        def share(t: Floats) -> Floats:
            # On a grid, so that the order of a sum does not show.
            return round_to_grid(divide(np.where(tested, ndtr(np.abs(t) - limits), 0.0).sum(axis=-1), t.shape[-1]))

        return self.statistic(share)

    def shown_chance(self) -> Iterator[Floats]:
        """`chance` of one ranking, whose blocks are shown as steps."""
        for _, block in zip(steps(self.blocks(1), "Differences by chance"), self.chance(), strict=True):
            yield block


@dataclass(frozen=True)
class GapDeviations(PairDeviations):
    """The same where systems lack items; `noise` is empty.

    centred: deviations of the parts of the differences, in units of scores, (G, P). signs: random signs, T times.
    """

    centred: Floats
    signs: Signs

    def chance(self, *, rankings: int = 1) -> Iterator[Floats]:
        """See `PairDeviations`."""
        for rows in self.blocks(rankings):
            yield self.signs.select_trials(rows).sums(self.centred).T * self.scale + self.shrunk

    def products(self, others: Sequence[PairDeviations]) -> Floats:
        """See `PairDeviations`."""
        products = np.zeros((len(others), len(self.t)))
        for rows in self.blocks(2):
            errors, signs = self.signs.select_trials(rows).sums(self.centred), self.signs.select_trials(rows)
            for sums, other in zip(products, others, strict=True):
                sums += (errors * signs.sums(other.factors[1])).sum(axis=1)
        return products

    def blocks(self, rankings: int) -> list[slice]:
        """See `PairDeviations`."""
        return self._blocks(len(self.signs), CELLS_AT_ONCE // rankings)


@dataclass(frozen=True)
class Probits:
    """A scale for means over pairs of systems of factor · Φ(x) − shift: the x that a single pair would have.

    Such a mean varies least where pairs are ordered almost surely, or almost by chance, so that measures which differ
    by chance seem to differ by many standard errors; x varies by about one wherever it is. lowest, highest: x beyond
    which statistics count as equal. bounds: of the statistic. rounding: of x.
    """

    factor: float
    shift: float
    lowest: float
    highest: float
    bounds: tuple[float, float]
    rounding: float

    def of(self, statistic: Floats) -> Floats:
        """The x of statistics."""
        x: Floats = ndtri(np.clip((statistic + self.shift) / self.factor, 0.0, 1.0))
        return np.clip(x, self.lowest, self.highest)

    def statistic(self, x: Floats) -> Floats:
        """The statistic of x; one of its bounds where x reaches beyond what is distinguished."""
        value = self.factor * ndtr(x) - self.shift
        return np.select([x <= self.lowest, x >= self.highest], self.bounds, value)


OF_TAU = Probits(factor=4.0, shift=3.0, lowest=0.0, highest=3.5, bounds=(-1.0, 1.0), rounding=1e-3)
"""Of `expected_tau`: x is a difference of two systems in standard errors."""

OF_POWER = Probits(factor=1.0, shift=0.0, lowest=-5.0, highest=5.0, bounds=(0.0, 1.0), rounding=1e-9)
"""Of expected power: x is a difference of two systems in standard errors, less the critical value."""


@dataclass(frozen=True)
class Comparison:
    """Differences of a statistic between measures.

    p, raw: p-values adjusted by single-step max-t, and of each pair by itself, (M, M); NaN where undefined. low, high:
    interval of each statistic, (M,). chance: the statistics on other samples, (T, M).
    """

    p: Floats
    raw: Floats
    low: Floats
    high: Floats
    chance: Floats


def compare_statistics(
    values: Floats,
    chance: Floats,
    *,
    scale: Probits | None = None,
    smallest_p: float = 0.0,
) -> Comparison:
    """Test the differences of a statistic between measures: its values, (M,), and on other samples, jointly, (T, M).

    scale: on which they are tested; the larger of the variances of two measures then counts for both, because measures
    that are equal have the same one. By default the scale of the statistic. Intervals are of 95 %, each by itself;
    infinite if that is above 1 − smallest_p, the smallest p-value that so few groups allow. p is 1 for two
    measures whose statistic never differs.
    """
    measures = len(values)
    one, other = np.triu_indices(measures, k=1)
    p, raw = (np.where(np.eye(measures, dtype=bool), 1.0, np.nan) for _ in range(2))
    scaled_values, by_chance = (values, chance) if scale is None else (scale.of(values), scale.of(chance))
    # A measure by a row, so that its numbers do not depend on the others.
    by_measure = np.ascontiguousarray(by_chance.T)
    undefined = np.isnan(values) | np.isnan(by_measure).any(axis=1)
    is_defined = ~undefined[one] & ~undefined[other]
    if is_defined.any():
        one, other = one[is_defined], other[is_defined]
        differences = by_measure[one] - by_measure[other]
        spread = differences.std(axis=1)
        # Less is rounding: of measures in other units, or of the same differences.
        spread = np.where(spread > (_ROUNDING if scale is None else scale.rounding), spread, 0.0)
        error = spread
        if scale is not None:
            first, second = by_measure.std(axis=1)[one], by_measure.std(axis=1)[other]
            correlation = divide(first**2 + second**2 - spread**2, 2 * first * second, undefined=0.0)
            equal_error = np.maximum(first, second) * np.sqrt(2 * np.maximum(1 - correlation, 0.0))
            error = np.where(spread > 0, np.maximum(spread, equal_error), 0.0)
        z = np.abs(divide(scaled_values[one] - scaled_values[other], error, undefined=0.0))
        centred = differences - differences.mean(axis=1, keepdims=True)
        deviations = np.abs(divide(centred, spread[:, np.newaxis], undefined=0.0))
        alone = ((deviations >= z[:, np.newaxis] * REACHED).sum(axis=1) + 1) / (len(chance) + 1)
        p[one, other] = p[other, one] = np.maximum(share_reaching(z, np.sort(deviations.max(axis=0))), smallest_p)
        raw[one, other] = raw[other, one] = np.maximum(alone, smallest_p)
    half = half_widths(by_chance, smallest_p=smallest_p)
    low, high = scaled_values - half, scaled_values + half
    if scale is not None:
        # On a grid, so that the order of a sum over samples does not show.
        low, high = round_to_grid(scale.statistic(low)), round_to_grid(scale.statistic(high))
    return Comparison(p, raw, low, high, chance)


def half_widths(chance: Floats, *, smallest_p: float = 0.0) -> Floats:
    """Half the width of the interval of each statistic, (M,), as in `compare_statistics`.

    NaN where it is undefined, or never varies.
    """
    by_statistic = np.ascontiguousarray(chance.T)
    deviations = np.abs(by_statistic - by_statistic.mean(axis=1, keepdims=True))
    half = np.quantile(deviations, LEVEL, axis=1)
    # Less is rounding of the mean of what is always the same.
    return np.where(half > _NEVER_VARIES, half + (np.inf if smallest_p > 1 - LEVEL else 0.0), np.nan)


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
        odds_chance, slope_chance = (np.concatenate(arrays) for arrays in zip(*by_chance, strict=True))
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
