"""The results of a command: tables, notes, findings and provenance; nothing about how they are rendered."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from enum import Enum
from itertools import combinations, product, zip_longest
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, overload

from metaeval.errors import UnknownName, join_all, refuse, unknown

if TYPE_CHECKING:
    import pandas


SCHEMA = 1
"""The version of the JSON of reports, which docs/reference/results.schema.json describes."""

Cell = str | float | int | bool | None


class Kind(Enum):
    """The kind of the cells of a column, by which a renderer aligns and rounds."""

    TEXT = "text"
    SCORE = "score"
    """A full-precision number that a terminal may round."""
    P = "p"
    """A p-value; of one below `SMALL_P` readers are told only that."""
    COUNT = "count"
    FLAG = "flag"


NUMBERS = frozenset({Kind.SCORE, Kind.P, Kind.COUNT})
"""The kinds of numbers."""

SMALL_P = 0.001
"""The p-value below which digits say no more."""


@dataclass(frozen=True)
class Column:
    """A named column.

    name: public and stable, the key in JSON and the header in CSV. kind: of its cells. higher_is_better: for a column
    of scores, so that a renderer can mark the best. bands: limits between weak, medium and strong values, for colours.
    head: a shorter header on screen; '' for the name. values: all possible texts of the cells, so that a misspelt text
    in a gate is an error; () where any text is possible. about: what the column means, in a few words, for the reading
    aid under its table and the pages of the documentation. detail: whether tables for readers leave it out. on_page:
    whether a page shows it in any case. interval, letters: the columns with the ends of its interval, and with its
    letters, which readers see in its cells. digits: the most decimals that tables for readers show.
    """

    name: str
    kind: Kind = Kind.TEXT
    higher_is_better: bool | None = None
    bands: tuple[float, ...] = ()
    head: str = ""
    values: tuple[str, ...] = ()
    about: str = ""
    detail: bool = False
    on_page: bool = False
    interval: tuple[str, ...] = ()
    letters: str = ""
    digits: int | None = None

    def layout(self) -> dict[str, Any]:
        """The fields as plain values, without defaults after the kind."""
        values = {member.name: getattr(self, member.name) for member in fields(self)}
        options = {member.name: values[member.name] for member in fields(self) if values[member.name] != member.default}
        lists = {name: list(value) for name, value in options.items() if isinstance(value, tuple)}
        return {**options, **lists, "kind": self.kind.value}

    @property
    def companions(self) -> tuple[str, ...]:
        """The columns that readers see in the cells of this one."""
        return (*self.interval, *([self.letters] if self.letters else []))


@dataclass(frozen=True)
class Table:
    """Rows of plain cells under named columns; NaN and infinite numbers mean undefined.

    Parameters
    ----------
    name
        Stable name, the key in JSON.
    title
        One line for readers, which begins with the subject.
    columns
        Names of the columns, and how their cells are shown.
    rows
        Cells of each row.
    beside
        A table of the same rows, whose cells are rendered in parentheses (ranks with scores).
    detail
        Whether a terminal only names the table; data formats and folders contain it.
    subject
        What the table is about, for the titles of tables over groups; '' for the title.
    first
        Number of rows that a terminal shows; 0 for all.
    """

    name: str
    title: str
    columns: tuple[Column, ...]
    rows: Sequence[tuple[Cell, ...]]
    beside: Table | None = None
    detail: bool = False
    subject: str = ""
    first: int = 0

    def __post_init__(self) -> None:
        # Other sequences compute their rows on access.
        for row in self.rows if isinstance(self.rows, tuple) else ():
            if len(row) != len(self.columns):
                raise ValueError(f"a row of {len(row)} cells under {len(self.columns)} columns in table '{self.name}'")

    @property
    def hidden(self) -> int:
        """The number of rows that a terminal does not show."""
        return max(len(self.rows) - self.first, 0) if self.first else 0

    def layout(self) -> dict[str, Any]:
        """All but the cells, as plain values: enough to restore the table from `records`."""
        return {
            "title": self.title,
            "detail": self.detail,
            "beside": self.beside.name if self.beside is not None else None,
            "columns": [column.layout() for column in self.columns],
            **({"first": self.first} if self.first else {}),
        }

    def records(self) -> list[dict[str, Cell]]:
        """A dictionary per row; NaN is None."""
        names = [column.name for column in self.columns]
        return [{name: plain(cell) for name, cell in zip(names, row, strict=True)} for row in self.rows]


class Cells(NamedTuple):
    """A column with its cells, one for each row; a single text, number or None stands in all rows."""

    column: Column
    cells: Any


def text(name: str, cells: Any, **more: Any) -> Cells:
    """A column of texts; more: further fields of `Column`, here and below."""
    return Cells(Column(name, Kind.TEXT, **more), cells)


def score(name: str, cells: Any, **more: Any) -> Cells:
    """A column of full-precision numbers."""
    return Cells(Column(name, Kind.SCORE, **more), cells)


def p_value(name: str, cells: Any, **more: Any) -> Cells:
    """A column of p-values."""
    return Cells(Column(name, Kind.P, **more), cells)


def count(name: str, cells: Any, *, where: Iterable[Any] | None = None, **more: Any) -> Cells:
    """A column of whole numbers; where: which rows have one, (rows,), by default all."""
    if where is not None:
        cells = [cell if has_one else None for cell, has_one in zip(_to_list(cells), where, strict=True)]
    return Cells(Column(name, Kind.COUNT, **more), cells)


def flag(name: str, cells: Any, **more: Any) -> Cells:
    """A column of truth values."""
    return Cells(Column(name, Kind.FLAG, **more), cells)


def scores(names: Iterable[str], cells: Iterable[Any], **more: Any) -> list[Cells]:
    """Columns of full-precision numbers with one meaning; cells: of each column."""
    return [score(name, column, **more) for name, column in zip(names, cells, strict=True)]


def counts(names: Iterable[str], cells: Iterable[Any], **more: Any) -> list[Cells]:
    """Columns of whole numbers with one meaning; cells: of each column."""
    return [count(name, column, **more) for name, column in zip(names, cells, strict=True)]


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
    subject: str = "",
    first: int = 0,
) -> Table:
    """A table from its columns; order: the indices of the cells that become rows, by default all.

    >>> table("t", "Two", text("measure", ["a", "b"]), score("mean", [0.5, 1.0]), count("trials", 9), order=[1, 0]).rows
    (('b', 1.0, 9), ('a', 0.5, 9))
    """
    lists = [_to_list(cells) for _, cells in columns]
    lengths = [len(cells) for cells in lists if isinstance(cells, list)]
    length = lengths[0] if lengths else len(order or ())
    full_lists = [cells if isinstance(cells, list) else [cells] * length for cells in lists]
    if order is not None:
        full_lists = [[cells[index] for index in order] for cells in full_lists]
    rows = tuple(zip(*full_lists, strict=True))
    heads = tuple(column for column, _ in columns)
    return Table(name, title, heads, rows, beside=beside, detail=detail, subject=subject, first=first)


FIRST_SYSTEMS = 24
"""Number of systems that a terminal shows, the best first, so that the findings stay on the screen."""


def pair_table(name: str, title: str, names: Sequence[str], order: Sequence[int], **matrices: Any) -> Table:
    """A detail with a row for each pair of names, the first before the second in this order.

    matrices: scores of pairs, (M, M).
    """
    pairs = list(combinations(order, 2))
    texts = (text(key, [names[pair[side]] for pair in pairs]) for side, key in enumerate(("measure", "other")))
    kinds = {"p": p_value, "p_adjusted": p_value}
    numbers = (
        kinds.get(head, score)(head, [float(matrix[pair]) for pair in pairs]) for head, matrix in matrices.items()
    )
    return table(name, title, *texts, *numbers, detail=True)


def stack(tables: Iterable[Table]) -> Table:
    """The rows of tables with the same columns, below each other."""
    first, *others = tables
    return replace(first, rows=(*first.rows, *(row for other in others for row in other.rows)))


def _to_list(cells: Any) -> Any:
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
    keys of the works that the measures come from, by name. measures: the signatures of the measures, by name. title: of
    the experiment.
    """

    version: str
    command_line: str = ""
    files: tuple[SourceFile, ...] = ()
    versions: Mapping[str, str] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    repairs: Mapping[str, int] = field(default_factory=dict)
    titles: Mapping[str, str] = field(default_factory=dict)
    sources: Mapping[str, str] = field(default_factory=dict)
    measures: Mapping[str, str] = field(default_factory=dict)
    title: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return asdict(self) | {"files": [asdict(file) for file in self.files]}


@dataclass(frozen=True)
class Note:
    """A sentence that explains tables.

    text: the sentence, without a full stop. absent: the table that is missing for this reason. remedy: what to do about
    it. groups: the groups of items of which it is true; () for all. on_clusters: whether it is on the clusters of items
    that the analysis used. on_input: whether it warns of something in the files that were read.
    """

    text: str
    absent: str = ""
    remedy: str = ""
    groups: tuple[str, ...] = ()
    on_clusters: bool = False
    on_input: bool = False

    def __str__(self) -> str:
        return with_groups(self.groups, f"{self.text}; {self.remedy}" if self.remedy else self.text)


def as_notes(notes: Iterable[Note | str]) -> tuple[Note, ...]:
    """Each note once, those that are plain sentences, too."""
    return tuple(dict.fromkeys(note if isinstance(note, Note) else Note(note) for note in notes))


def on_input(notes: Iterable[Note | str]) -> list[Note]:
    """Notes as warnings about the files that were read."""
    return [replace(note, on_input=True) for note in as_notes(notes)]


def with_groups(groups: Sequence[str], sentence: str) -> str:
    """A sentence after the groups of items of which it is true."""
    return f"{', '.join(groups)}: {sentence}" if groups else sentence


@dataclass(frozen=True)
class Finding:
    """A result of the tables in a sentence.

    Parameters
    ----------
    criterion
        The analysis, as 'stability'.
    sentence
        The sentence, without a full stop.
    groups
        The groups of items of which it is true; () for all.
    leading
        The measures that it says are the best.
    """

    criterion: str
    sentence: str
    groups: tuple[str, ...] = ()
    leading: tuple[str, ...] = ()

    def __str__(self) -> str:
        return with_groups(self.groups, self.sentence)

    def beside(self, excluded: Collection[str]) -> Finding:
        """The finding beside a verdict that some measures should not be used.

        Parameters
        ----------
        excluded
            The names of the measures that should not be used.
        """
        names = [name for name in self.leading if name in excluded]
        if not names:
            return self
        return replace(self, sentence=f"{self.sentence}. The verdict is not to use {join_all(names, 'or')}")


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
    notes: tuple[Note, ...]
    provenance: Provenance
    findings: tuple[Finding, ...] = ()
    methods: tuple[str, ...] = ()
    notes_of: Mapping[str, Sequence[Note]] = field(default_factory=dict)
    groups: tuple[str, ...] = ()

    @property
    def main(self) -> Table:
        """The table that CSV prints."""
        return self.tables[0]

    def all_tables(self) -> tuple[Table, ...]:
        """Every table, followed by the table beside it."""
        return tuple(table for main in self.tables for table in (main, main.beside) if table is not None)

    def to_dict(self) -> dict[str, Any]:
        """The JSON shape: schema, command, signature, findings, tables, notes, methods, groups, provenance, layout."""
        return {
            "schema": SCHEMA,
            "command": self.command,
            "signature": self.signature,
            "findings": [{"criterion": finding.criterion, "sentence": str(finding)} for finding in self.findings],
            "tables": {table.name: table.records() for table in self.all_tables()},
            "notes": list(map(str, self.notes)),
            **({"warnings": warnings} if (warnings := [str(note) for note in self.notes if note.on_input]) else {}),
            **(
                {"notes_of": {name: list(map(str, notes)) for name, notes in self.notes_of.items()}}
                if self.notes_of
                else {}
            ),
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
            for note in (note for note in self.notes if key and note.absent == key):
                tables = f"one of the tables {', '.join(by_name)}"
                raise refuse(None, note.text, tables, note.remedy, kind="missing")
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

        selection = self.table(table)
        return pandas.DataFrame(list(selection.rows), columns=[column.name for column in selection.columns])


class AnalysisOutput(NamedTuple):
    """The output of an analysis in a report.

    files: those that only this analysis reads. methods: see `Report`. excluded: measures that should not be used.
    """

    tables: Sequence[Table]
    notes: Sequence[Note | str] = ()
    findings: Sequence[Finding] = ()
    files: Sequence[SourceFile] = ()
    methods: Sequence[str] = ()
    excluded: Sequence[str] = ()

    def after(self, *, notes: Sequence[Note | str] = (), files: Sequence[SourceFile] = ()) -> AnalysisOutput:
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


Sentence = TypeVar("Sentence")

GROUP = Column("group")
"""The first column of each table."""

OF_MEASURES = "measure_group"
"""The name, in results with groups of items, of a column `group` that has groups of measures."""

BY_GROUP, OVER_GROUPS = "_by_group", "_over_groups"
"""Ends of the names of tables that compare groups, and of tables of means over groups."""

_EMPTY: Mapping[Kind, Cell] = {Kind.TEXT: "", Kind.FLAG: None, **dict.fromkeys(NUMBERS, math.nan)}
"""A cell of a column that the table of a group lacks."""


def merged_output(outputs: Mapping[str, AnalysisOutput]) -> AnalysisOutput:
    """The outputs of an analysis on each group as one: its tables begin with the column `group`.

    Sentences know their groups, except for those that are the same in all groups.
    """
    names = dict.fromkeys(table.name for output in outputs.values() for table in output.tables)
    tables = {group: {table.name: table for table in output.tables} for group, output in outputs.items()}
    findings = _by_sentence({group: output.findings for group, output in outputs.items()})
    methods = _by_sentence({group: output.methods for group, output in outputs.items()})
    return AnalysisOutput(
        [merged_table({group: of[name] for group, of in tables.items() if name in of}) for name in names],
        merged_notes({group: output.notes for group, output in outputs.items()}),
        [replace(finding, groups=groups) for finding, groups in findings.items()],
        list(dict.fromkeys(file for output in outputs.values() for file in output.files)),
        [with_groups(groups, sentence) for sentence, groups in methods.items()],
    )


def merged_notes(notes: Mapping[str, Iterable[Note | str]]) -> list[Note]:
    """The notes of all groups, each with its groups unless all have it."""
    by_note = _by_sentence({group: as_notes(group_notes) for group, group_notes in notes.items()})
    return [replace(note, groups=groups) for note, groups in by_note.items()]


def _by_sentence(sentences: Mapping[str, Iterable[Sentence]]) -> dict[Sentence, tuple[str, ...]]:
    """The groups of each sentence; () for all."""
    groups: dict[Sentence, dict[str, None]] = {}
    for group, group_sentences in sentences.items():
        for sentence in group_sentences:
            groups.setdefault(sentence, {})[group] = None
    return {sentence: () if len(names) == len(sentences) else tuple(names) for sentence, names in groups.items()}


def merged_table(tables: Mapping[str, Table]) -> Table:
    """The rows of a table in each group below each other; a cell is empty where its group has no such column."""
    first = next(iter(tables.values()))
    columns = {column.name: column for table in tables.values() for column in table.columns}
    values: dict[str, dict[str, None]] = {name: {} for name in columns}
    for table in tables.values():
        for column in table.columns:
            values[column.name] |= dict.fromkeys(column.values)
    names = {name: OF_MEASURES if name == GROUP.name else name for name in columns}
    parts = [(group, table.rows, _indices(table, columns)) for group, table in tables.items()]
    rows = GroupedRows(parts)
    besides = {group: table.beside for group, table in tables.items() if table.beside is not None}
    return Table(
        first.name,
        f"By group: {_common_words([table.title for table in tables.values()])}",
        (GROUP, *(replace(column, name=names[name], values=tuple(values[name])) for name, column in columns.items())),
        tuple(rows) if all(isinstance(table.rows, tuple) for table in tables.values()) else rows,
        beside=merged_table(besides) if len(besides) == len(tables) else None,
        detail=all(table.detail for table in tables.values()),
        subject=_common_words([table.subject or table.title for table in tables.values()]),
    )


def _indices(table: Table, columns: Mapping[str, Column]) -> list[int | tuple[Cell]]:
    """The index of each column in a table, or in a tuple its empty cell."""
    indices: dict[str, int | tuple[Cell]] = {column.name: index for index, column in enumerate(table.columns)}
    return [indices.get(name, (_EMPTY[column.kind],)) for name, column in columns.items()]


def _common_words(texts: Sequence[str]) -> str:
    """The texts of all groups as one, with ranges of numbers, and '…' for other words in which they differ."""
    common = [_common_word(list(map(str, words))) for words in zip_longest(*(text.split(" ") for text in texts))]
    return " ".join(word for index, word in enumerate(common) if word != "…" or common[index - 1 : index] != ["…"])


def _common_word(words: Sequence[str]) -> str:
    """One word for those of all groups.

    >>> _common_word(["1,200", "60"]), _common_word(["item", "items"]), _common_word(["clear,", "none"])
    ('60–1,200', 'items', '…')
    """
    numbers = [int(word) for word in (word.replace(",", "") for word in words) if word.isdecimal()]
    if len(set(words)) > 1 and len(numbers) == len(words):
        return f"{min(numbers):,}–{max(numbers):,}"
    singular = {word.removesuffix("s") for word in words}
    return max(words, key=len) if len(singular) == 1 else "…"


@dataclass(frozen=True)
class GroupedRows(Sequence[tuple[Cell, ...]]):
    """The rows of several groups, each after its group. parts: group, rows, and where each column is in them."""

    parts: Sequence[tuple[str, Sequence[tuple[Cell, ...]], Sequence[int | tuple[Cell]]]]

    def __len__(self) -> int:
        return sum(len(rows) for _, rows, _ in self.parts)

    def __iter__(self) -> Iterator[tuple[Cell, ...]]:
        for group, rows, indices in self.parts:
            for row in rows:
                yield (group, *(index[0] if isinstance(index, tuple) else row[index] for index in indices))

    @overload
    def __getitem__(self, index: int) -> tuple[Cell, ...]: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[tuple[Cell, ...]]: ...
    def __getitem__(self, index: int | slice) -> Any:
        return tuple(self)[index]


def group_report(report: Report, group: str) -> Report:
    """The part of a report on one of its groups: the tables that each group has, as they are of the group alone.

    A group that the report does not have is an `InputError`.
    """
    if group not in report.groups:
        raise refuse(None, unknown("group", group, report.groups))
    tables = [part for table in report.tables if (part := _table_of_group(table, group)) is not None]
    return replace(report, tables=tuple(tables), groups=())


def _table_of_group(table: Table, group: str) -> Table | None:
    """The rows of a group without the column of groups; None for a table over groups, or without such rows."""
    if table.columns[0] != GROUP or table.name.endswith(BY_GROUP):
        return None
    rows = tuple(row[1:] for row in table.rows if row[0] == group)
    columns = tuple(
        replace(column, name=GROUP.name) if column.name == OF_MEASURES else column for column in table.columns[1:]
    )
    beside = None if table.beside is None else _table_of_group(table.beside, group)
    return replace(table, columns=columns, rows=rows, beside=beside) if rows else None


def with_filled_columns(table: Table) -> Table:
    """The table without the columns of which all cells are empty."""
    empty = [all(cell in ("", None) or cell != cell for cell in cells) for cells in zip(*table.rows, strict=True)]
    indices = [index for index, is_empty in enumerate(empty) if not is_empty]
    rows = tuple(tuple(row[index] for index in indices) for row in table.rows)
    return replace(table, columns=tuple(table.columns[index] for index in indices), rows=rows)
