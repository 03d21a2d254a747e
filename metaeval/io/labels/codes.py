"""Labels as codes of a scale and texts as numbers, each with its state: usable, missing or unknown."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray

from metaeval.digits import finite
from metaeval.model.scale import ClassScale

USABLE, MISSING, UNKNOWN = 0, 1, 2
"""The states of a label. In codes, −1 and −2 stand for a missing and an unknown label, so that one look-up gives code
and state."""

Read = tuple[NDArray[Any], NDArray[np.uint8]]
"""The values of rows, and the state of each."""


def code_reader(scale: ClassScale) -> Callable[[Sequence[str]], Read]:
    """A function that turns labels into codes; policies replace missing and unknown ones later."""
    code_of = {label: code for code, label in enumerate(scale.labels)} | {"": -MISSING}

    def read(labels: Sequence[str]) -> Read:
        codes = np.fromiter(map(code_of.get, labels, repeat(-UNKNOWN)), dtype=np.int32, count=len(labels))
        return codes, np.maximum(-codes, USABLE).astype(np.uint8)

    return read


def read_numbers(texts: Sequence[str]) -> Read:
    """Texts as numbers; an empty text is missing, and any other text that is not a finite number is unknown."""
    whole = "".join(texts)
    try:
        if "_" in whole or not whole.isascii():
            raise ValueError
        numbers = np.array([float(text) for text in texts])
    except ValueError:
        numbers = np.array(list(map(finite, texts)), dtype=np.float64)
    states = np.full(len(texts), USABLE, dtype=np.uint8)
    for row in np.flatnonzero(~np.isfinite(numbers)).tolist():
        states[row] = UNKNOWN if texts[row] else MISSING
    return numbers, states
