"""Sequences, arrays and data frames as readers would give them had they stood in files.

Everything becomes text on the way, as in a file: a number the shortest text that gives the same number back, None and
NaN the empty text, which stands for what is missing.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Hashable, Iterable, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from metaeval.errors import InputError, Problem, counted
from metaeval.io.answers import AnswerFile, Answers
from metaeval.io.codes import shortened
from metaeval.io.delimited import Rows
from metaeval.io.held import HeldAnswers, HeldRows, HeldTexts
from metaeval.io.sentences import split
from metaeval.io.text_rows import TextRow

if TYPE_CHECKING:
    import pandas

Values: TypeAlias = "Iterable[object] | np.ndarray[Any, Any] | pandas.Series[Any]"
"""A value an item: a list, a tuple, an array, a column of a data frame."""
ByItem: TypeAlias = "Values | Mapping[Any, object]"
"""A value an item, in the order of gold or by the ids of items."""
Frame: TypeAlias = "pandas.DataFrame | Mapping[str, Values]"
"""A table: a data frame, or its columns by name."""

LABELS, OUTPUTS, REFERENCES, SOURCES = "<labels>", "<outputs>", "<references>", "<sources>"

_NOTHING = frozenset({"nan", "NaN", "<NA>", "NaT"})
"""How values that are no text and stand for nothing print themselves."""


def hold_labels(systems: Mapping[str, ByItem], gold: ByItem, ids: Values | None = None) -> HeldAnswers:
    """Gold labels and those (or numbers) that systems predicted, joined by place or, where they are mappings, by id.

    ids: of the items, in the order of gold; without them items are numbered from 1. Other lengths than gold's, and ids
    that are empty or stand twice, are one `InputError`.
    """
    gold_ids, gold_labels = _of_items(gold, _names(ids))
    problems = [] if gold_labels else [Problem("no item", "a gold label for each item", "gold")]
    gold_ids = gold_ids or [str(number) for number in range(1, len(gold_labels) + 1)]
    problems += [*_unequal("gold", len(gold_labels), len(gold_ids)), *_bad_ids(gold_ids)]
    runs = []
    for system, values in systems.items():
        own_ids, labels = _of_items(values)
        place = f"system '{system}'"
        problems += [] if own_ids else _unequal(place, len(labels), len(gold_labels))
        runs.append(_answers(place, str(system), own_ids or gold_ids, labels))
    if problems:
        raise InputError(problems, hints=["give every item an id of its own, and every system as many labels as gold"])
    told = chain.from_iterable((run.system, run.ids or (), run.labels) for run in runs)
    digest = _digest((gold_ids, gold_labels, *told))
    answers = AnswerFile(_answers("gold", "", gold_ids, gold_labels), tuple(runs))
    return HeldAnswers(LABELS, "gold", b"", digest, answers)


def hold_outputs(systems: Mapping[str, ByItem], ids: Values | None = None) -> HeldTexts:
    """What systems wrote: for each item a text, or a list of its sentences; None where there is nothing."""
    rows = [
        TextRow(item, sentences, 0, str(system))
        for system, texts in systems.items()
        for item, text in _by_item(texts, ids, f"system '{system}'")
        if (sentences := _sentences(text, f"system '{system}'", item)) is not None
    ]
    return _texts(OUTPUTS, rows)


def hold_references(references: ByItem, ids: Values | None = None) -> HeldTexts:
    """For each item a reference, or a list of them, of which each is a text or a list of its sentences."""
    rows = []
    for item, given in _by_item(references, ids, "references"):
        of_item = [given] if isinstance(given, str) or not isinstance(given, Iterable) else list(given)
        for number, text in enumerate(of_item, start=1):
            sentences = _sentences(text, "references", item)
            if sentences is None:
                raise InputError.at("references", found=f"no text for item '{item}'", expected="one or several texts")
            rows.append(TextRow(item, sentences, 0, reference=str(number)))
    return _texts(REFERENCES, rows)


def hold_sources(sources: ByItem, ids: Values | None = None) -> HeldTexts:
    """The text of each item that the systems were given."""
    rows = [
        TextRow(item, sentences, 0)
        for item, text in _by_item(sources, ids, "sources")
        if (sentences := _sentences(text, "sources", item)) is not None
    ]
    return _texts(SOURCES, rows)


def hold_rows(table: Frame, path: str) -> HeldRows:
    """The rows of a data frame, or of columns by name; path: what messages call it."""
    header = tuple(map(str, table.keys()))
    twice = sorted({name for name in header if header.count(name) > 1})
    if twice:
        raise InputError.at(path, found=f"column '{twice[0]}' twice", expected="every column name once")
    columns = [texts_of(table[name]) for name in table.keys()]  # noqa: SIM118 (a data frame's)
    lengths = {len(column) for column in columns}
    if len(lengths) > 1:
        found = ", ".join(f"{len(column):,} under '{name}'" for name, column in zip(header, columns, strict=True))
        raise InputError.at(path, found=found, expected="equally many values under each name")
    if lengths in (set(), {0}):
        raise InputError.at(path, found="a table without rows", expected="a row for every item")
    body = list(zip(*columns, strict=True))
    rows = Rows(path, header, body, lambda: range(1, len(body) + 1))
    return HeldRows(path, "run", b"", _digest((header, *columns)), rows)


def texts_of(values: Values) -> list[str]:
    """Values as a file would hold them.

    >>> import numpy as np
    >>> texts_of([" yes", 1, 1.0, 0.1 + 0.2, None, float("nan"), True])
    ['yes', '1', '1', '0.30000000000000004', '', '', 'True']
    >>> texts_of(np.array([0.5, np.nan]))
    ['0.5', '']
    """
    if isinstance(values, str):
        found = f"the text '{shortened(values)}'"
        raise InputError.at(found=found, expected="a value for each item", hint="put it into a list")
    plain = values.tolist() if hasattr(values, "tolist") else list(values)
    return list(map(str.strip if set(map(type, plain)) == {str} else _text, plain))


def _text(value: object) -> str:
    if isinstance(value, str):
        return value.strip()
    # A number of numpy, as the nearest of Python's.
    plain = value.item() if isinstance(value, np.generic) else value
    text = str(plain)
    if plain is None or text in _NOTHING:
        return ""
    # Whole numbers with one missing are floats in pandas: 1 would turn into 1.0.
    return str(int(plain)) if isinstance(plain, float) and plain.is_integer() else text


def _names(ids: Values | None) -> list[str]:
    return [] if ids is None else texts_of(ids)


def _of_items(given: ByItem, ids: Sequence[str] = ()) -> tuple[list[str], list[str]]:
    """The ids that stand with the values, or those given, and the values."""
    if isinstance(given, Mapping):
        return texts_of(given.keys()), texts_of(given.values())
    return list(ids), texts_of(given)


def _answers(place: str, system: str, ids: Sequence[str], labels: Sequence[str]) -> Answers:
    return Answers(place, system, ids, labels, lambda: range(1, len(labels) + 1))


def _unequal(place: str, found: int, expected: int) -> list[Problem]:
    if found == expected:
        return []
    return [Problem(counted(found, "label"), f"{expected:,}, one for each item", place)]


def _bad_ids(ids: Sequence[str]) -> list[Problem]:
    first: dict[str, int] = {}
    problems = []
    for number, name in enumerate(ids, start=1):
        before = first.setdefault(name, number)
        if not name:
            problems.append(Problem("an empty id", "an id for every item", "ids", number))
        elif before != number:
            problems.append(Problem(f"id '{name}' again, first at {before}", "every id once", "ids", number))
    return problems


def _by_item(texts: ByItem, ids: Values | None, place: str) -> list[tuple[str, object]]:
    """The id of each item with what stands for it; without ids items are numbered from 1."""
    if isinstance(texts, Mapping):
        return [(_text(item), text) for item, text in texts.items()]
    if isinstance(texts, str):
        raise InputError.at(place, found="a single text", expected="a text for each item", hint="put it into a list")
    told: list[object] = list(texts.tolist() if hasattr(texts, "tolist") else texts)
    names = _names(ids) if ids is not None else [str(number) for number in range(1, len(told) + 1)]
    if len(names) != len(told):
        raise InputError.at(place, found=counted(len(told), "text"), expected=f"{len(names):,}, one for each id")
    return list(zip(names, told, strict=True))


def _sentences(text: object, place: str, item: str) -> list[str] | None:
    """The sentences of a text; None where there is none."""
    if isinstance(text, str):
        return split(text)
    if isinstance(text, Hashable) and not _text(text):
        return None
    given = list(text) if isinstance(text, Iterable) else [text]
    sentences = [sentence for sentence in given if isinstance(sentence, str)]
    if len(sentences) == len(given):
        # A blank sentence is none, as in a file with a sentence a line.
        return [sentence for sentence in sentences if sentence.strip()]
    raise InputError.at(place, found=f"{text!r} for item '{item}'", expected="a text, or a list of sentences")


def _texts(path: str, rows: Sequence[TextRow]) -> HeldTexts:
    digest = _digest((row.item, row.system, row.reference, row.sentences) for row in rows)
    return HeldTexts(path, "run", b"", digest, rows)


def _digest(parts: Iterable[object]) -> str:
    """The SHA-256 of texts and lists of texts, one after another."""
    digest = hashlib.sha256()
    for part in parts:
        digest.update(json.dumps(part).encode())
    return digest.hexdigest()
