"""Confusion counts of samples of more items than memory holds, read chunk by chunk.

A row is all items of one gold class in one chunk. How many items of each row a trial draws is drawn beforehand, as for
patterns; which items these are is drawn when the chunk is read. Together they are an exact draw, not an approximation
like a Poisson bootstrap, and all trials of a block share one pass.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from metaeval.arrays import Integers
from metaeval.model.labels import CodeChunks
from metaeval.scoring.confusion import WeighableRows
from metaeval.stats.resample import draw_items, generator

Counts = NDArray[np.float64]

TRIALS_A_PASS = 512
"""Trials that share one pass over the items: enough for reading to cost little in comparison with counting."""


@dataclass(frozen=True)
class StreamedRows:
    """Items in chunks, prepared for counts of samples like `WeighableRows`, with a row per gold class and chunk.

    systems: S. classes: number of codes of predictions. seed: for which items of a row are drawn; every block of trials
    needs its own.
    """

    chunks: CodeChunks
    systems: int
    classes: int
    seed: np.random.SeedSequence | None = None

    @cached_property
    def _cells(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Gold class and chunk of each row."""
        classes, chunks = np.nonzero(self.chunks.sizes.T)
        return classes, chunks

    @cached_property
    def multiplicities(self) -> NDArray[np.intp]:
        """How many items each row stands for, (U,)."""
        classes, chunks = self._cells
        return self.chunks.sizes[chunks, classes]

    @cached_property
    def boundaries(self) -> NDArray[np.intp]:
        """Where each gold class begins among the rows, (C + 1,)."""
        return np.searchsorted(self._cells[0], np.arange(self.classes + 1))

    @property
    def bytes_a_trial(self) -> int:
        """Bytes of the draws of a trial: of rows as whole numbers, of the items of one chunk as bytes."""
        return 32 * len(self.multiplicities) + 8 * int(self.chunks.sizes.sum(axis=1).max(initial=0))

    @property
    def trials_a_block(self) -> int:
        """Maximum number of trials that share one pass."""
        return TRIALS_A_PASS

    def counts_of_subsets(self, draws: Integers) -> Counts:
        """Counts (T, S, C, C) of samples without replacement; draws: how many from each row, (T, U)."""
        return self._counts(lambda random, items, rows: [draw_items(random, items, draws[:, rows])])[0]

    def counts_of_halves(self, first: Integers, second: Integers | None) -> tuple[Counts, Counts]:
        """Counts (T, S, C, C) of two samples that share no item; second: None for all items outside the first."""

        def draw(random: np.random.Generator, items: int, row: int) -> list[Integers]:
            if second is None:
                return [draw_items(random, items, first[:, row]), np.ones((1, items), dtype=np.uint8)]
            both = draw_items(random, items, first[:, row].astype(np.int64) + second[:, row])
            return [draw_items(random, items, first[:, row], within=both), both]

        of_first, of_both = self._counts(draw)
        return of_first, of_both - of_first

    def _counts(self, draw: Callable[[np.random.Generator, int, int], Sequence[Integers]]) -> list[Counts]:
        """Counts of samples of all chunks; draw: how often each item of a row is in each sample, (T, n)."""
        if self.seed is None:
            raise ValueError("samples of streamed items without a seed")
        totals: list[Counts] = []
        for chunk, rows in enumerate(self._rows_of_chunks()):
            random = generator(np.random.SeedSequence(self.seed.entropy, spawn_key=(*self.seed.spawn_key, chunk)))
            drawn = [draw(random, int(self.multiplicities[row]), row) for row in rows]
            counted = self._weighable(chunk)
            of_chunk = [counted.counts_of_rows(np.concatenate(weights, axis=1)) for weights in zip(*drawn, strict=True)]
            totals = of_chunk if not totals else [sum_ + more for sum_, more in zip(totals, of_chunk, strict=True)]
        return totals

    def _rows_of_chunks(self) -> Iterator[list[int]]:
        """The rows of each chunk, by gold class."""
        by_chunk = np.argsort(self._cells[1], kind="stable")
        ends = np.searchsorted(self._cells[1][by_chunk], np.arange(len(self.chunks.sizes)), side="right")
        for rows in np.split(by_chunk, ends[:-1]):
            yield rows.tolist()

    def _weighable(self, chunk: int) -> WeighableRows:
        sizes = np.zeros(self.classes, dtype=np.intp)
        sizes[: self.chunks.sizes.shape[1]] = self.chunks.sizes[chunk]
        boundaries = np.concatenate([[0], np.cumsum(sizes)])
        ones = np.ones(int(boundaries[-1]), dtype=np.intp)
        return WeighableRows(ones, boundaries, self.chunks.predicted(chunk), self.classes)
