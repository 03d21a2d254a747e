"""Names in a text with separators: a name that has one is in double quotes, as in CSV."""

from __future__ import annotations

import re
from collections.abc import Mapping

SEPARATORS = ",<="


def split_names(text: str, sign: str = ",") -> list[str]:
    """The parts of a text between a sign that is not in double quotes.

    >>> split_names('class="x, y",beta=2')
    ['class="x, y"', 'beta=2']
    """
    outside = r'(?=(?:[^"]*"[^"]*")*[^"]*$)' if text.count('"') % 2 == 0 else ""
    return [part.strip() for part in re.split(re.escape(sign) + outside, text)]


def unquoted(name: str) -> str:
    """A name without the double quotes around it."""
    return name[1:-1] if len(name) > 2 and name[0] == name[-1] == '"' else name


def quoted(name: str) -> str:
    """A name as `unquoted` reads it, in double quotes only where it has a separator.

    >>> quoted("x, y"), quoted("x")
    ('"x, y"', 'x')
    """
    return f'"{name}"' if any(sign in name for sign in SEPARATORS) else name


def names_text(names: Mapping[str, str]) -> str:
    """A text of names by name, as in `Left=L,Right=R`."""
    return ",".join(f"{quoted(old)}={quoted(new)}" for old, new in names.items())
