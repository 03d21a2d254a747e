"""Tables, notes and findings of `merge-classes`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from metaeval.analyses.merge_classes.compute import MergeEffects, merged_labels
from metaeval.analyses.merge_classes.settings import MergeSettings
from metaeval.analyses.sentences import Numbers, and_worst, best_of, join_names
from metaeval.model.report import Cell, Column, Finding, Kind, Table, columns
from metaeval.stats.intervals import defined_deviation, defined_mean, percentile_interval
from metaeval.study.capabilities import LABELS
from metaeval.study.study import AnalysisOutput, Study


def tabulate(study: Study, settings: MergeSettings, result: MergeEffects) -> AnalysisOutput:
    """Tables, notes and findings of `merge-classes`."""
    names = study.measure_names
    balanced = f", gold balanced in {settings.trials:,} samples" if settings.balance else ""
    main = Table(
        "merge_classes",
        f"tau-b of the rankings before and after a merge of classes{balanced}",
        (Column("measure"), *columns(Kind.SCORE, *result.merges), Column("mean", Kind.SCORE, higher_is_better=False)),
        tuple(
            (name, *result.values[:, place].tolist(), float(result.means[place])) for place, name in enumerate(names)
        ),
    )
    tables = [main, _intervals(names, result, settings)] if len(result.drawn) else [main]
    return AnalysisOutput(tables, _notes(study, result, settings), on_merges(names, result.means))


def _intervals(names: Sequence[str], result: MergeEffects, settings: MergeSettings) -> Table:
    drawn = np.concatenate([result.drawn, defined_mean(result.drawn, axis=1)[:, np.newaxis]], axis=1)
    values = np.concatenate([result.values, result.means[np.newaxis]])
    scores = np.stack([values, defined_deviation(drawn), *percentile_interval(drawn)], axis=-1)
    undefined = np.isnan(drawn).sum(axis=0)
    rows: list[tuple[Cell, ...]] = [
        (name, merge, *scores[number, place].tolist(), int(undefined[number, place]))
        for place, name in enumerate(names)
        for number, merge in enumerate((*result.merges, "mean"))
    ]
    method = "balanced samples" if settings.balance else "bootstrap over items"
    statistics = columns(Kind.SCORE, "value", "sd", "low", "high")
    heads = (Column("measure"), Column("merge"), *statistics, Column("undefined", Kind.COUNT))
    title = f"95 % intervals: {method} ({len(result.drawn):,})"
    return Table("merge_classes_intervals", title, heads, tuple(rows))


def _notes(study: Study, result: MergeEffects, settings: MergeSettings) -> list[str]:
    scale = study.need(LABELS, "a merge of classes").runs.scale
    notes = ["a lower tau means that the measure makes more use of the distinction that the merge removes"]
    if len(result.drawn) and not settings.balance:
        notes.append(
            "a bootstrap resample repeats items, which makes rankings less certain, so that a value may lie near the "
            "end of its interval"
        )
    if scale.ordered:
        for labels in merged_labels(scale, settings):
            codes = sorted(scale.code(label) for label in labels)
            if codes[-1] - codes[0] >= len(codes):
                adjacency = f"{' and '.join(labels)} are not adjacent"
                notes.append(f"{adjacency}: the merged class takes the position of {scale.labels[codes[0]]}")
    return notes + _undefined_notes(result, study.measure_names)


def _undefined_notes(result: MergeEffects, names: Sequence[str]) -> list[str]:
    undefined = np.isnan(result.values)
    never, partly = undefined.all(axis=0), undefined.any(axis=0) & ~undefined.all(axis=0)
    notes = []
    reason = "because a ranking ties all systems"
    if never.any():
        notes.append(f"{', '.join(names[place] for place in np.flatnonzero(never).tolist())}: no tau, {reason}")
    for place in np.flatnonzero(partly).tolist():
        merges = ", ".join(merge for merge, missing in zip(result.merges, undefined[:, place], strict=True) if missing)
        notes.append(
            f"{names[place]}: no tau for {merges}, {reason}; its mean is over the other merges, and is not comparable "
            "with the means of other measures"
        )
    return notes


def on_merges(names: Sequence[str], discrimination: Numbers) -> list[Finding]:
    """The measures that are most and least sensitive to merges; discrimination: mean tau, (M,), lower is better."""
    most = best_of(names, -discrimination)
    if not most:
        return []
    if len(most) == np.count_nonzero(~np.isnan(discrimination)) > 1:
        text = f"{join_names(most)} are equally sensitive to merging classes (mean tau {np.nanmin(discrimination):.2f})"
        return [Finding("merge-classes", text)]
    verb = "is" if len(most) == 1 else "are"
    text = f"{join_names(most)} {verb} the most sensitive to merging classes (mean tau {np.nanmin(discrimination):.2f})"
    return [Finding("merge-classes", text + and_worst(names, discrimination, len(most), "the least sensitive"))]
