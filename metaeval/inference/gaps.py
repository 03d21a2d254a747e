"""Parts of scores with gaps: each two systems are compared on the items for which both have a score.

With presence m and scores x, the part of group g in the difference of systems i and j is N / n_ij · Σ m_i m_j
(x_i − x_j) over its items, where n_ij = Σ m_i m_j; its size is N / n_ij times the number of its items that both have.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from metaeval.arrays import Bools, Floats, Indices, Integers, Ints
from metaeval.errors import pluralize, refuse, setting
from metaeval.grid import round_to_grid
from metaeval.inference.clusters import CELLS_AT_ONCE
from metaeval.inference.parts import PairParts
from metaeval.model.scores import ItemScores

if TYPE_CHECKING:
    from scipy.sparse import csr_array


@dataclass(frozen=True)
class GapParts(PairParts):
    """Scores of systems under a measure that lack some items.

    values: scores of the items, higher better, (S, N); NaN where missing. groups: the group of each item, from 0, (N,).
    grid: largest absolute score, for the grid of means.
    """

    _: KW_ONLY
    values: Floats
    groups: Indices
    grid: float

    @classmethod
    def of(
        cls, values: Floats, scores: Floats, groups: Indices, sizes: Floats, *, unit: float, grid: float
    ) -> GapParts:
        """The parts of scores; scores: the mean of each system over its own items, (S,)."""
        parts = np.where(np.isnan(scores), np.nan, np.zeros((len(sizes), 1)))
        return cls(scores, parts, sizes, unit, values=values, groups=groups, grid=grid)

    @cached_property
    def present(self) -> Bools:
        """Whether a system has a score of an item, (S, N)."""
        return ~np.isnan(self.values)

    @cached_property
    def _sums(self) -> csr_array[Any, tuple[int, int]]:
        """The matrix (G, N) that sums over the items of each group."""
        from scipy.sparse import csr_array

        items = np.arange(len(self.groups))
        return csr_array((np.ones(len(items)), (self.groups, items)), shape=(len(self.sizes), len(items)))

    def select(self, systems: Integers | Bools) -> GapParts:
        """The parts of some systems."""
        return replace(self, **self.select_fields(systems), values=self.values[systems])

    def sums_of_systems(self) -> tuple[Floats, Floats]:
        """Sums of the scores of each system in each group, and the numbers of its items there, (G, S)."""
        sums = self._sums @ np.where(self.present, self.values, 0.0).T
        return sums, self._sums @ self.present.T.astype(np.float64)

    def common(self, one: Indices, other: Indices) -> Ints:
        """Number of items that both systems of each pair have."""
        present = self.present.astype(np.float64)
        return np.rint(present @ present.T).astype(np.int64)[one, other]

    def blocks(self, one: Indices, other: Indices) -> Iterator[tuple[slice, Floats, Floats]]:
        """Blocks of the pairs, with the parts of their differences and the sizes of these, (G, pairs)."""
        items = self.items
        step = max(1, CELLS_AT_ONCE // len(self.groups))
        for begin in range(0, len(one), step):
            block = slice(begin, begin + step)
            both = self.present[one[block]] & self.present[other[block]]
            apart = np.where(both, self.values[one[block]] - self.values[other[block]], 0.0)
            weight = items / both.sum(axis=1)
            yield block, (self._sums @ apart.T) * weight, (self._sums @ both.T.astype(np.float64)) * weight

    def differences(self, one: Indices, other: Indices) -> Floats:
        """See `Parts`: differences of the means over the items that both have, on the grid of scores."""
        means = np.concatenate([np.empty(0), *(parts.sum(axis=0) for _, parts, _ in self.blocks(one, other))])
        return round_to_grid(means / self.items, self.grid)

    def centred(self, one: Indices, other: Indices) -> Floats:
        """Deviations of the parts of the differences from their share of the difference, (G, P)."""
        slopes = self.differences(one, other)
        return np.concatenate(
            [parts - sizes * slopes[block] for block, parts, sizes in self.blocks(one, other)], axis=1
        )

    def check_common(self, measure: str, systems: tuple[str, ...]) -> None:
        """Raise an `InputError` for two systems with scores, but with none in common in two groups of items."""
        defined = np.flatnonzero(self.defined)
        one, other = np.triu_indices(len(defined), k=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            sizes = [(sizes > 0).sum(axis=0) for _, _, sizes in self.blocks(defined[one], defined[other])]
        # A difference in one group alone has no variation.
        apart = np.flatnonzero(np.concatenate([np.empty(0), *sizes]) < 2)
        if len(apart):
            pairs_by_system = np.bincount(np.concatenate([one[apart], other[apart]]), minlength=len(defined))
            worst = int(pairs_by_system.argmax())
            pair = next(index for index in apart.tolist() if worst in (one[index], other[index]))
            first, second = (systems[defined[side[pair]]] for side in (one, other))
            raise refuse(
                None,
                f"{pluralize(len(apart), 'pair')} of systems with fewer than two common items or clusters under "
                f"'{measure}', for example {first} and {second}",
                "items that both systems of a pair have",
                f"leave out systems with few, as with {setting('exclude_systems', systems[defined[worst]])}, or "
                f"choose other measures with {setting('measures')}",
            )


def order_on_common_items(parts: GapParts) -> tuple[Floats, Bools]:
    """Minus the number of systems better on common items, and systems in a circle, which have no rank, (S,)."""
    from scipy.sparse.csgraph import connected_components

    systems = np.flatnonzero(parts.defined)
    one, other = np.triu_indices(len(systems), k=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        differences = parts.differences(systems[one], systems[other])
    better = np.zeros((len(systems), len(systems)), dtype=np.bool_)
    better[one, other], better[other, one] = differences > 0, differences < 0
    heights, cyclic = np.full(len(parts.scores), np.nan), np.zeros(len(parts.scores), dtype=np.bool_)
    heights[systems] = -better.sum(axis=0).astype(np.float64)
    circles = connected_components(better, connection="strong")[1] if len(systems) else np.empty(0, dtype=np.int32)
    cyclic[systems] = np.bincount(circles)[circles] > 1
    return heights, cyclic


def on_common_cells(scores: ItemScores, one: int, other: int) -> ItemScores:
    """The scores of two measures on the cells that both have; the others are missing."""
    pair = scores.values[[one, other]]
    values = np.where(np.isnan(pair).any(axis=0), np.nan, pair)
    return replace(
        scores,
        values=values,
        measures=(scores.measures[one], scores.measures[other]),
        directions=(scores.directions[one], scores.directions[other]),
        declared_units=tuple(scores.units[[one, other]].tolist()),
    )
