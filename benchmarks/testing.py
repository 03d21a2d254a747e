"""The test of all pairs of systems under nine measures, from labels to letters, against permutations in NumPy."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from benchmarks.paired import Comparison, faster
from benchmarks.score_table import SCALE
from metaeval.analyses.compare import compute
from metaeval.analyses.compare.settings import CompareSettings
from metaeval.config import ExperimentConfig
from metaeval.measures import preset
from metaeval.model.runs import LabelledRuns
from metaeval.study.labels import LabelStudy
from metaeval.study.study import Sources, no_progress

PERMUTATIONS = 4_999
FEW = 250
"""Permutations that the peer draws; the rest is extrapolated."""

Scores = NDArray[np.float32]

MEASURES = preset("stance-nine")
ACCURACY = next(index for index, measure in enumerate(MEASURES) if str(measure) == "accuracy")

LARGE, USUAL = (60, 40_000), (14, 7_064)
"""Systems and items."""


def runs_of(systems: int, items: int) -> LabelledRuns:
    """Labels of systems of rising accuracy."""
    random = np.random.default_rng(20201)
    gold = random.integers(3, size=items, dtype=np.uint8)
    right = random.random((systems, items)) < np.linspace(0.4, 0.8, systems)[:, np.newaxis]
    predicted = np.where(right, gold, random.integers(3, size=(systems, items), dtype=np.uint8))
    names = tuple(f"item{number}" for number in range(items))
    return LabelledRuns(names, gold, predicted, tuple(f"system{number}" for number in range(systems)), SCALE)


def signs_of_items(right: Scores, permutations: int, measures: int) -> NDArray[np.float64]:
    """What a careful user writes: random signs of the items, and the largest difference of all pairs, (P,).

    right: scores of the items, (N, S), which stand for each of the measures. One product for all signs of a measure.
    """
    random = np.random.default_rng(1)
    items, systems = right.shape
    one, other = np.triu_indices(systems, k=1)
    coins = np.frombuffer(random.bytes(permutations * -(-items // 8)), dtype=np.uint8).reshape(permutations, -1)
    signs = np.unpackbits(coins, axis=1, count=items).astype(np.float32)
    signs *= 2
    signs -= 1
    p = np.empty(len(one))
    for _ in range(measures):
        squares, total = right.T @ right, right.sum(axis=0)
        spread = np.sqrt(np.maximum(squares[one, one] + squares[other, other] - 2 * squares[one, other], 1.0))
        sums = signs @ right
        largest = np.sort((np.abs(sums[:, one] - sums[:, other]) / spread).max(axis=1))
        z = np.abs(total[one] - total[other]) / spread
        p = (1 + permutations - np.searchsorted(largest, z * (1 - 1e-6))) / (1 + permutations)
    return p


def compare_letters(rounds: int, *, systems: int = USUAL[0], items: int = USUAL[1]) -> Comparison:
    """From labels to p-values, intervals, ranks and letters of every measure, one thread; reading is not timed."""
    runs = runs_of(systems, items)
    settings = CompareSettings(permutations=PERMUTATIONS)

    def ours() -> compute.Comparisons:
        study = LabelStudy(ExperimentConfig(), Sources((), (), {}, ()), MEASURES, runs)
        comparisons = compute.analyse(study, settings, progress=no_progress)
        assert isinstance(comparisons, compute.Comparisons)
        return comparisons

    right = np.ascontiguousarray((runs.predicted == runs.gold).T.astype(np.float32))
    # Both draw signs, metaeval those of groups of items: p-values differ by chance.
    here, there = ours().measures[ACCURACY].tests.p, signs_of_items(right, 4 * FEW, 1)
    assert np.abs(here - there).mean() < 0.05
    return faster(
        f"test of all pairs of {systems} systems, {items:,} items, {len(MEASURES)} measures, {PERMUTATIONS:,} "
        "permutations, to letters",
        ours,
        peer=f"signs of items in NumPy, one mean in place of each of {len(MEASURES)} measures",
        theirs=lambda: signs_of_items(right, FEW, len(MEASURES)),
        claim="≥ 1 times faster",
        rounds=rounds,
        share_of_their_work=FEW / PERMUTATIONS,
    )


def compare_letters_of_many(rounds: int, *, systems: int = LARGE[0], items: int = LARGE[1]) -> Comparison:
    """The same for a large shared task."""
    return compare_letters(rounds, systems=systems, items=items)
