"""Gold and runs joined into one data set, with every problem of every file told at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from metaeval.errors import InputError, counted, did_you_mean
from metaeval.io.labels.codes import MISSING, UNKNOWN, code_reader, one_of, read_numbers
from metaeval.io.labels.gold_items import gold_items
from metaeval.io.labels.policies import Policies, Policy, farthest_classes
from metaeval.io.labels.raw_labels import Answers
from metaeval.io.labels.run_table import Prediction, read_runs
from metaeval.model.labels import Codes, LabelledRuns, NumericRuns, smallest_code_type
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
    settled = settle(table.values, table.states, items.codes, policies, scale)
    keep = checked_any_left(settled.keep)
    code_type = smallest_code_type(len(scale))
    joined = LabelledRuns(
        _kept(items.ids, keep),
        items.codes[keep].astype(code_type),
        table.values[:, keep].astype(code_type),
        tuple(run.system for run in runs),
        scale,
    )
    touched = {"gold_dropped": items.dropped, "extra_dropped": table.extra, **settled.touched}
    return Joined(joined, touched, (*absent_classes(np.bincount(joined.gold), scale), *told(touched, policies)))


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
    settled = settle(table.values, table.states, items.codes, policies, scale)
    keep = checked_any_left(settled.keep)
    joined = NumericRuns(
        _kept(items.ids, keep),
        items.codes[keep].astype(smallest_code_type(len(scale))),
        table.values[:, keep],
        tuple(run.system for run in runs),
        scale,
    )
    touched = {"gold_dropped": items.dropped, "extra_dropped": table.extra, **settled.touched}
    return Joined(joined, touched, told(touched, policies))


@dataclass(frozen=True)
class Settled:
    """What the policies did: which items stay, (N,), and how much they changed or dropped, by name."""

    keep: NDArray[np.bool_]
    touched: dict[str, int]


def settle(
    values: NDArray[Any],
    states: NDArray[np.uint8],
    gold: Codes,
    policies: Policies,
    scale: ClassScale,
    *,
    times: NDArray[np.integer] | int = 1,
) -> Settled:
    """Fill in predictions as the policies say, in place.

    values, states: (S, N). gold: codes (N,). times: how many items each of these stands for, (N,).
    """
    keep = np.ones(len(gold), dtype=np.bool_)
    touched = {}
    ties = 0
    for name, state, policy in (
        ("missing", MISSING, policies.on_missing),
        ("unknown", UNKNOWN, policies.on_unknown),
    ):
        affected = states == state
        touched[name] = int((affected * times).sum())
        if policy.action == "drop":
            keep &= ~affected.any(axis=0)
        elif policy.action == "label":
            values[affected] = _code_of_policy(policy, scale)
        elif policy.action == "worst":
            farthest, tied = farthest_classes(scale)
            np.copyto(values, farthest[gold], where=affected, casting="same_kind")
            ties += int(((affected & tied[gold]) * times).sum())
    return Settled(keep, {**touched, "worst_ties": ties, "items_dropped": int((~keep * times).sum())})


def checked_any_left(keep: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which items stay; an `InputError` where none does."""
    if not keep.any():
        raise InputError.at(
            found="no item left: each lacks a usable prediction of some system",
            expected="at least one item that every system answers",
            hint="leave out the systems that answer least, or choose another policy than drop",
        )
    return keep


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


def told(touched: Mapping[str, int], policies: Policies) -> tuple[str, ...]:
    """What the policies touched, in words."""
    dropped, extra, missing, unknown, ties, items = (
        touched[name] for name in ("gold_dropped", "extra_dropped", "missing", "unknown", "worst_ties", "items_dropped")
    )
    notes = []
    if dropped:
        notes.append(f"{counted(dropped, 'item')} of gold class {', '.join(policies.drop_gold)} left out")
    if extra:
        notes.append(f"{counted(extra, 'prediction')} for ids that are not in gold dropped")
    if missing:
        notes.append(f"{counted(missing, 'missing prediction')}: {_told(policies.on_missing)}")
    if unknown:
        notes.append(f"{counted(unknown, 'prediction')} outside the scale: {_told(policies.on_unknown)}")
    if ties:
        notes.append(f"{ties:,} of these had two classes farthest from gold and took the first declared")
    if items:
        notes.append(f"{counted(items, 'item')} dropped for every system")
    return tuple(notes)


def absent_classes(frequencies: NDArray[np.integer], scale: ClassScale) -> tuple[str, ...]:
    """A word on classes without a gold item; frequencies: items of each gold class, as far as there are any."""
    absent = [label for code, label in enumerate(scale.labels) if not frequencies[code : code + 1].any()]
    told = f"no item of gold class {', '.join(absent)}: averages over all classes count it all the same"
    return (told,) if absent else ()


def _told(policy: Policy) -> str:
    told = {"drop": "their items dropped", "worst": "taken as the class farthest from gold"}
    return told.get(policy.action, f"taken as '{policy.label}'")
