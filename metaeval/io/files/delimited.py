"""Rows of CSV and TSV text, with their lines."""

from __future__ import annotations

import csv
import io
import operator
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from typing import TYPE_CHECKING, NamedTuple

from metaeval.errors import (
    InputError,
    Problem,
    did_you_mean,
    missing_column,
    no_rows,
    refuse,
    repeated,
    setting,
    shortened,
    unreadable,
    wrong_count,
)
from metaeval.io.files.source import QUOTINGS, InMemorySource, Lines, Source
from metaeval.model.report import SourceFile

if TYPE_CHECKING:
    from _csv import Reader

MAX_FAULTS = 1000
"""Invalid rows after which the other rows of a file are not checked, to bound memory."""

MAX_CELL = 1 << 24
"""Maximum number of characters of a cell."""


class Format(NamedTuple):
    """What the reader of a format says about its tables.

    if_repeated, if_missing: what to do about repeated and about missing scores. files: others that belong to the table.
    label: the only column of labels, whatever its name. notes: on what was read and left out. content: the column with
    a hash of the content of each item, which is the same for every system. clusters: the column of clusters that are
    used by default. absent_is_zero: whether an item that a file does not list has the score 0.
    """

    if_repeated: str = ""
    if_missing: str = ""
    files: tuple[SourceFile, ...] = ()
    label: str = ""
    notes: tuple[str, ...] = ()
    content: str = ""
    clusters: str = ""
    absent_is_zero: bool = False


NO_FORMAT = Format()


@dataclass(frozen=True)
class Rows:
    """The cells of a table by its columns, which have the same length; lines: on which the rows begin.

    format: of other tools. kinds: of columns of Parquet. index: columns that pandas wrote for an index.
    """

    path: str
    columns: Mapping[str, list[str]]
    lines: Lines
    format: Format = NO_FORMAT
    kinds: Mapping[str, str] = field(default_factory=dict)
    index: tuple[str, ...] = ()

    def __len__(self) -> int:
        """The number of rows."""
        return len(next(iter(self.columns.values()), ()))

    @cached_property
    def header(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(self.columns)

    def column(self, name: str) -> list[str]:
        """The cells of a column, without surrounding blanks."""
        return list(map(str.strip, self.columns[name]))

    def with_key(self, name: str | None, keep: str | None = None) -> Rows:
        """The rows with one column in place of several that are the key together, such as `item,sentence`.

        keep: one of these that stays a column, too.

        >>> rows = Rows("a.csv", {"item": ["t1"], "sentence": ["2"], "f1": [".5"]}, lambda: [2])
        >>> rows.with_key("item,sentence").columns
        {'item,sentence': ['t1/2'], 'f1': ['.5']}
        """
        parts = key_columns(name or "", self.header, self.path)
        if len(parts) < 2:
            return self
        keys = ["/".join(key) if all(key) else "" for key in zip(*map(self.column, parts), strict=True)]
        rest = {column: self.columns[column] for column in self.header if column not in parts or column == keep}
        return replace(self, columns={str(name): keys, **rest})


@dataclass(frozen=True)
class InMemoryRows(InMemorySource):
    """A table of scores or ratings passed as a Python object, or the one that was read from a file."""

    rows: Rows

    @property
    def files(self) -> tuple[SourceFile, ...]:
        """The file, and others that belong to its table."""
        return (self.file, *self.rows.format.files)


def key_columns(name: str, header: Iterable[str], path: str, line: int = 1) -> list[str]:
    """The columns that are the id of a row: one, or several with commas; else an `InputError`.

    >>> key_columns("item,sentence", ["item", "sentence", "f1"], "a.csv")
    ['item', 'sentence']
    """
    parts = [part.strip() for part in name.split(",")]
    if len(parts) < 2 or name in header:
        return [name]
    columns, hint = list(header), f"name different columns of the file in {setting('id_column')}"
    for part in parts:
        if part not in columns:
            raise refuse((path, line), missing_column(columns, part, did_you_mean(part, columns) or hint))
        if parts.count(part) > 1:
            raise refuse((path, line), repeated("column", part, hint=hint))
    return parts


_BLANK_LINES = re.compile(r"(?:[^\S\n]*\n)*+")


def first_line(text: str) -> str:
    """The first line that is not blank."""
    start = _BLANK_LINES.match(text).end()  # type: ignore[union-attr]
    return text[start:].partition("\n")[0] if start else text.partition("\n")[0]


def delimiter_of(source: Source, text: str) -> str:
    """The delimiter of a table: a tab if the header has tabs, and either no commas or the name ends in .tsv.

    Else a comma, or if there is none, a semicolon or bar that every row has as often as the header; if only the header
    has one, an `InputError`.
    """
    first = first_line(text)
    if "\t" in first and (source.suffix == ".tsv" or "," not in first):
        return "\t"
    others = [] if "," in first else [delimiter for delimiter in ";|" if delimiter in first]
    for delimiter in others:
        if _layout(source, text, delimiter).is_regular():
            return delimiter
    if others:
        raise wrong_delimiter(source.path_or_name, text, others[0])
    return ","


def wrong_delimiter(path: str, text: str, delimiter: str, expected: str = "") -> InputError:
    """The error for a header that another delimiter seems to separate."""
    first = first_line(text)
    line = text.partition(first)[0].count("\n") + 1
    found = f"header '{shortened(first)}', where '{delimiter}' seems to be the delimiter"
    expected = expected or f"commas or tabs, one label on each line, or '{delimiter}' as often in every row"
    return refuse((path, line), found, expected, _OTHER_DELIMITER, kind="invalid")


_OTHER_DELIMITER = "write every row with as many cells as the header, or save the file as CSV with commas, or as TSV"

_CHARACTERS, _CSV, _CELLS = *QUOTINGS, "cells"
"""What quotes are: characters, around cells that may have delimiters and line breaks, or around cells within a line."""

_OPEN_CELL = re.compile(r'(?:\A|[\t\n])"(?!(?:[^"\t\n]|"")*+"(?:[\t\n]|\Z))')
"""A quote at the beginning of a cell of TSV and not at its end: without any, all quotes are around cells."""

_QUOTED_CELL = re.compile(r'"((?:[^"]|"")*+)"')


def _without_quotes(cell: str) -> str:
    """A cell without the quotes around it."""
    match = _QUOTED_CELL.fullmatch(cell)
    return match[1].replace('""', '"') if match else cell


class _Layout(NamedTuple):
    """A text as rows; rule: what its quotes are."""

    text: str
    path: str
    delimiter: str
    rule: str

    def rows(self) -> Iterator[tuple[int, list[str]]]:
        """The header and the rows that are not empty, with the line on which each begins.

        Empty cells after those of the header are left out, and those of columns without names at its end added.
        """
        width = least = 0
        for line, cells in self._quoted_rows() if self.rule == _CSV else self._unquoted_rows():
            if not any(cells) or (len(cells) == 1 and not cells[0].strip()):
                continue
            if not width:
                width, least = len(cells), len("\0".join(map(str.strip, cells)).rstrip("\0").split("\0"))
            if len(cells) != width and least <= len(cells) and not any(cells[width:]):
                cells = cells[:width] + [""] * (width - len(cells))
            yield line, cells

    def table(self) -> list[list[str]]:
        """The header and the rows, without their lines, which take time."""
        if self.rule == _CSV:
            try:
                rows = list(self._reader())
            except csv.Error:
                # The slower reader raises the same error with its line.
                rows = []
            if set(map(len, rows)) == {max(2, len(rows[0]) if rows else 0)} and all(map(any, rows)):
                return rows
        return [cells for _, cells in self.rows()]

    def _reader(self) -> Reader:
        csv.field_size_limit(MAX_CELL)
        return csv.reader(io.StringIO(self.text, newline=""), delimiter=self.delimiter, strict=True)

    def _unquoted_rows(self) -> Iterator[tuple[int, list[str]]]:
        for line, text in enumerate(self.text.split("\n"), start=1):
            cells = text.split(self.delimiter)
            yield line, list(map(_without_quotes, cells)) if self.rule == _CELLS and '"' in text else cells

    def _quoted_rows(self) -> Iterator[tuple[int, list[str]]]:
        reader = self._reader()
        begin = 1
        try:
            for cells in reader:
                yield begin, cells
                begin = reader.line_num + 1
        except csv.Error as error:
            at_end = "unexpected end of data" in str(error)
            reason = "a quoted cell is never closed; the file may be truncated" if at_end else error
            hint = 'write cells with commas, quotes or line breaks in "…", with quotes in them doubled'
            if self._replace(rule=_CHARACTERS).is_regular():
                hint += f"; if quotes are characters, set {setting('quoting', _CHARACTERS)}"
            raise refuse((self.path, begin), unreadable("CSV", reason, hint)) from None

    def is_regular(self) -> bool:
        """Whether all rows have as many cells, at least two, as the header."""
        try:
            sizes = {len(cells) for _, cells in self.rows()}
        except InputError:
            return False
        return len(sizes) == 1 and min(sizes) > 1

    def ragged(self, rows: Sequence[tuple[int, int]], header: tuple[str, ...], *, at_end: bool) -> InputError:
        """The error for rows of another length; rows: line and number of cells. at_end: whether it is only the last."""
        delimiters = {",": "commas", "\t": "tabs"}.get(self.delimiter, f"'{self.delimiter}'")
        hint = f"quote cells that contain {delimiters}"
        if at_end and rows[0][1] < len(header):
            hint = "the last row is incomplete: the file may be truncated"
        elif all(cells < len(header) for _, cells in rows):
            hint = f"write every cell of a row, also the empty ones at its end, and separate them by {delimiters}"
        elif self.rule != _CSV:
            hint = f"separate the cells of every row by {delimiters}"
            if '"' in self.text:
                hint += f"; for cells with {delimiters} in quotes set {setting('quoting', _CSV)}"
        elif self.delimiter == "\t":
            hint = "separate the cells of every row by tabs, and write no tabs in cells"
        names = f" ({', '.join(header)})"
        problems = [wrong_count(cells, "cell", len(header), names).at(self.path, line) for line, cells in rows]
        return InputError(problems, hints=[hint])


_READINGS = "one row if quotes enclose cells, and a row each if they are characters"


def _layout(source: Source, text: str, delimiter: str) -> _Layout:
    """The layout of a text: in TSV, which many tools write without quoting, that in which all rows are complete.

    Two such layouts with different rows are an `InputError`.
    """
    by_csv = _Layout(text, source.path_or_name, delimiter, source.quoting or _CSV)
    if source.quoting or delimiter != "\t" or '"' not in text or not _OPEN_CELL.search(text):
        return by_csv
    by_line = by_csv._replace(rule=_CELLS)
    if not by_csv.is_regular():
        return by_line
    if not by_line.is_regular():
        return by_csv
    ends = ((line, line + "".join(cells).count("\n")) for line, cells in by_csv.rows())
    problems = [
        Problem(f"lines {line} to {end} are {_READINGS}", "one of both", by_csv.path, line, "ambiguous")
        for line, end in ends
        if end > line
    ]
    none, enclosing = (setting("quoting", rule) for rule in QUOTINGS)
    raise InputError(problems, hints=[f"set {none} if quotes are characters, or {enclosing} if they enclose cells"])


def read_rows(source: Source, delimiter: str = "") -> Rows:
    """The rows of a file with a header; empty rows, and empty columns without a name, are left out.

    delimiter: by default `delimiter_of` the text. Rows whose length differs from the header, unclosed quotes and a
    header without rows are `InputError`s.
    """
    text, path = source.text(), source.path_or_name
    layout = _layout(source, text, delimiter or delimiter_of(source, text))

    # A table with a column for each system has as many messages about rows as systems.
    @cache
    def lines() -> Sequence[int]:
        return [line for line, _ in layout.rows()][1:]

    first, columns = _cut(layout) or _columns(layout, lines)
    header = tuple(map(str.strip, first))
    indices = [index for index, name in enumerate(header) if name or any(map(str.strip, columns[index]))]
    reject_twice([header[index] for index in indices], path, 1)
    if not any(columns):
        raise refuse((path, 1), no_rows())
    return Rows(path, {header[index]: columns[index] for index in indices}, lines)


def _columns(layout: _Layout, lines: Lines) -> tuple[list[str], list[list[str]]]:
    """The header and the columns; rows of another length are an `InputError`."""
    first, *body = layout.table() or [[]]
    if not {len(first)}.issuperset(map(len, body)):
        header, path = tuple(map(str.strip, first)), layout.path
        ragged = [row for row, cells in enumerate(body) if len(cells) != len(header)]
        reject_twice(tuple(filter(None, header)), path, 1)
        line_of = lines()
        sizes = [(line_of[row], len(body[row])) for row in ragged[:MAX_FAULTS]]
        error = layout.ragged(sizes, header, at_end=ragged == [len(body) - 1])
        raise error if len(ragged) < MAX_FAULTS else reading_stopped_at(error, path, sizes[-1][0])
    return first, [list(map(operator.itemgetter(index), body)) for index in range(len(first))]


def reading_stopped_at(faults: InputError, path: str, line: int) -> InputError:
    """The problems of a file, with the line at which reading stopped."""
    return InputError(faults.problems, hints=[*faults.hints, f"fix these first: {path} was read up to line {line}"])


def _cut(layout: _Layout) -> tuple[list[str], list[list[str]]] | None:
    """The header and the columns of text in which each delimiter and line feed ends a cell; None for `rows` to read.

    Every line has as many delimiters as the first, at least one: what is left without other characters tells.
    """
    text, delimiter = layout.text, layout.delimiter
    has_quotes = '"' in text
    if (has_quotes and layout.rule == _CSV) or "\r" in text:
        return None
    text = text.removesuffix("\n")
    rows, width = text.count("\n"), text.partition("\n")[0].count(delimiter) + 1
    if not rows or width < 2:
        return None
    content = text.encode(errors="surrogatepass")
    ends = content.translate(None, bytes({*range(256)} - {ord(delimiter), ord("\n")}))
    line = delimiter.encode() * (width - 1)
    if ends != (line + b"\n") * rows + line or f"\n{line.decode()}\n" in f"\n{text}\n":
        return None
    cells = text.replace("\n", delimiter).split(delimiter)
    if has_quotes and layout.rule == _CELLS:
        cells = list(map(_without_quotes, cells))
    if len(text) > MAX_CELL and max(map(len, cells)) > MAX_CELL:
        return None
    return cells[:width], [cells[width + index :: width] for index in range(width)]


def reject_twice(header: Sequence[str], path: str, line: int | None = None) -> None:
    """Reject a header with two columns of the same name."""
    twice = sorted(name for name, times in Counter(header).items() if times > 1)
    if twice:
        raise refuse((path, line), repeated("column", twice[0], hint="rename or remove one"))
