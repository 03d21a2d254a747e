"""Raw labels of many shapes, and their confusion counts made without metaeval: what oracles are fed."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

Codes = NDArray[np.int64]


class LabelPair(NamedTuple):
    """Class codes of N items: gold, what one system predicted, and how many classes are declared."""

    gold: Codes
    predicted: Codes
    classes: int


def count(gold: ArrayLike, predicted: ArrayLike, classes: int) -> NDArray[np.int64]:
    """Confusion counts (C, C), rows gold."""
    counts = np.zeros((classes, classes), dtype=np.int64)
    np.add.at(counts, (np.asarray(gold), np.asarray(predicted)), 1)
    return counts


def _imitation(rng: np.random.Generator, items: int, classes: int, right: float) -> LabelPair:
    """Skewed gold, and a system that is right in that share of the items and guesses in the others."""
    gold = rng.choice(classes, size=items, p=rng.dirichlet(np.full(classes, 2.0)))
    guess = rng.integers(classes, size=items)
    return LabelPair(gold, np.where(rng.random(items) < right, gold, guess), classes)


def _pair(gold: list[int], predicted: list[int], classes: int) -> LabelPair:
    return LabelPair(np.array(gold), np.array(predicted), classes)


def _cases() -> dict[str, LabelPair]:
    rng = np.random.default_rng(20201)
    cases = {
        f"{classes} classes, {items} items": _imitation(rng, items, classes, right)
        for classes in range(2, 7)
        for items, right in ((400, 0.6), (60, 0.1), (7, 0.4))
    }
    return cases | {
        "a class absent in gold": _pair([0, 0, 2, 2, 2, 0, 3], [0, 1, 2, 1, 2, 3, 3], 4),
        "a class absent in predictions": _pair([0, 1, 2, 2, 1, 0, 3], [0, 2, 2, 0, 3, 3, 3], 4),
        "classes absent in both": _pair([0, 4, 4, 0, 2, 0], [0, 4, 0, 2, 2, 4], 5),
        "a constant system": _pair([0, 1, 2, 2, 1, 0], [1] * 6, 3),
        "a constant gold": _pair([1] * 6, [0, 1, 2, 2, 1, 1], 3),
        "both constant and alike": _pair([1] * 5, [1] * 5, 3),
        "both constant and apart": _pair([0] * 5, [2] * 5, 3),
        "one item, right": _pair([1], [1], 3),
        "one item, wrong": _pair([0], [2], 3),
        "two items": _pair([0, 1], [1, 1], 2),
        "a perfect system": _pair([0, 1, 2, 2, 1, 0, 3], [0, 1, 2, 2, 1, 0, 3], 4),
        "a system always wrong": _pair([0, 1, 2, 0, 1, 2], [2, 0, 1, 1, 2, 0], 3),
    }


CASES = _cases()
"""Label pairs by what is special about them."""


def brute_force_pairwise_accuracy(gold: NDArray[Any], predicted: NDArray[Any], min_gap: int) -> float:
    """Visit every pair of items; NaN where none is far enough apart."""
    credit = []
    for i in range(len(gold)):
        for j in range(len(gold)):
            if gold[j] - gold[i] >= min_gap:
                credit.append(1.0 if predicted[j] > predicted[i] else 0.5 if predicted[j] == predicted[i] else 0.0)
    return sum(credit) / len(credit) if credit else float("nan")
