"""Pairs of systems on which two measures disagree, explained."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from metaeval.analyses.explain.error_cells import ErrorCells
from metaeval.analyses.explain.error_kinds import ErrorKind

Two = tuple[float, float]
"""One number for each of the two measures."""


class DecidingItem(NamedTuple):
    """An item and what it adds to the difference of two systems: as measured, and turned so that more is better."""

    item: str
    added: Two
    gains: Two


@dataclass(frozen=True)
class ExplainedPair:
    """Two systems, and why two measures judge them as they do.

    values: their differences, the first system less the other, as measured; 0 where they are tied. gains: the same,
    turned so that more speaks for the first system. strength: the smaller of the two in units of its measure. kinds: of
    errors, those that pull the measures apart most first. items: likewise.
    """

    system: str
    other: str
    values: Two
    gains: Two
    strength: float
    kinds: tuple[ErrorKind, ...] = ()
    items: tuple[DecidingItem, ...] = ()

    @property
    def opposed(self) -> bool:
        """Whether the measures prefer different systems."""
        return self.gains[0] * self.gains[1] < 0

    @property
    def disputed(self) -> bool:
        """Whether the measures do not say the same, one of them perhaps that there is no difference."""
        return bool(np.sign(self.gains[0]) != np.sign(self.gains[1])) and not np.isnan(self.gains).any()

    @property
    def turn(self) -> int:
        """1 where the first measure is more for the first system than the second measure is, −1 where it is less.

        Where they agree there is nothing to turn: 1.
        """
        return -1 if self.disputed and np.sign(self.gains[0]) < np.sign(self.gains[1]) else 1

    @property
    def leading(self) -> tuple[str, float]:
        """The kind of errors that pulls the measures apart most, and its share of all that does; '' where none does."""
        whole = sum(kind.pull for kind in self.kinds)
        if not self.disputed or not whole > 0:
            return "", np.nan
        return self.kinds[0].name, self.kinds[0].pull / whole


@dataclass(frozen=True)
class Explanations:
    """Why two measures disagree.

    asked: whether the pair was named, so that the measures may as well agree on it. opposed, tied, undefined: how many
    pairs of systems there are of which both say something else; one of them says nothing; a score is missing. cells:
    where systems predict labels.
    """

    measures: tuple[str, str]
    pairs: tuple[ExplainedPair, ...]
    asked: bool
    systems: int
    opposed: int
    tied: int
    undefined: int
    cells: ErrorCells | None = None
