"""Rankings of systems after classes are merged, as in Amemiya & Sakai (2021), §5.3."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

import numpy as np
from numpy.typing import NDArray

from metaeval.analyses.merge_classes.settings import MergeSettings
from metaeval.errors import InputError, UnknownName, setting
from metaeval.measures import Measure
from metaeval.model.scale import ClassScale
from metaeval.model.scores import ScoreCube
from metaeval.scoring.confusion import counts_of
from metaeval.scoring.labels import LabelSamples
from metaeval.scoring.merges import MergedScores, balanced_merges, bootstrap_merges, score_merges
from metaeval.stats.association import kendall_b
from metaeval.stats.intervals import defined_mean
from metaeval.study.capabilities import LABELS
from metaeval.study.study import Progress, Study, check_rankable
from metaeval.work.blocks import map_blocks


def merge_similarity(merged: ScoreCube, original: ScoreCube) -> NDArray[np.float64]:
    """tau-b of the ranking on each merged scale with the original ranking, (..., G, M).

    merged: its last axis is 'merge'. original: the same axes without it.
    """
    if merged.axes != (*original.axes, "merge"):
        raise ValueError(f"axes {merged.axes} and {original.axes}")
    reference = original.oriented().values[..., np.newaxis, :, :]
    return kendall_b(merged.oriented().values, reference)


@dataclass(frozen=True)
class MergeEffects:
    """Similarities of the rankings before and after G merges.

    merges: their names, as 'a+b'. values: tau-b with the original ranking, (G, M). drawn: the same for balanced samples
    or bootstrap resamples, (T, G, M); T may be 0.
    """

    merges: tuple[str, ...]
    values: NDArray[np.float64]
    drawn: NDArray[np.float64]

    @property
    def means(self) -> NDArray[np.float64]:
        """Mean over the merges, (M,)."""
        return defined_mean(self.values)


def analyse(study: Study, settings: MergeSettings, *, progress: Progress) -> MergeEffects:
    """Rank the systems after each merge, on all items and on samples of them."""
    samples, merges = check(study, settings)
    names, runs, scales = tuple(merges), samples.runs, list(merges.values())

    def similarity(scores: MergedScores) -> NDArray[np.float64]:
        return merge_similarity(scores.merged, scores.original)

    values = similarity(score_merges(counts_of(runs), samples.measures, scales, scale=runs.scale, systems=runs.systems))
    config = study.config
    seed, memory = config.seed, config.block_memory
    if settings.balance:
        plan = balanced_merges(samples, scales, trials=settings.trials, seed=seed, memory=memory)
    elif settings.resamples:
        plan = bootstrap_merges(samples, scales, replicates=settings.resamples, seed=seed, memory=memory)
    else:
        return MergeEffects(names, values, np.empty((0, *values.shape)))
    drawn = np.concatenate(
        map_blocks(plan, similarity, workers=config.workers, progress=progress, description="Samples of merged classes")
    )
    return MergeEffects(names, defined_mean(drawn) if settings.balance else values, drawn)


def check(study: Study, settings: MergeSettings) -> tuple[LabelSamples, dict[str, ClassScale]]:
    """The items, and the scale after each merge by its name; an `InputError` where this is not possible."""
    check_rankable(study)
    samples = study.need(LABELS, "a merge of classes").samples()
    merges = _merged_scales(samples.runs.scale, settings)
    _check_measures(samples, merges)
    return samples, merges


def merged_labels(scale: ClassScale, settings: MergeSettings) -> list[tuple[str, ...]]:
    """The classes of each merge, in declared order."""
    if settings.merges and settings.adjacent:
        raise InputError.at(found=f"both {setting('merges')} and {setting('adjacent')}", expected="one of them")
    if len(scale) < 3:
        raise InputError.at(
            found=f"a merge of classes of '{scale}'", expected="at least three classes, so that two remain"
        )
    if settings.merges:
        chosen = [scale.merged_groups(_parts(text, scale)) for text in settings.merges]
        merged = [max(groups, key=len) for groups in chosen]
        return list(dict.fromkeys(tuple(scale.labels[code] for code in group) for group in merged))
    if settings.adjacent:
        if not scale.ordered:
            raise InputError.at(
                found=f"adjacent classes of the nominal scale '{scale}'",
                expected="an ordered scale",
                hint=f"declare the order, for example {setting('labels', '<'.join(scale.labels))}",
            )
        return list(pairwise(scale.labels))
    return list(combinations(scale.labels, 2))


def _split(text: str, labels: Sequence[str]) -> list[str] | None:
    """The labels that a text joins by '+', which may be part of a label; None where other words are joined."""
    for label in labels:
        if text == label:
            return [label]
        rest = _split(text.removeprefix(f"{label}+"), labels) if text.startswith(f"{label}+") else None
        if rest:
            return [label, *rest]
    return None


def _parts(text: str, scale: ClassScale) -> list[str]:
    parts = _split(text, scale.labels) or [part.strip() for part in text.split("+")]
    if len(parts) < 2 or len(set(parts)) < len(parts) or len(parts) >= len(scale):
        raise InputError.at(
            found=f"the merge '{text}'",
            expected=f"two or more different classes, but not all, of {', '.join(scale.labels)}",
            hint=f"use {setting('merges', '+'.join(scale.labels[:2]))}, for example",
        )
    return parts


def _merged_scales(scale: ClassScale, settings: MergeSettings) -> dict[str, ClassScale]:
    """The scale after each merge, by the name of the merge."""
    values = _merged_values(scale, settings)
    merged = {"+".join(labels): labels for labels in merged_labels(scale, settings)}
    return {name: _merged(scale, labels, values.get(name, math.nan)) for name, labels in merged.items()}


def _merged_values(scale: ClassScale, settings: MergeSettings) -> dict[str, float]:
    """The declared values of merged classes, by the names of the merges."""
    if settings.merged_values is None:
        return {}
    if scale.values is None:
        raise InputError.at(
            found="values of merged classes without values of the classes themselves",
            expected="both or neither, because undeclared values are equally spaced",
            hint=f"declare {setting('class_values', ','.join(f'{label}=…' for label in scale.labels))}, or omit "
            f"{setting('merged_values')}",
        )
    return {
        "+".join(sorted(_parts(name, scale), key=scale.code)): value for name, value in settings.merged_values.items()
    }


def _merged(scale: ClassScale, labels: tuple[str, ...], value: float) -> ClassScale:
    try:
        return scale.merge(labels, value=value)
    except InputError:
        if math.isnan(value):
            raise
        raise InputError.at(
            found=f"the value {value:g} for the merged class '{'+'.join(labels)}', at the position of {labels[0]}",
            expected="values that increase from low to high on the merged scale, too",
            hint=f"choose another value in {setting('merged_values')}",
        ) from None


def _check_measures(samples: LabelSamples, merges: Mapping[str, ClassScale]) -> None:
    """Raise an `InputError` that names the merge where a measure cannot be computed after it."""
    for measure in samples.measures:
        missing_class: dict[str, str] = {}
        missing_value: list[str] = []
        for name, scale in merges.items():
            try:
                measure.check(scale)
            except UnknownName as error:
                missing_class[name] = error.name
            except InputError as error:
                if not any(map(math.isnan, scale.values or ())):
                    raise _after_merge(error, measure, name) from None
                missing_value.append(name)
        if missing_class:
            name, label = next(iter(missing_class.items()))
            others = [each for each in merges if each not in missing_class]
            other_merges = (
                f"choose merges without it, for example {setting('merges', others[0])}, or " if others else ""
            )
            raise InputError.at(
                found=f"measure '{measure}' after the merge {name}, which leaves no class '{label}'",
                expected="measures that can be computed on the merged scale",
                hint=f"{other_merges}choose other measures",
            )
        if missing_value:
            classes = "class" if len(missing_value) == 1 else "classes"
            raise InputError.at(
                found=f"no value for the merged {classes} {', '.join(missing_value)}",
                expected=f"declared values, because measure '{measure}' uses class values",
                hint=f"declare {setting('merged_values', ','.join(f'{name}=…' for name in missing_value))}",
            )


def _after_merge(error: InputError, measure: Measure, name: str) -> InputError:
    """The error, with the measure and the merge that caused it."""
    first = error.problems[0]
    hint = "; ".join([*error.hints, f"or choose other {setting('merges')}, or other measures"])
    return InputError.at(found=f"measure '{measure}' after {name}: {first.found}", expected=first.expected, hint=hint)
