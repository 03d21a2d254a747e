"""The cells of the files of a study together, by measure, system and item."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from metaeval.errors import shortened
from metaeval.io.labels.codes import MISSING
from metaeval.io.scores.cells import Names, ScoreCells


@dataclass(frozen=True)
class CellTable:
    """The cells of all files with common names.

    parts: the files, with C cells in all. keys: the flat index of each cell in (M, S, N), (C,). values, states: (C,).
    """

    parts: Sequence[ScoreCells]
    measures: tuple[str, ...]
    systems: tuple[str, ...]
    items: tuple[str, ...]
    keys: NDArray[np.int64]
    values: NDArray[np.float64]
    states: NDArray[np.uint8]

    @property
    def size(self) -> int:
        """The number of scores of a complete table."""
        return len(self.measures) * len(self.systems) * len(self.items)

    @cached_property
    def order(self) -> NDArray[np.intp]:
        """The cells that are not empty, sorted by key, file and row."""
        present = np.flatnonzero(self.states != MISSING)
        return present[np.argsort(self.keys[present], kind="stable")]

    def name(self, key: int) -> str:
        """The name of a key, such as 'bleu/svm/7'."""
        row, item = divmod(key, len(self.items))
        measure, system = divmod(row, len(self.systems))
        names = (self.measures[measure], self.systems[system], self.items[item])
        return "/".join(map(shortened, filter(None, names)))

    def part(self, cell: int) -> tuple[ScoreCells, int]:
        """The file of a cell, and the position of the cell in it."""
        ends = np.cumsum([len(part.rows) for part in self.parts])
        number = int(np.searchsorted(ends, cell, side="right"))
        return self.parts[number], cell - int(ends[number]) + len(self.parts[number].rows)

    def location(self, cell: int) -> tuple[str, int]:
        """The path and the line of a cell."""
        part, position = self.part(cell)
        return part.path, part.line(position)

    def path_of(self, system: str, measure: str = "") -> str:
        """The first file of a system, if possible one with scores of the measure."""
        of_system = [part for part in self.parts if system in part.systems.names]
        return next((part.path for part in of_system if measure in part.measures.names), of_system[0].path)

    def path_of_key(self, key: int) -> str:
        """The most likely file of a missing cell."""
        measure, system = divmod(key // len(self.items), len(self.systems))
        return self.path_of(self.systems[system], self.measures[measure])


def combined(parts: Sequence[ScoreCells], measures: tuple[str, ...]) -> CellTable:
    """The cells of all files; measures: those that come first."""
    all_measures = _common([part.measures for part in parts], measures)
    systems = _common([part.systems for part in parts])
    items = _common([part.items for part in parts])
    return CellTable(
        parts=parts,
        measures=all_measures.names,
        systems=systems.names,
        items=items.names,
        keys=(all_measures.codes * len(systems.names) + systems.codes) * len(items.names) + items.codes,
        values=np.concatenate([part.values for part in parts]),
        states=np.concatenate([part.states for part in parts]),
    )


def _common(columns: Sequence[Names], first: Sequence[str] = ()) -> Names:
    """The concatenated columns of several files with common codes; first: names that have the first codes."""
    index = {name: code for code, name in enumerate(first)}
    codes = [
        np.array([index.setdefault(name, len(index)) for name in column.names], dtype=np.int64)[column.codes]
        for column in columns
    ]
    return Names(tuple(index), np.concatenate(codes))
