"""Samples of single items: means of their scores, which may come from any source."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from metaeval.arrays import Floats, Integers
from metaeval.errors import refuse, setting
from metaeval.grid import round_to_grid
from metaeval.model.scores import ItemScores, ScoreCube
from metaeval.stats.ratio import divide

_SAFE_EXPONENT = 960

_EXACT_BITS = 53
"""Whole numbers up to 2 to this power are exact in double precision."""


class SingleItems(ABC):
    """Samples whose rows are single items in memory: `scoring.resamples.Samples`."""

    @property
    @abstractmethod
    def items(self) -> int:
        """Number of items, N."""

    @abstractmethod
    def _score(self, draws: Integers) -> Floats:
        """Scores of samples, (T, ...)."""

    @abstractmethod
    def _cube(self, values: Floats, axes: tuple[str, ...]) -> ScoreCube:
        """Scores with names."""

    @property
    def multiplicities(self) -> Integers:
        """Each row is one item, (N,)."""
        return np.ones(self.items, dtype=np.intp)

    def rows_of_items(self, draws: Integers) -> Integers:
        """See `Samples`."""
        return draws

    def score_samples(self, draws: Integers) -> ScoreCube:
        """Scores of samples, axes ('replicate',)."""
        return self._cube(self._score(draws), ("replicate",))

    def score_halves(self, first: Integers, second: Integers | None) -> ScoreCube:
        """Scores of both halves of trials, axes ('trial', 'half')."""
        other = 1 - first if second is None else second
        return self._cube(np.stack([self._score(first), self._score(other)], axis=1), ("trial", "half"))


@dataclass(frozen=True)
class ItemSamples(SingleItems):
    """Samples of item scores, of which the mean is computed.

    Sums are exact, so that systems with the same scores tie in every sample, in any order of addition: scores are
    first rounded to a grid so fine that a mean moves by less than 10⁻⁹ of the measure's largest score for up to 10⁶
    items.
    """

    scores: ItemScores

    @property
    def items(self) -> int:
        """See `SingleItems`."""
        return len(self.scores.items)

    @property
    def classes(self) -> Sequence[slice]:
        """An `InputError`: there are no gold classes."""
        found = "stratified halves of items without gold classes"
        raise refuse(None, found, "data with labels", f"leave out {setting('stratified')}")

    @property
    def bytes_a_trial(self) -> int:
        """Bytes of the draws of both halves, as whole numbers and as weights, and of their means."""
        measures, systems, items = self.scores.values.shape
        return int(32 * items + 32 * (measures + len(self.scores.statistics)) * systems)

    @cached_property
    def _rows(self) -> Floats:
        """Scores, and statistics of measures of sums, (M + R, S, N)."""
        return self.scores.rows[1] if self.scores.sums else self.scores.values

    @cached_property
    def _columns(self) -> Floats:
        """A row per item, a column per measure or statistic and system, on the grid; (N, (M + R) * S)."""
        values = self._rows
        # Each measure has its own grid: its scores must not depend on the other measures.
        largest = np.nanmax(np.abs(values), axis=(1, 2), initial=0.0, keepdims=True)
        bits = np.frexp(largest)[1] + self.items.bit_length() - _EXACT_BITS
        step = np.ldexp(1.0, np.maximum(bits, np.finfo(np.float64).minexp))
        on_grid = np.rint(np.nan_to_num(values) / step) * step if self.scores.gaps else np.rint(values / step) * step
        return np.ascontiguousarray((on_grid / self._headroom).reshape(-1, self.items).T)

    @cached_property
    def _headroom(self) -> Floats:
        """A power of 2 by which scores near the largest floating-point number are divided before they are summed."""
        exponents = np.frexp(np.nanmax(np.abs(self._rows), axis=(1, 2), initial=0.0, keepdims=True))[1]
        return np.where(exponents > _SAFE_EXPONENT, 2.0 ** self.items.bit_length(), 1.0)

    @cached_property
    def _present(self) -> Floats:
        """1 where a score is not missing, (N, M * S)."""
        return np.ascontiguousarray(~np.isnan(self.scores.values).reshape(-1, self.items).T, dtype=np.float64)

    def _score(self, draws: Integers) -> Floats:
        scores, weights = self.scores, draws.astype(np.float64)
        sizes = weights @ self._present if scores.gaps else draws.sum(axis=1, dtype=np.float64)[:, np.newaxis]
        headroom = np.repeat(self._headroom.ravel(), len(scores.systems))
        totals = weights @ self._columns
        means = divide(totals[:, : len(scores.measures) * len(scores.systems)], sizes)
        means = (means * headroom[: means.shape[1]]).reshape(len(draws), len(scores.measures), len(scores.systems))
        if scores.sums:
            sums = (totals * headroom)[:, scores.values[..., 0].size :].reshape(len(draws), -1, len(scores.systems))
            for sum_score in scores.sums:
                means[:, sum_score.index] = sum_score.from_sums(np.moveaxis(sums, 1, 0))
        return means

    def _cube(self, means: Floats, axes: tuple[str, ...]) -> ScoreCube:
        scores = self.scores
        if len(scores.items) > 1:
            means = round_to_grid(means, scores.units[:, np.newaxis])
        return ScoreCube(means, axes, scores.measures, scores.systems, scores.directions)
