"""Moves of an error one class nearer to gold: against a loop over systems and cells."""

from __future__ import annotations

import numpy as np
import pytest

from metaeval.analyses.recommend.evidence import moves_toward_gold
from metaeval.measures import measure
from metaeval.model.runs import LabelledRuns
from metaeval.model.scale import ClassScale
from metaeval.scoring.confusion import counts_of

NAMES = ("accuracy", "mae:average=micro", "kappa:weights=quadratic", "macro-f1", "cem-ord")


@pytest.mark.parametrize("classes", [3, 4, 6])
def test_moves_are_those_of_a_loop(classes: int) -> None:
    random = np.random.default_rng(classes)
    scale = ClassScale(tuple("abcdef"[:classes]), ordered=True)
    gold = random.integers(classes, size=60)
    predicted = random.integers(classes, size=(4, 60))
    runs = LabelledRuns(tuple(map(str, range(60))), gold, predicted, tuple("wxyz"), scale)
    measures = [measure(name) for name in NAMES]
    expected = np.zeros((len(measures), 4, 3), dtype=int)
    for system, counts in enumerate(counts_of(runs)):
        for row in range(classes):
            for column in range(classes):
                if abs(row - column) < 2 or not counts[row, column]:
                    continue
                moved = counts.copy()
                moved[row, column] -= 1
                moved[row, column + (1 if row > column else -1)] += 1
                for number, each in enumerate(measures):
                    gain = float(each(moved, scale) - each(counts, scale)) * each.better.sign
                    expected[number, system, 0 if gain > 1e-9 else 2 if gain < -1e-9 else 1] += 1
    found = moves_toward_gold(runs, measures)
    assert found.tolist() == expected.tolist()
    assert found[0, :, [0, 2]].sum() == 0
    assert found[1, :, 1:].sum() == 0


def test_moves_in_small_blocks_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(1)
    scale = ClassScale(tuple("abcd"), ordered=True)
    gold, predicted = random.integers(4, size=50), random.integers(4, size=(3, 50))
    runs = LabelledRuns(tuple(map(str, range(50))), gold, predicted, tuple("xyz"), scale)
    measures = [measure(name) for name in NAMES]
    whole = moves_toward_gold(runs, measures)
    monkeypatch.setattr("metaeval.analyses.recommend.evidence._CELLS_TOGETHER", 32)
    assert moves_toward_gold(runs, measures).tolist() == whole.tolist()
