"""The words of a condition: numbers, operators, quoted texts and paths.

Names of measures and systems hold hyphens, colons, commas, equal signs and slashes, so that a sign is an operator
only where a word begins: after a space, a number or a parenthesis, or before one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from metaeval.errors import did_you_mean
from metaeval.gates.expression import BASELINE, KEYWORDS, Part
from metaeval.gates.mistakes import ConditionError, Mistake, Span

Sort = Literal["number", "text", "truth", "path", "baseline", "sign", "end"]

_SPACE = re.compile(r"\s*")
_NUMBER = re.compile(r"(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_AFTER_NUMBER = re.compile(r"[\s()<>!+\-*/]|==|$")
_RUN = re.compile(r"""(?:(?!==)[^\s()<>!"'.])*""")
_QUOTED = {'"': re.compile(r'"((?:\\["\\]|[^"])*?)"'), "'": re.compile(r"'((?:\\['\\]|[^'])*?)'")}
_AFTER_QUOTED = re.compile(r"[\s()<>!+\-*/.]|==|$")
_SIGN = re.compile(r"[<>=!]=|[<>()+\-*/]")
_ARITHMETIC = "+-*/"

_MEANT = {
    **{"&&": "and", "&": "and", "||": "or", "|": "or", "<>": "!=", "=<": "<=", "=>": ">=", "=": "==", "!": "not"},
    **{"≤": "<=", "≥": ">=", "≠": "!=", "−": "-", "–": "-", "×": "*", "÷": "/"},
}
"""What other languages and people write."""
_NO_VALUE = ("nan", "none", "null", "undefined")
"""What else a cell without a value is called."""

SPACES = 'write names with spaces in quotes, as scores."my system".accuracy'
"""What to do where two names stand side by side."""

_FOREIGN = re.compile("|".join(re.escape(sign) for sign in _MEANT))


@dataclass(frozen=True)
class Word:
    """One word of a condition.

    sort: what it is. text: as written, or what is in the quotes. span: where. parts: of a path.
    """

    sort: Sort
    text: str
    span: Span
    parts: tuple[Part, ...] = ()


def words_of(condition: str) -> tuple[Word, ...]:
    """The words, with an 'end' after them; a `ConditionError` at the first that is none.

    >>> [word.text for word in words_of("scores.a-b.f1 < baseline - .01")]
    ['scores.a-b.f1', '<', 'baseline', '-', '.01', '']
    """
    reader = _Reader(condition)
    words: list[Word] = []
    while not words or words[-1].sort != "end":
        words.append(reader.next(words[-1].sort if words else None))
    return tuple(words)


class _Reader:
    def __init__(self, condition: str) -> None:
        self.condition = condition
        self.place = 0

    def next(self, before: Sort | None) -> Word:
        """The next word; before: what the one to its left is."""
        start = self.skip(_SPACE)
        if start == len(self.condition):
            return Word("end", "", (start, start))
        following = self.condition[start]
        if _NUMBER.match(self.condition, start):
            return self.number(start)
        foreign = _FOREIGN.match(self.condition, start)
        sign = _SIGN.match(self.condition, start)
        if foreign and not (sign and len(sign[0]) >= len(foreign[0])):
            raise self.mistake((start, foreign.end()), hint=f"did you mean '{_MEANT[foreign[0]]}'?")
        if sign:
            return self.sign(start, sign[0])
        if following == ".":
            raise self.mistake((start, start + 1), "a number or a cell, as TABLE.ROW.COLUMN")
        return self.name(start, before)

    def skip(self, pattern: re.Pattern[str]) -> int:
        """Go past what a pattern matches."""
        match = pattern.match(self.condition, self.place)
        self.place = match.end() if match else self.place
        return self.place

    def sign(self, start: int, sign: str) -> Word:
        self.place = start + len(sign)
        return Word("sign", sign, (start, self.place))

    def number(self, start: int) -> Word:
        end = self.skip(_NUMBER)
        text = self.condition[start:end]
        if not _AFTER_NUMBER.match(self.condition, end):
            rest = re.compile(r"[^\s()<>!]+").match(self.condition, start)
            raise self.mistake((start, rest.end() if rest else end), "a number, as 0.6, .5 or 1e-3")
        if float(text) == float("inf"):
            raise self.mistake((start, end), "a number below 1e308")
        return Word("number", text, (start, end))

    def name(self, start: int, before: Sort | None) -> Word:
        """A keyword, a text in quotes, or a path."""
        parts = [self.part()]
        while self.condition.startswith(".", self.place):
            self.place += 1
            parts.append(self.part())
        span = (start, self.place)
        if len(parts) > 1:
            return Word("path", self.condition[start : self.place], span, tuple(parts))
        only = parts[0]
        if only.in_quotes:
            return Word("text", only.text, span)
        if only.text == BASELINE:
            return Word("baseline", only.text, span)
        if only.text in ("true", "false"):
            return Word("truth", only.text, span)
        if only.text in KEYWORDS:
            return Word("sign", only.text, span)
        raise self.mistake(span, "a cell, as TABLE.ROW.COLUMN", hint=_hint(only.text, before))

    def part(self) -> Part:
        """What stands up to the next dot, or to the end of the path."""
        start = self.place
        mark = self.condition[start : start + 1]
        if mark in _QUOTED and mark:
            return self.in_quotes(start, mark)
        end = self.skip(_RUN)
        text = self.condition[start:end]
        if text.startswith(BASELINE) and text[len(BASELINE) :][:1] in tuple(_ARITHMETIC):
            # No table is called so: 'baseline-0.01' is meant as arithmetic.
            text = BASELINE
        elif len(text) > 1 and text[-1] in _ARITHMETIC and self.condition.startswith("(", end):
            text = text[:-1]
        self.place = start + len(text)
        if not text:
            raise self.mistake((self.place, self.place + 1), "a name after the dot")
        return Part(text, span=(start, self.place))

    def in_quotes(self, start: int, mark: str) -> Part:
        match = _QUOTED[mark].match(self.condition, start)
        if not match:
            raise self.mistake((start, start + 1), f"another {mark} after it", found="a quotation mark without an end")
        self.place = match.end()
        if not _AFTER_QUOTED.match(self.condition, self.place):
            raise self.mistake((self.place, self.place + 1), "a dot or a space after the quotation mark")
        return Part(re.sub(r"""\\(["'\\])""", r"\1", match[1]), in_quotes=True, span=(start, self.place))

    def mistake(self, span: Span, expected: str = "", *, found: str = "", hint: str = "") -> ConditionError:
        text = self.condition[slice(*span)]
        what = found or (f"'{text}'" if text else "the end")
        return ConditionError([Mistake(self.condition, span, what, expected, hint)])


def _hint(text: str, before: Sort | None) -> str:
    """What may be meant by a word that is none; before: what stands to its left."""
    if text.casefold() in _NO_VALUE:
        return "leave it out: where a cell is undefined, a gate fails by itself"
    fallback = SPACES if before == "path" else "write words that are compared with in quotes"
    return did_you_mean(text, (*KEYWORDS, BASELINE)) or fallback
