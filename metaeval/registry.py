"""Ordered tables of named things: measures, presets, tasks, formats, analyses."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from typing import Any, Generic, NamedTuple, TypeVar

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

    def register(self, name: str, item: Item, *, after: str = "") -> None:
        """Add an entry, at the end or after another one; raises `ValueError` if the name exists."""
        if name in self._items:
            raise ValueError(f"{self.kind} {name!r} is registered twice")
        self._items[name] = item
        if after in self._items:
            for later in list(self._items)[list(self._items).index(after) + 1 : -1]:
                self._items[later] = self._items.pop(later)

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
        for function_path in self._load_more:
            module, _, function = function_path.partition(":")
            yield load(module, function)()


class AnalysisEntry(NamedTuple):
    """Where an analysis is. package: its folder. heading: of the help. sentence: on what it answers."""

    package: str
    heading: str
    sentence: str


class CommandEntry(NamedTuple):
    """A command that is no analysis: a function of a module. heading: of the help. sentence: what it does."""

    module: str
    function: str
    heading: str
    sentence: str


class FormatEntry(NamedTuple):
    """A format of reports.

    renderer: MODULE:FUNCTION in `metaeval.render`; the function takes a report and a style. titles: whether measures
    have their titles instead of their names.
    """

    renderer: str
    titles: bool = False


ANALYSES: Registry[AnalysisEntry] = Registry(
    "analysis", "metaeval.analyses:register_analyses", "metaeval.judges:register_analyses"
)
"""Every analysis by its name, in the order of the help."""

COMMANDS: Registry[CommandEntry] = Registry(
    "command", "metaeval.cli:register_commands", "metaeval.papers:register_commands"
)
"""Every other command by its name."""

FORMATS: Registry[FormatEntry] = Registry("format")
"""Every format of reports by its name, the default first."""

FORMATS.register("table", FormatEntry("terminal:terminal"))
FORMATS.register("chart", FormatEntry("terminal:chart"))
FORMATS.register("csv", FormatEntry("data:comma_separated"))
FORMATS.register("tsv", FormatEntry("data:tab_separated"))
FORMATS.register("json", FormatEntry("data:json_text"))
FORMATS.register("markdown", FormatEntry("markdown:markdown", titles=True))
FORMATS.register("latex", FormatEntry("latex:latex", titles=True))
FORMATS.register("html", FormatEntry("html:html", titles=True))


def load(module: str, name: str = "") -> Any:
    """A module, or what has a name in it; imported when it is first used."""
    loaded = importlib.import_module(module)
    return getattr(loaded, name) if name else loaded


def declaration(name: str) -> Any:
    """The `Analysis` of a name, spelled as on the command line or as in Python."""
    package = ANALYSES[name.replace("_", "-")].package
    return load(package, package.rpartition(".")[2])


def sentences_by_heading() -> dict[str, dict[str, str]]:
    """Every command and its sentence, by what a user wants."""
    headings: dict[str, dict[str, str]] = {}
    for registry in (ANALYSES, COMMANDS):
        for name in registry:
            *_, heading, sentence = registry[name]
            headings.setdefault(heading, {})[name] = sentence
    return headings
