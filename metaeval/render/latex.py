"""The report as LaTeX tables, which require booktabs."""

from __future__ import annotations

import re
from collections.abc import Sequence

from metaeval.errors import visible
from metaeval.model.report import NUMBERS, Kind, Report, Table
from metaeval.model.works import METAEVAL, WORKS, bibtex, cited_works, map_citations
from metaeval.render.cells import (
    HEADER_WIDTH,
    ShownCell,
    ShownColumn,
    Style,
    folded,
    legend,
    reading_aid,
    shown_columns,
    with_values,
)
from metaeval.render.sections import answers, not_shown

ALIGNMENT = {Kind.TEXT: "l", Kind.FLAG: "c", **dict.fromkeys(NUMBERS, "r")}

SPECIAL = {
    **{character: "\\" + character for character in "&%$#_{}"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "`": r"\textasciigrave{}",
    '"': r"\textquotedbl{}",
    # After the `\\` that ends a row, these would start an optional argument.
    "[": "{[}",
    "]": "{]}",
    "*": "{*}",
    # Matched beside another hyphen or dash only: `--` in a name is not a dash.
    "-": "{-}",
    # Signs for which pdfLaTeX needs a command.
    "—": "---",
    "–": "--",
    "•": r"$\bullet$",
    "↓": r"$\downarrow$",
    "−": "$-$",
    "×": r"$\times$",
    "≤": r"$\leq$",
    "≥": r"$\geq$",
}
_OTHERS = "|".join(re.escape(character) for character in SPECIAL if character != "-")
PATTERN = re.compile(f"-(?=[-—–])|(?<=[-—–])-|{_OTHERS}")


def latex(report: Report, style: Style) -> str:
    """For each analysis its findings and its tables as floats with their reading aid; the signature as a comment."""
    meanings: set[str] = set()
    blocks = [r"% needs \usepackage{booktabs}"]
    for findings, tables in answers(report):
        blocks += [f"{_escaped_in_latex(finding)}\n" for finding in findings]
        blocks += [_table(with_values(table), style, meanings) for table in tables]
    blocks += [rf"\par Note: {_escaped_in_latex(str(note))}" for note in report.notes if style.notes]
    blocks += [rf"\paragraph{{Methods}} {_cite(' '.join(report.methods))}"] if report.methods else []
    comments = [not_shown(report, style), visible(report.signature)]
    return "\n".join([*blocks, *(f"% {comment}" for comment in comments if comment)]) + "\n"


def _cite(text: str) -> str:
    r"""The text with commands for its citations.

    >>> print(_cite("100 % [@lin2004; @cohen1968]"))
    100 \% \cite{lin2004,cohen1968}
    """
    return map_citations(text, lambda keys: rf"\cite{{{','.join(keys)}}}", _escaped_in_latex)


def _table(table: Table, style: Style, meanings: set[str]) -> str:
    columns = shown_columns(table, style)
    legend_text = _escaped_in_latex(legend(table, columns))
    aid = [f"{name}: {about}" for name, about in reading_aid(table, columns, meanings)]
    lines = [
        r"\begin{table}",
        r"  \centering",
        rf"  \caption{{{_escaped_in_latex(table.title)}{f' ({legend_text})' if legend_text else ''}}}",
        rf"  \label{{tab:{re.sub('[^A-Za-z0-9:-]', '-', table.name)}}}",
        rf"  \begin{{tabular}}{{{''.join(ALIGNMENT[column.kind] for column in columns)}}}",
        r"    \toprule",
        _line([_header(column) for column in columns]),
        r"    \midrule",
        *(_line([_cell(column, number) for column in columns]) for number in range(len(table.rows))),
        r"    \bottomrule",
        r"  \end{tabular}",
        *(rf"  \par\smallskip{{\footnotesize {_escaped_in_latex(line)}\par}}" for line in aid),
        r"\end{table}",
    ]
    return "\n".join(lines)


def _line(cells: Sequence[str]) -> str:
    return f"    {' & '.join(cells)} \\\\"


def _header(column: ShownColumn) -> str:
    lines = [_escaped_in_latex(line) for line in folded(column.header, HEADER_WIDTH)]
    stacked = r"\\".join(lines)
    return stacked if len(lines) == 1 else rf"\shortstack[{ALIGNMENT[column.kind]}]{{{stacked}}}"


def _cell(column: ShownColumn, number: int) -> str:
    cell = column.cells[number]
    escape = _escaped_in_latex if column.kind is Kind.TEXT else _with_minus
    value = escape(cell.value)
    return str(ShownCell(rf"\textbf{{{value}}}" if cell.best else value, escape(cell.beside.strip())))


def _with_minus(text: str) -> str:
    """The text with minus signs rather than hyphens before numbers."""
    return "$-$".join(map(_escaped_in_latex, re.split(r"(?<![\w-])-(?=[\di])", text)))


def _escaped_in_latex(text: str) -> str:
    r"""The text on one line, without commands.

    >>> print(_escaped_in_latex("R&D_100%"))
    R\&D\_100\%
    """
    return PATTERN.sub(lambda match: SPECIAL[match[0]], visible(text))


def references(report: Report) -> str:
    """The entries of this software, of the sources of the measures, and of the works that the methods cite.

    The citation text of a measure of others is a note, whose key is the name of the measure.
    """
    sources = report.provenance.sources
    keys = {METAEVAL, *sources.values(), *cited_works(report.methods)}
    notes = {text: name.partition(":")[0] for name, text in reversed([*sources.items()]) if text not in WORKS}
    return bibtex(sorted(keys & WORKS.keys()), version=report.provenance.version, notes=notes)
