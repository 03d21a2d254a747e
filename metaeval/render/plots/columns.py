"""Columns of a table as plain lists, with NaN where a cell is undefined."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from metaeval.model.report import Cell, Table

Numbers = NDArray[np.float64]


def texts(table: Table, name: str) -> list[str]:
    """A column of names."""
    return [str(cell) for cell in cells_of(table, name)]


def numbers(table: Table, name: str) -> Numbers:
    """A column of numbers, (rows,)."""
    return np.array([as_number(cell) for cell in cells_of(table, name)], dtype=np.float64)


def cells_of(table: Table, name: str) -> list[Cell]:
    """A column as it is."""
    place = names_of(table).index(name)
    return [row[place] for row in table.rows]


def has(table: Table, *names: str) -> bool:
    """Whether the table has all these columns."""
    return set(names) <= set(names_of(table))


def names_of(table: Table) -> list[str]:
    """The names of the columns."""
    return [column.name for column in table.columns]


def matrix(table: Table, names: Sequence[str]) -> Numbers:
    """Columns of numbers side by side, (rows, columns)."""
    return np.array([numbers(table, name) for name in names], dtype=np.float64).reshape(len(names), -1).T


def as_number(cell: Cell) -> float:
    """The cell as a number; NaN where it is none.

    >>> as_number(3), as_number(None), as_number("agree")
    (3.0, nan, nan)
    """
    if isinstance(cell, bool) or not isinstance(cell, int | float):
        return math.nan
    return float(cell) if math.isfinite(cell) else math.nan


def distinct(values: Sequence[str]) -> list[str]:
    """The values without repetition, in order of appearance."""
    return list(dict.fromkeys(values))
