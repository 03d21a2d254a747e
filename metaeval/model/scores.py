"""Scores of systems under measures, with named leading axes: the input of all analyses."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from metaeval.grid import round_to_grid


class Direction(Enum):
    """Whether a higher or a lower score is the better one."""

    HIGHER = "higher"
    LOWER = "lower"

    @property
    def sign(self) -> int:
        """1 where higher is better, −1 where lower is."""
        return 1 if self is Direction.HIGHER else -1


@dataclass(frozen=True)
class ScoreCube:
    """Scores `values[..., measure, system]`.

    Parameters
    ----------
    values : array (*axes, M, S)
        NaN where a score is undefined.
    axes
        Names of the leading axes, as ("replicate", "half").
    measures
        M names.
    systems
        S names.
    directions
        Whether higher or lower is better, for each measure.
    """

    values: NDArray[np.float64]
    axes: tuple[str, ...]
    measures: tuple[str, ...]
    systems: tuple[str, ...]
    directions: tuple[Direction, ...]

    def __post_init__(self) -> None:
        expected = (len(self.measures), len(self.systems))
        if self.values.shape[-2:] != expected or self.values.ndim != len(self.axes) + 2:
            raise ValueError(
                f"values {self.values.shape} do not fit axes {self.axes}, {expected[0]} measures, {expected[1]} systems"
            )
        if len(self.directions) != len(self.measures):
            raise ValueError(f"{len(self.directions)} directions for {len(self.measures)} measures")

    def oriented(self) -> ScoreCube:
        """The same scores with the sign of lower-is-better measures changed, so that higher is always better.

        Examples
        --------
        >>> cube = ScoreCube(np.array([[0.2, 0.5]]), (), ("mae",), ("a", "b"), (Direction.LOWER,))
        >>> cube.oriented().values
        array([[-0.2, -0.5]])
        """
        signs = np.array([direction.sign for direction in self.directions], dtype=np.float64)
        higher = (Direction.HIGHER,) * len(self.measures)
        return replace(self, values=self.values * signs[:, np.newaxis], directions=higher)

    def filled(self, oriented: float) -> ScoreCube:
        """The same scores with undefined ones replaced, to be ranked.

        Parameters
        ----------
        oriented
            What undefined scores become where higher is better, with the other sign where lower is: −∞ is worse than
            all scores under any measure. NaN replaces nothing.
        """
        undefined = np.isnan(self.values)
        if np.isnan(oriented) or not undefined.any():
            return self
        signs = np.array([direction.sign for direction in self.directions], dtype=np.float64)
        return replace(self, values=np.where(undefined, oriented * signs[:, np.newaxis], self.values))

    @property
    def undefined(self) -> NDArray[np.intp]:
        """How many scores of each measure are NaN; shape (M,)."""
        other_axes = tuple(axis for axis in range(self.values.ndim) if axis != self.values.ndim - 2)
        count: NDArray[np.intp] = np.isnan(self.values).sum(axis=other_axes)
        return count


@dataclass(frozen=True)
class SumScore:
    """A score that is a function of sums of statistics over the items.

    index: of the measure. rows: its K statistics among those of all measures. names: names of the K statistics.
    score: function from sums (..., K) to scores (...).
    """

    index: int
    rows: slice
    names: tuple[str, ...]
    score: Callable[[NDArray[np.float64]], NDArray[np.float64]]

    def from_sums(self, sums: NDArray[np.float64]) -> NDArray[np.float64]:
        """Scores (...) of sums of the statistics of all measures, (R, ...)."""
        return self.score(np.moveaxis(sums[self.rows], 0, -1))

    def pseudo_values(self, statistics: NDArray[np.float64]) -> NDArray[np.float64]:
        """Jackknife pseudo-values of items with statistics (K, N), less their surplus, so that their mean is the score.

        An item without which the score is undefined has no influence.
        """
        total, items = statistics.sum(axis=-1), statistics.shape[-1]
        whole = self.score(total)
        influence = np.nan_to_num((items - 1) * (whole - self.score((total[:, np.newaxis] - statistics).T)))
        return np.asarray(whole + influence - influence.sum() / max(items, 1))


NO_STATISTICS = np.empty((0, 0, 0))


@dataclass(frozen=True)
class ItemScores:
    """Scores of single items `values[measure, system, item]`; a system's score is their mean, or a function of sums.

    Parameters
    ----------
    values : array (M, S, N)
        NaN where a score is undefined.
    measures
        M names.
    systems
        S names.
    items
        N ids.
    directions
        Whether higher or lower is better, for each measure.
    declared_units
        The largest absolute score that each measure can have; empty where only scores are known.
    sums
        Measures whose score is a function of sums over the items; their values of items are undefined where that
        function is.
    statistics : array (R, S, N)
        Statistics of these measures, to be summed.
    gaps
        Whether NaN is a missing score, so that means are over the items that a system has.
    """

    values: NDArray[np.float64]
    measures: tuple[str, ...]
    systems: tuple[str, ...]
    items: tuple[str, ...]
    directions: tuple[Direction, ...]
    declared_units: tuple[float, ...] = ()
    sums: tuple[SumScore, ...] = ()
    statistics: NDArray[np.float64] = field(default_factory=lambda: NO_STATISTICS)
    gaps: bool = False

    def __post_init__(self) -> None:
        expected = (len(self.measures), len(self.systems), len(self.items))
        if self.values.shape != expected or len(self.directions) != len(self.measures):
            raise ValueError(f"values {self.values.shape} do not fit {expected} measures, systems and items")
        if not len(self.statistics):
            object.__setattr__(self, "statistics", np.empty((0, *expected[1:])))

    @cached_property
    def units(self) -> NDArray[np.float64]:
        """The units of the grid of scores (`round_to_grid`), (M,): those declared, else the largest absolute scores."""
        if self.declared_units:
            return np.array(self.declared_units)
        units: NDArray[np.float64] = np.nanmax(np.abs(self.values), axis=(1, 2), initial=0.0)
        for score in self.sums:
            whole = np.nanmax(np.abs(score.from_sums(self.statistics.sum(axis=-1))), initial=0.0)
            units[score.index] = max(units[score.index], whole)
        return units

    @property
    def means(self) -> tuple[int, ...]:
        """Indices of the measures whose score is the mean over the items."""
        return tuple(sorted(set(range(len(self.measures))) - {score.index for score in self.sums}))

    def contributions(self, rated: NDArray[np.bool_] | None = None) -> NDArray[np.float64]:
        """What each item adds to each score, (M, S, N): its score, or under measures of sums a jackknife pseudo-value.

        The mean of these over the items is the score.

        Parameters
        ----------
        rated : array (S, N), optional
            Items that scores of measures of sums are of; others are NaN.
        """
        values = self.values.copy()
        is_rated = np.ones(values.shape[1:], dtype=np.bool_) if rated is None else rated
        for score in self.sums:
            for system, items in enumerate(is_rated):
                values[score.index, system] = np.nan
                values[score.index, system, items] = score.pseudo_values(self.statistics[score.rows, system][:, items])
        return values

    @property
    def rows(self) -> tuple[tuple[str, ...], NDArray[np.float64]]:
        """All numbers that scores are computed from, (M + R, S, N), with names; from these `with_rows` restores them.

        Values of single items under measures of sums, which may be undefined, are 0.
        """
        values = self.values.copy()
        for score in self.sums:
            values[score.index] = 0.0
        names = [f"{self.measures[score.index]}: {name}" for score in self.sums for name in score.names]
        return (*self.measures, *names), np.concatenate([values, self.statistics])

    def with_rows(self, systems: tuple[str, ...], rows: NDArray[np.float64]) -> ItemScores:
        """The scores of other systems.

        Parameters
        ----------
        systems
            S names.
        rows : array (M + R, S, N)
            See `rows`.
        """
        values, statistics = np.split(rows, [len(self.measures)])
        return replace(self, values=values, statistics=statistics, systems=systems, declared_units=())

    def select(self, measures: Sequence[str]) -> ItemScores:
        """The scores under some of the measures.

        Parameters
        ----------
        measures
            Names of measures.
        """
        indices = [self.measures.index(name) for name in measures]
        by_index = {score.index: score for score in self.sums}
        sums: list[SumScore] = []
        for new, old in enumerate(indices):
            if old in by_index:
                begin = sums[-1].rows.stop if sums else 0
                sums.append(replace(by_index[old], index=new, rows=slice(begin, begin + len(by_index[old].names))))
        rows = [self.statistics[by_index[index].rows] for index in indices if index in by_index]
        return replace(
            self,
            values=self.values[indices],
            measures=tuple(measures),
            sums=tuple(sums),
            directions=tuple(self.directions[index] for index in indices),
            declared_units=tuple(self.declared_units[index] for index in indices if self.declared_units),
            statistics=np.concatenate([self.statistics[:0], *rows]),
        )

    def joined(self, others: ItemScores) -> ItemScores:
        """The scores of these systems and of others, by the same measures on the same items.

        Parameters
        ----------
        others
            Scores of other systems.
        """
        values = np.concatenate([self.values, others.values], axis=1)
        statistics = np.concatenate([self.statistics, others.statistics], axis=1)
        return replace(self, values=values, statistics=statistics, systems=(*self.systems, *others.systems))

    @property
    def cells(self) -> NDArray[np.int64]:
        """Number of items of which each system has a score, (M, S)."""
        return np.asarray((~np.isnan(self.values)).sum(axis=-1), dtype=np.int64)

    def mean(self) -> ScoreCube:
        """The scores of the systems, (M, S), on the grid of scores.

        They are the mean over the items, undefined where the score of any item is, or a function of sums over them.

        Examples
        --------
        >>> scores = ItemScores(np.array([[[0.5, 1.0]]]), ("rouge-l",), ("lead",), ("a", "b"), (Direction.HIGHER,))
        >>> scores.mean().values
        array([[0.75]])
        """
        values, items = self.values, np.asarray(max(len(self.items), 1))
        if self.gaps:
            values, items = np.nan_to_num(values), self.cells
        with np.errstate(over="ignore", invalid="ignore"):
            means = values.sum(axis=-1) / items
        if np.isinf(means).any():
            # Sums of scores near the end of the range of numbers are beyond it, but their mean is not.
            means = (values / items[..., np.newaxis]).sum(axis=-1)
        for score in self.sums:
            means[score.index] = score.from_sums(self.statistics.sum(axis=-1))
        if len(self.items) > 1:
            means = round_to_grid(means, self.units[:, np.newaxis])
        return ScoreCube(means, (), self.measures, self.systems, self.directions)
