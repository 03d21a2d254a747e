"""Does a measure notice the distinction between classes?"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

import numpy as np
from numpy.typing import NDArray

from metaeval.config import ExperimentConfig, MergeConfig
from metaeval.errors import InputError, UnknownName
from metaeval.experiment.blocks import in_blocks
from metaeval.experiment.findings import on_merges
from metaeval.experiment.label_study import label_samples
from metaeval.experiment.reading import read_study
from metaeval.experiment.study import Part, Study, check_rankable, silently
from metaeval.io.dataset import Track
from metaeval.measures import Measure
from metaeval.meta.discrimination import merge_similarity
from metaeval.model.report import Cell, Column, Kind, Report, Table
from metaeval.model.scale import ClassScale
from metaeval.scoring.confusion import counts_of
from metaeval.scoring.labels import LabelSamples
from metaeval.scoring.merges import MergedScores, balanced_merges, bootstrap_merges, score_merges
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
    part = merge_tables(study, find_merge_effects(study, track=track))
    section = study.config.merge_classes or MergeConfig()
    return study.report("merge-classes", part, command_line=command_line, sections=[section])


def find_merge_effects(study: Study, *, track: Track) -> MergeEffects:
    """Compute what `merge_classes` tells."""
    wanted = study.config.merge_classes or MergeConfig()
    samples, merges = check_merges(study)
    names, runs, scales = tuple(merges), samples.runs, list(merges.values())
    at_once = score_merges(counts_of(runs), samples.measures, scales, scale=runs.scale, systems=runs.systems)
    values = merge_similarity(at_once.merged, at_once.original)
    config = study.config
    if wanted.balance:
        plan = balanced_merges(samples, scales, trials=wanted.trials, seed=config.seed, memory=config.block_memory)
    elif wanted.bootstrap:
        plan = bootstrap_merges(
            samples, scales, replicates=wanted.bootstrap, seed=config.seed, memory=config.block_memory
        )
    else:
        return MergeEffects(names, values, np.empty((0, *values.shape)))

    def similarity(scores: MergedScores) -> NDArray[np.float64]:
        return merge_similarity(scores.merged, scores.original)

    drawn = np.concatenate(
        in_blocks(plan, similarity, workers=config.workers, track=track, doing="Samples of merged classes")
    )
    return MergeEffects(names, defined_mean(drawn) if wanted.balance else values, drawn)


def check_merges(study: Study) -> tuple[LabelSamples, dict[str, ClassScale]]:
    """The items, and the scale after each merge by its name; an `InputError` where something does not go together."""
    check_rankable(study)
    samples = label_samples(study, "a merge of classes")
    merges = _merged_scales(samples.runs.scale, study.config.merge_classes or MergeConfig())
    _check_measures(samples, merges)
    return samples, merges


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


def _spelt(text: str, labels: Sequence[str]) -> list[str] | None:
    """The labels that a text joins by '+', which they may hold themselves; None where it joins other words."""
    for label in labels:
        if text == label:
            return [label]
        rest = _spelt(text.removeprefix(f"{label}+"), labels) if text.startswith(f"{label}+") else None
        if rest:
            return [label, *rest]
    return None


def _parts(text: str, scale: ClassScale) -> list[str]:
    parts = _spelt(text, scale.labels) or [part.strip() for part in text.split("+")]
    if len(parts) < 2 or len(set(parts)) < len(parts) or len(parts) >= len(scale):
        raise InputError.at(
            found=f"the merge '{text}'",
            expected=f"two or more different classes, but not all, of {', '.join(scale.labels)}",
            hint=f"as in --merge {'+'.join(scale.labels[:2])}",
        )
    return parts


def _merged_scales(scale: ClassScale, wanted: MergeConfig) -> dict[str, ClassScale]:
    """The scale after each merge, by the name of the merge."""
    values = _merged_values(scale, wanted)
    merged = {"+".join(labels): labels for labels in _merged_labels(scale, wanted)}
    return {name: _merged(scale, labels, values.get(name, math.nan)) for name, labels in merged.items()}


def _merged_values(scale: ClassScale, wanted: MergeConfig) -> dict[str, float]:
    """The declared values of merged classes, by the names of these in declared order."""
    if wanted.merged_values is None:
        return {}
    if scale.values is None:
        raise InputError.at(
            found="values of merged classes, and none of the classes themselves",
            expected="both or neither, because undeclared values are equal steps",
            hint=f"declare them, as in --class-values {','.join(f'{label}=…' for label in scale.labels)}, or leave out "
            "--merged-values",
        )
    return {
        "+".join(sorted(_parts(name, scale), key=scale.code)): value for name, value in wanted.merged_values.items()
    }


def _merged(scale: ClassScale, labels: tuple[str, ...], value: float) -> ClassScale:
    try:
        return scale.merge(labels, value=value)
    except InputError:
        if math.isnan(value):
            raise
        raise InputError.at(
            found=f"the value {value:g} for the merged class '{'+'.join(labels)}', in the place of {labels[0]}",
            expected="values that rise from low to high on the merged scale, too",
            hint="choose another value in --merged-values",
        ) from None


def _check_measures(samples: LabelSamples, merges: Mapping[str, ClassScale]) -> None:
    """Raise an `InputError` that names the merge where a measure can't be computed after it."""
    for wanted in samples.measures:
        refused: dict[str, str] = {}
        valueless: list[str] = []
        for name, scale in merges.items():
            try:
                wanted.check(scale)
            except UnknownName as error:
                refused[name] = error.name
            except InputError as error:
                if not any(map(math.isnan, scale.values or ())):
                    raise _of_merge(error, wanted, name) from None
                valueless.append(name)
        if refused:
            name, label = next(iter(refused.items()))
            others = [each for each in merges if each not in refused]
            chosen = f"choose merges that leave it alone, as --merge {others[0]}, or" if others else "choose"
            raise InputError.at(
                found=f"measure '{wanted}' after the merge {name}, which leaves no class '{label}'",
                expected="measures that can be computed on the merged scale",
                hint=f"{chosen} other measures",
            )
        if valueless:
            raise InputError.at(
                found=f"no value for the merged {'class' if len(valueless) == 1 else 'classes'} {', '.join(valueless)}",
                expected=f"declared ones, because measure '{wanted}' computes with class values",
                hint=f"declare them, as in --merged-values {','.join(f'{name}=…' for name in valueless)}",
            )


def _of_merge(error: InputError, wanted: Measure, name: str) -> InputError:
    """The error, with the measure and the merge it comes of."""
    first = error.problems[0]
    hint = "; ".join([*error.hints, "or choose other merges with --merge, or other measures with -m"])
    return InputError.at(found=f"measure '{wanted}' after {name}: {first.found}", expected=first.expected, hint=hint)


def merge_tables(study: Study, found: MergeEffects) -> Part:
    """The tables of `merge_classes`, and what to say of them."""
    wanted = study.config.merge_classes or MergeConfig()
    names = study.measure_names
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
    return Part(tables, _notes(study, found, wanted, names), on_merges(names, found.means))


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
    scale = label_samples(study, "a merge of classes").runs.scale
    notes = ["the lower the tau, the more a measure uses the distinction that the merge takes away"]
    if len(found.drawn) and not wanted.balance:
        notes.append("a bootstrap sample repeats items, which blurs rankings, so that values may lie off the middle")
    if scale.ordered:
        for labels in _merged_labels(scale, wanted):
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
