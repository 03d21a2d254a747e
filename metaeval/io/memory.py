"""Sequences, arrays and data frames converted to what the readers of files return.

All values become text: a number the shortest text with the same value, None and NaN the empty text of missing values.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import numpy as np

from metaeval.errors import Problem, describe, empty, raise_any, refuse, repeated, shortened, wrong_count, wrong_type
from metaeval.io.files.delimited import InMemoryRows, Rows, reject_twice
from metaeval.io.files.sentences import split
from metaeval.io.labels.columns import InMemoryLabels, RawLabelFile, RawLabels, repeated_ids
from metaeval.io.texts.rows import InMemoryTexts, TextRow, sentences_of

if TYPE_CHECKING:
    from narwhals.typing import IntoFrame, IntoSeries
    from numpy.typing import NDArray

Values: TypeAlias = "Iterable[object] | np.ndarray[Any, Any] | IntoSeries"
"""A value for each item: a list, a tuple, an array, a column of a data frame."""
ByItem: TypeAlias = "Values | Mapping[Any, object]"
"""A value for each item, in the order of gold or by item id."""
Frame: TypeAlias = "IntoFrame | Mapping[str, Values]"
"""A table: a data frame of pandas or polars, an Arrow table or a DuckDB relation, or columns by name."""

LABELS, OUTPUTS, REFERENCES, SOURCES = "<labels>", "<outputs>", "<references>", "<sources>"
GOLD, DISTRIBUTIONS = "<gold>", "<distributions>"

_MISSING = frozenset({"nan", "NaN", "<NA>", "NaT"})
"""The text of values that are missing."""


def labels_from_memory(systems: Mapping[str, ByItem], gold: ByItem, ids: Values | None = None) -> InMemoryLabels:
    """Gold labels and the labels or numbers that systems predicted, joined by position or, if mappings, by id.

    ids: of the items, in the order of gold; otherwise items are numbered from 1. Unequal lengths and empty or repeated
    ids are one `InputError`.
    """
    gold_ids, gold_labels = _ids_and_values(gold, _names(ids), source="gold")
    problems = [] if gold_labels else [empty("gold label", "one for each item").at("gold")]
    gold_ids = gold_ids or [str(number) for number in range(1, len(gold_labels) + 1)]
    problems += [*_unequal("gold", len(gold_labels), len(gold_ids)), *_bad_ids(gold_ids)]
    runs = []
    for system, values in _by_system(systems):
        source = f"system '{system}'"
        run_ids, labels = _ids_and_values(values, source=source)
        problems += [] if run_ids else _unequal(source, len(labels), len(gold_labels))
        runs.append(_raw_labels(source, system, run_ids or gold_ids, labels))
    raise_any(problems, "give every item a unique id, and every system as many labels as gold")
    digest = _digest((gold_ids, gold_labels, *chain.from_iterable((run.system, run.ids, run.labels) for run in runs)))
    labels_of_all = RawLabelFile(_raw_labels("gold", "", gold_ids, gold_labels), tuple(runs))
    return InMemoryLabels(LABELS, "gold", b"", digest, labels_of_all)


def outputs_from_memory(systems: Mapping[str, ByItem], ids: Values | None = None) -> InMemoryTexts:
    """The outputs of systems: for each item a text or a list of its sentences; None if there is no output."""
    rows = [
        row for system, texts in _by_system(systems) for row in _text_rows(texts, ids, f"system '{system}'", system)
    ]
    return _texts(OUTPUTS, rows)


def references_from_memory(references: ByItem, ids: Values | None = None) -> InMemoryTexts:
    """For each item one or several references, each a text or a list of its sentences."""
    rows = []
    for item, value in _by_item(references, ids, "references"):
        texts = [value] if isinstance(value, str) or not isinstance(value, Iterable) else list(value)
        for number, text in enumerate(texts, start=1):
            sentences = _sentences(text, "references", item)
            if sentences is None:
                raise refuse("references", empty(f"text for item '{item}'", "one or several"))
            rows.append(TextRow(item, sentences, 0, reference=str(number)))
    return _texts(REFERENCES, rows)


def sources_from_memory(sources: ByItem, ids: Values | None = None) -> InMemoryTexts:
    """The source text of each item."""
    return _texts(SOURCES, list(_text_rows(sources, ids, "sources")))


def distributions_from_memory(
    systems: Mapping[str, Any], gold: object, labels: Sequence[str], ids: Values | None = None
) -> list[InMemoryRows]:
    """Tables of gold and, if there are any, of all systems, from arrays (N, C) of numbers for each item and class.

    ids: of the items, otherwise numbers from 1. Arrays of other shapes are an `InputError`.
    """
    item_names = _names(ids)
    truth = _matrix(gold, "gold", len(item_names) or None, labels)
    names = item_names or [str(number) for number in range(1, len(truth) + 1)]
    every = {name: _matrix(values, f"system '{name}'", len(names), labels) for name, values in _by_system(systems)}
    rows = np.concatenate([truth[:0], *every.values()])
    gold_table: dict[str, Values] = {"item": names, **dict(zip(labels, truth.T, strict=True))}
    table: dict[str, Values] = {"system": [name for name in every for _ in names], "item": names * len(every)}
    tables = [rows_from_memory(gold_table, GOLD)]
    if every:
        system_rows = rows_from_memory({**table, **dict(zip(labels, rows.T, strict=True))}, DISTRIBUTIONS)
        # Rows are counted in the array of a system.
        numbers = [*range(1, len(names) + 1)] * len(every)
        tables.append(replace(system_rows, rows=replace(system_rows.rows, lines=numbers.copy)))
    return tables


def _matrix(values: object, source: str, items: int | None, labels: Sequence[str]) -> NDArray[np.float64]:
    """An array (N, C) of numbers; an `InputError` where it has another shape. items: N, where it is known."""
    try:
        matrix = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        matrix = np.empty(0)
    if matrix.ndim != 2 or matrix.shape[1] != len(labels) or len(matrix) != (len(matrix) if items is None else items):
        shape = f"({'N' if items is None else items}, {len(labels)})"
        expected = f"an array of numbers of shape {shape}: a row for each item, a column for each class"
        raise refuse(source, wrong_type(describe(matrix if matrix.ndim == 2 else values), "", expected))
    return matrix


def _text_rows(texts: ByItem, ids: Values | None, source: str, system: str = "") -> Iterator[TextRow]:
    for item, text in _by_item(texts, ids, source):
        sentences = _sentences(text, source, item)
        if sentences is not None:
            yield TextRow(item, sentences, 0, system)


def rows_from_memory(table: Frame, path: str) -> InMemoryRows:
    """The rows of a data frame, or of columns by name; path: its name in messages."""
    by_name = columns_of(table, path)
    header = tuple(map(str, by_name.keys()))
    reject_twice(header, path)
    columns = [texts_of(by_name[name], f"{path}: {name}") for name in by_name.keys()]  # noqa: SIM118 (a data frame's)
    if not any(columns):
        raise refuse(path, empty("row", "one for each item"))
    for name, column in zip(header, columns, strict=True):
        if len(column) != len(columns[0]):
            reason = f", as in column '{header[0]}'"
            problem = wrong_count(len(column), "value", len(columns[0]), reason, where=f" in column '{name}'")
            raise refuse(path, problem)
    rows = Rows(path, dict(zip(header, columns, strict=True)), partial(range, 1, len(columns[0]) + 1))
    return InMemoryRows(path, "run", b"", _digest((header, *columns)), rows)


def columns_of(table: Frame, source: str | None) -> Mapping[str, Values]:
    """The columns of a table by name; a mapping, and a data frame of pandas, remain as they are."""
    if hasattr(table, "keys"):
        return cast("Mapping[str, Values]", table)
    import narwhals

    try:
        frame = narwhals.from_native(table)
    except TypeError:
        expected = "a data frame, or columns by name, as in {'item': […], 'NAME': […]}"
        raise refuse(source, wrong_type(describe(table), "", expected)) from None
    whole = frame.collect() if isinstance(frame, narwhals.LazyFrame) else frame
    return {name: whole[name].to_native() for name in whole.columns}


def order_of(values: object) -> tuple[str, ...]:
    """The classes of an ordered categorical column of pandas, or of an Enum of polars, in order; () for other values.

    >>> import pandas
    >>> order_of(pandas.Series(pandas.Categorical(["yes"], ["no", "yes"], ordered=True)))
    ('no', 'yes')
    """
    if not hasattr(values, "dtype") or isinstance(values, np.ndarray):
        return ()
    import narwhals

    series = narwhals.from_native(values, allow_series=True, pass_through=True)
    kind = getattr(series, "dtype", None)
    return tuple(texts_of(kind.categories)) if isinstance(kind, narwhals.Enum) else ()


def texts_of(values: Values, source: str | None = None) -> list[str]:
    """Values as text, as in a file; source: their name in messages.

    >>> import numpy as np
    >>> texts_of([" yes", 1, 1.0, 0.1 + 0.2, None, float("nan"), True])
    ['yes', '1', '1', '0.30000000000000004', '', '', 'True']
    >>> texts_of(np.array([0.5, np.nan]))
    ['0.5', '']
    """
    plain = _to_list(values, source, "a value")
    return list(map(str.strip if set(map(type, plain)) == {str} else _text, plain))


def _to_list(values: Values, source: str | None, noun: str) -> list[Any]:
    """The values as a list; a single value, a table and a set, which has no order, are errors."""
    one_dimensional = isinstance(values, Iterable) and len(getattr(values, "shape", (0,))) == 1
    if isinstance(values, (str, bytes, set, frozenset)) or not one_dimensional:
        expected = f"{noun} for each item: a list, a one-dimensional array or a column of a data frame"
        raise refuse(source, wrong_type(describe(values), "", expected))
    # As arrays and pandas, polars and Arrow name it.
    methods = [getattr(values, name) for name in ("tolist", "to_list", "to_pylist") if hasattr(values, name)]
    return list(methods[0]() if methods else values)


def _by_system(systems: Mapping[str, ByItem]) -> list[tuple[str, ByItem]]:
    """The value of each system, by its name; empty and repeated names are one error."""
    columns = systems if hasattr(systems, "items") else columns_of(systems, "systems")
    pairs = [(_text(name), values) for name, values in columns.items()]
    names = [name for name, _ in pairs]
    problems = [empty("name of a system", "one for each")] if "" in names else []
    twice = sorted({name for name in names if name and names.count(name) > 1})
    problems += [repeated("system", name, hint="names are compared as text: 1 is '1'") for name in twice]
    raise_any([problem.at("systems") for problem in problems])
    return pairs


def _text(value: object) -> str:
    if isinstance(value, str):
        return value.strip()
    plain = value.item() if isinstance(value, np.generic) else value
    text = str(plain)
    if plain is None or text in _MISSING:
        return ""
    if isinstance(plain, Decimal):
        plain = float(plain)
    # In pandas, integers with a missing value are floats: 1 would become 1.0.
    return str(int(plain)) if isinstance(plain, float) and plain.is_integer() else str(plain)


def _names(ids: Values | None) -> list[str]:
    return [] if ids is None else texts_of(ids, "ids")


def _ids_and_values(values: ByItem, ids: Sequence[str] = (), *, source: str) -> tuple[list[str], list[str]]:
    """The ids, those of a mapping or `ids`, and the values."""
    if isinstance(values, Mapping):
        return texts_of(values.keys(), source), texts_of(values.values(), source)
    return list(ids), texts_of(values, source)


def _raw_labels(source: str, system: str, ids: Sequence[str], labels: Sequence[str]) -> RawLabels:
    # `partial`, because a lambda cannot be pickled.
    return RawLabels(source, system, ids, labels, partial(range, 1, len(labels) + 1))


def _unequal(source: str, number: int, expected: int) -> list[Problem]:
    if number == expected:
        return []
    return [wrong_count(number, "label", expected, ", one for each item").at(source)]


def _bad_ids(ids: Sequence[str]) -> list[Problem]:
    without = [empty("id").at("ids", line) for line, name in enumerate(ids, start=1) if not name]
    return without + repeated_ids(ids, partial(range, 1, len(ids) + 1), "ids")


def _by_item(texts: ByItem, ids: Values | None, source: str) -> list[tuple[str, object]]:
    """The id and the text of each item; without ids, items are numbered from 1."""
    if isinstance(texts, Mapping):
        return [(_text(item), text) for item, text in texts.items()]
    plain = _to_list(texts, source, "a text")
    names = _names(ids) if ids is not None else [str(number) for number in range(1, len(plain) + 1)]
    if len(names) != len(plain):
        raise refuse(source, wrong_count(len(plain), "text", len(names), ", one for each id"))
    return list(zip(names, plain, strict=True))


def _sentences(text: object, source: str, item: str) -> list[str] | None:
    """The sentences of a text; None if it is missing."""
    if isinstance(text, str):
        return split(text)
    if isinstance(text, Hashable) and not _text(text):
        return None
    sentences = sentences_of(list(text) if isinstance(text, Iterable) else [text])
    if sentences is None:
        raise refuse(source, wrong_type(shortened(repr(text)), f" for item '{item}'", "a text, or a list of sentences"))
    return sentences


def _texts(path: str, rows: Sequence[TextRow]) -> InMemoryTexts:
    digest = _digest((row.item, row.system, row.reference, row.sentences) for row in rows)
    return InMemoryTexts(path, "run", b"", digest, rows)


def _digest(parts: Iterable[object]) -> str:
    """The SHA-256 of a sequence of texts and lists of texts."""
    digest = hashlib.sha256()
    for part in parts:
        digest.update(json.dumps(part).encode())
    return digest.hexdigest()
