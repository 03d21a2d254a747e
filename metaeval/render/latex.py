"""The report as LaTeX tables, which require booktabs."""

from __future__ import annotations

import re
from collections.abc import Sequence

from metaeval.errors import visible
from metaeval.model.report import Kind, Report, Table
from metaeval.model.works import METAEVAL, WORKS, bibtex, cited, map_citations
from metaeval.render.cells import ShownCell, ShownColumn, Style, folded, legend, shown_columns, spans, with_values

HEADER_WIDTH = 14
ALIGNMENT = {Kind.TEXT: "l", Kind.SCORE: "r", Kind.COUNT: "r", Kind.FLAG: "c"}

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
    """The tables that a terminal shows as floats, the notes after the last, the signature as a comment."""
    shown, details = report.shown_and_details()
    notes = [rf"  \par\smallskip{{\footnotesize Note: {_escaped_in_latex(str(note))}\par}}" for note in report.notes]
    last = len(shown) - 1
    blocks = [_table(with_values(table), style, notes if index == last else []) for index, table in enumerate(shown)]
    preamble = r"% needs \usepackage{booktabs}"
    methods = [rf"\paragraph{{Methods}} {_cited(' '.join(report.methods))}"] if report.methods else []
    hidden = [f"% not shown: {', '.join(details)}"] if details else []
    return "\n".join([preamble, *blocks, *methods, *hidden, f"% {visible(report.signature)}"]) + "\n"


def _cited(text: str) -> str:
    r"""The text with commands for its citations.

    >>> print(_cited("100 % [@lin2004; @cohen1968]"))
    100 \% \cite{lin2004,cohen1968}
    """
    return map_citations(text, lambda keys: rf"\cite{{{','.join(keys)}}}", _escaped_in_latex)


def _table(table: Table, style: Style, notes: Sequence[str]) -> str:
    columns = shown_columns(table, digits=style.digits)
    meanings = _escaped_in_latex(legend(table, columns))
    lines = [
        r"\begin{table}",
        r"  \centering",
        rf"  \caption{{{_escaped_in_latex(table.title)}{f' ({meanings})' if meanings else ''}}}",
        rf"  \label{{tab:{re.sub('[^A-Za-z0-9:-]', '-', table.name)}}}",
        rf"  \begin{{tabular}}{{{''.join(ALIGNMENT[column.kind] for column in columns)}}}",
        r"    \toprule",
        *_groups(columns),
        _line([_header(column) for column in columns]),
        r"    \midrule",
        *(_line([_cell(column, number) for column in columns]) for number in range(len(table.rows))),
        r"    \bottomrule",
        r"  \end{tabular}",
        *notes,
        r"\end{table}",
    ]
    return "\n".join(lines)


def _groups(columns: Sequence[ShownColumn]) -> list[str]:
    """The line of headers above several columns, each with a rule below it; nothing without groups."""
    groups, cells, rules, first = spans(columns), [], [], 1
    for group, count in groups:
        cells.append(rf"\multicolumn{{{count}}}{{c}}{{{_escaped_in_latex(group)}}}" if group else "")
        rules += [rf"\cmidrule(lr){{{first}-{first + count - 1}}}"] if group else []
        first += count
    return [_line(cells), f"    {' '.join(rules)}"] if rules else []


def _line(cells: Sequence[str]) -> str:
    return f"    {' & '.join(cells)} \\\\"


def _header(column: ShownColumn) -> str:
    lines = [_escaped_in_latex(line) for line in folded(column.header, HEADER_WIDTH)]
    stacked = r"\\".join(lines)
    return stacked if len(lines) == 1 else rf"\shortstack[{ALIGNMENT[column.kind]}]{{{stacked}}}"


def _cell(column: ShownColumn, number: int) -> str:
    cell = column.cells[number]
    shown = _escaped_in_latex if column.kind is Kind.TEXT else _number
    value = shown(cell.value)
    return str(ShownCell(rf"\textbf{{{value}}}" if cell.best else value, shown(cell.beside)))


def _number(text: str) -> str:
    """A number with a minus sign rather than a hyphen."""
    return f"$-${text[1:]}" if re.match(r"-[\di]", text) else _escaped_in_latex(text)


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
    keys = {METAEVAL, *sources.values(), *cited(report.methods)}
    notes = {text: name.partition(":")[0] for name, text in reversed([*sources.items()]) if text not in WORKS}
    return bibtex(sorted(keys & WORKS.keys()), version=report.provenance.version, notes=notes)
