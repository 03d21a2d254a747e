"""The text of a cell, the same in every format."""

import math
import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from render.made_up import MEASURES, report, scores_of

from metaeval.errors import visible
from metaeval.model.report import Cell, Column, Kind, Table
from metaeval.render import FORMATS, render
from metaeval.render.cells import Style, best_rows, folded, format_cell, reading_aid, shown_columns, with_values


@pytest.mark.parametrize(
    ("cell", "kind", "shown"),
    [
        (0.81236, Kind.SCORE, "0.812"),
        (-0.00001, Kind.SCORE, "0.000"),
        (3, Kind.SCORE, "3.000"),
        (math.inf, Kind.SCORE, "—"),
        (math.nan, Kind.SCORE, "—"),
        (None, Kind.SCORE, "—"),
        (1234567, Kind.COUNT, "1234567"),
        (12.0, Kind.COUNT, "12"),
        (2.5, Kind.COUNT, "2.500"),
        (-123456789e193, Kind.SCORE, "-1.235e+201"),
        (999999999999.0, Kind.SCORE, "999999999999.000"),
        (0.0004, Kind.P, "<0.001"),
        (0.04, Kind.P, "0.040"),
        (math.nan, Kind.P, "—"),
        (True, Kind.FLAG, "•"),
        (False, Kind.FLAG, ""),
        (None, Kind.FLAG, "—"),
        ("atlas", Kind.TEXT, "atlas"),
        (2017, Kind.TEXT, "2017"),
    ],
)
def test_a_cell_reads_as_its_kind_says(cell: Cell, kind: Kind, shown: str) -> None:
    assert format_cell(cell, kind, digits=3) == shown


@pytest.mark.parametrize(
    ("values", "higher", "best"),
    [
        ([0.5, 0.7, math.nan, 0.7], True, {1, 3}),
        ([0.5, 0.7, None, 0.2], False, {3}),
        ([0.70001, 0.70002], True, {1}),
        ([math.nan, None], True, set()),
        ([0.5], True, set()),
        ([0.5, math.nan], True, set()),
    ],
)
def test_the_best_are_those_of_the_direction_before_rounding(values: list[Cell], higher: bool, best: set[int]) -> None:
    table = scores_of("abcd"[: len(values)], values, higher_is_better=higher)
    assert best_rows(table, 1) == best
    assert not best_rows(table, 0)


def test_what_both_tables_share_is_not_repeated_beside_itself() -> None:
    beside = Table("ranks", "Ranks", (Column("system"), Column("accuracy", Kind.COUNT)), (("a", 1), ("b", 2)))
    scores = scores_of("ab", [1.0, 0.5])
    system, accuracy = shown_columns(replace(scores, beside=beside), Style(digits=2))
    assert [str(cell) for cell in system.cells] == ["a", "b"]
    assert [str(cell) for cell in accuracy.cells] == ["1.00 (1)", "0.50 (2)"]


def with_interval(*rows: tuple[Cell, ...]) -> Table:
    """Measures with an interval and letters, and a column that is not shown."""
    heads = (
        Column("measure"),
        Column("tau", Kind.SCORE, interval=("low", "high"), letters="letters", about="agreement"),
        Column("low", Kind.SCORE, about="95 % interval"),
        Column("high", Kind.SCORE, about="95 % interval"),
        Column("letters", about="no difference"),
        Column("sd", Kind.SCORE, detail=True, about="deviation"),
    )
    return Table("t", "T", heads, tuple((*row, 0.5) for row in rows))


def test_an_interval_and_letters_stand_in_the_cell_of_their_value() -> None:
    table = with_interval(("a", 0.95, 0.91, 0.98, "a"), ("b", 0.5, 0.4, 0.6, "ab"), ("c", 0.9, math.nan, math.nan, ""))
    measure, tau = shown_columns(table, Style())
    assert [str(cell) for cell in tau.cells] == ["0.95 [0.91, 0.98] a", "0.50 [0.40, 0.60] ab", "0.90"]
    assert reading_aid(table, (measure, tau), set()) == [
        ("tau", "agreement"),
        ("[ ]", "95 % interval"),
        ("letters", "no difference"),
    ]
    assert reading_aid(table, (measure, tau), {"agreement", "95 % interval"}) == [("letters", "no difference")]
    every = shown_columns(table, Style(every_column=True))
    assert [str(column.cells[0]) for column in every] == ["a", "0.95", "0.9100", "0.9800", "a", "0.5000"]
    assert [name for name, _ in reading_aid(table, every, set())] == ["tau", "low, high", "letters", "sd"]


@pytest.mark.parametrize(
    ("half", "shown"),
    [(40.0, "50"), (2.0, "50.0"), (0.4, "50.00"), (0.02, "50.000"), (1e-9, "50.0000"), (math.inf, "50.0000")],
)
def test_a_value_has_the_decimals_that_its_interval_supports(half: float, shown: str) -> None:
    (_, tau) = shown_columns(with_interval(("a", 50.0, 50.0 - half, 50.0 + half, "")), Style())
    assert tau.cells[0].value == shown


@given(st.text(), st.integers(1, 30))
def test_folding_loses_nothing_but_blanks(text: str, width: int) -> None:
    assert re.sub(r"\s", "", "".join(folded(text, width))) == re.sub(r"\s", "", text)


@pytest.mark.parametrize("name", MEASURES)
def test_a_measure_folds_into_lines_of_fourteen(name: str) -> None:
    assert all(len(line) <= 14 for line in folded(name, 14))


@given(st.text())
def test_visible_text_has_no_control_characters_and_one_line(text: str) -> None:
    assert len(visible(text).splitlines()) <= 1
    assert not re.search(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff\u202a-\u202e\u2066-\u2069]", visible(text))


def test_names_of_all_scripts_stay_as_they_are() -> None:
    for name in ("模型甲乙", "système-é", "نظام", "می‌خواهم", "👩‍🔬"):
        assert visible(name) == name


def test_a_column_in_which_no_measure_has_a_value_is_left_to_data_formats() -> None:
    heads = (
        Column("measure"),
        Column("blank", Kind.SCORE),
        Column("known", Kind.SCORE),
        Column("m", Kind.SCORE),
        Column("mean", Kind.SCORE, higher_is_better=True),
        Column("count", Kind.COUNT),
    )
    nan = math.nan
    made = Table("t", "T", heads, (("m", nan, nan, nan, nan, 1), ("n", None, 0.5, nan, nan, 2)))
    shown = {name: [head.name for head in heads if head.name in render(report(made), name)] for name in FORMATS}
    every = [head.name for head in heads]
    readers = [name for name in every if name != "blank"]
    data = ("csv", "tsv", "json")
    assert shown == {name: every if name in data else readers for name in FORMATS}
    # A measure that is undefined for every system is told: scores have a row for each system.
    assert with_values(scores_of(["a", "b"], [nan, nan])) == scores_of(["a", "b"], [nan, nan])
    nothing = Table("t", "T", heads, ())
    assert with_values(nothing) == nothing
