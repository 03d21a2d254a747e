"""The values that a statistic can have for any data: Kendall's tau of 14 systems has 92 values."""

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
    """The values that a statistic can have.

    values: in ascending order, (K,). law: a description. denominator: values that are multiples of 1/denominator are
    named as fractions; 0 if there are none. tied: values with one tie, in ascending order; empty if not applicable.
    """

    values: Numbers
    law: str
    denominator: int = 0
    tied: Numbers = field(default_factory=lambda: np.empty(0))

    def find(self, printed: Printed) -> tuple[float, str] | None:
        """The attainable value that a printed number stands for and how it was printed; None if there is none.

        Of several, multiples of 1/denominator are preferred, then the nearest.
        """
        low, high = printed.interval
        unit = high - low
        near = self.values[np.searchsorted(self.values, low - unit) : np.searchsorted(self.values, high + unit)]
        for value in sorted(near.tolist(), key=lambda one: (not self._is_fraction(one), abs(one - printed.value))):
            if printed.rounds(value):
                return value, "rounded"
            if printed.truncates(value):
                return value, "truncated"
        return None

    def denial(self, printed: Printed) -> str:
        """Why no data give a printed number, with the nearest attainable values."""
        fractions = [value for value in self.values.tolist() if self._is_fraction(value) or not self.denominator]
        nearest = sorted(sorted(fractions, key=lambda value: abs(value - printed.value))[:2])
        return f"{self.law}; the nearest are {' and '.join(map(self._name, nearest))}{self._if_tied(printed)}"

    def _if_tied(self, printed: Printed) -> str:
        if not self.tied.size:
            return ""
        match = Attainable(self.tied, "").find(printed)
        return f"; with one tie {match[0]:.5f}, {match[1]}" if match else "; one tie does not give it either"

    def match(self, printed: Printed) -> str:
        """Which attainable value a printed number stands for; '' if there is none."""
        match = self.find(printed)
        if match is None:
            return ""
        value, form = match
        return f"{printed.text} is {self._name(value)}" + ("" if value == printed.value else f", {form}")

    def _name(self, value: float) -> str:
        return f"{round(value * self.denominator)}/{self.denominator}" if self._is_fraction(value) else f"{value:.5g}"

    def _is_fraction(self, value: float) -> bool:
        numerator = value * self.denominator
        return self.denominator > 0 and abs(numerator - round(numerator)) < 1e-6


@cache
def taus(systems: int) -> Attainable:
    """Kendall's tau without ties: the number of pairs minus twice the discordant ones, divided by the former.

    >>> taus(4).values.round(4).tolist()
    [-1.0, -0.6667, -0.3333, 0.0, 0.3333, 0.6667, 1.0]
    """
    pairs = systems * (systems - 1) // 2
    law = f"tau of {systems} systems without ties is an {'odd' if pairs % 2 else 'even'} multiple of 1/{pairs}"
    # A tie in one ranking leaves one pair less, of either parity; a tie in both rankings likewise.
    tied = [np.arange(-pairs, pairs + 1) / root for root in (np.sqrt(pairs * (pairs - 1.0)), pairs - 1.0, float(pairs))]
    return Attainable(np.arange(-pairs, pairs + 1, 2) / pairs, law, pairs, _within_one(np.concatenate(tied)))


@cache
def spearmans(systems: int) -> Attainable:
    """Spearman's rho without ties: the sum of squared differences of ranks is even.

    >>> len(spearmans(10).values)
    166
    """
    whole = systems * (systems**2 - 1) // 6
    part = Fraction(2, whole)
    law = f"rho of {systems} systems without ties is 1 − {part.numerator}k/{part.denominator} with an integer k"
    # The squares of centred ranks sum to s, or s − 1/2 with one tie; sums of products are then multiples of 1/4.
    squares = whole / 2
    tied = [np.arange(-2 * whole, 2 * whole + 1) / 2 / np.sqrt(squares * (squares - 0.5)),
            np.arange(-2 * whole, 2 * whole + 1) / 4 / (squares - 0.5)]  # fmt: skip
    return Attainable(np.arange(-whole, whole + 1, 2) / whole, law, part.denominator, _within_one(np.concatenate(tied)))


@cache
def means_of_truncated(single: Attainable, count: int, decimals: int) -> Attainable:
    """Means of a number of cells that were truncated or rounded to some decimals, and of the exact cells."""
    unit = 10**decimals
    scaled = single.values * unit
    truncated, rounded = np.trunc(scaled + np.sign(scaled) * 1e-6), np.rint(scaled)
    sums = [_sums(parts, count) / (count * unit) for parts in (truncated, rounded)]
    denominator = count * single.denominator
    exact = np.unique(np.rint(_sums(np.rint(single.values * single.denominator), count))) / denominator
    law = f"no {count} cells have this mean, truncated, rounded or exact: {single.law}"
    return Attainable(np.unique(np.concatenate([*sums, exact])), law, denominator)


def _within_one(values: Numbers) -> Numbers:
    return np.unique(values[np.abs(values) <= 1])


def _sums(values: Numbers, count: int) -> Numbers:
    total = np.unique(values)
    for _ in range(count - 1):
        total = np.unique(np.add.outer(total, np.unique(values)))
    return total


def percentages(whole: int) -> Attainable:
    """Shares of a number of items, in percent."""
    return Attainable(np.arange(whole + 1) / whole * 100, f"a percentage of {whole:,} items")
