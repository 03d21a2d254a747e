"""Measures under their titles instead of the names that commands take."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace

from metaeval.model.report import Cell, Kind, Note, Report, Table

_OF_USERS = ("system", "item", "gold", "predicted")
"""Columns of names given by users, which may be those of measures."""


def with_titles(report: Report) -> Report:
    """The report with the titles of its measures in tables and sentences; the signature keeps their names."""
    uses = Counter(report.provenance.titles.values())
    titles = {name: title for name, title in report.provenance.titles.items() if uses[title] == 1}
    if not titles:
        return report
    names = "|".join(map(re.escape, sorted(titles, key=len, reverse=True)))
    # The column `accuracy_low` has a title, too; conditions, as `stability.accuracy.mean < 0.6`, have names.
    pattern = re.compile(rf"(?<![\w:=.-])(?:{names})(?![a-zA-Z0-9=-]|[.:]\w)")

    def titled(text: str) -> str:
        return pattern.sub(lambda match: titles[match[0]], text)

    def of_table(table: Table) -> Table:
        columns = tuple(replace(each, name=titled(each.name)) for each in table.columns)
        named = [each.kind is Kind.TEXT and each.name not in _OF_USERS for each in table.columns]

        def of_row(row: tuple[Cell, ...]) -> tuple[Cell, ...]:
            cells = zip(row, named, strict=True)
            return tuple(titled(cell) if is_named and isinstance(cell, str) else cell for cell, is_named in cells)

        # Other sequences compute their rows on access.
        rows = tuple(map(of_row, table.rows)) if isinstance(table.rows, tuple) else table.rows
        beside = table.beside and of_table(table.beside)
        return replace(table, title=titled(table.title), columns=columns, rows=rows, beside=beside)

    def of_note(note: Note) -> Note:
        return replace(note, text=titled(note.text), remedy=titled(note.remedy))

    return replace(
        report,
        tables=tuple(map(of_table, report.tables)),
        notes=tuple(map(of_note, report.notes)),
        findings=tuple(replace(each, sentence=titled(each.sentence)) for each in report.findings),
        methods=tuple(map(titled, report.methods)),
        notes_of={name: tuple(map(of_note, notes)) for name, notes in report.notes_of.items()},
    )
