"""Distributions over classes that systems predicted, and those of gold."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from metaeval.model.scale import ClassScale


@dataclass(frozen=True)
class DistributionRuns:
    """Distributions of systems, joined with those of gold by item.

    Parameters
    ----------
    items
        N ids.
    systems
        S names.
    predicted : array (S, N, C)
        Probabilities, which sum to 1.
    gold : array (N, C)
        The same of gold.
    scale
        The C classes.
    """

    items: tuple[str, ...]
    systems: tuple[str, ...]
    predicted: NDArray[np.float64]
    gold: NDArray[np.float64]
    scale: ClassScale

    def __post_init__(self) -> None:
        shape = (len(self.items), len(self.scale))
        if self.gold.shape != shape or self.predicted.shape != (len(self.systems), *shape):
            raise ValueError(f"distributions {self.predicted.shape} and {self.gold.shape} do not fit {shape}")
