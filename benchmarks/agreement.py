"""Krippendorff's alpha of many annotators and units, against the packages that compute it."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import krippendorff
import numpy as np
from numpy.typing import NDArray

from benchmarks.paired import Comparison, faster
from metaeval.stats.agreement import krippendorff_alpha

ANNOTATORS, UNITS = 20, 10_000
RATINGS, MISSING = 5, 0.3


def rated(units: int) -> NDArray[np.float64]:
    """Ratings from 1 to 5, (A, U), about a third missing."""
    random = np.random.default_rng(1)
    truth = random.integers(1, RATINGS + 1, size=units)
    ratings = np.clip(truth + np.round(random.normal(scale=0.8, size=(ANNOTATORS, units))), 1, RATINGS)
    return np.where(random.random(ratings.shape) < MISSING, np.nan, ratings)


def compare_alpha(rounds: int, *, units: int = UNITS) -> Comparison:
    """The package krippendorff."""
    ratings = rated(units)
    return _compare(
        rounds, ratings, "krippendorff", lambda: krippendorff.alpha(ratings, level_of_measurement="ordinal")
    )


def compare_alpha_with_evalica(rounds: int, *, units: int = UNITS) -> Comparison:
    """The package evalica, whose loops are compiled."""
    import pandas as pd

    ratings = rated(units)
    table = pd.DataFrame(ratings)
    evalica: Any = import_module("evalica")
    return _compare(rounds, ratings, "evalica", lambda: evalica.alpha(table, distance="ordinal").alpha)


def _compare(rounds: int, ratings: NDArray[np.float64], peer: str, theirs: Callable[[], float]) -> Comparison:
    np.testing.assert_allclose(krippendorff_alpha(ratings, level="ordinal"), theirs(), rtol=1e-9)
    annotators, units = ratings.shape
    return faster(
        f"ordinal alpha of {annotators} annotators × {units:,} units",
        lambda: krippendorff_alpha(ratings, level="ordinal"),
        peer=peer,
        theirs=theirs,
        claim="",
        rounds=rounds,
    )
