"""Tests of differences between systems, as far as several analyses share them: what they need, resamples, notes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from metaeval.errors import InputError, counted
from metaeval.scoring.resamples import Samples, bootstrap
from metaeval.stats.pairs import fewest_resamples
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


def note_on_few_items(study: Study, *, remedy: str) -> list[str]:
    """A note where the items are too few for a bootstrap to keep its level; remedy: the test that keeps it."""
    if len(study.items) >= MIN_ITEMS:
        return []
    told = "of systems that are alike, at 0.05, in 7 % of cases with 30 items, 10 % with 10, 29 % with 3"
    return [f"on {len(study.items)} items a bootstrap finds differences too easily ({told}); {remedy} keeps its level"]


def note_on_undefined(measure: str, undefined: int, resamples: int) -> list[str]:
    """A note where resamples have no score; undefined: their number, of the pair that has most of them."""
    if not undefined:
        return []
    verb = "has" if resamples == 1 else "have"
    return [
        f"{measure}: up to {undefined:,} of {counted(resamples, 'resample')} {verb} no difference, and are left out"
    ]


def note_on_few_resamples(resamples: int, alpha: float) -> list[str]:
    """A note where no difference can be significant with so few resamples, however large it is."""
    least = fewest_resamples(alpha=alpha)
    if resamples >= least:
        return []
    told = f"{counted(resamples, 'resample')} {'is' if resamples == 1 else 'are'}"
    return [f"{told} too few for a difference at {alpha:g}: say --resamples {least} or more"]
