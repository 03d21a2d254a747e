"""Checks for the type of a study or of runs, which only `metaeval/study` may contain."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from house.sources import Measurement, Module, classes, modules

HOME = "metaeval.study"


def type_checks(root: Path) -> Measurement:
    """`isinstance`, `issubclass`, `type(...) is` and patterns of `match` that name a study or runs outside the home."""
    package = modules(root)
    names = _asked_for(package)
    found = [
        f"{module.path}:{node.lineno}"
        for module in package
        if not _is_home(module)
        for node, types in _questions(module.tree)
        if _names_in(types) & (names | _other_names(module, names))
    ]
    return Measurement(len(found), tuple(found))


def _is_home(module: Module) -> bool:
    return module.name == HOME or module.name.startswith(f"{HOME}.")


def _asked_for(package: list[Module]) -> set[str]:
    """Classes of the home, classes called ...Study and ...Runs anywhere, and names of tuples and unions of them."""
    names = {
        node.name
        for module in package
        for node in classes(module.tree)
        if _is_home(module) or node.name.endswith(("Study", "Runs"))
    }
    for module in package:
        for node in module.tree.body:
            match node:
                case ast.Assign(targets=[ast.Name(id=name)], value=ast.Tuple() | ast.BinOp()) if (
                    _names_in(node.value) & names
                ):
                    names.add(name)
    return names


def _other_names(module: Module, names: set[str]) -> set[str]:
    """What a module calls them: `from ... import LabelledRuns as Runs`."""
    return {
        alias.asname
        for node in ast.walk(module.tree)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if alias.asname and alias.name in names
    }


def _questions(tree: ast.AST) -> Iterator[tuple[ast.expr | ast.pattern, ast.AST]]:
    """Each check, and the types that it names."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Name(id="isinstance" | "issubclass"), args=[_, types]):
                yield node, types
            case ast.Compare(left=ast.Call(func=ast.Name(id="type")), comparators=[types]):
                yield node, types
            case ast.MatchClass(cls=types):
                yield node, types


def _names_in(types: ast.AST) -> set[str]:
    return {node.id for node in ast.walk(types) if isinstance(node, ast.Name)} | {
        node.attr for node in ast.walk(types) if isinstance(node, ast.Attribute)
    }
