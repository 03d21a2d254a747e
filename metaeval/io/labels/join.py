"""The join of gold labels and runs; the problems of all files are raised as one error."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from metaeval.errors import (
    SHOWN_AT_MOST,
    ByExample,
    Gathered,
    InputError,
    did_you_mean,
    empty,
    excluded,
    invalid,
    join_all,
    no_common_item,
    none_left,
    one_of,
    pluralize,
    raise_any,
    refuse,
    setting,
    shortened,
    unknown,
    wrong_count,
)
from metaeval.io.files.columns import MISSING, UNKNOWN, USABLE, Read, code_reader, invalid_number, read_numbers
from metaeval.io.files.run_files import EVERY_SYSTEM, SystemChoice
from metaeval.io.forms import same_labels, written_as
from metaeval.io.labels.columns import RawLabels
from metaeval.model.runs import Codes, LabelledRuns, NumericRuns, smallest_code_type
from metaeval.model.scale import ClassScale

ACTIONS = ("error", "drop", "miss", "worst", "label:NAME", "pairwise", "zero")

Action = Literal["error", "drop", "miss", "worst", "label", "pairwise", "zero"]
_SIMPLE_ACTIONS: tuple[Action, ...] = ("error", "drop", "miss", "worst", "pairwise", "zero")


@dataclass(frozen=True)
class Policy:
    """The treatment of an item without a usable prediction of a system.

    action: 'error', 'drop' (the item, for all systems), 'miss' (the item counts as wrong: it is in the gold total and
    in no predicted class), 'worst' (the class farthest from gold), 'label', or for tables of scores 'pairwise' (each
    comparison uses the cells that both sides have) or 'zero' (a missing score counts as 0).
    label: the class that replaces the prediction, for 'label'.
    """

    action: Action = "error"
    label: str = ""

    @classmethod
    def parse(cls, text: str, *, option: str) -> Policy:
        """The policy of one of `ACTIONS`; option: its name in messages."""
        action, colon, label = text.partition(":")
        if action == "label" and colon and label.strip():
            return cls("label", label.strip())
        for simple in _SIMPLE_ACTIONS:
            if text == simple:
                return cls(simple)
        problem = unknown(option, text, ACTIONS)
        raise refuse(None, problem, hint=problem.hint or "choose one of these")

    def __str__(self) -> str:
        return f"label:{self.label}" if self.action == "label" else self.action


ERROR = Policy()


@dataclass(frozen=True)
class Policies:
    """The policies of the join.

    on_missing: an item without a prediction. on_unknown: a label outside the scale, or text for a number.
    drop_extra: whether predictions for unknown ids are dropped; otherwise they are an error.
    drop_gold: gold labels whose items are left out. systems: those that are evaluated. map_labels: labels that are
    replaced by others. gaps: whether the analyses can compare systems that lack scores of items.
    """

    on_missing: Policy = ERROR
    on_unknown: Policy = ERROR
    drop_extra: bool = False
    drop_gold: tuple[str, ...] = ()
    systems: SystemChoice = EVERY_SYSTEM
    map_labels: Mapping[str, str] = field(default_factory=dict)
    gaps: bool = True

    @property
    def dropping(self) -> str:
        """The setting of the policy that drops items."""
        return "on_missing" if self.on_missing.action == "drop" else "on_unknown"

    @property
    def may_miss(self) -> bool:
        """Whether some predictions may count as wrong without being of a class."""
        return "miss" in (self.on_missing.action, self.on_unknown.action)

    def reject_substitutes(self, where: str) -> None:
        """Reject policies of predicted classes; where: why there are no classes."""
        for policy, name in ((self.on_missing, "on_missing"), (self.on_unknown, "on_unknown")):
            if policy.action in ("miss", "worst", "label"):
                expected = "error, drop or, for tables of scores, pairwise or zero"
                raise refuse(None, excluded(setting(name, str(policy)), where, expected))

    def reject_those_of_tables(self) -> None:
        """Reject the policies of tables of scores for other data."""
        for policy, name in ((self.on_missing, "on_missing"), (self.on_unknown, "on_unknown")):
            if policy.action in ("pairwise", "zero"):
                reason, expected = "the data are no table of scores", f"another policy, such as {setting(name, 'drop')}"
                raise refuse(None, excluded(setting(name, policy.action), reason, expected))


def farthest_classes(scale: ClassScale) -> tuple[Codes, NDArray[np.bool_]]:
    """The class farthest from each, (C,), and whether there are two; of these the first declared is used.

    A nominal scale is an `InputError`.

    >>> farthest_classes(ClassScale.parse("low<mid<high"))
    (array([2, 0, 0]), array([False,  True, False]))
    """
    if not scale.ordered:
        hint = "choose miss, under which such an item counts as wrong, drop or label:NAME"
        raise refuse(None, excluded("policy 'worst'", f"the scale '{scale}' has no order", "an ordered scale", hint))
    values = scale.class_values()
    distance = np.abs(values[:, np.newaxis] - values)
    farthest = distance.argmax(axis=1)
    tied = (distance == distance.max(axis=1, keepdims=True)).sum(axis=1) > 1
    return farthest, tied


@dataclass(frozen=True)
class GoldItems:
    """The evaluated items: their rows in the gold file, ids and codes; dropped_count: the number of other items."""

    rows: NDArray[np.intp]
    ids: tuple[str, ...]
    codes: Codes
    dropped_count: int


def gold_items(gold: RawLabels, scale: ClassScale, policies: Policies, problems: Gathered) -> GoldItems:
    """The gold items except those of the classes to drop; `problems` collects all problems of gold.

    Items without a class of the scale are among them, so that their predictions can be checked, too.
    """
    drop = policies.drop_gold
    with problems.errors():
        check_dropped(drop, sorted(set(gold.labels)), gold.path)
    codes, states = code_reader(scale)(gold.labels)
    dropped = np.isin(np.array(gold.labels), list(drop)) if drop else np.zeros(len(codes), dtype=np.bool_)
    with problems.errors():
        _check_labels(gold, np.flatnonzero((states != USABLE) & ~dropped).tolist(), scale, policies.map_labels)
    rows = np.flatnonzero(~dropped)
    if not len(rows):
        problems.keep(no_item_left(gold.path))
    ids = gold.ids or range(1, len(codes) + 1)
    return GoldItems(rows, tuple(str(ids[row]) for row in rows.tolist()), codes[rows], int(dropped.sum()))


def no_item_left(path: str) -> InputError:
    """The error for gold of which every item has a class to drop."""
    return refuse(path, none_left("item", "their gold classes are dropped", "drop fewer classes"))


def check_dropped(drop: Sequence[str], occurring: Sequence[str], path: str) -> None:
    """Reject classes to drop that no gold item has; occurring: the labels of gold."""
    raise_any([unknown("gold class to drop", label, occurring).at(path) for label in drop if label not in occurring])


def _check_labels(gold: RawLabels, wrong: Sequence[int], scale: ClassScale, label_map: Mapping[str, str]) -> None:
    """Reject gold labels that are missing or outside the scale; wrong: their rows."""
    if not wrong:
        return
    lines, expected = gold.lines(), one_of(scale.labels)
    labels = sorted({gold.labels[row] for row in wrong} - {""})
    hints = []
    if labels:
        drop = setting("drop_gold", shortened(labels[0]))
        hints = [
            label_hint([gold.labels[row] for row in wrong if gold.labels[row]], scale.labels, label_map),
            f"leave such items out, as with {drop}, or declare every class with {setting('labels')}"
            if len(labels) <= 3
            else f"declare the classes of this file with {setting('labels')}",
        ]
    problems = [invalid("gold label", gold.labels[row], expected).at(gold.path, lines[row]) for row in wrong]
    raise InputError(problems, hints=hints)


@dataclass(frozen=True)
class Prediction:
    """What the systems predict, for reading and for messages.

    read: turns texts into values and their states. expected: the usable predictions. labels: those of the scale.
    remedies: the policies besides 'error'. label_map: the labels that are replaced. frequent_states: where 'drop'
    would leave out most items.
    """

    read: Callable[[Sequence[str]], Read]
    expected: str
    labels: Sequence[str]
    remedies: tuple[str, ...]
    label_map: Mapping[str, str] = field(default_factory=dict)
    frequent_states: Sequence[int] = ()

    def remedy(self, option: str, state: int, correct: str) -> str:
        """The remedy for predictions of a state; correct: what to do with the file."""
        policies = [policy for policy in self.remedies if policy != "drop" or state not in self.frequent_states]
        return f"{correct}, or set {setting(option)} to {join_all(policies, 'or')}" if policies else correct


def read_runs(
    gold: RawLabels,
    items: GoldItems,
    runs: Sequence[RawLabels],
    policies: Policies,
    prediction: Prediction,
    *,
    problems: Gathered,
) -> tuple[NDArray[Any], NDArray[np.uint8], int]:
    """Values and states of all runs for each item, (S, N), and the number of rows for unknown items.

    `problems` collects all problems of the runs; if there are any, the values are not complete.
    """
    # Empty first entries, so that the arrays have a shape even without runs.
    values = [prediction.read(())[0].reshape(0, len(items.codes))]
    states = [np.zeros((0, len(items.codes)), dtype=np.uint8)]
    extra = 0
    folders = Counter(map(_folder_of_parquet, runs))
    rejected = []
    for run in runs:
        try:
            row_of_item, extra_rows = align(gold, run)
        except InputError as error:
            problems.keep(error, runs=[run.system])
            check_without_gold(run, policies, prediction, problems)
            continue
        extra += len(extra_rows)
        if not policies.drop_extra:
            with problems.errors(run.system):
                _reject_extra(gold, run, extra_rows)
        run_values, run_states = prediction.read(run.labels)
        rows = row_of_item[items.rows]
        values.append(run_values[np.newaxis, rows])
        states.append(np.where(rows >= 0, run_states[rows], np.uint8(MISSING))[np.newaxis])
        unknown = []
        if policies.on_unknown.action == "error":
            unknown = _unknown_rows(gold, run, items, rows, run_states, drop_extra=policies.drop_extra)
        missing = np.flatnonzero(states[-1][0] == MISSING).tolist() if policies.on_missing.action == "error" else []
        without = [(items.ids[item], int(rows[item])) for item in missing]
        hints = [truncation_hint(rows, items.ids), _hint_of_parts(run, folders)]
        rejected.append((run, unknown, without, hints))
    all_states = np.concatenate(states)
    prediction = replace(
        prediction, frequent_states=[state for state in (MISSING, UNKNOWN) if mostly((all_states == state).any(axis=0))]
    )
    for run, unknown, without, hints in rejected:
        with problems.errors(run.system):
            _reject(run, unknown, without, prediction, hints, items=len(items.codes), is_cut_off=bool(hints[0]))
    return np.concatenate(values), all_states, extra


def mostly(rows: NDArray[np.bool_]) -> bool:
    """Whether more than half of the rows would be dropped, so that dropping them is no remedy."""
    return bool(2 * rows.sum() > len(rows))


def check_without_gold(run: RawLabels, policies: Policies, prediction: Prediction, problems: Gathered) -> None:
    """Collect the labels outside the scale of a run whose rows have no items, since gold or its rows are at fault.

    Not where the policies leave out rows by their items.
    """
    if policies.on_unknown.action == "error" and not policies.drop_gold and not policies.drop_extra:
        unknown = np.flatnonzero(prediction.read(run.labels)[1] == UNKNOWN).tolist()
        with problems.errors(run.system):
            _reject(run, unknown, (), prediction)


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
    is_item_row = np.zeros(len(states), dtype=np.bool_)
    is_item_row[rows[rows >= 0]] = True
    reported = is_item_row[unknown]
    if not reported.all() and run.ids is not None and gold.ids is not None:
        gold_ids, evaluated = set(gold.ids), set(items.ids)
        ids = [run.ids[row] for row in unknown.tolist()]
        reported |= [name in evaluated or not (name in gold_ids or drop_extra) for name in ids]
    return [int(row) for row in unknown[reported]]


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
    gold_ids = set(gold.ids)
    return rows, [row for row, name in enumerate(run.ids) if name not in gold_ids]


def _check_positions(gold: RawLabels, run: RawLabels) -> None:
    if run.ids is not None:
        raise refuse(run.path, excluded("a run with ids", f"{gold.path} has none", "ids in both or in neither"))
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
            hints=extra_hints([names[row] for row in unknown], names, gold.ids or (), "rows"),
        )


SIMILAR_AMONG = 2000
"""Number of ids of gold among which the one that may have been meant is looked for."""


def extra_hints(unknown: Sequence[str], ids: Sequence[str], gold_ids: Sequence[str], rows: str) -> list[str]:
    """Remedies for ids that gold lacks, of all ids of a run; dropping more than half of the rows is none."""
    if hint := written_as(unknown, gold_ids):
        return [hint]
    drop = f", or drop such {rows} with {setting('on_extra', 'drop')}"
    correct = f"correct the ids{drop if 2 * len(unknown) <= len(ids) else ''}"
    return [did_you_mean(unknown[0], gold_ids[:SIMILAR_AMONG]), correct]


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


def label_hint(labels: Iterable[str], classes: Sequence[str], label_map: Mapping[str, str]) -> str:
    """A remedy for labels that may mean classes, or a similar class; label_map: labels that are replaced already."""
    counts = Counter(labels)
    same = same_labels(tuple(counts), tuple(classes))
    if not same or len(same) > SHOWN_AT_MOST:
        return did_you_mean(next(iter(counts)), classes)
    total, names = sum(counts[label] for label in same), setting("map_labels", {**label_map, **same})
    return f"if they mean the same, set {names}, with which {total:,} of {counts.total():,} such labels are of a class"


def _reject(
    run: RawLabels,
    unknown: Sequence[int],
    missing: Sequence[tuple[str, int]],
    prediction: Prediction,
    hints: Sequence[str] = (),
    *,
    items: int = 0,
    is_cut_off: bool = False,
) -> None:
    """Reject unknown predictions, by row, and missing ones, by id and row (−1: none), of all items, with hints.

    is_cut_off: whether they are those of the last items.
    """
    if not unknown and not missing:
        return
    lines, in_column = run.lines(), f" in column '{run.column}'" if run.column else ""
    labels = {row: run.labels[row] for row in unknown}
    problems = [
        invalid_number("prediction", label, prediction.expected, in_column).at(run.path, lines[row])
        for row, label in labels.items()
    ]
    rows_of_problems, names = [row for _, row in missing], [f"'{name}'" for name, _ in missing]
    if is_cut_off and len(missing) > 1 and set(rows_of_problems) == {-1}:
        # One problem of a truncated file, not one for each item.
        names = [f"{names[0]} and the {pluralize(len(names) - 1, 'item')} after it"]
    problems += [
        empty(f"prediction for id {name}{in_column}", "one for every item").at(
            run.path, lines[row] if row >= 0 else None
        )
        for name, row in zip(names, rows_of_problems, strict=False)
    ]
    remedies = []
    if unknown:
        remedies = [
            label_hint(labels.values(), prediction.labels, prediction.label_map),
            prediction.remedy("on_unknown", UNKNOWN, "correct such predictions"),
        ]
    if missing:
        none_joins = len(missing) == items and all(row < 0 for _, row in missing)
        add = "add the predictions"
        remedies += [*hints, add if none_joins else prediction.remedy("on_missing", MISSING, add)]
    if run.column:
        remedies.append(
            ByExample.of(
                "every column except id and gold is read as a system: remove other columns, or leave them out",
                setting("exclude_systems", run.column),
            )
        )
    raise InputError(problems, hints=remedies)


def join_labels(
    gold: RawLabels, runs: Sequence[RawLabels], scale: ClassScale, policies: Policies, *, numeric: bool = False
) -> tuple[LabelledRuns | NumericRuns, dict[str, int], tuple[str, ...]]:
    """Gold labels as codes of the scale, and the labels of systems as codes or, if numeric, as numbers.

    Returns the runs, and repairs and notes as in `Dataset`. All mismatches that the policies do not allow are one
    `InputError`.
    """
    if numeric:
        policies.reject_substitutes("systems predict numbers")
    problems = Gathered()
    items = gold_items(gold, scale, policies, problems)
    prediction = _prediction(scale, numeric, policies.map_labels)
    predicted, states, extra = read_runs(gold, items, runs, policies, prediction, problems=problems)
    problems.raise_any()
    keep, policy_repairs = apply_policies(predicted, states, items.codes, policies, scale)
    if not keep.any():
        fewest = runs[int((states == USABLE).sum(axis=1).argmin())]
        raise no_common_item(fewest.path, "prediction", fewest.system, policy=policies.dropping)
    ids = items.ids if keep.all() else tuple(name for name, stays in zip(items.ids, keep, strict=True) if stays)
    code_type = smallest_code_type(len(scale) + policies.may_miss)
    codes, values = items.codes[keep].astype(code_type), predicted[:, keep]
    systems = tuple(run.system for run in runs)
    repairs = {"gold_dropped": items.dropped_count, "extra_dropped": extra, **policy_repairs}
    notes = repair_notes(repairs, policies)
    if numeric:
        return NumericRuns(ids, codes, values, systems, scale), repairs, notes
    notes = (*absent_classes(np.bincount(codes), scale), *notes)
    scale = with_misses(scale, values)
    return LabelledRuns(ids, codes, values.astype(code_type), systems, scale), repairs, notes


def _prediction(scale: ClassScale, numeric: bool, label_map: Mapping[str, str]) -> Prediction:
    if numeric:
        return Prediction(read_numbers, "a finite number", (), ("drop",))
    remedies = ("drop", "miss", *(["worst"] if scale.ordered else []), "label:NAME")
    return Prediction(code_reader(scale), one_of(scale.labels), scale.labels, remedies, label_map)


def check_labels(
    runs: Sequence[RawLabels], scale: ClassScale, policies: Policies, problems: Gathered, *, numeric: bool
) -> None:
    """Collect the problems of runs that do not need gold: labels outside the scale, or texts of no number."""
    for run in runs:
        check_without_gold(run, policies, _prediction(scale, numeric, policies.map_labels), problems)


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
            if policy.label not in scale.labels:
                raise refuse(None, unknown("class of the policy label:NAME", policy.label, scale.labels))
            values[affected] = scale.code(policy.label)
        elif policy.action == "miss":
            values[affected] = len(scale)
        elif policy.action == "worst":
            farthest, tied = farthest_classes(scale)
            np.copyto(values, farthest[gold], where=affected, casting="same_kind")
            ties += int(((affected & tied[gold]) * times).sum())
    return keep, {**repairs, "worst_ties": ties, "items_dropped": int((~keep * times).sum())}


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
