"""Scores of single items that some other tool computed, put together from any number of files."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from metaeval.errors import Gathered, InputError, Problem, UnknownName, counted, shortened
from metaeval.io.dataset import Dataset, Track
from metaeval.io.files.run_files import RunFile, find_run_files
from metaeval.io.files.source import Open, open_source
from metaeval.io.labels.codes import MISSING, UNKNOWN, USABLE, read_numbers
from metaeval.io.labels.policies import Policies
from metaeval.io.labels.raw_labels import Columns
from metaeval.io.scores.cells import SCORES, VALUE_COLUMNS, WHOLE, Form, Names, ScoreCells, read_score_cells
from metaeval.model.report import SourceFile
from metaeval.model.scores import Direction, ItemScores

_LISTED = 20
"""Cells that a message names; how many there are in all is told beside them."""
_DROP = "or leave such items out for every system with"


def read_score_table(
    paths: Sequence[str],
    *,
    measures: Sequence[str],
    lower_is_better: Sequence[str],
    policies: Policies,
    columns: Columns,
    track: Track,
    apart: Sequence[str] = (),
    open_file: Open = open_source,
) -> Dataset[ItemScores]:
    """Read every file and put the scores together; every measure must score every item of every system once.

    paths: files, folders, patterns, `name=path` for a file without a column 'system'.
    measures: the wanted ones, in that order; empty for all. lower_is_better: those whose lower score is the better one.
    apart: names that are no measures, as those of people, where no measures are chosen. open_file: what opens files.
    Whatever is wrong with any file is told in one `InputError`; a measure that is in no file is an `UnknownName`.
    """
    _check_policies(policies)
    found = _read(paths, measures, lower_is_better, columns, track, open_file, apart)
    for find in (_unknown, _twice, _missing):
        with found.gathered.errors():
            find(found.table, policies)
    found.gathered.raise_any()
    scores, repairs = _settled(found.table, lower_is_better)
    return found.dataset(scores, repairs, _told(repairs))


def read_ratings(
    paths: Sequence[str],
    *,
    measures: Sequence[str],
    lower_is_better: Sequence[str],
    columns: Columns,
    track: Track,
    form: Form = SCORES,
    open_file: Open = open_source,
) -> Dataset[ItemScores]:
    """As `read_score_table`, of people or judges, who need not have rated everything: what is missing is NaN."""
    found = _read(paths, measures, lower_is_better, columns, track, open_file, form=form)
    for find in (_unknown, _twice):
        with found.gathered.errors():
            find(found.table, Policies())
    found.gathered.raise_any()
    table = found.table
    values = np.full(table.size, np.nan)
    usable = table.states == USABLE
    values[table.keys[usable]] = table.values[usable]
    shape = (len(table.measures), len(table.systems), len(table.items))
    directions = _directions(table, lower_is_better)
    scores = ItemScores(values.reshape(shape), table.measures, table.systems, table.items, directions)
    return found.dataset(scores, {"missing": table.size - int(usable.sum())}, [])


@dataclass(frozen=True)
class _Read:
    """The cells of all files, and what was noticed and went wrong on the way."""

    table: _Table
    files: tuple[SourceFile, ...]
    notes: tuple[str, ...]
    gathered: Gathered

    def dataset(self, scores: ItemScores, repairs: Mapping[str, int], told: Sequence[str]) -> Dataset[ItemScores]:
        """The scores with where they come from."""
        paths = tuple(map(self.table.path_of, self.table.systems))
        return Dataset(scores, paths, self.files, repairs, (*self.notes, *_left_out(self.table), *told))


def _read(
    paths: Sequence[str],
    measures: Sequence[str],
    lower_is_better: Sequence[str],
    columns: Columns,
    track: Track,
    open_file: Open,
    apart: Sequence[str] = (),
    form: Form = SCORES,
) -> _Read:
    run_files, notes = _find_files(paths)
    gathered = Gathered()
    parts: list[ScoreCells] = []
    files: list[SourceFile] = []
    for file in track(run_files, "Reading scores"):
        with gathered.errors():
            source = open_file(file.path, form.role)
            files.append(source.file)
            parts.append(read_score_cells(source, columns, measures, file.system, apart, form))
            if source.suffix != ".parquet" and not source.is_utf8:
                notes.append(f"{source.path_or_name} is not UTF-8 and was read as cp1252")
            if file.named and parts[-1].has_systems and not form.of_people:
                notes.append(f"{source.path_or_name}: not called '{file.system}', because it has a column 'system'")
    if len(parts) < len(run_files):
        gathered.raise_any()
    _check_measures(parts, measures, lower_is_better)
    return _Read(_merged(parts, tuple(dict.fromkeys(measures))), tuple(files), tuple(notes), gathered)


def _check_policies(policies: Policies) -> None:
    policies.reject_substitutes("where scores are read, and no labels")
    if policies.drop_gold:
        found = f"--drop-gold {','.join(policies.drop_gold)} where scores are read, and no gold"
        raise InputError.at(found=found, expected="no class to drop", hint="leave the option out")


def _find_files(arguments: Sequence[str]) -> tuple[list[RunFile], list[str]]:
    """The files, and notes; unlike runs they may share a name, because each may hold another measure."""
    if not arguments:
        raise InputError.at(
            found="no file of scores", expected="at least one", hint="name files, folders or patterns after the options"
        )
    gathered = Gathered()
    files: list[RunFile] = []
    notes: list[str] = []
    for argument in arguments:
        with gathered.errors():
            found, passed_over = find_run_files([argument], gold=None)
            files += found
            notes += passed_over
    gathered.raise_any()
    times = Counter(os.path.realpath(file.path) for file in files)
    again = [file.path for file in files if times[os.path.realpath(file.path)] > 1]
    if again:
        raise InputError(
            [Problem("a file that is named twice", "every file once", path) for path in dict.fromkeys(again)],
            hints=["leave one out"],
        )
    return files, notes


def _check_measures(parts: Sequence[ScoreCells], measures: Sequence[str], lower_is_better: Sequence[str]) -> None:
    known = dict.fromkeys(name for part in parts for name in part.known_measures)
    for name in (*measures, *lower_is_better):
        if name not in known:
            raise UnknownName("measure", name, known)


@dataclass(frozen=True)
class _Table:
    """The cells of all files under common names.

    parts: the files; their C cells follow each other. keys: the place of each cell in (M, S, N), (C,).
    values, states: (C,).
    """

    parts: Sequence[ScoreCells]
    measures: tuple[str, ...]
    systems: tuple[str, ...]
    items: tuple[str, ...]
    keys: NDArray[np.int64]
    values: NDArray[np.float64]
    states: NDArray[np.uint8]

    @property
    def size(self) -> int:
        """How many scores there must be."""
        return len(self.measures) * len(self.systems) * len(self.items)

    @cached_property
    def order(self) -> NDArray[np.intp]:
        """The cells that are not empty: by their place, and those of one place by file and row."""
        present = np.flatnonzero(self.states != MISSING)
        return present[np.argsort(self.keys[present], kind="stable")]

    def name(self, key: int) -> str:
        """A place in words, as 'bleu/svm/7'."""
        row, item = divmod(key, len(self.items))
        measure, system = divmod(row, len(self.systems))
        names = (self.measures[measure], self.systems[system], self.items[item])
        return "/".join(map(shortened, filter(None, names)))

    def part(self, cell: int) -> tuple[ScoreCells, int]:
        """The file of a cell, and the cell's place in it."""
        ends = np.cumsum([len(part.rows) for part in self.parts])
        number = int(np.searchsorted(ends, cell, side="right"))
        return self.parts[number], cell - int(ends[number]) + len(self.parts[number].rows)

    def place(self, cell: int) -> tuple[str, int]:
        """The path and the line of a cell."""
        part, own = self.part(cell)
        return part.path, part.line(own)

    def path_of(self, system: str, measure: str = "") -> str:
        """The first file of a system, if possible one with scores of the measure."""
        of_system = [part for part in self.parts if system in part.systems.names]
        return next((part.path for part in of_system if measure in part.measures.names), of_system[0].path)

    def path_of_key(self, key: int) -> str:
        """The file in which one looks for a cell that is nowhere."""
        measure, system = divmod(key // len(self.items), len(self.systems))
        return self.path_of(self.systems[system], self.measures[measure])


def _merged(parts: Sequence[ScoreCells], measures: tuple[str, ...]) -> _Table:
    """measures: those that come first."""
    of_measures = _common([part.measures for part in parts], measures)
    of_systems = _common([part.systems for part in parts])
    of_items = _common([part.items for part in parts])
    return _Table(
        parts,
        of_measures.names,
        of_systems.names,
        of_items.names,
        (of_measures.codes * len(of_systems.names) + of_systems.codes) * len(of_items.names) + of_items.codes,
        np.concatenate([part.values for part in parts]),
        np.concatenate([part.states for part in parts]),
    )


def _common(columns: Sequence[Names], first: Sequence[str] = ()) -> Names:
    """Columns of several files, one after another, under common codes; first: the names that have the first codes."""
    index = {name: code for code, name in enumerate(first)}
    codes = [
        np.array([index.setdefault(name, len(index)) for name in column.names], dtype=np.int64)[column.codes]
        for column in columns
    ]
    return Names(tuple(index), np.concatenate(codes))


def _unknown(table: _Table, policies: Policies) -> None:
    """Raise where a cell holds no finite number and the policies call that an error."""
    cells = np.flatnonzero(table.states == UNKNOWN)
    if not len(cells) or policies.on_unknown.action == "drop":
        return
    problems = []
    for cell in cells[:_LISTED].tolist():
        part, own = table.part(cell)
        text = shortened(part.texts[own])
        problems.append(
            Problem(f"'{text}' for {table.name(int(table.keys[cell]))}", part.form.expected, part.path, part.line(own))
        )
    form = table.parts[0].form
    told = _of_all(len(cells), table, "without a finite number" if form.read is read_numbers else "outside the scale")
    raise InputError(problems, hints=[f"{told}: {form.remedy}"])


def _twice(table: _Table, _: Policies) -> None:
    """Raise where a score stands twice; an empty cell is no score, so that files may fill each other's gaps."""
    order, keys = table.order, table.keys[table.order]
    again = np.sort(order[1:][keys[1:] == keys[:-1]])
    if not len(again):
        return
    firsts = order[np.searchsorted(keys, table.keys[again[:_LISTED]])]
    problems = []
    for cell, first in zip(again[:_LISTED].tolist(), firsts.tolist(), strict=True):
        (path, line), (first_path, first_line) = table.place(cell), table.place(first)
        where = f"line {first_line}" + (f" of {first_path}" if first_path != path else "")
        found = f"{table.name(int(table.keys[cell]))} again, first on {where}"
        problems.append(Problem(found, "every score once", path, line))
    listed = f" (the first {_LISTED} are listed)" if len(again) > _LISTED else ""
    raise InputError(
        problems, hints=[f"{counted(len(again), 'score')} too many{listed}: remove them", *_why_twice(table)]
    )


def _why_twice(table: _Table) -> Iterator[str]:
    """What usually makes different scores look like one."""
    if table.parts[0].form.of_people:
        yield "a person rates a thing once: name the column that tells them apart with --annotator-column"
        return
    nameless = [part.path for part in table.parts if not part.has_systems]
    if nameless:
        yield (
            "without a column 'system' a file is of one system, by its name: call the column of systems 'system', or "
            f"name the file, as in other={nameless[0]}"
        )
    if table.items == (WHOLE,):
        yield "without a column 'item' the scores are of whole systems: name the column of items with --id-column"
    if set(VALUE_COLUMNS) & set(table.measures):
        yield "without a column 'measure' every column is a measure, by its name: call it 'bleu', say, and not 'score'"


def _missing(table: _Table, policies: Policies) -> None:
    """Raise where an item lacks a score and the policies call that an error."""
    keys = table.keys[table.order]
    present = keys[np.diff(keys, prepend=-1) > 0]
    count = table.size - len(present)
    if not count or policies.on_missing.action == "drop":
        return
    # The first gaps lie before this number, however many cells there should be.
    before = min(table.size, len(present) + _LISTED)
    empty = np.flatnonzero(table.states == MISSING)
    cell_of = dict(zip(table.keys[empty].tolist(), empty.tolist(), strict=True))
    problems = []
    for key in np.setdiff1d(np.arange(before), present)[:_LISTED].tolist():
        path, line = table.place(cell_of[key]) if key in cell_of else (table.path_of_key(key), None)
        found = f"an empty cell for {table.name(key)}" if key in cell_of else f"no score for {table.name(key)}"
        problems.append(Problem(found, "a score of every measure for every item of every system", path, line))
    told = _of_all(count, table, "missing")
    raise InputError(problems, hints=[_never_scored(table, present), f"{told}: add them, {_DROP} --on-missing drop"])


def _never_scored(table: _Table, present: NDArray[np.int64]) -> str:
    """A hint where a system has no score of some measure at all, else ''."""
    pairs = np.unique(present // len(table.items))
    before = min(len(table.measures) * len(table.systems), len(pairs) + 1)
    never = np.setdiff1d(np.arange(before), pairs)
    if not len(never):
        return ""
    measure, system = divmod(int(never[0]), len(table.systems))
    return (
        f"system '{shortened(table.systems[system])}' has no score of '{shortened(table.measures[measure])}' at all: "
        "choose the measures that every system has with --measure"
    )


def _of_all(count: int, table: _Table, what: str) -> str:
    """How many of how many, and that not all are named."""
    listed = f" (the first {_LISTED} are listed)" if count > _LISTED else ""
    return f"{count:,} of {counted(table.size, 'score')} {'is' if count == 1 else 'are'} {what}{listed}"


def _directions(table: _Table, lower_is_better: Sequence[str]) -> tuple[Direction, ...]:
    return tuple(Direction.LOWER if name in lower_is_better else Direction.HIGHER for name in table.measures)


def _settled(table: _Table, lower_is_better: Sequence[str]) -> tuple[ItemScores, dict[str, int]]:
    """The scores of the items that have all of theirs, and how many have not."""
    measures, systems, items = len(table.measures), len(table.systems), len(table.items)
    rows, item_of = np.divmod(table.keys, items)
    usable = table.states == USABLE
    keep = np.bincount(item_of[usable], minlength=items) == measures * systems
    if not keep.any():
        raise InputError.at(
            found="no item left: each lacks a usable score of some measure and system",
            expected="at least one item with all scores",
            hint="choose measures that score every system with --measure, or leave out the systems with least scores",
        )
    kept = int(keep.sum())
    values = np.empty(measures * systems * kept)
    stays = usable & keep[item_of]
    values[rows[stays] * kept + (np.cumsum(keep) - 1)[item_of[stays]]] = table.values[stays]
    scores = ItemScores(
        values.reshape(measures, systems, kept),
        table.measures,
        table.systems,
        table.items if kept == items else tuple(table.items[item] for item in np.flatnonzero(keep).tolist()),
        _directions(table, lower_is_better),
    )
    repairs = {
        "missing": table.size - int((table.states != MISSING).sum()),
        "unknown": int((table.states == UNKNOWN).sum()),
        "items_dropped": items - kept,
    }
    return scores, repairs


def _left_out(table: _Table) -> list[str]:
    """A note on systems that no chosen measure scores."""
    known = dict.fromkeys(name for part in table.parts for name in part.known_systems)
    names = [name for name in known if name not in set(table.systems)]
    return [f"no score of the chosen measures, and left out: {', '.join(names)}"] if names else []


def _told(repairs: Mapping[str, int]) -> list[str]:
    notes = []
    if repairs["missing"]:
        notes.append(f"{counted(repairs['missing'], 'missing score')}: their items dropped")
    if repairs["unknown"]:
        notes.append(f"{counted(repairs['unknown'], 'score')} without a finite number: their items dropped")
    if repairs["items_dropped"]:
        notes.append(f"{counted(repairs['items_dropped'], 'item')} dropped for every system")
    return notes
