"""Texts that are read, as word codes, and their reordering by the join."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from metaeval.errors import InputError
from metaeval.io.files.run_files import same_names
from metaeval.io.groups import Membership
from metaeval.io.texts.encoder import CodeArrays, ReadingStopped, Text, TextEncoder
from metaeval.io.texts.outputs import OutputIndex
from metaeval.io.texts.spill import MemoryBudget
from metaeval.model.texts import TokenizedTexts, ranges, starts_of

REORDER_NUMBERS = 1 << 20
"""Maximum number of words or sentences that are reordered at a time, unless one text has more."""


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
        return CodeArrays.empty(self.encoder.budget)

    def texts(self) -> TokenizedTexts:
        """The texts in the order in which they were added."""
        return TokenizedTexts(*(numbers.numbers() for numbers in self.arrays))

    @cached_property
    def word_counts(self) -> NDArray[np.int64]:
        """The number of words of each text."""
        return self.texts().words_of_texts()

    def index(self) -> OutputIndex:
        """The items of the texts, for the join."""
        return OutputIndex(
            self.system,
            self.path,
            self._items,
            # A text without words, such as '...', counts as empty.
            self.word_counts == 0,
            self._location,
            self._references,
            self.complete,
            self.hint,
        )

    def free(self) -> None:
        """Delete the texts."""
        for numbers in self.arrays:
            numbers.free()

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


def reorder_texts(
    stores: Sequence[TextStore], rows: Sequence[NDArray[np.intp]], budget: MemoryBudget
) -> tuple[TokenizedTexts, ...]:
    """The texts of each store at the given rows; row −1 stands for an empty text.

    Most systems have all items in the order of gold: their texts need no copy if they are in memory. The copies of all
    others share three arrays: what does not fit into the budget is mapped from files, which last as long as the texts.
    """
    results: list[TokenizedTexts | tuple[slice, ...]] = []
    with MemoryBudget(budget.left) as left:
        copies = CodeArrays.empty(left)
        for store, store_rows in zip(stores, rows, strict=True):
            in_memory = all(numbers.in_memory for numbers in store.arrays)
            if in_memory and np.array_equal(store_rows, np.arange(len(store.arrays.sizes))):
                results.append(store.texts())
                continue
            begins = list(map(len, copies))
            _copy(store, store_rows, copies)
            results.append(tuple(map(slice, begins, map(len, copies))))
            # Its memory is free for the next copies.
            left.release(sum(map(len, store.arrays)) if in_memory else 0)
            store.free()
        numbers = [copy.numbers() for copy in copies]
    return tuple(
        each
        if isinstance(each, TokenizedTexts)
        else TokenizedTexts(*(of[part] for of, part in zip(numbers, each, strict=True)))
        for each in results
    )


def _copy(store: TextStore, rows: NDArray[np.intp], copies: CodeArrays) -> None:
    """Append the texts of a store at some rows, a bounded number of words and sentences at a time."""
    arrays, all_sizes, all_words = store.arrays, store.arrays.sizes.numbers(), store.word_counts
    # Row −1, an empty text, is the entry appended after all others.
    sizes = np.append(all_sizes, 0)[rows].astype(np.int64)
    words = np.append(all_words, 0)[rows]
    first_sentences, first_words = starts_of(all_sizes)[rows], starts_of(all_words)[rows]
    ends = np.cumsum(sizes + words + 1)
    begin = 0
    while begin < len(rows):
        before = int(ends[begin - 1]) if begin else 0
        part = slice(begin, max(begin + 1, int(np.searchsorted(ends, before + REORDER_NUMBERS, side="right"))))
        copies.sizes.append(sizes[part])
        copies.lengths.append(arrays.lengths.numbers()[ranges(first_sentences[part], sizes[part])])
        copies.codes.append(arrays.codes.numbers()[ranges(first_words[part], words[part])])
        begin = part.stop
