"""Numbers that a statistic can have at all, whatever the data: a tau of 14 systems is one of 92."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache

import numpy as np
from numpy.typing import NDArray

from metaeval.reproduction.published.reading import Printed

Numbers = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Attainable:
    """The numbers that a statistic can have.

    values: in order, (K,). law: what they are, as 'an odd number of 91sts'. whole: the denominator by which to name
    one of them, or 0 for none. tied: what it can have besides where two of what is ranked are level, in order; empty
    where that is no question.
    """

    values: Numbers
    law: str
    whole: int = 0
    tied: Numbers = field(default_factory=lambda: np.empty(0))

    def find(self, printed: Printed) -> tuple[float, str] | None:
        """The attainable number that a printed one stands for, and how; None where there is none.

        Of several the nearest, those first that are parts of `whole`.
        """
        low, high = printed.interval
        unit = high - low
        near = self.values[np.searchsorted(self.values, low - unit) : np.searchsorted(self.values, high + unit)]
        for value in sorted(near.tolist(), key=lambda one: (not self._is_part(one), abs(one - printed.value))):
            if printed.rounds(value):
                return value, "rounded"
            if printed.truncates(value):
                return value, "cut off"
        return None

    def denial(self, printed: Printed) -> str:
        """Why no data give a printed number, with the nearest that some do give."""
        parts = [value for value in self.values.tolist() if self._is_part(value) or not self.whole]
        nearest = sorted(sorted(parts, key=lambda value: abs(value - printed.value))[:2])
        return f"{self.law}; the nearest are {' and '.join(map(self._named, nearest))}{self._if_tied(printed)}"

    def _if_tied(self, printed: Printed) -> str:
        if not self.tied.size:
            return ""
        found = Attainable(self.tied, "").find(printed)
        return f"; with two of them level {found[0]:.5f}, {found[1]}" if found else "; nor with two of them level"

    def assent(self, printed: Printed) -> str:
        """Which attainable number is printed so; '' where none is."""
        found = self.find(printed)
        if found is None:
            return ""
        value, form = found
        return f"{printed.text} is {self._named(value)}" + ("" if value == printed.value else f", {form}")

    def _named(self, value: float) -> str:
        return f"{round(value * self.whole)}/{self.whole}" if self._is_part(value) else f"{value:.5g}"

    def _is_part(self, value: float) -> bool:
        parts = value * self.whole
        return self.whole > 0 and abs(parts - round(parts)) < 1e-6


@cache
def taus(systems: int) -> Attainable:
    """Kendall's tau of systems without ties: all pairs less twice the discordant ones.

    >>> taus(4).values.round(4).tolist()
    [-1.0, -0.6667, -0.3333, 0.0, 0.3333, 0.6667, 1.0]
    """
    pairs = systems * (systems - 1) // 2
    law = f"tau of {systems} systems without ties is an {'odd' if pairs % 2 else 'even'} multiple of 1/{pairs}"
    # Two level in one ranking leave the pairs but one, of which an even or odd number differ; in both, all the same.
    tied = [np.arange(-pairs, pairs + 1) / root for root in (np.sqrt(pairs * (pairs - 1.0)), pairs - 1.0, float(pairs))]
    return Attainable(np.arange(-pairs, pairs + 1, 2) / pairs, law, pairs, _within_one(np.concatenate(tied)))


@cache
def spearmans(systems: int) -> Attainable:
    """Spearman's rho of systems without ties: the sum of squared differences of ranks is even.

    >>> len(spearmans(10).values)
    166
    """
    whole = systems * (systems**2 - 1) // 6
    part = Fraction(2, whole)
    law = f"rho of {systems} systems without ties is 1 − {part.numerator}k/{part.denominator} with a whole k"
    # Centred ranks have the sum of squares s, or s − 1/2 with two level; sums of products are then quarters.
    squares = whole / 2
    tied = [np.arange(-2 * whole, 2 * whole + 1) / 2 / np.sqrt(squares * (squares - 0.5)),
            np.arange(-2 * whole, 2 * whole + 1) / 4 / (squares - 0.5)]  # fmt: skip
    return Attainable(np.arange(-whole, whole + 1, 2) / whole, law, part.denominator, _within_one(np.concatenate(tied)))


@cache
def means_of_cut(single: Attainable, count: int, decimals: int) -> Attainable:
    """Means of a number of cells that were cut off, or rounded, to some decimals, and of the cells as they are."""
    unit = 10**decimals
    scaled = single.values * unit
    cut, rounded = np.trunc(scaled + np.sign(scaled) * 1e-6), np.rint(scaled)
    sums = [_sums(parts, count) / (count * unit) for parts in (cut, rounded)]
    whole = count * single.whole
    uncut = np.unique(np.rint(_sums(np.rint(single.values * single.whole), count))) / whole
    law = f"no {count} cells have that mean, cut off, rounded or neither: {single.law}"
    return Attainable(np.unique(np.concatenate([*sums, uncut])), law, whole)


def _within_one(values: Numbers) -> Numbers:
    return np.unique(values[np.abs(values) <= 1])


def _sums(values: Numbers, count: int) -> Numbers:
    total = np.unique(values)
    for _ in range(count - 1):
        total = np.unique(np.add.outer(total, np.unique(values)))
    return total


def percentages(whole: int) -> Attainable:
    """Parts of a number of items, in percent."""
    return Attainable(np.arange(whole + 1) / whole * 100, f"so many percent of {whole:,} items")


def grid(values: Numbers, law: str) -> Attainable:
    """Values that were tried, in order."""
    return Attainable(values, law)
