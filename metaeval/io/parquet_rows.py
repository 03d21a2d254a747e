"""Labels in Parquet tables as digits, in SQL: the classes of the scale, and what is none of them.

With C classes the digit of a label is its code; C where it is missing, C + 1 where it is unknown, C + 2 where the table
has no row for the item, and for gold C + 3 where its class is left out. Digits of gold and all systems together are the
number of a pattern, in words of 63 bits, so that patterns in the order of their numbers are in that of `PatternRuns`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from metaeval.io.duck import identifier, literal, path_pattern
from metaeval.io.parquet_tables import ParquetData, ParquetTable
from metaeval.model.scale import ClassScale

if TYPE_CHECKING:
    import duckdb

MISSING, UNKNOWN, ABSENT, LEFT_OUT = range(4)
"""Digits after the classes."""

_WORD = 63
_JOINED_AT_ONCE = 8
"""Tables of systems that are joined in one query: each is held in memory, or spilled, meanwhile."""

_STRETCH = 2048
"""Rows that lie together in a sample: DuckDB's vectors, so that most of a file need not be read."""


@dataclass(frozen=True)
class ParquetRows:
    """Gold and systems of tables, as SQL; drop: gold classes to leave out."""

    data: ParquetData
    scale: ClassScale
    drop: tuple[str, ...]

    @property
    def base(self) -> int:
        """How many digits there are."""
        return len(self.scale) + 4

    @property
    def columns(self) -> int:
        """Gold and the systems: 1 + S."""
        return 1 + len(self.data.systems)

    @property
    def digit_type(self) -> str:
        """Of a digit, in SQL."""
        return "UTINYINT" if self.base <= 1 << 8 else "USMALLINT" if self.base <= 1 << 16 else "UINTEGER"

    @property
    def words(self) -> list[slice]:
        """Which digits make up each word of a number."""
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
        """A label as text, as the reader in memory writes it."""
        name = identifier(column)
        if table.types[column] == "bool":
            return f"CASE WHEN {name} THEN 'True' WHEN NOT {name} THEN 'False' END"
        return f"CAST({name} AS VARCHAR)"

    def digit(self, table: ParquetTable, column: str) -> str:
        """The digit of a system's label."""
        classes = " ".join(f"WHEN {literal(label)} THEN {code}" for code, label in enumerate(self.scale.labels))
        text, none = self.text(table, column), len(self.scale)
        other = f"CASE WHEN {identifier(column)} IS NULL THEN {none + MISSING} ELSE {none + UNKNOWN} END"
        return f"(CASE {text} {classes} WHEN '' THEN {none + MISSING} ELSE {other} END)::{self.digit_type}"

    def gold_digit(self) -> str:
        """The digit of the gold label."""
        table = self.data.gold
        assert table.gold is not None
        digit = self.digit(table, table.gold)
        if not self.drop:
            return digit
        dropped = f"{self.text(table, table.gold)} IN ({', '.join(map(literal, self.drop))})"
        return f"(CASE WHEN {dropped} THEN {len(self.scale) + LEFT_OUT} ELSE {digit} END)::{self.digit_type}"

    def id(self, table: ParquetTable) -> str:
        """The id, as it can be compared with those of other tables."""
        alike = len({each.types[each.id] for each in self.data.tables}) == 1
        return identifier(table.id) if alike else f"CAST({identifier(table.id)} AS VARCHAR)"

    def source(self, table: ParquetTable, *, numbered: bool = False) -> str:
        """A table, to select from."""
        files = ", ".join(literal(path_pattern(file)) for file in table.files)
        more = ", file_row_number=true" if numbered else ""
        return f"read_parquet([{files}], union_by_name=true, hive_partitioning=false{more})"

    def patterns(self, *, every: int = 1) -> str:
        """A query for patterns: words of their numbers, and how many items each has.

        every: only of the items of every so many stretches of gold.
        """
        if self.data.runs:
            digits = [identifier(f"d{column}") for column in range(self.columns)]
            words = self._words(digits)
            return f"SELECT {words}, count(*) AS n FROM ({self._joined(every)}) GROUP BY ALL"
        # Labels are grouped as they stand, because DuckDB is best at that, and the few patterns made numbers.
        table = self.data.gold
        assert table.gold is not None
        raw = list(dict.fromkeys([table.gold, *table.systems.values()]))
        labels = ", ".join(map(identifier, raw))
        grouped = f"SELECT {labels}, count(*) AS items FROM {self._sampled(every)} GROUP BY ALL"
        words = self._words(self._digits_beside_gold())
        return f"SELECT {words}, sum(items)::BIGINT AS n FROM ({grouped}) GROUP BY ALL"

    def rows(self) -> str:
        """A query for the digits of every item, in the order of gold."""
        if self.data.runs:
            digits = ", ".join(f"d{column}" for column in range(self.columns))
            return f"SELECT {digits} FROM ({self._joined(1)}) ORDER BY row"
        digits = ", ".join(f"{digit} AS d{column}" for column, digit in enumerate(self._digits_beside_gold()))
        return f"SELECT {digits} FROM {self.source(self.data.gold)}"

    def prepare(self, connection: duckdb.DuckDBPyConnection) -> ParquetRows | JoinedRows:
        """Where there are many tables, the rows joined already, some tables at a time; else these rows."""
        if len(self.data.runs) <= _JOINED_AT_ONCE:
            return self
        done = 0
        name = ""
        while done < len(self.data.runs):
            several = self.data.runs[done : done + _JOINED_AT_ONCE]
            left = f"SELECT * FROM {name}" if name else self._gold(1)
            following = f"joined_{done}"
            connection.execute(f"CREATE TEMP TABLE {following} AS {self._join(left, several, done)}")
            if name:
                connection.execute(f"DROP TABLE {name}")
            name, done = following, done + len(several)
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

    def _sampled(self, every: int) -> str:
        if every == 1:
            return self.source(self.data.gold)
        return f"{self.source(self.data.gold, numbered=True)} WHERE file_row_number // {_STRETCH} % {every} = 0"

    def _gold(self, every: int) -> str:
        digits = ", ".join(f"{digit} AS d{column}" for column, digit in enumerate(self._digits_beside_gold()))
        gold = self.data.gold
        return f"SELECT {self.id(gold)} AS item, row_number() OVER () AS row, {digits} FROM {self._sampled(every)}"

    def _joined(self, every: int) -> str:
        return self._join(self._gold(every), self.data.runs, 0)

    def _join(self, left: str, runs: Sequence[ParquetTable], done: int) -> str:
        """Rows and some more tables of systems beside them; done: how many tables are among them already."""
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
            run = f"(SELECT {self.id(table)} AS item, {digits} FROM {self.source(table)}) AS run_{number}"
            joins.append(f"LEFT JOIN {run} ON rows.item = run_{number}.item")
            column += len(of_table)
        return f"SELECT {', '.join(selected)} FROM ({left}) AS rows {' '.join(joins)}"


@dataclass(frozen=True)
class JoinedRows(ParquetRows):
    """Rows that were joined; table: where they are."""

    table: str

    def _joined(self, every: int) -> str:
        return f"SELECT * FROM {self.table}" + (f" WHERE row // {_STRETCH} % {every} = 0" if every > 1 else "")
