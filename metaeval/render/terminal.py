"""The report for a terminal or a pipe: aligned tables, split into panels where the width asks for it.

rich measures (a Chinese character is two cells wide) and paints. The layout is ours: a table of rich shortens or wraps
what does not fit, and here nothing is ever shortened.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from rich.cells import cell_len
from rich.style import Style as Look

from metaeval.errors import visible
from metaeval.model.report import Kind, Report, Table
from metaeval.render.cells import ShownCell, ShownColumn, Style, folded, legend, rows_set_apart, shown_columns

GAP = "  "
"""What parts two columns."""

HEADER_WIDTHS = range(14, 5, -1)
"""Widths that headers may be folded to; narrower ones only where that saves a panel."""

NARROWEST = 20
"""Prose is not wrapped below this width."""

PLAIN, BOLD, DIM = Look.null(), Look(bold=True), Look(dim=True)

BANDS = (Look(dim=True), Look(color="yellow"), Look(color="blue", bold=True))
"""Looks of weak, medium and strong values: apart for colour-blind readers, too, and on dark and light grounds."""

Line = Sequence[tuple[str, Look]]
"""Texts one after another, each with its look."""


@dataclass(frozen=True)
class Body:
    """The cells of a column, each one line or, where text is wrapped, several; none wider than `width`."""

    column: ShownColumn
    cells: tuple[tuple[Line, ...], ...]
    width: int


@dataclass(frozen=True)
class Headed:
    """A body below the lines of its header; `width` holds both."""

    header: tuple[str, ...]
    body: Body
    width: int


Panel = Sequence[Headed]


def terminal(report: Report, style: Style) -> str:
    """Tables, notes and the signature, which stays on one line to be copied and searched for."""
    blocks = [list(table_lines(table, style)) for table in report.tables if not table.detail]
    details = [table.name for table in report.tables if table.detail]
    if details:
        blocks.append(
            list(prose(f"Left out here: {', '.join(details)}; see -f json or --output-dir.", style, look=DIM))
        )
    if report.findings:
        told = [line for finding in report.findings for line in prose(finding.sentence, style, lead="Finding: ")]
        blocks.append(told)
    if report.notes:
        blocks.append([line for note in report.notes for line in prose(note, style, lead="Note: ")])
    blocks.append([[(visible(report.signature), DIM)]])
    return "\n".join("".join(painted(line, style) for line in block) for block in blocks)


def table_lines(table: Table, style: Style) -> Iterator[Line]:
    """The lines of a table: title, panels, and what its marks mean."""
    columns = shown_columns(table, digits=style.digits)
    dimmed = rows_set_apart(table)
    yield from prose(table.title, style, look=BOLD)
    for panel in _panels(columns, style.width):
        yield []
        yield from _printed(panel, dimmed)
    meanings = legend(table, columns, bold=style.colour, coloured=style.colour)
    if meanings:
        yield []
        yield from prose(meanings, style, look=DIM)


# Which columns go into which panel


def _panels(columns: Sequence[ShownColumn], width: int | None) -> list[Panel]:
    """The columns in as few panels as the width allows, each beginning with the names of the rows.

    Headers are folded no more than it takes to save a panel.
    """
    names = naming(columns)
    lead = [_headed(_body(column, None), HEADER_WIDTHS[0]) for column in columns[:names]]
    if width is not None and _total(lead) > 0.75 * width:
        lead = lead[:1]
    room = None if width is None else width - _total(lead) - len(GAP)
    bodies = [_body(column, room) for column in columns[len(lead) :]]
    fewest: list[Panel] | None = None
    for header_width in HEADER_WIDTHS:
        groups = _grouped([_headed(body, header_width) for body in bodies], room)
        fewest = groups if fewest is None or len(groups) < len(fewest) else fewest
    return [[*lead, *group] for group in fewest or []]


def naming(columns: Sequence[ShownColumn]) -> int:
    """How many columns name the rows: the text columns it takes to tell them apart, or only the first."""
    rows: list[tuple[str, ...]] = [() for _ in columns[0].cells]
    for count, column in enumerate(columns, start=1):
        if column.kind is not Kind.TEXT:
            break
        rows = [(*row, cell.value) for row, cell in zip(rows, column.cells, strict=True)]
        if len(set(rows)) == len(rows):
            return count
    return 1


def _grouped(columns: Panel, room: int | None) -> list[Panel]:
    """The columns in groups that fit into the room, as few as possible and about equally wide."""
    if room is None:
        return [columns]
    groups = _filled(columns, room)
    for less in range(room - 1, 0, -1):
        narrower = _filled(columns, less)
        if len(narrower) > len(groups):
            break
        groups = narrower
    return groups


def _filled(columns: Panel, room: int) -> list[Panel]:
    """The columns in order, a new group wherever one is full; a column that never fits stands alone."""
    groups: list[list[Headed]] = [[]]
    for column in columns:
        if groups[-1] and _total([*groups[-1], column]) > room:
            groups.append([])
        groups[-1].append(column)
    return list(groups)


def _total(columns: Panel) -> int:
    return sum(column.width for column in columns) + len(GAP) * (len(columns) - 1)


# Columns


def _headed(body: Body, header_width: int) -> Headed:
    """The body with its header, folded to the width given or to that of the cells if they are wider."""
    header = folded(body.column.header, max(header_width, body.width), measure=cell_len)
    return Headed(tuple(header), body, max(body.width, *map(cell_len, header)))


def _body(column: ShownColumn, room: int | None) -> Body:
    """The cells of a column, with the values below one another and what stands beside them likewise.

    Scores of a column have equally many decimals, so that flush right is flush at the decimal point.
    room: where given, text that is wider than it is wrapped between words.
    """
    value_width = max((cell_len(cell.value) for cell in column.cells), default=0)
    besides = [f" ({cell.beside})" if cell.beside else "" for cell in column.cells]
    beside_width = max(map(cell_len, besides), default=0)
    if column.kind is Kind.TEXT and not beside_width:
        return _text_body(column, value_width if room is None else min(value_width, max(room, NARROWEST)))
    cells = []
    for cell, beside in zip(column.cells, besides, strict=True):
        margin = " " * (value_width - cell_len(cell.value))
        value = (cell.value, _look(cell))
        aligned = [value, (margin, PLAIN)] if column.kind is Kind.TEXT else [(margin, PLAIN), value]
        cells.append(([*aligned, (" " * (beside_width - cell_len(beside)) + beside, PLAIN)],))
    return Body(column, tuple(cells), value_width + beside_width)


def _look(cell: ShownCell) -> Look:
    if cell.best:
        return BOLD
    return PLAIN if cell.band is None else BANDS[min(cell.band, len(BANDS) - 1)]


def _text_body(column: ShownColumn, width: int) -> Body:
    def wrapped(cell: ShownCell) -> list[str]:
        return folded(cell.value, width, measure=cell_len, breaks=[" "])

    cells = [tuple([(line, PLAIN)] for line in wrapped(cell)) for cell in column.cells]
    widest = max((cell_len(line) for lines in cells for ((line, _),) in lines), default=0)
    return Body(column, tuple(cells), widest)


# Lines


def _printed(panel: Panel, dimmed: Sequence[bool]) -> Iterator[Line]:
    """The lines of a panel: headers down to a rule, then the rows."""
    height = max(len(column.header) for column in panel)
    for number in range(height):
        # Headers stand on the rule, so that the shorter ones begin lower.
        texts = [("",) * (height - len(column.header)) + column.header for column in panel]
        yield _joined([_justified([(text[number], PLAIN)], column) for text, column in zip(texts, panel, strict=True)])
    yield [("─" * _total(panel), PLAIN)]
    for number, is_dimmed in enumerate(dimmed):
        for parts in zip_longest(*(column.body.cells[number] for column in panel), fillvalue=()):
            line = _joined([_justified(part, column) for part, column in zip(parts, panel, strict=True)])
            # Bold and dim at once would be either, depending on the terminal.
            yield [(text, look or DIM) for text, look in line] if is_dimmed else line


def _joined(parts: Sequence[Line]) -> Line:
    """The cells of a line, with gaps between."""
    return [run for number, part in enumerate(parts) for run in ([(GAP, PLAIN), *part] if number else part)]


def _justified(line: Line, column: Headed) -> Line:
    """The line at its place in the width of the column."""
    free = column.width - sum(cell_len(text) for text, _ in line)
    left = {Kind.TEXT: 0, Kind.FLAG: free // 2}.get(column.body.column.kind, free)
    return [(" " * left, PLAIN), *line, (" " * (free - left), PLAIN)]


def prose(text: str, style: Style, *, lead: str = "", look: Look = PLAIN) -> Iterator[Line]:
    """A sentence in lines of the width, the lines after the first indented below it; words stay whole."""
    lines = [visible(text)]
    if style.width is not None:
        lines = folded(lines[0], max(style.width, NARROWEST) - len(lead), measure=cell_len, breaks=[" "])
    for number, line in enumerate(lines):
        yield [(" " * len(lead) if number else lead, look), (line, look)]


def painted(line: Line, style: Style) -> str:
    """The line as text, with the codes for its looks only where colour is wanted."""
    runs = [(look.render(text) if style.colour and text.strip() else text) for text, look in line]
    return "".join(runs).rstrip() + "\n"
