"""The report for a terminal or a pipe: aligned tables, split into panels if they are wider than the terminal.

The layout does not use the tables of rich, which shorten or wrap cells that do not fit: here no cell is shortened.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import zip_longest
from typing import NamedTuple

from rich.cells import cell_len, set_cell_size
from rich.style import Style as Look

from metaeval.errors import setting, visible
from metaeval.model.report import Kind, Report, Table
from metaeval.render.cells import (
    ShownCell,
    ShownColumn,
    Style,
    folded,
    legend,
    rows_set_apart,
    shown_columns,
    spans,
    with_values,
)

GAP = "  "
"""The space between two columns."""

HEADER_WIDTHS = range(14, 5, -1)
"""Widths to which headers may be folded; narrower ones only if that saves a panel."""

MIN_PROSE = 20
"""Minimum width of wrapped text."""

PLAIN, BOLD, DIM = Look.null(), Look(bold=True), Look(dim=True)

BANDS = (Look(dim=True), Look(color="yellow"), Look(color="blue", bold=True))
"""Weak, medium and strong values, readable for colour-blind people and on dark and light backgrounds."""

BACKGROUNDS = tuple(
    Look(color=f"color({ink})", bgcolor=f"color({background})")
    for ink, background in ((231, 17), (231, 60), (16, 102), (16, 144), (16, 186), (16, 227))
)
"""Shades from low to high: dark blue over grey to yellow, as in cividis, which is readable for colour-blind people."""

Line = Sequence[tuple[str, Look]]
"""Consecutive texts, each with its style."""


class Body(NamedTuple):
    """The cells of a column, each of one line, or of several lines of wrapped text, of at most `width` cells."""

    column: ShownColumn
    cells: tuple[tuple[Line, ...], ...]
    width: int


class Headed(NamedTuple):
    """A body below the lines of its header, and the width of both."""

    header: tuple[str, ...]
    body: Body
    width: int


Panel = Sequence[Headed]


def table_lines(table: Table, style: Style) -> Iterator[Line]:
    """The lines of a table."""
    columns = shown_columns(table, digits=style.digits)
    yield from layout(table, columns, legend(table, columns, bold=style.colour, coloured=style.colour), style)


def layout(table: Table, columns: Sequence[ShownColumn], meanings: str, style: Style) -> Iterator[Line]:
    """The lines of the columns of a table: title, panels, and the meanings of their signs."""
    dimmed = rows_set_apart(table)
    yield from prose(table.title, style, look=BOLD)
    for panel in _panels(columns, style.width):
        yield []
        yield from _panel_lines(panel, dimmed)
    if meanings:
        yield []
        yield from prose(meanings, style, look=DIM)


def terminal(report: Report, style: Style, *, lines_of: Callable[[Table, Style], Iterator[Line]] = table_lines) -> str:
    """Tables, findings, notes, and the signature, which is not wrapped so that it can be copied and searched for."""
    shown, details = report.shown_and_details()
    blocks = [list(lines_of(with_values(table), style)) for table in shown]
    if details:
        remedy = f"use {setting('table')}, {setting('format', 'json')} or {setting('output_dir')}"
        blocks.append(list(prose(f"Not shown: {', '.join(details)} ({remedy}).", style, look=DIM)))
    for lead, sentences in (("Finding: ", report.findings), ("Note: ", report.notes)):
        if sentences:
            blocks.append([line for each in sentences for line in prose(str(each), style, lead=lead)])
    if report.methods:
        blocks.append(list(prose(" ".join(report.methods), style, lead="Methods: ")))
    blocks.append([[(visible(report.signature), DIM)]])
    return "\n".join("".join(paint(line, style) for line in block) for block in blocks)


def _panels(columns: Sequence[ShownColumn], width: int | None) -> list[Panel]:
    """The columns in as few panels as possible, each with the names of the rows.

    Headers are folded only as far as that saves a panel.
    """
    names = _count_naming(columns)
    lead = [_headed(_body(column, None), HEADER_WIDTHS[0]) for column in columns[:names]]
    if width is not None and _total(lead) > 0.75 * width:
        lead = lead[:1]
    room = None if width is None else width - _total(lead) - len(GAP)
    bodies = [_body(column, room) for column in columns[len(lead) :]]
    # The first minimum has the widest headers.
    layouts = (_group([_headed(body, width) for body in bodies], room) for width in HEADER_WIDTHS)
    return [[*lead, *group] for group in min(layouts, key=len)]


def _count_naming(columns: Sequence[ShownColumn]) -> int:
    """The number of columns that name the rows: the leading texts that distinguish them, or 1."""
    rows: list[tuple[str, ...]] = [() for _ in columns[0].cells]
    for count, column in enumerate(columns, start=1):
        if column.kind is not Kind.TEXT:
            break
        rows = [(*row, cell.value) for row, cell in zip(rows, column.cells, strict=True)]
        if len(set(rows)) == len(rows):
            return count
    return 1


def _group(columns: Panel, room: int | None) -> list[Panel]:
    """The columns in as few groups as fit into the width, of about equal widths."""
    if room is None:
        return [columns]
    groups = _fill(columns, room)
    for less in range(room - 1, 0, -1):
        narrower = _fill(columns, less)
        if len(narrower) > len(groups):
            break
        groups = narrower
    return groups


def _fill(columns: Panel, room: int) -> list[Panel]:
    """The columns in order, with a new group when one is full; a column that does not fit is a group of its own."""
    groups: list[list[Headed]] = [[]]
    for column in columns:
        if groups[-1] and _total([*groups[-1], column]) > room:
            groups.append([])
        groups[-1].append(column)
    return list(groups)


def _total(columns: Panel) -> int:
    return sum(column.width for column in columns) + len(GAP) * (len(columns) - 1)


def _headed(body: Body, header_width: int) -> Headed:
    """The body with its header, folded to a width, or to that of the cells if they are wider."""
    header = folded(body.column.header, max(header_width, body.width), measure=cell_len)
    return Headed(tuple(header), body, max(body.width, *map(cell_len, header)))


def _body(column: ShownColumn, room: int | None) -> Body:
    """The cells of a column, with aligned values and aligned values in parentheses.

    Scores of a column have the same number of decimals, so right alignment aligns their decimal points.
    room: width to which texts are wrapped, or None.
    """
    value_width = max((cell_len(cell.value) for cell in column.cells), default=0)
    besides = [f" ({cell.beside})" if cell.beside else "" for cell in column.cells]
    beside_width = max(map(cell_len, besides), default=0)
    if column.kind is Kind.TEXT and not beside_width:
        return _text_body(column, value_width if room is None else min(value_width, max(room, MIN_PROSE)))
    cells = []
    for cell, beside in zip(column.cells, besides, strict=True):
        margin = " " * (value_width - cell_len(cell.value))
        value = (cell.value, _look(cell))
        aligned = [value, (margin, PLAIN)] if column.kind is Kind.TEXT else [(margin, PLAIN), value]
        cells.append(([*aligned, (" " * (beside_width - cell_len(beside)) + beside, PLAIN)],))
    return Body(column, tuple(cells), value_width + beside_width)


def _look(cell: ShownCell) -> Look:
    if cell.shade is not None:
        return BACKGROUNDS[cell.shade]
    if cell.best:
        return BOLD
    return PLAIN if cell.band is None else BANDS[min(cell.band, len(BANDS) - 1)]


def _text_body(column: ShownColumn, width: int) -> Body:
    wrapped = [folded(cell.value, width, measure=cell_len, breaks=[" "]) for cell in column.cells]
    widest = max((cell_len(line) for lines in wrapped for line in lines), default=0)
    return Body(column, tuple(tuple([(line, PLAIN)] for line in lines) for lines in wrapped), widest)


def _panel_lines(panel: Panel, dimmed: Sequence[bool]) -> Iterator[Line]:
    """The lines of a panel: headers, a rule, and the rows."""
    if any(column.body.column.group for column in panel):
        yield _join([[(_centred(group, _total(part)), PLAIN)] for group, part in _grouped(panel)])
    height = max(len(column.header) for column in panel)
    for number in range(height):
        # Headers are aligned at the bottom.
        texts = [("",) * (height - len(column.header)) + column.header for column in panel]
        yield _join([_align([(text[number], PLAIN)], column) for text, column in zip(texts, panel, strict=True)])
    yield [("─" * _total(panel), PLAIN)]
    for number, is_dimmed in enumerate(dimmed):
        for parts in zip_longest(*(column.body.cells[number] for column in panel), fillvalue=()):
            line = _join([_align(part, column) for part, column in zip(parts, panel, strict=True)])
            # Terminals differ in how they show text that is bold and dim.
            yield [(text, look or DIM) for text, look in line] if is_dimmed else line


def _grouped(panel: Panel) -> Iterator[tuple[str, Panel]]:
    """The groups of the columns of a panel, each with its columns."""
    first = 0
    for group, count in spans([column.body.column for column in panel]):
        yield group, panel[first : first + count]
        first += count


def _centred(group: str, width: int) -> str:
    """The name of a group between lines, or shortened where its columns are narrower."""
    text = f" {set_cell_size(group, width - 3)}… " if cell_len(group) > width - 2 > 1 else f" {group} " if group else ""
    before = (width - cell_len(text)) // 2
    line = "─" if group else " "
    return line * before + text + line * (width - before - cell_len(text))


def _join(parts: Sequence[Line]) -> Line:
    """The cells of a line, with gaps between them."""
    return [run for number, part in enumerate(parts) for run in ([(GAP, PLAIN), *part] if number else part)]


def _align(line: Line, column: Headed) -> Line:
    """The line aligned in the width of the column."""
    free = column.width - sum(cell_len(text) for text, _ in line)
    left = {Kind.TEXT: 0, Kind.FLAG: free // 2}.get(column.body.column.kind, free)
    return [(" " * left, PLAIN), *line, (" " * (free - left), PLAIN)]


def prose(text: str, style: Style, *, lead: str = "", look: Look = PLAIN) -> Iterator[Line]:
    """A text wrapped between words, with all lines after the first indented by the width of `lead`."""
    lines = [visible(text)]
    if style.width is not None:
        lines = folded(lines[0], max(style.width, MIN_PROSE) - len(lead), measure=cell_len, breaks=[" "])
    for number, line in enumerate(lines):
        yield [(" " * len(lead) if number else lead, look), (line, look)]


def paint(line: Line, style: Style) -> str:
    """The line as text, with the escape codes of its styles if colour is allowed."""
    runs = [(look.render(text) if style.colour and text.strip() else text) for text, look in line]
    return "".join(runs).rstrip() + "\n"
