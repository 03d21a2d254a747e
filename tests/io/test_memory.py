"""Data in memory become what readers make of files."""

import numpy as np
import pandas as pd
import pytest
from command_line import refusal

from metaeval.errors import InputError
from metaeval.io.memory import (
    labels_from_memory,
    outputs_from_memory,
    references_from_memory,
    rows_from_memory,
    texts_of,
)


@pytest.mark.parametrize(
    "values",
    [
        ["1", "2", ""],
        [1, 2, None],
        np.array([1, 2, np.nan]),
        np.array([1, 2, np.nan], dtype=np.float32),
        pd.Series([1, 2, None]),
        pd.Series([1, 2, pd.NA], dtype="Int64"),
        pd.Series(["1", "2", None], dtype="category"),
        (np.int64(1), np.float64(2), pd.NaT),
    ],
)
def test_the_same_values_are_the_same_text_whatever_holds_them(values: list[object]) -> None:
    assert texts_of(values) == ["1", "2", ""]


@pytest.mark.parametrize("number", [0.1 + 0.2, 1e-300, -1.5, 1e22, np.float32(0.1), np.inf, -np.inf])
def test_a_number_reads_back_as_itself(number: float) -> None:
    assert float(texts_of([number])[0]) == number


def test_everything_wrong_with_labels_is_told_at_once() -> None:
    systems = {"a": ["yes"], "b": ["no", "no"], "c": ["no"] * 3}
    message = refusal(labels_from_memory, systems, ["yes", "no"], ids=["q", "q"])
    assert "system 'a': 1 label; expected 2, one for each item" in message
    assert "system 'c': 3 labels; expected 2" in message
    assert "ids:2: id 'q' again" in message
    assert "system 'b'" not in message


@pytest.mark.parametrize(("gold", "ids"), [([], None), (["yes"], [""]), (["yes"], ["a", "b"])])
def test_gold_without_items_and_ids_that_do_not_fit_are_refused(gold: list[str], ids: list[str] | None) -> None:
    with pytest.raises(InputError):
        labels_from_memory({}, gold, ids)


def test_what_differs_has_another_hash() -> None:
    hashes = [
        labels_from_memory(systems, gold).sha256
        for systems, gold in [
            ({"a": ["yes", "no"]}, ["yes", "no"]),
            ({"b": ["yes", "no"]}, ["yes", "no"]),
            ({"a": ["yes", "yes"]}, ["yes", "no"]),
            ({"a": ["yes", "no"]}, ["no", "yes"]),
        ]
    ]
    assert len(set(hashes)) == 4
    assert labels_from_memory({"a": ("yes", "no")}, np.array(["yes", "no"])).sha256 == hashes[0]


def test_texts_that_are_none_or_too_many_are_refused() -> None:
    with pytest.raises(InputError, match="the text 'yes'; expected a value for each item"):
        labels_from_memory({"a": "yes"}, ["y", "e", "s"])
    for texts in ("one text", [5], [["a", 5]]):
        with pytest.raises(InputError, match="system 'a'"):
            outputs_from_memory({"a": texts})
    with pytest.raises(InputError, match="references: no text for item '2'"):
        references_from_memory(["One.", None])
    with pytest.raises(InputError, match="system 'a': 2 texts; expected 1, one for each id"):
        outputs_from_memory({"a": ["One.", "Two."]}, ids=["x"])


def test_a_table_has_columns_of_one_length_and_name() -> None:
    with pytest.raises(InputError, match="1 value in column 'b'; expected 2"):
        rows_from_memory({"a": [1, 2], "b": [1]}, "<scores>")
    with pytest.raises(InputError, match="column 'a' again"):
        rows_from_memory(pd.DataFrame([[1, 2]], columns=["a", "a"]), "<scores>")
    with pytest.raises(InputError, match="no row; expected one for each item"):
        rows_from_memory({"a": []}, "<scores>")
    assert rows_from_memory(pd.DataFrame({"a": [1.5, None]}), "<scores>").rows.column("a") == ["1.5", ""]
