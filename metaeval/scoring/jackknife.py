"""The influence of each part of the items on a score: the delete-a-group jackknife, for any kind of score."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from metaeval.errors import InputError, setting
from metaeval.model.scores import ScoreCube
from metaeval.scoring.plan import Plan
from metaeval.scoring.resamples import BLOCK_MEMORY, Samples
from metaeval.stats.resample import Draws, generator, seed_for, trials_per_block

GROUPS = 512
"""Number of groups, which estimates a variance to about 6 %; with fewer items, each item is a group."""


def groups_of(samples: Samples, *, seed: int, groups: int = GROUPS) -> Draws:
    """A random partition of the items into groups of nearly the same size; streamed items are an `InputError`.

    Returns how many items of each row are in each group, (G, U).
    """
    if not samples.in_memory:
        raise InputError.at(
            found="a plan of items that do not fit in memory",
            expected="items that fit, or with few patterns of predictions",
            hint=f"raise {setting('memory')}, or plan from a part of the data",
        )
    multiplicities = samples.multiplicities
    items, rows = int(multiplicities.sum()), len(multiplicities)
    number = min(groups, items)
    row_of_item = np.repeat(np.arange(rows), multiplicities)
    if number < items:
        generator(seed_for(seed, "jackknife")).shuffle(row_of_item)
    cells = (np.arange(items) % max(number, 1)) * rows + row_of_item
    counts = np.bincount(cells, minlength=number * rows).reshape(number, rows)
    return counts.astype(np.min_scalar_type(int(counts.max(initial=0))))


def jackknife(samples: Samples, groups: Draws, *, memory: int = BLOCK_MEMORY) -> Plan[slice, ScoreCube]:
    """Scores of all items but those of one group, group by group; axes ('replicate',)."""

    def score(block: slice) -> ScoreCube:
        return samples.score_samples(samples.multiplicities - groups[block].astype(np.intp))

    step = trials_per_block(samples.bytes_a_trial, memory=memory)
    return Plan(tuple(slice(begin, begin + step) for begin in range(0, len(groups), step)), score)


def influences(scores: NDArray[np.float64], without: NDArray[np.float64], groups: Draws) -> NDArray[np.float64]:
    """How much each group changes the scores, times the number of items: for a mean, what its items add to the sum.

    scores: (M, S), of all items. without: (G, M, S), of all but a group. Returns (G, M, S), which sum to about 0 over
    the groups; NaN where a score is undefined without a group.
    """
    sizes = np.asarray(groups.sum(axis=1, dtype=np.int64))
    left = (sizes.sum() - sizes)[:, np.newaxis, np.newaxis]
    moved: NDArray[np.float64] = left * (scores - without)
    centred: NDArray[np.float64] = moved - moved.mean(axis=0)
    return centred
