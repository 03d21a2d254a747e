"""Effects of systems, of items and of single cells on a statistic, and intervals and tests from their variances.

The effect of a system is what the statistic gains by it: for a mean, what its scores add to the mean. It is the
difference from the value without the system, by the jackknife. Over other systems a statistic varies as the sum of
their effects with random signs, over other items as that of the items. Errors of single cells (a system's score of an
item) are in both, so that the variance over both is that of items, and what that of systems exceeds the one of cells
(Cameron, Gelbach & Miller 2011). Degrees of freedom are those of Satterthwaite (1946).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from metaeval.arrays import Indices, Integers, Scores
from metaeval.stats.intervals import interval_of_z, largest_below_one
from metaeval.stats.ratio import divide, effective_number

Statistic: TypeAlias = Callable[[Integers, Integers], Scores]
"""From the multiplicities of systems, (R, S), and items, (R, N), to K values, (R, ...)."""

GROUPS = 128
"""Maximum number of groups that items are dealt to: each of them is left out once."""

BLOCKS = 12
"""Maximum number of groups of systems, and of items, whose blocks show the errors of cells."""

NEGLIGIBLE = 1e-12
"""Standard error up to which all effects are 0 but for rounding errors."""


@dataclass(frozen=True)
class Effects:
    """Values of K statistics, (K,), and effects of systems, (S, K), of groups of items, (G, K), and cells, (A, B, K).

    units: effective number of the groups of items. Cells are less the effects of their systems and items.
    """

    values: Scores
    systems: Scores
    items: Scores
    cells: Scores
    units: float

    @property
    def arrays(self) -> tuple[Scores, Scores, Scores, Scores]:
        """All arrays, whose last axis is that of the statistics."""
        return self.values, self.systems, self.items, self.cells

    def differences(self) -> Effects:
        """Effects on the differences of all pairs of the statistics, those of `numpy.triu_indices(K, 1)`."""
        one, other = np.triu_indices(len(self.values), 1)
        values, systems, items, cells = (array[..., one] - array[..., other] for array in self.arrays)
        return Effects(values, systems, items, cells, self.units)

    @staticmethod
    def concatenate(parts: Sequence[Effects]) -> Effects:
        """Effects on the statistics of several, with the same groups."""
        arrays = zip(*(part.arrays for part in parts), strict=True)
        values, systems, items, cells = (np.concatenate(pieces, axis=-1) for pieces in arrays)
        return Effects(values, systems, items, cells, parts[0].units)

    @staticmethod
    def from_parts(values: Scores, systems: Scores, items: Scores, cells: Scores, groups: Indices) -> Effects:
        """Effects from those of single items, (N, K), and of cells, (S, N, K); groups: those of the items, (N,)."""
        rows, columns = np.arange(len(cells)) % BLOCKS, groups % BLOCKS
        blocks = _sums(_sums(cells, rows).swapaxes(0, 1), columns).swapaxes(0, 1)
        blocks = _centred(_centred(blocks, _without_each(rows)), _without_each(columns), axis=1)
        return Effects(values, systems, _sums(items, groups), blocks, effective_number(np.bincount(groups)))


def jackknife(statistic: Statistic, systems: int, items: int, clusters: Indices | None = None) -> Effects:
    """Effects on a statistic, of which each system and each group of items are left out in turn.

    clusters: codes of clusters of items, (N,), which are left out whole; each item is one by default. More than
    `GROUPS` are dealt to as many groups. Where the value without a system or a group is undefined, it has no effect.
    """
    groups = (np.arange(items) if clusters is None else clusters) % GROUPS
    all_systems, all_items = (np.ones((1, number), dtype=np.intp) for number in (systems, items))
    value = statistic(all_systems, all_items).ravel()

    def losses(system_counts: Integers, item_counts: Integers) -> Scores:
        """What the value loses without each group of systems and of items, times the share that stays, (A, B, K)."""
        rows, columns = len(system_counts), len(item_counts)
        values = statistic(np.repeat(system_counts, columns, axis=0), np.tile(item_counts, (rows, 1)))
        share = np.outer(system_counts.mean(axis=1), item_counts.mean(axis=1))[..., np.newaxis]
        return np.asarray(np.nan_to_num(share * (value - values.reshape(rows, columns, -1))))

    rows, columns = _without_each(np.arange(systems) % BLOCKS), _without_each(groups % BLOCKS)
    cells = losses(rows, all_items) + losses(all_systems, columns) - losses(rows, columns)
    for axis, multiplicities in enumerate((rows, columns)):
        cells = _centred(cells, multiplicities, axis=axis)
    without_system, without_group = _without_each(np.arange(systems)), _without_each(groups)
    return Effects(
        value,
        _centred(losses(without_system, all_items)[:, 0], without_system),
        _centred(losses(all_systems, without_group)[0], without_group),
        cells,
        effective_number(np.bincount(groups)),
    )


def _sums(parts: Scores, codes: Indices) -> Scores:
    """Sums of the parts of each group, (L, ...) to (G, ...)."""
    sums = np.zeros((int(codes.max()) + 1, *parts.shape[1:]))
    np.add.at(sums, codes, parts)
    return sums


def _without_each(codes: Indices) -> Integers:
    """Multiplicities, (A, L), without each of the groups of L entries."""
    return np.asarray(codes != np.arange(codes.max() + 1)[:, np.newaxis], dtype=np.intp)


def _centred(effects: Scores, multiplicities: Integers, *, axis: int = 0) -> Scores:
    """Effects whose sum is 0, each less its share of the entries; multiplicities: without each group, (A, L)."""
    shares = 1 - multiplicities.mean(axis=1)
    shape = [-1 if index == axis else 1 for index in range(effects.ndim)]
    return np.asarray(effects - shares.reshape(shape) * effects.sum(axis=axis, keepdims=True))


@dataclass(frozen=True)
class Errors:
    """Standard errors of K statistics, (K,), and their degrees of freedom.

    system_factors, item_factors: what effects are multiplied by, so that their squares add up to those of the errors.
    """

    error: Scores
    freedom: Scores
    system_factors: Scores
    item_factors: Scores


def errors_of(effects: Effects, *, resampled: str, level: str = "item") -> Errors:
    """Standard errors over other `systems`, other `items`, or `both`; level: as in `association.at_level`.

    Errors of cells count once, with the items, or at level by-system with the systems: of vectors of few entries, the
    jackknife counts twice what is in single pairs of them.
    """
    systems, items = len(effects.systems), effects.units
    system_squares, item_squares = ((array**2).sum(axis=0) for array in (effects.systems, effects.items))
    system_variance, item_variance = _unbiased(system_squares, systems), _unbiased(item_squares, items)
    rows, columns = effects.cells.shape[:2]
    cell_variance = _unbiased(_unbiased((effects.cells**2).sum(axis=(0, 1)), rows), columns)
    if resampled == "systems":
        item_variance = np.zeros_like(item_variance)
    elif resampled == "items":
        system_variance = np.zeros_like(system_variance)
    elif level == "by-system":
        item_variance = np.maximum(item_variance - cell_variance, 0)
    else:
        system_variance = np.maximum(system_variance - cell_variance, 0)
    variance = system_variance + item_variance
    fewest = {"systems": systems, "items": items}.get(resampled, min(systems, items))
    terms = divide(system_variance**2, systems - 1, undefined=0.0) + divide(item_variance**2, items - 1, undefined=0.0)
    return Errors(
        np.sqrt(variance),
        divide(variance**2, terms, undefined=fewest - 1),
        np.sqrt(divide(system_variance, system_squares, undefined=0.0)),
        np.sqrt(divide(item_variance, item_squares, undefined=0.0)),
    )


def _unbiased(squares: Scores, number: float) -> Scores:
    """The variance of a sum of effects, from the sum of their squares."""
    return squares * divide(number, number - 1, undefined=0.0)


def student_intervals(values: Scores, error: Scores, freedom: Scores, *, lowest: float = -1.0) -> tuple[Scores, Scores]:
    """95 % intervals of values from `lowest` to 1, by Student's t of Fisher's z on this scale.

    A value at an end of the scale, or without effects, has the error of a single correlation of as many units, at half
    a pair of them from the end; with up to three units the interval is the whole scale.
    """
    span = (1 - lowest) / 2
    scaled, units = np.clip((values - lowest) / span - 1, -1.0, 1.0), freedom + 1
    extreme = (np.abs(scaled) == 1) | (error <= NEGLIGIBLE)
    z_error = np.where(
        extreme,
        np.sqrt(divide(1.0, np.maximum(units - 3, 0), undefined=np.inf)),
        divide(error / span, 1 - scaled**2, undefined=np.inf),
    )
    low, high = interval_of_z(
        scaled, z_error, freedom, largest=np.where(extreme, largest_below_one("kendall-b", units), 1.0)
    )
    return lowest + span * (low + 1), lowest + span * (high + 1)
