"""The sums behind the weights of swaps (`weights`), of vectors with few entries, by comparing all of them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from metaeval.arrays import Bools, Counts, Floats

COMPARE_UP_TO = 64
"""Number of entries of a vector above which orders are faster."""


class Compared:
    """Scores of measures against each other, by numbers of their order.

    codes: (M, V, L). level, ranks, present: numbers of the human scores, ranks less their mean, and where both are,
    (V, L).
    """

    def __init__(self, codes: Counts, level: Counts, ranks: Floats, present: Bools) -> None:
        kind = np.uint16 if codes.max(initial=0) < 1 << 16 else np.uint32
        # Vectors are last in memory.
        self.codes = np.ascontiguousarray(codes.swapaxes(1, 2), dtype=kind)
        self.both = np.ascontiguousarray(present.T)[:, np.newaxis] & present.T
        level, twice = np.ascontiguousarray(level.T), np.rint(2 * ranks.T).astype(np.int16)
        self.ranks = np.where(self.both, twice[:, np.newaxis] - twice, 0)
        higher, lower = level[:, np.newaxis] > level, level[:, np.newaxis] < level
        self.signs = np.where(self.both, np.subtract(higher, lower, dtype=np.int8), 0)
        self.tied = self.both & ~higher & ~lower

    def against(self, one: int, coefficients: Sequence[str]) -> tuple[Floats, Counts]:
        """As `weights._Ranked.against`."""
        agreement, tied, of_both = np.zeros((3, *self.codes.shape), dtype=np.int8)
        of_ranks = np.zeros(self.codes.shape, dtype=np.int16)
        for entry, own in enumerate(self.codes[one]):
            higher, lower = own > self.codes, own < self.codes
            sign, equal = np.subtract(higher, lower, dtype=np.int8), ~(higher | lower) & self.both[entry]
            agreement += sign * self.signs[entry]
            tied += equal
            if "spearman" in coefficients:
                of_ranks += sign * self.ranks[entry]
            if "pairwise-accuracy" in coefficients:
                of_both += equal & self.tied[entry]
        found = np.empty((len(coefficients), *self.codes.shape))
        for sums, coefficient in zip(found, coefficients, strict=True):
            if coefficient == "spearman":
                np.divide(of_ranks, 4, out=sums)
            elif coefficient == "pairwise-accuracy":
                # Twice the pairs that are ordered alike or tied in both: ties of one add −1, of both 2.
                np.divide(agreement + 3 * of_both.astype(np.int16) - tied, 2, out=sums)
            else:
                sums[:] = agreement
        return np.ascontiguousarray(found.swapaxes(2, 3)), tied.swapaxes(1, 2).astype(np.intp)
