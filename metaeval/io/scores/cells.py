"""The scores of single items in one file, a cell each.

tidy      measure,system,item,value       a row for each score; other columns are ignored
wide      system,item,bertscore,comet     a column for each measure

Without a column 'system' the file is of one system; without a column 'item' the scores are of whole systems. 'score'
may replace 'value', and 'id' may replace 'item'.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, compress

import numpy as np
from numpy.typing import NDArray

from metaeval.errors import Gathered, InputError, Problem, nearest, setting, shortened
from metaeval.io.files.delimited import (
    Format,
    InMemoryRows,
    Rows,
    TableSource,
    delimiter_of,
    first_line,
    one_of_columns,
    read_rows,
)
from metaeval.io.files.json_rows import json_rows
from metaeval.io.files.json_text import reject_no_lines
from metaeval.io.files.source import Lines, Source, empty_file
from metaeval.io.labels.codes import MISSING, UNKNOWN, USABLE, Read, read_numbers
from metaeval.io.labels.label_columns import row_numbers
from metaeval.io.labels.raw_labels import Columns
from metaeval.io.systems import EVERY_SYSTEM, SystemChoice

MEASURE_COLUMN = "measure"
SYSTEM_COLUMN = "system"
WHOLE = "all items"
"""The item of scores of whole systems."""

REPLICATE_MARK = "@"
"""Between the name of a system and that of one of its runs."""

NO_SYSTEM = ""
ITEM_COLUMNS = ("item", "id")
VALUE_COLUMNS = ("value", "score")
_JSON_LINES = '{"system": …, "item": …, "bleu": …}'


@dataclass(frozen=True)
class Form:
    """The columns of a table of scores, and how its cells are read.

    measures: possible names of the column of measures; a single name of annotators is required. values: possible names
    of the column of scores. read, expected: turns texts into numbers, and describes valid texts. remedy: for invalid
    texts; '' for the one of scores. role: of the files. of_raters: whether a 'measure' is an annotator: a file without
    a column of annotators, but with one of scores, is of one annotator with the name of the file, and a file without a
    column of systems has items without a system (NO_SYSTEM). named: the column of measures that the user chose.
    """

    measures: tuple[str, ...] = (MEASURE_COLUMN,)
    values: tuple[str, ...] = VALUE_COLUMNS
    read: Callable[[Sequence[str]], Read] = read_numbers
    expected: str = "a finite number"
    remedy: str = ""
    role: str = "run"
    of_raters: bool = False
    named: str | None = None


SCORES = Form()


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

    path: of the file, for messages. lines: of its rows. rows: the row of each cell, (C,). measures, systems, items: of
    each cell. texts: of the cells. values, states: as `read_numbers` returns them. known_measures, known_systems: all
    of the file. has_systems: whether the file has a column of systems. form, format: of the file. ignored, row_numbers:
    columns of a wide file that were not requested and are no measures, because they have no number or number the rows.
    """

    path: str
    lines: Lines
    rows: NDArray[np.intp]
    measures: Names
    systems: Names
    items: Names
    texts: Sequence[str]
    values: NDArray[np.float64]
    states: NDArray[np.uint8]
    known_measures: tuple[str, ...]
    known_systems: tuple[str, ...]
    has_systems: bool
    form: Form
    format: Format
    ignored: tuple[str, ...] = ()
    row_numbers: tuple[str, ...] = ()

    def renamed(self, system: str) -> ScoreCells:
        """The cells of the only system under another name."""
        return replace(self, systems=replace(self.systems, names=(system,)), known_systems=(system,))

    def line(self, cell: int) -> int:
        """The physical line of a cell."""
        return self._line_of_row[int(self.rows[cell])]

    @cached_property
    def _line_of_row(self) -> Sequence[int]:
        return self.lines()


def read_score_cells(
    source: Source,
    columns: Columns,
    measures: Sequence[str],
    system: str,
    excluded: Sequence[str] = (),
    form: Form = SCORES,
    choice: SystemChoice = EVERY_SYSTEM,
    *,
    gathered: Gathered,
) -> ScoreCells:
    """The scores of a tidy or wide file.

    measures: the requested ones; empty for all that are not excluded. system: the system of a file without a column of
    systems, or the annotator of a file without a column of annotators. choice: of the systems.
    gathered: to which the error for rows without a name is added.
    Missing columns and requested columns of a wide file without numbers are `InputError`s.
    """
    rows = read_table(source).with_key(columns.id)
    item_column = columns.id or one_of_columns(ITEM_COLUMNS, rows.header, rows.path, option="id_column")
    item_column = item_column or ITEM_COLUMNS[0]
    of_systems = columns.id is None and SYSTEM_COLUMN in rows.header and not nearest(item_column, rows.header)
    if item_column not in rows.header and not of_systems:
        raise no_column(rows, item_column, "id_column", named=columns.id is not None)
    if columns.label is not None and columns.label not in rows.header:
        raise no_column(rows, columns.label, "label_column", named=True)
    option, measure_column = "annotator_column" if form.of_raters else "", form.named
    if measure_column is None or measure_column not in rows.header:
        measure_column = one_of_columns(form.measures, rows.header, rows.path, option=option) or form.measures[0]
    one_of_columns((SYSTEM_COLUMN,), rows.header, rows.path, any_case=True)
    key_columns = [name for name in (measure_column, SYSTEM_COLUMN, item_column) if name in rows.header]
    if columns.replicates is not None and not form.of_raters:
        if columns.replicates not in rows.header:
            raise no_column(rows, columns.replicates, "replicates", named=True)
        key_columns.append(columns.replicates)
    keys = {name: rows.column(name) for name in key_columns}
    key_columns += columns.clusters
    if form.of_raters and len(form.measures) == 1 and measure_column not in keys:
        raise no_column(rows, measure_column, "annotator_column", named=True)
    keys = _named(keys, rows, gathered)
    items = keys.get(item_column) or [WHOLE] * len(keys[SYSTEM_COLUMN])
    systems = keys.get(SYSTEM_COLUMN) or [NO_SYSTEM if form.of_raters else system] * len(items)
    if columns.replicates in keys:
        runs = keys[columns.replicates]
        systems = [f"{name}{REPLICATE_MARK}{run}" for name, run in zip(systems, runs, strict=True)]
    request = _Request(measures, excluded, choice)
    if measure_column in keys:
        return _tidy(rows, columns, request, (keys[measure_column], systems, items), form)
    if form.of_raters and (columns.label or not set(form.values).isdisjoint(rows.header)):
        return _tidy(rows, columns, request, ([system] * len(items), systems, items), form)
    return _wide(rows, columns, request, (systems, items), key_columns, form)


@dataclass(frozen=True)
class _Request:
    """The requested cells; measures, excluded: as in `read_score_cells`. systems: those that are evaluated."""

    measures: Sequence[str]
    excluded: Sequence[str]
    systems: SystemChoice

    def chosen(self, measures: Sequence[str]) -> tuple[str, ...]:
        """The requested ones of measures."""
        if self.measures:
            return tuple(name for name in measures if name in self.measures)
        return tuple(name for name in measures if name not in self.excluded)

    def kept(self, systems: Sequence[str]) -> NDArray[np.bool_]:
        """The rows of systems that are evaluated."""
        known = {name: self.systems.keeps(name) for name in set(systems)}
        return np.fromiter(map(known.__getitem__, systems), dtype=np.bool_, count=len(systems))


def _tidy(
    rows: Rows,
    columns: Columns,
    request: _Request,
    keys: tuple[Sequence[str], Sequence[str], Sequence[str]],
    form: Form,
) -> ScoreCells:
    """The cells of a tidy file; keys: measure, system and item of each row."""
    value_column = columns.label or one_of_columns(form.values, rows.header, rows.path, option="label_column")
    if value_column is None:
        raise no_column(rows, form.values[0], "label_column", named=False)
    measures, systems, items = keys
    texts: Sequence[str] = rows.column(value_column)
    known_measures, known_systems = tuple(dict.fromkeys(measures)), tuple(dict.fromkeys(systems))
    positions = np.arange(len(texts))
    requested = frozenset(request.chosen(known_measures))
    if len(requested) < len(known_measures) or request.systems:
        of_measures = np.fromiter(map(requested.__contains__, measures), dtype=np.bool_, count=len(texts))
        chosen = of_measures & request.kept(systems)
        measures, systems, items, texts = (list(compress(column, chosen)) for column in (*keys, texts))
        positions = np.flatnonzero(chosen)
    return ScoreCells(
        rows.path, rows.lines, positions, Names.of(measures), Names.of(systems), Names.of(items), texts,
        *form.read(texts), known_measures, known_systems, SYSTEM_COLUMN in rows.header, form, rows.format,
    )  # fmt: skip


def _wide(
    rows: Rows,
    columns: Columns,
    request: _Request,
    keys: tuple[Sequence[str], Sequence[str]],
    key_columns: Sequence[str],
    form: Form,
) -> ScoreCells:
    """The cells of a wide file; keys: system and item of each row. key_columns: those that are not measures."""
    known = (columns.label,) if columns.label else tuple(name for name in rows.header if name not in key_columns)
    kept = request.kept(keys[0])
    positions = np.flatnonzero(kept)
    systems, items = (Names.of(list(compress(column, kept))) for column in keys)
    numbers = row_numbers(known, (*request.measures, columns.label), rows.column)
    may_have_scores = [name for name in known if name not in numbers]
    named = request.chosen(may_have_scores)
    texts = {name: list(compress(rows.column(name), kept)) for name in named}
    read = {name: form.read(texts[name]) for name in named}
    without = [] if form.remedy else [name for name in named if _has_no_number(read[name][1])]
    # A table without any number is an error.
    any_number = any((states == USABLE).any() for _, states in read.values())
    ignored = {name for name in without if name not in request.measures and any_number}
    chosen = tuple(name for name in named if name not in ignored) if len(positions) else ()
    _check_measures(rows, may_have_scores)
    _check_numbers(rows, {name: texts[name] for name in without if name in chosen}, read, positions, chosen)
    return ScoreCells(
        rows.path, rows.lines, np.tile(positions, len(chosen)),
        Names(chosen, np.repeat(np.arange(len(chosen)), len(positions))),
        Names(systems.names if chosen else (), np.tile(systems.codes, len(chosen))),
        Names(items.names if chosen else (), np.tile(items.codes, len(chosen))),
        list(chain.from_iterable(texts[name] for name in chosen)),
        np.concatenate([np.empty(0), *(read[name][0] for name in chosen)]),
        np.concatenate([np.empty(0, dtype=np.uint8), *(read[name][1] for name in chosen)]),
        tuple(name for name in may_have_scores if name not in ignored), tuple(dict.fromkeys(keys[0])),
        SYSTEM_COLUMN in rows.header, form, rows.format,
        tuple(name for name in known if not request.measures and name in ignored),
        numbers if form.remedy or not request.measures else (),
    )  # fmt: skip


def _has_no_number(states: NDArray[np.uint8]) -> bool:
    """Whether a column has texts that are no numbers, and no number."""
    return bool((states == UNKNOWN).any() and not (states == USABLE).any())


def _named(keys: dict[str, list[str]], rows: Rows, gathered: Gathered) -> dict[str, list[str]]:
    """The names of measure, system and item of each row; an error for missing ones is added to `gathered`.

    A missing name is replaced by one that occurs once, so that the row repeats no other one.
    """
    incomplete = [column for column, names in keys.items() if "" in names]
    if not incomplete:
        return keys
    lines = rows.lines()
    problems = [
        Problem(f"an empty cell in column '{column}'", f"a name of the {column}", rows.path, line)
        for column in incomplete
        for name, line in zip(keys[column], lines, strict=True)
        if not name
    ]
    remedy = f"write a name in every row of column {' and '.join(map(repr, incomplete))}"
    gathered.keep(InputError(problems, hints=[remedy]))
    return {
        column: [name or f"line {line} of {rows.path}" for name, line in zip(names, lines, strict=True)]
        for column, names in keys.items()
    }


def _check_measures(rows: Rows, names: Sequence[str]) -> None:
    """Reject files without a column of scores; names: the columns that may have scores."""
    if not names:
        found = f"header '{shortened(','.join(rows.header))}' without a column of scores"
        expected = "a column for each measure, or the columns 'measure' and 'value'"
        raise InputError.at(rows.path, 1, found=found, expected=expected, hint="add the scores")


def _check_numbers(
    rows: Rows,
    without: Mapping[str, Sequence[str]],
    read: Mapping[str, Read],
    positions: NDArray[np.intp],
    chosen: Sequence[str],
) -> None:
    """Reject requested columns of a wide file that have no scores; without: their texts. positions: of the rows."""
    if not without:
        return
    lines = rows.lines()
    problems = []
    for name, texts in without.items():
        row = int((read[name][1] != MISSING).argmax())
        found = f"no number in column '{shortened(name)}', for example '{shortened(texts[row])}'"
        problems.append(Problem(found, "numbers, because it is named", rows.path, lines[int(positions[row])]))
    example = next((f", such as '{name}'" for name in chosen if name not in without), "")
    hints = [
        f"in {setting('measures')}, {setting('ratios')} and {setting('f_scores')}, name columns of scores{example}"
    ]
    if set(VALUE_COLUMNS) & set(rows.header):
        hints.append("in a file with a row for each score, name the column of the measures 'measure'")
    raise InputError(problems, hints=hints)


def no_column(rows: Rows, name: str, option: str, *, named: bool) -> InputError:
    """The error for a missing column; option: the setting that names it. named: whether the user used it."""
    similar = nearest(name, rows.header)
    hint = f"name {'a' if named else 'the'} column of the header with {setting(option)}"
    if similar:
        hint += f", as in {setting(option, similar[0])}"
    if len(rows.header) == 1:
        hint = "a table has several columns, which commas or tabs separate in a file"
    found = f"header '{shortened(','.join(rows.header))}'"
    return InputError.at(rows.path, 1, found=found, expected=f"a column '{name}'", hint=hint)


def read_table(source: Source) -> Rows:
    """The rows of a table in CSV, TSV, JSON lines or Parquet."""
    if isinstance(source, (InMemoryRows, TableSource)):
        return source.rows
    if source.suffix == ".parquet":
        from metaeval.io.parquet.frame import read_parquet

        return read_parquet(source)
    text = source.text()
    if not text.strip():
        raise empty_file(source.path_or_name)
    if text.lstrip()[:1] in ("{", "["):
        reject_no_lines(text, source.path_or_name, _JSON_LINES)
        return json_rows(text, source.path_or_name, _JSON_LINES)
    return read_rows(source, delimiter_of(source, first_line(text)))
