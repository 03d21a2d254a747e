"""Rows of CSV and TSV text, each known by its line."""

from __future__ import annotations

import csv
import io
import operator
from collections.abc import Sequence
from dataclasses import dataclass

from metaeval.errors import InputError, Problem, counted
from metaeval.io.answers import Lines
from metaeval.io.source import Source

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
    _check_header(header, path)
    if not body:
        raise InputError.at(path, 1, found="a header and no rows", expected="a row for every item")

    def lines() -> list[int]:
        return _line_of_each_row(text, delimiter)[1:]

    if set(map(len, body)) != {len(header)}:
        _raise_ragged(body, header, lines(), path)
    return Rows(path, header, body, lines)


def _parse(text: str, delimiter: str, path: str) -> list[list[str]]:
    csv.field_size_limit(_WIDEST_CELL)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        parsed = list(reader)
    except csv.Error as error:
        at_end = "unexpected end of data" in str(error)
        raise InputError.at(
            path,
            _line_of_last_row(text, delimiter),
            found="a quoted cell that is never closed" if at_end else f"a row that is no CSV ({error})",
            expected='cells with commas, quotes or line breaks in "…", and quotes in them doubled',
            hint="the file may be truncated" if at_end else "",
        ) from None
    first = next((index for index, row in enumerate(parsed) if row), 0)
    return parsed[first:]


def _line_of_each_row(text: str, delimiter: str) -> list[int]:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    begins, lines = 1, []
    for row in reader:
        if row:
            lines.append(begins)
        begins = reader.line_num + 1
    return lines


def _line_of_last_row(text: str, delimiter: str) -> int:
    """Where the row begins that broke the parser."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    begins = 1
    try:
        for _ in reader:
            begins = reader.line_num + 1
    except csv.Error:
        pass
    return begins


def _check_header(header: tuple[str, ...], path: str) -> None:
    twice = sorted({name for name in header if header.count(name) > 1})
    if twice:
        raise InputError.at(
            path, 1, found=f"column '{twice[0]}' twice in the header", expected="every column name once"
        )


def _raise_ragged(body: Sequence[Sequence[str]], header: tuple[str, ...], lines: Sequence[int], path: str) -> None:
    expected = f"{len(header)} ({', '.join(header)})"
    ragged = [row for row, cells in enumerate(body) if len(cells) != len(header)]
    only_the_last = ragged == [len(body) - 1] and len(body[-1]) < len(header)
    raise InputError(
        [Problem(f"a row of {counted(len(body[row]), 'cell')}", expected, path, lines[row]) for row in ragged],
        hints=["the last row is cut short: the file may be truncated"]
        if only_the_last
        else ["quote cells that hold commas"],
    )
