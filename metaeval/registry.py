"""Ordered tables of named things: measures, presets, tasks, formats, analyses."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from typing import Any, Generic, TypeVar

from metaeval.errors import UnknownName

Item = TypeVar("Item")


class Registry(Generic[Item]):
    """A mapping of names to entries, in order of registration. kind: what an entry is called in messages.

    >>> colours = Registry[str]("colour")
    >>> colours.register("red", "#f00")
    >>> colours["rde"]
    Traceback (most recent call last):
    metaeval.errors.UnknownName: unknown colour 'rde'. Did you mean 'red'?
    """

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self._items: dict[str, Item] = {}

    def register(self, name: str, item: Item) -> None:
        """Add an entry; raises `ValueError` if the name exists."""
        if name in self._items:
            raise ValueError(f"{self.kind} {name!r} is registered twice")
        self._items[name] = item

    def __getitem__(self, name: str) -> Item:
        try:
            return self._items[name]
        except KeyError:
            raise UnknownName(self.kind, name, self._items) from None

    def __contains__(self, name: object) -> bool:
        return name in self._items

    def __iter__(self) -> Iterator[str]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def values(self) -> tuple[Item, ...]:
        """The entries, in order of registration."""
        return tuple(self._items.values())


ANALYSES: Registry[str] = Registry("analysis")
"""The package of each analysis, by name; `metaeval.analyses` registers them."""


def declaration(name: str) -> Any:
    """Import the `Analysis` of a name."""
    package = ANALYSES[name]
    return getattr(importlib.import_module(package), package.rpartition(".")[2])
