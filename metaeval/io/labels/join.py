"""The join of gold labels and runs; the problems of all files are raised as one error."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from metaeval.errors import Gathered, none_left, one_of, pluralize, refuse, unknown
from metaeval.io.labels.codes import MISSING, UNKNOWN, code_reader, read_numbers
from metaeval.io.labels.gold_items import gold_items
from metaeval.io.labels.policies import Policies, Policy, farthest_classes, substitutes
from metaeval.io.labels.raw_labels import RawLabels
from metaeval.io.labels.run_table import Prediction, check_without_gold, read_runs
from metaeval.model.labels import Codes, LabelledRuns, NumericRuns, smallest_code_type
from metaeval.model.scale import ClassScale


def join_labels(
    gold: RawLabels, runs: Sequence[RawLabels], scale: ClassScale, policies: Policies, *, numeric: bool = False
) -> tuple[LabelledRuns | NumericRuns, dict[str, int], tuple[str, ...]]:
    """Gold labels as codes of the scale, and the labels of systems as codes or, if numeric, as numbers.

    Returns the runs, and repairs and notes as in `Dataset`. All mismatches that the policies do not allow are one
    `InputError`.
    """
    if numeric:
        policies.reject_substitutes("systems predict numbers")
    gathered = Gathered()
    items = gold_items(gold, scale, policies.drop_gold, gathered)
    predicted, states, extra = read_runs(gold, items, runs, policies, _prediction(scale, numeric), gathered=gathered)
    gathered.raise_any()
    keep, of_policies = apply_policies(predicted, states, items.codes, policies, scale)
    check_any_item(keep)
    ids = items.ids if keep.all() else tuple(name for name, stays in zip(items.ids, keep, strict=True) if stays)
    code_type = smallest_code_type(len(scale) + policies.may_miss)
    codes, values = items.codes[keep].astype(code_type), predicted[:, keep]
    systems = tuple(run.system for run in runs)
    repairs = {"gold_dropped": items.dropped, "extra_dropped": extra, **of_policies}
    notes = repair_notes(repairs, policies)
    if numeric:
        return NumericRuns(ids, codes, values, systems, scale), repairs, notes
    notes = (*absent_classes(np.bincount(codes), scale), *notes)
    scale = with_misses(scale, values)
    return LabelledRuns(ids, codes, values.astype(code_type), systems, scale), repairs, notes


def _prediction(scale: ClassScale, numeric: bool) -> Prediction:
    if numeric:
        return Prediction(read_numbers, "a finite number", (), "drop")
    return Prediction(code_reader(scale), one_of(scale.labels), scale.labels, substitutes(scale))


def check_labels(
    runs: Sequence[RawLabels], scale: ClassScale, policies: Policies, gathered: Gathered, *, numeric: bool
) -> None:
    """Collect the problems of runs that can be told without gold: labels outside the scale, or texts of no number."""
    for run in runs:
        check_without_gold(run, policies, _prediction(scale, numeric), gathered)


def with_misses(scale: ClassScale, predicted: NDArray[Any]) -> ClassScale:
    """The scale of predictions after the policies, some of which may be of no class."""
    return replace(scale, misses=bool((predicted == len(scale)).any()))


def apply_policies(
    values: NDArray[Any],
    states: NDArray[np.uint8],
    gold: Codes,
    policies: Policies,
    scale: ClassScale,
    *,
    times: NDArray[np.integer] | int = 1,
) -> tuple[NDArray[np.bool_], dict[str, int]]:
    """Replace missing and unknown predictions as the policies say, in place.

    Returns the items that are kept, (N,), and how much the policies changed or dropped, by name.
    values, states: (S, N). gold: codes (N,). times: the number of items that each column stands for, (N,).
    """
    keep = np.ones(len(gold), dtype=np.bool_)
    repairs = {}
    ties = 0
    for name, state, policy in (("missing", MISSING, policies.on_missing), ("unknown", UNKNOWN, policies.on_unknown)):
        affected = states == state
        repairs[name] = int((affected * times).sum())
        if policy.action == "drop":
            keep &= ~affected.any(axis=0)
        elif policy.action == "label":
            values[affected] = _code_of_policy(policy, scale)
        elif policy.action == "miss":
            values[affected] = len(scale)
        elif policy.action == "worst":
            farthest, tied = farthest_classes(scale)
            np.copyto(values, farthest[gold], where=affected, casting="same_kind")
            ties += int(((affected & tied[gold]) * times).sum())
    return keep, {**repairs, "worst_ties": ties, "items_dropped": int((~keep * times).sum())}


def check_any_item(keep: NDArray[np.bool_]) -> None:
    """Raise an `InputError` if no item is kept."""
    if not keep.any():
        hint = "leave out the systems with the fewest predictions, or choose another policy than drop"
        raise refuse(None, none_left("item", "each lacks a usable prediction of some system", hint))


def _code_of_policy(policy: Policy, scale: ClassScale) -> int:
    if policy.label not in scale.labels:
        raise refuse(None, unknown("class of the policy label:NAME", policy.label, scale.labels))
    return scale.code(policy.label)


def repair_notes(repairs: Mapping[str, int], policies: Policies) -> tuple[str, ...]:
    """The repairs as text."""
    dropped, extra, missing, unknown, ties, items = (
        repairs[name] for name in ("gold_dropped", "extra_dropped", "missing", "unknown", "worst_ties", "items_dropped")
    )
    notes = []
    if dropped:
        notes.append(f"dropped {pluralize(dropped, 'item')} of gold class {', '.join(policies.drop_gold)}")
    if extra:
        notes.append(f"dropped {pluralize(extra, 'prediction')} for ids that are not in gold")
    if missing:
        notes.append(f"{pluralize(missing, 'missing prediction')}: {_effect(policies.on_missing)}")
    if unknown:
        notes.append(f"{pluralize(unknown, 'prediction')} outside the scale: {_effect(policies.on_unknown)}")
    if ties:
        notes.append(f"for {ties:,} of these two classes are farthest from gold; the first declared is used")
    if items:
        notes.append(dropped_items_note(items))
    return tuple(notes)


def dropped_items_note(items: int) -> str:
    """A note on items that a policy dropped."""
    return f"dropped {pluralize(items, 'item')} for every system"


def absent_classes(frequencies: NDArray[np.integer], scale: ClassScale) -> tuple[str, ...]:
    """A note on classes without a gold item; frequencies: of the first classes, as `numpy.bincount` returns them."""
    absent = [label for code, label in enumerate(scale.labels) if not frequencies[code : code + 1].any()]
    note = f"no item of gold class {', '.join(absent)}: averages over all classes include it nevertheless"
    return (note,) if absent else ()


def _effect(policy: Policy) -> str:
    effects = {
        "drop": "their items are dropped",
        "miss": "their items count as wrong",
        "worst": "replaced by the class farthest from gold",
    }
    return effects.get(policy.action, f"replaced by '{policy.label}'")
