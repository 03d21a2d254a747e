"""Texts laid out in one row, and some of them taken out."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from metaeval.model.runs import TokenizedTexts

Nested = list[list[list[int]]]
NESTED = st.lists(st.lists(st.lists(st.integers(0, 9), max_size=4), max_size=3), max_size=6)


@given(NESTED, st.data())
def test_texts_are_taken_as_from_a_list(nested: Nested, data: st.DataObject) -> None:
    texts = TokenizedTexts.of(nested)
    # Codes of texts beyond memory have 32 bits, lengths and sizes too.
    small = TokenizedTexts(texts.codes, texts.lengths.astype(np.int32), texts.sizes.astype(np.int32))
    for _ in range(2):
        rows = data.draw(st.lists(st.integers(-1, len(nested) - 1), max_size=8))
        for each in (texts, small):
            taken = each.take(np.array(rows, dtype=np.intp))
            assert taken.nested() == [nested[row] if row >= 0 else [] for row in rows]
            assert {taken.lengths.dtype, taken.sizes.dtype} == {np.dtype(np.intp)}
    assert texts.words_of_texts.tolist() == [sum(map(len, text)) for text in nested]
