"""Texts that were read, in the order of the join: in memory where they are, in one file where they are too many."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import pairwise
from tempfile import TemporaryFile
from typing import IO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from metaeval.io.texts.spill import Room, room_for_words
from metaeval.io.texts.store import TextShelf
from metaeval.model.ragged import ranges, starts_of
from metaeval.model.texts import TokenizedTexts

NUMBERS_AT_ONCE = 1 << 20
"""Numbers of words and sentences that are put in order at a time, if a text has no more."""


def texts_in_order(
    shelves: Sequence[TextShelf], rows: Sequence[NDArray[np.intp]], room: Room
) -> tuple[TokenizedTexts, ...]:
    """The texts of each shelf at its rows, in their order; −1 stands for an empty one.

    What does not fit into `room` comes from one temporary file, which lasts as long as the texts do.
    """
    found: list[TokenizedTexts | _Place] = []
    with _TextFile() as beyond:
        for shelf, of_shelf in zip(shelves, rows, strict=True):
            in_memory = _in_memory(shelf, of_shelf, room)
            found.append(beyond.write(shelf, of_shelf) if in_memory is None else in_memory)
        numbers = beyond.numbers()
    return tuple(each.texts_of(numbers) if isinstance(each, _Place) else each for each in found)


def _in_memory(shelf: TextShelf, rows: NDArray[np.intp], room: Room) -> TokenizedTexts | None:
    """The texts, if they are in memory and may stay there."""
    if not all(row.in_memory for row in shelf.rows):
        return None
    texts = shelf.texts()
    # Mostly the systems answer every item in its order, and a million texts are better not copied.
    if len(rows) == len(texts) and bool((rows == np.arange(len(texts))).all()):
        return texts
    if not room.has_for(sum(map(len, shelf.rows))):
        return None
    ordered = _Ordered(shelf, rows)
    place = ordered.place(0)
    numbers = np.empty(sum(place), dtype=np.int32)
    begin = 0
    for piece in ordered.pieces():
        numbers[begin : begin + len(piece)] = piece
        begin += len(piece)
    _let_go(shelf)
    return place.texts_of(numbers)


def _let_go(shelf: TextShelf) -> None:
    for row in shelf.rows:
        row.let_go()


class _Place(NamedTuple):
    """Where texts lie in a file: sizes, lengths and codes one after another from `begin` on."""

    begin: int
    texts: int
    sentences: int
    words: int

    def texts_of(self, numbers: NDArray[np.int32]) -> TokenizedTexts:
        """The texts, from all numbers of the file."""
        ends = np.cumsum((self.begin, self.texts, self.sentences, self.words)).tolist()
        sizes, lengths, codes = (numbers[begin:end] for begin, end in pairwise(ends))
        return TokenizedTexts(codes, lengths, sizes)


class _Ordered:
    """The texts of a shelf at some rows, as they are laid out at a `_Place`."""

    def __init__(self, shelf: TextShelf, rows: NDArray[np.intp]) -> None:
        sizes, words = shelf.rows.sizes.numbers(), shelf.word_counts
        self._rows = shelf.rows
        # Row −1, an empty text, is one more behind the others.
        self._sizes = np.append(sizes, 0)[rows].astype(np.int64)
        self._words = np.append(words, 0)[rows]
        self._first_sentences = starts_of(sizes)[rows]
        self._first_words = starts_of(words)[rows]

    def place(self, begin: int) -> _Place:
        """What they take up where they begin there."""
        return _Place(begin, len(self._sizes), int(self._sizes.sum()), int(self._words.sum()))

    def pieces(self) -> Iterator[NDArray[np.integer]]:
        """Their sizes, lengths and codes, a bounded number at a time."""
        yield self._sizes
        for part in _stretches(self._sizes):
            yield self._rows.lengths.numbers()[ranges(self._first_sentences[part], self._sizes[part])]
        for part in _stretches(self._words):
            yield self._rows.codes.numbers()[ranges(self._first_words[part], self._words[part])]


class _TextFile:
    """A temporary file of whole numbers, of which no name is left that could be left behind."""

    def __init__(self) -> None:
        self._file: IO[bytes] | None = None
        self._end = 0

    def __enter__(self) -> _TextFile:
        return self

    def __exit__(self, *error: object) -> None:
        # What is mapped stays; what could not be written has been told.
        if self._file is not None:
            with suppress(OSError):
                self._file.close()

    def write(self, shelf: TextShelf, rows: NDArray[np.intp]) -> _Place:
        """Add the texts of a shelf."""
        ordered = _Ordered(shelf, rows)
        place = ordered.place(self._end)
        for piece in ordered.pieces():
            self._put(piece)
        _let_go(shelf)
        return place

    def numbers(self) -> NDArray[np.int32]:
        """All that was written, to be read only."""
        if self._file is None or not self._end:
            return np.zeros(0, dtype=np.int32)
        with room_for_words():
            self._file.flush()
        return np.memmap(self._file, dtype=np.int32, mode="r")

    def _put(self, numbers: NDArray[np.integer]) -> None:
        with room_for_words():
            self._file = self._file or TemporaryFile(prefix="metaeval-")  # noqa: SIM115 (closed at the end of the context)
            self._file.write(np.ascontiguousarray(numbers, dtype=np.int32).data)
        self._end += len(numbers)


def _stretches(counts: NDArray[np.int64]) -> Iterator[slice]:
    """Texts in a row that have a bounded number of words or sentences together."""
    ends = np.cumsum(counts + 1)
    begin = 0
    while begin < len(counts):
        so_far = int(ends[begin - 1]) if begin else 0
        end = max(begin + 1, int(np.searchsorted(ends, so_far + NUMBERS_AT_ONCE, side="right")))
        yield slice(begin, end)
        begin = end
