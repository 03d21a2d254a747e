"""Groups of items, such as language pairs or domains: the group of each item, and data restricted to one group."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from metaeval.errors import InputError, empty, invalid, pluralize, refuse, setting, shortened
from metaeval.inference.clusters import Clusters
from metaeval.io.files.columns import TableColumns, missing_words, read_table, word_for_missing
from metaeval.io.files.delimited import InMemoryRows, Rows, first_line
from metaeval.io.files.roles import CLUSTER, GROUP, ITEM, Role
from metaeval.io.files.source import Source, lines_at
from metaeval.io.labels.columns import RawLabels
from metaeval.io.labels.join import align
from metaeval.io.parquet import column_names

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
    ids = table.need(ITEM, id_column or next(iter(ITEM.among(table.header, (column,))), None))
    by_item: dict[str, str] = {}
    cells = zip(table.texts(ids), table.texts(table.need(role, column)), strict=True)
    for row, (item, value) in enumerate(cells):
        if by_item.setdefault(item, value) != value:
            problem = invalid(noun, value, f"'{shortened(by_item[item])}', as before", f" for item '{shortened(item)}'")
            table.reject(row, problem)
    table.raise_any("correct the column, or name another one")
    return by_item


def usual_columns(names: Sequence[str]) -> list[str]:
    """Those of the names of columns that are usual for clusters."""
    return [name for name in names if name.strip().casefold() in USUAL_NAMES]


def unused_clusters(source: Source, items: Sequence[str], *, id_column: str | None) -> Clusters | None:
    """The clusters in the first column with a usual name of clusters, if some items share a value; else None."""
    parquet = source.suffix == ".parquet"
    if source.is_binary and not parquet:
        return None
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
    names = [by_item[item] for item in items]
    for word in missing_words(names):
        raise refuse(path, word_for_missing(word, f"value of '{column}'"))
    return Clusters.of(column, names)


def fnc1_clusters(column: str, items: Sequence[str]) -> Clusters:
    """The headlines or bodies of the items of FNC-1, whose ids are `body id: headline`, with ` (2)` if repeated."""
    return Clusters.of(column, fnc1_values(column, items))


def fnc1_values(column: str, items: Sequence[str]) -> list[str]:
    """The headline or the body of each item of FNC-1; see `fnc1_clusters`."""
    distinct_items = set(items)
    values = []
    for item in items:
        head, mark, number = item.rpartition(" (")
        first = head if mark and number[:-1].isdigit() and head in distinct_items else item
        body, _, headline = first.partition(": ")
        values.append(headline if column == "headline" else body)
    return values


def no_value(path: str, column: str, items: int, example: str) -> InputError:
    """The error for items without a value in a column of clusters."""
    noun = f"value of '{column}' for {pluralize(items, 'item')}, for example '{shortened(example)}'"
    return refuse(path, empty(noun, "one for every item", f"add the values, or set {setting('clusters', 'none')}"))


@dataclass(frozen=True)
class Membership:
    """The group to which data are restricted.

    name: of the group. group_by_item: empty where the rows of tables were chosen before. systems: of all groups that
    were read so far.
    """

    name: str
    group_by_item: Mapping[str, str]
    systems: dict[str, None] = field(default_factory=dict, compare=False)

    def excludes(self, item: str) -> bool:
        """Whether an item belongs to another group."""
        return self.group_by_item.get(item, self.name) != self.name

    def check(self, items: Sequence[str]) -> None:
        """Raise an `InputError` if an item has no group."""
        without = [item for item in items if self.group_by_item and item not in self.group_by_item]
        if without:
            noun = f"group for {pluralize(len(without), 'item')}, for example '{shortened(without[0])}'"
            raise refuse(None, empty(noun, "one for every item", f"add them to {setting('group')}"))


def groups_of_items(source: Source, column: str, *, id_column: str | None) -> dict[str, str]:
    """The group of each item in a column of a table with their ids; an item without one is an `InputError`."""
    table = TableColumns.read(source, id_column, column)
    by_item = values_by_item(table, column, GROUP, id_column)
    _reject_empty(table, column, table.texts(column))
    return by_item


def groups_of_rows(
    table: TableColumns, column: str, group_by_item: Mapping[str, str], item_column: str | None
) -> list[str]:
    """The group of each row of a table: its value in a column, or that of its item where other data have the column.

    A row without a group is an `InputError`.
    """
    if item_column is None:
        groups = table.texts(column)
    else:
        groups = [group_by_item.get(item, "") for item in table.texts(item_column)]
    _reject_empty(table, column, groups)
    return groups


def _reject_empty(table: TableColumns, column: str, groups: Sequence[str]) -> None:
    words = missing_words(groups)
    for row in [row for row, group in enumerate(groups) if not group or group in words]:
        noun = f"value of '{column}'"
        table.reject(row, word_for_missing(groups[row], noun) if groups[row] else empty(noun))
    table.raise_any(f"add the values, or name another column with {setting('group')}")


def restricted_rows(source: Source, rows: Rows, groups: Sequence[str], name: str) -> InMemoryRows:
    """The rows of one group as a source with the path and the lines of the file."""
    indices = [index for index, group in enumerate(groups) if group == name]
    columns = {column: [cells[index] for index in indices] for column, cells in rows.columns.items()}
    part = replace(rows, columns=columns, lines=lines_at(rows.lines, indices))
    return InMemoryRows.of(source, part)


def restricted_labels(
    gold: RawLabels, runs: Sequence[RawLabels], member: Membership
) -> tuple[RawLabels, list[RawLabels]]:
    """Gold and runs without the items of other groups; a run without a label in the group is left out.

    Files without ids get the numbers of their rows as ids.
    """
    ids = gold.ids or [str(number) for number in range(1, len(gold.labels) + 1)]
    others = []
    for run in runs:
        if run.ids is None or gold.ids is None:
            align(gold, run)
        part = run.subset(_rows_of_group(run.ids or ids, member), run.ids or ids)
        is_in_group = any(
            label and member.group_by_item.get(item) == member.name
            for item, label in zip(part.ids or (), part.labels, strict=True)
        )
        if is_in_group or len(part.labels) == len(run.labels):
            others.append(part)
    return gold.subset(_rows_of_group(ids, member), ids), others


def _rows_of_group(ids: Sequence[str], member: Membership) -> list[int]:
    return [row for row, item in enumerate(ids) if not member.excludes(item)]
