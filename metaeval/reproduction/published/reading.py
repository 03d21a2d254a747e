"""The printed tables of papers, read from the YAML files beside this module."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

import numpy as np
import yaml
from numpy.typing import NDArray

from metaeval.errors import InputError, UnknownName

PAPERS = ("amemiya2021", "hirao2006", "inoue2020", "ordinal2022", "scarton2020")
"""Keys of the papers whose numbers are here; `metaeval.measures.sources` has the references."""

ABSENT = "—"
"""A cell in which the paper has nothing."""

_NUMBER = re.compile(r"-?(\d[\d,]*)?(\.(?P<fraction>\d+))?%?", re.ASCII)
_RANKED = re.compile(r"(?P<text>.+) \((?P<rank>\d+)\)", re.ASCII)
# A mean of floats may fall just beside the end of an interval on which it lies.
_TOLERANCE = 1e-9


@dataclass(frozen=True)
class Printed:
    """A number as a paper prints it, or a word that stands in a table among the numbers.

    text: as printed: '.319', '1,004', '94.8%' (of value 94.8), 'A/B'.
    rank: the place in parentheses behind a score, or None.

    >>> score = Printed("0.784", rank=1)
    >>> score.value, score.decimals, score.rank
    (0.784, 3, 1)
    """

    text: str
    rank: int | None = None

    @property
    def is_number(self) -> bool:
        """Whether it is a number and no word."""
        return any(map(str.isdigit, self.text)) and _NUMBER.fullmatch(self.text) is not None

    @property
    def value(self) -> float:
        """The number; of a word an `InputError`."""
        self._fraction()
        return float(self.text.removesuffix("%").replace(",", ""))

    @property
    def decimals(self) -> int:
        """Digits behind the point; of a word an `InputError`."""
        return len(self._fraction())

    @property
    def interval(self) -> tuple[float, float]:
        """Lowest and highest of the numbers that round to it: low ≤ number < high.

        >>> Printed("0.25").interval
        (0.245, 0.255)
        """
        return self._between(-0.5, 0.5)

    @property
    def truncation_interval(self) -> tuple[float, float]:
        """Ends of the numbers that have its digits once the others are cut off: towards zero, its own value included.

        >>> Printed("0.25").truncation_interval, Printed("-0.25").truncation_interval
        ((0.25, 0.26), (-0.26, -0.25))
        """
        if self.value == 0:
            return self._between(-1, 1)
        return self._between(-1, 0) if self.value < 0 else self._between(0, 1)

    def rounds(self, number: float) -> bool:
        """Whether a number rounds to it; half a last digit may go either way.

        >>> Printed("0.142").rounds(1 / 7), Printed("0.143").rounds(1 / 7)
        (False, True)
        """
        low, high = self.interval
        return low - _TOLERANCE <= number <= high + _TOLERANCE

    def truncates(self, number: float) -> bool:
        """Whether a number has its digits once the others are cut off.

        >>> Printed("0.142").truncates(1 / 7), Printed("0.143").truncates(1 / 7)
        (True, False)
        """
        low, high = self.truncation_interval
        own = abs(number - self.value) <= _TOLERANCE
        return own or low + _TOLERANCE < number < high - _TOLERANCE

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
class Doubt:
    """A cell that may not be what the paper means, or what it prints, and why."""

    row: str
    column: str
    reason: str


@dataclass(frozen=True)
class PublishedTable:
    """A table of a paper, or one block of a table that has several.

    number: as the paper counts ('3'), or a word where it counts none ('weights').
    part: the block ('short'), or ''. title: in our words.
    rows, columns: what the rows and the columns are ('data set', 'system').
    header, names: names of the columns and of the rows, in printed order.
    cells: by row and column; None where the paper has nothing.
    notes: what has to be known to read or recompute it.
    """

    number: str
    part: str
    title: str
    rows: str
    columns: str
    header: tuple[str, ...]
    names: tuple[str, ...]
    cells: tuple[tuple[Printed | None, ...], ...]
    notes: tuple[str, ...] = ()
    doubtful: tuple[Doubt, ...] = ()

    @property
    def label(self) -> str:
        """Number and part, as '3 short'."""
        return f"{self.number} {self.part}".strip()

    def row(self, name: str) -> tuple[Printed | None, ...]:
        """The cells of a row; `UnknownName` where there is none of that name."""
        return self.cells[_position(self.rows, name, self.names)]

    def column(self, name: str) -> tuple[Printed | None, ...]:
        """The cells of a column; `UnknownName` where there is none of that name."""
        position = _position(self.columns, name, self.header)
        return tuple(row[position] for row in self.cells)

    def cell(self, row: str, column: str) -> Printed:
        """One cell; an `InputError` where the paper has nothing.

        >>> read_paper("hirao2006").table("3", "short").cell("D1", "sys2")
        Printed(text='.215', rank=None)
        """
        found = self.row(row)[_position(self.columns, column, self.header)]
        if found is None:
            raise InputError.at(
                found=f"nothing in row '{row}' and column '{column}' of table {self.label}", expected="a printed cell"
            )
        return found

    def array(self) -> NDArray[np.float64]:
        """The values, rows × columns; NaN where the paper has nothing or a word."""
        values = [[cell.value if cell and cell.is_number else np.nan for cell in row] for row in self.cells]
        return np.array(values, dtype=np.float64)


@dataclass(frozen=True)
class Statement:
    """A number of the running text.

    section: where it stands ('5.1'). name: what it is, in our words.
    about: the measure, system or class of which it is said, or ''.
    doubtful: why it may not be what the paper means, or ''.
    """

    section: str
    name: str
    value: Printed
    about: str = ""
    doubtful: str = ""


@dataclass(frozen=True)
class Paper:
    """The tables and the numbers of the text of a paper. key: as in `PAPERS`."""

    key: str
    tables: tuple[PublishedTable, ...]
    statements: tuple[Statement, ...]

    def table(self, number: str, part: str = "") -> PublishedTable:
        """A table; `UnknownName` where there is none of that number and part."""
        labels = [table.label for table in self.tables]
        return self.tables[_position("table", f"{number} {part}".strip(), labels)]

    def statement(self, name: str, about: str = "") -> Statement:
        """A number of the text; `UnknownName` where there is none.

        >>> read_paper("hirao2006").statement("Kendall's W", "short").value.text
        '0.849'
        """
        titles = [f"{one.name}: {one.about}" if one.about else one.name for one in self.statements]
        return self.statements[_position("statement", f"{name}: {about}" if about else name, titles)]


@cache
def read_paper(key: str) -> Paper:
    """What a paper printed; `UnknownName` for a key that is not in `PAPERS`.

    >>> read_paper("inoue2020").table("1").cell("train", "questions").value
    2612.0
    """
    if key not in PAPERS:
        raise UnknownName("paper", key, PAPERS)
    text = resources.files(__package__).joinpath(f"{key}.yaml").read_text(encoding="utf-8")
    document = yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    return Paper(
        key=document["paper"],
        tables=tuple(_table(entry) for entry in document["tables"]),
        statements=tuple(_statement(entry) for entry in document["statements"]),
    )


def _table(entry: Mapping[str, Any]) -> PublishedTable:
    header: list[str] = entry["header"]
    cells: dict[str, list[str]] = entry["cells"]
    for name, row in cells.items():
        if len(row) != len(header):
            raise InputError.at(found=f"{len(row)} cells in row '{name}'", expected=f"{len(header)} as in the header")
    return PublishedTable(
        number=entry["table"],
        part=entry.get("part", ""),
        title=entry["title"],
        rows=entry["rows"],
        columns=entry["columns"],
        header=tuple(header),
        names=tuple(cells),
        cells=tuple(tuple(_cell(text) for text in row) for row in cells.values()),
        notes=tuple(entry.get("notes", ())),
        doubtful=tuple(Doubt(**doubt) for doubt in entry.get("doubtful", ())),
    )


def _statement(entry: Mapping[str, str]) -> Statement:
    return Statement(
        section=entry["section"],
        name=entry["name"],
        value=Printed(entry["value"]),
        about=entry.get("about", ""),
        doubtful=entry.get("doubtful", ""),
    )


def _cell(text: str) -> Printed | None:
    if text == ABSENT:
        return None
    ranked = _RANKED.fullmatch(text)
    return Printed(ranked["text"], int(ranked["rank"])) if ranked else Printed(text)


def _position(kind: str, name: str, known: Sequence[str]) -> int:
    if name not in known:
        raise UnknownName(kind, name, known)
    return known.index(name)
