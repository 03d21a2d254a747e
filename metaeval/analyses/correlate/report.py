"""Tables and findings of `correlate`."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any

import numpy as np

from metaeval.analyses.correlate import plots as plots  # registers them
from metaeval.analyses.correlate.compute import (
    MEAN_OF_CORRELATIONS,
    MEAN_OF_OTHERS,
    MEAN_OF_SCORES,
    Correlations,
    covariate_scores,
)
from metaeval.analyses.correlate.notes import FEW_SYSTEMS, Sampling, methods, notes
from metaeval.analyses.correlate.settings import CorrelateSettings
from metaeval.analyses.sentences import every, join_names
from metaeval.errors import pluralize, setting
from metaeval.model.report import (
    Cells,
    Finding,
    Table,
    count,
    crossed,
    flag,
    p_value,
    score,
    scores,
    stack,
    table,
    text,
)
from metaeval.stats.correlation_tests import DifferenceTest
from metaeval.stats.intervals import defined_mean
from metaeval.stats.rank import best_first
from metaeval.study.human import HumanScores, human_scores_of, mean_of_raters, oriented_scores
from metaeval.study.study import AnalysisOutput, Study, no_progress

CEILING = "human ceiling"
"""The `measure` of the mean correlation of each rater with the mean of the others."""

CHANGE = 0.1
"""Loss of a correlation without one system from which a finding names the system, where another measure then leads."""

COLLAPSE = 0.2
"""The same where the measure still leads."""


def tabulate(study: Study, settings: CorrelateSettings, result: Sequence[Correlations]) -> AnalysisOutput:
    """Tables of the correlations, of their differences, of single systems and of what is correlated."""
    humans = human_scores_of(study, progress=no_progress)
    sampling = Sampling(study, settings, humans)
    long = _long(sampling, result)
    wide = _wide(study, result)
    kinds = {(part.level, part.coefficient) for part in result}
    # The wide table is without single raters if their mean is tested.
    several = len(kinds) > 1 or any(part.human == MEAN_OF_SCORES for part in result)
    shows_wide = several if settings.wide is None else settings.wide
    tables = [replace(long, detail=shows_wide), replace(wide, detail=not shows_wide)]
    if settings.wide:
        tables.reverse()
    with_tests = [part for part in result if part.test is not None]
    if with_tests:
        tables += [_differences(with_tests), stack(map(_p_values, with_tests))]
    calibrated = [part for part in result if part.thresholds is not None]
    if calibrated:
        tables.append(stack(map(_thresholds, calibrated)))
    with_influence = [part for part in result if part.influence is not None]
    if with_influence:
        tables.append(stack(_influence(part, study.systems) for part in with_influence))
    tables.append(_points(study, humans))
    files = list(humans.files)
    if settings.partial is not None:
        _, others = covariate_scores(study, settings.partial, progress=no_progress)
        files += others.files if others is not None else ()
    return AnalysisOutput(
        tables,
        [*humans.notes, *notes(sampling, result), *_on_influence_elsewhere(sampling, result)],
        findings(sampling, result),
        files,
        methods(sampling, result),
    )


def _title(study: Study, result: Sequence[Correlations]) -> str:
    return f"{_subject(result)}, {pluralize(len(study.systems), 'system')}"


def _subject(result: Sequence[Correlations]) -> str:
    return f"Correlation of {pluralize(len(result[0].measures), 'measure')} with human scores"


def _long(sampling: Sampling, result: Sequence[Correlations]) -> Table:
    """A row for each correlation, best first within a level, a coefficient and human scores."""
    first, study, kind = result[0], sampling.study, sampling.settings.interval
    words = {"human": first.human, "level": f"{first.level} level", "coefficient": first.coefficient}
    fixed = {name: word for name, word in words.items() if len({getattr(part, name) for part in result}) == 1}
    title = f"{_title(study, result)} ({', '.join(fixed.values())})" if fixed else _title(study, result)
    how = "Fisher's z" if kind == "fisher" else f"for other {sampling.units(kind)}"
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
                    interval=f"95 % interval ({how})",
                    n=part.units,
                    left_out=part.left_out,
                    best=part.best if part.test is not None else None,
                    rank=part.ranks,
                )
            )
        if parts[-1].human == MEAN_OF_SCORES:
            tables += _tables_of_raters(title, parts[:-1], parts[-1])
    whole = stack(tables)
    columns = tuple(replace(column, detail=column.detail or column.name in fixed) for column in whole.columns)
    return replace(whole, columns=columns, subject=_subject(result))


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
    interval: str = "",
    best: Any = None,
    rank: Any = None,
) -> Table:
    """The rows of measures in the table `correlations`, best first; interval: its meaning."""
    return table(
        "correlations",
        title,
        text("measure", measures),
        text("human", human),
        text("level", part.level),
        text("coefficient", part.coefficient),
        score("value", value, interval=("low", "high")),
        *scores(("low", "high"), (low, high), about=interval),
        count("n", n, about="values behind the coefficient", detail=True),
        count("left_out", left_out, about="items or systems without a defined value", detail=True),
        flag("best", best, about="the highest, and those not significantly different from it"),
        count("rank", rank, where=None if rank is None else rank > 0, detail=True),
        order=best_first(value),
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


def _wide(study: Study, result: Sequence[Correlations]) -> Table:
    """A column for each level and coefficient, with the human scores that are tested, or else all."""
    has_tests = any(part.test is not None for part in result)
    parts = [part for part in result if part.test is not None or not has_tests]
    humans = list(dict.fromkeys(part.human for part in parts))
    kinds = list(dict.fromkeys((part.level, part.coefficient) for part in parts))
    by_kind = {(part.human, part.level, part.coefficient): part for part in parts}
    by_human = {human: {f"{kind[0]} {kind[1]}": by_kind.get((human, *kind)) for kind in kinds} for human in humans}
    title = _title(study, result) + ("" if len(humans) > 1 else f" ({humans[0]})")
    return wide_table("correlations_by_measure", "correlation_ranks", title, result[0].measures, by_human)


def wide_table(
    name: str, name_of_ranks: str, title: str, measures: Sequence[str], by_human: Mapping[str, Mapping[str, Any]]
) -> Table:
    """A column for each level and coefficient, with ranks beside if tested; name, name_of_ranks: of the two tables.

    by_human: by human and column, what has values and ranks, (M,), None where there are none.
    """
    has_tests = any(part is not None and part.ranks.any() for parts in by_human.values() for part in parts.values())
    values, ranks = [], []
    for human, parts in by_human.items():
        keys = [text("human", human)] if len(by_human) > 1 else []
        keys.append(text("measure", measures))
        order = best_first(next(part for part in parts.values() if part is not None).values)
        values_by_kind = (
            score(kind, None if part is None else part.values, higher_is_better=True) for kind, part in parts.items()
        )
        ranks_by_kind = (
            count(kind, None) if part is None else count(kind, part.ranks, where=part.ranks > 0)
            for kind, part in parts.items()
        )
        suffix = ", ranked by significant differences" if has_tests else ""
        values.append(table(name, f"{title}{suffix}", *keys, *values_by_kind, order=order))
        ranks.append(table(name_of_ranks, f"{title}: ranks", *keys, *ranks_by_kind, order=order))
    return replace(stack(values), beside=stack(ranks) if has_tests else None)


def columns_of_pairs(measures: Sequence[str], test: DifferenceTest) -> list[Cells]:
    """Both measures of each pair, their difference, p and adjusted p."""
    pairs = np.triu_indices(len(measures), k=1)
    names = [[measures[index] for index in indices.tolist()] for indices in pairs]
    return [
        text("measure", names[0]),
        text("other", names[1]),
        score("difference", test.difference[pairs]),
        p_value("p", test.p[pairs]),
        p_value("p_adjusted", test.p_adjusted[pairs]),
    ]


def _kind(part: Correlations) -> list[Cells]:
    return [text("level", part.level), text("coefficient", part.coefficient), text("human", part.human)]


def _differences(parts: Sequence[Correlations]) -> Table:
    tables = []
    for part in parts:
        assert part.test is not None
        columns = columns_of_pairs(part.measures, part.test)
        units = count("n", part.overlap[np.triu_indices(len(part.measures), k=1)])
        title = "Differences of correlations with human scores (measure − other)"
        tables.append(table("correlation_differences", title, *_kind(part), *columns, units, detail=True))
    return stack(tables)


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
        *(p_value(name, cells) for name, cells in zip(part.measures, zip(*rows, strict=True), strict=True)),
        order=best_first(part.values),
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
    is_defined, measures = ~np.isnan(without).all(axis=0), np.arange(len(part.measures))
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
        text("lowest_without", np.where(is_defined, np.array(systems)[lowest], ""), about="the system"),
        score("highest", without[highest, measures], about="highest value when a system is left out"),
        text("highest_without", np.where(is_defined, np.array(systems)[highest], ""), about="the system"),
        score(
            "without_outliers",
            part.influence.without_outliers,
            about="value without the outliers among the human scores",
        ),
        text("outliers", outliers),
        order=best_first(part.values),
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
    return stack(tables)


def _firsts(result: Sequence[Correlations]) -> list[Correlations]:
    """By human scores and level the defined ones with the first coefficient, of those tested, if any are."""
    first: dict[tuple[str, str], Correlations] = {}
    for part in result:
        if part.test is not None or not any(other.test is not None for other in result):
            first.setdefault((part.human, part.level), part)
    return [part for part in first.values() if part.leader is not None]


def findings(sampling: Sampling, result: Sequence[Correlations]) -> list[Finding]:
    """The measures with the highest correlations, for the first human scores, level and coefficient; who leads else."""
    parts = _firsts(result)
    if not parts:
        return []
    first, *others = parts
    few, fixed_systems = sampling.too_few(first), sampling.has_fixed_systems(first)
    highest = ". ".join(on_highest(first, sampling.settings.alpha, few=few, fixed_systems=fixed_systems))
    influence = list(on_influence(first, sampling.study.systems))
    return [Finding("correlate", sentence) for sentence in (highest, *(influence or _on_others(first, others)))]


def on_highest(part: Correlations, alpha: float, *, few: str = "", fixed_systems: bool = False) -> Iterator[str]:
    """The measure with the highest correlation, and how the others compare.

    few: what is too few for any difference, or ''. fixed_systems: whether the test is about these systems only.
    """
    top, names = part.leader, part.measures
    if top is None:
        return
    value, low, high = (float(values[top]) for values in (part.values, part.low, part.high))
    ties = [names[index] for index in part.leaders]
    # Measures with the same correlation have intervals of their own.
    interval = "" if np.isnan(low) or len(ties) > 1 else f", 95 % interval {low:.2f} to {high:.2f}"
    units = int(part.units[top])
    only = f", only {pluralize(units, 'system')}" if part.level == "system" and units < FEW_SYSTEMS else ""
    of = f"{part.human}, {part.level} level, {part.coefficient}"
    has = "share" if len(ties) > 1 else "has"
    yield f"{join_names(ties)} {has} the highest correlation with human scores ({of} {value:.2f}{interval}{only})"
    if part.test is None or len(ties) == len(names):
        return
    p = part.test.p_adjusted[top]
    untested = [name for name, value in zip(names, p, strict=True) if np.isnan(value) and name not in ties]
    rest = [name for name in names if name not in (*ties, *untested)]
    others = [name for name, is_best in zip(names, part.best, strict=True) if is_best and name in rest]
    here = " for these systems" if fixed_systems else ""
    are = "is" if len(rest) == 1 else "are"
    claim = ""
    if others and few:
        few += " is" if few.startswith("1 ") else " are"
        claim = f"{few} too few to distinguish {join_names(others)} from it"
    elif others and len(others) == len(rest):
        claim = f"{'No other measure is' if len(rest) > 1 else 'The other measure is not'} significantly lower{here}"
    elif others:
        claim = f"Not significantly lower{here}: {join_names(others)}"
    elif rest and len(ties) == 1 and not untested:
        claim = f"{every(len(rest), 'other measure').capitalize()} {are} significantly lower{here}"
    if claim:
        claim += f" (adjusted p {'>' if others else '≤'} {alpha:g})"
    if untested:
        claim += f"{'; not' if claim else 'Not'} tested: {join_names(untested)}"
    if claim:
        yield claim


def _on_others(first: Correlations, others: Sequence[Correlations]) -> list[str]:
    """Whether the first leaders lead with other human scores and at other levels, too."""
    humans, levels = ({getattr(part, name) for part in (first, *others)} for name in ("human", "level"))
    leaders = {}
    for part in others:
        human_phrase = [f"for {part.human}"] if len(humans) > 1 else []
        where = " ".join([*human_phrase, *([f"at {part.level} level"] if len(levels) > 1 else [])])
        leaders[where] = [part.measures[index] for index in part.leaders]
    return also_highest([first.measures[index] for index in first.leaders], leaders)


def also_highest(leaders: Collection[str], others: Mapping[str, Collection[str]]) -> list[str]:
    """A sentence on where the leaders are the highest, too, or one of them; others: the leaders elsewhere, by where."""
    leads = {where: not set(leaders).isdisjoint(names) for where, names in others.items() if names}
    if not leads:
        return []
    same, rest = ([where for where, is_same in leads.items() if is_same is kind] for kind in (True, False))
    if not same and len(rest) == 1:
        names = list(others[rest[0]])
        return [f"{join_names(names)} {'is' if len(names) == 1 else 'are'} the highest {rest[0]}"]
    if not same:
        return [f"Other measures are the highest {join_names(rest)}"]
    it = "It is" if len(leaders) == 1 else "One of them is"
    return [f"{it} also the highest {join_names(same)}{f', but not {join_names(rest)}' if rest else ''}"]


def _on_influence_elsewhere(sampling: Sampling, result: Sequence[Correlations]) -> list[str]:
    """Of which systems there is no finding, because they have influence on other correlations than the first."""
    return [sentence for part in _firsts(result)[1:] for sentence in on_influence(part, sampling.study.systems)]


def on_influence(part: Correlations, systems: Sequence[str]) -> Iterator[str]:
    """Which single system the lead, or the correlation, of a measure that leads alone rests on, if any."""
    if len(part.leaders) != 1 or part.influence is None:
        return
    (top,) = part.leaders
    if np.isnan(part.influence.without[:, top]).all():
        return
    without = part.influence.without
    losses = part.values[top] - without[:, top]
    leaders = np.nanmax(np.where(np.isnan(without), -np.inf, without), axis=1)
    overtaken = (leaders > without[:, top]) & (losses >= CHANGE)
    candidate_losses = np.where(overtaken, losses, -np.inf) if overtaken.any() else losses
    system = int(np.nanargmax(candidate_losses))
    value, left = f"{part.values[top]:.2f}", f"{without[system, top]:.2f}"
    if overtaken.any():
        other = part.measures[int(np.nanargmax(without[system]))]
        yield (
            f"{part.measures[top]} leads only because of {systems[system]}: {part.coefficient} {value}, without it "
            f"{left}, and {other} {leaders[system]:.2f} ({part.human}, {part.level} level)"
        )
    elif losses[system] >= COLLAPSE:
        yield (
            f"the correlation of {part.measures[top]} rests on {systems[system]}: {part.coefficient} {value}, without "
            f"it {left} ({part.human}, {part.level} level)"
        )


def with_first_human(study: Study, output: AnalysisOutput) -> AnalysisOutput:
    """An output of `first_human_correlations`, with the files of the human scores and a note if there are others."""
    if not study.config.data.human:
        return output
    humans = human_scores_of(study, progress=no_progress)
    names, pool = humans.ratings.measures, setting("human_pool", "mean")
    first = (
        f"human: correlation with {names[0]}, the first of {len(names)} human scores; put others first in "
        f"{setting('human')} or in its file, or pool raters of the same thing with {pool}"
    )
    human_notes = [first] if len(names) > 1 and study.config.data.human_pool != "mean" else []
    return output.after(notes=[*humans.notes, *human_notes], files=humans.files)
