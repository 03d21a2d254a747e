"""The report as an HTML fragment for a notebook: without scripts, in the colours of the notebook."""

from __future__ import annotations

from metaeval.model.report import Kind, Report, Table
from metaeval.render.cells import ShownColumn, legend, shown_columns, with_values
from metaeval.render.html.markup import Markup, broken, element, join

MAX_ROWS = 60
"""Maximum number of rows shown, as in pandas."""

HEADER_WIDTH = 14
"""Characters after which a header is broken, if possible."""

_SHEET = Markup(
    ".metaeval .scroll{overflow-x:auto}.metaeval table{border-collapse:collapse;margin:.5em 0}"
    ".metaeval caption{text-align:left;font-weight:bold;padding:.3em 0;white-space:nowrap}"
    ".metaeval th,.metaeval td{padding:.2em .6em;text-align:right;white-space:nowrap}"
    ".metaeval .text{text-align:left}.metaeval .flag{text-align:center}"
    ".metaeval thead th{border-bottom:1px solid currentColor;vertical-align:bottom}"
    ".metaeval p{margin:.3em 0}.metaeval small{opacity:.75;overflow-wrap:anywhere}"
)


def fragment(report: Report, *, digits: int = 4) -> str:
    """Findings, tables other than details, notes, and the signature."""
    details = ", ".join(f"to_pandas('{table.name}')" for table in report.tables if table.detail)
    not_shown = [element("p", element("small", f"Not shown: {details}"))] if details else []
    parts = [
        element("style", _SHEET),
        *(element("p", str(finding)) for finding in report.findings),
        *(_table(with_values(table), digits) for table in report.tables if not table.detail),
        *not_shown,
        *(element("p", element("small", f"Note: {note}")) for note in report.notes),
        element("p", element("small", report.signature)),
    ]
    return element("div", *parts, class_="metaeval")


def _table(table: Table, digits: int) -> Markup:
    columns = shown_columns(table, digits=digits)
    shown = range(min(len(table.rows), MAX_ROWS))
    header = (element("th", broken(each.header, HEADER_WIDTH), scope="col", class_=each.kind.value) for each in columns)
    body = (element("tr", *(_cell(column, row) for column in columns)) for row in shown)
    below = [legend(table, columns)]
    if len(table.rows) > MAX_ROWS:
        below.append(f"the first {MAX_ROWS} of {len(table.rows):,} rows; to_pandas('{table.name}') returns all")
    grid = element(
        "table", element("caption", table.title), element("thead", element("tr", *header)), element("tbody", *body)
    )
    remarks = (element("p", element("small", line)) for line in below if line)
    return join([element("div", grid, class_="scroll"), *remarks])


def _cell(column: ShownColumn, row: int) -> Markup:
    cell = column.cells[row]
    value = element("b", cell.value) if cell.best else cell.value
    beside = [f" ({cell.beside})"] if cell.beside else []
    return element("td", value, *beside, class_=column.kind.value, dir="auto" if column.kind is Kind.TEXT else None)
