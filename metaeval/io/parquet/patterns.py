"""How many items each pattern of labels has: tables of parts of a data set, and of the whole."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from metaeval.io.parquet.duck import Connection, Limits, connected
from metaeval.io.parquet.rows import ParquetRows


@dataclass(frozen=True)
class PatternTable:
    """Patterns by their numbers, as of `io.parquet_rows`, and how many items each has.

    words: of the numbers, (W, U); they rise, the first word first, and no two patterns are the same. times: (U,).
    """

    words: NDArray[np.int64]
    times: NDArray[np.int64]


def merge_patterns(tables: Sequence[PatternTable]) -> PatternTable:
    """The patterns of several parts together; in whatever groups and order parts are merged, the table is the same.

    >>> parts = [PatternTable(np.array([words]), np.array(times)) for words, times in (([2, 5], [1, 1]), ([5], [3]))]
    >>> whole = merge_patterns(parts)
    >>> whole.words.tolist(), whole.times.tolist()
    ([[2, 5]], [1, 4])
    """
    words = np.concatenate([table.words for table in tables], axis=1)
    times = np.concatenate([table.times for table in tables])
    if not len(times):
        return PatternTable(words, times)
    order = np.lexsort(words[::-1])
    words, times = words[:, order], times[order]
    new = np.concatenate([[True], (words[:, 1:] != words[:, :-1]).any(axis=0)])
    return PatternTable(words[:, new], np.add.reduceat(times, np.flatnonzero(new)))


def count_partition(rows: ParquetRows, file: str, limits: Limits) -> PatternTable:
    """The patterns of one file of a wide table; rows: of the whole table, which say what the labels mean."""
    gold = replace(rows.data.gold, files=(file,))
    part = ParquetRows(replace(rows.data, gold=gold), rows.scale, rows.drop)
    with connected(limits) as connection:
        return fetched_patterns(connection, rows, f"({part.patterns()})")


def fetched_patterns(connection: Connection, rows: ParquetRows, source: str) -> PatternTable:
    """The patterns of a table or a query of DuckDB, in order."""
    found = connection.execute(f"SELECT * FROM {source} ORDER BY ALL").fetchnumpy()
    words = np.stack([np.asarray(found[f"w{word}"], dtype=np.int64) for word in range(len(rows.words))])
    return PatternTable(words, np.asarray(found["n"], dtype=np.int64))


Counting = Callable[[ParquetRows, Limits], PatternTable | None]
"""Counts the patterns of tables, each process within limits; None where it is not for it to do."""


def count_nowhere_else(_rows: ParquetRows, _limits: Limits) -> PatternTable | None:
    """The `Counting` that leaves it to the reader."""
    return None
