"""What items are worth under measures that are sums over them: their mean is the score."""

import numpy as np
import pytest
from every_measure import EVERY_SETTING, SCALE
from hypothesis import given
from hypothesis import strategies as some
from made_runs import labelled_runs

from metaeval.measures import Measure, measure
from metaeval.model.runs import LabelledRuns
from metaeval.scoring.labels import is_additive, item_scores, score_labels

ADDITIVE = [each for each in EVERY_SETTING if is_additive(each)]
codes = some.integers(0, len(SCALE) - 1)


@some.composite
def runs(draw: some.DrawFn) -> LabelledRuns:
    """A few items, so that classes are absent, or have one item."""
    items = draw(some.integers(1, 12))
    labels = some.lists(codes, min_size=items, max_size=items)
    return labelled_runs(draw(labels), draw(some.lists(labels, min_size=1, max_size=3)), SCALE)


@pytest.mark.parametrize("wanted", ADDITIVE, ids=str)
@given(runs())
def test_the_mean_over_items_is_the_score(wanted: Measure, runs: LabelledRuns) -> None:
    items = item_scores(runs, wanted)
    assert items.shape == runs.predicted.shape
    np.testing.assert_allclose(items.mean(axis=1), score_labels(runs, [wanted]).values[0], rtol=1e-9, atol=1e-9)


def test_a_measure_that_is_undefined_for_this_gold_is_undefined_for_every_item() -> None:
    found = item_scores(labelled_runs([0, 0], [[0, 1]], SCALE), measure("wauc"))
    assert np.isnan(found).all()
