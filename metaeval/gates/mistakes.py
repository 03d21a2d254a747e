"""What is wrong with conditions, each told below the place where it is wrong."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from metaeval.errors import SHOWN_AT_MOST, InputError, Problem

Span = tuple[int, int]
"""Where something stands in the text of a condition: its first character, and the one after its last."""


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
        start, end = self.span
        carets = " " * _width(self.condition[:start]) + "^" * max(1, _width(self.condition[start:end]))
        return [str(Problem(self.found, self.expected)), f"  {_on_a_line(self.condition)}", f"  {carets}"]


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
            lines += mistake.told()
            if mistake.hint:
                lines.append(f"What to do: {mistake.hint}" + ("" if mistake.hint.endswith("?") else "."))
        if len(self.mistakes) > len(shown):
            lines.append(f"and {len(self.mistakes) - len(shown)} more")
        return "\n".join(lines)


def _on_a_line(text: str) -> str:
    """A text in which every character takes the place that `_width` says."""
    return "".join(" " if char.isspace() else char if char.isprintable() or _width(char) == 0 else "?" for char in text)


def _width(text: str) -> int:
    """How many places a text takes in a terminal."""
    return sum(_places(char) for char in text)


def _places(char: str) -> int:
    if unicodedata.category(char) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in ("W", "F") else 1
