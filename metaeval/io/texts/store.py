"""Texts as they are read: turned into word codes at once, so that their letters take no memory."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from metaeval.errors import InputError, Problem
from metaeval.io.texts.encoder import CodeRows, GivenUp, Scribe, Text
from metaeval.io.texts.outputs import Written
from metaeval.model.texts import TokenizedTexts


@dataclass
class TextShelf:
    """The texts of one system, or gold's references, a row each.

    system: '' for gold. path: for messages. inside: whether the file itself names the system.
    whole: whether every text could be read; a reader that meets one that can't sets it.
    hint: as of `io.outputs.Written`. names: items of other shelves, so that a name is kept once.
    """

    scribe: Scribe
    system: str
    path: str
    inside: bool = False
    whole: bool = True
    hint: str = ""
    names: dict[str, str] = field(default_factory=dict)
    _items: list[str] = field(default_factory=list)
    _references: list[str] = field(default_factory=list)
    _lines: array[int] = field(default_factory=lambda: array("q"))
    # A system's texts are mostly of one file: the row with which each begins.
    _paths: list[str] = field(default_factory=list)
    _first_rows: list[int] = field(default_factory=list)

    def add(self, item: str, text: Text, path: str, line: int = 0, *, reference: str = "") -> None:
        """Put a text in; line: 0 where it has a file of its own. `GivenUp` where no other need be put in."""
        if not self._paths or self._paths[-1] != path:
            self._paths.append(path)
            self._first_rows.append(len(self._items))
        self._items.append(self.names.setdefault(item, item))
        self._lines.append(line)
        if not self.system:
            self._references.append(reference)
        try:
            self.scribe.add(text, self.rows)
        except InputError as error:
            raise GivenUp(error) from None

    @property
    def has_texts(self) -> bool:
        """Whether it has any."""
        return bool(self._items)

    @cached_property
    def rows(self) -> CodeRows:
        """What the texts are made of; filled when the scribe has finished."""
        return CodeRows.of(self.scribe.room)

    def texts(self) -> TokenizedTexts:
        """The texts in the order in which they came."""
        return TokenizedTexts(*(row.numbers() for row in self.rows))

    @cached_property
    def word_counts(self) -> NDArray[np.int64]:
        """How many words each text has."""
        return self.texts().words_of_texts()

    def written(self) -> Written:
        """What the join needs to know of them."""
        return Written(
            self.system,
            self.path,
            self._items,
            # A text without a single word, as '...', says as little as one without letters.
            self.word_counts == 0,
            self._place,
            self._references,
            self.whole,
            self.hint,
        )

    def _place(self, row: int) -> tuple[str, int | None]:
        return self._paths[bisect_right(self._first_rows, row) - 1], self._lines[row] or None


class TextShelves:
    """The references and a shelf for each system, in the order in which they turn up."""

    def __init__(self, scribe: Scribe, gold: str) -> None:
        self._scribe = scribe
        self._names: dict[str, str] = {}
        self.references = self.apart("", gold)
        self.systems: dict[str, TextShelf] = {}

    def apart(self, system: str, path: str, *, inside: bool = False) -> TextShelf:
        """A shelf that is not one of them yet."""
        return TextShelf(self._scribe, system, path, inside, names=self._names)

    def of(self, system: str, path: str, *, inside: bool = False) -> TextShelf:
        """The shelf of a system, to be filled from a path; several files may fill it if each of them names it inside.

        Any other second use of a name is an `InputError`.
        """
        shelf = self.systems.setdefault(system, self.apart(system, path, inside=inside))
        if shelf.path != path and not (shelf.inside and inside):
            raise _twins(system, shelf.path, path)
        return shelf

    def put(self, shelf: TextShelf) -> None:
        """Take in a shelf that was filled; a name that is in use already is an `InputError`."""
        twin = self.systems.setdefault(shelf.system, shelf)
        if twin is not shelf:
            raise _twins(shelf.system, twin.path, shelf.path)


def _twins(system: str, path: str, other: str) -> InputError:
    return InputError(
        [Problem(f"system name '{system}'", "a name for each system", twin) for twin in dict.fromkeys((path, other))],
        hints=[f"name them, as in other-{system}={other}"],
    )
