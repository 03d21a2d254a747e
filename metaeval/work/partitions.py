"""Partitions of Parquet, counted by the workers of a cluster."""

from __future__ import annotations

from contextlib import closing

from metaeval.io.dataset import Progress
from metaeval.io.parquet.duck import Limits
from metaeval.io.parquet.patterns import PatternTable, count_partition, merge_patterns
from metaeval.io.parquet.rows import ParquetRows
from metaeval.work.executor import current_executor


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

    here = limits.shared(min(processes, len(files))) if processes is not None else None
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
    own = worker.memory_manager.memory_limit
    most = limits.memory if own is None or limits.memory is None else min(limits.memory, own // 2)
    memory = own // 2 if most is None and own is not None else most
    return Limits(memory).shared(worker.state.nthreads)
