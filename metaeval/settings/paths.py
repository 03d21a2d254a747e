"""Kinds of options that take files."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from metaeval.errors import InputError
from metaeval.settings.kinds import Kind, Place, text_of

if TYPE_CHECKING:
    from metaeval.io.files.yaml_text import Located


class FilePath(Kind[str]):
    """A file or folder; paths in a YAML file are relative to it."""

    metavar = "FILE"
    python = "str | PathLike"

    def check(self, name: str, value: object) -> str:
        if not isinstance(value, (str, bytes, os.PathLike)):
            raise InputError.at(found=f"{name} {value!r}", expected="the path of a file")
        return os.fsdecode(value)

    def from_yaml(self, name: str, node: Located, place: Place) -> str:
        return place.path(text_of(node))


@dataclass(frozen=True)
class FileOrName(FilePath):
    """A file or a name. is_name: whether a word of a YAML file is a name."""

    is_name: Callable[[str, Place], bool] = lambda word, place: not place.exists(word)
    metavar: str = "FILE|NAME"

    def from_yaml(self, name: str, node: Located, place: Place) -> str:
        word = text_of(node)
        return word if self.is_name(word, place) else place.path(word)


@dataclass(frozen=True)
class OutputFile(FilePath):
    """An output file of a table; in Python, True stands for a table of the result. table: the value of True."""

    table: str = ""
    metavar: str = "FILE"

    def check(self, name: str, value: object) -> str:
        """The path; None for False."""
        if value is True or value == self.table:
            return self.table
        if value is False:
            return None  # type: ignore[return-value]
        path = super().check(name, value)
        if not path.endswith((".csv", ".tsv")):
            expected = "a file name that ends in .csv or .tsv"
            raise InputError.at(found=f"{name} '{path}'", expected=expected, hint="for example items.csv")
        return path


class NamedFile(FilePath):
    """A file, or name=file."""

    metavar = "RUN"

    def from_yaml(self, name: str, node: Located, place: Place) -> str:
        word = text_of(node)
        label, equals, path = word.partition("=")
        return f"{label}={place.path(path)}" if equals and not place.exists(word) else place.path(word)


class PluginFile(FilePath):
    """A Python file of measures, which is loaded at once: names of measures are read after it."""

    metavar = "FILE.py"

    def check(self, name: str, value: object) -> str:
        from metaeval.measures.plugins import load_plugin

        path = super().check(name, value)
        load_plugin(path)
        return path

    def from_yaml(self, name: str, node: Located, place: Place) -> str:
        return self.check(name, super().from_yaml(name, node, place))
