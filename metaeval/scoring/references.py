"""Scores against fewer references than available: every item against subsets of its references."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from metaeval.arrays import Indices, Integers
from metaeval.grid import round_to_grid
from metaeval.model.scores import ItemScores, ScoreCube
from metaeval.scoring.plan import Plan
from metaeval.scoring.resamples import BLOCK_MEMORY, Draw
from metaeval.scoring.table import ItemSamples
from metaeval.stats.resample import Blocks, generator, seed_for, trials_per_block


@dataclass(frozen=True)
class Subsets:
    """Subsets of the references of each item, all of one size.

    chosen: (V, size) indices of the references among those of the item, subsets of an item together and in order.
    counts: (N,) number of subsets of each item. complete: whether these are all subsets of this size.
    """

    chosen: Indices
    counts: Indices
    complete: bool

    @property
    def item(self) -> Indices:
        """The item of each subset, (V,)."""
        return np.repeat(np.arange(len(self.counts)), self.counts)


def reference_subsets(counts: Indices, size: int, *, at_most: int, seed: int) -> Subsets:
    """Every subset of a size of the references of each item, or a sample of them where an item has too many.

    counts: (N,) references of each item, at least `size`. at_most: subsets an item.

    >>> reference_subsets(np.array([3, 2]), 2, at_most=50, seed=0).chosen.tolist()
    [[0, 1], [0, 2], [1, 2], [0, 1]]
    """
    random = generator(seed_for(seed, f"subsets of {size} references"))
    whole = {count: math.comb(count, size) <= at_most for count in set(counts.tolist())}
    every = {count: list(combinations(range(count), size)) for count, fits in whole.items() if fits}
    chosen = [every[count] if whole[count] else list(_sampled(random, count, size, at_most)) for count in counts]
    return Subsets(
        np.array([subset for of_item in chosen for subset in of_item], dtype=np.intp).reshape(-1, size),
        np.array([len(of_item) for of_item in chosen], dtype=np.intp),
        all(whole.values()),
    )


def _sampled(random: np.random.Generator, count: int, size: int, number: int) -> Iterator[tuple[int, ...]]:
    """Different subsets, each as likely as any other."""
    subsets: dict[tuple[int, ...], None] = {}
    while len(subsets) < number:
        subsets[tuple(sorted(random.choice(count, size=size, replace=False).tolist()))] = None
    yield from subsets


def mean_over_subsets(scores: ItemScores, subsets: Subsets) -> ScoreCube:
    """Exact expectation over a random subset for each item, (M, S); of a measure of sums, the score of expected sums.

    scores: of the item of each subset.
    """
    weights = 1.0 / (len(subsets.counts) * subsets.counts)[subsets.item]
    means = scores.values @ weights
    for each in scores.sums:
        means[each.place] = each.of_rows(scores.statistics @ weights * len(subsets.counts))
    means = round_to_grid(means, scores.units[:, np.newaxis])
    return ScoreCube(means, (), scores.measures, scores.systems, scores.directions)


def draw_subsets_of_references(
    scores: ItemScores, subsets: Subsets, *, trials: int, seed: int, memory: int = BLOCK_MEMORY
) -> Plan[Draw, ScoreCube]:
    """Scores of trials in which every item independently draws one of its subsets; axes ('replicate',).

    scores: of the item of each subset.
    """
    samples = ItemSamples(scores)
    purpose = seed_for(seed, f"references {subsets.chosen.shape[1]}")
    per_block = trials_per_block(samples.bytes_a_trial, memory=memory)

    def score(block: Draw) -> ScoreCube:
        seed, size = block
        return samples.score_samples(_draws(generator(seed), subsets, size))

    return Plan(Blocks(purpose, trials=trials, per_block=per_block), score)


def _draws(random: np.random.Generator, subsets: Subsets, trials: int) -> Integers:
    """(T, V): 1 for the subset that each item drew."""
    begins = np.cumsum(subsets.counts) - subsets.counts
    drawn = begins + random.integers(subsets.counts, size=(trials, len(subsets.counts)))
    draws = np.zeros((trials, len(subsets.item)), dtype=np.int8)
    draws[np.arange(trials)[:, np.newaxis], drawn] = 1
    return draws


def sizes_of_subsets(counts: Sequence[int] | Indices) -> range:
    """The sizes of subsets that every item has: 1 to the minimum number of references.

    >>> list(sizes_of_subsets([3, 2, 4]))
    [1, 2]
    """
    return range(1, int(np.min(counts)) + 1)
