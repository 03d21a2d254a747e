"""What each part of the items is worth to a score: the delete-a-group jackknife, for any kind of score."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from metaeval.errors import InputError
from metaeval.model.scores import ScoreCube
from metaeval.scoring.plan import Plan
from metaeval.scoring.resamples import BLOCK_MEMORY, Samples
from metaeval.stats.resample import Draws, generator, seed_for, trials_per_block

GROUPS = 512
"""Number of groups, which estimates a variance to about 6 %; with fewer items, each item is a group."""


@dataclass(frozen=True)
class Groups:
    """A random partition of the items into groups of nearly the same size.

    counts: how many items of each row are in each group, (G, U).
    """

    counts: Draws

    @property
    def sizes(self) -> NDArray[np.int64]:
        """How many items each group has, (G,)."""
        return np.asarray(self.counts.sum(axis=1, dtype=np.int64))


def groups_of(samples: Samples, *, seed: int, groups: int = GROUPS) -> Groups:
    """Shuffle the items and deal them out; items that are streamed are an `InputError`."""
    if not samples.in_memory:
        raise InputError.at(
            found="a plan of items that do not fit in memory",
            expected="items that fit, or are alike enough to be counted",
            hint="raise --memory, or plan from a part of the data",
        )
    multiplicities = samples.multiplicities
    items, rows = int(multiplicities.sum()), len(multiplicities)
    chosen = min(groups, items)
    row_of_item = np.repeat(np.arange(rows), multiplicities)
    if chosen < items:
        generator(seed_for(seed, "jackknife")).shuffle(row_of_item)
    cells = (np.arange(items) % max(chosen, 1)) * rows + row_of_item
    counts = np.bincount(cells, minlength=chosen * rows).reshape(chosen, rows)
    return Groups(counts.astype(np.min_scalar_type(int(counts.max(initial=0)))))


def jackknife(samples: Samples, groups: Groups, *, memory: int = BLOCK_MEMORY) -> Plan[slice, ScoreCube]:
    """Scores of all items but those of one group, group by group; axes ('replicate',)."""

    def score(block: slice) -> ScoreCube:
        return samples.score_samples(samples.multiplicities - groups.counts[block].astype(np.intp))

    step = trials_per_block(samples.bytes_a_trial, memory=memory)
    return Plan(tuple(slice(begin, begin + step) for begin in range(0, len(groups.counts), step)), score)


def influences(scores: NDArray[np.float64], without: NDArray[np.float64], groups: Groups) -> NDArray[np.float64]:
    """By how much each group moves the scores, times the number of items: of a mean, what its items add to the sum.

    scores: (M, S), of all items. without: (G, M, S), of all but a group. Returns (G, M, S), which sum to about 0 over
    the groups; NaN where a score is undefined without a group.
    """
    sizes = groups.sizes
    left = (sizes.sum() - sizes)[:, np.newaxis, np.newaxis]
    moved: NDArray[np.float64] = left * (scores - without)
    centred: NDArray[np.float64] = moved - moved.mean(axis=0)
    return centred
