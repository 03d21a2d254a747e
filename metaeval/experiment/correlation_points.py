"""The systems behind a correlation with people, for plots of one against the other."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from metaeval.model.report import Cell, Column, Kind, Table
from metaeval.stats.intervals import defined_mean

Scores = NDArray[np.float64]


def point_table(
    measures: Sequence[str], people: Sequence[str], systems: Sequence[str], scores: Scores, ratings: Scores
) -> Table:
    """Table `correlation_scores`: means of each system over the items that a measure and people both have.

    scores: (M, S, N), as measured. ratings: (H, S, N), as rated.
    """
    rows: list[tuple[Cell, ...]] = []
    for person, rated in zip(people, ratings, strict=True):
        shared = ~np.isnan(scores) & ~np.isnan(rated)
        score = defined_mean(np.where(shared, scores, np.nan), axis=-1)
        rating = defined_mean(np.where(shared, rated, np.nan), axis=-1)
        rows += [
            (person, measure, system, float(score[place, column]), float(rating[place, column]))
            for place, measure in enumerate(measures)
            for column, system in enumerate(systems)
        ]
    return Table(
        "correlation_scores",
        "Systems by each measure and by people",
        (*(Column(name) for name in ("human", "measure", "system")), *(Column(name, Kind.SCORE) for name in POINTS)),
        tuple(rows),
        detail=True,
    )


POINTS = ("score", "rating")
