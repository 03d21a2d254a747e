"""The report as GitHub-flavoured Markdown: headings, tables, notes, the signature."""

from __future__ import annotations

import re
from collections.abc import Sequence

from metaeval.errors import visible
from metaeval.model.report import NUMBERS, Kind, Report, Table
from metaeval.model.works import map_citations
from metaeval.render.cells import ShownCell, ShownColumn, Style, legend, reading_aid, shown_columns, with_values
from metaeval.render.sections import answers, not_shown

RULES = {Kind.TEXT: "---", Kind.FLAG: ":---:", **dict.fromkeys(NUMBERS, "---:")}

SPECIAL = re.compile(r"[\\`*{}\[\]<>|~&$#]|(?<![^\W_])_|_(?![^\W_])")
"""Characters of markup; an underscore inside a word, as in `atlas_large`, is not markup."""


def markdown(report: Report, style: Style) -> str:
    """For each analysis its findings, tables and reading aid; then what is not shown, and the signature as code."""
    meanings: set[str] = set()
    blocks = []
    for findings, tables in answers(report):
        blocks += [_escaped(finding) for finding in findings]
        blocks += [_table(with_values(table), style, meanings) for table in tables]
    blocks += [f"Note: {_escaped(str(note))}" for note in report.notes if style.notes]
    if more := not_shown(report, style):
        blocks.append(_escaped(more))
    if report.methods:
        blocks += ["## Methods", map_citations(" ".join(report.methods), _citation, _escaped)]
    # The signature is code, between more backticks than it contains consecutively.
    fence = "`" * (1 + max((len(run) for run in re.findall("`+", report.signature)), default=0))
    blocks.append(f"{fence}{visible(report.signature)}{fence}")
    return "\n\n".join(blocks) + "\n"


def _table(table: Table, style: Style, meanings: set[str]) -> str:
    columns = shown_columns(table, style)
    lines = [
        f"## {_escaped(table.title)}",
        "",
        _line([_escaped(column.header) for column in columns]),
        _line([RULES[column.kind] for column in columns]),
        *(_line([_cell(column, number) for column in columns]) for number in range(len(table.rows))),
    ]
    aid = [f"*{_escaped(name)}*: {_escaped(about)}" for name, about in reading_aid(table, columns, meanings)]
    below = [_escaped(legend(table, columns)), *aid]
    return "\n".join([*lines, *(f"\n{line}" for line in below if line)])


def _line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cell(column: ShownColumn, number: int) -> str:
    cell = column.cells[number]
    value = _escaped(cell.value)
    return str(ShownCell(f"**{value}**" if cell.best else value, _escaped(cell.beside.strip())))


def _escaped(text: str) -> str:
    r"""The text on one line, without markup.

    >>> print(_escaped("a|b *c* _d_ e_f"))
    a\|b \*c\* \_d\_ e_f
    """
    return SPECIAL.sub(r"\\\g<0>", visible(text))


def _citation(keys: Sequence[str]) -> str:
    """A citation as Pandoc reads it."""
    return f"[{'; '.join(f'@{key}' for key in keys)}]"
