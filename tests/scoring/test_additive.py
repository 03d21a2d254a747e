"""What items are worth under measures that are sums over them: their mean is the score."""

import numpy as np
import pytest
from every_measure import EVERY_SETTING, SCALE
from hypothesis import given
from hypothesis import strategies as some

from metaeval.measures import Measure, measure
from metaeval.model.runs import LabelledRuns
from metaeval.scoring.labels import is_additive, item_scores, score_labels

ADDITIVE = [each for each in EVERY_SETTING if is_additive(each)]
codes = some.integers(0, len(SCALE) - 1)


def runs_of(gold: list[int], predicted: list[list[int]]) -> LabelledRuns:
    items = tuple(map(str, range(len(gold))))
    systems = tuple(f"system{number}" for number in range(len(predicted)))
    return LabelledRuns(items, np.array(gold), np.array(predicted).reshape(len(predicted), len(gold)), systems, SCALE)


@some.composite
def runs(draw: some.DrawFn) -> LabelledRuns:
    """A few items, so that classes are absent, or have one item."""
    items = draw(some.integers(1, 12))
    labels = some.lists(codes, min_size=items, max_size=items)
    return runs_of(draw(labels), draw(some.lists(labels, min_size=1, max_size=3)))


@pytest.mark.parametrize("wanted", ADDITIVE, ids=str)
@given(runs())
def test_the_mean_over_items_is_the_score(wanted: Measure, runs: LabelledRuns) -> None:
    items = item_scores(runs, wanted)
    assert items.shape == runs.predicted.shape
    np.testing.assert_allclose(items.mean(axis=1), score_labels(runs, [wanted]).values[0], rtol=1e-9, atol=1e-9)


def test_a_measure_that_is_undefined_for_this_gold_is_undefined_for_every_item() -> None:
    found = item_scores(runs_of([0, 0], [[0, 1]]), measure("wauc"))
    assert np.isnan(found).all()
