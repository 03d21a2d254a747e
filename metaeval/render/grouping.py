"""The tables of a report grouped by analysis, for renderers with one section for each."""

from __future__ import annotations

from dataclasses import dataclass

from metaeval import registry
from metaeval.model.grouped import BY_GROUP, OVER_GROUPS
from metaeval.model.report import Report, Table


@dataclass(frozen=True)
class Section:
    """The tables of one analysis or command, without those beside another.

    name: of the analysis, as in a `Finding`; about-TABLE for a table that belongs to none. heading: its question.
    """

    name: str
    heading: str
    tables: tuple[Table, ...]


COMMANDS = {
    "reproduce": (
        "Can the numbers in the papers be reproduced?",
        ("verdicts", "findings", "rounding", "missing", "reproduction"),
    ),
    "check": ("Are the results good enough?", ("gates", "baseline")),
    "measures": ("What do the measures measure?", ("measures", "measure")),
    "validate": ("Are the files valid?", ("files", "tables")),
}
"""The heading and the tables of commands that are no analyses."""

_ENDS = ("", *(f"{ranks}{end}" for ranks in ("", "_ranks") for end in (BY_GROUP, OVER_GROUPS)))
_OWNERS = {
    f"{table}{end}": name for name in registry.ANALYSES for table in registry.declaration(name).tables for end in _ENDS
}
_OWNERS |= {table: name for name, (_, tables) in COMMANDS.items() for table in tables}


def by_analysis(report: Report) -> tuple[Section, ...]:
    """The tables of a report by analysis, in order of their first tables; other tables have a section each.

    >>> from metaeval.model.report import Column, Provenance
    >>> tables = [Table(name, name.title(), (Column("measure"),), ()) for name in ("similarity", "odd", "groups")]
    >>> report = Report("run", "", tuple(tables), (), Provenance("0.1.0"))
    >>> [(section.name, len(section.tables)) for section in by_analysis(report)]
    [('similarity', 2), ('about-odd', 1)]
    """
    groups: dict[str, list[Table]] = {}
    for table in report.tables:
        groups.setdefault(_OWNERS.get(table.name, f"about-{table.name}"), []).append(table)
    return tuple(Section(name, _heading(name, tables[0]), tuple(tables)) for name, tables in groups.items())


def _heading(name: str, first: Table) -> str:
    if name in registry.ANALYSES:
        question: str = registry.declaration(name).question
        return question
    return COMMANDS[name][0] if name in COMMANDS else first.title
