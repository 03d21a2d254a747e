"""Which columns of a table of labels are systems, for every format and engine."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from metaeval.errors import InputError, ambiguous, refuse
from metaeval.io.files.columns import LABEL_WORDS, row_numbers
from metaeval.io.labels.raw_labels import Columns, repetitions

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


def label_columns(header: Sequence[str], columns: Columns, label_names: Sequence[str] = ("label",)) -> LabelColumns:
    """The columns of a header; label_names: the default names of the column of labels.

    >>> label_columns(["", "id", "prediction"], Columns()).label
    'prediction'
    >>> label_columns(["id", "gold", "bert", "svm"], Columns()).systems
    ('bert', 'svm')
    """
    keys = {columns.id or "id", columns.label, *columns.clusters}
    golds = tuple(name for name in header if _GOLD_COLUMNS.fullmatch(name) and name not in keys)
    numbers = row_numbers(header, keys)
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
