"""Work in blocks: what to do, without saying who does it and when."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

Block = TypeVar("Block")
Result = TypeVar("Result")


@dataclass(frozen=True)
class Plan(Generic[Block, Result]):
    """Work in blocks, as of trials or items. score: does a block of it, whoever does the others."""

    blocks: tuple[Block, ...]
    score: Callable[[Block], Result]
