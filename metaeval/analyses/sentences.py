"""What the numbers say, in a sentence a criterion, for whoever reads no tables."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

EXACT_DIGITS = 12
"""Decimals to which criteria are compared: means of the same numbers in another order differ in their last digits."""

NAMED_AT_MOST = 4
"""Names that a sentence can hold."""

Numbers = NDArray[np.float64]


def listed(names: Sequence[str]) -> str:
    """The names in a row; of many only the first, and how many more there are.

    >>> listed(["a", "b"]), listed(list("abcdef"))
    ('a, b', 'a, b, c and 3 others')
    """
    if len(names) <= NAMED_AT_MOST:
        return ", ".join(names)
    return f"{', '.join(names[: NAMED_AT_MOST - 1])} and {len(names) - NAMED_AT_MOST + 1} others"


def best_of(names: Sequence[str], values: Numbers) -> list[str]:
    """The names with the highest value, ties and all; none where no value is defined."""
    if np.isnan(values).all():
        return []
    places = np.flatnonzero(np.isclose(values, np.nanmax(values), rtol=0, atol=10.0**-EXACT_DIGITS))
    return [names[place] for place in places.tolist()]


def every(measures: int) -> str:
    """'both measures', or 'all 3 measures'."""
    return "both measures" if measures == 2 else f"all {measures} measures"


def and_worst(names: Sequence[str], badness: Numbers, best: int) -> str:
    """The other end, where there is one."""
    worst = best_of(names, badness)
    return f", {listed(worst)} least ({abs(np.nanmax(badness)):.2f})" if best + len(worst) <= len(names) else ""
