"""Scores of two systems whose answers are swapped item by item, for permutation tests."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from metaeval.measures.spec import Measure
from metaeval.model.labels import Codes, LabelledRuns, PatternRuns
from metaeval.scoring.confusion import count
from metaeval.stats.resample import generator

if TYPE_CHECKING:
    from scipy import sparse

Differences = NDArray[np.float64]

_CELLS_AT_ONCE = 1 << 21
"""Coins, or cells of counts, of the resamples that are computed together, so that memory stays bounded."""


def swapped_labels(
    runs: LabelledRuns | PatternRuns,
    pair: tuple[int, int],
    measures: Sequence[Measure],
    *,
    resamples: int,
    seed: np.random.SeedSequence,
) -> Differences:
    """Oriented differences of two systems after every item was swapped between them by a coin, (M, B).

    Items with the same gold and the same two answers are identical, so that the number of swapped ones is binomial: the
    cost does not grow with the number of items. Where both answers are the same, a swap changes nothing.
    """
    one, other = (runs.predicted[system] for system in pair)
    classes = len(runs.scale)
    times = runs.multiplicities
    both = count(runs.gold, runs.predicted[list(pair)], classes=classes, multiplicities=times)
    first, second = both.astype(np.float64)
    items, moves = _moves(runs.gold, one, other, classes, times)
    random = generator(seed)
    differences = np.empty((len(measures), resamples))
    step = max(1, _CELLS_AT_ONCE // max(1, len(items), classes**2))
    for begin in range(0, resamples, step):
        block = slice(begin, min(begin + step, resamples))
        swaps = random.binomial(items, 0.5, size=(block.stop - begin, len(items)))
        moved = np.moveaxis((moves @ swaps.T).reshape(classes, classes, -1), -1, 0)
        for place, measure in enumerate(measures):
            difference = measure(first - moved, runs.scale) - measure(second + moved, runs.scale)
            differences[place, block] = difference * measure.better.sign
    return differences


def _moves(
    gold: Codes, one: Codes, other: Codes, classes: int, times: NDArray[np.integer] | None
) -> tuple[NDArray[np.int64], sparse.csr_array]:
    """How many items there are of each gold class and two different answers, (U,), and which cells a swap moves.

    The second, (C * C, U), is 1 for the cell of gold and answer that the first system hands over, −1 for the one that
    it gets.
    """
    from scipy import sparse

    differ = one != other
    cells = (gold[differ].astype(np.intp) * classes + one[differ]) * classes + other[differ]
    kinds, place = np.unique(cells, return_inverse=True)
    # Sums of whole numbers are exact in float64 up to 2^53.
    items = np.bincount(place, None if times is None else times[differ], minlength=len(kinds)).astype(np.int64)
    row, of_other = kinds // classes**2 * classes, kinds % classes
    columns = np.arange(len(kinds))
    lost, gained = row + kinds // classes % classes, row + of_other
    signs = np.repeat([1.0, -1.0], len(kinds))
    where = (np.concatenate([lost, gained]), np.concatenate([columns, columns]))
    return items, sparse.csr_array((signs, where), shape=(classes**2, len(kinds)))


def swapped_items(differences: Differences, *, resamples: int, seed: np.random.SeedSequence) -> Differences:
    """Mean differences of two systems after every item was swapped between them by a coin, (M, B).

    differences: of the items, (M, N), the first system less the second. NaN where that of any item is.
    """
    items = differences.shape[1]
    random = generator(seed)
    means = np.empty((len(differences), resamples))
    step = max(1, _CELLS_AT_ONCE // max(1, items))
    for begin in range(0, resamples, step):
        block = slice(begin, min(begin + step, resamples))
        signs = random.integers(0, 2, size=(block.stop - begin, items), dtype=np.int8) * 2.0 - 1.0
        means[:, block] = differences @ signs.T
    mean: Differences = means / max(1, items)
    return mean
