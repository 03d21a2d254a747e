"""Ordered tables of named things: measures, presets, tasks, formats, analyses."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from typing import Any, Generic, TypeVar

from metaeval.errors import UnknownName

Item = TypeVar("Item")


class Registry(Generic[Item]):
    """A mapping of names to entries, in order of registration.

    kind: what an entry is called in messages. load_more: functions that register further entries, as 'module:function';
    they are called one after the other for a name that is not registered yet, and all where entries are listed.

    >>> colours = Registry[str]("colour")
    >>> colours.register("red", "#f00")
    >>> colours["rde"]
    Traceback (most recent call last):
    metaeval.errors.UnknownName: unknown colour 'rde'. Did you mean 'red'?
    """

    def __init__(self, kind: str, *load_more: str) -> None:
        self.kind = kind
        self._load_more = load_more
        self._items: dict[str, Item] = {}

    def register(self, name: str, item: Item) -> None:
        """Add an entry; raises `ValueError` if the name exists."""
        if name in self._items:
            raise ValueError(f"{self.kind} {name!r} is registered twice")
        self._items[name] = item

    def registered(self, name: str) -> Item | None:
        """The entry of a name, if it is registered already."""
        return self._items.get(name)

    def registered_items(self) -> list[tuple[str, Item]]:
        """Names and entries that are registered already."""
        return list(self._items.items())

    def remove(self, name: str) -> None:
        """Remove an entry."""
        del self._items[name]

    def __getitem__(self, name: str) -> Item:
        if name not in self:
            raise UnknownName(self.kind, name, self._items)
        return self._items[name]

    def __contains__(self, name: object) -> bool:
        return name in self._items or any(name in self._items for _ in self._loading())

    def __iter__(self) -> Iterator[str]:
        return iter(self._complete())

    def __len__(self) -> int:
        return len(self._complete())

    def load_own(self) -> None:
        """Register what the first function of `load_more` registers: metaeval's own entries."""
        next(self._loading(), None)

    def values(self) -> tuple[Item, ...]:
        """The entries, in order of registration."""
        return tuple(self._complete().values())

    def _complete(self) -> dict[str, Item]:
        for _ in self._loading():
            pass
        return self._items

    def _loading(self) -> Iterator[None]:
        for each in self._load_more:
            module, _, function = each.partition(":")
            yield getattr(importlib.import_module(module), function)()


ANALYSES: Registry[str] = Registry("analysis", "metaeval.analyses:register_all")
"""The package of each analysis, by name."""


def declaration(name: str) -> Any:
    """Import the `Analysis` of a name."""
    package = ANALYSES[name]
    return getattr(importlib.import_module(package), package.rpartition(".")[2])
