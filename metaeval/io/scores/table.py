"""Scores of single items that another tool computed, combined from any number of files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from metaeval.errors import (
    Gathered,
    InputError,
    InvalidRun,
    Problem,
    UnknownName,
    empty,
    excluded,
    invalid,
    no_common_item,
    no_rows,
    none_left,
    pluralize,
    raise_any,
    refuse,
    repeated,
    setting,
    shortened,
    unknown,
)
from metaeval.io.dataset import Dataset, Progress
from metaeval.io.files.columns import (
    MISSING,
    UNKNOWN,
    USABLE,
    TableColumns,
    invalid_number,
    read_numbers,
    row_numbers_note,
)
from metaeval.io.files.delimited import read_rows
from metaeval.io.files.json import no_single
from metaeval.io.files.roles import SCORE
from metaeval.io.files.run_files import EVERY_SYSTEM, SystemChoice, files_of_scores
from metaeval.io.files.source import Open, SourceFiles, open_source
from metaeval.io.forms import numbers_note, written_as
from metaeval.io.labels.columns import Columns, repetitions
from metaeval.io.labels.join import Policies, dropped_items_note
from metaeval.io.scores.cells import SCORES, WHOLE, Form, Names, Request, ScoreCells, read_score_cells
from metaeval.model.report import SourceFile
from metaeval.model.scores import Direction, ItemScores
from metaeval.names import match_names


@dataclass(frozen=True)
class CellTable:
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

    @cached_property
    def starts(self) -> list[int]:
        """The first cell of each file."""
        return [*accumulate((len(part.rows) for part in self.parts[:-1]), initial=0)]

    def part(self, cell: int) -> tuple[ScoreCells, int]:
        """The file of a cell, and the position of the cell in it."""
        number = int(np.searchsorted(self.starts, cell, side="right")) - 1
        return self.parts[number], cell - self.starts[number]

    def location(self, cell: int) -> tuple[str, int]:
        """The path and the line of a cell."""
        part, position = self.part(cell)
        return part.path, part.line(position)

    def path_of(self, system: str, measure: str = "") -> str:
        """The first file of a system, if possible one with scores of the measure."""
        parts = [part for part in self.parts if system in part.systems.names]
        return next((part.path for part in parts if measure in part.measures.names), parts[0].path)

    def runs_of(self, keys: NDArray[np.int64], problems: Sequence[Problem]) -> list[InvalidRun]:
        """The systems of problems with cells, of which the first are worded; keys: of all cells at fault."""
        codes = keys // len(self.items) % len(self.systems)
        times, first = np.bincount(codes), dict[int, Problem]()
        for code, problem in zip(codes.tolist(), problems, strict=False):
            first.setdefault(code, problem)
        return [InvalidRun(self.systems[code], problem, int(times[code])) for code, problem in first.items()]

    def path_of_key(self, key: int) -> str:
        """The most likely file of a missing cell."""
        measure, system = divmod(key // len(self.items), len(self.systems))
        return self.path_of(self.systems[system], self.measures[measure])


def combined(parts: Sequence[ScoreCells], measures: tuple[str, ...]) -> CellTable:
    """The cells of all files; measures: those that come first."""
    all_measures = _common([part.measures for part in parts], measures)
    systems = _common([part.systems for part in parts])
    items = _common([part.items for part in parts])
    return CellTable(
        parts=parts,
        measures=all_measures.names,
        systems=systems.names,
        items=items.names,
        keys=(all_measures.codes * len(systems.names) + systems.codes) * len(items.names) + items.codes,
        values=np.concatenate([part.values for part in parts]),
        states=np.concatenate([part.states for part in parts]),
    )


def _common(columns: Sequence[Names], first: Sequence[str] = ()) -> Names:
    """The concatenated columns of several files with common codes; first: names that have the first codes."""
    index = {name: code for code, name in enumerate(first)}
    codes = [
        np.array([index.setdefault(name, len(index)) for name in column.names], dtype=np.int64)[column.codes]
        for column in columns
    ]
    return Names(tuple(index), np.concatenate(codes))


_LISTED = 20
"""Maximum number of cells that a message names; it also gives the total number."""


def check_unknown(table: CellTable, policies: Policies) -> None:
    """Reject cells without a finite number unless the policies allow them."""
    cells = np.flatnonzero(table.states == UNKNOWN)
    if not len(cells) or policies.on_unknown.action in ("drop", "pairwise"):
        return
    problems = []
    for cell in cells[:_LISTED].tolist():
        part, position = table.part(cell)
        name = f" for {table.name(int(table.keys[cell]))}"
        text = part.texts[position]
        problem = no_single(text, name) or invalid_number("score", text, part.form.expected, name)
        problems.append(problem.at(part.path, part.line(position)))
    form = table.parts[0].form
    state = "without a finite number" if form.read is read_numbers else "outside the scale"
    drop = "pairwise" if policies.on_missing.action == "pairwise" else "drop"
    does = "treat them as missing" if drop == "pairwise" else "drop such items for every system"
    remedy = form.remedy or f"correct them, or {does} with {setting('on_unknown', drop)}"
    if any(problem.kind == "type" for problem in problems):
        remedy = "several labels are not one: correct these items, or leave them out"
    raise InputError(
        problems,
        hints=[f"{_share(len(cells), len(table.keys), state)}{_limit_note(len(cells))}: {remedy}"],
        invalid_runs=table.runs_of(table.keys[cells], problems),
    )


def check_repeated(table: CellTable, _: Policies) -> None:
    """Reject repeated scores; an empty cell is not a score, so that files may complement each other."""
    order, keys = table.order, table.keys[table.order]
    again = np.sort(order[1:][keys[1:] == keys[:-1]])
    if not len(again):
        return
    firsts = order[np.searchsorted(keys, table.keys[again[:_LISTED]])]
    problems = []
    for cell, first in zip(again[:_LISTED].tolist(), firsts.tolist(), strict=True):
        (path, line), (first_path, first_line) = table.location(cell), table.location(first)
        where = f"on line {first_line}" + (f" of {first_path}" if first_path != path else "")
        problem = repeated("score", table.name(int(table.keys[cell])), where, hint="")
        problems.append(problem.at(path, line))
    remedy = f"remove {pluralize(len(again), 'repeated score')}{_limit_note(len(again))}"
    several = any(
        table.part(cell)[0] is not table.part(first)[0] for cell, first in zip(again[:_LISTED], firsts, strict=True)
    )
    column = next((name for part in table.parts for name in part.ignored_columns if name), "")
    groups = (
        f"are these different data sets? use {setting('group_by_file')}"
        if several
        else f"if a column tells different data sets apart, such as languages, use {setting('group', column)}"
    )
    format_hints = [table.part(cell)[0].format.if_repeated for cell in again[:_LISTED].tolist()]
    if any(format_hints):
        raise InputError(problems, hints=format_hints)
    if not several and (by_column := table.part(int(again[0]))[0].distinguishing()):
        raise InputError(problems, hints=[by_column], invalid_runs=table.runs_of(table.keys[again], problems))
    # Of several files with a score, none is more valid than the other.
    runs = [] if several else table.runs_of(table.keys[again], problems)
    if table.parts[0].form.remedy:
        groups = ""
    raise InputError(problems, hints=[groups, remedy, *_reasons_for_repeated(table)], invalid_runs=runs)


def _reasons_for_repeated(table: CellTable) -> Iterator[str]:
    """Remedies for the usual reasons why different scores have the same names."""
    if table.parts[0].form.has_raters:
        yield f"an annotator rates an item once: name the column of annotators with {setting('judge_column')}"
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
    if SCORE.among(table.measures):
        yield "without a column 'measure' each column is a measure: rename the column, for example to 'bleu'"
        if any(part.ignored_columns for part in table.parts):
            yield "in a file with a row for each score, name the column of the measures 'measure'"


def check_contents(table: CellTable, _: Policies) -> None:
    """Reject items whose content differs between systems, by the hashes that formats have."""
    measures, items = np.divmod(table.keys, len(table.systems) * len(table.items))
    keys = (measures * len(table.items) + items % len(table.items)).tolist()
    first: dict[tuple[str, int], tuple[int, str]] = {}
    problems: dict[str, Problem] = {}
    for part, start in zip(table.parts, table.starts, strict=True):
        for cell, content in [(start + cell, content) for cell, content in enumerate(part.contents) if content]:
            before, expected = first.setdefault((part.format.content, keys[cell]), (cell, content))
            item = table.items[keys[cell] % len(table.items)]
            if content != expected and item not in problems:
                path, line = table.location(before)
                expectation = f"'{shortened(expected)}', as on line {line} of {path}"
                problem = invalid(part.format.content, content, expectation, f" of item '{shortened(item)}'")
                problems[item] = problem.at(*table.location(cell))
    examples = [*problems.values()][:_LISTED]
    differ = f"{pluralize(len(problems), 'item')} with different contents{_limit_note(len(problems))}"
    raise_any(
        examples,
        f"{differ}: evaluate every system on the same items, of the same version of the data set, or leave out the "
        "files of other versions",
    )


def check_missing(table: CellTable, policies: Policies) -> None:
    """Reject missing scores unless the policies allow them."""
    keys = table.keys[table.order]
    present = keys[np.diff(keys, prepend=-1) > 0]
    count = table.size - len(present)
    if not count or policies.on_missing.action != "error":
        return
    # The first gaps are before this key, regardless of the size of the table.
    before = min(table.size, len(present) + _LISTED)
    missing = np.flatnonzero(table.states == MISSING)
    cell_by_key = dict(zip(table.keys[missing].tolist(), missing.tolist(), strict=True))
    problems = []
    for key in np.setdiff1d(np.arange(before), present)[:_LISTED].tolist():
        path, line = table.location(cell_by_key[key]) if key in cell_by_key else (table.path_of_key(key), None)
        problem = empty(f"score for {table.name(key)}", "one of every measure for every item of every system")
        problems.append(problem.at(path, line))
    drop, pairwise, zero = (setting("on_missing", policy) for policy in ("drop", "pairwise", "zero"))
    complete = np.bincount(present % len(table.items)) == len(table.measures) * len(table.systems)
    drop_items = f"drop such items for every system with {drop}, " if 2 * complete.sum() >= len(table.items) else ""
    compare = f"compare each two systems on the items that both have with {pairwise}, " if policies.gaps else ""
    remedy = f"add them, {drop_items}{compare}or count them as 0 with {zero}"
    hints = [*(part.format.if_missing for part in table.parts), _never_scored(table, present)]
    hints.append(_other_ids(table, present) or f"{_share(count, table.size, 'missing')}{_limit_note(count)}: {remedy}")
    raise InputError(problems, hints=hints, invalid_runs=_unlike_most(table, present))


def _unlike_most(table: CellTable, present: NDArray[np.int64]) -> list[InvalidRun]:
    """The systems that lack scores which at least half of the systems have, or have scores which most lack."""
    row, item = np.divmod(present, len(table.items))
    measure, system = np.divmod(row, len(table.systems))
    cells = measure * len(table.items) + item
    is_rare = 2 * np.bincount(cells, minlength=table.size // len(table.systems)) < len(table.systems)
    runs = []
    for code, name in enumerate(table.systems):
        system_cells = cells[system == code]
        lacking, rare = np.setdiff1d(np.flatnonzero(~is_rare), system_cells), system_cells[is_rare[system_cells]]
        for cell in [*lacking[:1].tolist(), *rare[:1].tolist()][:1]:
            measure_code, item_code = divmod(cell, len(table.items))
            label = table.name((measure_code * len(table.systems) + code) * len(table.items) + item_code)
            reason = f"no score for {label}" if len(lacking) else f"a score for {label}, which most systems lack"
            path = table.path_of(name, table.measures[measure_code])
            runs.append(InvalidRun(name, Problem(reason, path=path), len(lacking) + len(rare)))
    return runs


def _other_ids(table: CellTable, present: NDArray[np.int64]) -> str:
    """A hint if a system lacks items only because it writes their ids in another way, else ''."""
    row, item = np.divmod(present, len(table.items))
    system = row % len(table.systems)
    for code in range(len(table.systems)):
        system_items, others = item[system == code], item[system != code]
        only, lacking = np.setdiff1d(system_items, others), np.setdiff1d(others, system_items)
        names, other_names = ([table.items[index] for index in codes.tolist()] for codes in (only, lacking))
        if names and other_names and (hint := written_as(names, other_names, "the other systems")):
            return f"{table.systems[code]}: {hint}"
    return ""


def _never_scored(table: CellTable, present: NDArray[np.int64]) -> str:
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


def _share(count: int, scores: int, state: str) -> str:
    are = "is" if count == 1 else "are"
    return f"{count:,} of {pluralize(scores, 'score')} {are} {state}"


def _limit_note(count: int) -> str:
    return f" (the first {_LISTED} are listed)" if count > _LISTED else ""


_MOST_CELLS, _CELLS_PER_RATING = 1 << 25, 16
"""Cells of a table of ratings that is read however few they are, and otherwise cells for each rating."""


def read_score_table(
    paths: Sequence[str],
    *,
    measures: Sequence[str],
    lower_is_better: Sequence[str],
    policies: Policies,
    columns: Columns,
    progress: Progress,
    excluded: Sequence[str] = (),
    left_out: Sequence[str] = (),
    open_file: Open = open_source,
) -> Dataset[ItemScores]:
    """Read all files and combine the scores; every measure must score every item of every system once.

    paths: files, folders, patterns, or `name=path` for a file without a column 'system'. measures: the requested ones,
    in order, or patterns of them; empty for all that are not excluded, such as human scores. left_out: patterns of
    others. lower_is_better: measures of which a lower
    score is better. open_file: opens files.
    All problems of the files are one `InputError`; a measure that is in no file is an `UnknownName`.
    """
    _check_policies(policies)
    request = Request(columns, measures, excluded, systems=policies.systems, left_out=left_out)
    content = _read(paths, request, lower_is_better, progress, open_file)
    zeros, all_named = 0, not content.problems.errors_so_far
    for check in (check_unknown, check_repeated, check_contents):
        with content.problems.errors():
            check(content.table, policies)
    # Scores of rows without a name would be missing.
    if all_named:
        content, zeros = _with_zeros(content, policies, lower_is_better)
        with content.problems.errors():
            check_missing(content.table, policies)
    content.problems.raise_any(content.table.systems)
    if policies.on_missing.action == "pairwise":
        return _with_gaps(content, lower_is_better)
    scores, repairs = _complete_items(content.table, lower_is_better)
    repairs |= {"zeros": zeros} if zeros else {}
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
    choice: SystemChoice = EVERY_SYSTEM,
) -> Dataset[ItemScores]:
    """Read ratings of annotators or judges as `read_score_table` reads scores; missing ratings are NaN."""
    content = _read(paths, Request(columns, measures, (), form, choice), lower_is_better, progress, open_file)
    for check in (check_unknown, check_repeated):
        with content.problems.errors():
            check(content.table, Policies())
    content.problems.raise_any(())
    _check_size(content.table)
    scores = _all_cells(content.table, lower_is_better)
    return content.dataset(scores, {"missing": int(np.isnan(scores.values).sum())}, [])


def _check_size(table: CellTable) -> None:
    """Raise an `InputError` if ratings are so few of all cells that their table would not fit in memory."""
    if table.size <= max(_MOST_CELLS, _CELLS_PER_RATING * len(table.keys)):
        return
    units = pluralize(len(table.systems) * len(table.items), "cell" if len(table.systems) > 1 else "item")
    ratings = f"{len(table.keys):,} ratings by {len(table.measures):,} annotators of {units}"
    hint = "compare annotators who share items in a call of their own, or take a random sample of the items"
    reason = f"their table of {8e-9 * table.size:.1f} GB is nearly empty"
    raise refuse(None, excluded(ratings, reason, "annotators who rated the same items", hint))


def _all_cells(table: CellTable, lower_is_better: Sequence[str]) -> ItemScores:
    """The scores of all items; NaN where missing."""
    values = np.full(table.size, np.nan)
    usable = table.states == USABLE
    values[table.keys[usable]] = table.values[usable]
    shape = (len(table.measures), len(table.systems), len(table.items))
    directions = _directions(table, lower_is_better)
    return ItemScores(values.reshape(shape), table.measures, table.systems, table.items, directions)


def _with_zeros(content: _Content, policies: Policies, lower_is_better: Sequence[str]) -> tuple[_Content, int]:
    """The cells with 0 for those that are missing, if the policy or the format of the files says so, and how many."""
    table = content.table
    if policies.on_missing.action != "zero" and not all(part.format.absent_is_zero for part in table.parts):
        return content, 0
    best = [name for name in table.measures if name in lower_is_better]
    if best:
        reason = f"0 is the best value of '{best[0]}', for which lower is better"
        raise refuse(None, excluded(setting("on_missing", "zero"), reason, setting("on_missing", "drop")))
    is_present = np.zeros(table.size, dtype=np.bool_)
    is_present[table.keys[table.states != MISSING]] = True
    absent = np.flatnonzero(~is_present)
    full_table = replace(
        table,
        keys=np.concatenate([table.keys, absent]),
        values=np.concatenate([table.values, np.zeros(len(absent))]),
        states=np.concatenate([table.states, np.full(len(absent), USABLE, dtype=np.uint8)]),
    )
    share = f"{_share(len(absent), table.size, 'missing')} and count{'s' if len(absent) == 1 else ''} as 0"
    notes = [share] if len(absent) and policies.on_missing.action == "zero" else []
    return replace(content, table=full_table, notes=(*content.notes, *notes)), len(absent)


def _with_gaps(content: _Content, lower_is_better: Sequence[str]) -> Dataset[ItemScores]:
    """The scores of all items, of which each comparison uses the cells that both sides have."""
    scores = _all_cells(content.table, lower_is_better)
    missing, unknown = int(np.isnan(scores.values).sum()), int((content.table.states == UNKNOWN).sum())
    if not missing:
        return content.dataset(scores, {"missing": 0, "unknown": 0}, [])
    if missing == scores.values.size:
        path = content.table.path_of(content.table.systems[0])
        raise refuse(path, none_left("score", "none is usable", "add the scores"))
    share = f"{pluralize(missing, 'score')} of {scores.values.size:,} ({100 * missing / scores.values.size:.1f} %)"
    note = f"{share} missing: scores are means over the items that a system has, and each comparison of two systems or "
    note += "two measures uses the cells that both have"
    return content.dataset(replace(scores, gaps=True), {"missing": missing - unknown, "unknown": unknown}, [note])


@dataclass(frozen=True)
class _Content:
    """The cells of all files, with their notes and problems."""

    table: CellTable
    files: tuple[SourceFile, ...]
    notes: tuple[str, ...]
    problems: Gathered

    def dataset(self, scores: ItemScores, repairs: Mapping[str, int], notes: Sequence[str]) -> Dataset[ItemScores]:
        """The scores with their files and notes."""
        paths = tuple(map(self.table.path_of, self.table.systems))
        return Dataset(
            scores,
            paths,
            self.files,
            repairs,
            (*self.notes, *numbers_note(self.table.items), *_notes_on_systems(self.table), *notes),
        )


def _read(
    paths: Sequence[str], request: Request, lower_is_better: Sequence[str], progress: Progress, open_file: Open
) -> _Content:
    if not paths:
        raise refuse(None, empty("file of scores", "files, folders or patterns of the scores"))
    run_files, notes = files_of_scores(paths)
    problems = request.systems.gathered()
    parts: list[ScoreCells] = []
    files = SourceFiles(open_file)
    for file in progress(run_files, "Reading scores"):
        with problems.errors(file.system):
            source = files.open(file.path, request.form.role)
            parts.append(read_score_cells(source, request, file.system, problems))
            if file.is_named and parts[-1].has_systems and not request.form.has_raters:
                several = len(parts[-1].known_systems) > 1
                why = f"the name '{file.system}' is not used, because the file has several systems"
                notes += [f"{source.path_or_name}: {why}"] if several else []
                parts[-1] = parts[-1] if several else parts[-1].renamed(file.system)
    if len(parts) < len(run_files):
        problems.raise_any(name for part in parts for name in part.known_systems)
    measures = dict.fromkeys(name for part in parts for name in part.known_measures)
    _check_measures(request, tuple(measures), lower_is_better, run_files[0].path)
    systems = list(dict.fromkeys(name for part in parts for name in part.known_systems))
    selection = request.systems.of(systems)
    notes = [*notes, *request.systems.notes(systems), *_notes_on_columns(parts)]
    parts = [replace(part, known_systems=tuple(filter(selection.__contains__, part.known_systems))) for part in parts]
    table = combined(parts, request.select(match_names(request.measures, measures)))
    return _Content(table, files.files, (*notes, *files.notes), problems)


def _check_measures(request: Request, measures: tuple[str, ...], lower_is_better: Sequence[str], path: str) -> None:
    """Raise an `InputError` for a name or a pattern without a measure, and where no measure is left; path: a file."""
    for name in (*request.measures, *lower_is_better):
        if not match_names([name], measures):
            raise UnknownName("measure", name, measures)
    for pattern in request.left_out:
        if not match_names([pattern], measures):
            raise refuse(None, unknown(setting("exclude_measures"), pattern, measures))
    if not measures or request.select(measures):
        return
    if request.left_out:
        text = f"the measures are {', '.join(measures)}"
        raise refuse(None, none_left("measure", text, f"change {setting('exclude_measures')}"))
    hint = "add a column of the scores of a measure, or name a table with one"
    raise refuse(path, none_left("measure", f"the table has only human scores ({', '.join(measures)})", hint))


def _notes_on_columns(parts: Sequence[ScoreCells]) -> list[str]:
    """Notes on columns of wide files that are no measures."""
    columns = dict.fromkeys(name for part in parts for name in part.ignored_columns)
    notes = [*row_numbers_note(name for part in parts for name in part.row_numbers)]
    notes += dict.fromkeys(note for part in parts for note in (*part.notes, *part.format.notes))
    if columns:
        names = ", ".join(map(shortened, columns))
        options = " or ".join(setting(option, next(iter(columns))) for option in ("clusters", "group"))
        use = f"if one of them groups the items, set it as {options}"
        notes.append(f"columns without numbers are no measures and are ignored: {names}; {use}")
    return notes


def _check_policies(policies: Policies) -> None:
    policies.reject_substitutes("the files have scores, not labels")
    actions = (policies.on_missing.action, policies.on_unknown.action)
    if "pairwise" in actions and actions not in (("pairwise", "pairwise"), ("pairwise", "error")):
        reason = f"{setting('on_unknown', actions[1])} treats scores that are no number in another way"
        expected = f"{setting('on_missing', 'pairwise')}, with {setting('on_unknown')} pairwise or error"
        raise refuse(None, excluded(setting("on_missing", actions[0]), reason, expected))
    if actions[1] == "zero":
        reason = "a text that is no number is no missing score"
        raise refuse(None, excluded(setting("on_unknown", "zero"), reason, "error, drop or pairwise"))
    if policies.drop_gold:
        option = setting("drop_gold", ",".join(policies.drop_gold))
        raise refuse(None, excluded(option, "tables of scores have no gold classes"))


def _directions(table: CellTable, lower_is_better: Sequence[str]) -> tuple[Direction, ...]:
    return tuple(Direction.LOWER if name in lower_is_better else Direction.HIGHER for name in table.measures)


def _complete_items(table: CellTable, lower_is_better: Sequence[str]) -> tuple[ItemScores, dict[str, int]]:
    """The scores of the items with all scores, and the number of missing scores and of other items."""
    measures, systems, items = len(table.measures), len(table.systems), len(table.items)
    rows, item_of = np.divmod(table.keys, items)
    usable = table.states == USABLE
    keep = np.bincount(item_of[usable], minlength=items) == measures * systems
    if not keep.any():
        fewest = table.systems[int(np.bincount(rows[usable] % systems, minlength=systems).argmin())]
        measures_of_all = f", or choose measures that score every system with {setting('measures')}"
        raise no_common_item(table.path_of(fewest), "score", fewest, otherwise=measures_of_all)
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
        "scores_dropped": int(usable.sum()) - measures * systems * size,
    }
    return scores, repairs


def _notes_on_systems(table: CellTable) -> list[str]:
    """A note on systems that no requested measure scores."""
    all_names = dict.fromkeys(name for part in table.parts for name in part.known_systems)
    names = [name for name in all_names if name not in set(table.systems)]
    return [f"systems without scores of the chosen measures are not used: {', '.join(names)}"] if names else []


def _repair_notes(repairs: Mapping[str, int]) -> list[str]:
    notes = []
    if repairs["missing"]:
        notes.append(f"{pluralize(repairs['missing'], 'missing score')}: their items are dropped")
    if repairs["unknown"]:
        notes.append(f"{pluralize(repairs['unknown'], 'score')} without a finite number: their items are dropped")
    if repairs["items_dropped"]:
        note = dropped_items_note(repairs["items_dropped"])
        removed = pluralize(repairs["scores_dropped"], "present score")
        notes.append(f"{note}, which removes {removed} of other systems or measures")
    return notes


def read_weightings(path: str) -> tuple[dict[str, Mapping[str, float]], SourceFiles]:
    """The weightings of a CSV or TSV file by their names in the first column; its problems are one `InputError`."""
    files = SourceFiles()
    source = files.open(path, "weights")
    if not source.text().strip().count("\n"):
        raise refuse((source.path_or_name, 1), no_rows())
    table = TableColumns(read_rows(source))
    column, *labels = table.header
    names = table.filled(column, "name of the weighting", names=False)
    for row, _ in repetitions(names):
        table.reject(row, repeated("weighting", names[row]))
    weights = np.array([table.counts(label, "weight") for label in labels]).reshape(len(labels), len(names))
    table.raise_any("write a name and a weight for each class in every row")
    rows = zip(names, weights.T.tolist(), strict=True)
    return {name: dict(zip(labels, row, strict=True)) for name, row in rows}, files
