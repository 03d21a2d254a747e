"""Random halves, subsets and bootstrap resamples of items, for blocks of trials.

Identical items may be collapsed to rows with `multiplicities`; draws are then numbers of items of each row, and the
cost grows with the number of distinct rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from metaeval.arrays import Bools, Indices, Integers

REPLICATES_MEMORY = 1 << 27
"""Approximate limit of the memory of replicates of an agreement coefficient, in bytes."""

TRIALS_A_BLOCK = 128
"""Maximum number of trials in a block."""

_DRAWS_AT_ONCE = 1 << 12
"""Numbers drawn by one call, which the resamples of a seed depend on."""

_WORDS_AT_ONCE = 1 << 18
"""Maximum number of random words in memory, so that they fit in the cache."""


def seed_for(seed: int, purpose: str) -> np.random.SeedSequence:
    """Seed for a purpose, so that the draws of two analyses are independent."""
    return np.random.SeedSequence([seed, *purpose.encode()])


@dataclass(frozen=True)
class Blocks(Sequence[tuple[np.random.SeedSequence, int]]):
    """Seed and number of trials of each block, so that results do not depend on the processes.

    Each is made when it is read, so that even a hundred million trials begin at once; the last block may have fewer.
    """

    seed: np.random.SeedSequence
    trials: int
    per_block: int

    def __len__(self) -> int:
        return -(-self.trials // self.per_block)

    def __getitem__(self, block: Any) -> Any:
        if isinstance(block, slice):
            return [self[index] for index in range(len(self))[block]]
        index = range(len(self))[block]
        seed = np.random.SeedSequence(self.seed.entropy, spawn_key=(*self.seed.spawn_key, index))
        return seed, min(self.per_block, self.trials - index * self.per_block)


def trials_per_block(bytes_a_trial: int, *, memory: int, at_most: int = TRIALS_A_BLOCK) -> int:
    """Number of trials in a block of bounded memory.

    Returns at least 1.
    """
    return int(np.clip(memory // max(1, bytes_a_trial), 1, at_most))


def generator(seed: np.random.SeedSequence) -> np.random.Generator:
    """Random generator of a block: SFC64, the fastest one of numpy that passes statistical tests."""
    return np.random.Generator(np.random.SFC64(seed))


def draw_halves(
    random: np.random.Generator,
    multiplicities: Integers,
    *,
    trials: int,
    within: Integers | None = None,
    larger: Bools | None = None,
) -> Integers:
    """Uniformly random halves of the items.

    Parameters
    ----------
    random
        Source of the draws.
    multiplicities : array (U,)
        Number of items of each row.
    trials
        T.
    within : array (T, U), optional
        Number of items of each row that are halved, with the same sum in every trial; all items by default.
    larger : array (T,), optional
        Whether the first half has the odd item, for each trial; random by default.

    Returns
    -------
    array (T, U)
        Number of items of each row in the first half.
    """
    halves = _coins(random, multiplicities, trials, 0.5, within)
    available = _available(halves, multiplicities, within)
    items = int(available[0].sum(dtype=np.int64)) if trials else 0
    # Narrow types are faster, and no sum exceeds the number of items.
    sizes = halves.sum(axis=1, dtype=np.min_scalar_type(items)).astype(np.int64)
    # Heads and tails are equally likely, so a half with too few items is complemented, and only removal remains.
    few = sizes < items // 2
    _complement(halves, available, few)
    _remove(random, halves, multiplicities, np.where(few, items - sizes, sizes) - items // 2)
    if items % 2:
        _complement(halves, available, random.random(trials) < 0.5 if larger is None else larger)
    return halves


def draw_subsets(random: np.random.Generator, multiplicities: Integers, *, trials: int, size: int) -> Integers:
    """Uniformly random subsets of the items.

    multiplicities: (U,), number of items of each row. Returns (T, U): number of items of each row in the subset.
    """
    items = int(multiplicities.sum())
    if not 0 <= size <= items:
        raise ValueError(f"{size} of {items} items")
    if 2 * size > items:
        rest = draw_subsets(random, multiplicities, trials=trials, size=items - size)
        _complement(rest, _available(rest, multiplicities, None), np.ones(trials, dtype=np.bool_))
        return rest
    # Bernoulli draws of all items, then uniform additions or removals until the size is right: given the number of
    # items, the subset is uniform throughout. The probability is too low on purpose, because additions are drawn from
    # the larger part of the items, and removals from the smaller part.
    subsets = _coins(random, multiplicities, trials, max(0.0, size - 3 * np.sqrt(size)) / max(1, items), None)
    available = _available(subsets, multiplicities, None)
    sizes = subsets.sum(axis=1, dtype=np.int64)
    few = sizes < size
    _complement(subsets, available, few)
    _remove(random, subsets, multiplicities, np.where(few, size - sizes, sizes - size))
    _complement(subsets, available, few)
    return subsets


def draw_bootstrap(random: np.random.Generator, items: int, *, trials: int) -> Integers:
    """Bootstrap resamples of items.

    Parameters
    ----------
    random
        Source of the draws.
    items
        Number of items, N.
    trials
        T.

    Returns
    -------
    array (T, N)
        Number of times that each item is drawn.
    """
    code_type = np.uint32 if items > 1 << 16 else np.uint16
    counts = np.empty((trials, items), dtype=np.intp)
    at_once = max(1, _DRAWS_AT_ONCE // max(1, items))
    for begin in range(0, trials, at_once):
        block = counts[begin : begin + at_once]
        codes = random.integers(items, size=block.shape, dtype=code_type)
        cells = codes + items * np.arange(len(block))[:, np.newaxis]
        block[:] = np.bincount(cells.ravel(), minlength=cells.size).reshape(block.shape)
    return counts


def _coins(
    random: np.random.Generator, multiplicities: Integers, trials: int, share: float, within: Integers | None
) -> Integers:
    """Independent Bernoulli draws of the available items with probability `share`, (T, U)."""
    rows = len(multiplicities)
    if not _all_single(multiplicities):
        available = multiplicities[np.newaxis] if within is None else within
        fair = share == 0.5
        heads = _heads(random, available, trials) if fair else random.binomial(available, share, size=(trials, rows))
        return heads.astype(np.min_scalar_type(int(multiplicities.max())), copy=False)
    if share == 0.5:
        words = -(-rows // 64)
        bits = random.bit_generator.random_raw(trials * words).reshape(trials, words)
        coins = np.unpackbits(bits.view(np.uint8), axis=1, count=rows, bitorder="little")
    else:
        coins = (random.random((trials, rows), dtype=np.float32) < share).view(np.uint8)
    return coins if within is None else coins & within


def _heads(random: np.random.Generator, coins: Integers, trials: int) -> Integers:
    """Numbers of heads (T, U) of fair coins, (T, U) or (1, U): bits of random words, and binomials for more than 63."""
    rows = coins.shape[1]
    more = np.flatnonzero((coins > 63).any(axis=0))
    heads: Integers = np.empty((trials, rows), dtype=np.min_scalar_type(max(64, int(coins.max(initial=0)))))
    masks = (np.uint64(1) << np.minimum(coins, 63).astype(np.uint64)) - np.uint64(1)
    at_once = max(1, _WORDS_AT_ONCE // max(1, rows))
    for begin in range(0, trials, at_once):
        block = slice(begin, min(begin + at_once, trials))
        words = random.bit_generator.random_raw((block.stop - begin) * rows).reshape(-1, rows)
        words &= masks if len(masks) == 1 else masks[block]
        np.bitwise_count(words, out=heads[block])
    if len(more):
        rest = np.maximum(coins[:, more].astype(np.int64) - 63, 0)
        heads[:, more] += random.binomial(rest, 0.5, size=(trials, len(more))).astype(heads.dtype)
    return heads


def _available(subsets: Integers, multiplicities: Integers, within: Integers | None) -> Integers:
    """Numbers of available items, (T, U), in the type of `subsets`."""
    if within is not None:
        return within
    return np.broadcast_to(multiplicities.astype(subsets.dtype), subsets.shape)


def _complement(subsets: Integers, available: Integers, trials: Bools) -> None:
    """Replace the subsets of these trials by the other available items, in place."""
    subsets[trials] = available[trials] - subsets[trials]


def _remove(random: np.random.Generator, subsets: Integers, multiplicities: Integers, surplus: Integers) -> None:
    """Remove `surplus` (T,) uniformly random items from the subsets, in place."""
    rows = len(multiplicities)
    single = _all_single(multiplicities)
    ends = np.cumsum(multiplicities)
    items = int(ends[-1]) if rows else 0
    flat = subsets.reshape(-1)
    left = surplus.copy()
    while len(todo := np.flatnonzero(left)):
        # Items are drawn from all, and duplicates count once. The first items of a row are in the subset, because the
        # items of a row are identical.
        trial = np.repeat(todo, left[todo])
        item = random.integers(items, size=len(trial))
        if single:
            cell = trial * rows + item
            cell = _distinct(cell[flat[cell] > 0])
            flat[cell] = 0
        else:
            row = np.searchsorted(ends, item, side="right")
            cell = trial * rows + row
            hit = item - (ends[row] - multiplicities[row]) < flat[cell]
            _, first = np.unique(trial[hit] * items + item[hit], return_index=True)
            cell = cell[hit][first]
            np.subtract.at(flat, cell, flat.dtype.type(1))
        left -= np.bincount(cell // rows, minlength=len(left))


def _distinct(positions: Indices) -> Indices:
    """Sorted distinct indices, faster than `np.unique`."""
    sorted_positions = np.sort(positions)
    new = np.ones(len(sorted_positions), dtype=np.bool_)
    np.not_equal(sorted_positions[1:], sorted_positions[:-1], out=new[1:])
    return sorted_positions[new]


def _all_single(multiplicities: Integers) -> bool:
    return bool((multiplicities == 1).all())
