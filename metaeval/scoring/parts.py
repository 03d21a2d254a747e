"""What groups of items add to the scores of systems: from confusion counts of the groups, or from scores of items."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from metaeval.inference.clusters import MAX_GROUPS
from metaeval.inference.parts import Numbers, Parts, group_sums
from metaeval.measures.spec import Measure
from metaeval.model.labels import ClassRuns, LabelledRuns
from metaeval.model.scale import ClassScale
from metaeval.model.scores import ItemScores
from metaeval.scoring.additive import is_additive, worth_of_cells
from metaeval.scoring.confusion import count, merge
from metaeval.scoring.labels import score_counts
from metaeval.scoring.merges import merged_groups

MAX_CELLS = 1 << 26
"""Cells of the confusion counts of all groups: with very many classes and systems there are fewer groups."""

MIN_GROUPS = 64
"""As few groups as that bound may leave."""


@dataclass(frozen=True)
class GroupCounts:
    """Confusion counts of systems in groups of items.

    counts: (G, S, C, C). systems: their names. scale: of the classes.
    """

    counts: NDArray[np.int64]
    systems: tuple[str, ...]
    scale: ClassScale

    @property
    def sizes(self) -> NDArray[np.int64]:
        """Number of items of each group, (G,)."""
        return np.asarray(self.counts[:, 0].sum(axis=(1, 2)))

    def merged(self, scale: ClassScale) -> GroupCounts:
        """The counts on a scale with merged classes, a result of `ClassScale.merge`."""
        return GroupCounts(merge(self.counts, merged_groups(self.scale, scale)), self.systems, scale)

    def parts(self, measures: Sequence[Measure]) -> list[Parts]:
        """The parts of each measure: sums of the items' worths where it is a mean given gold, else jackknife parts."""
        whole = self.counts.sum(axis=0)
        scores = score_counts(whole, measures, scale=self.scale, systems=self.systems).oriented().values
        others = [measure for measure in measures if not is_additive(measure)]
        without = iter(
            score_counts(
                whole - self.counts, others, scale=self.scale, systems=self.systems, axes=("group",)
            ).oriented().values.transpose(1, 0, 2)
            if others
            else ()
        )  # fmt: skip
        return [
            self._of_worths(measure, scores[place])
            if is_additive(measure)
            else Parts.of_jackknife(scores[place], next(without), self.sizes)
            for place, measure in enumerate(measures)
        ]

    def _of_worths(self, measure: Measure, scores: Numbers) -> Parts:
        frequencies = self.counts[:, 0].sum(axis=(0, 2))
        worth = worth_of_cells(frequencies, measure, self.scale) * measure.better.sign
        # Cells that no item is in may have no worth.
        used = frequencies > 0
        sums = np.tensordot(self.counts[:, :, used], worth[used], axes=([2, 3], [0, 1]))
        return Parts(scores, sums, self.sizes.astype(np.float64))


def cell_parts(runs: LabelledRuns, cells: NDArray[np.integer], measures: Sequence[Measure]) -> Iterator[Parts]:
    """The parts of small groups of items, as the cells of two crossed groupings, measure by measure.

    cells: of each item, (N,), from 0. The parts of a measure that is no mean are sums of what each item adds, which
    leaving one item of each gold and predicted class out estimates.
    """
    items, number = len(runs.gold), int(cells.max()) + 1
    sizes = np.bincount(cells, minlength=number).astype(np.float64)
    counts = count(runs.gold, runs.predicted, classes=len(runs.scale))
    scores = score_counts(counts, measures, scale=runs.scale, systems=runs.systems).oriented().values
    worths = _worths_of_cells(counts, measures, runs, scores)
    for of_measure, worth in zip(scores, worths, strict=True):
        of_items = np.stack([table[runs.gold, codes] for table, codes in zip(worth, runs.predicted, strict=True)])
        sums = group_sums(of_items, cells, number)
        surplus = sums.sum(axis=0) - items * of_measure
        yield Parts(of_measure, sums - sizes[:, np.newaxis] / items * surplus, sizes)


def _worths_of_cells(
    counts: NDArray[np.int64], measures: Sequence[Measure], runs: LabelledRuns, scores: Numbers
) -> Numbers:
    """What an item of each gold and predicted class adds to N times the score, (M, S, C, C); NaN if there is none."""
    classes, items = len(runs.scale), int(counts[0].sum())
    worths = np.full((len(measures), len(counts), classes, classes), np.nan)
    for gold in np.flatnonzero(counts[0].sum(axis=1)).tolist():
        without = np.repeat(counts[np.newaxis], classes, axis=0)
        without[np.arange(classes), :, gold, np.arange(classes)] -= 1
        present = counts[:, gold, :].T > 0
        cube = score_counts(
            np.maximum(without, 0), measures, scale=runs.scale, systems=runs.systems, axes=("predicted",)
        )
        without_scores = cube.oriented().values.transpose(1, 2, 0)
        worth = scores[:, :, np.newaxis] + (items - 1) * (scores[:, :, np.newaxis] - without_scores)
        worths[:, :, gold, :] = np.where(present.T, worth, np.nan)
    for place, measure in enumerate(measures):
        if is_additive(measure):
            frequencies = counts[0].sum(axis=1)
            worths[place] = worth_of_cells(frequencies, measure, runs.scale) * measure.better.sign
    return worths


def count_groups(runs: ClassRuns, groups: NDArray[np.integer] | None, random: np.random.Generator) -> GroupCounts:
    """Confusion counts of groups of the items.

    groups: of each item, (N,), from 0; None to deal the items at random into groups of nearly the same size.
    """
    systems, classes = len(runs.systems), len(runs.scale)
    items = int(runs.gold_frequencies.sum())
    at_most = min(MAX_GROUPS, max(MIN_GROUPS, MAX_CELLS // (systems * classes**2)))
    number = min(items, at_most) if groups is None else int(groups.max()) + 1
    counts = np.zeros((systems, number * classes, classes), dtype=np.int64)
    dealer = _Dealer(number, random)
    for block in runs.blocks():
        predicted, times = np.atleast_2d(block.predicted), block.multiplicities
        if groups is not None:
            of_item, row = groups, np.arange(len(block.gold))
        elif times is None:
            of_item, row = dealer.deal(len(block.gold)), np.arange(len(block.gold))
        else:
            # Of a row of many identical items each group gets as many; only the rest is dealt.
            shared = count(block.gold, predicted, classes=classes, multiplicities=times // number)
            counts += np.tile(shared, (1, number, 1))
            row = np.repeat(np.arange(len(block.gold)), times % number)
            of_item = dealer.deal(len(row))
        counts += _counts_of_groups(block.gold[row], predicted[:, row], of_item, classes, number)
    by_group = counts.reshape(systems, number, classes, classes).swapaxes(0, 1)
    return GroupCounts(np.ascontiguousarray(by_group), runs.systems, runs.scale)


def _counts_of_groups(
    gold: NDArray[np.integer],
    predicted: NDArray[np.integer],
    groups: NDArray[np.integer],
    classes: int,
    number: int,
) -> NDArray[np.int64]:
    """Counts (S, G * C, C) of systems, rows by group and gold class."""
    row = (groups.astype(np.intp) * classes + gold) * classes
    cells = number * classes * classes
    counts = np.empty((len(predicted), cells), dtype=np.int64)
    for system, codes in enumerate(predicted):
        counts[system] = np.bincount(row + codes, minlength=cells)
    return counts.reshape(len(predicted), number * classes, classes)


class _Dealer:
    """Deals items to groups in rounds, each in a new random order, so that sizes differ by one at most."""

    def __init__(self, groups: int, random: np.random.Generator) -> None:
        self.groups, self.random = groups, random
        self.left = np.empty(0, dtype=np.intp)

    def deal(self, items: int) -> NDArray[np.intp]:
        """Groups of the next items."""
        rounds = -(-max(0, items - len(self.left)) // self.groups)
        orders = self.random.permuted(np.tile(np.arange(self.groups), (rounds, 1)), axis=1).ravel()
        dealt = np.concatenate([self.left, orders])
        self.left = dealt[items:]
        return dealt[:items]


def parts_of_items(scores: ItemScores, groups: NDArray[np.integer]) -> Iterator[Parts]:
    """The parts of means over items, measure by measure; groups: of each item, (N,), from 0."""
    number = int(groups.max()) + 1
    sizes = np.bincount(groups, minlength=number)
    signs = [direction.sign for direction in scores.directions]
    for values, means, sign in zip(scores.values, scores.mean().values, signs, strict=True):
        unit = float(np.ldexp(1.0, int(np.frexp(np.nanmax(np.abs(values), initial=0.0))[1]) - 1))
        sums = group_sums(values / unit * sign, groups, number)
        yield Parts(means / unit * sign, sums, sizes.astype(np.float64), unit)
