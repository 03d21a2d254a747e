"""One name for each kind of array."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
"""Values of any type."""

Floats = NDArray[np.float64]

Bools = NDArray[np.bool_]

Indices = NDArray[np.intp]
"""Indices of items, systems, pairs or groups, and codes of clusters and classes."""

Ints = NDArray[np.int64]

Integers = NDArray[np.integer[Any]]
"""Whole numbers of any size."""

Words = NDArray[np.uint64]
"""Bits, 64 in each number."""

Counts = NDArray[Any]
"""Confusion counts (..., C, C): rows gold, columns predicted, in the order of the scale."""

Scores = NDArray[np.float64]
"""Scores (...), one for each confusion matrix, system or item; NaN where undefined."""
