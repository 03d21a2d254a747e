"""Charts in the terminal: the tables of the terminal, longer bars for larger numbers, no number lost."""

import math
import re
from collections.abc import Sequence

import pytest
from render.made_up import EXOTIC, SIGNATURE, report, scores_of, stance
from rich.cells import cell_len

from metaeval.model.report import Cell, Column, Finding, Kind, Note, Report, Table
from metaeval.render import render

SCORE = Kind.SCORE
INTERVAL = ("value", "low", "high")
EIGHTHS = " ▏▎▍▌▋▊▉"


def chart_text(table: Table, **style: int | bool | None) -> str:
    return render(report(table), "chart", **style)  # type: ignore[arg-type]


def table(names: Sequence[str], rows: Sequence[tuple[Cell, ...]]) -> Table:
    """Columns of scores; one that others are named after with low and high has these as its interval."""
    ends = {name: tuple(end for end in (f"{name}_low", f"{name}_high") if end in names) for name in names}
    if set(INTERVAL) <= set(names):
        ends["value"] = ("low", "high")
    columns = (Column(name, SCORE, interval=ends[name]) for name in names)
    return Table("t", "T", (Column("measure"), *columns), tuple(rows))


def bar_lengths(text: str) -> list[float]:
    """How many cells each bar takes, in eighths of one."""
    bars = [line.partition("│")[2] for line in text.splitlines() if "│" in line]
    return [bar.count("█") + sum(EIGHTHS.index(sign) / 8 for sign in bar if sign in EIGHTHS) for bar in bars]


def without_colour(text: str) -> str:
    return re.sub(r"\x1b\[[\d;]*m", "", text)


@pytest.mark.parametrize("width", [60, 80, 100, 160])
@pytest.mark.parametrize("colour", [False, True])
def test_no_line_but_the_signature_is_wider_than_the_terminal(width: int, colour: bool) -> None:
    tables = (*stance().tables, scores_of(EXOTIC, [0.1 * index for index in range(len(EXOTIC))]))
    lines = without_colour(render(report(*tables), "chart", width=width, colour=colour)).splitlines()
    assert lines[-1] == SIGNATURE
    assert max(map(cell_len, lines[:-1])) <= width


@pytest.mark.parametrize("colour", [False, True])
def test_a_chart_is_the_table_with_signs_or_colours_added(colour: bool) -> None:
    tables = (*stance().tables, scores_of(EXOTIC, [0.1 * index for index in range(len(EXOTIC))]))
    chart, plain = (
        without_colour(render(report(*tables), name, colour=colour, width=400)) for name in ("chart", "table")
    )
    added = re.compile(r"(blue to yellow|·· ░░ ▒▒ ▓▓ ██) from worst to best of each column;|[─·░▒▓█│▏▎▍▌▋▊▉]")
    assert added.sub("", chart).split() == added.sub("", plain).split()


def test_bars_are_as_long_as_their_numbers_and_begin_at_one_zero() -> None:
    lengths = bar_lengths(chart_text(scores_of(["a", "b", "c"], [0.2, 0.4, 0.8])))
    assert lengths == pytest.approx([7.5, 15, 30])
    text = chart_text(scores_of(["up", "down", "none"], [0.5, -0.5, 0.0]))
    up, down, none = (line for line in text.splitlines() if "│" in line)
    assert len({line.index("│") for line in (up, down, none)}) == 1
    assert up.split() == ["up", "│" + 15 * "█", "0.5000"]
    assert down.split() == ["down", 15 * "█" + "│", "-0.5000"]
    assert none.split() == ["none", "│", "0.0000"]


@pytest.mark.parametrize(("higher", "legend_text"), [(True, ""), (False, "↓ lower is better"), (None, "")])
def test_the_better_end_is_told_as_below_tables(higher: bool | None, legend_text: str) -> None:
    columns = (Column("system"), Column("mae", SCORE, higher))
    text = chart_text(Table("t", "T", columns, (("a", 0.5), ("b", 0.25))))
    assert legend_text in text
    assert legend_text or "better" not in text


def test_a_point_stands_between_the_ends_of_its_interval() -> None:
    text = chart_text(
        table(INTERVAL, [("wide", 0.5, 0.0, 1.0), ("narrow", 0.5, 0.4, 0.6), ("none", 0.5, math.nan, 0.9)])
    )
    wide, narrow, none = (line for line in text.splitlines() if "●" in line and "0.5" in line)
    assert re.search(r" ├─{13}●─{14}┤ 0\.50 \[0\.00, 1\.00\]$", wide)
    assert len({line.index("●") for line in (wide, narrow, none)}) == 1
    assert wide.index("├") < narrow.index("├") < narrow.index("┤") < wide.index("┤")
    assert not set(none) & set("├┤─")
    assert none.endswith(" 0.50    [—, 0.90]")
    assert "● value, ├─┤ from low to high, on an axis from 0.0000 to 1.0000; — undefined" in text


def test_zero_is_marked_if_an_interval_may_include_it() -> None:
    text = chart_text(table(INTERVAL, [("both", 0.0, -1.0, 1.0), ("above", 0.5, 0.25, 0.75)]))
    both, above = (line for line in text.splitlines() if line.startswith(("both", "above")))
    assert above.index("│") == both.index("●")
    assert "│" not in chart_text(table(INTERVAL, [("a", 0.5, 0.25, 0.75)]))


def test_each_quantity_of_a_table_has_its_own_interval() -> None:
    names = ("consistency", "consistency_low", "consistency_high", "discrimination")
    text = chart_text(table(names, [("a", 0.5, 0.4, 0.6, 0.7), ("b", 0.6, 0.5, 0.7, 0.9)]))
    assert text.count("├") == 2 + 1
    assert len(bar_lengths(text)) == 2
    assert "from consistency_low to consistency_high" in text


def test_a_measure_of_a_class_called_low_is_a_number_like_any_other() -> None:
    text = chart_text(table(("recall:class=low", "recall:class=high"), [("a", 0.5, 0.25), ("b", 0.75, 1.0)]))
    assert "░░ 0.5000" in text
    assert "·· 0.2500" in text


def test_a_matrix_is_a_map_of_one_scale() -> None:
    names = ["f1", "mcc", "cem-ord"]
    text = chart_text(table(names, [(one, *(1.0 if one == other else 0.25 for other in names)) for one in names]))
    assert text.splitlines()[4].split() == ["f1", "██", "1.0000", "··", "0.2500", "··", "0.2500"]
    assert "·· ░░ ▒▒ ▓▓ ██ from 0.2500 to 1.0000\n" in text


def test_in_colour_larger_numbers_have_brighter_grounds() -> None:
    text = chart_text(table(["one", "two", "three"], [("a", 0.0, 0.5, 1.0), ("b", 1.0, 0.5, math.nan)]), colour=True)
    grounds = [re.findall(r"48;5;(\d+)m +(\S+) ", line) for line in text.splitlines() if line.startswith(("a ", "b "))]
    assert grounds == [[("17", "0.0000"), ("144", "0.5000"), ("227", "1.0000")], [("227", "1.0000"), ("144", "0.5000")]]
    assert not set(text) & set("░▒▓")
    assert "blue to yellow from 0.0000 to 1.0000" in text


def test_measures_of_either_direction_are_shaded_from_worst_to_best() -> None:
    columns = (
        Column("system"),
        Column("f1", SCORE, higher_is_better=True),
        Column("mae", SCORE, higher_is_better=False),
    )
    text = chart_text(Table("t", "T", columns, (("good", 0.9, 0.1), ("bad", 0.1, 0.8))))
    good, bad = (line.split()[1:] for line in text.splitlines() if line.startswith(("good", "bad")))
    assert (good, bad) == (["██", "0.9000", "██", "0.1000"], ["··", "0.1000", "··", "0.8000"])
    assert "·· ░░ ▒▒ ▓▓ ██ from worst to best of each column; ↓ lower is better" in text
    text = chart_text(
        Table("t", "T", (*columns, Column("n", SCORE)), (("good", 0.9, 0.1, 0.5), ("bad", 0.1, 0.8, 0.5)))
    )
    good, bad = (line.split()[1:] for line in text.splitlines() if line.startswith(("good", "bad")))
    assert (good[::2], bad[::2]) == (["██", "··", "▒▒"], ["··", "██", "▒▒"])
    assert "·· ░░ ▒▒ ▓▓ ██ from 0.1000 to 0.9000" in text


def test_numbers_keep_their_digits_and_counts_are_whole() -> None:
    columns = (Column("measure"), Column("majority", Kind.COUNT), Column("random", Kind.COUNT))
    text = chart_text(Table("t", "T", columns, (("accuracy", 4, 0), ("macro-f1", 0, 0))))
    assert "██ 4" in text
    text = chart_text(scores_of(["a", "b"], [0.123456, math.nan]), digits=3)
    assert " 0.123\n" in text
    assert [line.split() for line in text.splitlines() if line.startswith("b")] == [["b", "│", "—"]]
    assert "— undefined" in text


def test_words_and_empty_tables_stay_tables() -> None:
    words = Table("groups", "Groups", (Column("measure"), Column("group")), (("f1", "A"), ("mcc", "B")))
    for example in (words, table(["value"], []), table(["x", "y"], [])):
        assert chart_text(example) == render(report(example), "table")


def test_the_finding_stands_above_and_notes_and_what_is_left_out_below() -> None:
    detail = Table("more", "More", (Column("a"),), (("b",),), detail=True)
    whole = Report(
        "score",
        SIGNATURE,
        (scores_of(["a"], [0.5]), detail),
        (Note("A note."),),
        report().provenance,
        (Finding("score", "A finding"),),
    )
    text = render(whole, "chart", notes=True)
    positions = [text.index(part) for part in ("A finding.", "Scores", "A note.", "Not shown: tables more", SIGNATURE)]
    assert positions == sorted(positions)


@pytest.mark.parametrize("values", [[0.0, 0.0], [math.nan, math.nan], [math.inf, 1.0], [1e-9, 2e-9], [-3.0, -3.0]])
def test_any_numbers_can_be_drawn(values: list[float]) -> None:
    rows = list(zip("ab", values, strict=True))
    for name in ("value", "x"):
        assert chart_text(table([name], rows)).count("│") == 2
    assert chart_text(table(INTERVAL, [(name, value, value, value) for name, value in rows]))
    assert chart_text(table(["x", "y"], [(name, value, value) for name, value in rows]))
