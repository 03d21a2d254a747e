"""Items of gold and rows of a run brought together by id."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from metaeval.errors import InputError, Problem, counted, did_you_mean
from metaeval.io.labels.raw_labels import Answers


@dataclass(frozen=True)
class Alignment:
    """Where the answers to the items of gold stand in a run.

    rows: the run's row for each item, −1 where it has none, (N,). extra: its rows that answer no item of gold.
    """

    rows: NDArray[np.intp]
    extra: Sequence[int]


def align(gold: Answers, run: Answers) -> Alignment:
    """Match the rows of a run to the items of gold: by id, or by place where the run has no ids.

    A run without ids that is longer or shorter than gold is an `InputError`.
    """
    if run.ids is None or gold.ids is None:
        return _by_place(gold, run)
    if run.ids is gold.ids or run.ids == gold.ids:
        return Alignment(np.arange(len(run.ids)), ())
    row_of = {name: row for row, name in enumerate(run.ids)}
    rows = np.array([row_of.get(name, -1) for name in gold.ids], dtype=np.intp)
    if (rows >= 0).sum() == len(run.ids):
        return Alignment(rows, ())
    known = set(gold.ids)
    return Alignment(rows, [row for row, name in enumerate(run.ids) if name not in known])


def _by_place(gold: Answers, run: Answers) -> Alignment:
    if run.ids is not None:
        raise InputError.at(
            run.path,
            found=f"a run with ids, and gold without ({gold.path})",
            expected="ids in both, or in none",
            hint="give gold the same ids",
        )
    items = len(gold.labels)
    if len(run.labels) != items:
        shorter = len(run.labels) < items
        raise InputError.at(
            run.path,
            run.lines()[-1],
            found=f"{counted(len(run.labels), 'label')}, without ids",
            expected=f"{items:,}, one for each row of {gold.path}",
            hint="the file may be truncated" if shorter else "remove the rows that answer no item, or add ids",
        )
    return Alignment(np.arange(items), ())


def check_extra(gold: Answers, run: Answers, extra: Sequence[int]) -> None:
    """Raise an `InputError` with every id of a run that gold does not have; extra: their rows."""
    names = run.ids or ()
    # An empty id was told where the file was read.
    unknown = [row for row in extra if names[row]]
    if unknown:
        lines = run.lines()
        raise InputError(
            [
                Problem(f"id '{names[row]}', which is not in gold", "ids of gold", run.path, lines[row])
                for row in unknown
            ],
            hints=[
                did_you_mean(names[unknown[0]], (gold.ids or ())[:2000]),
                "correct the ids, or drop such rows with --on-extra drop",
            ],
        )


def truncation_hint(rows: NDArray[np.intp]) -> str:
    """A word about truncation where a run answers the first items of gold and then no more."""
    answered = int((rows >= 0).sum())
    if 0 < answered < len(rows) and (rows[:answered] >= 0).all():
        return f"the file ends after {answered:,} of {counted(len(rows), 'item')}: it may be truncated"
    return ""
