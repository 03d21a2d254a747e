"""Tables, notes and findings of `merge-classes`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from metaeval.analyses.merge_classes.compute import ALL_PAIRS_UP_TO, MergeEffects, named_merges
from metaeval.analyses.merge_classes.settings import MergeSettings
from metaeval.analyses.sentences import ALPHA, Superlative, join_names
from metaeval.arrays import Floats
from metaeval.errors import pluralize, setting
from metaeval.model.report import Finding, Note, Table, crossed, score, scores, table, text
from metaeval.model.scale import ClassScale
from metaeval.model.works import cite
from metaeval.render.plots.canvas import number
from metaeval.render.plots.columns import extremes, matrix, names_of, rows_by, texts
from metaeval.render.plots.declaration import Picture, Tables, plot
from metaeval.render.plots.dots import DotPlot, Panel, Series, dot_series
from metaeval.stats.intervals import defined_mean, percentile_interval
from metaeval.stats.rank import best_first
from metaeval.stats.tests import compact_letters
from metaeval.study.capabilities import MERGES
from metaeval.study.evidence import methods_of_tests, notes_on_clusters, units_of
from metaeval.study.study import AnalysisOutput, Study, undefined_notes, undefined_scores_notes

EACH_UP_TO = 3
"""Number of merges above which one note is on all of them, and readers see only their corrected mean."""

COLUMNS_UP_TO = 10
"""Number of merges above which readers see only their mean where it cannot be corrected."""


def tabulate(study: Study, settings: MergeSettings, result: MergeEffects) -> AnalysisOutput:
    """Tables, notes and findings of `merge-classes`."""
    names, tests = study.measure_names, result.tests
    tables, findings = [_main(study, settings, result)], []
    if tests is not None:
        bounds = np.stack([tests.low, tests.high])
        tables.append(
            _intervals(names, result, bounds, ends=("ci_low", "ci_high"), title="95 % intervals on other items")
        )
        findings = on_merges(names, tests.corrected, tests.p)
    elif len(result.samples):
        samples = np.concatenate([result.samples, defined_mean(result.samples, axis=1)[:, np.newaxis]], axis=1)
        title = f"Middle 95 % of {settings.trials:,} balanced samples"
        bounds = np.stack(percentile_interval(samples))
        tables.append(_intervals(names, result, bounds, ends=("low", "high"), title=title))
    return AnalysisOutput(tables, _notes(study, settings, result), findings, methods=_methods(study, result, settings))


def _main(study: Study, settings: MergeSettings, result: MergeEffects) -> Table:
    tests, units = result.tests, units_of(study)
    has_tests = tests is not None and not np.isnan(tests.corrected).all()
    most = EACH_UP_TO if has_tests else COLUMNS_UP_TO
    columns = [
        text("measure", study.measure_names),
        *scores(result.merges, result.values, digits=2, detail=len(result.merges) > most),
        score("mean", result.means, higher_is_better=False, interval=("ci_low", "ci_high"), detail=has_tests),
    ]
    if tests is not None:
        columns += [
            *scores(
                ("ci_low", "ci_high"),
                (tests.low[-1], tests.high[-1]),
                about="95 % interval of the mean, on other items",
            ),
            score(
                "reliability",
                # Halves of the items rank systems that tie on all items in opposite orders, which has no meaning.
                np.where(np.isnan(result.means), np.nan, tests.reliability),
                about=f"expected tau between a measure's own rankings on halves of {units}, which share no error",
                detail=True,
            ),
            score(
                "corrected",
                tests.corrected,
                head="corrected tau",
                about="mean tau, corrected for unreliable rankings; lower: notices classes more",
                interval=("corrected_low", "corrected_high"),
                letters="letters",
                detail=not has_tests,
            ),
            *scores(
                ("corrected_low", "corrected_high"),
                (tests.corrected_low, tests.corrected_high),
                about="95 % interval, on other items",
            ),
            text(
                "letters",
                compact_letters(-tests.corrected, tests.p <= ALPHA),
                about="measures that share a letter do not differ significantly",
                detail=not has_tests,
            ),
        ]
    balanced = f", gold balanced in {settings.trials:,} samples" if settings.balance else ""
    subject = "tau-b of the rankings before and after a merge of classes"
    values = result.means if tests is None or not has_tests else tests.corrected
    return table("merge_classes", f"{subject}{balanced}", *columns, order=best_first(-values), subject=subject)


def _methods(study: Study, result: MergeEffects, settings: MergeSettings) -> list[str]:
    many = len(result.merges) > EACH_UP_TO
    merges = f"{len(result.merges)} merges" if many else ", ".join(result.merges)
    procedure = f"The systems were ranked before and after each merge of classes ({merges})"
    samples = f" on {settings.trials:,} samples with gold classes of equal size (seed {study.config.seed})"
    comparison = f"and the two rankings compared by Kendall's tau-b {cite('kendall1945')}, as in {cite('amemiya2021')}"
    sentences = [f"{procedure}{samples if settings.balance else ''}, {comparison}."]
    if result.tests is not None:
        subject = "The differences between measures in the mean tau, corrected for unreliability,"
        by = f"by the largest statistic {cite('westfall1993')}"
        adjustment = f"P-values are adjusted for all pairs of measures {by}; intervals are of 95 %."
        tests = methods_of_tests(study, subject, permutations=settings.permutations, for_measures=True)
        sentences += [*tests, adjustment]
    return sentences


def _intervals(
    names: Sequence[str], result: MergeEffects, bounds: Floats, *, ends: tuple[str, str], title: str
) -> Table:
    """The bounds, (2, G + 1, M), of each merge and of their mean."""
    values = np.concatenate([result.values, result.means[np.newaxis]])
    measures, merges = crossed(names, (*result.merges, "mean"))
    return table(
        "merge_classes_intervals",
        title,
        text("measure", measures),
        text("merge", merges),
        *scores(("value", *ends), (matrix.T.ravel() for matrix in (values, *bounds))),
        detail=True,
    )


def _notes(study: Study, settings: MergeSettings, result: MergeEffects) -> list[Note | str]:
    scale = study.need(MERGES, "a merge of classes").scale
    notes: list[Note | str] = []
    if result.tests is not None:
        units = units_of(study)
        notes += [
            f"the corrected tau is the mean tau relative to that of a measure with itself on halves of {units}",
            f"intervals and tests use {settings.permutations:,} random sign changes of {units}, and adjusted p-values",
        ]
        unreliable = np.flatnonzero(~np.isnan(result.means) & np.isnan(result.tests.corrected)).tolist()
        if unreliable:
            names = join_names([study.measure_names[index] for index in unreliable])
            notes.append(f"no corrected tau (—) of {names}: a ranking is too unreliable, or ties all systems")
        notes += notes_on_clusters(study)
    elif settings.balance:
        notes.append("balanced samples omit items, so that they give no intervals on other items and no tests")
    if len(scale) > ALL_PAIRS_UP_TO and not settings.merges and not settings.adjacent:
        how = "each is merged with the next" if scale.ordered else "all but one are merged, for each"
        notes.append(f"of {len(scale)} classes {how}; others by {setting('merges')}")
    if scale.ordered:
        notes += _notes_on_positions(scale, named_merges(scale, settings).values())
    scores_of_merges = len(result.merges) * len(study.systems)
    undefined = undefined_scores_notes(study, result.undefined.tolist(), scores_of_merges, "after merges")
    return [*notes, *undefined_notes(study), *undefined, *_undefined_notes(result, study.measure_names)]


def _notes_on_positions(scale: ClassScale, merges: Iterable[Sequence[str]]) -> list[Note | str]:
    """On merges of classes that are not adjacent; one note for many."""
    sorted_codes = [sorted(map(scale.code, labels)) for labels in merges]
    apart = [codes for codes in sorted_codes if codes[-1] - codes[0] >= len(codes)]
    if len(apart) > EACH_UP_TO:
        example = " and ".join(scale.labels[code] for code in apart[0])
        sentence = f"{len(apart)} merges are of classes that are not adjacent, such as {example}"
        return [f"{sentence}: the merged class takes the position of the lowest of them"]
    return [
        f"{' and '.join(scale.labels[code] for code in codes)} are not adjacent: "
        f"the merged class takes the position of {scale.labels[codes[0]]}"
        for codes in apart
    ]


def _undefined_notes(result: MergeEffects, names: Sequence[str]) -> list[Note | str]:
    undefined = np.isnan(result.values)
    reason = "because a ranking ties all systems that have a score, or the merge removes a class that the measure names"
    never = np.flatnonzero(undefined.all(axis=0)).tolist()
    partly = np.flatnonzero(undefined.any(axis=0) & ~undefined.all(axis=0)).tolist()
    notes: list[Note | str] = []
    if never:
        notes.append(f"{', '.join(names[index] for index in never)}: no tau, {reason}")
    for index in partly:
        merges = join_names([merge for merge, gone in zip(result.merges, undefined[:, index], strict=True) if gone])
        notes.append(
            f"{names[index]}: no tau for {merges}, {reason}; its mean is over the other merges, and is not comparable "
            "with the means of other measures"
        )
    return notes


SENSITIVE = Superlative(
    ("is the most sensitive to merging classes", "are the most sensitive to merging classes"),
    ("is significantly less sensitive", "are significantly less sensitive"),
    ("no two measures differ significantly in sensitivity to merging classes", ": none is the most sensitive"),
    unit="corrected tau ",
    lower_is_better=True,
)


def on_merges(names: Sequence[str], corrected: Floats, p: Floats) -> list[Finding]:
    """The measures that are most sensitive to merges, and those that are significantly less so.

    corrected: mean tau corrected for unreliability, (M,), lower is better. p: of the differences, (M, M).
    """
    if np.isnan(corrected).all():
        return []
    return [SENSITIVE.finding("merge-classes", names, corrected, p, alpha=ALPHA)]


MAX_DOTS = 12
"""Of more merges the plot shows the range."""


@plot("merge_classes", title="Rankings after classes are merged", example="merge-classes --config configs/stance.yaml")
def merge_classes(tables: Tables) -> Picture | None:
    """A row for each measure, with a dot for each merge and for their mean."""
    table = tables["merge_classes"]
    names, merges = texts(table, "measure"), names_of(table)[1:]
    if "mean" in merges:
        merges = merges[: merges.index("mean") + 1]
    values = matrix(table, merges)
    if np.isnan(values).all() or not names:
        return None
    intervals = _drawn_intervals(tables, names)
    series = {merge: Series(values[:, index], *intervals.get(merge, ())) for index, merge in enumerate(merges)}
    single = [index for index, merge in enumerate(merges) if merge != "mean"]
    summary = ""
    if "mean" in series and not np.isnan(series["mean"].values).all():
        means = series["mean"].values
        (low,), (high,) = extremes(means)
        summary = f" Lowest mean: {names[low]} ({number(means[low])}); highest: {names[high]} ({number(means[high])})."
    if len(series) > MAX_DOTS:
        no_values, effects = np.full(len(names), np.nan), values[:, single]
        between = f"from the lowest to the highest of {len(single)} merges"
        series = {between: Series(no_values, effects.min(axis=1), effects.max(axis=1)), "mean": series["mean"]}
    panel = Panel(rows=names, series=dot_series(series))
    across = "tau-b before and after the merge (lower: the measure makes more use of the distinction)"
    alt = f"Dot plot of {pluralize(len(names), 'measure')}: tau-b of the rankings before and after "
    alt += f"{pluralize(len(single), 'merge')} of classes.{summary}"
    return Picture(alt, DotPlot(panels=[panel], across=across).draw)


def _drawn_intervals(tables: Tables, names: Sequence[str]) -> dict[str, tuple[Floats, Floats]]:
    """Lower and upper bounds of all measures by merge; NaN without an interval."""
    intervals: dict[str, tuple[Floats, Floats]] = {}
    table = tables.get("merge_classes_intervals")
    if table is not None:
        bounds, measures = matrix(table, names_of(table)[-2:]), texts(table, "measure")
        for (merge,), rows in rows_by(table, "merge").items():
            ends = np.full((2, len(names)), np.nan)
            for row in rows:
                if measures[row] in names:
                    ends[:, names.index(measures[row])] = bounds[row]
            intervals[merge] = (ends[0], ends[1])
    return intervals
