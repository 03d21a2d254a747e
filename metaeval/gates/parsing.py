"""Reads conditions; nothing is executed.

condition   SIDE OPERATOR SIDE, with the operators < <= > >= == !=; it begins with a cell
side        OPERAND, or on one of the two sides the difference OPERAND - OPERAND
operand     a cell, a number, true and false (1 and 0), or `baseline`: the same cell in the earlier results
cell        TABLE.ROW….COLUMN; '*' is any row or any column
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from typing import NamedTuple, cast

from metaeval.gates.tokens import Token, TokenKind, call_all, error_at

MAX_LENGTH = 1000
"""Number of characters that a condition may have."""

_NAME = r'(?:"(?:[^"\\]|\\.)*"|(?:(?!==)[^\s()<>!"\'.])+)'
_TOKEN = re.compile(
    rf"""\s*(?:
    (?P<number>(?:[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{{1,2}})?|true|false)(?=[\s<>=!]|\Z)) |
    (?P<baseline>baseline(?=[\s<>=!]|\Z)) |
    (?P<cell>(?=[^\W\d]|"){_NAME}(?:\.{_NAME})+) |
    (?P<operator>[<>=!]=(?![<>=])|[<>](?![<>=])) |
    (?P<minus>-(?=\s)) |
    (?P<other>[()]|[^\w\s()"'.-]+|[^\s()]+) |
    (?P<end>\Z))""",
    re.VERBOSE | re.DOTALL,
)

_CELL = "a cell, as TABLE.ROW.COLUMN"
_REPEAT = "repeat fail_if for each condition: the check fails where any of them holds"
_NO_ARITHMETIC = "compute other numbers beforehand; one difference may be written, as scores.a.f1 - scores.b.f1 < 0.02"
_SPACES = 'write spaces around operators, and names with spaces in double quotes: scores."my system".accuracy'
_SIGNS = {"=": "==", "=<": "<=", "≤": "<=", "=>": ">=", "≥": ">=", "<>": "!=", "≠": "!=", "−": "-", "–": "-"}
_REMEDIES = {
    **dict.fromkeys(("and", "or", "&&", "&", "||", "|"), _REPEAT),
    **dict.fromkeys(("not", "!"), "use the opposite operator, such as '>=' for not '<'"),
    **dict.fromkeys("()", "leave the parentheses out; a name that contains them is written in double quotes"),
    **dict.fromkeys("+-*/×÷", _NO_ARITHMETIC),
    **dict.fromkeys(("nan", "NaN", "None", "null"), "leave it out: a gate fails where a cell is undefined"),
    **{sign: f"write '{meant}'" for sign, meant in _SIGNS.items()},
}
"""What to do about text that is not part of the language."""


class Gate(NamedTuple):
    """A condition that results must not meet. condition: its text. left, right: one operand, or two to subtract."""

    condition: str
    left: tuple[Token, ...]
    operator: str
    right: tuple[Token, ...]


def parse_gates(conditions: Sequence[str], *, baseline: bool) -> tuple[Gate, ...]:
    """The gates of conditions, with the problems of all in one error; baseline: whether there are earlier results."""
    return tuple(call_all(partial(parse_gate, condition, baseline=baseline) for condition in conditions))


def parse_gate(condition: str, *, baseline: bool = True) -> Gate:
    """The gate of one condition; a `GateSyntaxError` points at the first place that cannot be read.

    >>> parse_gate("scores.a.f1 < baseline - 0.01").operator
    '<'
    """
    if len(condition) > MAX_LENGTH:
        start = Token("other", condition[:40], (0, 40), condition[:40])
        raise error_at([start], f"a condition of {len(condition):,} characters", f"at most {MAX_LENGTH:,}", _REPEAT)
    tokens: list[Token] = []
    while not tokens or tokens[-1].kind != "end":
        match = _TOKEN.match(condition, tokens[-1].span[1] if tokens else 0)
        assert match is not None, "what is nothing else is 'other'"
        kind = cast(TokenKind, match.lastgroup)
        token = Token(kind, match[kind], match.span(kind), condition)
        if expected := _expected_instead(token, tokens, baseline=baseline):
            found = f"'{token.text}'" if token.text else "the end"
            raise error_at([token], found, expected[0], _REMEDIES.get(token.text, expected[1]))
        tokens.append(token)
    operator = next(place for place, token in enumerate(tokens) if token.kind == "operator")
    return Gate(condition, tuple(tokens[:operator:2]), tokens[operator].text, tuple(tokens[operator + 1 : -1 : 2]))


def _expected_instead(token: Token, before: Sequence[Token], *, baseline: bool) -> tuple[str, str] | None:
    """What is expected instead of a token, and what to do; None where the token may follow those before it."""
    kinds = [each.kind for each in (*before, token)]
    if len(before) % 2:
        if token.kind == "minus" and kinds.count("minus") == 1:
            return None
        if "operator" in kinds[:-1]:
            return None if token.kind == "end" else ("the end of the condition", _SPACES)
        return None if token.kind == "operator" else ("a comparison, as stability.cem-ord.mean < 0.6", _SPACES)
    if not before and token.kind != "cell":
        return _CELL, "write the cell first, as in scores.a.f1 > 0.6"
    if token.kind not in ("cell", "number", "baseline"):
        return f"a number, as 0.6, or {_CELL}", ""
    if has_wildcard(token) and any(map(has_wildcard, before)):
        return "one cell with '*'", "name the row of the other one"
    if token.text.startswith("baseline.") or ("baseline" in kinds and kinds.count("cell") > 1):
        return "a cell and its own baseline", "as in scores.a.f1 < baseline - 0.01"
    if token.kind == "baseline" and not baseline:
        return "no baseline, because there are no earlier results", "use check, with the setting baseline"
    return None


def names_of(cell: Token) -> list[Token]:
    """The names between the dots of a cell."""
    names = []
    for match in re.finditer(_NAME, cell.text, re.DOTALL):
        span = cell.span[0] + match.start(), cell.span[0] + match.end()
        if match[0].startswith('"'):
            names.append(Token("quoted", re.sub(r'\\(["\\])', r"\1", match[0][1:-1]), span, cell.condition))
        else:
            names.append(Token("wildcard" if match[0] == "*" else "name", match[0], span, cell.condition))
    return names


def has_wildcard(token: Token) -> bool:
    """Whether a token may be several cells."""
    return token.kind == "cell" and any(name.kind == "wildcard" for name in names_of(token))


def format_cell(names: Sequence[str]) -> str:
    r"""A cell as it is written in a condition, with quotes around the names that need them.

    >>> print(format_cell(["scores", "my system", 'a "b"', "wsk:d=2", "f1"]))
    scores."my system"."a \"b\"".wsk:d=2.f1
    """
    table_is_plain = names[0].isidentifier() and names[0] != "baseline"
    texts = []
    for place, name in enumerate(names):
        is_plain = table_is_plain if place == 0 else re.fullmatch(_NAME, name) and '"' not in name and name != "*"
        texts.append(name if is_plain else '"' + re.sub(r'(["\\])', r"\\\1", name) + '"')
    return ".".join(texts)
