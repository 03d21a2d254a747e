"""Partitions of Parquet counted where they lie: each by whichever worker of a cluster is free."""

from __future__ import annotations

from metaeval.experiment.blocks import working_elsewhere
from metaeval.io.dataset import Track
from metaeval.io.duck import Limits
from metaeval.io.parquet_rows import ParquetRows
from metaeval.io.pattern_tables import PatternTable, count_partition, merge_patterns


def count_on_workers(rows: ParquetRows, limits: Limits, *, track: Track) -> PatternTable | None:
    """The patterns of a wide table in several files; None where this process has to count them itself.

    It has to where there is no cluster, where there is one file, and where tables are joined by id: the rows of an item
    lie in different files then. limits: of each worker. A file that a worker can't read is an `InputError`.
    """
    elsewhere, files = working_elsewhere(), rows.data.gold.files
    if elsewhere is None or rows.data.runs or len(files) < 2:
        return None
    return elsewhere.merged(
        lambda file: count_partition(rows, file, limits),
        files,
        merge=merge_patterns,
        track=track,
        doing="Counting partitions",
    )
