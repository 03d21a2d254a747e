"""Conversion of YAML values to texts and scales, with errors for other values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from metaeval.digits import BITS, IN_DIGITS
from metaeval.errors import refuse, shortened, wrong_type
from metaeval.model.scale import ClassScale

if TYPE_CHECKING:
    from metaeval.io.files.yaml_text import Located


def text(value: Located) -> str:
    """A text; numbers are texts as they are written, such as labels 1, 2, 3."""
    if isinstance(value.value, (str, int, float)) and not isinstance(value.value, bool):
        if "\0" in value.text:
            # Neither names nor contents of files may contain NUL.
            raise refuse(None, wrong_type(repr(value.text), "", "a text without NUL"))
        return value.text
    hint = f"quote it, as in '{value.text}'" if isinstance(value.value, bool) else ""
    raise refuse(None, wrong_type(shown(value), "", "a text", hint))


def texts(value: Located) -> list[str]:
    """A list of texts; a single text is a list of one."""
    return [text(item) for item in items(value)]


def items(value: Located) -> list[Located]:
    """The values of a list; a single value is a list of one."""
    return value.value if isinstance(value.value, list) else [value]


def scale(value: Located) -> ClassScale:
    """`low<high` or `a,b`, or a list of classes without order."""
    return ClassScale(tuple(texts(value))) if isinstance(value.value, list) else ClassScale.parse(text(value))


def in_place_of(value: Located) -> str:
    """What to write in place of a number that people read otherwise than YAML, or that is too large; else ''."""
    from metaeval.io.files.yaml_text import OLD_NUMBER

    is_large = isinstance(value.value, int) and value.value.bit_length() > BITS
    if not is_large and not OLD_NUMBER.fullmatch(value.text):
        return ""
    digits = value.text.replace("_", "").lstrip("0")
    return f"write {digits}" if digits.isdecimal() and len(digits) <= 18 else IN_DIGITS


def shown(value: Located) -> str:
    """The value in a message."""
    if isinstance(value.value, (dict, list)):
        return "keys" if isinstance(value.value, dict) else "a list"
    if value.value is None:
        return "nothing"
    read_as = f" (which YAML reads as {str(value.value).lower()})" if isinstance(value.value, bool) else ""
    return f"'{shortened(value.text)}'{read_as}"
