"""Circles of imports: modules that need each other, wherever and for whatever an import stands."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from pathlib import Path

from house.sources import Measurement, Module, modules

Graph = Mapping[str, set[str]]


def circles(root: Path, package: str = "metaeval") -> Measurement:
    """The circles of a package.

    Imports for type checkers only and imports inside functions count as any other. What `package/__init__.py` offers is
    no import of its own, because it names modules that a user may ask for; to ask it for `__version__` needs none of
    them.
    """
    found = [
        sorted(component) for component in components(graph(modules(root, package), package)) if len(component) > 1
    ]
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


def components(edges: Graph) -> list[set[str]]:
    """The strongly connected components, after Kosaraju: what can be reached, and can reach back."""
    order: list[str] = []
    seen: set[str] = set()
    for start in edges:
        order += _finished(start, edges, seen)
    backwards: dict[str, set[str]] = {name: set() for name in edges}
    for name, targets in edges.items():
        for target in targets:
            backwards[target].add(name)
    seen = set()
    return [set(found) for start in reversed(order) if (found := _finished(start, backwards, seen))]


def _finished(start: str, edges: Graph, seen: set[str]) -> list[str]:
    """What is reached from a start and was not seen before, each after all that it reaches."""
    if start in seen:
        return []
    seen.add(start)
    order: list[str] = []
    path = [(start, iter(sorted(edges[start])))]
    while path:
        name, targets = path[-1]
        following = next((target for target in targets if target not in seen), None)
        if following is None:
            order.append(name)
            path.pop()
        else:
            seen.add(following)
            path.append((following, iter(sorted(edges[following]))))
    return order
