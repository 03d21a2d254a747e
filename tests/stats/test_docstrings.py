"""Docstrings of the statistics as the reference pages read them: griffe's parser of numpydoc sections."""

import logging
from collections.abc import Iterator

import griffe
import pytest

import metaeval


def _public(parent: griffe.Module | griffe.Class) -> Iterator[griffe.Function | griffe.Class]:
    for member in parent.members.values():
        if member.is_alias or (member.name.startswith("_") and member.name != "__call__"):
            continue
        if isinstance(member, griffe.Function):
            yield member
        elif isinstance(member, griffe.Class):
            yield member
            yield from _public(member)
        elif isinstance(member, griffe.Module):
            yield from _public(member)


STATS = griffe.load("metaeval.stats", search_paths=[metaeval.__path__[0] + "/.."])
assert isinstance(STATS, griffe.Module)
PUBLIC = {member.path: member for member in _public(STATS)}
FUNCTIONS = [path for path, member in PUBLIC.items() if isinstance(member, griffe.Function) and path[-8:] != "__call__"]
RECORDS = [path for path, member in PUBLIC.items() if isinstance(member, griffe.Class) and "dataclass" in member.labels]


def described(path: str, kind: griffe.DocstringSectionKind) -> dict[str, str]:
    """The names of a section with their descriptions."""
    docstring = PUBLIC[path].docstring
    assert docstring is not None, f"{path} has no docstring"
    sections = docstring.parse("numpy", warn_missing_types=False)
    return {each.name: each.description for section in sections if section.kind is kind for each in section.value}


def test_the_parser_finds_the_statistics() -> None:
    assert "metaeval.stats.agreement.fleiss_kappa" in FUNCTIONS
    assert "metaeval.stats.pairs.PairCounts" in RECORDS
    assert len(FUNCTIONS) > 60


@pytest.mark.parametrize("path", FUNCTIONS)
def test_every_parameter_is_documented_and_no_other(path: str, caplog: pytest.LogCaptureFixture) -> None:
    function = PUBLIC[path]
    assert isinstance(function, griffe.Function)
    with caplog.at_level(logging.WARNING):
        documented = described(path, griffe.DocstringSectionKind.parameters)
    assert not caplog.records
    assert list(documented) == [each.name for each in function.parameters if each.name not in ("self", "cls")]
    assert all(documented.values()), documented


@pytest.mark.parametrize("path", RECORDS)
def test_every_attribute_of_a_result_is_documented_and_no_other(path: str) -> None:
    members = PUBLIC[path].members.items()
    fields = [name for name, member in members if member.is_attribute and "property" not in member.labels]
    documented = described(path, griffe.DocstringSectionKind.attributes)
    assert list(documented) == fields
    assert all(documented.values()), documented
