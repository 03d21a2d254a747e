"""Verdicts as workflow commands of GitHub Actions, shown on the page of a run."""

from __future__ import annotations

from collections.abc import Mapping

from metaeval.errors import visible
from metaeval.model.report import Report
from metaeval.render.junit import cases_of

_MESSAGE: Mapping[int, str] = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
_PROPERTY: Mapping[int, str] = {**_MESSAGE, ord(":"): "%3A", ord(","): "%2C"}


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
