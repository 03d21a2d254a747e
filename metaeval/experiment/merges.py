"""Does a measure notice the distinction between classes?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

import numpy as np
from numpy.typing import NDArray

from metaeval.config import ExperimentConfig, MergeConfig
from metaeval.errors import InputError
from metaeval.experiment.blocks import in_blocks
from metaeval.experiment.study import Study, check_rankable, label_runs, read_study, silently
from metaeval.io.dataset import Track
from metaeval.meta.discrimination import merge_similarity
from metaeval.model.report import Cell, Column, Kind, Report, Table
from metaeval.model.scale import ClassScale
from metaeval.scoring.confusion import count
from metaeval.scoring.resamples import MergedScores, balanced_merges, bootstrap_merges, score_merges
from metaeval.stats.intervals import defined_deviation, defined_mean, percentile_interval


@dataclass(frozen=True)
class MergeEffects:
    """What an analysis of merges found.

    merges: their names, as 'a+b'. values: similarity of the merged ranking to the original one, (G, M).
    drawn: the same of balanced samples or bootstrap replicates, (T, G, M); T may be 0.
    """

    merges: tuple[str, ...]
    values: NDArray[np.float64]
    drawn: NDArray[np.float64]

    @property
    def means(self) -> NDArray[np.float64]:
        """Mean over the merges, (M,)."""
        return defined_mean(self.values)


def merge_classes(config: ExperimentConfig, *, command_line: str = "", track: Track = silently) -> Report:
    """Rankings on scales with merged classes against the ranking on the declared one: tau-b for every measure.

    Table `merge_classes`: measure, a column a merge, mean; lower means that the measure uses the distinction. Table
    `merge_classes_intervals`: measure, merge (or 'mean'), value, sd, low, high, undefined.
    """
    study = read_study(config, track=track)
    tables, notes = merge_tables(study, find_merge_effects(study, track=track))
    section = study.config.merge_classes or MergeConfig()
    return study.report("merge-classes", tables, notes, command_line=command_line, sections=[section])


def find_merge_effects(study: Study, *, track: Track) -> MergeEffects:
    """Compute what `merge_classes` tells."""
    wanted = study.config.merge_classes or MergeConfig()
    check_rankable(study)
    runs = label_runs(study, "a merge of classes")
    merges = _merged_scales(study, wanted)
    names = tuple("+".join(merged) for merged in _merged_labels(runs.scale, wanted))
    counts = count(runs.gold, runs.predicted, classes=len(runs.scale))
    at_once = score_merges(counts, study.measures, merges, scale=runs.scale, systems=runs.systems)
    values = merge_similarity(at_once.merged, at_once.original)
    config = study.config
    if wanted.balance:
        plan = balanced_merges(
            runs, study.measures, merges, trials=wanted.trials, seed=config.seed, memory=config.memory
        )
    elif wanted.bootstrap:
        plan = bootstrap_merges(
            runs, study.measures, merges, replicates=wanted.bootstrap, seed=config.seed, memory=config.memory
        )
    else:
        return MergeEffects(names, values, np.empty((0, *values.shape)))

    def similarity(scores: MergedScores) -> NDArray[np.float64]:
        return merge_similarity(scores.merged, scores.original)

    drawn = np.concatenate(
        in_blocks(plan, similarity, workers=config.workers, track=track, doing="Samples of merged classes")
    )
    return MergeEffects(names, defined_mean(drawn) if wanted.balance else values, drawn)


def _merged_labels(scale: ClassScale, wanted: MergeConfig) -> list[tuple[str, ...]]:
    """The classes of each merge, in declared order."""
    if wanted.merge and wanted.adjacent:
        raise InputError.at(found="both merges by name and --adjacent", expected="one of them")
    if len(scale) < 3:
        raise InputError.at(
            found=f"a merge of classes of '{scale}'", expected="at least three classes, so that two are left"
        )
    if wanted.merge:
        chosen = [scale.merged_groups(_parts(text, scale)) for text in wanted.merge]
        merged = [max(groups, key=len) for groups in chosen]
        return list(dict.fromkeys(tuple(scale.labels[code] for code in group) for group in merged))
    if wanted.adjacent:
        if not scale.ordered:
            raise InputError.at(
                found=f"neighbours on the nominal scale '{scale}'",
                expected="an ordered scale",
                hint=f"declare the order, as in --labels '{'<'.join(scale.labels)}'",
            )
        return list(pairwise(scale.labels))
    return list(combinations(scale.labels, 2))


def _parts(text: str, scale: ClassScale) -> list[str]:
    parts = [part.strip() for part in text.split("+")]
    if len(parts) < 2 or len(set(parts)) < len(parts) or len(parts) >= len(scale):
        raise InputError.at(
            found=f"the merge '{text}'",
            expected=f"two or more different classes, but not all, of {', '.join(scale.labels)}",
            hint=f"as in --merge {'+'.join(scale.labels[:2])}",
        )
    return parts


def _merged_scales(study: Study, wanted: MergeConfig) -> list[ClassScale]:
    scale, values = study.runs.scale, wanted.merged_values or {}
    merged = _merged_labels(scale, wanted)
    unknown = sorted(set(values) - {"+".join(labels) for labels in merged})
    if unknown:
        raise InputError.at(
            found=f"a value for '{unknown[0]}', which is no merged class",
            expected=f"one of {', '.join('+'.join(labels) for labels in merged)}",
        )
    return [scale.merge(labels, value=values.get("+".join(labels), math.nan)) for labels in merged]


def merge_tables(study: Study, found: MergeEffects) -> tuple[list[Table], list[str]]:
    """The tables of `merge_classes`, and what to say of them."""
    wanted = study.config.merge_classes or MergeConfig()
    names = [str(measure) for measure in study.measures]
    balanced = f", gold balanced in {wanted.trials:,} samples" if wanted.balance else ""
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
        tables.append(_intervals(names, found, wanted))
    return tables, _notes(study, found, wanted, names)


def _intervals(names: Sequence[str], found: MergeEffects, wanted: MergeConfig) -> Table:
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
    what = "balanced samples" if wanted.balance else "bootstrap over items"
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


def _notes(study: Study, found: MergeEffects, wanted: MergeConfig, names: Sequence[str]) -> list[str]:
    scale = study.runs.scale
    notes = ["the lower the tau, the more a measure uses the distinction that the merge takes away"]
    if scale.ordered:
        for labels in _merged_labels(scale, wanted):
            codes = sorted(scale.code(label) for label in labels)
            between = [scale.labels[code] for code in range(codes[0], codes[-1]) if code not in codes]
            if between:
                merged, place = "+".join(labels), scale.labels[codes[0]]
                undefined = f"the place of {', '.join(between)} beside {merged} is undefined"
                notes.append(f"{undefined}; the merged class takes that of {place}")
    never = [names[place] for place in np.flatnonzero(np.isnan(found.means)).tolist()]
    if never:
        notes.append(f"{', '.join(never)}: no tau, because a ranking puts all systems alike")
    return notes
