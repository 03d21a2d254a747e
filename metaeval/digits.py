"""Numbers as texts: one rule for options, YAML, parameters of measures and data."""

import math
from collections.abc import Callable
from typing import TypeVar

N = TypeVar("N")

BITS, DIGITS = 63, 18
"""Size of the largest whole number, and how many digits always fit."""

IN_DIGITS = f"write it in the digits 0 to 9, at most {DIGITS}, as in 10 or 0.5"


def number_of(text: str, kind: Callable[[str], N]) -> N:
    """A number in digits of ASCII; a ValueError for others that Python reads, such as 1_000, and for endless ones."""
    if "_" in text or not text.isascii() or len(text) > 2000:
        raise ValueError(text)
    return kind(text)


def finite(text: str) -> float | None:
    """A finite number, else None."""
    try:
        number = number_of(text, float)
    except ValueError:
        return None
    return number if math.isfinite(number) else None
