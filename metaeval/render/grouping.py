"""Which question a table answers, for renderers that put an answer together from several tables."""

from __future__ import annotations

from dataclasses import dataclass

from metaeval import registry
from metaeval.model.report import Report, Table


@dataclass(frozen=True)
class Criterion:
    """A question that a command answers.

    name: that of the command, as in a `Finding`. tables: those that answer it, by name.
    """

    name: str
    question: str
    tables: tuple[str, ...]


@dataclass(frozen=True)
class Answer:
    """The tables of a report that answer a question, those beside another apart.

    name: that of a criterion, or about-TABLE.
    """

    name: str
    question: str
    tables: tuple[Table, ...]


def _of(name: str) -> Criterion:
    found = registry.declaration(name)
    return Criterion(name, found.question, found.tables)


CRITERIA = (
    *map(_of, registry.ANALYSES),
    Criterion(
        "reproduce",
        "Do the papers’ numbers come out again?",
        ("verdicts", "findings", "rounding", "missing", "reproduction"),
    ),
    Criterion("check", "Are the results good enough?", ("gates", "baseline")),
    Criterion("measures", "What do the measures measure?", ("measures", "measure")),
    Criterion("validate", "Do gold and runs fit together?", ("files",)),
)
"""Every question and the tables that answer it, in the order of the commands."""

_OF_TABLE = {table: criterion for criterion in CRITERIA for table in criterion.tables}


def answers(report: Report) -> tuple[Answer, ...]:
    """The tables of a report by the question they answer, in the order in which the report begins to answer them.

    A table that answers none of the `CRITERIA` stands by itself, under its title.

    >>> from metaeval.model.report import Column, Provenance
    >>> tables = [Table(name, name.title(), (Column("measure"),), ()) for name in ("similarity", "odd", "groups")]
    >>> [(each.name, len(each.tables)) for each in answers(Report("run", "", tuple(tables), (), Provenance("0.1.0")))]
    [('similarity', 2), ('about-odd', 1)]
    """
    found: dict[str, tuple[str, list[Table]]] = {}
    for table in report.tables:
        criterion = _OF_TABLE.get(table.name)
        name, question = (criterion.name, criterion.question) if criterion else (f"about-{table.name}", table.title)
        found.setdefault(name, (question, []))[1].append(table)
    return tuple(Answer(name, question, tuple(tables)) for name, (question, tables) in found.items())
