"""Runs aligned with the items of gold, and their missing or unknown predictions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from metaeval.errors import (
    Gathered,
    InputError,
    did_you_mean,
    empty,
    invalid,
    refuse,
    setting,
    shortened,
    wrong_count,
)
from metaeval.io.labels.codes import MISSING, UNKNOWN, Read
from metaeval.io.labels.gold_items import GoldItems
from metaeval.io.labels.policies import Policies
from metaeval.io.labels.raw_labels import RawLabels

SIMILAR_AMONG = 2000
"""Number of ids of gold among which the one that may have been meant is looked for."""


@dataclass(frozen=True)
class Prediction:
    """What the systems predict, for reading and for messages.

    read: turns texts into values and their states. expected: the usable predictions. known: the labels of the scale.
    remedies: the policies besides 'error'.
    """

    read: Callable[[Sequence[str]], Read]
    expected: str
    known: Sequence[str]
    remedies: str


def read_runs(
    gold: RawLabels,
    items: GoldItems,
    runs: Sequence[RawLabels],
    policies: Policies,
    prediction: Prediction,
    *,
    gathered: Gathered,
) -> tuple[NDArray[Any], NDArray[np.uint8], int]:
    """Values and states of all runs for each item, (S, N), and the number of rows for unknown items.

    `gathered` collects all problems of the runs; if there are any, the values are not complete.
    """
    # Empty first entries, so that the arrays have a shape even without runs.
    values = [prediction.read(())[0].reshape(0, len(items.codes))]
    states = [np.zeros((0, len(items.codes)), dtype=np.uint8)]
    extra = 0
    folders = Counter(map(_folder_of_parquet, runs))
    for run in runs:
        try:
            row_of_item, extra_rows = align(gold, run)
        except InputError as error:
            gathered.keep(error)
            check_without_gold(run, policies, prediction, gathered)
            continue
        extra += len(extra_rows)
        if not policies.drop_extra:
            with gathered.errors():
                _reject_extra(gold, run, extra_rows)
        run_values, run_states = prediction.read(run.labels)
        rows = row_of_item[items.rows]
        values.append(run_values[np.newaxis, rows])
        states.append(np.where(rows >= 0, run_states[rows], np.uint8(MISSING))[np.newaxis])
        unknown = []
        if policies.on_unknown.action == "error":
            unknown = _unknown_rows(gold, run, items, rows, run_states, drop_extra=policies.drop_extra)
        missing = np.flatnonzero(states[-1][0] == MISSING).tolist() if policies.on_missing.action == "error" else []
        with gathered.errors():
            without = [(items.ids[item], int(rows[item])) for item in missing]
            hints = [truncation_hint(rows, items.ids), _hint_of_parts(run, folders)]
            _reject(run, unknown, without, prediction, hints)
    return np.concatenate(values), np.concatenate(states), extra


def check_without_gold(run: RawLabels, policies: Policies, prediction: Prediction, gathered: Gathered) -> None:
    """Collect the labels outside the scale of a run whose rows have no items, since gold or its rows are at fault.

    Not where the policies leave out rows by their items.
    """
    if policies.on_unknown.action == "error" and not policies.drop_gold and not policies.drop_extra:
        unknown = np.flatnonzero(prediction.read(run.labels)[1] == UNKNOWN).tolist()
        with gathered.errors():
            _reject(run, unknown, (), prediction, ())


def _unknown_rows(
    gold: RawLabels,
    run: RawLabels,
    items: GoldItems,
    rows: NDArray[np.intp],
    states: NDArray[np.uint8],
    *,
    drop_extra: bool,
) -> list[int]:
    """The rows of labels outside the scale: of items, and of repeated, empty and unknown ids.

    rows: of the items, (N,). states: of the rows.
    """
    unknown = np.flatnonzero(states == UNKNOWN)
    of_item = np.zeros(len(states), dtype=np.bool_)
    of_item[rows[rows >= 0]] = True
    told = of_item[unknown]
    if not told.all() and run.ids is not None and gold.ids is not None:
        known, evaluated = set(gold.ids), set(items.ids)
        ids = [run.ids[row] for row in unknown.tolist()]
        told |= [name in evaluated or not (name in known or drop_extra) for name in ids]
    return [int(row) for row in unknown[told]]


def align(gold: RawLabels, run: RawLabels) -> tuple[NDArray[np.intp], Sequence[int]]:
    """The run's row for each row of gold, −1 if there is none, (N,), and the run's rows for unknown items.

    Rows match by id, or by position if neither file has ids.
    """
    if run.ids is None or gold.ids is None:
        _check_positions(gold, run)
        return np.arange(len(gold.labels)), ()
    if run.ids is gold.ids or run.ids == gold.ids:
        return np.arange(len(run.ids)), ()
    row_of = {name: row for row, name in enumerate(run.ids)}
    rows = np.array([row_of.get(name, -1) for name in gold.ids], dtype=np.intp)
    if (rows >= 0).sum() == len(run.ids):
        return rows, ()
    known = set(gold.ids)
    return rows, [row for row, name in enumerate(run.ids) if name not in known]


def _check_positions(gold: RawLabels, run: RawLabels) -> None:
    if run.ids is not None:
        found = f"a run with ids, but gold without ids ({gold.path})"
        raise refuse(run.path, found, "ids in both or in neither", "give gold the same ids", kind="conflict")
    items = len(gold.labels)
    if len(run.labels) != items:
        shorter = len(run.labels) < items
        hint = "the file may be truncated" if shorter else "remove the rows that answer no item, or add ids"
        problem = wrong_count(len(run.labels), "label", items, f", one for each row of {gold.path}", hint=hint)
        raise refuse((run.path, run.lines()[-1]), problem)


def _reject_extra(gold: RawLabels, run: RawLabels, extra: Sequence[int]) -> None:
    names = run.ids or ()
    # An empty id is a problem of the file, which its reader reported.
    unknown = [row for row in extra if names[row]]
    if unknown:
        lines = run.lines()
        raise InputError(
            [invalid("id", names[row], "ids of gold").at(run.path, lines[row]) for row in unknown],
            hints=[
                did_you_mean(names[unknown[0]], (gold.ids or ())[:SIMILAR_AMONG]),
                f"correct the ids, or drop such rows with {setting('on_extra', 'drop')}",
            ],
        )


def truncation_hint(rows: NDArray[np.intp], ids: Sequence[str]) -> str:
    """A hint at truncation if a run has predictions for only the first items of gold, else ''."""
    answered = int((rows >= 0).sum())
    if 0 < answered < len(rows) and (rows[:answered] >= 0).all():
        return f"the file ends before item '{shortened(ids[answered])}': it may be truncated"
    return ""


def _hint_of_parts(run: RawLabels, folders: Mapping[str, int]) -> str:
    """A hint if Parquet files in one folder may be parts of one system; folders: with their numbers of such runs."""
    folder = _folder_of_parquet(run)
    if folders[folder] < 2 or not folder:
        return ""
    return f"if the files of {folder} are parts of one system, name the folder, as in NAME={folder}"


def _folder_of_parquet(run: RawLabels) -> str:
    """The folder of a Parquet file with one system, else ''."""
    return str(Path(run.path).parent) if run.path.endswith(".parquet") and not run.column else ""


def _reject(
    run: RawLabels,
    unknown: Sequence[int],
    missing: Sequence[tuple[str, int]],
    prediction: Prediction,
    hints: Sequence[str],
) -> None:
    """Reject unknown predictions, by row, and missing ones, by id and row (−1: none), with hints for the latter."""
    if not unknown and not missing:
        return
    lines, in_column = run.lines(), f" in column '{run.column}'" if run.column else ""
    labels = {row: shortened(run.labels[row]) for row in unknown}
    problems = [
        invalid("prediction", label, prediction.expected, in_column).at(run.path, lines[row])
        for row, label in labels.items()
    ]
    problems += [
        empty(f"prediction for id '{name}'{in_column}", "one for every item").at(
            run.path, lines[row] if row >= 0 else None
        )
        for name, row in missing
    ]
    remedies = []
    if unknown:
        remedy = f"correct such predictions, or set {setting('on_unknown')} to {prediction.remedies}"
        remedies = [did_you_mean(labels[unknown[0]], prediction.known), remedy]
    if missing:
        remedies += [*hints, f"add the predictions, or set {setting('on_missing')} to {prediction.remedies}"]
    if run.column:
        remedies.append(
            "every column except id and gold is read as a system: remove other columns, or name the column of labels "
            f"with {setting('label_column')}"
        )
    raise InputError(problems, hints=remedies)
