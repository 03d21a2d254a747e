"""Tables of `correlate`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations, groupby
from typing import Any

import numpy as np

from metaeval.analyses.correlate.compute import MEAN_OF_SCORES, Correlations
from metaeval.analyses.correlate.notes import findings, methods, notes
from metaeval.analyses.correlate.partial import given_scores
from metaeval.analyses.correlate.settings import CorrelateSettings
from metaeval.errors import pluralize
from metaeval.model.report import Cell, Column, Kind, Table, columns
from metaeval.stats.correlation_tests import DifferenceTest
from metaeval.stats.intervals import defined_mean
from metaeval.study.human import HumanScores, Scores, human_scores_of, mean_of_raters, oriented_scores
from metaeval.study.study import AnalysisOutput, Study, no_progress

MEAN_OF_CORRELATIONS = "mean of correlations"
"""The `human` of the mean over the correlations with several raters."""

MEAN_OF_OTHERS = "mean of the others"
"""The `human` that each rater is compared with."""

CEILING = "human ceiling"
"""The `measure` of the mean correlation of each rater with the mean of the others."""

POINTS = ("score", "rating")


def tabulate(study: Study, settings: CorrelateSettings, result: Sequence[Correlations]) -> AnalysisOutput:
    """Tables of the correlations, of their differences, of single systems and of what is correlated.

    Table `correlations`: measure, human, level, coefficient, value, low, high, n, left_out, best, rank. Table
    `correlations_by_measure`, with `correlation_ranks` beside it: measure (and human, of several), and a column for
    each level and coefficient. If tested, `correlation_differences` (level, coefficient, human, measure, other,
    difference, p, p_adjusted, n) and `correlation_p_values` (level, coefficient, human, measure, and a column of
    adjusted p-values for each measure). Of acc-eq, `tie_thresholds`. At level system,
    `correlation_influence`. Table `correlation_scores`.
    """
    humans = human_scores_of(study, progress=no_progress)
    of_long, of_wide = _long(study, result), _wide(study, result)
    several = sum(column.kind is Kind.SCORE for column in of_wide.columns) > 1
    wide = several if settings.wide is None else settings.wide
    main = [replace(of_long, detail=wide), replace(of_wide, detail=not wide)]
    differences = [_differences(result), _p_values(result)] if any(part.test is not None for part in result) else []
    influence = [_influence(study, result)] if any(part.influence is not None for part in result) else []
    thresholds = [_thresholds(result)] if any(part.thresholds is not None for part in result) else []
    given = () if settings.partial is None else given_scores(study, settings.partial, progress=no_progress)[1]
    points, of = _points(study, humans), (study, settings, humans, result)
    return AnalysisOutput(
        [*(main if settings.wide is not True else main[::-1]), *differences, *thresholds, *influence, points],
        [*humans.notes, *notes(*of)], findings(*of), [*humans.files, *given], methods(*of),
    )  # fmt: skip


def _title(study: Study, result: Sequence[Correlations]) -> str:
    measures, systems = pluralize(len(result[0].measures), "measure"), pluralize(len(study.systems), "system")
    return f"Correlation of {measures} with human scores, {systems}"


def _long(study: Study, result: Sequence[Correlations]) -> Table:
    heads = (
        *columns(Kind.TEXT, "measure", "human", "level", "coefficient"), *columns(Kind.SCORE, "value", "low", "high"),
        *columns(Kind.COUNT, "n", "left_out"), Column("best", Kind.FLAG), Column("rank", Kind.COUNT),
    )  # fmt: skip
    rows: list[tuple[Cell, ...]] = []
    for _, of_kind in groupby(result, key=lambda part: (part.level, part.coefficient)):
        parts = list(of_kind)
        rows += (row for part in parts for row in _rows(part))
        rows += _rows_of_raters(parts)
    return Table("correlations", _title(study, result), heads, tuple(rows))


def _rows(part: Correlations) -> Iterator[tuple[Cell, ...]]:
    """A row for each measure, best first."""
    tested = part.test is not None
    for place in np.argsort(-part.values, kind="stable").tolist():
        yield (
            *(part.measures[place], part.human, part.level, part.coefficient),
            *(float(each[place]) for each in (part.values, part.low, part.high)),
            *(int(each[place]) for each in (part.units, part.left_out)),
            *((bool(part.best[place]), int(part.ranks[place]) or None) if tested else (None, None)),
        )


def _rows_of_raters(parts: Sequence[Correlations]) -> Iterator[tuple[Cell, ...]]:
    """The means over the correlations with several raters that are pooled, and the ceiling."""
    if parts[-1].human != MEAN_OF_SCORES:
        return
    raters, last = parts[:-1], parts[-1]
    values = np.stack([part.values for part in raters])
    means, undefined = defined_mean(values, axis=0), np.isnan(values).sum(axis=0).tolist()
    rows = [
        (last.measures[place], MEAN_OF_CORRELATIONS, float(means[place]), undefined[place])
        for place in np.argsort(-means, kind="stable").tolist()
    ]
    if not np.isnan(last.ceiling).all():
        rows.append((CEILING, MEAN_OF_OTHERS, float(defined_mean(last.ceiling)), int(np.isnan(last.ceiling).sum())))
    for name, human, mean, missing in rows:
        yield name, human, last.level, last.coefficient, mean, None, None, len(raters), missing, None, None


def _wide(study: Study, result: Sequence[Correlations]) -> Table:
    """A column for each level and coefficient, with the human scores that are tested, or else all."""
    tested = any(part.test is not None for part in result)
    shown = [part for part in result if part.test is not None or not tested]
    humans = list(dict.fromkeys(part.human for part in shown))
    kinds = list(dict.fromkeys((part.level, part.coefficient) for part in shown))
    by_kind = {(part.human, part.level, part.coefficient): part for part in shown}
    by_human = {human: {f"{kind[0]} {kind[1]}": by_kind.get((human, *kind)) for kind in kinds} for human in humans}
    title = _title(study, result) + ("" if len(humans) > 1 else f" ({humans[0]})")
    return wide_table("correlations_by_measure", "correlation_ranks", title, result[0].measures, by_human)


def wide_table(
    name: str, of_ranks: str, title: str, measures: Sequence[str], shown: Mapping[str, Mapping[str, Any]]
) -> Table:
    """A column for each level and coefficient, with ranks beside if tested; name, of_ranks: of the two tables.

    shown: by human and column, what has values and ranks, (M,), None where there are none.
    """
    several = [Column("human")] if len(shown) > 1 else []
    names = list(next(iter(shown.values())))

    def table(name: str, title: str, heads: Sequence[Column], cells: str) -> Table:
        rows: list[tuple[Cell, ...]] = []
        for human, parts in shown.items():
            first = next(part for part in parts.values() if part is not None)
            for place in np.argsort(-first.values, kind="stable").tolist():
                own = [None if part is None else getattr(part, cells)[place].item() for part in parts.values()]
                own = [cell or None for cell in own] if cells == "ranks" else own
                rows.append((*([human] if several else []), measures[place], *own))
        return Table(name, title, (*several, Column("measure"), *heads), tuple(rows))

    tested = any(part is not None and part.ranks.any() for parts in shown.values() for part in parts.values())
    scores = [Column(name, Kind.SCORE, higher_is_better=True) for name in names]
    wide = table(name, f"{title}{': value (rank)' if tested else ''}", scores, "values")
    ranks = table(of_ranks, f"{title}: ranks", columns(Kind.COUNT, *names), "ranks")
    return replace(wide, beside=ranks) if tested else wide


def rows_of_pairs(measures: Sequence[str], test: DifferenceTest | None) -> Iterator[tuple[Any, ...]]:
    """Both measures of each pair, their difference, p, adjusted p, and their places."""
    if test is not None:
        for pair in combinations(range(len(measures)), 2):
            numbers = (float(each[pair]) for each in (test.difference, test.p, test.p_adjusted))
            yield (*(measures[place] for place in pair), *numbers, pair)


def _differences(result: Sequence[Correlations]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for part in result:
        own = (part.level, part.coefficient, part.human)
        rows += [(*own, *cells, int(part.shared[pair])) for *cells, pair in rows_of_pairs(part.measures, part.test)]
    texts = columns(Kind.TEXT, "level", "coefficient", "human", "measure", "other")
    heads = (*texts, *columns(Kind.SCORE, "difference", "p", "p_adjusted"), Column("n", Kind.COUNT))
    title = "Differences of correlations with human scores (measure − other)"
    return Table("correlation_differences", title, heads, tuple(rows), detail=True)


def _p_values(result: Sequence[Correlations]) -> Table:
    """Adjusted p-values of the differences, measures × measures, best first in rows."""
    measures = result[0].measures
    rows: list[tuple[Cell, ...]] = []
    for part in result:
        for place in [] if part.test is None else np.argsort(-part.values, kind="stable").tolist():
            assert part.test is not None
            cells = [None if other == place else float(p) for other, p in enumerate(part.test.p_adjusted[place])]
            rows.append((part.level, part.coefficient, part.human, measures[place], *cells))
    heads = (*(Column(name) for name in ("level", "coefficient", "human", "measure")), *columns(Kind.SCORE, *measures))
    title = "Adjusted p-values of the differences between correlations with human scores"
    return Table("correlation_p_values", title, heads, tuple(rows), detail=True)


def _thresholds(result: Sequence[Correlations]) -> Table:
    """The thresholds up to which differences of a measure are ties, of acc-eq."""
    rows: list[tuple[Cell, ...]] = []
    for part in result:
        if part.thresholds is not None:
            ends = zip(part.thresholds.epsilon, part.thresholds.epsilon_low, part.thresholds.epsilon_high, strict=True)
            rows += [
                (name, part.human, part.level, *(float(end) for end in of_measure))
                for name, of_measure in zip(part.measures, ends, strict=True)
            ]
    heads = (*columns(Kind.TEXT, "measure", "human", "level"), *columns(Kind.SCORE, "epsilon", "low", "high"))
    title = "Thresholds up to which differences of a measure are ties, of acc-eq"
    return Table("tie_thresholds", title, heads, tuple(rows), detail=True)


def _influence(study: Study, result: Sequence[Correlations]) -> Table:
    """The range of the values at level system when one system is left out, and the values without outliers."""
    rows: list[tuple[Cell, ...]] = []
    for part in result:
        if part.influence is None:
            continue
        for place in np.argsort(-part.values, kind="stable").tolist():
            without = part.influence.without[:, place]
            known = not np.isnan(without).all()
            low, high = (int(np.nanargmin(without)), int(np.nanargmax(without))) if known else (0, 0)
            outliers = np.flatnonzero(part.influence.outliers).tolist()
            rows.append(
                (
                    *(part.measures[place], part.human, part.coefficient, float(part.values[place])),
                    *(float(without[low]), study.systems[low] if known else ""),
                    *(float(without[high]), study.systems[high] if known else ""),
                    float(part.influence.without_outliers[place]),
                    ", ".join(study.systems[outlier] for outlier in outliers),
                )
            )
    heads = (
        *columns(Kind.TEXT, "measure", "human", "coefficient"), *columns(Kind.SCORE, "value", "lowest"),
        Column("lowest_without"), Column("highest", Kind.SCORE), Column("highest_without"),
        Column("without_outliers", Kind.SCORE), Column("outliers"),
    )  # fmt: skip
    title = "Correlations of system scores when one system is left out: the lowest and the highest"
    return Table("correlation_influence", title, heads, tuple(rows), detail=True)


def _points(study: Study, humans: HumanScores) -> Table:
    """Scores and ratings of the systems in their own directions."""
    metric, human = oriented_scores(study, humans)
    of_measures, of_humans = (
        np.array([[[direction.sign]] for direction in directions], dtype=np.float64)
        for directions in (study.scores.directions, humans.ratings.directions)
    )
    ratings, names = human * of_humans, humans.ratings.measures
    if study.config.data.human_pool == "mean" and len(human) > 1:
        ratings, names = np.concatenate([ratings, mean_of_raters(human)[np.newaxis]]), (*names, MEAN_OF_SCORES)
    return point_table(study.measure_names, names, study.systems, metric * of_measures, ratings)


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
    heads = (*columns(Kind.TEXT, "human", "measure", "system"), *columns(Kind.SCORE, *POINTS))
    return Table("correlation_scores", "Scores and human scores of the systems", heads, tuple(rows), detail=True)
