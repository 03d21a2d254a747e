"""Gold labels and predictions of systems for the items of a data set: as codes of a scale, or as numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self, TypeAlias, overload

import numpy as np
from numpy.typing import NDArray

from metaeval.model.scale import ClassScale

Codes = NDArray[np.integer[Any]]


class Numbered(Sequence[str]):
    """Ids '1', '2' … of items without ids, in the order of gold; they are not stored.

    >>> len(Numbered(50_000_000)), Numbered(3)[-1]
    (50000000, '3')
    """

    def __init__(self, items: int) -> None:
        self._numbers = range(1, items + 1)

    def __len__(self) -> int:
        return len(self._numbers)

    @overload
    def __getitem__(self, place: int) -> str: ...

    @overload
    def __getitem__(self, place: slice) -> Sequence[str]: ...

    def __getitem__(self, place: int | slice) -> str | Sequence[str]:
        return [*map(str, self._numbers[place])] if isinstance(place, slice) else str(self._numbers[place])


@dataclass(frozen=True)
class _ItemRuns:
    """Runs with a prediction in memory for each item and system."""

    items: Sequence[str]
    gold: Codes
    predicted: NDArray[Any]
    systems: tuple[str, ...]
    scale: ClassScale
    trivial: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        _check_shapes(self.items, self.gold, self.predicted, self.systems)

    @property
    def gold_frequencies(self) -> NDArray[np.int64]:
        """How many items each gold class has, (C,)."""
        return _frequencies(self.gold, self.scale)

    def with_trivial(self, names: tuple[str, ...], predicted: Codes) -> Self:
        """The same runs, and trivial systems after them.

        Parameters
        ----------
        names
            Names of T trivial systems.
        predicted : array (T, N)
            Their class codes.
        """
        return replace(
            self,
            predicted=np.concatenate([self.predicted, self._predictions(predicted)]),
            systems=self.systems + names,
            trivial=self.trivial + names,
        )

    def _predictions(self, codes: Codes) -> NDArray[Any]:
        """Class codes as predictions of these runs."""
        raise NotImplementedError


@dataclass(frozen=True)
class LabelledRuns(_ItemRuns):
    """Gold labels and the labels that systems predicted, joined by item.

    Parameters
    ----------
    items
        N item ids; `Numbered` where they are not stored.
    gold : array (N,)
        Class codes of the gold standard.
    predicted : array (S, N)
        Class codes of the systems.
    systems
        S names.
    scale
        Classes that the codes stand for.
    trivial
        Names of the trivial systems among them (the majority class, random …).
    """

    predicted: Codes

    multiplicities: ClassVar[None] = None
    grouped: ClassVar[None] = None

    def _predictions(self, codes: Codes) -> Codes:
        return codes.astype(self.predicted.dtype)


@dataclass(frozen=True)
class PatternRuns:
    """Gold labels and predictions of items without ids; items with equal gold and predictions are one row.

    gold: class codes, (U,). predicted: class codes of the systems, (S, U). Rows are distinct, sorted by gold, then by
    the first system, the second … multiplicities: how many items each row stands for, (U,). systems, scale: see
    `LabelledRuns`. grouped: confusion counts of groups of clusters of the items, (G, S, C, C).
    """

    gold: Codes
    predicted: Codes
    multiplicities: NDArray[np.intp]
    systems: tuple[str, ...]
    scale: ClassScale
    grouped: NDArray[np.int64] | None = None

    def __post_init__(self) -> None:
        _check_shapes(self.multiplicities, self.gold, self.predicted, self.systems)

    @property
    def items(self) -> Numbered:
        """N items, without ids."""
        return Numbered(int(self.multiplicities.sum()))

    @property
    def gold_frequencies(self) -> NDArray[np.int64]:
        """How many items each gold class has, (C,)."""
        return _frequencies(self.gold, self.scale, self.multiplicities)


ClassRuns: TypeAlias = LabelledRuns | PatternRuns
"""Systems that predict classes, item by item or with equal items in one row."""


@dataclass(frozen=True)
class NumericRuns(_ItemRuns):
    """Gold labels of an ordered scale, and the numbers that systems predicted.

    Parameters
    ----------
    predicted : array (S, N)
        Finite numbers of the systems.
    items, gold, systems, scale, trivial
        As in `LabelledRuns`.
    """

    predicted: NDArray[np.float64]

    def _predictions(self, codes: Codes) -> NDArray[np.float64]:
        return self.scale.class_values()[codes]


def smallest_code_type(classes: int) -> np.dtype[np.unsignedinteger[Any]]:
    """The smallest unsigned integer type for the codes of a number of classes."""
    return np.dtype(np.min_scalar_type(classes - 1))


def _frequencies(gold: Codes, scale: ClassScale, multiplicities: NDArray[np.intp] | None = None) -> NDArray[np.int64]:
    return np.bincount(gold, multiplicities, minlength=len(scale)).astype(np.int64)


def _check_shapes(
    items: Sequence[str] | NDArray[Any], gold: NDArray[Any], predicted: NDArray[Any], systems: tuple[str, ...]
) -> None:
    expected = (len(systems), len(items))
    if gold.shape != expected[1:] or predicted.shape != expected:
        raise ValueError(
            f"gold {gold.shape} and predicted {predicted.shape} do not fit "
            f"{len(systems)} systems and {len(items)} items"
        )
