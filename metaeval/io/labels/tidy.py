"""Tidy, wide and bare files of labels in CSV, TSV, JSON lines or Parquet.

tidy      id,label             a row for each item; other columns are ignored
both      id,gold,label        gold and one system; other columns are ignored
wide      id,gold,bert,svm     a column for each system; `gold` may be one of them
bare      agree                a label on each line, in the order of gold
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from metaeval.errors import InputError, invalid, no_rows, refuse, repeated, setting
from metaeval.io.files.columns import TableColumns, missing_words, row_numbers_note
from metaeval.io.files.delimited import Rows, delimiter_of, first_line, read_rows, wrong_delimiter
from metaeval.io.files.documents import document_rows
from metaeval.io.files.json import json_rows, no_json_lines, no_single
from metaeval.io.files.roles import GOLD, ITEM, LABEL, PREDICTION, SYSTEM, TEXT, normal, note_on_columns
from metaeval.io.files.source import Source
from metaeval.io.labels.columns import (
    Columns,
    LabelColumns,
    RawLabelFile,
    RawLabels,
    check_case,
    hint_of_texts,
    label_columns,
    missing,
    repeated_ids,
)
from metaeval.io.parquet import check_kinds, read_parquet

_BARE_HEADERS = frozenset(map(normal, (*LABEL.names, *PREDICTION.names, *GOLD.names, "score")))
"""Headers of bare files, unless they are repeated in the file."""

_JSON_LINES = '{"id": …, "label": …}'


def _hint_of_object() -> str:
    return f"for an object {{id: label}} use {setting('task', 'rumoureval2017')}"


def read_labels(source: Source, columns: Columns, *, numeric: bool = False) -> RawLabelFile:
    """The labels of a tidy, wide or bare file, whichever it is.

    numeric: whether systems predict numbers, whose default column is 'score'.
    """
    is_json = False
    if source.suffix == ".parquet":
        rows = read_parquet(source)
    else:
        text = source.text()
        if is_json := text.lstrip().startswith(("{", "[")):
            rows = _json_lines(text, source.path_or_name)
        elif delimiter := _delimiter(source, text):
            rows = _with_header(read_rows(source, delimiter), columns)
        else:
            return _bare(text, source.path_or_name, columns)
    columns = columns.with_label(rows.format.label)
    table = TableColumns(rows.with_key(columns.id))
    layout = label_columns(
        table.path, table.header, columns, is_gold=source.role == "gold", numeric=numeric, index=rows.index
    )
    check_case(table.path, table.header, layout)
    layout = _with_plain_cells(table, layout) if is_json else layout
    return _tidy_or_wide(table, columns, layout, is_gold=source.role == "gold")


def _delimiter(source: Source, text: str) -> str:
    """The delimiter of the first line; '' if it is a single cell."""
    first, delimiter = first_line(text), delimiter_of(source, text)
    words = first.split()
    if delimiter == "," and delimiter in first and source.suffix == ".tsv":
        raise wrong_delimiter(source.path_or_name, text, delimiter, "tabs in a .tsv file")
    if delimiter not in first and len(words) > 1 and words[0].casefold() == "id":
        raise wrong_delimiter(source.path_or_name, text, " ")
    return delimiter if delimiter in first else ""


def _with_header(rows: Rows, columns: Columns) -> Rows:
    """The rows of a file of ids and labels without a header, whose first line has a class of other lines."""
    names = columns.names | {name for role in (ITEM, LABEL, PREDICTION, GOLD, TEXT) for name in role.among(rows.header)}
    if len(rows.header) != 2 or not names.isdisjoint(rows.header):
        return rows
    if columns.id or columns.label or rows.header[1] not in rows.column(rows.header[1]):
        return rows
    ids, labels = ([name, *cells] for name, cells in rows.columns.items())
    return replace(rows, columns={"id": ids, "label": labels}, lines=lambda: [1, *rows.lines()])


def _bare(text: str, path: str, columns: Columns) -> RawLabelFile:
    labels = [line.strip() for line in text.removesuffix("\n").split("\n")]
    if all(len(label) > 1 and label[0] == label[-1] == '"' for label in labels):
        labels = [label[1:-1].replace('""', '"') for label in labels]
    word = normal(labels[0])
    is_header = columns.label is not None and word == normal(columns.label)
    first = int(is_header or (word in _BARE_HEADERS and labels[0] not in (*columns.classes, *labels[1:])))
    if len(labels) == first:
        raise refuse((path, 1), no_rows())
    lines = range(first + 1, len(labels) + 1)
    raw = RawLabels(path, "", None, labels[first:], lambda: lines)
    return RawLabelFile(raw, (raw,))


def _json_lines(text: str, path: str) -> Rows:
    rows = document_rows(text, path) or json_rows(text, path, _JSON_LINES, hint=_hint_of_object())
    if len(rows) == 1 and not ITEM.among(rows.header) and not TEXT.among(rows.header):
        raise no_json_lines(path, "a single object without the key 'id'", _JSON_LINES, hint=_hint_of_object())
    return rows


def _with_plain_cells(table: TableColumns, layout: LabelColumns) -> LabelColumns:
    """The columns, without systems beside gold with lists or objects of JSON; other such cells are an error."""
    # A list begins with a bracket, which is rarely in a label.
    nested = [name for name in layout.read if "\n[" in "\n".join(["", *table.texts(name)])]
    others = [name for name in layout.systems if layout.gold is not None and name in nested]
    others = [name for name in others if any(map(no_single, table.texts(name)))]
    for name in [name for name in nested if name not in others]:
        for row, cell in enumerate(table.texts(name)):
            if problem := no_single(cell, f" under '{name}'"):
                table.reject(row, problem)
    table.raise_any(hint_of_texts() if TEXT.among(table.header) else "")
    systems = tuple(name for name in layout.systems if name not in others)
    return replace(layout, systems=systems, unread=(*layout.unread, *others))


def _tidy_or_wide(table: TableColumns, columns: Columns, layout: LabelColumns, *, is_gold: bool) -> RawLabelFile:
    path, header = table.path, table.header
    check_kinds(path, table.rows.kinds, [name for name in layout.read if name != layout.id])
    # Otherwise a column whose name is misspelt would be a system; that of another file has its path before a colon.
    lacking = [name for name in columns.clusters if name not in header and ":" not in name]
    if is_gold and lacking and layout.label is None:
        raise missing(path, header, "clusters", *lacking, is_named=True)
    ids = None if layout.id is None else table.filled(layout.id, "id")

    def read(column: str, system: str = "", name: str = "") -> RawLabels:
        return RawLabels(path, system, ids, table.texts(column), table.rows.lines, column=name or system)

    gold = None if layout.gold is None else read(layout.gold, name="" if layout.gold == columns.label else layout.gold)
    by_system = _rows_by_system(table, columns, ids) if layout.label is not None else {}
    if layout.label is None:
        runs = [read(name, name) for name in layout.systems]
    else:
        run = read(layout.label)
        runs = [replace(run.subset(rows, ids or []), system=name) for name, rows in by_system.items()] or [run]
    if by_system and is_gold and gold is not None and ids is not None:
        gold = gold.subset(_first_rows(table, gold.labels, ids), ids)
    elif not by_system:
        table.problems += repeated_ids(ids or [], table.rows.lines, path)
    if gold is None and len(runs) == 1 and layout.label is not None:
        gold = runs[0]
    if is_gold and gold is not None and not runs:
        runs = [gold]
    words = sorted(missing_words(ids or [], 1))
    id_notes = [f"{path}: id '{word}' is a word for a missing value" for word in words]
    notes = (*id_notes, *row_numbers_note(layout.row_numbers), *_note(table, layout, has_systems=bool(by_system)))
    return RawLabelFile(gold, tuple(runs), _faults(table, columns, layout), notes)


def _note(table: TableColumns, layout: LabelColumns, *, has_systems: bool) -> tuple[str, ...]:
    """A note on the roles of columns, and on those that are not read. has_systems: whether one names the systems."""
    systems = {SYSTEM: table.roles[SYSTEM]} if has_systems else {}
    return note_on_columns(layout.roles | systems, [name for name in layout.unread if name not in systems.values()])


def _faults(table: TableColumns, columns: Columns, layout: LabelColumns) -> tuple[InputError, ...]:
    """The problems of the ids, and two columns that may have the labels of one system."""
    other_column = "" if columns.id else f", or name the column of ids with {setting('id_column')}"
    hint = f"every row needs a unique id: remove the duplicates{other_column}"
    id_error = InputError(table.problems, hints=[hint]) if table.problems else None
    return tuple(fault for fault in (id_error, layout.fault) if fault is not None)


def _rows_by_system(table: TableColumns, columns: Columns, ids: Sequence[str] | None) -> dict[str, list[int]]:
    """The rows of each system in a file with a column of systems, whose ids repeat; empty for other files."""
    column = table.find(SYSTEM, columns.system)
    if column is None or ids is None or (columns.system is None and len(set(ids)) == len(ids)):
        return {}
    rows: dict[str, list[int]] = {}
    first_rows: dict[tuple[str, str], int] = {}
    for row, (system, item) in enumerate(zip(table.filled(column, "name of the system"), ids, strict=True)):
        rows.setdefault(system, []).append(row)
        before = first_rows.setdefault((system, item), row)
        if before != row and system and item:
            table.reject(row, repeated("id", item, table.lines[before], where=f" of system '{system}'", hint=""))
    return rows


def _first_rows(table: TableColumns, labels: Sequence[str], ids: Sequence[str]) -> list[int]:
    """The first row of each item, of which all rows have the same gold label; labels: of the rows."""
    first: dict[str, int] = {}
    for row, item in enumerate(ids):
        before = first.setdefault(item, row)
        if labels[before] != labels[row]:
            expected = f"'{labels[before]}', as on line {table.lines[before]}"
            table.reject(row, invalid("gold label", labels[row], expected))
    return list(first.values())
