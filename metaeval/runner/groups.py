"""Runs analyses on each group of items, such as a language pair, and merges the reports."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import chain
from typing import Any, TypeVar

from metaeval import registry
from metaeval.analyses.declaration import Analysis
from metaeval.config import ExperimentConfig
from metaeval.errors import InputError, Problem, UnknownName
from metaeval.model.grouped import merged_notes, merged_output
from metaeval.model.report import AnalysisOutput, Finding, Provenance, Report, Table, as_notes, signature
from metaeval.runner.over_groups import tables_over_groups
from metaeval.study.groups import groups_of
from metaeval.study.study import Analysed, Study

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
    groups, studies, systems = groups_of(config), Studies[Read](), dict[str, None]()
    errors: dict[str, InputError] = {}
    lacking: dict[str, UnknownName] = {}
    for name, own in groups.items():
        member = own.data.member and replace(own.data.member, systems=systems)
        try:
            studies[name] = read(replace(own, data=replace(own.data, member=member)))
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
            raise UnknownName(*first, dict.fromkeys(chain.from_iterable(each.known for each in lacking.values())))
        errors |= {name: InputError.at(found=str(error)) for name, error in lacking.items()}
    if errors:
        raise _error_of_groups(errors, len(groups), config.data.group)
    without: dict[str, list[str]] = {}
    for group, unknown in lacking.items():
        without.setdefault(f"{unknown.kind} '{unknown.name}'", []).append(group)
    studies.notes = tuple(f"groups without {name} are left out: {', '.join(own)}" for name, own in without.items())
    return studies


def _error_of_groups(errors: Mapping[str, InputError], groups: int, column: str | None) -> InputError:
    """The problems of groups as one error, each with its group unless all groups have it or it is a line of a file."""
    found = [(group, problem) for group, error in errors.items() for problem in error.problems]
    times = Counter(problem for _, problem in found)
    problems = [
        problem if problem.line is not None or times[problem] == groups else in_group(problem, group)
        for group, problem in found
    ]
    unlike = [group for group, problem in found if problem.path is None and times[problem] < groups]
    hints = [hint for group, error in errors.items() if group not in unlike for hint in error.hints]
    if unlike:
        hints.append(_remedy(column))
    return InputError(list(dict.fromkeys(problems)), hints=hints)


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
    origin = _provenance(noun, reports)
    notes_of = {
        name: merged_notes({group: report.notes_of.get(name, ()) for group, report in reports.items()})
        for name in dict.fromkeys(name for report in reports.values() for name in report.notes_of)
    }
    return Report(
        first.command,
        signature(origin.version, origin.settings.items()),
        tuple(_with_tables_over_groups(first.command, output.tables, noun)),
        as_notes([*studies.notes, *_notes_on_names(studies), *output.notes]),
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
        of_statistic = owner.statistic.table != "" or table.name == _main_table(owner, tables)
        is_shown = of_statistic and not owner.statistic.column
        yield replace(table, detail=table.detail or not is_shown or len(table.rows) > READABLE_ROWS)
        yield from over.pop(owner.name, [])


def _analyses(command: str) -> list[Analysis[Any, Any]]:
    """Those whose tables a command may have."""
    return [registry.declaration(name) for name in ([command] if command in registry.ANALYSES else registry.ANALYSES)]


def _findings(command: str, merged: Iterable[Table]) -> list[Finding]:
    """What analyses find in the tables of all groups."""
    tables = {table.name: table for table in merged}
    found: list[Finding] = []
    for analysis in _analyses(command):
        if analysis.statistic is not None and analysis.statistic.findings and analysis.tables[0] in tables:
            found += analysis.on_groups(tables)
    return found


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
            groups = [group for group, of_group in names.items() if name not in of_group]
            if groups:
                notes.append(f"{kind} {name} is not in {', '.join(groups)}")
    return notes


def _provenance(noun: str, reports: Mapping[str, Report]) -> Provenance:
    """The provenance of all groups; numbers of items add up, and other fields are ranges where groups differ."""
    every = [report.provenance for report in reports.values()]
    settings = {}
    for name in dict.fromkeys(name for each in every for name in each.settings):
        values = [each.settings[name] for each in every if name in each.settings]
        settings[name] = sum(values) if name == "n" else _in_all(values)
        if name == "systems":
            settings |= {"group": noun, "groups": len(every)}
    repairs = {name: sum(each.repairs.get(name, 0) for each in every) for name in every[0].repairs}
    return replace(
        every[0],
        files=tuple(dict.fromkeys(file for each in every for file in each.files)),
        settings=settings,
        repairs=repairs,
        titles={name: title for each in every for name, title in each.titles.items()},
    )


def _in_all(values: Sequence[Any]) -> Any:
    if len(set(values)) == 1:
        return values[0]
    if all(isinstance(value, int) for value in values):
        return f"{min(values)}-{max(values)}"
    return "/".join(dict.fromkeys(map(str, values)))
