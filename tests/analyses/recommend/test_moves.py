"""Moves of an error one class nearer to gold: against a loop over systems and cells."""

from __future__ import annotations

import numpy as np
import pytest
from made_runs import labelled_runs

from metaeval.analyses.recommend.evidence import moves_toward_gold
from metaeval.measures import measure
from metaeval.model.scale import ClassScale
from metaeval.scoring.confusion import counts_of

NAMES = ("accuracy", "mae:average=micro", "kappa:weights=quadratic", "macro-f1", "cem-ord")


@pytest.mark.parametrize("classes", [3, 4, 6])
def test_moves_are_those_of_a_loop_and_small_blocks_the_same(classes: int, monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(classes)
    scale = ClassScale(tuple("abcdef"[:classes]), ordered=True)
    runs = labelled_runs(random.integers(classes, size=60), random.integers(classes, size=(4, 60)), scale)
    measures = [measure(name) for name in NAMES]
    expected = np.zeros((len(measures), 4, 3), dtype=int)
    for system, counts in enumerate(counts_of(runs)):
        for row in range(classes):
            for column in range(classes):
                if abs(row - column) < 2 or not counts[row, column]:
                    continue
                new_counts = counts.copy()
                new_counts[row, column] -= 1
                new_counts[row, column + (1 if row > column else -1)] += 1
                for number, function in enumerate(measures):
                    gain = float(function(new_counts, scale) - function(counts, scale)) * function.better.sign
                    expected[number, system, 0 if gain > 1e-9 else 2 if gain < -1e-9 else 1] += 1
    tally = moves_toward_gold(runs, measures)
    assert tally.tolist() == expected.tolist()
    assert tally[0, :, [0, 2]].sum() == 0
    assert tally[1, :, 1:].sum() == 0
    monkeypatch.setattr("metaeval.analyses.recommend.evidence._CELLS_TOGETHER", 32)
    assert moves_toward_gold(runs, measures).tolist() == expected.tolist()
