"""Runs analyses on each group of items, such as a language pair, and merges the reports."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from typing import Any, TypeVar

import numpy as np

from metaeval import registry
from metaeval.analyses.declaration import Analysis, Statistic
from metaeval.config import ExperimentConfig
from metaeval.errors import InputError, Problem, UnknownName, joined_runs, pluralize, refuse
from metaeval.model.report import (
    BY_GROUP,
    GROUP,
    NUMBERS,
    OVER_GROUPS,
    AnalysisOutput,
    Cell,
    Column,
    Finding,
    Kind,
    Provenance,
    Report,
    Table,
    as_notes,
    merged_notes,
    merged_output,
    on_input,
    signature,
)
from metaeval.stats.rank import competition_ranks, mean_ranks
from metaeval.study.read import groups_of, without_invalid
from metaeval.study.study import Analysed, Study, with_invalid_runs

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
    every = [_Groups.of(merged, [names.index(key) for key in keys], names.index(column.name)) for column in columns]
    heads = [merged.columns[names.index(key)] for key in keys]
    merged = replace(merged, title=merged.subject)
    if columns[0].kind is Kind.TEXT:
        return [_table_of_texts(merged, heads, columns[0], noun)]
    if statistic.column:
        return _tables_of_one_column(statistic, merged, heads, columns[0], every[0], noun=noun)
    return _tables_of_several_columns(statistic, merged, heads, columns, every, noun=noun)


def _numbers(table: Table, keys: Sequence[str]) -> list[Column]:
    """The columns of numbers, or those whose direction is declared."""
    numbers = [column for column in table.columns if column.kind in NUMBERS and column.name not in keys]
    return [column for column in numbers if column.higher_is_better is not None] or numbers


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
        return cls(values, tuple(dict.fromkeys(key for by_key in values.values() for key in by_key)))

    def means(self) -> Values:
        """The mean over groups; NaN where a group lacks the value."""
        sums = {key: math.fsum(by_key.get(key, math.nan) for by_key in self.values.values()) for key in self.keys}
        return {key: total / len(self.values) for key, total in sums.items()}

    def ranks(self, *, higher: bool, shared: bool = False) -> _Groups:
        """The ranks of the first parts of keys in each group, among keys that are otherwise equal, 1 for the best.

        shared: whether ties share the mean of their ranks instead of the lowest.
        """
        ranks: dict[str, Values] = {}
        for group, by_key in self.values.items():
            ranks[group] = {}
            for rest in dict.fromkeys(key[1:] for key in by_key):
                keys = [key for key in by_key if key[1:] == rest and not math.isnan(by_key[key])]
                worse = np.array([by_key[key] for key in keys]) * (-1 if higher else 1)
                numbers = mean_ranks(worse) if shared else competition_ranks(-worse)
                ranks[group].update(zip(keys, map(float, numbers.tolist()), strict=True))
        return _Groups(ranks, self.keys)


def _best_first(keys: Sequence[Key], ranks: Sequence[Values]) -> list[Key]:
    """The keys with the lowest mean ranks first, if there are ranks, among keys that are otherwise equal."""
    others = list(dict.fromkeys(key[1:] for key in keys))

    def sort_key(key: Key) -> tuple[int, float]:
        rank = ranks[0][key] if ranks else 0.0
        return others.index(key[1:]), math.inf if math.isnan(rank) else rank

    return sorted(keys, key=sort_key)


def _higher(statistic: Statistic, column: Column) -> bool:
    return statistic.higher if column.higher_is_better is None else column.higher_is_better


def _table_of_texts(merged: Table, heads: Sequence[Column], column: Column, noun: str) -> Table:
    """The table of texts, with a column for each group; '' where a group lacks the row."""
    indices = [merged.columns.index(head) for head in (*heads, column)]
    texts = {(row[0], *(row[index] for index in indices[:-1])): row[indices[-1]] for row in merged.rows}
    groups, keys = dict.fromkeys(key[0] for key in texts), dict.fromkeys(key[1:] for key in texts)
    rows = tuple((*key, *(texts.get((group, *key), "") for group in groups)) for key in keys)
    columns = (*heads, *(replace(column, name=str(group)) for group in groups))
    return Table(f"{merged.name}{BY_GROUP}", f"{merged.title} by {noun}", columns, rows)


def _tables_of_one_column(
    statistic: Statistic, merged: Table, heads: Sequence[Column], column: Column, groups: _Groups, *, noun: str
) -> list[Table]:
    """The tables of one column, with a column for each measure."""
    measures = tuple(dict.fromkeys(key[0] for key in groups.keys))
    others = tuple(dict.fromkeys(key[1:] for key in groups.keys))
    higher = _higher(statistic, column)

    def by_group(name: str, values: Mapping[str, Values], kind: Column) -> Table:
        rows = [
            (group, *rest, *(by_key.get((measure, *rest), math.nan) for measure in measures))
            for group, by_key in values.items()
            for rest in others
            if any((measure, *rest) in by_key for measure in measures)
        ]
        title = f"{merged.title} by {noun}: {column.name}"
        columns = (GROUP, *heads[1:], *(replace(kind, name=str(measure)) for measure in measures))
        return Table(f"{merged.name}{name}", title, columns, tuple(rows))

    table = by_group(BY_GROUP, groups.values, Column("", column.kind, bands=column.bands))
    columns, cells = [replace(column, name="mean", head="")], [groups.means()]
    if statistic.ranked:
        ranks = groups.ranks(higher=higher)
        table = replace(table, beside=by_group(f"_ranks{BY_GROUP}", ranks.values, Column("", Kind.COUNT)))
        columns.append(Column("mean_rank", Kind.SCORE, higher_is_better=False))
        cells.append(groups.ranks(higher=higher, shared=True).means())
    columns[0] = replace(columns[0], kind=Kind.SCORE, higher_is_better=higher if statistic.ranked else None)
    count = {key: sum(key in by_key for by_key in groups.values.values()) for key in groups.keys}
    rows = [(*key, *(by_key[key] for by_key in cells), count[key]) for key in _best_first(groups.keys, cells[1:])]
    title = f"{merged.title} over {pluralize(len(groups.values), 'group')} ({noun}): {column.name}"
    return [
        table,
        Table(f"{merged.name}{OVER_GROUPS}", title, (*heads, *columns, Column("groups", Kind.COUNT)), tuple(rows)),
    ]


def _tables_of_several_columns(
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
        heads_of_values = [Column(head.name, Kind.SCORE, better) for head, better in zip(columns, higher, strict=True)]
        rows = [(*key, *(by_key[key] for by_key in values)) for key in keys]
        return Table(f"{merged.name}{name}", title, (*heads, *heads_of_values), tuple(rows))

    higher = [_higher(statistic, column) for column in columns]
    averages = [groups.ranks(higher=better, shared=True).means() for groups, better in zip(every, higher, strict=True)]
    keys = _best_first(every[0].keys, averages if statistic.ranked else [])
    directions = [
        better if statistic.ranked and column.higher_is_better is not None else None
        for better, column in zip(higher, columns, strict=True)
    ]
    means = over(OVER_GROUPS, [groups.means() for groups in every], title, directions)
    if not statistic.ranked:
        return [means]
    beside = over(f"_ranks{OVER_GROUPS}", averages, f"{title} of ranks", [None] * len(columns))
    ranks = [groups.ranks(higher=better).values for groups, better in zip(every, higher, strict=True)]
    rows = [
        (group, *key, *(column_ranks[group].get(key, math.nan) for column_ranks in ranks))
        for group, by_key in every[0].values.items()
        for key in by_key
    ]
    heads_of_ranks = tuple(Column(column.name, Kind.COUNT) for column in columns)
    by_group = Table(
        f"{merged.name}_ranks{BY_GROUP}",
        f"{merged.title} by {noun}: ranks",
        (GROUP, *heads, *heads_of_ranks),
        tuple(rows),
        detail=True,
    )
    return [replace(means, beside=beside), by_group]


READABLE_ROWS = 60
"""Number of rows above which a table with a row for each group is a detail."""

ONLY = ""
"""The name of the group of data without groups."""


Read = TypeVar("Read", bound=Analysed)


class Studies(dict[str, Read]):
    """The study of each group. notes: on groups that are left out."""

    notes: tuple[str, ...] = ()


def read_groups(config: ExperimentConfig, read: Callable[[ExperimentConfig], Read]) -> Studies[Read]:
    """The study of each group; all problems of their data are one `InputError`. Without groups, the study of `ONLY`.

    A group that lacks a system or a measure that the settings name is left out; a name of no group is an error.
    """
    return without_invalid(config, partial(_read_groups, read=read))


def _read_groups(config: ExperimentConfig, read: Callable[[ExperimentConfig], Read]) -> Studies[Read]:
    groups, studies, systems = groups_of(config), Studies[Read](), dict[str, None]()
    errors: dict[str, InputError] = {}
    lacking: dict[str, UnknownName] = {}
    for name, group_config in groups.items():
        member = group_config.data.member and replace(group_config.data.member, systems=systems)
        try:
            studies[name] = read(replace(group_config, data=replace(group_config.data, member=member)))
        except UnknownName as error:
            lacking[name] = error
        except InputError as error:
            if type(error) is not InputError:
                raise
            errors[name] = error
    if ONLY not in groups and not errors:
        config.data.systems.of(systems)
    if lacking and not studies and not errors:
        first, *others = dict.fromkeys((error.kind, error.name) for error in lacking.values())
        if not others:
            raise UnknownName(*first, dict.fromkeys(chain.from_iterable(error.known for error in lacking.values())))
        errors |= {name: refuse(None, str(error)) for name, error in lacking.items()}
    if errors:
        raise _error_of_groups(errors, len(groups), config.data.group)
    without: dict[str, list[str]] = {}
    for group, unknown in lacking.items():
        without.setdefault(f"{unknown.kind} '{unknown.name}'", []).append(group)
    studies.notes = tuple(f"groups without {name} are left out: {', '.join(names)}" for name, names in without.items())
    return studies


def _error_of_groups(errors: Mapping[str, InputError], groups: int, column: str | None) -> InputError:
    """The problems of groups as one error, each with its group unless all groups have it or it is a line of a file."""
    pairs = [(group, problem) for group, error in errors.items() for problem in error.problems]
    times = Counter(problem for _, problem in pairs)
    problems = [
        problem if problem.line is not None or times[problem] == groups else in_group(problem, group)
        for group, problem in pairs
    ]
    unlike = [group for group, problem in pairs if problem.path is None and times[problem] < groups]
    hints = [hint for group, error in errors.items() if group not in unlike for hint in error.hints]
    if unlike:
        hints.append(_remedy(column))
    invalid_runs = joined_runs(list(errors.values()))
    return InputError(list(dict.fromkeys(problems)), hints=hints, invalid_runs=invalid_runs)


def _remedy(column: str | None) -> str:
    """What to do about a group with too few items or systems."""
    if column is None:
        return "leave out the file of the group, or join it with that of another group"
    return f"merge the group with another one in the column {column.rpartition(':')[2]}, or leave out its items"


def in_group(problem: Problem, group: str) -> Problem:
    """The problem with the name of its group."""
    return replace(problem, found=f"group '{group}': {problem.found}")


@contextmanager
def naming(group: str, config: ExperimentConfig) -> Iterator[None]:
    """Add the name of a group to errors of its analysis."""
    try:
        yield
    except InputError as error:
        if group == ONLY or type(error) is not InputError:
            raise
        problems = [in_group(problem, group) if problem.line is None else problem for problem in error.problems]
        raise InputError(problems, hints=error.hints or [_remedy(config.data.group)]) from None


def merged_report(config: ExperimentConfig, studies: Studies[Any], reports: Mapping[str, Report]) -> Report:
    """The reports on all groups as one, with tables over groups; the report itself where there are no groups."""
    first = next(iter(reports.values()))
    if ONLY in reports:
        return first
    data = config.data
    noun = "file" if data.group is None else data.group.rpartition(":")[2]
    output = merged_output(
        {name: AnalysisOutput(it.tables, it.notes, it.findings, (), it.methods) for name, it in reports.items()}
    )
    first_data = next(iter(studies.values())).config.data
    systems = {system for study in studies.values() for system in study.systems}
    output = with_invalid_runs(first.command, output, first_data, systems)
    origin = _provenance(noun, reports)
    notes_of = {
        name: merged_notes({group: report.notes_of.get(name, ()) for group, report in reports.items()})
        for name in dict.fromkeys(name for report in reports.values() for name in report.notes_of)
    }
    return Report(
        first.command,
        signature(origin.version, origin.settings.items()),
        tuple(_with_tables_over_groups(first.command, output.tables, noun)),
        as_notes([*on_input([*studies.notes, *_notes_on_names(studies)]), *output.notes]),
        origin,
        findings=(*_findings(first.command, output.tables), *output.findings),
        methods=tuple(output.methods),
        notes_of=notes_of,
        groups=tuple(reports),
    )


def _with_tables_over_groups(command: str, merged: Iterable[Table], noun: str) -> Iterator[Table]:
    """The tables of all analyses, of which those with tables over groups become details."""
    tables = {table.name: table for table in merged}
    owners = {table: analysis for analysis in _analyses(command) for table in analysis.tables}
    over: dict[str, list[Table]] = {}
    for analysis in dict.fromkeys(owners.values()):
        table = tables.get(_main_table(analysis, tables))
        if analysis.statistic is not None and table is not None:
            over[analysis.name] = tables_over_groups(analysis.statistic, table, noun)
    for table in tables.values():
        owner = owners.get(table.name)
        if owner is None or owner.statistic is None:
            yield table
            continue
        # Tables over groups follow the first table. A statistic of one column is in them, by group.
        has_statistic = owner.statistic.table != "" or table.name == _main_table(owner, tables)
        is_shown = has_statistic and not owner.statistic.column
        yield replace(table, detail=table.detail or not is_shown or len(table.rows) > READABLE_ROWS)
        yield from over.pop(owner.name, [])


def _analyses(command: str) -> list[Analysis[Any, Any]]:
    """Those whose tables a command may have."""
    return [registry.declaration(name) for name in ([command] if command in registry.ANALYSES else registry.ANALYSES)]


def _findings(command: str, merged: Iterable[Table]) -> list[Finding]:
    """What analyses find in the tables of all groups."""
    tables = {table.name: table for table in merged}
    findings: list[Finding] = []
    for analysis in _analyses(command):
        if analysis.statistic is not None and analysis.statistic.findings and analysis.tables[0] in tables:
            findings += analysis.on_groups(tables)
    return findings


def _main_table(analysis: Analysis[Any, Any], tables: Container[str]) -> str:
    """The table of the main statistic; '' if there is none."""
    name = analysis.statistic.table if analysis.statistic is not None else ""
    return name or next((name for name in analysis.tables if name in tables), "")


def _notes_on_names(studies: Mapping[str, Study]) -> list[str]:
    """A note for each system or measure that some group lacks."""
    notes = []
    systems = {group: study.systems for group, study in studies.items()}
    measures = {group: study.measure_names for group, study in studies.items()}
    for kind, names in (("system", systems), ("measure", measures)):
        for name in dict.fromkeys(chain.from_iterable(names.values())):
            groups = [group for group, group_names in names.items() if name not in group_names]
            if groups:
                notes.append(f"{kind} {name} is not in {', '.join(groups)}")
    return notes


def _provenance(noun: str, reports: Mapping[str, Report]) -> Provenance:
    """The provenance of all groups; numbers of items add up, and other fields are ranges where groups differ."""
    every = [report.provenance for report in reports.values()]
    settings = {}
    for name in dict.fromkeys(name for provenance in every for name in provenance.settings):
        values = [provenance.settings[name] for provenance in every if name in provenance.settings]
        settings[name] = sum(values) if name == "n" else _in_all(values)
        if name == "systems":
            settings |= {"group": noun, "groups": len(every)}
    return joined_provenance(every, settings)


def joined_provenance(every: Sequence[Provenance], settings: Mapping[str, Any]) -> Provenance:
    """The first provenance with the files, the repairs and the measures of all, and these settings."""
    return replace(
        every[0],
        files=tuple(dict.fromkeys(file for provenance in every for file in provenance.files)),
        settings=settings,
        repairs={name: sum(provenance.repairs.get(name, 0) for provenance in every) for name in every[0].repairs},
        titles={name: title for provenance in every for name, title in provenance.titles.items()},
        sources={name: source for provenance in every for name, source in provenance.sources.items()},
        measures={name: signature for provenance in every for name, signature in provenance.measures.items()},
    )


def _in_all(values: Sequence[Any]) -> Any:
    if len(set(values)) == 1:
        return values[0]
    if all(isinstance(value, int) for value in values):
        return f"{min(values)}-{max(values)}"
    return "/".join(dict.fromkeys(map(str, values)))
