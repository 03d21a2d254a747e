"""Texts that are read, as word codes, and their reordering by the join."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from tempfile import TemporaryFile
from typing import IO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from metaeval.errors import InputError
from metaeval.io.files.run_files import same_names
from metaeval.io.texts.encoder import CodeArrays, ReadingStopped, Text, TextEncoder
from metaeval.io.texts.outputs import OutputIndex
from metaeval.io.texts.spill import MemoryBudget, word_file_errors
from metaeval.model.texts import TokenizedTexts, ranges, starts_of

REORDER_NUMBERS = 1 << 20
"""Maximum number of words or sentences that are reordered at a time, unless one text has more."""


@dataclass
class TextStore:
    """The texts of one system, or the references, as word codes, a row each.

    system: '' for references. path: for messages. named_inside: whether the file itself names the system.
    complete: False if some text could not be read. hint: as in `OutputIndex`. names: items of all stores, so that each
    name is in memory once.
    """

    encoder: TextEncoder
    system: str
    path: str
    named_inside: bool = False
    complete: bool = True
    hint: str = ""
    names: dict[str, str] = field(default_factory=dict)
    _items: list[str] = field(default_factory=list)
    _references: list[str] = field(default_factory=list)
    _lines: array[int] = field(default_factory=lambda: array("q"))
    # Most systems have one file, so each path is stored with its first row.
    _paths: list[str] = field(default_factory=list)
    _first_rows: list[int] = field(default_factory=list)

    def add(self, item: str, text: Text, path: str, line: int = 0, *, reference: str = "") -> None:
        """Add a text; line: 0 if the text has a file of its own."""
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

    def __init__(self, encoder: TextEncoder, gold: str) -> None:
        self._encoder = encoder
        self._names: dict[str, str] = {}
        self.references = self.new("", gold)
        self.systems: dict[str, TextStore] = {}

    def new(self, system: str, path: str, *, named_inside: bool = False) -> TextStore:
        """A store that is not yet one of the systems."""
        return TextStore(self._encoder, system, path, named_inside, names=self._names)

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

    Texts that do not fit into the budget are mapped from one temporary file, which lasts as long as the texts do.
    """
    results: list[TokenizedTexts | _Layout] = []
    with _TextFile() as file:
        for store, store_rows in zip(stores, rows, strict=True):
            in_memory = _reorder_in_memory(store, store_rows, budget)
            results.append(file.write(_Reordered(store, store_rows)) if in_memory is None else in_memory)
        numbers = file.numbers()
    return tuple(each.texts_of(numbers) if isinstance(each, _Layout) else each for each in results)


def _reorder_in_memory(store: TextStore, rows: NDArray[np.intp], budget: MemoryBudget) -> TokenizedTexts | None:
    """The texts if they are in memory and their copy fits into the budget, else None."""
    if not all(numbers.in_memory for numbers in store.arrays):
        return None
    texts = store.texts()
    # Most systems have all items in the order of gold: these texts need no copy.
    if np.array_equal(rows, np.arange(len(texts))):
        return texts
    if not budget.fits(sum(map(len, store.arrays))):
        return None
    reordered = _Reordered(store, rows)
    layout = reordered.layout(0)
    numbers = np.empty(sum(layout), dtype=np.int32)
    end = 0
    for piece in reordered.pieces():
        numbers[end : end + len(piece)] = piece
        end += len(piece)
    store.free()
    return layout.texts_of(numbers)


class _Layout(NamedTuple):
    """The place of texts in an array: from `start` on their sizes, lengths and codes, one after another."""

    start: int
    texts: int
    sentences: int
    words: int

    def texts_of(self, numbers: NDArray[np.int32]) -> TokenizedTexts:
        """The texts, from the whole array."""
        ends = np.cumsum(self).tolist()
        sizes, lengths, codes = (numbers[begin:end] for begin, end in pairwise(ends))
        return TokenizedTexts(codes, lengths, sizes)


class _Reordered:
    """The texts of a store at some rows."""

    def __init__(self, store: TextStore, rows: NDArray[np.intp]) -> None:
        sizes, words = store.arrays.sizes.numbers(), store.word_counts
        self.store = store
        # Row −1, an empty text, is the entry appended after all others.
        self._sizes = np.append(sizes, 0)[rows].astype(np.int64)
        self._words = np.append(words, 0)[rows]
        self._first_sentences = starts_of(sizes)[rows]
        self._first_words = starts_of(words)[rows]

    def layout(self, start: int) -> _Layout:
        """Their place in an array if they begin at `start`."""
        return _Layout(start, len(self._sizes), int(self._sizes.sum()), int(self._words.sum()))

    def pieces(self) -> Iterator[NDArray[np.integer]]:
        """Their sizes, lengths and codes, a bounded number at a time."""
        yield self._sizes
        arrays = self.store.arrays
        for part in _chunks(self._sizes):
            yield arrays.lengths.numbers()[ranges(self._first_sentences[part], self._sizes[part])]
        for part in _chunks(self._words):
            yield arrays.codes.numbers()[ranges(self._first_words[part], self._words[part])]


class _TextFile:
    """An anonymous temporary file of 32-bit integers, created when something is written."""

    def __init__(self) -> None:
        self._file: IO[bytes] | None = None
        self._end = 0

    def __enter__(self) -> _TextFile:
        return self

    def __exit__(self, *error: object) -> None:
        # A map stays valid; a write error was reported already.
        if self._file is not None:
            with suppress(OSError):
                self._file.close()

    def write(self, texts: _Reordered) -> _Layout:
        """Append texts and free their store."""
        layout = texts.layout(self._end)
        for piece in texts.pieces():
            with word_file_errors():
                self._file = self._file or TemporaryFile(prefix="metaeval-")  # noqa: SIM115 (`__exit__` closes it)
                self._file.write(np.ascontiguousarray(piece, dtype=np.int32).data)
            self._end += len(piece)
        texts.store.free()
        return layout

    def numbers(self) -> NDArray[np.int32]:
        """Everything that was written, read-only."""
        if self._file is None or not self._end:
            return np.zeros(0, dtype=np.int32)
        with word_file_errors():
            self._file.flush()
        return np.memmap(self._file, dtype=np.int32, mode="r")


def _chunks(counts: NDArray[np.int64]) -> Iterator[slice]:
    """Slices of consecutive texts with a bounded total of words or sentences."""
    ends = np.cumsum(counts + 1)
    begin = 0
    while begin < len(counts):
        before = int(ends[begin - 1]) if begin else 0
        end = max(begin + 1, int(np.searchsorted(ends, before + REORDER_NUMBERS, side="right")))
        yield slice(begin, end)
        begin = end
