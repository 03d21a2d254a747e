"""Kendall's coefficients of resampled vectors, from sums over the pairs of different entries.

Each pair counts as often as the product of the multiplicities of its entries. Copies of one entry form no pair.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, Protocol, TypeAlias

import numpy as np

from metaeval.arrays import Integers, Scores
from metaeval.stats.ratio import divide

Side: TypeAlias = Literal["x", "y", "both"]

OfCounts: TypeAlias = Callable[[Integers], Scores]
"""From the multiplicities of entries in resamples, (R, L), to coefficients of V vectors of M measures, (R, M, V)."""


class PairSums(Protocol):
    """Sums over pairs, in arrays whose shapes broadcast."""

    def balance(self) -> Scores:
        """Number of concordant minus that of discordant pairs."""

    def untied(self, side: Side) -> Scores:
        """Number of pairs that are tied neither in this vector nor, of both, in one of them."""

    def pairs(self) -> Scores:
        """Number of pairs."""

    def levels(self) -> Scores:
        """The number of different scores in x or in y, whichever is smaller."""

    def different(self) -> Scores:
        """Number of different entries."""


def _kendall_b(sums: PairSums) -> Scores:
    return divide(sums.balance(), np.sqrt(sums.untied("x") * sums.untied("y")))


def _kendall_a(sums: PairSums) -> Scores:
    return divide(sums.balance(), np.where(sums.untied("y") == 0, 0, sums.pairs()))


def _kendall_c(sums: PairSums) -> Scores:
    levels, length = sums.levels(), sums.different()
    return divide(sums.balance() * levels * (length - 1), sums.pairs() * length * (levels - 1))


def _pairwise_accuracy(sums: PairSums) -> Scores:
    untied, pairs = sums.untied("both"), sums.pairs()
    tied = pairs - sums.untied("x") - sums.untied("y") + untied
    return divide((untied + sums.balance()) / 2 + tied, pairs)


OF_PAIRS: dict[str, Callable[[PairSums], Scores]] = {
    "kendall-b": _kendall_b,
    "kendall-a": _kendall_a,
    "kendall-c": _kendall_c,
    "pairwise-accuracy": _pairwise_accuracy,
}
"""Coefficients by name, as in `stats.association.COEFFICIENTS`."""
