"""Work in blocks: what to do, without saying who does it and when."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from metaeval.measures.spec import Measure

Block = TypeVar("Block")
Result = TypeVar("Result")

_PACKAGE = __name__.partition(".")[0]


@dataclass(frozen=True)
class Pieces(Generic[Block, Result]):
    """Blocks as pieces of the data: whoever works on a piece needs nothing else of them, and can be another process.

    cut: the piece of a block, at a cost that does not depend on the other blocks. score: does a piece; it can be
    pickled. large: whether there is so much to do that it pays to begin processes for it.
    """

    cut: Callable[[Block], Any]
    score: Callable[[Any], Result]
    large: bool

    def score_block(self, block: Block) -> Result:
        """Do a block here."""
        return self.score(self.cut(block))


@dataclass(frozen=True)
class Plan(Generic[Block, Result]):
    """Work in blocks, as of trials or items.

    score: does a block of it, whoever does the others. pieces: the same for processes that do not have the data; None
    where there is no such way.
    """

    blocks: tuple[Block, ...]
    score: Callable[[Block], Result]
    pieces: Pieces[Block, Result] | None = None

    @classmethod
    def in_pieces(cls, blocks: Sequence[Block], pieces: Pieces[Block, Result]) -> Plan[Block, Result]:
        """A plan whose blocks are pieces of the data."""
        return cls(tuple(blocks), pieces.score_block, pieces)


def known_everywhere(functions: Iterable[Callable[..., object]]) -> bool:
    """Whether another process finds what these functions are registered for by its name.

    It has what metaeval registers, and nothing that a script or a notebook does.
    """
    return all(function.__module__.partition(".")[0] == _PACKAGE for function in functions)


def travel(measures: Sequence[Measure]) -> bool:
    """Whether measures can be sent to another process, which they are by name."""
    return known_everywhere(each.declaration.function for each in measures)
