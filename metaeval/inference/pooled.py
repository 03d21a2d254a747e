"""Parts of pairs of systems under a measure that is a function of sums over the items, such as confusion counts.

Group g adds ρ ∇f(m) (a_g − b_g) to the difference f(a) − f(b) of two systems with sums a and b, where m is the middle
of a and b, and ρ is such that the parts add up to the difference. A jackknife of each system by itself has no variance
where a system never finds a rare class, so that differences from it seem certain; in the middle of both systems there
is one, as in a score test.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import KW_ONLY, dataclass, replace
from functools import cached_property

import numpy as np

from metaeval.arrays import Array, Bools, Floats, Indices, Integers
from metaeval.inference.clusters import CELLS_AT_ONCE
from metaeval.inference.parts import CELLS_IN_CACHE, PairParts, Parts
from metaeval.steps import steps

MOST_CELLS = 1 << 28
"""Most sums that gradients may need; with more, as of many classes, systems keep their own parts."""

_STEP = 1e-4
"""Step of the gradients, relative to the size of the sums."""

_ROUNDING = 1e-11
"""Parts of less, relative to the largest product of a gradient and a sum, are rounding of their difference."""

_MOST_BENT = 4.0
"""Largest ρ, and 1 / ρ; beyond, the rest of the difference is shared by all items."""


def can_be_pooled(systems: int, sums: int) -> bool:
    """Whether gradients at the middle of each two systems, with so many sums each, can be computed."""
    return systems * (systems - 1) * sums**2 <= MOST_CELLS


@dataclass(frozen=True)
class PooledParts(PairParts):
    """Parts of pairs at the middle of their sums; `parts` are the jackknife parts of systems by themselves.

    sums: sums of the statistics over the items of each group, (G, S, K). function: from sums (..., K) to oriented
    scores (...).
    """

    _: KW_ONLY
    sums: Array
    function: Callable[[Floats], Floats]

    @property
    def of_single_systems(self) -> Parts:
        """See `Parts`."""
        return Parts(self.scores, self.parts, self.sizes, self.unit, jackknife=self.jackknife, runs=self.runs)

    def select(self, systems: Integers | Bools) -> PooledParts:
        """The parts of some systems."""
        return replace(self, **self.selected(systems), sums=self.sums[:, systems])

    def blocks(self, one: Indices, other: Indices) -> Iterator[tuple[slice, Floats, Floats]]:
        """See `PairParts`."""
        first, second = np.minimum(one, other), np.maximum(one, other)
        rows = first * (2 * len(self.scores) - first - 3) // 2 + second - 1
        step = max(1, CELLS_AT_ONCE // len(self.sizes))
        for begin in range(0, len(one), step):
            block = slice(begin, begin + step)
            parts = self._of_pairs(rows[block]) if self._every is None else self._every[rows[block]]
            parts *= np.where(one[block] < other[block], 1.0, -1.0)[:, np.newaxis]
            yield block, parts.T, np.broadcast_to(self.sizes[:, np.newaxis], parts.T.shape)

    @cached_property
    def _every(self) -> Floats | None:
        """The parts of all pairs, as in `numpy.triu_indices`, (P, G); None where they are too many to keep."""
        pairs = len(self.scores) * (len(self.scores) - 1) // 2
        return self._of_pairs(np.arange(pairs)) if pairs * len(self.sizes) <= CELLS_AT_ONCE else None

    def _of_pairs(self, rows: Indices) -> Floats:
        """The parts of the pairs in some rows of `numpy.triu_indices`, (P, G)."""
        one, other = (each[rows] for each in np.triu_indices(len(self.scores), k=1))
        slopes, rest = (each[rows] for each in self._lines)
        parts = np.zeros((len(rows), len(self.sizes)))
        # One product for all pairs of a system.
        for system in np.unique([one, other]).tolist():
            first, second = np.flatnonzero(one == system), np.flatnonzero(other == system)
            added = slopes[np.append(first, second)] @ self.sums[:, system].T.astype(np.float64)
            parts[first] += added[: len(first)]
            parts[second] -= added[len(first) :]
        # Without a gradient, or without variation in its direction, systems keep their own parts.
        rounding = _ROUNDING * np.abs(slopes).max(axis=1) * np.abs(self.sums).max()
        single = ~(np.abs(parts).max(axis=1) > rounding) | ~np.isfinite(rest)
        parts += self.sizes / self.items * rest[:, np.newaxis]
        parts[single] = (self.parts[:, one[single]] - self.parts[:, other[single]]).T
        return parts

    @cached_property
    def _lines(self) -> tuple[Floats, Floats]:
        """Of all pairs, as in `numpy.triu_indices`: the scaled gradients, (P, K), and what they leave, (P,)."""
        one, other = np.triu_indices(len(self.scores), k=1)
        whole, size = self.sums.sum(axis=0).astype(np.float64), np.abs(self.sums).sum(axis=0).astype(np.float64)
        slopes = self._gradients((whole[one] + whole[other]) / 2, (size[one] + size[other]) / 2)
        along = (slopes * (whole[one] - whole[other])).sum(axis=-1)
        difference = self.items * (self.scores[one] - self.scores[other])
        with np.errstate(divide="ignore", invalid="ignore"):
            bend = np.where(along * difference > 0, difference / along, 0.0)
        bend = np.clip(bend, 1 / _MOST_BENT, _MOST_BENT)
        return slopes * bend[:, np.newaxis], difference - along * bend

    def _gradients(self, middle: Floats, size: Floats) -> Floats:
        """Items times the gradient of the function at sums (P, K), of such sizes; 0 by sums that are empty."""
        gradients = np.empty_like(middle)
        unit = np.eye(middle.shape[1])
        step = max(1, CELLS_IN_CACHE // unit.size)
        for begin in steps(range(0, len(middle), step), "Gradients of the measure"):
            block = slice(begin, begin + step)
            move = _STEP * size[block, :, np.newaxis] * unit
            above, below = (self.function(middle[block, np.newaxis] + sign * move) for sign in (1, -1))
            width = 2 * _STEP * size[block] / self.items
            gradients[block] = np.where(width > 0, (above - below) / np.where(width > 0, width, 1.0), 0.0)
        return gradients
