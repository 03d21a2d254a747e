"""The gold items that are evaluated, with their labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from metaeval.errors import (
    Gathered,
    InputError,
    did_you_mean,
    invalid,
    none_left,
    one_of,
    raise_any,
    refuse,
    setting,
    shortened,
    unknown,
)
from metaeval.io.labels.codes import USABLE, code_reader
from metaeval.io.labels.raw_labels import RawLabels
from metaeval.model.labels import Codes
from metaeval.model.scale import ClassScale


@dataclass(frozen=True)
class GoldItems:
    """The evaluated items: their rows in the gold file, ids and codes; dropped: the number of other items."""

    rows: NDArray[np.intp]
    ids: tuple[str, ...]
    codes: Codes
    dropped: int


def gold_items(gold: RawLabels, scale: ClassScale, drop: Sequence[str], gathered: Gathered) -> GoldItems:
    """The gold items except those of the classes to drop; `gathered` collects all problems of gold.

    Items without a class of the scale are among them, so that their predictions can be checked, too.
    """
    with gathered.errors():
        check_dropped(drop, sorted(set(gold.labels)), gold.path)
    codes, states = code_reader(scale)(gold.labels)
    dropped = np.isin(np.array(gold.labels), list(drop)) if drop else np.zeros(len(codes), dtype=np.bool_)
    with gathered.errors():
        _check_labels(gold, np.flatnonzero((states != USABLE) & ~dropped).tolist(), scale)
    rows = np.flatnonzero(~dropped)
    if not len(rows):
        gathered.keep(no_item_left(gold.path))
    ids = gold.ids or range(1, len(codes) + 1)
    return GoldItems(rows, tuple(str(ids[row]) for row in rows.tolist()), codes[rows], int(dropped.sum()))


def no_item_left(path: str) -> InputError:
    """The error for gold of which every item has a class to drop."""
    return refuse(path, none_left("item", "their gold classes are dropped", "drop fewer classes"))


def check_dropped(drop: Sequence[str], occurring: Sequence[str], path: str) -> None:
    """Reject classes to drop that no gold item has; occurring: the labels of gold."""
    raise_any([unknown("gold class to drop", label, occurring).at(path) for label in drop if label not in occurring])


def _check_labels(gold: RawLabels, wrong: Sequence[int], scale: ClassScale) -> None:
    """Reject gold labels that are missing or outside the scale; wrong: their rows."""
    if not wrong:
        return
    lines, expected = gold.lines(), one_of(scale.labels)
    labels = sorted({gold.labels[row] for row in wrong} - {""})
    hints = []
    if labels:
        drop = setting("drop_gold", shortened(labels[0]))
        hints = [
            did_you_mean(shortened(labels[0]), scale.labels),
            f"leave such items out, as with {drop}, or declare every class with {setting('labels')}"
            if len(labels) <= 3
            else f"declare the classes of this file with {setting('labels')}",
        ]
    problems = [invalid("gold label", gold.labels[row], expected).at(gold.path, lines[row]) for row in wrong]
    raise InputError(problems, hints=hints)
