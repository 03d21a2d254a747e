"""What JSON values are, in words for messages; and texts in them that are none."""

from __future__ import annotations

import json
import re

from metaeval.errors import InputError
from metaeval.io.files.json_text import Pairs

_KINDS: dict[type, str] = {list: "a list", str: "a text", int: "a number", float: "a number", bool: "a truth value"}
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


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
