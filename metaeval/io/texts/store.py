"""Texts that are read, as word codes, and their reordering by the join."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from metaeval.errors import InputError
from metaeval.io.files.run_files import same_names
from metaeval.io.groups import Membership
from metaeval.io.texts.encoder import CodeArrays, ReadingStopped, Text, TextEncoder
from metaeval.io.texts.outputs import OutputIndex
from metaeval.model.texts import TokenizedTexts


@dataclass
class TextStore:
    """The texts of one system, or the references, as word codes, a row each.

    system: '' for references. path: for messages. named_inside: whether the file itself names the system.
    complete: False if some text could not be read. hint: as in `OutputIndex`. names: items of all stores, so that each
    name is in memory once. member: the group whose texts are stored. is_restricted: whether others were left out.
    """

    encoder: TextEncoder
    system: str
    path: str
    named_inside: bool = False
    complete: bool = True
    hint: str = ""
    names: dict[str, str] = field(default_factory=dict)
    member: Membership | None = None
    is_restricted: bool = False
    _items: list[str] = field(default_factory=list)
    _references: list[str] = field(default_factory=list)
    _lines: array[int] = field(default_factory=lambda: array("q"))
    # Most systems have one file, so each path is stored with its first row.
    _paths: list[str] = field(default_factory=list)
    _first_rows: list[int] = field(default_factory=list)

    def add(self, item: str, text: Text, path: str, line: int = 0, *, reference: str = "") -> None:
        """Add a text; line: 0 if the text has a file of its own."""
        if self.member is not None and self.member.excludes(item):
            self.is_restricted = True
            return
        if not self._paths or self._paths[-1] != path:
            self._paths.append(path)
            self._first_rows.append(len(self._items))
        self._items.append(self.names.setdefault(item, item))
        self._lines.append(line)
        if not self.system:
            self._references.append(reference)
        try:
            self.encoder.add(text, self.arrays)
        except InputError as error:
            raise ReadingStopped(error) from None

    @property
    def has_texts(self) -> bool:
        """Whether there is any text."""
        return bool(self._items)

    @cached_property
    def arrays(self) -> CodeArrays:
        """The encoded texts; complete when the encoder has finished."""
        return CodeArrays.empty()

    @cached_property
    def texts(self) -> TokenizedTexts:
        """The texts in the order in which they were added; asked for when all are."""
        return self.arrays.texts()

    def index(self) -> OutputIndex:
        """The items of the texts, for the join."""
        return OutputIndex(
            self.system,
            self.path,
            self._items,
            # A text without words, such as '...', counts as empty.
            self.texts.words_of_texts() == 0,
            self._location,
            self._references,
            self.complete,
            self.hint,
        )

    def _location(self, row: int) -> tuple[str, int | None]:
        return self._paths[bisect_right(self._first_rows, row) - 1], self._lines[row] or None


class TextStores:
    """The store of the references and those of the systems, in the order of their first appearance."""

    def __init__(self, encoder: TextEncoder, gold: str, member: Membership | None = None) -> None:
        self._encoder = encoder
        self._member = member
        self._names: dict[str, str] = {}
        self.references = self.new("", gold)
        self.systems: dict[str, TextStore] = {}

    def new(self, system: str, path: str, *, named_inside: bool = False) -> TextStore:
        """A store that is not yet one of the systems."""
        return TextStore(self._encoder, system, path, named_inside, names=self._names, member=self._member)

    def of_system(self, system: str, path: str, *, named_inside: bool = False) -> TextStore:
        """The store of a system, to which a file adds texts.

        Several files may add to it if each of them names the system inside; otherwise a second use of a name is an
        `InputError`.
        """
        store = self.systems.setdefault(system, self.new(system, path, named_inside=named_inside))
        if store.path != path and not (store.named_inside and named_inside):
            raise same_names([(system, each) for each in dict.fromkeys((store.path, path))])
        return store

    def put(self, store: TextStore) -> None:
        """Add a filled store to the systems; a name in use is an `InputError`."""
        other = self.systems.setdefault(store.system, store)
        if other is not store:
            raise same_names([(store.system, each) for each in dict.fromkeys((other.path, store.path))])


def reorder_texts(store: TextStore, rows: NDArray[np.intp]) -> TokenizedTexts:
    """The texts of a store at the given rows, without a copy if these are all; row −1 stands for an empty text."""
    texts = store.texts
    return texts if np.array_equal(rows, np.arange(len(texts))) else texts.take(rows)
