"""Scores on a scale and on scales with merged classes: of all items, of balanced samples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from metaeval.arrays import Floats, Integers
from metaeval.measures.spec import Measure
from metaeval.model.distributions import DistributionRuns
from metaeval.model.labels import LabelledRuns
from metaeval.model.scale import ClassScale
from metaeval.model.scores import ScoreCube
from metaeval.scoring.confusion import merge
from metaeval.scoring.labels import LabelSamples, score_counts
from metaeval.scoring.plan import Plan
from metaeval.scoring.resamples import BLOCK_MEMORY, Draw, blocks_of
from metaeval.stats.resample import draw_subsets, generator


@dataclass(frozen=True)
class MergedScores:
    """Scores on the declared scale, and on each merged one, with 'merge' as the last of the axes."""

    original: ScoreCube
    merged: ScoreCube


def score_merges(
    counts: Integers | Floats,
    measures: Sequence[Measure],
    merges: Sequence[ClassScale],
    *,
    scale: ClassScale,
    systems: Sequence[str],
    axes: Sequence[str] = (),
) -> MergedScores:
    """Scores on a scale and on scales with merged classes, without recounting.

    counts: (*axes, S, C, C). merges: results of `ClassScale.merge`.
    """
    original = score_counts(counts, measures, scale=scale, systems=systems, axes=axes)
    cubes = [
        score_counts(merge(counts, merged_groups(scale, merged)), measures, scale=merged, systems=systems, axes=axes)
        for merged in merges
    ]
    values = np.stack([cube.values for cube in cubes], axis=-3)
    return MergedScores(original, replace(original, values=values, axes=(*axes, "merge")))


def balanced_merges(
    samples: LabelSamples, merges: Sequence[ClassScale], *, trials: int, seed: int, memory: int = BLOCK_MEMORY
) -> Plan[Draw, MergedScores]:
    """`score_merges` of samples in which every gold class has as many items as the rarest.

    Axes ('trial',) and ('trial', 'merge'). A class without gold items remains so.
    """
    of_classes = [samples.multiplicities[rows] for rows in samples.classes]
    rarest = min(int(multiplicities.sum()) for multiplicities in of_classes)

    def score(block: Draw) -> MergedScores:
        seed, size = block
        random = generator(seed)
        drawn = [draw_subsets(random, multiplicities, trials=size, size=rarest) for multiplicities in of_classes]
        counts = samples.rows.counts_of_rows(np.concatenate(drawn, axis=1))
        runs = samples.runs
        return score_merges(counts, samples.measures, merges, scale=runs.scale, systems=runs.systems, axes=("trial",))

    return Plan(blocks_of(seed, "balance", trials, samples, memory), score)


def merge_runs(runs: LabelledRuns, merged: ClassScale) -> LabelledRuns:
    """The runs on a scale with merged classes, a result of `ClassScale.merge`."""
    codes = np.empty(runs.scale.codes, dtype=np.intp)
    for code, group in enumerate(merged_groups(runs.scale, merged)):
        codes[group] = code
    return replace(runs, gold=codes[runs.gold], predicted=codes[runs.predicted], scale=merged)


def merge_distributions(runs: DistributionRuns, merged: ClassScale) -> DistributionRuns:
    """The runs on a scale with merged classes, whose probabilities are added."""
    groups = merged_groups(runs.scale, merged)
    predicted, gold = (
        np.stack([shares[..., group].sum(axis=-1) for group in groups], axis=-1)
        for shares in (runs.predicted, runs.gold)
    )
    return replace(runs, predicted=predicted, gold=gold, scale=merged)


def merged_groups(scale: ClassScale, merged: ClassScale) -> list[list[int]]:
    """The codes of `scale` for each code of a scale in which some of its classes are merged into one."""
    merged_codes = [code for code, label in enumerate(scale.labels) if label not in merged.labels]
    groups = [[scale.code(label)] if label in scale.labels else merged_codes for label in merged.labels]
    if sum(map(len, groups)) != len(scale):
        raise ValueError(f"'{merged}' is not '{scale}' with one merge")
    return groups + [[len(scale)]] * scale.misses
