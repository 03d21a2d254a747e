"""Names in a text with separators, where a name that has one is in double quotes, as in CSV; and patterns of names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase

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


def matches(name: str, patterns: Iterable[str]) -> bool:
    """Whether a name is one of the patterns, as in the shell, or is matched by one.

    >>> matches("bleu-4", ["bleu*"]), matches("f[1]", ["f[1]"]), matches("bleu-4", ["bleu"])
    (True, True, False)
    """
    return any(name == pattern or fnmatchcase(name, pattern) for pattern in patterns)


def is_pattern(measure: str) -> bool:
    """Whether the name of a measure is a pattern of names; values of parameters may hold any characters.

    >>> is_pattern("mae*"), is_pattern("mae:*"), is_pattern("f1:class=what?")
    (True, True, False)
    """
    return any(sign in measure.partition("=")[0] for sign in "*?[")


def match_names(patterns: Iterable[str], names: Iterable[str]) -> tuple[str, ...]:
    """The names that patterns match, in the order of the patterns; a pattern that is a name matches only itself.

    >>> match_names(["rouge*", "bleu"], ["bleu", "rouge-1", "rouge-l"])
    ('rouge-1', 'rouge-l', 'bleu')
    """
    names = dict.fromkeys(names)
    groups = (
        [pattern] if pattern in names else [name for name in names if matches(name, [pattern])] for pattern in patterns
    )
    return tuple(dict.fromkeys(name for group in groups for name in group))
