"""Labels in Parquet, which DuckDB joins, checks and counts.

The result depends on the data: patterns with multiplicities if items repeat, else the codes of all items, which must
fit into memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from metaeval.errors import InputError, pluralize, setting
from metaeval.io.dataset import NO_SYSTEMS, Dataset, doubts_about, no_run, scale_of_labels
from metaeval.io.labels.codes import MISSING as IS_MISSING
from metaeval.io.labels.codes import UNKNOWN as IS_UNKNOWN
from metaeval.io.labels.codes import USABLE
from metaeval.io.labels.gold_items import check_dropped
from metaeval.io.labels.join import absent_classes, apply_policies, check_any_item, repair_notes, with_misses
from metaeval.io.labels.policies import Policies
from metaeval.io.labels.raw_labels import Columns
from metaeval.io.labels.tasks import LabelTask
from metaeval.io.parquet.checks import ParquetChecks, Tally, gold_labels, with_blank_ids
from metaeval.io.parquet.clusters import ClusterReading, Deal
from metaeval.io.parquet.duck import Connection, Limits, UnreadableData, connected, with_file
from metaeval.io.parquet.faults import FaultyRows
from metaeval.io.parquet.files import all_files
from metaeval.io.parquet.patterns import Counting, PatternTable, fetch_patterns, merge_columns
from metaeval.io.parquet.rows import UNKNOWN, ParquetRows
from metaeval.io.parquet.tables import ParquetData, TableSearch
from metaeval.model.labels import ClassRuns, LabelledRuns, Numbered, PatternRuns, smallest_code_type
from metaeval.model.scale import ClassScale

SAMPLED_FROM = 1 << 18
"""Minimum number of items for which the number of patterns is estimated."""

SAMPLE = 1 << 17
"""Items of the sample for that estimate."""

ITEMS_PER_PATTERN = 5
"""Minimum number of items per pattern for which patterns pay off, as in `scoring.confusion`."""

CHUNK_ITEMS = 1 << 16
"""Items whose labels become codes at a time."""

_COPIES = 3
"""Copies of the codes in memory: as read, sorted by gold, and in transfer."""

_MEGABYTE = 1 << 20


def read_parquet_labels(
    gold: str,
    runs: Sequence[str],
    *,
    scale: ClassScale | None,
    columns: Columns,
    policies: Policies,
    limits: Limits,
    deal: Deal,
    needs_runs: bool = True,
    counting: Counting | None = None,
    task: LabelTask,
) -> Dataset[ClassRuns]:
    """Read gold and runs from Parquet: a wide table, or tables joined by id; the ids are not kept.

    gold, runs: files or folders. scale: None for the nominal scale of the labels in gold. deal: clusters into groups.
    counting: counts the patterns in other processes. task: reads the rows at fault. Problems of columns, of ids or of
    labels are an `InputError`.
    """
    search = TableSearch(gold, columns, choice=policies.systems)
    try:
        with connected(limits) as connection:
            try:
                data = search.find(runs)
                if needs_runs and not data.systems:
                    raise no_run(gold, NO_SYSTEMS)
                notes = policies.systems.notes(data.systems)
                data = with_blank_ids(connection, data.of_systems(policies.systems.of(data.systems)))
                rows, note = _on_scale(connection, data, scale, policies)
                notes = (*note, *data.notes, *notes)
                return _Reading(connection, rows, policies, limits, deal, counting).dataset(notes)
            except InputError:
                FaultyRows(connection, search, scale, policies, limits.bytes).raise_faults(task, columns)
                raise
    except UnreadableData as error:
        raise with_file(error, chain.from_iterable(all_files(gold, runs)), limits) from None


def _on_scale(
    connection: Connection, data: ParquetData, scale: ClassScale | None, policies: Policies
) -> tuple[ParquetRows, tuple[str, ...]]:
    """The rows on the declared scale or that of the gold labels, and a note on the latter."""
    rows = ParquetRows(data, scale or ClassScale(("?", "!")), policies.drop_gold)
    if scale is not None and not policies.drop_gold:
        return rows, doubts_about(scale)
    labels = gold_labels(connection, rows, None if scale is None else policies.drop_gold)
    check_dropped(policies.drop_gold, list(labels), data.gold.path)
    if scale is not None:
        return rows, doubts_about(scale)
    scale, note = scale_of_labels(list(labels), data.gold.rows, data.gold.path, policies.drop_gold)
    return replace(rows, scale=scale), (note,)


@dataclass(frozen=True)
class _Reading:
    connection: Connection
    rows: ParquetRows
    policies: Policies
    limits: Limits
    deal: Deal
    counting: Counting | None

    def dataset(self, notes: Sequence[str]) -> Dataset[ClassRuns]:
        """The data set of the tables."""
        data, items = self.rows.data, self.rows.data.gold.rows
        checks = ParquetChecks(self.connection, self.rows, self.policies, self.limits.bytes)
        checks.check_ids(data.gold)
        prepared = replace(self, rows=self.rows.prepare(self.connection))
        few = items >= SAMPLED_FROM and prepared.estimated_patterns() * ITEMS_PER_PATTERN < items
        result = (prepared.patterns(checks) if few else None) or prepared.codes(checks)
        absent = absent_classes(result.frequencies, self.rows.scale)
        notes = (*notes, *absent, *repair_notes(result.repairs, self.policies), result.note)
        reading = ClusterReading(self.connection, prepared.rows, self.policies, self._codes_of, self.deal)
        runs, clusters = reading.of(result.runs)
        return Dataset(runs, data.paths, data.source_files(), result.repairs, notes, clusters)

    def _codes_of(
        self, digits: NDArray[np.integer], times: NDArray[np.intp]
    ) -> tuple[NDArray[np.integer], NDArray[np.intp]]:
        return self._apply_policies(digits, times)[:2]

    def estimated_patterns(self) -> float:
        """The number of patterns, estimated from a sample by Heaps' law.

        If a share β of the patterns in the sample occurs once, the number of patterns grows as N to the power of β.
        """
        every = max(1, self.rows.data.gold.rows // SAMPLE)
        query = f"SELECT sum(n), count(*), count(*) FILTER (n = 1) FROM ({self.rows.patterns(every=every)})"
        sampled, patterns, once = (int(number or 0) for number in self.connection.execute(query).fetchall()[0])
        if not patterns:
            return 0.0
        return float(patterns * (self.rows.data.gold.rows / sampled) ** (once / patterns))

    def patterns(self, checks: ParquetChecks) -> _Result | None:
        """The items as patterns; None if there are too many."""
        table = self.counting(self.rows, self.limits) if self.counting is not None else None
        table = table or self._count_patterns()
        if table is None or len(table.times) * ITEMS_PER_PATTERN >= self.rows.data.gold.rows:
            return None
        digits, times = self.rows.digits_of(list(table.words)), table.times.astype(np.intp)
        tally = Tally(self.rows)
        tally.add(digits, times)
        extra = checks.check(tally)
        codes, times, repairs = self._apply_policies(digits, times)
        check_any_item(times > 0)
        codes, times = merge_columns(codes, times)
        small, scale = codes.astype(self._code_type), with_misses(self.rows.scale, codes[1:])
        runs = PatternRuns(small[0], np.ascontiguousarray(small[1:]), times, self.rows.data.systems, scale)
        note = f"{pluralize(len(runs.items), 'item')} in {pluralize(len(times), 'pattern')} (duckdb)"
        frequencies = np.bincount(runs.gold, times, minlength=len(scale)).astype(np.int64)
        return _Result(runs, frequencies, {"gold_dropped": tally.dropped, "extra_dropped": extra, **repairs}, note)

    def _count_patterns(self) -> PatternTable | None:
        """The patterns; None if there are too many to fetch."""
        self.connection.execute(f"CREATE TEMP TABLE patterns AS {self.rows.patterns()}")
        number = self.connection.number("SELECT count(*) FROM patterns")
        if number * ITEMS_PER_PATTERN >= self.rows.data.gold.rows:
            self.connection.execute("DROP TABLE patterns")
            return None
        return fetch_patterns(self.connection, self.rows, "patterns")

    def codes(self, checks: ParquetChecks) -> _Result:
        """The codes of all items; an `InputError` where they do not fit into memory."""
        self._check_memory()
        scale, systems, items = self.rows.scale, self.rows.data.systems, self.rows.data.gold.rows
        tally, repairs = Tally(self.rows), dict.fromkeys(_REPAIRS, 0)
        all_codes = np.empty((1 + len(systems), items), dtype=self._code_type)
        size = 0
        for columns in self.connection.batches(self.rows.rows(), CHUNK_ITEMS):
            digits = np.stack(columns)
            tally.add(digits)
            if tally.items > items:
                break
            codes, _, of_chunk = self._apply_policies(digits, None)
            if with_misses(scale, codes[1:]).misses:
                scale = replace(scale, misses=True)
            repairs = {name: repairs[name] + of_chunk[name] for name in _REPAIRS}
            all_codes[:, size : size + codes.shape[1]] = codes
            size += codes.shape[1]
        extra = checks.check(tally)
        check_any_item(np.array([size > 0]))
        all_codes = all_codes[:, :size]
        frequencies = np.bincount(all_codes[0], minlength=len(scale))
        runs = LabelledRuns(Numbered(size), all_codes[0], all_codes[1:], systems, scale)
        note = f"{pluralize(size, 'item')}, codes in memory (duckdb)"
        return _Result(runs, frequencies, {"gold_dropped": tally.dropped, "extra_dropped": extra, **repairs}, note)

    def _check_memory(self) -> None:
        """Refuse items whose codes do not fit into memory."""
        items, systems = self.rows.data.gold.rows, len(self.rows.data.systems)
        bytes_an_item = _COPIES * (1 + systems) * self._code_type.itemsize
        if bytes_an_item * items <= self.limits.bytes:
            return
        needed = -(-bytes_an_item * items // _MEGABYTE)
        raise InputError.at(
            self.rows.data.gold.path,
            found=f"{pluralize(items, 'item')}, few of them alike, whose labels of {pluralize(systems, 'system')} need "
            f"{needed:,} MB of memory",
            expected=f"at most {self.limits.bytes // bytes_an_item:,} such items in "
            f"{self.limits.bytes // _MEGABYTE:,} MB",
            hint=f"use {setting('memory', f'{needed}MB')} if this machine has it, or evaluate fewer systems or items",
        )

    @property
    def _code_type(self) -> np.dtype[np.unsignedinteger[Any]]:
        return smallest_code_type(len(self.rows.scale) + self.policies.may_miss)

    def _apply_policies(
        self, digits: NDArray[np.integer], times: NDArray[np.intp] | None
    ) -> tuple[NDArray[np.integer], NDArray[np.intp], dict[str, int]]:
        """Codes of gold and systems after the policies, (1 + S, n); the items of each column; the repairs."""
        classes = len(self.rows.scale)
        # Problems of gold are reported later, and dropped items are removed here.
        part = digits[0] < classes
        times = np.ones(digits.shape[1], dtype=np.intp) if times is None else times
        digits, times = digits[:, part], times[part]
        values = digits.astype(np.int32)
        states = np.full(digits.shape, USABLE, dtype=np.uint8)
        states[digits >= classes] = IS_MISSING
        states[digits == classes + UNKNOWN] = IS_UNKNOWN
        values[values >= classes] = 0
        keep, repairs = apply_policies(values[1:], states[1:], values[0], self.policies, self.rows.scale, times=times)
        return values[:, keep], times[keep], repairs


_REPAIRS = ("missing", "unknown", "worst_ties", "items_dropped")


@dataclass(frozen=True)
class _Result:
    """Runs, items of each gold class, repairs of the policies, and a note on how the items are stored."""

    runs: ClassRuns
    frequencies: NDArray[np.integer]
    repairs: dict[str, int]
    note: str
