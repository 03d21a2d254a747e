"""How much there is: lines of packages, files and functions, files of folders."""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Collection
from pathlib import Path

from house.sources import Measurement, Module, functions, modules

_NO_CODE = {
    *(tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE),
    *(tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER),
}

LARGE_FOLDERS = frozenset(
    {"metaeval/stats", "metaeval/scoring", "metaeval/measures", "metaeval/measures/text", "metaeval/render"}
)
"""Folders of many small files of one kind, which may hold more of them than others."""


def lines(root: Path, package: str) -> Measurement:
    """The lines of all Python files."""
    return Measurement(sum(module.lines for module in modules(root, package)))


def code_lines(root: Path, package: str) -> Measurement:
    """The lines of all Python files that are neither blank nor a comment, nor a string in the place of a statement."""
    return Measurement(sum(len(_code(module)) for module in modules(root, package)))


def _code(module: Module) -> set[int]:
    found: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(module.text).readline):
        if token.type not in _NO_CODE:
            found.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            found.difference_update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    return found


def longest_file(root: Path, package: str, limit: int) -> Measurement:
    """The lines of the longest file; details: files above the limit."""
    sizes = {module.path: module.lines for module in modules(root, package)}
    return _largest(sizes, limit, "lines")


def longest_function(root: Path, package: str, limit: int) -> Measurement:
    """The lines of the longest function, from `def` to its end with the docstring; details: those above it."""
    sizes = {
        f"{module.path}:{node.lineno} {node.name}": (node.end_lineno or node.lineno) - node.lineno + 1
        for module in modules(root, package)
        for node in functions(module.tree)
    }
    return _largest(sizes, limit, "lines")


def fullest_folder(root: Path, package: str, limit: int, folders: Collection[str] | None = None) -> Measurement:
    """The files in the fullest folder, without those of its subfolders; folders: these, or all but the large ones."""
    sizes = {}
    for folder in [root / package, *(path for path in (root / package).rglob("*") if path.is_dir())]:
        name = folder.relative_to(root).as_posix()
        if "__pycache__" not in name and (name in folders if folders is not None else name not in LARGE_FOLDERS):
            sizes[name] = sum(path.is_file() for path in folder.iterdir())
    return _largest(sizes, limit, "files")


def _largest(sizes: dict[str, int], limit: int, unit: str) -> Measurement:
    above = sorted(((size, name) for name, size in sizes.items() if size > limit), reverse=True)
    return Measurement(max(sizes.values(), default=0), tuple(f"{name}: {size} {unit}" for size, name in above))
