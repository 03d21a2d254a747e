"""Verdicts as JUnit XML, which CI services show beside the results of tests."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from xml.etree import ElementTree as ET

from metaeval.model.report import Cell, Report, Table

_VERDICT = "verdict"
_PASSED = "passed"
_TITLES = {
    ("gates", "failed"): "Gate failed",
    ("gates", "undefined"): "Gate failed",
    ("baseline", "failed"): "Worse than the baseline",
    ("baseline", "undefined"): "Not to be compared with the baseline",
}
_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True)
class Case:
    """One verdict.

    table: the table it stands in. name: what was judged. verdict: 'passed', or what happened. reason: why.
    """

    table: str
    name: str
    verdict: str
    reason: str

    @property
    def passed(self) -> bool:
        """Whether nothing is wrong."""
        return self.verdict == _PASSED

    @property
    def title(self) -> str:
        """What happened, where something is wrong."""
        return _TITLES.get((self.table, self.verdict), f"{self.table.capitalize()} {self.verdict}")


def cases_of(report: Report) -> tuple[Case, ...]:
    """The rows of all tables that have a column `verdict`."""
    return tuple(case for table in report.all_tables() for case in _cases(table))


def _cases(table: Table) -> Iterator[Case]:
    names = [column.name for column in table.columns]
    if _VERDICT not in names:
        return
    for row in table.rows:
        cells = dict(zip(names, row, strict=True))
        called = [str(cells[name]) for name in names[: names.index(_VERDICT)] if isinstance(cells[name], str)]
        yield Case(table.name, " ".join(called), str(cells[_VERDICT]), str(cells.get("reason") or _told(cells)))


def _told(cells: dict[str, Cell]) -> str:
    """Its numbers, and after them what is undefined.

    >>> _told({"system": "a", "earlier": 0.5, "now": math.nan, "p": math.nan})
    'earlier 0.5; now, p undefined'
    """
    numbers = {name: cell for name, cell in cells.items() if isinstance(cell, float)}
    known = [f"{name} {cell:.4g}" for name, cell in numbers.items() if not math.isnan(cell)]
    unknown = [name for name, cell in numbers.items() if math.isnan(cell)]
    parts = [", ".join(known), f"{', '.join(unknown)} undefined" if unknown else ""]
    return "; ".join(part for part in parts if part)


def junit(report: Report) -> str:
    """The XML: a test suite `metaeval`, a test case for each verdict, a failure for each that is not 'passed'."""
    cases = cases_of(report)
    counts = {
        "tests": str(len(cases)),
        "failures": str(sum(not case.passed for case in cases)),
        "errors": "0",
        "skipped": "0",
    }
    root = ET.Element("testsuites", counts)
    suite = ET.SubElement(root, "testsuite", {"name": "metaeval", **counts})
    properties = ET.SubElement(suite, "properties")
    ET.SubElement(properties, "property", name="signature", value=_legal(report.signature))
    for case in cases:
        attributes = {"classname": f"metaeval.{_legal(case.table)}", "name": _legal(case.name)}
        element = ET.SubElement(suite, "testcase", attributes)
        if not case.passed:
            failure = ET.SubElement(element, "failure", message=_legal(case.reason), type=_legal(case.verdict))
            failure.text = _legal(f"{case.name}: {case.reason}")
    ET.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ET.tostring(root, encoding="unicode")}\n'


def _legal(text: str) -> str:
    r"""A text with what XML 1.0 can't hold written out.

    >>> _legal("a\x1b[31m")
    'a\\x1b[31m'
    """
    return _NOT_IN_XML.sub(lambda match: ascii(match[0])[1:-1], text)
