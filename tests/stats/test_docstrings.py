"""Docstrings of the statistics as the reference pages read them: griffe's parser of numpydoc sections."""

import logging
import re
from pathlib import Path

import griffe
import pytest

import metaeval

ROOT = Path(metaeval.__file__).parents[1]
PAGE = (ROOT / "docs/reference/statistics.md").read_text(encoding="utf-8")
NAMES = re.findall(r"^::: metaeval\.stats\.(\S+)$", PAGE, flags=re.MULTILINE)
STATS = griffe.load("metaeval.stats", search_paths=[ROOT])
FUNCTIONS = [name for name in NAMES if name.split(".")[1].islower()]
RECORDS = [name for name in NAMES if name not in FUNCTIONS]


def described(name: str, kind: griffe.DocstringSectionKind) -> dict[str, str]:
    """The names of a section with their descriptions."""
    docstring = STATS[name].docstring
    assert docstring is not None, f"{name} has no docstring"
    sections = docstring.parse("numpy", warn_missing_types=False)
    return {item.name: item.description for section in sections if section.kind is kind for item in section.value}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_parameter_is_documented_and_no_other(name: str, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        documented = described(name, griffe.DocstringSectionKind.parameters)
    assert not caplog.records
    assert list(documented) == [parameter.name for parameter in STATS[name].parameters]
    assert all(documented.values()), documented


@pytest.mark.parametrize("name", RECORDS)
def test_every_attribute_of_a_result_is_documented_and_no_other(name: str) -> None:
    members = STATS[name].members.items()
    fields = [field for field, member in members if member.is_attribute and "property" not in member.labels]
    documented = described(name, griffe.DocstringSectionKind.attributes)
    assert list(documented) == fields
    assert all(documented.values()), documented
