"""Tables, notes and findings of several groups of items, such as language pairs, as those of one report, and back."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Any, overload

from metaeval.errors import InputError, did_you_mean
from metaeval.model.report import AnalysisOutput, Cell, Column, Finding, Kind, Report, Table

GROUP = Column("group")
"""The first column of each table."""

OF_MEASURES = "measure_group"
"""The name, in results with groups of items, of a column `group` that has groups of measures."""

BY_GROUP, OVER_GROUPS = "_by_group", "_over_groups"
"""Ends of the names of tables that compare groups, and of tables of means over groups."""

TITLE = "By group: "
"""The beginning of the title of a table with the rows of all groups."""

_EMPTY: Mapping[Kind, Cell] = {Kind.TEXT: "", Kind.SCORE: math.nan, Kind.COUNT: math.nan, Kind.FLAG: None}
"""A cell of a column that the table of a group lacks."""


def merged_output(outputs: Mapping[str, AnalysisOutput]) -> AnalysisOutput:
    """The outputs of an analysis on each group as one: its tables begin with the column `group`.

    Sentences name their groups, except for those that are the same in all groups, which are said once.
    """
    names = dict.fromkeys(table.name for output in outputs.values() for table in output.tables)
    tables = {group: {table.name: table for table in output.tables} for group, output in outputs.items()}
    findings = [[(each.criterion, each.sentence) for each in output.findings] for output in outputs.values()]
    return AnalysisOutput(
        [merged_table({group: of[name] for group, of in tables.items() if name in of}) for name in names],
        merged_texts({group: output.notes for group, output in outputs.items()}),
        [Finding(*named) for named in _named(dict(zip(outputs, findings, strict=True)))],
        list(dict.fromkeys(file for output in outputs.values() for file in output.files)),
        merged_texts({group: output.methods for group, output in outputs.items()}),
    )


def merged_texts(texts: Mapping[str, Sequence[str]]) -> list[str]:
    """The sentences of all groups, each with the names of its groups unless all have it."""
    of_groups = {group: [("", text) for text in of_group] for group, of_group in texts.items()}
    return [text for _, text in _named(of_groups)]


def _named(sentences: Mapping[str, Sequence[tuple[str, str]]]) -> list[tuple[str, str]]:
    """Sentences with their topics, after the names of their groups unless all have them."""
    groups: dict[tuple[str, str], dict[str, None]] = {}
    for group, of_group in sentences.items():
        for sentence in of_group:
            groups.setdefault(sentence, {})[group] = None
    return [
        (topic, text if len(of_text) == len(sentences) else f"{', '.join(of_text)}: {text}")
        for (topic, text), of_text in groups.items()
    ]


_SIGNS = {"share a letter": "letters", "strata (": "top"}
"""Parts of notes on columns that do not begin with their names."""


def notes_on_shown(report: Report) -> tuple[str, ...]:
    """The notes of a report; with groups, without those on columns that only tables have that are not shown."""
    if not report.groups:
        return tuple(report.notes)
    every = {column.name for table in report.all_tables() for column in table.columns}
    shown = {column.name for table in report.shown_and_details()[0] for column in table.columns}
    return tuple(
        note for note in report.notes if (of := _columns_of(note, report.groups) & every) <= shown or of & shown
    )


def _columns_of(note: str, groups: Sequence[str]) -> set[str]:
    """The names with which a note on columns begins, after its groups: 'de: low, high: 95 % interval'."""
    first, *others = note.split(": ")
    if others and set(first.split(", ")) <= set(groups):
        first = others[0] if len(others) > 1 else ""
    names = {name.removesuffix(" (•)") for name in first.split(", ")}
    return names | {column for sign, column in _SIGNS.items() if sign in note}


def merged_table(tables: Mapping[str, Table]) -> Table:
    """The rows of a table in each group below each other; a cell is empty where its group has no such column."""
    first = next(iter(tables.values()))
    columns = {column.name: column for table in tables.values() for column in table.columns}
    values = {name: dict.fromkeys(value for table in tables.values() for column in table.columns
                                  if column.name == name for value in column.values) for name in columns}  # fmt: skip
    names = {name: OF_MEASURES if name == GROUP.name else name for name in columns}
    parts = [(group, table.rows, _places(table, columns)) for group, table in tables.items()]
    rows = GroupedRows(parts)
    besides = {group: table.beside for group, table in tables.items() if table.beside is not None}
    return Table(
        first.name,
        _common_title([table.title for table in tables.values()]),
        (GROUP, *(replace(column, name=names[name], values=tuple(values[name])) for name, column in columns.items())),
        tuple(rows) if all(isinstance(table.rows, tuple) for table in tables.values()) else rows,
        merged_table(besides) if len(besides) == len(tables) else None,
        all(table.detail for table in tables.values()),
    )


def _places(table: Table, columns: Mapping[str, Column]) -> list[int | tuple[Cell]]:
    """The place of each column in a table, or in a tuple its empty cell."""
    places: dict[str, int | tuple[Cell]] = {column.name: place for place, column in enumerate(table.columns)}
    return [places.get(name, (_EMPTY[column.kind],)) for name, column in columns.items()]


def _common_title(titles: Sequence[str]) -> str:
    """The titles of all groups as one, with ranges of numbers, and '…' for other words in which they differ."""
    common = [_common_word(list(map(str, words))) for words in zip_longest(*(title.split(" ") for title in titles))]
    kept = [word for place, word in enumerate(common) if word != "…" or common[place - 1 : place] != ["…"]]
    return f"{TITLE}{' '.join(kept)}"


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
        for group, rows, places in self.parts:
            for row in rows:
                yield (group, *(place[0] if isinstance(place, tuple) else row[place] for place in places))

    @overload
    def __getitem__(self, place: int) -> tuple[Cell, ...]: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[tuple[Cell, ...]]: ...
    def __getitem__(self, place: int | slice) -> Any:
        return tuple(self)[place]


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
    kept = [place for place, is_empty in enumerate(empty) if not is_empty]
    rows = tuple(tuple(row[place] for place in kept) for row in table.rows)
    return replace(table, columns=tuple(table.columns[place] for place in kept), rows=rows)
