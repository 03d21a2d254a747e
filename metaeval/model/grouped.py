"""Tables, notes and findings of several groups of items, such as language pairs, as those of one report, and back."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Any, TypeVar, overload

from metaeval.errors import InputError, did_you_mean
from metaeval.model.report import AnalysisOutput, Cell, Column, Kind, Note, Report, Table, as_notes, of_groups

Sentence = TypeVar("Sentence")

GROUP = Column("group")
"""The first column of each table."""

OF_MEASURES = "measure_group"
"""The name, in results with groups of items, of a column `group` that has groups of measures."""

BY_GROUP, OVER_GROUPS = "_by_group", "_over_groups"
"""Ends of the names of tables that compare groups, and of tables of means over groups."""

_EMPTY: Mapping[Kind, Cell] = {Kind.TEXT: "", Kind.SCORE: math.nan, Kind.COUNT: math.nan, Kind.FLAG: None}
"""A cell of a column that the table of a group lacks."""


def merged_output(outputs: Mapping[str, AnalysisOutput]) -> AnalysisOutput:
    """The outputs of an analysis on each group as one: its tables begin with the column `group`.

    Sentences know their groups, except for those that are the same in all groups.
    """
    names = dict.fromkeys(table.name for output in outputs.values() for table in output.tables)
    tables = {group: {table.name: table for table in output.tables} for group, output in outputs.items()}
    findings = _by_sentence({group: output.findings for group, output in outputs.items()})
    methods = _by_sentence({group: output.methods for group, output in outputs.items()})
    return AnalysisOutput(
        [merged_table({group: of[name] for group, of in tables.items() if name in of}) for name in names],
        merged_notes({group: output.notes for group, output in outputs.items()}),
        [replace(finding, groups=groups) for finding, groups in findings.items()],
        list(dict.fromkeys(file for output in outputs.values() for file in output.files)),
        [of_groups(groups, sentence) for sentence, groups in methods.items()],
    )


def merged_notes(notes: Mapping[str, Iterable[Note | str]]) -> list[Note]:
    """The notes of all groups, each with its groups unless all have it."""
    by_note = _by_sentence({group: as_notes(of_group) for group, of_group in notes.items()})
    return [replace(note, groups=groups) for note, groups in by_note.items()]


def _by_sentence(sentences: Mapping[str, Iterable[Sentence]]) -> dict[Sentence, tuple[str, ...]]:
    """The groups of each sentence; () for all."""
    groups: dict[Sentence, dict[str, None]] = {}
    for group, of_group in sentences.items():
        for sentence in of_group:
            groups.setdefault(sentence, {})[group] = None
    return {each: () if len(own) == len(sentences) else tuple(own) for each, own in groups.items()}


def notes_on_shown(report: Report) -> tuple[Note, ...]:
    """The notes of a report; with groups, without those on columns that only tables have that are not shown."""
    if not report.groups:
        return report.notes
    every = {column.name for table in report.all_tables() for column in table.columns}
    shown = {column.name for table in report.shown_and_details()[0] for column in table.columns}
    return tuple(note for note in report.notes if every.isdisjoint(note.columns) or not shown.isdisjoint(note.columns))


def merged_table(tables: Mapping[str, Table]) -> Table:
    """The rows of a table in each group below each other; a cell is empty where its group has no such column."""
    first = next(iter(tables.values()))
    columns = {column.name: column for table in tables.values() for column in table.columns}
    values: dict[str, dict[str, None]] = {name: {} for name in columns}
    for table in tables.values():
        for column in table.columns:
            values[column.name] |= dict.fromkeys(column.values)
    names = {name: OF_MEASURES if name == GROUP.name else name for name in columns}
    parts = [(group, table.rows, _indices(table, columns)) for group, table in tables.items()]
    rows = GroupedRows(parts)
    besides = {group: table.beside for group, table in tables.items() if table.beside is not None}
    return Table(
        first.name,
        f"By group: {_common_words([table.title for table in tables.values()])}",
        (GROUP, *(replace(column, name=names[name], values=tuple(values[name])) for name, column in columns.items())),
        tuple(rows) if all(isinstance(table.rows, tuple) for table in tables.values()) else rows,
        beside=merged_table(besides) if len(besides) == len(tables) else None,
        detail=all(table.detail for table in tables.values()),
        subject=_common_words([table.subject or table.title for table in tables.values()]),
    )


def _indices(table: Table, columns: Mapping[str, Column]) -> list[int | tuple[Cell]]:
    """The index of each column in a table, or in a tuple its empty cell."""
    indices: dict[str, int | tuple[Cell]] = {column.name: index for index, column in enumerate(table.columns)}
    return [indices.get(name, (_EMPTY[column.kind],)) for name, column in columns.items()]


def _common_words(texts: Sequence[str]) -> str:
    """The texts of all groups as one, with ranges of numbers, and '…' for other words in which they differ."""
    common = [_common_word(list(map(str, words))) for words in zip_longest(*(text.split(" ") for text in texts))]
    return " ".join(word for index, word in enumerate(common) if word != "…" or common[index - 1 : index] != ["…"])


def _common_word(words: Sequence[str]) -> str:
    """One word for those of all groups.

    >>> _common_word(["1,200", "60"]), _common_word(["item", "items"]), _common_word(["clear,", "none"])
    ('60–1,200', 'items', '…')
    """
    numbers = [int(word) for word in (word.replace(",", "") for word in words) if word.isdecimal()]
    if len(set(words)) > 1 and len(numbers) == len(words):
        return f"{min(numbers):,}–{max(numbers):,}"
    singular = {word.removesuffix("s") for word in words}
    return max(words, key=len) if len(singular) == 1 else "…"


@dataclass(frozen=True)
class GroupedRows(Sequence[tuple[Cell, ...]]):
    """The rows of several groups, each after its group. parts: group, rows, and where each column is in them."""

    parts: Sequence[tuple[str, Sequence[tuple[Cell, ...]], Sequence[int | tuple[Cell]]]]

    def __len__(self) -> int:
        return sum(len(rows) for _, rows, _ in self.parts)

    def __iter__(self) -> Iterator[tuple[Cell, ...]]:
        for group, rows, indices in self.parts:
            for row in rows:
                yield (group, *(index[0] if isinstance(index, tuple) else row[index] for index in indices))

    @overload
    def __getitem__(self, index: int) -> tuple[Cell, ...]: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[tuple[Cell, ...]]: ...
    def __getitem__(self, index: int | slice) -> Any:
        return tuple(self)[index]


def of_group(report: Report, group: str) -> Report:
    """The part of a report on one of its groups: the tables that each group has, as they are of the group alone.

    A group that the report does not have is an `InputError`.
    """
    if group not in report.groups:
        known = ", ".join(report.groups) or "none"
        hint = did_you_mean(group, report.groups)
        raise InputError.at(found=f"no results of group '{group}'", expected=f"one of: {known}", hint=hint)
    tables = [part for table in report.tables if (part := _table_of_group(table, group)) is not None]
    return replace(report, tables=tuple(tables), groups=())


def _table_of_group(table: Table, group: str) -> Table | None:
    """The rows of a group without the column of groups; None for a table over groups, or without such rows."""
    if table.columns[0] != GROUP or table.name.endswith(BY_GROUP):
        return None
    rows = tuple(row[1:] for row in table.rows if row[0] == group)
    columns = tuple(
        replace(column, name=GROUP.name) if column.name == OF_MEASURES else column for column in table.columns[1:]
    )
    beside = None if table.beside is None else _table_of_group(table.beside, group)
    return replace(table, columns=columns, rows=rows, beside=beside) if rows else None


def with_filled_columns(table: Table) -> Table:
    """The table without the columns of which all cells are empty."""
    empty = [all(cell in ("", None) or cell != cell for cell in cells) for cells in zip(*table.rows, strict=True)]
    filled = [index for index, is_empty in enumerate(empty) if not is_empty]
    rows = tuple(tuple(row[index] for index in filled) for row in table.rows)
    return replace(table, columns=tuple(table.columns[index] for index in filled), rows=rows)
