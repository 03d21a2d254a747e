"""A table as columns with roles; the problems of all its cells are one error with their lines."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray

from metaeval.digits import finite
from metaeval.errors import (
    InputError,
    Problem,
    empty,
    excluded,
    invalid,
    missing_column,
    nearest,
    raise_any,
    refuse,
    setting,
)
from metaeval.io.files.delimited import InMemoryRows, Rows, read_rows
from metaeval.io.files.documents import document_rows
from metaeval.io.files.json import json_rows
from metaeval.io.files.roles import Role, note_on_columns
from metaeval.io.files.source import Source, empty_file
from metaeval.model.scale import ClassScale

USABLE, MISSING, UNKNOWN = 0, 1, 2
"""The states of a label. In codes, −1 and −2 stand for a missing and an unknown label, so that one look-up gives code
and state."""

Read = tuple[NDArray[Any], NDArray[np.uint8]]
"""The values of rows, and the state of each."""


def code_reader(scale: ClassScale) -> Callable[[Sequence[str]], Read]:
    """A function that turns labels into codes; policies replace missing and unknown ones later."""
    code_of = {label: code for code, label in enumerate(scale.labels)} | {"": -MISSING}

    def read(labels: Sequence[str]) -> Read:
        codes = np.fromiter(map(code_of.get, labels, repeat(-UNKNOWN)), dtype=np.int32, count=len(labels))
        return codes, np.maximum(-codes, USABLE).astype(np.uint8)

    return read


_DECIMAL_COMMA = re.compile(r"[-+]?(\d+|\d*,\d+)(e[-+]?\d+)?", re.I)
_THOUSANDS = re.compile(r"[-+]?([1-9]\d{0,2},\d{3}|\d+)")
_PERCENT = re.compile(r"[-+]?[\d.,]+\s*%")


def is_written_otherwise(text: str) -> bool:
    """Whether a text is a number with a percent sign or a comma."""
    return bool(_PERCENT.fullmatch(text) or ("," in text and _DECIMAL_COMMA.fullmatch(text)))


def invalid_number(noun: str, text: str, expected: str, where: str = "") -> Problem:
    """The problem of a text that is no number; arguments as in `invalid`."""
    hint = "write numbers without a percent sign, as in 0.75 for 75 %" if _PERCENT.fullmatch(text) else ""
    if "," in text and _DECIMAL_COMMA.fullmatch(text):
        hint = "write decimals with a point, as in 0.75, and no sign between thousands"
    return invalid(noun, text, expected, where, hint)


def _with_points(texts: Sequence[str]) -> Sequence[str]:
    """Numbers with a point in place of a decimal comma, if all of them are written so, and commas end no thousands."""
    numbers = list(filter(None, texts))
    if all(map(_THOUSANDS.fullmatch, numbers)) or not all(map(_DECIMAL_COMMA.fullmatch, numbers)):
        return texts
    return [text.replace(",", ".") for text in texts]


def read_numbers(texts: Sequence[str]) -> Read:
    """Texts as numbers; an empty text is missing, and any other text that is not a finite number is unknown."""
    whole = "".join(texts)
    if "," in whole:
        texts = _with_points(texts)
    try:
        if "_" in whole or not whole.isascii():
            raise ValueError
        numbers = np.array([float(text) for text in texts])
    except ValueError:
        numbers = np.array(list(map(finite, texts)), dtype=np.float64)
    states = np.full(len(texts), USABLE, dtype=np.uint8)
    for row in np.flatnonzero(~np.isfinite(numbers)).tolist():
        states[row] = UNKNOWN if texts[row] else MISSING
    return numbers, states


def _read_counts(texts: Sequence[str]) -> Read:
    """Numbers of at least 0, NaN where there is a problem."""
    numbers, states = read_numbers(texts)
    states[numbers < 0] = UNKNOWN
    return np.where(states == USABLE, numbers, np.nan), states


MISSING_WORDS = frozenset({"NA", "N/A", "#N/A", "<NA>", "NaN", "nan", "NULL", "null", "None"})
"""Words that programs write for missing values."""


def missing_words(names: Sequence[str], least: int = 2) -> frozenset[str]:
    """The words for missing values that at least so many names are."""
    words = MISSING_WORDS.intersection(names)
    return frozenset(word for word in words if names.count(word) >= least)


def word_for_missing(word: str, noun: str) -> Problem:
    """The problem of a word for missing values in place of several names; noun: what a name is."""
    hint = "leave out such rows, or write their names; a name that is meant so needs another spelling"
    return excluded(f"{noun} '{word}' in several rows", "it is a word for a missing value", "a name in every row", hint)


_JSON_LINES = '{"COLUMN": …, …}'
_ROW_NUMBERS = re.compile(r"[\s\xad\u200b-\u200f\u2060\ufeff]*|unnamed: [\d.]+|__index_level_\d+__", re.I)
_INDEX = re.compile(r"index|level_\d+", re.I)
"""Names of columns of row numbers: no visible one, or those of pandas, of which `index` may be something else."""


class TableColumns:
    """The columns of a table by their roles; collects the problems of cells until `raise_any`.

    systems: of the rows, named in their problems where a file has several. omit: columns that the user named for other
    roles. roles: the columns that were found.
    """

    def __init__(self, rows: Rows, omit: Iterable[str] = ()) -> None:
        self.rows = rows
        self.omit = frozenset(omit)
        self.roles: dict[Role, str] = {}
        self.path, self.header = self.rows.path, self.rows.header
        self.systems: Sequence[str] = ()
        self.problems: list[Problem] = []
        self._read: set[str] = set()

    @classmethod
    def read(
        cls, source: Source, key: str | None = None, keep: str | None = None, omit: Iterable[str] = ()
    ) -> TableColumns:
        """The table of a source.

        key: the columns that are the id of a row together, such as `item,sentence`. keep: one of these that remains a
        column, too.
        """
        return cls(read_table(source).with_key(key, keep), omit)

    def __len__(self) -> int:
        return len(self.rows)

    @cached_property
    def lines(self) -> Sequence[int]:
        """The lines of the rows."""
        return self.rows.lines()

    def find(self, role: Role, name: str | None = None) -> str | None:
        """The column of a role: the one that the user named, which must exist, or else the usual one."""
        if name is not None and name not in self.header:
            raise no_column(self.rows, name, role.option, is_named=True)
        column = role.column(self.header, self.path, omit=self.omit) if name is None else name
        if column is not None and role.names:
            self.roles[role] = column
        return column

    def need(self, role: Role, name: str | None = None) -> str:
        """The column of a role, without which the table cannot be read."""
        column = self.find(role, name)
        if column is None:
            raise no_column(self.rows, role.names[0], role.option, is_named=False)
        return column

    def texts(self, column: str) -> list[str]:
        """The cells of a column."""
        self._read.add(column)
        return self.rows.column(column)

    def notes(self, *keys: str | None) -> tuple[str, ...]:
        """Notes on row numbers, on columns with names of their own, and on those that were not read and are no keys."""
        numbers = row_numbers(self.header, (*self._read, *keys))
        others = [name for name in self.header if name not in self._read and name not in (*keys, *numbers)]
        return (*row_numbers_note(numbers), *note_on_columns(self.roles, others))

    def filled(self, column: str, noun: str = "", *, names: bool = True) -> list[str]:
        """The cells of a column; problems are empty ones, and if they are names words for missing values in several.

        noun: what a cell is.
        """
        cells = self.texts(column)
        if "" in cells:
            for row in [row for row, cell in enumerate(cells) if not cell]:
                self.reject(row, empty(noun or f"value of '{column}'"))
        if names and (words := missing_words(cells)):
            for row in [row for row, cell in enumerate(cells) if cell in words]:
                self.reject(row, word_for_missing(cells[row], noun or f"value of '{column}'"))
        return cells

    def values(
        self,
        column: str,
        read: Callable[[Sequence[str]], Read],
        expected: str,
        *,
        noun: str = "value",
        optional: bool = False,
    ) -> NDArray[Any]:
        """The values of a column, of which unusable ones are problems.

        noun: what a value is. optional: whether cells may be empty.
        """
        cells = self.texts(column)
        values, states = read(cells)
        wrong = states != USABLE
        if optional:
            wrong &= states != MISSING
        for row in np.flatnonzero(wrong).tolist():
            self.reject(row, invalid_number(noun, cells[row], expected, f" in column '{column}'"))
        return values

    def numbers(self, column: str, *, optional: bool = False) -> NDArray[np.float64]:
        """The numbers of a column; NaN for cells that are empty."""
        expected = "a finite number, or an empty cell" if optional else "a finite number"
        return self.values(column, read_numbers, expected, optional=optional)

    def counts(self, column: str, noun: str = "value") -> NDArray[np.float64]:
        """The numbers of a column, none of them below 0; noun: what a value is."""
        return self.values(column, _read_counts, "a finite number of at least 0", noun=noun)

    def reject(self, row: int, problem: Problem) -> None:
        """Add the problem of a row."""
        located = problem.at(self.path, self.lines[row])
        if self.systems and self.systems[row]:
            located = replace(located, found=f"system '{self.systems[row]}': {problem.found}")
        self.problems.append(located)

    def raise_any(self, *hints: str) -> None:
        """Raise the problems of all cells, if there are any."""
        raise_any(self.problems, *hints)


def read_table(source: Source) -> Rows:
    """The rows of a table in CSV, TSV, JSON lines or Parquet."""
    if isinstance(source, InMemoryRows):
        return source.rows
    if source.suffix == ".parquet":
        from metaeval.io.parquet import read_parquet

        return read_parquet(source)
    text = source.text()
    if not text.strip():
        raise empty_file(source.path_or_name)
    if text.lstrip()[:1] in ("{", "["):
        if rows := document_rows(text, source.path_or_name):
            return rows
        return json_rows(text, source.path_or_name, _JSON_LINES)
    return read_rows(source)


def no_column(rows: Rows, name: str, option: str, *, is_named: bool) -> InputError:
    """The error for a missing column; option: the setting that names it. is_named: whether the user used it."""
    similar = nearest(name, rows.header)
    hint = f"rename the column '{similar[0]}'" if similar else "add the column"
    if option:
        example = f", as in {setting(option, similar[0])}" if similar else "" if is_named else ", or add it"
        hint = f"name {'a' if is_named else 'the'} column of the header with {setting(option)}{example}"
    if len(rows.header) == 1:
        hint = "a table has several columns, which commas or tabs separate in a file"
    return refuse((rows.path, 1), missing_column(rows.header, name, hint))


def row_numbers(
    header: Iterable[str],
    keys: Container[str | None] = (),
    cells: Callable[[str], Sequence[str]] | None = None,
    index: Container[str] = (),
) -> tuple[str, ...]:
    """The columns of row numbers that are no keys.

    cells: of a column, which tell whether `index` numbers the rows. index: columns of the index of a data frame.
    """

    def counts(name: str) -> bool:
        texts = cells(name) if cells is not None and _INDEX.fullmatch(name) else []
        return bool(texts) and texts == [str(row + (texts[0] == "1")) for row in range(len(texts))]

    return tuple(
        name for name in header if name not in keys and (name in index or _ROW_NUMBERS.fullmatch(name) or counts(name))
    )


def row_numbers_note(names: Iterable[str]) -> tuple[str, ...]:
    """A note on columns that are ignored; () without them."""
    text = ", ".join(f"'{name}'" for name in dict.fromkeys(names))
    return (f"columns of row numbers are ignored: {text}",) if text else ()
