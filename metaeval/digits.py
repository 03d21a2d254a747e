"""Numbers as texts: one rule for options, YAML, parameters of measures, conditions and data."""

from collections.abc import Callable
from sys import float_info
from typing import TypeVar

N = TypeVar("N")

BITS, LARGEST = 63, float_info.max
"""Size of the largest whole number, of which 18 digits always fit, and the largest other number."""

IN_DIGITS = "write it in the digits 0 to 9, at most 18, as in 10 or 0.5"


def in_digits(text: str, kind: Callable[[str], N]) -> N:
    """A number in digits of ASCII, or nan or inf; a ValueError for others that Python reads, such as 1_000."""
    if "_" in text or not text.isascii() or len(text) > 2000:
        raise ValueError(text)
    return kind(text)


def number_of(text: str, kind: Callable[[str], N]) -> N:
    """A finite number `in_digits`; else a ValueError."""
    number = in_digits(text, kind)
    if not -LARGEST <= number <= LARGEST:  # type: ignore[operator]
        raise ValueError(text)
    return number


def finite(text: str) -> float | None:
    """A finite number, else None."""
    try:
        return number_of(text, float)
    except ValueError:
        return None
