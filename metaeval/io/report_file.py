"""Reports read back: the JSON of `-f json`, and the folders of `--output-dir`."""

from __future__ import annotations

import csv
import io
import math
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from metaeval.errors import InputError, Problem, counted, shortened
from metaeval.io.files.json_text import Pairs, kind_of, parse_json, reject_half_letters
from metaeval.io.files.source import Source, open_source
from metaeval.model.report import Cell, Column, Finding, Kind, Provenance, Report, SourceFile, Table

ORIGIN = "provenance.json"
"""The file of a folder of results that holds all of the report but its tables."""

INCOMPLETE = "INCOMPLETE"
"""The file of a folder of results that are being written, or that something kept from being written to the end."""

_EXPECTED = "results of metaeval"
_REMEDY = "write the results with -f json -o FILE or --output-dir FOLDER"
_WIDEST_CELL = 1 << 24
_WHOLE = re.compile(r"-?\d+")
_FLAGS: Mapping[str, Cell] = {"true": True, "false": False, "": None}
_TYPES: Mapping[Kind, tuple[frozenset[type], str]] = {
    Kind.TEXT: (frozenset({str, int, float, bool, type(None)}), "a text"),
    Kind.SCORE: (frozenset({int, float, type(None)}), "a number or null"),
    Kind.COUNT: (frozenset({int, float, type(None)}), "a number or null"),
    Kind.FLAG: (frozenset({bool, type(None)}), "true, false or null"),
}
"""Of which Python types the cells of a column may be, and how to say so."""


@dataclass(frozen=True)
class _Layout:
    """What a report says of a table beside its cells; beside: the name of another table."""

    title: str
    columns: tuple[Column, ...]
    detail: bool = False
    beside: str | None = None


def read_report(path: str) -> Report:
    """The report that a command wrote as JSON, gzipped or not, or as a folder of CSV files: what it was before.

    path: a file, '-' for standard input, or a folder. Keys that this version does not know are left out. Tables without
    a layout, as older versions wrote them, get columns of the kind that their cells look like. Null is NaN in columns
    of numbers. What is no report is an `InputError`. In CSV, an empty cell of a text column is an empty text, and all
    other cells of such a column are texts.
    """
    return _read_folder(path) if Path(path).is_dir() else _read_json(open_source(path, "report"))


def tables_in_folder(path: str) -> tuple[str, ...]:
    """The names of the tables that were written to a folder last; none where it does not hold any results."""
    origin = Path(path) / ORIGIN
    try:
        return tuple(_layouts(_document(open_source(str(origin), "report")), str(origin)))
    except InputError:
        return ()


def _read_json(source: Source) -> Report:
    path = source.path_or_name
    members = _document(source)
    if not isinstance(members.get("tables"), Pairs):
        keys = ", ".join(f"'{shortened(key)}'" for key in list(members)[:5])
        raise InputError.at(
            path, found=f"JSON without 'tables' (its keys: {keys or 'none'})", expected=_EXPECTED, hint=_REMEDY
        )
    tables = _object(members.pop("tables"), "'tables'", path)
    layouts = _layouts(members, path)
    unknown = [name for name in layouts if name not in tables]
    if unknown:
        raise _broken(path, f"a layout of table '{unknown[0]}', and no such table")
    rows = {name: _records(value, name, path) for name, value in tables.items()}
    for name, records in rows.items():
        layouts.setdefault(name, _guessed_layout(name, records))
    read = {name: _table_of_records(name, layouts[name], records, path) for name, records in rows.items()}
    return _report(members, _together(read, layouts, path), path)


def _read_folder(path: str) -> Report:
    if (Path(path) / INCOMPLETE).exists():
        raise InputError.at(
            path,
            found=f"results that are not whole: the file {INCOMPLETE} is there",
            expected=f"a folder with {_EXPECTED}",
            hint="write them again; `metaeval run` with --resume goes on where it was interrupted",
        )
    origin = Path(path) / ORIGIN
    if not origin.is_file():
        raise InputError.at(
            path, found=f"a folder without {ORIGIN}", expected=f"a folder with {_EXPECTED}", hint=_REMEDY
        )
    source = open_source(str(origin), "report")
    members = _document(source)
    if "layout" not in members:
        raise InputError.at(
            source.path_or_name, found="no 'layout', which says what the tables are", expected=_EXPECTED, hint=_REMEDY
        )
    layouts = _layouts(members, source.path_or_name)
    missing = [name for name in layouts if not (Path(path) / f"{name}.csv").is_file()]
    if missing:
        raise InputError(
            [Problem("no such file", f"table '{name}'", str(Path(path) / f"{name}.csv")) for name in missing],
            hints=[f"put back what is missing, or {_REMEDY}"],
        )
    read = {
        name: _table_of_csv(name, layout, open_source(str(Path(path) / f"{name}.csv"), "report"))
        for name, layout in layouts.items()
    }
    return _report(members, _together(read, layouts, source.path_or_name), source.path_or_name)


def _document(source: Source) -> dict[str, Any]:
    """The members of a JSON object; those of 'tables' as they were parsed, because they are many."""
    path, text = source.path_or_name, source.text()
    if not text.lstrip().startswith("{"):
        begins = shortened(text.strip().partition("\n")[0])
        raise InputError.at(
            path, 1, found=f"no JSON object (it begins with '{begins}')", expected=_EXPECTED, hint=_REMEDY
        )
    document = parse_json(text, path)
    reject_half_letters(document, text, path)
    members = _object(document, "the file", path)
    return {key: value if key == "tables" else _plain(value, path) for key, value in members.items()}


def _object(value: object, what: str, path: str) -> dict[str, Any]:
    if not isinstance(value, Pairs):
        raise _broken(path, f"{kind_of(value)} as {what}", "an object")
    members = dict(value)
    if len(members) != len(value):
        keys = [key for key, _ in value]
        again = next(key for key in keys if keys.count(key) > 1)
        raise _broken(path, f"key '{shortened(again)}' twice in {what}", "every key once")
    return members


def _plain(value: object, path: str) -> Any:
    """A parsed JSON value with dictionaries for its objects."""
    if isinstance(value, Pairs):
        return {key: _plain(member, path) for key, member in _object(value, "an object", path).items()}
    return [_plain(member, path) for member in value] if isinstance(value, list) else value


def _layouts(members: Mapping[str, Any], path: str) -> dict[str, _Layout]:
    layouts = _typed(members, "layout", dict, {}, path)
    return {name: _layout(name, layouts, path) for name in layouts}


def _layout(name: str, layouts: Mapping[str, Any], path: str) -> _Layout:
    told = _typed(layouts, name, dict, {}, path)
    columns = tuple(_column(column, name, path) for column in _typed(told, "columns", list, [], path))
    if len({column.name for column in columns}) < len(columns):
        raise _broken(path, f"two columns of one name in the layout of table '{name}'", "every name once")
    beside = None if told.get("beside") is None else _typed(told, "beside", str, "", path)
    return _Layout(_typed(told, "title", str, name, path), columns, _typed(told, "detail", bool, False, path), beside)


def _column(told: object, table: str, path: str) -> Column:
    if not isinstance(told, dict) or "name" not in told:
        raise _broken(path, f"a column without a name in the layout of table '{table}'", "an object with 'name'")
    kind, kinds = told.get("kind"), [kind.value for kind in Kind]
    if kind not in kinds:
        raise _broken(path, f"a column of kind '{kind}' in the layout of table '{table}'", f"one of {', '.join(kinds)}")
    bands = _typed(told, "bands", list, [], path)
    if not all(type(limit) in (int, float) for limit in bands):
        raise _broken(path, f"bands that are no numbers in the layout of table '{table}'", "numbers")
    higher = None if told.get("higher_is_better") is None else _typed(told, "higher_is_better", bool, True, path)
    name, head = _typed(told, "name", str, "", path), _typed(told, "head", str, "", path)
    return Column(name, Kind(kind), higher, tuple(bands), head)


def _records(value: object, name: str, path: str) -> list[dict[str, Cell]]:
    """The rows of a table of JSON as they stand there."""
    if not isinstance(value, list) or isinstance(value, Pairs):
        raise _broken(path, f"{kind_of(value)} as table '{name}'", "a list of rows")
    return [_object(row, f"row {number} of table '{name}'", path) for number, row in enumerate(value, start=1)]


def _guessed_layout(name: str, records: Sequence[Mapping[str, Cell]]) -> _Layout:
    """Columns by the first row, each of the kind of its cells."""
    names = tuple(records[0]) if records else ()
    kinds = [_kind_of_cells({type(row.get(column)) for row in records}) for column in names]
    return _Layout(name, tuple(Column(column, kind) for column, kind in zip(names, kinds, strict=True)))


def _kind_of_cells(types: set[type]) -> Kind:
    for kind, least in ((Kind.COUNT, {int}), (Kind.FLAG, {bool}), (Kind.SCORE, {int, float})):
        if types & least and types <= {*least, type(None)}:
            return kind
    return Kind.SCORE if types == {type(None)} else Kind.TEXT


def _table_of_records(name: str, layout: _Layout, records: Sequence[Mapping[str, Cell]], path: str) -> Table:
    names = [column.name for column in layout.columns]
    keys = set(names)
    problems = [
        Problem(f"row {number} of table '{name}' {_key_problem(row, keys)}", f"the columns {', '.join(names)}", path)
        for number, row in enumerate(records, start=1)
        if row.keys() != keys
    ]
    _raise_any(problems)
    columns = []
    for column in layout.columns:
        cells = [row[column.name] for row in records]
        allowed, expected = _TYPES[column.kind]
        problems += [
            Problem(f"{_named_cell(cell)} in {_place(number, column, name)}", expected, path)
            for number, cell in enumerate(cells, start=1)
            if type(cell) not in allowed or (isinstance(cell, int) and _outgrows(cell))
        ]
        if column.kind in (Kind.SCORE, Kind.COUNT):
            cells = [math.nan if cell is None else cell for cell in cells]
        columns.append(cells)
    _raise_any(problems)
    rows = tuple(zip(*columns, strict=True)) if columns else tuple(() for _ in records)
    return Table(name, layout.title, layout.columns, rows, detail=layout.detail)


def _key_problem(row: Mapping[str, Cell], keys: set[str]) -> str:
    missing, more = sorted(keys - row.keys()), sorted(row.keys() - keys)
    return f"has no '{missing[0]}'" if missing else f"has '{shortened(more[0])}', which is no column"


def _named_cell(cell: object) -> str:
    return f"'{shortened(cell)}'" if isinstance(cell, str) else kind_of(cell)


def _place(number: int, column: Column, table: str) -> str:
    return f"column '{column.name}' of row {number} of table '{table}'"


def _table_of_csv(name: str, layout: _Layout, source: Source) -> Table:
    rows = list(_csv_rows(source))
    path, names = source.path_or_name, [column.name for column in layout.columns]
    if not rows or rows[0][1] != names:
        raise _broken(
            path, f"the columns {', '.join(rows[0][1]) if rows else 'of no header'}", ", ".join(names), line=1
        )
    body = [(line, cells) for line, cells in rows[1:] if cells]
    _raise_any(
        [
            Problem(f"a row of {counted(len(cells), 'cell')}", f"{len(names)} ({', '.join(names)})", path, line)
            for line, cells in body
            if len(cells) != len(names)
        ]
    )
    problems: list[Problem] = []
    columns: list[list[Cell]] = []
    for place, column in enumerate(layout.columns):
        reading, expected = _READINGS[column.kind]
        columns.append([])
        for line, cells in body:
            try:
                columns[-1].append(reading(cells[place]))
            except (KeyError, ValueError):
                problems.append(Problem(f"'{shortened(cells[place])}' in column '{column.name}'", expected, path, line))
    _raise_any(problems)
    return Table(name, layout.title, layout.columns, tuple(zip(*columns, strict=True)), detail=layout.detail)


def _csv_rows(source: Source) -> Iterator[tuple[int, list[str]]]:
    """The rows of CSV, each with the line on which it ends; line ends within cells stay as they are."""
    path = source.path_or_name
    csv.field_size_limit(_WIDEST_CELL)
    try:
        reader = csv.reader(io.StringIO(source.content.decode("utf-8-sig"), newline=""), strict=True)
        for row in reader:
            yield reader.line_num, row
    except UnicodeDecodeError:
        raise _broken(path, "text that is not UTF-8", "a table as metaeval writes it") from None
    except csv.Error as error:
        raise _broken(path, f"no CSV ({error})", "a table as metaeval writes it", line=reader.line_num) from None


def _number(text: str) -> Cell:
    if _WHOLE.fullmatch(text):
        number = int(text)
        if _outgrows(number):
            raise ValueError(text)
        return number
    return float(text) if text else math.nan


def _outgrows(number: int) -> bool:
    """Whether a whole number is too large for what everybody computes with."""
    return number.bit_length() >= sys.float_info.max_exp


_READINGS: Mapping[Kind, tuple[Callable[[str], Cell], str]] = {
    Kind.TEXT: (str, "a text"),
    Kind.SCORE: (_number, "a number, or nothing"),
    Kind.COUNT: (_number, "a number, or nothing"),
    Kind.FLAG: (_FLAGS.__getitem__, "true, false or nothing"),
}
"""What the cells of a column of CSV say, and what to expect of them."""


def _together(tables: Mapping[str, Table], layouts: Mapping[str, _Layout], path: str) -> tuple[Table, ...]:
    """The tables of a report, each with the one beside it."""
    beside = {name: layout.beside for name, layout in layouts.items() if layout.beside is not None}
    for name, other in beside.items():
        if other not in tables or other in beside:
            raise _broken(path, f"'{other}' beside table '{name}'", "another table, with none beside it")
    if not tables:
        raise _broken(path, "a report without a table", "at least one")
    besides = set(beside.values())
    return tuple(
        replace(table, beside=tables[beside[name]]) if name in beside else table
        for name, table in tables.items()
        if name not in besides
    )


def _report(members: Mapping[str, Any], tables: tuple[Table, ...], path: str) -> Report:
    origin = _typed(members, "provenance", dict, {}, path)
    findings = _objects(members, "findings", ("criterion", "sentence"), path)
    files = _objects(origin, "files", ("path", "role", "sha256"), path)
    notes = _typed(members, "notes", list, [], path)
    if not all(isinstance(note, str) for note in notes):
        raise _broken(path, "notes that are no texts", "texts")
    return Report(
        _typed(members, "command", str, "", path),
        _typed(members, "signature", str, "", path),
        tables,
        tuple(notes),
        Provenance(
            _typed(origin, "version", str, "", path),
            _typed(origin, "command_line", str, "", path),
            tuple(SourceFile(**file) for file in files),
            *(_typed(origin, key, dict, {}, path) for key in ("versions", "settings", "touched")),
        ),
        tuple(Finding(**finding) for finding in findings),
    )


def _objects(members: Mapping[str, Any], key: str, keys: Sequence[str], path: str) -> list[dict[str, str]]:
    """A list of objects with the same texts."""
    found = _typed(members, key, list, [], path)
    if not all(isinstance(each, dict) for each in found):
        raise _broken(path, f"'{key}' that are no objects", f"objects with {', '.join(keys)}")
    return [{name: _typed(each, name, str, "", path) for name in keys} for each in found]


def _typed(members: Mapping[str, Any], key: str, kind: type, usual: Any, path: str) -> Any:
    """A member of an object, of a type; `usual` where it is not there."""
    value = members.get(key, usual)
    if type(value) is not kind:
        names = {dict: "an object", list: "a list", str: "a text", bool: "true or false"}
        found = "an object" if isinstance(value, dict) else kind_of(value)
        raise _broken(path, f"{found} as '{shortened(key)}'", names[kind])
    return value


def _raise_any(problems: Sequence[Problem]) -> None:
    if problems:
        raise InputError(problems, hints=[f"if the file was changed, {_REMEDY}"])


def _broken(path: str, found: str, expected: str = _EXPECTED, *, line: int | None = None) -> InputError:
    return InputError.at(path, line, found=found, expected=expected, hint=f"if the file was changed, {_REMEDY}")
