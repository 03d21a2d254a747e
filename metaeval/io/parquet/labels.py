"""Labels in Parquet that need not fit in memory: joined, checked and counted by DuckDB.

How they come back depends on the data: as patterns with multiplicities where items are alike, as codes in memory where
these fit, as codes in a file that is read stretch by stretch where they don't.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from metaeval.errors import InputError, counted
from metaeval.io.dataset import Dataset, scale_of_labels
from metaeval.io.labels.code_file import ITEMS_AT_ONCE, CodeFile
from metaeval.io.labels.codes import MISSING as IS_MISSING
from metaeval.io.labels.codes import UNKNOWN as IS_UNKNOWN
from metaeval.io.labels.codes import USABLE
from metaeval.io.labels.columns import Columns
from metaeval.io.labels.join import absent_classes, checked_any_left, settle, told
from metaeval.io.labels.policies import Policies
from metaeval.io.parquet.checks import ParquetChecks, Tally, absent_drops, gold_labels, with_blank_ids
from metaeval.io.parquet.duck import Connection, Limits, connected
from metaeval.io.parquet.patterns import Counting, PatternTable, count_nowhere_else, fetched_patterns
from metaeval.io.parquet.rows import UNKNOWN, ParquetRows
from metaeval.io.parquet.tables import ParquetData, find_tables
from metaeval.model.labels import ClassRuns, LabelledRuns, Numbered, PatternRuns, StreamedRuns, smallest_code_type
from metaeval.model.scale import ClassScale

SAMPLED_FROM = 1 << 18
"""From so many items on it is asked how many patterns they have; fewer are cheap as they are."""

SAMPLE = 1 << 17
"""Items of the sample that tells."""

ITEMS_PER_PATTERN = 5
"""As of `scoring.confusion`: with fewer items a pattern, patterns save nothing."""

MOST_LABELS = 10_000
"""Labels of gold that are looked at where no classes are declared."""

_COPIES = 3
"""Of codes in memory: as read, sorted by gold, and on their way."""


def read_parquet_labels(
    gold: str,
    runs: Sequence[str],
    *,
    scale: ClassScale | None,
    columns: Columns,
    policies: Policies,
    limits: Limits,
    needs_runs: bool = True,
    counting: Counting = count_nowhere_else,
) -> Dataset[ClassRuns]:
    """Read gold and runs from Parquet: a wide table, or tables joined by id; the ids are not kept.

    gold, runs: files or folders. scale: None for the nominal scale of the labels in gold. limits: of memory.
    counting: who else may count the patterns.
    Whatever is wrong with the tables is an `InputError`: the columns first, then ids, then labels.
    """
    with connected(limits) as connection:
        data = find_tables(gold, runs, columns)
        if needs_runs and not data.systems:
            raise InputError.at(
                gold,
                found="gold alone, and no run",
                expected="at least one file of predictions",
                hint="name files or folders after the options; `metaeval validate` checks gold alone",
            )
        data = with_blank_ids(connection, data)
        rows, notes = _on_scale(connection, data, scale, policies)
        return _Reading(connection, rows, policies, limits, counting).dataset((*data.notes, *notes))


def _on_scale(
    connection: Connection, data: ParquetData, scale: ClassScale | None, policies: Policies
) -> tuple[ParquetRows, tuple[str, ...]]:
    """The rows on the scale that was declared or that gold shows, and what to say of it."""
    rows = ParquetRows(data, scale or ClassScale(("?", "!")), policies.drop_gold)
    if scale is not None and not policies.drop_gold:
        return rows, ()
    labels = gold_labels(connection, rows, at_most=MOST_LABELS)
    absent_drops(rows, labels)
    if scale is not None:
        return rows, ()
    found, note = scale_of_labels(list(labels), data.gold.rows, data.gold.path, policies.drop_gold)
    return replace(rows, scale=found), (note,)


@dataclass(frozen=True)
class _Reading:
    connection: Connection
    rows: ParquetRows
    policies: Policies
    limits: Limits
    counting: Counting

    def dataset(self, notes: Sequence[str]) -> Dataset[ClassRuns]:
        """What the tables hold."""
        data, items = self.rows.data, self.rows.data.gold.rows
        checks = ParquetChecks(self.connection, self.rows, self.policies, self.limits.bytes)
        checks.check_ids(data.gold)
        prepared = replace(self, rows=self.rows.prepare(self.connection))
        few = items >= SAMPLED_FROM and prepared.estimated_patterns() * ITEMS_PER_PATTERN < items
        read = prepared.patterns(checks) if few else None
        read = read or prepared.codes(checks)
        found = (*notes, *absent_classes(read.frequencies, self.rows.scale), *told(read.touched, self.policies))
        return Dataset(read.runs, data.paths, data.source_files(), read.touched, (*found, read.note))

    def estimated_patterns(self) -> float:
        """How many patterns there will be, as a sample of stretches tells: by Heaps' law.

        Of u patterns in n items, those seen once are a share β; they grow as N to the power of β.
        """
        every = max(1, self.rows.data.gold.rows // SAMPLE)
        query = f"SELECT sum(n), count(*), count(*) FILTER (n = 1) FROM ({self.rows.patterns(every=every)})"
        sampled, patterns, once = (int(number or 0) for number in self.connection.execute(query).fetchall()[0])
        if not patterns:
            return 0.0
        return float(patterns * (self.rows.data.gold.rows / sampled) ** (once / patterns))

    def patterns(self, checks: ParquetChecks) -> _Read | None:
        """The items as patterns; None where these turn out to be too many."""
        table = self.counting(self.rows, self.limits) or self._counted_here()
        if table is None or len(table.times) * ITEMS_PER_PATTERN >= self.rows.data.gold.rows:
            return None
        digits, times = self.rows.digits_of(list(table.words)), table.times.astype(np.intp)
        tally = Tally(self.rows)
        tally.add(digits, times)
        extra = checks.check(tally)
        codes, times, touched = self._settled(digits, times)
        checked_any_left(times > 0)
        codes, times = _collapsed(codes, times)
        code_type = smallest_code_type(len(self.rows.scale))
        small = codes.astype(code_type)
        runs = PatternRuns(small[0], np.ascontiguousarray(small[1:]), times, self.rows.data.systems, self.rows.scale)
        note = f"{counted(len(runs.items), 'item')} in {counted(len(times), 'pattern')} (duckdb)"
        frequencies = np.bincount(runs.gold, times, minlength=len(self.rows.scale)).astype(np.int64)
        return _Read(runs, frequencies, {"gold_dropped": tally.left_out, "extra_dropped": extra, **touched}, note)

    def _counted_here(self) -> PatternTable | None:
        """The patterns; None where these turn out to be too many to be fetched."""
        self.connection.execute(f"CREATE TEMP TABLE patterns AS {self.rows.patterns()}")
        number = int(self.connection.execute("SELECT count(*) FROM patterns").fetchall()[0][0])
        if number * ITEMS_PER_PATTERN >= self.rows.data.gold.rows:
            self.connection.execute("DROP TABLE patterns")
            return None
        return fetched_patterns(self.connection, self.rows, "patterns")

    def codes(self, checks: ParquetChecks) -> _Read:
        """The items one by one: in memory where they fit, else in a file."""
        scale, systems = self.rows.scale, self.rows.data.systems
        items, code_type = self.rows.data.gold.rows, smallest_code_type(len(scale))
        fit = _COPIES * (1 + len(systems)) * items * code_type.itemsize <= self.limits.bytes
        tally, touched = Tally(self.rows), dict.fromkeys(_TOUCHED, 0)
        file = None if fit else CodeFile(len(systems), len(scale), code_type)
        whole = np.empty((1 + len(systems), items if fit else 0), dtype=code_type)
        kept = 0
        for digits in self._stretches():
            tally.add(digits)
            if tally.items > items:
                break
            codes, _, of_stretch = self._settled(digits, None)
            touched = {name: touched[name] + of_stretch[name] for name in _TOUCHED}
            if file is None:
                whole[:, kept : kept + codes.shape[1]] = codes
            else:
                file.append(codes[0], codes[1:])
            kept += codes.shape[1]
        extra = checks.check(tally)
        checked_any_left(np.array([kept > 0]))
        told_items = counted(kept, "item")
        runs: ClassRuns
        if file is None:
            whole = whole[:, :kept]
            frequencies = np.bincount(whole[0], minlength=len(scale))
            runs = LabelledRuns(Numbered(kept), whole[0], whole[1:], systems, scale)
            note = f"{told_items}, codes in memory (duckdb)"
        else:
            runs, frequencies = StreamedRuns(file, systems, scale), file.sizes.sum(axis=0)
            note = f"{told_items} in {counted(len(file.sizes), 'stretch', 'stretches')}, read for every block (duckdb)"
        return _Read(runs, frequencies, {"gold_dropped": tally.left_out, "extra_dropped": extra, **touched}, note)

    def _stretches(self) -> Iterator[NDArray[np.integer]]:
        """Digits of the items, (1 + S, n), in stretches of the same size whatever DuckDB hands over at once."""
        begun: list[NDArray[np.integer]] = []
        size = 0
        for columns in self.connection.batches(self.rows.rows(), ITEMS_AT_ONCE):
            digits = np.stack(columns)
            begun.append(digits)
            size += digits.shape[1]
            while size >= ITEMS_AT_ONCE:
                joined = np.concatenate(begun, axis=1)
                yield joined[:, :ITEMS_AT_ONCE]
                begun, size = [joined[:, ITEMS_AT_ONCE:]], size - ITEMS_AT_ONCE
        if size:
            yield np.concatenate(begun, axis=1)

    def _settled(
        self, digits: NDArray[np.integer], times: NDArray[np.intp] | None
    ) -> tuple[NDArray[np.integer], NDArray[np.intp], dict[str, int]]:
        """Codes of gold and systems after the policies, (1 + S, n); how many items each stands for; what they did."""
        classes = len(self.rows.scale)
        # What is wrong with gold, or not allowed for, is told later; here it only must not get in the way.
        part = digits[0] < classes
        times = np.ones(digits.shape[1], dtype=np.intp) if times is None else times
        digits, times = digits[:, part], times[part]
        values = digits.astype(np.int32)
        states = np.full(digits.shape, USABLE, dtype=np.uint8)
        states[digits >= classes] = IS_MISSING
        states[digits == classes + UNKNOWN] = IS_UNKNOWN
        settled = settle(values[1:], states[1:], values[0], self.policies, self.rows.scale, times=times)
        values[values >= classes] = 0
        return values[:, settled.keep], times[settled.keep], settled.touched


_TOUCHED = ("missing", "unknown", "worst_ties", "items_dropped")


@dataclass(frozen=True)
class _Read:
    """Runs, items of each gold class, what the policies touched, and how the items are held."""

    runs: ClassRuns
    frequencies: NDArray[np.integer]
    touched: dict[str, int]
    note: str


def _collapsed(codes: NDArray[np.integer], times: NDArray[np.intp]) -> tuple[NDArray[np.integer], NDArray[np.intp]]:
    """Patterns in order, those put together that a policy made alike."""
    order = np.lexsort(codes[::-1])
    codes, times = codes[:, order], times[order]
    new = np.concatenate([[True], (codes[:, 1:] != codes[:, :-1]).any(axis=0)])
    return codes[:, new], np.add.reduceat(times, np.flatnonzero(new))
