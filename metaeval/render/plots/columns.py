"""Columns of a table as lists and arrays, with NaN for undefined cells."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from metaeval.arrays import Floats, Indices
from metaeval.model.report import Cell, Table


def texts(table: Table, name: str) -> list[str]:
    """The cells of a column as texts."""
    return [str(cell) for cell in cells_of(table, name)]


def numbers(table: Table, name: str) -> Floats:
    """The cells of a column as numbers, (rows,)."""
    return np.array([as_number(cell) for cell in cells_of(table, name)], dtype=np.float64)


def cells_of(table: Table, name: str) -> list[Cell]:
    """The cells of a column."""
    index = names_of(table).index(name)
    return [row[index] for row in table.rows]


def has(table: Table, *names: str) -> bool:
    """Whether the table has all these columns."""
    return set(names) <= set(names_of(table))


def names_of(table: Table) -> list[str]:
    """The names of the columns."""
    return [column.name for column in table.columns]


def matrix(table: Table, names: Sequence[str]) -> Floats:
    """The cells of several columns as numbers, (rows, columns)."""
    return np.array([numbers(table, name) for name in names], dtype=np.float64).reshape(len(names), -1).T


def as_number(cell: Cell) -> float:
    """The cell as a finite number, or NaN.

    >>> as_number(3), as_number(None), as_number("agree")
    (3.0, nan, nan)
    """
    if isinstance(cell, bool) or not isinstance(cell, int | float):
        return math.nan
    return float(cell) if math.isfinite(cell) else math.nan


def distinct(values: Sequence[str]) -> list[str]:
    """The distinct values, in order of first appearance."""
    return list(dict.fromkeys(values))


def rows_by(table: Table, *columns: str) -> dict[tuple[str, ...], Indices]:
    """The indices of the rows with each combination of texts in the columns, in order of first appearance."""
    rows: dict[tuple[str, ...], list[int]] = {}
    for row, key in enumerate(zip(*(texts(table, name) for name in columns), strict=True)):
        rows.setdefault(key, []).append(row)
    return {key: np.array(indices, dtype=np.intp) for key, indices in rows.items()}


def extremes(values: Floats) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The indices of the lowest and of the highest value, of which at least one is defined.

    >>> extremes(np.array([0.5, np.nan, 0.25]))
    ((2,), (0,))
    """
    lowest, highest = (np.unravel_index(int(find(values)), values.shape) for find in (np.nanargmin, np.nanargmax))
    return tuple(map(int, lowest)), tuple(map(int, highest))
