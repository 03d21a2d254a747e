"""Rows of JSON lines."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import chain, combinations
from operator import methodcaller
from typing import Any

from metaeval.errors import Problem, ambiguous, raise_any, refuse
from metaeval.io.files.delimited import Rows
from metaeval.io.files.json_text import Pairs, json_cell, key_again, no_object, parse_json, reject_no_lines

NESTED = "[…]"
"""The text of a cell with a list or an object."""

CHUNK_LINES = 10_000
"""Number of lines that are parsed at a time, because objects take much more memory than their cells."""


SPARSE_CELLS = 1 << 20
"""Number of cells above which at least one in a hundred has a value."""


def json_rows(text: str, path: str, expected: str) -> Rows:
    """The objects of JSON lines as rows; the keys of all objects are columns. expected: the object of a line."""
    texts = list(filter(None, map(str.strip, text.split("\n"))))

    @cache
    def lines() -> list[int]:
        return [number for number, line in enumerate(text.split("\n"), start=1) if line.strip()]

    cells: dict[str, list[str]] = {}
    values = 0
    for start in range(0, len(texts), CHUNK_LINES):
        chunk = texts[start : start + CHUNK_LINES]
        records = _fast_records(chunk) or _checked_records(chunk, path, lines()[start:], expected)
        values += sum(map(len, records))
        keys = dict.fromkeys(chain(cells, chain.from_iterable(records)))
        if len(keys) * (start + len(chunk)) > max(SPARSE_CELLS, 100 * values):
            found = f"{len(keys):,} different keys in {start + len(chunk):,} objects, which have {values:,} values"
            hint = "write a row for each score or label"
            raise refuse(path, found, "objects with the same keys", hint, kind="count")
        for key in keys:
            cells.setdefault(key, [""] * start).extend(_json_cells(records, key))
    columns = {key.strip(): cells[key] for key in cells}
    if len(columns) < len(cells):
        first, other = next((key, other) for key, other in combinations(cells, 2) if key.strip() == other.strip())
        raise refuse((path, 1), ambiguous(first, other))
    return Rows(path, tuple(columns), list(zip(*columns.values(), strict=True)), lines)


def json_records(text: str, path: str, expected: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of JSON lines with their lines; nested ones are `Pairs`. expected: the object of a line.

    All lines that are not one valid object are one `InputError`.
    """
    reject_no_lines(text, path, expected)
    lines, texts = zip(
        *((line, text) for line, text in enumerate(text.split("\n"), start=1) if text.strip()), strict=True
    )
    return zip(lines, _checked_records(texts, path, lines, expected), strict=True)


def _fast_records(texts: Sequence[str]) -> list[dict[str, Any]] | None:
    """The objects of lines, parsed together; None unless each line is certainly one valid, flat object."""
    joined = ",".join(texts)
    # With as many braces as lines, and one at the start of each line, each line has one object.
    if joined.count("{") != len(texts) or not all(map(methodcaller("startswith", "{"), texts)):
        return None
    try:
        records: list[dict[str, Any]] = json.loads(f"[{joined}]")
        if set(map(type, records)) != {dict} or len(records) != len(texts):
            return None
        # If there are as many colons as keys, no key is repeated; otherwise each object is checked, which is slower.
        if joined.count(":") != sum(map(len, records)):
            json.loads(f"[{joined}]", object_pairs_hook=_check_keys)
    except (ValueError, RecursionError):
        return None
    return records


def _check_keys(pairs: list[tuple[str, Any]]) -> None:
    if len(dict(pairs)) < len(pairs):
        raise ValueError("repeated key")


def _checked_records(texts: Sequence[str], path: str, lines: Sequence[int], expected: str) -> list[dict[str, Any]]:
    """The objects of lines, parsed one by one; their problems are an `InputError`."""
    members = [parse_json(text, path, first_line=line) for text, line in zip(texts, lines, strict=False)]
    problems: list[Problem] = []
    for pairs, line in zip(members, lines, strict=False):
        if not isinstance(pairs, Pairs):
            problems.append(no_object(expected).at(path, line))
        elif again := key_again(pairs, path, line):
            problems.append(again)
    raise_any(problems, "correct these lines")
    return list(map(dict, members))


def _json_cells(records: Sequence[dict[str, Any]], key: str) -> list[str]:
    """The texts under a key, '' if it is missing or null."""
    cells = list(map(methodcaller("get", key), records))
    if set(map(type, cells)) <= {str, int, float}:
        return list(map(str, cells))
    return [NESTED if (text := json_cell(cell)) is None else text for cell in cells]
