"""The results of a command: tables, notes, findings and provenance; nothing about how they are rendered."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any, NamedTuple

from metaeval.errors import UnknownName

if TYPE_CHECKING:
    import pandas

Cell = str | float | int | bool | None


class Kind(Enum):
    """What the cells of a column are, for a renderer to align and round."""

    TEXT = "text"
    SCORE = "score"
    """A full-precision number that a terminal may round."""
    COUNT = "count"
    FLAG = "flag"


@dataclass(frozen=True)
class Column:
    """A named column.

    name: public, stable, the key in JSON and the header in CSV.
    kind: what its cells are.
    higher_is_better: set for a column of scores, so that a renderer can mark the best.
    bands: limits between weak, medium and strong values, so that a renderer can colour them.
    head: a shorter header for tables that are read on screen; '' for the name.
    """

    name: str
    kind: Kind = Kind.TEXT
    higher_is_better: bool | None = None
    bands: tuple[float, ...] = ()
    head: str = ""

    def layout(self) -> dict[str, Any]:
        """As plain values; what is as usual is left out."""
        layout: dict[str, Any] = {"name": self.name, "kind": self.kind.value}
        if self.higher_is_better is not None:
            layout["higher_is_better"] = self.higher_is_better
        if self.bands:
            layout["bands"] = list(self.bands)
        if self.head:
            layout["head"] = self.head
        return layout


@dataclass(frozen=True)
class Table:
    """Rows of plain cells under named columns; NaN means undefined.

    Parameters
    ----------
    name
        Stable name, the key in JSON.
    title
        One line for readers.
    columns
        Names of the columns, and how their cells are shown.
    rows
        Cells of each row.
    beside
        A table of the same rows; rendered tables show its columns in parentheses (ranks beside scores).
    detail
        Whether a terminal mentions the table only; data formats and folders contain it.
    """

    name: str
    title: str
    columns: tuple[Column, ...]
    rows: Sequence[tuple[Cell, ...]]
    beside: Table | None = None
    detail: bool = False

    def __post_init__(self) -> None:
        # Rows that are made when they are read would have to be made twice.
        for row in self.rows if isinstance(self.rows, tuple) else ():
            if len(row) != len(self.columns):
                raise ValueError(f"a row of {len(row)} cells under {len(self.columns)} columns in table '{self.name}'")

    def layout(self) -> dict[str, Any]:
        """What is rendered of the table beside its cells, as plain values: enough to restore it from `records`."""
        return {
            "title": self.title,
            "detail": self.detail,
            "beside": self.beside.name if self.beside is not None else None,
            "columns": [column.layout() for column in self.columns],
        }

    def records(self) -> list[dict[str, Cell]]:
        """One plain object a row; NaN is None."""
        names = [column.name for column in self.columns]
        return [{name: plain(cell) for name, cell in zip(names, row, strict=True)} for row in self.rows]


@dataclass(frozen=True)
class SourceFile:
    """A file that was read: its path as the user named it, its role ('gold', 'run', 'config'), its SHA-256."""

    path: str
    role: str
    sha256: str


@dataclass(frozen=True)
class Provenance:
    """Where a result comes from, enough to compute it again.

    version: of metaeval. versions: of the libraries that took part.
    command_line: as typed; empty from Python.
    touched: what the policies changed or dropped, as counts by a name.
    settings: the settings of the command, as plain values.
    """

    version: str
    command_line: str = ""
    files: tuple[SourceFile, ...] = ()
    versions: Mapping[str, str] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    touched: Mapping[str, int] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return asdict(self) | {"files": [asdict(file) for file in self.files]}


@dataclass(frozen=True)
class Finding:
    """A result of the tables in a sentence.

    Parameters
    ----------
    criterion
        The analysis it belongs to, as 'stability'.
    sentence
        The sentence, without a full stop.
    """

    criterion: str
    sentence: str


@dataclass(frozen=True)
class Report:
    """The result of one command.

    Parameters
    ----------
    command
        Name of the command.
    signature
        One line that makes the numbers comparable, as `metaeval:0.1.0|task:fnc1|n:7064|…`.
    tables
        The main table first.
    notes
        Sentences that explain the tables.
    provenance
        Files, versions and settings that the numbers come from.
    findings
        Sentences that summarise the tables.
    """

    command: str
    signature: str
    tables: tuple[Table, ...]
    notes: tuple[str, ...]
    provenance: Provenance
    findings: tuple[Finding, ...] = ()

    @property
    def main(self) -> Table:
        """The table that CSV prints."""
        return self.tables[0]

    def all_tables(self) -> tuple[Table, ...]:
        """Every table, those beside another after it."""
        return tuple(table for main in self.tables for table in (main, main.beside) if table is not None)

    def to_dict(self) -> dict[str, Any]:
        """The JSON shape: command, signature, findings, tables, notes, provenance, layout."""
        return {
            "command": self.command,
            "signature": self.signature,
            "findings": [asdict(finding) for finding in self.findings],
            "tables": {table.name: table.records() for table in self.all_tables()},
            "notes": list(self.notes),
            "provenance": self.provenance.to_dict(),
            "layout": {table.name: table.layout() for table in self.all_tables()},
        }

    def table(self, name: str | None = None) -> Table:
        """A table by its name.

        Parameters
        ----------
        name
            A table; None for the main one.

        Raises
        ------
        UnknownName
            If there is no such table.
        """
        by_name = {candidate.name: candidate for candidate in self.all_tables()}
        key = self.main.name if name is None else name
        if key not in by_name:
            raise UnknownName("table", str(key), by_name)
        return by_name[key]

    def to_pandas(self, table: str | None = None) -> pandas.DataFrame:
        """One table as a data frame.

        Parameters
        ----------
        table
            Name of a table; None for the main one.

        Raises
        ------
        UnknownName
            If there is no such table.
        """
        import pandas

        chosen = self.table(table)
        return pandas.DataFrame(list(chosen.rows), columns=[column.name for column in chosen.columns])


class AnalysisOutput(NamedTuple):
    """What an analysis adds to a report. files: those that only it has read."""

    tables: Sequence[Table]
    notes: Sequence[str] = ()
    findings: Sequence[Finding] = ()
    files: Sequence[SourceFile] = ()

    def after(self, *, notes: Sequence[str] = (), files: Sequence[SourceFile] = ()) -> AnalysisOutput:
        """The output with what is to be said before it, and files that were read for it."""
        return self._replace(notes=(*notes, *self.notes), files=(*files, *self.files))


def plain(cell: Cell) -> Cell:
    """The cell as JSON knows it: NaN and infinities are None, which JSON calls null."""
    return None if isinstance(cell, float) and not math.isfinite(cell) else cell


def signature(version: str, fields: Iterable[tuple[str, object]]) -> str:
    """The one-line signature under every table.

    >>> signature("0.1.0", [("task", "fnc1"), ("n", 7064)])
    'metaeval:0.1.0|task:fnc1|n:7064'
    """
    return "|".join([f"metaeval:{version}", *(f"{name}:{value}" for name, value in fields)])
