"""What a YAML value has to be: a text, a number, a truth, numbers of classes; and messages where it is not."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

from metaeval.errors import InputError
from metaeval.model.scale import ClassScale

if TYPE_CHECKING:
    from metaeval.io.files.yaml_text import Located


def text(value: Located) -> str:
    """A word; numbers count as words, as in labels 1, 2, 3, and stand as they are written."""
    if isinstance(value.value, (str, int, float)) and not isinstance(value.value, bool):
        if "\0" in value.text:
            # No name of a file holds it, and no file that is read.
            raise InputError.at(found=repr(value.text), expected="a text without NUL")
        return value.text
    raise InputError.at(
        found=shown(value),
        expected="a text",
        hint=f"put it in quotes, as in '{value.text}'" if isinstance(value.value, bool) else "",
    )


def texts(value: Located) -> list[str]:
    """A list of words; a single word is a list of one."""
    return [text(item) for item in items(value)]


def items(value: Located) -> list[Located]:
    """The values of a list; a single value is a list of one."""
    return value.value if isinstance(value.value, list) else [value]


def scale(value: Located) -> ClassScale:
    """`low<high` or `a,b` as on the command line, or a list of names without order."""
    return ClassScale(tuple(texts(value))) if isinstance(value.value, list) else ClassScale.parse(text(value))


def class_numbers(value: Located, key: str) -> Mapping[str, float]:
    """A mapping from class to number, or the text of one as on the command line."""
    if not isinstance(value.value, dict):
        return parse_class_numbers(text(value), option=key)
    return {label: number(each, of=f" for class '{label}'") for label, each in value.value.items()}


def number(value: Located, *, of: str = "") -> float:
    """A finite number; of: what it is the number of, for the message."""
    try:
        found = float(value.text)
    except ValueError:
        found = math.nan
    if not math.isfinite(found):
        raise InputError.at(found=f"{shown(value)}{of}", expected="a number")
    return found


def parse_class_numbers(text: str, *, option: str) -> Mapping[str, float]:
    """The numbers of `a=.4,b=.6`; option: where it was written, for the message.

    >>> parse_class_numbers("a=.4,b=.6", option="--class-weights")
    {'a': 0.4, 'b': 0.6}
    """
    numbers: dict[str, float] = {}
    for part in text.split(","):
        label, equals, number = (piece.strip() for piece in part.rpartition("="))
        try:
            value = float(number)
        except ValueError:
            value = math.nan
        if not equals or not label or not math.isfinite(value):
            raise InputError.at(
                found=f"'{part}' in {option} {text}", expected="class=number, as in agree=.4,disagree=.6"
            )
        if label in numbers:
            raise InputError.at(found=f"class '{label}' twice in {option}", expected="every class once")
        numbers[label] = value
    return numbers


def shown(value: Located) -> str:
    """The value as a message names it."""
    if isinstance(value.value, (dict, list)):
        return "keys" if isinstance(value.value, dict) else "a list"
    if value.value is None:
        return "nothing"
    read_as = f" (which YAML reads as {str(value.value).lower()})" if isinstance(value.value, bool) else ""
    return f"'{value.text}'{read_as}"
