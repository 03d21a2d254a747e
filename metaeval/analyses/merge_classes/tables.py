"""The tables of `merge-classes`, and what to say of them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from metaeval.analyses.merge_classes.compute import MergeEffects, merged_labels
from metaeval.analyses.merge_classes.settings import MergeSettings
from metaeval.analyses.sentences import Numbers, and_worst, best_of, listed
from metaeval.model.report import Cell, Column, Finding, Kind, Table
from metaeval.stats.intervals import defined_deviation, defined_mean, percentile_interval
from metaeval.study.capabilities import LABELS
from metaeval.study.study import Part, Study


def tabulate(study: Study, settings: MergeSettings, found: MergeEffects) -> Part:
    """The tables of `merge_classes`, and what to say of them."""
    names = study.measure_names
    balanced = f", gold balanced in {settings.trials:,} samples" if settings.balance else ""
    tables = [
        Table(
            "merge_classes",
            f"tau-b of the rankings with and without a merge of classes{balanced}",
            (
                Column("measure"),
                *(Column(merge, Kind.SCORE) for merge in found.merges),
                Column("mean", Kind.SCORE, higher_is_better=False),
            ),
            tuple(
                (name, *found.values[:, place].tolist(), float(found.means[place])) for place, name in enumerate(names)
            ),
        )
    ]
    if len(found.drawn):
        tables.append(_intervals(names, found, settings))
    return Part(tables, _notes(study, found, settings, names), on_merges(names, found.means))


def _intervals(names: Sequence[str], found: MergeEffects, settings: MergeSettings) -> Table:
    of_mean = defined_mean(found.drawn, axis=1)[:, np.newaxis]
    drawn = np.concatenate([found.drawn, of_mean], axis=1)
    values = np.concatenate([found.values, found.means[np.newaxis]])
    low, high = percentile_interval(drawn)
    deviation, undefined = defined_deviation(drawn), np.isnan(drawn).sum(axis=0)
    rows: list[tuple[Cell, ...]] = [
        (
            name,
            merge,
            float(values[number, place]),
            float(deviation[number, place]),
            float(low[number, place]),
            float(high[number, place]),
            int(undefined[number, place]),
        )
        for place, name in enumerate(names)
        for number, merge in enumerate((*found.merges, "mean"))
    ]
    what = "balanced samples" if settings.balance else "bootstrap over items"
    return Table(
        "merge_classes_intervals",
        f"95 % intervals: {what} ({len(found.drawn):,})",
        (
            Column("measure"),
            Column("merge"),
            *(Column(name, Kind.SCORE) for name in ("value", "sd", "low", "high")),
            Column("undefined", Kind.COUNT),
        ),
        tuple(rows),
    )


def _notes(study: Study, found: MergeEffects, settings: MergeSettings, names: Sequence[str]) -> list[str]:
    scale = study.need(LABELS, "a merge of classes").runs.scale
    notes = ["the lower the tau, the more a measure uses the distinction that the merge takes away"]
    if len(found.drawn) and not settings.balance:
        notes.append("a bootstrap sample repeats items, which blurs rankings, so that values may lie off the middle")
    if scale.ordered:
        for labels in merged_labels(scale, settings):
            codes = sorted(scale.code(label) for label in labels)
            between = [scale.labels[code] for code in range(codes[0], codes[-1]) if code not in codes]
            if between:
                merged, place = "+".join(labels), scale.labels[codes[0]]
                undefined = f"the place of {', '.join(between)} beside {merged} is undefined"
                notes.append(f"{undefined}; the merged class takes that of {place}")
    return notes + _undefined_notes(found, names)


def _undefined_notes(found: MergeEffects, names: Sequence[str]) -> list[str]:
    undefined = np.isnan(found.values)
    never, partly = undefined.all(axis=0), undefined.any(axis=0) & ~undefined.all(axis=0)
    notes = []
    if never.any():
        without = ", ".join(names[place] for place in np.flatnonzero(never).tolist())
        notes.append(f"{without}: no tau, because a ranking puts all systems alike")
    for place in np.flatnonzero(partly).tolist():
        without = ", ".join(merge for merge, gone in zip(found.merges, undefined[:, place], strict=True) if gone)
        notes.append(
            f"{names[place]}: no tau for {without}, because a ranking puts all systems alike; its mean is over the "
            "other merges, and not comparable with the means of other measures"
        )
    return notes


def on_merges(names: Sequence[str], discrimination: Numbers) -> list[Finding]:
    """Which measures use the distinctions between classes most; discrimination: (M,), lower is better."""
    most = best_of(names, -discrimination)
    if not most:
        return []
    verb = "makes" if len(most) == 1 else "make"
    mean = np.nanmin(discrimination)
    told = (
        f"{listed(most)} {verb} most use of the distinctions between classes (mean tau {mean:.2f} when some are merged)"
    )
    return [Finding("merge-classes", told + and_worst(names, discrimination, len(most)))]
