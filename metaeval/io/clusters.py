"""Clusters of items: the values of a column of the gold file, of the table of scores, or of another file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from metaeval.errors import InputError, Problem, empty, pluralize, refuse, setting, shortened
from metaeval.inference.clusters import Clusters
from metaeval.io.files.columns import CLUSTER, ITEM, Role, TableColumns, read_table
from metaeval.io.files.delimited import first_line
from metaeval.io.files.source import Source
from metaeval.io.parquet.frame import column_names

USUAL_NAMES = (
    *("thread", "thread_id", "document", "document_id", "doc", "doc_id", "body", "body id", "headline", "topic"),
    *("query", "query_id", "conversation", "conversation_id", "source"),
)
"""Names of columns whose values are usually clusters of items, in lower case."""


def clusters_of_file(source: Source, column: str, items: Sequence[str], *, id_column: str | None) -> Clusters:
    """The clusters of items in a column of a table with their ids, in CSV, TSV, JSON lines or Parquet.

    A column that is missing, an item without a row or a value, and two values for one item are `InputError`s.
    """
    table = TableColumns.read(source, id_column, column)
    return clusters_of(values_by_item(table, column, CLUSTER, id_column), column, items, path=table.path)


def values_by_item(table: TableColumns, column: str, role: Role, id_column: str | None) -> dict[str, str]:
    """The value of each item in a column; role: that of the column, `CLUSTER` or `GROUP`.

    A column that is missing and two values for one item are `InputError`s.
    """
    noun = role.option.removesuffix("s")
    # Of an item and an id, the item.
    ids = id_column or next((name for name in ITEM.names if name in table.header), None)
    ids = table.need(ITEM, ids)
    by_item: dict[str, str] = {}
    cells = zip(table.texts(ids), table.texts(table.need(role, column)), strict=True)
    for row, (item, value) in enumerate(cells):
        if by_item.setdefault(item, value) != value:
            found = f"item '{shortened(item)}' in {noun} '{shortened(value)}' and in '{shortened(by_item[item])}'"
            table.reject(row, Problem(found, f"one {noun} for each item", kind="conflict"))
    table.raise_any("correct the column, or name another one")
    return by_item


def usual_columns(names: Sequence[str]) -> list[str]:
    """Those of the names of columns that are usual for clusters."""
    return [name for name in names if name.strip().casefold() in USUAL_NAMES]


def unused_clusters(source: Source, items: Sequence[str], *, id_column: str | None) -> Clusters | None:
    """The clusters in the first column with a usual name of clusters, if some items share a value; else None."""
    parquet = source.suffix == ".parquet"
    first = "\n".join(column_names(source.path_or_name)) if parquet else first_line(source.text())
    if not any(name in first.casefold() for name in USUAL_NAMES):
        return None
    try:
        names = usual_columns(read_table(source).header)
        every = [clusters_of_file(source, name, items, id_column=id_column) for name in names]
    except InputError:
        # A column with missing or several values for an item is none of clusters.
        return None
    return next((clusters for clusters in every if 1 < len(clusters.sizes) < len(items)), None)


def clusters_of(by_item: Mapping[str, str], column: str, items: Sequence[str], *, path: str) -> Clusters:
    """The clusters of items from a value for each."""
    without = [item for item in items if not by_item.get(item)]
    if without:
        raise no_value(path, column, len(without), without[0])
    return Clusters.of(column, [by_item[item] for item in items])


def fnc1_clusters(column: str, items: Sequence[str]) -> Clusters:
    """The headlines or bodies of the items of FNC-1, whose ids are `body id: headline`, with ` (2)` if repeated."""
    return Clusters.of(column, fnc1_values(column, items))


def fnc1_values(column: str, items: Sequence[str]) -> list[str]:
    """The headline or the body of each item of FNC-1; see `fnc1_clusters`."""
    known = set(items)
    values = []
    for item in items:
        head, mark, number = item.rpartition(" (")
        first = head if mark and number[:-1].isdigit() and head in known else item
        body, _, headline = first.partition(": ")
        values.append(headline if column == "headline" else body)
    return values


def no_value(path: str, column: str, items: int, example: str) -> InputError:
    """The error for items without a value in a column of clusters."""
    noun = f"value of '{column}' for {pluralize(items, 'item')}, for example '{shortened(example)}'"
    return refuse(path, empty(noun, "one for every item", f"add the values, or set {setting('clusters', 'none')}"))
