"""Scores of systems under measures, with named leading axes: the input of all analyses."""

from __future__ import annotations

from dataclasses import dataclass, replace
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
class ItemScores:
    """Scores of single items `values[measure, system, item]`; a system's score is their mean.

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
    """

    values: NDArray[np.float64]
    measures: tuple[str, ...]
    systems: tuple[str, ...]
    items: tuple[str, ...]
    directions: tuple[Direction, ...]
    declared_units: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        expected = (len(self.measures), len(self.systems), len(self.items))
        if self.values.shape != expected or len(self.directions) != len(self.measures):
            raise ValueError(f"values {self.values.shape} do not fit {expected} measures, systems and items")

    @cached_property
    def units(self) -> NDArray[np.float64]:
        """The units of the grid of scores (`round_to_grid`), (M,): those declared, else the largest absolute scores."""
        return np.array(self.declared_units or np.nanmax(np.abs(self.values), axis=(1, 2), initial=0.0))

    def mean(self) -> ScoreCube:
        """The mean over the items, (M, S), on the grid of scores; undefined where the score of any item is.

        Examples
        --------
        >>> scores = ItemScores(np.array([[[0.5, 1.0]]]), ("rouge-l",), ("lead",), ("a", "b"), (Direction.HIGHER,))
        >>> scores.mean().values
        array([[0.75]])
        """
        items = max(len(self.items), 1)
        with np.errstate(over="ignore"):
            means = self.values.sum(axis=-1) / items
        if np.isinf(means).any():
            # Sums of scores near the end of the range of numbers are beyond it, but their mean is not.
            means = (self.values / items).sum(axis=-1)
        if items > 1:
            means = round_to_grid(means, self.units[:, np.newaxis])
        return ScoreCube(means, (), self.measures, self.systems, self.directions)
