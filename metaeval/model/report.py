"""The results of a command: tables, notes, findings and provenance; nothing about how they are rendered."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from enum import Enum
from itertools import combinations, product
from typing import TYPE_CHECKING, Any, NamedTuple

from metaeval.errors import InputError, UnknownName

if TYPE_CHECKING:
    import pandas

Cell = str | float | int | bool | None


class Kind(Enum):
    """The kind of the cells of a column, by which a renderer aligns and rounds."""

    TEXT = "text"
    SCORE = "score"
    """A full-precision number that a terminal may round."""
    COUNT = "count"
    FLAG = "flag"


@dataclass(frozen=True)
class Column:
    """A named column.

    name: public and stable, the key in JSON and the header in CSV. kind: of its cells. higher_is_better: for a column
    of scores, so that a renderer can mark the best. bands: limits between weak, medium and strong values, for colours.
    head: a shorter header on screen; '' for the name. values: all possible texts of the cells, so that a misspelt text
    in a gate is an error; () where any text is possible. about: what the column means, for the note under its table and
    the pages of the documentation.
    """

    name: str
    kind: Kind = Kind.TEXT
    higher_is_better: bool | None = None
    bands: tuple[float, ...] = ()
    head: str = ""
    values: tuple[str, ...] = ()
    about: str = ""

    def layout(self) -> dict[str, Any]:
        """The fields as plain values, without defaults after the kind."""
        lists = {"bands": list(self.bands), "values": list(self.values)}
        optional = {"higher_is_better": self.higher_is_better, "head": self.head, **lists}
        set_values = {name: value for name, value in optional.items() if value not in (None, [], "")}
        return {"name": self.name, "kind": self.kind.value, **set_values}


def columns(kind: Kind, *names: str) -> list[Column]:
    """Columns of one kind."""
    return [Column(name, kind) for name in names]


@dataclass(frozen=True)
class Table:
    """Rows of plain cells under named columns; NaN and infinite numbers mean undefined.

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
        A table of the same rows, whose cells are rendered in parentheses (ranks with scores).
    detail
        Whether a terminal only names the table; data formats and folders contain it.
    """

    name: str
    title: str
    columns: tuple[Column, ...]
    rows: Sequence[tuple[Cell, ...]]
    beside: Table | None = None
    detail: bool = False

    def __post_init__(self) -> None:
        # Other sequences compute their rows on access.
        for row in self.rows if isinstance(self.rows, tuple) else ():
            if len(row) != len(self.columns):
                raise ValueError(f"a row of {len(row)} cells under {len(self.columns)} columns in table '{self.name}'")

    def layout(self) -> dict[str, Any]:
        """All but the cells, as plain values: enough to restore the table from `records`."""
        return {
            "title": self.title,
            "detail": self.detail,
            "beside": self.beside.name if self.beside is not None else None,
            "columns": [column.layout() for column in self.columns],
        }

    def records(self) -> list[dict[str, Cell]]:
        """A dictionary per row; NaN is None."""
        names = [column.name for column in self.columns]
        return [{name: plain(cell) for name, cell in zip(names, row, strict=True)} for row in self.rows]


class Cells(NamedTuple):
    """A column with its cells, one for each row; a single text, number or None stands in all rows."""

    column: Column
    cells: Any


def text(name: str, cells: Any, *, about: str = "", head: str = "", values: tuple[str, ...] = ()) -> Cells:
    """A column of texts."""
    return Cells(Column(name, Kind.TEXT, about=about, head=head, values=values), cells)


def score(
    name: str,
    cells: Any,
    *,
    about: str = "",
    head: str = "",
    higher_is_better: bool | None = None,
    bands: tuple[float, ...] = (),
) -> Cells:
    """A column of full-precision numbers."""
    return Cells(Column(name, Kind.SCORE, higher_is_better, bands, head, about=about), cells)


def count(
    name: str,
    cells: Any,
    *,
    about: str = "",
    head: str = "",
    higher_is_better: bool | None = None,
    where: Iterable[Any] | None = None,
) -> Cells:
    """A column of whole numbers; where: which rows have one, (rows,), by default all."""
    if where is not None:
        cells = [cell if has_one else None for cell, has_one in zip(_listed(cells), where, strict=True)]
    return Cells(Column(name, Kind.COUNT, higher_is_better, head=head, about=about), cells)


def flag(name: str, cells: Any, *, about: str = "", head: str = "") -> Cells:
    """A column of truth values."""
    return Cells(Column(name, Kind.FLAG, head=head, about=about), cells)


def scores(names: Iterable[str], cells: Iterable[Any], *, about: str = "") -> list[Cells]:
    """Columns of full-precision numbers with one meaning; cells: of each column."""
    return [score(name, column, about=about) for name, column in zip(names, cells, strict=True)]


def counts(names: Iterable[str], cells: Iterable[Any], *, about: str = "") -> list[Cells]:
    """Columns of whole numbers with one meaning; cells: of each column."""
    return [count(name, column, about=about) for name, column in zip(names, cells, strict=True)]


def crossed(*names: Iterable[Any]) -> list[list[Any]]:
    """The cells of columns with a row for each combination of names, the last names first.

    >>> crossed(["accuracy", "mcc"], [1, 2])
    [['accuracy', 'accuracy', 'mcc', 'mcc'], [1, 2, 1, 2]]
    """
    columns: list[list[Any]] = [[] for _ in names]
    for row in product(*names):
        for column, cell in zip(columns, row, strict=True):
            column.append(cell)
    return columns


def table(
    name: str,
    title: str,
    *columns: Cells,
    order: Sequence[int] | None = None,
    beside: Table | None = None,
    detail: bool = False,
) -> Table:
    """A table from its columns; order: the indices of the cells that become rows, by default all.

    >>> table("t", "Two", text("measure", ["a", "b"]), score("mean", [0.5, 1.0]), count("trials", 9), order=[1, 0]).rows
    (('b', 1.0, 9), ('a', 0.5, 9))
    """
    lists = [_listed(cells) for _, cells in columns]
    lengths = [len(cells) for cells in lists if isinstance(cells, list)]
    rows = lengths[0] if lengths else len(order or ())
    filled = [cells if isinstance(cells, list) else [cells] * rows for cells in lists]
    if order is not None:
        filled = [[cells[index] for index in order] for cells in filled]
    return Table(name, title, tuple(column for column, _ in columns), tuple(zip(*filled, strict=True)), beside, detail)


def pair_table(
    name: str,
    title: str,
    names: Sequence[str],
    order: Sequence[int],
    *,
    keys: tuple[str, str] = ("measure", "other"),
    detail: bool = True,
    **matrices: Any,
) -> Table:
    """A row for each pair of names, the first before the second in this order.

    keys: the columns of the names. matrices: scores of pairs, (M, M).
    """
    pairs = list(combinations(order, 2))
    texts = (text(key, [names[pair[side]] for pair in pairs]) for side, key in enumerate(keys))
    numbers = (score(head, [float(matrix[pair]) for pair in pairs]) for head, matrix in matrices.items())
    return table(name, title, *texts, *numbers, detail=detail)


def joined(tables: Iterable[Table]) -> Table:
    """The rows of tables with the same columns, below each other."""
    first, *others = tables
    return replace(first, rows=(*first.rows, *(row for other in others for row in other.rows)))


def explained(table: Table, meanings: Mapping[str, str]) -> Table:
    """A table whose columns say what they mean; meanings: by their names."""
    columns = (replace(column, about=meanings.get(column.name, column.about)) for column in table.columns)
    return replace(table, columns=tuple(columns))


def notes_on_columns(table: Table, *selections: Sequence[str], named: bool = True) -> list[str]:
    """What the columns of a table mean, a note for each selection of their names; by default for each meaning.

    Columns of one meaning are named together. named: whether the note begins with their names.

    >>> both = table("t", "Means", *scores(("low", "high"), ([0.1], [0.3]), about="95 % interval"))
    >>> notes_on_columns(both)
    ['low, high: 95 % interval']
    """
    names_by_meaning: dict[str, list[str]] = {}
    for column in table.columns:
        if column.about:
            names_by_meaning.setdefault(column.about, []).append(column.name)
    flags = {column.name: f"{column.name} (•)" for column in table.columns if column.kind is Kind.FLAG}
    notes = []
    for selection in selections or names_by_meaning.values():
        meanings = {about: names for about, names in names_by_meaning.items() if not set(names).isdisjoint(selection)}
        if meanings:
            heads = {about: ", ".join(flags.get(name, name) for name in names) for about, names in meanings.items()}
            clauses = [f"{head}: {about}" if named else about for about, head in heads.items()]
            notes.append(Note("; ".join(clauses), columns=tuple(selection)))
    return [str(note) for note in notes]


def _listed(cells: Any) -> Any:
    """The cells of a column as a list of plain values, or the single cell of all rows."""
    if hasattr(cells, "tolist"):
        cells = cells.tolist()
    return list(cells) if hasattr(cells, "__len__") and not isinstance(cells, str) else cells


@dataclass(frozen=True)
class SourceFile:
    """A file that was read: its path as the user named it, its role ('gold', 'run', 'config'), its SHA-256."""

    path: str
    role: str
    sha256: str


@dataclass(frozen=True)
class Provenance:
    """The provenance of a result, enough to compute it again.

    version: of metaeval. versions: of the libraries. command_line: as typed; empty from Python. repairs: how much the
    policies changed or dropped. settings: of the command, as plain values. titles: of the measures, by name. sources:
    keys of the works that the measures come from, by name.
    """

    version: str
    command_line: str = ""
    files: tuple[SourceFile, ...] = ()
    versions: Mapping[str, str] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    repairs: Mapping[str, int] = field(default_factory=dict)
    titles: Mapping[str, str] = field(default_factory=dict)
    sources: Mapping[str, str] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return asdict(self) | {"files": [asdict(file) for file in self.files]}


@dataclass(frozen=True)
class Note:
    """A sentence that explains tables.

    text: the sentence, without a full stop. columns: the columns that it explains; () where it explains none. absent:
    the table that is missing for this reason. remedy: what to do about it.
    """

    text: str
    columns: tuple[str, ...] = ()
    absent: str = ""
    remedy: str = ""

    def __str__(self) -> str:
        return f"{self.text}; {self.remedy}" if self.remedy else self.text


@dataclass(frozen=True)
class Finding:
    """A result of the tables in a sentence.

    Parameters
    ----------
    criterion
        The analysis, as 'stability'.
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
        One line that says which numbers are comparable, as `metaeval:0.1.0|task:fnc1|n:7064|…`.
    tables
        The main table first.
    notes
        Sentences that explain the tables.
    provenance
        Files, versions and settings.
    findings
        Sentences that summarise the tables.
    methods
        Sentences for a paper that describe the data and what was inferred from them, and how; none where nothing was.
    notes_of
        The notes of each analysis, of several; a note of two analyses is in both.
    groups
        Groups of items that were analysed apart; their tables begin with the column `group`.
    """

    command: str
    signature: str
    tables: tuple[Table, ...]
    notes: tuple[str, ...]
    provenance: Provenance
    findings: tuple[Finding, ...] = ()
    methods: tuple[str, ...] = ()
    notes_of: Mapping[str, Sequence[str]] = field(default_factory=dict)
    groups: tuple[str, ...] = ()

    @property
    def main(self) -> Table:
        """The table that CSV prints."""
        return self.tables[0]

    def shown_and_details(self) -> tuple[list[Table], list[str]]:
        """The tables that a reader is shown, and the names of the detail tables."""
        return [each for each in self.tables if not each.detail], [each.name for each in self.tables if each.detail]

    def all_tables(self) -> tuple[Table, ...]:
        """Every table, followed by the table beside it."""
        return tuple(table for main in self.tables for table in (main, main.beside) if table is not None)

    def to_dict(self) -> dict[str, Any]:
        """The JSON shape: command, signature, findings, tables, notes, methods, groups, provenance, layout."""
        return {
            "command": self.command,
            "signature": self.signature,
            "findings": [asdict(finding) for finding in self.findings],
            "tables": {table.name: table.records() for table in self.all_tables()},
            "notes": list(self.notes),
            **({"notes_of": {name: list(notes) for name, notes in self.notes_of.items()}} if self.notes_of else {}),
            **({"methods": list(self.methods)} if self.methods else {}),
            **({"groups": list(self.groups)} if self.groups else {}),
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
            for reason, _, remedy in (note.rpartition("; ") for note in self.notes if f"no {key}:" in note):
                raise InputError.at(found=reason, expected=f"one of the tables {', '.join(by_name)}", hint=remedy)
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
    """The output of an analysis in a report. files: those that only this analysis reads. methods: see `Report`."""

    tables: Sequence[Table]
    notes: Sequence[str] = ()
    findings: Sequence[Finding] = ()
    files: Sequence[SourceFile] = ()
    methods: Sequence[str] = ()

    def after(self, *, notes: Sequence[str] = (), files: Sequence[SourceFile] = ()) -> AnalysisOutput:
        """The output with notes before its own, and further files."""
        return self._replace(notes=(*notes, *self.notes), files=(*files, *self.files))


def plain(cell: Cell) -> Cell:
    """The cell as a value of JSON: NaN and infinities are None."""
    return None if isinstance(cell, float) and not math.isfinite(cell) else cell


def signature(version: str, fields: Iterable[tuple[str, object]]) -> str:
    """The one-line signature under every table.

    >>> signature("0.1.0", [("task", "fnc1"), ("n", 7064)])
    'metaeval:0.1.0|task:fnc1|n:7064'
    """
    return "|".join([f"metaeval:{version}", *(f"{name}:{value}" for name, value in fields)])
