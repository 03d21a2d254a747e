"""Finds the cells that a condition names.

The first name is the table, the last one the column. Those between are cells of text or whole numbers of a row, in any
order; where several rows have them, the order of the columns decides. A name with dots is the longest that there is.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from metaeval.errors import did_you_mean
from metaeval.gates.parsing import format_cell
from metaeval.gates.tokens import GateSyntaxError, Token, error_at
from metaeval.model.report import Cell, Kind, Report, Table

_SHOWN = 5
"""Number of names that a message lists."""

Row = Sequence[Cell]


class NamedCell(NamedTuple):
    """A value, and how it is written in a condition. path: the names that lead to it alone."""

    name: str
    value: Cell
    path: tuple[str, ...] = ()


def find_cells(names: Sequence[Token], report: Report, source: str) -> list[NamedCell]:
    """The cell of these names, or with a wildcard at least one; a `GateSyntaxError` points at a name that is wrong.

    source: what the report is called in messages.
    """
    tables = {table.name: table for table in report.all_tables()}
    table = tables.get(names[0].text)
    if table is None:
        raise _unknown(names[:1], f"no table of {source}", tables)
    where = f"the table '{table.name}' of {source}"
    columns, between = _find_columns(names[1:], table, where)
    rows, keys = _find_rows(names, between, table, where)
    paths = [
        ((table.name, *(_text(row[key]) for key in keys), table.columns[it].name), row[it])
        for row in rows
        for it in columns
    ]
    return [NamedCell(format_cell(path), value, path) for path, value in paths]


def _find_columns(names: Sequence[Token], table: Table, where: str) -> tuple[list[int], Sequence[Token]]:
    """The columns that the last names stand for, and the names that are left for the row."""
    if names[-1].kind == "wildcard":
        return sorted(_columns_of(table, Kind.SCORE, Kind.COUNT)), names[:-1]
    known = [column.name for column in table.columns]
    for start in range(len(names)):
        if (name := _joined(names[start:])) in known:
            return [known.index(name)], names[:start]
    raise _unknown(names[-1:], f"no column of {where}", known)


def _find_rows(
    names: Sequence[Token], between: Sequence[Token], table: Table, where: str
) -> tuple[list[Row], list[int]]:
    """The rows that the names between stand for, and the columns that tell them apart."""
    row_names = _row_names(between, table, where)
    matches = [(row, used) for row in table.rows if (used := _columns_with(row_names, row)) is not None]
    rows: list[Row] = [row for row, _ in matches]
    if not rows:
        raise error_at(between or names, f"no row of {where} with all of these names", "a row")
    keys = matches[0][1]
    candidates = _columns_of(table, Kind.TEXT, Kind.COUNT)
    if any(name.kind == "wildcard" for name in between):
        for column in candidates:
            if column not in keys and _distinct(rows, [*keys, column]) > _distinct(rows, keys):
                keys = [*keys, column]
    elif len(rows) > 1:
        in_order = [(row, used) for row, used in matches if used == sorted(used)]
        if len(in_order) != 1:
            texts = {it: list(dict.fromkeys(_text(row[it]) for row in rows)) for it in candidates}
            differing = [f"{table.columns[it].name} ({_listed(each)})" for it, each in texts.items() if len(each) > 1]
            found = f"{len(rows)} rows of {where}; they differ in {'; '.join(differing) or 'no name'}"
            raise error_at(names, found, "one row", "name what picks one, or write '*' for any row")
        rows, keys = [in_order[0][0]], in_order[0][1]
    return rows, sorted(keys)


def _row_names(names: Sequence[Token], table: Table, where: str) -> list[tuple[str, list[int]]]:
    """The names of a row, each with the columns that may have it: those of text, or else of whole numbers."""
    kinds = [_columns_of(table, kind) for kind in (Kind.TEXT, Kind.COUNT)]
    known = [{_text(row[column]): None for column in columns for row in table.rows} for columns in kinds]
    row_names = []
    start = 0
    while start < len(names):
        runs = [(end, _joined(names[start:end])) for end in range(len(names), start, -1)]
        choices = ((end, name, kind) for kind in (0, 1) for end, name in runs if name in known[kind])
        end, name, kind = next(choices, (start + 1, None, 0))
        if name is not None:
            row_names.append((name, kinds[kind]))
        elif names[start].kind != "wildcard":
            raise _unknown(names[start:], f"in no row of {where}", known[0])
        start = end
    return row_names


def _columns_with(row_names: Iterable[tuple[str, list[int]]], row: Row) -> list[int] | None:
    """The columns in which a row has the names, a different one for each; None where it does not have them all."""
    used: list[int] = []
    for name, columns in row_names:
        free = [column for column in columns if column not in used and _text(row[column]) == name]
        if not free:
            return None
        used.append(free[0])
    return used


def _columns_of(table: Table, *kinds: Kind) -> list[int]:
    return [place for kind in kinds for place, column in enumerate(table.columns) if column.kind is kind]


def _distinct(rows: Sequence[Row], columns: Sequence[int]) -> int:
    return len({tuple(row[column] for column in columns) for row in rows})


def _joined(names: Sequence[Token]) -> str | None:
    """Several names as one with dots; None where that cannot be meant."""
    is_one = len(names) == 1 and names[0].kind != "wildcard"
    return ".".join(name.text for name in names) if is_one or all(name.kind == "name" for name in names) else None


def _text(cell: Cell) -> str:
    return "" if cell is None else str(cell)


def _unknown(names: Sequence[Token], what: str, known: Iterable[str]) -> GateSyntaxError:
    """The error for a name that is none of those that are known; it may be several, because of the dots in it."""
    known = [name for name in known if name]
    texts = [(names[:end], text) for end in range(1, len(names) + 1) if (text := _joined(names[:end])) is not None]
    hints = ((each, text, hint) for each, text in texts if (hint := _suggestion(text, known)))
    tokens, text, hint = next(hints, (*texts[0], ""))
    return error_at(tokens, f"'{text}', which is {what}", f"one of {_listed(known)}", hint)


def _suggestion(text: str, known: Sequence[str]) -> str:
    longer = [name for name in known if text and name.startswith(text)]
    return f"did you mean {' or '.join(map(repr, longer[:2]))}?" if longer else did_you_mean(text, known)


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:_SHOWN]) + (f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else "")
