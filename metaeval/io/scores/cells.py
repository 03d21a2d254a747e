"""The scores of single items that one file holds, a cell each.

tidy      measure,system,item,value       a row a score; further columns are ignored
wide      system,item,bertscore,comet     a column a measure

Without a column 'system' the file is of one system; with it and without 'item' the scores are of whole systems. 'score'
is taken for 'value' and 'id' for 'item'.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import chain, compress
from operator import methodcaller
from typing import Any

import numpy as np
from numpy.typing import NDArray

from metaeval.errors import InputError, Problem, nearest, shortened
from metaeval.io.files.delimited import InMemoryRows, Rows, delimiter_of, first_line, read_rows
from metaeval.io.files.json_text import Pairs, json_cell, key_again, parse_json, reject_no_lines
from metaeval.io.files.source import Lines, Source
from metaeval.io.labels.codes import MISSING, UNKNOWN, USABLE, Read, read_numbers
from metaeval.io.labels.raw_labels import Columns

MEASURE_COLUMN = "measure"
SYSTEM_COLUMN = "system"
WHOLE = "all items"
"""What stands for the item where a file has scores of systems and no column of items."""

NO_SYSTEM = ""
ITEM_COLUMNS = ("item", "id")
VALUE_COLUMNS = ("value", "score")
_NESTED = "[…]"
"""What a cell says that holds a list or an object: text, so that it is no score."""

_AT_ONCE = 10_000
"""Lines of JSON whose objects are in memory together: they are many times larger than their cells."""
_JSON_LINES = '{"system": …, "item": …, "bleu": …}'


@dataclass(frozen=True)
class Form:
    """What a table of scores looks like, and how its cells are read.

    measures: what the column may be called that tells whose score a row has (a single name of people: has to be
    called); values: the column of scores.
    read, expected: turns texts into numbers, and what texts those are. remedy: what to do about others.
    role: of the files. of_people: whether a 'measure' is a person: a file without a column of them, but with one of
    scores, is of one person, by its name; and without a column of systems, it is of things without one (NO_SYSTEM).
    """

    measures: tuple[str, ...] = (MEASURE_COLUMN,)
    values: tuple[str, ...] = VALUE_COLUMNS
    read: Callable[[Sequence[str]], Read] = read_numbers
    expected: str = "a finite number"
    remedy: str = "correct them, or leave such items out for every system with --on-unknown drop"
    role: str = "run"
    of_people: bool = False


SCORES = Form()


@dataclass(frozen=True)
class Names:
    """A column of names: the different ones in order of first appearance, and which of them each cell says, (C,)."""

    names: tuple[str, ...]
    codes: NDArray[np.int64]


def coded(texts: Sequence[str]) -> Names:
    """Texts as `Names`.

    >>> coded(["svm", "bert", "svm"])
    Names(names=('svm', 'bert'), codes=array([0, 1, 0]))
    """
    index = {name: code for code, name in enumerate(dict.fromkeys(texts))}
    return Names(tuple(index), np.fromiter(map(index.__getitem__, texts), dtype=np.int64, count=len(texts)))


@dataclass(frozen=True)
class ScoreCells:
    """The C cells of a file that are wanted.

    path: of the file, for messages. lines: of its rows. rows: the row of each cell, (C,).
    measures, systems, items: whose score a cell is. texts: what it says. values, states: the same as of `read_numbers`.
    known_measures, known_systems: all of the file, wanted or not.
    has_systems: whether the file says the system, and not its name. form: of the file.
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

    def line(self, cell: int) -> int:
        """The physical line of a cell."""
        return self._line_of_row[int(self.rows[cell])]

    @cached_property
    def _line_of_row(self) -> Sequence[int]:
        return self.lines()


@dataclass(frozen=True)
class _JsonTable:
    """JSON lines as `Rows` are: `header` and `column` and `lines`."""

    path: str
    header: tuple[str, ...]
    columns: Mapping[str, list[str]]
    lines: Lines

    def column(self, name: str) -> list[str]:
        """The cells under a name, without the blanks around them."""
        return list(map(str.strip, self.columns[name]))


_Table = Rows | _JsonTable


def read_score_cells(
    source: Source,
    columns: Columns,
    measures: Sequence[str],
    system: str,
    apart: Sequence[str] = (),
    form: Form = SCORES,
) -> ScoreCells:
    """The scores of a tidy or wide file, whichever it is.

    measures: the wanted ones, empty for all but those set apart. system: whose scores they are where the file does not
    say; whose ratings, in a form of people.
    Missing columns, empty names and columns of a wide file that hold no number are `InputError`s.
    """
    rows = _read_rows(source)
    item_column = columns.id or next((name for name in ITEM_COLUMNS if name in rows.header), ITEM_COLUMNS[0])
    of_systems = columns.id is None and SYSTEM_COLUMN in rows.header and not nearest(item_column, rows.header)
    if item_column not in rows.header and not of_systems:
        raise _no_column(rows, item_column, "--id-column", named=columns.id is not None)
    if columns.label is not None and columns.label not in rows.header:
        raise _no_column(rows, columns.label, "--label-column", named=True)
    measure_column = next((name for name in form.measures if name in rows.header), form.measures[0])
    key_columns = [name for name in (measure_column, SYSTEM_COLUMN, item_column) if name in rows.header]
    keys = {name: rows.column(name) for name in key_columns}
    if form.of_people and len(form.measures) == 1 and measure_column not in keys:
        raise _no_column(rows, measure_column, "--annotator-column", named=True)
    _check_names(keys, rows)
    if apart and not measures:
        named = keys.get(measure_column) or [name for name in rows.header if name not in key_columns]
        measures = [name for name in dict.fromkeys(named) if name not in apart]
    items = keys.get(item_column) or [WHOLE] * len(keys[SYSTEM_COLUMN])
    systems = keys.get(SYSTEM_COLUMN) or [NO_SYSTEM if form.of_people else system] * len(items)
    if measure_column in keys:
        return _tidy(rows, columns, measures, (keys[measure_column], systems, items), form)
    if form.of_people and (columns.label or not set(form.values).isdisjoint(rows.header)):
        return _tidy(rows, columns, measures, ([system] * len(items), systems, items), form)
    return _wide(rows, columns, measures, (systems, items), key_columns, form)


def _tidy(
    rows: _Table,
    columns: Columns,
    wanted: Sequence[str],
    keys: tuple[Sequence[str], Sequence[str], Sequence[str]],
    form: Form,
) -> ScoreCells:
    """keys: measure, system and item of each row."""
    value_column = columns.label or next((name for name in form.values if name in rows.header), None)
    if value_column is None:
        raise _no_column(rows, form.values[0], "--label-column", named=False)
    measures, systems, items = keys
    texts: Sequence[str] = rows.column(value_column)
    known_measures, known_systems = tuple(dict.fromkeys(measures)), tuple(dict.fromkeys(systems))
    place = np.arange(len(texts))
    if wanted and not set(known_measures) <= set(wanted):
        chosen = list(map(frozenset(wanted).__contains__, measures))
        measures, systems, items, texts = (list(compress(column, chosen)) for column in (*keys, texts))
        place = np.flatnonzero(chosen)
    return ScoreCells(
        rows.path,
        rows.lines,
        place,
        coded(measures),
        coded(systems),
        coded(items),
        texts,
        *form.read(texts),
        known_measures,
        known_systems,
        SYSTEM_COLUMN in rows.header,
        form,
    )


def _wide(
    rows: _Table,
    columns: Columns,
    wanted: Sequence[str],
    keys: tuple[Sequence[str], Sequence[str]],
    key_columns: Sequence[str],
    form: Form,
) -> ScoreCells:
    """keys: system and item of each row. key_columns: those that are no measures."""
    known = (columns.label,) if columns.label else tuple(name for name in rows.header if name not in key_columns)
    chosen = tuple(name for name in known if not wanted or name in wanted)
    _check_measures(rows, known, chosen)
    systems, items = (coded(column) for column in keys)
    count = len(items.codes)
    texts = list(chain.from_iterable(map(rows.column, chosen)))
    values, states = form.read(texts)
    if not form.of_people:
        _check_numbers(rows, chosen, texts, states.reshape(len(chosen), count))
    nothing = Names((), np.zeros(0, dtype=np.int64))
    return ScoreCells(
        rows.path,
        rows.lines,
        np.tile(np.arange(count), len(chosen)),
        Names(chosen, np.repeat(np.arange(len(chosen)), count)),
        Names(systems.names, np.tile(systems.codes, len(chosen))) if chosen else nothing,
        Names(items.names, np.tile(items.codes, len(chosen))) if chosen else nothing,
        texts,
        values,
        states,
        known,
        systems.names,
        SYSTEM_COLUMN in rows.header,
        form,
    )


def _check_names(keys: dict[str, list[str]], rows: _Table) -> None:
    """Raise where a row does not say which measure, system or item it is about."""
    incomplete = [column for column, names in keys.items() if "" in names]
    if incomplete:
        lines = rows.lines()
        raise InputError(
            [
                Problem(f"an empty cell in column '{column}'", f"a name of the {column}", rows.path, line)
                for column in incomplete
                for name, line in zip(keys[column], lines, strict=True)
                if not name
            ],
            hints=["every row needs the names of what was scored"],
        )


def _check_measures(rows: _Table, known: Sequence[str], chosen: Sequence[str]) -> None:
    """Raise where no column is left for the measures, or one has no name."""
    if not known:
        raise InputError.at(
            rows.path,
            1,
            found=f"header '{shortened(','.join(rows.header))}' without a column of scores",
            expected="a column a measure, or the columns 'measure' and 'value'",
            hint="add the scores",
        )
    if "" in chosen:
        hint = "write the table without its row numbers, or choose the columns of scores with --measure"
        raise InputError.at(rows.path, 1, found="a column without a name", expected="the name of a measure", hint=hint)


def _check_numbers(rows: _Table, chosen: Sequence[str], texts: Sequence[str], states: NDArray[np.uint8]) -> None:
    """Raise where whole columns of a wide file are something else than scores; states: (columns, rows)."""
    without = np.flatnonzero((states == UNKNOWN).any(axis=1) & ~(states == USABLE).any(axis=1))
    if not len(without):
        return
    lines = rows.lines()
    problems = []
    for column in without.tolist():
        row = int((states[column] != MISSING).argmax())
        text = shortened(texts[column * states.shape[1] + row])
        found = f"no number in column '{shortened(chosen[column])}', which says '{text}' here"
        problems.append(Problem(found, "a column a measure, holding its scores", rows.path, lines[row]))
    fit = [f"--measure '{name}'" for column, name in enumerate(chosen) if column not in without][:2]
    hints = [f"choose the columns that are measures{', as in ' + ' '.join(fit) if fit else ' with --measure'}"]
    if set(VALUE_COLUMNS) & set(rows.header):
        hints.append("in a file with a row a score, call the column with the names of the measures 'measure'")
    raise InputError(problems, hints=hints)


def _no_column(rows: _Table, name: str, option: str, *, named: bool) -> InputError:
    """named: whether the user gave the name of the column that is not there."""
    like = nearest(name, rows.header)
    hint = f"name {'a' if named else 'the'} column of the header with {option}" + (
        f", as in {option} {like[0]}" if like else ""
    )
    if len(rows.header) == 1:
        hint = "a table has several columns, separated by commas or tabs"
    found = f"header '{shortened(','.join(rows.header))}'"
    return InputError.at(rows.path, 1, found=found, expected=f"a column '{name}'", hint=hint)


def _read_rows(source: Source) -> _Table:
    if isinstance(source, InMemoryRows):
        return source.rows
    if source.suffix == ".parquet":
        from metaeval.io.parquet.frame import read_parquet

        return read_parquet(source)
    text = source.text()
    begins = text.lstrip()[:1]
    if not begins:
        raise InputError.at(source.path_or_name, found="the file is empty", expected="a table of scores")
    if begins in "{[":
        return _json_lines(text, source.path_or_name)
    return read_rows(source, delimiter_of(source, first_line(text)))


def _json_lines(text: str, path: str) -> _JsonTable:
    """The objects of JSON lines as rows; a key that any of them has is a column."""
    reject_no_lines(text, path, _JSON_LINES)
    texts = list(filter(None, map(str.strip, text.split("\n"))))

    @cache
    def lines() -> list[int]:
        return [number for number, line in enumerate(text.split("\n"), start=1) if line.strip()]

    cells: dict[str, list[str]] = {}
    for start in range(0, len(texts), _AT_ONCE):
        chunk = texts[start : start + _AT_ONCE]
        records = _quick_records(chunk) or _careful_records(chunk, path, lines()[start:])
        for key in dict.fromkeys(chain(cells, chain.from_iterable(records))):
            cells.setdefault(key, [""] * start).extend(_json_cells(records, key))
    columns = {key.strip(): cells[key] for key in cells}
    if len(columns) < len(cells):
        raise InputError.at(path, 1, found="keys that differ in blanks only", expected="every key spelled in one way")
    return _JsonTable(path, tuple(columns), columns, lines)


def _quick_records(texts: Sequence[str]) -> list[dict[str, Any]] | None:
    """The objects of lines, parsed at one go; None where it is not plain that each line is one sound, flat object."""
    joined = ",".join(texts)
    # With as many braces as lines, and one at the start of each, no object spans lines or shares one.
    if joined.count("{") != len(texts) or not all(map(methodcaller("startswith", "{"), texts)):
        return None
    try:
        records: list[dict[str, Any]] = json.loads(f"[{joined}]")
        if set(map(type, records)) != {dict} or len(records) != len(texts):
            return None
        # Where each colon is that of a key, no key is there twice; else a look at each object is dearer, but certain.
        if joined.count(":") != sum(map(len, records)):
            json.loads(f"[{joined}]", object_pairs_hook=_check_keys)
    except (ValueError, RecursionError):
        return None
    return records


def _check_keys(pairs: list[tuple[str, Any]]) -> None:
    if len(dict(pairs)) < len(pairs):
        raise ValueError("a key twice")


def _careful_records(texts: Sequence[str], path: str, lines: Sequence[int]) -> list[dict[str, Any]]:
    """The objects of lines, one by one; whatever is wrong with them is an `InputError`."""
    members = [parse_json(text, path, first_line=line) for text, line in zip(texts, lines, strict=False)]
    problems = []
    for pairs, line in zip(members, lines, strict=False):
        if not isinstance(pairs, Pairs):
            problems.append(Problem("a line that is no JSON object", f"{_JSON_LINES} on every line", path, line))
        elif again := key_again(pairs, path, line):
            problems.append(again)
    if problems:
        raise InputError(problems, hints=["mend these lines"])
    return list(map(dict, members))


def _json_cells(records: Sequence[dict[str, Any]], key: str) -> list[str]:
    """The texts under a key, '' where it is missing or null."""
    cells = list(map(methodcaller("get", key), records))
    if set(map(type, cells)) <= {str, int, float}:
        return list(map(str, cells))
    return [_NESTED if (text := json_cell(cell)) is None else text for cell in cells]
