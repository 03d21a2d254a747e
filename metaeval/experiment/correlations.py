"""Do measures agree with people?"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from metaeval.config import CorrelateConfig, ExperimentConfig
from metaeval.errors import InputError, counted
from metaeval.experiment.correlation_points import point_table
from metaeval.experiment.findings import on_correlations
from metaeval.experiment.item_study import ItemStudy
from metaeval.experiment.people import People, read_people
from metaeval.experiment.reading import read_study
from metaeval.experiment.study import Part, Study, check_rankable, silently
from metaeval.io.dataset import Track
from metaeval.meta.correlation import (
    BONETT_WRIGHT,
    bootstrap_correlations,
    bootstrap_interval,
    calibrated_accuracy,
    fisher_interval,
    mean_over_sets,
    pooled,
    soft_accuracy,
)
from metaeval.meta.correlation import correlate as correlate_scores
from metaeval.model.report import Cell, Column, Finding, Kind, Report, Table
from metaeval.stats.association import COEFFICIENTS
from metaeval.stats.correlation_tests import SwapTest, holm, holm_pairs, swap_tests, williams, winners
from metaeval.stats.intervals import defined_mean

Scores = NDArray[np.float64]

MEAN_OF_CORRELATIONS, MEAN_OF_SCORES = "mean of correlations", "mean of scores"
"""What stands beside several human data sets: the mean of their columns, and the correlation with their pooled mean."""

MEAN_OF_OTHERS = "mean of the others"
"""What each of the people is compared with, which is steadier than a single one."""

CEILING = "people, each against the others"
"""The row of people among the measures: how well one of them would do."""

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


def correlate(config: ExperimentConfig, *, command_line: str = "", track: Track = silently) -> Report:
    """Correlations of measures with human scores, with intervals and the measures that are no worse than the best.

    Table `correlations`: measure, human, level, coefficient, value, low, high, n, left_out, best. Table
    `correlation_differences`: level, coefficient, human, measure, other, difference, p. Table
    `correlation_scores`: human, measure, system, score, rating.
    """
    study = read_study(config, track=track)
    people = read_people(study, track=track)
    part = correlation_tables(study, people, find_correlations(study, people, track=track))
    section = study.config.correlate or CorrelateConfig()
    return study.report("correlate", part, command_line=command_line, sections=[section])


def find_correlations(study: Study, people: People, *, track: Track) -> list[Correlations]:
    """Compute what `correlate` tells."""
    check_rankable(study)
    wanted = study.config.correlate or CorrelateConfig()
    metric, human = oriented_scores(study, people)
    for what, chosen in (("interval", wanted.interval), ("test", wanted.test)):
        if chosen == "items" and metric.shape[-1] == 1:
            raise InputError.at(
                found=f"--{what} items without scores of single items",
                expected=f"--{what} systems",
                hint="measures of labels, and ratings of whole systems, have no scores of single items",
            )
    wished = list(_combinations(wanted, metric.shape[-1]))
    if not wished:
        raise InputError.at(
            found=f"{', '.join(wanted.coefficients)} at level {', '.join(wanted.levels)}", expected="level system"
        )
    return [
        _at(study, wanted, people, metric, human, level, coefficient)
        for level, coefficient in track(wished, "Correlations with people")
    ]


def oriented_scores(study: Study, people: People) -> tuple[Scores, Scores]:
    """Measures (M, S, N) and people (H, S, N), higher better everywhere; N is 1 where one of them has no items."""
    signs = np.array([direction.sign for direction in study.scores.directions], dtype=np.float64)
    human = people.ratings.values * np.array([[[one.sign]] for one in people.ratings.directions], dtype=np.float64)
    if isinstance(study, ItemStudy) and people.by_item:
        return study.item_scores.values * signs[:, np.newaxis, np.newaxis], human
    # Measures of labels have no scores of single items, and some people judge whole systems.
    means = np.where(np.isnan(human).all(axis=-1), np.nan, mean_over_sets(human))
    return (study.scores.values * signs[:, np.newaxis])[..., np.newaxis], means[..., np.newaxis]


def _combinations(wanted: CorrelateConfig, items: int) -> Iterator[tuple[str, str]]:
    levels = wanted.levels or (("system", "item") if items > 1 else ("system",))
    for level in levels:
        if items == 1 and level != "system":
            raise InputError.at(
                found=f"level {level} without scores of single items",
                expected="level system",
                hint="measures of labels, and ratings of whole systems, have no scores of single items",
            )
        for coefficient in wanted.coefficients:
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
    wanted: CorrelateConfig,
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
    low, high = _interval(wanted, metric, everyone, values, units, level, coefficient, seed)
    names = (*people.ratings.measures, *((MEAN_OF_SCORES,) if several else ()))
    tested = _tested(wanted, metric, everyone[-1], values, level, coefficient, seed)
    p = holm_pairs(tested.two_sided) if tested is not None else None
    best = _best(values[:, -1], tested, wanted.alpha)
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
    wanted: CorrelateConfig,
    metric: Scores,
    human: Scores,
    values: Scores,
    units: NDArray[np.int64],
    level: str,
    coefficient: str,
    seed: int,
) -> tuple[Scores, Scores]:
    unknown = np.full(values.shape, np.nan)
    if wanted.interval == "none" or coefficient not in COEFFICIENTS:
        return unknown, unknown
    if wanted.interval == "fisher":
        if coefficient not in BONETT_WRIGHT:
            return unknown, unknown
        # Of a mean over items the interval is that of a single one, as in nlpstats: too wide, and said so.
        n = units if level in ("system", "global") else np.full(values.shape, metric.shape[1])
        return fisher_interval(values, n, coefficient=coefficient)
    resampled = "systems" if metric.shape[-1] == 1 else wanted.interval
    if coefficient == "pairwise-accuracy" and resampled != "items":
        # A system drawn twice ties with itself in both rankings, and a tie in both counts as right.
        return unknown, unknown
    drawn = bootstrap_correlations(
        metric, human, level=level, coefficient=coefficient, resampled=resampled, resamples=wanted.resamples, seed=seed
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
    wanted: CorrelateConfig, metric: Scores, human: Scores, values: Scores, level: str, coefficient: str, seed: int
) -> SwapTest | None:
    if wanted.test == "none" or len(metric) < 2 or coefficient not in ("pearson", "spearman", "kendall-b"):
        return None
    if wanted.test == "williams":
        return _williams(metric, values[:, -1], coefficient) if level == "system" else None
    swap = "systems" if metric.shape[-1] == 1 else wanted.test
    return swap_tests(
        metric, human, level=level, coefficient=coefficient, swap=swap, resamples=wanted.permutations, seed=seed
    )


def _williams(metric: Scores, values: Scores, coefficient: str) -> SwapTest | None:
    if coefficient != "pearson":
        return None
    between = correlate_scores(metric, metric, level="system", coefficient="pearson").values
    found = williams(values[:, np.newaxis], values[np.newaxis], between, metric.shape[1])
    return SwapTest(values[:, np.newaxis] - values, found.two_sided, found.greater, found.less)


def correlation_tables(study: Study, people: People, found: Sequence[Correlations]) -> Part:
    """The tables of `correlate`, and what to say of them."""
    names = study.measure_names
    rows = [row for part in found for row in _rows(names, part)]
    title = f"{counted(len(names), 'measure')} against people, {counted(len(study.systems), 'system')}"
    table = Table(
        "correlations",
        title,
        (
            *(Column(name) for name in ("measure", "human", "level", "coefficient")),
            *(Column(name, Kind.SCORE) for name in ("value", "low", "high")),
            *(Column(name, Kind.COUNT) for name in ("n", "left_out")),
            Column("best", Kind.FLAG),
        ),
        tuple(rows),
    )
    tables = [table]
    differences = [row for part in found if part.p is not None for row in _differences(names, part)]
    if differences:
        tables.append(
            Table(
                "correlation_differences",
                "Differences of correlations with people, p adjusted after Holm",
                (
                    *(Column(name) for name in ("level", "coefficient", "human", "measure", "other")),
                    *(Column(name, Kind.SCORE) for name in ("difference", "p")),
                ),
                tuple(differences),
                detail=True,
            )
        )
    tables.append(_points(study, people, found[0].people))
    findings = [finding for part in _headlines(found) for finding in _finding(names, part)]
    return Part(tables, [*people.notes, *_notes(study, people, found)], findings, people.files)


def _points(study: Study, people: People, shown: Sequence[str]) -> Table:
    """Systems as measured and as rated; shown: the people, the pooled mean of them last where they are several."""
    metric, human = oriented_scores(study, people)
    signs = np.array([direction.sign for direction in study.scores.directions], dtype=np.float64)
    of_people = np.array([one.sign for one in people.ratings.directions], dtype=np.float64)
    rated = human * of_people[:, np.newaxis, np.newaxis]
    if len(human) > 1:
        rated = np.concatenate([rated, pooled(human)[np.newaxis]])
    return point_table(study.measure_names, shown, study.systems, metric * signs[:, np.newaxis, np.newaxis], rated)


def _headlines(found: Sequence[Correlations]) -> list[Correlations]:
    """The first coefficient of every level."""
    first: dict[str, Correlations] = {}
    for part in found:
        first.setdefault(part.level, part)
    return list(first.values())


def _finding(names: Sequence[str], part: Correlations) -> list[Finding]:
    what = f"{part.people[-1]}, level {part.level}, {part.coefficient}"
    best = part.best if part.p is not None else None
    return on_correlations(names, part.values[:, -1], part.low[:, -1], part.high[:, -1], best, what=what)


def _rows(names: Sequence[str], part: Correlations) -> Iterator[tuple[Cell, ...]]:
    """Human by human, the measures that follow them best first; then the mean over the humans, and the people."""
    sets = len(part.people) - (len(part.people) > 1)
    for human, person in enumerate(part.people):
        for place in np.argsort(-part.values[:, human], kind="stable").tolist():
            yield (
                names[place], person, part.level, part.coefficient, float(part.values[place, human]),
                float(part.low[place, human]), float(part.high[place, human]), int(part.units[place, human]),
                int(part.left_out[place, human]),
                bool(part.best[place]) if person == part.people[-1] and part.p is not None else None,
            )  # fmt: skip
    if sets > 1:
        means = mean_over_sets(part.values[:, :sets])
        for place in np.argsort(-means, kind="stable").tolist():
            yield (names[place], MEAN_OF_CORRELATIONS, part.level, part.coefficient, float(means[place]),
                   None, None, sets, int(np.isnan(part.values[place, :sets]).sum()), None)  # fmt: skip
        if not np.isnan(part.ceiling).all():
            yield (CEILING, MEAN_OF_OTHERS, part.level, part.coefficient, float(defined_mean(part.ceiling)),
                   None, None, sets, int(np.isnan(part.ceiling).sum()), None)  # fmt: skip


def _differences(names: Sequence[str], part: Correlations) -> Iterator[tuple[Cell, ...]]:
    assert part.p is not None
    for one, other in combinations(range(len(names)), 2):
        difference, p = float(part.differences[one, other]), float(part.p[one, other])
        yield (part.level, part.coefficient, part.people[-1], names[one], names[other], difference, p)


def _notes(study: Study, people: People, found: Sequence[Correlations]) -> list[str]:
    wanted = study.config.correlate or CorrelateConfig()
    notes = []
    if any(not np.isnan(part.low).all() for part in found):
        how = "Fisher's z" if wanted.interval == "fisher" else f"{wanted.resamples:,} bootstrap samples"
        notes.append(f"low and high: 95 % intervals by {how}")
        if wanted.interval == "fisher" and any(part.level in ("item", "by-system") for part in found):
            notes.append("at levels item and by-system Fisher's interval is that of one correlation, not of their mean")
    if any(part.p is not None for part in found):
        told = f"best (•): the measure that follows {found[0].people[-1]} best, and those that can't be told from it"
        notes.append(f"{told} (p ≥ {wanted.alpha:g}, {_test_name(study, people, wanted)}, Holm)")
        pairs = math.comb(len(study.measure_names), 2)
        if wanted.test != "williams" and pairs / (wanted.permutations + 1) >= wanted.alpha:
            least = math.ceil(pairs / wanted.alpha)
            notes.append(
                f"{wanted.permutations:,} swaps are too few for {counted(pairs, 'pair')} of measures: no difference in "
                f"correlation_differences can be significant; say --permutations {least}"
            )
    undefined = [part for part in found if np.isnan(part.values).any() and not part.left_out.any()]
    notes += [
        f"{part.coefficient} at level {part.level} is undefined (—) where all scores or all ratings are alike: constant"
        for part in undefined
    ]
    left_out = [part for part in found if part.left_out.any()]
    for part in left_out:
        unit = "system" if part.level in ("system", "by-system") else "item" if part.level == "item" else "cell"
        most = counted(int(part.left_out.max()), unit)
        notes.append(f"{part.coefficient} at level {part.level} leaves out up to {most}: constant, or without scores")
    if len(people.ratings.measures) > 1:
        notes.append(
            f"{MEAN_OF_SCORES}: correlation with the mean of all people; {CEILING}: how well one of them follows the "
            "mean of the others, to be compared with that"
        )
    untested = sorted({part.coefficient for part in found if part.p is None})
    if untested and wanted.test != "none" and len(study.measure_names) > 1:
        notes.append(f"not tested (—): {', '.join(untested)}")
    return notes


def _test_name(study: Study, people: People, wanted: CorrelateConfig) -> str:
    if wanted.test == "williams":
        return "Williams' test"
    by_item = isinstance(study, ItemStudy) and people.by_item and len(study.items) > 1
    what = {"both": "cells"}.get(wanted.test, wanted.test) if by_item else "systems"
    return f"{wanted.permutations:,} swaps of {what}"
