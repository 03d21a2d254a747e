"""What systems wrote joined with references by item, whatever it is that they wrote."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from metaeval.errors import Gathered, InputError, Problem, counted, did_you_mean
from metaeval.io.files.source import STANDARD_INPUT, Open, Source, open_source
from metaeval.io.labels.alignment import truncation_hint
from metaeval.io.labels.policies import ERROR, Policies
from metaeval.model.report import SourceFile
from metaeval.model.texts import DerivationRuns, Sizes, TextRuns

Runs_co = TypeVar("Runs_co", TextRuns, DerivationRuns, covariant=True)

_NEW_EMPTY = -1
"""The row of an output that no file holds, and which counts as empty."""


@dataclass(frozen=True)
class Written:
    """For which items one system wrote something, or gold has references, a row each; what they say is kept elsewhere.

    system: its name, '' for gold. path: its file or folder, for messages. items: of each row. references: the names of
    the references where these are gold's, else (). empty: whether a row says nothing, (R,). place: the file and line
    of a row. whole: whether every row could be read. hint: what else to say where an id is not in gold.
    """

    system: str
    path: str
    items: Sequence[str]
    empty: NDArray[np.bool_]
    place: Callable[[int], tuple[str, int | None]]
    references: Sequence[str] = ()
    whole: bool = True
    hint: str = ""


@dataclass(frozen=True)
class ItemJoin:
    """Which rows belong together.

    items: N ids. references: rows of gold, those of an item together. reference_counts: (N,) of each item.
    outputs: of each system a row an item, (N,), or −1 for an output that is missing and counts as empty.
    """

    items: tuple[str, ...]
    references: NDArray[np.intp]
    reference_counts: Sizes
    outputs: tuple[NDArray[np.intp], ...]
    touched: Mapping[str, int]
    notes: tuple[str, ...]


def check_policies(policies: Policies) -> None:
    """Raise an `InputError` where policies speak of labels, which texts and derivations do not have."""
    problems = []
    hints = []
    if policies.on_missing.action == "label":
        problems.append(
            Problem(f"--on-missing {policies.on_missing} where systems write texts", "error, drop or worst")
        )
        hints.append("choose drop, or worst for an empty text")
    if policies.on_unknown != ERROR:
        problems.append(Problem(f"--on-unknown {policies.on_unknown} where systems write texts, which have no labels"))
        hints.append("leave out --on-unknown")
    if policies.drop_gold:
        problems.append(
            Problem(f"--drop-gold {','.join(policies.drop_gold)} where systems write texts, which have no labels")
        )
        hints.append("leave out --drop-gold")
    if problems:
        raise InputError(problems, hints=hints)


def check_standard_input(gold: str, runs: Sequence[str]) -> None:
    """Raise an `InputError` where standard input is to be both gold and a run; runs: the paths."""
    if gold == STANDARD_INPUT and STANDARD_INPUT in runs:
        raise InputError.at(found="standard input for gold and for a run", expected="'-' for one file only")


def check_any_system(systems: Sequence[object], gold: str) -> None:
    """Raise an `InputError` where there is no system."""
    if not systems:
        raise InputError.at(
            gold,
            found="gold alone, and no run",
            expected="at least one system",
            hint="name files, folders or patterns after the options; `metaeval validate` checks gold alone",
        )


class Opened:
    """The files that were opened so far, each told once; open_file: what opens them."""

    def __init__(self, open_file: Open = open_source) -> None:
        self._open_file = open_file
        self._files: dict[SourceFile, None] = {}
        self._cp1252: dict[str, None] = {}

    def open(self, path: str, role: str) -> Source:
        """As `open_source`, of a file of text."""
        source = self._open_file(path, role)
        self._files[source.file] = None
        if not source.is_utf8:
            self._cp1252[source.path_or_name] = None
        return source

    @property
    def files(self) -> tuple[SourceFile, ...]:
        """What the provenance says of them, gold first."""
        return tuple(sorted(self._files, key=lambda file: file.role != "gold"))

    @property
    def notes(self) -> tuple[str, ...]:
        """A word about files that are not UTF-8."""
        paths = tuple(self._cp1252)
        if len(paths) > 1:
            return (f"{paths[0]} and {counted(len(paths) - 1, 'more file')} are not UTF-8 and were read as cp1252",)
        return tuple(f"{path} is not UTF-8 and was read as cp1252" for path in paths)


def join_outputs(gold: Written, systems: Sequence[Written], policies: Policies) -> ItemJoin:
    """Bring references and outputs together by item, in the order in which gold first names the items.

    Ids that stand twice, outputs for items that gold does not have, and items without an output are `InputError`s,
    all told at once, as far as the policies do not allow for them.
    """
    names, item_of_reference = _items_of(gold)
    place_of = {name: item for item, name in enumerate(names)}
    gathered = Gathered()
    with gathered.errors():
        _reject_again(gold)
    rows, extra = [], []
    for system in systems:
        of_system, unknown = _align(system, place_of)
        rows.append(of_system)
        extra.append(len(unknown))
        with gathered.errors():
            _reject_again(system)
        if gold.whole and not policies.drop_extra:
            with gathered.errors():
                _reject_extra(system, unknown, names)
        if system.whole and policies.on_missing.action == "error":
            with gathered.errors():
                _reject_missing(system, of_system, names)
    gathered.raise_any()
    return _settled(gold, systems, policies, names, item_of_reference, rows, extra)


def _items_of(gold: Written) -> tuple[list[str], NDArray[np.intp]]:
    """The items in order of first appearance, and which of them each row of gold belongs to."""
    place_of: dict[str, int] = {}
    item_of_row = [place_of.setdefault(name, len(place_of)) for name in gold.items]
    return list(place_of), np.array(item_of_row, dtype=np.intp)


def _align(system: Written, place_of: Mapping[str, int]) -> tuple[NDArray[np.intp], list[int]]:
    """The row of each item, −1 where there is none, (N,); and the rows of no item."""
    rows = np.full(len(place_of), _NEW_EMPTY, dtype=np.intp)
    unknown = []
    for row, name in enumerate(system.items):
        item = place_of.get(name)
        if item is None:
            unknown.append(row)
        else:
            rows[item] = row
    return rows, unknown


def _reject_again(written: Written) -> None:
    """Raise where an item has two outputs of one system, or two references of one name."""
    keys: Sequence[object] = list(zip(written.items, written.references, strict=True)) if written.references else ()
    keys = keys or written.items
    if len(set(keys)) == len(keys):
        return
    first: dict[object, int] = {}
    problems = []
    for row, key in enumerate(keys):
        before = first.setdefault(key, row)
        if before != row:
            problems.append(_again(written, before, row))
    hint = (
        'give each reference of an item a name of its own (JSON lines and tables: "reference"; folders: ITEM.NAME.txt)'
        if written.references
        else "keep one output for each item of a system"
    )
    raise InputError(problems, hints=[hint])


def _again(written: Written, before: int, row: int) -> Problem:
    path, line = written.place(row)
    first_path, first_line = written.place(before)
    first = f"on line {first_line}" if path == first_path and first_line else f"in {first_path}"
    if path != first_path and first_line:
        first += f", line {first_line}"
    reference = written.references[row] if written.references else ""
    whose = f", reference '{reference}'," if reference else f" of '{written.system}'" if written.system else ""
    expected = "every reference once" if written.references else "every item once"
    return Problem(f"item '{written.items[row]}'{whose} again, first {first}", expected, path, line)


def _reject_extra(system: Written, unknown: Sequence[int], names: Sequence[str]) -> None:
    if unknown:
        raise InputError(
            [
                Problem(f"item '{system.items[row]}', which has no reference", "items of gold", *system.place(row))
                for row in unknown
            ],
            hints=[
                did_you_mean(system.items[unknown[0]], names[:2000]),
                system.hint,
                "correct the ids, or leave such outputs out with --on-extra drop",
            ],
        )


def _reject_missing(system: Written, rows: NDArray[np.intp], names: Sequence[str]) -> None:
    missing = np.flatnonzero(rows < 0).tolist()
    if missing:
        raise InputError(
            [
                Problem(f"no output of '{system.system}' for item '{names[item]}'", "one for every item", system.path)
                for item in missing
            ],
            hints=[
                # Data in memory have no end that a file could have lost.
                truncation_hint(rows) if not system.path.startswith("<") else "",
                "add the outputs, or choose what becomes of such items with --on-missing drop, or worst for empty ones",
            ],
        )


def _settled(
    gold: Written,
    systems: Sequence[Written],
    policies: Policies,
    names: Sequence[str],
    item_of_reference: NDArray[np.intp],
    rows: Sequence[NDArray[np.intp]],
    extra: Sequence[int],
) -> ItemJoin:
    """The join without the items that are dropped, and an account of it."""
    keep = np.ones(len(names), dtype=np.bool_)
    if policies.on_missing.action == "drop":
        for of_system in rows:
            keep &= of_system >= 0
    if not keep.any():
        raise InputError.at(
            gold.path,
            found="no item left: each lacks an output of some system" if names else "no item",
            expected="at least one item that every system answers",
            hint="leave out the systems that answer least, or say --on-missing worst",
        )
    references = np.argsort(item_of_reference, kind="stable")
    references = references[keep[item_of_reference[references]]]
    outputs = tuple(of_system[keep] for of_system in rows)
    account = _Account(
        tuple(system.system for system in systems),
        extra,
        [int((of_system < 0).sum()) for of_system in rows],
        [int(system.empty[of[of >= 0]].sum()) for system, of in zip(systems, outputs, strict=True)],
        int(gold.empty[references].sum()),
        int((~keep).sum()),
    )
    return ItemJoin(
        tuple(name for name, stays in zip(names, keep.tolist(), strict=True) if stays),
        references,
        np.bincount(item_of_reference, minlength=len(names))[keep],
        outputs,
        account.touched(),
        account.notes(policies),
    )


@dataclass(frozen=True)
class _Account:
    """What the join came upon: of each system, but for the last two."""

    systems: tuple[str, ...]
    extra: Sequence[int]
    missing: Sequence[int]
    empty: Sequence[int]
    empty_references: int
    items_dropped: int

    def touched(self) -> dict[str, int]:
        """The counts, by name."""
        return {
            "extra_dropped": sum(self.extra),
            "missing": sum(self.missing),
            "items_dropped": self.items_dropped,
            "empty_outputs": sum(self.empty),
            "empty_references": self.empty_references,
        }

    def notes(self, policies: Policies) -> tuple[str, ...]:
        """The same in words, where there was anything."""
        notes = []
        if any(self.extra):
            told = f"{counted(sum(self.extra), 'output')} for items without reference left out"
            notes.append(f"{told} ({self._who(self.extra)})")
        if any(self.missing):
            done = "their items dropped" if policies.on_missing.action == "drop" else "taken as empty, which score 0"
            notes.append(f"{counted(sum(self.missing), 'missing output')}: {done} ({self._who(self.missing)})")
        if self.items_dropped:
            notes.append(f"{counted(self.items_dropped, 'item')} dropped for every system")
        if any(self.empty):
            scores = "scores" if sum(self.empty) == 1 else "score"
            notes.append(f"{counted(sum(self.empty), 'empty output')} of {self._who(self.empty)} {scores} 0")
        if self.empty_references:
            notes.append(counted(self.empty_references, "empty reference"))
        return tuple(notes)

    def _who(self, counts: Sequence[int]) -> str:
        """The systems that a note is about, with their shares where there are several."""
        concerned = [(name, count) for name, count in zip(self.systems, counts, strict=True) if count]
        if len(concerned) == 1:
            return concerned[0][0]
        return ", ".join(f"{name} {count:,}" for name, count in concerned)
