"""How many references are enough?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from metaeval.analyses.references.settings import ReferencesSettings
from metaeval.errors import InputError
from metaeval.model.scores import ScoreCube
from metaeval.scoring.references import (
    Subsets,
    draw_subsets_of_references,
    mean_over_subsets,
    reference_subsets,
    sizes_of_subsets,
)
from metaeval.stats.rank_correlation import kendall_b
from metaeval.study.capabilities import REFERENCES, ReferencedRuns
from metaeval.study.study import Study, Track
from metaeval.work.blocks import map_blocks


@dataclass(frozen=True)
class SubsetScores:
    """Scores against so many of the references of each item.

    mean: to be expected of references drawn at random, (M, S). drawn: scores of trials, (T, M, S).
    """

    subsets: Subsets
    mean: ScoreCube
    drawn: NDArray[np.float64]


@dataclass(frozen=True)
class References:
    """Scores and rankings by the number of references.

    scores: by number of references. tau: of each trial's rankings with those against all references, (T, M), by number
    of references; none where there is a single system. most: the largest number of references of an item.
    """

    scores: dict[int, SubsetScores]
    tau: dict[int, NDArray[np.float64]]
    most: int


def check(study: Study, settings: ReferencesSettings) -> ReferencedRuns:
    """The runs, which have to have several references an item; else an `InputError`."""
    study.check_measures()
    referenced = study.need(REFERENCES, "a comparison of references")
    counts = referenced.runs.reference_counts
    if counts.min(initial=2) < 2:
        lonely = [item for item, count in zip(study.items, counts.tolist(), strict=True) if count < 2]
        raise InputError.at(
            study.config.data.gold,
            found=f"a single reference for {len(lonely):,} of {len(counts):,} items, as '{lonely[0]}'",
            expected="at least two for every item",
            hint="leave such items out of the references, and say --on-extra drop",
        )
    if not study.systems:
        raise InputError.at(study.config.data.gold, found="no system", expected="at least one", hint="name a run")
    return referenced


def analyse(study: Study, settings: ReferencesSettings, *, track: Track) -> References:
    """Score against 1, 2, … references, and rank."""
    referenced = check(study, settings)
    counts = referenced.runs.reference_counts
    scores = {
        size: _score(
            study,
            settings,
            referenced,
            reference_subsets(counts, size, at_most=settings.subsets, seed=study.config.seed),
            track,
        )
        for size in sizes_of_subsets(counts)
    }
    tau: dict[int, NDArray[np.float64]] = {}
    if len(study.systems) > 1:
        full = study.scores.values
        tau = {size: kendall_b(of.drawn, np.broadcast_to(full, of.drawn.shape)) for size, of in scores.items()}
    return References(scores, tau, int(counts.max()))


def _score(
    study: Study, settings: ReferencesSettings, referenced: ReferencedRuns, subsets: Subsets, track: Track
) -> SubsetScores:
    """Scores against subsets of one size."""
    size = subsets.chosen.shape[1]
    runs = referenced.runs.against(subsets.item, subsets.chosen)
    scores = referenced.score(runs, f"Comparing with {size} of the references")
    plan = draw_subsets_of_references(
        scores, subsets, trials=settings.trials, seed=study.config.seed, memory=study.config.block_memory
    )
    drawn = map_blocks(
        plan, lambda cube: cube.values, workers=study.config.workers, track=track, doing="Drawing references"
    )
    return SubsetScores(subsets, mean_over_subsets(scores, subsets), np.concatenate(drawn))
