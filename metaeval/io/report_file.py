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
from metaeval.errors import (
    InputError,
    Problem,
    empty,
    excluded,
    invalid,
    missing_key,
    raise_any,
    refuse,
    repeated,
    setting,
    shortened,
    unknown,
    unreadable,
    wrong_count,
    wrong_type,
)
from metaeval.io.files.delimited import MAX_CELL
from metaeval.io.files.json import JsonObject, kind_of, parse_json, reject_half_surrogates
from metaeval.io.files.source import UTF8_BOM, Source, decoded, open_source
from metaeval.model.report import (
    NUMBERS,
    SCHEMA,
    Cell,
    Column,
    Finding,
    Kind,
    Note,
    Provenance,
    Report,
    SourceFile,
    Table,
)

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
    **dict.fromkeys(NUMBERS, (frozenset({int, float, type(None)}), "a finite number or null")),
    Kind.FLAG: (frozenset({bool, type(None)}), "true, false or null"),
}
"""The Python types of the cells of a JSON column, and their description."""


def _remedy() -> str:
    return f"write the results with {setting('format', 'json')} or {setting('output_dir')}"


_COLUMN: dict[Any, Any] = {
    "name": (str, None), "kind": str, "higher_is_better": (bool, None), "bands": [float], "head": str, "values": [str],
    "about": str, "detail": bool, "on_page": bool, "interval": [str], "letters": str, "digits": (int, None),
}  # fmt: skip
_LAYOUT: dict[Any, Any] = {"title": (str, None), "detail": bool, "beside": (str, None), "columns": [_COLUMN]}
_LAYOUT["first"] = (int, None)
_TEXTS: dict[Any, Any] = {...: str}
_PROVENANCE: dict[Any, Any] = {
    "version": str, "command_line": str, "files": [{"path": str, "role": str, "sha256": str}],
    "versions": dict, "settings": dict, "repairs": dict, "titles": _TEXTS, "sources": _TEXTS, "measures": _TEXTS,
    "title": str,
}  # fmt: skip
SHAPE: dict[Any, Any] = {
    "schema": int, "command": str, "signature": str, "notes": [str], "warnings": [str],
    "findings": [{"criterion": str, "sentence": str}], "methods": [str], "notes_of": {...: [str]}, "groups": [str],
    "layout": {...: _LAYOUT}, "provenance": _PROVENANCE, EARLIER: list, SAFE: (bool, None),
}  # fmt: skip
"""The members of a report but its tables, from which the published JSON Schema derives.

[shape]: a list; {...: shape}: an object with any keys; (shape, None): null, too. A missing member is null or empty.
"""

_NAMES = {
    dict: "an object", list: "a list", str: "a text", bool: "true or false", float: "a number", int: "a whole number",
}  # fmt: skip


def read_report(path: str) -> Report:
    """The report that a command wrote as JSON, gzipped or not, or as a folder of CSV files.

    path: a file, '-' for standard input, or a folder. Unknown keys are ignored. Null is NaN in columns of numbers. In
    CSV, all cells of a text column are texts. An invalid report is an `InputError`.
    """
    return _read_folder(path) if path and Path(path).is_dir() else _read_json(open_source(path, "report"))


def files_in_folder(path: str) -> tuple[str, ...]:
    """The names of the tables' files that were written to a folder, the last ones first; none if it has no results."""
    try:
        members = _document(open_source(str(Path(path) / ORIGIN), "report"), "layout")
    except InputError:
        return ()
    return (*(f"{name}.csv" for name in members["layout"]), *map(str, members[EARLIER]))


def _read_json(source: Source) -> Report:
    path = source.path_or_name
    members = _document(source, "tables")
    tables, layouts = _object(members["tables"], "'tables'", path), _layouts(members, path)
    for name in layouts:
        if name not in tables:
            raise _broken(path, unknown("table of a layout", name, list(tables)))
    rows = {name: _records(value, name, path) for name, value in tables.items()}
    for name in tables:
        if name not in layouts:
            raise _broken(path, empty(f"layout of table '{name}'", "one for each table"))
    tables_by_name = {name: _table_of_records(layouts[name], records, path) for name, records in rows.items()}
    return _report(members, tables_by_name, path)


def _read_folder(path: str) -> Report:
    folder = Path(path)
    if (folder / INCOMPLETE).exists():
        hint = f"write them again; `run` with {setting('resume')} continues an interrupted run"
        raise refuse(path, excluded("a folder of results", f"the file {INCOMPLETE} exists", _EXPECTED, hint))
    if not (folder / ORIGIN).is_file():
        raise refuse(path, empty(f"file {ORIGIN}", _EXPECTED, _remedy()))
    source = open_source(str(folder / ORIGIN), "report")
    members = _document(source, "layout")
    if members[SAFE]:
        problem = excluded("tables of results", f"{setting(SAFE)} changed their text", _EXPECTED, _remedy())
        raise refuse(source.path_or_name, problem)
    layouts = _layouts(members, source.path_or_name)
    files = {name: folder / f"{name}.csv" for name in layouts}
    missing = [(name, str(file)) for name, file in files.items() if not file.is_file()]
    problems = [empty("such file", f"table '{name}'").at(file) for name, file in missing]
    raise_any(problems, f"restore the missing files, or {_remedy()}")
    tables = {name: _table_of_csv(layouts[name], open_source(str(file), "report")) for name, file in files.items()}
    return _report(members, tables, source.path_or_name)


def _document(source: Source, main_key: str) -> dict[str, Any]:
    """The checked members of a JSON object, whose 'tables' are not checked; main_key: one that it must have."""
    source.text()  # Raises errors of the file; texts of a report are as they were written, byte order marks included.
    path = source.path_or_name
    text = decoded(source.content.removeprefix(UTF8_BOM), path)
    if not text.lstrip().startswith("{"):
        beginning = shortened(text.strip().partition("\n")[0])
        raise refuse((path, 1), invalid("text", beginning, f"a JSON object: {_EXPECTED}", hint=_remedy()))
    document = parse_json(text, path)
    reject_half_surrogates(document, text, path)
    members = _object(document, "the file", path)
    if main_key not in members:
        raise refuse(path, missing_key(list(members), [main_key], _remedy()))
    plain = {key: _plain(value, path) for key, value in members.items() if key in SHAPE}
    report = _check_shape(plain, SHAPE, "", path)
    if report["schema"] > SCHEMA:
        found = f"results of a later version of metaeval (schema {report['schema']})"
        raise refuse(path, found, f"schema {SCHEMA}", "update metaeval, or write the results with this version")
    return {**report, "tables": members.get("tables")}


def _check_shape(value: Any, shape: Any, where: str, path: str) -> Any:
    """A value of a shape, with missing members; one of another shape is an `InputError`."""
    if isinstance(shape, tuple):
        return None if value is None else _check_shape(value, shape[0], where, path)
    kind = shape if isinstance(shape, type) else type(shape)
    fits = type(value) is kind or (kind is float and type(value) is int)
    if not fits:
        raise _broken(path, wrong_type(kind_of(value), where, _NAMES[kind]))
    if isinstance(shape, list):
        return [_check_shape(member, shape[0], where.replace(" as ", " in ", 1), path) for member in value]
    if not isinstance(shape, dict):
        return value
    members: dict[str, Any] = value
    shapes: dict[str, Any] = dict.fromkeys(members, shape[...]) if ... in shape else shape
    return {
        key: _check_shape(members.get(key, _empty(member)), member, f" as '{shortened(key)}'", path)
        for key, member in shapes.items()
    }


def _empty(shape: Any) -> Any:
    """The value of a missing member."""
    if isinstance(shape, tuple):
        return None
    return shape() if isinstance(shape, type) else type(shape)()


def _object(value: object, noun: str, path: str) -> dict[str, Any]:
    if not isinstance(value, JsonObject):
        raise _broken(path, wrong_type(kind_of(value), f" as {noun}", "an object"))
    if value.repeated_key is not None:
        raise _broken(path, repeated("key", value.repeated_key, where=f" in {noun}"))
    return value


def _plain(value: object, path: str) -> Any:
    """A parsed JSON value with dictionaries for its objects, and finite numbers."""
    if isinstance(value, float) and not math.isfinite(value):
        raise _broken(path, invalid("number", str(value), "a finite number"))
    if isinstance(value, JsonObject):
        return {key: _plain(member, path) for key, member in _object(value, "an object", path).items()}
    return [_plain(member, path) for member in value] if isinstance(value, list) else value


def _layouts(members: Mapping[str, Any], path: str) -> dict[str, Table]:
    """The tables without rows, and without the tables beside them."""
    tables = {}
    for name, layout in members["layout"].items():
        columns = tuple(_column(column, name, path) for column in layout["columns"])
        if not columns:
            raise _broken(path, empty(f"column in the layout of table '{name}'", "at least one"))
        names = [column.name for column in columns]
        for column in names:
            if names.count(column) > 1:
                raise _broken(path, repeated("column", column, where=f" in the layout of table '{name}'"))
        title = name if layout["title"] is None else layout["title"]
        tables[name] = Table(name, title, columns, (), detail=layout["detail"], first=layout["first"] or 0)
    return tables


def _column(column: Mapping[str, Any], table: str, path: str) -> Column:
    where = f" in the layout of table '{table}'"
    if column["name"] is None:
        raise _broken(path, empty(f"name of a column{where}", "an object with 'name'"))
    kinds = [kind.value for kind in Kind]
    if column["kind"] not in kinds:
        raise _broken(path, unknown("kind of a column", column["kind"], kinds, where))
    lists = {name: tuple(value) for name, value in column.items() if isinstance(value, list)}
    return Column(**{**column, **lists, "kind": Kind(column["kind"])})


def _records(value: object, name: str, path: str) -> list[dict[str, Cell]]:
    """The rows of a JSON table."""
    if not isinstance(value, list):
        raise _broken(path, wrong_type(kind_of(value), f" as table '{name}'", "a list of rows"))
    return [_object(row, f"row {number} of table '{name}'", path) for number, row in enumerate(value, start=1)]


def _table_of_records(layout: Table, records: Sequence[Mapping[str, Cell]], path: str) -> Table:
    name, names = layout.name, [column.name for column in layout.columns]
    keys = set(names)
    problems = [
        Problem(_key_problem(row, keys, f"row {number} of table '{name}'"), ", ".join(names), path, kind="missing")
        for number, row in enumerate(records, start=1)
        if row.keys() != keys
    ]
    raise_any(problems, _if_changed())
    columns = []
    for column in layout.columns:
        cells = [row[column.name] for row in records]
        allowed, expected = _TYPES[column.kind]
        problems += [
            wrong_type(_cell(cell), f" in column '{column.name}' of row {number} of table '{name}'", expected).at(path)
            for number, cell in enumerate(cells, start=1)
            if type(cell) not in allowed or (isinstance(cell, (int, float)) and not abs(cell) <= LARGEST)
        ]
        if column.kind in NUMBERS:
            cells = [math.nan if cell is None else cell for cell in cells]
        columns.append(cells)
    raise_any(problems, _if_changed())
    return replace(layout, rows=tuple(zip(*columns, strict=True)))


def _key_problem(row: Mapping[str, Cell], keys: set[str], where: str) -> str:
    missing, more = sorted(keys - row.keys()), sorted(row.keys() - keys)
    return f"no '{missing[0]}' in {where}" if missing else f"key '{shortened(more[0])}' in {where}"


def _cell(cell: object) -> str:
    return f"'{shortened(cell)}'" if isinstance(cell, str) else kind_of(cell)


def _table_of_csv(layout: Table, source: Source) -> Table:
    rows = list(_csv_rows(source))
    path, names = source.path_or_name, [column.name for column in layout.columns]
    if not rows or rows[0][1] != names:
        header = ", ".join(rows[0][1]) if rows else ""
        raise _broken(path, invalid("header", header, ", ".join(names)), line=1)
    body = [(line, cells) for line, cells in rows[1:] if cells]
    detail = f" ({', '.join(names)})"
    ragged = [(line, len(cells)) for line, cells in body if len(cells) != len(names)]
    raise_any([wrong_count(cells, "cell", len(names), detail).at(path, line) for line, cells in ragged], _if_changed())
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
                problem = invalid("value", text, expected, f" in column '{column.name}'")
                problems.append(problem.at(path, line))
    raise_any(problems, _if_changed())
    return replace(layout, rows=tuple(zip(*columns, strict=True)))


def _csv_rows(source: Source) -> Iterator[tuple[int, list[str]]]:
    """The rows of CSV, each with the line on which it ends; line ends within cells are unchanged."""
    path = source.path_or_name
    csv.field_size_limit(MAX_CELL)
    try:
        reader = csv.reader(io.StringIO(source.content.decode("utf-8-sig"), newline=""), strict=True)
        for row in reader:
            yield reader.line_num, row
    except UnicodeDecodeError as error:
        raise _broken(path, unreadable("text in UTF-8", error.reason)) from None
    except csv.Error as error:
        raise _broken(path, unreadable("CSV", error), line=reader.line_num) from None


def _number(text: str) -> Cell:
    return number_of(text, int if _INTEGER.fullmatch(text) else float) if text else math.nan


_CONVERSIONS: Mapping[Kind, tuple[Callable[[str], Cell], str]] = {
    Kind.TEXT: (str, "a text"),
    **dict.fromkeys(NUMBERS, (_number, "a finite number or an empty cell")),
    Kind.FLAG: (_FLAGS.__getitem__, "true, false or an empty cell"),
}
"""The conversion of the cells of a CSV column, and the description of valid cells."""


def _with_neighbours(tables: Mapping[str, Table], members: Mapping[str, Any], path: str) -> tuple[Table, ...]:
    """The tables of a report, each with the table beside it."""
    beside = {name: layout["beside"] for name, layout in members["layout"].items() if layout["beside"] is not None}
    for name, other in beside.items():
        if other not in tables or other in beside:
            expected = "another table without a table beside it"
            raise _broken(path, invalid("table", other, expected, f" beside table '{name}'"))
        if name in tables and len(tables[name].rows) != len(tables[other].rows):
            reason = f", as in table '{name}', beside which it is shown"
            problem = wrong_count(
                len(tables[other].rows), "row", len(tables[name].rows), reason, where=f" in table '{other}'"
            )
            raise _broken(path, problem)
    if not tables:
        raise _broken(path, empty("table", "at least one"))
    neighbours = set(beside.values())
    return tuple(
        replace(table, beside=tables[beside[name]]) if name in beside else table
        for name, table in tables.items()
        if name not in neighbours
    )


def _report(members: Mapping[str, Any], tables: Mapping[str, Table], path: str) -> Report:
    provenance, warnings = members["provenance"], set(members["warnings"])
    files = tuple(SourceFile(**file) for file in provenance["files"])
    return Report(
        command=members["command"],
        signature=members["signature"],
        tables=_with_neighbours(tables, members, path),
        notes=tuple(Note(text, on_input=text in warnings) for text in members["notes"]),
        provenance=Provenance(**{**provenance, "files": files}),
        findings=tuple(Finding(**finding) for finding in members["findings"]),
        methods=tuple(members["methods"]),
        notes_of={name: tuple(map(Note, notes)) for name, notes in members["notes_of"].items()},
        groups=tuple(members["groups"]),
    )


def _if_changed() -> str:
    return f"if the file was changed, {_remedy()}"


def _broken(path: str, problem: Problem, *, line: int | None = None) -> InputError:
    return refuse((path, line), problem, hint=_if_changed())
