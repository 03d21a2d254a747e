"""Verdicts for CI services: JUnit XML and annotations hold any name."""

from xml.etree import ElementTree as ET

from hypothesis import given
from hypothesis import strategies as st
from render.made_up import EXOTIC, report

from metaeval.errors import visible
from metaeval.model.report import Column, Kind, Table
from metaeval.render.junit import annotation, cases_of, junit, workflow_commands

GATES = (Column("gate"), Column("verdict"), Column("value", Kind.SCORE), Column("reason"))
BASELINE = (Column("system"), Column("measure"), Column("now", Kind.SCORE), Column("verdict"))


def gates(*names: str, verdict: str = "failed") -> Table:
    return Table("gates", "Gates", GATES, tuple((name, verdict, 0.5, f"{name} is bad") for name in names))


@given(st.lists(st.text() | st.sampled_from(EXOTIC), min_size=1, max_size=4))
def test_any_name_is_well_formed_xml(names: list[str]) -> None:
    (suite,) = ET.fromstring(junit(report(gates(*names))).encode())
    assert suite.attrib["tests"] == suite.attrib["failures"] == str(len(names))
    assert len(suite.findall("testcase")) == len(names)


def test_what_xml_can_not_hold_is_written_out() -> None:
    text = junit(report(gates("\x1b[31m \x00 \udc80 \ufffe <&\"'>")))
    (case,) = ET.fromstring(text.encode()).iter("testcase")
    assert case.attrib["name"] == "\\x1b[31m \\x00 \\udc80 \\ufffe <&\"'>"


def test_passed_cases_have_no_failure_and_undefined_ones_have() -> None:
    tables = (gates("a", verdict="passed"), gates("b", verdict="undefined"))
    text = junit(report(*tables))
    (suite,) = ET.fromstring(text.encode())
    assert [element.attrib["type"] for element in suite.iter("failure")] == ["undefined"]
    assert [case.attrib for case in suite.iter("testcase")] == [
        {"classname": "metaeval.gates", "name": name} for name in "ab"
    ]
    assert suite.attrib == {"name": "metaeval", "tests": "2", "failures": "1", "errors": "0", "skipped": "0"}


def test_rows_of_a_baseline_are_named_by_their_texts_and_told_by_their_numbers() -> None:
    rows = (("atlas", "mcc", 0.123456, "failed"), ("words", "mcc", 0.5, "passed"), ("x", "mcc", 0.5, "undefined"))
    results = report(gates("g"), Table("baseline", "Baseline", BASELINE, rows))
    assert [(case.name, case.passed) for case in cases_of(results)] == [
        ("g", False),
        ("atlas mcc", False),
        ("words mcc", True),
        ("x mcc", False),
    ]
    assert workflow_commands(results) == [
        "::error title=Gate failed::g: g is bad",
        "::error title=Worse than the baseline::atlas mcc: now 0.1235",
        "::error title=Not comparable with the baseline::x mcc: now 0.5",
    ]


def test_a_table_without_verdicts_has_no_case() -> None:
    assert cases_of(report(Table("scores", "Scores", (Column("system"),), (("a",),)))) == ()


@given(st.text(), st.text())
def test_an_annotation_is_one_line_that_gives_its_parts_back(title: str, message: str) -> None:
    line = annotation(title, message)
    assert not {"\n", "\r"} & set(line)
    _, head, body = line.split("::", 2)
    for code, character in (("%0A", "\n"), ("%0D", "\r"), ("%3A", ":"), ("%2C", ","), ("%25", "%")):
        head, body = head.replace(code, character), body.replace(code, character)
    shown = ["".join(letter if letter in "\r\n" else visible(letter) for letter in text) for text in (title, message)]
    assert (head, body) == (f"error title={shown[0]}", shown[1])
