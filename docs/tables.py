"""The page of the tables and columns of every command, read from what the examples of its help compute."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from inspect import cleandoc
from itertools import groupby
from unittest.mock import patch

import click

from docs.examples import ROOT, output, sample_folder
from docs.writing import markdown_table
from metaeval.cli import COMMANDS, command_line
from metaeval.model.report import Column, Kind, Report, Table

_INTRODUCTION = """\
# Tables and columns

<!-- Made by docs/generate.py from the tables of the examples in the help; edit the columns (`about`) in metaeval. -->

The names of tables and columns are public: keys in JSON, headers in CSV. Some tables and columns depend on options and
data; these are those of the examples in the help of each command. With `--group` every table begins with the column
`group`, and tables over groups are added ([groups](../how-to/groups.md#tables)). *Also* are columns that are explained
under [columns of many tables](#columns-of-many-tables), or whose names say all.
"""

_MANY = 3
"""Columns of so many tables are explained once."""

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
    "doctor": ["metaeval doctor"],
    "reproduce": ["metaeval reproduce"],
    "agreement": [
        "metaeval agreement sample_data/tsc3/human.csv",
        "metaeval agreement sample_data/tsc3/human.csv --judge D5",
        "metaeval agreement sample_data/judged/labels.csv --cluster topic --group system",
    ],
}
"""Commands that have tables of their own, and no example of all of them on the sample data in their help."""

_WITHOUT = {"run", "report", "scoring-program"}
"""Commands whose tables are those of other commands, or that have none."""

_NAMES_SHOWN, _TEXTS_SHOWN = 3, 10


def tables_page() -> str:
    """docs/reference/tables.md: the tables of each command with the kinds and meanings of their columns."""
    with sample_folder():
        tables = {name: _tables(name) for name in COMMANDS if name not in _WITHOUT}
    often = Counter(
        (column.name, _about(column, report))
        for command_tables in tables.values()
        for table, report in command_tables
        for column in table.columns
    )
    common = {
        name: about
        for (name, about), number in often.items()
        if number >= _MANY and about and (name, "") not in often and "; one of" not in f"; {about}"
    } | _COMMON
    sections = [
        "\n\n".join([f"## {name}", *(_entry(table, report, common) for table, report in command_tables)])
        for name, command_tables in tables.items()
    ]
    every = markdown_table(["column", "meaning"], [[f"`{name}`", _cell(about)] for name, about in common.items()])
    return "\n\n".join([_INTRODUCTION.rstrip(), "## Columns of many tables", every, *sections]) + "\n"


def _tables(command: str) -> list[tuple[Table, Report]]:
    """The tables of the examples of a command, each with the report that has it."""
    tables: dict[str, tuple[Table, Report]] = {}
    for example in _EXAMPLES.get(command) or _examples_in_help(command):
        report = _report_of(example)
        for table in report.all_tables():
            tables.setdefault(table.name, (table, report))
    return list(tables.values())


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


def _about(column: Column, report: Report) -> str:
    """What a table says of its column, with the texts that it may hold where they are few."""
    texts = ", ".join(f"`{value}`" for value in column.values if value)
    if not texts or column.values == (*report.provenance.titles, "") or len(column.values) > _TEXTS_SHOWN:
        return column.about
    return f"{column.about}; one of {texts}" if column.about else f"one of {texts}"


def _entry(table: Table, report: Report, common: Mapping[str, str]) -> str:
    """The columns that this table explains, then the names of the others by their kinds."""

    def alike(column: Column) -> tuple[Kind, str]:
        about = _about(column, report)
        return column.kind, "" if about == common.get(column.name) else about

    rows, others = [], []
    for (kind, about), group in groupby(table.columns, key=alike):
        names = [column.name for column in group if column.name not in report.provenance.titles]
        shown = ", ".join(f"`{name}`" for name in names) or "one for each measure"
        if not about and len(names) > 2 * _NAMES_SHOWN:
            shown = f"{', '.join(f'`{name}`' for name in names[:_NAMES_SHOWN])}, … ({len(names)})"
        if about:
            rows.append(f"* {shown} ({kind.value}): {_cell(about)}")
        else:
            others.append(f"{shown} ({kind.value})")
    title = table.title.replace(str(ROOT), "the package")
    parts = [f"### {table.name}", f"{title}{' (not shown in a terminal)' if table.detail else ''}."]
    if rows:
        parts.append("\n".join(rows))
    if others:
        parts.append(f"{'Also' if rows else 'Columns'}: {', '.join(others)}.")
    return "\n\n".join(parts)


def _cell(text: str) -> str:
    return text.replace("<", "&lt;").replace("|", "\\|")
