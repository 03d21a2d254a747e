"""The printed tables of papers, read from the YAML files beside this module."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any, NamedTuple

import yaml

from metaeval.errors import InputError, UnknownName

PAPERS = ("amemiya2021", "hirao2006", "inoue2020", "ordinal2022", "scarton2020")
"""Keys of the papers; `metaeval.model.works` has the references."""

ABSENT = "—"
"""An empty cell of a printed table."""

TEXT = "text"
"""The `Place.table` of a number in the running text: its part is the section, its column what the number is about."""

_NUMBER = re.compile(r"-?(\d[\d,]*)?(\.(?P<fraction>\d+))?%?", re.ASCII)
_RANKED = re.compile(r"(?P<text>.+) \((?P<rank>\d+)\)", re.ASCII)
# The mean of floats may miss the end of an interval by rounding error.
_TOLERANCE = 1e-9


class Place(NamedTuple):
    """Where a number is printed."""

    table: str
    part: str
    row: str
    column: str


@dataclass(frozen=True)
class Printed:
    """A printed number, or a word in a table of numbers.

    text: as printed: '.319', '1,004', '94.8%' (value 94.8), 'A/B'. rank: the rank printed after a score, or None.

    >>> score = Printed("0.784", rank=1)
    >>> score.value, score.decimals, score.rank
    (0.784, 3, 1)
    """

    text: str
    rank: int | None = None

    @property
    def is_number(self) -> bool:
        """Whether it is a number and not a word."""
        return any(map(str.isdigit, self.text)) and _NUMBER.fullmatch(self.text) is not None

    @property
    def value(self) -> float:
        """The number; an `InputError` for a word."""
        self._fraction()
        return float(self.text.removesuffix("%").replace(",", ""))

    @property
    def decimals(self) -> int:
        """Number of decimals; an `InputError` for a word."""
        return len(self._fraction())

    @property
    def interval(self) -> tuple[float, float]:
        """Ends of the interval of the numbers that round to it: low ≤ number < high.

        >>> Printed("0.25").interval
        (0.245, 0.255)
        """
        return self._between(-0.5, 0.5)

    @property
    def truncation_interval(self) -> tuple[float, float]:
        """Ends of the interval of the numbers that are truncated to it, towards zero.

        >>> Printed("0.25").truncation_interval, Printed("-0.25").truncation_interval
        ((0.25, 0.26), (-0.26, -0.25))
        """
        if self.value == 0:
            return self._between(-1, 1)
        return self._between(-1, 0) if self.value < 0 else self._between(0, 1)

    def rounds(self, number: float) -> bool:
        """Whether a number rounds to it; half a unit of the last decimal may be rounded up or down.

        >>> Printed("0.142").rounds(1 / 7), Printed("0.143").rounds(1 / 7)
        (False, True)
        """
        low, high = self.interval
        return low - _TOLERANCE <= number <= high + _TOLERANCE

    def truncates(self, number: float) -> bool:
        """Whether a number is truncated to it.

        >>> Printed("0.142").truncates(1 / 7), Printed("0.143").truncates(1 / 7)
        (True, False)
        """
        low, high = self.truncation_interval
        return abs(number - self.value) <= _TOLERANCE or low + _TOLERANCE < number < high - _TOLERANCE

    def _between(self, below: float, above: float) -> tuple[float, float]:
        unit = 10.0**-self.decimals
        low, high = (round(self.value + step * unit, self.decimals + 1) for step in (below, above))
        return low, high

    def _fraction(self) -> str:
        match = _NUMBER.fullmatch(self.text)
        if match is None or not self.is_number:
            raise InputError.at(found=f"the word '{self.text}'", expected="a printed number")
        return match["fraction"] or ""


@dataclass(frozen=True)
class PublishedTable:
    """A table of a paper, or one block of it.

    number: as the paper counts ('3'), or a word for a table without a number ('weights'). part: the block ('short'),
    or ''. title: our description. rows, columns: what rows and columns are ('data set', 'system'). header, names: names
    of the columns and of the rows, in printed order. cells: by row and column; None for an empty cell.
    """

    number: str
    part: str
    title: str
    rows: str
    columns: str
    header: tuple[str, ...]
    names: tuple[str, ...]
    cells: tuple[tuple[Printed | None, ...], ...]

    @property
    def label(self) -> str:
        """Number and part, as '3 short'."""
        return f"{self.number} {self.part}".strip()

    def row(self, name: str) -> dict[str, Printed]:
        """The cells of a row by column, without empty ones; `UnknownName` if there is no such row."""
        cells = self.cells[_position(self.rows, name, self.names)]
        return {column: cell for column, cell in zip(self.header, cells, strict=True) if cell is not None}

    def column(self, name: str) -> dict[str, Printed]:
        """The cells of a column by row, without empty ones; `UnknownName` if there is no such column."""
        position = _position(self.columns, name, self.header)
        cells = zip(self.names, (row[position] for row in self.cells), strict=True)
        return {row: cell for row, cell in cells if cell is not None}

    def cell(self, row: str, column: str) -> Printed:
        """One cell; an `InputError` if it is empty.

        >>> read_paper("hirao2006").table("3", "short").cell("D1", "sys2")
        Printed(text='.215', rank=None)
        """
        cell = self.cells[_position(self.rows, row, self.names)][_position(self.columns, column, self.header)]
        if cell is None:
            raise InputError.at(
                found=f"nothing in row '{row}' and column '{column}' of table {self.label}", expected="a printed cell"
            )
        return cell

    def place(self, row: str, column: str) -> Place:
        """The place of a cell."""
        return Place(self.number, self.part, row, column)

    def rank_place(self, row: str, column: str) -> Place:
        """The place of the rank after a score."""
        return self.place(row, f"{column} rank")


@dataclass(frozen=True)
class Statement:
    """A number of the running text.

    section: as '5.1'. name: our description. about: the measure, system or class that it describes, or ''.
    """

    section: str
    name: str
    value: Printed
    about: str = ""

    @property
    def place(self) -> Place:
        """The place of the number."""
        return Place(TEXT, self.section, self.name, self.about)


@dataclass(frozen=True)
class Paper:
    """The tables of a paper, and the numbers of its text. key: as in `PAPERS`.

    needs: the data from which its numbers follow, by table, or 'other'; empty where the authors chose all of them.
    choices: the names of statements that they chose. choice: what these numbers are.
    """

    key: str
    tables: tuple[PublishedTable, ...]
    statements: tuple[Statement, ...]
    needs: Mapping[str, str]
    choices: Sequence[str]
    choice: str

    def table(self, number: str, part: str = "") -> PublishedTable:
        """A table; `UnknownName` if there is none of that number and part."""
        labels = [table.label for table in self.tables]
        return self.tables[_position("table", f"{number} {part}".strip(), labels)]

    def statement(self, name: str, about: str = "") -> Statement:
        """A number of the text; `UnknownName` if there is no such number.

        >>> read_paper("hirao2006").statement("Kendall's W", "short").value.text
        '0.849'
        """
        titles = [f"{one.name}: {one.about}" if one.about else one.name for one in self.statements]
        return self.statements[_position("statement", f"{name}: {about}" if about else name, titles)]


@cache
def read_paper(key: str) -> Paper:
    """The printed numbers of a paper; `UnknownName` for a key that is not in `PAPERS`.

    >>> read_paper("inoue2020").table("1").cell("train", "questions").value
    2612.0
    """
    if key not in PAPERS:
        raise UnknownName("paper", key, PAPERS)
    text = resources.files(__package__).joinpath(f"{key}.yaml").read_text(encoding="utf-8")
    document = yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    statements = (
        Statement(entry["section"], entry["name"], Printed(entry["value"]), entry.get("about", ""))
        for entry in document["statements"]
    )
    return Paper(
        document["paper"],
        tuple(map(_table, document["tables"])),
        tuple(statements),
        document.get("needs", {}),
        document.get("choices", ()),
        document.get("choice", "a choice of the authors"),
    )


def _table(entry: Mapping[str, Any]) -> PublishedTable:
    header: list[str] = entry["header"]
    cells: dict[str, list[str]] = entry["cells"]
    for name, row in cells.items():
        if len(row) != len(header):
            raise InputError.at(found=f"{len(row)} cells in row '{name}'", expected=f"{len(header)} as in the header")
    heading = entry["table"], entry.get("part", ""), entry["title"], entry["rows"], entry["columns"]
    rows = tuple(tuple(map(_cell, row)) for row in cells.values())
    return PublishedTable(*heading, tuple(header), tuple(cells), rows)


def _cell(text: str) -> Printed | None:
    if text == ABSENT:
        return None
    ranked = _RANKED.fullmatch(text)
    return Printed(ranked["text"], int(ranked["rank"])) if ranked else Printed(text)


def _position(kind: str, name: str, known: Sequence[str]) -> int:
    if name not in known:
        raise UnknownName(kind, name, known)
    return known.index(name)
