"""Texts of many items in one file: JSON lines, or a table with a row for each text.

outputs       {"system": …, "item": …, "text": …}       system,item,text       item,output_a,output_b
references    {"item": …, "reference": …, "text": …}    item,reference,text
both          {"item": …, "reference": …, "output": …}  item,reference,output  item,reference,output_a,output_b

'system' and 'reference' are optional; other names of the text are those of `OUTPUT` and `REFERENCE_TEXT`. In any other
file each line is a text.
"""

from __future__ import annotations

import os
import re
from array import array
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, Future
from dataclasses import dataclass, replace
from itertools import chain
from time import perf_counter
from typing import NamedTuple

import numpy as np

from metaeval.errors import (
    MEGABYTE,
    Gathered,
    InputError,
    empty,
    missing_column,
    missing_key,
    nearest,
    refuse,
    setting,
    too_large,
    wrong_type,
)
from metaeval.io.files.delimited import MAX_FAULTS, Rows, first_line, key_columns, read_rows, reading_stopped_at
from metaeval.io.files.json import kind_of, parse_json, problem_of_row, reject_half_surrogates, texts_of_rows
from metaeval.io.files.roles import ITEM, OUTPUT, REFERENCE_TEXT, SYSTEM, Role, normal, note_on_columns
from metaeval.io.files.sentences import split
from metaeval.io.files.source import InMemorySource, Source
from metaeval.io.labels.columns import Columns
from metaeval.io.parquet import NULLS, read_parquet
from metaeval.model.runs import EncodeApart, EncodedApart, Encoder, TokenizedTexts, WordCodes

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
            for target, numbers, count in zip(arrays, (codes, lengths, sizes), (words, sentences, texts), strict=True):
                target.frombytes(np.ascontiguousarray(numbers[:count], dtype=_TYPE).tobytes())
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

    def __init__(self, encoder: Encoder, memory: int, executor: Executor, apart: EncodeApart) -> None:
        super().__init__(encoder, memory)
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
        self._distribute(batch, self.encoder.take_in(encoded), encoded.lengths, sizes)


def text_encoder(encoder: Encoder, memory: int, executor: Executor | None) -> TextEncoder:
    """A parallel encoder if there is an executor and the encoder can be created in other processes."""
    if executor is not None and encoder.apart is not None:
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
_WRITTEN = ("text", "sentences")
_NAME, _SEVERAL = "reference", "references"
"""The column of the name of a reference, if it is beside a text, and that of a list of references."""


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


_MARKUP = re.compile(r"\s*<(\?xml|!|html|ROUGE-EVAL)", re.I)
_SEE = re.compile(r'<a (?:size="?\d+"? )?name="?\d+"?>\[\d+\]</a>\s*<a href="?#\d+"? id="?\d+"?>([^<]*)', re.I)
_JSON = re.compile(r"\s*(\{|\[\s*([\[{\"\]]|\Z))")


def sentences_of_see(text: str) -> list[str]:
    """The sentences of a text in the HTML of ROUGE (SEE), as ROUGE-1.5.5 reads them; [] for other texts.

    >>> sentences_of_see('<html><a name="1">[1]</a> <a href="#1" id=1>Prices rose.</a></html>')
    ['Prices rose.']
    """
    return _SEE.findall(text) if "<" in text else []


def sentences_of(parts: Sequence[object]) -> list[str] | None:
    """The sentences of a list without blank ones, which are ignored in a file, too; None if some part is no text."""
    sentences = [part for part in parts if isinstance(part, str)]
    return [part for part in sentences if part.strip()] if len(sentences) == len(parts) else None


def has_both(header: Sequence[str], columns: Columns) -> bool:
    """Whether a file has references and outputs, and not texts with the names of their references.

    >>> has_both(["id", "reference", "output"], Columns()), has_both(["id", "reference", "text"], Columns())
    (True, False)
    """
    references, others = _beside_references(header, columns)
    outputs = (
        [columns.prediction] if columns.prediction else OUTPUT.among(others) or list(filter(OUTPUT.may_be, others))
    )
    return not {*_WRITTEN}.intersection(references) and bool(references) and not {*outputs}.isdisjoint(others)


def _beside_references(header: Sequence[str], columns: Columns) -> tuple[list[str], list[str]]:
    """The columns that may have references, and the others."""
    candidates = REFERENCE_TEXT.among(header, columns.names) if columns.gold is None else [columns.gold]
    references = [name for name in candidates if name in header and name != columns.prediction]
    return references, [name for name in header if name not in references]


class _TextColumns(NamedTuple):
    """The columns, or keys, of the item, if it has any, of the texts and of the system."""

    item: Sequence[str]
    texts: Sequence[str]
    system: str | None


class TextReader:
    """Reads the texts of a file, whose columns are sought once for each header.

    columns: other names for 'item' and 'text'. outputs_beside: whether outputs are read of a file that has references,
    too. lines: the number of texts of a file with a text on each line, whose items are their numbers; None for other
    files.
    """

    def __init__(self, source: Source, columns: Columns, *, outputs_beside: bool = False) -> None:
        is_gold = source.role == "gold" and not outputs_beside
        self.lines: int | None = None
        self._source = source
        self._path = source.path_or_name
        self._columns = columns
        self._outputs_beside = outputs_beside
        self._role = REFERENCE_TEXT if is_gold else OUTPUT
        self._text = (columns.gold if is_gold else columns.prediction) or columns.label
        self._columns_of: dict[tuple[str, ...], _TextColumns] = {}
        self._header: tuple[str, ...] = ()

    def rows(self, faults: Gathered) -> Iterator[TextRow]:
        """The texts, one by one; problems of single rows are collected in `faults`.

        An unreadable file is an `InputError`, and so is one with `MAX_FAULTS` invalid rows.
        """
        for line, record in self._records():
            try:
                yield from self._texts(record, line)
            except InputError as error:
                faults.keep(error)
                if len(faults.errors_so_far) >= MAX_FAULTS:
                    raise reading_stopped_at(error, self._path, line) from None

    @property
    def has_outputs(self) -> bool:
        """Whether the file that was read has outputs beside its references."""
        return any(has_both(header, self._columns) for header in self._columns_of)

    def notes(self, beside: Sequence[str] = ()) -> tuple[str, ...]:
        """A note on the columns of items and systems with names of their own, and on columns that were not read.

        beside: those that are read as well.
        """
        roles: dict[Role, str] = {}
        unread: dict[str, None] = {}
        for header, (keys, texts, system) in self._columns_of.items():
            roles |= {ITEM: "/".join(keys)} if len(keys) == 1 else {}
            roles |= {SYSTEM: system} if system is not None else {}
            read = {*keys, *texts, system, _NAME, *beside}
            unread |= dict.fromkeys(name for name in header if name not in read)
        return note_on_columns(roles, list(unread))

    @property
    def texts(self) -> list[str]:
        """The columns, or keys, of texts that were read."""
        return [name for columns in self._columns_of.values() for name in columns.texts]

    def _records(self) -> Iterable[tuple[int, str | Sequence[str] | TextRow]]:
        """The lines of JSON, the cells of the rows of a table, or whole texts, with their lines."""
        source = self._source
        if isinstance(source, InMemoryTexts):
            return ((row.line, row) for row in source.rows)
        if source.suffix == ".parquet":
            return self._table(read_parquet(source))
        text = source.text()
        if source.suffix in (".json", ".jsonl") or _JSON.match(text):
            texts, lines = texts_of_rows(text, self._path, _JSON_LINES)
            return zip(lines(), texts, strict=True)
        if sentences := sentences_of_see(text):
            return [(1, TextRow("1", sentences, 1))]
        if source.suffix == ".xml" or _MARKUP.match(text):
            hint = f"name settings of ROUGE-1.5.5 with {setting('gold')}, without runs; save others as plain text"
            raise refuse((self._path, 1), wrong_type("XML or HTML", "", "texts, JSON lines, CSV or TSV", hint))
        names = {self._text, *(self._columns.id or "").split(",")}
        header = [name.strip(' "') for name in re.split(r"[\t,;|]", first_line(text))]
        is_table = any(role.among(header) for role in (ITEM, SYSTEM, self._role)) or not names.isdisjoint(header)
        if not is_table and source.suffix not in (".csv", ".tsv"):
            texts = text.removesuffix("\n").split("\n")
            self.lines = len(texts)
            return ((number, TextRow(str(number), line, number)) for number, line in enumerate(texts, start=1))
        return self._table(read_rows(source))

    def _table(self, table: Rows) -> Iterable[tuple[int, Sequence[str]]]:
        """The cells of the rows of a table with a column of texts."""
        self._header = table.header
        for column in self._find(table.header, 1).texts:
            kind = table.kinds.get(column, NULLS)
            if kind not in ("texts", "whole numbers", NULLS):
                hint = "write JSON lines, in which a text may be a list"
                raise refuse(self._path, wrong_type(f"column '{column}' of {kind}", "", "texts", hint))
        return zip(table.lines(), zip(*table.columns.values(), strict=True), strict=True)

    def _texts(self, record: str | Sequence[str] | TextRow, line: int) -> Iterator[TextRow]:
        """The texts of a record: one of each system, or the references."""
        if isinstance(record, TextRow):
            yield record
            return
        values = self._members(record, line)
        item_columns, columns, system_column = self._find(tuple(values), line)
        item = "/".join(self._name(values, key, line) for key in item_columns) or str(line)
        if len(columns) > 1:
            yield from (TextRow(item, self._sentences(values[name], name, line), line, name) for name in columns)
            return
        (column,) = columns
        system = self._name(values, system_column, line) if system_column is not None else ""
        text = values[column]
        if normal(column) == _SEVERAL and isinstance(text, str) and text.lstrip().startswith("["):
            text = parse_json(text, self._path, first_line=line)
        if normal(column) == _SEVERAL and isinstance(text, list):
            if not text:
                raise refuse((self._path, line), empty(f"text under '{column}'", "at least one"))
            for number, reference in enumerate(text, start=1):
                yield TextRow(item, self._sentences(reference, column, line), line, system, str(number))
            return
        has_name = column != _NAME and values.get(_NAME) is not None
        name = self._name(values, _NAME, line) if has_name and self._role is REFERENCE_TEXT else ""
        yield TextRow(item, self._sentences(text, column, line), line, system, name)

    def _members(self, record: str | Sequence[str], line: int) -> dict[str, object]:
        """The cells of a row by their columns, or the members of a line of JSON."""
        if not isinstance(record, str):
            return dict(zip(self._header, record, strict=True))
        members: dict[str, object] = parse_json(record, self._path, first_line=line)
        reject_half_surrogates(members, record, self._path, line)
        if problem := problem_of_row(members, _JSON_LINES):
            raise refuse((self._path, line), problem)
        return members

    def _find(self, header: tuple[str, ...], line: int) -> _TextColumns:
        if header not in self._columns_of:
            id_column, system = self._columns.id, self._columns.system
            keys = key_columns(id_column or "", header, self._path, line)
            if system is None:
                system = SYSTEM.column(header, self._path, line, self._columns.names)
            item_columns: Sequence[str] = keys if len(keys) > 1 else ()
            # Without ids, each row with a reference and its outputs is an item.
            if not item_columns and (id_column or ITEM.among(header) or system or not has_both(header, self._columns)):
                item_columns = [self._column(header, ITEM, id_column, line)]
            self._columns_of[header] = _TextColumns(item_columns, self._text_columns(header, system, line), system)
        return self._columns_of[header]

    def _text_columns(self, header: Sequence[str], system: str | None, line: int) -> Sequence[str]:
        """The column of texts, or those of the outputs of several systems."""
        if self._outputs_beside:
            header = _beside_references(header, self._columns)[1]
        if self._text is None and system is None and not self._role.among(header):
            several = [name for name in header if self._role.may_be(name)]
            if several:
                return several
        # Beside a text, 'reference' is the name of the reference.
        names = [name for name in self._role.names if name != _NAME or {*_WRITTEN}.isdisjoint(header)]
        return [self._column(header, replace(self._role, names=tuple(names)), self._text, line)]

    def _column(self, header: Sequence[str], role: Role, name: str | None, line: int) -> str:
        """The column of a role, without which a row cannot be read."""
        column = role.column(header, self._path, line, self._columns.names) if name is None else name
        if column is None or column not in header:
            names = role.names if name is None else (name,)
            hint = f"name it with {setting(role.option, *nearest(names[0], header)[:1])}, or add it"
            columns = missing_column(header, names[0], hint) if self._header else missing_key(header, names[:2], hint)
            raise refuse((self._path, line), columns)
        return column

    def _name(self, values: Mapping[str, object], key: str, line: int) -> str:
        value = values[key]
        if isinstance(value, bool) or not isinstance(value, (str, int)):
            problem = wrong_type(kind_of(value), f" under '{key}'", "a text or a whole number")
            raise refuse((self._path, line), problem)
        name = str(value).strip()
        if not name and key != _NAME:
            raise empty_name(key, self._path, line)
        return name

    def _sentences(self, value: object, key: str, line: int) -> Text:
        if isinstance(value, str):
            return value
        if isinstance(value, list):
            if (sentences := sentences_of(value)) is not None:
                return sentences
            problem = wrong_type("values other than texts", f" under '{key}'", "a list of sentences")
            raise refuse((self._path, line), problem)
        hint = f'write an empty output as ""; for a missing output, leave out the line and set {setting("on_missing")}'
        problem = wrong_type(kind_of(value), f" under '{key}'", "a text, or a list of sentences", hint)
        raise refuse((self._path, line), problem)


def empty_name(key: str, path: str, line: int) -> InputError:
    """The error for a row without the name of its item or system."""
    return refuse((path, line), empty(f"name of '{key}'"))
