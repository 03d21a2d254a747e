"""Scores of single items that another tool computed, combined from any number of files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from metaeval.errors import Gathered, UnknownName, none_left, pluralize, refuse, setting, shortened
from metaeval.io.dataset import Dataset, Progress
from metaeval.io.files.columns import row_numbers_note
from metaeval.io.files.run_files import RunFile, find_run_files, reject_repeated_files
from metaeval.io.files.source import Open, SourceFiles, open_source
from metaeval.io.labels.codes import MISSING, UNKNOWN, USABLE
from metaeval.io.labels.join import dropped_items_note
from metaeval.io.labels.policies import Policies
from metaeval.io.labels.raw_labels import Columns
from metaeval.io.scores.cell_table import CellTable, combined
from metaeval.io.scores.cells import SCORES, Form, Request, ScoreCells, read_score_cells
from metaeval.io.scores.checks import check_missing, check_repeated, check_unknown
from metaeval.io.systems import EVERY_SYSTEM, SystemChoice
from metaeval.model.report import SourceFile
from metaeval.model.scores import Direction, ItemScores

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
    open_file: Open = open_source,
) -> Dataset[ItemScores]:
    """Read all files and combine the scores; every measure must score every item of every system once.

    paths: files, folders, patterns, or `name=path` for a file without a column 'system'. measures: the requested ones,
    in order; empty for all that are not excluded, such as human scores. lower_is_better: measures of which a lower
    score is better. open_file: opens files.
    All problems of the files are one `InputError`; a measure that is in no file is an `UnknownName`.
    """
    _check_policies(policies)
    request = Request(columns, measures, excluded, systems=policies.systems)
    content = _read(paths, request, lower_is_better, progress, open_file)
    checks = [check_unknown, check_repeated]
    # Scores of rows without a name would be missing.
    if not content.gathered.errors_so_far:
        checks.append(check_missing)
    for check in checks:
        with content.gathered.errors():
            check(content.table, policies)
    content.gathered.raise_any()
    if policies.on_missing.action == "pairwise":
        return _with_gaps(content, lower_is_better)
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
    choice: SystemChoice = EVERY_SYSTEM,
) -> Dataset[ItemScores]:
    """Read ratings of annotators or judges as `read_score_table` reads scores; missing ratings are NaN."""
    content = _read(paths, Request(columns, measures, (), form, choice), lower_is_better, progress, open_file)
    for check in (check_unknown, check_repeated):
        with content.gathered.errors():
            check(content.table, Policies())
    content.gathered.raise_any()
    _check_size(content.table)
    scores = _all_cells(content.table, lower_is_better)
    return content.dataset(scores, {"missing": int(np.isnan(scores.values).sum())}, [])


def _check_size(table: CellTable) -> None:
    """Raise an `InputError` if ratings are so few of all cells that their table would not fit in memory."""
    if table.size <= max(_MOST_CELLS, _CELLS_PER_RATING * len(table.keys)):
        return
    units = pluralize(len(table.systems) * len(table.items), "cell" if len(table.systems) > 1 else "item")
    ratings = f"{len(table.keys):,} ratings by {len(table.measures):,} annotators of {units}"
    raise refuse(
        None,
        f"{ratings}, a table of {8e-9 * table.size:.1f} GB that is nearly empty",
        "annotators who rated the same items",
        "compare annotators who share items in a call of their own, or take a random sample of the items",
        kind="count",
    )


def _all_cells(table: CellTable, lower_is_better: Sequence[str]) -> ItemScores:
    """The scores of all items; NaN where missing."""
    values = np.full(table.size, np.nan)
    usable = table.states == USABLE
    values[table.keys[usable]] = table.values[usable]
    shape = (len(table.measures), len(table.systems), len(table.items))
    directions = _directions(table, lower_is_better)
    return ItemScores(values.reshape(shape), table.measures, table.systems, table.items, directions)


def _with_gaps(content: _Content, lower_is_better: Sequence[str]) -> Dataset[ItemScores]:
    """The scores of all items, of which each comparison uses the cells that both sides have."""
    scores = _all_cells(content.table, lower_is_better)
    missing, unknown = int(np.isnan(scores.values).sum()), int((content.table.states == UNKNOWN).sum())
    if not missing:
        return content.dataset(scores, {"missing": 0, "unknown": 0}, [])
    if missing == scores.values.size:
        raise refuse(None, none_left("score", "none is usable", "add the scores"))
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
    gathered: Gathered

    def dataset(self, scores: ItemScores, repairs: Mapping[str, int], notes: Sequence[str]) -> Dataset[ItemScores]:
        """The scores with their files and notes."""
        paths = tuple(map(self.table.path_of, self.table.systems))
        return Dataset(scores, paths, self.files, repairs, (*self.notes, *_notes_on_systems(self.table), *notes))


def _read(
    paths: Sequence[str], request: Request, lower_is_better: Sequence[str], progress: Progress, open_file: Open
) -> _Content:
    run_files, notes = _find_files(paths)
    gathered = Gathered()
    parts: list[ScoreCells] = []
    files = SourceFiles(open_file)
    for file in progress(run_files, "Reading scores"):
        with gathered.errors():
            source = files.open(file.path, request.form.role)
            parts.append(read_score_cells(source, request, file.system, gathered))
            if file.named and parts[-1].has_systems and not request.form.of_raters:
                several = len(parts[-1].known_systems) > 1
                why = f"the name '{file.system}' is not used, because the file has several systems"
                notes += [f"{source.path_or_name}: {why}"] if several else []
                parts[-1] = parts[-1] if several else parts[-1].renamed(file.system)
    if len(parts) < len(run_files):
        gathered.raise_any()
    known = dict.fromkeys(name for part in parts for name in part.known_measures)
    for name in (*request.measures, *lower_is_better):
        if name not in known:
            raise UnknownName("measure", name, known)
    systems = list(dict.fromkeys(name for part in parts for name in part.known_systems))
    chosen = request.systems.of(systems)
    notes = [*notes, *request.systems.notes(systems), *_notes_on_columns(parts)]
    parts = [replace(part, known_systems=tuple(filter(chosen.__contains__, part.known_systems))) for part in parts]
    table = combined(parts, tuple(dict.fromkeys(request.measures)))
    return _Content(table, files.files, (*notes, *files.notes), gathered)


def _notes_on_columns(parts: Sequence[ScoreCells]) -> list[str]:
    """Notes on columns of wide files that are no measures."""
    ignored = dict.fromkeys(name for part in parts for name in part.ignored)
    notes = [*row_numbers_note(name for part in parts for name in part.row_numbers)]
    if ignored:
        names = ", ".join(map(shortened, ignored))
        options = " or ".join(setting(option, next(iter(ignored))) for option in ("clusters", "group"))
        use = f"if one of them groups the items, set it as {options}"
        notes.append(f"columns without numbers are no measures and are ignored: {names}; {use}")
    return notes


def _check_policies(policies: Policies) -> None:
    policies.reject_substitutes("the files have scores, not labels")
    actions = (policies.on_missing.action, policies.on_unknown.action)
    if "pairwise" in actions and actions not in (("pairwise", "pairwise"), ("pairwise", "error")):
        found = f"{setting('on_missing', actions[0])} with {setting('on_unknown', actions[1])}"
        expected = f"{setting('on_missing', 'pairwise')}, with {setting('on_unknown')} pairwise or error"
        hint = "treat scores that are missing and those that are no number in the same way"
        raise refuse(None, found, expected, hint, kind="conflict")
    if policies.drop_gold:
        found = f"{setting('drop_gold', ','.join(policies.drop_gold))}, but tables of scores have no gold classes"
        raise refuse(None, found, "no class to drop", f"leave out {setting('drop_gold')}", kind="conflict")


def _find_files(arguments: Sequence[str]) -> tuple[list[RunFile], list[str]]:
    """The files, and notes; unlike other runs, files may have the same name, because each may have other measures."""
    if not arguments:
        hint = "name the files, folders or patterns of the scores"
        raise refuse(None, "no file of scores", "at least one", hint, kind="missing")
    gathered = Gathered()
    files: list[RunFile] = []
    notes: list[str] = []
    for argument in arguments:
        with gathered.errors():
            own_files, own_notes = find_run_files([argument], gold=None, names="")
            files += own_files
            notes += own_notes
    gathered.raise_any()
    reject_repeated_files(file.path for file in files)
    return files, notes


def _directions(table: CellTable, lower_is_better: Sequence[str]) -> tuple[Direction, ...]:
    return tuple(Direction.LOWER if name in lower_is_better else Direction.HIGHER for name in table.measures)


def _complete_items(table: CellTable, lower_is_better: Sequence[str]) -> tuple[ItemScores, dict[str, int]]:
    """The scores of the items with all scores, and the number of missing scores and of other items."""
    measures, systems, items = len(table.measures), len(table.systems), len(table.items)
    rows, item_of = np.divmod(table.keys, items)
    usable = table.states == USABLE
    keep = np.bincount(item_of[usable], minlength=items) == measures * systems
    if not keep.any():
        choose = f"choose measures that score every system with {setting('measures')}"
        hint = f"{choose}, or leave out the systems with the fewest scores"
        raise refuse(None, none_left("item", "each lacks a usable score of some measure and system", hint))
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
        dropped = dropped_items_note(repairs["items_dropped"])
        removed = pluralize(repairs["scores_dropped"], "present score")
        notes.append(f"{dropped}, which removes {removed} of other systems or measures")
    return notes
