"""Scores under chance and change: random halves, bootstrap samples, balanced samples, merged classes.

Each makes a plan of blocks. A block is scored from its own seed alone, so it does not matter who works on it and when.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from metaeval.errors import InputError
from metaeval.measures.spec import Measure
from metaeval.model.labels import LabelledRuns
from metaeval.model.scale import ClassScale
from metaeval.model.scores import ScoreCube
from metaeval.scoring.confusion import WeighableItems, merge
from metaeval.scoring.labels import score_counts
from metaeval.stats.resample import (
    Draws,
    block_seeds,
    draw_bootstrap,
    draw_halves,
    draw_subsets,
    generator,
    seed_for,
    trials_per_block,
)

Block = tuple[np.random.SeedSequence, int]
"""A seed, and how many trials to draw from it."""

BLOCK_MEMORY = 512 << 20
"""Bytes that a block may take unless told otherwise. Where it makes blocks smaller, it changes the draws."""

Result_co = TypeVar("Result_co", covariant=True)


@dataclass(frozen=True)
class Resampling(Generic[Result_co]):
    """A plan of trials. score: scores a block; the first axis of the result are its trials."""

    blocks: tuple[Block, ...]
    score: Callable[[Block], Result_co]


@dataclass(frozen=True)
class MergedScores:
    """Scores on the declared scale, and on each merged one; the latter with 'merge' as one more axis at the end."""

    original: ScoreCube
    merged: ScoreCube


def split_halves(
    runs: LabelledRuns,
    measures: Sequence[Measure],
    *,
    trials: int,
    seed: int,
    share: float | None = None,
    stratified: bool = False,
    memory: int = BLOCK_MEMORY,
) -> Resampling[ScoreCube]:
    """Scores of both halves of random splits of the items; axes ('trial', 'half').

    share: of all items that go to each half, at most ½; all items are split where it is None.
    stratified: whether every gold class is split by itself, so that the halves keep its share.
    memory: bytes that a block may take, about.
    """
    items = _weighable(runs)
    segments = _segments(items, share, stratified)

    def score(block: Block) -> ScoreCube:
        seed, size = block
        counts = _counts_of_halves(items, *_draw_both_halves(generator(seed), items, segments, size))
        return score_counts(counts, measures, scale=runs.scale, systems=runs.systems, axes=("trial", "half"))

    return Resampling(_blocks(seed, f"halves {share} {stratified}", trials, items, memory), score)


def bootstrap(
    runs: LabelledRuns, measures: Sequence[Measure], *, replicates: int, seed: int, memory: int = BLOCK_MEMORY
) -> Resampling[ScoreCube]:
    """Scores of samples of the items with replacement; axes ('replicate',)."""
    items = _weighable(runs)

    def score(block: Block) -> ScoreCube:
        counts = _bootstrap_counts(items, block)
        return score_counts(counts, measures, scale=runs.scale, systems=runs.systems, axes=("replicate",))

    return Resampling(_blocks(seed, "bootstrap", replicates, items, memory), score)


def bootstrap_merges(
    runs: LabelledRuns,
    measures: Sequence[Measure],
    merges: Sequence[ClassScale],
    *,
    replicates: int,
    seed: int,
    memory: int = BLOCK_MEMORY,
) -> Resampling[MergedScores]:
    """Scores as of `score_merges` of the samples of `bootstrap`; axes ('replicate',) and ('replicate', 'merge')."""
    items = _weighable(runs)

    def score(block: Block) -> MergedScores:
        counts = _bootstrap_counts(items, block)
        return score_merges(counts, measures, merges, scale=runs.scale, systems=runs.systems, axes=("replicate",))

    return Resampling(_blocks(seed, "bootstrap", replicates, items, memory), score)


def _bootstrap_counts(items: WeighableItems, block: Block) -> NDArray[np.float64]:
    seed, size = block
    return items.counts_of_rows(draw_bootstrap(generator(seed), items.multiplicities, trials=size))


def score_merges(
    counts: NDArray[np.integer] | NDArray[np.float64],
    measures: Sequence[Measure],
    merges: Sequence[ClassScale],
    *,
    scale: ClassScale,
    systems: Sequence[str],
    axes: Sequence[str] = (),
) -> MergedScores:
    """Scores on a scale and on scales in which classes of it are merged, without recounting.

    counts: (*axes, S, C, C). merges: as of `ClassScale.merge`.
    """
    original = score_counts(counts, measures, scale=scale, systems=systems, axes=axes)
    cubes = [
        score_counts(merge(counts, _groups(scale, merged)), measures, scale=merged, systems=systems, axes=axes)
        for merged in merges
    ]
    values = np.stack([cube.values for cube in cubes], axis=-3)
    return MergedScores(original, replace(original, values=values, axes=(*axes, "merge")))


def balanced_merges(
    runs: LabelledRuns,
    measures: Sequence[Measure],
    merges: Sequence[ClassScale],
    *,
    trials: int,
    seed: int,
    memory: int = BLOCK_MEMORY,
) -> Resampling[MergedScores]:
    """Scores as of `score_merges` of samples in which every gold class has as many items as the rarest.

    Axes ('trial',) and ('trial', 'merge'). A class without a gold item stays without.
    """
    items = _weighable(runs)
    classes = [slice(begin, end) for begin, end in pairwise(items.boundaries.tolist()) if end > begin]
    rarest = min(int(items.multiplicities[rows].sum()) for rows in classes)

    def score(block: Block) -> MergedScores:
        seed, size = block
        random = generator(seed)
        drawn = [draw_subsets(random, items.multiplicities[rows], trials=size, size=rarest) for rows in classes]
        counts = items.counts_of_rows(np.concatenate(drawn, axis=1))
        return score_merges(counts, measures, merges, scale=runs.scale, systems=runs.systems, axes=("trial",))

    return Resampling(_blocks(seed, "balance", trials, items, memory), score)


def _weighable(runs: LabelledRuns) -> WeighableItems:
    return WeighableItems.of(runs.gold, runs.predicted, classes=len(runs.scale))


def _blocks(seed: int, purpose: str, trials: int, items: WeighableItems, memory: int) -> tuple[Block, ...]:
    if trials < 1:
        raise InputError.at(found=f"{trials} trials", expected="at least 1")
    # Draws of both halves as whole numbers and on their way to weights; counts of both halves, and what measures
    # make of them.
    systems, rows = items.predicted.shape
    bytes_a_trial = 32 * rows + 64 * systems * items.classes**2
    per_block = trials_per_block(bytes_a_trial, memory=memory)
    return tuple(block_seeds(seed_for(seed, purpose), trials=trials, per_block=per_block))


def _groups(scale: ClassScale, merged: ClassScale) -> list[list[int]]:
    """The codes of `scale` behind each class of a scale in which some classes of it are merged into one."""
    gone = [code for code, label in enumerate(scale.labels) if label not in merged.labels]
    groups = [[scale.code(label)] if label in scale.labels else gone for label in merged.labels]
    if sum(map(len, groups)) != len(scale):
        raise ValueError(f"'{merged}' is not '{scale}' with one merge")
    return groups


@dataclass(frozen=True)
class _Segment:
    """Rows that are split by themselves, and how many items go to each half; None for all of them."""

    rows: slice
    size: int | None


def _segments(items: WeighableItems, share: float | None, stratified: bool) -> tuple[_Segment, ...]:
    if share is not None and not 0 < share <= 0.5:
        raise InputError.at(found=f"a share of {share:g} of the items for each half", expected="above 0, at most 0.5")
    bounds = items.boundaries.tolist() if stratified else [0, len(items.multiplicities)]
    segments = []
    for begin, end in pairwise(bounds):
        available = int(items.multiplicities[begin:end].sum())
        size = None if share is None else min(round(share * available), available // 2)
        if end > begin:
            segments.append(_Segment(slice(begin, end), size))
    items_split = int(items.multiplicities.sum())
    half = items_split // 2 if share is None else sum(segment.size or 0 for segment in segments)
    if not half:
        of_each = "half" if share is None else f"a share of {share:g}"
        raise InputError.at(
            found=f"{of_each} of {items_split} items, which is no item at all",
            expected="at least one item in each half",
        )
    return tuple(segments)


def _draw_both_halves(
    random: np.random.Generator, items: WeighableItems, segments: Sequence[_Segment], trials: int
) -> tuple[Draws, Draws | None]:
    """How many items of each row go to the first half and to the second; None where those are all the others."""
    multiplicities = items.multiplicities
    whole = all(segment.size is None for segment in segments)
    if whole and len(segments) == 1:
        return draw_halves(random, multiplicities, trials=trials), None
    # Of the classes with an odd number of items, half get the odd one into the first half, so it is half of all.
    odd = [segment.size is None and int(multiplicities[segment.rows].sum()) % 2 == 1 for segment in segments]
    turned = draw_halves(random, np.ones(max(1, sum(odd)), dtype=np.intp), trials=trials).astype(np.bool_)
    first, second = [], []
    for number, segment in enumerate(segments):
        of_segment = multiplicities[segment.rows]
        within = None
        if segment.size is not None:
            within = draw_subsets(random, of_segment, trials=trials, size=2 * segment.size)
        larger = turned[:, sum(odd[:number])] if odd[number] else None
        first.append(draw_halves(random, of_segment, trials=trials, within=within, larger=larger))
        second.append((of_segment if within is None else within) - first[-1])
    return np.concatenate(first, axis=1), None if whole else np.concatenate(second, axis=1)


def _counts_of_halves(items: WeighableItems, first: Draws, second: Draws | None) -> NDArray[np.float64]:
    """Counts of both halves, (T, 2, S, C, C), the trials last in memory."""
    of_first = items.counts_of_rows(first).transpose(2, 3, 1, 0)
    if second is None:
        everything = items.counts_of_all.transpose(2, 3, 1, 0)
        of_second = everything - of_first
    else:
        of_second = items.counts_of_rows(second).transpose(2, 3, 1, 0)
    return np.stack([of_first, of_second], axis=3).transpose(4, 3, 2, 0, 1)
