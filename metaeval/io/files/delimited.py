"""Rows of CSV and TSV text, each known by its line."""

from __future__ import annotations

import csv
import io
import operator
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice

from metaeval.errors import InputError, Problem, counted
from metaeval.io.files.source import InMemorySource, Lines, Source

MAX_FAULTS = 1000
"""Rows of a file that can't be used, behind which a large file is not read on: each takes memory, and says no more."""

_WIDEST_CELL = 1 << 24


@dataclass(frozen=True)
class Rows:
    """A header and the rows under it, each as long as the header.

    lines: on which the rows begin.
    """

    path: str
    header: tuple[str, ...]
    body: Sequence[Sequence[str]]
    lines: Lines

    def column(self, name: str) -> list[str]:
        """The cells under a name, without the blanks around them."""
        cells = map(operator.itemgetter(self.header.index(name)), self.body)
        return list(map(str.strip, cells))


@dataclass(frozen=True)
class InMemoryRows(InMemorySource):
    """A table that a program handed over: scores, or ratings."""

    rows: Rows


def first_line(text: str) -> str:
    """The header of a text, or whatever stands where one would be."""
    return text.lstrip("\n").partition("\n")[0]


def delimiter_of(source: Source, first: str) -> str:
    """What separates the cells of a file: tabs if its first line has some, and no commas or the name ends in .tsv."""
    return "\t" if "\t" in first and (source.suffix == ".tsv" or "," not in first) else ","


def read_rows(source: Source, delimiter: str) -> Rows:
    """The rows of a file with a header; blank lines are skipped.

    Rows of another length than the header, unclosed quotes and a header without rows are `InputError`s.
    """
    text, path = source.text(), source.path_or_name
    parsed = _parse(text, delimiter, path)
    header = tuple(name.strip() for name in parsed[0])
    body = list(filter(None, parsed[1:]))
    _check_header(header, path, any_rows=bool(body))

    def lines() -> list[int]:
        return [line for line, _ in _lines_and_rows([text], delimiter, path)][1:]

    if set(map(len, body)) != {len(header)}:
        ragged = [row for row, cells in enumerate(body) if len(cells) != len(header)]
        at = lines()
        raise _ragged([(at[row], len(body[row])) for row in ragged], header, path, at_end=ragged == [len(body) - 1])
    return Rows(path, header, body, lines)


def stream_rows(source: Source, delimiter: str) -> tuple[tuple[str, ...], Iterator[tuple[int, list[str]]]]:
    """As `read_rows`, of a file that may be too large to be held: its header, and line and cells of each row.

    All rows are looked at before, so that what is wrong with any of them, or with `MAX_FAULTS`, is told first.
    """
    path = source.path_or_name
    rows = _lines_and_rows(source.chunks(), delimiter, path)
    header = tuple(name.strip() for name in next(rows, (1, []))[1])
    ragged: list[tuple[int, int]] = []
    line = 0
    for line, cells in rows:
        if len(cells) != len(header):
            ragged.append((line, len(cells)))
            if len(ragged) == MAX_FAULTS:
                raise not_read_on(_ragged(ragged, header, path, at_end=False), path, line)
    _check_header(header, path, any_rows=line > 0)
    if ragged:
        raise _ragged(ragged, header, path, at_end=[line] == [of_ragged for of_ragged, _ in ragged])
    return header, islice(_lines_and_rows(source.chunks(), delimiter, path), 1, None)


def not_read_on(faults: InputError, path: str, line: int) -> InputError:
    """What is wrong with a file, and that nobody knows what is behind that line."""
    return InputError(faults.problems, hints=[*faults.hints, f"mend these first: {path} was read up to line {line}"])


def _lines_and_rows(texts: Iterable[str], delimiter: str, path: str) -> Iterator[tuple[int, list[str]]]:
    """The rows that are not blank, one by one, and on which line each begins; texts: whole lines, piece by piece."""
    csv.field_size_limit(_WIDEST_CELL)
    lines = chain.from_iterable(io.StringIO(text, newline="") for text in texts)
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    begins = 1
    try:
        for cells in reader:
            if cells:
                yield begins, cells
            begins = reader.line_num + 1
    except csv.Error as error:
        raise _no_csv(error, path, begins) from None


def _parse(text: str, delimiter: str, path: str) -> list[list[str]]:
    csv.field_size_limit(_WIDEST_CELL)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        parsed = list(reader)
    except csv.Error:
        # Read again, slowly, it breaks where it did, and the line is known.
        parsed = [cells for _, cells in _lines_and_rows([text], delimiter, path)]
    first = next((index for index, row in enumerate(parsed) if row), 0)
    return parsed[first:]


def _no_csv(error: csv.Error, path: str, line: int) -> InputError:
    at_end = "unexpected end of data" in str(error)
    return InputError.at(
        path,
        line,
        found="a quoted cell that is never closed" if at_end else f"a row that is no CSV ({error})",
        expected='cells with commas, quotes or line breaks in "…", and quotes in them doubled',
        hint="the file may be truncated" if at_end else "",
    )


def _check_header(header: tuple[str, ...], path: str, *, any_rows: bool) -> None:
    twice = sorted({name for name in header if header.count(name) > 1})
    if twice:
        raise InputError.at(
            path, 1, found=f"column '{twice[0]}' twice in the header", expected="every column name once"
        )
    if not any_rows:
        raise InputError.at(path, 1, found="a header and no rows", expected="a row for every item")


def _ragged(rows: Sequence[tuple[int, int]], header: tuple[str, ...], path: str, *, at_end: bool) -> InputError:
    """What to say of rows that are no row of the table; rows: line and cells. at_end: whether it is the last alone."""
    expected = f"{len(header)} ({', '.join(header)})"
    only_cut_short = at_end and rows[0][1] < len(header)
    return InputError(
        [Problem(f"a row of {counted(cells, 'cell')}", expected, path, line) for line, cells in rows],
        hints=["the last row is cut short: the file may be truncated"]
        if only_cut_short
        else ["quote cells that hold commas"],
    )
