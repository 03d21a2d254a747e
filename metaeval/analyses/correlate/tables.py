"""The tables of `correlate`, and what to say of them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from metaeval.analyses.correlate.compute import MEAN_OF_SCORES, Correlations
from metaeval.analyses.correlate.settings import CorrelateSettings
from metaeval.analyses.sentences import Numbers, listed
from metaeval.errors import counted
from metaeval.model.report import Cell, Column, Finding, Kind, Table
from metaeval.stats.correlation import mean_over_sets, pooled
from metaeval.stats.intervals import defined_mean
from metaeval.study.capabilities import ITEM_SCORES
from metaeval.study.human import People, Scores, oriented_scores, people_of
from metaeval.study.study import Part, Study, silently

MEAN_OF_CORRELATIONS = "mean of correlations"
"""The column of the mean of the columns of several people."""

MEAN_OF_OTHERS = "mean of the others"
"""What each of the people is compared with, which is steadier than a single one."""

CEILING = "people, each against the others"
"""The row of people among the measures: how well one of them would do."""

POINTS = ("score", "rating")


def tabulate(study: Study, settings: CorrelateSettings, found: Sequence[Correlations]) -> Part:
    """The tables of `correlate`, and what to say of them."""
    people = people_of(study, track=silently)
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
    return Part(tables, [*people.notes, *_notes(study, settings, people, found)], findings, people.files)


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


def _notes(study: Study, settings: CorrelateSettings, people: People, found: Sequence[Correlations]) -> list[str]:
    notes = []
    if any(not np.isnan(part.low).all() for part in found):
        how = "Fisher's z" if settings.interval == "fisher" else f"{settings.resamples:,} bootstrap samples"
        notes.append(f"low and high: 95 % intervals by {how}")
        if settings.interval == "fisher" and any(part.level in ("item", "by-system") for part in found):
            notes.append("at levels item and by-system Fisher's interval is that of one correlation, not of their mean")
    if any(part.p is not None for part in found):
        told = f"best (•): the measure that follows {found[0].people[-1]} best, and those that can't be told from it"
        notes.append(f"{told} (p ≥ {settings.alpha:g}, {_test_name(study, people, settings)}, Holm)")
        pairs = math.comb(len(study.measure_names), 2)
        if settings.test != "williams" and pairs / (settings.permutations + 1) >= settings.alpha:
            least = math.ceil(pairs / settings.alpha)
            notes.append(
                f"{settings.permutations:,} swaps are too few for {counted(pairs, 'pair')} of measures: no difference "
                f"in correlation_differences can be significant; say --permutations {least}"
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
    if untested and settings.test != "none" and len(study.measure_names) > 1:
        notes.append(f"not tested (—): {', '.join(untested)}")
    return notes


def _test_name(study: Study, people: People, settings: CorrelateSettings) -> str:
    if settings.test == "williams":
        return "Williams' test"
    by_item = people.by_item and study.find(ITEM_SCORES) is not None and len(study.items) > 1
    what = {"both": "cells"}.get(settings.test, settings.test) if by_item else "systems"
    return f"{settings.permutations:,} swaps of {what}"


def point_table(
    measures: Sequence[str], people: Sequence[str], systems: Sequence[str], scores: Scores, ratings: Scores
) -> Table:
    """Table `correlation_scores`: means of each system over the items that a measure and people both have.

    scores: (M, S, N), as measured. ratings: (H, S, N), as rated.
    """
    rows: list[tuple[Cell, ...]] = []
    for person, rated in zip(people, ratings, strict=True):
        shared = ~np.isnan(scores) & ~np.isnan(rated)
        score = defined_mean(np.where(shared, scores, np.nan), axis=-1)
        rating = defined_mean(np.where(shared, rated, np.nan), axis=-1)
        rows += [
            (person, measure, system, float(score[place, column]), float(rating[place, column]))
            for place, measure in enumerate(measures)
            for column, system in enumerate(systems)
        ]
    return Table(
        "correlation_scores",
        "Systems by each measure and by people",
        (*(Column(name) for name in ("human", "measure", "system")), *(Column(name, Kind.SCORE) for name in POINTS)),
        tuple(rows),
        detail=True,
    )


def on_correlations(
    names: Sequence[str], values: Numbers, low: Numbers, high: Numbers, best: NDArray[np.bool_] | None, *, what: str
) -> list[Finding]:
    """Which measure follows people best; all (M,). best: those no worse, None where nothing was tested.

    what: the people, the level and the coefficient.
    """
    if np.isnan(values).all():
        return []
    top = int(np.nanargmax(values))
    interval = "" if np.isnan(low[top]) else f", 95 % from {low[top]:.2f} to {high[top]:.2f}"
    told = f"{names[top]} follows people best ({what} {values[top]:.2f}{interval})"
    if best is None or len(names) == 1:
        return [Finding("correlate", told)]
    others = [name for place, name in enumerate(names) if best[place] and place != top]
    rest = f"not told apart from it: {listed(others)}" if others else "better than every other one"
    return [Finding("correlate", f"{told}; {rest}")]
