"""The report in a terminal: nothing is lost, wider than the terminal, or ambiguous."""

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from render.made_up import EXOTIC, MEASURES, SIGNATURE, SYSTEMS, TRIVIAL, report, scores_of, stance
from rich.cells import cell_len

from metaeval.model.report import Cell, Column, Kind, Provenance, Report, Table
from metaeval.render import render
from metaeval.render.cells import Style, shown_columns

WIDTHS = [60, 72, 80, 100, 120, 140, 160, 200]


def panels(text: str) -> list[list[str]]:
    """The blocks of lines that hold a rule, which are the panels of tables."""
    return [block.splitlines() for block in text.split("\n\n") if "───" in block]


def squeezed(text: str) -> str:
    return re.sub(" +", " ", text)


@pytest.mark.parametrize("width", [*WIDTHS, 20, 1, None])
def test_every_cell_stands_in_one_panel_that_names_its_rows_and_fits_the_terminal(width: int | None) -> None:
    text = render(stance(), "table", width=width, every_column=True)
    *lines, signature = text.splitlines()
    assert signature == SIGNATURE
    assert width not in WIDTHS or max(map(cell_len, lines)) <= width
    for panel in panels(text):
        assert [line.split(" ")[0] for line in panel[-len(SYSTEMS) :]] == list(SYSTEMS)
        assert "…" not in "".join(panel)
    text = squeezed(text)
    for column in shown_columns(stance().main, Style(every_column=True))[2:]:
        for cell in column.cells:
            if cell.value != "—":
                assert text.count(str(cell)) == 1
    assert text.count("— (14)") == 2
    assert text.count("•") == 2


def header_of(panel: list[str], end: int) -> str:
    """The lines of the header that end where a column ends, joined."""
    rule = next(number for number, line in enumerate(panel) if line.startswith("───"))
    padded = [line.ljust(300) for line in panel[:rule]]
    return "".join(re.findall(r"(?:\S|(?<=↓) )*$", line[:end])[0] for line in padded)


@pytest.mark.parametrize("width", [*WIDTHS, 20, None])
def test_every_measure_heads_one_column_in_the_declared_order(width: int | None) -> None:
    headers = []
    for panel in panels(render(stance(), "table", width=width, every_column=True)):
        # Every score is flush right with its header and ends in the parenthesis of a rank.
        headers += [header_of(panel, match.end()) for match in re.finditer(r"\( ?\d+\)", panel[-1])]
    assert [header.removeprefix("↓ ") for header in headers] == list(MEASURES)
    assert [header.startswith("↓") for header in headers] == [name.startswith("mae") for name in MEASURES]


@given(st.lists(st.integers(1, 40), min_size=1, max_size=12), st.integers(30, 150))
def test_panels_are_as_few_as_the_width_allows(lengths: list[int], width: int) -> None:
    names = [f"{index:x}{'n' * length}" for index, length in enumerate(lengths)]
    table = Table("t", "T", (Column("s"), *(Column(name, Kind.SCORE) for name in names)), (("x", *[0.5] * len(names)),))
    blocks = panels(render(report(table), "table", width=width))
    assert "".join(squeezed(panel[0]) for panel in blocks).replace("s ", " ").split() == names
    for panel in blocks:
        assert cell_len(panel[1]) <= width or len(panel[0].split()) == 2
    widths = [max(len(name), 6) + 2 for name in names]
    fewest, used = 1, 1
    for extra in widths:
        if used > 1 and used + extra > width:
            fewest, used = fewest + 1, 1
        used += extra
    assert len(blocks) == fewest


@pytest.mark.parametrize("width", [80, None])
def test_without_colour_there_are_no_escape_codes(width: int | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b" not in render(stance(), "table", width=width)


def test_colour_changes_looks_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")  # the caller decides
    coloured = render(stance(), "table", width=100, colour=True)
    plain = re.sub(r"\x1b\[[\d;]+m", "", coloured).replace("best in bold; ", "")
    assert plain == render(stance(), "table", width=100)


def test_the_best_are_bold_and_the_trivial_are_dim() -> None:
    coloured = render(report(scores_of("abc", [0.5, 0.25, 0.5])), "table", colour=True)
    assert coloured.count("\x1b[1m0.5000\x1b[0m") == 2
    assert "0.2500\x1b" not in coloured
    rows = render(stance(), "table", colour=True).splitlines()
    dim = {line.split("\x1b[0m")[0].removeprefix("\x1b[2m") for line in rows if line.startswith("\x1b[2m")}
    assert set(SYSTEMS) & dim == set(TRIVIAL)


def test_numbers_align_at_the_decimal_point_and_wide_characters_count_twice() -> None:
    text = render(report(scores_of(["模型甲乙", "b", "c"], [0.5, -12.25, 1234.0])), "table", digits=2)
    rows = panels(text)[0][-3:]
    assert {cell_len(row[: row.index(".")]) for row in rows} == {15}
    assert rows[0] == "模型甲乙      0.50"


def test_names_are_printed_as_they_are_with_control_characters_escaped() -> None:
    text = render(report(scores_of(EXOTIC, [0.5] * len(EXOTIC))), "table")
    for shown in ("[red]x[/]", ":smile:", "a|b", r"two\nlines", r"\x1b[31mred", r"*[tab]\t", "~^\\{}#$<>--"):
        assert f"\n{shown} " in text
    assert len(panels(text)[0]) == 2 + len(EXOTIC)


def test_rows_are_named_by_as_many_text_columns_as_tell_them_apart() -> None:
    columns = (Column("measure"), Column("human"), *(Column(f"value{n}", Kind.SCORE) for n in range(6)))
    rows = tuple((measure, human, *[0.5] * 6) for measure in ("m1", "m2") for human in ("content", "form"))
    first, second = panels(render(report(Table("t", "T", columns, rows)), "table", width=48))
    for panel in (first, second):
        assert [line.split()[:2] for line in panel[-4:]] == [[measure, human] for measure, human, *_ in rows]


def test_long_text_is_wrapped_between_words_beside_its_row() -> None:
    words = [f"word{number}" for number in range(40)]
    table = Table("t", "T", (Column("measure"), Column("formula")), (("gmr", " ".join(words)), ("mcc", "short")))
    text = render(report(table), "table", width=60)
    (panel,) = panels(text)
    assert max(map(len, panel)) <= 60
    assert panel[2].startswith("gmr      word0 word1")
    assert " ".join(panel[2:-1]).split() == ["gmr", *words]


LONG = [f"organisation/{'model-name-' * 8}v{number}-checkpoint" for number in range(12)]


@pytest.mark.parametrize("width", [80, 100, None])
@pytest.mark.parametrize(
    "names", [LONG, [*LONG, "short"], ["模型" * 60, "模型" * 59 + "甲"], ["a" * 120, "a" * 60, "aba" * 50]]
)
@pytest.mark.parametrize("before", [[], [Column("rank", Kind.COUNT)], [Column("measure")]])
def test_long_names_of_rows_are_shortened_to_different_ones(
    width: int | None, names: list[str], before: list[Column]
) -> None:
    columns = (*before, Column("system"), Column("accuracy", Kind.SCORE), Column("letters"))
    rows: list[tuple[Cell, ...]] = [(*[1 for _ in before], name, 0.5, "ab") for name in names]
    (panel,) = panels(render(report(Table("scores", "Scores", columns, tuple(rows))), "table", width=width))
    assert max(map(cell_len, panel)) <= (width or 100)
    shown = [line.split()[len(before)] for line in panel[2 : 2 + len(names)]]
    assert len(set(shown)) == len(names)
    assert all(label.startswith(name[:5]) for label, name in zip(shown, names, strict=True))
    assert names == LONG or width != 100 or "short" not in names or "short" in shown
    data = render(report(Table("scores", "Scores", columns, tuple(rows))), "csv")
    assert all(name in data for name in names)


def test_names_that_fit_are_whole() -> None:
    table = scores_of(LONG, [0.5] * len(LONG))
    text = render(report(table), "table", width=140)
    assert all(f"\n{name} " in text for name in LONG)


def test_notes_are_wrapped_for_a_terminal_and_not_for_a_pipe() -> None:
    text = render(stance(), "table", width=50, notes=True)
    notes = text[text.index("Note: ") :].removesuffix(SIGNATURE + "\n")
    assert " ".join(notes.split()) == " ".join(f"Note: {note}" for note in stance().notes)
    assert all(line.startswith(("Note: ", "      ")) for line in notes.splitlines() if line)
    text = render(stance(), "table", notes=True)
    assert len(panels(text)) == 1
    assert text.count("Note: ") == len(stance().notes)
    assert all(f"Note: {note}\n" in text for note in stance().notes)


def test_notes_that_are_not_printed_are_counted_without_warnings_about_the_input() -> None:
    text = render(stance(), "table")
    assert "Note: " not in text
    assert "Not shown: 2 notes: notes\n" in text
    made = replace(stance(), notes=tuple(replace(note, on_input=True) for note in stance().notes))
    assert "Not shown" not in render(made, "table")


def test_signs_are_explained_details_left_out_and_heads_shortened_for_people() -> None:
    signs = "↓ lower is better; — undefined\n\n"
    assert f"\n\nranks in parentheses; {signs}" in render(stance(), "table", every_column=True)
    # Ranks beside many columns are left out.
    assert f"\n\n{signs}" in render(stance(), "table")
    assert "undefined" not in render(report(scores_of("ab", [0.5, 0.25])), "table")
    shown = Table("scores", "Scores", (Column("system"),), (("atlas",),))
    detail = Table("intervals", "Intervals", (Column("system"),), (("words",),), detail=True)
    made = Report("run", "metaeval:0.1.0", (shown, detail), (), Provenance("0.1.0"))
    text = render(made, "table")
    assert "words" not in text
    assert "Not shown: tables intervals: table\n" in text
    assert "words" in render(made, "json")
    table = Table("t", "T", (Column("system"), Column("score_low", Kind.SCORE, head="low")), (("atlas", 0.5),))
    made = Report("run", "metaeval:0.1.0", (table,), (), Provenance("0.1.0"))
    assert "score_low" not in render(made, "table")
    assert "score_low" in render(made, "table", every_column=True)
    assert render(made, "csv").splitlines()[0] == "system,score_low"


def test_bands_of_values_have_colours_of_their_own() -> None:
    columns = (Column("measure"), Column("tau", Kind.SCORE, bands=(0.3, 0.6)))
    table = Table("t", "T", columns, (("a", 0.1), ("b", 0.3), ("c", 0.6), ("d", float("nan"))))
    made = Report("run", "metaeval:0.1.0", (table,), (), Provenance("0.1.0"))
    codes = dict(re.findall(r"\x1b\[([\d;]+)m(0\.\d+)", render(made, "table", colour=True)))
    assert sorted(codes.values()) == ["0.1000", "0.3000", "0.6000"]
    assert len(codes) == 3
    assert "\x1b" not in render(made, "table", colour=False)
