"""Checks of Parquet tables, and the rows at fault.

The rows of Parquet tables that may be at fault.

DuckDB finds the ids of such rows, and the reader in memory reads all rows with these ids and says what is wrong with
them, so that the errors of both readers are the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
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
from metaeval.errors import InputError, pluralize, refuse, setting, unreadable
from metaeval.io.dataset import check_number_of_labels, read_dataset, scale_of_labels
from metaeval.io.files.run_files import exists, is_folder
from metaeval.io.files.source import Source, open_source
from metaeval.io.labels import join
from metaeval.io.labels.columns import Columns
from metaeval.io.labels.join import Policies, no_item_left
from metaeval.io.labels.tasks import LabelTask
from metaeval.io.parquet import ParquetPart
from metaeval.model.scale import ClassScale
from metaeval.steps import no_progress

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

    def joined(self, column: int) -> int:
        """The number of items for which the table of a system has a row; column: of the system."""
        return self.items - int(self._counts[column, self._classes + ABSENT])

    def unusable(self, column: int) -> tuple[int, int]:
        """The number of missing and of unknown labels in a column, without dropped items."""
        counts = self._evaluated[column, self._classes :]
        return int(counts[MISSING] + counts[ABSENT]), int(counts[UNKNOWN])


@dataclass(frozen=True)
class ParquetChecks:
    """Checks of tables, which say whether a row is at fault: `RowsAtFault` finds which."""

    connection: Connection
    rows: ParquetRows
    policies: Policies
    memory: int

    def check_ids(self, table: ParquetTable) -> None:
        """Refuse empty and repeated ids."""
        if not self.all_distinct(table):
            raise _refusal(table)

    def all_distinct(self, table: ParquetTable) -> bool:
        """Whether all ids are present and distinct; False also if different ids have the same hash."""
        source = self.rows.source(table)
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
        return not repeated and not self.connection.number(blank)

    def check(self, tally: Tally) -> int:
        """Refuse tables with a row at fault, or return the number of rows of runs for unknown items."""
        gold, policies = self.rows.data.gold, self.policies
        if any(tally.unusable(0)) or tally.items != gold.rows:
            raise _refusal(gold)
        if tally.dropped == tally.items:
            raise no_item_left(gold.path)
        extra = 0
        column = 1
        for table in self.rows.data.tables:
            query = own_gold(self.rows, table)
            if query and self.connection.number(f"SELECT count(*) FROM ({query} LIMIT 1)"):
                raise _refusal(table)
            rest = table.rows - tally.joined(column) if table is not gold else 0
            if rest and not policies.drop_extra:
                raise _refusal(table)
            if rest:
                # Rows of unknown items may be duplicates, which the join does not reveal.
                self.check_ids(table)
            extra += rest
            for _ in table.systems:
                missing, unknown = tally.unusable(column)
                if (missing and policies.on_missing.action == "error") or (
                    unknown and policies.on_unknown.action == "error"
                ):
                    raise _refusal(table)
                column += 1
        return extra


def _refusal(table: ParquetTable) -> InputError:
    """The error where DuckDB refuses rows, but the reader in memory finds nothing wrong with them."""
    hint = f"write ids and labels as texts, or set {setting('engine', 'memory')}"
    return refuse(table.path, unreadable("ids or labels", "DuckDB and the reader in memory differ", hint))


def own_gold(rows: ParquetRows, table: ParquetTable) -> str:
    """A query for id and row of the gold labels of a run that differ from those of gold; '' if it has none."""
    gold = rows.data.gold
    if table is gold or table.gold is None or gold.gold is None or table.gold in table.systems.values():
        return ""

    def labels(each: ParquetTable, column: str) -> str:
        return f"(SELECT id, row, {rows.label(each, column)} AS label FROM {rows.numbered(each)})"

    of_gold, of_run = labels(gold, gold.gold), labels(table, table.gold)
    return (
        f"SELECT id, row FROM {of_run} AS own WHERE label <> '' AND id IN (SELECT id FROM {of_gold}) "
        f"AND NOT EXISTS (SELECT 1 FROM {of_gold} AS gold WHERE gold.id = own.id AND gold.label = own.label)"
    )


def gold_labels(connection: Connection, rows: ParquetRows, classes: Sequence[str] | None = None) -> Mapping[str, int]:
    """The labels of gold with their counts. classes: which of them; by default all, unless they are too many."""
    gold = rows.data.gold
    assert gold.gold is not None
    grouped = f"SELECT {rows.label(gold, gold.gold)} AS label, count(*) AS n FROM {rows.source(gold)} GROUP BY ALL"
    if classes is not None:
        grouped += f" HAVING label IN ({', '.join(map(literal, classes))})"
    else:
        other = f"label NOT IN ({', '.join(map(literal, ('', *rows.drop)))})"
        number = connection.number(f"SELECT count(*) FROM ({grouped}) WHERE {other}")
        check_number_of_labels(number, gold.rows, gold.path)
    return dict(connection.execute(f"SELECT label, n FROM ({grouped}) ORDER BY label").fetchall())


def with_blank_ids(connection: Connection, data: ParquetData) -> ParquetData:
    """The tables with `blanks` set."""
    gold, *runs = (replace(table, blanks=_has_blanks(connection, data, table)) for table in data.tables)
    return replace(data, gold=gold, runs=tuple(runs))


def _has_blanks(connection: Connection, data: ParquetData, table: ParquetTable) -> bool:
    if table.kinds[table.id] not in ("texts", "bytes"):
        return False
    source = ParquetRows(data, ClassScale(("?", "!")), ()).source(table)

    def any_has(condition: str) -> bool:
        return bool(connection.number(f"SELECT coalesce(bool_or({condition}), false)::INT FROM {source}"))

    # Most ids begin and end between '!' and '~': this check is much faster than the pattern.
    if not any_has("id NOT BETWEEN '!' AND '~' OR id[-1] NOT BETWEEN '!' AND '~'"):
        return False
    blanks = "".join(f"\\x{{{ord(blank):x}}}" for blank in BLANKS)
    return any_has(f"regexp_matches(id, '^[{blanks}]|[{blanks}]$')")


MOST_IDS = 100_000
"""Maximum number of ids, and of their further rows in a table, that are read into memory."""


@dataclass(frozen=True)
class FaultyRows:
    """Reads the rows of tables that may be at fault; scale: the declared one."""

    connection: Connection
    search: TableSearch
    scale: ClassScale | None
    policies: Policies
    memory: int

    def raise_faults(self, task: LabelTask, columns: Columns) -> None:
        """Raise the faults that the reader in memory finds in these rows as one `InputError`, if there are any."""
        if self.search.run_files is None:
            return
        rows, scale = self._rows_and_scale()
        parts, cut = self._parts(rows, labels=isinstance(scale, ClassScale)) if rows is not None else ({}, [])

        def infer() -> tuple[ClassScale, str]:
            if isinstance(scale, InputError):
                raise scale
            assert scale is not None
            return scale, ""

        def open_file(path: str, role: str) -> Source:
            if path in parts:
                return replace(parts[path], role=role)
            failure = self.search.failures[path]
            if is_folder(path):
                raise failure
            is_parquet = exists(path) and path.lower().endswith(".parquet")
            task.read(ParquetPart.of(path, [path], ()) if is_parquet else open_source(path, role), columns)
            # The reader in memory finds nothing wrong with its columns.
            raise failure

        try:
            read_dataset(
                self.search.gold,
                (),
                task=task,
                scale=self.scale,
                columns=columns,
                policies=self.policies,
                progress=no_progress,
                open_file=open_file,
                run_files=self.search.run_files,
                infer=infer,
            )
        except InputError as error:
            several = [path for path, table in self.search.known.items() if len(table.files) > 1]
            hints = [f"rows of {path} are counted over all its files, sorted by name" for path in several]
            raise InputError(error.problems, hints=[*error.hints, *cut, *hints]) from None

    def _rows_and_scale(self) -> tuple[ParquetRows | None, ClassScale | InputError | None]:
        """The tables as far as they are known, and the scale, or why there is none."""
        search = self.search
        first = search.gold_table or next(iter(search.known.values()), None)
        if first is None:
            return None, self.scale
        beside = {} if first.path not in search.known else search.known[first.path].systems
        gold = replace(first, systems=first.systems | beside)
        others = tuple(table for table in search.known.values() if table.path != gold.path)
        # All tables, because ids are compared as numbers only if they are numbers everywhere.
        data = with_blank_ids(self.connection, ParquetData(gold, others, ()))
        rows = ParquetRows(data, self.scale or ClassScale(("?", "!")), self.policies.drop_gold)
        if self.scale is not None or search.gold_table is None:
            return rows, self.scale
        try:
            labels = gold_labels(self.connection, rows)
            scale = scale_of_labels(labels, gold.rows, gold.path, rows.drop)[0]
        except InputError as error:
            return rows, error
        return replace(rows, scale=scale), scale

    def _parts(self, rows: ParquetRows, *, labels: bool) -> tuple[dict[str, ParquetPart], list[str]]:
        """The rows of each table with an id that may be at fault, and a hint if there are too many of them.

        labels: whether there is a scale by which labels can be at fault.
        """
        self.connection.execute("CREATE OR REPLACE TEMP TABLE suspects (id VARCHAR)")
        context, queries = list(self._context(rows)), [*self._ids(rows), *(self._labels(rows) if labels else ())]
        most = MOST_IDS // max(1, len(queries))
        size, cut = 0, False
        for place, query in enumerate([*context, *queries]):
            limit = most if place >= len(context) else max(most, join.SIMILAR_AMONG)
            self.connection.execute(f"INSERT INTO suspects SELECT id FROM ({query}) ORDER BY row LIMIT {limit + 1}")
            before, size = size, self.connection.number("SELECT count(*) FROM suspects")
            cut |= place >= len(context) and size - before > limit
        self.connection.execute("CREATE OR REPLACE TEMP TABLE suspects AS SELECT DISTINCT id FROM suspects")
        most = MOST_IDS + self.connection.number("SELECT count(*) FROM suspects")
        parts = {}
        for table in rows.data.tables:
            # Every id once, and then further rows of repeated ones.
            turn = "row_number() OVER (PARTITION BY id ORDER BY row)"
            query = f"SELECT row, {turn} AS turn FROM {rows.numbered(table)} JOIN suspects USING (id)"
            columns = self.connection.execute(
                f"SELECT row FROM ({query}) ORDER BY turn, row LIMIT {most + 1}"
            ).fetchnumpy()
            cut |= len(columns["row"]) > most
            chosen = np.sort(columns["row"][:most]).astype(np.intp) - 1
            parts[table.path] = ParquetPart.of(table.path, table.files, chosen)
        told = f"fix these first: of each table, at most {pluralize(most, 'row')} were read for this message"
        return parts, [told] if cut else []

    def _context(self, rows: ParquetRows) -> Iterator[str]:
        """Queries for ids that messages need, beside those at fault, as id and row."""
        for table in rows.data.tables:
            yield f"SELECT id, row FROM {rows.numbered(table)} WHERE row = 1"
        gold = rows.data.gold
        if self.search.gold_table is None or gold.gold is None:
            return
        numbered, label = rows.numbered(gold), rows.label(gold, gold.gold)
        yield f"SELECT id, row FROM {numbered} WHERE row <= {join.SIMILAR_AMONG}"
        first_of_each = f"SELECT arg_min(id, row) AS id, min(row) AS row FROM {numbered} GROUP BY {label}"
        yield first_of_each
        if rows.drop:
            yield f"{first_of_each} HAVING {label} IN ({', '.join(map(literal, rows.drop))})"
        evaluated = f"{rows.gold_digit()} <> {len(rows.scale) + DROPPED}"
        for table in rows.data.runs:
            with_row = f"id IN (SELECT id FROM {rows.numbered(table)})"
            yield f"SELECT id, row FROM {numbered} WHERE {evaluated} AND {with_row} ORDER BY row DESC LIMIT 1"

    def _ids(self, rows: ParquetRows) -> Iterator[str]:
        """Queries for empty and repeated ids, and for gold labels in runs that are not those of gold."""
        checks = ParquetChecks(self.connection, rows, self.policies, self.memory)
        for table in rows.data.tables:
            if not checks.all_distinct(table):
                grouped = f"SELECT id, min(row) AS row FROM {rows.numbered(table)} GROUP BY id"
                yield f"{grouped} HAVING count(*) > 1 OR id = ''"
            if self.search.gold_table is not None and (query := own_gold(rows, table)):
                yield query

    def _labels(self, rows: ParquetRows) -> Iterator[str]:
        """Queries for ids that gold lacks, and for labels that are missing or outside the scale."""
        gold, classes = rows.data.gold, len(rows.scale)
        has_gold, policies = self.search.gold_table is not None, self.policies
        numbered = rows.numbered(gold)
        evaluated = f"{rows.gold_digit()} <> {classes + DROPPED}" if has_gold else "true"
        known = f"id IN (SELECT id FROM {numbered})"
        to_tell = "true"
        if has_gold:
            faulty = f"{rows.gold_digit()} IN ({classes + MISSING}, {classes + UNKNOWN})"
            yield f"SELECT id, row FROM {numbered} WHERE {faulty}"
            to_tell = f"(id IN (SELECT id FROM {numbered} WHERE {evaluated}))"
            to_tell += "" if policies.drop_extra else f" OR NOT {known}"
        for table in rows.data.tables:
            digits = [rows.digit(table, column) for column in table.systems.values()]
            own = rows.numbered(table)
            if has_gold and table is not gold and not policies.drop_extra:
                yield f"SELECT id, row FROM {own} WHERE NOT {known}"
            if digits and policies.on_unknown.action == "error":
                unknown = " OR ".join(f"{digit} = {classes + UNKNOWN}" for digit in digits)
                yield f"SELECT id, row FROM {own} WHERE ({unknown}) AND ({to_tell})"
            if digits and has_gold and policies.on_missing.action == "error":
                present = " AND ".join(f"{digit} <> {classes + MISSING}" for digit in digits)
                with_labels = f"SELECT id FROM {own} WHERE {present}"
                yield f"SELECT id, row FROM {numbered} WHERE {evaluated} AND id NOT IN ({with_labels})"
