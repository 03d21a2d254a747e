"""Charts in the terminal: within the width, longer bars for larger numbers, no number lost."""

import math
import re
from collections.abc import Sequence

import pytest
from render.made_up import EXOTIC, MEASURES, SIGNATURE, SYSTEMS, report, scores_of, stance
from rich.cells import cell_len

from metaeval.model.report import Cell, Column, Finding, Kind, Report, Table
from metaeval.render import render
from metaeval.render.chart_rows import shorten

SCORE = Kind.SCORE
INTERVAL = ("value", "low", "high")


def drawn(table: Table, **style: int | bool | None) -> str:
    return render(report(table), "chart", **style)  # type: ignore[arg-type]


def table(names: Sequence[str], rows: Sequence[tuple[Cell, ...]], bands: tuple[float, ...] = ()) -> Table:
    columns = (Column("measure"), *(Column(name, SCORE, bands=bands) for name in names))
    return Table("t", "T", columns, tuple(rows))


def square(names: Sequence[str]) -> Table:
    rows: list[tuple[Cell, ...]] = [(one, *(1.0 if one == other else 0.25 for other in names)) for one in names]
    return table(names, rows, bands=(0.3, 0.6))


def bar_lengths(text: str) -> list[float]:
    """How many cells each bar takes, in eighths of one."""
    found = []
    for line in text.splitlines():
        if "│" in line:
            bar = line.partition("│")[2]
            found.append(bar.count("█") + sum(" ▏▎▍▌▋▊▉".index(sign) / 8 for sign in bar if sign in "▏▎▍▌▋▊▉"))
    return found


@pytest.mark.parametrize("width", [60, 80, 100, 160])
@pytest.mark.parametrize("colour", [False, True])
def test_no_line_but_the_signature_is_wider_than_the_terminal(width: int, colour: bool) -> None:
    tables = (*stance().tables, square(MEASURES), scores_of(EXOTIC, [0.1 * place for place in range(len(EXOTIC))]))
    lines = re.sub(r"\x1b\[[\d;]*m", "", render(report(*tables), "chart", width=width, colour=colour)).splitlines()
    assert lines[-1] == SIGNATURE
    assert max(map(cell_len, lines[:-1])) <= width


def test_bars_are_as_long_as_their_numbers_and_begin_at_one_zero() -> None:
    lengths = bar_lengths(drawn(scores_of(["a", "b", "c"], [0.2, 0.4, 0.8])))
    assert lengths[1] == pytest.approx(2 * lengths[0], abs=0.25)
    assert lengths[2] == pytest.approx(4 * lengths[0], abs=0.5)
    text = drawn(scores_of(["up", "down", "none"], [0.5, -0.5, 0.0]))
    up, down, none = (line for line in text.splitlines() if "│" in line)
    assert len({line.index("│") for line in (up, down, none)}) == 1
    assert up.split("│")[0].strip().endswith("0.5000")
    assert up.endswith("█")
    assert down.endswith("█│")
    assert none.endswith("0.0000" + none.split("0.0000")[1].rstrip("│") + "│")


@pytest.mark.parametrize(("higher", "told"), [(True, "higher is better"), (False, "↓ lower is better"), (None, "")])
def test_the_better_end_is_told_where_it_is_known(higher: bool | None, told: str) -> None:
    columns = (Column("system"), Column("mae", SCORE, higher))
    text = drawn(Table("t", "T", columns, (("a", 0.5), ("b", 0.25))))
    assert told in text
    assert higher is not None or "better" not in text


def test_a_point_stands_between_the_ends_of_its_interval() -> None:
    text = drawn(table(INTERVAL, [("wide", 0.5, 0.0, 1.0), ("narrow", 0.5, 0.45, 0.55), ("none", 0.5, math.nan, 0.9)]))
    wide, narrow, none = (line for line in text.splitlines() if "●" in line and "0.5" in line)
    assert re.search(r"├─+●─+┤$", wide)
    assert len({line.index("●") for line in (wide, narrow, none)}) == 1
    assert wide.index("├") < narrow.index("├") < narrow.index("┤") < wide.index("┤")
    assert not set(none) & set("├┤─")
    assert "● value, ├─┤ from low to high" in text


def test_each_quantity_of_a_table_has_its_own_interval() -> None:
    names = ("consistency", "consistency_low", "consistency_high", "discrimination")
    text = drawn(table(names, [("a", 0.5, 0.4, 0.6, 0.7), ("b", 0.6, 0.5, 0.7, 0.9)]))
    assert text.count("├") == 2 + 1
    assert len(bar_lengths(text)) == 2
    assert "from consistency_low to consistency_high" in text


def test_rows_that_share_a_name_say_it_once() -> None:
    columns = (Column("human"), Column("level"), Column("measure"), Column("value", SCORE))
    rows = tuple((human, "system", measure, 0.5) for measure in ("f1", "mcc") for human in ("ann", "bob"))
    text = drawn(Table("t", "T", columns, rows))
    assert "value; level: system" in text
    assert [line.split("0.5")[0].split() for line in text.splitlines() if "│" in line] == [
        ["f1", "ann"], ["bob"], ["mcc", "ann"], ["bob"],
    ]  # fmt: skip


def test_a_matrix_of_measures_with_themselves_is_a_map_with_numbered_columns() -> None:
    text = drawn(square(["f1", "mcc", "a very long name of a measure that no terminal has any room for"]))
    lines = text.splitlines()
    assert lines[2].split() == ["1", "2", "3"]
    assert lines[3].split() == ["1", "f1", "██", "1.00", "··", "0.25", "··", "0.25"]
    assert "…" in lines[5]
    assert "0.25 ·· ░░ ▒▒ ▓▓ ██ 1.00\nparts of the scale end at 0.30, 0.60 and 1.00\n" in text


def test_in_colour_larger_numbers_have_brighter_grounds() -> None:
    text = drawn(table(["one", "two", "three"], [("a", 0.0, 0.5, 1.0), ("b", 1.0, 0.5, math.nan)]), colour=True)
    grounds = [re.findall(r"48;5;(\d+)m +(\S+) ", line) for line in text.splitlines() if line.startswith(("a ", "b "))]
    assert grounds == [[("17", "0.00"), ("144", "0.50"), ("227", "1.00")], [("227", "1.00"), ("144", "0.50")]]
    assert not set(text) & set("░▒▓")


def test_measures_of_either_direction_are_shaded_from_worst_to_best() -> None:
    columns = (
        Column("system"),
        Column("f1", SCORE, higher_is_better=True),
        Column("mae", SCORE, higher_is_better=False),
    )
    text = drawn(Table("t", "T", columns, (("good", 0.9, 0.1), ("bad", 0.1, 0.8))))
    good, bad = (line.split()[1:] for line in text.splitlines() if line.startswith(("good", "bad")))
    assert (good, bad) == (["██", "0.90", "██", "0.10"], ["··", "0.10", "··", "0.80"])
    assert "worst ·· ░░ ▒▒ ▓▓ ██ best of each column" in text
    assert "↓ lower is better" in text


def test_numbers_keep_their_digits_and_counts_are_whole() -> None:
    assert "0.9712" in drawn(table(["x", "y"], [("a", 0.9712, 0.9715), ("b", 0.9713, 0.9719)]))
    columns = (Column("measure"), Column("majority", Kind.COUNT), Column("random", Kind.COUNT))
    text = drawn(Table("t", "T", columns, (("accuracy", 4, 0), ("macro-f1", 0, 0))))
    assert "██ 4" in text
    assert "0 ·· ░░ ▒▒ ▓▓ ██ 4" in text
    text = drawn(scores_of(["a", "b"], [0.123456, math.nan]), digits=3)
    assert "0.123 " in text
    assert [line for line in text.splitlines() if line.startswith("b")] == ["b      —  │"]
    assert "— undefined" in text


def test_every_score_stands_in_one_panel_of_a_map() -> None:
    text = render(stance(), "chart", width=60)
    assert all(sum(line.startswith(name + " ") for line in text.splitlines()) >= 2 for name in SYSTEMS)
    scores = [cell for row in stance().main.rows for cell in row if isinstance(cell, float) and not math.isnan(cell)]
    assert len(re.findall(r"\b\d\.\d\d\b", text.split("worst")[0])) == len(scores)


def test_words_and_empty_tables_stay_tables() -> None:
    words = Table("groups", "Groups", (Column("measure"), Column("group")), (("f1", "A"), ("mcc", "B")))
    assert drawn(words) == render(report(words), "table", width=80)
    assert "T" in drawn(table(["value"], []))
    assert render(stance(), "chart") == render(stance(), "chart", width=80)


def test_findings_notes_and_what_is_left_out_stand_below() -> None:
    detail = Table("more", "More", (Column("a"),), (("b",),), detail=True)
    whole = Report("score", SIGNATURE, (scores_of(["a"], [0.5]), detail), ("A note.",), report().provenance,
                   (Finding("score", "A finding."),))  # fmt: skip
    tail = render(whole, "chart").split("Not shown: more")[1]
    assert [tail.index(text) for text in ("A finding.", "A note.", SIGNATURE)] == sorted(
        tail.index(text) for text in ("A finding.", "A note.", SIGNATURE)
    )


@pytest.mark.parametrize("values", [[0.0, 0.0], [math.nan, math.nan], [math.inf, 1.0], [1e-9, 2e-9], [-3.0, -3.0]])
def test_any_numbers_can_be_drawn(values: list[float]) -> None:
    rows = list(zip("ab", values, strict=True))
    for name in ("value", "x"):
        assert drawn(table([name], rows)).count("│") == 2
    assert drawn(table(INTERVAL, [(name, value, value, value) for name, value in rows]))
    assert drawn(table(["x", "y"], [(name, value, value) for name, value in rows]))


def test_a_long_name_loses_its_middle() -> None:
    assert shorten("short", 5) == "short"
    for width in range(3, 30):
        text = shorten("模型甲乙丙丁:level=entity,stat=recall", width)
        assert cell_len(text) <= width
        assert "…" in text
