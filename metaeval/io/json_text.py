"""JSON with messages that name the line, and without the silent loss of duplicate keys."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from metaeval.errors import InputError, Problem

_KEY = re.compile(r'"(?:[^"\\]|\\.)*"(?=\s*:)')


class Pairs(list[tuple[str, Any]]):
    """The members of a JSON object in their order, duplicate keys and all."""


_DECODER = json.JSONDecoder(object_pairs_hook=Pairs)


def parse_json(text: str, path: str, *, first_line: int = 1) -> Any:
    """The value of a JSON text, its objects as `Pairs`; broken JSON is an `InputError` with the line.

    first_line: the line at which the text stands in its file.
    """
    try:
        return _DECODER.decode(text)
    except json.JSONDecodeError as error:
        at_end = not text[error.pos :].strip() or error.msg.startswith("Unterminated string")
        raise InputError.at(
            path,
            first_line + error.lineno - 1,
            found=f"broken JSON at column {error.colno} ({error.msg})",
            expected="valid JSON",
            hint="the file ends in the middle: it may be truncated"
            if at_end
            else "check quotes, commas and brackets there",
        ) from None
    except ValueError:
        # Python refuses whole numbers of thousands of digits.
        raise InputError.at(path, first_line, found="a number too long to be one", expected="valid JSON") from None
    except RecursionError:
        raise InputError.at(path, first_line, found="JSON nested too deeply", expected="a flat object") from None


def reject_duplicates(keys: Sequence[str], lines: Sequence[int], path: str) -> None:
    """Raise an `InputError` naming every key that an object has twice."""
    first: dict[str, int] = {}
    problems = []
    for key, line in zip(keys, lines, strict=True):
        if key in first:
            problems.append(Problem(f"id '{key}' again, first on line {first[key]}", "every id once", path, line))
        first.setdefault(key, line)
    if problems:
        raise InputError(problems, hints=["remove the duplicates"])


def lines_of_keys(text: str, keys: Sequence[str]) -> list[int]:
    r"""The line of each key; keys are those of an object, in the order in which they stand in the text.

    >>> lines_of_keys('{"a": 1,\n"b": 2}', ["a", "b"])
    [1, 2]
    """
    lines: list[int] = []
    line, counted_to = 1, 0
    for match in _KEY.finditer(text):
        # A key may be written with escapes, so it is compared as decoded.
        if len(lines) < len(keys) and json.loads(match.group()) == keys[len(lines)]:
            line += text.count("\n", counted_to, match.start())
            counted_to = match.start()
            lines.append(line)
    return lines
