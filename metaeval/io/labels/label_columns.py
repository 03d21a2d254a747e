"""Which columns of a table of labels are systems, for every format and engine."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from metaeval.errors import InputError, setting
from metaeval.io.labels.raw_labels import Columns

GOLD_COLUMN = "gold"

ROW_NUMBERS = re.compile(r"|Unnamed: \d+|__index_level_\d+__")
"""Names of columns of row numbers: none, or the ones that pandas gives them."""

_LABEL_WORDS = frozenset(
    {"label", "labels", "prediction", "predictions", "predicted", "predicted_label", "pred", "preds", "class", "stance"}
)
"""Names of columns, in lower case, that are a system's labels and not its name."""


@dataclass(frozen=True)
class LabelColumns:
    """The columns of a table of labels.

    label: the column of labels of one system or of gold; None in a table with a column for each system. systems: these
    columns. others: further columns with names of labels. row_numbers: columns that are ignored.
    """

    label: str | None
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
    keys = (columns.id or "id", GOLD_COLUMN, *columns.clusters)
    row_numbers = tuple(name for name in header if ROW_NUMBERS.fullmatch(name) and name not in keys)
    systems = tuple(name for name in header if name not in keys and name not in row_numbers)
    words = [name for name in systems if name.casefold() in _LABEL_WORDS and name not in label_names]
    label = columns.label or next((name for name in label_names if name in header), None)
    if label is None and len(systems) == 1 and words:
        label, words = words[0], []
    return LabelColumns(label, systems, () if columns.label else tuple(words), row_numbers)


def two_columns(path: str, columns: LabelColumns, line: int | None) -> InputError:
    """The error for a system with two columns of labels."""
    names = " and ".join(f"'{name}'" for name in filter(None, (columns.label, *columns.others)))
    return InputError.at(
        path, line, found=f"columns {names}", expected="one column of labels",
        hint=f"name it, as in {setting('label_column', columns.others[0])}",
    )  # fmt: skip


def row_numbers_note(names: Iterable[str]) -> tuple[str, ...]:
    """A note on columns that are ignored; () without them."""
    quoted = ", ".join(f"'{name}'" for name in dict.fromkeys(names))
    return (f"columns of row numbers are ignored: {quoted}",) if quoted else ()
