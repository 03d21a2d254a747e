"""Scores of random halves of the items, for any kind of score.

Each makes a plan of blocks. A block is scored from its own seed alone, wherever and whenever it is computed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

import numpy as np

from metaeval.arrays import Integers
from metaeval.errors import invalid, refuse, setting, wrong_count
from metaeval.inference.clusters import Clusters, draw_cluster_halves
from metaeval.model.scores import ScoreCube
from metaeval.scoring.evaluation import Plan
from metaeval.stats.resample import Blocks, draw_halves, draw_subsets, generator, seed_for, trials_per_block

Draw: TypeAlias = "tuple[np.random.SeedSequence, int]"
"""A block of trials: a seed, and how many to draw from it."""

BLOCK_MEMORY = 512 << 20
"""Default limit of a block's memory, in bytes. Where it makes blocks smaller, it changes the draws."""

_BYTES_OF_AN_ITEM = 4
"""Bytes of an item of a trial while whole clusters are halved, for each column of clusters."""


class Samples(Protocol):
    """Items from which any sample can be drawn and scored."""

    @property
    def multiplicities(self) -> Integers:
        """How many items each row stands for, (U,)."""

    @property
    def classes(self) -> Sequence[slice]:
        """The rows of each gold class; an `InputError` where items have no class."""

    @property
    def bytes_a_trial(self) -> int:
        """Approximate number of bytes to draw and score both halves."""

    def rows_of_items(self, draws: Integers) -> Integers:
        """How many items of each row samples of items in memory have, (T, U); draws: in their order, (T, N)."""

    def score_halves(self, first: Integers, second: Integers | None) -> ScoreCube:
        """Scores of two samples per trial; second: None for all items outside the first. Axes ('trial', 'half')."""


def split_halves(
    samples: Samples,
    *,
    trials: int,
    seed: int,
    share: float | None = None,
    stratified: bool = False,
    memory: int = BLOCK_MEMORY,
) -> Plan[Draw, ScoreCube]:
    """Scores of both halves of random splits of the items; axes ('trial', 'half').

    share: share of the items in each half, at most ½; None to split all items. stratified: whether every gold class is
    split separately, so that the halves keep its share. memory: approximate bytes of a block.
    """
    segments = _segments(samples, share, stratified)

    def score(block: Draw) -> ScoreCube:
        seed, size = block
        draws = _draw_both_halves(generator(seed), samples.multiplicities, segments, size)
        return samples.score_halves(*draws)

    return Plan(blocks_of(seed, f"halves {share} {stratified}", trials, samples, memory), score)


def split_clusters(
    samples: Samples,
    clusters: Sequence[Clusters],
    *,
    trials: int,
    seed: int,
    share: float | None = None,
    memory: int = BLOCK_MEMORY,
) -> Plan[Draw, tuple[ScoreCube, ...]]:
    """Scores of both halves of random splits of whole clusters of items in memory; axes ('trial', 'half').

    Of two columns that cross each other both are halved, which makes four blocks of about a quarter of the items. Each
    trial has two cubes, of the two pairs of opposite blocks, which have no cluster of either column in common. share:
    share of the items in each half or block; None for ½ or ¼.
    """
    crossed = len(clusters) == 2
    most = 0.25 if crossed else 0.5
    if share is not None and share > most:
        expected = f"at most {most:g}, because opposite blocks of two crossed columns of clusters share no cluster"
        raise refuse(None, invalid("share", f"{share:g}", expected))
    for grouping in clusters:
        if len(grouping.sizes) < 2:
            hint = f"name another column in {setting('clusters')}"
            where = f" of {grouping.column} to halve"
            raise refuse(None, wrong_count(1, "cluster", 2, " or more", where=where, hint=hint))
    codes = [grouping.codes for grouping in clusters if grouping.codes is not None]
    if len(codes) < len(clusters):
        found = f"halves of clusters of {clusters[0].column}, with items that are not stored one by one"
        hint = f"set {setting('engine', 'memory')} if the memory holds them, or {setting('clusters', 'none')}"
        raise refuse(None, found, "items in memory", hint)
    # Half of the rows and half of the columns have a quarter of the items.
    column_share = (share or most) ** (1 / len(clusters))

    def score(block: Draw) -> tuple[ScoreCube, ...]:
        random, trials = generator(block[0]), block[1]
        halves = [
            [half[:, item_codes] for half in draw_cluster_halves(random, grouping.sizes, trials, share=column_share)]
            for grouping, item_codes in zip(clusters, codes, strict=True)
        ]
        if not crossed:
            first, second = map(samples.rows_of_items, halves[0])
            return (samples.score_halves(first, None if column_share == 0.5 else second),)
        (rows, other_rows), (columns, other_columns) = halves
        pairs = ((rows & columns, other_rows & other_columns), (rows & other_columns, other_rows & columns))
        return tuple(samples.score_halves(*map(samples.rows_of_items, pair)) for pair in pairs)

    purpose = f"halves {share} of {' and '.join(grouping.column for grouping in clusters)}"
    more_bytes = _BYTES_OF_AN_ITEM * sum(map(len, codes))
    return Plan(blocks_of(seed, purpose, trials, samples, memory, more_bytes=more_bytes), score)


def blocks_of(seed: int, purpose: str, trials: int, samples: Samples, memory: int, *, more_bytes: int = 0) -> Blocks:
    """Blocks of a number of trials, seeded for a purpose; more_bytes: of a trial, beside those of the samples."""
    # Larger blocks would be slower, and draw other samples than the default.
    per_block = trials_per_block(samples.bytes_a_trial + more_bytes, memory=min(memory, BLOCK_MEMORY))
    return Blocks(seed_for(seed, purpose), trials=trials, per_block=per_block)


@dataclass(frozen=True)
class _Segment:
    """Rows that are split separately, and the number of items in each half; None to split all of them."""

    rows: slice
    size: int | None


def _segments(samples: Samples, share: float | None, stratified: bool) -> tuple[_Segment, ...]:
    segments = []
    for rows in samples.classes if stratified else [slice(0, len(samples.multiplicities))]:
        available = int(samples.multiplicities[rows].sum())
        size = None if share is None else min(round(share * available), available // 2)
        segments.append(_Segment(rows, size))
    items_split = int(samples.multiplicities.sum())
    half = items_split // 2 if share is None else sum(segment.size or 0 for segment in segments)
    if not half:
        raise refuse(None, wrong_count(0, "item", 1, " or more", where=f" in each half of {items_split:,}"))
    return tuple(segments)


def _draw_both_halves(
    random: np.random.Generator, multiplicities: Integers, segments: Sequence[_Segment], trials: int
) -> tuple[Integers, Integers | None]:
    """How many items of each row are in the first half and in the second; None where these are all other items."""
    whole = all(segment.size is None for segment in segments)
    if whole and len(segments) == 1:
        return draw_halves(random, multiplicities, trials=trials), None
    # Of the classes with an odd number of items, half get the odd one into the first half, so it is half of all.
    odd = [segment.size is None and int(multiplicities[segment.rows].sum()) % 2 == 1 for segment in segments]
    larger_first = draw_halves(random, np.ones(max(1, sum(odd)), dtype=np.intp), trials=trials).astype(np.bool_)
    first, second = [], []
    for number, segment in enumerate(segments):
        segment_multiplicities = multiplicities[segment.rows]
        within = None
        if segment.size is not None:
            within = draw_subsets(random, segment_multiplicities, trials=trials, size=2 * segment.size)
        larger = larger_first[:, sum(odd[:number])] if odd[number] else None
        first.append(draw_halves(random, segment_multiplicities, trials=trials, within=within, larger=larger))
        second.append((segment_multiplicities if within is None else within) - first[-1])
    return np.concatenate(first, axis=1), None if whole else np.concatenate(second, axis=1)
