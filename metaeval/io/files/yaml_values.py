"""Conversion of YAML values to texts, numbers, scales and numbers of classes, with errors for other values."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

from metaeval.errors import InputError
from metaeval.model.scale import ClassScale

if TYPE_CHECKING:
    from metaeval.io.files.yaml_text import Located


def text(value: Located) -> str:
    """A text; numbers are texts as they are written, such as labels 1, 2, 3."""
    if isinstance(value.value, (str, int, float)) and not isinstance(value.value, bool):
        if "\0" in value.text:
            # Neither names nor contents of files may contain NUL.
            raise InputError.at(found=repr(value.text), expected="a text without NUL")
        return value.text
    raise InputError.at(
        found=shown(value),
        expected="a text",
        hint=f"quote it, as in '{value.text}'" if isinstance(value.value, bool) else "",
    )


def texts(value: Located) -> list[str]:
    """A list of texts; a single text is a list of one."""
    return [text(item) for item in items(value)]


def items(value: Located) -> list[Located]:
    """The values of a list; a single value is a list of one."""
    return value.value if isinstance(value.value, list) else [value]


def scale(value: Located) -> ClassScale:
    """`low<high` or `a,b`, or a list of classes without order."""
    return ClassScale(tuple(texts(value))) if isinstance(value.value, list) else ClassScale.parse(text(value))


def class_numbers(value: Located, key: str) -> Mapping[str, float]:
    """A mapping from class to number, or its text as in `a=.4,b=.6`."""
    if not isinstance(value.value, dict):
        return parse_class_numbers(text(value), option=key)
    return {label: number(each, of=f" for class '{label}'") for label, each in value.value.items()}


def number(value: Located, *, of: str = "") -> float:
    """A finite number; of: its meaning, for the message."""
    result = _finite(value.text)
    if result is None:
        raise InputError.at(found=f"{shown(value)}{of}", expected="a number")
    return result


def _finite(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def parse_class_numbers(text: str, *, option: str) -> Mapping[str, float]:
    """The numbers of `a=.4,b=.6`; option: its name in messages.

    >>> parse_class_numbers("a=.4,b=.6", option="class_weights")
    {'a': 0.4, 'b': 0.6}
    """
    numbers: dict[str, float] = {}
    for part in text.split(","):
        label, _, number = (piece.strip() for piece in part.rpartition("="))
        value = _finite(number)
        if not label or value is None:
            found = f"'{part}' in {option} {text}"
            raise InputError.at(found=found, expected="class=number, as in agree=.4,disagree=.6")
        if label in numbers:
            raise InputError.at(found=f"class '{label}' twice in {option}", expected="every class once")
        numbers[label] = value
    return numbers


def shown(value: Located) -> str:
    """The value in a message."""
    if isinstance(value.value, (dict, list)):
        return "keys" if isinstance(value.value, dict) else "a list"
    if value.value is None:
        return "nothing"
    read_as = f" (which YAML reads as {str(value.value).lower()})" if isinstance(value.value, bool) else ""
    return f"'{value.text}'{read_as}"
