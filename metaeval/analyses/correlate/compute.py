"""Correlations of measures with human scores, with intervals and tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations, product
from typing import Any, TypeAlias

import numpy as np

from metaeval.analyses.correlate.settings import CorrelateSettings
from metaeval.arrays import Bools, Indices, Ints, Scores
from metaeval.errors import InputError, conflict, refuse, setting
from metaeval.grid import in_units, round_to_grid
from metaeval.inference.clusters import Clusters, deal_groups
from metaeval.stats.association import (
    COEFFICIENTS,
    AtLevel,
    Coefficient,
    at_level,
    complete,
    largest_scores,
    mean_scores,
    means_on_grid,
)
from metaeval.stats.correlation import correlate as correlate_scores
from metaeval.stats.correlation import correlation_intervals
from metaeval.stats.correlation_tests import DifferenceTest, holm_pairs, swap_tests, williams
from metaeval.stats.decisions import AccuracyIntervals, accuracy_intervals, accuracy_tests, calibrated_accuracy
from metaeval.stats.intervals import BONETT_WRIGHT, defined_mean, fisher_interval
from metaeval.stats.ratio import divide
from metaeval.stats.soft_accuracy import soft_accuracy, soft_effects, soft_intervals, soft_tests
from metaeval.steps import step, steps
from metaeval.study.capabilities import ITEM_SCORES
from metaeval.study.evidence import dealing
from metaeval.study.human import (
    HumanScores,
    human_scores_of,
    mean_of_raters,
    oriented_scores,
    read_human_scores,
)
from metaeval.study.study import Progress, Study, check_rankable

MEAN_OF_SCORES = "mean of scores"
"""The `human` of correlations with the pooled mean of several raters."""

MEAN_OF_CORRELATIONS = "mean of correlations"
"""The `human` of the mean over the correlations with several raters."""

MEAN_OF_OTHERS = "mean of the others"
"""The `human` that each rater is compared with."""

CALIBRATED, SOFT = "acc-eq", "soft-pairwise"
"""Coefficients beside those of `stats.association.COEFFICIENTS`."""

CUTOFF = 2.5
"""Distance from the median, in deviations, above which a system is an outlier (Mathur et al. 2020)."""

NORMAL = 1.483
"""The deviation of a normal distribution in units of its median absolute deviation."""

Axes: TypeAlias = int | tuple[int, ...]

_AXES: dict[str, Axes] = {"system": -1, "item": -2, "by-system": -1, "global": (-2, -1)}
"""The axes of the cells that are correlated together at each level."""


@dataclass(frozen=True)
class Influence:
    """Correlations without some of S systems.

    without: each system, (S, M). outliers: systems whose human scores are outliers, (S,). without_outliers: (M,), NaN
    where there are none.
    """

    without: Scores
    outliers: Bools
    without_outliers: Scores


@dataclass(frozen=True)
class Correlations:
    """One coefficient of measures with one set of human scores at one level.

    measures: their names; `--partial` may leave one out. values, low, high: (M,). units, left_out: (M,), see
    `stats.association.AtLevel`. test: of the differences of each pair of measures, on the cells that both have; None
    without one. overlap: numbers of units of these, (M, M). best: the measure with the highest value, and those that
    are not significantly worse than it, (M,). ranks: of the rank clusters of the metrics tasks of WMT, (M,), 0 where
    undefined. influence: of single systems, at level system. ceiling: of each rater with the mean of the others; empty
    unless raters are pooled. thresholds: of acc-eq, with intervals. error: of the sign flips of soft-pairwise, (M,).
    """

    measures: tuple[str, ...]
    human: str
    level: str
    coefficient: str
    values: Scores
    low: Scores
    high: Scores
    units: Ints
    left_out: Ints
    test: DifferenceTest | None
    overlap: Ints
    best: Bools
    ranks: Ints
    influence: Influence | None
    ceiling: Scores
    thresholds: AccuracyIntervals | None = None
    error: Scores | None = None

    @property
    def leader(self) -> int | None:
        """The measure with the highest value; None where all are undefined."""
        return None if np.isnan(self.values).all() else int(np.nanargmax(self.values))

    @property
    def leaders(self) -> list[int]:
        """The measures that share the highest value; none where all are undefined."""
        return [] if self.leader is None else np.flatnonzero(self.values == self.values[self.leader]).tolist()


def first_human_correlations(parts: Sequence[Correlations]) -> Correlations:
    """The first coefficient at the first level, with the mean of pooled raters, or else the first human scores."""
    kind = (parts[0].level, parts[0].coefficient)
    pooled = (part for part in parts if part.human == MEAN_OF_SCORES and (part.level, part.coefficient) == kind)
    return next(pooled, parts[0])


@dataclass(frozen=True)
class _Input:
    """Oriented scores of measures, (M, S, N), and human scores, (S, N), and the coefficient between them.

    clusters: codes of the clusters of the items, (N,), which are drawn and swapped whole; None without clusters.
    constant: the coefficient where all scores or ratings of an item are alike, NaN for none.
    """

    metric: Scores
    human: Scores
    level: str
    coefficient: str
    seed: int
    clusters: Indices | None
    constant: float


@dataclass(frozen=True)
class _Inference:
    """Intervals and tests by coefficient, of those that share draws."""

    ends: dict[str, tuple[Scores, Scores]]
    tests: dict[str, DifferenceTest]


def check(study: Study, settings: CorrelateSettings) -> None:
    """Check nothing: what is possible depends on the human scores, which are not read yet."""


def analyse(study: Study, settings: CorrelateSettings, *, progress: Progress) -> list[Correlations]:
    """Correlate the measures with the human scores by each coefficient at each level."""
    humans = human_scores_of(study, progress=progress)
    check_rankable(study)
    metric, human = oriented_scores(study, humans)
    by_item = metric.shape[-1] > 1
    for name, value in (("interval", settings.interval), ("test", settings.test)):
        if value == "items" and not by_item:
            raise _without_items(setting(name, "items"), setting(name, "systems"))
    clusters = None
    for grouping in clusters_used(study, humans, settings):
        clusters = deal_groups(grouping.sizes, dealing(study.config.seed, 0))[grouping.item_codes]
    requested = list(_combinations(settings, by_item=by_item))
    if not requested:
        other = f"level {', '.join(settings.levels)}"
        raise refuse(None, conflict(", ".join(settings.coefficients), other, "level system"))
    covariate = None if settings.partial is None else covariate_scores(study, settings.partial, progress=progress)[0]
    measures = [index for index, name in enumerate(study.measure_names) if name != settings.partial]
    pooled = study.config.data.human_pool == "mean" and len(human) > 1
    targets = dict(zip(humans.ratings.measures, human, strict=True))
    if pooled:
        targets[MEAN_OF_SCORES] = mean_of_raters(human)
    constant = 0.0 if settings.constant_items == "zero" else np.nan
    names = tuple(study.measure_names[index] for index in measures)
    parts, inferences = [], dict[tuple[str, str], _Inference]()
    # Levels and coefficients take different times: they are named.
    every = [*product(requested, targets.items())]
    for (level, coefficient), (name, scores) in steps(every, "Correlations"):
        with step(f"{coefficient} with {name} at level {level}"):
            metric = oriented_scores(study, humans, level=level)[0][measures]
            if covariate is not None:
                metric, scores = without_covariate(metric, scores, covariate, level=level)
            data = _Input(
                metric=metric,
                human=scores,
                level=level,
                coefficient=coefficient,
                seed=study.config.seed,
                clusters=clusters,
                constant=constant,
            )
            tested = not pooled or name == MEAN_OF_SCORES
            ceiling = _ceiling(human, level, coefficient) if pooled and tested else np.empty(0)
            if (level, name) not in inferences:
                coefficients = [candidate for at, candidate in requested if at == level and candidate in COEFFICIENTS]
                inferences[level, name] = _draw(data, settings, coefficients, tested=tested)
            part = _correlations(data, settings, inferences[level, name], tested=tested)
            parts.append(replace(part, measures=names, human=name, ceiling=ceiling))
    return parts


def has_items(study: Study, humans: HumanScores) -> bool:
    """Whether measures and people have scores of single items."""
    return humans.by_item and study.find(ITEM_SCORES) is not None and len(study.items) > 1


def clusters_used(study: Study, humans: HumanScores, settings: CorrelateSettings) -> tuple[Clusters, ...]:
    """The clusters that are drawn, swapped or flipped whole: at most those of one column; two are an `InputError`."""
    clusters = study.origin.clusters
    if not has_items(study, humans) or not settings.uses_clusters:
        return ()
    if len(clusters) > 1:
        columns = [grouping.column for grouping in clusters]
        options = [name for name in ("interval", "test") if getattr(settings, name) in ("both", "items")]
        others = [setting(name, "systems") for name in options]
        expected = "one column, because resamples and swaps are of whole clusters, and two columns cut each other's"
        hint = (
            f"name one of them, such as {setting('clusters', columns[0])}, where clusters of the other do not "
            "matter" + (f", or resample systems alone: {', '.join(others)}" if others else "")
        )
        raise refuse(None, f"correlations with two columns of clusters, {' and '.join(columns)}", expected, hint)
    return clusters


def _without_items(found: str, expected: str) -> InputError:
    hint = "measures of labels, and ratings of whole systems, have no scores of single items"
    return refuse(None, conflict(found, "no scores of single items", expected, hint))


def _combinations(settings: CorrelateSettings, *, by_item: bool) -> Iterator[tuple[str, str]]:
    """The requested levels and coefficients; an `InputError` for one that the data do not allow."""
    levels = settings.levels or (("system", "item") if by_item else ("system",))
    for level in levels:
        if not by_item and level != "system":
            raise _without_items(f"level {level}", "level system")
        for coefficient in settings.coefficients:
            if coefficient == SOFT and (level != "system" or not by_item):
                if len(levels) > 1 and by_item:
                    continue
                other = f"level {level}" if by_item else "no scores of single items"
                raise refuse(None, conflict(SOFT, other, "level system, of scores of items"))
            yield level, coefficient


def _correlations(data: _Input, settings: CorrelateSettings, inference: _Inference, *, tested: bool) -> Correlations:
    """One coefficient at one level, with its tests where it is tested; without names."""
    thresholds, error = None, None
    values_without: Callable[[Bools], Scores] = partial(_values_without, data)
    if data.coefficient == SOFT:
        soft = soft_accuracy(
            data.metric, data.human[np.newaxis], clusters=data.clusters, flips=settings.permutations, seed=data.seed
        )
        accuracy = at_level(data.metric, data.human, level=data.level, coefficient="pairwise-accuracy")
        result = replace(accuracy, values=soft.values[:, 0])
        values_without, error = (lambda left_out: soft.without(left_out)[:, 0]), soft.error[:, 0]
    else:
        result = _values(data)
        if data.level == "system" and data.coefficient in COEFFICIENTS:
            values_without = correlator_of_means(data.metric, data.human, COEFFICIENTS[data.coefficient])
    if data.coefficient == CALIBRATED and settings.interval not in ("none", "fisher"):
        thresholds = accuracy_intervals(data.metric, data.human, level=data.level, **_resamples(data, settings))
        low, high = thresholds.low, thresholds.high
    else:
        low, high = inference.ends.get(data.coefficient) or _interval(data, settings, result.values, result.units)
    low, high = (np.where(np.isnan(result.values), np.nan, end) for end in (low, high))
    test = inference.tests.get(data.coefficient) or (_test(data, settings, result.values) if tested else None)
    measures = len(data.metric)
    best, ranks = conclusions(result.values, test, settings.alpha)
    return Correlations(
        measures=(),
        human="",
        level=data.level,
        coefficient=data.coefficient,
        values=result.values,
        low=low,
        high=high,
        units=result.units,
        left_out=result.left_out,
        test=test,
        overlap=np.zeros((measures, measures), dtype=np.int64) if test is None else _shared_units(data, result.units),
        best=best,
        ranks=ranks,
        influence=influence_of(data.human, values_without) if data.level == "system" else None,
        ceiling=np.empty(0),
        thresholds=thresholds,
        error=error,
    )


def _resamples(data: _Input, settings: CorrelateSettings) -> dict[str, Any]:
    """What is drawn for intervals, and how often."""
    resampled = "systems" if data.metric.shape[-1] == 1 else settings.interval
    return {"resampled": resampled, "clusters": data.clusters, "resamples": settings.resamples, "seed": data.seed}


def conclusions(values: Scores, test: DifferenceTest | None, alpha: float) -> tuple[Bools, Ints]:
    """The best measures, (M,), and the ranks, (M,); all False and 0 without a test."""
    if test is None:
        return np.zeros(len(values), dtype=np.bool_), np.zeros(len(values), dtype=np.int64)
    better = (test.difference > 0) & (test.p_adjusted <= alpha)
    return best_of(values, better), rank_clusters(values, better)


def best_of(values: Scores, better: Bools) -> Bools:
    """The measure with the highest value, and those than which it is not significantly better."""
    defined = ~np.isnan(values)
    return defined & ~better[int(np.nanargmax(values))] if defined.any() else defined


def rank_clusters(values: Scores, better: Bools) -> Ints:
    """Ranks of measures, (M,), as in the metrics tasks of WMT; 0 for undefined values.

    From the highest value down, a measure begins a new rank if one of the current rank is significantly better.
    better: (M, M), the first measure in rows.
    """
    ranks = np.zeros(len(values), dtype=np.int64)
    cluster: list[int] = []
    rank = 0
    for index in np.argsort(-values, kind="stable")[: np.count_nonzero(~np.isnan(values))].tolist():
        if not cluster or better[cluster, index].any():
            rank, cluster = rank + 1, []
        cluster.append(index)
        ranks[index] = rank
    return ranks


def _values(data: _Input) -> AtLevel:
    human = data.human[np.newaxis]
    if data.coefficient == CALIBRATED:
        result = calibrated_accuracy(data.metric, human, level=data.level)
    else:
        result = correlate_scores(
            data.metric, human, level=data.level, coefficient=data.coefficient, constant=data.constant
        )
    return AtLevel(result.values[:, 0], result.units[:, 0], result.left_out[:, 0])


def _values_without(data: _Input, left_out: Bools) -> Scores:
    """The values without some systems, (M,); left_out: (S,)."""
    return _values(replace(data, metric=data.metric[:, ~left_out], human=data.human[~left_out])).values


def _interval(data: _Input, settings: CorrelateSettings, values: Scores, units: Ints) -> tuple[Scores, Scores]:
    unknown = np.full(values.shape, np.nan), np.full(values.shape, np.nan)
    if settings.interval == "none":
        return unknown
    if settings.interval == "fisher":
        if data.coefficient not in BONETT_WRIGHT:
            return unknown
        # Of a mean over items the interval is that of a single correlation, as in nlpstats; a note says so.
        n = units if data.level in ("system", "global") else np.full(values.shape, data.metric.shape[1])
        return fisher_interval(values, n, coefficient=data.coefficient)
    effects = soft_effects(data.metric, data.human, clusters=data.clusters)
    return soft_intervals(effects, values, resampled=settings.interval)


def _ceiling(human: Scores, level: str, coefficient: str) -> Scores:
    """The correlation of each rater with the mean of the others, (H,)."""
    if len(human) < 2 or coefficient not in COEFFICIENTS:
        return np.full(len(human), np.nan)
    others = np.stack([mean_of_raters(np.delete(human, one, axis=0)) for one in range(len(human))])
    return at_level(human, others, level=level, coefficient=coefficient).values


def _draw(data: _Input, settings: CorrelateSettings, coefficients: list[str], *, tested: bool) -> _Inference:
    """Intervals and tests, which share draws, of the coefficients of `COEFFICIENTS`."""
    options: dict[str, Any] = {"level": data.level, "coefficients": coefficients, "constant": data.constant}
    ends, tests = {}, {}
    if coefficients and settings.interval not in ("none", "fisher"):
        human = data.human[np.newaxis]
        intervals = correlation_intervals(data.metric, human, **options, **_resamples(data, settings))
        ends = {name: (low[:, 0], high[:, 0]) for name, (low, high) in intervals.items()}
    if coefficients and tested and settings.test not in ("none", "williams") and len(data.metric) > 1:
        tests = swap_tests(data.metric, data.human, **options, **_swaps(data, settings))
    return _Inference(ends, tests)


def _swaps(data: _Input, settings: CorrelateSettings) -> dict[str, Any]:
    """What is swapped by tests, and how often."""
    swap = "systems" if data.metric.shape[-1] == 1 else settings.test
    return {"swap": swap, "clusters": data.clusters, "resamples": settings.permutations, "seed": data.seed}


def _test(data: _Input, settings: CorrelateSettings, values: Scores) -> DifferenceTest | None:
    """The test of the differences of each pair of measures that is not of `_draw`; None where there is none."""
    metric, human, coefficient = data.metric, data.human, data.coefficient
    if settings.test == "none" or len(metric) < 2:
        return None
    if settings.test == "williams":
        return _williams(metric, human) if data.level == "system" and coefficient == "pearson" else None
    swaps = _swaps(data, settings)
    if coefficient == SOFT:
        return soft_tests(metric, human, values=values, **swaps)
    # The order of the means of systems is no sum over items.
    unknown = data.level == "system" and swaps["swap"] == "items"
    return None if unknown else accuracy_tests(metric, human, level=data.level, **swaps)


def _complete_pairs(metric: Scores, human: Scores) -> Iterator[tuple[int, int, Scores, Scores, Scores]]:
    """Each pair of measures with their scores and the human scores of the cells that all three have, NaN elsewhere."""
    for one, other in combinations(range(len(metric)), 2):
        present = ~(np.isnan(metric[one]) | np.isnan(metric[other]) | np.isnan(human))
        x, y, z = (np.where(present, scores, np.nan) for scores in (metric[one], metric[other], human))
        yield one, other, x, y, z


def _shared_units(data: _Input, units_by_measure: Ints) -> Ints:
    """Number of systems, items or cells on which each pair of measures is compared, (M, M).

    units_by_measure: those of each measure, (M,).
    """
    missing = np.isnan(data.metric) | np.isnan(data.human)
    if (missing == missing[0]).all():
        return np.minimum(units_by_measure, units_by_measure[:, np.newaxis])
    units = np.zeros((len(data.metric), len(data.metric)), dtype=np.int64)
    for one, other, x, y, z in _complete_pairs(data.metric, data.human):
        coefficient = "pairwise-accuracy" if data.coefficient in (CALIBRATED, SOFT) else data.coefficient
        pair = at_level(np.stack([x, y]), z, level=data.level, coefficient=coefficient)
        units[one, other] = units[other, one] = pair.units.min()
    return units


def _williams(metric: Scores, human: Scores) -> DifferenceTest:
    """Williams' test of each pair of measures, on the cells that both and the human scores have."""
    difference, p = np.zeros((len(metric), len(metric))), np.ones((len(metric), len(metric)))
    for one, other, x, y, z in _complete_pairs(metric, human):
        pair = at_level(np.stack([x, y, x]), np.stack([z, z, y]), level="system", coefficient="pearson")
        x_with_z, y_with_z, x_with_y = pair.values
        difference[one, other], difference[other, one] = x_with_z - y_with_z, y_with_z - x_with_z
        p[one, other] = p[other, one] = williams(x_with_z, y_with_z, x_with_y, pair.units[0])
    return DifferenceTest(difference, p, holm_pairs(p), resamples=0)


def influence_of(human: Scores, values_without: Callable[[Bools], Scores]) -> Influence:
    """The influence of single systems, and of the outliers among them.

    human: (S, N). values_without: the values of the measures, (M,), without the systems of a mask, (S,).
    """
    systems = len(human)
    without = np.stack([values_without(np.arange(systems) == left_out) for left_out in range(systems)])
    outliers = outliers_of(mean_scores(human))
    without_outliers = values_without(outliers) if outliers.any() else np.full(without.shape[1], np.nan)
    return Influence(without, outliers, without_outliers)


def correlator_of_means(metric: Scores, human: Scores, correlate: Coefficient) -> Callable[[Bools], Scores]:
    """A function to the correlations of system means without some systems; metric, human: (M, S, N) and (S, N).

    The means of the others are the same; only the grid that they are on depends on the systems that are left.
    """
    x, y, _ = complete(metric, human)
    means = [(defined_mean(scores, axis=-1), largest_scores(scores)) for scores in (x, y)]

    def without(left_out: Bools) -> Scores:
        left = ((mean[:, ~left_out], largest[:, ~left_out]) for mean, largest in means)
        return correlate(*(means_on_grid(mean, largest, x.shape[-1]) for mean, largest in left))

    return without


def outliers_of(scores: Scores) -> Bools:
    """Scores, (S,), that are more than `CUTOFF` deviations from the median, by the median absolute deviation."""
    distance = np.abs(scores - np.nanmedian(scores))
    return np.asarray(distance > CUTOFF * NORMAL * np.nanmedian(distance))


def covariate_scores(study: Study, name: str, *, progress: Progress) -> tuple[Scores, HumanScores | None]:
    """The scores (S, N) of a measure of the study, or of the only one in a file of scores; and what that file has."""
    if name in study.measure_names:
        index, items = study.measure_names.index(name), study.find(ITEM_SCORES)
        return study.scores.values[index][:, np.newaxis] if items is None else items.values[index], None
    humans = read_human_scores(study, (name,), progress=progress)
    measures = humans.ratings.measures
    if len(measures) > 1:
        other = f"the measures {', '.join(measures)}"
        raise refuse(name, conflict(setting("partial", name), other, "a file with one measure"))
    return humans.ratings.values[0], humans


def without_covariate(metric: Scores, human: Scores, covariate: Scores, *, level: str) -> tuple[Scores, Scores]:
    """The residuals of measures, (M, S, N), and human scores, (S, N), in linear regressions on other scores, (S, N).

    Each vector that is correlated at the level has a regression of its own; at level system it is that of the means,
    by which cells are corrected.
    """
    if 1 in (metric.shape[-1], human.shape[-1], covariate.shape[-1]):
        metric, human, covariate = (mean_scores(scores)[..., np.newaxis] for scores in (metric, human, covariate))
    missing = np.isnan(human) | np.isnan(covariate)
    metric, human, covariate = (in_units(scores, axis=(-2, -1)) for scores in (metric, human, covariate))
    metric, human = np.where(missing, np.nan, metric), np.where(missing, np.nan, human)
    return _residuals(metric, covariate, level=level), _residuals(human[np.newaxis], covariate, level=level)[0]


def _residuals(scores: Scores, covariate: Scores, *, level: str) -> Scores:
    axes = _AXES[level]
    x = np.where(np.isnan(scores), np.nan, covariate)
    fitted_x, fitted_y = (mean_scores(variable) if level == "system" else variable for variable in (x, scores))
    centred_x, centred_y = (variable - _mean(variable, axes) for variable in (fitted_x, fitted_y))
    slope = divide(_sum(centred_x * centred_y, axes), _sum(centred_x**2, axes), undefined=0.0)
    residuals = scores - slope[..., np.newaxis] * x if level == "system" else centred_y - slope * centred_x
    return round_to_grid(residuals, np.nanmax(np.abs(scores), axis=(-2, -1), keepdims=True, initial=0.0))


def _mean(scores: Scores, axes: Axes) -> Scores:
    return divide(_sum(scores, axes), np.sum(~np.isnan(scores), axis=axes, keepdims=True))


def _sum(scores: Scores, axes: Axes) -> Scores:
    return np.asarray(np.nansum(scores, axis=axes, keepdims=True))
