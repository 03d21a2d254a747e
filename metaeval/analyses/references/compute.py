"""How many references are enough?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from metaeval.analyses.references.settings import ReferencesSettings
from metaeval.arrays import Floats
from metaeval.errors import empty, refuse, setting
from metaeval.model.scores import ScoreCube
from metaeval.scoring.texts import (
    Subsets,
    draw_subsets_of_references,
    mean_over_subsets,
    reference_subsets,
    sizes_of_subsets,
)
from metaeval.stats.association import kendall_b
from metaeval.study.capabilities import REFERENCES, ReferencedRuns
from metaeval.study.study import Progress, Study
from metaeval.work.blocks import map_blocks


@dataclass(frozen=True)
class SubsetScores:
    """Scores against a number of the references of each item.

    mean: expected scores for references drawn at random, (M, S). samples: scores of trials, (T, M, S).
    """

    subsets: Subsets
    mean: ScoreCube
    samples: Floats


@dataclass(frozen=True)
class References:
    """Scores and rankings by the number of references.

    tau: between the rankings of each trial and those against all references, (T, M), by number of references; empty if
    there is only one system. maximum: the largest number of references of an item.
    """

    scores: dict[int, SubsetScores]
    tau: dict[int, Floats]
    maximum: int


def check(study: Study, settings: ReferencesSettings) -> ReferencedRuns:
    """The runs; an `InputError` where an item has fewer than two references."""
    study.check_measures()
    referenced = study.need(REFERENCES, "a comparison of references")
    counts = referenced.runs.reference_counts
    if counts.min(initial=2) < 2:
        single = [item for item, count in zip(study.items, counts.tolist(), strict=True) if count < 2]
        wrong = f"a single reference for {len(single):,} of {len(counts):,} items, for example '{single[0]}'"
        hint = f"remove such items from the references, and use {setting('on_extra', 'drop')}"
        raise refuse(study.config.data.gold, wrong, "at least two for every item", hint, kind="count")
    if not study.systems:
        raise refuse(study.config.data.gold, empty("system", "at least one", "name a run"))
    return referenced


def analyse(study: Study, settings: ReferencesSettings, *, progress: Progress) -> References:
    """Score and rank the systems against 1, 2, … references."""
    referenced = check(study, settings)
    counts = referenced.runs.reference_counts
    scores = {}
    for size in sizes_of_subsets(counts):
        subsets = reference_subsets(counts, size, at_most=settings.subsets, seed=study.config.seed)
        scores[size] = _score(study, settings, referenced, subsets, progress)
    tau: dict[int, Floats] = {}
    if len(study.systems) > 1:
        full = study.scores.values
        tau = {
            size: kendall_b(subset.samples, np.broadcast_to(full, subset.samples.shape))
            for size, subset in scores.items()
        }
    return References(scores, tau, int(counts.max()))


def _score(
    study: Study, settings: ReferencesSettings, referenced: ReferencedRuns, subsets: Subsets, progress: Progress
) -> SubsetScores:
    """Scores against subsets of one size."""
    config, size = study.config, subsets.references.shape[1]
    runs = referenced.runs.against(subsets.item, subsets.references)
    scores = referenced.score(runs, f"Comparing with {size} of the references")
    plan = draw_subsets_of_references(
        scores, subsets, trials=settings.trials, seed=config.seed, memory=config.block_memory
    )
    blocks = map_blocks(
        plan, lambda cube: cube.values, workers=config.workers, progress=progress, description="Drawing references"
    )
    return SubsetScores(subsets, mean_over_subsets(scores, subsets), np.concatenate(blocks))
