"""From the text of a condition to its tree. Nothing is ever executed.

condition   or: and, not, comparisons   `a.b.c < 0.5 and not (a.b.d < 0.5 or a.b.e == "yes")`
comparison  < <= > >= == != between two values, one of them with a cell
value       + - * / of numbers, cells and `baseline`
cell        TABLE.ROW….COLUMN, in the earlier result where `baseline.` stands before it
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from metaeval.gates.expression import (
    BASELINE,
    MINUS_LEVEL,
    NOT_LEVEL,
    OPERATORS,
    Baseline,
    Binary,
    CellPath,
    Kind,
    Negative,
    Node,
    Not,
    Number,
    Operator,
    Text,
    Truth,
    is_condition,
    parts_of,
)
from metaeval.gates.mistakes import ConditionError, Mistake, Span
from metaeval.gates.words import SPACES, Word, words_of

MOST_WORDS = 200
"""So many words, signs and parentheses a condition may have: a tree of them is never too deep to walk."""

_COMPARISON = "a comparison, as stability.cem-ord.mean < 0.6"
_VALUE = "a number or a cell, as TABLE.ROW.COLUMN"


@dataclass(frozen=True)
class Gate:
    """A condition that must not hold.

    condition: as it was written. tree: what it means.
    """

    condition: str
    tree: Node

    @property
    def needs_baseline(self) -> bool:
        """Whether it looks into an earlier result."""
        return any(_of_baseline(node) for node in parts_of(self.tree))


def parse_gates(conditions: Sequence[str], *, baseline: bool) -> tuple[Gate, ...]:
    """The gates of conditions; whatever is wrong with any of them is told in one `ConditionError`.

    baseline: whether there is an earlier result that conditions may speak of.
    """
    gates: list[Gate] = []
    mistakes: list[Mistake] = []
    for condition in conditions:
        try:
            gate = parse_gate(condition)
        except ConditionError as error:
            mistakes += error.mistakes
        else:
            gates.append(gate)
            mistakes += [] if baseline else _without_baseline(gate)
    if mistakes:
        raise ConditionError(mistakes)
    return tuple(gates)


def parse_gate(condition: str) -> Gate:
    """The gate of one condition; a `ConditionError` points at the first place that can't be read.

    >>> print(parse_gate("(scores.a.f1)<baseline-.01").tree)
    scores.a.f1 < baseline - 0.01
    """
    return Gate(condition, _Parser(condition).whole())


def _of_baseline(node: Node) -> bool:
    return isinstance(node, Baseline) or (isinstance(node, CellPath) and node.of_baseline)


def _without_baseline(gate: Gate) -> list[Mistake]:
    return [
        Mistake(
            gate.condition,
            node.span,
            "a condition on a baseline, and none is given",
            hint="name an earlier result: metaeval check CONFIG --baseline FILE",
        )
        for node in parts_of(gate.tree)
        if _of_baseline(node)
    ][:1]


class _Parser:
    """Climbs the levels of the operators."""

    def __init__(self, condition: str) -> None:
        self.condition = condition
        self.words = words_of(condition)
        self.place = 0
        self.nearest: CellPath | None = None
        """The last cell to the left in the same comparison."""

    @property
    def word(self) -> Word:
        """The one to be read."""
        return self.words[self.place]

    def take(self) -> Word:
        """Go past it."""
        word = self.word
        self.place += 1
        return word

    def whole(self) -> Node:
        """The whole condition."""
        if len(self.words) > MOST_WORDS:
            span = self.words[MOST_WORDS - 1].span
            raise self.mistake(span, f"at most {MOST_WORDS - 1} words", found="a longer condition", hint="make two")
        tree = self.expression(0)
        if self.word.sort != "end":
            side_by_side = self.word.sort == self.words[self.place - 1].sort == "path"
            hint = SPACES if side_by_side else ""
            raise self.mistake(self.word.span, "'and', 'or', an operator, or the end", hint=hint)
        return self.condition_of(tree)

    def expression(self, least: int) -> Node:
        """Operands with the operators between them whose level is at least so high."""
        left = self.operand()
        while (operator := self.operator()) is not None and operator.level >= least:
            sign = self.take()
            if operator.kind is Kind.LOGIC:
                self.nearest = None
            right = self.expression(operator.level + 1)
            left = self.joined(operator, sign.span, left, right)
        return left

    def operator(self) -> Operator | None:
        """The operator to be read, if it is one."""
        return OPERATORS.get(self.word.text) if self.word.sort == "sign" else None

    def operand(self) -> Node:
        """A number, a text, a cell, or what is in parentheses, with what stands before it."""
        word = self.take()
        if word.sort == "number":
            return Number(float(word.text), span=word.span)
        if word.sort == "text":
            return Text(word.text, span=word.span)
        if word.sort == "truth":
            return Truth(word.text == "true", span=word.span)
        if word.sort == "path":
            return self.path(word)
        if word.sort == "baseline":
            return self.baseline(word)
        return self.prefixed(word)

    def prefixed(self, word: Word) -> Node:
        """A parenthesis, a `not`, or a sign before a value."""
        start = word.span[0]
        if word.text == "(" and word.sort == "sign":
            inner = self.expression(0)
            if (self.word.sort, self.word.text) != ("sign", ")"):
                raise self.mistake(self.word.span, f"')' for the '(' at character {start + 1}")
            return replace(inner, span=(start, self.take().span[1]))
        if word.text == "not":
            inner = self.condition_of(self.expression(NOT_LEVEL))
            return Not(inner, span=(start, inner.span[1]))
        if word.text == "-":
            inner = self.value_of(self.expression(MINUS_LEVEL), "-")
            return Negative(inner, span=(start, inner.span[1]))
        raise self.mistake(word.span, _VALUE)

    def path(self, word: Word) -> CellPath:
        """A cell."""
        of_baseline = word.parts[0].text == BASELINE and not word.parts[0].in_quotes
        parts = word.parts[1:] if of_baseline else word.parts
        if len(parts) < 2 or parts[0].is_wildcard:
            raise self.mistake(word.span, "a table, a row and a column, as TABLE.ROW.COLUMN")
        path = CellPath(parts, of_baseline, span=word.span)
        self.nearest = self.nearest if of_baseline else path
        return path

    def baseline(self, word: Word) -> Baseline:
        """What the cell to the left was."""
        if self.nearest is None:
            raise self.mistake(
                word.span,
                "a cell before it",
                found="'baseline' without a cell to its left in the same comparison",
                hint="as in scores.mysystem.macro-f1 < baseline - 0.01, or name the cell: baseline.TABLE.ROW.COLUMN",
            )
        return Baseline(self.nearest, span=word.span)

    def joined(self, operator: Operator, sign: Span, left: Node, right: Node) -> Binary:
        """Two operands, once it is clear that they go with the operator."""
        node = Binary(operator, left, right, span=(left.span[0], right.span[1]))
        if operator.kind is Kind.LOGIC:
            self.condition_of(left)
            self.condition_of(right)
            return node
        if operator.kind is Kind.COMPARISON and is_condition(left):
            raise self.mistake(sign, "one comparison", found="a second comparison", hint="write 'a < b and b < c'")
        self.value_of(left, operator.sign)
        self.value_of(right, operator.sign)
        if operator.kind is Kind.COMPARISON:
            self.check_comparison(node)
        return node

    def check_comparison(self, node: Binary) -> None:
        """It speaks of a cell, and at most once of any."""
        paths = [part for part in parts_of(node) if isinstance(part, CellPath)]
        if not paths:
            raise self.mistake(node.span, _COMPARISON, found="a comparison without a cell")
        for second in [path for path in paths if path.has_wildcard][1:]:
            raise self.mistake(second.span, "one in a comparison", found="a second cell with '*'", hint="name the rows")

    def condition_of(self, node: Node) -> Node:
        """The node, which has to be a condition."""
        if not is_condition(node):
            raise self.mistake(node.span, _COMPARISON, found=f"{self.text(node.span)}, which is only a value")
        return node

    def value_of(self, node: Node, sign: str) -> Node:
        """The node, which has to be a value, and a number where there is reckoning."""
        if is_condition(node):
            raise self.mistake(node.span, _VALUE, found="a condition")
        if isinstance(node, (Text, Truth)) and sign not in ("==", "!="):
            raise self.mistake(node.span, _VALUE, found=f"{self.text(node.span)} with '{sign}'", hint="use == or !=")
        return node

    def text(self, span: Span) -> str:
        return f"'{self.condition[slice(*span)]}'" if span[0] < span[1] else "the end"

    def mistake(self, span: Span, expected: str, *, found: str = "", hint: str = "") -> ConditionError:
        return ConditionError([Mistake(self.condition, span, found or self.text(span), expected, hint)])
