"""What is wrong with conditions, each told below the place where it is wrong."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from metaeval.errors import SHOWN_AT_MOST, InputError, Problem, visible

Span = tuple[int, int]
"""Where something stands in the text of a condition: its first character, and the one after its last."""


_BESIDE = 40
"""Characters of a long condition that are shown on either side of a place."""

_LONGEST = 160
"""Characters of a condition on a line."""

_LONGEST_TEXT = 400
"""Characters of what was found, and of a hint: they may quote a condition, too."""


@dataclass(frozen=True)
class Mistake:
    """One thing that is wrong with a condition.

    condition: its text. span: where. found, expected, hint: as in an `InputError`.
    """

    condition: str
    span: Span
    found: str
    expected: str = ""
    hint: str = ""

    def told(self) -> list[str]:
        r"""The problem, the condition, and a line of carets under the place.

        >>> print(*Mistake("a.b <", (5, 5), "the end", "a number").told(), sep="\n")
        the end; expected a number
          a.b <
               ^
        """
        condition, (start, end) = _around(self.condition, self.span)
        carets = " " * _width(condition[:start]) + "^" * max(1, _width(condition[start:end]))
        return [str(Problem(_elided(self.found), self.expected)), f"  {_on_a_line(condition)}", f"  {carets}"]

    def remedy(self) -> str:
        """The hint as a sentence, on a line; '' where there is none."""
        if not self.hint:
            return ""
        return f"What to do: {visible(_elided(self.hint))}" + ("" if self.hint.endswith("?") else ".")


class ConditionError(InputError):
    """Conditions that can't be read, or that name what is not there; all of them at once.

    >>> print(ConditionError([Mistake("a.b < x", (6, 7), "'x'", "a number", "write one")]))
    'x'; expected a number
      a.b < x
            ^
    What to do: write one.
    """

    def __init__(self, mistakes: Sequence[Mistake]) -> None:
        self.mistakes = tuple(mistakes)
        problems = [Problem(mistake.found, mistake.expected) for mistake in mistakes]
        super().__init__(problems, hints=[mistake.hint for mistake in mistakes])

    def _message(self) -> str:
        shown = self.mistakes[:SHOWN_AT_MOST]
        lines = [f"{len(self.mistakes)} problems of conditions"] if len(self.mistakes) > 1 else []
        for mistake in shown:
            lines += [line for line in (*mistake.told(), mistake.remedy()) if line]
        if len(self.mistakes) > len(shown):
            lines.append(f"and {len(self.mistakes) - len(shown)} more")
        return "\n".join(lines)


def _around(condition: str, span: Span) -> tuple[str, Span]:
    """A condition without what is far from a place of it, and where that stands then.

    >>> _around("a" * 500 + " < x", (503, 504))
    ('…aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa < x', (41, 42))
    """
    if len(condition) <= _LONGEST:
        return condition, span
    first = max(0, span[0] - _BESIDE)
    last = min(len(condition), span[1] + _BESIDE, first + _LONGEST)
    before, after = "…" if first else "", "…" if last < len(condition) else ""
    shift = len(before) - first
    return before + condition[first:last] + after, (span[0] + shift, min(span[1], last) + shift)


def _elided(text: str) -> str:
    """Both ends of what is long."""
    half = _LONGEST_TEXT // 2
    return text if len(text) <= _LONGEST_TEXT else f"{text[:half]} … {text[-half:]}"


def _on_a_line(text: str) -> str:
    """A text in which every character takes the place that `_width` says."""
    return "".join(" " if char.isspace() else char if char.isprintable() or _width(char) == 0 else "?" for char in text)


def _width(text: str) -> int:
    """How many places a text takes in a terminal."""
    return sum(_places(char) for char in text)


def _places(char: str) -> int:
    if unicodedata.category(char) in ("Mn", "Me", "Cf") and visible(char) == char:
        return 0
    return 2 if unicodedata.east_asian_width(char) in ("W", "F") else 1
