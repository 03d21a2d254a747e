"""Encoders that turn texts into word codes while they are read, in this process or in parallel."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Sequence
from concurrent.futures import Executor, Future
from itertools import chain
from time import perf_counter
from typing import NamedTuple

import numpy as np

from metaeval.errors import InputError
from metaeval.io.files.sentences import split
from metaeval.io.texts.spill import MemoryBudget, SpillingArray
from metaeval.model.texts import EncodeApart, EncodedApart, Encoder, SharedEncoder, WordCodes

Text = str | Sequence[str]
"""A text, or its sentences."""

SECONDS_BEFORE_PARALLEL = 1.0
"""Texts are encoded in this process for this long first: worker processes take as long to start."""

BATCH_CHARACTERS = 1 << 19
_MAX_PENDING = 2 * (os.cpu_count() or 1) + 2
"""Maximum number of batches that are being encoded or wait to be merged."""


class ReadingStopped(Exception):
    """No further text can be encoded, because memory, disk or worker processes failed; no file is at fault."""

    def __init__(self, error: InputError) -> None:
        super().__init__(str(error))
        self.error = error


class CodeArrays(NamedTuple):
    """Encoded texts: codes of the words, lengths (words of each sentence) and sizes (sentences of each text)."""

    codes: SpillingArray
    lengths: SpillingArray
    sizes: SpillingArray

    @classmethod
    def empty(cls, budget: MemoryBudget) -> CodeArrays:
        """Arrays without a text."""
        return cls(budget.new_array(), budget.new_array(), budget.new_array())


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
            for array, numbers, count in zip(arrays, (codes, lengths, sizes), (words, sentences, texts), strict=True):
                array.append(numbers[:count])
            codes, lengths, sizes = codes[words:], lengths[sentences:], sizes[texts:]


class TextEncoder:
    """Encodes texts in batches and appends them to arrays."""

    def __init__(self, encoder: Encoder, budget: MemoryBudget) -> None:
        self.encoder = encoder
        self.budget = budget
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
        batch.distribute(*self.encoder.encode_all(sentences), sizes)


class ParallelTextEncoder(TextEncoder):
    """Encodes the first texts in this process and all others by an executor, with the same result."""

    def __init__(self, encoder: SharedEncoder, budget: MemoryBudget, executor: Executor, apart: EncodeApart) -> None:
        super().__init__(encoder, budget)
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
        batch.distribute(self._shared.take_in(encoded), encoded.lengths, sizes)


def text_encoder(encoder: Encoder, budget: MemoryBudget, executor: Executor | None) -> TextEncoder:
    """A parallel encoder if there is an executor and the encoder can be created in other processes."""
    if executor is not None and isinstance(encoder, SharedEncoder) and encoder.apart is not None:
        return ParallelTextEncoder(encoder, budget, executor, encoder.apart)
    return TextEncoder(encoder, budget)


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
