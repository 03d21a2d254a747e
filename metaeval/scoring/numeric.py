"""Scores of numeric predictions against ordered gold classes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from metaeval.arrays import Floats, Indices, Integers, Ints
from metaeval.errors import invalid, one_of, refuse, setting
from metaeval.grid import round_to_grid
from metaeval.inference.clusters import deal_groups
from metaeval.inference.parts import Parts
from metaeval.measures.spec import NUMERIC_FORMS, Measure
from metaeval.model.runs import Codes, NumericRuns
from metaeval.model.scores import ScoreCube
from metaeval.scoring.confusion import MOST_CELLS
from metaeval.scoring.resamples import BLOCK_MEMORY
from metaeval.scoring.table import SingleItems
from metaeval.stats.resample import trials_per_block


def score_numbers(runs: NumericRuns, measures: Sequence[Measure]) -> ScoreCube:
    """Scores of every system under every measure, in O(N log N) per system.

    Parameters
    ----------
    runs
        Numbers of S systems.
    measures
        M measures.

    Returns
    -------
    ScoreCube
        Values (M, S).

    Raises
    ------
    InputError
        If a measure is not defined for numeric predictions.
    """
    for measure in measures:
        check_reads_numbers(measure)
        measure.check(runs.scale)
    gold_values = runs.scale.class_values()
    values = np.empty((len(measures), len(runs.systems)), dtype=np.float64)
    for system, numbers in enumerate(runs.predicted):
        _check_cells(runs, numbers)
        counts, distinct = count_numbers(runs.gold, numbers, classes=len(runs.scale))
        for position, measure in enumerate(measures):
            score = measure.of_numbers(counts, gold_values, distinct)
            values[position, system] = round_to_grid(score, measure.unit(runs.scale))
    names = tuple(str(measure) for measure in measures)
    return ScoreCube(values, (), names, runs.systems, tuple(measure.better for measure in measures))


def _check_cells(runs: NumericRuns, numbers: Floats) -> None:
    """Refuse so many different numbers of gold and of a system that their counts would not fit in memory."""
    different = len(np.unique(numbers))
    if len(runs.scale) * different > MOST_CELLS:
        found = f"{len(runs.scale):,} different numbers in gold and {different:,} of a system"
        raise refuse(None, found, f"at most {MOST_CELLS:,} combinations", "round the numbers of gold")


def count_numbers(gold: Codes, numbers: Floats, *, classes: int) -> tuple[Ints, Floats]:
    """How often each distinct number was predicted for an item of each gold class, (C, U), and these numbers, rising.

    gold: class codes, (N,). numbers: predictions of a system, (N,).

    >>> count_numbers(np.array([0, 1, 1]), np.array([.5, .2, .5]), classes=2)
    (array([[0, 1],
           [1, 1]]), array([0.2, 0.5]))
    """
    distinct, index = np.unique(numbers, return_inverse=True)
    cells = np.bincount(gold.astype(np.intp) * len(distinct) + index, minlength=classes * len(distinct))
    return cells.reshape(classes, len(distinct)), distinct


def check_reads_numbers(measure: Measure) -> None:
    """Raise an `InputError` where a measure is not defined for numeric predictions."""
    if not measure.reads_numbers:
        where = f" with {setting('task', 'scores')}, where systems predict numbers"
        raise refuse(None, invalid("measure", str(measure), one_of(list(NUMERIC_FORMS)), where))


@dataclass(frozen=True)
class NumericSamples(SingleItems):
    """Samples of numeric predictions; rows are items, sorted by gold class."""

    runs: NumericRuns
    measures: tuple[Measure, ...]

    @property
    def items(self) -> int:
        """See `SingleItems`."""
        return len(self.runs.items)

    @cached_property
    def _order(self) -> Indices:
        return np.argsort(self.runs.gold, kind="stable")

    @property
    def classes(self) -> list[slice]:
        """The rows of each gold class that has any."""
        boundaries = np.searchsorted(self.runs.gold[self._order], np.arange(len(self.runs.scale) + 1))
        return [slice(begin, end) for begin, end in pairwise(boundaries.tolist()) if end > begin]

    @property
    def bytes_a_trial(self) -> int:
        """Bytes of the draws of both halves, and of the counts of one system at a time."""
        numbers = max((len(cells.distinct) for cells in self._cells), default=0)
        return 32 * self.items + 64 * len(self.runs.scale) * numbers

    @cached_property
    def _cells(self) -> list[_Cells]:
        gold = self.runs.gold[self._order].astype(np.intp)
        return [_Cells.of(gold, numbers[self._order], classes=len(self.runs.scale)) for numbers in self.runs.predicted]

    def rows_of_items(self, draws: Integers) -> Integers:
        """See `Samples`."""
        return draws[:, self._order]

    def _score(self, draws: Integers) -> Floats:
        values = np.empty((len(draws), len(self.measures), len(self.runs.systems)))
        gold_values = self.runs.scale.class_values()
        for system, cells in enumerate(self._cells):
            counts = cells.counts(draws)
            for position, measure in enumerate(self.measures):
                scores = measure.of_numbers(counts, gold_values, cells.distinct)
                values[:, position, system] = round_to_grid(scores, measure.unit(self.runs.scale))
        return values

    def _cube(self, values: Floats, axes: tuple[str, ...]) -> ScoreCube:
        names, directions = zip(*((str(measure), measure.better) for measure in self.measures), strict=True)
        return ScoreCube(values, axes, names, self.runs.systems, directions)


def numeric_parts(
    runs: NumericRuns,
    measures: Sequence[Measure],
    groups: Indices | None,
    random: np.random.Generator | None = None,
) -> list[Parts]:
    """Jackknife parts of each measure in groups of items, (N,), from 0; None for random groups of a generator."""
    if groups is None:
        assert random is not None
        groups = deal_groups(np.ones(len(runs.items), dtype=np.int64), random)
    samples, sizes = NumericSamples(runs, tuple(measures)), np.bincount(groups)

    def without(numbers: Indices) -> Floats:
        draws = samples.rows_of_items((groups != numbers[:, np.newaxis]).astype(np.intp))
        return samples.score_samples(draws).oriented().values

    step = trials_per_block(samples.bytes_a_trial, memory=BLOCK_MEMORY)
    blocks = [without(np.arange(begin, min(begin + step, len(sizes)))) for begin in range(0, len(sizes), step)]
    # The scores of all items are computed as the others are, so that rounding errors are the same.
    whole, scores = without(np.array([-1]))[0], np.concatenate(blocks)
    return [Parts.from_jackknife(system_scores, scores[:, index], sizes) for index, system_scores in enumerate(whole)]


@dataclass(frozen=True)
class _Cells:
    """The items of a system by gold class and number.

    rows: the items, sorted by cell. starts: where each cell begins in them. indices: indices of the cells in a matrix
    (C, U). distinct: the numbers, rising, (U,). classes: C.
    """

    rows: Indices
    starts: Indices
    indices: Indices
    distinct: Floats
    classes: int

    @classmethod
    def of(cls, gold: Indices, numbers: Floats, *, classes: int) -> _Cells:
        distinct, index = np.unique(numbers, return_inverse=True)
        cells = gold * len(distinct) + index
        rows = np.argsort(cells, kind="stable")
        indices, starts = np.unique(cells[rows], return_index=True)
        return cls(rows, starts, indices, distinct, classes)

    def counts(self, draws: Integers) -> Floats:
        """How often each number was predicted for an item of each gold class in each sample, (T, C, U)."""
        counts = np.zeros((len(draws), self.classes * len(self.distinct)))
        counts[:, self.indices] = np.add.reduceat(draws[:, self.rows], self.starts, axis=1)
        return counts.reshape(len(draws), self.classes, len(self.distinct))
