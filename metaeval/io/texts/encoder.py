"""Texts turned into codes as they are read, here or batch by batch in other processes."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Sequence
from concurrent.futures import Executor, Future
from time import perf_counter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from metaeval.errors import InputError
from metaeval.io.files.sentences import split
from metaeval.io.texts.spill import GrowingRow, Room
from metaeval.model.texts import EncodeApart, EncodedApart, Encoder, SharedEncoder

Text = str | Sequence[str]
"""A running text, which is still to be cut into sentences; or its sentences."""

SECONDS_AT_FIRST = 1.0
"""How long texts are encoded here before other processes are asked, which take as long to start."""

LETTERS_OF_A_BATCH = 1 << 19
_MOST_UNDER_WAY = 2 * (os.cpu_count() or 1) + 2
"""Batches that may wait for being encoded, or for being taken in."""


class GivenUp(Exception):
    """No text can be encoded any more, for want of room or of processes: no file is to blame, and none need be read on.

    error: what to tell.
    """

    def __init__(self, error: InputError) -> None:
        super().__init__(str(error))
        self.error = error


class CodeRows(NamedTuple):
    """Texts that come one after another. codes: of words. lengths: words of each sentence. sizes: sentences of each."""

    codes: GrowingRow
    lengths: GrowingRow
    sizes: GrowingRow

    @classmethod
    def of(cls, room: Room) -> CodeRows:
        """Without any text yet."""
        return cls(room.row(), room.row(), room.row())


class Scribe:
    """Encodes texts, each to the end of some rows, as soon as they come."""

    def __init__(self, encoder: Encoder, room: Room) -> None:
        self.encoder = encoder
        self.room = room

    def add(self, text: Text, rows: CodeRows) -> None:
        """Encode a text; it may be in the rows only after `finish`."""
        sentences = split(text) if isinstance(text, str) else text
        before = len(rows.codes.held)
        for sentence in sentences:
            codes = self.encoder.encode(sentence)
            rows.codes.held.extend(codes)
            rows.lengths.held.append(len(codes))
        rows.sizes.held.append(len(sentences))
        self.room.took(len(rows.codes.held) - before + len(sentences) + 1)

    def finish(self) -> None:
        """Return when everything that was added is in its rows."""

    def stop(self) -> None:
        """Begin nothing more."""


class _Encoded(NamedTuple):
    """A batch of texts. sizes: (X,) sentences of each."""

    sentences: EncodedApart
    sizes: NDArray[np.int32]


class _Batch:
    """Texts that wait for being encoded, and the rows that they go to: of texts in a row those that are alike."""

    def __init__(self) -> None:
        self.texts: list[Text] = []
        self.letters = 0
        self.targets: list[tuple[CodeRows, int]] = []

    def add(self, text: Text, rows: CodeRows) -> None:
        """Put a text in."""
        self.texts.append(text)
        self.letters += _letters(text)
        if not self.targets or self.targets[-1][0] is not rows:
            self.targets.append((rows, 0))
        self.targets[-1] = (rows, self.targets[-1][1] + 1)

    def take_in(self, codes: NDArray[np.int32], lengths: NDArray[np.int32], sizes: NDArray[np.int32]) -> None:
        """Put the texts, encoded, to the end of their rows."""
        for rows, texts in self.targets:
            sentences = int(sizes[:texts].sum())
            words = int(lengths[:sentences].sum())
            for row, numbers, count in zip(rows, (codes, lengths, sizes), (words, sentences, texts), strict=True):
                row.held.frombytes(np.ascontiguousarray(numbers[:count], dtype=np.intc).tobytes())
            codes, lengths, sizes = codes[words:], lengths[sentences:], sizes[texts:]


class SharedScribe(Scribe):
    """Encodes the first texts here and all others by an executor; what comes out is the same."""

    def __init__(self, encoder: SharedEncoder, room: Room, executor: Executor, apart: EncodeApart) -> None:
        super().__init__(encoder, room)
        self._shared = encoder
        self._executor = executor
        self._apart = apart
        self._seconds_left = SECONDS_AT_FIRST
        self._batch = _Batch()
        self._under_way: deque[tuple[_Batch, Future[_Encoded]]] = deque()

    def add(self, text: Text, rows: CodeRows) -> None:
        """As of `Scribe`."""
        if self._seconds_left > 0:
            begun = perf_counter()
            super().add(text, rows)
            self._seconds_left -= perf_counter() - begun
            return
        self._batch.add(text, rows)
        if self._batch.letters >= LETTERS_OF_A_BATCH:
            self._send()

    def finish(self) -> None:
        """As of `Scribe`."""
        if self._batch.texts:
            self._send()
        while self._under_way:
            self._take_in()

    def stop(self) -> None:
        """As of `Scribe`."""
        for _, future in self._under_way:
            future.cancel()

    def _send(self) -> None:
        if len(self._under_way) >= _MOST_UNDER_WAY:
            self._take_in()
        batch, self._batch = self._batch, _Batch()
        self._under_way.append((batch, self._executor.submit(_encode, self._apart, batch.texts)))

    def _take_in(self) -> None:
        """Take in the batch that was sent first: words are numbered in the order of the texts."""
        batch, future = self._under_way.popleft()
        encoded, sizes = future.result()
        codes = self._shared.take_in(encoded)
        batch.take_in(codes, encoded.lengths, sizes)
        self.room.took(len(codes) + len(encoded.lengths) + len(sizes))


def scribe_of(encoder: Encoder, room: Room, executor: Executor | None) -> Scribe:
    """What encodes by an executor where there is one and the encoder can be made in other processes, else here."""
    if executor is not None and isinstance(encoder, SharedEncoder) and encoder.apart is not None:
        return SharedScribe(encoder, room, executor, encoder.apart)
    return Scribe(encoder, room)


def _encode(apart: EncodeApart, texts: Sequence[Text]) -> _Encoded:
    """What another process does."""
    cut = [split(text) if isinstance(text, str) else text for text in texts]
    sizes = np.fromiter(map(len, cut), dtype=np.int32, count=len(cut))
    return _Encoded(apart([sentence for sentences in cut for sentence in sentences]), sizes)


def _letters(text: Text) -> int:
    return len(text) if isinstance(text, str) else sum(map(len, text))
