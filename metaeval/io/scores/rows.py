"""Scores of single items as the rows of a tidy file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import repeat
from typing import overload

from metaeval.model.scores import ItemScores

TIDY_COLUMNS = ("measure", "system", "item", "value")
"""The header of `ScoreRows`."""


class ScoreRows(Sequence[tuple[str, str, str, float]]):
    """Scores as the rows of a tidy file, which `read_score_table` can read; rows are created on access.

    >>> import numpy as np
    >>> from metaeval.model.scores import Direction
    >>> scores = ItemScores(np.array([[[0.5, 1.0]]]), ("bleu",), ("svm",), ("a", "b"), (Direction.HIGHER,))
    >>> list(ScoreRows(scores))
    [('bleu', 'svm', 'a', 0.5), ('bleu', 'svm', 'b', 1.0)]
    """

    def __init__(self, scores: ItemScores) -> None:
        self._scores = scores

    def __len__(self) -> int:
        return self._scores.values.size

    @overload
    def __getitem__(self, index: int) -> tuple[str, str, str, float]: ...
    @overload
    def __getitem__(self, index: slice) -> list[tuple[str, str, str, float]]: ...
    def __getitem__(self, index: int | slice) -> tuple[str, str, str, float] | list[tuple[str, str, str, float]]:
        if isinstance(index, slice):
            return [self[row] for row in range(len(self))[index]]
        scores = self._scores
        row, item = divmod(range(len(self))[index], len(scores.items))
        measure, system = divmod(row, len(scores.systems))
        value = float(scores.values[measure, system, item])
        return scores.measures[measure], scores.systems[system], scores.items[item], value

    def __iter__(self) -> Iterator[tuple[str, str, str, float]]:
        scores = self._scores
        for measure, of_measure in zip(scores.measures, scores.values, strict=True):
            for system, values in zip(scores.systems, of_measure, strict=True):
                yield from zip(repeat(measure), repeat(system), scores.items, values.tolist(), strict=False)
