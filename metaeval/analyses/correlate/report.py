"""Tables, notes, methods and findings of `correlate`."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any

import numpy as np

from metaeval.analyses.correlate import plots as plots  # registers them
from metaeval.analyses.correlate.compute import (
    CALIBRATED,
    MEAN_OF_SCORES,
    SOFT,
    Correlations,
    clusters_used,
    given_scores,
    has_items,
)
from metaeval.analyses.correlate.settings import CorrelateSettings
from metaeval.analyses.sentences import every, join_names
from metaeval.errors import pluralize, setting
from metaeval.inference.pairs import fewest_permutations
from metaeval.model.report import (
    Cells,
    Finding,
    Kind,
    Note,
    Table,
    count,
    crossed,
    explained,
    flag,
    joined,
    notes_on_columns,
    score,
    scores,
    table,
    text,
)
from metaeval.model.works import cite
from metaeval.stats.correlation_tests import DifferenceTest
from metaeval.stats.intervals import defined_mean
from metaeval.study.capabilities import ITEM_SCORES
from metaeval.study.evidence import FEW_CELLS, notes_on_clusters, units_of
from metaeval.study.human import HumanScores, human_scores_of, mean_of_raters, oriented_scores
from metaeval.study.study import AnalysisOutput, Study, no_progress, not_ranked_notes

MEAN_OF_CORRELATIONS = "mean of correlations"
"""The `human` of the mean over the correlations with several raters."""

MEAN_OF_OTHERS = "mean of the others"
"""The `human` that each rater is compared with."""

CEILING = "human ceiling"
"""The `measure` of the mean correlation of each rater with the mean of the others."""

FEW_SYSTEMS = 8
"""Number of systems below which a correlation of their scores says little."""

CHANGE = 0.1
"""Loss of a correlation without one system from which a finding names the system, where another measure then leads."""

COLLAPSE = 0.2
"""The same where the measure still leads."""


def tabulate(study: Study, settings: CorrelateSettings, result: Sequence[Correlations]) -> AnalysisOutput:
    """Tables of the correlations, of their differences, of single systems and of what is correlated."""
    humans = human_scores_of(study, progress=no_progress)
    long = explained(_long(study, result), _meanings(study, settings, humans, result))
    wide = _wide(study, result)
    several = sum(column.kind is Kind.SCORE for column in wide.columns) > 1
    shows_wide = several if settings.wide is None else settings.wide
    tables = [replace(long, detail=shows_wide), replace(wide, detail=not shows_wide)]
    if settings.wide:
        tables.reverse()
    tested = [part for part in result if part.test is not None]
    if tested:
        tables += [_differences(tested), joined(map(_p_values, tested))]
    calibrated = [part for part in result if part.thresholds is not None]
    if calibrated:
        tables.append(joined(map(_thresholds, calibrated)))
    of_systems = [part for part in result if part.influence is not None]
    if of_systems:
        tables.append(joined(_influence(part, study.systems) for part in of_systems))
    tables.append(_points(study, humans))
    files = list(humans.files)
    if settings.partial is not None:
        _, given = given_scores(study, settings.partial, progress=no_progress)
        files += given.files if given is not None else ()
    return AnalysisOutput(
        tables,
        [*humans.notes, *_notes(study, settings, humans, result, long)],
        findings(study, settings, humans, result),
        files,
        methods(study, settings, humans, result),
    )


def _title(study: Study, result: Sequence[Correlations]) -> str:
    return f"{_subject(result)}, {pluralize(len(study.systems), 'system')}"


def _subject(result: Sequence[Correlations]) -> str:
    return f"Correlation of {pluralize(len(result[0].measures), 'measure')} with human scores"


def _best_first(values: np.ndarray[Any, Any]) -> list[int]:
    """The indices of values, the highest first, NaN last."""
    order: list[int] = np.argsort(-values, kind="stable").tolist()
    return order


def _long(study: Study, result: Sequence[Correlations]) -> Table:
    """A row for each correlation, best first within a level, a coefficient and human scores."""
    title = _title(study, result)
    tables = []
    for _, group in groupby(result, key=lambda part: (part.level, part.coefficient)):
        parts = list(group)
        for part in parts:
            tables.append(
                _correlations(
                    title,
                    part,
                    part.measures,
                    human=part.human,
                    value=part.values,
                    low=part.low,
                    high=part.high,
                    n=part.units,
                    left_out=part.left_out,
                    best=part.best if part.test is not None else None,
                    rank=part.ranks,
                )
            )
        if parts[-1].human == MEAN_OF_SCORES:
            tables += _tables_of_raters(title, parts[:-1], parts[-1])
    return replace(joined(tables), subject=_subject(result))


def _correlations(
    title: str,
    part: Correlations,
    measures: Sequence[str],
    *,
    human: str,
    value: Any,
    n: Any,
    left_out: Any,
    low: Any = None,
    high: Any = None,
    best: Any = None,
    rank: Any = None,
) -> Table:
    """The rows of measures in the table `correlations`, best first."""
    return table(
        "correlations",
        title,
        text("measure", measures),
        text("human", human),
        text("level", part.level),
        text("coefficient", part.coefficient),
        *scores(("value", "low", "high"), (value, low, high)),
        count("n", n, about="values behind the coefficient"),
        count("left_out", left_out, about="items or systems without a defined value"),
        flag("best", best),
        count("rank", rank, where=None if rank is None else rank > 0),
        order=_best_first(value),
    )


def _tables_of_raters(title: str, raters: Sequence[Correlations], pooled: Correlations) -> Iterator[Table]:
    """The means over the correlations with several raters that are pooled, and the ceiling."""
    values = np.stack([part.values for part in raters])
    yield _correlations(
        title,
        pooled,
        pooled.measures,
        human=MEAN_OF_CORRELATIONS,
        value=defined_mean(values, axis=0),
        n=len(raters),
        left_out=np.isnan(values).sum(axis=0),
    )
    if not np.isnan(pooled.ceiling).all():
        yield _correlations(
            title,
            pooled,
            [CEILING],
            human=MEAN_OF_OTHERS,
            value=np.array([defined_mean(pooled.ceiling)]),
            n=len(raters),
            left_out=int(np.isnan(pooled.ceiling).sum()),
        )


def _meanings(
    study: Study, settings: CorrelateSettings, humans: HumanScores, result: Sequence[Correlations]
) -> dict[str, str]:
    """What columns of the correlations mean."""
    meanings = {}
    if _has_intervals(result):
        units = _drawn(study, humans, settings, settings.interval)
        how = "Fisher's z" if settings.interval == "fisher" else f"for other {units}"
        meanings = dict.fromkeys(("low", "high"), f"95 % interval ({how})")
    tested = next((part for part in result if part.test is not None), None)
    if tested is not None:
        family = f"p_adjusted for {every(math.comb(len(tested.measures), 2), 'pair')} of measures"
        adjusted = f"{_test_name(study, humans, settings, tested)}, {family}"
        meanings["best"] = (
            "the highest correlation with the same human scores, and those not significantly different from "
            f"it at {settings.alpha:g} ({adjusted})"
        )
        meanings["rank"] = (
            "a new one begins at the first measure than which one of the current rank is significantly better, "
            "as in the metrics tasks of WMT"
        )
    return meanings


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
    name: str, name_of_ranks: str, title: str, measures: Sequence[str], shown: Mapping[str, Mapping[str, Any]]
) -> Table:
    """A column for each level and coefficient, with ranks beside if tested; name, name_of_ranks: of the two tables.

    shown: by human and column, what has values and ranks, (M,), None where there are none.
    """
    tested = any(part is not None and part.ranks.any() for parts in shown.values() for part in parts.values())
    values, ranks = [], []
    for human, parts in shown.items():
        keys = [text("human", human)] if len(shown) > 1 else []
        keys.append(text("measure", measures))
        order = _best_first(next(part for part in parts.values() if part is not None).values)
        values_by_kind = (
            score(kind, None if part is None else part.values, higher_is_better=True) for kind, part in parts.items()
        )
        ranks_by_kind = (
            count(kind, None) if part is None else count(kind, part.ranks, where=part.ranks > 0)
            for kind, part in parts.items()
        )
        values.append(table(name, f"{title}{': value (rank)' if tested else ''}", *keys, *values_by_kind, order=order))
        ranks.append(table(name_of_ranks, f"{title}: ranks", *keys, *ranks_by_kind, order=order))
    return replace(joined(values), beside=joined(ranks) if tested else None)


def columns_of_pairs(measures: Sequence[str], test: DifferenceTest) -> list[Cells]:
    """Both measures of each pair, their difference, p and adjusted p."""
    pairs = np.triu_indices(len(measures), k=1)
    names = [[measures[index] for index in indices.tolist()] for indices in pairs]
    return [
        text("measure", names[0]),
        text("other", names[1]),
        *scores(("difference", "p", "p_adjusted"), (test.difference[pairs], test.p[pairs], test.p_adjusted[pairs])),
    ]


def _kind(part: Correlations) -> list[Cells]:
    return [text("level", part.level), text("coefficient", part.coefficient), text("human", part.human)]


def _differences(tested: Sequence[Correlations]) -> Table:
    tables = []
    for part in tested:
        assert part.test is not None
        columns = columns_of_pairs(part.measures, part.test)
        shared = count("n", part.shared[np.triu_indices(len(part.measures), k=1)])
        title = "Differences of correlations with human scores (measure − other)"
        tables.append(table("correlation_differences", title, *_kind(part), *columns, shared, detail=True))
    return joined(tables)


def _p_values(part: Correlations) -> Table:
    """Adjusted p-values of the differences, measures × measures, best first in rows."""
    assert part.test is not None
    rows: list[list[float | None]] = part.test.p_adjusted.tolist()
    for index, row in enumerate(rows):
        row[index] = None
    return table(
        "correlation_p_values",
        "Adjusted p-values of the differences between correlations with human scores",
        *_kind(part),
        text("measure", part.measures),
        *scores(part.measures, zip(*rows, strict=True)),
        order=_best_first(part.values),
        detail=True,
    )


def _thresholds(part: Correlations) -> Table:
    """The thresholds up to which differences of a measure are ties, of acc-eq."""
    thresholds = part.thresholds
    assert thresholds is not None
    ends = thresholds.epsilon, thresholds.epsilon_low, thresholds.epsilon_high
    return table(
        "tie_thresholds",
        "Thresholds up to which differences of a measure are ties, of acc-eq",
        text("measure", part.measures),
        text("human", part.human),
        text("level", part.level),
        *scores(("epsilon", "low", "high"), ends),
        detail=True,
    )


def _influence(part: Correlations, systems: Sequence[str]) -> Table:
    """The range of the values at level system when one system is left out, and the values without outliers."""
    assert part.influence is not None
    without = part.influence.without
    known, measures = ~np.isnan(without).all(axis=0), np.arange(len(part.measures))
    lowest = np.where(np.isnan(without), np.inf, without).argmin(axis=0)
    highest = np.where(np.isnan(without), -np.inf, without).argmax(axis=0)
    outliers = ", ".join(systems[index] for index in np.flatnonzero(part.influence.outliers).tolist())
    return table(
        "correlation_influence",
        "Correlations of system scores when one system is left out: the lowest and the highest",
        text("measure", part.measures),
        text("human", part.human),
        text("coefficient", part.coefficient),
        score("value", part.values),
        score("lowest", without[lowest, measures], about="lowest value when a system is left out"),
        text("lowest_without", np.where(known, np.array(systems)[lowest], ""), about="the system"),
        score("highest", without[highest, measures], about="highest value when a system is left out"),
        text("highest_without", np.where(known, np.array(systems)[highest], ""), about="the system"),
        score(
            "without_outliers",
            part.influence.without_outliers,
            about="value without the outliers among the human scores",
        ),
        text("outliers", outliers),
        order=_best_first(part.values),
        detail=True,
    )


def _points(study: Study, humans: HumanScores) -> Table:
    """Scores and ratings of the systems in their own directions: means over the items that have both."""
    metric, human = oriented_scores(study, humans)
    signs, signs_of_humans = (
        np.array([[[direction.sign]] for direction in directions], dtype=np.float64)
        for directions in (study.scores.directions, humans.ratings.directions)
    )
    metric, ratings, names = metric * signs, human * signs_of_humans, humans.ratings.measures
    if study.config.data.human_pool == "mean" and len(human) > 1:
        ratings, names = np.concatenate([ratings, mean_of_raters(human)[np.newaxis]]), (*names, MEAN_OF_SCORES)
    measures, systems = crossed(study.measure_names, study.systems)
    tables = []
    for name, rating in zip(names, ratings, strict=True):
        shared = ~np.isnan(metric) & ~np.isnan(rating)
        means = (defined_mean(np.where(shared, values, np.nan), axis=-1).ravel() for values in (metric, rating))
        tables.append(
            table(
                "correlation_scores",
                "Scores and human scores of the systems",
                text("human", name),
                text("measure", measures),
                text("system", systems),
                *scores(("score", "rating"), means),
                detail=True,
            )
        )
    return joined(tables)


def findings(
    study: Study, settings: CorrelateSettings, humans: HumanScores, result: Sequence[Correlations]
) -> list[Finding]:
    """The measures with the highest correlations, by human scores and level, for the first coefficient."""
    first: dict[tuple[str, str], Correlations] = {}
    for part in result:
        if part.test is not None or not any(each.test is not None for each in result):
            first.setdefault((part.human, part.level), part)
    sentences: list[str] = []
    for part in first.values():
        highest = on_highest(
            part,
            _test_name(study, humans, settings, part),
            settings.alpha,
            few=_too_few(study, humans, settings, part),
            of_these=_of_these_systems(study, humans, settings, part),
        )
        sentences += [*highest, *on_influence(part, study.systems)]
    return [Finding("correlate", sentence) for sentence in sentences]


def _too_few(study: Study, humans: HumanScores, settings: CorrelateSettings, part: Correlations) -> str:
    """The units of the test, where their signs alone could show no difference; else ''."""
    systems, kind = len(study.systems), settings.test
    if kind == "systems" or not has_items(study, humans) or (part.coefficient, part.level) == (CALIBRATED, "system"):
        units, name = systems, "system"
    else:
        clusters = clusters_used(study, humans, settings)
        units, name = (len(clusters[0].sizes), "cluster") if clusters else (len(study.items), "item")
    return pluralize(units, name) if kind != "williams" and 2.0 ** (1 - units) > settings.alpha else ""


def _of_these_systems(study: Study, humans: HumanScores, settings: CorrelateSettings, part: Correlations) -> bool:
    """Whether the test says nothing of other systems: swaps of cells keep what measures favour some systems by."""
    about_items = ("items",) if part.coefficient in (CALIBRATED, SOFT) else ("items", "both")
    return settings.test in about_items and has_items(study, humans)


def on_highest(part: Correlations, test: str, alpha: float, *, few: str = "", of_these: bool = False) -> Iterator[str]:
    """The measure with the highest correlation; test: its name.

    few: what is too few for any difference, or ''. of_these: whether the test is about these systems only.
    """
    top, names = part.leader, part.measures
    if top is None:
        return
    value, low, high = (float(each[top]) for each in (part.values, part.low, part.high))
    ties = [names[index] for index in part.leaders]
    # Measures with the same correlation have intervals of their own.
    interval = "" if np.isnan(low) or len(ties) > 1 else f", 95 % interval {low:.2f} to {high:.2f}"
    of = f"{part.human}, {part.level} level, {part.coefficient}"
    has = "share" if len(ties) > 1 else "has"
    sentence = f"{join_names(ties)} {has} the highest correlation with human scores ({of} {value:.2f}{interval})"
    for_these = " for these systems" if of_these else ""
    if part.test is not None and len(names) > 1:
        others = [name for name, is_best in zip(names, part.best, strict=True) if is_best and name not in ties]
        untested = [
            name for name, p in zip(names, part.test.p_adjusted[top], strict=True) if np.isnan(p) and name not in ties
        ]
        others = [name for name in others if name not in untested]
        if others and few:
            are = "is" if few.startswith("1 ") else "are"
            sentence += (
                f"; {few} {are} too few to distinguish {join_names(others)} from it ({test}, adjusted p > {alpha:g})"
            )
        elif others:
            sentence += (
                f"; not significantly different{for_these}: {join_names(others)} ({test}, adjusted p > {alpha:g})"
            )
        elif len(ties) == 1 and not untested:
            sentence += f"; significantly better than all others{for_these} ({test}, adjusted p ≤ {alpha:g})"
        if untested:
            sentence += f"; not tested: {join_names(untested)}"
    yield sentence


def on_influence(part: Correlations, systems: Sequence[str]) -> Iterator[str]:
    """Which single system the lead, or the correlation, of a measure that leads alone rests on, if any."""
    if len(part.leaders) != 1 or part.influence is None:
        return
    (top,) = part.leaders
    if np.isnan(part.influence.without[:, top]).all():
        return
    without = part.influence.without
    lost = part.values[top] - without[:, top]
    leaders = np.nanmax(np.where(np.isnan(without), -np.inf, without), axis=1)
    overtaken = (leaders > without[:, top]) & (lost >= CHANGE)
    chosen = np.where(overtaken, lost, -np.inf) if overtaken.any() else lost
    system = int(np.nanargmax(chosen))
    value, left = f"{part.values[top]:.2f}", f"{without[system, top]:.2f}"
    if overtaken.any():
        other = part.measures[int(np.nanargmax(without[system]))]
        yield (
            f"{part.measures[top]} leads only because of {systems[system]}: {part.coefficient} {value}, without it "
            f"{left}, and {other} {leaders[system]:.2f} ({part.human}, {part.level} level)"
        )
    elif lost[system] >= COLLAPSE:
        yield (
            f"the correlation of {part.measures[top]} rests on {systems[system]}: {part.coefficient} {value}, without "
            f"it {left} ({part.human}, {part.level} level)"
        )


def methods(
    study: Study, settings: CorrelateSettings, humans: HumanScores, result: Sequence[Correlations]
) -> list[str]:
    """Sentences for a paper."""
    raters = humans.ratings.measures
    seed = f"seed {study.config.seed}"
    works = {SOFT: f" {cite('thompson2024')}", CALIBRATED: f" {cite('deutsch2023')}"}
    names = (f"{part.coefficient}{works.get(part.coefficient, '')} at level {part.level}" for part in result)
    pairs = ", ".join(dict.fromkeys(names))
    of = (
        f"the mean of the human scores of {join_names(raters)}"
        if _pooled(result)
        else (f"the human scores {join_names(raters)}" + (", each by itself" if len(raters) > 1 else ""))
    )
    sentences = [f"Measures were correlated with {of} ({pairs})."]
    if settings.partial is not None:
        sentences.append(
            f"Correlations are partial: measures and human scores were replaced by their residuals in linear "
            f"regressions on {settings.partial}."
        )
    if any(part.influence is not None and part.influence.outliers.any() for part in result):
        rule = f"by their median absolute deviation {cite('mathur2020')}"
        sentences.append(f"Systems are outliers if their human scores are 2.5 deviations from the median, {rule}.")
    if _has_intervals(result):
        how = [_intervals_in_words(study, humans, settings, level) for level in _levels(result)]
        sentences.append(f"95 % confidence intervals are {'; '.join(dict.fromkeys(how))}.")
    kinds: dict[str, dict[str, None]] = {}
    for part in result:
        if part.test is not None:
            kinds.setdefault(_test_in_words(study, humans, settings, part), {})[part.coefficient] = None
    if kinds:
        several = (f"{how} ({join_names(list(coefficients))})" for how, coefficients in kinds.items())
        draws = f" ({settings.permutations:,} permutations, {seed})" if settings.test != "williams" else ""
        test = (", with ".join(several) if len(kinds) > 1 else next(iter(kinds))) + draws
        tested = f"Differences of two measures in the correlation with human scores were tested with {test}"
        adjusted = (
            f"by Holm's method {cite('holm1979')}"
            if settings.test == "williams"
            else (f"for all pairs of measures by the largest standardised difference {cite('westfall1993')}")
        )
        sentences.append(f"{tested}; p-values are adjusted {adjusted}.")
    return sentences


def _notes(
    study: Study, settings: CorrelateSettings, humans: HumanScores, result: Sequence[Correlations], long: Table
) -> list[Note | str]:
    return [
        *notes_on_columns(long, ("low", "high")),
        *_on_intervals(study, settings, humans, result),
        *notes_on_columns(long, ("best",), ("rank",)),
        *_on_tests(study, settings, humans, result),
        *not_ranked_notes(study, "correlations are of the systems and items with both scores"),
        *_on_decisions(settings, result),
        *_on_undefined(result),
        *_on_raters(humans, result),
        *_on_few_systems(result),
        *_on_outliers(study, result),
        *_on_clusters(study, settings, humans),
        *_on_gaps(study, humans),
    ]


def _pooled(result: Sequence[Correlations]) -> bool:
    return any(part.human == MEAN_OF_SCORES for part in result)


def _has_intervals(result: Sequence[Correlations]) -> bool:
    return any(not np.isnan(part.low).all() for part in result)


def _on_intervals(
    study: Study, settings: CorrelateSettings, humans: HumanScores, result: Sequence[Correlations]
) -> Iterator[Note | str]:
    if not _has_intervals(result):
        return
    for level in _levels(result):
        yield f"intervals at level {level} are {_intervals_in_words(study, humans, settings, level, cited=False)}"
    if settings.interval == "fisher" and any(part.level in ("item", "by-system") for part in result):
        yield "at levels item and by-system Fisher's interval is for a single correlation, not for their mean"


def _levels(result: Sequence[Correlations]) -> list[str]:
    """The levels of the correlations that have intervals of `COEFFICIENTS`."""
    return list(dict.fromkeys(part.level for part in result if part.coefficient not in (CALIBRATED, SOFT)))


def _intervals_in_words(
    study: Study, humans: HumanScores, settings: CorrelateSettings, level: str, *, cited: bool = True
) -> str:
    """How the intervals at a level are made."""
    units, student = _drawn(study, humans, settings, settings.interval), "by Student's t of Fisher's z"
    bonett, cameron = (f" {cite(work)}" if cited else "" for work in ("bonett2000", "cameron2011"))
    if settings.interval == "fisher":
        return f"{student}, with the variances of independent pairs{bonett}"
    if level != "system":
        return f"{student}, with a jackknife of {units}{cameron if ' and ' in units else ''}"
    if settings.interval == "items":
        resamples = f"{pluralize(settings.resamples, 'bootstrap resample')} of {units} (seed {study.config.seed})"
        return f"{student}, with its deviation over {resamples}"
    return (
        f"for other systems {student}, with the variances of independent pairs{bonett}, or of Pearson's r with that "
        "of a jackknife where it is larger"
    )


def _on_tests(
    study: Study, settings: CorrelateSettings, humans: HumanScores, result: Sequence[Correlations]
) -> Iterator[Note | str]:
    if any(part.test is not None for part in result):
        swapped = any(part.test is not None and part.coefficient not in (CALIBRATED, SOFT) for part in result)
        if swapped and settings.test in ("both", "items") and has_items(study, humans):
            others = f"with {setting('test', 'systems')} they are about other systems"
            yield f"tests by {_swapped(study, humans, settings)} are about other items of these systems; {others}"
        yield from _on_shared_units(result)
        if settings.test != "williams" and settings.permutations < (needed := fewest_permutations(settings.alpha)):
            few = f"{settings.permutations:,} permutations are too few for a difference to be significant"
            yield f"{few}: use at least {setting('permutations', needed)}"
    untested = sorted(
        {part.coefficient for part in result if part.test is None}
        - {part.coefficient for part in result if part.test is not None}
    )
    if untested and settings.test != "none" and len(result[0].measures) > 1:
        yield f"not tested (—): {', '.join(untested)}"


def _on_decisions(settings: CorrelateSettings, result: Sequence[Correlations]) -> Iterator[Note | str]:
    errors = [part.error for part in result if part.error is not None]
    if errors:
        flips = pluralize(settings.permutations, "sign flip")
        yield f"{SOFT}: from {flips}, with a Monte Carlo standard error of at most {np.max(errors):.4f}"
    if any(part.coefficient == CALIBRATED and part.test is not None for part in result):
        yield (
            f"{CALIBRATED}: differences are tested by Student's t of what items, systems or both add to them; with "
            f"{setting('test', 'items')} they are about other items of these systems, else about other systems, too"
        )
    if any(part.error is not None and part.test is not None for part in result):
        draws = pluralize(settings.permutations, "bootstrap resample")
        yield f"{SOFT}: differences are tested by {draws}, not by swaps"


def _on_undefined(result: Sequence[Correlations]) -> Iterator[Note | str]:
    for kind in dict.fromkeys((part.level, part.coefficient) for part in result):
        parts = [part for part in result if (part.level, part.coefficient) == kind]
        level, coefficient = kind
        unit = "system" if level in ("system", "by-system") else "item" if level == "item" else "cell"
        most = max(int(part.left_out.max()) for part in parts)
        if most:
            yield f"{coefficient} at level {level} excludes up to {pluralize(most, unit)}: constant, or without scores"
        elif any(np.isnan(part.values).any() for part in parts):
            yield f"{coefficient} at level {level} is undefined (—) where all scores or all ratings are constant"


def with_first_human(study: Study, output: AnalysisOutput) -> AnalysisOutput:
    """An output that uses `of_first_human`, with the files of the human scores, and with a note if there are others."""
    if not study.config.data.human:
        return output
    humans = human_scores_of(study, progress=no_progress)
    names, pool = humans.ratings.measures, setting("human_pool", "mean")
    first = (
        f"human: correlation with {names[0]}, the first of {len(names)} human scores; put others first in "
        f"{setting('human')} or in its file, or pool raters of the same thing with {pool}"
    )
    chosen = [first] if len(names) > 1 and study.config.data.human_pool != "mean" else []
    return output.after(notes=[*humans.notes, *chosen], files=humans.files)


def _on_raters(humans: HumanScores, result: Sequence[Correlations]) -> Iterator[Note | str]:
    if _pooled(result):
        yield (
            f"{MEAN_OF_SCORES}: correlation with the mean of all raters; human ceiling: mean correlation of each rater "
            "with the mean of the others, for comparison"
        )
    elif len(humans.ratings.measures) > 1:
        pool = setting("human_pool", "mean")
        yield f"the human scores are analysed apart, as dimensions; raters of the same thing are pooled with {pool}"


def _on_few_systems(result: Sequence[Correlations]) -> Iterator[Note | str]:
    """A warning with the width of the widest interval where there are few systems."""
    part = next((part for part in result if part.level == "system"), None)
    top = None if part is None else part.leader
    if part is None or top is None or part.units[top] >= FEW_SYSTEMS:
        return
    few = f"warning: a correlation of {pluralize(int(part.units[top]), 'system')} says little"
    widths = np.nan_to_num(part.high - part.low)
    widest = int(np.argmax(widths))
    wide = f": the 95 % interval of {part.measures[widest]} ({part.coefficient}) is {widths[widest]:.2f} wide"
    yield few + wide if widths[widest] else few


def _on_outliers(study: Study, result: Sequence[Correlations]) -> Iterator[Note | str]:
    at_level_system = [part for part in result if part.influence is not None]
    shown = [part for part in at_level_system if part.human == MEAN_OF_SCORES] or at_level_system
    outliers = {part.human: part.influence.outliers for part in shown if part.influence is not None}
    for human, are in outliers.items():
        if are.any():
            names = join_names([study.systems[index] for index in np.flatnonzero(are).tolist()])
            yield (
                f"outliers by {human}: {names} (more than 2.5 deviations from the median, Mathur et al. 2020); "
                "correlation_influence has the values without them"
            )


def _on_clusters(study: Study, settings: CorrelateSettings, humans: HumanScores) -> list[Note | str]:
    if clusters_used(study, humans, settings):
        soft = [f"{SOFT} flips whole {units_of(study)}"] if SOFT in settings.coefficients else []
        return [*soft, *notes_on_clusters(study)]
    # That clusters play no role is said where the analysis runs.
    return [*notes_on_clusters(study)] if has_items(study, humans) and not study.origin.clusters else []


def _on_shared_units(result: Sequence[Correlations]) -> list[Note | str]:
    """A note where two measures are compared on fewer units than one of them has."""
    for part in result:
        units = part.units
        off_diagonal = ~np.eye(len(units), dtype=bool)
        if part.test is not None and (part.shared < np.maximum(units, units[:, np.newaxis]))[off_diagonal].any():
            return ["two measures are compared where both have a score: n in correlation_differences is their number"]
    return []


def _on_gaps(study: Study, humans: HumanScores) -> list[Note | str]:
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


def _test_name(study: Study, humans: HumanScores, settings: CorrelateSettings, part: Correlations) -> str:
    if settings.test == "williams":
        return "Williams' test"
    if part.coefficient not in (CALIBRATED, SOFT):
        return f"{pluralize(settings.permutations, 'permutation')} of {_swapped(study, humans, settings)}"
    if part.coefficient == SOFT:
        resamples = pluralize(settings.permutations, "bootstrap resample")
        return f"{resamples} of {_drawn(study, humans, settings, settings.test)}"
    kind = "systems" if part.level == "system" else settings.test
    return f"Student's t of the effects of {_drawn(study, humans, settings, kind)}"


def _test_in_words(study: Study, humans: HumanScores, settings: CorrelateSettings, part: Correlations) -> str:
    if settings.test == "williams":
        return f"Williams' test {cite('williams1959')}"
    if part.coefficient == CALIBRATED:
        return _test_name(study, humans, settings, part)
    if part.coefficient == SOFT:
        return _test_name(study, humans, settings, part).partition(" ")[2]
    swapped = _swapped(study, humans, settings).replace("cells", "each cell (system × item)")
    return f"random swaps {cite('deutsch2021')} of their standardised scores of {swapped}"


def _swapped(study: Study, humans: HumanScores, settings: CorrelateSettings) -> str:
    """What the test swaps."""
    drawn = _drawn(study, humans, settings, settings.test)
    return "cells" if drawn == "systems and items" else drawn.replace("systems and ", "each system's ")


def _drawn(study: Study, humans: HumanScores, settings: CorrelateSettings, kind: str) -> str:
    """What the bootstrap draws, or a test gives signs."""
    if kind == "systems" or not has_items(study, humans):
        return "systems"
    items = units_of(study) if clusters_used(study, humans, settings) else "items"
    return items if kind == "items" else f"systems and {items}"
