"""Rankings of systems after classes are merged, as in Amemiya & Sakai (2021), §5.3."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

import numpy as np

from metaeval.analyses.merge_classes.settings import MergeSettings
from metaeval.arrays import Floats, Ints
from metaeval.errors import (
    InputError,
    UnknownName,
    conflict,
    empty,
    invalid,
    leave_out,
    refuse,
    setting,
    unordered,
)
from metaeval.grid import round_to_grid
from metaeval.inference.agreement import compare_rankings, corrected_intervals, corrected_tau
from metaeval.inference.statistics import PairDeviations, compare_statistics, expected_tau, half_widths
from metaeval.measures import Measure
from metaeval.model.scale import ClassScale
from metaeval.model.scores import ScoreCube
from metaeval.scoring.labels import MergedScores
from metaeval.stats.association import kendall_b
from metaeval.stats.intervals import defined_mean
from metaeval.study.capabilities import MERGES, Merges
from metaeval.study.evidence import gather_evidence, gather_merged_evidence
from metaeval.study.study import Progress, Study, check_rankable
from metaeval.work.blocks import map_blocks

ALL_PAIRS_UP_TO = 10
"""Number of classes of which every pair is merged; of more, each with the next, or each is kept and the rest merged."""

REST = ":rest"
"""Ends the name of a merge of all classes but one: `a:rest`."""


def merge_similarity(merged: ScoreCube, original: ScoreCube) -> Floats:
    """tau-b of the ranking on each merged scale with the original ranking, (..., G, M).

    merged: its last axis is 'merge'. original: the same axes without it.
    """
    if merged.axes != (*original.axes, "merge"):
        raise ValueError(f"axes {merged.axes} and {original.axes}")
    reference = original.oriented().values[..., np.newaxis, :, :]
    return kendall_b(merged.oriented().values, reference)


@dataclass(frozen=True)
class MergeTests:
    """What is known about G merges on other items.

    low, high: intervals of tau for each merge, and last for their mean, (G + 1, M). reliability: expected tau between
    halves of the items under each measure, (M,). corrected: the mean tau corrected for unreliability, with its
    interval, (M,); NaN where a ranking is too unreliable. p: adjusted p-values of the differences in the corrected
    values, (M, M). chance: the statistic of these tests on other samples, (T, M).
    """

    low: Floats
    high: Floats
    reliability: Floats
    corrected: Floats
    corrected_low: Floats
    corrected_high: Floats
    p: Floats
    chance: Floats


@dataclass(frozen=True)
class MergeEffects:
    """Similarities of the rankings before and after G merges.

    merges: their names, as 'a+b'. values: tau-b with the original ranking, (G, M). samples: the same for balanced
    samples, (T, G, M); T is 0 without them. undefined: number of undefined scores of all items after all merges, (M,).
    tests: None with balanced samples, and without permutations.
    """

    merges: tuple[str, ...]
    values: Floats
    samples: Floats
    undefined: Ints
    tests: MergeTests | None = None

    @property
    def means(self) -> Floats:
        """Mean over the merges, (M,), on a grid: means of the same taus in another order would differ by rounding."""
        return round_to_grid(defined_mean(self.values))


def analyse(study: Study, settings: MergeSettings, *, progress: Progress) -> MergeEffects:
    """Rank the systems after each merge, on all items or on balanced samples of them, and compare the measures."""
    data, merges = check(study, settings)
    names, scales = tuple(merges), list(merges.values())

    ranked_as = study.config.ranked_as

    def similarity(scores: MergedScores) -> Floats:
        return merge_similarity(scores.merged.filled(ranked_as), scores.original.filled(ranked_as))

    full_scores = data.score(scales)
    values, undefined = similarity(full_scores), full_scores.merged.undefined
    config = study.config
    if not settings.balance or data.balanced is None:
        tests = compare_measures(study, scales, values, permutations=settings.permutations, progress=progress)
        return MergeEffects(names, values, np.empty((0, *values.shape)), undefined, tests)
    plan = data.balanced(scales, settings.trials)
    samples = np.concatenate(
        map_blocks(plan, similarity, workers=config.workers, progress=progress, description="Samples of merged classes")
    )
    return MergeEffects(names, defined_mean(samples), samples, undefined)


def compare_measures(
    study: Study, merges: Sequence[ClassScale], values: Floats, *, permutations: int, progress: Progress
) -> MergeTests | None:
    """Intervals of the effects of merges, and tests of their differences between measures; values: (G, M)."""
    if not permutations:
        return None
    original = gather_evidence(study, "merge-classes", permutations=permutations)
    merged = gather_merged_evidence(study, "merge-classes", merges, permutations=permutations, progress=progress)
    before = np.zeros(len(merges), dtype=np.intp)
    tau, reliability, ratio, ratio_chance = [], [], [], []
    for evidence in progress([*zip(original, *merged, strict=True)], "Tests of measures"):
        agreement = compare_rankings(evidence, before, before + 1 + np.arange(len(merges)))
        tau.append(np.column_stack([agreement.tau_chance, agreement.tau_chance.mean(axis=1)]))
        ratio.append(agreement.ratio.mean())
        ratio_chance.append(agreement.ratio_chance.mean(axis=1))
        deviations = PairDeviations.of(evidence[0])
        reliability.append(expected_tau(deviations.t, deviations.vary))
    least = original[0].smallest_p
    half = np.stack([half_widths(chance, smallest_p=least) for chance in tau], axis=1)
    taus = np.concatenate([values, values.mean(axis=0)[np.newaxis]])
    # Unreliable rankings have ratios above 1 by chance, which is no lower sensitivity than 1.
    ratios = np.clip(ratio, -1, 1)
    by_chance = np.stack(ratio_chance, axis=1)
    tests = compare_statistics(ratios, by_chance, smallest_p=least)
    corrected_low, corrected_high = corrected_intervals(ratios, by_chance, smallest_p=least)
    return MergeTests(
        low=np.maximum(taus - half, -1.0),
        high=np.minimum(taus + half, 1.0),
        reliability=np.array(reliability),
        corrected=corrected_tau(ratios),
        corrected_low=corrected_low,
        corrected_high=corrected_high,
        p=tests.p,
        chance=by_chance,
    )


def check(study: Study, settings: MergeSettings) -> tuple[Merges, dict[str, ClassScale]]:
    """What merges are made of, and the scale after each merge by name; an `InputError` where this is not possible."""
    check_rankable(study)
    data = study.need(MERGES, "a merge of classes")
    if settings.balance and data.balanced is None:
        other = setting("task", study.config.data.task)
        raise refuse(None, conflict(setting("balance"), other, "gold labels", leave_out(setting("balance"))))
    merges = _merged_scales(data.scale, settings)
    _check_measures(study, data, merges)
    return data, merges


def named_merges(scale: ClassScale, settings: MergeSettings) -> dict[str, tuple[str, ...]]:
    """The classes of each merge, in declared order, by its name."""
    if settings.merges and settings.adjacent:
        raise refuse(None, conflict(setting("merges"), setting("adjacent")))
    if len(scale) < 3:
        expected = "at least three classes, so that two remain"
        raise refuse(None, f"a merge of classes of '{scale}'", expected, kind="count")
    if settings.merges:
        return dict(_merge(text, scale) for text in settings.merges)
    if settings.adjacent and not scale.ordered:
        raise refuse(None, unordered(setting("adjacent"), "<".join(scale.labels)))
    few = len(scale) <= ALL_PAIRS_UP_TO
    if not few and not scale.ordered:
        return dict(_merge(f"{label}{REST}", scale) for label in scale.labels)
    pairs_of = pairwise if settings.adjacent or not few else lambda labels: combinations(labels, 2)
    return {"+".join(labels): labels for labels in pairs_of(scale.labels)}


def _merge(text: str, scale: ClassScale) -> tuple[str, tuple[str, ...]]:
    """The name of a merge that a user names, and its classes in declared order."""
    class_name = text.removesuffix(REST)
    if text != class_name and class_name in scale.labels:
        return text, tuple(label for label in scale.labels if label != class_name)
    if text != class_name and "+" not in text and text not in scale.labels:
        raise UnknownName("class", class_name, scale.labels)
    labels = tuple(sorted(_parts(text, scale), key=scale.code))
    return "+".join(labels), labels


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
        expected = f"two or more different classes, but not all, of {', '.join(scale.labels)}"
        hint = f"use {setting('merges', '+'.join(scale.labels[:2]))}, for example"
        raise refuse(None, invalid("merge", text, expected, hint=hint))
    return parts


def _merged_scales(scale: ClassScale, settings: MergeSettings) -> dict[str, ClassScale]:
    """The scale after each merge, by the name of the merge."""
    values = _merged_values(scale, settings)
    merges = named_merges(scale, settings)
    return {name: _merge_classes(scale, labels, values.get(name, math.nan)) for name, labels in merges.items()}


def _merged_values(scale: ClassScale, settings: MergeSettings) -> dict[str, float]:
    """The declared values of merged classes, by the names of the merges."""
    if settings.merged_values is None:
        return {}
    if scale.values is None:
        found = "values of merged classes without values of the classes themselves"
        hint = (
            f"declare {setting('class_values', ','.join(f'{label}=…' for label in scale.labels))}, or omit "
            f"{setting('merged_values')}"
        )
        raise refuse(None, found, "both or neither, because undeclared values are equally spaced", hint)
    return {_merge(name, scale)[0]: value for name, value in settings.merged_values.items()}


def _merge_classes(scale: ClassScale, labels: tuple[str, ...], value: float) -> ClassScale:
    try:
        return scale.merge(labels, value=value)
    except InputError:
        if math.isnan(value):
            raise
        found = f"the value {value:g} for the merged class '{'+'.join(labels)}', at the position of {labels[0]}"
        expected = "values that increase from low to high on the merged scale, too"
        raise refuse(None, found, expected, f"choose another value in {setting('merged_values')}") from None


def _check_measures(study: Study, data: Merges, merges: Mapping[str, ClassScale]) -> None:
    """Raise an `InputError` that names the merge where a measure cannot be computed after it."""
    for measure in study.measures:
        missing_value: list[str] = []
        for name, scale in merges.items():
            try:
                data.check(measure, scale)
            except InputError as error:
                if not any(map(math.isnan, scale.values or ())):
                    raise _after_merge(error, measure, name) from None
                missing_value.append(name)
        if missing_value:
            noun = (
                f"value for the merged {'class' if len(missing_value) == 1 else 'classes'} {', '.join(missing_value)}"
            )
            remedy = f"declare {setting('merged_values', ','.join(f'{name}=…' for name in missing_value))}"
            raise refuse(None, empty(noun, f"declared values, because measure '{measure}' uses class values", remedy))


def _after_merge(error: InputError, measure: Measure, name: str) -> InputError:
    """The error, with the measure and the merge that caused it."""
    first = error.problems[0]
    hint = "; ".join([*error.hints, f"or choose other {setting('merges')}, or other measures"])
    return refuse(None, f"measure '{measure}' after {name}: {first.found}", first.expected, hint)
