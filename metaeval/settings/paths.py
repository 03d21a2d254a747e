"""Kinds of options that take files."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from metaeval.errors import InputError
from metaeval.settings.kinds import Kind, Place

if TYPE_CHECKING:
    from metaeval.io.files.yaml_text import Located


class FilePath(Kind[str]):
    """A file or folder; relative to the YAML file that names it."""

    metavar = "FILE"
    python = "str | PathLike"

    def check(self, name: str, value: object) -> str:
        if not isinstance(value, (str, bytes, os.PathLike)):
            raise InputError.at(found=f"{name} {value!r}", expected="the path of a file")
        return os.fsdecode(value)

    def from_yaml(self, name: str, node: Located, place: Place) -> str:
        from metaeval.io.files import yaml_values

        return place.path(yaml_values.text(node))


@dataclass(frozen=True)
class FileOrName(FilePath):
    """A file, or the name of something else. is_name: whether a word of a YAML file is a name."""

    is_name: Callable[[str, Place], bool] = lambda word, place: not place.exists(word)
    metavar: str = "FILE|NAME"

    def from_yaml(self, name: str, node: Located, place: Place) -> str:
        from metaeval.io.files import yaml_values

        word = yaml_values.text(node)
        return word if self.is_name(word, place) else place.path(word)


@dataclass(frozen=True)
class OutputFile(FilePath):
    """A file that is written; in Python True for a table of the result in place of it. table: what stands for that."""

    table: str = ""
    metavar: str = "FILE"

    def check(self, name: str, value: object) -> str:
        """The path; None for False."""
        return self.table if value is True else None if value is False else super().check(name, value)  # type: ignore[return-value]


class NamedFile(FilePath):
    """A file, or name=file; in Python a mapping may name files, too."""

    metavar = "RUN"

    def from_yaml(self, name: str, node: Located, place: Place) -> str:
        from metaeval.io.files import yaml_values

        word = yaml_values.text(node)
        label, equals, path = word.partition("=")
        return f"{label}={place.path(path)}" if equals and not place.exists(word) else place.path(word)
