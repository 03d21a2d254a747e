"""What groups of items add to the scores of systems: from confusion counts of the groups, or from scores of items."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from metaeval.arrays import Floats, Indices, Integers, Ints
from metaeval.grid import round_to_grid
from metaeval.inference.clusters import CELLS_AT_ONCE, MAX_GROUPS, deal_groups
from metaeval.inference.gaps import GapParts
from metaeval.inference.parts import CELLS_IN_CACHE, Parts, group_sums
from metaeval.inference.pooled import PooledParts, can_be_pooled
from metaeval.measures.spec import Measure
from metaeval.model.runs import ClassRuns, LabelledRuns
from metaeval.model.scale import ClassScale
from metaeval.model.scores import ItemScores, SumScore
from metaeval.scoring.confusion import count
from metaeval.scoring.labels import is_additive, merged_groups, score_counts, worth_of_cells
from metaeval.steps import steps

if TYPE_CHECKING:
    from scipy.sparse import csr_array

MAX_CELLS = 1 << 26
"""Cells of the confusion counts of all groups: with very many classes and systems there are fewer groups."""

MIN_GROUPS = 64
"""As few groups as that bound may leave."""


@dataclass(frozen=True)
class GroupCounts:
    """Confusion counts of S systems in G groups of items, which are few beside the cells of many classes.

    table: (G · S, C²), sparse. systems: their names. scale: of the C classes.
    """

    table: csr_array
    systems: tuple[str, ...]
    scale: ClassScale

    def __post_init__(self) -> None:
        # Sums do not depend on the order in which items were read.
        self.table.sort_indices()

    @cached_property
    def sums(self) -> Floats:
        """The counts of each cell, (S, C², G), which the parts of pairs share under all measures."""
        systems = len(self.systems)
        return np.stack([self.table[system::systems].T.toarray() for system in range(systems)], dtype=np.float64)

    @cached_property
    def sizes(self) -> Ints:
        """Number of items of each group, (G,)."""
        return np.asarray(self.table.sum(axis=1)).reshape(-1, len(self.systems))[:, 0]

    def merged(self, scale: ClassScale) -> GroupCounts:
        """The counts on a scale with merged classes, a result of `ClassScale.merge`."""
        from scipy.sparse import csr_array, kron

        groups = merged_groups(self.scale, scale)
        codes = np.concatenate([np.full(len(group), new) for new, group in enumerate(groups)])
        shape = self.scale.codes, scale.codes
        new_codes = csr_array((np.ones(len(codes), dtype=np.int64), (np.concatenate(groups), codes)), shape=shape)
        return GroupCounts(csr_array(self.table @ kron(new_codes, new_codes)), self.systems, scale)

    def parts(self, measures: Sequence[Measure], *, given_gold: bool = True) -> list[Parts]:
        """The parts of each measure, of the jackknife with those of pairs of systems.

        given_gold: False where gold varies, too, so that all parts are of the jackknife.
        """
        system_parts = self.parts_of_systems(measures, given_gold=given_gold)
        return [
            self.with_pairs(parts, measure) if parts.jackknife else parts
            for parts, measure in zip(system_parts, measures, strict=True)
        ]

    def parts_of_systems(self, measures: Sequence[Measure], *, given_gold: bool = True) -> list[Parts]:
        """The parts of each measure: sums of the items' worths where it is a mean given gold, else jackknife parts."""
        whole = self._whole
        scores = score_counts(whole, measures, scale=self.scale, systems=self.systems).oriented().values
        means = [given_gold and is_additive(measure) for measure in measures]
        others = [measure for measure, is_mean in zip(measures, means, strict=True) if not is_mean]
        without = iter(self._without_groups(whole, others))
        additive = [measure for measure, is_mean in zip(measures, means, strict=True) if is_mean]
        sums = iter(self._sums_of_worths(additive))
        sizes = self.sizes
        return [
            Parts(system_scores, next(sums), sizes.astype(np.float64))
            if is_mean
            else Parts.from_jackknife(system_scores, next(without), sizes)
            for system_scores, is_mean in zip(scores, means, strict=True)
        ]

    def with_pairs(self, parts: Parts, measure: Measure) -> Parts:
        """The jackknife parts of a measure with those of pairs of systems, where gradients can be computed."""
        if not can_be_pooled(len(self.systems), self.table.shape[1]):
            return parts
        return _pooled(parts, self.sums, partial(oriented_scores, measure, self.scale))

    @cached_property
    def _whole(self) -> Ints:
        """The counts of all items, (S, C, C)."""
        systems, classes = len(self.systems), self.scale.codes
        whole = np.stack([self.table[system::systems].sum(axis=0) for system in range(systems)])
        return whole.reshape(systems, classes, classes)

    def _group_counts(self, begin: int, end: int) -> Ints:
        """The counts of some groups, (G, S, C, C)."""
        systems, classes = len(self.systems), self.scale.codes
        return self.table[begin * systems : end * systems].toarray().reshape(-1, systems, classes, classes)

    def _without_groups(self, whole: Ints, measures: Sequence[Measure]) -> Floats:
        """Scores without each group under K measures, (K, G, S); blocks of groups stay in the cache."""
        groups = len(self.sizes)
        scores = np.empty((len(measures), groups, len(self.systems)))
        step = max(1, CELLS_IN_CACHE // whole.size)
        for begin in steps(range(0, groups if measures else 0, step), "Scores without a group of items"):
            without = whole - self._group_counts(begin, begin + step)
            cube = score_counts(without, measures, scale=self.scale, systems=self.systems, axes=("group",))
            scores[:, begin : begin + step] = cube.oriented().values.transpose(1, 0, 2)
        return scores

    def _sums_of_worths(self, measures: Sequence[Measure]) -> Floats:
        """Sums of the worths of the items in each group under K measures, (K, G, S)."""
        frequencies = self._whole[0].sum(axis=1)
        worths = np.zeros((self.table.shape[1], len(measures)))
        for number, measure in enumerate(measures):
            worth = worth_of_cells(frequencies, measure, self.scale) * measure.better.sign
            # Cells that no item is in may have no worth.
            worths[:, number] = np.where(frequencies[:, np.newaxis] > 0, worth, 0.0).ravel()
        return (self.table @ worths).T.reshape(len(measures), len(self.sizes), len(self.systems))


def oriented_scores(measure: Measure, scale: ClassScale, counts: Floats) -> Floats:
    """Scores (...) of confusion counts (..., C²), of which higher ones are better."""
    classes = scale.codes
    return measure(counts.reshape(*counts.shape[:-1], classes, classes), scale) * measure.better.sign


def _oriented_scores_of_sums(sum_score: SumScore, sign: int, sums: Floats) -> Floats:
    """The same from sums of statistics (..., K); sign: 1 where higher is better, else −1."""
    return sum_score.score(sums) * sign


def _pooled(parts: Parts, sums: Floats, function: Callable[[Floats], Floats]) -> PooledParts:
    """Jackknife parts with those of pairs by sums (S, K, G)."""
    return PooledParts(parts.scores, parts.parts, parts.sizes, jackknife=True, sums=sums, function=function)


def cell_parts(runs: LabelledRuns, cells: Integers, measures: Sequence[Measure]) -> Iterator[Parts]:
    """The parts of small groups of items, as the cells of two crossed groupings, with those of pairs of systems.

    cells: of each item, (N,), from 0.
    """
    system_parts = cell_parts_of_systems(runs, cells, measures)
    if (int(cells.max()) + 1) * len(runs.systems) * runs.scale.codes**2 > MAX_CELLS:
        yield from system_parts
        return
    counts = count_groups(runs, cells, np.random.default_rng(0))
    for measure, parts in zip(measures, system_parts, strict=True):
        yield parts if is_additive(measure) else counts.with_pairs(parts, measure)


def cell_parts_of_systems(runs: LabelledRuns, cells: Integers, measures: Sequence[Measure]) -> Iterator[Parts]:
    """The same of systems by themselves, measure by measure.

    The parts of a measure that is no mean are sums of what each item adds, which leaving one item of each gold and
    predicted class out estimates.
    """
    items, number = len(runs.gold), int(cells.max()) + 1
    sizes = np.bincount(cells, minlength=number).astype(np.float64)
    counts = count(runs.gold, runs.predicted, classes=runs.scale.codes)
    scores = score_counts(counts, measures, scale=runs.scale, systems=runs.systems).oriented().values
    worths = _worths_of_cells(counts, measures, runs, scores)
    for system_scores, worth in zip(scores, worths, strict=True):
        item_worths = np.stack([table[runs.gold, codes] for table, codes in zip(worth, runs.predicted, strict=True)])
        sums = group_sums(item_worths, cells, number)
        surplus = sums.sum(axis=0) - items * system_scores
        yield Parts(system_scores, sums - sizes[:, np.newaxis] / items * surplus, sizes)


def _worths_of_cells(counts: Ints, measures: Sequence[Measure], runs: LabelledRuns, scores: Floats) -> Floats:
    """What an item of each gold and predicted class adds to N times the score, (M, S, C, C); NaN if there is none."""
    classes, items = runs.scale.codes, int(counts[0].sum())
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
    for index, measure in enumerate(measures):
        if is_additive(measure):
            frequencies = counts[0].sum(axis=1)
            worths[index] = worth_of_cells(frequencies, measure, runs.scale) * measure.better.sign
    return worths


def count_groups(runs: ClassRuns, groups: Integers | None, random: np.random.Generator) -> GroupCounts:
    """Confusion counts of groups of the items.

    groups: of each item, (N,), from 0; None for the groups in which the runs were counted, if they were, and else for
    random ones.
    """
    from scipy.sparse import csr_array, vstack

    systems, classes = len(runs.systems), runs.scale.codes
    if groups is None and runs.group_counts is not None:
        return GroupCounts(csr_array(runs.group_counts.reshape(-1, classes**2)), runs.systems, runs.scale)
    items = int(runs.gold_frequencies.sum())
    at_most = min(MAX_GROUPS, max(MIN_GROUPS, MAX_CELLS // (systems * classes**2)))
    number = min(items, at_most) if groups is None else int(groups.max()) + 1
    if groups is None and runs.multiplicities is None:
        groups = deal_groups(np.ones(items, dtype=np.int64), random, at_most)
    blocks: Iterable[tuple[Indices | slice, Integers, Ints | None]]
    if groups is not None:
        blocks = [(slice(None), groups, None)]
    else:
        assert runs.multiplicities is not None
        blocks = _random_groups(runs.multiplicities, number, random)
    tables = [csr_array((number, classes**2), dtype=np.int64)] * systems
    for rows, row_groups, times in blocks:
        counts = np.ones(len(row_groups), dtype=np.int64) if times is None else times
        for system, predicted in enumerate(runs.predicted[:, rows]):
            cells = runs.gold[rows] * classes + predicted
            tables[system] = tables[system] + csr_array((counts, (row_groups, cells)), shape=(number, classes**2))
    order = np.arange(systems * number).reshape(systems, number).T.ravel()
    return GroupCounts(csr_array(vstack(tables, format="csr")[order]), runs.systems, runs.scale)


def _random_groups(
    times: Indices, number: int, random: np.random.Generator
) -> Iterator[tuple[Indices, Indices, Ints | None]]:
    """Rows of patterns, the group of each, and how many of its items are in it (None: one); of bounded size.

    times: how many items each row stands for; where these are no more than the groups, each is a group of its own.
    Which items are in a group does not depend on which are alike: groups as similar as possible would vary less than
    samples of the items do.
    """
    if int(times.sum()) <= number:
        yield np.repeat(np.arange(len(times)), times), np.arange(int(times.sum())), None
        return
    many = np.flatnonzero(times >= number)
    step = max(1, CELLS_AT_ONCE // number)
    for begin in range(0, len(many), step):
        rows = many[begin : begin + step]
        counts = random.multinomial(times[rows], np.full(number, 1 / number))
        yield np.repeat(rows, number), np.tile(np.arange(number), len(rows)), counts.ravel()
    few = np.flatnonzero(times < number)
    block_of_row = np.cumsum(times[few]) // CELLS_AT_ONCE
    for rows in np.split(few, np.flatnonzero(np.diff(block_of_row)) + 1):
        item_rows = np.repeat(rows, times[rows])
        yield item_rows, random.integers(number, size=len(item_rows)), None


def parts_of_item_scores(
    scores: ItemScores, groups: Indices | None, random: np.random.Generator | None = None
) -> list[Parts]:
    """The parts of scores, by measure: sums of the items' scores, and jackknife parts of functions of sums.

    groups: of each item, (N,), from 0; None for random ones.
    """
    if groups is None:
        assert random is not None
        groups = deal_groups(np.ones(len(scores.items), dtype=np.int64), random)
    number = int(groups.max()) + 1
    sizes = np.bincount(groups, minlength=number)
    signs = [direction.sign for direction in scores.directions]
    parts: list[Parts] = []
    sum_scores = {sum_score.index: sum_score for sum_score in scores.sums}
    for index, (values, means, sign) in enumerate(zip(scores.values, scores.mean().values, signs, strict=True)):
        if index in sum_scores:
            parts.append(_parts_of_sums(scores, sum_scores[index], groups, means=means, sign=sign))
            continue
        unit = float(np.ldexp(1.0, int(np.frexp(np.nanmax(np.abs(values), initial=0.0))[1]) - 1))
        if scores.gaps and np.isnan(values).any():
            arrays = (values / unit * sign, means / unit * sign)
            parts.append(
                GapParts.of(*arrays, groups, sizes.astype(np.float64), unit=unit, grid=scores.units[index] / unit)
            )
            continue
        sums = group_sums(values / unit * sign, groups, number)
        parts.append(Parts(means / unit * sign, sums, sizes.astype(np.float64), unit))
    return parts


def _parts_of_sums(scores: ItemScores, sum_score: SumScore, groups: Indices, *, means: Floats, sign: int) -> Parts:
    """The parts of a measure of sums; means: the scores."""
    sizes = np.bincount(groups)
    statistics = scores.statistics[sum_score.rows]
    by_group = group_sums(statistics.reshape(-1, statistics.shape[-1]), groups, len(sizes))
    by_group = np.moveaxis(by_group.reshape(len(sizes), *statistics.shape[:2]), 1, -1)
    without = round_to_grid(sum_score.score(by_group.sum(axis=0) - by_group), scores.units[sum_score.index])
    parts = Parts.from_jackknife(means * sign, without * sign, sizes)
    if not can_be_pooled(*by_group.shape[1:]):
        return parts
    function = partial(_oriented_scores_of_sums, sum_score, sign)
    return _pooled(parts, np.ascontiguousarray(by_group.transpose(1, 2, 0)), function)


Matrices = Ints
"""Confusion counts (K, C, C) of K systems: rows gold, columns predicted."""

Totals = Ints
"""Items by class, (K, C)."""

TOLERANCE = 1e-9
"""Differences of scores up to this count as none."""


def compositions(total: int, parts: int) -> Totals:
    """Every way to distribute `total` items over `parts` places, (K, parts), in lexicographic order.

    >>> compositions(2, 2).tolist()
    [[0, 2], [1, 1], [2, 0]]
    """
    # Stars and bars: the positions of the bars among the stars.
    bar_positions = itertools.combinations(range(total + parts - 1), parts - 1)
    ways = math.comb(total + parts - 1, parts - 1)
    bars = np.fromiter(itertools.chain.from_iterable(bar_positions), np.int64, ways * (parts - 1))
    edges = np.pad(bars.reshape(ways, parts - 1), ((0, 0), (1, 1)), constant_values=((0, 0), (-1, total + parts - 1)))
    return np.diff(edges, axis=1) - 1


def all_systems(classes: int, items: Iterable[int]) -> Matrices:
    """Every confusion matrix with these numbers of items, (K, C, C)."""
    return np.concatenate([compositions(total, classes**2).reshape(-1, classes, classes) for total in items])


def with_all_in_gold(systems: Matrices) -> Matrices:
    """The systems of (K, C, C) in whose gold every class occurs."""
    return np.asarray(systems[(systems.sum(axis=-1) > 0).all(axis=-1)])


def nearly_regular_systems(classes: int) -> Matrices:
    """Every system of an item of each class and one more, of which all but two predictions are right, or all of one
    class, (K, C, C), in lexicographic order.

    >>> nearly_regular_systems(4).shape
    (1340, 4, 4)
    """
    codes, size = np.arange(classes), classes + 1
    golds = np.concatenate([np.tile(codes, (classes, 1)), codes[:, np.newaxis]], axis=1)
    bases = np.stack([golds, *(np.full_like(golds, code) for code in codes)], axis=1)
    one, other = np.triu_indices(size, 1)
    shape = classes, size, len(one), classes, classes, size
    predicted = np.broadcast_to(bases[:, :, np.newaxis, np.newaxis, np.newaxis], shape).copy()
    predicted[:, :, np.arange(len(one)), :, :, one] = codes[:, np.newaxis]
    predicted[:, :, np.arange(len(one)), :, :, other] = codes
    cells = (golds[:, np.newaxis, np.newaxis, np.newaxis, np.newaxis] * classes + predicted).reshape(-1, size)
    starts = np.arange(len(cells))[:, np.newaxis] * classes**2
    counts = np.bincount((cells + starts).ravel(), minlength=len(cells) * classes**2).reshape(-1, classes, classes)
    return np.asarray(counts[np.unique(as_bytes(counts), return_index=True)[1]])


def move_items(systems: Matrices, golds: Integers, old: Integers | int, new: int) -> Matrices:
    """The systems with one item moved from prediction `old` to `new`; golds: the gold class of the item, (K,)."""
    after = systems.copy()
    rows = np.arange(len(systems))
    after[rows, golds, old] -= 1
    after[rows, golds, new] += 1
    return after


def errors(classes: int) -> Iterator[tuple[int, int]]:
    """Pairs of a gold class and another class, which is predicted."""
    return ((gold, old) for gold in range(classes) for old in range(classes) if old != gold)


def steps_nearer(classes: int) -> Iterator[tuple[int, int, int]]:
    """Gold class, a wrong one, and one between the two.

    >>> list(steps_nearer(3))
    [(0, 2, 1), (2, 0, 1)]
    """
    for gold, old in errors(classes):
        for new in range(min(gold, old) + 1, max(gold, old)):
            yield gold, old, new


def as_bytes(matrices: Matrices) -> NDArray[np.void]:
    """Each matrix as one value, (K,), in whose order matrices are lexicographic."""
    # As big-endian bytes, counts compare like numbers, and a matrix is sorted as one value.
    bytewise = np.ascontiguousarray(matrices.reshape(len(matrices), -1).astype(">u4"))
    return bytewise.view(np.dtype((np.void, bytewise.shape[1] * bytewise.itemsize))).ravel()
