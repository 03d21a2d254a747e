"""Reports read from the JSON of a command, or from a folder of CSV files."""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from metaeval.digits import LARGEST, number_of
from metaeval.errors import InputError, Problem, pluralize, setting, shortened
from metaeval.io.files.delimited import MAX_CELL
from metaeval.io.files.json_text import Pairs, kind_of, parse_json, reject_half_surrogates
from metaeval.io.files.source import Source, open_source
from metaeval.model.report import Cell, Column, Finding, Kind, Provenance, Report, SourceFile, Table, as_notes

ORIGIN = "provenance.json"
"""The file in a folder of results with everything except the tables."""

INCOMPLETE = "INCOMPLETE"
"""The file in a folder of results that were not written completely."""

EARLIER = "earlier_files"
"""The member of the origin with the files of earlier results that are still in the folder."""

SAFE = "safe_csv"
"""The member of the origin that says that text of the tables is not what it was."""

_EXPECTED = "results of metaeval"
_INTEGER = re.compile(r"-?\d+")
_FLAGS: Mapping[str, Cell] = {"true": True, "false": False, "": None}
_TYPES: Mapping[Kind, tuple[frozenset[type], str]] = {
    Kind.TEXT: (frozenset({str, int, float, bool, type(None)}), "a text"),
    Kind.SCORE: (frozenset({int, float, type(None)}), "a finite number or null"),
    Kind.COUNT: (frozenset({int, float, type(None)}), "a finite number or null"),
    Kind.FLAG: (frozenset({bool, type(None)}), "true, false or null"),
}
"""The Python types of the cells of a JSON column, and their description."""


def _remedy() -> str:
    return f"write the results with {setting('format', 'json')} or {setting('output_dir')}"


def read_report(path: str) -> Report:
    """The report that a command wrote as JSON, gzipped or not, or as a folder of CSV files.

    path: a file, '-' for standard input, or a folder. Unknown keys are ignored. Null is NaN in columns of numbers. In
    CSV, all cells of a text column are texts. An invalid report is an `InputError`.
    """
    return _read_folder(path) if Path(path).is_dir() else _read_json(open_source(path, "report"))


def files_in_folder(path: str) -> tuple[str, ...]:
    """The names of the tables' files that were written to a folder, the last ones first; none if it has no results."""
    origin = str(Path(path) / ORIGIN)
    try:
        members = _document(open_source(origin, "report"))
        earlier = _typed(members, EARLIER, list, [], origin)
        return (*(f"{name}.csv" for name in _layouts(members, origin)), *map(str, earlier))
    except InputError:
        return ()


def _read_json(source: Source) -> Report:
    path = source.path_or_name
    members = _document(source)
    if not isinstance(members.get("tables"), Pairs):
        keys = ", ".join(f"'{shortened(key)}'" for key in list(members)[:5])
        raise _no_report(path, f"JSON without 'tables' (its keys: {keys or 'none'})")
    tables = _object(members.pop("tables"), "'tables'", path)
    layouts = _layouts(members, path)
    unknown = [name for name in layouts if name not in tables]
    if unknown:
        raise _broken(path, f"a layout of table '{unknown[0]}', which does not exist")
    rows = {name: _records(value, name, path) for name, value in tables.items()}
    without = [name for name in tables if name not in layouts]
    if without:
        raise _broken(path, f"table '{without[0]}' without a layout")
    tables_of_names = {name: _table_of_records(layouts[name], records, path) for name, records in rows.items()}
    return _report(members, tables_of_names, path)


def _read_folder(path: str) -> Report:
    folder = Path(path)
    if (folder / INCOMPLETE).exists():
        found = f"incomplete results: the file {INCOMPLETE} exists"
        hint = f"write them again; `run` with {setting('resume')} continues an interrupted run"
        raise InputError.at(path, found=found, expected=f"a folder with {_EXPECTED}", hint=hint)
    if not (folder / ORIGIN).is_file():
        raise _no_report(path, f"a folder without {ORIGIN}", f"a folder with {_EXPECTED}")
    source = open_source(str(folder / ORIGIN), "report")
    members = _document(source)
    if members.get(SAFE):
        raise _no_report(source.path_or_name, f"tables whose text was changed for spreadsheets ({setting(SAFE)})")
    if "layout" not in members:
        raise _no_report(source.path_or_name, "no 'layout', which describes the tables")
    layouts = _layouts(members, source.path_or_name)
    files = {name: folder / f"{name}.csv" for name in layouts}
    problems = [
        Problem("no such file", f"table '{name}'", str(file)) for name, file in files.items() if not file.is_file()
    ]
    if problems:
        raise InputError(problems, hints=[f"restore the missing files, or {_remedy()}"])
    tables = {name: _table_of_csv(layouts[name], open_source(str(file), "report")) for name, file in files.items()}
    return _report(members, tables, source.path_or_name)


def _no_report(path: str, found: str, expected: str = _EXPECTED, *, line: int | None = None) -> InputError:
    return InputError.at(path, line, found=found, expected=expected, hint=_remedy())


def _document(source: Source) -> dict[str, Any]:
    """The members of a JSON object, whose 'tables' remain `Pairs`."""
    path, text = source.path_or_name, source.text()
    if not text.lstrip().startswith("{"):
        beginning = shortened(text.strip().partition("\n")[0])
        raise _no_report(path, f"a file that is not a JSON object (it begins with '{beginning}')", line=1)
    document = parse_json(text, path)
    reject_half_surrogates(document, text, path)
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
    """A parsed JSON value with dictionaries for its objects, and finite numbers."""
    if isinstance(value, float) and not math.isfinite(value):
        raise _broken(path, f"the number {value}", "finite numbers, as in all JSON of metaeval")
    if isinstance(value, Pairs):
        return {key: _plain(member, path) for key, member in _object(value, "an object", path).items()}
    return [_plain(member, path) for member in value] if isinstance(value, list) else value


def _layouts(members: Mapping[str, Any], path: str) -> dict[str, Table]:
    """The tables without rows, and without the tables beside them."""
    layouts = _typed(members, "layout", dict, {}, path)
    return {name: _layout(name, layouts, path) for name in layouts}


def _layout(name: str, layouts: Mapping[str, Any], path: str) -> Table:
    layout = _typed(layouts, name, dict, {}, path)
    columns = tuple(_column(column, name, path) for column in _typed(layout, "columns", list, [], path))
    if len({column.name for column in columns}) < len(columns):
        raise _broken(path, f"two columns of the same name in the layout of table '{name}'", "every name once")
    title, detail = _typed(layout, "title", str, name, path), _typed(layout, "detail", bool, False, path)
    return Table(name, title, columns, (), detail=detail)


def _column(column: object, table: str, path: str) -> Column:
    if not isinstance(column, dict) or "name" not in column:
        raise _broken(path, f"a column without a name in the layout of table '{table}'", "an object with 'name'")
    kind, kinds = column.get("kind"), [kind.value for kind in Kind]
    if kind not in kinds:
        raise _broken(path, f"a column of kind '{kind}' in the layout of table '{table}'", f"one of {', '.join(kinds)}")
    bands = _typed(column, "bands", list, [], path)
    if not all(type(limit) in (int, float) for limit in bands):
        raise _broken(path, f"bands that are not numbers in the layout of table '{table}'", "numbers")
    higher = None if column.get("higher_is_better") is None else _typed(column, "higher_is_better", bool, True, path)
    values = _typed(column, "values", list, [], path)
    if not all(type(value) is str for value in values):
        raise _broken(path, f"values that are not texts in the layout of table '{table}'", "texts")
    name, head = _typed(column, "name", str, "", path), _typed(column, "head", str, "", path)
    return Column(name, Kind(kind), higher, tuple(bands), head, tuple(values))


def _records(value: object, name: str, path: str) -> list[dict[str, Cell]]:
    """The rows of a JSON table."""
    if not isinstance(value, list) or isinstance(value, Pairs):
        raise _broken(path, f"{kind_of(value)} as table '{name}'", "a list of rows")
    return [_object(row, f"row {number} of table '{name}'", path) for number, row in enumerate(value, start=1)]


def _table_of_records(layout: Table, records: Sequence[Mapping[str, Cell]], path: str) -> Table:
    name, names = layout.name, [column.name for column in layout.columns]
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
            Problem(f"{_cell(cell)} in column '{column.name}' of row {number} of table '{name}'", expected, path)
            for number, cell in enumerate(cells, start=1)
            if type(cell) not in allowed or (isinstance(cell, (int, float)) and not abs(cell) <= LARGEST)
        ]
        if column.kind in (Kind.SCORE, Kind.COUNT):
            cells = [math.nan if cell is None else cell for cell in cells]
        columns.append(cells)
    _raise_any(problems)
    return replace(layout, rows=tuple(zip(*columns, strict=True)) if columns else tuple(() for _ in records))


def _key_problem(row: Mapping[str, Cell], keys: set[str]) -> str:
    missing, more = sorted(keys - row.keys()), sorted(row.keys() - keys)
    return f"has no '{missing[0]}'" if missing else f"has '{shortened(more[0])}', which is not a column"


def _cell(cell: object) -> str:
    return f"'{shortened(cell)}'" if isinstance(cell, str) else kind_of(cell)


def _table_of_csv(layout: Table, source: Source) -> Table:
    rows = list(_csv_rows(source))
    path, names = source.path_or_name, [column.name for column in layout.columns]
    if not rows or rows[0][1] != names:
        found = f"columns {', '.join(rows[0][1])}" if rows else "no header"
        raise _broken(path, found, ", ".join(names), line=1)
    body = [(line, cells) for line, cells in rows[1:] if cells]
    _raise_any(
        [
            Problem(f"a row of {pluralize(len(cells), 'cell')}", f"{len(names)} ({', '.join(names)})", path, line)
            for line, cells in body
            if len(cells) != len(names)
        ]
    )
    problems: list[Problem] = []
    columns: list[list[Cell]] = []
    for position, column in enumerate(layout.columns):
        convert, expected = _CONVERSIONS[column.kind]
        columns.append([])
        for line, cells in body:
            text = cells[position]
            try:
                columns[-1].append(convert(text))
            except (KeyError, ValueError):
                problems.append(Problem(f"'{shortened(text)}' in column '{column.name}'", expected, path, line))
    _raise_any(problems)
    return replace(layout, rows=tuple(zip(*columns, strict=True)))


def _csv_rows(source: Source) -> Iterator[tuple[int, list[str]]]:
    """The rows of CSV, each with the line on which it ends; line ends within cells are unchanged."""
    path, expected = source.path_or_name, "a table written by metaeval"
    csv.field_size_limit(MAX_CELL)
    try:
        reader = csv.reader(io.StringIO(source.content.decode("utf-8-sig"), newline=""), strict=True)
        for row in reader:
            yield reader.line_num, row
    except UnicodeDecodeError:
        raise _broken(path, "text that is not UTF-8", expected) from None
    except csv.Error as error:
        raise _broken(path, f"text that is not CSV ({error})", expected, line=reader.line_num) from None


def _number(text: str) -> Cell:
    return number_of(text, int if _INTEGER.fullmatch(text) else float) if text else math.nan


_CONVERSIONS: Mapping[Kind, tuple[Callable[[str], Cell], str]] = {
    Kind.TEXT: (str, "a text"),
    Kind.SCORE: (_number, "a finite number or an empty cell"),
    Kind.COUNT: (_number, "a finite number or an empty cell"),
    Kind.FLAG: (_FLAGS.__getitem__, "true, false or an empty cell"),
}
"""The conversion of the cells of a CSV column, and the description of valid cells."""


def _with_neighbours(tables: Mapping[str, Table], members: Mapping[str, Any], path: str) -> tuple[Table, ...]:
    """The tables of a report, each with the table beside it."""
    layouts = members.get("layout", {}).items()
    beside = {name: _typed(each, "beside", str, "", path) for name, each in layouts if each.get("beside") is not None}
    for name, other in beside.items():
        if other not in tables or other in beside:
            raise _broken(path, f"'{other}' beside table '{name}'", "another table without a table beside it")
        if name in tables and len(tables[name].rows) != len(tables[other].rows):
            found = f"{pluralize(len(tables[other].rows), 'row')} in table '{other}'"
            raise _broken(path, found, f"{len(tables[name].rows):,}, as in table '{name}', beside which it is shown")
    if not tables:
        raise _broken(path, "a report without tables", "at least one table")
    neighbours = set(beside.values())
    return tuple(
        replace(table, beside=tables[beside[name]]) if name in beside else table
        for name, table in tables.items()
        if name not in neighbours
    )


def _report(members: Mapping[str, Any], tables: Mapping[str, Table], path: str) -> Report:
    origin = _typed(members, "provenance", dict, {}, path)
    findings = _objects(members, "findings", ("criterion", "sentence"), path)
    files = _objects(origin, "files", ("path", "role", "sha256"), path)
    texts = {name: _typed(members, name, list, [], path) for name in ("notes", "methods", "groups")}
    notes_of = _typed(members, "notes_of", dict, {}, path)
    texts |= {f"notes of {name}": _typed(notes_of, name, list, [], path) for name in notes_of}
    texts |= {key: [*_typed(origin, key, dict, {}, path).values()] for key in ("titles", "sources")}
    for name, each in texts.items():
        if not all(isinstance(text, str) for text in each):
            raise _broken(path, f"{name} that are not texts", "texts")
    return Report(
        _typed(members, "command", str, "", path),
        _typed(members, "signature", str, "", path),
        _with_neighbours(tables, members, path),
        as_notes(texts["notes"]),
        provenance=Provenance(
            _typed(origin, "version", str, "", path),
            _typed(origin, "command_line", str, "", path),
            tuple(SourceFile(**file) for file in files),
            *(_typed(origin, key, dict, {}, path) for key in ("versions", "settings", "repairs", "titles", "sources")),
        ),
        findings=tuple(Finding(each["criterion"], each["sentence"]) for each in findings),
        methods=tuple(texts["methods"]),
        notes_of={name: as_notes(notes) for name, notes in notes_of.items()},
        groups=tuple(texts["groups"]),
    )


def _objects(members: Mapping[str, Any], key: str, keys: Sequence[str], path: str) -> list[dict[str, str]]:
    """A list of objects with texts under the same keys."""
    objects = _typed(members, key, list, [], path)
    if not all(isinstance(each, dict) for each in objects):
        raise _broken(path, f"'{key}' that are not objects", f"objects with {', '.join(keys)}")
    return [{name: _typed(each, name, str, "", path) for name in keys} for each in objects]


def _typed(members: Mapping[str, Any], key: str, kind: type, default: Any, path: str) -> Any:
    """A member of an object, checked to be of a type."""
    value = members.get(key, default)
    if type(value) is not kind:
        names = {dict: "an object", list: "a list", str: "a text", bool: "true or false"}
        found = "an object" if isinstance(value, dict) else kind_of(value)
        raise _broken(path, f"{found} as '{shortened(key)}'", names[kind])
    return value


def _raise_any(problems: Sequence[Problem]) -> None:
    if problems:
        raise InputError(problems, hints=[f"if the file was changed, {_remedy()}"])


def _broken(path: str, found: str, expected: str = _EXPECTED, *, line: int | None = None) -> InputError:
    return InputError.at(path, line, found=found, expected=expected, hint=f"if the file was changed, {_remedy()}")
