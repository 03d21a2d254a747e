"""Texts of many items in one file: JSON lines, or a table with a row for each text.

outputs       {"system": …, "item": …, "text": …}       system,item,text
references    {"item": …, "reference": …, "text": …}    item,reference,text

'system' and 'reference' are optional; "sentences": […] may replace "text", and 'id' may replace 'item'.
"""

from __future__ import annotations

import os
from array import array
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, Future
from dataclasses import dataclass
from itertools import chain
from time import perf_counter
from typing import NamedTuple

import numpy as np

from metaeval.errors import (
    MEGABYTE,
    Gathered,
    InputError,
    did_you_mean,
    empty,
    missing_column,
    missing_key,
    refuse,
    setting,
    too_large,
    wrong_type,
)
from metaeval.io.files.delimited import (
    MAX_FAULTS,
    first_line,
    key_columns,
    one_of_columns,
    reading_stopped_at,
    stream_rows,
)
from metaeval.io.files.json import (
    Pairs,
    key_again,
    kind_of,
    no_object,
    parse_json,
    reject_half_surrogates,
    texts_of_rows,
)
from metaeval.io.files.sentences import split
from metaeval.io.files.source import InMemorySource, Source, empty_file
from metaeval.io.labels.columns import Columns
from metaeval.model.runs import EncodeApart, EncodedApart, Encoder, SharedEncoder, TokenizedTexts, WordCodes

Text = str | Sequence[str]
"""A text, or its sentences."""

SECONDS_BEFORE_PARALLEL = 1.0
"""Texts are encoded in this process for this long first: worker processes take as long to start."""

BATCH_CHARACTERS = 1 << 19
_MAX_PENDING = 2 * (os.cpu_count() or 1) + 2
"""Maximum number of batches that are being encoded or wait to be merged."""

_TYPE = np.dtype(np.intc)
"""The type of `array("i")`: 32-bit integers."""


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
        sentences, sizes = _encoded_sentences(batch.texts)
        self._distribute(batch, *self.encoder.encode_all(sentences), sizes)

    def _distribute(self, batch: _Batch, codes: WordCodes, lengths: WordCodes, sizes: WordCodes) -> None:
        self._used += _TYPE.itemsize * (len(codes) + len(lengths) + len(sizes))
        if self._used > self._memory:
            raise refuse(None, too_large("the words of all texts", 2 * max(self._memory, MEGABYTE), self._memory))
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
    sentences, sizes = _encoded_sentences(texts)
    return apart(sentences), sizes


def _encoded_sentences(texts: Sequence[Text]) -> tuple[list[str], WordCodes]:
    """All sentences, (Z,), and the sentences of each text, (X,)."""
    sentences_of = [split(text) if isinstance(text, str) else text for text in texts]
    return list(chain.from_iterable(sentences_of)), np.fromiter(map(len, sentences_of), dtype=np.int32)


def _characters(text: Text) -> int:
    return len(text) if isinstance(text, str) else sum(map(len, text))


_JSON_LINES = '{"item": …, "text": …}'
_KEYS = ("item", "id", "system", "reference")
_RIVALS = ("output", "outputs")
"""Names of texts that are not read, and must not be beside one that is."""


class TextRow(NamedTuple):
    """A text of a file. sentences: or one string. system, reference: '' if absent."""

    item: str
    sentences: Text
    line: int
    system: str = ""
    reference: str = ""


@dataclass(frozen=True)
class InMemoryTexts(InMemorySource):
    """Texts of systems, or references, passed as Python objects."""

    rows: Sequence[TextRow]


def text_rows(source: Source, columns: Columns, faults: Gathered) -> Iterator[TextRow]:
    """The texts of a file, one by one; problems of single rows are collected in `faults`.

    columns: other names for 'item' and 'text'. An unreadable file is an `InputError`, and so is one with `MAX_FAULTS`
    invalid rows.
    """
    if isinstance(source, InMemoryTexts):
        return iter(source.rows)
    if source.suffix == ".parquet":
        raise refuse(source.path_or_name, wrong_type("a Parquet file", "", "JSON lines, CSV or TSV"))
    opening = _opening(source, None)
    if not opening:
        raise empty_file(source.path_or_name)
    if opening[0] == "<":
        expected = "JSON lines, CSV or TSV, or a folder of texts"
        hint = f"name a settings file of ROUGE-1.5.5 with {setting('gold')}, without runs"
        raise refuse((source.path_or_name, 1), wrong_type("XML", "", expected, hint))
    if opening[0] not in "{[":
        return _table(source, columns, faults)
    return _json_lines(source, columns, faults)


def _opening(source: Source, blanks: str | None) -> str:
    """The first line that is not blank, without leading `blanks` (None: all white space); '' if there is none."""
    return "".join(source.text().lstrip(blanks).partition("\n")[:2])


def _table(source: Source, columns: Columns, faults: Gathered) -> Iterator[TextRow]:
    first = first_line(_opening(source, "\n"))
    if source.suffix == ".txt" and not ("\t" in first or "," in first):
        hint = "if each file has one text, name the folder that contains ITEM.txt"
        raise refuse((source.path_or_name, 1), missing_column([first], columns.label or "text", hint))
    path = source.path_or_name
    header, rows = stream_rows(source)
    keys = key_columns(columns.id, header, path) if columns.id else ["item", "id"]
    ids = keys if len(keys) > 1 and columns.id else [_column(header, keys, path, "id")]
    text = _column(header, (columns.label or "text",), path, "label", () if columns.label else _RIVALS)
    # A blank cell after the others replaces missing columns.
    names = (text, "system", "reference", *ids)
    positions = [header.index(name) if name in header else len(header) for name in names]
    for line, cells in rows:
        cells.append("")
        sentences, system, reference, *key = (cells[position].strip() for position in positions)
        name = "/".join(key)
        nameless = ids[key.index("")] if "" in key else "system" if "system" in header and not system else ""
        if nameless:
            _collect(empty_name(nameless, path, line), faults, path, line)
        else:
            yield TextRow(name, sentences, line, system, reference)


def _collect(error: InputError, faults: Gathered, path: str, line: int) -> None:
    """Collect the problem of a row; after too many the rest of the file is not read."""
    faults.keep(error)
    if len(faults.errors_so_far) >= MAX_FAULTS:
        raise reading_stopped_at(error, path, line)


def _column(header: Sequence[str], names: Sequence[str], path: str, kind: str, rivals: Sequence[str] = ()) -> str:
    if (column := one_of_columns(names, header, path, option=f"{kind}_column", rivals=rivals)) is not None:
        return column
    hint = did_you_mean(names[0], header) or (_hint_of_wide(header, "column") if names[0] == "text" else "")
    hint = hint or f"name the column with {setting(f'{kind}_column')}"
    raise refuse((path, 1), missing_column(header, names[0], hint))


def _hint_of_wide(names: Sequence[str], kind: str) -> str:
    """A remedy for several columns that may be texts of systems or references, none of them 'text'; else ''."""
    others = [name for name in names if name not in _KEYS]
    # A setting for the column of texts would use the same texts as outputs and as references.
    wide = len(others) > 1 or "gold" in others
    return f"write outputs and references to separate files, each with a {kind} 'text'" if wide else ""


def empty_name(key: str, path: str, line: int) -> InputError:
    """The error for a row without the name of its item or system."""
    return refuse((path, line), empty(f"name of '{key}'"))


def _json_lines(source: Source, columns: Columns, faults: Gathered) -> Iterator[TextRow]:
    path = source.path_or_name
    texts, lines = texts_of_rows(source.text(), path, _JSON_LINES)
    for number, text in zip(lines(), texts, strict=True):
        try:
            record = parse_json(text, path, first_line=number)
            reject_half_surrogates(record, text, path, number)
            row = _json_row(record, path, number, columns)
        except InputError as error:
            _collect(error, faults, path, number)
        else:
            yield row


def _json_row(record: object, path: str, line: int, columns: Columns) -> TextRow:
    if not isinstance(record, Pairs):
        raise refuse((path, line), no_object(_JSON_LINES))
    again = key_again(record, path, line)
    if again is not None:
        raise InputError([again])
    members = dict(record)
    keys = key_columns(columns.id, members, path, line) if columns.id else ["item", "id"]
    ids = keys if len(keys) > 1 and columns.id else [_key(members, keys, path, line)]
    names, rivals = ((columns.label,), ()) if columns.label else (("sentences", "text"), _RIVALS)
    text_key = _key(members, names, path, line, rivals)
    return TextRow(
        "/".join(_name(members, key, path, line) for key in ids),
        _sentences(members[text_key], text_key, path, line),
        line,
        _name(members, "system", path, line) if "system" in members else "",
        _name(members, "reference", path, line) if members.get("reference") is not None else "",
    )


def _key(members: dict[str, object], names: Sequence[str], path: str, line: int, rivals: Sequence[str] = ()) -> str:
    option = "id_column" if "id" in names else "label_column"
    if (key := one_of_columns(names, members, path, line, option=option, rivals=rivals)) is not None:
        return key
    keys = list(members)
    hint = did_you_mean(names[-1], keys[:20]) or (_hint_of_wide(keys, "key") if names[-1] == "text" else "")
    hint = hint or f"name the keys with {setting('id_column')} and {setting('label_column')}"
    raise refuse((path, line), missing_key(keys, names, hint))


def _name(members: dict[str, object], key: str, path: str, line: int) -> str:
    value = members[key]
    if isinstance(value, bool) or not isinstance(value, (str, int)):
        raise refuse((path, line), wrong_type(kind_of(value), f" under '{key}'", "a text or a whole number"))
    name = str(value).strip()
    if not name and key != "reference":
        raise empty_name(key, path, line)
    return name


def _sentences(value: object, key: str, path: str, line: int) -> Text:
    if isinstance(value, str):
        return value
    if isinstance(value, list) and not isinstance(value, Pairs):
        sentences = [sentence for sentence in value if isinstance(sentence, str)]
        if len(sentences) == len(value):
            # Blank sentences are ignored, as in a file with a sentence on each line.
            return [sentence for sentence in sentences if sentence.strip()]
        raise refuse((path, line), wrong_type("values other than texts", f" under '{key}'", "a list of sentences"))
    hint = f'write an empty output as ""; for a missing output, leave out the line and set {setting("on_missing")}'
    raise refuse((path, line), wrong_type(kind_of(value), f" under '{key}'", "a text, or a list of sentences", hint))
