"""The join of outputs (texts, derivations or distributions) with references by item."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from metaeval.errors import Gathered, InputError, Problem, did_you_mean, pluralize, setting
from metaeval.io.labels.join import dropped_items_note
from metaeval.io.labels.policies import ERROR, Policies
from metaeval.io.labels.raw_labels import repetitions
from metaeval.io.labels.run_table import truncation_hint
from metaeval.model.texts import Sizes


@dataclass(frozen=True)
class OutputIndex:
    """The items of the outputs of one system, or of the references, a row each.

    system: '' for references. path: file or folder, for messages. items: of each row. empty: whether a row is empty,
    (R,). location: the file and line of a row. references: the names of the references, () for a system.
    complete: False if some row could not be read. hint: a remedy for ids that gold does not have.
    """

    system: str
    path: str
    items: Sequence[str]
    empty: NDArray[np.bool_]
    location: Callable[[int], tuple[str, int | None]]
    references: Sequence[str] = ()
    complete: bool = True
    hint: str = ""


@dataclass(frozen=True)
class ItemJoin:
    """The rows of each item.

    items: N ids. references: rows of gold, those of an item together. reference_counts: of each item, (N,).
    outputs: for each system the row of each item, (N,); −1 for a missing output, which counts as empty.
    """

    items: tuple[str, ...]
    references: NDArray[np.intp]
    reference_counts: Sizes
    outputs: tuple[NDArray[np.intp], ...]
    repairs: Mapping[str, int]
    notes: tuple[str, ...]


def check_policies(policies: Policies) -> None:
    """Reject policies about labels, which texts and derivations do not have."""
    problems = []
    hints = []
    if policies.on_missing.action in ("label", "miss"):
        found = f"{setting('on_missing', str(policies.on_missing))}, but texts have no labels"
        problems.append(Problem(found, "error, drop or worst"))
        hints.append("choose drop, or worst for an empty text")
    for name, value, default in (
        ("on_unknown", str(policies.on_unknown), str(ERROR)),
        ("drop_gold", ",".join(policies.drop_gold), ""),
    ):
        if value != default:
            problems.append(Problem(f"{setting(name, value)}, but texts have no labels"))
            hints.append(f"leave out {setting(name)}")
    if problems:
        raise InputError(problems, hints=hints)


def join_outputs(
    gold: OutputIndex, systems: Sequence[OutputIndex], policies: Policies, *, worst: str = "worst for empty outputs"
) -> ItemJoin:
    """Join references and outputs by item, in the order of the first reference of each item.

    worst: the policy for missing outputs beside 'drop', for a remedy; '' if there is none.

    Duplicate ids, outputs of unknown items and items without an output are one `InputError`, unless the policies
    allow them.
    """
    item_numbers: dict[str, int] = {}
    item_of_reference = np.array([item_numbers.setdefault(name, len(item_numbers)) for name in gold.items], np.intp)
    names = list(item_numbers)
    gathered = Gathered()
    with gathered.errors():
        _reject_duplicates(gold)
    rows, extra = [], []
    for system in systems:
        system_rows, unknown = _align(system, item_numbers)
        rows.append(system_rows)
        extra.append(len(unknown))
        with gathered.errors():
            _reject_duplicates(system)
        if gold.complete and not policies.drop_extra:
            with gathered.errors():
                _reject_extra(system, unknown, names)
        if system.complete and policies.on_missing.action == "error":
            with gathered.errors():
                _reject_missing(system, system_rows, names, worst)
    gathered.raise_any()
    return _apply_policies(gold, systems, policies, names, item_of_reference, rows, extra)


def _align(system: OutputIndex, item_numbers: Mapping[str, int]) -> tuple[NDArray[np.intp], list[int]]:
    """The row of each item, −1 if it has none, (N,); and the rows of unknown items."""
    rows = np.full(len(item_numbers), -1, dtype=np.intp)
    unknown = []
    for row, name in enumerate(system.items):
        item = item_numbers.get(name)
        if item is None:
            unknown.append(row)
        else:
            rows[item] = row
    return rows, unknown


def _reject_duplicates(index: OutputIndex) -> None:
    """Reject two outputs of one system, or two references of one name, for one item."""
    keys = list(zip(index.items, index.references, strict=True)) if index.references else index.items
    problems = [_duplicate(index, before, row) for row, before in repetitions(keys)]
    hint = (
        'give each reference of an item its own name (JSON lines and tables: "reference"; folders: ITEM.NAME.txt)'
        if index.references
        else "keep one output for each item of a system"
    )
    if problems:
        raise InputError(problems, hints=[hint])


def _duplicate(index: OutputIndex, before: int, row: int) -> Problem:
    path, line = index.location(row)
    first_path, first_line = index.location(before)
    first = f"on line {first_line}" if path == first_path and first_line else f"in {first_path}"
    if path != first_path and first_line:
        first += f", line {first_line}"
    reference = index.references[row] if index.references else ""
    whose = f", reference '{reference}'," if reference else f" of '{index.system}'" if index.system else ""
    expected = "every reference once" if index.references else "every item once"
    return Problem(f"item '{index.items[row]}'{whose} again, first {first}", expected, path, line)


def _reject_extra(system: OutputIndex, unknown: Sequence[int], names: Sequence[str]) -> None:
    if unknown:
        raise InputError(
            [
                Problem(f"item '{system.items[row]}', which has no reference", "items of gold", *system.location(row))
                for row in unknown
            ],
            hints=[
                did_you_mean(system.items[unknown[0]], names[:2000]),
                system.hint,
                f"correct the ids, or drop such outputs with {setting('on_extra', 'drop')}",
            ],
        )


def _reject_missing(system: OutputIndex, rows: NDArray[np.intp], names: Sequence[str], worst: str) -> None:
    missing = np.flatnonzero(rows < 0).tolist()
    if missing:
        raise InputError(
            [
                Problem(f"no output of '{system.system}' for item '{names[item]}'", "one for every item", system.path)
                for item in missing
            ],
            hints=[
                # Data in memory cannot be truncated files.
                truncation_hint(rows, names) if not system.path.startswith("<") else "",
                f"add the outputs, or set {setting('on_missing')} to drop{worst and f', or to {worst}'}",
            ],
        )


def _apply_policies(
    gold: OutputIndex,
    systems: Sequence[OutputIndex],
    policies: Policies,
    names: Sequence[str],
    item_of_reference: NDArray[np.intp],
    rows: Sequence[NDArray[np.intp]],
    extra: Sequence[int],
) -> ItemJoin:
    """The join without dropped items, and what the policies repaired."""
    keep = np.ones(len(names), dtype=np.bool_)
    if policies.on_missing.action == "drop":
        for system_rows in rows:
            keep &= system_rows >= 0
    if not keep.any():
        raise InputError.at(
            gold.path,
            found="no item is left: each lacks an output of some system" if names else "no item",
            expected="at least one item with an output of every system",
            hint=f"leave out the systems with the fewest outputs, or use {setting('on_missing', 'worst')}",
        )
    references = np.argsort(item_of_reference, kind="stable")
    references = references[keep[item_of_reference[references]]]
    outputs = tuple(system_rows[keep] for system_rows in rows)
    counts = {
        "extra_dropped": extra,
        "missing": [int((system_rows < 0).sum()) for system_rows in rows],
        "items_dropped": [int((~keep).sum())],
        "empty_outputs": [int(system.empty[of[of >= 0]].sum()) for system, of in zip(systems, outputs, strict=True)],
        "empty_references": [int(gold.empty[references].sum())],
    }
    return ItemJoin(
        tuple(name for name, stays in zip(names, keep.tolist(), strict=True) if stays),
        references,
        np.bincount(item_of_reference, minlength=len(names))[keep],
        outputs,
        {name: sum(each) for name, each in counts.items()},
        _notes(counts, [system.system for system in systems], policies),
    )


def _notes(counts: Mapping[str, Sequence[int]], systems: Sequence[str], policies: Policies) -> tuple[str, ...]:
    """The repairs as text; counts: of each system, or of all items or references."""
    extra, missing, items, outputs, references = (sum(each) for each in counts.values())
    notes = []
    if extra:
        shares = _shares(systems, counts["extra_dropped"])
        notes.append(f"dropped {pluralize(extra, 'output')} for items without a reference ({shares})")
    if missing:
        effect = "their items are dropped" if policies.on_missing.action == "drop" else "counted as empty, score 0"
        notes.append(f"{pluralize(missing, 'missing output')}: {effect} ({_shares(systems, counts['missing'])})")
    if items:
        notes.append(dropped_items_note(items))
    if outputs:
        whose = _shares(systems, counts["empty_outputs"])
        notes.append(f"{pluralize(outputs, 'empty output')} of {whose} {'scores' if outputs == 1 else 'score'} 0")
    if references:
        notes.append(pluralize(references, "empty reference"))
    return tuple(notes)


def _shares(systems: Sequence[str], counts: Sequence[int]) -> str:
    """The systems with a count, and the counts if there are several."""
    present = [(name, count) for name, count in zip(systems, counts, strict=True) if count]
    return present[0][0] if len(present) == 1 else ", ".join(f"{name} {count:,}" for name, count in present)
