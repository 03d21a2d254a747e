"""The rows of Parquet tables that may be at fault.

DuckDB finds the ids of such rows, and the reader in memory reads all rows with these ids and says what is wrong with
them, so that the errors of both readers are the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from metaeval.errors import InputError, pluralize
from metaeval.io.dataset import read_dataset, scale_of_labels
from metaeval.io.files.run_files import exists, is_folder
from metaeval.io.files.source import Source, open_source
from metaeval.io.labels import run_table
from metaeval.io.labels.policies import Policies
from metaeval.io.labels.raw_labels import Columns
from metaeval.io.labels.tasks import LabelTask
from metaeval.io.parquet.checks import ParquetChecks, gold_labels, own_gold, with_blank_ids
from metaeval.io.parquet.duck import Connection, literal
from metaeval.io.parquet.frame import ParquetPart
from metaeval.io.parquet.rows import DROPPED, MISSING, UNKNOWN, ParquetRows
from metaeval.io.parquet.tables import ParquetData, TableSearch
from metaeval.model.scale import ClassScale
from metaeval.steps import no_progress

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
                self.search.gold, (), task=task, scale=self.scale, columns=columns, policies=self.policies,
                progress=no_progress, open_file=open_file, run_files=self.search.run_files, infer=infer,
            )  # fmt: skip
        except InputError as error:
            raise InputError(error.problems, hints=[*error.hints, *cut, *self._hints()]) from None

    def _hints(self) -> list[str]:
        several = [path for path, table in self.search.known.items() if len(table.files) > 1]
        return [f"rows of {path} are counted over all its files, sorted by name" for path in several]

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
            limit = most if place >= len(context) else max(most, run_table.SIMILAR_AMONG)
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
        yield f"SELECT id, row FROM {numbered} WHERE row <= {run_table.SIMILAR_AMONG}"
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
