import numpy as np
import pytest

from metaeval.model.runs import LabelledRuns, NumericRuns, smallest_code_type
from metaeval.model.scale import ClassScale
from metaeval.scoring.trivial import with_trivial_systems

SCALE = ClassScale(("low", "mid", "high"), ordered=True, values=(1.0, 2.0, 5.0))
ITEMS = ("1", "2", "3", "4")
GOLD = np.array([0, 1, 2, 2], dtype=np.uint8)


def labelled() -> LabelledRuns:
    predicted = np.array([[0, 1, 1, 2], [2, 2, 2, 2]], dtype=np.uint8)
    return LabelledRuns(ITEMS, GOLD, predicted, ("a", "b"), SCALE)


def numeric() -> NumericRuns:
    return NumericRuns(ITEMS, GOLD, np.array([[0.1, 0.4, 0.5, 0.9]]), ("a",), SCALE)


def test_trivial_systems_come_after_the_real_ones_and_are_marked() -> None:
    real = labelled()
    runs = with_trivial_systems(real, seed=1)
    assert real.systems == ("a", "b")
    assert runs.systems == ("a", "b", *runs.trivial)
    assert runs.trivial[:2] == ("majority", f"all {SCALE.labels[0]}")
    assert runs.predicted.dtype == np.uint8
    np.testing.assert_array_equal(runs.predicted[:2], real.predicted)
    np.testing.assert_array_equal(runs.predicted[3], [0, 0, 0, 0])


@pytest.mark.parametrize("gold", [GOLD[:3], GOLD[np.newaxis]])
def test_gold_that_does_not_fit_the_items_is_refused(gold: np.ndarray) -> None:
    with pytest.raises(ValueError, match="do not fit 2 systems and 4 items"):
        LabelledRuns(ITEMS, gold, labelled().predicted, ("a", "b"), SCALE)


@pytest.mark.parametrize("predicted", [np.zeros((1, 4)), np.zeros((2, 3)), np.zeros(4)])
def test_predictions_that_do_not_fit_are_refused(predicted: np.ndarray) -> None:
    with pytest.raises(ValueError, match="do not fit 2 systems and 4 items"):
        NumericRuns(ITEMS, GOLD, predicted, ("a", "b"), SCALE)


@pytest.mark.parametrize(("classes", "dtype"), [(2, np.uint8), (256, np.uint8), (257, np.uint16), (70_000, np.uint32)])
def test_codes_take_no_more_room_than_they_need(classes: int, dtype: type[np.unsignedinteger]) -> None:
    assert smallest_code_type(classes) == dtype
