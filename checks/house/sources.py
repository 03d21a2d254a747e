"""The modules of a package, parsed."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path


@dataclass(frozen=True)
class Measurement:
    """A number, or None where it cannot be measured; details: what it counts, or why there is none."""

    value: int | None
    details: tuple[str, ...] = ()


@dataclass
class Module:
    """A Python file; name: as it is imported, path: relative to the root of the checkout."""

    name: str
    path: str
    text: str

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.text, self.path)

    @property
    def lines(self) -> int:
        return len(self.text.splitlines())


def modules(root: Path, package: str = "metaeval") -> list[Module]:
    """The modules of a package in a checkout, sorted by name."""
    found = []
    for path in sorted((root / package).rglob("*.py")):
        relative = path.relative_to(root)
        parts = relative.with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        found.append(Module(name, str(relative), path.read_text(encoding="utf-8")))
    return found


def functions(tree: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Every function, methods and inner functions included."""
    return (node for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)))


def classes(tree: ast.AST) -> Iterator[ast.ClassDef]:
    """Every class."""
    return (node for node in ast.walk(tree) if isinstance(node, ast.ClassDef))


def literals(tree: ast.AST) -> Iterator[ast.Constant]:
    """Every string that is no docstring and no other string in the place of a statement."""
    statements = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in statements:
            yield node
