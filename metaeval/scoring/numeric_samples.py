"""Samples of items for which systems predicted numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from metaeval.measures.spec import Measure
from metaeval.model.labels import NumericRuns
from metaeval.model.scores import ScoreCube
from metaeval.stats.resample import TRIALS_A_BLOCK, Draws


@dataclass(frozen=True)
class NumericSamples:
    """Numeric predictions that any sample of the items can be scored of: `scoring.resamples.Samples`.

    Rows are items, sorted by gold class.
    """

    runs: NumericRuns
    measures: tuple[Measure, ...]
    in_memory: ClassVar[bool] = True

    @cached_property
    def _order(self) -> NDArray[np.intp]:
        return np.argsort(self.runs.gold, kind="stable")

    @property
    def multiplicities(self) -> NDArray[np.integer]:
        """Each item stands for itself, (N,)."""
        return np.ones(len(self.runs.items), dtype=np.intp)

    @property
    def classes(self) -> list[slice]:
        """The rows of each gold class that has any."""
        boundaries = np.searchsorted(self.runs.gold[self._order], np.arange(len(self.runs.scale) + 1))
        return [slice(begin, end) for begin, end in pairwise(boundaries.tolist()) if end > begin]

    @property
    def bytes_a_trial(self) -> int:
        """Draws of both halves, and what measures make of the counts of one system at a time."""
        numbers = max((len(cells.distinct) for cells in self._cells), default=0)
        return 32 * len(self.runs.items) + 64 * len(self.runs.scale) * numbers

    @property
    def trials_a_block(self) -> int:
        return TRIALS_A_BLOCK

    @cached_property
    def _cells(self) -> list[_Cells]:
        gold = self.runs.gold[self._order].astype(np.intp)
        return [_Cells.of(gold, numbers[self._order], classes=len(self.runs.scale)) for numbers in self.runs.predicted]

    def score_samples(self, draws: Draws) -> ScoreCube:
        """Scores of samples, axes ('replicate',)."""
        return self._cube(self._scored(draws), ("replicate",))

    def score_halves(self, first: Draws, second: Draws | None) -> ScoreCube:
        """Scores of both halves of trials, axes ('trial', 'half')."""
        other = 1 - first if second is None else second
        return self._cube(np.stack([self._scored(first), self._scored(other)], axis=1), ("trial", "half"))

    def _scored(self, draws: Draws) -> NDArray[np.float64]:
        """(T, M, S)."""
        values = np.empty((len(draws), len(self.measures), len(self.runs.systems)))
        gold_values = self.runs.scale.class_values()
        for system, cells in enumerate(self._cells):
            counts = cells.counts(draws)
            for position, measure in enumerate(self.measures):
                values[:, position, system] = measure.of_numbers(counts, gold_values, cells.distinct)
        return values

    def _cube(self, values: NDArray[np.float64], axes: Sequence[str]) -> ScoreCube:
        names, directions = zip(*((str(measure), measure.better) for measure in self.measures), strict=True)
        return ScoreCube(values, tuple(axes), names, self.runs.systems, directions)


@dataclass(frozen=True)
class _Cells:
    """The items of a system by gold class and number.

    rows: those of a cell together. starts: where each cell begins in them. places: of these cells in a matrix (C, U).
    distinct: the numbers, rising, (U,). classes: C.
    """

    rows: NDArray[np.intp]
    starts: NDArray[np.intp]
    places: NDArray[np.intp]
    distinct: NDArray[np.float64]
    classes: int

    @classmethod
    def of(cls, gold: NDArray[np.intp], numbers: NDArray[np.float64], *, classes: int) -> _Cells:
        distinct, place = np.unique(numbers, return_inverse=True)
        cells = gold * len(distinct) + place
        rows = np.argsort(cells, kind="stable")
        places, starts = np.unique(cells[rows], return_index=True)
        return cls(rows, starts, places, distinct, classes)

    def counts(self, draws: Draws) -> NDArray[np.float64]:
        """How often each number was predicted for an item of each gold class in each sample, (T, C, U)."""
        counts = np.zeros((len(draws), self.classes * len(self.distinct)))
        counts[:, self.places] = np.add.reduceat(draws[:, self.rows], self.starts, axis=1)
        return counts.reshape(len(draws), self.classes, len(self.distinct))
