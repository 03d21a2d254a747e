"""Sequences, arrays and data frames as readers would give them had they stood in files.

Everything becomes text on the way, as in a file: a number the shortest text that gives the same number back, None and
NaN the empty text, which stands for what is missing.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Hashable, Iterable, Mapping, Sequence
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from metaeval.errors import InputError, Problem, counted, described
from metaeval.io.files.delimited import InMemoryRows, Rows
from metaeval.io.files.sentences import split
from metaeval.io.labels.raw_labels import InMemoryLabels, RawLabelFile, RawLabels
from metaeval.io.texts.rows import InMemoryTexts, TextRow

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


def labels_from_memory(systems: Mapping[str, ByItem], gold: ByItem, ids: Values | None = None) -> InMemoryLabels:
    """Gold labels and those (or numbers) that systems predicted, joined by place or, where they are mappings, by id.

    ids: of the items, in the order of gold; without them items are numbered from 1. Other lengths than gold's, and ids
    that are empty or stand twice, are one `InputError`.
    """
    gold_ids, gold_labels = _of_items(gold, _names(ids), place="gold")
    problems = [] if gold_labels else [Problem("no item", "a gold label for each item", "gold")]
    gold_ids = gold_ids or [str(number) for number in range(1, len(gold_labels) + 1)]
    problems += [*_unequal("gold", len(gold_labels), len(gold_ids)), *_bad_ids(gold_ids)]
    runs = []
    for system, values in _by_system(systems):
        place = f"system '{system}'"
        own_ids, labels = _of_items(values, place=place)
        problems += [] if own_ids else _unequal(place, len(labels), len(gold_labels))
        runs.append(_answers(place, system, own_ids or gold_ids, labels))
    if problems:
        raise InputError(problems, hints=["give every item an id of its own, and every system as many labels as gold"])
    told = chain.from_iterable((run.system, run.ids or (), run.labels) for run in runs)
    digest = _digest((gold_ids, gold_labels, *told))
    answers = RawLabelFile(_answers("gold", "", gold_ids, gold_labels), tuple(runs))
    return InMemoryLabels(LABELS, "gold", b"", digest, answers)


def outputs_from_memory(systems: Mapping[str, ByItem], ids: Values | None = None) -> InMemoryTexts:
    """What systems wrote: for each item a text, or a list of its sentences; None where there is nothing."""
    rows = [
        TextRow(item, sentences, 0, system)
        for system, texts in _by_system(systems)
        for item, text in _by_item(texts, ids, f"system '{system}'")
        if (sentences := _sentences(text, f"system '{system}'", item)) is not None
    ]
    return _texts(OUTPUTS, rows)


def references_from_memory(references: ByItem, ids: Values | None = None) -> InMemoryTexts:
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


def sources_from_memory(sources: ByItem, ids: Values | None = None) -> InMemoryTexts:
    """The text of each item that the systems were given."""
    rows = [
        TextRow(item, sentences, 0)
        for item, text in _by_item(sources, ids, "sources")
        if (sentences := _sentences(text, "sources", item)) is not None
    ]
    return _texts(SOURCES, rows)


def rows_from_memory(table: Frame, path: str) -> InMemoryRows:
    """The rows of a data frame, or of columns by name; path: what messages call it."""
    if not hasattr(table, "keys"):
        raise InputError.at(
            path,
            found=described(table),
            expected="a data frame of pandas, or columns by name",
            hint="name the columns, as in {'item': […], 'NAME': […]}",
        )
    header = tuple(map(str, table.keys()))
    twice = sorted({name for name in header if header.count(name) > 1})
    if twice:
        raise InputError.at(path, found=f"column '{twice[0]}' twice", expected="every column name once")
    columns = [texts_of(table[name], f"{path}: {name}") for name in table.keys()]  # noqa: SIM118 (a data frame's)
    lengths = {len(column) for column in columns}
    if len(lengths) > 1:
        found = ", ".join(f"{len(column):,} under '{name}'" for name, column in zip(header, columns, strict=True))
        raise InputError.at(path, found=found, expected="equally many values under each name")
    if lengths in (set(), {0}):
        raise InputError.at(path, found="a table without rows", expected="a row for every item")
    body = list(zip(*columns, strict=True))
    rows = Rows(path, header, body, partial(range, 1, len(body) + 1))
    return InMemoryRows(path, "run", b"", _digest((header, *columns)), rows)


def texts_of(values: Values, place: str | None = None) -> list[str]:
    """Values as a file would hold them; place: what messages call them.

    >>> import numpy as np
    >>> texts_of([" yes", 1, 1.0, 0.1 + 0.2, None, float("nan"), True])
    ['yes', '1', '1', '0.30000000000000004', '', '', 'True']
    >>> texts_of(np.array([0.5, np.nan]))
    ['0.5', '']
    """
    plain = _each(values, place, "a value")
    return list(map(str.strip if set(map(type, plain)) == {str} else _text, plain))


def _each(values: Values, place: str | None, noun: str) -> list[Any]:
    """The values one by one; what is a single one, a table, or a set, which has no order, is an error."""
    in_a_row = isinstance(values, Iterable) and getattr(values, "ndim", 1) == 1
    if isinstance(values, (str, bytes, set, frozenset)) or not in_a_row:
        raise InputError.at(
            place,
            found=described(values),
            expected=f"{noun} for each item",
            hint="give a list, an array of one dimension or a column of a data frame",
        )
    return list(values.tolist() if hasattr(values, "tolist") else values)


def _by_system(systems: Mapping[str, ByItem]) -> list[tuple[str, ByItem]]:
    """What stands for each system, by its name; names that are empty or stand twice are one error."""
    if not hasattr(systems, "items"):
        raise InputError.at(
            "systems",
            found=described(systems),
            expected="what each system predicted or wrote, by its name",
            hint="name the systems, as in {'NAME': […]}",
        )
    named = [(_text(name), values) for name, values in systems.items()]
    names = [name for name, _ in named]
    problems = [Problem("an empty name", "a name for every system", "systems")] if "" in names else []
    twice = sorted({name for name in names if name and names.count(name) > 1})
    problems += [Problem(f"system '{name}' twice", "every name once", "systems") for name in twice]
    if problems:
        raise InputError(problems, hints=["names are compared as texts: 1 is '1'" if twice else ""])
    return named


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
    return [] if ids is None else texts_of(ids, "ids")


def _of_items(given: ByItem, ids: Sequence[str] = (), *, place: str) -> tuple[list[str], list[str]]:
    """The ids that stand with the values, or those given, and the values."""
    if isinstance(given, Mapping):
        return texts_of(given.keys(), place), texts_of(given.values(), place)
    return list(ids), texts_of(given, place)


def _answers(place: str, system: str, ids: Sequence[str], labels: Sequence[str]) -> RawLabels:
    # No lambda, which could not be pickled.
    return RawLabels(place, system, ids, labels, partial(range, 1, len(labels) + 1))


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
    told = _each(texts, place, "a text")
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


def _texts(path: str, rows: Sequence[TextRow]) -> InMemoryTexts:
    digest = _digest((row.item, row.system, row.reference, row.sentences) for row in rows)
    return InMemoryTexts(path, "run", b"", digest, rows)


def _digest(parts: Iterable[object]) -> str:
    """The SHA-256 of texts and lists of texts, one after another."""
    digest = hashlib.sha256()
    for part in parts:
        digest.update(json.dumps(part).encode())
    return digest.hexdigest()
