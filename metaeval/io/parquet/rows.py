"""Labels in Parquet tables as digits, in SQL.

With C classes the digit of a label is its code; C if it is missing, C + 1 if it is unknown, C + 2 if the table has no
row for the item, and for gold C + 3 if its class is dropped. The digits of gold and all systems form the number of a
pattern, in words of 63 bits, so that the order of the numbers is the order of patterns in `PatternRuns`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from metaeval.io.parquet.duck import Connection, identifier, literal, path_pattern
from metaeval.io.parquet.tables import ParquetData, ParquetTable
from metaeval.model.scale import ClassScale

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
    "\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
)
"""The characters that `str.strip` removes, which are more than in SQL."""


@dataclass(frozen=True)
class ParquetRows:
    """Gold and systems of tables, as SQL; drop: gold classes to drop."""

    data: ParquetData
    scale: ClassScale
    drop: tuple[str, ...]

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
        return _text(f"c{table.labels.index(column)}", table.kinds[column])

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
        labels = (f"{identifier(name)} AS c{place}" for place, name in enumerate(table.labels))
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
            numbered = f"SELECT {columns}, row_number() OVER () - 1 AS place FROM {whole})"
        else:
            numbered = f"SELECT {columns}, {_ROW_NUMBER} AS place FROM {whole}, {_ROW_NUMBER}=true)"
        return f"(SELECT * FROM ({numbered}) WHERE place // {_SAMPLE_CHUNK} % {every} = 0)"

    def label(self, table: ParquetTable, column: str) -> str:
        """A label of a `source` as text, '' if it is missing."""
        return f"coalesce({_stripped(self.text(table, column))}, '')"

    def numbered(self, table: ParquetTable) -> str:
        """The `source` with ids as text, '' if they are missing, and with `row`, the number of the row from 1 on."""
        text = "coalesce(CAST(id AS VARCHAR), '')"
        return f"(SELECT * REPLACE ({text} AS id), row_number() OVER () AS row FROM {self.source(table)})"

    def _id(self, table: ParquetTable) -> str:
        name, kind = identifier(table.id), table.kinds[table.id]
        same_kind = len({each.kinds[each.id] for each in self.data.tables}) == 1
        text = name if same_kind and kind not in ("bytes", "floating-point numbers") else _text(name, kind)
        return _stripped(text) if table.blanks else text

    def patterns(self, *, every: int = 1) -> str:
        """A query for patterns: the words of their numbers, and the number of items of each; every: as in `source`."""
        if self.data.runs:
            words = self._words([f"d{column}" for column in range(self.columns)])
            return f"SELECT {words}, count(*) AS n FROM ({self._joined(every)}) GROUP BY ALL"
        gold = self.data.gold
        if every > 1:
            # The patterns of a sample may be many: as numbers they take a fraction of the memory of labels.
            words = self._words(self._digits_beside_gold())
            return f"SELECT {words}, count(*) AS n FROM {self.source(gold, every=every)} GROUP BY ALL"
        # DuckDB groups the labels unchanged, which is fastest; then the few patterns become numbers.
        labels = ", ".join(f"c{place}" for place in range(len(gold.labels)))
        grouped = f"SELECT {labels}, count(*) AS n FROM {self.source(gold, every=every)} GROUP BY ALL"
        words = self._words(self._digits_beside_gold())
        return f"SELECT {words}, sum(n)::BIGINT AS n FROM ({grouped}) GROUP BY ALL"

    def rows(self) -> str:
        """A query for the digits of every item, in the order of gold."""
        if self.data.runs:
            digits = ", ".join(f"d{column}" for column in range(self.columns))
            return f"SELECT {digits} FROM ({self._joined(1)}) ORDER BY row"
        digits = ", ".join(f"{digit} AS d{column}" for column, digit in enumerate(self._digits_beside_gold()))
        return f"SELECT {digits} FROM {self.source(self.data.gold)}"

    def items(self) -> str:
        """A query for `id`, `row` of gold, digits as `d0`, `d1`, … and clusters as `k0`, … of every item."""
        return self._joined(1)

    def prepare(self, connection: Connection) -> ParquetRows | JoinedRows:
        """If there are many tables, the joined rows, joined a few tables at a time; else these rows."""
        if len(self.data.runs) <= _JOINED_AT_ONCE:
            return self
        done = 0
        name = ""
        while done < len(self.data.runs):
            tables = self.data.runs[done : done + _JOINED_AT_ONCE]
            left = f"SELECT * FROM {name}" if name else self._gold(1)
            joined = f"joined_{done}"
            connection.execute(f"CREATE TEMP TABLE {joined} AS {self._join(left, tables, done)}")
            if name:
                connection.execute(f"DROP TABLE {name}")
            name, done = joined, done + len(tables)
        return JoinedRows(self.data, self.scale, self.drop, name)

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

    def _joined(self, every: int) -> str:
        return self._join(self._gold(every), self.data.runs, 0)

    def _join(self, left: str, runs: Sequence[ParquetTable], done: int) -> str:
        """Rows joined with further tables of systems; done: the number of tables joined before."""
        column = 1 + sum(len(table.systems) for table in (self.data.gold, *self.data.runs[:done]))
        selected, joins = ["rows.*"], []
        for number, table in enumerate(runs):
            of_table = [f"d{column + place}" for place in range(len(table.systems))]
            digits = ", ".join(
                f"{self.digit(table, name)} AS {digit}"
                for name, digit in zip(table.systems.values(), of_table, strict=True)
            )
            selected += [
                f"coalesce(run_{number}.{digit}, {len(self.scale) + ABSENT})::{self.digit_type} AS {digit}"
                for digit in of_table
            ]
            run = f"(SELECT id, {digits} FROM {self.source(table)}) AS run_{number}"
            joins.append(f"LEFT JOIN {run} ON rows.id = run_{number}.id")
            column += len(of_table)
        return f"SELECT {', '.join(selected)} FROM ({left}) AS rows {' '.join(joins)}"


@dataclass(frozen=True)
class JoinedRows(ParquetRows):
    """Joined rows; table: the name of their table."""

    table: str

    def _joined(self, every: int) -> str:
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
