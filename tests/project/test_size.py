"""metaeval does not grow, and no line is saved by squeezing."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
import size

SECTIONS = re.compile(r"^ *(Parameters|Returns|Yields|Raises|Examples|Notes|References)\n *-{3,}", re.MULTILINE)


@cache
def files() -> list[tuple[Path, str, ast.Module]]:
    """The files of metaeval: path, text, syntax tree."""
    return [(path, text, ast.parse(text)) for path, text in size.texts_by_path("metaeval")]


def skipped_formatting() -> Iterator[str]:
    """Comments `fmt: skip` of statements that are no assignment at the top level of a module."""
    for path, text, tree in files():
        tables = {node.end_lineno for node in tree.body if isinstance(node, ast.Assign | ast.AnnAssign)}
        for number, line in enumerate(text.splitlines(), 1):
            if "# fmt: skip" in line and number not in tables:
                yield f"{path}:{number}"


def products_with_truth_values() -> Iterator[str]:
    """Products such as `[row] * bool(rows)`."""
    for path, text, _ in files():
        for number, line in enumerate(text.splitlines(), 1):
            if "* bool(" in line:
                yield f"{path}:{number}"


def calls_with_many_positional_arguments() -> Iterator[str]:
    """Calls of functions and classes of metaeval, by their names, with more than five positional arguments."""
    definitions = ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef
    ours = {node.name for _, _, tree in files() for node in ast.walk(tree) if isinstance(node, definitions)}
    ours -= {"table"}  # which takes any number of columns
    for path, _, tree in files():
        for node in ast.walk(tree):
            match node:
                case ast.Call(func=ast.Attribute(value=ast.Name(id="np" | "numpy"))):
                    continue
                case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name), args=arguments):
                    if name in ours and len(arguments) > 5:
                        yield f"{path}:{node.lineno} {name}"


def private_functions_with_sections() -> Iterator[str]:
    """Private functions whose docstrings have sections as those of functions that users call."""
    for path, _, tree in files():
        for node in ast.walk(tree):
            match node:
                case ast.FunctionDef(name=name) if name.startswith("_") and not name.startswith("__"):
                    if SECTIONS.search(ast.get_docstring(node) or ""):
                        yield f"{path}:{node.lineno} {name}"


PLACES = {
    "fmt: skip outside tables of data": skipped_formatting,
    "values multiplied by a truth value": products_with_truth_values,
    "calls with more than five positional arguments": calls_with_many_positional_arguments,
    "private functions with sections in their docstrings": private_functions_with_sections,
}


@pytest.mark.parametrize("name", PLACES)
def test_nothing_is_squeezed(name: str) -> None:
    locations = list(PLACES[name]())
    assert len(locations) <= size.LIMITS[name], "\n".join(locations)


def test_sizes_are_within_their_limits() -> None:
    sizes = size.sizes_by_package()
    totals = {f"lines of {name}": one.lines for name, one in sizes.items()}
    totals |= {"code lines of metaeval": sizes["metaeval"].code, "files of metaeval": sizes["metaeval"].files}
    limits = {name: limit for name, limit in size.LIMITS.items() if name not in PLACES}
    assert {name: totals[name] for name in limits if totals[name] > limits[name]} == {}


def test_code_lines_are_neither_blank_nor_comments_nor_docstrings() -> None:
    text = '"""Doc\n\nof two."""\n\n# A comment\nx = (1,\n\n     # inside\n     2)  # beside\ny = """1\n\n2"""\n'
    assert size.size_of_text(text) == size.Size(lines=12, code=2 + 3, files=1)
