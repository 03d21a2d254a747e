"""JSON with line numbers in messages, duplicate keys kept, and the kinds of its values in words."""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import Any

from metaeval.errors import InputError, Problem, shortened

# A string is one token: text between two strings must not look like a string.
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"(\s*:)?|[{}]')
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
_KINDS: dict[type, str] = {list: "a list", str: "a text", int: "a number", float: "a number", bool: "a truth value"}
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


def lines_of_members(text: str, within: str = "") -> list[int]:
    r"""The line of each member of the outermost object, or of the object under one of its keys.

    >>> lines_of_members('{"a": 1,\n"b": 2}'), lines_of_members('{"sp": {"a": 1},\n"re": {"a": 2,\n"b": 3}}', "re")
    ([1, 2], [2, 3])
    """
    depth_of_members = 2 if within else 1
    lines: list[int] = []
    depth, line, counted_to, inside = 0, 1, 0, not within
    for match in _TOKEN.finditer(text):
        token = match.group()
        if token in "{}":
            depth += 1 if token == "{" else -1
        elif match.group(1) and depth == 1 and within:
            # Keys may contain escapes, so they are compared decoded.
            inside = json.loads(token[: -len(match.group(1))]) == within
        if match.group(1) and depth == depth_of_members and inside:
            line += text.count("\n", counted_to, match.start())
            counted_to = match.start()
            lines.append(line)
    return lines


def json_cell(value: object) -> str | None:
    """The text of a plain value, '' for null and None for a list or an object."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, (str, int, float)) else None


def kind_of(value: object) -> str:
    """The kind of a parsed JSON value.

    >>> kind_of([]), kind_of(None), kind_of(True)
    ('a list', 'null', 'a truth value')
    """
    if isinstance(value, Pairs):
        return "an object" if value else "an empty object"
    return "null" if value is None else _KINDS[type(value)]


def reject_half_letters(value: object, text: str, path: str, line: int | None = None) -> None:
    """Raise an `InputError` where a parsed JSON text holds one half of a surrogate pair, which nothing can write out.

    value: what was parsed. text: what it was parsed from.
    """
    if not _SURROGATE.search(text):
        return
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        raise InputError.at(
            path,
            line,
            found=f"half a letter (\\u{ord(error.object[error.start]):04x})",
            expected="whole letters",
            hint="a text was cut within a letter: write it again",
        ) from None
    except RecursionError:
        raise InputError.at(path, line, found="JSON nested too deeply", expected="a flat object") from None
