"""What a condition is: a tree of comparisons, arithmetic and cells; printed as it is written."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum

from metaeval.gates.mistakes import Span

WILDCARD = "*"
BASELINE = "baseline"
KEYWORDS = ("and", "or", "not", "true", "false")

_BARE = re.compile(r"""[^\s()<>!"'.+\-*/=\d&|≤≥≠−–×÷][^\s()<>!"'.]*""")
"""A first part that needs no quotes: it does not begin as an operator, whoever writes it so; with '==' it does."""

_BARE_LATER = re.compile(r"""[^\s()<>!"'.]+""")


class Kind(Enum):
    """What an operator makes, and of what."""

    LOGIC = "logic"
    COMPARISON = "comparison"
    ARITHMETIC = "arithmetic"


@dataclass(frozen=True)
class Operator:
    """An operator between two operands; those of a higher level bind tighter.

    says: what a comparison that holds says of its left side, and `mirrored` of its right side.
    """

    sign: str
    kind: Kind
    level: int
    says: str = ""
    mirrored: str = ""


OPERATORS = {
    operator.sign: operator
    for operator in (
        Operator("or", Kind.LOGIC, 1),
        Operator("and", Kind.LOGIC, 2),
        Operator("<", Kind.COMPARISON, 4, "below", "above"),
        Operator("<=", Kind.COMPARISON, 4, "at most", "at least"),
        Operator(">", Kind.COMPARISON, 4, "above", "below"),
        Operator(">=", Kind.COMPARISON, 4, "at least", "at most"),
        Operator("==", Kind.COMPARISON, 4, "equal to", "equal to"),
        Operator("!=", Kind.COMPARISON, 4, "other than", "other than"),
        Operator("+", Kind.ARITHMETIC, 5),
        Operator("-", Kind.ARITHMETIC, 5),
        Operator("*", Kind.ARITHMETIC, 6),
        Operator("/", Kind.ARITHMETIC, 6),
    )
}
NOT_LEVEL = 3
"""`not` binds looser than a comparison and tighter than `and`."""

MINUS_LEVEL = 7
_TIGHTEST = 8


@dataclass(frozen=True)
class Node:
    """A part of a condition; span: where it stands, which two equal ones need not share."""

    span: Span = field(default=(0, 0), compare=False, kw_only=True)

    @property
    def level(self) -> int:
        """How tightly its parts hold together."""
        return _TIGHTEST


@dataclass(frozen=True)
class Number(Node):
    """A number."""

    value: float

    def __str__(self) -> str:
        return repr(self.value).removesuffix(".0")


@dataclass(frozen=True)
class Text(Node):
    """A quoted text, to compare with a cell of words."""

    value: str

    def __str__(self) -> str:
        return quoted(self.value)


@dataclass(frozen=True)
class Truth(Node):
    """`true` or `false`, to compare with a flag."""

    value: bool

    def __str__(self) -> str:
        return "true" if self.value else "false"


@dataclass(frozen=True)
class Part:
    """What stands between two dots of a path; in quotes it is taken as it is, dots, stars and all."""

    text: str
    in_quotes: bool = False
    span: Span = field(default=(0, 0), compare=False)

    @property
    def is_wildcard(self) -> bool:
        """Whether it stands for every row, or every column."""
        return self.text == WILDCARD and not self.in_quotes


@dataclass(frozen=True)
class CellPath(Node):
    """Cells of a table, TABLE.ROW….COLUMN; of_baseline: of the earlier result."""

    parts: tuple[Part, ...]
    of_baseline: bool = False

    @property
    def has_wildcard(self) -> bool:
        """Whether it may stand for several cells."""
        return any(part.is_wildcard for part in self.parts)

    def __str__(self) -> str:
        return ("baseline." if self.of_baseline else "") + dotted(self.parts)


@dataclass(frozen=True)
class Baseline(Node):
    """The cell of the nearest path to the left, in the earlier result; path: that path."""

    path: CellPath

    def __str__(self) -> str:
        return BASELINE


@dataclass(frozen=True)
class Not(Node):
    """The condition that holds where another does not."""

    operand: Node

    @property
    def level(self) -> int:
        """As tightly as `not` binds."""
        return NOT_LEVEL

    def __str__(self) -> str:
        return f"not {_inside(self.operand, NOT_LEVEL)}"


@dataclass(frozen=True)
class Negative(Node):
    """A value with its sign turned."""

    operand: Node

    @property
    def level(self) -> int:
        """As tightly as a sign binds."""
        return MINUS_LEVEL

    def __str__(self) -> str:
        return f"-{_inside(self.operand, MINUS_LEVEL)}"


@dataclass(frozen=True)
class Binary(Node):
    """Two operands and an operator; comparisons and logic are conditions, arithmetic is a value."""

    operator: Operator
    left: Node
    right: Node

    @property
    def level(self) -> int:
        """As tightly as the operator binds."""
        return self.operator.level

    def __str__(self) -> str:
        # Of equals the left one comes first; comparisons do not follow one another at all.
        left = self.level + (self.operator.kind is Kind.COMPARISON)
        return f"{_inside(self.left, left)} {self.operator.sign} {_inside(self.right, self.level + 1)}"


def is_condition(node: Node) -> bool:
    """Whether a node holds or does not; else it is a value."""
    return isinstance(node, Not) or (isinstance(node, Binary) and node.operator.kind is not Kind.ARITHMETIC)


def parts_of(node: Node) -> Iterator[Node]:
    """A node and all that it is made of, from left to right."""
    yield node
    if isinstance(node, Binary):
        yield from parts_of(node.left)
        yield from parts_of(node.right)
    elif isinstance(node, (Not, Negative)):
        yield from parts_of(node.operand)


def dotted(parts: tuple[Part, ...]) -> str:
    """The parts of a path as they are written.

    >>> dotted((Part("scores"), Part("my system", in_quotes=True), Part("f1")))
    'scores."my system".f1'
    """
    return ".".join(quoted(part.text) if part.in_quotes else part.text for part in parts)


def plainly(text: str, *, first: bool = False) -> Part:
    """The part of a path that stands for a name: in quotes where it can't be written without.

    >>> plainly("my system").in_quotes, plainly("wsk:d=2,lambda=0.5").in_quotes, plainly("cem-ord").in_quotes
    (True, True, False)
    """
    bare = (_BARE if first else _BARE_LATER).fullmatch(text) and "==" not in text and text != WILDCARD
    keyword = first and text in (*KEYWORDS, BASELINE)
    return Part(text, in_quotes=not bare or keyword or text[-1] in "+-*/")


def quoted(text: str) -> str:
    r"""A text in double quotes, which a backslash keeps inside.

    >>> quoted('a "b" \\ c')
    '"a \\"b\\" \\\\ c"'
    """
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _inside(node: Node, level: int) -> str:
    return str(node) if node.level >= level else f"({node})"
