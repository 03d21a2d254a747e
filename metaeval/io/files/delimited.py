"""Rows of CSV and TSV text, with their lines."""

from __future__ import annotations

import csv
import io
import operator
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from itertools import islice
from typing import NamedTuple, overload

from metaeval.errors import (
    InputError,
    ambiguous,
    did_you_mean,
    missing_column,
    no_rows,
    refuse,
    repeated,
    setting,
    unreadable,
    wrong_count,
)
from metaeval.io.files.source import InMemorySource, Lines, Source
from metaeval.model.report import SourceFile

MAX_FAULTS = 1000
"""Invalid rows after which the reading of a large file stops, to bound memory."""

MAX_CELL = 1 << 24
"""Maximum number of characters of a cell."""

_BLANKS = b" \t\v\f\x1c\x1d\x1e\x1f"
"""What `str.strip` takes from text in ASCII, without the ends of lines."""


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
class ByColumn(Sequence[Sequence[str]]):
    """Rows that are held by column.

    has_blanks: whether cells may have blanks around them.

    >>> list(ByColumn([["a", "b"], ["1", "2"]]))
    [('a', '1'), ('b', '2')]
    """

    columns: Sequence[list[str]]
    has_blanks: bool = True

    def __len__(self) -> int:
        """The number of rows."""
        return len(self.columns[0])

    def __iter__(self) -> Iterator[tuple[str, ...]]:
        """Row by row."""
        return zip(*self.columns, strict=True)

    @overload
    def __getitem__(self, row: int) -> tuple[str, ...]: ...

    @overload
    def __getitem__(self, row: slice) -> ByColumn: ...

    def __getitem__(self, row: int | slice) -> tuple[str, ...] | ByColumn:
        """One row, or several."""
        if isinstance(row, slice):
            return ByColumn([column[row] for column in self.columns], self.has_blanks)
        return tuple(column[row] for column in self.columns)


@dataclass(frozen=True)
class Rows:
    """A header and rows of the same length; lines: on which the rows begin. format: of other tools.

    kinds: of columns of Parquet.
    """

    path: str
    header: tuple[str, ...]
    body: Sequence[Sequence[str]]
    lines: Lines
    format: Format = NO_FORMAT
    kinds: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def _indices(self) -> dict[str, int]:
        # Of names that occur twice, the first.
        return {name: index for index, name in reversed(list(enumerate(self.header)))}

    def column(self, name: str) -> list[str]:
        """The cells of a column, without surrounding blanks."""
        index = self._indices[name]
        if isinstance(self.body, ByColumn):
            cells = self.body.columns[index]
            return list(map(str.strip, cells)) if self.body.has_blanks else cells.copy()
        return list(map(str.strip, map(operator.itemgetter(index), self.body)))

    def with_key(self, name: str | None, keep: str | None = None) -> Rows:
        """The rows with one column in place of several that are the key together, such as `item,sentence`.

        keep: one of these that stays a column, too.

        >>> Rows("a.csv", ("item", "sentence", "f1"), [["t1", "2", ".5"]], lambda: [2]).with_key("item,sentence").body
        [['t1/2', '.5']]
        """
        parts = key_columns(name or "", self.header, self.path)
        if len(parts) < 2:
            return self
        keys = zip(*map(self.column, parts), strict=True)
        rest = [index for index, column in enumerate(self.header) if column not in parts or column == keep]
        body = [
            ["/".join(key) if all(key) else "", *(row[index] for index in rest)]
            for key, row in zip(keys, self.body, strict=True)
        ]
        return replace(self, header=(str(name), *(self.header[index] for index in rest)), body=body)


def _files(source: TableSource | InMemoryRows) -> tuple[SourceFile, ...]:
    """The file, and others that belong to its table."""
    return (source.file, *source.rows.format.files)


@dataclass(frozen=True)
class TableSource(Source):
    """A file whose content a reader turned into a table of scores."""

    rows: Rows
    files = property(_files)


@dataclass(frozen=True)
class InMemoryRows(InMemorySource):
    """A table of scores or ratings passed as a Python object."""

    rows: Rows
    files = property(_files)


def key_columns(name: str, header: Iterable[str], path: str, line: int = 1) -> list[str]:
    """The columns that are the id of a row: one, or several with commas; else an `InputError`.

    >>> key_columns("item,sentence", ["item", "sentence", "f1"], "a.csv")
    ['item', 'sentence']
    """
    parts = [part.strip() for part in name.split(",")]
    if len(parts) < 2 or name in header:
        return [name]
    known, hint = list(header), f"name different columns of the file in {setting('id_column')}"
    for part in parts:
        if part not in known:
            raise refuse((path, line), missing_column(known, part, did_you_mean(part, known) or hint))
        if parts.count(part) > 1:
            raise refuse((path, line), repeated("column", part, hint=hint))
    return parts


def one_of_columns(
    names: Sequence[str],
    header: Iterable[str],
    path: str,
    line: int | None = 1,
    *,
    option: str = "",
    rivals: Iterable[str] = (),
    any_case: bool = False,
) -> str | None:
    """The one of these columns, or keys, that a table has; two for one thing, in any case, are an `InputError`.

    option: the setting that names the column, if there is one. rivals: other names for the same thing that are not
    read. any_case: whether a name in another case is read; a single name without rivals is otherwise sought as it is.
    """
    known = (*names, *rivals)
    form = str.casefold if any_case or len(known) > 1 else str
    order = {form(name): index for index, name in reversed([*enumerate(known)])}
    same = [name for name in header if form(name) in order]
    present = sorted(same, key=lambda name: (name not in names, order[form(name)]))
    if not present or not (any_case or present[0] in names):
        return None
    if len(present) > 1:
        raise refuse((path, line), ambiguous(present[0], present[1], option))
    return present[0]


def first_line(text: str) -> str:
    """The first line that is not empty."""
    return text.lstrip("\n").partition("\n")[0]


def delimiter_of(source: Source, first: str) -> str:
    """The delimiter: a tab if the first line has tabs, and either no commas or the name ends in .tsv; else a comma."""
    return "\t" if "\t" in first and (source.suffix == ".tsv" or "," not in first) else ","


def read_rows(source: Source, delimiter: str) -> Rows:
    """The rows of a file with a header; blank lines are skipped.

    Rows whose length differs from the header, unclosed quotes and a header without rows are `InputError`s.
    """
    text, path = source.text(), source.path_or_name

    # A table with a column for each system has as many messages about rows as systems.
    @cache
    def lines() -> Sequence[int]:
        return [line for line, _ in _lines_and_rows(text, delimiter, path)][1:]

    if plain := _cut(text, delimiter):
        header = tuple(name.strip() for name in plain[0])
        _check_header(header, path, any_rows=True)
        return Rows(path, header, plain[1], lines)
    parsed = _parse(text, delimiter, path)
    header = tuple(name.strip() for name in parsed[0])
    body = list(filter(None, parsed[1:]))
    _check_header(header, path, any_rows=bool(body))
    if set(map(len, body)) != {len(header)}:
        ragged = [row for row, cells in enumerate(body) if len(cells) != len(header)]
        line_of = lines()
        sizes = [(line_of[row], len(body[row])) for row in ragged]
        raise _ragged(sizes, header, path, at_end=ragged == [len(body) - 1])
    return Rows(path, header, body, lines)


def stream_rows(source: Source, delimiter: str) -> tuple[tuple[str, ...], Iterator[tuple[int, list[str]]]]:
    """The header of a file, and line and cells of each row, one by one; errors as in `read_rows`.

    All rows are checked first, up to `MAX_FAULTS` problems.
    """
    path = source.path_or_name
    text = source.text()
    rows = _lines_and_rows(text, delimiter, path)
    header = tuple(name.strip() for name in next(rows, (1, []))[1])
    ragged: list[tuple[int, int]] = []
    line = 0
    for line, cells in rows:
        if len(cells) != len(header):
            ragged.append((line, len(cells)))
            if len(ragged) == MAX_FAULTS:
                raise reading_stopped_at(_ragged(ragged, header, path, at_end=False), path, line)
    _check_header(header, path, any_rows=line > 0)
    if ragged:
        raise _ragged(ragged, header, path, at_end=[line] == [ragged_line for ragged_line, _ in ragged])
    return header, islice(_lines_and_rows(text, delimiter, path), 1, None)


def reading_stopped_at(faults: InputError, path: str, line: int) -> InputError:
    """The problems of a file, with the line at which reading stopped."""
    return InputError(faults.problems, hints=[*faults.hints, f"fix these first: {path} was read up to line {line}"])


def _lines_and_rows(text: str, delimiter: str, path: str) -> Iterator[tuple[int, list[str]]]:
    """The rows that are not blank, with the line on which each begins."""
    csv.field_size_limit(MAX_CELL)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    begin = 1
    try:
        for cells in reader:
            if cells:
                yield begin, cells
            begin = reader.line_num + 1
    except csv.Error as error:
        at_end = "unexpected end of data" in str(error)
        reason = "a quoted cell is never closed; the file may be truncated" if at_end else error
        hint = 'write cells with commas, quotes or line breaks in "…", with quotes in them doubled'
        raise refuse((path, begin), unreadable("CSV", reason, hint)) from None


def _cut(text: str, delimiter: str) -> tuple[list[str], ByColumn] | None:
    """The header and the rows of text in which each delimiter and line feed ends a cell; None for `csv` to read.

    Every line has as many delimiters as the first, at least one: what is left without other characters tells.
    """
    if '"' in text or "\r" in text:
        return None
    text = text.removesuffix("\n")
    rows, width = text.count("\n"), text.partition("\n")[0].count(delimiter) + 1
    if not rows or width < 2:
        return None
    content = text.encode(errors="surrogatepass")
    ends = content.translate(None, bytes({*range(256)} - {ord(delimiter), ord("\n")}))
    line = delimiter.encode() * (width - 1)
    if ends != (line + b"\n") * rows + line:
        return None
    cells = text.replace("\n", delimiter).split(delimiter)
    if len(text) > MAX_CELL and max(map(len, cells)) > MAX_CELL:
        return None
    blanks = _BLANKS.replace(line[:1], b"")
    has_blanks = not text.isascii() or len(content.translate(None, blanks)) < len(content)
    return cells[:width], ByColumn([cells[width + index :: width] for index in range(width)], has_blanks)


def _parse(text: str, delimiter: str, path: str) -> list[list[str]]:
    csv.field_size_limit(MAX_CELL)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        parsed = list(reader)
    except csv.Error:
        # The slower reader raises the same error with its line.
        parsed = [cells for _, cells in _lines_and_rows(text, delimiter, path)]
    first = next((index for index, row in enumerate(parsed) if row), 0)
    return parsed[first:]


def reject_twice(header: Sequence[str], path: str, line: int | None = None) -> None:
    """Reject a header with two columns of the same name."""
    twice = sorted(name for name, times in Counter(header).items() if times > 1)
    if twice:
        raise refuse((path, line), repeated("column", twice[0], hint="rename or remove one"))


def _check_header(header: tuple[str, ...], path: str, *, any_rows: bool) -> None:
    reject_twice(header, path, 1)
    if not any_rows:
        raise refuse((path, 1), no_rows())


def _ragged(rows: Sequence[tuple[int, int]], header: tuple[str, ...], path: str, *, at_end: bool) -> InputError:
    """The error for rows of another length; rows: line and number of cells. at_end: whether it is only the last."""
    truncated = at_end and rows[0][1] < len(header)
    hint = "the last row is incomplete: the file may be truncated" if truncated else "quote cells that contain commas"
    names = f" ({', '.join(header)})"
    problems = [wrong_count(cells, "cell", len(header), names).at(path, line) for line, cells in rows]
    return InputError(problems, hints=[hint])
