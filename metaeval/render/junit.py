"""Verdicts for CI services: as JUnit XML, shown with the results of tests, and as annotations of GitHub."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from xml.etree import ElementTree as ET

from metaeval.errors import visible
from metaeval.model.report import Cell, Report, Table

_VERDICT = "verdict"
_PASSED = "passed"
_TITLES = {
    ("gates", "failed"): "Gate failed",
    ("gates", "undefined"): "Gate failed",
    ("baseline", "failed"): "Worse than the baseline",
    ("baseline", "undefined"): "Not comparable with the baseline",
}
_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_MESSAGE: Mapping[int, str] = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
_PROPERTY: Mapping[int, str] = {**_MESSAGE, ord(":"): "%3A", ord(","): "%2C"}


@dataclass(frozen=True)
class Case:
    """One verdict. table: the table of the verdict. name: what was tested. verdict: 'passed' or a kind of failure."""

    table: str
    name: str
    verdict: str
    reason: str

    @property
    def passed(self) -> bool:
        """Whether the verdict is 'passed'."""
        return self.verdict == _PASSED

    @property
    def title(self) -> str:
        """The title of a failure."""
        return _TITLES.get((self.table, self.verdict), f"{self.table.capitalize()} {self.verdict}")


def cases_of(report: Report) -> tuple[Case, ...]:
    """The rows of all tables with a column `verdict`."""
    return tuple(case for table in report.all_tables() for case in _cases(table))


def _cases(table: Table) -> Iterator[Case]:
    names = [column.name for column in table.columns]
    if _VERDICT not in names:
        return
    for row in table.rows:
        cells = dict(zip(names, row, strict=True))
        name = " ".join(str(cells[head]) for head in names[: names.index(_VERDICT)] if isinstance(cells[head], str))
        yield Case(table.name, name, str(cells[_VERDICT]), str(cells.get("reason") or _numbers_text(cells)))


def _numbers_text(cells: dict[str, Cell]) -> str:
    """The numbers of a row, then the names of undefined ones.

    >>> _numbers_text({"system": "a", "earlier": 0.5, "now": math.nan, "p": math.nan})
    'earlier 0.5; now, p undefined'
    """
    numbers = {name: cell for name, cell in cells.items() if isinstance(cell, float)}
    texts = [f"{name} {cell:.4g}" for name, cell in numbers.items() if not math.isnan(cell)]
    unknown = [name for name, cell in numbers.items() if math.isnan(cell)]
    parts = [", ".join(texts), f"{', '.join(unknown)} undefined" if unknown else ""]
    return "; ".join(part for part in parts if part)


def junit(report: Report) -> str:
    """The XML: a test suite `metaeval`, a test case for each verdict, a failure for each that is not 'passed'."""
    cases = cases_of(report)
    failures = sum(not case.passed for case in cases)
    counts = {"tests": str(len(cases)), "failures": str(failures), "errors": "0", "skipped": "0"}
    root = ET.Element("testsuites", counts)
    suite = ET.SubElement(root, "testsuite", {"name": "metaeval", **counts})
    properties = ET.SubElement(suite, "properties")
    ET.SubElement(properties, "property", name="signature", value=_escape(report.signature))
    for case in cases:
        attributes = {"classname": f"metaeval.{_escape(case.table)}", "name": _escape(case.name)}
        element = ET.SubElement(suite, "testcase", attributes)
        if not case.passed:
            failure = ET.SubElement(element, "failure", message=_escape(case.reason), type=_escape(case.verdict))
            failure.text = _escape(f"{case.name}: {case.reason}")
    ET.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ET.tostring(root, encoding="unicode")}\n'


def _escape(text: str) -> str:
    r"""The text, with characters that XML 1.0 does not allow as escapes.

    >>> _escape("a\x1b[31m")
    'a\\x1b[31m'
    """
    return _NOT_IN_XML.sub(lambda match: ascii(match[0])[1:-1], text)


def workflow_commands(report: Report) -> list[str]:
    """A line for each verdict that is not 'passed'."""
    return [annotation(case.title, f"{case.name}: {case.reason}") for case in cases_of(report) if not case.passed]


def annotation(title: str, message: str) -> str:
    r"""One error, escaped as GitHub requires; line breaks are kept, other control characters are escaped.

    >>> annotation("Gate failed", "a.b,c < 95 %")
    '::error title=Gate failed::a.b,c < 95 %25'
    >>> annotation("a: b, c", "two lines\n")
    '::error title=a%3A b%2C c::two lines%0A'
    >>> print(annotation("a", "\x1b[31m"))
    ::error title=a::\x1b[31m
    """
    return visible(f"::error title={title.translate(_PROPERTY)}::{message.translate(_MESSAGE)}")
