"""How many items, systems or annotators a goal needs, from the evidence of a pilot.

How many systems and annotators are enough for correlations of measures with human scores, and for their differences.

Systems or annotators are drawn with replacement from those of a pilot, more or fewer than it has. The middle 95 % of
the correlations is as wide as the interval from that number. The error of this width is estimated by doing the same
with resamples of the pilot, which differ from the pilot as the pilot differs from the population.

The variance of the difference of two measures' correlations has a part of the systems, which falls with their number
only, and a part of the single scores, which also falls with the number of items. Jackknives over systems and over items
estimate the sum and the second part. This assumes that errors on an item are independent between systems.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from metaeval.arrays import Bools, Floats, Indices
from metaeval.inference.pairs import Evidence, compare_pairs
from metaeval.inference.parts import Parts, Signs
from metaeval.inference.scores import ScoreErrors
from metaeval.inference.statistics import Curve, PairDeviations
from metaeval.stats.association import COEFFICIENTS
from metaeval.stats.correlation import resampled_correlations
from metaeval.stats.intervals import LEVEL, Bounded, defined_deviation, defined_mean, percentile_interval
from metaeval.stats.ratio import divide, effective_number
from metaeval.stats.resample import generator

MAX_FACTOR = 16
"""Largest and smallest amounts that are considered are the pilot's times and divided by this."""

MAX_PAIRS = 1_000
"""Of more pairs of systems, the error of their standard errors is that of an evenly spaced sample."""

MAX_TRIALS = 200
"""Random signs of the groups of items for this error."""

STEPS = 256
"""Floats of items between which the required one is interpolated."""

_DEVIATIONS = 1.96
"""Standard errors from a value to the ends of its 95 % interval."""


@dataclass(frozen=True)
class Requirement:
    """The amount that is enough for a goal, and the values of other amounts.

    amount, low, high: the amount and its 95 % interval; ∞ where the largest amount is not enough, NaN where nothing is
    known. now: the value of the pilot's amount. sizes: amounts, (K,); value, lows, highs: their values, with intervals.
    most: the largest amount that is considered. least: the smallest one, if smaller amounts are possible; else NaN.
    """

    amount: float
    low: float
    high: float
    now: float
    sizes: Floats
    value: Floats
    lows: Floats
    highs: Floats
    most: float = float("nan")
    least: float = float("nan")

    @classmethod
    def of(
        cls,
        fine: Floats,
        sizes: Floats,
        curves: Sequence[Floats],
        goal: float,
        *,
        sign: int = 1,
        most: float,
        least: float = float("nan"),
    ) -> Requirement:
        """Where a curve, and the ends of its interval, first reach a goal among fine amounts.

        curves: the values, and their lower and upper ends, each at the fine amounts, at the pilot's and at the sizes.
        sign: −1 for curves that fall.
        """
        amount, *ends = (first_reached(fine, sign * curve[: len(fine)], sign * goal) for curve in curves)
        value, lows, highs = (curve[len(fine) + 1 :] for curve in curves)
        now, (low, high) = float(curves[0][len(fine)]), sorted(ends)
        return cls(amount, low, high, now, sizes, value=value, lows=lows, highs=highs, most=most, least=least)

    def __post_init__(self) -> None:
        # An upper end at the largest amount, to which numbers are rounded up, bounds nothing.
        if self.high > self.most - 1:
            object.__setattr__(self, "high", float("inf"))


def unknown(sizes: Floats) -> Requirement:
    """A requirement where nothing is known."""
    curve, nan = np.full(len(sizes), np.nan), float("nan")
    return Requirement(nan, nan, nan, nan, sizes, value=curve, lows=curve, highs=curve)


def amounts(pilot: int, fewest: int) -> Floats:
    """Amounts from a quarter of the pilot's to `MAX_FACTOR` times it, each about 1.4 times the one before, (K,)."""
    steps = np.geomspace(max(fewest, pilot / 4), max(fewest, MAX_FACTOR * pilot), 13)
    return np.unique(np.append(np.rint(steps), max(pilot, fewest))).astype(np.float64)


@dataclass(frozen=True)
class Pilot:
    """The evidence of a pilot under one measure, with the differences of its pairs of systems.

    critical: the critical value of a difference at this significance level, in standard errors. critical_error: its
    standard error, because signs are random. fewest: the fewest items, in the smallest number of groups in which a
    difference can be significant at this level.
    """

    evidence: Evidence
    pairs: PairDeviations
    critical: float
    critical_error: float
    fewest: float

    @classmethod
    def of(cls, evidence: Evidence, *, alpha: float) -> Pilot:
        """A pilot, whose test of differences is that of `compare` and `power`, adjusted for all pairs."""
        groups = min(len(parts.sizes) for parts in evidence.groupings[: len(evidence.signs)])
        fewest = evidence.groupings[0].items * fewest_groups(alpha) / groups
        critical = compare_pairs(evidence, alpha=alpha).critical
        # The density of the statistic at its critical value c is about that of the normal tail, c α.
        critical_error = float(np.sqrt((1 - alpha) / (alpha * len(evidence.signs[0])))) / max(critical, 1.0)
        return cls(evidence, PairDeviations.of(evidence), critical, critical_error, fewest)

    @property
    def items(self) -> float:
        """Number of items."""
        return self.evidence.groupings[0].items

    @property
    def missing(self) -> str:
        """Why no number of items can be planned; '' where one can."""
        if int(self.evidence.defined.sum()) < 2:
            return "scores are undefined without some items"
        return "" if self.pairs.vary.any() else "no two systems differ"

    def ratios(self, sizes: Floats) -> Floats:
        """Ratios of the pilot's items: `STEPS` ascending ones, 1, and those of the sizes."""
        least = min(max(self.fewest / self.items, 1 / MAX_FACTOR), MAX_FACTOR)
        return np.concatenate([np.geomspace(least, MAX_FACTOR, STEPS), [1.0], sizes / self.items])

    def critical_at(self, ratios: Floats) -> Floats:
        """The critical value with ratios of the pilot's items and clusters, of which as large a share is unequal.

        It falls with the effective number of clusters E as 1 / c² = (1 − 1/G) / t² + 1/E does for constant c.
        """
        groupings = self.evidence.groupings[: len(self.evidence.signs)]
        groups = float(min(len(parts.sizes) for parts in groupings))
        effective = min(effective_number(parts.sizes) for parts in groupings)
        inverse_square = (1 - 1 / groups) / self.critical**2 + 1 / effective
        slack = inverse_square - 1 / (ratios * effective)
        freedom = np.maximum(1 - 1 / (ratios * groups), 0.0)
        possible = (slack > 0) & (ratios * self.items >= self.fewest * (1 - 1e-9))
        return np.sqrt(divide(freedom, np.where(possible, slack, 0.0), undefined=np.inf))


def fewest_groups(alpha: float) -> int:
    """The fewest groups k in which all signs are the same by chance, 2^(1 − k), at most as often as α.

    >>> fewest_groups(0.05), fewest_groups(0.01), fewest_groups(0.0625)
    (6, 8, 5)
    """
    return int(np.ceil(1 - np.log2(alpha) - 1e-9))


def _requirement(pilot: Pilot, sizes: Floats, goal: float, curves: Sequence[Floats]) -> Requirement:
    """Where a curve and the ends of its interval reach a goal; each has a value for each of the ratios."""
    fine = pilot.ratios(sizes)[:STEPS] * pilot.items
    least = float(fine[0]) if fine[0] > pilot.fewest * (1 + 1e-9) else float("nan")
    return Requirement.of(fine, sizes, curves, goal, most=fine[-1], least=least)


def first_reached(sizes: Floats, values: Floats, goal: float) -> float:
    """The size at which an increasing curve reaches a goal, interpolated on a logarithmic scale; ∞ where it does not.

    >>> first_reached(np.array([1.0, 100.0]), np.array([0.0, 1.0]), 0.5)
    10.0
    """
    indices = np.flatnonzero(values >= goal)
    if not len(indices):
        return float("inf")
    index = int(indices[0])
    if index == 0:
        return float(sizes[0])
    share = (goal - values[index - 1]) / (values[index] - values[index - 1])
    return float(sizes[index - 1] * (sizes[index] / sizes[index - 1]) ** share)


def plan_ranking(pilot: Pilot, *, tau: float, sizes: Floats) -> Requirement:
    """The number of items until the rankings on two test sets of that size have an expected tau of `tau`.

    See `inference.curve`. Pairs without a difference on any item are ties, which tau-b leaves out.
    """
    if pilot.missing:
        return unknown(sizes)
    curve, ratios = Curve.of(pilot.pairs), pilot.ratios(sizes)
    curves = [curve.tau(ratios, deviations=far) for far in (0.0, -_DEVIATIONS, _DEVIATIONS)]
    return _requirement(pilot, sizes, tau, curves)


def plan_difference(pilot: Pilot, *, delta: float, power: float, share: float = 0.5, sizes: Floats) -> Requirement:
    """The number of items until the test of all pairs finds a difference of `delta` with that power.

    The standard error of a difference is at the quantile `share` of the pairs, and shrinks with the root of the number
    of items and clusters; its own error is that of the sums of squares with random signs, and of the critical value.
    """
    vary = pilot.pairs.error > 0
    if pilot.missing or not delta > 0 or not np.isfinite(pilot.critical) or not vary.any():
        return unknown(sizes)
    from scipy.special import ndtr, ndtri

    evidence = pilot.evidence
    errors = pilot.pairs.error[vary] * evidence.groupings[0].unit
    with_signs = zip(evidence.groupings[: len(evidence.signs)], evidence.signs, strict=True)
    relative = [_relative_errors(parts.select(evidence.defined), signs, vary, share) for parts, signs in with_signs]
    bias, error_spread = max(relative, key=lambda estimate: estimate[1])
    critical_spread = pilot.critical_error / (pilot.critical + float(ndtri(power)))
    spread = float(np.hypot(error_spread, critical_spread))
    ratios = pilot.ratios(sizes)
    critical, error = pilot.critical_at(ratios), float(np.quantile(errors, share)) / np.exp(bias)

    def powers(far: float) -> Floats:
        in_errors = divide(delta * np.sqrt(ratios), error * np.exp(far * spread), undefined=np.inf)
        return np.asarray(np.where(np.isinf(critical), 0.0, ndtr(in_errors - np.nan_to_num(critical, posinf=0.0))))

    return _requirement(pilot, sizes, power, (powers(0.0), powers(_DEVIATIONS), powers(-_DEVIATIONS)))


def _relative_errors(parts: Parts, signs: Signs, vary: Bools, share: float) -> tuple[float, float]:
    """Relative bias and standard error of the quantile of the standard errors of the pairs."""
    pairs = np.flatnonzero(vary)[:: -(-int(vary.sum()) // MAX_PAIRS)]
    one, other = (systems[pairs] for systems in np.triu_indices(len(parts.scores), k=1))
    centred = parts.parts - parts.sizes[:, np.newaxis] * parts.scores
    squares = (centred[:, one] - centred[:, other]) ** 2
    total = squares.sum(axis=0)
    deviations = signs.select_trials(slice(MAX_TRIALS)).sums(squares - squares.mean(axis=0)).T
    # Each row of signs and its opposite, so that sums of squares are right on average.
    by_chance = np.maximum(total + np.concatenate([deviations, -deviations]), 1e-9 * total)
    quantiles = np.quantile(by_chance, share, axis=1)
    bias = float(np.log(quantiles.mean() / np.quantile(total, share)))
    return bias / 2, float(np.log(quantiles).std()) / 2


def plan_score(
    groupings: Sequence[Parts], bounds: tuple[float, float], *, half_width: float, sizes: Floats
) -> Requirement:
    """The number of items until half of the interval of the score of the only system is no wider than `half_width`.

    It is that of `inference.scores`; the error of its standard error is that of the variance of the parts. groupings,
    bounds: as there.
    """
    from scipy.special import stdtrit

    errors, first = ScoreErrors.of(groupings), groupings[0]
    lowest, highest = (bound / first.unit for bound in bounds)
    span, value = highest - lowest, float(first.scores[0])
    error, units = float(errors.error[0]), float(errors.units[0])
    if not (first.defined[0] and units > 1) or (error == 0 and not np.isfinite(span)):
        return unknown(sizes)
    squares = (first.parts[:, 0] - first.sizes * value) ** 2
    spread = float(divide(squares.std(), squares.mean(), undefined=0.0)) / np.sqrt(len(squares)) / 2
    fine = np.geomspace(1 / MAX_FACTOR, MAX_FACTOR, STEPS)
    ratios = np.concatenate([fine, [1.0], sizes / first.items])

    def half_widths(far: float) -> Floats:
        scaled_error = error * np.exp(far * spread)
        if not np.isfinite(span):
            quantiles = stdtrit(np.maximum(units * ratios - 1, 1e-9), (1 + LEVEL) / 2)
            return np.asarray(first.unit * quantiles * scaled_error / np.sqrt(ratios))
        bounded = Bounded.of((value - lowest) / span, scaled_error / span, lowest=0.0, units=units)
        by_ratio = (bounded._replace(number=bounded.number * ratio, units=units * ratio) for ratio in ratios.tolist())
        ends = np.array([estimate.interval() for estimate in by_ratio])
        return np.asarray(first.unit * span * np.nan_to_num(ends[:, 1] - ends[:, 0], nan=1.0) / 2)

    curves = [half_widths(far) for far in (0.0, -_DEVIATIONS, _DEVIATIONS)]
    numbers = fine * first.items
    return Requirement.of(numbers, sizes, curves, half_width, sign=-1, most=float(numbers[-1]), least=float(numbers[0]))


MIN_SYSTEMS = 5
"""With fewer systems, every correlation is near 1 or −1."""

MIN_ANNOTATORS = 3
"""Two annotators do not show how others would differ."""

MAX_WIDTH = 2.0
"""The width of the interval from −1 to 1."""

DRAWS = 2000
"""Number of samples behind each width."""

INNER_DRAWS = 100
"""Number of samples from each resample of the pilot."""


def plan_systems(
    metric: Floats, human: Floats, *, coefficient: str, width: float, resamples: int, seed: np.random.SeedSequence
) -> list[Requirement]:
    """How many systems are needed until the interval of a measure's correlation is no wider than `width`.

    metric: (M, S). human: (S,). coefficient: a name of `stats.association.COEFFICIENTS`. One requirement for each
    measure; unknown with fewer than `MIN_SYSTEMS` that have both scores.
    """
    random = generator(seed)
    has_scores = ~(np.isnan(metric) | np.isnan(human))
    requirements = []
    for scores, rated in zip(metric, has_scores, strict=True):
        systems = int(rated.sum())
        sizes = amounts(systems, MIN_SYSTEMS)
        if systems < MIN_SYSTEMS:
            requirements.append(unknown(sizes))
            continue
        pair, uniform = (scores[rated], human[rated]), np.full(systems, 1 / systems)
        by_size = [
            _correlations(*pair, random.multinomial(size, uniform, size=DRAWS), coefficient)
            for size in sizes.astype(int).tolist()
        ]
        counts = random.multinomial(systems, _resample(random, systems, resamples), size=(resamples, INNER_DRAWS))
        by_resample = _correlations(*pair, counts.reshape(-1, systems), coefficient).reshape(resamples, -1)
        requirements.append(_requirement_by_people(by_size, by_resample, sizes, systems, width, fewest=MIN_SYSTEMS))
    return requirements


def _correlations(metric: Floats, human: Floats, counts: NDArray[np.integer], coefficient: str) -> Floats:
    """Correlations of samples with `counts` of each system, (R, S), as (R,); metric, human: (S,)."""
    once = np.ones((len(counts), 1), dtype=np.int64)
    cells = (np.newaxis, slice(None), np.newaxis)
    samples = resampled_correlations(metric[cells], human[cells], counts, once, level="system", coefficient=coefficient)
    return samples[:, 0, 0]


def plan_annotators(
    metric: Floats, ratings: Floats, *, coefficient: str, width: float, resamples: int, seed: np.random.SeedSequence
) -> list[Requirement]:
    """How many annotators are needed until the interval of a correlation with their mean is no wider than `width`.

    metric: (M, S). ratings: (H, S), NaN for a system without ratings of an annotator. One requirement for each measure;
    unknown with fewer than `MIN_ANNOTATORS`.
    """
    annotators = len(ratings)
    sizes = amounts(annotators, 1)
    if annotators < MIN_ANNOTATORS:
        return [unknown(sizes) for _ in metric]
    random = generator(seed)
    correlate = COEFFICIENTS[coefficient]
    uniform = np.full(annotators, 1 / annotators)
    means = [_means(ratings, random.multinomial(size, uniform, size=DRAWS)) for size in sizes.astype(int).tolist()]
    shares = _resample(random, annotators, resamples)
    resample_means = _means(ratings, random.multinomial(annotators, shares, size=(resamples, INNER_DRAWS)))
    return [
        _requirement_by_people(
            [correlate(row, mean) for mean in means], correlate(row, resample_means), sizes, annotators, width, fewest=1
        )
        for row in metric
    ]


def plan_measures(
    metric: Floats, human: Floats, groups: Indices, *, delta: float, power: float, alpha: float
) -> dict[str, list[Requirement]]:
    """How many systems, or items, until measures whose Pearson correlations differ by `delta` are significantly so.

    The test is that of random swaps of systems, two-sided. One requirement for each measure, for the median of its
    pairs with other measures; `most` is ∞ where no number of items is enough. metric: (M, S, N). human: (S, N). groups:
    of items that are left out together, (N,).
    """
    from scipy.special import chdtri

    systems, items = human.shape
    system_variances, item_variances = _variances(metric, human, groups)
    # Variances of normal scores are between these multiples of their estimates.
    bounds = (1 + LEVEL) / 2 - np.array([0.0, LEVEL])
    factors = [1.0, *((systems - 1) / chdtri(systems - 1, bounds)).tolist()]
    differences = [
        _Difference(delta, systems, items, *variances, alpha=alpha)
        for variances in zip(system_variances.tolist(), item_variances.tolist(), strict=True)
    ]
    units = ["systems", "items"] if items > 1 else ["systems"]
    return {unit: [difference.requirement(unit, factors, power) for difference in differences] for unit in units}


@dataclass(frozen=True)
class _Difference:
    """A difference of correlations in a pilot; system_variance, item_variance: the parts of its variance."""

    delta: float
    systems: int
    items: int
    system_variance: float
    item_variance: float
    alpha: float

    def power(self, unit: str, numbers: Floats, factor: float) -> Floats:
        """The power with numbers of systems or items; factor: of the variance."""
        from scipy.special import ndtr, stdtrit

        one = np.ones(1)
        systems, items = (numbers / self.systems, one) if unit == "systems" else (one, numbers / self.items)
        variance = (self.system_variance + self.item_variance / items) / systems * factor
        critical = stdtrit(self.systems * systems - 1, self.alpha / 2)
        return np.asarray(ndtr(divide(self.delta, np.sqrt(variance), undefined=np.inf) + critical))

    def requirement(self, unit: str, factors: Sequence[float], power: float) -> Requirement:
        """How many systems or items have this power; factors: of the estimated variance, its upper and lower bound."""
        pilot, fewest = (self.systems, MIN_SYSTEMS) if unit == "systems" else (self.items, 2)
        sizes = amounts(pilot, fewest)
        if self.systems < MIN_SYSTEMS or not self.system_variance + self.item_variance > 0:
            return unknown(sizes)
        fine = np.geomspace(fewest, MAX_FACTOR * pilot, STEPS)
        numbers = np.concatenate([fine, [pilot], sizes])
        reachable = unit == "systems" or self.power(unit, np.array([np.inf]), 1.0)[0] >= power
        curves = [self.power(unit, numbers, factor) for factor in factors]
        return Requirement.of(fine, sizes, curves, power, most=fine[-1] if reachable else np.inf)


def _variances(metric: Floats, human: Floats, groups: Indices) -> tuple[Floats, Floats]:
    """Variance of the difference from another measure, of systems and of single scores, (M,) each: medians of pairs."""
    systems, items = human.shape
    correlate = COEFFICIENTS["pearson"]
    rated = ~np.isnan(human)
    metric = np.where(rated, metric, np.nan)
    alone = np.where(np.eye(systems, dtype=np.bool_), np.nan, 1.0)
    without = correlate(defined_mean(metric, axis=-1)[:, np.newaxis] * alone, defined_mean(human, axis=-1) * alone)
    system_variances, item_variances = _jackknife(without), np.zeros((len(metric), len(metric)))
    if items > 1:
        inside = (groups[:, np.newaxis] == np.arange(groups.max() + 1)).astype(np.float64)

        def means(scores: Floats) -> Floats:
            is_defined = ~np.isnan(scores)
            total, number = (
                sums.sum(axis=-1, keepdims=True) - sums @ inside for sums in (np.nan_to_num(scores), is_defined)
            )
            return np.moveaxis(divide(total, number), -1, -2)

        item_variances = _jackknife(correlate(means(metric), means(human)))
    others = np.where(np.eye(len(metric), dtype=np.bool_), np.nan, 1.0)
    parts = (np.maximum(system_variances - item_variances, 0.0), item_variances)
    system_variances, item_variances = (np.nanmedian(part * others, axis=1) for part in parts)
    return system_variances, item_variances


def _jackknife(without: Floats) -> Floats:
    """Jackknife variances of the differences of all pairs, (M, M), from values without each group, (M, G)."""
    groups = without.shape[1]
    centred = without - without.mean(axis=1, keepdims=True)
    products = centred @ centred.T
    squares = np.diag(products)
    return np.asarray((groups - 1) / groups * (squares[:, np.newaxis] + squares - 2 * products))


def _resample(random: np.random.Generator, pilot: int, resamples: int) -> Floats:
    """Shares of each member of a pilot in its resamples, (R, 1, pilot)."""
    return random.multinomial(pilot, np.full(pilot, 1 / pilot), size=(resamples, 1)) / pilot


def _means(ratings: Floats, counts: NDArray[np.integer]) -> Floats:
    """Means of the ratings (H, S), weighted by the counts (…, H) of the annotators, (…, S)."""
    present = ~np.isnan(ratings)
    weights = counts.astype(np.float64)
    return divide(weights @ np.where(present, ratings, 0.0), weights @ present)


def _requirement_by_people(
    by_size: Sequence[Floats], by_resample: Floats, sizes: Floats, pilot: int, width: float, *, fewest: int
) -> Requirement:
    """The size at which the interval is narrow enough.

    by_size: correlations of samples of each size, K of (R,). by_resample: those of samples of the pilot's size from
    each resample of it, (R', R). fewest: the smallest size that is possible.
    """
    correlations = np.stack(by_size, axis=1)
    low, high = percentile_interval(correlations, level=LEVEL)
    # A larger sample is no less precise.
    widths = np.minimum.accumulate(high - low)
    index = int(np.searchsorted(sizes, pilot))
    ratio = divide(defined_deviation(by_resample, axis=1), defined_deviation(correlations[:, index]))
    smallest, largest = percentile_interval(ratio)
    middle = np.median(ratio[~np.isnan(ratio)]) if not np.isnan(ratio).all() else np.nan
    value, lows, highs = (
        np.minimum(divide(widths, by, undefined=MAX_WIDTH), MAX_WIDTH) for by in (middle, largest, smallest)
    )
    amount, least, most = (_first_within(sizes, curve, width) for curve in (value, lows, highs))
    now, smallest_size = float(value[index]), float(sizes[0])
    bounds = {"most": float(sizes[-1]), "least": smallest_size if smallest_size > fewest else float("nan")}
    return Requirement(amount, least, most, now, sizes, value=value, lows=lows, highs=highs, **bounds)


def _first_within(sizes: Floats, widths: Floats, goal: float) -> float:
    """The size from which the widths are within a goal, interpolated on logarithmic scales; ∞ where none is."""
    if np.isnan(widths).all():
        return float("nan")
    within = np.flatnonzero(widths <= goal)
    if not len(within):
        return float("inf")
    index = int(within[0])
    if index == 0 or not widths[index] > 0:
        return float(sizes[index])
    share = np.log(widths[index - 1] / goal) / np.log(widths[index - 1] / widths[index])
    return float(sizes[index - 1] * (sizes[index] / sizes[index - 1]) ** share)
