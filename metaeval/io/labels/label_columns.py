"""Which columns of a table of labels are systems, for every format and engine."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import dataclass

from metaeval.errors import InputError, setting
from metaeval.io.labels.raw_labels import Columns, repetitions

GOLD_COLUMN = "gold"

_GOLD_COLUMNS = re.compile(r"gold|(gold|true|reference)[ _-]?labels?|y_true", re.I)
_ROW_NUMBERS = re.compile(r"[\s\xad\u200b-\u200f\u2060\ufeff]*|unnamed: [\d.]+|__index_level_\d+__", re.I)
_INDEX = re.compile(r"index|level_\d+", re.I)
"""Names of columns of row numbers: no visible one, or those of pandas, of which `index` may be something else."""

LABEL_WORDS = frozenset(
    {"label", "labels", "prediction", "predictions", "predicted", "predicted_label", "pred", "preds", "class", "stance",
     "output", "outputs", "answer", "answers", "y_pred"}
)  # fmt: skip
"""Names of columns, in lower case, that are a system's labels and not its name."""


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


def row_numbers(
    header: Iterable[str], keys: Container[str | None] = (), cells: Callable[[str], Sequence[str]] | None = None
) -> tuple[str, ...]:
    """The columns of row numbers that are no keys; cells: of a column, which tell whether `index` numbers the rows."""

    def counts(name: str) -> bool:
        own = cells(name) if cells is not None and _INDEX.fullmatch(name) else []
        return bool(own) and own == [str(row + (own[0] == "1")) for row in range(len(own))]

    return tuple(name for name in header if name not in keys and (_ROW_NUMBERS.fullmatch(name) or counts(name)))


def check_case(path: str, header: Sequence[str], id_column: str, named: LabelColumns) -> None:
    """Reject a column that differs only in case, which DuckDB ignores, from one that is read."""
    read = {id_column, *named.golds, *([named.label] if named.label else named.systems)}
    for other, before in repetitions([name.casefold() for name in header]):
        if header[before] != header[other] and not read.isdisjoint((header[before], header[other])):
            found, hint = f"columns '{header[before]}' and '{header[other]}'", "rename or remove one of them"
            raise InputError.at(path, 1, found=found, expected="names that differ in more than case", hint=hint)


def two_columns(path: str, columns: LabelColumns) -> InputError:
    """The error for a system with two columns of labels."""
    names = " and ".join(f"'{name}'" for name in filter(None, (columns.label, *columns.others)))
    return InputError.at(
        path, 1, found=f"columns {names}", expected="one column of labels",
        hint=f"name it, as in {setting('label_column', columns.others[0])}",
    )  # fmt: skip


def row_numbers_note(names: Iterable[str]) -> tuple[str, ...]:
    """A note on columns that are ignored; () without them."""
    quoted = ", ".join(f"'{name}'" for name in dict.fromkeys(names))
    return (f"columns of row numbers are ignored: {quoted}",) if quoted else ()
