"""JSON text, and rows of JSON lines, lists and objects of objects, with their lines."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import chain, combinations
from operator import eq, methodcaller
from typing import Any

from metaeval.errors import (
    InputError,
    Problem,
    ambiguous,
    excluded,
    no_rows,
    raise_any,
    refuse,
    repeated,
    unreadable,
    wrong_type,
)
from metaeval.io.files.delimited import Rows
from metaeval.io.files.source import Lines

# A string is one token, so that text between two strings is not taken for a string.
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"(\s*:)?|[][{}]')
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
_KINDS: dict[type, str] = {
    dict: "an object",
    list: "a list",
    str: "a text",
    int: "a number",
    float: "a number",
    bool: "a truth value",
}


class JsonObject(dict[str, Any]):
    """The members of a JSON object in order; of a repeated key the last one."""

    def __init__(self, pairs: list[tuple[str, Any]]) -> None:
        super().__init__(pairs)
        self._pairs = pairs if len(pairs) > len(self) else None

    @property
    def pairs(self) -> Sequence[tuple[str, Any]]:
        """The members, those of repeated keys included."""
        return list(self.items()) if self._pairs is None else self._pairs

    @property
    def repeated_key(self) -> str | None:
        """The first key that occurs again."""
        times = Counter(key for key, _ in self._pairs or ())
        return next((key for key in times if times[key] > 1), None)


_DECODER = json.JSONDecoder(object_pairs_hook=JsonObject)


def parse_json(text: str, path: str, *, first_line: int = 1) -> Any:
    """The value of a JSON text, its objects as `JsonObject`; broken JSON is an `InputError` with the line.

    first_line: the line of the file at which the text begins.
    """
    try:
        return _DECODER.decode(text)
    except json.JSONDecodeError as error:
        at_end = not text[error.pos :].strip() or error.msg.startswith("Unterminated string")
        hint = "the file may be truncated: it ends within a value" if at_end else "check quotes, commas and brackets"
        problem = unreadable("JSON", f"{error.msg} at column {error.colno}", hint)
        raise refuse((path, first_line + error.lineno - 1), problem) from None
    except ValueError:
        # Python does not convert integers of thousands of digits.
        raise refuse((path, first_line), unreadable("JSON", "a number with too many digits")) from None
    except RecursionError:
        raise refuse((path, first_line), unreadable("JSON", "nested too deeply")) from None


_MARK = re.compile(r"(?<!\\)((?:\\\\)*)\\ufeff", re.I)
_ID = re.compile(r"item|s?id|.*[_ -]id", re.I)
_BETWEEN = re.compile(r"[\s,:]*")


def texts_of_rows(text: str, path: str, expected: str, *, hint: str = "") -> tuple[Sequence[str], Lines]:
    """The JSON texts of rows, and their lines: of JSON lines, of a list, or of an object of objects.

    The key of an object of objects becomes the member `id` of each that has no id. expected, hint: as in
    `no_json_lines`, the error for another object over several lines.
    """
    if r"\ufeff" in text or r"\uFEFF" in text:
        text = _MARK.sub(r"\1", text)
    start = len(text) - len(text.lstrip())
    if text.startswith("[", start):
        if not parse_json(text, path):
            raise refuse((path, 1), no_rows("an empty list"))
        return _texts_of_members(text, start, ())
    try:
        first, end = _DECODER.raw_decode(text, start)
    except (ValueError, RecursionError):
        # That of broken lines is found with its line.
        first, end = None, start
        if not text[start + 1 :].partition("\n")[0].strip():
            parse_json(text, path)
    is_whole = isinstance(first, JsonObject) and not text[end:].strip()
    if first and is_whole and all(isinstance(value, dict) for _, value in first.pairs):
        return _texts_of_members(text, start, [set(value) for _, value in first.pairs])
    if "\n" in text[start:end]:
        raise no_json_lines(path, "an object over several lines", expected, hint=hint)

    @cache
    def lines() -> list[int]:
        return [number for number, line in enumerate(text.split("\n"), start=1) if line.strip()]

    return list(filter(None, map(str.strip, text.split("\n")))), lines


def _texts_of_members(text: str, start: int, keys: Sequence[set[str]]) -> tuple[list[str], Lines]:
    """The texts of the members of a valid list, or of an object of objects with these keys, and their lines."""
    texts: list[str] = []
    lines: list[int] = []
    position, line, last = start + 1, 1, 0
    while text[position := _BETWEEN.match(text, position).end()] not in "]}":  # type: ignore[union-attr]
        line, last = line + text.count("\n", last, position), position
        if keys:
            name, position = _DECODER.raw_decode(text, position)
            position = _BETWEEN.match(text, position).end()  # type: ignore[union-attr]
        end = _DECODER.raw_decode(text, position)[1]
        member = text[position:end]
        if keys and not any(map(_ID.fullmatch, keys[len(texts)])):
            member = f'{{"id": {json.dumps(name)}{", " if keys[len(texts)] else ""}{member[1:]}'
        texts.append(member)
        lines.append(line)
        position = end
    return texts, lambda: lines


def no_json_lines(path: str, found: str, expected: str, *, hint: str = "") -> InputError:
    """The error for JSON of no rows; expected: the object of a row. hint: a remedy."""
    rows = f"an object {expected} for each row: on a line, in a list, or under its id"
    return refuse((path, 1), wrong_type(found, "", rows, hint))


def problem_of_row(value: object, expected: str) -> Problem | None:
    """The problem of a value that is not an object, or has a repeated key, else None; expected: the object."""
    if not isinstance(value, JsonObject):
        return wrong_type("a line that is not a JSON object", "", f"{expected} on every line")
    return None if value.repeated_key is None else repeated("key", value.repeated_key, hint="")


def lines_of_members(text: str, within: str = "") -> list[int]:
    r"""The line of each member of the outermost object, or of the object under one of its keys.

    >>> lines_of_members('{"a": 1,\n"b": 2}'), lines_of_members('{"sp": {"a": 1},\n"re": {"a": 2,\n"b": 3}}', "re")
    ([1, 2], [2, 3])
    """
    around = ["", within] if within else [""]
    return [line for is_object, path, line in _positions(text) if not is_object and path == around]


def lines_of_elements(text: str, *keys: str) -> list[int]:
    r"""The line of each object in the list under some keys of the outermost object.

    >>> lines_of_elements('{"a": [{"b": [{}]},\n{}], "b": [\n{}]}', "a")
    [1, 2]
    """
    return [line for is_object, path, line in _positions(text) if is_object and path == ["", *keys]]


def _positions(text: str) -> Iterator[tuple[bool, list[str], int]]:
    """Objects (True) and keys of members, with the keys of what is around them, '' in a list, and their lines."""
    path: list[str] = []
    key, line, counted_to = "", 1, 0
    for match in _TOKEN.finditer(text):
        token, colon = match.group(), match.group(1)
        if colon or token == "{":
            line += text.count("\n", counted_to, match.start())
            counted_to = match.start()
            yield not colon, path, line
        if colon:
            # Keys may contain escapes.
            key = json.loads(token[: -len(colon)])
        elif token in "{[":
            path.append(key)
            key = ""
        elif token in "}]":
            path.pop()
            key = ""


def json_cell(value: object) -> str | None:
    """The text of a plain value, '' for null and NaN and None for a list or an object."""
    if value is None or value != value:
        return ""
    if isinstance(value, bool):
        return "True" if value else "False"
    return str(value) if isinstance(value, (str, int, float)) else None


def kind_of(value: object) -> str:
    """The kind of a parsed JSON value.

    >>> kind_of([]), kind_of(None), kind_of(True)
    ('a list', 'null', 'a truth value')
    """
    if isinstance(value, JsonObject):
        return "an object" if value else "an empty object"
    return "null" if value is None else _KINDS[type(value)]


def reject_half_surrogates(value: object, text: str, path: str, line: int | None = None) -> None:
    """Reject a JSON text with one half of a surrogate pair, which cannot be encoded; value: the parsed text."""
    if not _SURROGATE.search(text):
        return
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        reason = f"half of a surrogate pair, \\u{ord(error.object[error.start]):04x}"
        hint = "write the file again: a text was cut within a character"
        raise refuse((path, line), unreadable("JSON", reason, hint)) from None
    except RecursionError:
        raise refuse((path, line), unreadable("JSON", "nested too deeply")) from None


NESTED = "[…]"
"""The text of a cell with an object, or a list of other things than texts and numbers."""


def values_of_list(cell: str) -> list[Any] | None:
    """The texts or numbers of a cell of JSON with several, else None.

    >>> values_of_list('["pos", "neg"]'), values_of_list("[pos]"), values_of_list("pos")
    (['pos', 'neg'], None, None)
    """
    if not cell.startswith("["):
        return None
    try:
        values = json.loads(cell)
    except (ValueError, RecursionError):
        return None
    return values if isinstance(values, list) else None


def no_single(cell: str, where: str = "") -> Problem | None:
    """The problem of a cell of JSON that has no single text or number, else None; where: such as a key."""
    if cell == NESTED:
        return wrong_type("a list or an object", where, "a text or a number")
    return wrong_type(f"the list {cell}", where, "one text or number") if values_of_list(cell) is not None else None


CHUNK_LINES = 10_000
"""Number of lines that are parsed at a time, because objects take much more memory than their cells."""


SPARSE_CELLS = 1 << 20
"""Number of cells above which at least one in a hundred has a value."""


def json_rows(text: str, path: str, expected: str, *, hint: str = "") -> Rows:
    """The objects of `texts_of_rows` as rows; the keys of all objects are columns."""
    texts, lines = texts_of_rows(text, path, expected, hint=hint)
    cells: dict[str, list[str]] = {}
    values = 0
    for start in range(0, len(texts), CHUNK_LINES):
        chunk = texts[start : start + CHUNK_LINES]
        records = _fast_records(chunk) or _checked_records(chunk, path, lines()[start:], expected)
        values += sum(map(len, records))
        keys = dict.fromkeys(chain(cells, chain.from_iterable(records)))
        if len(keys) * (start + len(chunk)) > max(SPARSE_CELLS, 100 * values):
            reason = f"{start + len(chunk):,} objects have {values:,} values"
            hint = "write a row for each score or label"
            problem = excluded(f"{len(keys):,} different keys", reason, "objects with the same keys", hint)
            raise refuse(path, problem)
        for key in keys:
            cells.setdefault(key, [""] * start).extend(_json_cells(records, key))
    columns = {key.strip(): cells[key] for key in cells}
    if len(columns) < len(cells):
        first, other = next((key, other) for key, other in combinations(cells, 2) if key.strip() == other.strip())
        raise refuse((path, 1), ambiguous(first, other))
    return Rows(path, columns, lines)


def json_records(text: str, path: str, expected: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of `texts_of_rows` with their lines. expected: the object of a row.

    All rows that are not one valid object are one `InputError`.
    """
    texts, lines = texts_of_rows(text, path, expected)
    return zip(lines(), _checked_records(texts, path, lines(), expected), strict=True)


def _fast_records(texts: Sequence[str]) -> list[dict[str, Any]] | None:
    """The objects of lines, parsed together; None unless each line is certainly one valid, flat object."""
    text = ",".join(texts)
    # With as many braces as lines, and one at the start of each line, each line has one object.
    if text.count("{") != len(texts) or not all(map(methodcaller("startswith", "{"), texts)):
        return None
    try:
        records: list[dict[str, Any]] = json.loads(f"[{text}]")
        if set(map(type, records)) != {dict} or len(records) != len(texts):
            return None
        # If there are as many colons as keys, no key is repeated; otherwise each object is checked, which is slower.
        if text.count(":") != sum(map(len, records)):
            json.loads(f"[{text}]", object_pairs_hook=_check_keys)
    except (ValueError, RecursionError):
        return None
    return records


def _check_keys(pairs: list[tuple[str, Any]]) -> None:
    if len(dict(pairs)) < len(pairs):
        raise ValueError("repeated key")


def _checked_records(texts: Sequence[str], path: str, lines: Sequence[int], expected: str) -> list[dict[str, Any]]:
    """The objects of lines, parsed one by one; their problems are an `InputError`."""
    values = [parse_json(text, path, first_line=line) for text, line in zip(texts, lines, strict=False)]
    problems = [(problem_of_row(value, expected), line) for value, line in zip(values, lines, strict=False)]
    raise_any([problem.at(path, line) for problem, line in problems if problem], "correct these lines")
    return values


def _json_cells(records: Sequence[dict[str, Any]], key: str) -> list[str]:
    """The texts under a key, '' if it is missing, null or NaN."""
    cells = list(map(methodcaller("get", key), records))
    kinds = set(map(type, cells))
    # Only NaN differs from itself.
    if kinds <= {str, int} or (kinds <= {str, int, float} and all(map(eq, cells, cells))):
        return list(map(str, cells))
    return list(map(cell_of, cells))


def cell_of(value: object) -> str:
    """The text of a value: that of a list of one is the one's, and several are JSON."""
    if isinstance(value, list):
        texts = [json_cell(element) for element in value]
        if None in texts:
            return NESTED
        return "".join(map(str, texts)) if len(texts) < 2 else json.dumps(value, ensure_ascii=False)
    text = json_cell(value)
    return NESTED if text is None else text
