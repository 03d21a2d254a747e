"""Circles of imports: modules that need each other, wherever and for whatever an import stands."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from house.sources import Measurement, Module, modules
from scipy.sparse.csgraph import connected_components

Graph = Mapping[str, set[str]]


def circles(root: Path, package: str = "metaeval") -> Measurement:
    """The circles of a package.

    Imports for type checkers only and imports inside functions count as any other. What `package/__init__.py` offers is
    no import of its own, because it names modules that a user may ask for; to ask it for `__version__` needs none of
    them.
    """
    found = [each for each in components(graph(modules(root, package), package)) if len(each) > 1]
    return Measurement(len(found), tuple(" <-> ".join(component) for component in sorted(found)))


def graph(package: list[Module], root: str) -> Graph:
    """The modules that each module imports; of the facade `root` none."""
    names = {module.name for module in package}
    return {module.name: set() if module.name == root else imported(module, names) for module in package}


def imported(module: Module, names: set[str]) -> set[str]:
    """The modules of the package that a module imports."""
    found = set()
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            home = _absolute(module, node)
            for alias in node.names:
                inner = f"{home}.{alias.name}"
                found.add(inner if inner in names else home)
    return (found & names) - {module.name}


def _absolute(module: Module, node: ast.ImportFrom) -> str:
    if not node.level:
        return node.module or ""
    parts = module.name.split(".")
    base = parts[: len(parts) - node.level + module.path.endswith("__init__.py")]
    return ".".join([*base, *([node.module] if node.module else [])])


def components(edges: Graph) -> list[list[str]]:
    """The strongly connected components."""
    names = sorted(edges)
    matrix = np.array([[float(target in edges[name]) for target in names] for name in names])
    _, numbers = connected_components(matrix, connection="strong")
    return [[names[place] for place in np.flatnonzero(numbers == number)] for number in np.unique(numbers)]
