"""What systems predicted for the items of a data set, beside what is right: as codes of a scale, or as numbers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from metaeval.model.scale import ClassScale

Codes = NDArray[np.integer[Any]]


@dataclass(frozen=True)
class LabelledRuns:
    """Gold labels and the labels that systems predicted, joined by item.

    items: item ids, N of them.
    gold: class codes of the gold standard, shape (N,).
    predicted: class codes of the systems, shape (S, N).
    systems: S names.
    scale: what the codes stand for.
    trivial: names of those systems that are no real ones (the majority class, chance …).
    """

    items: tuple[str, ...]
    gold: Codes
    predicted: Codes
    systems: tuple[str, ...]
    scale: ClassScale
    trivial: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        _check_shapes(self.items, self.gold, self.predicted, self.systems)

    def with_trivial(self, names: tuple[str, ...], predicted: Codes) -> LabelledRuns:
        """The same runs and trivial systems after them; predicted: (len(names), N)."""
        return replace(
            self,
            predicted=np.concatenate([self.predicted, predicted.astype(self.predicted.dtype)]),
            systems=self.systems + names,
            trivial=self.trivial + names,
        )


@dataclass(frozen=True)
class NumericRuns:
    """Gold labels of an ordered scale and the numbers that systems gave the items.

    As `LabelledRuns`, with `predicted` of shape (S, N) holding finite numbers instead of codes.
    """

    items: tuple[str, ...]
    gold: Codes
    predicted: NDArray[np.float64]
    systems: tuple[str, ...]
    scale: ClassScale
    trivial: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        _check_shapes(self.items, self.gold, self.predicted, self.systems)

    def with_trivial(self, names: tuple[str, ...], predicted: Codes) -> NumericRuns:
        """The same runs and trivial systems after them, which give a class its value; predicted: (len(names), N)."""
        return replace(
            self,
            predicted=np.concatenate([self.predicted, self.scale.class_values()[predicted]]),
            systems=self.systems + names,
            trivial=self.trivial + names,
        )


def smallest_code_type(classes: int) -> np.dtype[np.unsignedinteger[Any]]:
    """The smallest unsigned integer type that holds the codes of so many classes."""
    return np.dtype(np.min_scalar_type(classes - 1))


def _check_shapes(
    items: tuple[str, ...], gold: NDArray[Any], predicted: NDArray[Any], systems: tuple[str, ...]
) -> None:
    expected = (len(systems), len(items))
    if gold.shape != expected[1:] or predicted.shape != expected:
        raise ValueError(
            f"gold {gold.shape} and predicted {predicted.shape} do not fit "
            f"{len(systems)} systems and {len(items)} items"
        )
