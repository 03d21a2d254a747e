"""Tables of every library give what columns by name give, in every function that takes a table."""

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import duckdb
import pandas
import polars
import pyarrow
import pytest
from hypothesis import given
from hypothesis import strategies as st

import metaeval
from metaeval.io.memory import order_of, rows_from_memory

Table = dict[str, list[Any]]
FRAMES: dict[str, Callable[[Table], Any]] = {
    "pandas": pandas.DataFrame,
    "polars": lambda table: polars.DataFrame(table, strict=False),
    "lazy polars": lambda table: polars.LazyFrame(table, strict=False),
    "Arrow": pyarrow.table,
    "DuckDB": lambda table: duckdb.from_arrow(pyarrow.table(table)),
}

LABELS: Table = {
    "id": ["t1", "t2", "t3", "t4"],
    "gold": [1, 2, 2, 1],
    "bert": [1.0, None, 2.0, 2.0],
    "svm": [2, 2, 1, 1],
    "thread": ["x", "x", "y", "z"],
}
SCORES: Table = {
    "system": ["a", "a", "b", "b"],
    "item": [1, 2, 1, 2],
    "bleu": [0.5, 0.25, 0.125, 1.0],
    "human": [1.0, 2.0, None, 4.0],
}
RATINGS: Table = {"item": [1, 1, 2, 2, 3, 3], "annotator": list("xyxyxy"), "label": [1, 2, 2, 2, 3, 3]}
VERDICTS: Table = {
    "item": [1, 2, 3, 4],
    "left": ["a", "b", "a", "a"],
    "right": ["b", "a", "b", "c"],
    "winner": ["left", "tie", "right", "left"],
    "gpt": ["left", "left", "right", None],
}
JUDGED: Table = {"item": [*range(6)], "judge": [1, 2, 3, 2, 4, 1], "human": [2, 3, 4, None, None, 2]}
PAIRS: Table = {
    "item": [1, 2],
    "phenomenon": ["p", "p"],
    "reference": ["A cat.", "It ran."],
    "good": ["A cat.", "It ran."],
    "bad": ["A dog.", "It sat."],
}
PREDICTED = {"a": ["yes", "no", "no", "yes"]}


def _labels(predicted: Any = PREDICTED, **more: Any) -> metaeval.Result:
    runs = metaeval.from_labels(predicted, gold=["yes", "no", "yes", "yes"], labels="no,yes", **more)
    return metaeval.score(runs, "accuracy")


FUNCTIONS: dict[str, tuple[Table, Callable[[Any], metaeval.Result]]] = {
    "from_frame": (
        LABELS,
        lambda table: metaeval.score(
            metaeval.from_frame(table, item="id", labels="1<2", on_missing="miss", clusters="thread"), "accuracy"
        ),
    ),
    "from_labels": (PREDICTED, _labels),
    "clusters": ({"thread": ["x", "x", "y", "y"]}, lambda table: _labels(clusters=table)),
    "group": ({"id": [1, 2, 3, 4], "language": ["x", "x", "y", "y"]}, lambda table: _labels(group=table)),
    "human": (
        {"measure": ["fluency"] * 2, "system": ["a", "b"], "value": [1.0, 2.0]},
        lambda table: metaeval.correlate(metaeval.from_scores({**SCORES}, human=table, on_missing="drop"), "bleu"),
    ),
    "from_scores": (SCORES, lambda table: metaeval.score(metaeval.from_scores(table, on_missing="drop"))),
    "agreement": (RATINGS, metaeval.agreement),
    "preferences": (VERDICTS, metaeval.preferences),
    "correct": (JUDGED, metaeval.correct),
    "contrast": (PAIRS, lambda table: metaeval.contrast(table, "rouge-n:n=1")),
}


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("library", FRAMES)
def test_a_frame_is_its_columns(library: str, function: str) -> None:
    table, call = FUNCTIONS[function]
    expected, result = call(table).to_dict(), call(FRAMES[library](table)).to_dict()
    assert result["tables"] == expected["tables"]
    assert (result["notes"], result["findings"]) == (expected["notes"], expected["findings"])


@pytest.mark.parametrize("library", ["pandas", "polars", "Arrow"])
def test_columns_of_frames_are_values_of_items(library: str) -> None:
    texts: Table = {"id": ["x", "y"], "out": ["A cat.", None], "refs": [["A cat.", "Cats."], ["It ran."]]}
    columns = FRAMES[library](texts)
    runs = metaeval.from_texts({"a": columns["out"]}, references=columns["refs"], ids=columns["id"], on_missing="worst")
    assert runs.items == ("x", "y")
    assert metaeval.score(runs, "rouge-n:n=1").to_dict()["tables"]["scores"] == [{"system": "a", "rouge-n:n=1": 0.25}]


VALUES = st.one_of(
    st.lists(st.none() | st.integers(-5, 5), min_size=1),
    st.lists(st.none() | st.sampled_from([0.0, 1.0, -2.0, 0.1, 1e-9, 2.5e10]), min_size=1),
    st.lists(st.none() | st.sampled_from(["a", " b", "", "é"]), min_size=1),
    st.lists(st.none() | st.booleans(), min_size=1),
    st.lists(st.none() | st.sampled_from([Decimal("1.00"), Decimal("0.50")]), min_size=1),
)


@given(VALUES)
def test_the_cells_of_a_frame_are_those_of_a_list(values: list[object]) -> None:
    expected = rows_from_memory({"a": values}, "<table>").rows.columns
    for library, frame in FRAMES.items():
        if library != "DuckDB" or any(value is not None for value in values):
            assert rows_from_memory(frame({"a": values}), "<table>").rows.columns == expected, library


ORDERED: dict[str, Callable[[list[str]], Any]] = {
    "pandas": lambda values: pandas.Series(pandas.Categorical(values, ["low", "mid", "high"], ordered=True)),
    "polars": lambda values: polars.Series(values, dtype=polars.Enum(["low", "mid", "high"])),
}


@pytest.mark.parametrize("library", ORDERED)
def test_ordered_categories_declare_the_order_of_the_classes(library: str) -> None:
    gold = ["low", "high", "mid", "low"]
    column = ORDERED[library](gold)
    frame = (pandas if library == "pandas" else polars).DataFrame({"gold": column, "a": gold[::-1]})
    for runs in (metaeval.from_frame(frame), metaeval.from_labels({"a": gold[::-1]}, gold=column)):
        assert (
            metaeval.score(runs, "cem-ord").to_dict()["tables"]
            == (
                metaeval.score(metaeval.from_labels({"a": gold[::-1]}, gold=gold, labels="low<mid<high"), "cem-ord")
            ).to_dict()["tables"]
        )
    assert "scale:low<mid|" in metaeval.score(metaeval.from_frame(frame, drop_gold="high", on_unknown="miss")).signature
    assert (
        "scale:high,low,mid|" in metaeval.score(metaeval.from_frame(frame, labels="high,low,mid"), "accuracy").signature
    )
    ratings = {"item": [1, 1, 2, 2], "annotator": list("xyxy"), "label": column}
    expected = metaeval.agreement({**ratings, "label": gold}, labels="low<mid<high")
    assert metaeval.agreement(ratings).to_dict()["tables"] == expected.to_dict()["tables"]


def test_categories_without_an_order_declare_none() -> None:
    for values in (["a"], polars.Series(["a"]), pandas.Series(pandas.Categorical(["a", "b"])), polars.Series([1])):
        assert order_of(values) == ()
