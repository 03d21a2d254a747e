"""Work in blocks, independent of where and when each block is computed."""

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
    """Blocks as pieces of the data, so that another process can compute a block from its piece alone.

    cut: the piece of a block. score: computes a piece; picklable. large: whether processes are worth starting.
    """

    cut: Callable[[Block], Any]
    score: Callable[[Any], Result]
    large: bool


@dataclass(frozen=True)
class Plan(Generic[Block, Result]):
    """Work in blocks of trials or items.

    score: computes a block, independently of the others. pieces: the same for processes that do not have the data; None
    where that is not possible.
    """

    blocks: Sequence[Block]
    score: Callable[[Block], Result]
    pieces: Pieces[Block, Result] | None = None

    @classmethod
    def in_pieces(cls, blocks: Sequence[Block], pieces: Pieces[Block, Result]) -> Plan[Block, Result]:
        """A plan whose blocks are pieces of the data."""
        return cls(blocks, lambda block: pieces.score(pieces.cut(block)), pieces)


def importable_in_workers(functions: Iterable[Callable[..., object]]) -> bool:
    """Whether a worker process can import these functions by name.

    Workers have what metaeval registers, but nothing registered by a script or a notebook.
    """
    return all(function.__module__.partition(".")[0] == _PACKAGE for function in functions)


def picklable_by_name(measures: Sequence[Measure]) -> bool:
    """Whether measures can be pickled by name and sent to another process, which loads the same plugins."""
    return importable_in_workers(each.declaration.function for each in measures if each.declaration.plugin is None)
