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
from typing import Any

import numpy as np

from metaeval.arrays import Bools, Floats, Indices, Integers
from metaeval.inference.clusters import CELLS_AT_ONCE
from metaeval.inference.parts import CELLS_IN_CACHE, PairParts, Parts, Signs
from metaeval.steps import steps

MOST_CELLS = 1 << 28
"""Most sums that gradients may need; with more, as of many classes, systems keep their own parts."""

MOST_SIGNED = 1 << 26
"""Most signed sums that are kept; with more, the parts of the pairs are signed."""

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

    sums: sums of the statistics over the items of each group, (S, K, G), which several measures may share. function:
    from sums (..., K) to oriented scores (...).
    """

    _: KW_ONLY
    sums: Floats
    function: Callable[[Floats], Floats]

    @property
    def without_pairs(self) -> Parts:
        """See `Parts`."""
        return Parts(self.scores, self.parts, self.sizes, self.unit, jackknife=self.jackknife, runs=self.runs)

    def select(self, systems: Integers | Bools) -> PooledParts:
        """The parts of some systems."""
        return replace(self, **self.select_fields(systems), sums=self.sums[systems])

    def blocks(self, one: Indices, other: Indices) -> Iterator[tuple[slice, Floats, Floats]]:
        """See `PairParts`."""
        rows, signs = self._rows(one, other)
        step = max(1, CELLS_AT_ONCE // len(self.sizes))
        for begin in range(0, len(one), step):
            block = slice(begin, begin + step)
            parts = self._pair_parts(rows[block]) if self._every is None else self._every[rows[block]]
            parts *= signs[block, np.newaxis]
            yield block, parts.T, np.broadcast_to(self.sizes[:, np.newaxis], parts.T.shape)

    @property
    def numbers_a_trial(self) -> int:
        """See `Parts`; 0 where the sums would be more than pairs, as of many classes."""
        systems, sums = self.sums.shape[:2]
        return systems * (sums + 1) + 1 if 2 * sums < systems - 1 else 0

    def flips(self, signs: Signs) -> Any:
        """See `Parts`: signed sums of the statistics, (S, K, T), of the sizes, (1, T), and of the single parts, (S, T).

        The signs themselves, where these would be none, or too many numbers.
        """
        if not 0 < self.numbers_a_trial * len(signs) <= MOST_SIGNED:
            return signs
        systems, sums = self.sums.shape[:2]
        columns = [self.sums.reshape(systems * sums, -1).T, self.sizes[:, np.newaxis], self.parts]
        every = signs.sums(np.concatenate(columns, axis=1))
        signed_sums, signed_sizes, single = np.split(every, [systems * sums, systems * sums + 1])
        return signed_sums.reshape(systems, sums, -1), signed_sizes, single

    def signed(self, flips: Any, one: Indices, other: Indices) -> Floats:
        """See `Parts`."""
        if isinstance(flips, Signs):
            return super().signed(flips, one, other)
        rows, signs = self._rows(one, other)
        signed = self._combine(rows, *flips)
        signed *= signs[:, np.newaxis]
        return signed

    def _rows(self, one: Indices, other: Indices) -> tuple[Indices, Floats]:
        """The rows of pairs in `numpy.triu_indices`, and −1 where their order is the other one, else 1."""
        first, second = np.minimum(one, other), np.maximum(one, other)
        rows = first * (2 * len(self.scores) - first - 3) // 2 + second - 1
        return rows, np.where(one < other, 1.0, -1.0)

    @cached_property
    def _every(self) -> Floats | None:
        """The parts of all pairs, as in `numpy.triu_indices`, (P, G); None where they are too many to keep."""
        pairs = len(self.scores) * (len(self.scores) - 1) // 2
        return self._pair_parts(np.arange(pairs)) if pairs * len(self.sizes) <= CELLS_AT_ONCE else None

    def _pair_parts(self, rows: Indices) -> Floats:
        """The parts of the pairs in some rows of `numpy.triu_indices`, (P, G)."""
        return self._combine(rows, self.sums, self.sizes[np.newaxis], self.parts.T)

    def _combine(self, rows: Indices, sums: Floats, sizes: Floats, single: Floats) -> Floats:
        """The parts of pairs, or signed sums of them, (P, X), from sums (S, K, X), sizes (1, X), and single parts."""
        one, other = (indices[rows] for indices in np.triu_indices(len(self.scores), k=1))
        slopes, rest, single_pairs = self._lines
        is_single = single_pairs[rows]
        parts = _products(slopes[rows], one, other, sums)
        parts += sizes / self.items * rest[rows, np.newaxis]
        parts[is_single] = single[one[is_single]] - single[other[is_single]]
        return parts

    @cached_property
    def _lines(self) -> tuple[Floats, Floats, Bools]:
        """Of all pairs, as in `numpy.triu_indices`: scaled gradients, (P, K), what they leave, which are single.

        Without a gradient, or without variation in its direction, systems keep their own parts.
        """
        one, other = np.triu_indices(len(self.scores), k=1)
        whole, least, most = self.sums.sum(axis=-1), self.sums.min(), self.sums.max()
        # Counts need no copy of their absolute values.
        size = whole if least >= 0 else np.abs(self.sums).sum(axis=-1)
        slopes = self._gradients((whole[one] + whole[other]) / 2, (size[one] + size[other]) / 2)
        along = (slopes * (whole[one] - whole[other])).sum(axis=-1)
        difference = self.items * (self.scores[one] - self.scores[other])
        with np.errstate(divide="ignore", invalid="ignore"):
            bend = np.where(along * difference > 0, difference / along, 0.0)
        bend = np.clip(bend, 1 / _MOST_BENT, _MOST_BENT)
        slopes *= bend[:, np.newaxis]
        rest = difference - along * bend
        single = ~np.isfinite(rest)
        # Parts that do not add up to 0 vary; the others have to be looked at.
        rounding = _ROUNDING * np.abs(slopes).max(axis=1) * max(most, -least)
        doubtful = np.flatnonzero(~(np.abs(along * bend) > rounding * len(self.sizes)))
        step = max(1, CELLS_AT_ONCE // len(self.sizes))
        for begin in range(0, len(doubtful), step):
            rows = doubtful[begin : begin + step]
            parts = _products(slopes[rows], one[rows], other[rows], self.sums)
            single[rows] |= ~(np.abs(parts).max(axis=1) > rounding[rows])
        return slopes, rest, single

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


def _products(slopes: Floats, one: Indices, other: Indices, sums: Floats) -> Floats:
    """Products of slopes of pairs, (P, K), with the differences of the sums of their systems, (S, K, X): (P, X)."""
    products = np.zeros((len(one), sums.shape[-1]))
    # One product for all pairs of a system.
    for system in np.unique([one, other]).tolist():
        first, second = np.flatnonzero(one == system), np.flatnonzero(other == system)
        system_products = slopes[np.append(first, second)] @ sums[system]
        products[first] += system_products[: len(first)]
        products[second] -= system_products[len(first) :]
    return products
