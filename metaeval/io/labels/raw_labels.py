"""What one file says of each item, as it stands there: nothing is checked against gold yet."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from metaeval.errors import InputError
from metaeval.io.files.source import InMemorySource

Lines = Callable[[], Sequence[int]]
"""Works out the physical line of each row of a file: dear, so called only for a message."""


@dataclass(frozen=True)
class Answers:
    """The labels (or numbers, still as text) that gold or one system gives.

    path: of the file, for messages. system: the name of the run; '' where the file's name gives it.
    ids: an id a row, or None in a file without ids, whose rows are then in the order of gold.
    labels: a label a row, '' where it is missing.
    lines: of the rows. column: the name of the column in a file with a column a system, else ''.
    """

    path: str
    system: str
    ids: Sequence[str] | None
    labels: Sequence[str]
    lines: Lines
    column: str = ""


@dataclass(frozen=True)
class AnswerFile:
    """What a reader found in one file.

    gold: its gold answers, where the file has a place for them. runs: its systems.
    faults: what is wrong with the file though it can be read, to be told with whatever else is wrong with it.
    """

    gold: Answers | None
    runs: tuple[Answers, ...]
    faults: tuple[InputError, ...] = ()


@dataclass(frozen=True)
class InMemoryLabels(InMemorySource):
    """Gold and systems that a program handed over: a label or a number an item."""

    answers: AnswerFile
