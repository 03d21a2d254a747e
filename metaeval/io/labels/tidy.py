"""Tidy, wide and bare files of labels in CSV, TSV, JSON lines or Parquet.

tidy      id,label             a row for each item; other columns are ignored
both      id,gold,label        gold and one system; other columns are ignored
wide      id,gold,bert,svm     a column for each system; `gold` may be one of them
bare      agree                a label on each line, in the order of gold
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from metaeval.errors import (
    InputError,
    did_you_mean,
    missing_column,
    no_rows,
    raise_any,
    refuse,
    repeated,
    setting,
    wrong_type,
)
from metaeval.io.files.columns import LABEL_WORDS, TableColumns, missing_words, row_numbers_note
from metaeval.io.files.delimited import Rows, delimiter_of, first_line, one_of_columns, read_rows, wrong_delimiter
from metaeval.io.files.json import NESTED, json_rows, no_json_lines
from metaeval.io.files.source import Source
from metaeval.io.labels.columns import (
    Columns,
    RawLabelFile,
    RawLabels,
    check_case,
    label_columns,
    repetitions,
    two_columns,
)
from metaeval.io.parquet import check_kinds, read_parquet

_BARE_HEADERS = {*LABEL_WORDS, "gold", "score"}
"""Headers of bare files, unless they are repeated in the file."""

_JSON_LINES = '{"id": …, "label": …}'
_TEXT_COLUMNS = frozenset({"text", "sentences", "item"})
"""Columns of files of texts."""


def _hint_of_object() -> str:
    return f"for an object {{id: label}} use {setting('task', 'rumoureval2017')}"


def _hint_of_texts() -> str:
    return f"for texts use {setting('task', 'texts')}"


def read_labels(source: Source, columns: Columns) -> RawLabelFile:
    """The labels of a tidy, wide or bare file, whichever it is."""
    return _read(source, columns, ("label",))


def read_scores(source: Source, columns: Columns) -> RawLabelFile:
    """The numbers that systems predict; their default column is 'score'."""
    return _read(source, columns, ("score", "label"))


def _read(source: Source, columns: Columns, label_names: tuple[str, ...]) -> RawLabelFile:
    if source.suffix == ".parquet":
        rows = read_parquet(source)
    else:
        text = source.text()
        if text.lstrip().startswith(("{", "[")):
            rows = _json_lines(text, source.path_or_name, columns, label_names)
        elif delimiter := _delimiter(source, text):
            rows = _with_header(read_rows(source, delimiter), columns)
        else:
            return _bare(text, source.path_or_name, columns)
    return _tidy_or_wide(TableColumns(rows.with_key(columns.id)), columns, label_names, source.role)


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
    named = {"id", "item", columns.id, columns.label, *columns.clusters, *_BARE_HEADERS, *_TEXT_COLUMNS}
    if len(rows.header) != 2 or any(name in named or name.casefold() in named for name in rows.header):
        return rows
    if columns.id or columns.label or rows.header[1] not in rows.column(rows.header[1]):
        return rows
    return replace(rows, header=("id", "label"), body=[rows.header, *rows.body], lines=lambda: [1, *rows.lines()])


def _bare(text: str, path: str, columns: Columns) -> RawLabelFile:
    labels = [line.strip() for line in text.removesuffix("\n").split("\n")]
    if all(len(label) > 1 and label[0] == label[-1] == '"' for label in labels):
        labels = [label[1:-1].replace('""', '"') for label in labels]
    word = labels[0].casefold()
    named = columns.label is not None and word == columns.label.casefold()
    first = int(named or (word in _BARE_HEADERS and labels[0] not in (*columns.classes, *labels[1:])))
    if len(labels) == first:
        raise refuse((path, 1), no_rows())
    lines = range(first + 1, len(labels) + 1)
    raw = RawLabels(path, "", None, labels[first:], lambda: lines)
    return RawLabelFile(raw, (raw,))


def _json_lines(text: str, path: str, columns: Columns, label_names: Sequence[str]) -> Rows:
    rows = json_rows(text, path, _JSON_LINES, hint=_hint_of_object())
    id_column, named = columns.id or "id", label_columns(rows.header, columns, label_names)
    label = named.label
    read = rows.header if label is None else (id_column, label, *named.golds, *label_names)
    nested = [key for key in rows.header if key in read and NESTED in rows.column(key)]
    has_texts = not _TEXT_COLUMNS.isdisjoint(rows.header)
    problems = [
        wrong_type("a list or an object", f" under '{key}'", "a text or a number").at(path, line)
        for key in nested
        for cell, line in zip(rows.column(key), rows.lines(), strict=True)
        if cell == NESTED
    ]
    raise_any(problems, _hint_of_texts() if has_texts and label is None and not named.golds else "")
    if len(rows.body) == 1 and id_column not in rows.header and not has_texts:
        raise no_json_lines(path, f"a single object without the key '{id_column}'", _JSON_LINES, hint=_hint_of_object())
    return rows


def _tidy_or_wide(table: TableColumns, columns: Columns, label_names: tuple[str, ...], role: str) -> RawLabelFile:
    path, header, id_column = table.path, table.header, columns.id or "id"
    if id_column not in header:
        raise _no_column(table, columns, "id_column", id_column)
    ids = table.filled(id_column, "id")
    if len(set(ids)) < len(ids):
        for row, before in repetitions(ids):
            if ids[row]:
                table.reject(row, repeated("id", ids[row], table.lines[before], hint=""))
    other_column = "" if columns.id else f", or name the column of ids with {setting('id_column')}"
    hint = f"every row needs a unique id: remove the duplicates{other_column}"
    faults = (InputError(table.problems, hints=[hint]),) if table.problems else ()

    def labels(column: str, system: str = "", own_column: str = "") -> RawLabels:
        labels_of_rows = table.texts(column)
        return RawLabels(path, system, ids, labels_of_rows, table.rows.lines, column=own_column or system)

    named = label_columns(header, columns, label_names, table.rows.index)
    check_case(path, header, id_column, named)
    label, notes = named.label, row_numbers_note(named.row_numbers)
    notes += tuple(f"{path}: id '{word}' is a word for a missing value" for word in sorted(missing_words(ids, 1)))
    check_kinds(path, table.rows.kinds, [*named.golds, *([label] if label else named.systems)])
    gold_column = None if columns.label else one_of_columns(named.golds, named.golds, path)
    gold = None if gold_column is None else labels(gold_column, own_column=gold_column)
    if label is not None:
        if label not in header:
            raise _no_column(table, columns, "label_column", label)
        if named.others and role == "run":
            faults = (*faults, two_columns(path, named))
        run = labels(label)
        # Numbers of a system may be beside gold in a column 'label'.
        beside = [] if columns.label else [name for name in label_names[1:] if name in header and name != label]
        return RawLabelFile(gold or (labels(beside[0]) if beside else run), (run,), faults, notes)
    # Otherwise a column whose name is misspelt would be a system; that of another file has its path before a colon.
    lacking = [name for name in columns.clusters if name not in header and ":" not in name]
    if role == "gold" and lacking:
        raise _no_column(table, columns, "clusters", *lacking)
    return RawLabelFile(gold, tuple(labels(name, name) for name in named.systems), faults, notes)


def _no_column(table: TableColumns, columns: Columns, option: str, *names: str) -> InputError:
    """The error for columns that the header lacks; option: the setting that names them."""
    named = names[0] in (columns.id, columns.label, *columns.clusters)
    has_texts = not named and not _TEXT_COLUMNS.isdisjoint(table.header)
    other_task = "" if named or has_texts else f", or use {setting('task', 'fnc1')} for FNC-1 files"
    remedy = f"name {'a column of the header' if named else 'the column'} with {setting(option)}{other_task}"
    if not named and len(table.header) == 2:
        remedy += "; to a file without a header add the line id,label"
    return InputError(
        [missing_column(table.header, name, "").at(table.path, 1) for name in names],
        hints=[did_you_mean(names[0], table.header) or remedy, _hint_of_texts() if has_texts else ""],
    )
