"""Groups of items, such as language pairs or domains: the group of each item, and data restricted to one group."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from metaeval.errors import empty, pluralize, refuse, setting, shortened
from metaeval.io.clusters import values_by_item
from metaeval.io.files.columns import GROUP, TableColumns
from metaeval.io.files.delimited import InMemoryRows, Rows
from metaeval.io.files.source import Lines, Source
from metaeval.io.labels.raw_labels import InMemoryLabels, RawLabelFile, RawLabels
from metaeval.io.labels.run_table import align


@dataclass(frozen=True)
class Membership:
    """The group to which data are restricted.

    name: of the group. of_item: the group of each item; empty where the rows of tables were chosen before. systems: of
    all groups that were read so far.
    """

    name: str
    of_item: Mapping[str, str]
    systems: dict[str, None] = field(default_factory=dict, compare=False)

    def excludes(self, item: str) -> bool:
        """Whether an item belongs to another group."""
        return self.of_item.get(item, self.name) != self.name

    def check(self, items: Sequence[str]) -> None:
        """Raise an `InputError` if an item has no group."""
        without = [item for item in items if self.of_item and item not in self.of_item]
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
    for row in [row for row, group in enumerate(groups) if not group]:
        table.reject(row, empty(f"value of '{column}'"))
    table.raise_any(f"add the values, or name another column with {setting('group')}")


def restricted_rows(source: Source, rows: Rows, groups: Sequence[str], name: str) -> InMemoryRows:
    """The rows of one group as a source with the path and the lines of the file."""
    indices = [index for index, group in enumerate(groups) if group == name]
    part = replace(rows, body=[rows.body[index] for index in indices], lines=partial(_lines_at, rows.lines, indices))
    return InMemoryRows(source.path, source.role, source.content, source.sha256, part, origin=source.file)


def _lines_at(lines: Lines, indices: Sequence[int]) -> list[int]:
    every = lines()
    return [every[index] for index in indices]


def parsed_labels(source: Source, content: RawLabelFile) -> InMemoryLabels:
    """A file of labels that was read, which need not be read again for each group."""
    return InMemoryLabels(source.path, source.role, source.content, source.sha256, content, origin=source.file)


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
        part = _restricted(run, run.ids or ids, member)
        is_in_group = any(
            label and member.of_item.get(item) == member.name
            for item, label in zip(part.ids or (), part.labels, strict=True)
        )
        if is_in_group or len(part.labels) == len(run.labels):
            others.append(part)
    return _restricted(gold, ids, member), others


def _restricted(labels: RawLabels, ids: Sequence[str], member: Membership) -> RawLabels:
    indices = [index for index, item in enumerate(ids) if not member.excludes(item)]
    return replace(
        labels,
        ids=[ids[index] for index in indices],
        labels=[labels.labels[index] for index in indices],
        lines=partial(_lines_at, labels.lines, indices),
    )
