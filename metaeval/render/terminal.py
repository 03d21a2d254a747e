"""The report for a terminal or a pipe: aligned tables, split into panels if they are wider than the terminal.

The layout does not use the tables of rich, which shorten or wrap cells that do not fit: here only long names of rows
are, to texts that still distinguish them.

The tables of a terminal as charts: numbers on a background, or after a bar or an interval.

Several comparable numbers in a row are a heat map; others have a bar from zero, or their interval if the table has its
ends. Which numbers are drawn follows from the kinds of the columns and from names that mean the same in every table.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import NamedTuple, TypeAlias

from rich.cells import cell_len, set_cell_size
from rich.style import Style as Look

from metaeval.errors import visible
from metaeval.model.report import Kind, Report, Table
from metaeval.render.cells import (
    BREAKS,
    ShownCell,
    ShownColumn,
    Style,
    folded,
    legend,
    reading_aid,
    rows_set_apart,
    shortened_names,
    shown_columns,
    with_values,
)
from metaeval.render.sections import answers, not_shown

GAP = "  "
"""The space between two columns."""

HEADER_WIDTHS = range(14, 5, -1)
"""Widths to which headers may be folded; narrower ones only if that saves a panel."""

READABLE = 100
"""The width into which headers are folded where no terminal limits it."""

MIN_PROSE = 20
"""Minimum width of wrapped text."""

MIN_TEXT = 40
"""Minimum width of text that is wrapped beside other columns."""

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


LinesOf: TypeAlias = Callable[[Table, Style, set[str]], Iterator[Line]]
"""The lines of a table and of its reading aid; the set has the meanings that are said already."""


def table_lines(table: Table, style: Style, meanings: set[str]) -> Iterator[Line]:
    """The lines of a table and of its reading aid."""
    columns = shown_columns(table, style)
    signs = legend(table, columns, bold=style.colour, coloured=style.colour)
    yield from layout(table, columns, signs, style)
    yield from aid_lines(reading_aid(table, columns, meanings), style, below=bool(signs))


def layout(table: Table, columns: Sequence[ShownColumn], meanings: str, style: Style) -> Iterator[Line]:
    """The lines of the columns of a table: title, panels, and the meanings of their signs."""
    row_count = len(table.rows) - table.hidden
    columns = [replace(column, cells=column.cells[:row_count]) for column in columns]
    dimmed = rows_set_apart(table)[:row_count]
    yield from prose(table.title, style, look=BOLD)
    for panel in _panels(_with_short_names(columns, style.width or READABLE), style.width):
        yield []
        yield from _panel_lines(panel, dimmed)
    if meanings:
        yield []
        yield from prose(meanings, style, look=DIM)


def aid_lines(aid: Sequence[tuple[str, str]], style: Style, *, below: bool) -> Iterator[Line]:
    """The lines of a reading aid; below: whether it continues other lines."""
    if aid and not below:
        yield []
    widest = max((cell_len(name) for name, _ in aid), default=0)
    for name, meaning in aid:
        yield from prose(meaning, style, lead=set_cell_size(name, widest) + GAP, look=DIM)


def terminal(report: Report, style: Style, *, lines_of: LinesOf = table_lines) -> str:
    """For each analysis its findings, tables and reading aid; then what is not shown, and the signature.

    The signature is not wrapped, so that it can be copied and searched for.
    """
    meanings: set[str] = set()
    blocks = []
    for findings, tables in answers(report):
        if findings:
            blocks.append([line for finding in findings for line in prose(finding, style)])
        blocks += [list(lines_of(with_values(table), style, meanings)) for table in tables]
    if style.notes and report.notes:
        blocks.append([line for note in report.notes for line in prose(str(note), style, lead="Note: ")])
    if report.methods:
        blocks.append(list(prose(" ".join(report.methods), style, lead="Methods: ")))
    last = list(prose(more, style, look=DIM)) if (more := not_shown(report, style, all_rows=False)) else []
    blocks.append([*last, [(visible(report.signature), DIM)]])
    return "\n".join("".join(paint(line, style) for line in block) for block in blocks)


def _with_short_names(columns: Sequence[ShownColumn], width: int) -> Sequence[ShownColumn]:
    """The columns with names of rows that leave half of the width to the others, or more if these need less."""
    first = next((index for index, column in enumerate(columns) if column.kind is Kind.TEXT), 0)
    end = max(_count_naming(columns), first + 1)
    naming = columns[first:end]
    others = [_headed(_body(column, MIN_TEXT), HEADER_WIDTHS[0]) for column in (*columns[:first], *columns[end:])]
    room = max(width // 2, width - _total(others) - len(GAP)) - len(GAP) * (len(naming) - 1)
    widths = sorted(_headed(_body(column, None), HEADER_WIDTHS[0]).width for column in naming)
    # What columns of short names leave is for those of long ones.
    most = max(MIN_PROSE, *((room - sum(widths[:few])) // (len(widths) - few) for few in range(len(widths))))
    long = [
        name
        for name in dict.fromkeys(cell.value for column in naming for cell in column.cells)
        if max(map(cell_len, name.split(" "))) > most
    ]
    texts = shortened_names(long, most, measure=cell_len)
    return [
        replace(
            column,
            header=texts.get(column.header, column.header),
            cells=tuple(replace(cell, value=texts.get(cell.value, cell.value)) for cell in column.cells),
        )
        for column in columns
    ]


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
    if bodies and bodies[-1].column.kind is Kind.TEXT:
        # A long text at the end is wrapped beside the other columns, if they leave enough room.
        others = [*lead, *(_headed(body, HEADER_WIDTHS[0]) for body in bodies[:-1])]
        beside = (width or READABLE) - _total(others) - len(GAP)
        if MIN_TEXT <= beside < bodies[-1].width:
            bodies[-1] = _body(bodies[-1].column, beside)
    # The first minimum has the widest headers.
    layouts = [_group([_headed(body, width) for body in bodies], room) for width in HEADER_WIDTHS]
    if width is None:
        fitting = (groups for groups in layouts if _total([*lead, *groups[0]]) <= READABLE)
        return [[*lead, *group] for group in next(fitting, layouts[-1])]
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
    besides = [f" {cell.beside}" if cell.beside else "" for cell in column.cells]
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
    wrapped = [folded(cell.value, width, measure=cell_len, breaks=(" ", *BREAKS, "")) for cell in column.cells]
    widest = max((cell_len(line) for lines in wrapped for line in lines), default=0)
    return Body(column, tuple(tuple([(line, PLAIN)] for line in lines) for lines in wrapped), widest)


def _panel_lines(panel: Panel, dimmed: Sequence[bool]) -> Iterator[Line]:
    """The lines of a panel: headers, a rule, and the rows."""
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
        lines = folded(lines[0], max(style.width, MIN_PROSE) - len(lead), measure=cell_len, breaks=(" ", ""))
    for number, line in enumerate(lines):
        yield [(" " * len(lead) if number else lead, look), (line, look)]


def paint(line: Line, style: Style) -> str:
    """The line as text, with the escape codes of its styles if colour is allowed."""
    runs = [(look.render(text) if style.colour and text.strip() else text) for text, look in line]
    return "".join(runs).rstrip() + "\n"


CENTRES = ("mean", "value")
"""Columns that summarise their row."""

SHADES = ("··", "░░", "▒▒", "▓▓", "██")
"""The backgrounds from low to high, without colour."""

CELLS = 30
"""Length of the longest bar, and width of a drawing of intervals."""

EIGHTHS = " ▏▎▍▌▋▊▉"
"""The last cell of a bar by its length in eighths; left of zero there are only halves."""

HALF, FULL, ZERO = "▐", "█", "│"
POINT, LEFT, RIGHT, BETWEEN = "●", "├", "┤", "─"

Numbers = Sequence[float | None]
Charts = dict[int, ShownColumn]
"""Columns with drawings, by their indices."""


def chart(report: Report, style: Style) -> str:
    """The report as in a terminal, with charts as tables."""
    return terminal(report, style, lines_of=_lines)


def _lines(table: Table, style: Style, meanings: set[str]) -> Iterator[Line]:
    columns = shown_columns(table, style)
    by_index = {column.index: column for column in columns}
    indices = _indices_to_draw(table, by_index) if table.rows else {}
    is_map = len(indices) > 1 and not any(indices.values())
    charts, meaning = (_heat_map if is_map else _bars_and_intervals)(table, indices, by_index, style)
    signs = "; ".join(filter(None, [meaning, legend(table, columns, bold=style.colour)]))
    yield from layout(table, [charts.get(column.index, column) for column in columns], signs, style)
    yield from aid_lines(reading_aid(table, columns, meanings), style, below=bool(signs))


def _indices_to_draw(table: Table, column_indices: Iterable[int]) -> dict[int, tuple[int, ...]]:
    """The indices of the columns to draw, scores or else counts, each with those of the ends of its interval."""
    indices = {column.name: index for index, column in enumerate(table.columns)}
    ends = {name for column in table.columns for name in column.interval}
    numbers = [table.columns[index] for index in column_indices if table.columns[index].name not in ends]
    kind = Kind.SCORE if any(column.kind is Kind.SCORE for column in numbers) else Kind.COUNT
    columns = [column for column in numbers if column.kind is kind]
    centre = [column for column in columns if column.name in CENTRES][:1]
    return {
        indices[column.name]: tuple(indices[name] for name in column.interval if name in indices)
        for column in centre or columns
    }


def _finite(table: Table, index: int) -> Numbers:
    cells = (row[index] for row in table.rows)
    return [float(cell) if isinstance(cell, int | float) and math.isfinite(cell) else None for cell in cells]


def _extent(*columns: Numbers) -> tuple[float, float]:
    """The lowest and the highest number, or zeros."""
    numbers = [number for column in columns for number in column if number is not None] or [0.0]
    return min(numbers), max(numbers)


def _heat_map(table: Table, indices: Iterable[int], columns: Charts, style: Style) -> tuple[Charts, str]:
    """Shaded columns, each from its worst to its best number if all have a direction, else all alike; and a legend."""
    numbers = {index: _finite(table, index) for index in indices}
    directed = all(table.columns[index].higher_is_better is not None for index in numbers)
    steps = len(BACKGROUNDS if style.colour else SHADES)
    charts = {}
    for index, values in numbers.items():
        low, high = _extent(values) if directed else _extent(*numbers.values())
        first, last = (high, low) if directed and not table.columns[index].higher_is_better else (low, high)
        levels = [None if value is None else _level(value, first, last, steps) for value in values]
        if style.colour:
            cells = zip(_after([""] * len(levels), columns[index]), levels, strict=True)
            shaded = [replace(cell, value=f"{cell.value} ", shade=level) for cell, level in cells]
        else:
            shaded = _after(["  " if level is None else SHADES[level] for level in levels], columns[index])
        charts[index] = replace(columns[index], cells=tuple(shaded))
    ends = "worst to best of each column" if directed else f"{low:.{style.decimals}f} to {high:.{style.decimals}f}"
    return charts, f"{'blue to yellow' if style.colour else ' '.join(SHADES)} from {ends}"


def _level(value: float, first: float, last: float, steps: int) -> int:
    """The step of a number, of equal steps between two ends; the last if the ends are equal."""
    return steps - 1 if first == last else min(int((value - first) / (last - first) * steps), steps - 1)


def _after(drawings: Sequence[str], column: ShownColumn) -> list[ShownCell]:
    """The cells of a column with a drawing before each value."""
    width = max(len(cell.value) for cell in column.cells)
    cells = zip(drawings, column.cells, strict=True)
    return [replace(cell, value=f"{drawing} {cell.value:>{width}}") for drawing, cell in cells]


def _bars_and_intervals(
    table: Table, indices: Mapping[int, Sequence[int]], columns: Charts, style: Style
) -> tuple[Charts, str]:
    """The columns after their bars or intervals, and the legend of the intervals."""
    charts, meanings = {}, []
    for index, ends in indices.items():
        numbers = [_finite(table, column) for column in (index, *ends)]
        cells = _after(_intervals(*numbers) if ends else _bars(*numbers), columns[index])
        charts[index] = replace(columns[index], cells=tuple(cells))
        if ends:
            name, low, high = (visible(table.columns[column].name) for column in (index, *ends))
            first, last = (f"{number:.{style.decimals}f}" for number in _extent(*numbers))
            interval = f"{LEFT}{BETWEEN}{RIGHT} from {low} to {high}"
            meanings.append(f"{POINT} {name}, {interval}, on an axis from {first} to {last}")
    return charts, "; ".join(meanings)


def _bars(values: Numbers) -> list[str]:
    """Bars from zero, which has its own cell, so that bars of both signs start beside it."""
    low, high = _extent(values, [0.0])
    unit = (high - low) / CELLS or 1.0
    left = math.ceil(-low / unit)
    bars = []
    for value in values:
        whole, rest = divmod(round(abs(value or 0.0) / unit * len(EIGHTHS)), len(EIGHTHS))
        if value is None or value >= 0:
            bars.append(" " * left + ZERO + FULL * whole + EIGHTHS[rest].strip())
        else:
            half = HALF if rest >= len(EIGHTHS) // 2 else ""
            bars.append(f"{half}{FULL * whole}".rjust(left) + ZERO)
    return [bar.ljust(max(map(len, bars))) for bar in bars]


def _intervals(values: Numbers, lows: Numbers, highs: Numbers) -> list[str]:
    """Points in their intervals on an axis from the lowest to the highest end, with a line at zero."""
    start, end = _extent(values, lows, highs)

    def cell(number: float) -> int:
        return round((number - start) / ((end - start) or 1.0) * (CELLS - 1))

    drawings = []
    for value, low, high in zip(values, lows, highs, strict=True):
        signs = [" "] * CELLS
        if start < 0 < end:
            signs[cell(0.0)] = ZERO
        if low is not None and high is not None:
            signs[cell(low) : cell(high) + 1] = BETWEEN * (cell(high) - cell(low) + 1)
            signs[cell(low)], signs[cell(high)] = LEFT, RIGHT
        if value is not None:
            signs[cell(value)] = POINT
        drawings.append("".join(signs))
    return drawings
