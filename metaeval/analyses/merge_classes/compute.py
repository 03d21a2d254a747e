"""Does a measure notice a distinction between classes? As in Amemiya & Sakai (2021), §5.3."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

import numpy as np
from numpy.typing import NDArray

from metaeval.analyses.merge_classes.settings import MergeSettings
from metaeval.errors import InputError, UnknownName
from metaeval.measures import Measure
from metaeval.model.scale import ClassScale
from metaeval.model.scores import ScoreCube
from metaeval.scoring.confusion import counts_of
from metaeval.scoring.labels import LabelSamples
from metaeval.scoring.merges import MergedScores, balanced_merges, bootstrap_merges, score_merges
from metaeval.stats.intervals import defined_mean
from metaeval.stats.rank_correlation import kendall_b
from metaeval.study.capabilities import LABELS
from metaeval.study.study import Study, Track, check_rankable
from metaeval.work.blocks import map_blocks


def merge_similarity(merged: ScoreCube, original: ScoreCube) -> NDArray[np.float64]:
    """tau-b of the ranking on each merged scale and the original one, (..., G, M).

    merged: its last axis is 'merge'. original: the same axes without it. The lower, the more the measure uses the
    distinction that the merge takes away.
    """
    if merged.axes != (*original.axes, "merge"):
        raise ValueError(f"axes {merged.axes} and {original.axes}")
    reference = original.oriented().values[..., np.newaxis, :, :]
    return kendall_b(merged.oriented().values, reference)


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


def analyse(study: Study, settings: MergeSettings, *, track: Track) -> MergeEffects:
    """Compute what `merge_classes` tells."""
    samples, merges = check(study, settings)
    names, runs, scales = tuple(merges), samples.runs, list(merges.values())
    at_once = score_merges(counts_of(runs), samples.measures, scales, scale=runs.scale, systems=runs.systems)
    values = merge_similarity(at_once.merged, at_once.original)
    config = study.config
    if settings.balance:
        plan = balanced_merges(samples, scales, trials=settings.trials, seed=config.seed, memory=config.block_memory)
    elif settings.resamples:
        plan = bootstrap_merges(
            samples, scales, replicates=settings.resamples, seed=config.seed, memory=config.block_memory
        )
    else:
        return MergeEffects(names, values, np.empty((0, *values.shape)))

    def similarity(scores: MergedScores) -> NDArray[np.float64]:
        return merge_similarity(scores.merged, scores.original)

    drawn = np.concatenate(
        map_blocks(plan, similarity, workers=config.workers, track=track, doing="Samples of merged classes")
    )
    return MergeEffects(names, defined_mean(drawn) if settings.balance else values, drawn)


def check(study: Study, settings: MergeSettings) -> tuple[LabelSamples, dict[str, ClassScale]]:
    """The items, and the scale after each merge by its name; an `InputError` where something does not go together."""
    check_rankable(study)
    samples = study.need(LABELS, "a merge of classes").samples()
    merges = _merged_scales(samples.runs.scale, settings)
    _check_measures(samples, merges)
    return samples, merges


def merged_labels(scale: ClassScale, settings: MergeSettings) -> list[tuple[str, ...]]:
    """The classes of each merge, in declared order."""
    if settings.merges and settings.adjacent:
        raise InputError.at(found="both merges by name and --adjacent", expected="one of them")
    if len(scale) < 3:
        raise InputError.at(
            found=f"a merge of classes of '{scale}'", expected="at least three classes, so that two are left"
        )
    if settings.merges:
        chosen = [scale.merged_groups(_parts(text, scale)) for text in settings.merges]
        merged = [max(groups, key=len) for groups in chosen]
        return list(dict.fromkeys(tuple(scale.labels[code] for code in group) for group in merged))
    if settings.adjacent:
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


def _merged_scales(scale: ClassScale, settings: MergeSettings) -> dict[str, ClassScale]:
    """The scale after each merge, by the name of the merge."""
    values = _merged_values(scale, settings)
    merged = {"+".join(labels): labels for labels in merged_labels(scale, settings)}
    return {name: _merged(scale, labels, values.get(name, math.nan)) for name, labels in merged.items()}


def _merged_values(scale: ClassScale, settings: MergeSettings) -> dict[str, float]:
    """The declared values of merged classes, by the names of these in declared order."""
    if settings.merged_values is None:
        return {}
    if scale.values is None:
        raise InputError.at(
            found="values of merged classes, and none of the classes themselves",
            expected="both or neither, because undeclared values are equal steps",
            hint=f"declare them, as in --class-values {','.join(f'{label}=…' for label in scale.labels)}, or leave out "
            "--merged-values",
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
