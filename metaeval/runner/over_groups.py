"""Tables over groups of items: the main statistic of an analysis by group, its mean over groups, and ranks."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from metaeval.analyses.declaration import Statistic
from metaeval.errors import pluralize
from metaeval.model.grouped import BY_GROUP, GROUP, OVER_GROUPS
from metaeval.model.report import Cell, Column, Kind, Table
from metaeval.stats.rank import competition_ranks, mean_ranks

Key = tuple[Cell, ...]
Values = dict[Key, float]
"""The statistic of the rows of a group, by the cells that identify them."""


def tables_over_groups(statistic: Statistic, merged: Table, noun: str) -> list[Table]:
    """The tables over the groups of a merged table; noun: what groups are, such as 'lang'.

    Of one column: `NAME_by_group` (a row for each group, a column for each measure; ranks beside it) and
    `NAME_over_groups` (mean, mean rank and number of groups of each row). Of several: `NAME_over_groups` (the mean of
    each cell; mean ranks beside it) and `NAME_ranks_by_group`. A mean and a mean rank are undefined where a group lacks
    the value. Of a column of texts: `NAME_by_group` (a row for each measure, a column for each group).
    """
    names = [column.name for column in merged.columns]
    keys = statistic.keys or tuple(c.name for c in merged.columns[1:] if c.kind is Kind.TEXT)
    columns = [merged.columns[names.index(statistic.column)]] if statistic.column else _numbers(merged, keys)
    every = [_Groups.of(merged, [names.index(key) for key in keys], names.index(each.name)) for each in columns]
    heads = [merged.columns[names.index(key)] for key in keys]
    merged = replace(merged, title=merged.subject)
    if columns[0].kind is Kind.TEXT:
        return [_of_texts(merged, heads, columns[0], noun)]
    if statistic.column:
        return _of_one(statistic, merged, heads, columns[0], every[0], noun=noun)
    return _of_several(statistic, merged, heads, columns, every, noun=noun)


def _numbers(table: Table, keys: Sequence[str]) -> list[Column]:
    """The columns of numbers, or those whose direction is declared."""
    numbers = [each for each in table.columns if each.kind in (Kind.SCORE, Kind.COUNT) and each.name not in keys]
    return [each for each in numbers if each.higher_is_better is not None] or numbers


@dataclass(frozen=True)
class _Groups:
    """The values of a column in each group. keys: of all rows, in the order of their first group."""

    values: Mapping[str, Values]
    keys: tuple[Key, ...]

    @classmethod
    def of(cls, table: Table, keys: Sequence[int], column: int) -> _Groups:
        """Those of a merged table; a cell without a number, such as '> 960', is undefined."""
        values: dict[str, Values] = {}
        for row in table.rows:
            cell = row[column]
            number = float(cell) if isinstance(cell, (int, float)) else math.nan
            values.setdefault(str(row[0]), {})[tuple(row[key] for key in keys)] = number
        return cls(values, tuple(dict.fromkeys(key for of_group in values.values() for key in of_group)))

    def means(self) -> Values:
        """The mean over groups; NaN where a group lacks the value."""
        return {key: _mean([of_group.get(key, math.nan) for of_group in self.values.values()]) for key in self.keys}

    def ranks(self, *, higher: bool, shared: bool = False) -> _Groups:
        """The ranks of the first parts of keys in each group, among keys that are otherwise equal, 1 for the best.

        shared: whether ties share the mean of their ranks instead of the lowest.
        """
        ranks: dict[str, Values] = {}
        for group, of_group in self.values.items():
            ranks[group] = {}
            for rest in dict.fromkeys(key[1:] for key in of_group):
                own = [key for key in of_group if key[1:] == rest and not math.isnan(of_group[key])]
                worse = np.array([of_group[key] for key in own]) * (-1 if higher else 1)
                numbers = mean_ranks(worse) if shared else competition_ranks(-worse)
                ranks[group].update(zip(own, map(float, numbers.tolist()), strict=True))
        return _Groups(ranks, self.keys)


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


def _best_first(keys: Sequence[Key], ranks: Sequence[Values]) -> list[Key]:
    """The keys with the lowest mean ranks first, if there are ranks, among keys that are otherwise equal."""
    others = list(dict.fromkeys(key[1:] for key in keys))

    def place(key: Key) -> tuple[int, float]:
        rank = ranks[0][key] if ranks else 0.0
        return others.index(key[1:]), math.inf if math.isnan(rank) else rank

    return sorted(keys, key=place)


def _higher(statistic: Statistic, column: Column) -> bool:
    return statistic.higher if column.higher_is_better is None else column.higher_is_better


def _of_texts(merged: Table, heads: Sequence[Column], column: Column, noun: str) -> Table:
    """The table of texts, with a column for each group; '' where a group lacks the row."""
    places = [merged.columns.index(each) for each in (*heads, column)]
    texts = {(row[0], *(row[place] for place in places[:-1])): row[places[-1]] for row in merged.rows}
    groups, keys = dict.fromkeys(key[0] for key in texts), dict.fromkeys(key[1:] for key in texts)
    rows = tuple((*key, *(texts.get((group, *key), "") for group in groups)) for key in keys)
    columns = (*heads, *(replace(column, name=str(group)) for group in groups))
    return Table(f"{merged.name}{BY_GROUP}", f"{merged.title} by {noun}", columns, rows)


def _of_one(
    statistic: Statistic, merged: Table, heads: Sequence[Column], column: Column, groups: _Groups, *, noun: str
) -> list[Table]:
    """The tables of one column, with a column for each measure."""
    ranked = tuple(dict.fromkeys(key[0] for key in groups.keys))
    others = tuple(dict.fromkeys(key[1:] for key in groups.keys))
    higher = _higher(statistic, column)

    def by_group(name: str, values: Mapping[str, Values], kind: Column) -> Table:
        rows = [
            (group, *rest, *(of_group.get((each, *rest), math.nan) for each in ranked))
            for group, of_group in values.items()
            for rest in others
            if any((each, *rest) in of_group for each in ranked)
        ]
        title = f"{merged.title} by {noun}: {column.name}" + (" (rank)" if statistic.ranked else "")
        columns = (GROUP, *heads[1:], *(replace(kind, name=str(each)) for each in ranked))
        return Table(f"{merged.name}{name}", title, columns, tuple(rows))

    table = by_group(BY_GROUP, groups.values, Column("", column.kind, bands=column.bands))
    columns, cells = [replace(column, name="mean", head="")], [groups.means()]
    if statistic.ranked:
        ranks = groups.ranks(higher=higher)
        table = replace(table, beside=by_group(f"_ranks{BY_GROUP}", ranks.values, Column("", Kind.COUNT)))
        columns.append(Column("mean_rank", Kind.SCORE, higher_is_better=False))
        cells.append(groups.ranks(higher=higher, shared=True).means())
    columns[0] = replace(columns[0], kind=Kind.SCORE, higher_is_better=higher if statistic.ranked else None)
    count = {key: sum(key in of_group for of_group in groups.values.values()) for key in groups.keys}
    rows = [(*key, *(of_cell[key] for of_cell in cells), count[key]) for key in _best_first(groups.keys, cells[1:])]
    title = f"{merged.title} over {pluralize(len(groups.values), 'group')} ({noun}): {column.name}"
    return [
        table,
        Table(f"{merged.name}{OVER_GROUPS}", title, (*heads, *columns, Column("groups", Kind.COUNT)), tuple(rows)),
    ]


def _of_several(
    statistic: Statistic,
    merged: Table,
    heads: Sequence[Column],
    columns: Sequence[Column],
    every: Sequence[_Groups],
    *,
    noun: str,
) -> list[Table]:
    """The tables of several columns, which stay columns."""
    title = f"{merged.title} over {pluralize(len(every[0].values), 'group')} ({noun}): mean"

    def over(name: str, values: Sequence[Values], title: str, higher: Sequence[bool | None]) -> Table:
        heads_of_values = [Column(each.name, Kind.SCORE, better) for each, better in zip(columns, higher, strict=True)]
        rows = [(*key, *(of_column[key] for of_column in values)) for key in keys]
        return Table(f"{merged.name}{name}", title, (*heads, *heads_of_values), tuple(rows))

    higher = [_higher(statistic, column) for column in columns]
    shared = [groups.ranks(higher=better, shared=True).means() for groups, better in zip(every, higher, strict=True)]
    keys = _best_first(every[0].keys, shared if statistic.ranked else [])
    shown = [
        better if statistic.ranked and column.higher_is_better is not None else None
        for better, column in zip(higher, columns, strict=True)
    ]
    means = over(OVER_GROUPS, [groups.means() for groups in every], title, shown)
    if not statistic.ranked:
        return [means]
    beside = over(f"_ranks{OVER_GROUPS}", shared, f"{title} of ranks", [None] * len(columns))
    ranks = [groups.ranks(higher=better).values for groups, better in zip(every, higher, strict=True)]
    rows = [
        (group, *key, *(of_column[group].get(key, math.nan) for of_column in ranks))
        for group, of_group in every[0].values.items()
        for key in of_group
    ]
    heads_of_ranks = tuple(Column(column.name, Kind.COUNT) for column in columns)
    by_group = Table(
        f"{merged.name}_ranks{BY_GROUP}",
        f"{merged.title} by {noun}: ranks",
        (GROUP, *heads, *heads_of_ranks),
        tuple(rows),
        detail=True,
    )
    return [replace(means, title=f"{title} (mean rank)", beside=beside), by_group]
