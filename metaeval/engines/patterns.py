"""The number of items with each pattern of labels, in partitions and in all data."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from metaeval.engines.duck import Connection, Limits, connected
from metaeval.engines.tables import ParquetRows
from metaeval.io.dataset import Progress
from metaeval.work.executor import current_executor


@dataclass(frozen=True)
class PatternTable:
    """Patterns by their numbers (see `parquet.rows`) and the items of each.

    words: of the numbers, (W, U), in ascending order without duplicates, the first word first. times: (U,).
    """

    words: NDArray[np.int64]
    times: NDArray[np.int64]


def merge_patterns(tables: Sequence[PatternTable]) -> PatternTable:
    """The patterns of several partitions; the result does not depend on the order or grouping of merges.

    >>> parts = [PatternTable(np.array([words]), np.array(times)) for words, times in (([2, 5], [1, 1]), ([5], [3]))]
    >>> whole = merge_patterns(parts)
    >>> whole.words.tolist(), whole.times.tolist()
    ([[2, 5]], [1, 4])
    """
    words = np.concatenate([table.words for table in tables], axis=1)
    times = np.concatenate([table.times for table in tables])
    return PatternTable(*merge_columns(words, times)) if len(times) else PatternTable(words, times)


def merge_columns(columns: NDArray[Any], times: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """The distinct columns of an array in ascending order, first row first, with the sums of their times."""
    order = np.lexsort(columns[::-1])
    columns, times = columns[:, order], times[order]
    new = np.concatenate([[True], (columns[:, 1:] != columns[:, :-1]).any(axis=0)])
    return columns[:, new], np.add.reduceat(times, np.flatnonzero(new))


def count_partition(rows: ParquetRows, file: str, limits: Limits) -> PatternTable:
    """The patterns of one file of a wide table; rows: of the whole table."""
    gold = replace(rows.data.gold, files=(file,))
    part = replace(rows, data=replace(rows.data, gold=gold))
    with connected(limits) as connection:
        return fetch_patterns(connection, rows, f"({part.patterns()})")


def fetch_patterns(connection: Connection, rows: ParquetRows, source: str) -> PatternTable:
    """The patterns of a table or a query of DuckDB, in order."""
    columns = connection.execute(f"SELECT * FROM {source} ORDER BY ALL").fetchnumpy()
    words = np.stack([np.asarray(columns[f"w{word}"], dtype=np.int64) for word in range(len(rows.words))])
    return PatternTable(words, np.asarray(columns["n"], dtype=np.int64))


def count_on_workers(
    rows: ParquetRows, limits: Limits, *, progress: Progress, processes: int | None = None
) -> PatternTable | None:
    """The patterns of a wide table in several files; None where this process has to count them itself.

    This is the case without a cluster, for a single file, and for tables that are joined by id, because the rows of an
    item are then in different files. limits: of each machine. processes: number of workers that share this machine and
    its limits; None for workers on other machines, which have their own limits. A file that a worker cannot read is an
    `InputError`.
    """
    executor, files = current_executor(), rows.data.gold.files
    if executor is None or rows.data.runs or len(files) < 2:
        return None

    here = limits.share(min(processes, len(files))) if processes is not None else None
    if here is not None:
        here.check()

    def count(file: str) -> PatternTable:
        return count_partition(rows, file, here or limits_of_worker(limits))

    table: PatternTable | None = None
    with closing(executor.map(count, files)) as tables:
        for _, part in zip(progress(files, "Counting partitions"), tables, strict=True):
            table = part if table is None else merge_patterns([table, part])
    return table


def limits_of_worker(limits: Limits) -> Limits:
    """On a worker: the limits of each of its threads; the worker may use half of its memory limit, if it has one."""
    from distributed import get_worker

    worker = get_worker()
    total = worker.memory_manager.memory_limit
    most = limits.memory if total is None or limits.memory is None else min(limits.memory, total // 2)
    memory = total // 2 if most is None and total is not None else most
    return Limits(memory).share(worker.state.nthreads)
