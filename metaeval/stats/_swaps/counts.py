"""How many of the first entries of vectors are below a value."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from metaeval.arrays import Ints

BITS = 4
"""Maximum number of bits of a digit."""


class CountsBefore:
    """How many of the first entries of a vector are below a value, by the digits of the values (a wavelet matrix).

    values: (V, L), whole numbers from 0 on.
    """

    def __init__(self, values: Ints) -> None:
        bits = int(values.max(initial=0) + 1).bit_length()
        digits = -(-bits // BITS)
        self.bits = -(-bits // digits)
        self.tables: list[NDArray[np.int32]] = []
        self.length = values.shape[1] + 1
        for digit in reversed(range(digits)):
            own = (values >> digit * self.bits & (1 << self.bits) - 1).astype(np.uint8)
            # Entries before each place with a digit below each one.
            table = np.zeros((len(values), (1 << self.bits) + 1, self.length), dtype=np.int32)
            np.less(own[:, np.newaxis], np.arange(table.shape[1], dtype=np.uint8)[:, np.newaxis], out=table[..., 1:])
            self.tables.append(np.cumsum(table, axis=2, dtype=np.int32, out=table))
            if digit:
                values = np.take_along_axis(values, np.argsort(own, axis=1, kind="stable"), axis=1)

    def count(self, upto: Ints, below: Ints) -> Ints:
        """Numbers of the first `upto` entries that are below, (..., V, Q), for upto and below of this shape."""
        starts = np.arange(len(self.tables[0]))[:, np.newaxis] * self.tables[0][0].size
        begin, end, counts = np.zeros_like(upto), upto, np.zeros_like(upto)
        for stage, table in enumerate(self.tables):
            digit = below >> (len(self.tables) - 1 - stage) * self.bits & (1 << self.bits) - 1
            flat, row = table.reshape(-1), starts + digit * self.length
            of_end = flat[row + end]
            of_begin = flat[row + begin] if stage else 0
            counts = counts + of_end - of_begin
            if stage < len(self.tables) - 1:
                # Entries of this digit stand together in the next stage.
                first, following = flat[row + self.length - 1], row + self.length
                end = first + flat[following + end] - of_end
                begin = first + flat[following + begin] - of_begin
        return counts
