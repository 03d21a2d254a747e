"""Trivial systems among real ones that are as good in expectation: `robustness` should call none better."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from metaeval.inference.pairs import Evidence, significant_directions
from metaeval.measures import measure
from metaeval.model.runs import LabelledRuns
from metaeval.model.scale import ClassScale
from metaeval.scoring.parts import count_groups
from metaeval.scoring.trivial import with_trivial_systems
from simulations.generators import Codes

SCALE = ClassScale(("low", "mid", "high"), ordered=True)
REAL = 4
"""Number of real systems."""


def ignorant_systems(random: np.random.Generator, prevalence: Sequence[float], codes: Codes) -> LabelledRuns:
    """Systems that draw classes as often as they are in gold, whatever the item.

    codes: of clusters of the items, (N,). An item has the class of its cluster every other time, in gold and under each
    system; in clusters of single items all are independent.
    """

    def draw() -> Codes:
        by_cluster, by_item = (random.choice(3, number, p=prevalence) for number in (codes.max() + 1, len(codes)))
        return np.where(random.random(len(codes)) < 0.5, by_cluster[codes], by_item)

    names = tuple(map(str, range(len(codes))))
    predicted = np.stack([draw() for _ in range(REAL)])
    return LabelledRuns(names, draw(), predicted, tuple(f"real {index}" for index in range(REAL)), SCALE)


def better(
    random: np.random.Generator, measures: Sequence[str], prevalence: Sequence[float], codes: Codes, *, used: bool
) -> dict[str, bool]:
    """Whether a trivial system is called significantly better than a real one, by measure; used: clusters in tests."""
    runs = with_trivial_systems(ignorant_systems(random, prevalence, codes), seed=int(random.integers(1 << 30)))
    parts = count_groups(runs, codes if used else None, random).parts([measure(name) for name in measures])
    real, trivial = np.split(np.arange(len(runs.systems)), [REAL])
    return {
        name: bool(
            (significant_directions(Evidence.draw((measure_parts,), random, 499), trivial, real, alpha=0.05) > 0).any()
        )
        for name, measure_parts in zip(measures, parts, strict=True)
    }
