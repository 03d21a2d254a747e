"""JSON with messages that name the line, and without the silent loss of duplicate keys."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

from metaeval.errors import InputError, Problem, shortened

# Every string is taken whole, or the end of one and the beginning of the next would look like a string too.
_STRING = re.compile(r'("(?:[^"\\]|\\.)*")(\s*:)?')
_NO_LINES = re.compile(r"\s*(?:\[|\{[^\S\n]*(?:\n|\Z))")


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


def reject_no_lines(text: str, path: str, expected: str, *, hint: str = "") -> None:
    """Raise an `InputError` where JSON is a list, or begins with an object over several lines, and no JSON lines.

    expected: what stands on a line. hint: what else to say.
    """
    if _NO_LINES.match(text):
        raise no_json_lines(path, "JSON that spans lines, or a list", expected, hint=hint)


def no_json_lines(path: str, found: str, expected: str, *, hint: str = "") -> InputError:
    """What to say of JSON that is not in lines; as `reject_no_lines`."""
    return InputError.at(
        path,
        1,
        found=found,
        expected=f"JSON lines: an object {expected} on every line",
        hint="`jq -c '.[]'` turns a list into lines" + (f"; {hint}" if hint else ""),
    )


def key_again(members: Pairs, path: str, line: int) -> Problem | None:
    """What is wrong with an object that has a key twice; None where it has none.

    >>> str(key_again(Pairs([("a", 1), ("b", 2), ("a", 3)]), "x.jsonl", 7))
    "x.jsonl:7: key 'a' twice in one object; expected every key once"
    """
    # A million objects have none.
    if len(dict(members)) == len(members):
        return None
    again = next(key for key, times in Counter(key for key, _ in members).items() if times > 1)
    return Problem(f"key '{shortened(again)}' twice in one object", "every key once", path, line)


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
    for match in _STRING.finditer(text):
        # A key may be written with escapes, so it is compared as decoded.
        if match.group(2) and len(lines) < len(keys) and json.loads(match.group(1)) == keys[len(lines)]:
            line += text.count("\n", counted_to, match.start())
            counted_to = match.start()
            lines.append(line)
    return lines
