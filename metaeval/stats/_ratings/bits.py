"""Orders of few units as bits: whether two annotators order units alike is counted a word at a time."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np

from metaeval.arrays import Floats, Indices, Words

_WORD = 64

MOST_UNITS = 1024
"""Number of units above which sorting the units of a pair is as fast."""

MOST_CELLS = 1 << 28
"""Number of annotators × units × units up to which their bits are stored, in 64 MB."""


@dataclass(frozen=True)
class Bits:
    """Which units an annotator rated lower, and which higher, than each unit: (W, A, U) for W words of units."""

    lower: tuple[Words, Words]
    higher: tuple[Words, Words]

    @classmethod
    def of(cls, first: Floats, second: Floats) -> Bits | None:
        """The bits of ratings (A, U) of both annotators of all pairs; None for too many units."""
        annotators, units = first.shape
        if units > MOST_UNITS or annotators * units**2 > MOST_CELLS:
            return None
        sides = (first,) if first is second else (first, second)
        lower, higher = ([_packed(own, compare) for own in sides] for compare in (np.less, np.greater))
        return cls((lower[0], lower[-1]), (higher[0], higher[-1]))

    def concordances(self, one: tuple[Indices, Indices], other: tuple[Indices, Indices]) -> Indices:
        """Sums of products of signs of the ratings of units minus those of all others that both annotators rated.

        one, other: the annotator and the unit of each row, in the ratings of either side, (I,).
        """
        sums = np.zeros(len(one[1]), dtype=np.intp)
        for word in range(len(self.lower[0])):
            sides = (
                [of[side][word][place] for of in (self.lower, self.higher)] for side, place in ((0, one), (1, other))
            )
            for (sign, mine), (against, theirs) in product(*(zip((1, -1), own, strict=True) for own in sides)):
                counts = np.bitwise_count(mine & theirs)
                np.add(sums, counts, out=sums) if sign == against else np.subtract(sums, counts, out=sums)
        return sums


def _packed(ratings: Floats, compare: np.ufunc) -> Words:
    """Whether each unit compares so with each other, as bits; False where a rating is missing."""
    annotators, units = ratings.shape
    words = -(-units // _WORD)
    packed = np.zeros((annotators, units, words * _WORD // 8), dtype=np.uint8)
    for own, bits in zip(ratings, packed, strict=True):
        bits[:, : -(-units // 8)] = np.packbits(compare(own, own[:, np.newaxis]), axis=1)
    return np.ascontiguousarray(np.moveaxis(packed.view(np.uint64), -1, 0))
