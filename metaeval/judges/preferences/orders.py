"""One verdict of the verdicts of a judge on the same outputs in both orders."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from metaeval.arrays import Bools, Floats, Indices
from metaeval.errors import pluralize
from metaeval.judges.preferences.settings import MergeOrders


class Merged(NamedTuple):
    """Verdicts of which those on the same outputs in both orders are one.

    rows: the first verdict of each, (M,). winner: of these, (M,). both: whether the verdict is on both orders, (M,).
    outputs: code of the outputs of each verdict before, (V,).
    """

    rows: Indices
    winner: NDArray[np.int8]
    both: Bools
    outputs: Indices
    note: str

    def mean(self, values: Floats) -> Floats:
        """The mean of values of the verdicts, (V,), over both orders, (M,)."""
        means = np.bincount(self.outputs, values) / np.bincount(self.outputs)
        return np.where(self.both, means[self.outputs[self.rows]], values[self.rows])


def merge_orders(
    outputs: Indices, swapped: Bools, winner: NDArray[np.int8], displayed: Bools, differing: MergeOrders
) -> Merged:
    """Merge verdicts on the same outputs that were shown in both orders.

    outputs: codes of the outputs and of the judge, (V,). swapped: whether they are the other way round, (V,). winner: 1
    for the first, −1 for the second, 0 for a tie, (V,). displayed: whether the order is known, (V,). differing: what
    becomes of verdicts that differ: a tie, or none.
    """
    keys = np.where(displayed, outputs, -1 - np.arange(len(outputs)))
    _, first, codes = np.unique(keys, return_index=True, return_inverse=True)
    shown = np.stack([np.bincount(codes, swapped == order, len(first)) for order in (False, True)])
    both = (shown[0] > 0) & (shown[1] > 0)
    direction = np.where(swapped, -winner, winner)
    lowest, highest = np.full(len(first), 1), np.full(len(first), -1)
    np.minimum.at(lowest, codes, direction)
    np.maximum.at(highest, codes, direction)
    differs = both & (lowest != highest)
    is_first = np.zeros(len(codes), dtype=np.bool_)
    is_first[first] = True
    rows = np.flatnonzero(~both[codes] | (is_first & ((differing == "tie") | ~differs[codes])))
    fate = "became ties" if differing == "tie" else "were left out"
    pairs = f"{pluralize(int(both.sum()), 'pair')} of verdicts on the same outputs in both orders"
    return Merged(
        rows=rows,
        winner=np.where(differs[codes[rows]], 0, winner[rows]).astype(np.int8),
        both=both[codes[rows]],
        outputs=codes,
        note=f"{pairs} merged into one each; {int(differs.sum()):,} that differ {fate}",
    )
