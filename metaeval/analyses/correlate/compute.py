"""Do measures agree with people?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from metaeval.analyses.correlate.settings import CorrelateSettings
from metaeval.errors import InputError
from metaeval.stats.association import COEFFICIENTS
from metaeval.stats.correlation import (
    BONETT_WRIGHT,
    bootstrap_correlations,
    bootstrap_interval,
    calibrated_accuracy,
    fisher_interval,
    pooled,
    soft_accuracy,
)
from metaeval.stats.correlation import correlate as correlate_scores
from metaeval.stats.correlation_tests import SwapTest, holm, holm_pairs, swap_tests, williams, winners
from metaeval.study.human import People, Scores, oriented_scores, people_of
from metaeval.study.study import Study, Track, check_rankable

MEAN_OF_SCORES = "mean of scores"
"""The column of the correlation with the pooled mean of several people."""

CALIBRATED, SOFT = "acc-eq", "soft-pairwise"
"""Coefficients beside those of `stats.association.COEFFICIENTS`."""


@dataclass(frozen=True)
class Correlations:
    """Correlations of measures with people at one level by one coefficient; columns are people and their means.

    values, low, high: (M, H'). units, left_out: (M, H') as of `stats.association.AtLevel`. ceiling: (H',), of people.
    p: Holm-adjusted p-values of the differences of every two measures, with the last of the people or their pooled
    mean, (M, M); None where nothing was tested. best: whether a measure is the best or no worse, (M,).
    """

    level: str
    coefficient: str
    people: tuple[str, ...]
    values: Scores
    low: Scores
    high: Scores
    units: NDArray[np.int64]
    left_out: NDArray[np.int64]
    ceiling: Scores
    differences: Scores
    p: Scores | None
    best: NDArray[np.bool_]


def analyse(study: Study, settings: CorrelateSettings, *, track: Track) -> list[Correlations]:
    """Compute what `correlate` tells."""
    people = people_of(study, track=track)
    check_rankable(study)
    metric, human = oriented_scores(study, people)
    for what, chosen in (("interval", settings.interval), ("test", settings.test)):
        if chosen == "items" and metric.shape[-1] == 1:
            raise InputError.at(
                found=f"--{what} items without scores of single items",
                expected=f"--{what} systems",
                hint="measures of labels, and ratings of whole systems, have no scores of single items",
            )
    wished = list(_combinations(settings, metric.shape[-1]))
    if not wished:
        raise InputError.at(
            found=f"{', '.join(settings.coefficients)} at level {', '.join(settings.levels)}", expected="level system"
        )
    return [
        _at(study, settings, people, metric, human, level, coefficient)
        for level, coefficient in track(wished, "Correlations with people")
    ]


def _combinations(settings: CorrelateSettings, items: int) -> Iterator[tuple[str, str]]:
    levels = settings.levels or (("system", "item") if items > 1 else ("system",))
    for level in levels:
        if items == 1 and level != "system":
            raise InputError.at(
                found=f"level {level} without scores of single items",
                expected="level system",
                hint="measures of labels, and ratings of whole systems, have no scores of single items",
            )
        for coefficient in settings.coefficients:
            if coefficient == SOFT and (level != "system" or items == 1):
                if len(levels) > 1 and items > 1:
                    continue
                raise InputError.at(
                    found=f"{SOFT} at level {level}" if items > 1 else f"{SOFT} without scores of single items",
                    expected="level system, of scores of items",
                )
            yield level, coefficient


def _at(
    study: Study,
    settings: CorrelateSettings,
    people: People,
    metric: Scores,
    human: Scores,
    level: str,
    coefficient: str,
) -> Correlations:
    several = len(human) > 1
    everyone = np.concatenate([human, pooled(human)[np.newaxis]]) if several else human
    seed = study.config.seed
    values, units, left_out = _values(metric, everyone, level, coefficient, seed)
    low, high = _interval(settings, metric, everyone, values, units, level, coefficient, seed)
    names = (*people.ratings.measures, *((MEAN_OF_SCORES,) if several else ()))
    tested = _tested(settings, metric, everyone[-1], values, level, coefficient, seed)
    p = holm_pairs(tested.two_sided) if tested is not None else None
    best = _best(values[:, -1], tested, settings.alpha)
    return Correlations(
        level, coefficient, names, values, low, high, units, left_out, _ceiling(human, level, coefficient),
        tested.difference if tested is not None else np.full((len(values), len(values)), np.nan), p, best,
    )  # fmt: skip


def _best(values: Scores, tested: SwapTest | None, alpha: float) -> NDArray[np.bool_]:
    """The best measure and those not worse, by tests of the best against each other one, adjusted after Holm."""
    if tested is None or np.isnan(values).all():
        return np.zeros(len(values), dtype=np.bool_)
    best = int(np.nanargmax(values))
    p = np.ones_like(tested.two_sided)
    others = np.arange(len(values)) != best
    p[best, others] = holm(tested.two_sided[best, others])
    return winners(values, p, level=alpha)


def _values(
    metric: Scores, human: Scores, level: str, coefficient: str, seed: int
) -> tuple[Scores, NDArray[np.int64], NDArray[np.int64]]:
    if coefficient == CALIBRATED:
        calibrated = calibrated_accuracy(metric, human, level=level)
        return calibrated.values, calibrated.units, calibrated.left_out
    found = (
        soft_accuracy(metric, human, seed=seed)
        if coefficient == SOFT
        else correlate_scores(metric, human, level=level, coefficient=coefficient)
    )
    return found.values, found.units, found.left_out


def _interval(
    settings: CorrelateSettings,
    metric: Scores,
    human: Scores,
    values: Scores,
    units: NDArray[np.int64],
    level: str,
    coefficient: str,
    seed: int,
) -> tuple[Scores, Scores]:
    unknown = np.full(values.shape, np.nan)
    if settings.interval == "none" or coefficient not in COEFFICIENTS:
        return unknown, unknown
    if settings.interval == "fisher":
        if coefficient not in BONETT_WRIGHT:
            return unknown, unknown
        # Of a mean over items the interval is that of a single one, as in nlpstats: too wide, and said so.
        n = units if level in ("system", "global") else np.full(values.shape, metric.shape[1])
        return fisher_interval(values, n, coefficient=coefficient)
    resampled = "systems" if metric.shape[-1] == 1 else settings.interval
    if coefficient == "pairwise-accuracy" and resampled != "items":
        # A system drawn twice ties with itself in both rankings, and a tie in both counts as right.
        return unknown, unknown
    drawn = bootstrap_correlations(
        metric,
        human,
        level=level,
        coefficient=coefficient,
        resampled=resampled,
        resamples=settings.resamples,
        seed=seed,
    )
    low, high = (np.where(np.isnan(values), np.nan, bound) for bound in bootstrap_interval(drawn))
    return low, high


def _ceiling(human: Scores, level: str, coefficient: str) -> Scores:
    """How well each of the people agrees with the mean of the others, (H,)."""
    if len(human) < 2 or coefficient not in COEFFICIENTS:
        return np.full(len(human), np.nan)
    of_each = [
        correlate_scores(
            human[one : one + 1],
            pooled(np.delete(human, one, axis=0))[np.newaxis],
            level=level,
            coefficient=coefficient,
        ).values[0, 0]
        for one in range(len(human))
    ]
    return np.array(of_each)


def _tested(
    settings: CorrelateSettings, metric: Scores, human: Scores, values: Scores, level: str, coefficient: str, seed: int
) -> SwapTest | None:
    if settings.test == "none" or len(metric) < 2 or coefficient not in ("pearson", "spearman", "kendall-b"):
        return None
    if settings.test == "williams":
        return _williams(metric, values[:, -1], coefficient) if level == "system" else None
    swap = "systems" if metric.shape[-1] == 1 else settings.test
    return swap_tests(
        metric, human, level=level, coefficient=coefficient, swap=swap, resamples=settings.permutations, seed=seed
    )


def _williams(metric: Scores, values: Scores, coefficient: str) -> SwapTest | None:
    if coefficient != "pearson":
        return None
    between = correlate_scores(metric, metric, level="system", coefficient="pearson").values
    found = williams(values[:, np.newaxis], values[np.newaxis], between, metric.shape[1])
    return SwapTest(values[:, np.newaxis] - values, found.two_sided, found.greater, found.less)


def check(study: Study, settings: CorrelateSettings) -> None:
    """Nothing can be told before the ratings are read."""
