"""The labels of one file as text, before they are joined with gold."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass

from metaeval.errors import InputError, Problem, repeated
from metaeval.io.files.source import InMemorySource, Lines


@dataclass(frozen=True)
class Columns:
    """Names of the columns of tidy and wide files; None stands for the default names.

    id: 'id'. label: 'label' ('score' if systems predict numbers). clusters: columns of clusters, which are neither
    systems nor measures. replicates: column of the runs of a system in a table of scores. classes: the declared ones,
    which are not headers.
    """

    id: str | None = None
    label: str | None = None
    clusters: tuple[str, ...] = ()
    replicates: str | None = None
    classes: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class RawLabels:
    """The labels of gold or of one system, or its numbers as text; a system without errors is not gold.

    path: of the file, for messages. system: its name; '' if the name of the file is to be used. ids: of the rows; None
    in a file without ids, whose rows are in the order of gold. labels: of the rows, '' if missing. lines: of the rows.
    column: the name of the column in a file with a column for each system, else ''.
    """

    path: str
    system: str
    ids: Sequence[str] | None
    labels: Sequence[str]
    lines: Lines
    column: str = ""


@dataclass(frozen=True)
class RawLabelFile:
    """The content of one file.

    gold: its gold labels, or None. runs: its systems. faults: problems in spite of which it can be read, to be reported
    together with later ones. notes: on columns that are ignored.
    """

    gold: RawLabels | None
    runs: tuple[RawLabels, ...]
    faults: tuple[InputError, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class InMemoryLabels(InMemorySource):
    """Gold and systems passed as Python objects, a label or a number for each item."""

    labels: RawLabelFile


def repeated_ids(ids: Sequence[str], lines: Sequence[int], path: str) -> list[Problem]:
    """A problem for each repeated id; empty ids do not count."""
    return [
        repeated("id", ids[row], lines[before], hint="").at(path, lines[row])
        for row, before in repetitions(ids)
        if ids[row]
    ]


def repetitions(keys: Sequence[Hashable]) -> Iterator[tuple[int, int]]:
    """The position of each key that occurred before, and of its first occurrence.

    >>> list(repetitions("abba"))
    [(2, 1), (3, 0)]
    """
    first: dict[Hashable, int] = {}
    for position, key in enumerate(keys):
        before = first.setdefault(key, position)
        if before != position:
            yield position, before
