"""Parts of findings that several analyses share."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

EXACT_DIGITS = 12
"""Decimals to which criteria are compared: means of the same numbers in another order differ in their last digits."""

NAMED_AT_MOST = 4
"""Maximum number of names in a sentence."""

Numbers = NDArray[np.float64]


def join_names(names: Sequence[str]) -> str:
    """The names as a list; of many only the first, and the number of the others.

    >>> join_names(["a"]), join_names(["a", "b"]), join_names(list("abcdef"))
    ('a', 'a and b', 'a, b, c and 3 others')
    """
    if len(names) > NAMED_AT_MOST:
        names = [*names[: NAMED_AT_MOST - 1], f"{len(names) - NAMED_AT_MOST + 1} others"]
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def value_range(values: Sequence[float], form: str = ".2f") -> str:
    """The lowest and the highest value, or the only one.

    >>> value_range([0.5, 0.25]), value_range([1.0, 1.0], ".0%")
    ('0.25 to 0.50', '100%')
    """
    low, high = format(min(values), form), format(max(values), form)
    return low if low == high else f"{low} to {high}"


def best_of(names: Sequence[str], values: Numbers) -> list[str]:
    """The names with the highest value, including ties; empty where every value is NaN."""
    if np.isnan(values).all():
        return []
    places = np.flatnonzero(np.isclose(values, np.nanmax(values), rtol=0, atol=10.0**-EXACT_DIGITS))
    return [names[place] for place in places.tolist()]


def every(measures: int) -> str:
    """'both measures', or 'all 3 measures'."""
    return "both measures" if measures == 2 else f"all {measures} measures"


def and_worst(names: Sequence[str], badness: Numbers, best: int, what: str) -> str:
    """The clause about the worst names, which are `what`; empty where they include one of the best."""
    worst = best_of(names, badness)
    return f", {join_names(worst)} {what} ({abs(np.nanmax(badness)):.2f})" if best + len(worst) <= len(names) else ""
