"""The tables of a report grouped by analysis, for renderers with one section for each."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, replace

from metaeval import registry
from metaeval.errors import pluralize, setting
from metaeval.model.report import BY_GROUP, OVER_GROUPS, Cell, Finding, Kind, Note, Report, Table
from metaeval.render.cells import Style


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
    >>> tables = [Table(name, name.title(), (Column("measure"),), ()) for name in ("plan", "odd", "plan_curve")]
    >>> report = Report("run", "", tuple(tables), (), Provenance("0.1.0"))
    >>> [(section.name, len(section.tables)) for section in by_analysis(report)]
    [('plan', 2), ('about-odd', 1)]
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


Answer = tuple[list[str], list[Table]]
"""Findings as whole sentences, and the tables below them."""


def answers(report: Report) -> list[Answer]:
    """What a reader is shown: the findings of each analysis above its tables, those of no table first."""
    sections = by_analysis(report)
    by_section: dict[str, list[str]] = {name: [] for name in ("", *(section.name for section in sections))}
    for criterion, sentence in sentences(report):
        by_section[criterion if criterion in by_section else ""].append(sentence)
    tables = [[table for table in section.tables if not table.detail] for section in sections]
    return [answer for answer in zip(by_section.values(), [[], *tables], strict=True) if any(answer)]


def sentences(report: Report) -> list[tuple[str, str]]:
    """The findings as whole sentences, each after the analysis that it is of."""
    names = names_in(report)
    return [(finding.criterion, whole_sentences(finding, names)) for finding in report.findings]


def names_in(report: Report) -> set[str]:
    """The texts and headers of tables that may be names of systems and measures."""
    names = set(report.provenance.titles)
    for table in (table for table in report.all_tables() if isinstance(table.rows, tuple)):
        names.update(column.name for column in table.columns)
        texts = [index for index, column in enumerate(table.columns) if column.kind is Kind.TEXT and not column.values]
        names.update(str(row[index]) for row in table.rows for index in texts)
    return names


def whole_sentences(finding: Finding, names: Collection[str]) -> str:
    """A finding with capital letters, but in names, and a full stop.

    >>> whole_sentences(Finding("score", "the best is b. a is second. no other is"), {"a", "b"})
    'The best is b. a is second. No other is.'
    >>> whole_sentences(Finding("score", "the judge is x y. x y agrees"), {"x y"})
    'The judge is x y. x y agrees.'
    """

    def capital(match: re.Match[str]) -> str:
        word, rest = match[0], match.string[match.start() :]
        is_name = any(rest.startswith(name) for name in names if name.startswith(word))
        return word if is_name else word[0].upper() + word[1:]

    return re.sub(r"(?:^|(?<=\. ))[a-z]+(?=[ ,]|: )", capital, f"{finding}.")


def not_shown(report: Report, style: Style, *, all_rows: bool = True) -> str:
    """A sentence on notes and tables that a reader is not shown, and how to see them; '' for none.

    all_rows: whether tables are shown with all of their rows.
    """
    notes = 0 if style.notes else sum(not note.on_input for note in report.notes)
    details = ", ".join(table.name for table in report.tables if table.detail)
    parts = [f"{pluralize(notes, 'note')}: {setting('notes')}"] if notes else []
    tables = [table for table in report.tables if table.hidden and not (all_rows or table.detail)]
    hidden = [f"{pluralize(table.hidden, 'row')} of {table.name}" for table in tables]
    if details:
        hidden.append(f"tables {details}")
    if hidden:
        parts.append(f"{', '.join(hidden)}: {setting('table')}")
    return f"Not shown: {'; '.join(parts)}" if parts else ""


_OF_USERS = ("system", "item", "gold", "predicted")
"""Columns of names given by users, which may be those of measures."""


def _statistic_of(table: Table) -> str:
    """The column of the main statistic of an analysis, which may have the name of a measure; '' for none."""
    owner = _OWNERS.get(table.name, "")
    statistic = registry.declaration(owner).statistic if owner in registry.ANALYSES else None
    return "" if statistic is None else statistic.column


def with_titles(report: Report) -> Report:
    """The report with the titles of its measures in tables and sentences; the signature keeps their names."""
    uses = Counter(report.provenance.titles.values())
    titles = {name: title for name, title in report.provenance.titles.items() if uses[title] == 1}
    if not titles:
        return report
    names = "|".join(map(re.escape, sorted(titles, key=len, reverse=True)))
    # The column `accuracy_low` has a title, too; conditions, as `stability.accuracy.mean < 0.6`, have names.
    pattern = re.compile(rf"(?<![\w:=.-])(?:{names})(?![a-zA-Z0-9=-]|[.:]\w)")

    def title(text: str) -> str:
        return pattern.sub(lambda match: titles[match[0]], text)

    def title_table(table: Table) -> Table:
        label = _statistic_of(table)
        columns = tuple(
            replace(column, name=column.name if column.name == label else title(column.name), about=title(column.about))
            for column in table.columns
        )
        are_names = [column.kind is Kind.TEXT and column.name not in _OF_USERS for column in table.columns]

        def title_row(row: tuple[Cell, ...]) -> tuple[Cell, ...]:
            cells = zip(row, are_names, strict=True)
            return tuple(title(cell) if is_name and isinstance(cell, str) else cell for cell, is_name in cells)

        # Other sequences compute their rows on access.
        rows = tuple(map(title_row, table.rows)) if isinstance(table.rows, tuple) else table.rows
        beside = table.beside and title_table(table.beside)
        return replace(table, title=title(table.title), columns=columns, rows=rows, beside=beside)

    def title_note(note: Note) -> Note:
        return replace(note, text=title(note.text), remedy=title(note.remedy))

    return replace(
        report,
        tables=tuple(map(title_table, report.tables)),
        notes=tuple(map(title_note, report.notes)),
        findings=tuple(replace(finding, sentence=title(finding.sentence)) for finding in report.findings),
        methods=tuple(map(title, report.methods)),
        notes_of={name: tuple(map(title_note, notes)) for name, notes in report.notes_of.items()},
    )
