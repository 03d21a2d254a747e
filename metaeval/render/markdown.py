"""The report as GitHub-flavoured Markdown: headings, tables, notes, the signature."""

from __future__ import annotations

import re
from collections.abc import Sequence

from metaeval.errors import visible
from metaeval.model.report import Kind, Report, Table
from metaeval.model.works import map_citations
from metaeval.render.cells import ShownCell, ShownColumn, Style, legend, shown_columns, with_values

RULES = {Kind.TEXT: "---", Kind.SCORE: "---:", Kind.COUNT: "---:", Kind.FLAG: ":---:"}

SPECIAL = re.compile(r"[\\`*{}\[\]<>|~&$#]|(?<![^\W_])_|_(?![^\W_])")
"""Characters of markup; an underscore inside a word, as in `atlas_large`, is not markup."""


def markdown(report: Report, style: Style) -> str:
    """The tables that a terminal shows under their titles, then findings and notes, then the signature as code."""
    shown, details = report.shown_and_details()
    blocks = [_table(with_values(table), style) for table in shown]
    blocks += [f"Not shown: {', '.join(f'`{name}`' for name in details)}."] if details else []
    blocks += [f"**Finding:** {_escaped(str(finding))}" for finding in report.findings]
    blocks += [f"Note: {_escaped(str(note))}" for note in report.notes]
    if report.methods:
        blocks += ["## Methods", map_citations(" ".join(report.methods), _citation, _escaped)]
    # The signature is code, between more backticks than it contains consecutively.
    fence = "`" * (1 + max((len(run) for run in re.findall("`+", report.signature)), default=0))
    blocks.append(f"{fence}{visible(report.signature)}{fence}")
    return "\n\n".join(blocks) + "\n"


def _table(table: Table, style: Style) -> str:
    columns = shown_columns(table, digits=style.digits)
    lines = [
        f"## {_escaped(table.title)}",
        "",
        _line([_escaped(f"{column.group} {column.header}".lstrip()) for column in columns]),
        _line([RULES[column.kind] for column in columns]),
        *(_line([_cell(column, number) for column in columns]) for number in range(len(table.rows))),
    ]
    meanings = _escaped(legend(table, columns))
    return "\n".join([*lines, *(["", meanings] if meanings else [])])


def _line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cell(column: ShownColumn, number: int) -> str:
    cell = column.cells[number]
    value = _escaped(cell.value)
    return str(ShownCell(f"**{value}**" if cell.best else value, _escaped(cell.beside)))


def _escaped(text: str) -> str:
    r"""The text on one line, without markup.

    >>> print(_escaped("a|b *c* _d_ e_f"))
    a\|b \*c\* \_d\_ e_f
    """
    return SPECIAL.sub(r"\\\g<0>", visible(text))


def _citation(keys: Sequence[str]) -> str:
    """A citation as Pandoc reads it."""
    return f"[{'; '.join(f'@{key}' for key in keys)}]"
