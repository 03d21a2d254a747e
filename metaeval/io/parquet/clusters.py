"""Clusters of the items of Parquet tables, and confusion counts of groups of them, in SQL.

Clusters are numbered by their first item, and dealt into groups, as for items in memory, so that the results are the
same.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from metaeval.arrays import Indices, Integers, Ints
from metaeval.errors import InputError, setting
from metaeval.inference.clusters import Clusters, count_into
from metaeval.io.clusters import no_value
from metaeval.io.labels.policies import Policies
from metaeval.io.parquet.duck import Connection
from metaeval.io.parquet.rows import ABSENT, MISSING, UNKNOWN, ParquetRows
from metaeval.model.labels import ClassRuns, LabelledRuns, PatternRuns

CHUNK_ROWS = 1 << 16
"""Patterns of groups that are counted at a time."""

Deal = Callable[[Ints], Indices]
"""The group of each cluster, from the sizes of the clusters."""

Decode = Callable[[Integers, Indices], tuple[Integers, Indices]]
"""Codes of gold and systems, (1 + S, n), and the items of each column, from digits and items of the columns."""


@dataclass(frozen=True)
class ClusterReading:
    """Reads the clusters of items in columns of gold. decode: codes after the policies. deal: clusters into groups."""

    connection: Connection
    rows: ParquetRows
    policies: Policies
    decode: Decode
    deal: Deal

    def of(self, runs: ClassRuns) -> tuple[ClassRuns, tuple[Clusters, ...]]:
        """The clusters of runs, with a code of each item if the items are in memory, else with counts of groups."""
        columns = self.rows.data.gold.clusters
        if not columns:
            return runs, ()
        if len(columns) > 1 and not isinstance(runs, LabelledRuns):
            raise InputError.at(
                found=f"two columns of clusters, {' and '.join(columns)}, for items that are not stored one by one",
                expected="one column, or items in memory, because crossed columns are tested by their cells",
                hint=f"set {setting('engine', 'memory')} if the memory holds the items, or name one column",
            )
        sizes = [self._number(way, column) for way, column in enumerate(columns)]
        if isinstance(runs, LabelledRuns):
            codes = [self._codes(way, len(runs.gold)) for way in range(len(columns))]
            clusters = zip(columns, sizes, codes, strict=True)
            return runs, tuple(Clusters(column, of_items, own) for column, own, of_items in clusters)
        counts = self._count(runs, self.deal(sizes[0]))
        return replace(runs, grouped=counts), (Clusters(columns[0], None, sizes[0]),)

    def _number(self, way: int, column: str) -> Ints:
        """Make a table of the clusters, numbered by their first item; their sizes."""
        items = f"SELECT id, row, k{way} AS value FROM ({self.rows.items()}) WHERE {self._kept}"
        empty = f"FROM ({items}) WHERE coalesce(value, '') = ''"
        without = self.connection.number(f"SELECT count(*) {empty}")
        if without:
            example = self.connection.execute(f"SELECT CAST(id AS VARCHAR) {empty} ORDER BY row LIMIT 1").fetchall()
            raise no_value(self.rows.data.gold.path, column, without, str(example[0][0]))
        self.connection.execute(
            f"CREATE TEMP TABLE clusters_{way} AS SELECT value, n, row_number() OVER (ORDER BY place) - 1 AS code "
            f"FROM (SELECT value, count(*) AS n, min(row) AS place FROM ({items}) GROUP BY value)"
        )
        return self._integers(f"SELECT n FROM clusters_{way} ORDER BY code", "n")

    def _codes(self, way: int, items: int) -> Indices:
        joined = f"({self.rows.items()}) AS items JOIN clusters_{way} AS own ON items.k{way} = own.value"
        codes = self._integers(f"SELECT code FROM {joined} WHERE {self._kept} ORDER BY row", "code")
        assert len(codes) == items
        return codes.astype(np.intp)

    def _count(self, runs: PatternRuns, groups: Indices) -> Ints:
        """Confusion counts of the groups, (G, S, C, C)."""
        self.connection.register("groups", {"code": np.arange(len(groups)), "g": groups})
        digits = ", ".join(f"d{column}" for column in range(self.rows.columns))
        query = (
            f"SELECT g, count(*) AS n, {digits} FROM ({self.rows.items()}) AS items "
            f"JOIN clusters_0 AS own ON items.k0 = own.value JOIN groups USING (code) WHERE {self._kept} GROUP BY ALL"
        )
        classes = runs.scale.codes
        counts = np.zeros((len(runs.systems), int(groups.max()) + 1, classes, classes), dtype=np.int64)
        for of_group, times, *of_columns in self.connection.batches(query, CHUNK_ROWS):
            codes, of_rows = self.decode(np.stack(of_columns), times.astype(np.intp))
            count_into(counts, codes[0], codes[1:], of_group, of_rows)
        return np.ascontiguousarray(counts.swapaxes(0, 1))

    @property
    def _kept(self) -> str:
        """The condition of items that the policies keep."""
        classes = len(self.rows.scale)
        digits = {"missing": (MISSING, ABSENT), "unknown": (UNKNOWN,)}
        actions = {"missing": self.policies.on_missing.action, "unknown": self.policies.on_unknown.action}
        dropped = [str(classes + digit) for name in digits if actions[name] == "drop" for digit in digits[name]]
        conditions = [f"d{column} NOT IN ({', '.join(dropped)})" for column in range(1, self.rows.columns) if dropped]
        return " AND ".join([f"d0 < {classes}", *conditions])

    def _integers(self, query: str, column: str) -> Ints:
        return np.asarray(self.connection.execute(query).fetchnumpy()[column], dtype=np.int64)
