"""The number of items with each pattern of labels, in partitions and in all data."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from metaeval.io.parquet.duck import Connection, Limits, connected
from metaeval.io.parquet.rows import ParquetRows


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
    part = ParquetRows(replace(rows.data, gold=gold), rows.scale, rows.drop)
    with connected(limits) as connection:
        return fetch_patterns(connection, rows, f"({part.patterns()})")


def fetch_patterns(connection: Connection, rows: ParquetRows, source: str) -> PatternTable:
    """The patterns of a table or a query of DuckDB, in order."""
    columns = connection.execute(f"SELECT * FROM {source} ORDER BY ALL").fetchnumpy()
    words = np.stack([np.asarray(columns[f"w{word}"], dtype=np.int64) for word in range(len(rows.words))])
    return PatternTable(words, np.asarray(columns["n"], dtype=np.int64))


Counting = Callable[[ParquetRows, Limits], PatternTable | None]
"""Counts the patterns of tables within the limits of a process; None leaves counting to the reader."""
