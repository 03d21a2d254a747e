"""Checks of Parquet tables.

DuckDB finds whether a row is at fault, and says the first one. The reader in memory then says what is wrong with all
rows that are, if memory can hold them, so that the errors of both readers are the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from metaeval.engines.duck import Connection, literal
from metaeval.engines.tables import (
    ABSENT,
    BLANKS,
    DROPPED,
    MISSING,
    UNKNOWN,
    ParquetData,
    ParquetRows,
    ParquetTable,
    TableSearch,
)
from metaeval.errors import InputError, one_of, refuse, setting, shortened
from metaeval.io.dataset import check_number_of_labels, read_dataset
from metaeval.io.files.run_files import is_folder
from metaeval.io.files.source import Source, open_source
from metaeval.io.labels.columns import Renaming
from metaeval.io.labels.join import Policies, no_item_left
from metaeval.io.labels.tasks import LabelTask
from metaeval.io.parquet import ParquetFiles, parquet_cells
from metaeval.model.scale import ClassScale
from metaeval.steps import no_progress

_LABELS_AT_MOST = 10_000
"""Number of different labels of a column that are looked at."""

_HASH_BYTES = 24
"""Approximate memory for sorting the hash of an id."""


class Tally:
    """Counts of every digit in every column, gold first: (1 + S, base); they reveal whether there are problems."""

    def __init__(self, rows: ParquetRows) -> None:
        self._classes = len(rows.scale)
        self._counts = np.zeros((rows.columns, rows.base), dtype=np.int64)
        self._evaluated = np.zeros_like(self._counts)

    def add(self, digits: NDArray[np.integer], times: NDArray[np.integer] | None = None) -> None:
        """Count more items; digits: (1 + S, n), times: the number of items of each column, (n,)."""
        evaluated = digits[0] != self._classes + DROPPED
        self._counts += self._count(digits, times)
        rest = digits[:, evaluated] if not evaluated.all() else digits
        self._evaluated += self._count(rest, times if times is None else times[evaluated])

    def _count(self, digits: NDArray[np.integer], times: NDArray[np.integer] | None) -> NDArray[np.int64]:
        base = self._counts.shape[1]
        counts = [np.bincount(column, times, minlength=base) for column in digits]
        return np.array(counts, dtype=np.int64).reshape(self._counts.shape)

    @property
    def items(self) -> int:
        """The number of all items."""
        return int(self._counts[0].sum())

    @property
    def dropped(self) -> int:
        """The number of items whose gold class is dropped."""
        return int(self._counts[0, self._classes + DROPPED])

    def rows_in_table(self, column: int) -> int:
        """The number of items for which the table of a system has a row; column: of the system."""
        return self.items - int(self._counts[column, self._classes + ABSENT])

    def unusable(self, column: int) -> tuple[int, int]:
        """The number of missing and of unknown labels in a column, without dropped items."""
        counts = self._evaluated[column, self._classes :]
        return int(counts[MISSING] + counts[ABSENT]), int(counts[UNKNOWN])


@dataclass(frozen=True)
class ParquetChecks:
    """Checks of tables, which say the first row at fault."""

    connection: Connection
    rows: ParquetRows
    policies: Policies
    memory: int

    def check_ids(self, table: ParquetTable) -> None:
        """Refuse empty and repeated ids."""
        source, numbered_rows = self.rows.source(table), self.rows.numbered_rows(table)
        if table.rows * _HASH_BYTES > self.memory // 2:
            repeated = self.connection.number(f"SELECT count(DISTINCT hash(id)) FROM {source}") < table.rows
        else:
            columns = self.connection.execute(f"SELECT hash(id) AS h FROM {source}").fetchnumpy()
            hashes = np.asarray(columns["h"])
            # In place: allocating another array takes as long as sorting.
            hashes.sort()
            repeated = bool((hashes[1:] == hashes[:-1]).any())
        # Of distinct ids, at most one is NULL and at most one is ''.
        blank = f"SELECT count(*) FROM {source} WHERE id IS NULL OR CAST(id AS VARCHAR) = ''"
        # Different ids may have the same hash.
        if repeated or self.connection.number(blank):
            repeats = f"SELECT id FROM {numbered_rows} GROUP BY id HAVING count(*) > 1"
            query = f"SELECT id, row FROM {numbered_rows} WHERE id = '' OR id IN ({repeats})"
            self._refuse_first(table, "an empty or repeated id", "every id once", query)

    def _refuse_first(self, table: ParquetTable, found: str, expected: str, query: str) -> None:
        """Refuse the first row at fault; query: the ids and rows of all of them."""
        first = self.connection.execute(f"SELECT row, id FROM ({query}) ORDER BY row LIMIT 1").fetchall()
        for row, name in first:
            hint = f"this is the first row at fault; a larger {setting('memory')} may hold all rows, to check them"
            raise refuse((table.path, int(row)), f"{found}: '{shortened(str(name))}'", expected, hint)

    def check(self, tally: Tally) -> int:
        """Refuse tables with a row at fault, or return the number of rows of runs for unknown items."""
        gold, policies, classes = self.rows.data.gold, self.policies, len(self.rows.scale)
        ids = f"SELECT id, row FROM {self.rows.numbered_rows(gold)}"
        if tally.items != gold.rows:
            for table in self.rows.data.runs:
                self.check_ids(table)
        if any(tally.unusable(0)):
            query = f"{ids} WHERE {self.rows.gold_digit()} IN ({classes + MISSING}, {classes + UNKNOWN})"
            self._refuse_first(gold, "an id without a gold label of the scale", one_of(self.rows.scale.labels), query)
        if tally.dropped == tally.items:
            raise no_item_left(gold.path)
        extra = 0
        column = 1
        for table in self.rows.data.tables:
            if query := differing_gold(self.rows, table):
                self._refuse_first(table, "an id with another gold label", f"that of {gold.path}", query)
            rest = table.rows - tally.rows_in_table(column) if table is not gold else 0
            if rest and not policies.drop_extra:
                query = f"SELECT id, row FROM {self.rows.numbered_rows(table)} WHERE id NOT IN (SELECT id FROM ({ids}))"
                self._refuse_first(table, "an unknown id", "ids of gold", query)
            if rest:
                # Rows of unknown items may be duplicates, which the join does not reveal.
                self.check_ids(table)
            extra += rest
            for system in table.systems:
                self._check_system(system, column, *tally.unusable(column))
                column += 1
        return extra

    def _check_system(self, system: str, column: int, missing: int, unknown: int) -> None:
        """Refuse missing and unknown labels of a system, unless the policies allow them."""
        classes, faulty = len(self.rows.scale), []
        if missing and self.policies.on_missing.action == "error":
            faulty = [MISSING, ABSENT]
        if unknown and self.policies.on_unknown.action == "error":
            faulty.append(UNKNOWN)
        if faulty:
            digits = ", ".join(str(classes + digit) for digit in faulty)
            query = f"SELECT id, row FROM ({self.rows.items()}) WHERE d0 < {classes} AND d{column} IN ({digits})"
            found, expected = f"an id without a label of the scale from '{system}'", one_of(self.rows.scale.labels)
            self._refuse_first(self.rows.data.gold, found, expected, query)


def differing_gold(rows: ParquetRows, table: ParquetTable) -> str:
    """A query for id and row of the gold labels of a run that differ from those of gold; '' if it has none."""
    gold = rows.data.gold
    if table is gold or table.gold is None or gold.gold is None or table.gold in table.systems.values():
        return ""

    def labels(parquet: ParquetTable, column: str) -> str:
        return f"(SELECT id, row, {rows.label(parquet, column)} AS label FROM {rows.numbered_rows(parquet)})"

    gold_rows, run_rows = labels(gold, gold.gold), labels(table, table.gold)
    return (
        f"SELECT id, row FROM {run_rows} AS run WHERE label <> '' AND id IN (SELECT id FROM {gold_rows}) "
        f"AND NOT EXISTS (SELECT 1 FROM {gold_rows} AS gold WHERE gold.id = run.id AND gold.label = run.label)"
    )


def gold_labels(connection: Connection, rows: ParquetRows, classes: Sequence[str] | None = None) -> Mapping[str, int]:
    """The labels of gold with their counts. classes: which of them; by default all, unless they are too many."""
    gold = rows.data.gold
    assert gold.gold is not None
    query = f"SELECT {rows.label(gold, gold.gold)} AS label, count(*) AS n FROM {rows.source(gold)} GROUP BY ALL"
    if classes is not None:
        query += f" HAVING label IN ({', '.join(map(literal, classes))})"
    else:
        other = f"label NOT IN ({', '.join(map(literal, ('', *rows.drop)))})"
        number = connection.number(f"SELECT count(*) FROM ({query}) WHERE {other}")
        check_number_of_labels(number, gold.rows, gold.path)
    return dict(connection.execute(f"SELECT label, n FROM ({query}) ORDER BY label").fetchall())


def check_renamed(connection: Connection, rows: ParquetRows, names: Mapping[str, str]) -> None:
    """Refuse labels to be replaced that occur in no table; rows: with the labels of the files."""
    renaming = Renaming(names)
    for table in rows.data.tables if names else ():
        for column in table.labels:
            query = f"SELECT DISTINCT {rows.label(table, column)} FROM {rows.source(table)} LIMIT {_LABELS_AT_MOST}"
            renaming.texts([str(label) for (label,) in connection.execute(query).fetchall()])
    renaming.check()


def with_blank_ids(connection: Connection, data: ParquetData) -> ParquetData:
    """The tables with `blanks` set."""
    gold, *runs = (replace(table, blanks=_has_blanks(connection, data, table)) for table in data.tables)
    return replace(data, gold=gold, runs=tuple(runs))


def _has_blanks(connection: Connection, data: ParquetData, table: ParquetTable) -> bool:
    if table.kinds[table.id] not in ("texts", "bytes"):
        return False
    source = ParquetRows(data, ClassScale(("?", "!")), (), {}).source(table)

    def any_has(condition: str) -> bool:
        return bool(connection.number(f"SELECT coalesce(bool_or({condition}), false)::INT FROM {source}"))

    # Most ids begin and end between '!' and '~': this check is much faster than the pattern.
    if not any_has("id NOT BETWEEN '!' AND '~' OR id[-1] NOT BETWEEN '!' AND '~'"):
        return False
    blanks = "".join(f"\\x{{{ord(blank):x}}}" for blank in BLANKS)
    return any_has(f"regexp_matches(id, '^[{blanks}]|[{blanks}]$')")


BYTES_PER_CELL = 200
"""Approximate memory that the reader in memory needs for a cell of a table."""


def raise_faults(
    search: TableSearch,
    runs: Sequence[str],
    *,
    task: LabelTask,
    scale: ClassScale | None,
    policies: Policies,
    memory: int,
) -> None:
    """Raise the faults that the reader in memory finds as one `InputError`, if memory can hold the tables."""
    if search.run_files is None or parquet_cells(search.gold, runs) * BYTES_PER_CELL > memory:
        return

    def open_file(path: str, role: str) -> Source:
        if path in search.tables:
            return ParquetFiles(path, role, b"", "", search.tables[path].files)
        if is_folder(path):
            raise search.failures[path]
        task.read(open_source(path, role), search.columns)
        # The reader in memory finds nothing wrong with its columns.
        raise search.failures[path]

    try:
        read_dataset(
            search.gold,
            (),
            task=task,
            scale=scale,
            columns=search.columns,
            policies=policies,
            progress=no_progress,
            open_file=open_file,
            run_files=search.run_files,
        )
    except InputError as error:
        several = [path for path, table in search.tables.items() if len(table.files) > 1]
        hints = [f"rows of {path} are counted over all its files, sorted by name" for path in several]
        error.hints = (*error.hints, *hints)
        raise error from None
