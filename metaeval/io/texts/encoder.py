"""Encoders that turn texts into word codes while they are read, in this process or in parallel."""

from __future__ import annotations

import os
from array import array
from collections import deque
from collections.abc import Sequence
from concurrent.futures import Executor, Future
from itertools import chain
from time import perf_counter
from typing import NamedTuple

import numpy as np

from metaeval.errors import InputError, setting
from metaeval.io.files.sentences import split
from metaeval.model.texts import EncodeApart, EncodedApart, Encoder, SharedEncoder, TokenizedTexts, WordCodes

Text = str | Sequence[str]
"""A text, or its sentences."""

SECONDS_BEFORE_PARALLEL = 1.0
"""Texts are encoded in this process for this long first: worker processes take as long to start."""

BATCH_CHARACTERS = 1 << 19
_MAX_PENDING = 2 * (os.cpu_count() or 1) + 2
"""Maximum number of batches that are being encoded or wait to be merged."""

_TYPE = np.dtype(np.intc)
"""The type of `array("i")`: 32-bit integers."""

_MEGABYTE = 1 << 20


class ReadingStopped(Exception):
    """No further text can be encoded, because memory or worker processes failed; no file is at fault."""

    def __init__(self, error: InputError) -> None:
        super().__init__(str(error))
        self.error = error


class CodeArrays(NamedTuple):
    """Encoded texts: codes of the words, lengths (words of each sentence) and sizes (sentences of each text)."""

    codes: array[int]
    lengths: array[int]
    sizes: array[int]

    @classmethod
    def empty(cls) -> CodeArrays:
        """Arrays without a text."""
        return cls(array("i"), array("i"), array("i"))

    def texts(self) -> TokenizedTexts:
        """The texts so far; nothing can be added any more."""
        return TokenizedTexts(*(np.frombuffer(numbers, _TYPE) if numbers else np.zeros(0, _TYPE) for numbers in self))


class _Batch:
    """Texts to be encoded; targets: the arrays of consecutive texts, with the number of these texts."""

    def __init__(self) -> None:
        self.texts: list[Text] = []
        self.characters = 0
        self.targets: list[tuple[CodeArrays, int]] = []

    def add(self, text: Text, arrays: CodeArrays) -> None:
        """Add a text."""
        self.texts.append(text)
        self.characters += _characters(text)
        if not self.targets or self.targets[-1][0] is not arrays:
            self.targets.append((arrays, 0))
        self.targets[-1] = (arrays, self.targets[-1][1] + 1)

    def distribute(self, codes: WordCodes, lengths: WordCodes, sizes: WordCodes) -> None:
        """Append the encoded texts to their arrays."""
        for arrays, texts in self.targets:
            sentences = int(sizes[:texts].sum())
            words = int(lengths[:sentences].sum())
            for own, numbers, count in zip(arrays, (codes, lengths, sizes), (words, sentences, texts), strict=True):
                own.frombytes(np.ascontiguousarray(numbers[:count], dtype=_TYPE).tobytes())
            codes, lengths, sizes = codes[words:], lengths[sentences:], sizes[texts:]


class TextEncoder:
    """Encodes texts in batches and appends them to arrays; more than `memory` bytes of these are an `InputError`."""

    def __init__(self, encoder: Encoder, memory: int) -> None:
        self.encoder = encoder
        self._memory = memory
        self._used = 0
        self._batch = _Batch()

    def add(self, text: Text, arrays: CodeArrays) -> None:
        """Encode a text; the arrays are complete only after `finish`."""
        self._batch.add(text, arrays)
        if self._batch.characters >= BATCH_CHARACTERS:
            self._end_batch()

    def finish(self) -> None:
        """Wait until every text is in its arrays."""
        if self._batch.texts:
            self._end_batch()

    def stop(self) -> None:
        """Cancel the pending work."""

    def _end_batch(self) -> None:
        batch, self._batch = self._batch, _Batch()
        self._encode(batch)

    def _encode(self, batch: _Batch) -> None:
        sentences, sizes = _sentences(batch.texts)
        self._distribute(batch, *self.encoder.encode_all(sentences), sizes)

    def _distribute(self, batch: _Batch, codes: WordCodes, lengths: WordCodes, sizes: WordCodes) -> None:
        self._used += _TYPE.itemsize * (len(codes) + len(lengths) + len(sizes))
        if self._used > self._memory:
            megabytes = self._memory // _MEGABYTE
            raise InputError.at(
                found=f"texts whose words take more than {megabytes:,} MB of memory, {_TYPE.itemsize} bytes each",
                expected=f"at most {self._memory // _TYPE.itemsize:,} words in all outputs and references",
                hint=f"use {setting('memory', f'{2 * max(1, megabytes)}MB')} if this machine has it, or evaluate fewer "
                "systems or items",
            )
        batch.distribute(codes, lengths, sizes)


class ParallelTextEncoder(TextEncoder):
    """Encodes the first texts in this process and all others by an executor, with the same result."""

    def __init__(self, encoder: SharedEncoder, memory: int, executor: Executor, apart: EncodeApart) -> None:
        super().__init__(encoder, memory)
        self._shared = encoder
        self._executor = executor
        self._apart = apart
        self._seconds_left = SECONDS_BEFORE_PARALLEL
        self._pending: deque[tuple[_Batch, Future[tuple[EncodedApart, WordCodes]]]] = deque()

    def finish(self) -> None:
        super().finish()
        while self._pending:
            self._merge()

    def stop(self) -> None:
        for _, future in self._pending:
            future.cancel()

    def _encode(self, batch: _Batch) -> None:
        if self._seconds_left > 0:
            start = perf_counter()
            super()._encode(batch)
            self._seconds_left -= perf_counter() - start
            return
        if len(self._pending) >= _MAX_PENDING:
            self._merge()
        self._pending.append((batch, self._executor.submit(_encode_apart, self._apart, batch.texts)))

    def _merge(self) -> None:
        """Merge the oldest batch: words are numbered in the order of the texts."""
        batch, future = self._pending.popleft()
        encoded, sizes = future.result()
        self._distribute(batch, self._shared.take_in(encoded), encoded.lengths, sizes)


def text_encoder(encoder: Encoder, memory: int, executor: Executor | None) -> TextEncoder:
    """A parallel encoder if there is an executor and the encoder can be created in other processes."""
    if executor is not None and isinstance(encoder, SharedEncoder) and encoder.apart is not None:
        return ParallelTextEncoder(encoder, memory, executor, encoder.apart)
    return TextEncoder(encoder, memory)


def _encode_apart(apart: EncodeApart, texts: Sequence[Text]) -> tuple[EncodedApart, WordCodes]:
    """Encode a batch in a worker process; returns its sentences and the sentences of each text, (X,)."""
    sentences, sizes = _sentences(texts)
    return apart(sentences), sizes


def _sentences(texts: Sequence[Text]) -> tuple[list[str], WordCodes]:
    """All sentences, (Z,), and the sentences of each text, (X,)."""
    sentences_of = [split(text) if isinstance(text, str) else text for text in texts]
    return list(chain.from_iterable(sentences_of)), np.fromiter(map(len, sentences_of), dtype=np.int32)


def _characters(text: Text) -> int:
    return len(text) if isinstance(text, str) else sum(map(len, text))
