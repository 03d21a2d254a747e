"""Which submissions have their predictions in the wrong rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from metaeval.arrays import Bools, Floats, Ints
from metaeval.model.runs import Codes, LabelledRuns
from metaeval.stats.ratio import divide

MOST_ROWS = 3
"""Largest shift that is looked for, in both directions."""

ALPHA = 0.001
"""Familywise level of the test of all submissions and shifts."""

_CELLS = 1 << 26
"""Number of predictions that are compared at a time."""


@dataclass(frozen=True)
class Shifts:
    """The shift of each submission with which it agrees best with gold, (S,) each.

    rows: 1 if predictions stand one row after the one that they fit. agreement: share of items that agree with gold as
    submitted. shifted: with this shift. significant: whether it is higher than without, and than by chance.
    """

    rows: Ints
    agreement: Floats
    shifted: Floats
    significant: Bools


def find_shifts(runs: LabelledRuns) -> Shifts:
    """Look for shifted predictions, in the order of gold."""
    from scipy.special import ndtr

    shifts = [rows for size in range(1, MOST_ROWS + 1) for rows in (size, -size) if 2 * size < len(runs.items)]
    systems = len(runs.systems)
    size = max(1, _CELLS // max(1, len(runs.items)))
    blocks = [runs.predicted[start : start + size] for start in range(0, systems, size)]
    agreement = np.concatenate([(block == runs.gold).mean(axis=1) for block in blocks])
    if not shifts:
        return Shifts(np.zeros(systems, dtype=np.int64), agreement, agreement, np.zeros(systems, dtype=np.bool_))
    comparisons = [[_compare(block, runs.gold, rows, runs.scale.codes) for rows in shifts] for block in blocks]
    shifted, lowest = np.concatenate(comparisons, axis=2).swapaxes(0, 1)
    best = lowest.argmax(axis=0)
    p = 1 - ndtr(lowest.max(axis=0))
    return Shifts(
        np.array(shifts)[best],
        agreement,
        np.take_along_axis(shifted, best[np.newaxis], axis=0)[0],
        p * len(shifts) * systems <= ALPHA,
    )


def _compare(predicted: Codes, gold: Codes, rows: int, classes: int) -> tuple[Floats, Floats]:
    """The share of predictions that agree with gold so many rows before, and the lower of two z, (S,) each.

    The first is that of McNemar's test against the agreement without a shift, the other against chance.
    """
    late, early = (slice(rows, None), slice(None, -rows)) if rows > 0 else (slice(None, rows), slice(-rows, None))
    late_predictions, early_predictions, early_gold = predicted[:, late], predicted[:, early], gold[early]
    with_shift, without_shift = late_predictions == early_gold, early_predictions == early_gold
    gains, losses = (with_shift & ~without_shift).sum(axis=1), (without_shift & ~with_shift).sum(axis=1)
    against_itself = divide(gains - losses, np.sqrt(gains + losses), undefined=0.0)
    frequencies = np.bincount(early_gold, minlength=classes) / len(early_gold)
    chance = frequencies[late_predictions].mean(axis=1)
    share = with_shift.mean(axis=1)
    against_chance = divide((share - chance) * np.sqrt(len(early_gold)), np.sqrt(chance * (1 - chance)), undefined=0.0)
    return share, np.minimum(against_itself, against_chance)
