"""Texts as they are read: turned into word codes at once, so that their letters take no memory."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from metaeval.errors import InputError, Problem
from metaeval.io.outputs import Written
from metaeval.model.texts import Encoder, TokenizedTexts


@dataclass
class TextShelf:
    """The texts of one system, or gold's references, a row each.

    system: '' for gold. path: for messages. inside: whether the file itself names the system.
    whole: whether every text could be read; a reader that meets one that can't sets it.
    hint: as of `io.outputs.Written`.
    """

    encoder: Encoder
    system: str
    path: str
    inside: bool = False
    whole: bool = True
    hint: str = ""
    _items: list[str] = field(default_factory=list)
    _references: list[str] = field(default_factory=list)
    _paths: list[str] = field(default_factory=list)
    _lines: array[int] = field(default_factory=lambda: array("q"))
    _codes: array[int] = field(default_factory=lambda: array("i"))
    _lengths: array[int] = field(default_factory=lambda: array("q"))
    _sizes: array[int] = field(default_factory=lambda: array("q"))

    def add(self, item: str, sentences: Sequence[str], path: str, line: int = 0, *, reference: str = "") -> None:
        """Put a text in; line: 0 where it has a file of its own."""
        self._items.append(item)
        self._references.append(reference)
        self._paths.append(path)
        self._lines.append(line)
        self._sizes.append(len(sentences))
        for sentence in sentences:
            codes = self.encoder.encode(sentence)
            self._codes.extend(codes)
            self._lengths.append(len(codes))

    def take(self, rows: NDArray[np.intp]) -> TokenizedTexts:
        """The texts of some rows, in the order given; −1 stands for an empty one."""
        texts = self._texts()
        # Mostly the systems answer every item in its order, and a million texts are better not copied.
        in_place = len(rows) == len(texts) and bool((rows == np.arange(len(texts))).all())
        return texts if in_place else texts.take(rows)

    def _texts(self) -> TokenizedTexts:
        return TokenizedTexts(
            np.asarray(self._codes, dtype=np.int32),
            np.asarray(self._lengths, dtype=np.intp),
            np.asarray(self._sizes, dtype=np.intp),
        )

    def written(self) -> Written:
        """What the join needs to know of them."""
        return Written(
            self.system,
            self.path,
            self._items,
            # A text without a single word, as '...', says as little as one without letters.
            self._texts().words_of_texts() == 0,
            lambda row: (self._paths[row], self._lines[row] or None),
            () if self.system else self._references,
            self.whole,
            self.hint,
        )


class TextShelves:
    """The references and a shelf for each system, in the order in which they turn up."""

    def __init__(self, encoder: Encoder, gold: str) -> None:
        self.encoder = encoder
        self.references = TextShelf(encoder, "", gold)
        self.systems: dict[str, TextShelf] = {}

    def of(self, system: str, path: str, *, inside: bool = False) -> TextShelf:
        """The shelf of a system, to be filled from a path; several files may fill it if each of them names it inside.

        Any other second use of a name is an `InputError`.
        """
        shelf = self.systems.setdefault(system, TextShelf(self.encoder, system, path, inside))
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
