"""Names are nouns of the field: no participle such as `found`, and no word for any value such as `own`."""

import ast
from collections.abc import Iterator

import pytest
import size

PARTICIPLES = "asked drawn found given held kept known lost named placed said seen settled taken told wanted"
UNCLEAR = {*PARTICIPLES.split(), "each", "own", "place", "places"}
BEGINNINGS = ("each_", "of_", "own_")
PUBLIC = {"found", "known", "of_numbers", "of_texts", "place"}
"""What users of metaeval type or read: what was found beside what was expected, parameters, and a column."""


def names(text: str) -> Iterator[tuple[int, str]]:
    """Line and name of each variable, parameter, function and class of a file."""
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name):
                yield node.lineno, name
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                yield node.lineno, name


def is_unclear(name: str) -> bool:
    word = name.strip("_")
    return word in UNCLEAR or word.startswith(BEGINNINGS)


@pytest.mark.parametrize("name", ["found", "_own", "of_items", "each"])
def test_an_unclear_name_is_one(name: str) -> None:
    assert [*filter(is_unclear, (word for _, word in names(f"def compare(left):\n    {name} = left")))] == [name]


@pytest.mark.parametrize("folder", ["metaeval", "tests", "checks", "benchmarks", "docs"])
def test_names_are_nouns_of_the_field(folder: str) -> None:
    public = PUBLIC if folder == "metaeval" else set()
    unclear = [
        f"{path}:{line} {name}"
        for path, text in size.texts_by_path(folder)
        for line, name in names(text)
        if is_unclear(name) and name not in public
    ]
    assert unclear == []
