"""Gold and runs joined into one data set, with every problem of every file told at once."""

from __future__ import annotations

import math
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from metaeval.errors import SHOWN_AT_MOST, Gathered, InputError, Problem, did_you_mean
from metaeval.io.alignment import align, truncation_hint
from metaeval.io.answers import Answers
from metaeval.io.policies import Policies, Policy, farthest_classes
from metaeval.model.labels import Codes, LabelledRuns, NumericRuns, smallest_code_type
from metaeval.model.scale import ClassScale

Runs_co = TypeVar("Runs_co", LabelledRuns, NumericRuns, covariant=True)

LONGEST_SHOWN = 60
"""Letters of a label that a message repeats."""

_USABLE, _MISSING, _UNKNOWN = 0, 1, 2

Read = tuple[NDArray[Any], NDArray[np.uint8]]
"""What rows say, and whether that is usable, missing or unknown."""


@dataclass(frozen=True)
class Joined(Generic[Runs_co]):
    """A data set, and what it took to make it one.

    touched: how much the policies changed or dropped, by name; always the same names.
    notes: the same in words, where there was anything.
    """

    runs: Runs_co
    touched: Mapping[str, int]
    notes: tuple[str, ...]


def join_labels(gold: Answers, runs: Sequence[Answers], scale: ClassScale, policies: Policies) -> Joined[LabelledRuns]:
    """Gold and the runs of systems that predict labels, as codes of the scale.

    Whatever does not fit, and is not allowed for by the policies, is an `InputError` with all such places.
    """
    codes = _code_reader(scale)
    items = _gold_items(gold, scale, policies.drop_gold)
    table = _read_runs(gold, items, runs, policies, codes, expected=_one_of(scale.labels), known=scale.labels)
    keep, ties = _settle(table, items, policies, scale)
    code_type = smallest_code_type(len(scale))
    joined = LabelledRuns(
        _kept(items.ids, keep),
        items.codes[keep].astype(code_type),
        table.values[:, keep].astype(code_type),
        tuple(run.system for run in runs),
        scale,
    )
    touched, notes = _account(table, items, policies, keep, ties)
    return Joined(joined, touched, (*_absent_classes(joined), *notes))


def join_numbers(gold: Answers, runs: Sequence[Answers], scale: ClassScale, policies: Policies) -> Joined[NumericRuns]:
    """Gold classes and the runs of systems that predict numbers; as `join_labels`."""
    for policy, option in ((policies.on_missing, "--on-missing"), (policies.on_unknown, "--on-unknown")):
        if policy.action in ("worst", "label"):
            raise InputError.at(
                found=f"{option} {policy} where systems predict numbers",
                expected="error or drop",
                hint="choose one of these",
            )
    items = _gold_items(gold, scale, policies.drop_gold)
    table = _read_runs(gold, items, runs, policies, _read_numbers, expected="a finite number")
    keep, ties = _settle(table, items, policies, scale)
    joined = NumericRuns(
        _kept(items.ids, keep),
        items.codes[keep].astype(smallest_code_type(len(scale))),
        table.values[:, keep],
        tuple(run.system for run in runs),
        scale,
    )
    return Joined(joined, *_account(table, items, policies, keep, ties))


@dataclass(frozen=True)
class _Items:
    """The gold items that take part: their rows in the gold file, ids and codes; and how many were left out."""

    rows: NDArray[np.intp]
    ids: tuple[str, ...]
    codes: Codes
    dropped: int


@dataclass(frozen=True)
class _Table:
    """What the runs say of the items, values and states (S, N); and how many of their rows answer no item."""

    values: NDArray[Any]
    states: NDArray[np.uint8]
    extra: int


def _gold_items(gold: Answers, scale: ClassScale, drop: Sequence[str]) -> _Items:
    absent = [label for label in drop if label not in set(gold.labels)]
    if absent:
        known = sorted(set(gold.labels))
        raise InputError.at(
            gold.path,
            found=f"no item of gold class '{absent[0]}' to drop",
            expected=_one_of(known),
            hint=did_you_mean(absent[0], known),
        )
    codes, states = _code_reader(scale)(gold.labels)
    dropped = np.isin(np.array(gold.labels), list(drop)) if drop else np.zeros(len(codes), dtype=np.bool_)
    wrong: list[int] = np.flatnonzero((states != _USABLE) & ~dropped).tolist()
    if wrong:
        _raise_bad_gold(gold, wrong, scale)
    rows = np.flatnonzero(~dropped)
    if not len(rows):
        raise InputError.at(gold.path, found="no item left after dropping gold classes", expected="at least one")
    ids = gold.ids or range(1, len(codes) + 1)
    return _Items(rows, tuple(str(ids[row]) for row in rows.tolist()), codes[rows], int(dropped.sum()))


def _raise_bad_gold(gold: Answers, rows: Sequence[int], scale: ClassScale) -> None:
    lines = gold.lines()
    labels = sorted({gold.labels[row] for row in rows} - {""})
    hints = []
    if labels:
        drop = f"--drop-gold {shlex.quote(_short(labels[0]))}"
        hints.append(
            f"leave such items out, as in {drop}, or declare every class with --labels"
            if len(labels) <= 3
            else "declare the classes of this file with --labels"
        )
    raise InputError(
        [
            Problem(
                f"gold label '{_short(gold.labels[row])}'" if gold.labels[row] else "no gold label",
                _one_of(scale.labels),
                gold.path,
                lines[row],
            )
            for row in rows
        ],
        hints=hints,
    )


def _one_of(labels: Sequence[str]) -> str:
    """`one of a, b, c`, cut where there are more than anyone reads."""
    more = f" and {len(labels) - SHOWN_AT_MOST} more" if len(labels) > SHOWN_AT_MOST else ""
    return f"one of {', '.join(map(_short, labels[:SHOWN_AT_MOST]))}{more}"


def _short(label: str) -> str:
    """A label as a message can hold it: whoever names the wrong column has whole texts for labels."""
    return label if len(label) <= LONGEST_SHOWN else label[: LONGEST_SHOWN - 1] + "…"


def _code_reader(scale: ClassScale) -> Callable[[Sequence[str]], Read]:
    """Turns labels into codes; `worst` and `label:NAME` fill the others in later."""
    code_of = {label: code for code, label in enumerate(scale.labels)} | {"": -_MISSING}

    def read(labels: Sequence[str]) -> Read:
        codes = np.fromiter(map(code_of.get, labels, repeat(-_UNKNOWN)), dtype=np.int32, count=len(labels))
        return codes, np.maximum(-codes, _USABLE).astype(np.uint8)

    return read


def _read_numbers(texts: Sequence[str]) -> Read:
    states = np.zeros(len(texts), dtype=np.uint8)
    try:
        numbers = np.array([float(text) for text in texts])
    except ValueError:
        numbers = np.array([_number(text) for text in texts])
    for row in np.flatnonzero(~np.isfinite(numbers)).tolist():
        states[row] = _UNKNOWN if texts[row] else _MISSING
    return numbers, states


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan


def _read_runs(
    gold: Answers,
    items: _Items,
    runs: Sequence[Answers],
    policies: Policies,
    read: Callable[[Sequence[str]], Read],
    *,
    expected: str,
    known: Sequence[str] = (),
) -> _Table:
    """Every run brought into the order of the items; problems of all runs are raised together."""
    gathered = Gathered()
    values, states, extra = [], [], 0
    for run in runs:
        with gathered.errors():
            alignment = align(gold, run, drop_extra=policies.drop_extra)
            said, usable = read(run.labels)
            rows = alignment.rows[items.rows]
            state = np.where(rows >= 0, usable[rows], np.uint8(_MISSING))
            _check_run(run, items, rows, state, policies, expected, known)
            values.append(said[rows])
            states.append(state)
            extra += alignment.extra
    gathered.raise_any()
    return _Table(np.stack(values), np.stack(states), extra)


def _check_run(
    run: Answers,
    items: _Items,
    rows: NDArray[np.intp],
    state: NDArray[np.uint8],
    policies: Policies,
    expected: str,
    known: Sequence[str],
) -> None:
    missing: list[int] = _where(state == _MISSING, policies.on_missing)
    unknown: list[int] = _where(state == _UNKNOWN, policies.on_unknown)
    if not missing and not unknown:
        return
    lines = run.lines()
    problems, hints = [], []
    for item in unknown:
        problems.append(Problem(f"'{_short(run.labels[rows[item]])}'", expected, run.path, lines[rows[item]]))
    for item in missing:
        line = lines[rows[item]] if rows[item] >= 0 else None
        problems.append(Problem(f"no prediction for id '{items.ids[item]}'", "one for every item", run.path, line))
    if unknown:
        hints.append(did_you_mean(_short(run.labels[rows[unknown[0]]]), known))
        hints.append(
            "correct such predictions, or choose what becomes of them with --on-unknown drop, worst or label:NAME"
        )
    if missing:
        hints.append(truncation_hint(rows))
        hints.append(
            "add the predictions, or choose what becomes of such items with --on-missing drop, worst or label:NAME"
        )
    raise InputError(problems, hints=hints)


def _where(affected: NDArray[np.bool_], policy: Policy) -> list[int]:
    """The items that a policy calls errors."""
    return [] if policy.action != "error" else [int(item) for item in np.flatnonzero(affected)]


def _settle(table: _Table, items: _Items, policies: Policies, scale: ClassScale) -> tuple[NDArray[np.bool_], int]:
    """Fill in predictions as the policies say; which items stay (N,), and how many were ties of `worst`."""
    keep = np.ones(len(items.codes), dtype=np.bool_)
    ties = 0
    for state, policy in ((_MISSING, policies.on_missing), (_UNKNOWN, policies.on_unknown)):
        affected = table.states == state
        if policy.action == "drop":
            keep &= ~affected.any(axis=0)
        elif policy.action == "label":
            table.values[affected] = _code_of_policy(policy, scale)
        elif policy.action == "worst":
            farthest, tied = farthest_classes(scale)
            np.copyto(table.values, farthest[items.codes], where=affected, casting="same_kind")
            ties += int((affected & tied[items.codes]).sum())
    if not keep.any():
        raise InputError.at(
            found="no item left: each lacks a usable prediction of some system",
            expected="at least one item that every system answers",
            hint="leave out the systems that answer least, or choose another policy than drop",
        )
    return keep, ties


def _code_of_policy(policy: Policy, scale: ClassScale) -> int:
    if policy.label not in scale.labels:
        raise InputError.at(
            found=f"policy '{policy}', which names no class",
            expected=f"label:NAME with {_one_of(scale.labels)}",
            hint=did_you_mean(policy.label, scale.labels),
        )
    return scale.code(policy.label)


def _kept(ids: tuple[str, ...], keep: NDArray[np.bool_]) -> tuple[str, ...]:
    return ids if keep.all() else tuple(name for name, stays in zip(ids, keep, strict=True) if stays)


def _account(
    table: _Table, items: _Items, policies: Policies, keep: NDArray[np.bool_], ties: int
) -> tuple[dict[str, int], tuple[str, ...]]:
    """What the policies touched, as counts and in words."""
    missing, unknown = (int((table.states == state).sum()) for state in (_MISSING, _UNKNOWN))
    touched = {
        "gold_dropped": items.dropped,
        "extra_dropped": table.extra,
        "missing": missing,
        "unknown": unknown,
        "worst_ties": ties,
        "items_dropped": int((~keep).sum()),
    }
    notes = []
    if items.dropped:
        notes.append(f"{items.dropped:,} items of gold class {', '.join(policies.drop_gold)} left out")
    if table.extra:
        notes.append(f"{table.extra:,} predictions for ids that are not in gold dropped")
    if missing:
        notes.append(f"{missing:,} missing predictions: {_told(policies.on_missing)}")
    if unknown:
        notes.append(f"{unknown:,} predictions outside the scale: {_told(policies.on_unknown)}")
    if ties:
        notes.append(f"{ties:,} of these had two classes farthest from gold and took the first declared")
    if touched["items_dropped"]:
        notes.append(f"{touched['items_dropped']:,} items dropped for every system")
    return touched, tuple(notes)


def _absent_classes(runs: LabelledRuns) -> tuple[str, ...]:
    occurring = set(runs.gold.tolist())
    absent = [label for code, label in enumerate(runs.scale.labels) if code not in occurring]
    told = f"no item of gold class {', '.join(absent)}: averages over all classes count it all the same"
    return (told,) if absent else ()


def _told(policy: Policy) -> str:
    told = {"drop": "their items dropped", "worst": "taken as the class farthest from gold"}
    return told.get(policy.action, f"taken as '{policy.label}'")
