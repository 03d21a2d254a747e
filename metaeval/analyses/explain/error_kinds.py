"""The kinds of errors that two systems make differently often, and what those cost them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]


class ErrorKind(NamedTuple):
    """Errors of one or two opposite cells of the confusion matrix, in the difference of two systems.

    name: `low→high`, gold first, or `low⇄high`. items, items_other: how many errors of it each system makes.
    gains: what it adds to the difference under each measure, turned so that more speaks for the first system, (2,).
    pull: how far it makes the two measures disagree, in units of both.
    """

    name: str
    items: int
    items_other: int
    gains: tuple[float, float]
    pull: float


def error_kinds(
    labels: Sequence[str], one: NDArray[np.int64], other: NDArray[np.int64], gains: Numbers, pulls: Numbers
) -> tuple[ErrorKind, ...]:
    """The kinds of errors in which two systems differ, those that make the measures disagree most first.

    Opposite cells are one kind where they push the same way: one of the systems makes more errors of both, and neither
    measure judges them oppositely.

    one, other: counts, (C, C). gains: of each cell under each measure, as in `ErrorKind`, (2, C, C). pulls: of each
    cell, (C, C).
    """
    more = one - other
    kinds = []
    for name, (rows, columns) in _grouped(labels, more, gains):
        if more[rows, columns].any():
            items, items_other = (int(counts[rows, columns].sum()) for counts in (one, other))
            first, second = gains[:, rows, columns].sum(axis=1).tolist()
            kinds.append(ErrorKind(name, items, items_other, (first, second), float(pulls[rows, columns].sum())))
    return tuple(sorted(kinds, key=lambda kind: -kind.pull))


def _grouped(
    labels: Sequence[str], more: NDArray[np.int64], gains: Numbers
) -> Iterator[tuple[str, tuple[list[int], list[int]]]]:
    """Names of kinds, and the rows and columns of their cells."""
    for low, high in combinations(range(len(labels)), 2):
        same_way = more[low, high] * more[high, low] >= 0 and (gains[:, low, high] * gains[:, high, low] >= 0).all()
        if same_way and more[low, high] and more[high, low]:
            yield both_ways(labels[low], labels[high]), ([low, high], [high, low])
            continue
        yield f"{labels[low]}→{labels[high]}", ([low], [high])
        yield f"{labels[high]}→{labels[low]}", ([high], [low])


def both_ways(low: str, high: str) -> str:
    """What errors between two classes are called, whichever of them is gold.

    >>> both_ways("agree", "disagree")
    'agree⇄disagree'
    """
    return f"{low}⇄{high}"
