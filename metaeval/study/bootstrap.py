"""Tests of differences between systems, as far as several analyses share them: what they need, and resamples."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from metaeval.errors import InputError, counted
from metaeval.scoring.resamples import Samples, bootstrap
from metaeval.study.study import COMPARING_NUMBERS, Study, Track, check_rankable
from metaeval.work.blocks import map_blocks

MIN_ITEMS = 30
"""With fewer items a bootstrap does not keep its level, and a plan has numbers but no finding."""


def check_testable(study: Study) -> None:
    """Raise an `InputError` where there are no two systems, no two items, or no items that can be drawn."""
    check_rankable(study)
    samples_of(study)
    if len(study.items) < 2:
        raise InputError.at(
            found=counted(len(study.items), "item"),
            expected="at least two, because a test asks how differences vary from item to item",
            hint="name a data set with more items",
        )


def samples_of(study: Study) -> Samples:
    """The items, for a bootstrap; an `InputError` where they can't be drawn."""
    return study.samples("a bootstrap over items", COMPARING_NUMBERS)


def bootstrap_scores(study: Study, resamples: int, *, track: Track) -> NDArray[np.float64]:
    """Oriented scores of bootstrap samples of the items, (B, M, S)."""
    plan = bootstrap(samples_of(study), replicates=resamples, seed=study.config.seed, memory=study.config.block_memory)
    return np.concatenate(
        map_blocks(
            plan,
            lambda cube: cube.oriented().values,
            workers=study.config.workers,
            track=track,
            doing="Bootstrap over items",
        )
    )
