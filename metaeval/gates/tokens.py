"""The tokens of conditions, and problems of conditions, each shown with carets under its token."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeVar

from metaeval.errors import SHOWN_AT_MOST, InputError, Problem, visible

TokenKind = Literal["number", "baseline", "cell", "operator", "minus", "end", "name", "quoted", "wildcard", "other"]
"""What a token is: the last but one are the names in a cell, and 'other' is not part of the language."""

Result = TypeVar("Result")


class Token(NamedTuple):
    """A part of a condition, or a name in a cell. span: its start and end. text: of a quoted name, without quotes."""

    kind: TokenKind
    text: str
    span: tuple[int, int]
    condition: str


@dataclass(frozen=True)
class GateProblem(Problem):
    """A problem of a condition. span: start and end of its place. hint: what to do; '' where nothing is known."""

    condition: str = ""
    span: tuple[int, int] = (0, 0)
    hint: str = ""

    def format(self) -> str:
        """The problem, the condition, carets under the place, and the remedy, each on a line."""
        start, end = self.span
        line = "".join(" " if char.isspace() else char if char.isprintable() else "?" for char in self.condition)
        carets = " " * _width(line[:start]) + "^" * max(1, _width(line[start:end]))
        remedy = f"What to do: {visible(self.hint)}" + ("" if self.hint.endswith("?") else ".")
        return "\n".join([str(self), f"  {line}", f"  {carets}"] + [remedy] * bool(self.hint))


class GateSyntaxError(InputError):
    """Conditions that cannot be read, or that name cells that do not exist; all of their problems at once."""

    problems: tuple[GateProblem, ...]

    def _message(self) -> str:
        count = len(self.problems)
        lines = [f"{count} problems of conditions"] if count > 1 else []
        lines += [problem.format() for problem in self.problems[:SHOWN_AT_MOST]]
        return "\n".join([*lines, f"and {count - SHOWN_AT_MOST} more"] if count > SHOWN_AT_MOST else lines)


def error_at(tokens: Sequence[Token], found: str, expected: str, hint: str = "") -> GateSyntaxError:
    """An error that points at tokens.

    >>> print(error_at([Token("other", "x", (6, 7), "a.b < x")], "'x'", "a number", "write one"))
    'x'; expected a number
      a.b < x
            ^
    What to do: write one.
    """
    span = tokens[0].span[0], tokens[-1].span[1]
    problem = GateProblem(found, expected, condition=tokens[0].condition, span=span, hint=hint)
    return GateSyntaxError([problem], hints=[hint])


def call_all(calls: Iterable[Callable[[], Result]]) -> list[Result]:
    """The results of all calls; the problems of those that fail are raised as one error."""
    results: list[Result] = []
    problems: list[GateProblem] = []
    for call in calls:
        try:
            results.append(call())
        except GateSyntaxError as error:
            problems += error.problems
    if problems:
        raise GateSyntaxError(list(dict.fromkeys(problems)), hints=[problem.hint for problem in problems])
    return results


def _width(text: str) -> int:
    """The number of columns of a terminal that a text takes."""
    wide = sum(unicodedata.east_asian_width(char) in ("W", "F") for char in text)
    return len(text) + wide - sum(unicodedata.category(char) in ("Mn", "Me") for char in text)
