"""Finds the cells that a condition names.

The first name is the table, the last one the column. Those between are cells of a row, texts before whole numbers, in
the order of the columns; only as many as identify one row are necessary.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from metaeval.errors import nearest
from metaeval.gates.parsing import GateSyntaxError, Token, error_at, format_name, quoted, unquoted
from metaeval.model.report import Cell, Column, Kind, Report, Table

Row = Sequence[Cell]


class NamedCell(NamedTuple):
    """A value and its name in a condition. path: the names that identify it. column: its column, if it is a cell."""

    name: str
    value: Cell
    path: tuple[str, ...] = ()
    column: Column | None = None


def find_cells(names: Sequence[Token], report: Report, source: str) -> list[NamedCell]:
    """The cell of these names, or several for a wildcard; a `GateSyntaxError` shows an unknown name.

    source: the report in messages.
    """
    tables = {table.name: table for table in report.all_tables()}
    table = tables.get(names[0].text)
    if table is None:
        raise _unknown(names[0], f"no table of {source}", tables)
    where = f"the table '{table.name}' of {source}"
    if names[-1].kind == "wildcard":
        columns = _columns_of(table, Kind.SCORE, Kind.COUNT)
    else:
        columns = [place for place, column in enumerate(table.columns) if column.name == names[-1].text]
    if not columns:
        raise _unknown(names[-1], f"no column of {where}", [column.name for column in table.columns])
    rows, keys = _find_rows(names, table, where)
    cells = []
    for row, column in itertools.product(rows, sorted(columns)):
        path = (table.name, *(_text(row[key]) for key in keys), table.columns[column].name)
        texts = [format_name(table.name, is_table=True), *map(format_name, path[1:])]
        cells.append(NamedCell(".".join(texts), row[column], path, table.columns[column]))
    return cells


def check_text(text: Token, cell: NamedCell) -> None:
    """Raise a `GateSyntaxError` if a cell never has the text with which it is compared."""
    known = cell.column.values if cell.column is not None else ()
    if known and (name := unquoted(text.text)) not in known:
        found, names = f"{text.text}, which {cell.name} never is", [*map(quoted, known)]
        raise error_at([text], found, f"one of {_listed(names)}", _did_you_mean([*map(quoted, nearest(name, known))]))


def _find_rows(names: Sequence[Token], table: Table, where: str) -> tuple[list[Row], list[int]]:
    """The rows of the names, and the columns that identify them."""
    texts, both = _columns_of(table, Kind.TEXT), _columns_of(table, Kind.TEXT, Kind.COUNT)
    row_names = [name for name in names[1:-1] if name.kind != "wildcard"]
    matches = _matches(row_names, table, texts) or _matches(row_names, table, both)
    if not matches:
        for name in row_names:
            if not _matches([name], table, both):
                known = dict.fromkeys(_text(row[it]) for it in texts for row in table.rows)
                raise _unknown(name, f"in no row of {where}", known)
        order = _listed([table.columns[it].name for it in both])
        raise error_at(names[1:-1] or names, f"no row of {where} with these names", f"names in the order of {order}")
    rows, keys = [row for row, _ in matches], matches[0][1]
    if len(row_names) < len(names) - 2:
        for column in both:
            if column not in keys and _distinct(rows, [*keys, column]) > _distinct(rows, keys):
                keys = [*keys, column]
    elif len(rows) > 1:
        cells = {table.columns[it].name: list(dict.fromkeys(_text(row[it]) for row in rows)) for it in both}
        differing = [f"{name} ({_listed(each)})" for name, each in cells.items() if len(each) > 1]
        found = f"{len(rows)} rows of {where}; they differ in {'; '.join(differing) or 'no name'}"
        raise error_at(names, found, "one row", "add the names that identify one row, or write '*' for any row")
    return rows, [it for it in both if it in keys]


def _matches(row_names: Sequence[Token], table: Table, columns: Sequence[int]) -> list[tuple[Row, list[int]]]:
    """The rows with these names in their order, and the columns of the names."""
    matches: list[tuple[Row, list[int]]] = []
    for row in table.rows:
        rest = iter(columns)
        places = [next((column for column in rest if _text(row[column]) == name.text), -1) for name in row_names]
        if -1 not in places:
            matches.append((row, places))
    return matches


def _columns_of(table: Table, *kinds: Kind) -> list[int]:
    return [place for kind in kinds for place, column in enumerate(table.columns) if column.kind is kind]


def _distinct(rows: Sequence[Row], columns: Sequence[int]) -> int:
    return len({tuple(row[column] for column in columns) for row in rows})


def _text(cell: Cell) -> str:
    return "" if cell is None else str(cell)


def _unknown(name: Token, what: str, known: Iterable[str]) -> GateSyntaxError:
    """The error for an unknown name."""
    names = [each for each in known if each]
    similar = [each for each in names if name.text and each.startswith(name.text)][:2] or nearest(name.text, names)
    hint = _did_you_mean([repr(format_name(each)) for each in similar])
    return error_at([name], f"'{name.text}', which is {what}", f"one of {_listed([*map(format_name, names)])}", hint)


def _did_you_mean(similar: Sequence[str]) -> str:
    return f"did you mean {' or '.join(similar)}?" if similar else ""


def _listed(names: Sequence[str], most: int = 5) -> str:
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")
