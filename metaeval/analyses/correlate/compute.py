"""Correlations of measures with human scores, with intervals and tests."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from metaeval.analyses.correlate.settings import CorrelateSettings
from metaeval.errors import InputError, setting
from metaeval.inference.clusters import Clusters, Codes, deal_groups
from metaeval.stats.association import COEFFICIENTS, AtLevel, at_level
from metaeval.stats.correlation import bootstrap_interval, calibrated_accuracy, soft_accuracy
from metaeval.stats.correlation import correlate as correlate_scores
from metaeval.stats.correlation_tests import DifferenceTest, holm, holm_pairs, swap_tests, williams
from metaeval.stats.intervals import BONETT_WRIGHT, defined_mean, fisher_interval
from metaeval.study.capabilities import ITEM_SCORES
from metaeval.study.evidence import dealing
from metaeval.study.human import HumanScores, Scores, human_scores_of, oriented_scores
from metaeval.study.study import Progress, Study, check_rankable

MEAN_OF_SCORES = "mean of scores"
"""The `human` of correlations with the pooled mean of several raters."""

CALIBRATED, SOFT = "acc-eq", "soft-pairwise"
"""Coefficients beside those of `stats.association.COEFFICIENTS`."""

Counts = NDArray[np.int64]


@dataclass(frozen=True)
class Correlations:
    """One coefficient of measures with human scores at one level; columns are the raters and their pooled mean.

    values, low, high: (M, H'). units, left_out: (M, H'), see `stats.association.AtLevel`. ceiling: of each rater with
    the mean of the others, (H,). differences: of each pair of measures in the last column, on the cells that both have,
    (M, M). shared: numbers of units of these, (M, M). p: Holm-adjusted p-values, (M, M); None without a test. best: the
    best measure and those not significantly different from it, (M,).
    """

    level: str
    coefficient: str
    humans: tuple[str, ...]
    values: Scores
    low: Scores
    high: Scores
    units: Counts
    left_out: Counts
    ceiling: Scores
    differences: Scores
    shared: Counts
    p: Scores | None
    best: NDArray[np.bool_]


@dataclass(frozen=True)
class _Input:
    """Oriented scores of measures, (M, S, N), and of the columns, (H', S, N), and the coefficient between them.

    clusters: codes of the clusters of the items, (N,), which are drawn and swapped whole; None without clusters.
    """

    metric: Scores
    human: Scores
    level: str
    coefficient: str
    seed: int
    clusters: Codes | None


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
    for each in clusters_used(study, humans, settings):
        assert each.codes is not None, "scores of items are in memory"
        clusters = deal_groups(each.sizes, dealing(study.config.seed, 0))[each.codes]
    requested = list(_combinations(settings, by_item=by_item))
    if not requested:
        raise InputError.at(
            found=f"{', '.join(settings.coefficients)} at level {', '.join(settings.levels)}", expected="level system"
        )
    names = humans.ratings.measures
    columns = human
    if len(human) > 1:
        names, columns = (*names, MEAN_OF_SCORES), np.concatenate([human, defined_mean(human)[np.newaxis]])
    return [
        _correlations(
            _Input(
                oriented_scores(study, humans, level=level)[0],
                *(columns, level, coefficient, study.config.seed, clusters),
            ),
            settings,
            names,
            _ceiling(human, level, coefficient),
        )
        for level, coefficient in progress(requested, "Correlations with human scores")
    ]


def has_items(study: Study, humans: HumanScores) -> bool:
    """Whether measures and people have scores of single items."""
    return humans.by_item and study.find(ITEM_SCORES) is not None and len(study.items) > 1


def clusters_used(study: Study, humans: HumanScores, settings: CorrelateSettings) -> tuple[Clusters, ...]:
    """The clusters that are drawn, swapped or flipped whole: at most those of one column; two are an `InputError`."""
    clusters = study.origin.clusters
    if not has_items(study, humans) or not settings.uses_clusters:
        return ()
    if len(clusters) > 1:
        columns = [each.column for each in clusters]
        chosen = [name for name in ("interval", "test") if getattr(settings, name) in ("both", "items")]
        others = [setting(name, "systems") for name in chosen]
        raise InputError.at(
            found=f"correlations with two columns of clusters, {' and '.join(columns)}",
            expected="one column, because resamples and swaps are of whole clusters, and two columns cut each other's",
            hint=f"name one of them, such as {setting('clusters', columns[0])}, where clusters of the other do not "
            "matter" + (f", or resample systems alone: {', '.join(others)}" if others else ""),
        )
    return clusters


def _without_items(found: str, expected: str) -> InputError:
    return InputError.at(
        found=f"{found} without scores of single items",
        expected=expected,
        hint="measures of labels, and ratings of whole systems, have no scores of single items",
    )


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
                raise InputError.at(
                    found=f"{SOFT} at level {level}" if by_item else f"{SOFT} without scores of single items",
                    expected="level system, of scores of items",
                )
            yield level, coefficient


def _correlations(data: _Input, settings: CorrelateSettings, names: tuple[str, ...], ceiling: Scores) -> Correlations:
    result = _values(data)
    values = result.values
    low, high = _interval(data, settings, values, result.units)
    test = _test(data, settings)
    measures = len(values)
    return Correlations(
        data.level, data.coefficient, names, values, low, high, result.units, result.left_out, ceiling,
        test.difference if test is not None else np.full((measures, measures), np.nan),
        _shared_units(data) if test is not None else np.zeros((measures, measures), dtype=np.int64),
        holm_pairs(test.p) if test is not None else None, _best(values[:, -1], test, settings.alpha),
    )  # fmt: skip


def _best(values: Scores, test: DifferenceTest | None, alpha: float) -> NDArray[np.bool_]:
    """The best measure and those not significantly worse, the winners' cluster of WMT's metrics tasks.

    p-values are Holm-adjusted over the tests against the best.
    """
    winners = ~np.isnan(values)
    if test is None or not winners.any():
        return np.zeros(len(values), dtype=np.bool_)
    best = int(np.nanargmax(values))
    others = np.arange(len(values)) != best
    # On the cells that both have, the order may be another one. p is a product with the number of tests.
    worse = (test.difference[best, others] > 0) & (holm(test.p[best, others]) <= alpha * (1 + 1e-12))
    winners[others] &= ~(worse & (values[others] < values[best]))
    return winners


def _values(data: _Input) -> AtLevel:
    if data.coefficient == CALIBRATED:
        return calibrated_accuracy(data.metric, data.human, level=data.level)
    if data.coefficient == SOFT:
        return soft_accuracy(data.metric, data.human, clusters=data.clusters, seed=data.seed)
    return correlate_scores(data.metric, data.human, level=data.level, coefficient=data.coefficient)


def _interval(data: _Input, settings: CorrelateSettings, values: Scores, units: Counts) -> tuple[Scores, Scores]:
    unknown = np.full(values.shape, np.nan), np.full(values.shape, np.nan)
    systems, items = data.metric.shape[1:]
    if settings.interval == "none" or data.coefficient not in COEFFICIENTS:
        return unknown
    if settings.interval == "fisher":
        if data.coefficient not in BONETT_WRIGHT:
            return unknown
        # Of a mean over items the interval is that of a single correlation, as in nlpstats; a note says so.
        n = units if data.level in ("system", "global") else np.full(values.shape, systems)
        return fisher_interval(values, n, coefficient=data.coefficient)
    resampled = "systems" if items == 1 else settings.interval
    ends = bootstrap_interval(
        data.metric, data.human, level=data.level, coefficient=data.coefficient, resampled=resampled,
        clusters=data.clusters, resamples=settings.resamples, seed=data.seed,
    )  # fmt: skip
    low, high = (np.where(np.isnan(values), np.nan, end) for end in ends)
    return low, high


def _ceiling(human: Scores, level: str, coefficient: str) -> Scores:
    """The correlation of each rater with the mean of the others, (H,)."""
    if len(human) < 2 or coefficient not in COEFFICIENTS:
        return np.full(len(human), np.nan)
    others = [defined_mean(np.delete(human, one, axis=0)) for one in range(len(human))]
    return np.array(
        [
            correlate_scores(one[np.newaxis], rest[np.newaxis], level=level, coefficient=coefficient).values[0, 0]
            for one, rest in zip(human, others, strict=True)
        ]
    )


def _test(data: _Input, settings: CorrelateSettings) -> DifferenceTest | None:
    """The test of the differences of each pair of measures in the last column; None where there is none."""
    metric, human, coefficient = data.metric, data.human[-1], data.coefficient
    if settings.test == "none" or len(metric) < 2 or coefficient not in ("pearson", "spearman", "kendall-b"):
        return None
    if settings.test == "williams":
        if data.level != "system" or coefficient != "pearson":
            return None
        return _williams(metric, human)
    swap = "systems" if metric.shape[-1] == 1 else settings.test
    return swap_tests(
        metric, human, level=data.level, coefficient=coefficient, swap=swap, clusters=data.clusters,
        resamples=settings.permutations, seed=data.seed,
    )  # fmt: skip


def _complete_pairs(metric: Scores, human: Scores) -> Iterator[tuple[int, int, Scores, Scores, Scores]]:
    """Each pair of measures with their scores and the human scores of the cells that all three have, NaN elsewhere."""
    for one, other in combinations(range(len(metric)), 2):
        present = ~(np.isnan(metric[one]) | np.isnan(metric[other]) | np.isnan(human))
        x, y, z = (np.where(present, scores, np.nan) for scores in (metric[one], metric[other], human))
        yield one, other, x, y, z


def _shared_units(data: _Input) -> Counts:
    """Number of systems, items or cells on which each pair of measures is compared in the last column, (M, M)."""
    units = np.zeros((len(data.metric), len(data.metric)), dtype=np.int64)
    for one, other, x, y, z in _complete_pairs(data.metric, data.human[-1]):
        of_pair = at_level(np.stack([x, y]), z, level=data.level, coefficient=data.coefficient).units
        units[one, other] = units[other, one] = of_pair.min()
    return units


def _williams(metric: Scores, human: Scores) -> DifferenceTest:
    """Williams' test of each pair of measures, on the cells that both and the human scores have."""
    difference, p = np.zeros((len(metric), len(metric))), np.ones((len(metric), len(metric)))
    for one, other, x, y, z in _complete_pairs(metric, human):
        of_pair = at_level(np.stack([x, y, x]), np.stack([z, z, y]), level="system", coefficient="pearson")
        of_x, of_y, between = of_pair.values
        difference[one, other], difference[other, one] = of_x - of_y, of_y - of_x
        p[one, other] = p[other, one] = williams(of_x, of_y, between, of_pair.units[0])
    return DifferenceTest(difference, p)
