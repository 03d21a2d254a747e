"""Scores of single items that another tool computed, combined from any number of files."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from metaeval.errors import Gathered, InputError, Problem, UnknownName, pluralize, setting, shortened
from metaeval.io.dataset import Dataset, Progress
from metaeval.io.files.run_files import RunFile, find_run_files
from metaeval.io.files.source import Open, SourceFiles, open_source
from metaeval.io.labels.codes import MISSING, UNKNOWN, USABLE, read_numbers
from metaeval.io.labels.join import dropped_items_note
from metaeval.io.labels.policies import Policies
from metaeval.io.labels.raw_labels import Columns
from metaeval.io.scores.cells import SCORES, VALUE_COLUMNS, WHOLE, Form, Names, ScoreCells, read_score_cells
from metaeval.model.report import SourceFile
from metaeval.model.scores import Direction, ItemScores

_LISTED = 20
"""Maximum number of cells that a message names; it also gives the total number."""


def read_score_table(
    paths: Sequence[str],
    *,
    measures: Sequence[str],
    lower_is_better: Sequence[str],
    policies: Policies,
    columns: Columns,
    progress: Progress,
    excluded: Sequence[str] = (),
    open_file: Open = open_source,
) -> Dataset[ItemScores]:
    """Read all files and combine the scores; every measure must score every item of every system once.

    paths: files, folders, patterns, or `name=path` for a file without a column 'system'. measures: the requested ones,
    in order; empty for all that are not excluded, such as human scores. lower_is_better: measures of which a lower
    score is better. open_file: opens files.
    All problems of the files are one `InputError`; a measure that is in no file is an `UnknownName`.
    """
    _check_policies(policies)
    content = _read(paths, measures, lower_is_better, columns, progress, open_file, excluded)
    for check in (_check_unknown, _check_repeated, _check_missing):
        with content.gathered.errors():
            check(content.table, policies)
    content.gathered.raise_any()
    scores, repairs = _complete_items(content.table, lower_is_better)
    return content.dataset(scores, repairs, _repair_notes(repairs))


def read_ratings(
    paths: Sequence[str],
    *,
    measures: Sequence[str],
    lower_is_better: Sequence[str],
    columns: Columns,
    progress: Progress,
    form: Form = SCORES,
    open_file: Open = open_source,
) -> Dataset[ItemScores]:
    """Read ratings of annotators or judges as `read_score_table` reads scores; missing ratings are NaN."""
    content = _read(paths, measures, lower_is_better, columns, progress, open_file, form=form)
    for check in (_check_unknown, _check_repeated):
        with content.gathered.errors():
            check(content.table, Policies())
    content.gathered.raise_any()
    table = content.table
    values = np.full(table.size, np.nan)
    usable = table.states == USABLE
    values[table.keys[usable]] = table.values[usable]
    shape = (len(table.measures), len(table.systems), len(table.items))
    directions = _directions(table, lower_is_better)
    scores = ItemScores(values.reshape(shape), table.measures, table.systems, table.items, directions)
    return content.dataset(scores, {"missing": table.size - int(usable.sum())}, [])


@dataclass(frozen=True)
class _Content:
    """The cells of all files, with their notes and problems."""

    table: _Table
    files: tuple[SourceFile, ...]
    notes: tuple[str, ...]
    gathered: Gathered

    def dataset(self, scores: ItemScores, repairs: Mapping[str, int], notes: Sequence[str]) -> Dataset[ItemScores]:
        """The scores with their files and notes."""
        paths = tuple(map(self.table.path_of, self.table.systems))
        return Dataset(scores, paths, self.files, repairs, (*self.notes, *_notes_on_systems(self.table), *notes))


def _read(
    paths: Sequence[str],
    measures: Sequence[str],
    lower_is_better: Sequence[str],
    columns: Columns,
    progress: Progress,
    open_file: Open,
    excluded: Sequence[str] = (),
    form: Form = SCORES,
) -> _Content:
    run_files, notes = _find_files(paths)
    gathered = Gathered()
    parts: list[ScoreCells] = []
    files = SourceFiles(open_file)
    for file in progress(run_files, "Reading scores"):
        with gathered.errors():
            source = files.open(file.path, form.role)
            parts.append(read_score_cells(source, columns, measures, file.system, excluded, form))
            if file.named and parts[-1].has_systems and not form.of_raters:
                notes.append(f"{source.path_or_name}: the name '{file.system}' is not used, because of column 'system'")
    if len(parts) < len(run_files):
        gathered.raise_any()
    _check_measures(parts, measures, lower_is_better)
    table = _combined(parts, tuple(dict.fromkeys(measures)))
    return _Content(table, files.files, (*notes, *files.notes), gathered)


def _check_policies(policies: Policies) -> None:
    policies.reject_substitutes("the files have scores, not labels")
    if policies.drop_gold:
        found = f"{setting('drop_gold', ','.join(policies.drop_gold))}, but tables of scores have no gold classes"
        raise InputError.at(found=found, expected="no class to drop", hint=f"leave out {setting('drop_gold')}")


def _find_files(arguments: Sequence[str]) -> tuple[list[RunFile], list[str]]:
    """The files, and notes; unlike other runs, files may have the same name, because each may have other measures."""
    if not arguments:
        hint = "name the files, folders or patterns of the scores"
        raise InputError.at(found="no file of scores", expected="at least one", hint=hint)
    gathered = Gathered()
    files: list[RunFile] = []
    notes: list[str] = []
    for argument in arguments:
        with gathered.errors():
            own_files, own_notes = find_run_files([argument], gold=None)
            files += own_files
            notes += own_notes
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
    """The cells of all files with common names.

    parts: the files, with C cells in all. keys: the flat index of each cell in (M, S, N), (C,). values, states: (C,).
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
        """The number of scores of a complete table."""
        return len(self.measures) * len(self.systems) * len(self.items)

    @cached_property
    def order(self) -> NDArray[np.intp]:
        """The cells that are not empty, sorted by key, file and row."""
        present = np.flatnonzero(self.states != MISSING)
        return present[np.argsort(self.keys[present], kind="stable")]

    def name(self, key: int) -> str:
        """The name of a key, such as 'bleu/svm/7'."""
        row, item = divmod(key, len(self.items))
        measure, system = divmod(row, len(self.systems))
        names = (self.measures[measure], self.systems[system], self.items[item])
        return "/".join(map(shortened, filter(None, names)))

    def part(self, cell: int) -> tuple[ScoreCells, int]:
        """The file of a cell, and the position of the cell in it."""
        ends = np.cumsum([len(part.rows) for part in self.parts])
        number = int(np.searchsorted(ends, cell, side="right"))
        return self.parts[number], cell - int(ends[number]) + len(self.parts[number].rows)

    def location(self, cell: int) -> tuple[str, int]:
        """The path and the line of a cell."""
        part, position = self.part(cell)
        return part.path, part.line(position)

    def path_of(self, system: str, measure: str = "") -> str:
        """The first file of a system, if possible one with scores of the measure."""
        of_system = [part for part in self.parts if system in part.systems.names]
        return next((part.path for part in of_system if measure in part.measures.names), of_system[0].path)

    def path_of_key(self, key: int) -> str:
        """The most likely file of a missing cell."""
        measure, system = divmod(key // len(self.items), len(self.systems))
        return self.path_of(self.systems[system], self.measures[measure])


def _combined(parts: Sequence[ScoreCells], measures: tuple[str, ...]) -> _Table:
    """The cells of all files; measures: those that come first."""
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
    """The concatenated columns of several files with common codes; first: names that have the first codes."""
    index = {name: code for code, name in enumerate(first)}
    codes = [
        np.array([index.setdefault(name, len(index)) for name in column.names], dtype=np.int64)[column.codes]
        for column in columns
    ]
    return Names(tuple(index), np.concatenate(codes))


def _check_unknown(table: _Table, policies: Policies) -> None:
    """Reject cells without a finite number unless the policies allow them."""
    cells = np.flatnonzero(table.states == UNKNOWN)
    if not len(cells) or policies.on_unknown.action == "drop":
        return
    problems = []
    for cell in cells[:_LISTED].tolist():
        part, position = table.part(cell)
        found = f"'{shortened(part.texts[position])}' for {table.name(int(table.keys[cell]))}"
        problems.append(Problem(found, part.form.expected, part.path, part.line(position)))
    form = table.parts[0].form
    what = "without a finite number" if form.read is read_numbers else "outside the scale"
    remedy = form.remedy or f"correct them, or drop such items for every system with {setting('on_unknown', 'drop')}"
    raise InputError(problems, hints=[f"{_share(len(cells), table, what)}: {remedy}"])


def _check_repeated(table: _Table, _: Policies) -> None:
    """Reject repeated scores; an empty cell is not a score, so that files may complement each other."""
    order, keys = table.order, table.keys[table.order]
    again = np.sort(order[1:][keys[1:] == keys[:-1]])
    if not len(again):
        return
    firsts = order[np.searchsorted(keys, table.keys[again[:_LISTED]])]
    problems = []
    for cell, first in zip(again[:_LISTED].tolist(), firsts.tolist(), strict=True):
        (path, line), (first_path, first_line) = table.location(cell), table.location(first)
        where = f"line {first_line}" + (f" of {first_path}" if first_path != path else "")
        found = f"{table.name(int(table.keys[cell]))} again, first on {where}"
        problems.append(Problem(found, "every score once", path, line))
    remedy = f"remove {pluralize(len(again), 'repeated score')}{_listed(len(again))}"
    raise InputError(problems, hints=[remedy, *_reasons_for_repeated(table)])


def _reasons_for_repeated(table: _Table) -> Iterator[str]:
    """Remedies for the usual reasons why different scores have the same names."""
    if table.parts[0].form.of_raters:
        yield f"an annotator rates an item once: name the column of annotators with {setting('annotator_column')}"
        return
    without_systems = [part.path for part in table.parts if not part.has_systems]
    if without_systems:
        yield (
            "a file without a column 'system' is of one system with the name of the file: name the column of systems "
            f"'system', or name the system, as in other={without_systems[0]}"
        )
    if table.items == (WHOLE,):
        column = setting("id_column")
        yield f"without a column 'item' the scores are of whole systems: name the column of items with {column}"
    if set(VALUE_COLUMNS) & set(table.measures):
        yield "without a column 'measure' each column is a measure: rename the column, for example to 'bleu'"


def _check_missing(table: _Table, policies: Policies) -> None:
    """Reject missing scores unless the policies allow them."""
    keys = table.keys[table.order]
    present = keys[np.diff(keys, prepend=-1) > 0]
    count = table.size - len(present)
    if not count or policies.on_missing.action == "drop":
        return
    # The first gaps are before this key, regardless of the size of the table.
    before = min(table.size, len(present) + _LISTED)
    empty = np.flatnonzero(table.states == MISSING)
    cell_of = dict(zip(table.keys[empty].tolist(), empty.tolist(), strict=True))
    problems = []
    for key in np.setdiff1d(np.arange(before), present)[:_LISTED].tolist():
        path, line = table.location(cell_of[key]) if key in cell_of else (table.path_of_key(key), None)
        found = f"an empty cell for {table.name(key)}" if key in cell_of else f"no score for {table.name(key)}"
        problems.append(Problem(found, "a score of every measure for every item of every system", path, line))
    remedy = f"add them, or drop such items for every system with {setting('on_missing', 'drop')}"
    raise InputError(problems, hints=[_never_scored(table, present), f"{_share(count, table, 'missing')}: {remedy}"])


def _never_scored(table: _Table, present: NDArray[np.int64]) -> str:
    """A hint if a system has no score of some measure, else ''."""
    pairs = np.unique(present // len(table.items))
    before = min(len(table.measures) * len(table.systems), len(pairs) + 1)
    never = np.setdiff1d(np.arange(before), pairs)
    if not len(never):
        return ""
    measure, system = divmod(int(never[0]), len(table.systems))
    return (
        f"system '{shortened(table.systems[system])}' has no score of '{shortened(table.measures[measure])}': "
        f"choose measures that score every system with {setting('measures')}"
    )


def _share(count: int, table: _Table, what: str) -> str:
    are = "is" if count == 1 else "are"
    return f"{count:,} of {pluralize(table.size, 'score')} {are} {what}{_listed(count)}"


def _listed(count: int) -> str:
    return f" (the first {_LISTED} are listed)" if count > _LISTED else ""


def _directions(table: _Table, lower_is_better: Sequence[str]) -> tuple[Direction, ...]:
    return tuple(Direction.LOWER if name in lower_is_better else Direction.HIGHER for name in table.measures)


def _complete_items(table: _Table, lower_is_better: Sequence[str]) -> tuple[ItemScores, dict[str, int]]:
    """The scores of the items with all scores, and the number of missing scores and of other items."""
    measures, systems, items = len(table.measures), len(table.systems), len(table.items)
    rows, item_of = np.divmod(table.keys, items)
    usable = table.states == USABLE
    keep = np.bincount(item_of[usable], minlength=items) == measures * systems
    if not keep.any():
        raise InputError.at(
            found="no item is left: each lacks a usable score of some measure and system",
            expected="at least one item with all scores",
            hint=f"choose measures that score every system with {setting('measures')}, or leave out the systems with "
            "the fewest scores",
        )
    size = int(keep.sum())
    values = np.empty(measures * systems * size)
    complete = usable & keep[item_of]
    values[rows[complete] * size + (np.cumsum(keep) - 1)[item_of[complete]]] = table.values[complete]
    scores = ItemScores(
        values.reshape(measures, systems, size),
        table.measures,
        table.systems,
        table.items if size == items else tuple(table.items[item] for item in np.flatnonzero(keep).tolist()),
        _directions(table, lower_is_better),
    )
    repairs = {
        "missing": table.size - int((table.states != MISSING).sum()),
        "unknown": int((table.states == UNKNOWN).sum()),
        "items_dropped": items - size,
    }
    return scores, repairs


def _notes_on_systems(table: _Table) -> list[str]:
    """A note on systems that no requested measure scores."""
    known = dict.fromkeys(name for part in table.parts for name in part.known_systems)
    names = [name for name in known if name not in set(table.systems)]
    return [f"systems without scores of the chosen measures are not used: {', '.join(names)}"] if names else []


def _repair_notes(repairs: Mapping[str, int]) -> list[str]:
    notes = []
    if repairs["missing"]:
        notes.append(f"{pluralize(repairs['missing'], 'missing score')}: their items are dropped")
    if repairs["unknown"]:
        notes.append(f"{pluralize(repairs['unknown'], 'score')} without a finite number: their items are dropped")
    if repairs["items_dropped"]:
        notes.append(dropped_items_note(repairs["items_dropped"]))
    return notes
