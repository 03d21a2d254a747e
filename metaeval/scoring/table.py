"""Scores that are means over items, from any source: of all items, and of samples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from metaeval.errors import InputError
from metaeval.model.scores import ItemScores, ScoreCube
from metaeval.stats.resample import TRIALS_A_BLOCK, Draws

_SAFE_EXPONENT = 960

_EXACT_BITS = 53
"""Whole numbers up to 2 to this power are exact in double precision."""


@dataclass(frozen=True)
class ItemSamples:
    """Item scores that can be averaged over any sample of the items: `scoring.resamples.Samples`.

    Sums are exact, so that systems with the same scores tie in every sample, in any order of addition: scores are
    first rounded to a grid so fine that a mean moves by less than 10⁻⁹ of the measure's largest score for up to 10⁶
    items.
    """

    scores: ItemScores
    in_memory: ClassVar[bool] = True

    @property
    def multiplicities(self) -> NDArray[np.integer]:
        """Each item stands for itself, (N,)."""
        return np.ones(len(self.scores.items), dtype=np.intp)

    @property
    def classes(self) -> Sequence[slice]:
        """There are none."""
        raise InputError.at(
            found="halves that keep the share of every gold class, of items without gold classes",
            expected="data with labels",
            hint="leave --stratified out",
        )

    @property
    def bytes_a_trial(self) -> int:
        """Draws of both halves, as whole numbers and as weights; and their means."""
        measures, systems, items = self.scores.values.shape
        return int(32 * items + 32 * measures * systems)

    @property
    def trials_a_block(self) -> int:
        return TRIALS_A_BLOCK

    @cached_property
    def _columns(self) -> NDArray[np.float64]:
        """A row an item, a column a measure and system, on the grid; (N, M * S)."""
        values = self.scores.values
        # Each measure has a grid of its own: no measure may depend on which others stand beside it.
        largest = np.nanmax(np.abs(values), axis=(1, 2), initial=0.0, keepdims=True)
        bits = np.frexp(largest)[1] + len(self.scores.items).bit_length() - _EXACT_BITS
        step = np.ldexp(1.0, np.maximum(bits, np.finfo(np.float64).minexp))
        on_grid = np.rint(values / step) * step
        return np.ascontiguousarray((on_grid / self._headroom).reshape(-1, len(self.scores.items)).T)

    @cached_property
    def _headroom(self) -> NDArray[np.float64]:
        """A power of 2 by which scores near the end of the range of numbers are divided before they are summed."""
        exponents = np.frexp(np.nanmax(np.abs(self.scores.values), axis=(1, 2), initial=0.0, keepdims=True))[1]
        return np.where(exponents > _SAFE_EXPONENT, 2.0 ** len(self.scores.items).bit_length(), 1.0)

    def score_samples(self, draws: Draws) -> ScoreCube:
        """Means of samples, axes ('replicate',)."""
        return self._cube(self._means(draws), ("replicate",))

    def score_halves(self, first: Draws, second: Draws | None) -> ScoreCube:
        """Means of both halves of trials, axes ('trial', 'half')."""
        other = 1 - first if second is None else second
        return self._cube(np.stack([self._means(first), self._means(other)], axis=1), ("trial", "half"))

    def _means(self, draws: Draws) -> NDArray[np.float64]:
        sizes = draws.sum(axis=1, dtype=np.float64)
        headroom = np.repeat(self._headroom.ravel(), len(self.scores.systems))
        return np.asarray(draws.astype(np.float64) @ self._columns / sizes[:, np.newaxis] * headroom)

    def _cube(self, means: NDArray[np.float64], axes: tuple[str, ...]) -> ScoreCube:
        scores = self.scores
        values = means.reshape(*means.shape[:-1], len(scores.measures), len(scores.systems))
        return ScoreCube(values, axes, scores.measures, scores.systems, scores.directions)
