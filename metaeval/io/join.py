"""Gold and runs joined into one data set, with every problem of every file told at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from metaeval.errors import InputError, counted, did_you_mean
from metaeval.io.answers import Answers
from metaeval.io.codes import MISSING, UNKNOWN, code_reader, one_of, read_numbers
from metaeval.io.gold_items import GoldItems, gold_items
from metaeval.io.policies import Policies, Policy, farthest_classes
from metaeval.io.run_table import Prediction, RunTable, read_runs
from metaeval.model.labels import LabelledRuns, NumericRuns, smallest_code_type
from metaeval.model.scale import ClassScale

Runs_co = TypeVar("Runs_co", LabelledRuns, NumericRuns, covariant=True)


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
    prediction = Prediction(code_reader(scale), one_of(scale.labels), scale.labels, "drop, worst or label:NAME")
    items = gold_items(gold, scale, policies.drop_gold)
    table = read_runs(gold, items, runs, policies, prediction)
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
    items = gold_items(gold, scale, policies.drop_gold)
    table = read_runs(gold, items, runs, policies, Prediction(read_numbers, "a finite number", (), "drop"))
    keep, ties = _settle(table, items, policies, scale)
    joined = NumericRuns(
        _kept(items.ids, keep),
        items.codes[keep].astype(smallest_code_type(len(scale))),
        table.values[:, keep],
        tuple(run.system for run in runs),
        scale,
    )
    return Joined(joined, *_account(table, items, policies, keep, ties))


def _settle(table: RunTable, items: GoldItems, policies: Policies, scale: ClassScale) -> tuple[NDArray[np.bool_], int]:
    """Fill in predictions as the policies say; which items stay (N,), and how many were ties of `worst`."""
    keep = np.ones(len(items.codes), dtype=np.bool_)
    ties = 0
    for state, policy in ((MISSING, policies.on_missing), (UNKNOWN, policies.on_unknown)):
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
            expected=f"label:NAME with {one_of(scale.labels)}",
            hint=did_you_mean(policy.label, scale.labels),
        )
    return scale.code(policy.label)


def _kept(ids: tuple[str, ...], keep: NDArray[np.bool_]) -> tuple[str, ...]:
    return ids if keep.all() else tuple(name for name, stays in zip(ids, keep, strict=True) if stays)


def _account(
    table: RunTable, items: GoldItems, policies: Policies, keep: NDArray[np.bool_], ties: int
) -> tuple[dict[str, int], tuple[str, ...]]:
    """What the policies touched, as counts and in words."""
    missing, unknown = (int((table.states == state).sum()) for state in (MISSING, UNKNOWN))
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
        notes.append(f"{counted(items.dropped, 'item')} of gold class {', '.join(policies.drop_gold)} left out")
    if table.extra:
        notes.append(f"{counted(table.extra, 'prediction')} for ids that are not in gold dropped")
    if missing:
        notes.append(f"{counted(missing, 'missing prediction')}: {_told(policies.on_missing)}")
    if unknown:
        notes.append(f"{counted(unknown, 'prediction')} outside the scale: {_told(policies.on_unknown)}")
    if ties:
        notes.append(f"{ties:,} of these had two classes farthest from gold and took the first declared")
    if touched["items_dropped"]:
        notes.append(f"{counted(touched['items_dropped'], 'item')} dropped for every system")
    return touched, tuple(notes)


def _absent_classes(runs: LabelledRuns) -> tuple[str, ...]:
    occurring = set(runs.gold.tolist())
    absent = [label for code, label in enumerate(runs.scale.labels) if code not in occurring]
    told = f"no item of gold class {', '.join(absent)}: averages over all classes count it all the same"
    return (told,) if absent else ()


def _told(policy: Policy) -> str:
    told = {"drop": "their items dropped", "worst": "taken as the class farthest from gold"}
    return told.get(policy.action, f"taken as '{policy.label}'")
