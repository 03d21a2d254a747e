"""Labels as they are in a file, and which columns of a table of labels are systems."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass

from metaeval.errors import InputError, Problem, ambiguous, refuse, repeated
from metaeval.io.files.columns import LABEL_WORDS, row_numbers
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


GOLD_COLUMN = "gold"

_GOLD_COLUMNS = re.compile(r"gold|(gold|true|reference)[ _-]?labels?|y_true", re.I)


@dataclass(frozen=True)
class LabelColumns:
    """The columns of a table of labels.

    label: the column of labels of one system or of gold; None in a table with a column for each system. golds: of gold
    labels. systems: these columns. others: further ones with names of labels. row_numbers: columns that are ignored.
    """

    label: str | None
    golds: tuple[str, ...]
    systems: tuple[str, ...]
    others: tuple[str, ...]
    row_numbers: tuple[str, ...]


def label_columns(
    header: Sequence[str], columns: Columns, label_names: Sequence[str] = ("label",), index: Sequence[str] = ()
) -> LabelColumns:
    """The columns of a header.

    label_names: the default names of the column of labels. index: columns of the index of a data frame.

    >>> label_columns(["", "id", "prediction"], Columns()).label
    'prediction'
    >>> label_columns(["id", "gold", "bert", "svm"], Columns()).systems
    ('bert', 'svm')
    """
    keys = {columns.id or "id", columns.label, *columns.clusters}
    golds = tuple(name for name in header if _GOLD_COLUMNS.fullmatch(name) and name not in keys)
    numbers = row_numbers(header, keys, index={*index} - {*golds, *label_names})
    keys = keys - {columns.label} | {*golds, *numbers}
    systems = tuple(name for name in header if name not in keys)
    words = [name for name in systems if name.casefold() in LABEL_WORDS and name not in label_names]
    label = columns.label or next((name for name in label_names if name in header), None)
    if label is None and len(systems) == 1 and words:
        label, words = words[0], []
    return LabelColumns(label, golds, systems, () if columns.label else tuple(words), numbers)


def check_case(path: str, header: Sequence[str], id_column: str, named: LabelColumns) -> None:
    """Reject a column that differs only in case, which DuckDB ignores, from one that is read."""
    read = {id_column, *named.golds, *([named.label] if named.label else named.systems)}
    for other, before in repetitions([name.casefold() for name in header]):
        if header[before] != header[other] and not read.isdisjoint((header[before], header[other])):
            raise refuse((path, 1), ambiguous(header[before], header[other]))


def two_columns(path: str, columns: LabelColumns) -> InputError:
    """The error for a system with two columns of labels."""
    names = [name for name in (columns.label, *columns.others) if name]
    return refuse((path, 1), ambiguous(names[0], names[1], "label_column"))
