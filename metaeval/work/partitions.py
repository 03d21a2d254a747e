"""Partitions of Parquet counted where they lie: each by whichever worker of a cluster is free."""

from __future__ import annotations

from metaeval.io.dataset import Track
from metaeval.io.parquet.duck import Limits
from metaeval.io.parquet.patterns import PatternTable, count_partition, merge_patterns
from metaeval.io.parquet.rows import ParquetRows
from metaeval.work.executor import current_executor


def count_on_workers(
    rows: ParquetRows, limits: Limits, *, track: Track, processes: int | None = None
) -> PatternTable | None:
    """The patterns of a wide table in several files; None where this process has to count them itself.

    It has to where there is no cluster, where there is one file, and where tables are joined by id: the rows of an item
    lie in different files then. limits: of each machine. processes: how many workers share this one and its limits;
    None where they are on others, and know themselves what they may take. A file that a worker can't read is an
    `InputError`.
    """
    executor, files = current_executor(), rows.data.gold.files
    if executor is None or rows.data.runs or len(files) < 2:
        return None

    here = limits.shared(min(processes, len(files))) if processes is not None else None
    if here is not None:
        here.check()

    def count(file: str) -> PatternTable:
        return count_partition(rows, file, here or limits_of_worker(limits))

    return executor.map_reduce(count, files, reduce=merge_patterns, track=track, doing="Counting partitions")


def limits_of_worker(limits: Limits) -> Limits:
    """On a worker: the share of each of its threads in what it may take, half of its own limit where it has one."""
    from distributed import get_worker

    worker = get_worker()
    own = worker.memory_manager.memory_limit
    most = limits.memory if own is None or limits.memory is None else min(limits.memory, own // 2)
    memory = own // 2 if most is None and own is not None else most
    return Limits(memory).shared(worker.state.nthreads)
