"""Runs analyses on each group of items, such as a language pair, and merges the reports."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from metaeval import analyses
from metaeval.analyses.declaration import Analysis
from metaeval.config import ExperimentConfig
from metaeval.errors import InputError, Problem
from metaeval.model.grouped import merged_output, merged_texts
from metaeval.model.report import AnalysisOutput, Provenance, Report, Table, signature
from metaeval.runner.over_groups import tables_over_groups
from metaeval.study.groups import groups_of
from metaeval.study.study import Study

READABLE_ROWS = 60
"""Number of rows above which a table with a row for each group is a detail."""

ONLY = ""
"""The name of the group of data without groups."""


def read_groups(config: ExperimentConfig, read: Callable[[ExperimentConfig], Study]) -> dict[str, Study]:
    """The study of each group; all problems of their data are one `InputError`. Without groups, the study of `ONLY`."""
    groups, studies = groups_of(config), {}
    errors: dict[str, InputError] = {}
    for name, own in groups.items():
        try:
            studies[name] = read(own)
        except InputError as error:
            if type(error) is not InputError:
                raise
            errors[name] = error
    if errors:
        raise _error_of_groups(errors, len(groups))
    return studies


def _error_of_groups(errors: Mapping[str, InputError], groups: int) -> InputError:
    """The problems of groups as one error, each with its group unless all groups have it or it is a line of a file."""
    found = [(group, problem) for group, error in errors.items() for problem in error.problems]
    times = Counter(problem for _, problem in found)
    problems = [
        problem if problem.line is not None or times[problem] == groups else in_group(problem, group)
        for group, problem in found
    ]
    return InputError(list(dict.fromkeys(problems)), hints=[hint for each in errors.values() for hint in each.hints])


def in_group(problem: Problem, group: str) -> Problem:
    """The problem with the name of its group."""
    return replace(problem, found=f"group '{group}': {problem.found}")


@contextmanager
def naming(group: str) -> Iterator[None]:
    """Add the name of a group to errors of its analysis."""
    try:
        yield
    except InputError as error:
        if group == ONLY or type(error) is not InputError:
            raise
        problems = [in_group(problem, group) if problem.line is None else problem for problem in error.problems]
        raise InputError(problems, hints=error.hints) from None


def report_of_groups(
    config: ExperimentConfig, studies: Mapping[str, Study], report: Callable[[str, Study], Report]
) -> Report:
    """The reports on all studies as one; report: of a group and its study."""
    reports = {}
    for name, study in studies.items():
        with naming(name):
            reports[name] = report(name, study)
    return merged_report(config, studies, reports)


def merged_report(config: ExperimentConfig, studies: Mapping[str, Study], reports: Mapping[str, Report]) -> Report:
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
        name: merged_texts({group: report.notes_of.get(name, ()) for group, report in reports.items()})
        for name in dict.fromkeys(name for report in reports.values() for name in report.notes_of)
    }
    return Report(
        first.command,
        signature(origin.version, origin.settings.items()),
        tuple(_with_tables_over_groups(first.command, output.tables, noun)),
        (*_notes_on_systems(studies), *output.notes),
        origin,
        tuple(output.findings),
        tuple(output.methods),
        notes_of,
        tuple(reports),
    )


def _with_tables_over_groups(command: str, merged: Iterable[Table], noun: str) -> Iterator[Table]:
    """The tables of all analyses, of which those with tables over groups become details."""
    tables = {table.name: table for table in merged}
    names = [command] if command in analyses.ANALYSES else list(analyses.ANALYSES)
    owners = {table: analyses.analysis(name) for name in names for table in analyses.analysis(name).tables}
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


def _main_table(analysis: Analysis[Any, Any], tables: Container[str]) -> str:
    """The table of the main statistic; '' if there is none."""
    name = analysis.statistic.table if analysis.statistic is not None else ""
    return name or next((name for name in analysis.tables if name in tables), "")


def _notes_on_systems(studies: Mapping[str, Study]) -> list[str]:
    """A note for each system that some group lacks."""
    systems = dict.fromkeys(system for study in studies.values() for system in study.systems)
    lacking = {it: [name for name, study in studies.items() if it not in study.systems] for it in systems}
    return [f"system {system} is not in {', '.join(groups)}" for system, groups in lacking.items() if groups]


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
