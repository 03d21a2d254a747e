"""The page: whole without a network, safe whatever the names, and every number of it in its JSON twin."""

import base64
import hashlib
import json
import math
import re
import sys
from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise, product
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from render.made_up import EXOTIC, MEASURES, SYSTEMS, report, scores_of, stance
from render.page_reader import by_id, page_of, parsed, rows_of, words

import metaeval.render.html as page_module
from metaeval import read_config
from metaeval.errors import visible
from metaeval.model.report import Cell, Column, Finding, Kind, Note, Provenance, Report, SourceFile, Table
from metaeval.registry import ANALYSES, declaration
from metaeval.render import render
from metaeval.render.cells import shows_beside
from metaeval.render.plots import drawings
from metaeval.render.sections import COMMANDS, by_analysis, names_in, whole_sentences, with_titles
from metaeval.runner.several import run_experiment

HOSTILE = (
    "<script>alert(1)</script>",
    "</script><script>alert(2)</script>",
    "<img src=x onerror=alert(3)>",
    '"onmouseover="alert(4)',
    "'single' & \"double\" &lt; &amp;",
    "</td></tr></table>",
    "\u202edecreosrever\u202c",
    "]]>--><!--",
)


def stance_study(*, verdict: bool) -> Report:
    """The shipped stance study, whole, or without its verdict."""
    config = read_config(str(Path(__file__).resolve().parents[2] / "configs/stance.yaml"))
    analyses = tuple(analysis for analysis in config.analyses if verdict or analysis.section != "recommend")
    assert len(analyses) == len(config.analyses) - (not verdict)
    return run_experiment(replace(config, analyses=analyses), command_line="metaeval run stance.yaml")


@pytest.fixture(scope="module")
def study() -> Report:
    """The shipped stance study without a verdict."""
    return stance_study(verdict=False)


@pytest.fixture(scope="module")
def page(study: Report) -> Element:
    return parsed(render(study, "html"))


def report_naming(names: tuple[str, ...]) -> Report:
    """A report in which these are the names of everything that a user can name."""
    columns = (Column("system"), *(Column(name, Kind.SCORE, higher_is_better=True) for name in names))
    rows: list[tuple[Cell, ...]] = [(name, *(0.1 * index for index in range(len(names)))) for name in names]
    files = tuple(SourceFile(name, "run", "0" * 64) for name in names)
    origin = Provenance("0.1.0", names[0], files, {"numpy": names[0]}, {"scale": "<".join(names)}, {names[0]: 3})
    findings = tuple(Finding("score", name) for name in names)
    tables = (Table("scores", names[0], columns, tuple(rows)),)
    return Report("score", names[0], tables, tuple(map(Note, names)), origin, findings)


# What is there


def test_the_order_is_question_data_findings_evidence_notes_and_origin(page: Element) -> None:
    assert [words(heading) for heading in page.iter() if heading.tag in ("h1", "h2")] == [
        "Stance detection",
        "Findings",
        "How do the systems score?",
        "Do measures rank systems similarly?",
        "Is a measure’s ranking the same on other items?",
        "Does a measure notice the distinction between classes?",
        "Which measure does well on every count?",
        "Methods",
        "Data and provenance",
    ]
    (facts,) = [element for element in page.iter("dl") if element.get("class") == "facts"]
    assert [words(element) for element in facts.iter("div")] == ["items1,413", "systems14", "classes3"]
    assert "disagree<discuss<agree" in words(by_id(page, "findings"))
    assert "sample_data/fnc1/gold.csv" in words(by_id(page, "provenance"))
    (root,) = page.iter("html")
    assert root.get("lang") == "en"
    assert next(page.iter("a")).get("href") == "#content"
    assert by_id(page, "content").tag == "main"
    page = page_of(replace(stance(), notes=(Note("a < b"),)))
    assert words(next(by_id(page, "score").iter("li"))) == "a < b"
    assert stance().signature in words(by_id(page, "provenance"))


def test_headings_go_down_by_one_and_links_have_their_ends(page: Element) -> None:
    levels = [int(element.tag[1]) for element in page.iter() if re.fullmatch(r"h\d", element.tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(later - earlier <= 1 for earlier, later in pairwise(levels))
    ids = [element.attrib["id"] for element in page.iter() if "id" in element.attrib]
    assert len(ids) == len(set(ids))
    assert {link.attrib["href"].removeprefix("#") for link in page.iter("a")} <= set(ids)


def test_every_finding_leads_to_its_section(study: Report, page: Element) -> None:
    assert study.findings
    findings = by_id(page, "findings")
    titled = with_titles(study)
    sentences = [whole_sentences(finding, names_in(titled)) for finding in titled.findings]
    assert [words(element) for element in findings.iter("dd")][: len(sentences)] == sentences
    for finding, sentence in zip(study.findings, sentences, strict=True):
        assert sentence in [words(element) for element in by_id(page, finding.criterion).iter("p")]
    for link in findings.iter("a"):
        assert by_id(page, link.attrib["href"].removeprefix("#")).tag == "section"
    assert len(list(findings.iter("a"))) == len(study.findings)


def test_every_table_stands_below_its_question_and_its_plots_before_it(study: Report, page: Element) -> None:
    order = {element.attrib["id"]: index for index, element in enumerate(page.iter()) if "id" in element.attrib}
    for section in by_analysis(study):
        inside = {element.get("id") for element in by_id(page, section.name).iter()}
        assert {f"table-{table.name}" for table in section.tables} <= inside
    for drawing in drawings(study):
        main = drawing.table if f"table-{drawing.table}" in order else "scores"
        assert order[f"plot-{drawing.name}"] < order[f"table-{main}"]


def test_every_plot_is_there_with_its_text(study: Report, page: Element) -> None:
    figures = {figure.attrib["id"].removeprefix("plot-"): figure for figure in page.iter("figure")}
    plots = drawings(with_titles(study))
    assert len(figures) == len(plots) > 5
    for drawing in plots:
        caption = words(next(figures[drawing.name].iter("figcaption")))
        assert len(caption) <= 191
        assert drawing.alt.startswith(caption.rstrip(" .…")), "clauses of the text in full"
        picture = next(figures[drawing.name].iter("svg"))
        assert picture.get("role") == "img"
        assert drawing.alt in words(next(picture.iter("desc")))


@pytest.mark.slow
def test_a_section_is_its_finding_and_main_plot_and_all_else_is_closed(study: Report, page: Element) -> None:
    folded = {table.attrib["id"] for box in page.iter("details") for table in box.iter("table") if "id" in table.attrib}
    assert folded == {f"table-{table.name}" for table in study.tables}
    assert not [box for box in page.iter("details") if "open" in box.attrib]
    for section in by_analysis(study):
        parts = [part.tag for part in by_id(page, section.name)]
        findings = sum(finding.criterion == section.name for finding in study.findings)
        assert parts == ["h2", *["p"] * findings, "figure", "details"]
    opened = parsed(render(study, "html", appendix=True))
    sections = [by_id(opened, section.name) for section in by_analysis(study)]
    assert all("open" in box.attrib for section in sections for box in section.iter("details"))


def test_one_analysis_is_open_and_without_plots_its_table_is_the_main_part(
    study: Report, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = replace(study, tables=study.tables[:2], findings=study.findings[:1], notes_of={})
    box, *_ = by_id(parsed(render(alone, "html")), "score").iter("details")
    assert "open" in box.attrib
    monkeypatch.setattr(page_module, "_plots", lambda _: {})
    assert [part.tag for part in by_id(parsed(render(study, "html")), "score")] == ["h2", "p", "div", "details"]


def test_notes_stand_in_their_section_and_shared_ones_with_the_data(study: Report, page: Element) -> None:
    shown = {name: [words(element) for element in by_id(page, name).iter("li")] for name in ("stability", "provenance")}
    report = with_titles(study)
    others = [note for name, notes in report.notes_of.items() if name != "stability" for note in notes]
    assert shown["stability"] == [str(note) for note in report.notes_of["stability"] if note not in others]
    assert shown["provenance"] == [note for note in map(str, report.notes) if "effective number" in note]
    every = [words(element) for element in by_id(page, "content").iter("li")]
    assert all(every.count(note) == 1 for note in map(str, report.notes))


@pytest.mark.slow
def test_a_verdict_is_the_first_thing_with_its_table() -> None:
    page = page_of(stance_study(verdict=True))
    main = [part for part in by_id(page, "content") if part.tag == "section"]
    assert [part.get("id") for part in main[:3]] == ["recommend", "findings", "score"]
    assert [part.tag for part in main[0]] == ["p", "p", "p", "figure", "details"]
    assert "table-recommend" in [element.get("id") for element in main[0][4].iter()]
    assert not [element for element in main[1].iter("dl") if element.get("class") == "findings"]


def test_the_page_says_what_to_do_next(study: Report, page: Element) -> None:
    (steps,) = [element for element in page.iter("ul") if element.get("class") == "next"]
    commands = [words(element) for element in steps.iter("code")]
    assert len(commands) == 2
    assert all(re.fullmatch(r"metaeval [a-z]+ --config .*stance\.yaml", command) for command in commands)
    assert not {command.split()[1] for command in commands} & {section.name for section in by_analysis(study)}
    assert not [element for element in page_of(stance()).iter("ul") if element.get("class") == "next"]


def test_tables_belong_to_one_analysis_or_stand_under_their_title() -> None:
    odd = Table("odd", "Oddities & ends", (Column("what"),), (("this",),))
    page = page_of(report(odd))
    assert words(next(by_id(page, "about-odd").iter("h2"))) == "Oddities & ends"
    tables = [table for name in ANALYSES for table in declaration(name).tables]
    tables += [table for _, command_tables in COMMANDS.values() for table in command_tables]
    assert len(tables) == len(set(tables))


def test_without_matplotlib_the_page_says_what_plots_need(study: Report, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    page = page_of(study)
    assert "Plots need pip install 'metaeval[plots]'." in words(page)
    assert not list(page.iter("svg"))
    assert len(list(page.iter("table"))) > 10


# Tables


def test_cells_have_ranks_headers_numbers_to_sort_by_and_bands() -> None:
    table = by_id(page_of(report(scores_of(["a", "b"], [0.55555, 0.75])), digits=2), "table-scores")
    assert [[words(cell) for cell in row] for row in rows_of(table)] == [["a", "0.56"], ["b", "0.75"]]
    assert [words(element) for element in table.iter("b")] == ["0.75"]
    assert re.search(r"0\.\d{4} \(\d+\)", words(by_id(page_of(stance(), every_column=True), "table-scores")))
    table = by_id(page_of(stance()), "table-scores")
    assert [words(row[0]) for row in rows_of(table)] == list(SYSTEMS)
    assert {(row[0].tag, row[0].get("scope")) for row in rows_of(table)} == {("th", "row")}
    (head,) = table.iter("thead")
    assert [words(cell).removeprefix("↓ ") for cell in head.iter("th")] == ["system", "trivial", *MEASURES]
    assert {cell.get("scope") for cell in head.iter("th")} == {"col"}
    table = by_id(page_of(report(scores_of(["a", "b"], [1 / 3, math.nan]))), "table-scores")
    assert [row[1].get("data-value") for row in rows_of(table)] == [repr(1 / 3), ""]


def test_bands_are_backgrounds() -> None:
    columns = (Column("measure"), Column("tau", Kind.SCORE, bands=(0.3, 0.6)))
    rows = (("a", 0.1), ("b", 0.3), ("c", 0.9), ("d", math.nan))
    table = by_id(page_of(report(Table("odd", "T", columns, rows))), "table-odd")
    assert [row[1].get("class") for row in rows_of(table)] == ["score band-0", "score band-1", "score band-2", "score"]


@pytest.mark.parametrize(("rows", "shown"), [(300, 300), (301, 300)])
def test_a_long_detail_table_is_cut_and_says_so(rows: int, shown: int) -> None:
    columns = (Column("item"), Column("value", Kind.SCORE, higher_is_better=True))
    table = Table("item_scores", "T", columns, tuple((str(index), float(index)) for index in range(rows)), detail=True)
    page = page_of(report(table))
    box = by_id(page, "table-item_scores")
    assert len(list(rows_of(box))) == shown
    cut = shown < rows
    assert ("The first 300 of 301 rows" in words(page)) is cut
    # Neither the best nor an order of what is shown would be that of the table.
    assert bool(list(box.iter("b"))) is not cut
    assert ("sortable" in box.get("class", "")) is not cut


def test_long_tables_that_are_no_detail_are_whole_and_trivial_systems_stand_back() -> None:
    names = [f"s{index}" for index in range(400)]
    assert len(list(rows_of(by_id(page_of(report(scores_of(names, [0.5] * 400))), "table-scores")))) == 400
    (body,) = by_id(page_of(stance()), "table-scores").iter("tbody")
    assert [words(row[0]) for row in body if row.get("class") == "apart"] == ["always_discuss", "random_guess"]


# The twin


def test_every_cell_of_the_page_is_that_of_the_json_twin(study: Report) -> None:
    page = parsed(render(study, "html", titles=False))
    twin = json.loads(render(study, "json"))
    checked = 0
    for table in study.tables:
        beside = twin["tables"][table.beside.name] if table.beside else None
        rows = list(rows_of(by_id(page, f"table-{table.name}")))
        records = twin["tables"][table.name][: len(rows)]
        assert len(rows) == min(len(table.rows), 300 if table.detail else len(table.rows))
        for number, (row, record) in enumerate(zip(rows, records, strict=True)):
            other = beside[number] if beside else {}
            shown = [column for column in table.columns if not column.detail and column.name not in within(table)]
            for cell, column in zip(row, shown, strict=True):
                _check_cell(cell, column, record, other.get(column.name) if shows_beside(len(other) - 1) else None)
                checked += 1
    assert checked > 1000


def within(table: Table) -> set[str]:
    """The columns that stand in the cells of others."""
    return {name for column in table.columns for name in column.companions}


def _check_cell(cell: Element, column: Column, record: Mapping[str, Any], beside: Any) -> None:
    text, _, rest = words(cell).partition(" ")
    value = record[column.name]
    if value is None:
        assert text == "—"
    elif isinstance(value, bool):
        assert text == ("•" if value else "")
    elif isinstance(value, str):
        # The rows of a matrix are numbered.
        assert re.sub(rf"^\d+ (?={re.escape(value)}$)", "", words(cell)) == value
    elif column.kind is Kind.P and value < 0.001:
        assert text == "<0.001"
    else:
        # Both ends of an interval have the decimals of their value.
        ends = [record.get(name) for name in column.interval]
        shown = [text, *re.findall(r"(?<=\[)[^,]+|[^ ]+(?=\])", rest)]
        for number, exact in zip(shown, [value, *(end for end in ends if end is not None)], strict=True):
            assert float(number) == pytest.approx(exact, abs=0.5001 * 10.0 ** -len(number.partition(".")[2]))
        assert float(cell.attrib["data-value"]) == value
        letters = record.get(column.letters) or ""
        assert rest.endswith(f"({beside})" if beside is not None else letters)


def test_every_decimal_of_a_caption_is_in_the_twin(study: Report, page: Element) -> None:
    values = list(_numbers(json.loads(render(study, "json"))["tables"]))
    numbers = [
        word for caption in page.iter("figcaption") for word in re.findall(r"(?<![\w.=])-?\d+\.\d+", words(caption))
    ]
    assert len(numbers) > 10
    for word in numbers:
        half = 0.5001 * 10.0 ** -len(word.partition(".")[2])
        assert any(abs(float(word) - value) <= half for value in values), word


def _numbers(value: Any) -> Any:
    """Every number inside."""
    if isinstance(value, Mapping | list):
        for part in value.values() if isinstance(value, Mapping) else value:
            yield from _numbers(part)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield value


# Safety


@pytest.mark.parametrize("names", [HOSTILE, EXOTIC])
def test_whatever_users_name_is_text(names: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page_module, "_plots", lambda _: {})
    page = page_of(report_naming(names))
    plain = page_of(report_naming(("a", "b")))
    assert {element.tag for element in page.iter()} <= {element.tag for element in plain.iter()} | {"br", "wbr"}
    assert len(list(page.iter("script"))) == 1
    assert not [name for element in page.iter() for name in element.attrib if name.startswith("on")]
    table = by_id(page, "table-scores")
    shown = [re.sub(r"^\d ", "", words(row[0])) for row in rows_of(table)]
    assert shown == [re.sub(r"\s+", " ", visible(name)).strip() for name in names]
    monkeypatch.undo()
    text = render(report_naming(names), "html")  # with plots
    assert text.count("<script") == 1
    assert "<img" not in text
    assert "\u202e" not in text


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1))
@settings(max_examples=50)
def test_any_name_reads_back(name: str) -> None:
    columns = (Column("system"), Column("odd"))
    table = by_id(page_of(report(Table("odd", "T", columns, ((name, name),)))), "table-odd")
    ((head, cell),) = rows_of(table)
    assert words(head) == words(cell) == re.sub(r"\s+", " ", visible(name)).strip()


def test_the_policy_lets_the_pages_own_script_run_and_no_other(page: Element) -> None:
    (script,) = page.iter("script")
    digest = base64.b64encode(hashlib.sha256((script.text or "").encode()).digest()).decode()
    (policy,) = [element.attrib["content"] for element in page.iter("meta") if "http-equiv" in element.attrib]
    assert "default-src 'none'" in policy
    assert f"script-src 'sha256-{digest}'" in policy


def test_the_page_asks_for_nothing_from_elsewhere(study: Report) -> None:
    page = render(study, "html").replace("http://www.w3.org/2000/svg", "")
    assert not re.search(r"https?:|@import|url\((?!#)", page)
    assert not re.search(r"\ssrc=", page)


# Colours


def _themes() -> list[dict[str, str]]:
    css = (Path(page_module.__file__).parent / "page" / "page.css").read_text(encoding="utf-8")
    themes = [dict(re.findall(r"--(\w+): (#\w+);", block)) for block in re.findall(r":root \{(.*?)\}", css, re.DOTALL)]
    assert len(themes) == 2
    return themes


def _luminance(colour: str) -> float:
    digits = colour[1:] if len(colour) == 7 else "".join(2 * digit for digit in colour[1:])
    parts = [int(digits[index : index + 2], 16) / 255 for index in (0, 2, 4)]
    linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def test_letters_stand_out_from_every_ground() -> None:
    for theme, ground, letters in product(
        _themes(), ("paper", "raised", "middle", "strong"), ("ink", "muted", "accent")
    ):
        dark, light = sorted([_luminance(theme[ground]), _luminance(theme[letters])])
        assert (light + 0.05) / (dark + 0.05) >= 4.5, (ground, letters)
