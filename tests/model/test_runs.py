"""Runs of labels and numbers that fit together, and texts laid out in one row, some of them taken out."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metaeval.model.runs import LabelledRuns, NumericRuns, TokenizedTexts, smallest_code_type
from metaeval.model.scale import ClassScale

SCALE = ClassScale(("low", "mid", "high"), ordered=True, values=(1.0, 2.0, 5.0))
ITEMS = ("1", "2", "3", "4")
GOLD = np.array([0, 1, 2, 2], dtype=np.uint8)


def labelled() -> LabelledRuns:
    predicted = np.array([[0, 1, 1, 2], [2, 2, 2, 2]], dtype=np.uint8)
    return LabelledRuns(ITEMS, GOLD, predicted, ("a", "b"), SCALE)


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


Nested = list[list[list[int]]]
NESTED = st.lists(st.lists(st.lists(st.integers(0, 9), max_size=4), max_size=3), max_size=6)


@given(NESTED, st.data())
def test_texts_are_taken_as_from_a_list(nested: Nested, data: st.DataObject) -> None:
    texts = TokenizedTexts.of(nested)
    # Codes of texts beyond memory have 32 bits, lengths and sizes too.
    small = TokenizedTexts(texts.codes, texts.lengths.astype(np.int32), texts.sizes.astype(np.int32))
    for _ in range(2):
        rows = data.draw(st.lists(st.integers(-1, len(nested) - 1), max_size=8))
        for tokenized in (texts, small):
            subset = tokenized.take(np.array(rows, dtype=np.intp))
            assert subset.nested() == [nested[row] if row >= 0 else [] for row in rows]
            assert {subset.lengths.dtype, subset.sizes.dtype} == {np.dtype(np.intp)}
    assert texts.words_of_texts.tolist() == [sum(map(len, text)) for text in nested]
