"""The items that take part: what gold says of them, and which are left out."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from metaeval.errors import Gathered, InputError, Problem, did_you_mean, shortened
from metaeval.io.labels.codes import USABLE, code_reader, one_of
from metaeval.io.labels.raw_labels import RawLabels
from metaeval.model.labels import Codes
from metaeval.model.scale import ClassScale


@dataclass(frozen=True)
class GoldItems:
    """The gold items that take part: their rows in the gold file, ids and codes; and how many were left out."""

    rows: NDArray[np.intp]
    ids: tuple[str, ...]
    codes: Codes
    dropped: int


def gold_items(gold: RawLabels, scale: ClassScale, drop: Sequence[str]) -> GoldItems:
    """The items of gold but for those of the classes to drop; whatever is wrong with gold is one `InputError`."""
    gathered = Gathered()
    with gathered.errors():
        _check_dropped(gold, drop)
    codes, states = code_reader(scale)(gold.labels)
    dropped = np.isin(np.array(gold.labels), list(drop)) if drop else np.zeros(len(codes), dtype=np.bool_)
    with gathered.errors():
        _check_labels(gold, np.flatnonzero((states != USABLE) & ~dropped).tolist(), scale)
    gathered.raise_any()
    rows = np.flatnonzero(~dropped)
    if not len(rows):
        raise InputError.at(gold.path, found="no item left after dropping gold classes", expected="at least one")
    ids = gold.ids or range(1, len(codes) + 1)
    return GoldItems(rows, tuple(str(ids[row]) for row in rows.tolist()), codes[rows], int(dropped.sum()))


def _check_dropped(gold: RawLabels, drop: Sequence[str]) -> None:
    known = sorted(set(gold.labels))
    absent = [label for label in drop if label not in known]
    if absent:
        raise InputError(
            [Problem(f"no item of gold class '{label}' to drop", one_of(known), gold.path) for label in absent],
            hints=[did_you_mean(label, known) for label in absent],
        )


def _check_labels(gold: RawLabels, wrong: Sequence[int], scale: ClassScale) -> None:
    """Raise where gold labels are missing or outside the scale; wrong: their rows."""
    if not wrong:
        return
    lines = gold.lines()
    labels = sorted({gold.labels[row] for row in wrong} - {""})
    hints = []
    if labels:
        drop = f"--drop-gold {shlex.quote(shortened(labels[0]))}"
        hints = [
            did_you_mean(shortened(labels[0]), scale.labels),
            f"leave such items out, as in {drop}, or declare every class with --labels"
            if len(labels) <= 3
            else "declare the classes of this file with --labels",
        ]
    raise InputError(
        [
            Problem(
                f"gold label '{shortened(gold.labels[row])}'" if gold.labels[row] else "no gold label",
                one_of(scale.labels),
                gold.path,
                lines[row],
            )
            for row in wrong
        ],
        hints=hints,
    )
