"""Data that are in memory already, in the shape that readers give to those of files, and opened by a name as these."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from metaeval.io.files.source import Source
from metaeval.model.report import SourceFile

if TYPE_CHECKING:
    from metaeval.io.files.delimited import Rows
    from metaeval.io.labels.raw_labels import AnswerFile
    from metaeval.io.texts.rows import TextRow


@dataclass(frozen=True)
class Held(Source):
    """What a program handed over in place of a file.

    path: a name in angle brackets, as '<labels>', so that no file is meant. content: empty; nothing is to be parsed.
    sha256: of the texts that it holds.
    """

    @property
    def file(self) -> SourceFile:
        """What the provenance says of it."""
        return SourceFile(self.path, "memory", self.sha256)


@dataclass(frozen=True)
class HeldAnswers(Held):
    """Gold and systems: a label or a number an item."""

    answers: AnswerFile


@dataclass(frozen=True)
class HeldTexts(Held):
    """Texts of systems, or references."""

    rows: Sequence[TextRow]


@dataclass(frozen=True)
class HeldRows(Held):
    """A table: scores, or ratings."""

    rows: Rows
