"""Tables in Parquet files: one file, a folder of partitions, or a file for each system.

wide       id,gold,bert,svm    one file, or a folder of files with the same columns
tidy       id,label            one file or folder for each system; the name of a hive folder (system=bert) is its name

Labels in Parquet tables as digits, in SQL.

With C classes the digit of a label is its code; C if it is missing, C + 1 if it is unknown, C + 2 if the table has no
row for the item, and for gold C + 3 if its class is dropped. The digits of gold and all systems form the number of a
pattern, in words of 63 bits, so that the order of the numbers is the order of patterns in `PatternRuns`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Container, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from metaeval.engines.duck import Connection, identifier, literal, path_pattern
from metaeval.errors import (
    InputError,
    did_you_mean,
    missing_column,
    no_rows,
    raise_any,
    refuse,
    setting,
    unreadable,
    wrong_type,
)
from metaeval.io.dataset import check_names, left_out_note, no_gold_labels, no_system_column
from metaeval.io.files.columns import row_numbers_note
from metaeval.io.files.delimited import reject_twice
from metaeval.io.files.roles import VOTE, note_on_columns
from metaeval.io.files.run_files import (
    EVERY_SYSTEM,
    RunFile,
    SystemChoice,
    find_run_files,
    gold_left_out,
    is_gold,
    one_name_for_several,
    system_name,
)
from metaeval.io.files.source import path_text
from metaeval.io.labels.columns import Columns, check_case, label_columns, missing
from metaeval.io.parquet import NULLS, check_kinds, existing_files, index_of, kind_of_column
from metaeval.model.report import SourceFile
from metaeval.model.scale import ClassScale

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True)
class ParquetTable:
    """Files with the same columns that are read as one table.

    path: as the user named it. files: sorted by name. rows: of all files. id: the column of ids. gold: the column of
    gold labels or None. systems: the column of each system. kinds: those of all columns. blanks: whether ids begin or
    end with blanks, which are stripped. clusters: columns of clusters. notes: on ignored columns.
    """

    path: str
    files: tuple[str, ...]
    rows: int
    id: str
    gold: str | None
    systems: dict[str, str]
    kinds: dict[str, str]
    blanks: bool = False
    clusters: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def labels(self) -> tuple[str, ...]:
        """The columns of labels, each once: gold first, then those of the systems."""
        return tuple(dict.fromkeys(filter(None, [self.gold, *self.systems.values()])))


@dataclass(frozen=True)
class ParquetData:
    """Gold and the tables of systems; notes: on ignored files."""

    gold: ParquetTable
    runs: tuple[ParquetTable, ...]
    notes: tuple[str, ...]

    @property
    def tables(self) -> tuple[ParquetTable, ...]:
        """All tables, gold first."""
        return (self.gold, *self.runs)

    @property
    def systems(self) -> tuple[str, ...]:
        """The names of the systems, in the order of the columns."""
        return tuple(name for table in self.tables for name in table.systems)

    @property
    def paths(self) -> tuple[str, ...]:
        """The path of each system."""
        return tuple(table.path for table in self.tables for _ in table.systems)

    def select_systems(self, names: Container[str]) -> ParquetData:
        """The tables with some of the systems."""

        def select(table: ParquetTable) -> ParquetTable:
            columns = {name: column for name, column in table.systems.items() if name in names}
            return replace(table, systems=columns)

        runs = (select(table) for table in self.runs)
        return ParquetData(select(self.gold), tuple(table for table in runs if table.systems), self.notes)

    def source_files(self) -> tuple[SourceFile, ...]:
        """The entries of the files in the provenance."""
        gold = [_source_file(file, "gold") for file in self.gold.files]
        others = dict.fromkeys(file for table in self.runs for file in table.files if file not in self.gold.files)
        return (*gold, *(_source_file(file, "run") for file in others))


@dataclass
class TableSearch:
    """The tables of gold and runs, as far as they are found.

    gold: its path. tables: by path, with those whose labels cannot be read. run_files: of every table of a run, and of
    every run whose tables are not known. failures: why the tables of a path are not known. choice: of the systems.
    """

    gold: str
    columns: Columns
    tables: dict[str, ParquetTable] = field(default_factory=dict)
    run_files: list[RunFile] | None = None
    failures: dict[str, InputError] = field(default_factory=dict)
    choice: SystemChoice = EVERY_SYSTEM

    def __post_init__(self) -> None:
        self.problems = self.choice.gathered()

    def find(self, runs: Sequence[str]) -> ParquetData:
        """The tables of gold and runs; their problems are one `InputError`."""
        tables: list[ParquetTable] = []
        gold_table = None
        with self._failing(self.gold):
            gold_table = self._table(self.gold, existing_files(self.gold), system_name(self.gold), for_gold=True)
            if gold_table.gold is None:
                raise no_gold_labels(self.gold)
        arguments, notes = find_run_files(runs, gold=self.gold, in_folder=lambda path, _: ([RunFile.of(path)], []))
        self.run_files = []
        for file in arguments:
            with self._failing(file.path, file):
                tables += self._run_tables(file)
        self.problems.raise_any()
        assert gold_table is not None
        beside = gold_table.systems
        if beside and tables and all(table.path != self.gold for table in tables):
            notes = (*notes, left_out_note(self.gold, list(beside)))
        as_gold = [file.path for file in arguments if not file.is_named and is_gold(Path(file.path), self.gold)]
        gold_alone = [run for run in tables if run.path in as_gold and [*run.systems.values()] == [gold_table.gold]]
        if len(gold_alone) < len(tables):
            tables = [run for run in tables if run not in gold_alone]
            notes = (*notes, *(gold_left_out(run.path) for run in gold_alone))
        if tables:
            # A file that is both gold and a run is read once.
            systems = [table.systems for table in tables if table.path == self.gold]
            gold_table = replace(gold_table, systems={name: columns[name] for columns in systems for name in columns})
            tables = [table for table in tables if table.path != self.gold]
        check_names([(name, table.path) for table in (gold_table, *tables) for name in table.systems])
        notes = (*dict.fromkeys(note for table in (gold_table, *tables) for note in table.notes), *notes)
        return ParquetData(gold_table, tuple(tables), notes)

    @contextmanager
    def _failing(self, path: str, run: RunFile | None = None) -> Iterator[None]:
        """Collect an error of a path, whose tables are then not known unless they are already."""
        try:
            yield
        except InputError as error:
            self.problems.keep(error, runs=[run.system] if run is not None else ())
            if path not in self.tables:
                self.failures[path] = error
            if run is not None and self.run_files is not None and all(file.path != path for file in self.run_files):
                self.run_files.append(run)

    def _run_tables(self, run: RunFile) -> list[ParquetTable]:
        """The tables of a run: one, or one for each system in a folder of tidy files."""
        files = existing_files(run.path)
        label = self.columns.label or self.columns.prediction
        tidy = label is not None or bool(VOTE.among(_schema_and_rows(files[0])[0].names))
        several = tidy and not run.is_named and Path(run.path).is_dir()
        groups = _by_system(run.path, files) if several else {run.system: files}
        tables = []
        for system, paths in groups.items():
            # Gold in a folder of runs is not a run, unless the user names it.
            may_be_gold = Path(run.path).is_dir() and not Path(self.gold).is_dir()
            paths = [file for file in paths if not may_be_gold or not is_gold(file, self.gold)]
            if not paths:
                continue
            path = run.path if len(groups) == 1 else str(Path(run.path) / paths[0].relative_to(run.path).parts[0])
            with self._failing(path, RunFile(path, system, run.is_named)):
                tables.append(self._run_table(run, path, paths, system))
        return tables

    def _run_table(self, run: RunFile, path: str, files: Sequence[Path], system: str) -> ParquetTable:
        table = self._table(path, files, system, for_gold=False)
        assert self.run_files is not None
        self.run_files.append(RunFile(path, system, run.is_named))
        if run.is_named and len(table.systems) > 1:
            raise one_name_for_several(run, path, len(table.systems))
        if not table.systems:
            raise no_system_column(path)
        systems = dict(zip([run.system], table.systems.values(), strict=True)) if run.is_named else table.systems
        return replace(table, systems=systems)

    def _table(self, path: str, files: Sequence[Path], system: str, *, for_gold: bool) -> ParquetTable:
        """The table of files; as soon as its ids can be read it is known."""
        columns = self.columns
        schema = _schema_and_rows(files[0])[0]
        clusters = columns.clusters if for_gold else ()
        for option, name in (("id_column", columns.id), *(("clusters", name) for name in clusters)):
            if name is not None and name not in schema.names:
                raise _no_column(path, schema.names, name, option)
        layout = label_columns(path, schema.names, columns, is_gold=for_gold, index=index_of(schema))
        check_case(path, schema.names, layout)
        if layout.id is None:
            raise missing(path, schema.names, "id_column", "id")
        if layout.fault is not None and self.choice.keeps(system):
            self.problems.keep(layout.fault, runs=() if for_gold else [system])
        systems = {name: name for name in layout.systems} if layout.label is None else {system: layout.label}
        rows, kinds = _checked_rows(path, files, schema)
        notes = (*row_numbers_note(layout.row_numbers), *note_on_columns(layout.roles, layout.unread))
        table = ParquetTable(
            path,
            files=tuple(map(str, files)),
            rows=rows,
            id=layout.id,
            gold=layout.gold,
            systems=systems,
            kinds=kinds,
            blanks=False,
            clusters=clusters,
            notes=notes,
        )
        self.tables[path] = table
        check_kinds(path, kinds, table.labels)
        return table


def _by_system(folder: str, files: Sequence[Path]) -> dict[str, list[Path]]:
    """Tidy files by their system: the name of a file, or of the first folder below `folder` ('system=bert': bert).

    A folder with such a name is one system.
    """
    groups: dict[str, list[Path]] = {}
    if "=" in Path(folder).name:
        return {Path(folder).name.rpartition("=")[2]: list(files)}
    for file in files:
        first = file.relative_to(folder).parts[0]
        groups.setdefault(first.rpartition("=")[2] if first != file.name else system_name(str(file)), []).append(file)
    return groups


def _no_column(path: str, names: Sequence[str], name: str, option: str) -> InputError:
    """The error for a column that the user named."""
    remedy = f"name a column of the table with {setting(option)}"
    for mark, what in ((":", "a column of another file"), (",", "an id of several columns")):
        remedy += f"; for {what} set {setting('engine', 'memory')}" if mark in name else ""
    return refuse(path, missing_column(names, name, did_you_mean(name, names) or remedy))


def _checked_rows(path: str, files: Sequence[Path], schema: pa.Schema) -> tuple[int, dict[str, str]]:
    """The rows of all files, and the kind of each column; partitions with other columns are an `InputError`."""
    rows, problems = 0, []
    kinds = dict.fromkeys(schema.names, NULLS)
    for file in files:
        part, count = _schema_and_rows(file)
        rows += count
        part_kinds = {name: kind_of_column(part.field(name).type) for name in schema.names if name in part.names}
        other = [name for name, kind in part_kinds.items() if NULLS not in (kind, kinds[name]) and kind != kinds[name]]
        differences = [
            *[f"without column '{name}'" for name in schema.names if name not in part.names][:3],
            *[f"with column '{name}'" for name in part.names if name not in schema.names][:3],
            *[f"with {part_kinds[name]} instead of {kinds[name]} in column '{name}'" for name in other][:3],
        ]
        if differences:
            partition = f"a partition {', '.join(differences)}"
            problems.append(wrong_type(partition, "", f"the columns of {files[0]}").at(file))
        kinds |= {name: kind for name, kind in part_kinds.items() if kinds[name] == NULLS}
    raise_any(problems, "write all parts with the same columns, or name the files of different systems separately")
    if not rows:
        raise refuse(path, no_rows())
    return rows, kinds


def _schema_and_rows(file: Path) -> tuple[pa.Schema, int]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(file) as parquet:
            reject_twice(parquet.schema_arrow.names, str(file))
            return parquet.schema_arrow, parquet.metadata.num_rows
    except (OSError, ValueError, pa.ArrowException) as error:
        reason = str(error).splitlines()[0]
        raise refuse(file, unreadable("Parquet", reason, "write the file again")) from None


def _source_file(path: str, role: str) -> SourceFile:
    with Path(path).open("rb") as file:
        return SourceFile(path_text(path), role, hashlib.file_digest(file, "sha256").hexdigest())


MISSING, UNKNOWN, ABSENT, DROPPED = range(4)
"""Digits after the classes."""

_WORD = 63
_JOINED_AT_ONCE = 8
"""Number of tables of systems joined in one query, each of which is in memory or spilled meanwhile."""

_SAMPLE_CHUNK = 2048
"""Consecutive rows in a sample: the vector size of DuckDB, so that most of a file need not be read."""

_ROW_NUMBER = "file_row_number"
"""The name of DuckDB for the number of a row, unless a column of the file has this name."""

BLANKS = (
    "\t\n\v\f\r\x1c\x1d\x1e\x1f \x85\xa0\u1680"
    "\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
)
"""The characters that `str.strip` removes, which are more than in SQL, and the byte order mark."""


@dataclass(frozen=True)
class ParquetRows:
    """Gold and systems of tables, as SQL; drop: gold classes to drop. names: labels that are replaced by others."""

    data: ParquetData
    scale: ClassScale
    drop: tuple[str, ...]
    names: Mapping[str, str]

    @property
    def base(self) -> int:
        """The number of different digits."""
        return len(self.scale) + 4

    @property
    def columns(self) -> int:
        """The number of columns of gold and systems, 1 + S."""
        return 1 + len(self.data.systems)

    @property
    def digit_type(self) -> str:
        """The SQL type of a digit."""
        return "UTINYINT" if self.base <= 1 << 8 else "USMALLINT" if self.base <= 1 << 16 else "UINTEGER"

    @property
    def words(self) -> list[slice]:
        """The digits of each word of a number."""
        in_word = 1
        while self.base ** (in_word + 1) < 1 << _WORD:
            in_word += 1
        return [slice(begin, min(begin + in_word, self.columns)) for begin in range(0, self.columns, in_word)]

    def digits_of(self, words: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
        """The digits of numbers, (1 + S, U); words: of each number, (U,)."""
        digits = np.empty((self.columns, len(words[0])), dtype=np.int64)
        for word, columns in zip(words, self.words, strict=True):
            rest = word.astype(np.int64)
            for column in range(columns.stop - 1, columns.start - 1, -1):
                rest, digits[column] = np.divmod(rest, self.base)
        return digits

    def text(self, table: ParquetTable, column: str) -> str:
        """A label of a `source` as text, as in the reader in memory except for surrounding blanks."""
        text = _text(f"c{table.labels.index(column)}", table.kinds[column])
        cases = " ".join(f"WHEN {literal(old)} THEN {literal(new)}" for old, new in self.names.items())
        return f"(CASE {_stripped(text)} {cases} ELSE {text} END)" if cases else text

    def digit(self, table: ParquetTable, column: str) -> str:
        """The digit of a system's label."""
        return self._digit(table, column, {})

    def gold_digit(self) -> str:
        """The digit of the gold label."""
        table = self.data.gold
        assert table.gold is not None
        return self._digit(table, table.gold, dict.fromkeys(self.drop, len(self.scale) + DROPPED))

    def _digit(self, table: ParquetTable, column: str, others: Mapping[str, int]) -> str:
        """The digit of a label; others: digits of labels outside the scale."""
        text, classes = self.text(table, column), len(self.scale)
        digits = {label: code for code, label in enumerate(self.scale.labels)} | {"": classes + MISSING, **others}
        cases = " ".join(f"WHEN {literal(label)} THEN {digit}" for label, digit in digits.items())
        # Stripping is expensive, so only labels that do not match unstripped are stripped.
        stripped = f"CASE {_stripped(text)} {cases} ELSE {classes + UNKNOWN} END"
        other = f"CASE WHEN {text} IS NULL THEN {digits['']} ELSE {stripped} END"
        return f"(CASE {text} {cases} ELSE {other} END)::{self.digit_type}"

    def source(self, table: ParquetTable, *, every: int = 1) -> str:
        """A table to select from: `id`, comparable between tables, `labels` as `c0`, `c1`, …, `clusters` as `k0`, ….

        The names of its own columns cannot clash. every: the reciprocal of the share of chunks to read.
        """
        files = ", ".join(literal(path_pattern(file)) for file in table.files)
        labels = (f"{identifier(name)} AS c{index}" for index, name in enumerate(table.labels))
        clusters = (
            f"{_stripped(_text(identifier(name), table.kinds[name]))} AS k{way}"
            for way, name in enumerate(table.clusters)
        )
        columns = ", ".join([f"{self._id(table)} AS id", *labels, *clusters])
        whole = f"read_parquet([{files}], union_by_name=true, hive_partitioning=false"
        if every == 1:
            return f"(SELECT {columns} FROM {whole}))"
        if _ROW_NUMBER in map(str.casefold, table.kinds):
            # This is slower, because it reads the whole file.
            query = f"SELECT {columns}, row_number() OVER () - 1 AS row_index FROM {whole})"
        else:
            query = f"SELECT {columns}, {_ROW_NUMBER} AS row_index FROM {whole}, {_ROW_NUMBER}=true)"
        return f"(SELECT * FROM ({query}) WHERE row_index // {_SAMPLE_CHUNK} % {every} = 0)"

    def label(self, table: ParquetTable, column: str) -> str:
        """A label of a `source` as text, '' if it is missing."""
        return f"coalesce({_stripped(self.text(table, column))}, '')"

    def numbered_rows(self, table: ParquetTable) -> str:
        """The `source` with ids as text, '' if they are missing, and with `row`, the number of the row from 1 on."""
        text = "coalesce(CAST(id AS VARCHAR), '')"
        return f"(SELECT * REPLACE ({text} AS id), row_number() OVER () AS row FROM {self.source(table)})"

    def _id(self, table: ParquetTable) -> str:
        name, kind = identifier(table.id), table.kinds[table.id]
        same_kind = len({source.kinds[source.id] for source in self.data.tables}) == 1
        text = name if same_kind and kind not in ("bytes", "floating-point numbers") else _text(name, kind)
        return _stripped(text) if table.blanks else text

    def patterns(self, *, every: int = 1) -> str:
        """A query for patterns: the words of their numbers, and the number of items of each; every: as in `source`."""
        if self.data.runs:
            words = self._words([f"d{column}" for column in range(self.columns)])
            return f"SELECT {words}, count(*) AS n FROM ({self._join_all(every)}) GROUP BY ALL"
        gold = self.data.gold
        if every > 1:
            # The patterns of a sample may be many: as numbers they take a fraction of the memory of labels.
            words = self._words(self._digits_beside_gold())
            return f"SELECT {words}, count(*) AS n FROM {self.source(gold, every=every)} GROUP BY ALL"
        # DuckDB groups the labels unchanged, which is fastest; then the few patterns become numbers.
        labels = ", ".join(f"c{index}" for index in range(len(gold.labels)))
        groups = f"SELECT {labels}, count(*) AS n FROM {self.source(gold, every=every)} GROUP BY ALL"
        words = self._words(self._digits_beside_gold())
        return f"SELECT {words}, sum(n)::BIGINT AS n FROM ({groups}) GROUP BY ALL"

    def rows(self) -> str:
        """A query for the digits of every item, in the order of gold."""
        if self.data.runs:
            digits = ", ".join(f"d{column}" for column in range(self.columns))
            return f"SELECT {digits} FROM ({self._join_all(1)}) ORDER BY row"
        digits = ", ".join(f"{digit} AS d{column}" for column, digit in enumerate(self._digits_beside_gold()))
        return f"SELECT {digits} FROM {self.source(self.data.gold)}"

    def items(self) -> str:
        """A query for `id`, `row` of gold, digits as `d0`, `d1`, … and clusters as `k0`, … of every item."""
        return self._join_all(1)

    def prepare(self, connection: Connection) -> ParquetRows | JoinedRows:
        """If there are many tables, the joined rows, joined a few tables at a time; else these rows."""
        if len(self.data.runs) <= _JOINED_AT_ONCE:
            return self
        begin = 0
        name = ""
        while begin < len(self.data.runs):
            tables = self.data.runs[begin : begin + _JOINED_AT_ONCE]
            left = f"SELECT * FROM {name}" if name else self._gold(1)
            new_name = f"joined_{begin}"
            connection.execute(f"CREATE TEMP TABLE {new_name} AS {self._join(left, tables, begin)}")
            if name:
                connection.execute(f"DROP TABLE {name}")
            name, begin = new_name, begin + len(tables)
        return JoinedRows(self.data, self.scale, self.drop, self.names, name)

    def _digits_beside_gold(self) -> list[str]:
        table = self.data.gold
        return [self.gold_digit(), *(self.digit(table, column) for column in table.systems.values())]

    def _words(self, digits: Sequence[str]) -> str:
        words = []
        for number, columns in enumerate(self.words):
            powers = [self.base ** (columns.stop - 1 - column) for column in range(columns.start, columns.stop)]
            terms = (f"{digit}::BIGINT * {power}" for digit, power in zip(digits[columns], powers, strict=True))
            words.append(f"{' + '.join(terms)} AS w{number}")
        return ", ".join(words)

    def _gold(self, every: int) -> str:
        digits = ", ".join(f"{digit} AS d{column}" for column, digit in enumerate(self._digits_beside_gold()))
        clusters = "".join(f", k{way}" for way in range(len(self.data.gold.clusters)))
        source = self.source(self.data.gold, every=every)
        return f"SELECT id, row_number() OVER () AS row, {digits}{clusters} FROM {source}"

    def _join_all(self, every: int) -> str:
        return self._join(self._gold(every), self.data.runs, 0)

    def _join(self, left: str, runs: Sequence[ParquetTable], begin: int) -> str:
        """Rows joined with further tables of systems; begin: the number of tables joined before."""
        column = 1 + sum(len(table.systems) for table in (self.data.gold, *self.data.runs[:begin]))
        expressions, joins = ["rows.*"], []
        for number, table in enumerate(runs):
            columns = [f"d{column + index}" for index in range(len(table.systems))]
            digits = ", ".join(
                f"{self.digit(table, name)} AS {digit}"
                for name, digit in zip(table.systems.values(), columns, strict=True)
            )
            expressions += [
                f"coalesce(run_{number}.{digit}, {len(self.scale) + ABSENT})::{self.digit_type} AS {digit}"
                for digit in columns
            ]
            run = f"(SELECT id, {digits} FROM {self.source(table)}) AS run_{number}"
            joins.append(f"LEFT JOIN {run} ON rows.id = run_{number}.id")
            column += len(columns)
        return f"SELECT {', '.join(expressions)} FROM ({left}) AS rows {' '.join(joins)}"


@dataclass(frozen=True)
class JoinedRows(ParquetRows):
    """Joined rows; table: the name of their table."""

    table: str

    def _join_all(self, every: int) -> str:
        return f"SELECT * FROM {self.table}" + (f" WHERE row // {_SAMPLE_CHUNK} % {every} = 0" if every > 1 else "")


def _text(value: str, kind: str) -> str:
    """A value of a kind of column as text, as in the reader in memory; NULL if it is missing."""
    if kind == "truth values":
        return f"CASE WHEN {value} THEN 'True' WHEN NOT {value} THEN 'False' END"
    if kind == "bytes":
        return f"decode({value})"
    if kind == "floating-point numbers":
        return f"CASE WHEN NOT isnan({value}) THEN CAST(CAST({value} AS DOUBLE) AS VARCHAR) END"
    return f"CAST({value} AS VARCHAR)"


def _stripped(text: str) -> str:
    return f"trim({text}, {literal(BLANKS)})"
