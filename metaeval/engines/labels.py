"""Labels in Parquet, which DuckDB joins, checks and counts.

The result depends on the data: patterns with multiplicities if items repeat, else the codes of all items, which must
fit into memory. Clusters of items are numbered by their first item, and dealt into groups, as for items in memory, so
that the results are the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from metaeval.arrays import Indices, Ints
from metaeval.config import LOCAL_SCHEDULER, ExperimentConfig
from metaeval.engines.checks import ParquetChecks, Tally, check_renamed, gold_labels, raise_faults, with_blank_ids
from metaeval.engines.duck import Connection, Limits, connected, literal, with_file
from metaeval.engines.patterns import PatternTable, count_on_workers, fetch_patterns, merge_columns
from metaeval.engines.tables import ABSENT, MISSING, UNKNOWN, ParquetData, ParquetRows, TableSearch
from metaeval.errors import InputError, excluded, no_common_item, pluralize, refuse, setting, too_large
from metaeval.inference.clusters import Clusters, count_into, deal_groups
from metaeval.io.dataset import NO_SYSTEMS, Dataset, doubts_about, no_run, scale_of_labels
from metaeval.io.files.columns import MISSING as IS_MISSING
from metaeval.io.files.columns import MISSING_WORDS, USABLE, word_for_missing
from metaeval.io.files.columns import UNKNOWN as IS_UNKNOWN
from metaeval.io.groups import no_value
from metaeval.io.labels.join import (
    Policies,
    absent_classes,
    apply_policies,
    check_dropped,
    repair_notes,
    with_misses,
)
from metaeval.io.labels.tasks import LabelTask
from metaeval.io.parquet import UnreadableData, all_files
from metaeval.model.runs import ClassRuns, LabelledRuns, Numbered, PatternRuns, smallest_code_type
from metaeval.model.scale import ClassScale
from metaeval.steps import Progress
from metaeval.study.evidence import dealing

CHUNK_ROWS = 1 << 16
"""Patterns of groups that are counted at a time."""

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


def read_labels(
    config: ExperimentConfig,
    gold: str,
    *,
    scale: ClassScale | None,
    task: LabelTask,
    needs_runs: bool,
    progress: Progress,
) -> Dataset[ClassRuns]:
    """Read gold and the runs of an experiment from Parquet: a wide table, or tables joined by id; the ids are not kept.

    gold: a file or a folder. scale: None for the nominal scale of the labels in gold. task: reads the rows at fault.
    Problems of columns, of ids or of labels are an `InputError`.
    """
    runs, policies, limits = config.data.runs, config.data.policies, Limits(config.memory)
    search = TableSearch(gold, config.data.columns, choice=policies.systems)
    try:
        with connected(limits) as connection:
            try:
                data = search.find(runs)
                if needs_runs and not data.systems:
                    raise no_run(gold, NO_SYSTEMS)
                notes = policies.systems.notes(data.systems)
                data = with_blank_ids(connection, data.select_systems(policies.systems.of(data.systems)))
                rows, note = _on_scale(connection, data, scale, policies)
                notes = (*note, *data.notes, *notes)
                reading = _Reading(
                    connection, rows=rows, policies=policies, limits=limits, config=config, progress=progress
                )
                return reading.dataset(notes)
            except InputError:
                raise_faults(search, runs, task=task, scale=scale, policies=policies, memory=limits.bytes)
                raise
    except UnreadableData as error:
        raise with_file(error, chain.from_iterable(all_files(gold, runs)), limits) from None


def _on_scale(
    connection: Connection, data: ParquetData, scale: ClassScale | None, policies: Policies
) -> tuple[ParquetRows, tuple[str, ...]]:
    """The rows on the declared scale or that of the gold labels, and a note on the latter."""
    rows = ParquetRows(data, scale or ClassScale(("?", "!")), policies.drop_gold, policies.map_labels)
    check_renamed(connection, replace(rows, names={}), policies.map_labels)
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
    config: ExperimentConfig
    progress: Progress

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
        runs, clusters = prepared.clustered(result.runs)
        return Dataset(
            runs, paths=data.paths, files=data.source_files(), repairs=result.repairs, notes=notes, clusters=clusters
        )

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
        processes = self.config.workers if self.config.scheduler == LOCAL_SCHEDULER else None
        table = count_on_workers(self.rows, self.limits, progress=self.progress, processes=processes)
        table = table or self._count_patterns()
        if table is None or len(table.times) * ITEMS_PER_PATTERN >= self.rows.data.gold.rows:
            return None
        digits, times = self.rows.digits_of(list(table.words)), table.times.astype(np.intp)
        tally = Tally(self.rows)
        tally.add(digits, times)
        extra = checks.check(tally)
        codes, times, repairs = self._apply_policies(digits, times)
        if not times.any():
            raise no_common_item(self.rows.data.gold.path, "prediction", policy=self.policies.dropping)
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
            codes, _, chunk_repairs = self._apply_policies(digits, None)
            if with_misses(scale, codes[1:]).misses:
                scale = replace(scale, misses=True)
            repairs = {name: repairs[name] + chunk_repairs[name] for name in _REPAIRS}
            all_codes[:, size : size + codes.shape[1]] = codes
            size += codes.shape[1]
        extra = checks.check(tally)
        if not size:
            raise no_common_item(self.rows.data.gold.path, "prediction", policy=self.policies.dropping)
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
        labels = f"labels of {pluralize(systems, 'system')} for {pluralize(items, 'item')}, few of them alike,"
        raise refuse(self.rows.data.gold.path, too_large(labels, bytes_an_item * items, self.limits.bytes))

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

    def clustered(self, runs: ClassRuns) -> tuple[ClassRuns, tuple[Clusters, ...]]:
        """Runs and their clusters: with a code of each item if the items are in memory, else with counts of groups."""
        columns = self.rows.data.gold.clusters
        if not columns:
            return runs, ()
        if len(columns) > 1 and not isinstance(runs, LabelledRuns):
            crossed, memory = f"crossed clusters, {' and '.join(columns)}", setting("engine", "memory")
            hint = f"set {memory} if the memory holds the items, or name one column"
            raise refuse(None, excluded(crossed, "items are not stored one by one", "items in memory", hint))
        sizes = [self._number(way, column) for way, column in enumerate(columns)]
        if isinstance(runs, LabelledRuns):
            codes = [self._codes(way, len(runs.gold)) for way in range(len(columns))]
            return runs, tuple(map(Clusters, columns, codes, sizes))
        counts = self._count(runs, deal_groups(sizes[0], dealing(self.config.seed, 0)))
        return replace(runs, group_counts=counts), (Clusters(columns[0], None, sizes[0]),)

    def _number(self, way: int, column: str) -> Ints:
        """Make a table of the clusters, numbered by their first item; their sizes."""
        items = f"SELECT id, row, k{way} AS value FROM ({self.rows.items()}) WHERE {self._condition}"
        empty = f"FROM ({items}) WHERE coalesce(value, '') = ''"
        without = self.connection.number(f"SELECT count(*) {empty}")
        if without:
            example = self.connection.execute(f"SELECT CAST(id AS VARCHAR) {empty} ORDER BY row LIMIT 1").fetchall()
            raise no_value(self.rows.data.gold.path, column, without, str(example[0][0]))
        self.connection.execute(
            f"CREATE TEMP TABLE clusters_{way} AS SELECT value, n, row_number() OVER (ORDER BY first) - 1 AS code "
            f"FROM (SELECT value, count(*) AS n, min(row) AS first FROM ({items}) GROUP BY value)"
        )
        words = ", ".join(map(literal, sorted(MISSING_WORDS)))
        query = f"SELECT value FROM clusters_{way} WHERE n > 1 AND value IN ({words}) ORDER BY code LIMIT 1"
        for (word,) in self.connection.execute(query).fetchall():
            raise refuse(self.rows.data.gold.path, word_for_missing(word, f"value of '{column}'"))
        return self._integers(f"SELECT n FROM clusters_{way} ORDER BY code", "n")

    def _codes(self, way: int, items: int) -> Indices:
        join = f"({self.rows.items()}) AS items JOIN clusters_{way} AS clusters ON items.k{way} = clusters.value"
        codes = self._integers(f"SELECT code FROM {join} WHERE {self._condition} ORDER BY row", "code")
        assert len(codes) == items
        return codes.astype(np.intp)

    def _count(self, runs: PatternRuns, groups: Indices) -> Ints:
        """Confusion counts of the groups, (G, S, C, C)."""
        self.connection.register("groups", {"code": np.arange(len(groups)), "g": groups})
        digits = ", ".join(f"d{column}" for column in range(self.rows.columns))
        query = (
            f"SELECT g, count(*) AS n, {digits} FROM ({self.rows.items()}) AS items "
            f"JOIN clusters_0 AS clusters ON items.k0 = clusters.value JOIN groups USING (code) "
            f"WHERE {self._condition} GROUP BY ALL"
        )
        classes = runs.scale.codes
        counts = np.zeros((len(runs.systems), int(groups.max()) + 1, classes, classes), dtype=np.int64)
        for group_codes, times, *columns in self.connection.batches(query, CHUNK_ROWS):
            codes, numbers, _ = self._apply_policies(np.stack(columns), times.astype(np.intp))
            count_into(counts, codes[0], codes[1:], group_codes, numbers)
        return np.ascontiguousarray(counts.swapaxes(0, 1))

    @property
    def _condition(self) -> str:
        """The condition of items that the policies keep."""
        classes = len(self.rows.scale)
        digits = {"missing": (MISSING, ABSENT), "unknown": (UNKNOWN,)}
        actions = {"missing": self.policies.on_missing.action, "unknown": self.policies.on_unknown.action}
        codes = [str(classes + digit) for name in digits if actions[name] == "drop" for digit in digits[name]]
        conditions = [f"d{column} NOT IN ({', '.join(codes)})" for column in range(1, self.rows.columns) if codes]
        return " AND ".join([f"d0 < {classes}", *conditions])

    def _integers(self, query: str, column: str) -> Ints:
        return np.asarray(self.connection.execute(query).fetchnumpy()[column], dtype=np.int64)


_REPAIRS = ("missing", "unknown", "worst_ties", "items_dropped")


@dataclass(frozen=True)
class _Result:
    """Runs, items of each gold class, repairs of the policies, and a note on how the items are stored."""

    runs: ClassRuns
    frequencies: NDArray[np.integer]
    repairs: dict[str, int]
    note: str
