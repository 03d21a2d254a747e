"""The page of the tables and columns of every command, read from what the examples of its help compute."""

from __future__ import annotations

from inspect import cleandoc
from itertools import groupby
from unittest.mock import patch

import click

from docs.examples import ROOT, output, sample_folder
from metaeval.cli import COMMANDS, command_line
from metaeval.model.report import Column, Kind, Report, Table

_INTRODUCTION = """\
# Tables and columns

<!-- Made by docs/generate.py from the tables of the examples in the help; edit the columns (`about`) in metaeval. -->

The names of tables and columns are public: keys in JSON, headers in CSV. Some tables and columns depend on options and
data; these are those of the examples in the help of each command. A dash means that the name says all. With `--group`
every table begins with the column `group`, and tables over groups are added ([groups](../how-to/groups.md#tables)).
"""

_COMMON = {
    "p": "p-value of the test of this row by itself",
    "p_adjusted": "p-value adjusted for all tests of its family",
    "rank": "rank by this statistic; ties share the lowest",
    "rank_low": "best rank that the tests leave possible",
    "rank_high": "worst rank that the tests leave possible",
    "letters": "rows that share a letter are not significantly different",
    "low": "lower end of the 95 % interval",
    "high": "upper end of the 95 % interval",
    "ci_low": "lower end of the 95 % interval",
    "ci_high": "upper end of the 95 % interval",
    "difference": "first minus second; above 0 the first is better",
    "undefined": "number of undefined values, which are left out",
    "other": "the second of the pair",
    "human": "human scores, by the name of the rater or file",
    "level": "what is correlated: systems, items, or all cells",
    "source": "where it is from",
    "tau": "tau-b of two rankings",
    "units": "number of units",
    "pairs": "number of pairs",
    "items": "number of items",
    "runs": "number of runs of each system",
    "trials": "number of trials",
    "wins": "pairs that the first wins",
    "losses": "pairs that the first loses",
    "reason": "why, in words",
    "unit": "what is counted: items, systems or annotators",
    "score": "score as measured",
}
"""The meaning of columns of many tables, where a table says nothing else."""

_EXAMPLES = {
    "validate": ["metaeval validate --config configs/stance.yaml"],
    "measures": ["metaeval measures", "metaeval measures accuracy"],
    "demo": ["metaeval demo"],
    "reproduce": ["metaeval reproduce"],
    "agreement": [
        "metaeval agreement sample_data/tsc3/human.csv",
        "metaeval agreement sample_data/tsc3/human.csv --judge D5",
        "metaeval agreement sample_data/judged/labels.csv --labels yes,no --cluster topic",
    ],
}
"""Commands that have tables of their own, and no example of all of them on the sample data in their help."""

_COMBINING = {"run", "report"}
"""Commands whose tables are those of other commands."""

_NAMES_SHOWN, _TEXTS_SHOWN = 3, 10


def tables_page() -> str:
    """docs/reference/tables.md: the tables of each command with the kinds and meanings of their columns."""
    with sample_folder():
        sections = [_section(name) for name in COMMANDS if name not in _COMBINING]
    return "\n\n".join([_INTRODUCTION.rstrip(), *sections]) + "\n"


def _section(command: str) -> str:
    tables: dict[str, tuple[Table, Report]] = {}
    for example in _EXAMPLES.get(command) or _examples_in_help(command):
        report = _report_of(example)
        for table in report.all_tables():
            tables.setdefault(table.name, (table, report))
    return "\n\n".join([f"## {command}", *(_entry(table, report) for table, report in tables.values())])


def _examples_in_help(name: str) -> list[str]:
    command = command_line.get_command(click.Context(command_line), name)
    assert command is not None
    paragraphs = cleandoc(command.help or "").replace("\\\n", " ").split("\n\n")
    return [line for part in paragraphs if part.startswith("\b\n") for line in part.splitlines()[1:]]


def _report_of(command: str) -> Report:
    """What a command would write."""
    reports: list[Report] = []
    with patch("metaeval.cli.output.write_report", lambda report, *_, **__: reports.append(report)):
        printed = output(f"{command} -q")
    assert len(reports) == 1, f"{command}: {printed}"
    return reports[0]


def _entry(table: Table, report: Report) -> str:
    rows = ["| column | kind | meaning |", "|---|---|---|"]

    def alike(column: Column) -> tuple[bool, Kind, str]:
        about = column.about or _COMMON.get(column.name, "")
        texts = ", ".join(f"`{value}`" for value in column.values if value)
        if texts and column.values != (*report.provenance.titles, "") and len(column.values) <= _TEXTS_SHOWN:
            about = f"{about}; one of {texts}" if about else f"one of {texts}"
        return column.name in report.provenance.titles, column.kind, about

    for (is_measure, kind, about), group in groupby(table.columns, key=alike):
        names = [f"`{column.name}`" for column in group]
        shown = "one column for each measure" if is_measure else ", ".join(names)
        if not is_measure and not about and len(names) > 2 * _NAMES_SHOWN:
            shown = f"{', '.join(names[:_NAMES_SHOWN])}, … ({len(names)} columns)"
        rows.append(f"| {shown} | {kind.value} | {about or '—'} |".replace("<", "&lt;"))
    title = table.title.replace(str(ROOT), "the package")
    return f"### {table.name}\n\n{title}{' (not shown in a terminal)' if table.detail else ''}.\n\n" + "\n".join(rows)
