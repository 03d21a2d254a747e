"""Correlations of measures with human scores, with intervals and tests."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from metaeval.analyses.correlate.settings import CorrelateSettings
from metaeval.errors import InputError, setting
from metaeval.stats.association import COEFFICIENTS
from metaeval.stats.correlation import (
    BONETT_WRIGHT,
    bootstrap_correlations,
    calibrated_accuracy,
    fisher_interval,
    pooled,
    soft_accuracy,
)
from metaeval.stats.correlation import correlate as correlate_scores
from metaeval.stats.correlation_tests import SwapTest, holm, holm_pairs, swap_tests, williams, winners
from metaeval.stats.intervals import percentile_interval
from metaeval.study.human import Scores, human_scores_of, oriented_scores
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
    the mean of the others, (H,). p: Holm-adjusted p-values of the differences of each pair of measures in the last
    column, (M, M); None without a test. best: the best measure and those not significantly different from it, (M,).
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
    p: Scores | None
    best: NDArray[np.bool_]


@dataclass(frozen=True)
class _Input:
    """Oriented scores of measures, (M, S, N), and of the columns, (H', S, N), and the coefficient between them."""

    metric: Scores
    human: Scores
    level: str
    coefficient: str
    seed: int


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
    combinations = list(_combinations(settings, by_item=by_item))
    if not combinations:
        raise InputError.at(
            found=f"{', '.join(settings.coefficients)} at level {', '.join(settings.levels)}", expected="level system"
        )
    names = humans.ratings.measures
    columns = human
    if len(human) > 1:
        names, columns = (*names, MEAN_OF_SCORES), np.concatenate([human, pooled(human)[np.newaxis]])
    return [
        _correlations(
            _Input(metric, columns, level, coefficient, study.config.seed),
            settings,
            names,
            _ceiling(human, level, coefficient),
        )
        for level, coefficient in progress(combinations, "Correlations with human scores")
    ]


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
    values, units, left_out = _values(data)
    low, high = _interval(data, settings, values, units)
    test = _test(data, settings, values[:, -1])
    measures = len(values)
    return Correlations(
        data.level, data.coefficient, names, values, low, high, units, left_out, ceiling,
        test.difference if test is not None else np.full((measures, measures), np.nan),
        holm_pairs(test.two_sided) if test is not None else None, _best(values[:, -1], test, settings.alpha),
    )  # fmt: skip


def _best(values: Scores, test: SwapTest | None, alpha: float) -> NDArray[np.bool_]:
    """The best measure and those not significantly different, Holm-adjusted over the tests against the best."""
    if test is None or np.isnan(values).all():
        return np.zeros(len(values), dtype=np.bool_)
    best = int(np.nanargmax(values))
    p = np.ones_like(test.two_sided)
    others = np.arange(len(values)) != best
    p[best, others] = holm(test.two_sided[best, others])
    return winners(values, p, level=alpha)


def _values(data: _Input) -> tuple[Scores, Counts, Counts]:
    if data.coefficient == CALIBRATED:
        calibrated = calibrated_accuracy(data.metric, data.human, level=data.level)
        return calibrated.values, calibrated.units, calibrated.left_out
    result = (
        soft_accuracy(data.metric, data.human, seed=data.seed)
        if data.coefficient == SOFT
        else correlate_scores(data.metric, data.human, level=data.level, coefficient=data.coefficient)
    )
    return result.values, result.units, result.left_out


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
    if data.coefficient == "pairwise-accuracy" and resampled != "items":
        # A system drawn twice is tied with itself in both rankings, and a tie in both counts as correct.
        return unknown
    resamples = bootstrap_correlations(
        data.metric, data.human, level=data.level, coefficient=data.coefficient, resampled=resampled,
        resamples=settings.resamples, seed=data.seed,
    )  # fmt: skip
    low, high = (np.where(np.isnan(values), np.nan, bound) for bound in percentile_interval(resamples))
    return low, high


def _ceiling(human: Scores, level: str, coefficient: str) -> Scores:
    """The correlation of each rater with the mean of the others, (H,)."""
    if len(human) < 2 or coefficient not in COEFFICIENTS:
        return np.full(len(human), np.nan)
    others = [pooled(np.delete(human, one, axis=0)) for one in range(len(human))]
    return np.array(
        [
            correlate_scores(one[np.newaxis], rest[np.newaxis], level=level, coefficient=coefficient).values[0, 0]
            for one, rest in zip(human, others, strict=True)
        ]
    )


def _test(data: _Input, settings: CorrelateSettings, values: Scores) -> SwapTest | None:
    """The test of the differences of each pair of measures in the last column; None where there is none."""
    metric, human, coefficient = data.metric, data.human[-1], data.coefficient
    if settings.test == "none" or len(metric) < 2 or coefficient not in ("pearson", "spearman", "kendall-b"):
        return None
    if settings.test == "williams":
        if data.level != "system" or coefficient != "pearson":
            return None
        between = correlate_scores(metric, metric, level="system", coefficient="pearson").values
        test = williams(values[:, np.newaxis], values[np.newaxis], between, metric.shape[1])
        return SwapTest(values[:, np.newaxis] - values, test.two_sided, test.greater, test.less)
    swap = "systems" if metric.shape[-1] == 1 else settings.test
    return swap_tests(
        metric, human, level=data.level, coefficient=coefficient, swap=swap, resamples=settings.permutations,
        seed=data.seed,
    )  # fmt: skip
