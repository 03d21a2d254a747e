"""Tables, notes and findings of `correlate`."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from metaeval.analyses.correlate.compute import MEAN_OF_SCORES, SOFT, Correlations, clusters_used, has_items
from metaeval.analyses.correlate.settings import CorrelateSettings
from metaeval.analyses.sentences import Numbers, join_names
from metaeval.errors import pluralize, setting
from metaeval.model.report import Cell, Column, Finding, Kind, Table
from metaeval.model.works import cite
from metaeval.stats.intervals import defined_mean
from metaeval.study.capabilities import ITEM_SCORES
from metaeval.study.evidence import FEW_CELLS, notes_on_clusters, units_of
from metaeval.study.human import HumanScores, Scores, human_scores_of, oriented_scores
from metaeval.study.study import AnalysisOutput, Study, no_progress, not_ranked_notes

MEAN_OF_CORRELATIONS = "mean of correlations"
"""The `human` of the mean over the correlations with several raters."""

MEAN_OF_OTHERS = "mean of the others"
"""The `human` that each rater is compared with."""

CEILING = "human ceiling"
"""The `measure` of the mean correlation of each rater with the mean of the others."""

POINTS = ("score", "rating")


def tabulate(study: Study, settings: CorrelateSettings, result: Sequence[Correlations]) -> AnalysisOutput:
    """Tables `correlations`, `correlation_differences` (if tested) and `correlation_scores`."""
    humans = human_scores_of(study, progress=no_progress)
    names = study.measure_names
    measures, systems = pluralize(len(names), "measure"), pluralize(len(study.systems), "system")
    correlations = Table(
        "correlations",
        f"Correlation of {measures} with human scores, {systems}",
        (
            *(Column(name) for name in ("measure", "human", "level", "coefficient")),
            *(Column(name, Kind.SCORE) for name in ("value", "low", "high")),
            *(Column(name, Kind.COUNT) for name in ("n", "left_out")),
            Column("best", Kind.FLAG),
        ),
        tuple(row for part in result for row in _rows(names, part)),
    )
    tables = [correlations]
    differences = tuple(row for part in result for row in _differences(names, part))
    if differences:
        columns = (
            *(Column(name) for name in ("level", "coefficient", "human", "measure", "other")),
            *(Column(name, Kind.SCORE) for name in ("difference", "p")),
            Column("n", Kind.COUNT),
        )
        title = "Differences of correlations with human scores, p Holm-adjusted"
        tables.append(Table("correlation_differences", title, columns, differences, detail=True))
    tables.append(_points(study, humans, result[0].humans))
    first_of_levels: dict[str, Correlations] = {}
    for part in result:
        first_of_levels.setdefault(part.level, part)
    test = f"{_test_name(study, humans, settings)}, Holm-adjusted p"
    findings = [finding for part in first_of_levels.values() for finding in _finding(names, part, test, settings.alpha)]
    notes = [*humans.notes, *_notes(study, settings, humans, result), *_on_gaps(study, humans)]
    return AnalysisOutput(tables, notes, findings, humans.files, _methods(study, settings, humans, result))


def _on_gaps(study: Study, humans: HumanScores) -> list[str]:
    """Warnings of measures that lack scores of which there are human ones."""
    if not study.has_gaps or not humans.by_item:
        return []
    rated = ~np.isnan(humans.ratings.values).all(axis=0)
    scored = ~np.isnan(study.need(ITEM_SCORES, "correlations").values)
    shares = (scored & rated).sum(axis=(1, 2)) / max(int(rated.sum()), 1)
    return [
        f"warning: {name} has {100 * share:.0f} % of the scores of which there are human ones"
        for name, share in zip(study.measure_names, shares.tolist(), strict=True)
        if share < FEW_CELLS
    ]


def _methods(
    study: Study, settings: CorrelateSettings, humans: HumanScores, result: Sequence[Correlations]
) -> list[str]:
    raters = humans.ratings.measures
    seed = f"seed {study.config.seed}"
    pairs = ", ".join(f"{part.coefficient} at level {part.level}" for part in result)
    sentences = [f"Measures were correlated with the human scores of {', '.join(raters)} ({pairs})."]
    if any(not np.isnan(part.low).all() for part in result):
        resampled = _resampled(study, humans, settings)
        expanded = settings.interval == "items" and has_items(study, humans)
        percentiles = (
            f"percentiles, expanded for their effective number {cite('hesterberg2015')}," if expanded else "percentiles"
        )
        bootstrap = f"{percentiles} of {pluralize(settings.resamples, 'bootstrap resample')} of {resampled} ({seed})"
        how = "from Fisher's z-transformation" if settings.interval == "fisher" else bootstrap
        sentences.append(f"95 % confidence intervals are {how}.")
    if any(part.p is not None for part in result):
        swapped = _swapped(study, humans, settings).replace("cells", "each cell (system × item)")
        permutations = f"({settings.permutations:,} permutations, {seed})"
        swaps = f"random swaps {cite('deutsch2021')} of their standardised scores of {swapped} {permutations}"
        test = f"Williams' test {cite('williams1959')}" if settings.test == "williams" else swaps
        human = "the mean of these scores" if len(raters) > 1 else "these scores"
        tested = f"Differences of two measures in the correlation with {human} were tested with {test}"
        sentences.append(f"{tested}; p-values are adjusted by Holm's method {cite('holm1979')}.")
    return sentences


def _points(study: Study, humans: HumanScores, names: Sequence[str]) -> Table:
    """Scores and ratings of the systems in their own directions; names: the raters, and last their pooled mean."""
    metric, human = oriented_scores(study, humans)
    of_measures, of_humans = (
        np.array([[[direction.sign]] for direction in directions], dtype=np.float64)
        for directions in (study.scores.directions, humans.ratings.directions)
    )
    ratings = human * of_humans
    if len(human) > 1:
        ratings = np.concatenate([ratings, defined_mean(human)[np.newaxis]])
    return point_table(study.measure_names, names, study.systems, metric * of_measures, ratings)


def _finding(names: Sequence[str], part: Correlations, test: str, alpha: float) -> list[Finding]:
    column = f"{part.humans[-1]}, {part.level} level, {part.coefficient}"
    best = part.best if part.p is not None else None
    values, low, high = part.values[:, -1], part.low[:, -1], part.high[:, -1]
    return on_correlations(names, values, low, high, best, column=column, test=test, alpha=alpha)


def _rows(names: Sequence[str], part: Correlations) -> Iterator[tuple[Cell, ...]]:
    """For each rater the measures, best first; then the means over the raters, and the ceiling."""
    raters = len(part.humans) - (len(part.humans) > 1)
    for column, human in enumerate(part.humans):
        for place in np.argsort(-part.values[:, column], kind="stable").tolist():
            yield (
                *(names[place], human, part.level, part.coefficient),
                *(float(each[place, column]) for each in (part.values, part.low, part.high)),
                *(int(each[place, column]) for each in (part.units, part.left_out)),
                bool(part.best[place]) if human == part.humans[-1] and part.p is not None else None,
            )
    if raters < 2:
        return
    means = defined_mean(part.values[:, :raters], axis=-1)
    undefined = np.isnan(part.values[:, :raters]).sum(axis=1).tolist()
    rows = [
        (names[place], MEAN_OF_CORRELATIONS, float(means[place]), undefined[place])
        for place in np.argsort(-means, kind="stable").tolist()
    ]
    if not np.isnan(part.ceiling).all():
        rows.append((CEILING, MEAN_OF_OTHERS, float(defined_mean(part.ceiling)), int(np.isnan(part.ceiling).sum())))
    for name, human, mean, missing in rows:
        yield name, human, part.level, part.coefficient, mean, None, None, raters, missing, None


def _differences(names: Sequence[str], part: Correlations) -> Iterator[tuple[Cell, ...]]:
    if part.p is None:
        return
    for one, other in combinations(range(len(names)), 2):
        difference, p = float(part.differences[one, other]), float(part.p[one, other])
        shared = int(part.shared[one, other])
        yield (part.level, part.coefficient, part.humans[-1], names[one], names[other], difference, p, shared)


def _notes(study: Study, settings: CorrelateSettings, humans: HumanScores, result: Sequence[Correlations]) -> list[str]:
    notes = []
    fisher = settings.interval == "fisher"
    if any(not np.isnan(part.low).all() for part in result):
        units = _resampled(study, humans, settings)
        how = "Fisher's z" if fisher else f"bootstrap, {pluralize(settings.resamples, 'resample')} of {units}"
        notes.append(f"low, high: 95 % interval ({how})")
        if fisher and any(part.level in ("item", "by-system") for part in result):
            notes.append(
                "at levels item and by-system Fisher's interval is for a single correlation, not for their mean"
            )
    if any(part.p is not None for part in result):
        others = f"not significantly different from it ({_test_name(study, humans, settings)}, Holm-adjusted"
        notes.append(
            f"best (•): the highest correlation with {result[0].humans[-1]}, and those {others} p > {settings.alpha:g})"
        )
        notes += _on_shared_units(result)
        notes += _on_permutations(study, settings)
    notes += not_ranked_notes(study, "correlations are of the systems and items with both scores")
    for part in result:
        name = f"{part.coefficient} at level {part.level}"
        unit = "system" if part.level in ("system", "by-system") else "item" if part.level == "item" else "cell"
        if part.left_out.any():
            most = pluralize(int(part.left_out.max()), unit)
            notes.append(f"{name} excludes up to {most}: constant, or without scores")
        elif np.isnan(part.values).any():
            notes.append(f"{name} is undefined (—) where all scores or all ratings are constant")
    if len(humans.ratings.measures) > 1:
        notes.append(
            f"{MEAN_OF_SCORES}: correlation with the mean of all raters; {CEILING}: mean correlation of each rater "
            "with the mean of the others, for comparison"
        )
    untested = sorted({part.coefficient for part in result if part.p is None})
    if untested and settings.test != "none" and len(study.measure_names) > 1:
        notes.append(f"not tested (—): {', '.join(untested)}")
    return [*notes, *_on_clusters(study, settings, humans)]


def _on_permutations(study: Study, settings: CorrelateSettings) -> list[str]:
    """A note where no p-value, adjusted for all pairs of measures, can be as small as α."""
    pairs = math.comb(len(study.measure_names), 2)
    needed = math.ceil(pairs / settings.alpha * (1 - 1e-12)) - 1
    if settings.test == "williams" or settings.permutations >= needed:
        return []
    few = f"{settings.permutations:,} permutations are too few for {pluralize(pairs, 'pair')} of measures"
    remedy = f"use at least {setting('permutations', needed)}"
    return [f"{few}, no difference in correlation_differences can be significant: {remedy}"]


def _on_clusters(study: Study, settings: CorrelateSettings, humans: HumanScores) -> list[str]:
    if clusters_used(study, humans, settings):
        soft = [f"{SOFT} flips whole {units_of(study)}"] if SOFT in settings.coefficients else []
        return [*soft, *notes_on_clusters(study)]
    # That clusters play no role is said where the analysis runs.
    return notes_on_clusters(study) if has_items(study, humans) and not study.origin.clusters else []


def _on_shared_units(result: Sequence[Correlations]) -> list[str]:
    """A note where two measures are compared on fewer units than one of them has."""
    for part in result:
        units = part.units[:, -1]
        off_diagonal = ~np.eye(len(units), dtype=bool)
        if part.p is not None and (part.shared < np.maximum(units, units[:, np.newaxis]))[off_diagonal].any():
            return ["two measures are compared where both have a score: n in correlation_differences is their number"]
    return []


def _test_name(study: Study, humans: HumanScores, settings: CorrelateSettings) -> str:
    if settings.test == "williams":
        return "Williams' test"
    return f"{pluralize(settings.permutations, 'permutation')} of {_swapped(study, humans, settings)}"


def _swapped(study: Study, humans: HumanScores, settings: CorrelateSettings) -> str:
    """What the test swaps."""
    if settings.test == "systems" or not has_items(study, humans):
        return "systems"
    if not clusters_used(study, humans, settings):
        return "items" if settings.test == "items" else "cells"
    return units_of(study) if settings.test == "items" else f"each system's {units_of(study)}"


def _resampled(study: Study, humans: HumanScores, settings: CorrelateSettings) -> str:
    """What the bootstrap draws."""
    if settings.interval == "systems" or not has_items(study, humans):
        return "systems"
    items = units_of(study) if clusters_used(study, humans, settings) else "items"
    return items if settings.interval == "items" else f"systems and {items}"


def point_table(
    measures: Sequence[str], humans: Sequence[str], systems: Sequence[str], scores: Scores, ratings: Scores
) -> Table:
    """Table `correlation_scores`: means of each system over the items with a score and a rating.

    scores: (M, S, N) and ratings: (H, S, N), in their own directions.
    """
    rows: list[tuple[Cell, ...]] = []
    for human, of_human in zip(humans, ratings, strict=True):
        shared = ~np.isnan(scores) & ~np.isnan(of_human)
        score, rating = (defined_mean(np.where(shared, each, np.nan), axis=-1) for each in (scores, of_human))
        rows += [
            (human, measure, system, float(score[place, column]), float(rating[place, column]))
            for place, measure in enumerate(measures)
            for column, system in enumerate(systems)
        ]
    columns = (
        *(Column(name) for name in ("human", "measure", "system")),
        *(Column(name, Kind.SCORE) for name in POINTS),
    )
    return Table("correlation_scores", "Scores and human scores of the systems", columns, tuple(rows), detail=True)


def on_correlations(
    names: Sequence[str], values: Numbers, low: Numbers, high: Numbers, best: NDArray[np.bool_] | None, *, column: str,
    test: str, alpha: float,
) -> list[Finding]:  # fmt: skip
    """The measure with the highest correlation; all (M,). best: as in `Correlations`, None without a test.

    column: the human scores, the level and the coefficient. test: the name of the test, and of its p-value.
    """
    if np.isnan(values).all():
        return []
    top = int(np.nanargmax(values))
    interval = "" if np.isnan(low[top]) else f", 95 % interval {low[top]:.2f} to {high[top]:.2f}"
    sentence = f"{names[top]} has the highest correlation with human scores ({column} {values[top]:.2f}{interval})"
    if best is not None and len(names) > 1:
        others = [name for place, name in enumerate(names) if best[place] and place != top]
        if others:
            sentence += f"; not significantly different: {join_names(others)} ({test} > {alpha:g})"
        else:
            sentence += f"; significantly better than all others ({test} ≤ {alpha:g})"
    return [Finding("correlate", sentence)]
