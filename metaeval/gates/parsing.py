"""Parses conditions.

condition   SIDE OPERATOR SIDE, with the operators < <= > >= == !=; begins with a cell
side        OPERAND, or on one of the two sides the difference OPERAND - OPERAND
operand     a cell, a number, true and false (1 and 0), or `baseline`: the same cell in the earlier results; after ==
            and !=, a text in double quotes. A cell of text is compared with a text, by == or !=
cell        TABLE.ROW….COLUMN; '*' is any row or any column
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal, NamedTuple, TypeVar, cast

from metaeval.digits import IN_DIGITS
from metaeval.errors import SHOWN_AT_MOST, InputError, Problem, visible

MAX_LENGTH = 1000
"""Maximum number of characters of a condition."""

_NAME = r'(?:"(?:[^"\\]|\\.)*"|(?:(?!==)[^\s()<>!"\'.])+)'
_TOKEN = re.compile(
    rf"""\s*(?:
    (?P<number>(?:[+-]?(?!0[0-9])(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{{1,2}})?|true|false)(?=[\s<>=!]|\Z)) |
    (?P<baseline>baseline(?=[\s<>=!]|\Z)) |
    (?P<cell>(?=[^\W\d]|"){_NAME}(?:\.{_NAME})+) |
    (?P<text>"(?:[^"\\]|\\.)*"(?=\s|\Z)) |
    (?P<operator>[<>=!]=(?![<>=])|[<>](?![<>=])) |
    (?P<minus>-(?=\s)) |
    (?P<other>[()]|[^\w\s()"'.-]+|[^\s()]+) |
    (?P<end>\Z))""",
    re.VERBOSE | re.DOTALL,
)

_CELL = "a cell, such as TABLE.ROW.COLUMN"
_REPEAT = "write each condition separately: the check fails if any of them holds"
_NO_ARITHMETIC = "compute other numbers beforehand; one difference is allowed, as in scores.a.f1 - scores.b.f1 < 0.02"
_SPACES = 'write spaces around operators, and names with spaces in double quotes: scores."my system".accuracy'
_SIGNS = {"=": "==", "=<": "<=", "≤": "<=", "=>": ">=", "≥": ">=", "<>": "!=", "≠": "!=", "−": "-", "–": "-"}
_REMEDIES = {
    **dict.fromkeys(("and", "or", "&&", "&", "||", "|"), _REPEAT),
    **dict.fromkeys(("not", "!"), "use the opposite operator, such as '>=' for not '<'"),
    **dict.fromkeys("()", "remove the parentheses, or write a name that contains them in double quotes"),
    **dict.fromkeys("+-*/×÷", _NO_ARITHMETIC),
    **dict.fromkeys(("nan", "NaN", "None", "null"), "remove it: a gate fails if a cell is undefined"),
    **{sign: f"write '{meant}'" for sign, meant in _SIGNS.items()},
}
"""Remedies for text that is not part of the language."""

TokenKind = Literal[
    "number", "baseline", "cell", "text", "operator", "minus", "end", "name", "quoted", "wildcard", "other"
]
"""The kind of a token: 'name', 'quoted' and 'wildcard' are names of a cell; 'other' is invalid."""

Result = TypeVar("Result")


class Token(NamedTuple):
    """A part of a condition, or a name in a cell. span: its start and end. text: of a quoted name, without quotes."""

    kind: TokenKind
    text: str
    span: tuple[int, int]
    condition: str


@dataclass(frozen=True)
class GateProblem(Problem):
    """A problem of a condition. span: its start and end. hint: what to do, or ''."""

    condition: str = ""
    span: tuple[int, int] = (0, 0)
    hint: str = ""

    def format(self) -> str:
        """The problem, the condition, carets under the place, and the remedy, each on a line."""
        start, end = self.span
        line = "".join(" " if char.isspace() else char if char.isprintable() else "?" for char in self.condition)
        carets = " " * _width(line[:start]) + "^" * max(1, _width(line[start:end]))
        remedy = f"What to do: {visible(self.hint)}" + ("" if self.hint.endswith("?") else ".")
        lines = [str(self), f"  {line}", f"  {carets}"]
        return "\n".join([*lines, remedy] if self.hint else lines)


class GateSyntaxError(InputError):
    """All problems of conditions that are invalid or have unknown names."""

    problems: tuple[GateProblem, ...]

    def __str__(self) -> str:
        count = len(self.problems)
        lines = [f"{count} problems of conditions"] if count > 1 else []
        lines += [problem.format() for problem in self.problems[:SHOWN_AT_MOST]]
        return "\n".join([*lines, f"and {count - SHOWN_AT_MOST} more"] if count > SHOWN_AT_MOST else lines)


def error_at(tokens: Sequence[Token], found: str, expected: str, hint: str = "") -> GateSyntaxError:
    """An error that points at tokens of one condition."""
    span = tokens[0].span[0], tokens[-1].span[1]
    problem = GateProblem(found, expected, condition=tokens[0].condition, span=span, hint=hint)
    return GateSyntaxError([problem], hints=[hint])


def call_all(calls: Iterable[Callable[[], Result]]) -> list[Result]:
    """The results of all calls; one error has the problems of all that fail."""
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
    """The width of a text in a terminal."""
    wide = sum(unicodedata.east_asian_width(char) in ("W", "F") for char in text)
    return len(text) + wide - sum(unicodedata.category(char) in ("Mn", "Me") for char in text)


class Gate(NamedTuple):
    """A condition that results must not meet. condition: its text. left, right: one operand, or two to subtract."""

    condition: str
    left: tuple[Token, ...]
    operator: str
    right: tuple[Token, ...]


def parse_gates(conditions: Sequence[str], *, baseline: bool) -> tuple[Gate, ...]:
    """The gates of conditions; one error has all problems. baseline: whether there are earlier results."""
    return tuple(call_all(partial(parse_gate, condition, baseline=baseline) for condition in conditions))


def parse_gate(condition: str, *, baseline: bool = True) -> Gate:
    """The gate of one condition; a `GateSyntaxError` shows the first invalid place."""
    if len(condition) > MAX_LENGTH:
        start = Token("other", condition[:40], (0, 40), condition[:40])
        raise error_at([start], f"a condition of {len(condition):,} characters", f"at most {MAX_LENGTH:,}", _REPEAT)
    tokens: list[Token] = []
    while not tokens or tokens[-1].kind != "end":
        match = _TOKEN.match(condition, tokens[-1].span[1] if tokens else 0)
        assert match is not None, "'other' matches everything"
        kind = cast(TokenKind, match.lastgroup)
        token = Token(kind, match[kind], match.span(kind), condition)
        if expected := _expected_instead(token, tokens, baseline=baseline):
            found = f"'{token.text}'" if token.text else "the end"
            raise error_at([token], found, expected[0], _REMEDIES.get(token.text, expected[1]))
        tokens.append(token)
    operator = next(place for place, token in enumerate(tokens) if token.kind == "operator")
    return Gate(condition, tuple(tokens[:operator:2]), tokens[operator].text, tuple(tokens[operator + 1 : -1 : 2]))


def _expected_instead(token: Token, before: Sequence[Token], *, baseline: bool) -> tuple[str, str] | None:
    """What is expected instead of a token, and what to do; None if the token is valid."""
    kinds = [each.kind for each in (*before, token)]
    if len(before) % 2:
        if token.kind == "minus" and kinds.count("minus") == 1 and before[-1].kind != "text":
            return None
        if "operator" in kinds[:-1]:
            return None if token.kind == "end" else ("the end of the condition", _SPACES)
        return None if token.kind == "operator" else ("a comparison, as in stability.cem-ord.mean < 0.6", _SPACES)
    if not before and token.kind != "cell":
        return _CELL, "write the cell first, as in scores.a.f1 > 0.6"
    if token.kind == "text" and before[-1].text in ("==", "!=") and "minus" not in kinds:
        return None
    if token.kind not in ("cell", "number", "baseline"):
        return _operand_instead(token, before, may_be_text="minus" not in kinds)
    cells = [names_of(each) for each in (*before, token) if each.kind == "cell"]
    if sum("wildcard" in [name.kind for name in names] for names in cells) > 1:
        return "one cell with '*'", "name the row of the other one"
    if token.text.startswith("baseline.") or ("baseline" in kinds and kinds.count("cell") > 1):
        return "a cell and its own baseline", "as in scores.a.f1 < baseline - 0.01"
    if token.kind == "baseline" and not baseline:
        return "no baseline, because there are no earlier results", "use check, with the setting baseline"
    return None


def _operand_instead(token: Token, before: Sequence[Token], *, may_be_text: bool) -> tuple[str, str]:
    """What is expected instead of a token that is no operand, and what to do."""
    in_digits = IN_DIGITS if token.text.lstrip("+-")[:1].isdigit() else ""
    if not may_be_text or before[-1].text not in ("==", "!="):
        hint = "compare a cell of text by == or !=, without a difference" if token.kind == "text" else in_digits
        return f"a number, such as 0.6, or {_CELL}", hint
    word = token.text.strip("'")
    hint = f"write a text in double quotes: {quoted(word)}" if word[:1].isalpha() else in_digits
    return f'a number, such as 0.6, a text in double quotes, such as "named", or {_CELL}', hint


def names_of(cell: Token) -> list[Token]:
    """The names between the dots of a cell."""
    names = []
    for match in re.finditer(_NAME, cell.text, re.DOTALL):
        kind: TokenKind = "quoted" if match[0].startswith('"') else "wildcard" if match[0] == "*" else "name"
        text = unquoted(match[0]) if kind == "quoted" else match[0]
        span = cell.span[0] + match.start(), cell.span[0] + match.end()
        names.append(Token(kind, text, span, cell.condition))
    return names


def unquoted(text: str) -> str:
    """A text without its double quotes."""
    return re.sub(r'\\(["\\])', r"\1", text[1:-1])


def quoted(text: str) -> str:
    """A text in double quotes."""
    return '"' + re.sub(r'(["\\])', r"\\\1", text) + '"'


def format_name(name: str, *, is_table: bool = False) -> str:
    r"""A name as it is written in a condition, in quotes if necessary.

    >>> print(format_name("wsk:d=2"), format_name('my "system"'), format_name("a.b"))
    wsk:d=2 "my \"system\"" "a.b"
    """
    is_plain = re.fullmatch(_NAME, name) and '"' not in name and name != "*"
    if is_plain and not (is_table and (name == "baseline" or not name.isidentifier())):
        return name
    return quoted(name)
