"""The scores of single items in one file, a cell each.

tidy      measure,system,item,value       a row for each score; other columns are ignored
wide      system,item,bertscore,comet     a column for each measure

Without a column 'system' the file is of one system; without a column 'item' the scores are of whole systems. 'score'
may replace 'value', and 'id' may replace 'item'.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, compress
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from metaeval.errors import Gathered, InputError, empty, missing_column, nearest, refuse, setting, shortened
from metaeval.io.files.columns import (
    MISSING,
    UNKNOWN,
    USABLE,
    Read,
    TableColumns,
    invalid_number,
    is_written_otherwise,
    read_numbers,
    row_numbers,
)
from metaeval.io.files.delimited import NO_FORMAT, Format
from metaeval.io.files.roles import (
    ITEM,
    KIND,
    MEASURE,
    REPLICATE,
    SCORE,
    SYSTEM,
    TURN,
    Role,
    is_identity,
    normal,
    note_on_columns,
)
from metaeval.io.files.run_files import EVERY_SYSTEM, SystemChoice
from metaeval.io.files.source import Source
from metaeval.io.labels.columns import Columns, Renaming
from metaeval.names import match_names, matches

WHOLE = "all items"
"""The item of scores of whole systems."""

REPLICATE_MARK = "@"
"""Between the name of a system and that of one of its runs."""

NO_SYSTEM = ""


@dataclass(frozen=True)
class Form:
    """The columns of a table of scores, and how its cells are read.

    measure, score: the columns of measures and of scores. read, expected: turns texts into numbers, and describes valid
    texts. remedy: for invalid texts; '' for the one of scores. role: of the files. has_raters: whether 'measures' are
    annotators: a file without a column of annotators, but with one of scores, is of one annotator with the name of the
    file, and a file without a column of systems has items without a system (NO_SYSTEM). column: the one of measures
    that the user chose. required: whether every file must have it.
    """

    measure: Role = MEASURE
    score: Role = SCORE
    read: Callable[[Sequence[str]], Read] = read_numbers
    expected: str = "a finite number"
    remedy: str = ""
    role: str = "run"
    has_raters: bool = False
    column: str | None = None
    required: bool = False

    def renamed(self, renaming: Renaming) -> Form:
        """The form of files whose labels are replaced by others."""
        read = self.read
        return replace(self, read=lambda texts: read(renaming.texts(texts))) if renaming.names else self


SCORES = Form()


@dataclass(frozen=True)
class Request:
    """The scores that are read.

    measures, excluded, left_out: names or patterns of them, empty for all and none; excluded are those of something
    else, such as human scores, left_out those that the user leaves out. systems: those that are evaluated.
    """

    columns: Columns
    measures: Sequence[str] = ()
    excluded: Sequence[str] = ()
    form: Form = SCORES
    systems: SystemChoice = EVERY_SYSTEM
    left_out: Sequence[str] = ()

    def select(self, measures: Sequence[str]) -> tuple[str, ...]:
        """The requested ones of measures."""
        excluded = () if self.measures else self.excluded
        requested = set(match_names(self.measures, measures)) if self.measures else {*measures}
        return tuple(name for name in measures if name in requested and not matches(name, (*excluded, *self.left_out)))

    def row_mask(self, systems: Sequence[str]) -> NDArray[np.bool_]:
        """The rows of systems that are evaluated."""
        is_evaluated = {name: self.systems.keeps(name) for name in set(systems)}
        return np.fromiter(map(is_evaluated.__getitem__, systems), dtype=np.bool_, count=len(systems))


@dataclass(frozen=True)
class Names:
    """A column of names: the distinct names in order of first appearance, and the index of each cell's name, (C,)."""

    names: tuple[str, ...]
    codes: NDArray[np.int64]

    @classmethod
    def of(cls, texts: Sequence[str]) -> Names:
        """The names of texts.

        >>> Names.of(["svm", "bert", "svm"])
        Names(names=('svm', 'bert'), codes=array([0, 1, 0]))
        """
        index = {name: code for code, name in enumerate(dict.fromkeys(texts))}
        return cls(tuple(index), np.fromiter(map(index.__getitem__, texts), dtype=np.int64, count=len(texts)))


@dataclass(frozen=True)
class ScoreCells:
    """The C requested cells of a file.

    table: of the file. rows: the row of each cell, (C,). measures, systems, items: of each cell. texts: of the cells.
    values, states: as `read_numbers` returns them. known_measures, known_systems: all of the file. form: of the file.
    ignored_columns, row_numbers: those of a wide file that were not requested and are no measures, because they have no
    number or number the rows. notes: on the columns. contents: the hash of the content of the item of each cell; empty
    where the format has none.
    distinguishing: computes the remedy for rows with one system and item that another column distinguishes; '' if none.
    """

    table: TableColumns
    rows: NDArray[np.intp]
    measures: Names
    systems: Names
    items: Names
    texts: Sequence[str]
    values: NDArray[np.float64]
    states: NDArray[np.uint8]
    known_measures: tuple[str, ...]
    known_systems: tuple[str, ...]
    form: Form
    ignored_columns: tuple[str, ...] = ()
    row_numbers: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    contents: Sequence[str] = ()
    distinguishing: Callable[[], str] = str

    @property
    def path(self) -> str:
        """The file, for messages."""
        return self.table.path

    @property
    def has_systems(self) -> bool:
        """Whether the file has a column of systems."""
        return SYSTEM in self.table.roles

    @property
    def format(self) -> Format:
        """What the reader of the format of another tool says."""
        return self.table.rows.format

    def renamed(self, system: str) -> ScoreCells:
        """The cells of the only system under another name."""
        return replace(self, systems=replace(self.systems, names=(system,)), known_systems=(system,))

    def line(self, cell: int) -> int:
        """The physical line of a cell."""
        return self.table.lines[int(self.rows[cell])]


def read_score_cells(source: Source, request: Request, system: str, problems: Gathered) -> ScoreCells:
    """The scores of a tidy or wide file.

    system: the system of a file without a column of systems, or the annotator of a file without a column of annotators.
    problems: to which the error for rows without a name is added.
    Missing columns and requested columns of a wide file without numbers are `InputError`s.
    """
    form = request.form
    table = TableColumns.read(source, request.columns.id, omit=request.columns.names)
    if form.has_raters:
        request = replace(request, columns=request.columns.with_label(table.rows.format.label))
    columns = request.columns
    system_column = table.find(SYSTEM, columns.system)
    item_column = table.find(ITEM, columns.id)
    if item_column is None and (system_column is None or nearest(ITEM.names[0], table.header)):
        table.need(ITEM)
    if columns.label is not None:
        table.need(form.score, columns.label)
    measure_column = form.column if form.column in table.header else table.find(form.measure)
    has_scores = bool(columns.label or form.score.among(table.header, table.omit))
    if measure_column is not None and not (has_scores or form.column) and _is_score(table, measure_column, form):
        # A column for each measure, one of which is a metric, or for each annotator, of whom one is a judge.
        measure_column = None
        del table.roles[form.measure]
    key_columns = [name for name in (measure_column, system_column, item_column) if name is not None]
    if columns.replicates is not None and not form.has_raters:
        key_columns.append(table.need(REPLICATE, columns.replicates))
    if form.required and measure_column is None:
        table.need(form.measure, form.column)
    file_systems = () if form.has_raters or system_column is not None else (system,)
    keys = _names_by_column(table, key_columns, problems, file_systems)
    rows = _RowNames(
        system=keys[system_column] if system_column else [NO_SYSTEM if form.has_raters else system] * len(table),
        item=keys[item_column] if item_column else [WHOLE] * len(table),
    )
    if columns.replicates in keys:
        runs = keys[columns.replicates]
        names = [f"{name}{REPLICATE_MARK}{run}" for name, run in zip(rows.system, runs, strict=True)]
        rows = rows._replace(system=names)
    if measure_column is not None:
        return _tidy(table, request, keys[measure_column], rows)
    if form.has_raters and has_scores:
        return _tidy(table, request, [system] * len(table), rows)
    return _wide(table, request, rows, frozenset([*keys, *columns.clusters]))


class _RowNames(NamedTuple):
    """The system and the item of each row."""

    system: list[str]
    item: list[str]


def _names_by_column(
    table: TableColumns, columns: Sequence[str], problems: Gathered, systems: Sequence[str]
) -> dict[str, list[str]]:
    """The names of measure, system and item of each row; an error for missing ones is added to `problems`.

    systems: the only one of the file. A missing name is replaced by one that occurs once, so that the row repeats no
    other one.
    """
    names_by_column = {column: table.filled(column) for column in columns}
    if not table.problems:
        return names_by_column
    incomplete = " and ".join(repr(column) for column, names in names_by_column.items() if "" in names)
    hint = f"write a name in every row of column {incomplete}" if incomplete else ""
    problems.keep(InputError(table.problems, hints=[hint]), runs=systems)
    return {
        column: [name or f"line {line} of {table.path}" for name, line in zip(names, table.lines, strict=True)]
        for column, names in names_by_column.items()
    }


def _is_score(table: TableColumns, column: str, form: Form) -> bool:
    """Whether a column named as that of measures, or annotators, has scores of one."""
    if form.has_raters:
        return normal(column) == "judge"
    return not (read_numbers(table.texts(column))[1] == UNKNOWN).any()


def _tidy(table: TableColumns, request: Request, measures: list[str], names: _RowNames) -> ScoreCells:
    """The cells of a tidy file, with the measure, the system and the item of each row."""
    form, systems, items = request.form, names.system, names.item
    texts = table.texts(table.need(form.score, request.columns.label))
    known_measures, known_systems = tuple(dict.fromkeys(measures)), tuple(dict.fromkeys(systems))
    rows = np.arange(len(texts))
    requested = frozenset(request.select(known_measures))
    if len(requested) < len(known_measures) or request.systems:
        has_measure = np.fromiter(map(requested.__contains__, measures), dtype=np.bool_, count=len(texts))
        mask = has_measure & request.row_mask(systems)
        measures, systems, items, texts = (list(compress(cells, mask)) for cells in (measures, systems, items, texts))
        rows = np.flatnonzero(mask)
    values, states = form.read(texts)
    contents = table.texts(table.rows.format.content) if table.rows.format.content else []
    keys = (*request.columns.clusters, *(KIND.among(table.header) if form.has_raters else ()))
    return ScoreCells(
        table=table,
        rows=rows,
        measures=Names.of(measures),
        systems=Names.of(systems),
        items=Names.of(items),
        texts=texts,
        values=values,
        states=states,
        known_measures=known_measures,
        known_systems=known_systems,
        form=form,
        notes=table.notes(*keys) if table.rows.format is NO_FORMAT else (),
        contents=[contents[row] for row in rows.tolist()] if contents else (),
    )


def _wide(table: TableColumns, request: Request, row_names: _RowNames, key_columns: frozenset[str]) -> ScoreCells:
    """The cells of a wide file, with the system and the item of each row; key_columns: those that are no measures."""
    form, label, systems, items = request.form, request.columns.label, row_names.system, row_names.item
    columns = (label,) if label else tuple(name for name in table.header if name not in key_columns)
    is_evaluated = request.row_mask(systems)
    rows = np.flatnonzero(is_evaluated)
    names_of_systems, names_of_items = (Names.of(list(compress(names, is_evaluated))) for names in (systems, items))
    requested = (*request.measures, *request.excluded, label)
    numbers = row_numbers(columns, (*request.measures, label), table.texts, table.rows.index)
    identities = [name for name in columns if is_identity(name) and name not in (*requested, *numbers)]
    may_have_scores = [name for name in columns if name not in numbers and name not in identities]
    if not may_have_scores:
        problem = missing_column(table.header, MEASURE.names[0], "add the scores, in a column for each measure")
        raise refuse((table.path, 1), problem)
    measures = request.select(may_have_scores)
    texts = {name: list(compress(table.texts(name), is_evaluated)) for name in measures}
    read = {name: form.read(texts[name]) for name in measures}
    without = [] if form.remedy else [name for name in measures if _has_no_number(read[name][1])]
    # A table without any number is an error.
    any_number = any((states == USABLE).any() for _, states in read.values())
    misread = {name for name in without if any(map(is_written_otherwise, texts[name]))}
    ignored_names = {name for name in without if name not in request.measures and any_number} - misread
    selection = tuple(name for name in measures if name not in ignored_names) if len(rows) else ()
    for name in [name for name in without if name in selection]:
        first = int((read[name][1] != MISSING).argmax())
        if is_written_otherwise(texts[name][first]):
            problem = invalid_number("score", texts[name][first], form.expected, f" in column '{shortened(name)}'")
        else:
            values = f"number in column '{shortened(name)}', for example '{shortened(texts[name][first])}'"
            problem = empty(values, "numbers, because it is named")
        table.reject(int(rows[first]), problem)
    if table.problems:
        if misread:
            table.raise_any()
        example = next((f", such as '{name}'" for name in selection if name not in without), "")
        settings = f"{setting('measures')}, {setting('ratios')} and {setting('f_scores')}"
        is_tidy = bool(SCORE.among(table.header))
        table.raise_any(
            f"in {settings}, name columns of scores{example}",
            "in a file with a row for each score, name the column of the measures 'measure'" if is_tidy else "",
        )
    return ScoreCells(
        table=table,
        rows=np.tile(rows, len(selection)),
        measures=Names(selection, np.repeat(np.arange(len(selection)), len(rows))),
        systems=Names(names_of_systems.names if selection else (), np.tile(names_of_systems.codes, len(selection))),
        items=Names(names_of_items.names if selection else (), np.tile(names_of_items.codes, len(selection))),
        texts=list(chain.from_iterable(texts[name] for name in selection)),
        values=np.concatenate([np.empty(0), *(read[name][0] for name in selection)]),
        states=np.concatenate([np.empty(0, dtype=np.uint8), *(read[name][1] for name in selection)]),
        known_measures=tuple(name for name in may_have_scores if name not in ignored_names),
        known_systems=tuple(dict.fromkeys(systems)),
        form=form,
        ignored_columns=tuple(name for name in columns if not request.measures and name in ignored_names),
        row_numbers=numbers if form.remedy or not request.measures else (),
        notes=note_on_columns(table.roles, identities),
        distinguishing=partial(_remedy_by_columns, table, row_names),
    )


def _remedy_by_columns(table: TableColumns, names: _RowNames) -> str:
    """The remedy for rows of one system and item: a column with few values that is different in each of them."""
    item, different = table.roles.get(ITEM), {}
    for column in table.header if item is not None else ():
        cells = table.rows.column(column)
        values = set(cells)
        if 1 < len(values) <= len(cells) // 2 and len({*zip(names.system, names.item, cells, strict=True)}) == len(
            cells
        ):
            different[column] = len(values)
    if not different:
        return ""
    column = min(different, key=lambda name: (TURN.column([name], table.path) is None, different[name]))
    remedies = f"add it to the id with {setting('id_column', f'{item},{column}')}, or use {setting('group', column)}"
    return f"column '{shortened(column)}' distinguishes these rows: {remedies}"


def _has_no_number(states: NDArray[np.uint8]) -> bool:
    """Whether a column has texts that are no numbers, and no number."""
    return bool((states == UNKNOWN).any() and not (states == USABLE).any())
